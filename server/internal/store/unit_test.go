package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// A change of several domains, with its entry in the trail, is kept whole or not at all;
// within it everybody sees what has been done so far, and outside nobody does.
func TestAtomically(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		p, ana := newPurses(t, s), addPlayer(t, s, "Ana").ID
		p.purse(ana) // 500 to welcome her
		trail := audit.New(s, time.Now, rand.Reader)
		ctx := audit.As(t.Context(), audit.CommandLine("eva"))
		change := audit.Change{Action: "players.grant", Subject: audit.Subject{Kind: "player", ID: ana}, Reason: "a test"}
		told := 0
		both := func(key string, fail error) error {
			return trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
				unit.Then(ctx, func() { told++ })
				if _, _, err := p.Grant(ctx, ana, 100, key, "eva", "a test"); err != nil {
					return nil, nil, err
				}
				inside, err := s.Balance(ctx, wallet.Player(ana))
				if err != nil {
					return nil, nil, err
				}
				outside, err := s.Balance(t.Context(), wallet.Player(ana))
				if err != nil {
					return nil, nil, err
				}
				if inside != outside+100 {
					t.Errorf("%d inside, %d outside", inside, outside)
				}
				if ana, err := s.PlayerByID(ctx, ana); err != nil || ana.Name != "Ana" {
					t.Errorf("%+v, %v", ana, err)
				}
				// Refused in between, which spoils nothing.
				if _, _, err := p.Grant(ctx, ana, -100_000, key+"-", "eva", "too much"); fault.CodeOf(err) != wallet.CodeInsufficient {
					t.Errorf("%v", err)
				}
				draft := economy.Draft{ID: "01890a5d-ac96-774b-bcce-b302099a8057", Document: []byte("{}"), Base: 1, Author: "eva", UpdatedAt: time.Now()}
				if err := s.AddDraft(ctx, &draft, 10); err != nil {
					return nil, nil, err
				}
				return outside, inside, fail
			})
		}
		entries := func() []audit.Entry {
			t.Helper()
			all, err := trail.Find(ctx, audit.Search{Subject: change.Subject, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		planted := errors.New("planted")
		if err := both("one", planted); !errors.Is(err, planted) {
			t.Fatalf("%v", err)
		}
		if _, err := s.Draft(ctx, "01890a5d-ac96-774b-bcce-b302099a8057"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a draft is kept that was given up: %v", err)
		}
		if p.purse(ana).Coins != 500 || len(entries()) != 0 || told != 0 {
			t.Errorf("%d coins, %+v, told %d times", p.purse(ana).Coins, entries(), told)
		}
		if err := both("one", nil); err != nil {
			t.Fatal(err)
		}
		if all := entries(); p.purse(ana).Coins != 600 || len(all) != 1 || told != 1 || string(all[0].Before) != "500" || string(all[0].After) != "600" {
			t.Errorf("%d coins, %+v, told %d times", p.purse(ana).Coins, all, told)
		}
		if err := trail.Do(ctx, change, func(context.Context) (_, _ any, err error) { return nil, nil, audit.ErrUnchanged }); err != nil || len(entries()) != 1 {
			t.Errorf("%v: what changes nothing leaves no entry: %+v", err, entries())
		}
		if err := trail.Do(t.Context(), change, func(context.Context) (_, _ any, err error) { return nil, nil, nil }); err == nil || len(entries()) != 1 {
			t.Error("nobody acts, and an entry is kept")
		}
	})
}

// Around a change that happens elsewhere there are two entries, whatever comes of it.
func TestAround(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		trail := audit.New(s, time.Now, rand.Reader)
		ctx, cancel := context.WithCancel(audit.As(t.Context(), audit.Actor{ID: "x", Name: "Eva", Role: "owner", Address: "192.0.2.1", Request: "r"}))
		change := audit.Change{Action: "orders.refund", Subject: audit.Subject{Kind: "order", ID: "1"}, Reason: "a test"}
		refused := fault.New(fault.Unavailable, "no")
		if err := trail.Around(ctx, change, 1, func(context.Context) (any, error) { return 2, nil }); err != nil {
			t.Fatal(err)
		}
		err := trail.Around(ctx, change, 1, func(context.Context) (any, error) { cancel(); return nil, refused })
		if !errors.Is(err, refused) {
			t.Errorf("%v", err)
		}
		all, err := trail.Find(t.Context(), audit.Search{Action: "orders", Limit: 10})
		if err != nil || len(all) != 4 {
			t.Fatalf("%+v, %v", all, err)
		}
		failed, asked, done := all[0], all[1], all[2]
		if failed.Outcome != audit.Failed || failed.Code != fault.Unavailable || failed.Of != asked.ID || asked.Outcome != audit.Asked ||
			done.Outcome != audit.Done || string(done.After) != "2" || done.Name != "Eva" || done.Address != "192.0.2.1" {
			t.Errorf("%+v", all)
		}
	})
}

// The database itself keeps the trail from being changed.
func TestTheAuditOnlyGrows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		trail := audit.New(s, time.Now, rand.Reader)
		err := trail.Do(audit.As(t.Context(), audit.CommandLine("eva")), audit.Change{Action: "x"}, func(context.Context) (_, _ any, err error) { return nil, nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		db, err := s.SQL()
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{"UPDATE audit_log SET reason = 'other'", "DELETE FROM audit_log"} {
			if _, err := db.ExecContext(t.Context(), statement); err == nil {
				t.Errorf("%s was carried out", statement)
			}
		}
	})
}
