package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
)

func TestMutes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		var ids []string
		for _, name := range []string{"Ana", "Bea", "Carla", "Dora"} {
			ids = append(ids, addPlayer(t, s, name).ID)
		}
		ana, bea, carla, dora := ids[0], ids[1], ids[2], ids[3]
		hearing := func(speaker string, want ...string) {
			t.Helper()
			listeners := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == speaker })
			if got, err := s.Hearing(ctx, speaker, listeners); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v hear, %v; want %v", got, err, want)
			}
		}
		hearing(ana, bea, carla, dora)
		mute := func(who, whom string, on bool) {
			t.Helper()
			for range 2 {
				if err := s.Mute(ctx, who, whom, on, t0); err != nil {
					t.Fatal(err)
				}
			}
		}
		mute(bea, ana, true)
		hearing(ana, carla, dora)
		hearing(bea, ana, carla, dora)
		for _, pair := range [][2]string{{ana, carla}, {dora, bea}} {
			if err := people.New(s, func() time.Time { return t0 }, func(notice.Notice) {}).Block(ctx, pair[0], pair[1]); err != nil {
				t.Fatal(err)
			}
		}
		hearing(ana, dora)
		hearing(bea, ana, carla)
		hearing(carla, bea, dora)
		if got, err := s.Muted(ctx, bea, []string{ana, carla}); err != nil || !slices.Equal(got, []string{ana}) {
			t.Errorf("muted: %v, %v", got, err)
		}
		mute(bea, ana, false)
		hearing(ana, bea, dora)
		if got, err := s.Hearing(ctx, ana, nil); err != nil || len(got) != 0 {
			t.Errorf("at an empty table %v hear, %v", got, err)
		}
	})
}
