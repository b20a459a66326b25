package wallet_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/wallet"
)

func TestPotIsDividedInSeatOrder(t *testing.T) {
	for _, c := range []struct {
		coins   int64
		winners []string
		want    map[string]int64
	}{
		{400, []string{"c", "a"}, map[string]int64{"c": 200, "a": 200}},
		{401, []string{"c", "a"}, map[string]int64{"c": 201, "a": 200}},
		{11, []string{"a", "b", "c"}, map[string]int64{"a": 4, "b": 4, "c": 3}},
		{1, []string{"b", "a"}, map[string]int64{"b": 1}},
	} {
		pot, err := wallet.Pot("id", "t", c.coins, c.winners, nil, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[wallet.AccountID]int64{wallet.Escrow("t"): -c.coins}
		for player, coins := range c.want {
			got[wallet.Player(player)] = coins
		}
		for _, e := range pot.Entries {
			if got[e.Account] != e.Amount {
				t.Errorf("%d among %v: %s gets %d", c.coins, c.winners, e.Account, e.Amount)
			}
			delete(got, e.Account)
		}
		if len(got) != 0 || pot.Kind != wallet.KindPot || pot.Resolves != "escrow:t" {
			t.Errorf("%d among %v: %+v", c.coins, c.winners, pot)
		}
	}
}

func TestRefundGivesEachTheEntry(t *testing.T) {
	refund, err := wallet.Refund("id", "t", 250, []string{"a", "b", "c"}, []byte("{}"), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, e := range refund.Entries {
		if want := int64(250); e.Account != wallet.Escrow("t") && e.Amount != want {
			t.Errorf("%s gets %d", e.Account, e.Amount)
		}
		sum += e.Amount
	}
	if len(refund.Entries) != 4 || sum != 0 || refund.Resolves != "escrow:t" || refund.Kind != wallet.KindRefund {
		t.Errorf("%+v", refund)
	}
}
