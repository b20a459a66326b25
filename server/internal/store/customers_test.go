package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/privacy"
)

var _ stripe.Customers = store.Customers{}

func TestCustomers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, c, ana, ben := t.Context(), s.Customers(), addPlayer(t, s, "Ana").ID, addPlayer(t, s, "Ben").ID
		keep := func(playerID string, live bool, before, id, want string) {
			t.Helper()
			if kept, err := c.KeepCustomer(ctx, playerID, live, before, id); err != nil || kept != want {
				t.Errorf("%q, %v, want %q", kept, err, want)
			}
			if known, err := c.Customer(ctx, playerID, live); err != nil || known != want {
				t.Errorf("then %q, %v, want %q", known, err, want)
			}
		}
		if id, err := c.Customer(ctx, ana, true); err != nil || id != "" {
			t.Errorf("%q, %v", id, err)
		}
		keep(ana, true, "", "cus_1", "cus_1")
		keep(ana, true, "", "cus_1", "cus_1")
		keep(ana, true, "", "cus_2", "cus_1") // the first stays
		keep(ana, false, "", "cus_test", "cus_test")
		keep(ben, true, "", "cus_3", "cus_3")
		keep(ana, true, "cus_1", "cus_4", "cus_4")
		keep(ana, true, "cus_1", "cus_5", "cus_4")
		for id, want := range map[string]string{"cus_4": ana, "cus_3": ben, "cus_1": "", "cus_test": "", "cus_9": ""} {
			if owner, err := c.CustomerOwner(ctx, id, true); err != nil || owner != want {
				t.Errorf("%s is %q's, %v, want %q", id, owner, err, want)
			}
		}
		var wait sync.WaitGroup
		cid := addPlayer(t, s, "Cid").ID
		kept := make([]string, 8)
		for i := range kept {
			wait.Go(func() {
				var err error
				if kept[i], err = c.KeepCustomer(ctx, cid, true, "", "cus_c"+string(rune('0'+i))); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if slices.Sort(kept); kept[0] != kept[7] {
			t.Errorf("several at once kept %v", kept)
		}

		if _, err := s.RequestDeletion(ctx, privacy.Deletion{PlayerID: ana, RequestedAt: t0, DueAt: t0}); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Erase(ctx, ana, "Gone", t0.Add(time.Hour)); err != nil || !done {
			t.Fatal(done, err)
		}
		// Made while the player was being deleted.
		_, err := c.KeepCustomer(ctx, ana, true, "", "cus_6")
		if fault.CodeOf(err) != fault.NotFound {
			t.Error(err)
		}
		if owner, err := c.CustomerOwner(ctx, "cus_4", true); err != nil || owner != "" {
			t.Errorf("%q, %v", owner, err)
		}
		if ids, err := c.Ownerless(ctx, true, 10); err != nil || !slices.Equal(ids, []string{"cus_4", "cus_6"}) {
			t.Errorf("%v, %v", ids, err)
		}
		for _, id := range []string{"cus_3", "cus_4"} { // Ben's is not dropped
			if err := c.DropCustomer(ctx, id); err != nil {
				t.Error(err)
			}
		}
		if ids, err := c.Ownerless(ctx, true, 1); err != nil || !slices.Equal(ids, []string{"cus_6"}) {
			t.Errorf("%v, %v", ids, err)
		}
		if id, err := c.Customer(ctx, ben, true); err != nil || id != "cus_3" {
			t.Errorf("%q, %v", id, err)
		}
	})
}
