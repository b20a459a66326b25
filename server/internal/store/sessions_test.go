package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// Whoever is refused a session loses none of those that they have, and with one too many
// the least used ends; in a unit of work as well as alone.
func TestSessionRefusedEndsNone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, ana := newDoor(s), addPlayer(t, s, "Ana")
		until := t0.Add(time.Hour)
		if _, err := d.Impose(t.Context(), d.wish(ana.ID, until)); err != nil {
			t.Fatal(err)
		}
		begin := func(ctx context.Context, token string, at time.Time) (string, []string, error) {
			in := newSession(t, ana.ID, token)
			in.CreatedAt, in.UsedAt, in.ExpiresAt = at, at, at.Add(time.Hour)
			ended, err := s.CreateSession(ctx, in, 1)
			return in.ID, ended, err
		}
		unit := func(token string, at time.Time) (id string, ended []string, err error) {
			err = s.Atomically(t.Context(), func(ctx context.Context) error {
				var err error
				id, ended, err = begin(ctx, token, at)
				return err
			})
			return id, ended, err
		}
		last, ended, err := begin(t.Context(), "after", until)
		if err != nil || len(ended) != 0 {
			t.Fatal(ended, err)
		}
		// By a clock that is behind, the sanction is still in force.
		if _, ended, err := begin(t.Context(), "early", t0); fault.CodeOf(err) != fault.Suspended || len(ended) != 0 {
			t.Errorf("alone: %v, %v", ended, err)
		}
		if _, ended, err := unit("early too", t0); fault.CodeOf(err) != fault.Suspended || len(ended) != 0 {
			t.Errorf("in a unit: %v, %v", ended, err)
		}
		if left, err := s.Sessions(t.Context(), ana.ID, until); err != nil || len(left) != 1 || left[0].ID != last {
			t.Errorf("left %+v, %v", left, err)
		}
		for _, begin := range []func() (string, []string, error){
			func() (string, []string, error) { return begin(t.Context(), "one more", until) },
			func() (string, []string, error) { return unit("and another", until) },
		} {
			next, ended, err := begin()
			if err != nil || len(ended) != 1 || ended[0] != last {
				t.Errorf("ended %v, %v; want %s", ended, err, last)
			}
			last = next
		}
		nobody := newSession(t, newID(t), "nobody")
		if _, err := s.CreateSession(t.Context(), nobody, 1); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("nobody's: %v", err)
		}
	})
}
