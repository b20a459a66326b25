package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// takeBack takes coins back from a player as an order does that was refunded: what is
// not there any more is owed.
func takeBack(t testing.TB, s *store.Store, key, player string, coins int64) error {
	t.Helper()
	return s.Trade(t.Context(), func(tx shop.Tx) error {
		has, err := tx.Coins(player)
		if err != nil {
			return err
		}
		owed := max(0, coins-has)
		return tx.Give(transfer(t, key, wallet.KindClawback, "", append(
			wallet.Move(wallet.Player(player), wallet.Sales, coins-owed), wallet.Move(wallet.Debt(player), wallet.Sales, owed)...)...), nil)
	})
}

// What comes in pays what is owed, from whatever it comes.
func TestDebtsArePaidFirst(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		post := func(tr *wallet.Transfer) error {
			_, _, err := s.Post(ctx, tr)
			return err
		}
		have := func(what string, player string, coins, debt int64) {
			t.Helper()
			if got, owes := balance(t, s, wallet.Player(player)), -balance(t, s, wallet.Debt(player)); got != coins || owes != debt {
				t.Errorf("%s: %s has %d and owes %d, want %d and %d", what, player, got, owes, coins, debt)
			}
			addsUp(t, s)
		}
		gift := func(key, player string, coins int64) *wallet.Transfer {
			return transfer(t, key, wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(player), coins)...)
		}

		// A player who never had a coin can owe.
		if err := takeBack(t, s, "back:new", "new", 30); err != nil {
			t.Fatal(err)
		}
		have("taken back from nothing", "new", 0, 30)

		for _, err := range []error{post(gift("g1", "ana", 100)), takeBack(t, s, "back:1", "ana", 250)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		have("taken back", "ana", 0, 150)
		g2 := gift("g2", "ana", 60)
		if err := post(g2); err != nil {
			t.Fatal(err)
		}
		have("a part paid", "ana", 0, 90)
		lines, err := s.Statement(ctx, wallet.Player("ana"), "", "", 2)
		if err != nil || len(lines) != 2 || lines[0].Kind != wallet.KindSettle || lines[0].Amount != -60 || lines[0].Balance != 0 ||
			lines[1].TransferID != g2.ID || lines[1].Balance != 60 || string(lines[0].Data) != `{"transfer":"`+g2.ID+`"}` {
			t.Errorf("the statement: %+v, %v", lines, err)
		}
		// Sent again it is the same, and pays nothing twice.
		if _, replayed, err := s.Post(ctx, gift("g2", "ana", 60)); err != nil || !replayed {
			t.Errorf("again: %v, %v", replayed, err)
		}
		have("again", "ana", 0, 90)

		// A pot to one who owes, one who owes more, and one who does not.
		if err := takeBack(t, s, "back:2", "bea", 500); err != nil {
			t.Fatal(err)
		}
		table := wallet.Escrow("table")
		for _, tr := range []*wallet.Transfer{
			transfer(t, "stake", wallet.KindStake, "", wallet.Move(wallet.Grants, table, 300)...),
			transfer(t, "pot", wallet.KindPot, string(table), append(append(wallet.Move(table, wallet.Player("ana"), 100),
				wallet.Move(table, wallet.Player("bea"), 100)...), wallet.Move(table, wallet.Player("eva"), 100)...)...),
		} {
			if err := post(tr); err != nil {
				t.Fatal(err)
			}
		}
		have("a pot", "ana", 10, 0)
		have("a pot", "bea", 0, 400)
		have("a pot", "eva", 100, 0)
		// Paid off, coins are the player's.
		if err := post(gift("g3", "ana", 5)); err != nil {
			t.Fatal(err)
		}
		have("paid off", "ana", 15, 0)
		// Who owes has nothing to spend, nor to stake.
		spend := transfer(t, "spend", wallet.KindBooster, "", wallet.Move(wallet.Player("bea"), wallet.Spending, 1)...)
		if err := post(spend); !errors.Is(err, wallet.ErrInsufficient) {
			t.Errorf("spent while owing: %v", err)
		}
	})
}

// Coins come in, are spent and are taken back, all at once: nobody waits for somebody
// who waits for them, nobody has coins beside a debt, and in the end what is there is
// what came in, less what went.
func TestDebtsAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const each = 30
		players := []string{"ana", "bea"}
		var wg sync.WaitGroup
		var mu sync.Mutex
		spent := int64(0)
		fails := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		for c, player := range players {
			wg.Go(func() {
				for i := range each {
					fails(takeBack(t, s, fmt.Sprintf("back:%d:%d", c, i), player, 20))
				}
			})
			wg.Go(func() {
				for i := range each {
					_, _, err := s.Post(t.Context(), transfer(t, fmt.Sprintf("gift:%d:%d", c, i), wallet.KindGrant, "",
						wallet.Move(wallet.Grants, wallet.Player(player), 15)...))
					fails(err)
				}
			})
			wg.Go(func() { // a pot for both
				for i := range each {
					table := fmt.Sprintf("t:%d:%d", c, i)
					for _, tr := range []*wallet.Transfer{
						transfer(t, "stake:"+table, wallet.KindStake, "", wallet.Move(wallet.Grants, wallet.Escrow(table), 20)...),
						transfer(t, "pot:"+table, wallet.KindPot, string(wallet.Escrow(table)), append(
							wallet.Move(wallet.Escrow(table), wallet.Player("ana"), 10), wallet.Move(wallet.Escrow(table), wallet.Player("bea"), 10)...)...),
					} {
						_, _, err := s.Post(t.Context(), tr)
						fails(err)
					}
				}
			})
			wg.Go(func() {
				for i := range each {
					_, _, err := s.Post(t.Context(), transfer(t, fmt.Sprintf("spend:%d:%d", c, i), wallet.KindBooster, "",
						wallet.Move(wallet.Player(player), wallet.Spending, 7)...))
					if err == nil {
						mu.Lock()
						spent += 7
						mu.Unlock()
					} else if !errors.Is(err, wallet.ErrInsufficient) {
						fails(err)
					}
				}
			})
		}
		wg.Wait()
		have := int64(0)
		for _, player := range players {
			have += balance(t, s, wallet.Player(player)) + balance(t, s, wallet.Debt(player))
		}
		if want := int64(2*each*15+2*each*20-2*each*20) - spent; have != want {
			t.Errorf("they have %d, want %d", have, want)
		}
		addsUp(t, s)
	})
}
