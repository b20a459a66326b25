package store_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func TestChangePlayer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		avatar, language := "RE", "ca"
		rename := func(from, to string) *people.Rename { return &people.Rename{From: from, To: to, At: t0.Add(time.Hour)} }
		for _, c := range []struct {
			id     string
			rename *people.Rename
			code   fault.Code
		}{
			{ben.ID, rename("Ben", "ÁNA"), fault.NameTaken},
			{ben.ID, rename("Benito", "Carla"), fault.NameTooSoon},
			{newID(t), nil, fault.NotFound},
		} {
			if err := s.ChangePlayer(ctx, c.id, c.rename, &avatar, &language); fault.CodeOf(err) != c.code {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if got, err := s.PlayerByID(ctx, ben.ID); err != nil || got != ben {
			t.Errorf("a refused change was kept: %+v, %v", got, err)
		}
		if err := s.ChangePlayer(ctx, ana.ID, rename("Ana", "ANA"), &avatar, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.ChangePlayer(ctx, ana.ID, nil, nil, &language); err != nil {
			t.Fatal(err)
		}
		ana.Name, ana.Avatar, ana.Language, ana.RenamedAt = "ANA", "RE", "ca", t0.Add(time.Hour)
		if got, err := s.PlayerByID(ctx, ana.ID); err != nil || got != ana {
			t.Errorf("got %+v, %v; want %+v", got, err, ana)
		}
		if p, err := s.PersonByName(ctx, name.Key("anа")); err != nil || p.ID != ana.ID || p.Name != "ANA" {
			t.Errorf("by name: %+v, %v", p, err)
		}
		if _, err := s.PersonByName(ctx, "nobody"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("nobody: %v", err)
		}
	})
}

// Of many who want one name at the same time, one gets it.
func TestNameRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const rivals = 6
		errs := make([]error, 2*rivals)
		var wg sync.WaitGroup
		for i := range rivals {
			p := addPlayer(t, s, fmt.Sprint("Rival ", i+2))
			wg.Go(func() {
				errs[i] = s.ChangePlayer(t.Context(), p.ID, &people.Rename{From: p.Name, To: "Zoe", At: t0}, nil, nil)
			})
			g := account.Player{ID: newID(t), Name: "ZOE", Language: "es", CreatedAt: t0}
			d := account.Device{ID: newID(t), PlayerID: g.ID, CreatedAt: t0}
			copy(d.SecretHash[:], g.ID)
			session := newSession(t, g.ID, g.ID)
			wg.Go(func() { errs[rivals+i] = s.CreateGuest(t.Context(), g, d, session) })
		}
		wg.Wait()
		got := 0
		for _, err := range errs {
			if err == nil {
				got++
			} else if fault.CodeOf(err) != fault.NameTaken {
				t.Error(err)
			}
		}
		if got != 1 {
			t.Errorf("%d got the name", got)
		}
	})
}

func TestStats(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		result := match.Result{Winner: 1, Hands: 5, HandsWon: [2]int{2, 3}}
		result.Bids[0], result.Bids[1] = match.Bids{Lost: 1}, match.Bids{Made: 2}
		finish := func(m *match.Match) error { return s.FinishMatch(ctx, m.ID, entry(0, "AO"), result) }
		m := addMatch(t, s, ana, ben)
		if err := finish(m); err != nil {
			t.Fatal(err)
		}
		if err := finish(m); err == nil {
			t.Error("ended twice")
		}
		long := newMatch(t, ben)
		long.Rules = rules.Mesa.Rules()
		long.Rules.Target = 20
		if _, err := s.CreateMatch(ctx, long, nil); err != nil {
			t.Fatal(err)
		}
		if err := finish(long); err != nil {
			t.Fatal(err)
		}
		if err := finish(addMatch(t, s, ana, ben)); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			p    account.Player
			want []people.Stats
		}{
			{ana, []people.Stats{{Rules: people.House, Played: 2, Hands: 10, HandsWon: 4, BidsLost: 2}}},
			{ben, []people.Stats{
				{Rules: "mesa", Played: 1, Hands: 5, HandsWon: 2, BidsLost: 1},
				{Rules: people.House, Played: 2, Won: 2, Hands: 10, HandsWon: 6, BidsMade: 4},
			}},
		} {
			if p, err := s.Profile(ctx, c.p.ID); err != nil || !reflect.DeepEqual(p.Stats, c.want) || p.Name != c.p.Name {
				t.Errorf("%s: %+v, %v; want %+v", c.p.Name, p, err, c.want)
			}
		}
		if _, err := s.Profile(context.Background(), newID(t)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("nobody: %v", err)
		}
	})
}

func TestReports(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben, eva := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben"), addPlayer(t, s, "Eva")
		m := addMatch(t, s, ana, ben)
		for other, want := range map[string]bool{ben.ID: true, eva.ID: false, newID(t): false} {
			if got, err := s.PlayedTogether(ctx, m.ID, ana.ID, other); err != nil || got != want {
				t.Errorf("together: %v, %v, want %v", got, err, want)
			}
		}
		report := func() people.Report {
			return people.Report{ID: newID(t), ReporterID: ana.ID, ReportedID: ben.ID, Reason: people.Cheating, Text: "he looks", CreatedAt: t0}
		}
		first := report()
		if got, err := s.AddReport(ctx, first); err != nil || got != first {
			t.Errorf("got %+v, %v; want %+v", got, err, first)
		}
		if got, err := s.AddReport(ctx, report()); err != nil || got != first {
			t.Errorf("again: %+v, %v; want %+v", got, err, first)
		}
		ofMatch := report()
		ofMatch.MatchID = m.ID
		if got, err := s.AddReport(ctx, ofMatch); err != nil || got != ofMatch {
			t.Errorf("of a match: %+v, %v; want %+v", got, err, ofMatch)
		}
	})
}

// A player that was deleted is nobody to the others.
func TestDeletedIsNobody(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		n := notice.Notice{PlayerID: ben.ID, Kind: notice.FriendRequest, From: &notice.Person{ID: ana.ID}, At: t0}
		if _, err := s.AddNotice(ctx, n); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RequestDeletion(ctx, privacy.Deletion{PlayerID: ana.ID, RequestedAt: t0, DueAt: t0}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Erase(ctx, ana.ID, "deleted", t0); err != nil || !done {
			t.Fatal(done, err)
		}
		_, profile := s.Profile(ctx, ana.ID)
		_, byID := s.PersonByID(ctx, ana.ID)
		_, byName := s.PersonByName(ctx, name.Key("Ana"))
		_, tie := s.ChangeTie(ctx, ben.ID, ana.ID, func(tie people.Tie) (people.Tie, *notice.Notice, error) {
			t.Error("there is somebody to be tied to")
			return tie, nil, nil
		})
		for i, err := range []error{profile, byID, byName, tie} {
			if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("%d: %v", i, err)
			}
		}
		if list, err := s.NoticesAfter(ctx, ben.ID, 0, 9); err != nil || len(list) != 1 || list[0].From != nil {
			t.Errorf("Ben's notices: %+v, %v", list, err)
		}
	})
}
