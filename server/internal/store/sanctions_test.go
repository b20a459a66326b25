package store_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/sanction"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// door hears which sessions end, and who is asked to leave.
type door struct {
	*sanction.Service
	now   time.Time
	ended map[string]fault.Code
	left  []string
}

func newDoor(s *store.Store) *door {
	d := &door{now: t0, ended: map[string]fault.Code{}}
	d.Service = sanction.New(s, d, func(_ context.Context, id string) error {
		d.left = append(d.left, id)
		return nil
	}, func() time.Time { return d.now }, rand.Reader)
	return d
}

func (d *door) Ended(_ context.Context, ids []string, why fault.Code) {
	for _, id := range ids {
		d.ended[id] = why
	}
}

func (d *door) wish(playerID string, until time.Time) sanction.Wish {
	return sanction.Wish{PlayerID: playerID, Word: sanction.Cheating, Reason: "two phones at one table", Author: "eva", Until: until}
}

// A sanction ends all sessions and lets no other begin while it is in force; it ends by
// itself, or by being lifted, and what it was stays.
func TestSanction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDoor(s)
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		refused := func(what string, err error, until time.Time) {
			t.Helper()
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Code != fault.Suspended || !f.Until.Equal(until) || f.Why != "cheating" {
				t.Errorf("%s: %#v", what, err)
			}
		}
		signIn := func(p account.Player, at time.Time) error {
			in := newSession(t, p.ID, newID(t))
			in.CreatedAt, in.ExpiresAt = at, at.Add(time.Hour)
			_, err := s.CreateSession(ctx, in, 50)
			return err
		}
		refresh := func(token string, at time.Time) error {
			_, _, err := s.RotateSession(ctx, account.Rotation{
				Spent: sha256.Sum256([]byte(token)), Next: sha256.Sum256([]byte(token + "'")), At: at, ExpiresAt: at.Add(time.Hour),
			})
			return err
		}
		before, err := s.Sessions(ctx, ana.ID, t0)
		if err != nil || len(before) != 1 {
			t.Fatal(before, err)
		}
		until := t0.Add(time.Hour)
		first, err := d.Impose(ctx, d.wish(ana.ID, until))
		if err != nil || !first.Until.Equal(until) {
			t.Fatalf("%+v, %v", first, err)
		}
		if len(d.ended) != 1 || d.ended[before[0].ID] != fault.Suspended || !slices.Equal(d.left, []string{ana.ID}) {
			t.Errorf("ended %v, left %v", d.ended, d.left)
		}
		refused("signing in", signIn(ana, t0.Add(time.Minute)), until)
		refused("refreshing", refresh(ana.ID, t0.Add(time.Minute)), until)
		if err := refresh("nobody's", t0); fault.CodeOf(err) != fault.RefreshInvalid {
			t.Errorf("nobody's token: %v", err)
		}
		if err := signIn(ben, t0); err != nil {
			t.Errorf("another: %v", err)
		}
		// At its end it is over without anybody's doing.
		if err := signIn(ana, until); err != nil {
			t.Errorf("at the end: %v", err)
		}
		if err := refresh(ana.ID, until); fault.CodeOf(err) != fault.RefreshInvalid {
			t.Errorf("an ended session's token: %v", err)
		}
		if err := d.Lift(ctx, ben.ID, "eva", "a mistake"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("nothing to lift: %v", err)
		}

		// One that replaces another, and is lifted.
		d.now = t0.Add(2 * time.Hour)
		if _, err := d.Impose(ctx, d.wish(ana.ID, d.now.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(time.Minute)
		if _, err := d.Impose(ctx, d.wish(ana.ID, time.Time{})); err != nil {
			t.Fatal(err)
		}
		refused("for ever", signIn(ana, d.now.Add(100*365*24*time.Hour)), time.Time{})
		if now, err := d.Current(ctx, ana.ID); err != nil || now == nil || !now.Until.IsZero() {
			t.Errorf("%+v, %v", now, err)
		}
		d.now = d.now.Add(time.Minute)
		if err := d.Lift(ctx, ana.ID, "ole", "it was her sister"); err != nil {
			t.Fatal(err)
		}
		if err := signIn(ana, d.now); err != nil {
			t.Errorf("lifted: %v", err)
		}
		all, err := d.History(ctx, ana.ID)
		if err != nil || len(all) != 3 {
			t.Fatalf("%+v, %v", all, err)
		}
		for i, want := range []struct {
			ended time.Time
			by    string
		}{{d.now, "ole"}, {d.now.Add(-time.Minute), "eva"}, {until, ""}} {
			if got := all[i]; !got.EndedAt.Equal(want.ended) || got.EndedBy != want.by || got.InForce(d.now) {
				t.Errorf("%d: %+v, want %+v", i, got, want)
			}
		}
	})
}

