package shop_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func order() shop.Order {
	return shop.Order{
		ID: "o", PlayerID: "ana", SKU: "coins-1000", Goods: shop.Goods{Coins: 1000, Boosters: 3, VIPDays: 30},
		Price: shop.Money{Amount: 199, Currency: "EUR"}, Provider: shop.Stripe, Live: true, Status: shop.Pending,
	}
}

func paid() shop.Fact {
	return shop.Fact{
		Kind: shop.FactPaid, Transaction: "pi_1", Money: shop.Money{Amount: 199, Currency: "EUR"}, Live: true, PlayerID: "ana", At: t0,
	}
}

func back(key string, amount int64, minute int) shop.Fact {
	return shop.Fact{Kind: shop.FactReversed, Key: key, Amount: amount, At: t0.Add(time.Duration(minute) * time.Minute)}
}

func TestOrder(t *testing.T) {
	all := shop.Goods{Coins: 1000, Boosters: 3, VIPDays: 30}
	for name, c := range map[string]struct {
		facts  []shop.Fact
		status shop.Status
		due    shop.Goods
	}{
		"nothing":                {nil, shop.Pending, shop.Goods{}},
		"paid":                   {[]shop.Fact{paid()}, shop.Granted, all},
		"paid twice":             {[]shop.Fact{paid(), paid()}, shop.Granted, all},
		"failed":                 {[]shop.Fact{{Kind: shop.FactFailed}}, shop.Failed, shop.Goods{}},
		"failed, then paid":      {[]shop.Fact{{Kind: shop.FactFailed}, paid()}, shop.Granted, all},
		"expired, then paid":     {[]shop.Fact{{Kind: shop.FactExpired}, paid()}, shop.Granted, all},
		"paid, then failed":      {[]shop.Fact{paid(), {Kind: shop.FactFailed}}, shop.Granted, all},
		"cancelled, then failed": {[]shop.Fact{{Kind: shop.FactCancelled}, {Kind: shop.FactFailed}}, shop.Cancelled, shop.Goods{}},
		// 100 of 199 are 502.5 coins, 1.5 boosters, 15.07 days.
		"part back":                {[]shop.Fact{paid(), back("refund", 100, 1)}, shop.PartlyReversed, shop.Goods{Coins: 498, Boosters: 2, VIPDays: 15}},
		"back before it was paid":  {[]shop.Fact{back("refund", 100, 1), paid()}, shop.PartlyReversed, shop.Goods{Coins: 498, Boosters: 2, VIPDays: 15}},
		"more back, told late":     {[]shop.Fact{paid(), back("refund", 199, 2), back("refund", 100, 1)}, shop.Reversed, shop.Goods{}},
		"refund and dispute":       {[]shop.Fact{paid(), back("refund", 100, 1), back("dispute", 99, 2)}, shop.Reversed, shop.Goods{}},
		"more than was paid":       {[]shop.Fact{paid(), back("refund", 199, 1), back("dispute", 199, 2)}, shop.Reversed, shop.Goods{}},
		"dispute won":              {[]shop.Fact{paid(), back("dispute", 199, 1), back("dispute", 0, 2)}, shop.Granted, all},
		"dispute won, told before": {[]shop.Fact{back("dispute", 0, 2), paid(), back("dispute", 199, 1)}, shop.Granted, all},
	} {
		o := order()
		for _, f := range c.facts {
			if err := o.Apply(f); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if o.Status != c.status || o.Due() != c.due {
			t.Errorf("%s: %s, %+v; want %s, %+v", name, o.Status, o.Due(), c.status, c.due)
		}
	}
}

func TestOrderRefusesWhatIsNotItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*shop.Fact)
		code   fault.Code
	}{
		"another amount":   {func(f *shop.Fact) { f.Money.Amount-- }, shop.CodeMismatch},
		"another currency": {func(f *shop.Fact) { f.Money.Currency = "USD" }, shop.CodeMismatch},
		"another player":   {func(f *shop.Fact) { f.PlayerID = "ben" }, shop.CodeForeign},
		"a test's money":   {func(f *shop.Fact) { f.Live = false }, shop.CodeMismatch},
	} {
		o, f := order(), paid()
		c.change(&f)
		if err := o.Apply(f); fault.CodeOf(err) != c.code || !reflect.DeepEqual(o, order()) {
			t.Errorf("%s: %v, %+v", name, err, o)
		}
	}
	o, f := order(), paid()
	if err := o.Apply(f); err != nil {
		t.Fatal(err)
	}
	f.Transaction = "pi_2"
	if err := o.Apply(f); fault.CodeOf(err) != shop.CodeMismatch {
		t.Errorf("a second payment: %v", err)
	}
}

// However a provider's words come, twice, late or in any order, the order ends alike.
func TestOrderForgetsTheOrderOfFacts(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		facts := []shop.Fact{paid()}
		for i := range r.IntN(6) {
			amount := r.Int64N(250)
			if r.IntN(4) == 0 {
				amount = 0
			}
			facts = append(facts, back(fmt.Sprint("key", r.IntN(2)), amount, i))
		}
		var want shop.Order
		for try := range 8 {
			o := order()
			told := append([]shop.Fact(nil), facts...)
			if try > 0 {
				for range r.IntN(4) {
					told = append(told, facts[r.IntN(len(facts))])
				}
				r.Shuffle(len(told), func(i, j int) { told[i], told[j] = told[j], told[i] })
			}
			for _, f := range told {
				if err := o.Apply(f); err != nil {
					t.Fatal(err)
				}
				if due := o.Due(); due.Coins < 0 || due.Coins > 1000 || due.Boosters < 0 || due.VIPDays < 0 {
					t.Fatalf("seed %d: due %+v", seed, due)
				}
			}
			if try == 0 {
				want = o
			} else if !reflect.DeepEqual(o, want) {
				t.Fatalf("seed %d, %+v:\n%+v\n%+v", seed, told, o, want)
			}
		}
	}
}
