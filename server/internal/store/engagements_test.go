package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
)

// A player is in one place at a time, leaves only what they are in, and every change
// has the next number.
func TestEngagements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		p := addPlayer(t, s, "Ana")
		room := engagement.Place{Kind: engagement.Room, ID: "r"}
		ticket := engagement.Place{Kind: engagement.Ticket, ID: "q"}
		is := func(place engagement.Place, seq int, why engagement.Reason) {
			t.Helper()
			e, err := s.Engagement(ctx, p.ID)
			if err != nil || e.PlayerID != p.ID || e.Place != place || e.Seq != seq || e.Reason != why {
				t.Fatalf("got %+v, %v", e, err)
			}
			if seq > 0 && !e.Since.Equal(t0) {
				t.Errorf("since %v, want %v", e.Since, t0)
			}
		}
		refused := func(_ engagement.Change, err error) {
			t.Helper()
			if !errors.Is(err, engagement.ErrEngaged) {
				t.Fatalf("got %v, want engaged", err)
			}
		}
		done := func(c engagement.Change, err error) {
			t.Helper()
			if err != nil || c.PlayerID != p.ID {
				t.Fatal(c, err)
			}
		}
		is(engagement.Free, 0, "")
		refused(s.Engage(ctx, p.ID, room, engagement.Free, engagement.Left, t0))
		refused(s.Touch(ctx, p.ID, room))
		done(s.Engage(ctx, p.ID, engagement.Free, room, engagement.Joined, t0))
		is(room, 1, engagement.Joined)
		refused(s.Engage(ctx, p.ID, engagement.Free, ticket, engagement.Joined, t0))
		refused(s.Engage(ctx, p.ID, ticket, engagement.Free, engagement.Left, t0))
		done(s.Touch(ctx, p.ID, room))
		is(room, 2, engagement.Joined)
		done(s.Engage(ctx, p.ID, room, ticket, engagement.Joined, t0))
		done(s.Engage(ctx, p.ID, ticket, engagement.Free, engagement.Expired, t0))
		is(engagement.Free, 4, engagement.Expired)
		if _, err := s.Engage(ctx, "nobody", engagement.Free, room, engagement.Joined, t0); err == nil {
			t.Error("somebody who is not there came in")
		}
	})
}

// Of many who want the same player at once, one gets them.
func TestEngagedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		p := addPlayer(t, s, "Ana")
		var all sync.WaitGroup
		var got, refused atomic.Int32
		for i := range 16 {
			all.Go(func() {
				to := engagement.Place{Kind: engagement.Ticket, ID: string(rune('a' + i))}
				switch _, err := s.Engage(t.Context(), p.ID, engagement.Free, to, engagement.Joined, t0); {
				case err == nil:
					got.Add(1)
				case errors.Is(err, engagement.ErrEngaged):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 || refused.Load() != 15 {
			t.Errorf("%d got the player, %d were refused", got.Load(), refused.Load())
		}
	})
}

// The end of a match lets its players go, but nobody who is elsewhere.
func TestFinishReleases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		for _, mode := range []economy.Mode{economy.Online, economy.Friends, economy.Machine} {
			ana, ben := addPlayer(t, s, "Ana "+string(mode)), addPlayer(t, s, "Ben "+string(mode))
			m := newMatch(t, ana, ben)
			m.Mode, m.Economy = mode, 1
			if _, err := s.CreateMatch(ctx, m, nil); err != nil {
				t.Fatal(err)
			}
			here, room := engagement.Place{Kind: engagement.Match, ID: m.ID}, engagement.Place{Kind: engagement.Room, ID: "r"}
			for player, place := range map[string]engagement.Place{ana.ID: here, ben.ID: room} {
				if _, err := s.Engage(ctx, player, engagement.Free, place, engagement.Started, t0); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.FinishMatch(ctx, m.ID, match.Entry{At: t0, Kind: match.KindAct, By: match.ByBot}, match.Result{}); err != nil {
				t.Fatal(err)
			}
			want := engagement.Free
			if mode == economy.Machine {
				want = here
			}
			if e, err := s.Engagement(ctx, ana.ID); err != nil || e.Place != want {
				t.Errorf("%s: who played is in %+v, %v", mode, e, err)
			}
			if e, err := s.Engagement(ctx, ben.ID); err != nil || e.Place != room {
				t.Errorf("%s: who was elsewhere is in %+v, %v", mode, e, err)
			}
		}
	})
}