func TestSanctionRefusals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, ana := newDoor(s), addPlayer(t, s, "Ana")
		for field, change := range map[string]func(*sanction.Wish){
			"word":   func(w *sanction.Wish) { w.Word = "" },
			"text":   func(w *sanction.Wish) { w.Text = strings.Repeat("ñ", sanction.MaxText+1) },
			"reason": func(w *sanction.Wish) { w.Reason = " " },
			"author": func(w *sanction.Wish) { w.Author = "" },
			"until":  func(w *sanction.Wish) { w.Until = t0 },
		} {
			w := d.wish(ana.ID, t0.Add(time.Hour))
			change(&w)
			_, err := d.Impose(t.Context(), w)
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.InvalidRequest || f.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, err := d.Impose(t.Context(), d.wish(newID(t), time.Time{})); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("nobody: %v", err)
		}
		if len(d.ended)+len(d.left) > 0 {
			t.Errorf("ended %v, left %v", d.ended, d.left)
		}
	})
}

// Of sign-ins at the very moment when a player is put out, none is left.
func TestSanctionAgainstSignIns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d, ana := t.Context(), newDoor(s), addPlayer(t, s, "Ana")
		var wg sync.WaitGroup
		for range 8 {
			in := newSession(t, ana.ID, newID(t))
			wg.Go(func() {
				if _, err := s.CreateSession(ctx, in, 50); err != nil && fault.CodeOf(err) != fault.Suspended {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if _, err := d.Impose(ctx, d.wish(ana.ID, time.Time{})); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if left, err := s.Sessions(ctx, ana.ID, t0); err != nil || len(left) > 0 {
			t.Errorf("%d sessions live: %v", len(left), err)
		}
	})
}

// The matcher seats nobody who is kept out, whatever came too late to make them leave,
// and what the others lose is their partner.
func TestNobodyKeptOutIsMatched(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h, d := newHall(t, s, "Ana Ben Carla Dora Eva"), newDoor(s)
		for _, name := range []string{"Ana", "Ben", "Carla"} {
			h.try("", name, 0, "")
		}
		h.befriend("Dora", "Eva")
		h.try("", "Dora", 0, "Eva")
		h.try("", "Eva", 0, "Dora")
		for _, name := range []string{"Ana", "Eva"} {
			if _, err := d.Impose(t.Context(), d.wish(h.people[name].ID, time.Time{})); err != nil {
				t.Fatal(err)
			}
		}
		lingering := func(want int) {
			t.Helper()
			if got, err := s.Lingering(t.Context(), t0, 10); err != nil || len(got) != want {
				t.Errorf("lingering: %v, %v; want %d", got, err, want)
			}
		}
		lingering(2)
		if err := h.Round(t.Context(), lobby.Queue{Rules: rules.Mesa}); err != nil {
			t.Fatal(err)
		}
		lingering(0)
		h.are("Ana Eva", engagement.None, engagement.Suspended)
		h.are("Dora", engagement.None, engagement.PartnerLeft)
		for _, name := range []string{"Ben", "Carla"} {
			h.are(name, engagement.Ticket, engagement.Joined)
		}
		h.clean()
	})
}
