package crowd_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/crowd"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// A quarter of an hour of two hundred people, with two processes one of which dies now and then.
func TestCrowd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		if err := crowd.Empty(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		r, err := crowd.Run(t.Context(), s, crowd.Options{
			Players: 200, Seed: seed, For: 12 * time.Minute, Hands: 1, Processes: 2, KillEvery: 5 * time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(t.Output()); err != nil {
			t.Error(err)
		}
		if len(r.WeeksClosed) != 1 || r.Kills == 0 || r.Reinstalls == 0 || r.Modes[economy.Online].Matches == 0 || r.Modes[economy.Staked].Matches == 0 {
			t.Error("that was no evening")
		}
		for _, v := range r.Violations {
			t.Error(v)
		}
		if err := crowd.Empty(t.Context(), s); err == nil {
			t.Error("another crowd would be let in")
		}
	})
}
