package store_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

func TestEconomyVersions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, now := t.Context(), t0
		e := economy.NewService(s, func() time.Time { return now })
		for range 2 { // a second process starts too
			if err := e.Start(ctx); err != nil {
				t.Fatal(err)
			}
		}
		live := func(number int, welcome int64) {
			t.Helper()
			v, d, err := e.Live(ctx)
			if err != nil || v.Number != number || d.Welcome != welcome {
				t.Fatalf("at %v: version %+v, %v; want %d", now, v, err, number)
			}
		}
		with := func(welcome string) []byte {
			return bytes.Replace(economy.Default(), []byte(`"welcome": 500`), []byte(`"welcome": `+welcome), 1)
		}
		refused := func(code fault.Code, err error) {
			t.Helper()
			if fault.CodeOf(err) != code {
				t.Errorf("got %v, want %s", err, code)
			}
		}
		live(1, 500)

		_, err := e.Publish(ctx, with("-1"), 1, time.Time{}, "eva", "why not")
		refused(economy.CodeInvalid, err)
		_, err = e.Publish(ctx, with("600"), 1, time.Time{}, "eva", "")
		refused(fault.InvalidRequest, err)
		_, err = e.Publish(ctx, with("600"), 0, time.Time{}, "eva", "has not seen version 1")
		refused(economy.CodeOutdated, err)
		if _, err := e.Publish(ctx, with("600"), 1, time.Time{}, "eva", "more"); err != nil {
			t.Fatal(err)
		}
		live(2, 600)

		// At a time, and not before; what is published meanwhile is replaced by it.
		if _, err := e.Publish(ctx, with("700"), 2, t0.Add(time.Hour), "eva", "tonight"); err != nil {
			t.Fatal(err)
		}
		now = t0.Add(30 * time.Minute)
		if _, err := e.Publish(ctx, with("650"), 3, time.Time{}, "ida", "until then"); err != nil {
			t.Fatal(err)
		}
		live(4, 650)
		now = t0.Add(time.Hour)
		live(3, 700)
		refused(economy.CodeLive, e.Withdraw(ctx, 3))

		// Taken back before its time.
		if _, err := e.Publish(ctx, with("900"), 4, t0.Add(2*time.Hour), "eva", "too much"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := e.Withdraw(ctx, 5); err != nil {
				t.Fatal(err)
			}
		}
		now = t0.Add(3 * time.Hour)
		live(3, 700)
		refused(fault.NotFound, e.Withdraw(ctx, 99))

		if _, err := e.RollBack(ctx, 1, 5, "eva", "back to the start"); err != nil {
			t.Fatal(err)
		}
		live(6, 500)
		// What began under a version settles under it.
		if d, err := e.At(2, func(n int) (*economy.Version, error) { return s.Version(ctx, n) }); err != nil || d.Welcome != 600 {
			t.Errorf("version 2: %+v, %v", d, err)
		}
		page, err := s.Versions(ctx, 6, 2)
		if err != nil || len(page) != 2 || page[0].Number != 5 || page[0].WithdrawnAt.IsZero() || page[1].Author != "ida" {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

// Of many who publish on the same base exactly one does.
func TestPublishRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		e := economy.NewService(s, func() time.Time { return t0 })
		if err := e.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = e.Publish(t.Context(), economy.Default(), 1, time.Time{}, "eva", "me") })
		}
		wg.Wait()
		published := 0
		for _, err := range errs {
			if err == nil {
				published++
			} else if fault.CodeOf(err) != economy.CodeOutdated {
				t.Error(err)
			}
		}
		if published != 1 {
			t.Errorf("%d published", published)
		}
	})
}
