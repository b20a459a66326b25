package store_test

import (
	"testing"

	"github.com/riverqueue/river/rivermigrate"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// The library's tables are at the library's own newest version: an update of the
// library that brings another one takes a migration of ours.
func TestTheQueueHasItsTables(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		driver, err := s.Queue()
		if err != nil {
			t.Fatal(err)
		}
		m, err := rivermigrate.New(driver, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := m.Validate(t.Context(), nil); err != nil || !result.OK {
			t.Errorf("%+v, %v", result, err)
		}
	})
}
