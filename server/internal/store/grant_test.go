package store_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// What an operator gives and takes is in the ledger with who and why, which the player
// is not shown.
func TestGrant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p, ana := t.Context(), newPurses(t, s), addPlayer(t, s, "Ana").ID
		p.purse(ana) // 500 to welcome her
		given, replayed, err := p.Grant(ctx, ana, 100, "ticket-7", "eva", "lost in the outage")
		if err != nil || replayed || p.purse(ana).Coins != 600 {
			t.Fatalf("%+v, %v, %v", given, replayed, err)
		}
		again, replayed, err := p.Grant(ctx, ana, 100, "ticket-7", "eva", "lost in the outage")
		if err != nil || !replayed || again.ID != given.ID || p.purse(ana).Coins != 600 {
			t.Errorf("again: %+v, %v, %v", again, replayed, err)
		}
		for what, c := range map[string]struct {
			coins               int64
			key, author, reason string
			code                fault.Code
		}{
			"another reason":     {100, "ticket-7", "eva", "because", fault.IdempotencyConflict},
			"more than there is": {-601, "ticket-8", "eva", "because", wallet.CodeInsufficient},
			"nothing":            {0, "ticket-8", "eva", "because", fault.InvalidRequest},
			"too much":           {reward.MaxGrant + 1, "ticket-8", "eva", "because", fault.InvalidRequest},
			"far too little":     {-1 << 63, "ticket-8", "eva", "because", fault.InvalidRequest},
			"no key":             {1, "", "eva", "because", fault.InvalidRequest},
			"nobody":             {1, "ticket-8", " ", "because", fault.InvalidRequest},
			"no reason":          {1, "ticket-8", "eva", "", fault.InvalidRequest},
		} {
			if _, _, err := p.Grant(ctx, ana, c.coins, c.key, c.author, c.reason); fault.CodeOf(err) != c.code {
				t.Errorf("%s: %v, want %s", what, err, c.code)
			}
		}
		if _, _, err := p.Grant(ctx, ana, -600, "ticket-8", "eva", "given twice"); err != nil || p.purse(ana).Coins != 0 {
			t.Errorf("all taken: %v", err)
		}

		lines, err := p.Statement(ctx, ana, wallet.KindGrant, "", 10)
		if err != nil || len(lines) != 2 || string(lines[1].Data) != `{"author":"eva","reason":"lost in the outage"}` {
			t.Fatalf("the ledger: %+v, %v", lines, err)
		}
		for i, want := range []string{"Correction by the house", "Gift of the house"} {
			if got := reward.WordsFor(lines[i]); got.EN != want || got.ES == "" || got.CA == "" || reward.DetailsFor(lines[i]) != nil {
				t.Errorf("%+v and %s, want %s and nothing", got, reward.DetailsFor(lines[i]), want)
			}
		}
		addsUp(t, s)
	})
}
