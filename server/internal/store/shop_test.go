package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/shop/shoptest"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// storefront is a shop with a fake of each provider.
type storefront struct {
	*shop.Service
	*purses
	s      *store.Store
	till   *shoptest.Till
	apple  *shoptest.Counter
	google *shoptest.Counter

	mu       sync.Mutex
	outcomes []string
}

// sold is the catalogue that ships, with products in the stores.
func sold() []byte {
	return bytes.Replace(economy.Default(), []byte(`"catalogue": [`), []byte(`"catalogue": [
    { "sku": "chest", "title": { "es": "Cofre", "ca": "Cofre", "en": "Chest" }, "grants": { "coins": 1001, "boosters": 2, "vipDays": 10 },
      "prices": { "EUR": 299, "JPY": 500 }, "apple": "com.example.chest", "google": "chest" },
    { "sku": "club", "grants": { "vipDays": 31 }, "renews": "month", "prices": { "EUR": 399 }, "apple": "com.example.club", "google": "club" },
    { "sku": "gone", "grants": { "coins": 1 }, "prices": { "EUR": 1 }, "until": "2026-01-01T00:00:00Z" },`), 1)
}

func newStorefront(t testing.TB, s *store.Store) *storefront {
	t.Helper()
	f := &storefront{purses: newPurses(t, s), s: s}
	f.till, f.apple, f.google = shoptest.NewTill(f.clock), shoptest.NewCounter(shop.Apple, f.clock), shoptest.NewCounter(shop.Google, f.clock)
	if _, err := f.economy.Publish(t.Context(), sold(), 1, time.Time{}, "eva", "the stores"); err != nil {
		t.Fatal(err)
	}
	f.Service = f.open(shop.WithTill(shop.Stripe, f.till), shop.WithCounter(shop.Apple, f.apple), shop.WithCounter(shop.Google, f.google))
	return f
}

func (f *storefront) open(options ...shop.Option) *shop.Service {
	return shop.New(f.s, f.economy, f.s, f.clock, rand.Reader, append(options, shop.WithObserver(
		func(p shop.ProviderName, o shop.Outcome, code fault.Code) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.outcomes = append(f.outcomes, fmt.Sprint(p, " ", o, " ", code))
		}))...)
}

func (f *storefront) clock() time.Time {
	f.purses.mu.Lock()
	defer f.purses.mu.Unlock()
	return f.now
}

func wish(sku, currency string) shop.Wish {
	return shop.Wish{SKU: sku, Provider: shop.Stripe, Currency: currency, How: shop.Checkout{Language: "ca"}}
}

func (f *storefront) begin(player, key string, w shop.Wish) *shop.Order {
	f.t.Helper()
	o, _, _, err := f.Begin(f.t.Context(), player, key, w)
	if err != nil {
		f.t.Fatal(err)
	}
	return o
}

func (f *storefront) told(want shop.Outcome, e shop.Event) {
	f.t.Helper()
	if got, err := f.Told(f.t.Context(), e); err != nil || got != want {
		f.t.Errorf("%s: %s, %v; want %s", e.Kind, got, err, want)
	}
}

// has says what a player has beside the welcome grant: coins less debts, boosters and
// whole days of VIP.
func (f *storefront) has(player string, coins int64, boosters, days int) {
	f.t.Helper()
	p := f.purse(player)
	left := 0
	if p.Standing.VIP(f.clock()) {
		left = int(p.Standing.VIPUntil.Sub(f.clock()) / (24 * time.Hour))
	}
	if got := p.Coins - p.Debt - 500; got != coins || p.Standing.BoostersHeld != boosters || left != days {
		f.t.Errorf("the player has %d coins, %d boosters and %d days; want %d, %d, %d", got, p.Standing.BoostersHeld, left, coins, boosters, days)
	}
}

// story is an order's history in short.
func (f *storefront) story(id string) string {
	f.t.Helper()
	_, history, err := f.Order(f.t.Context(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	var words []string
	for i, c := range history {
		if c.Seq != i+1 {
			f.t.Errorf("change %d has number %d", i+1, c.Seq)
		}
		words = append(words, fmt.Sprintf("%s:%s:%s", c.Actor, c.What, c.Status))
	}
	return strings.Join(words, " ")
}

func TestOffers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		offers, err := f.Offers(ctx, ana)
		if err != nil {
			t.Fatal(err)
		}
		var skus []string
		for _, o := range offers {
			skus = append(skus, o.SKU)
			if o.SKU == "starter" && o.Left != 1 {
				t.Errorf("the starter offer: %+v", o)
			}
		}
		if want := []string{"chest", "club", "coins-1000", "coins-6000", "vip-30", "vip-monthly", "starter"}; !slices.Equal(skus, want) {
			t.Errorf("%v are offered, want %v", skus, want)
		}
		if on := f.Providers(); !on[shop.Stripe] || !on[shop.Apple] || !on[shop.Google] {
			t.Errorf("providers: %v", on)
		}

		// The limit counts what is open or paid, not what came to nothing.
		left := func(want int) {
			t.Helper()
			offers, err := f.Offers(ctx, ana)
			if err != nil || offers[len(offers)-1].Left != want {
				t.Errorf("%+v, %v; want %d left", offers[len(offers)-1], err, want)
			}
		}
		first := f.begin(ana, "first", wish("starter", "EUR"))
		left(0)
		_, _, _, err = f.Begin(ctx, ana, "second", wish("starter", "EUR"))
		f.refused(shop.CodeLimit, err)
		f.told(shop.Applied, f.till.End(first.ID, shop.FactFailed))
		left(1)
		f.told(shop.Applied, f.till.Pay(f.begin(ana, "second", wish("starter", "EUR")).ID))
		left(0)
		// Of many at once, as many are made as the limit allows.
		ben := addPlayer(t, s, "Ben").ID
		made := make([]error, 8)
		var wg sync.WaitGroup
		for i := range made {
			wg.Go(func() { _, _, _, made[i] = f.Begin(ctx, ben, fmt.Sprint(i), wish("starter", "EUR")) })
		}
		wg.Wait()
		n := 0
		for _, err := range made {
			if err == nil {
				n++
			} else {
				f.refused(shop.CodeLimit, err)
			}
		}
		if n != 1 {
			t.Errorf("%d orders were made, want 1", n)
		}
	})
}

func TestBuying(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		for _, c := range []struct {
			wish shop.Wish
			code fault.Code
		}{
			{wish("nothing", "EUR"), shop.CodeNotForSale},
			{wish("gone", "EUR"), shop.CodeNotForSale},
			{wish("chest", "USD"), shop.CodeNotForSale},
			{shop.Wish{SKU: "chest", Provider: shop.Apple, Currency: "EUR"}, fault.ProviderDisabled},
		} {
			_, _, _, err := f.Begin(ctx, ana, "refused", c.wish)
			f.refused(c.code, err)
		}
		_, _, _, err := f.Begin(ctx, newID(t), "nobody", wish("chest", "EUR"))
		f.refused(fault.NotFound, err)
		off := f.open()
		if _, _, _, err := off.Begin(ctx, ana, "off", wish("chest", "EUR")); fault.CodeOf(err) != fault.ProviderDisabled || off.Providers()[shop.Stripe] {
			t.Errorf("without a till: %v", err)
		}
		_, err = off.Redeem(ctx, ana, shop.Apple, "receipt")
		f.refused(fault.ProviderDisabled, err)

		// The provider is away: the order is kept, and the same request goes on with it.
		f.till.SetDown(true)
		_, _, _, err = f.Begin(ctx, ana, "one", wish("chest", "EUR"))
		f.refused(fault.Unavailable, err)
		f.till.SetDown(false)
		o, client, replayed, err := f.Begin(ctx, ana, "one", wish("chest", "EUR"))
		if err != nil || !replayed || client["title"] != "Cofre" || o.Status != shop.Pending || o.Reference != "cs_"+o.ID {
			t.Errorf("%+v, %v, %v, %v", o, client, replayed, err)
		}
		_, client, _, err = f.Begin(ctx, ana, "one", wish("chest", "EUR"))
		if err != nil || client["url"] == "" || f.till.Asked(o.ID) != 2 {
			t.Errorf("asked again: %v, %v", client, err)
		}
		for _, other := range []shop.Wish{wish("coins-1000", "EUR"), wish("chest", "JPY"), {SKU: "chest", Provider: shop.Stripe, Currency: "EUR", How: shop.Checkout{Sheet: true}}} {
			_, _, _, err := f.Begin(ctx, ana, "one", other)
			f.refused(fault.IdempotencyConflict, err)
		}
		f.has(ana, 0, 0, 0)

		paid := f.till.Pay(o.ID)
		f.told(shop.Applied, paid)
		f.told(shop.Applied, paid)
		f.has(ana, 1001, 2, 10)
		o, client, _, err = f.Begin(ctx, ana, "one", wish("chest", "EUR"))
		if err != nil || client != nil || o.Status != shop.Granted || f.till.Asked(o.ID) != 2 {
			t.Errorf("asked for what is paid: %+v, %v, %v", o, client, err)
		}
		lines, err := s.Statement(ctx, wallet.Player(ana), wallet.KindPurchase, "", 5)
		if err != nil || len(lines) != 1 || string(lines[0].Data) != `{"order":"`+o.ID+`","sku":"chest","economy":2}` {
			t.Errorf("the statement: %+v, %v", lines, err)
		}

		// Some back, then all; coins that are spent are owed, and of two boosters one is used.
		f.refused("", f.StartBooster(ctx, ana))
		f.refused("", f.BuyBooster(ctx, ana, "spent", false))
		f.refused("", f.BuyBooster(ctx, ana, "spent too", false))
		e, _ := f.till.GiveBack(o.ID, 100) // a third: 334 coins, no booster, 3 days
		f.told(shop.Applied, e)
		f.has(ana, 1001-334-800, 3, 7)
		dispute := f.till.Dispute(o.ID, false)
		f.told(shop.Applied, dispute)
		f.has(ana, -800, 1, 0)
		if p := f.purse(ana); p.Coins != 0 || p.Debt != 300 {
			t.Errorf("spent what was taken back: %d coins, %d owed", p.Coins, p.Debt)
		}
		// Won: what was taken is given again.
		f.told(shop.Applied, f.till.Dispute(o.ID, true))
		f.told(shop.Applied, dispute)
		f.has(ana, 1001-334-800, 3, 7)
		if p := f.purse(ana); p.Debt != 0 {
			t.Errorf("still owes %d", p.Debt)
		}
		o, history, err := f.Receipt(ctx, ana, o.ID)
		if err != nil || o.Status != shop.PartlyReversed || len(history) != 6 || history[4].Detail.Owed != 300 || history[4].Detail.Given.Coins != -667 {
			t.Errorf("the receipt: %+v, %+v, %v", o, history, err)
		}
		if story, want := f.story(o.ID), "player:created:created stripe:pending:pending stripe:paid:granted stripe:reversed:partly_reversed "+
			"stripe:reversed:reversed stripe:reversed:partly_reversed"; story != want {
			t.Errorf("the story: %s", story)
		}
		_, _, err = f.Receipt(ctx, addPlayer(t, s, "Ben").ID, o.ID)
		f.refused(fault.NotFound, err)
		_, _, err = f.Receipt(ctx, ana, newID(t))
		f.refused(fault.NotFound, err)
		addsUp(t, s)
	})
}

// What does not fit its order changes nothing, and an operator finds it.
func TestEventsThatDoNotFit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		o := f.begin(ana, "one", wish("chest", "JPY")) // a currency without decimals
		good := f.till.Pay(o.ID)
		for name, change := range map[string]func(*shop.Event){
			"amount":   func(e *shop.Event) { e.Fact.Money.Amount-- },
			"currency": func(e *shop.Event) { e.Fact.Money.Currency = "EUR" },
			"decimals": func(e *shop.Event) { e.Fact.Money.Amount *= 100 },
			"test":     func(e *shop.Event) { e.Fact.Live = false },
			"player":   func(e *shop.Event) { e.Fact.PlayerID = addPlayer(t, s, "Ben").ID },
			"provider": func(e *shop.Event) { e.Provider = shop.Apple },
		} {
			e := good
			e.ID = "altered " + name
			change(&e)
			f.told(shop.Refused, e)
			f.told(shop.Refused, e)
		}
		nothing := good
		nothing.ID, nothing.Fact = "nothing", shop.Fact{}
		f.told(shop.Ignored, nothing)
		unknown := good
		unknown.ID, unknown.OrderID, unknown.Fact.Transaction = "unknown", newID(t), "pi_unknown"
		f.told(shop.Ignored, unknown)
		f.has(ana, 0, 0, 0)
		refused, err := f.Inbox(ctx, shop.Refused, shop.Mark{}, 100)
		if err != nil || len(refused) != 6 {
			t.Fatalf("%d refused events, %v", len(refused), err)
		}
		for _, r := range refused {
			want := shop.CodeMismatch
			if r.ID == "altered player" {
				want = shop.CodeForeign
			}
			if r.Code != want || r.Fact.Transaction == "" || r.Provider == shop.Stripe && r.Order != o.ID {
				t.Errorf("%+v", r)
			}
		}
		// All but the one that named another provider's order stand in its history.
		if n := strings.Count(f.story(o.ID), "stripe:refused:pending"); n != 5 {
			t.Errorf("the story has %d refusals: %s", n, f.story(o.ID))
		}
		if n := slices.Index(f.outcomes, "stripe refused payment_mismatch"); n < 0 || len(f.outcomes) != 8 {
			t.Errorf("seen from outside: %v", f.outcomes)
		}
		f.told(shop.Applied, good)
		f.has(ana, 1001, 2, 10)
		// The payment of another order.
		other := f.begin(ana, "two", wish("chest", "JPY"))
		again := f.till.Pay(other.ID)
		again.ID, again.Fact.Transaction = "another's payment", good.Fact.Transaction
		f.told(shop.Refused, again)
		f.has(ana, 1001, 2, 10)
		addsUp(t, s)
	})
}

// An event may come before what it is about.
func TestEventsThatComeEarly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		o := f.begin(ana, "one", wish("chest", "EUR"))
		paid := f.till.Pay(o.ID)
		e, _ := f.till.GiveBack(o.ID, 299)
		f.told(shop.Ignored, e) // it names only the payment, which nobody knows yet
		f.told(shop.Ignored, e)
		f.told(shop.Applied, paid)
		f.has(ana, 0, 0, 0)
		if story := f.story(o.ID); !strings.HasSuffix(story, "stripe:paid:granted stripe:reversed:reversed") {
			t.Errorf("the story: %s", story)
		}
		// Expired, failed, and paid all the same.
		late := f.begin(ana, "two", wish("chest", "EUR"))
		f.advance(shop.DefaultTimeToPay)
		f.refused("", f.Expire(ctx))
		f.refused("", f.Expire(ctx))
		if o, _, err := f.Receipt(ctx, ana, late.ID); err != nil || o.Status != shop.Expired {
			t.Errorf("%+v, %v", o, err)
		}
		_, client, _, err := f.Begin(ctx, ana, "two", wish("chest", "EUR"))
		if err != nil || client != nil {
			t.Errorf("begun again when it had expired: %v, %v", client, err)
		}
		f.told(shop.Applied, f.till.End(late.ID, shop.FactFailed))
		f.told(shop.Applied, f.till.Pay(late.ID))
		f.has(ana, 1001, 2, 10)
		addsUp(t, s)
	})
}

func TestReconcile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		one, two := f.begin(ana, "one", wish("chest", "EUR")), f.begin(ana, "two", wish("coins-1000", "EUR"))
		f.told(shop.Applied, f.till.Pay(one.ID))
		f.till.Pay(two.ID)
		receipt, _ := f.apple.Sell("com.example.chest", ana, "", shop.Money{})
		f.till.SetDown(true)
		// One provider that is away does not keep the other's from being read.
		r, err := f.Reconcile(ctx)
		if fault.CodeOf(err) != fault.Unavailable || r != (shop.Reconciled{Read: 1, Missed: 1}) {
			t.Errorf("%+v, %v", r, err)
		}
		f.has(ana, 2*1001, 4, 20)
		f.till.SetDown(false)
		if r, err := f.Reconcile(ctx); err != nil || r != (shop.Reconciled{Read: 3, Missed: 1}) {
			t.Errorf("%+v, %v", r, err)
		}
		f.has(ana, 2*1001+1000, 4, 20)
		// What was read is not read again for ever.
		f.advance(3 * time.Hour)
		if r, err := f.Reconcile(ctx); err != nil || r != (shop.Reconciled{}) && r != (shop.Reconciled{Read: 3}) {
			t.Errorf("%+v, %v", r, err)
		}
		f.advance(3 * time.Hour)
		if r, err := f.Reconcile(ctx); err != nil || r != (shop.Reconciled{}) {
			t.Errorf("%+v, %v", r, err)
		}
		// The receipt of what was told is that order.
		o, err := f.Redeem(ctx, ana, shop.Apple, receipt)
		if err != nil || o.Status != shop.Granted {
			t.Errorf("%+v, %v", o, err)
		}
		f.has(ana, 2*1001+1000, 4, 19)

		// An event whose order came in another transaction at the same moment.
		other, sold := f.google.Sell("chest", "", "", shop.Money{Amount: 319, Currency: "EUR"})
		void := f.google.Void(other, true)
		f.told(shop.Ignored, sold) // nobody is known to have bought it
		f.told(shop.Ignored, void)
		if err := s.Trade(ctx, func(tx shop.Tx) error { // as a transaction does that did not see them
			_, err := tx.Add(&shop.Order{
				ID: newID(t), PlayerID: ana, SKU: "chest", Economy: 2, Goods: shop.Goods{Coins: 1001}, Provider: shop.Google, Live: true,
				Price: shop.Money{Amount: 319, Currency: "EUR"}, Status: shop.Pending, Transaction: void.Transaction, CreatedAt: t0,
			})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		// Also while no provider is on.
		if r, err := f.open().Reconcile(ctx); err != nil || r != (shop.Reconciled{Late: 2}) {
			t.Errorf("%+v, %v", r, err)
		}
		if o, err := f.Redeem(ctx, ana, shop.Google, other); err != nil || o.Status != shop.Reversed || o.TakenBack() != 319 {
			t.Errorf("%+v, %v", o, err)
		}
		f.has(ana, 2*1001+1000, 4, 19)
		addsUp(t, s)
	})
}

func TestRedeem(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f := t.Context(), newStorefront(t, s)
		ana, ben := addPlayer(t, s, "Ana").ID, addPlayer(t, s, "Ben").ID
		_, err := f.Redeem(ctx, ana, shop.Apple, "made up")
		f.refused(shop.CodeReceipt, err)
		price := shop.Money{Amount: 349, Currency: "CHF"} // the store's own
		receipt, _ := f.apple.Sell("com.example.chest", ana, "", price)
		_, err = f.Redeem(ctx, ben, shop.Apple, receipt)
		f.refused(shop.CodeForeign, err)
		// The same purchase on several devices at once, while the store cannot be told.
		orders := make([]*shop.Order, 8)
		f.apple.SetDown(false)
		var wg sync.WaitGroup
		for i := range orders {
			wg.Go(func() {
				var err error
				if orders[i], err = f.Redeem(ctx, ana, shop.Apple, receipt); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, o := range orders {
			if o == nil || o.ID != orders[0].ID || o.Status != shop.Granted || o.Price != price || o.SKU != "chest" {
				t.Fatalf("%+v", o)
			}
		}
		f.has(ana, 1001, 2, 10)
		if story := f.story(orders[0].ID); !strings.HasPrefix(story, "player:created:pending player:paid:granted") {
			t.Errorf("the story: %s", story)
		}
		_, err = f.Redeem(ctx, ben, shop.Apple, receipt)
		f.refused(shop.CodeForeign, err)

		// Where the store does not know who bought, the first has it.
		anybody, _ := f.google.Sell("chest", "", "", price)
		race := make([]error, 8)
		for i := range race {
			wg.Go(func() { _, race[i] = f.Redeem(ctx, []string{ana, ben}[i%2], shop.Google, anybody) })
		}
		wg.Wait()
		foreign := 0
		for _, err := range race {
			if err != nil {
				f.refused(shop.CodeForeign, err)
				foreign++
			}
		}
		if coins := balance(t, s, wallet.Player(ana)) + balance(t, s, wallet.Player(ben)); foreign != 4 || coins < 2*1001 || coins > 2*1001+1000 {
			t.Errorf("%d were refused; both have %d coins", foreign, coins)
		}

		// What no catalogue has is paid for nothing, and an operator sees it.
		strange, _ := f.apple.Sell("com.example.strange", ana, "", price)
		_, err = f.Redeem(ctx, ana, shop.Apple, strange)
		f.refused(shop.CodeNotForSale, err)
		inbox, err := f.Inbox(ctx, shop.Refused, shop.Mark{}, 10)
		if err != nil || !slices.ContainsFunc(inbox, func(r shop.Received) bool {
			return r.Code == shop.CodeNotForSale && r.Renewal.Product == "com.example.strange" && r.Kind == "receipt"
		}) {
			t.Errorf("the inbox: %+v, %v", inbox, err)
		}
		// What an older catalogue had is given.
		late, _ := f.apple.Sell("com.example.chest", ben, "", shop.Money{})
		if _, err := f.economy.Publish(ctx, economy.Default(), 2, time.Time{}, "eva", "no more"); err != nil {
			t.Fatal(err)
		}
		o, err := f.Redeem(ctx, ben, shop.Apple, late)
		if err != nil || o.Status != shop.Granted || o.Economy != 2 || o.Price != (shop.Money{Amount: 299, Currency: "EUR"}) {
			t.Errorf("%+v, %v", o, err)
		}
		if title, err := f.Title(ctx, o); err != nil || title.EN != "Chest" {
			t.Errorf("%+v, %v", title, err)
		}
		addsUp(t, s)
	})
}

// deaf is a counter that can be asked, and not told.
type deaf struct {
	*shoptest.Counter
	hears bool
}

func (d *deaf) Delivered(ctx context.Context, o *shop.Order) error {
	if !d.hears {
		return errors.New("no answer")
	}
	return d.Counter.Delivered(ctx, o)
}

// A store is told until it has heard.
func TestDeliver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ana").ID
		d := &deaf{Counter: f.google}
		f.Service = f.open(shop.WithCounter(shop.Google, d), shop.WithCounter(shop.Apple, f.apple))
		receipt, _ := f.google.Sell("chest", ana, "", shop.Money{})
		o, err := f.Redeem(ctx, ana, shop.Google, receipt)
		if err != nil || o.Status != shop.Granted || !o.DeliveredAt.IsZero() {
			t.Fatalf("%+v, %v", o, err)
		}
		// What was given back need not be told.
		other, _ := f.google.Sell("chest", ana, "", shop.Money{})
		if _, err := f.Redeem(ctx, ana, shop.Google, other); err != nil {
			t.Fatal(err)
		}
		f.told(shop.Applied, f.google.Void(other, true))
		if err := f.Deliver(ctx); err == nil {
			t.Error("nobody has said that the store does not hear")
		}
		d.hears = true
		for range 3 {
			f.refused("", f.Deliver(ctx))
		}
		if n := f.google.Deliveries(o.Transaction); n != 1 {
			t.Errorf("told %d times", n)
		}
		if o, err = f.Redeem(ctx, ana, shop.Google, receipt); err != nil || o.DeliveredAt.IsZero() || f.google.Deliveries(o.Transaction) != 1 {
			t.Errorf("%+v, %v", o, err)
		}
		if story := f.story(o.ID); !strings.HasSuffix(story, "system:delivered:granted") {
			t.Errorf("the story: %s", story)
		}
		f.has(ana, 1001, 2, 10)
	})
}

// Each payment of a subscription is an order of its own.
func TestRenewals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f := t.Context(), newStorefront(t, s)
		ana, ben := addPlayer(t, s, "Ana").ID, addPlayer(t, s, "Ben").ID
		o := f.begin(ana, "one", wish("vip-monthly", "EUR"))
		if o.Renews != "month" {
			t.Errorf("%+v", o)
		}
		first, second := f.till.Pay(o.ID), f.till.Renew(o.ID)
		f.told(shop.Ignored, second) // before the first
		f.told(shop.Applied, first)
		f.has(ana, 0, 0, 31)
		if r, err := f.open().Reconcile(ctx); err != nil || r.Late != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		f.has(ana, 0, 0, 62)
		f.told(shop.Applied, second)
		third := f.till.Renew(o.ID)
		f.told(shop.Applied, third)
		f.has(ana, 0, 0, 93)
		orders, err := f.Orders(ctx, ana, "", 10)
		if err != nil || len(orders) != 3 || orders[0].Subscription != o.Subscription && orders[0].Subscription == "" || orders[0].Renews != "" {
			t.Errorf("%+v, %v", orders, err)
		}
		// Another price than was agreed on.
		dearer := f.till.Renew(o.ID)
		dearer.Renewal.Price.Amount++
		f.told(shop.Refused, dearer)
		f.has(ana, 0, 0, 93)

		// A store's, which tells who bought, or not; presented by somebody else.
		receipt, sold := f.apple.Sell("com.example.club", "", "series", shop.Money{})
		f.told(shop.Ignored, sold)
		if _, err := f.Redeem(ctx, ben, shop.Apple, receipt); err != nil {
			t.Fatal(err)
		}
		next, renewed := f.apple.Sell("com.example.club", "", "series", shop.Money{})
		_, err = f.Redeem(ctx, ana, shop.Apple, next)
		f.refused(shop.CodeForeign, err)
		f.told(shop.Applied, renewed)
		f.has(ben, 0, 0, 62)
		if _, err := f.Redeem(ctx, ben, shop.Apple, next); err != nil {
			t.Error(err)
		}
		if _, err = f.Redeem(ctx, ana, shop.Apple, next); fault.CodeOf(err) != shop.CodeForeign {
			t.Error(err)
		}
		f.has(ben, 0, 0, 62)
		f.told(shop.Applied, f.apple.Void(next, true))
		f.has(ben, 0, 0, 31)
		addsUp(t, s)
	})
}

func TestOperator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, f, ana := t.Context(), newStorefront(t, s), addPlayer(t, s, "Ána Núñez").ID
		if err := s.LinkIdentity(ctx, account.Identity{Provider: account.ViaEmail, Subject: "ana@example.org", PlayerID: ana, CreatedAt: t0}); err != nil {
			t.Fatal(err)
		}
		o := f.begin(ana, "one", wish("chest", "EUR"))
		unpaid := f.begin(ana, "two", wish("chest", "EUR"))
		other := f.begin(addPlayer(t, s, "Ben").ID, "one", wish("chest", "EUR"))
		f.told(shop.Applied, f.till.Pay(o.ID))
		for text, want := range map[string][]string{
			" Ana@Example.org ": {unpaid.ID, o.ID}, "ana nunez": {unpaid.ID, o.ID}, ana: {unpaid.ID, o.ID}, o.ID: {o.ID},
			"pi_" + o.ID: {o.ID}, "cs_" + other.ID: {other.ID}, "nobody@example.org": {}, "%": {},
		} {
			found, err := f.FindOrders(ctx, text, "", 10)
			ids := []string{}
			for _, o := range found {
				ids = append(ids, o.ID)
			}
			slices.Sort(ids)
			slices.Sort(want)
			if err != nil || !slices.Equal(ids, want) {
				t.Errorf("%q finds %v, %v; want %v", text, ids, err, want)
			}
		}
		page, err := f.FindOrders(ctx, ana, "", 1)
		if err != nil || len(page) != 1 {
			t.Fatal(page, err)
		}
		if rest, err := f.FindOrders(ctx, ana, page[0].ID, 10); err != nil || len(rest) != 1 || rest[0].ID == page[0].ID {
			t.Errorf("the second page: %+v, %v", rest, err)
		}
		_, err = f.FindOrders(ctx, " ", "", 10)
		f.refused(fault.InvalidRequest, err)

		receipt, _ := f.apple.Sell("com.example.chest", ana, "", shop.Money{})
		bought, err := f.Redeem(ctx, ana, shop.Apple, receipt)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			id             string
			total          int64
			reason, author string
			code           fault.Code
		}{
			{o.ID, 0, "", "eva", fault.InvalidRequest},
			{o.ID, 0, "asked", " ", fault.InvalidRequest},
			{newID(t), 0, "asked", "eva", fault.NotFound},
			{unpaid.ID, 0, "asked", "eva", shop.CodeRefund},
			{bought.ID, 0, "asked", "eva", shop.CodeRefund},
			{o.ID, 300, "asked", "eva", shop.CodeRefund},
			{o.ID, -1, "asked", "eva", shop.CodeRefund},
		} {
			_, err := f.Refund(ctx, c.id, c.total, c.reason, c.author)
			f.refused(c.code, err)
		}
		f.till.SetDown(true)
		_, err = f.Refund(ctx, o.ID, 100, "asked", "eva")
		f.refused(fault.Unavailable, err)
		f.till.SetDown(false)
		if _, err := f.Refund(ctx, o.ID, 100, "asked", "eva"); err != nil {
			t.Fatal(err)
		}
		f.has(ana, 2*1001, 4, 20) // until the provider says that it has happened
		if _, err := f.Reconcile(ctx); err != nil {
			t.Fatal(err)
		}
		f.has(ana, 2*1001-334, 4, 17)
		_, err = f.Refund(ctx, o.ID, 100, "asked twice", "eva")
		f.refused(shop.CodeRefund, err)
		if _, err := f.Refund(ctx, o.ID, 0, "all of it", "eva"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Reconcile(ctx); err != nil {
			t.Fatal(err)
		}
		f.has(ana, 1001, 2, 10)
		_, history, err := f.Order(ctx, o.ID)
		if err != nil || len(history) < 5 || history[3].What != shop.WhatRefundRequested || history[3].Actor != "eva" ||
			history[3].Detail != (shop.Detail{Amount: 100, Reason: "asked"}) || history[4].Detail.Code != fault.Unavailable {
			t.Errorf("%+v, %v", history, err)
		}
		if story, want := f.story(o.ID), "player:created:created stripe:pending:pending stripe:paid:granted eva:refund_requested:granted "+
			"eva:refund_failed:granted eva:refund_requested:granted stripe:reversed:partly_reversed eva:refund_requested:partly_reversed stripe:reversed:reversed"; story != want {
			t.Errorf("the story: %s", story)
		}
		addsUp(t, s)
	})
}

// Whatever providers tell, in whatever order and however often, the coins are what was
// paid for, less what was given back; what is spent meanwhile is owed.
func TestCoinsAreWhatWasPaid(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		seed := shopSeed(t)
		r := mathrand.New(mathrand.NewPCG(seed, 6))
		ctx, f := t.Context(), newStorefront(t, s)
		var players []string
		want := map[string]int64{} // coins less debts
		for i := range 3 {
			players = append(players, addPlayer(t, s, fmt.Sprint("Player ", i)).ID)
			want[players[i]] = f.purse(players[i]).Coins
		}
		type bought struct {
			player, order, receipt string
			counter                *shoptest.Counter
			coins, price           int64
		}
		var all []bought
		var waiting []shop.Event // told by a provider, not delivered yet
		altered := 0
		tell := func(e shop.Event) {
			waiting = append(waiting, e)
			if r.IntN(3) == 0 {
				waiting = append(waiting, e)
			}
			if p := e.Fact; p.Kind == shop.FactPaid && r.IntN(2) == 0 {
				altered++
				e.ID = fmt.Sprint("altered ", altered)
				switch r.IntN(4) {
				case 0:
					e.Fact.Money.Amount += r.Int64N(99) + 1
				case 1:
					e.Fact.Money.Currency = "ISK"
				case 2:
					e.Fact.PlayerID = newID(t)
				default:
					e.Fact.Live = false
				}
				waiting = append(waiting, e)
			}
		}
		deliver := func(n int) {
			r.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
			var wg sync.WaitGroup
			n = min(n, len(waiting))
			for _, e := range waiting[:n] {
				wg.Go(func() {
					if _, err := f.Told(ctx, e); err != nil && fault.CodeOf(err) != fault.Internal {
						t.Error(err)
					} else if err != nil { // a provider tells again
						if _, err := f.Told(ctx, e); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			waiting = waiting[n:]
		}
		for step := range 400 {
			player := players[r.IntN(len(players))]
			pick := func(stripe bool) *bought {
				for range 10 {
					if len(all) == 0 {
						return nil
					}
					if b := &all[r.IntN(len(all))]; (b.counter == nil) == stripe {
						return b
					}
				}
				return nil
			}
			switch r.IntN(12) {
			case 0, 1:
				w := []shop.Wish{wish("chest", "EUR"), wish("chest", "JPY"), wish("coins-1000", "USD"), wish("coins-6000", "EUR")}[r.IntN(4)]
				o := f.begin(player, fmt.Sprint(step), w)
				all = append(all, bought{player: player, order: o.ID, coins: o.Goods.Coins, price: o.Price.Amount})
				if r.IntN(4) == 0 {
					tell(f.till.End(o.ID, []shop.FactKind{shop.FactFailed, shop.FactCancelled, shop.FactExpired, shop.FactPending}[r.IntN(4)]))
				}
				if r.IntN(4) > 0 {
					tell(f.till.Pay(o.ID))
				}
			case 2:
				c, product := f.apple, "com.example.chest"
				if r.IntN(2) == 0 {
					c, product = f.google, "chest"
				}
				receipt, told := c.Sell(product, player, "", shop.Money{Amount: []int64{0, 1, 299}[r.IntN(3)], Currency: []string{"EUR", ""}[r.IntN(2)]})
				all = append(all, bought{player: player, receipt: receipt, counter: c, coins: 1001})
				tell(told)
			case 3, 4:
				if b := pick(false); b != nil {
					// Two devices, one of them perhaps somebody else's.
					var wg sync.WaitGroup
					for _, who := range []string{b.player, b.player, players[r.IntN(len(players))]} {
						wg.Go(func() {
							provider := shop.Apple
							if b.counter == f.google {
								provider = shop.Google
							}
							if _, err := f.Redeem(ctx, who, provider, b.receipt); (err != nil) != (who != b.player) {
								t.Errorf("redeemed by %s, bought by %s: %v", who, b.player, err)
							}
						})
					}
					wg.Wait()
				}
			case 5:
				if b := pick(false); b != nil {
					tell(b.counter.Void(b.receipt, r.IntN(3) > 0))
				}
			case 6, 7:
				if b := pick(true); b != nil {
					if e, ok := f.till.GiveBack(b.order, r.Int64N(b.price)+1); ok {
						tell(e)
					}
				}
			case 8:
				if b := pick(true); b != nil && f.till.Has(b.order)+1 > 1 || b != nil && r.IntN(3) == 0 {
					tell(f.till.Dispute(b.order, r.IntN(2) == 0))
				}
			case 9: // spends all or some of it
				if has := balance(t, s, wallet.Player(player)); has > 0 {
					coins := has - r.Int64N(has)/2*r.Int64N(2)
					if _, _, err := s.Post(ctx, transfer(t, fmt.Sprint("spent", step), wallet.KindBooster, "",
						wallet.Move(wallet.Player(player), wallet.Spending, coins)...)); err != nil {
						t.Fatal(err)
					}
					want[player] -= coins
				}
			case 10: // is given some
				if _, _, err := s.Post(ctx, transfer(t, fmt.Sprint("given", step), wallet.KindGrant, "",
					wallet.Move(wallet.Grants, wallet.Player(player), 60)...)); err != nil {
					t.Fatal(err)
				}
				want[player] += 60
			default:
				deliver(r.IntN(6) + 1)
			}
			if step%50 == 0 {
				f.advance(time.Hour)
				if err := f.Expire(ctx); err != nil {
					t.Fatal(err)
				}
				addsUp(t, s)
			}
		}
		if r.IntN(2) == 0 { // or what was not delivered is found
			deliver(len(waiting))
		}
		for range 2 {
			if _, err := f.Reconcile(ctx); err != nil {
				t.Fatal(err)
			}
		}
		granted := 0
		for _, b := range all {
			if b.counter == nil {
				// In the player's favour: of a coin that is half taken back, all stays.
				back := b.price - f.till.Has(b.order)
				o, _, err := f.Order(ctx, b.order)
				if err != nil {
					t.Fatal(err)
				}
				if o.PaidAt.IsZero() {
					if f.till.Has(b.order) > 0 {
						t.Errorf("%+v is paid", o)
					}
					continue
				}
				granted++
				want[b.player] += b.coins - b.coins*back/b.price
			} else if !b.counter.IsVoid(b.receipt) {
				granted++
				want[b.player] += b.coins
			}
		}
		for _, player := range players {
			coins, debt := balance(t, s, wallet.Player(player)), -balance(t, s, wallet.Debt(player))
			if coins-debt != want[player] || coins > 0 && debt > 0 {
				t.Errorf("seed %d: %s has %d coins and owes %d, want %d", seed, player, coins, debt, want[player])
			}
		}
		addsUp(t, s)
		refused, err := f.Inbox(ctx, shop.Refused, shop.Mark{}, 10_000)
		if err != nil || len(refused) == 0 || granted < 20 {
			t.Errorf("%d refused events, %d orders granted, %v", len(refused), granted, err)
		}
		for _, e := range refused {
			if e.Kind != "receipt" && !strings.HasPrefix(e.ID, "altered") {
				t.Errorf("refused: %+v", e)
			}
		}
		t.Logf("seed %d: %d bought, %d granted, %d refused", seed, len(all), granted, len(refused))
	})
}

// shopSeed is where the random test begins; CUATROLA_SHOP_SEED sets it.
func shopSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("CUATROLA_SHOP_SEED")
	if text == "" {
		return mathrand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal("CUATROLA_SHOP_SEED", err)
	}
	return seed
}

// The connection breaks before every statement of what the shop does, and on both sides
// of the commit: all of it is kept or nothing, and said again it is whole.
func TestShopBreaks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		s.BreakOnDemand()
		f := newStorefront(t, s)
		n := 0
		player := func() string {
			n++
			id := addPlayer(t, s, fmt.Sprint("Player ", n)).ID
			f.purse(id)
			return id
		}
		order := func(id string) shop.Order {
			o, _, err := f.Order(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return *o
		}
		for name, c := range map[string]struct {
			// prepare returns whose coins it is about, what may break, and the coins
			// before and behind it.
			prepare func() (who string, do func(context.Context) error, before, behind int64)
		}{
			"paid": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				e := f.till.Pay(f.begin(who, "one", wish("chest", "EUR")).ID)
				return who, func(ctx context.Context) error { _, err := f.Told(ctx, e); return err }, 0, 1001
			}},
			"paid, and back before that": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				o := f.begin(who, "one", wish("chest", "EUR"))
				e := f.till.Pay(o.ID)
				back, _ := f.till.GiveBack(o.ID, 100)
				f.told(shop.Ignored, back)
				return who, func(ctx context.Context) error { _, err := f.Told(ctx, e); return err }, 0, 1001 - 334
			}},
			"taken back, spent": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				o := f.begin(who, "one", wish("chest", "EUR"))
				f.told(shop.Applied, f.till.Pay(o.ID))
				f.refused("", f.BuyBooster(t.Context(), who, "spent", false))
				e := f.till.Dispute(o.ID, false)
				return who, func(ctx context.Context) error { _, err := f.Told(ctx, e); return err }, 1001 - 400, -400
			}},
			"given again, owing": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				o := f.begin(who, "one", wish("chest", "EUR"))
				f.told(shop.Applied, f.till.Pay(o.ID))
				f.refused("", f.BuyBooster(t.Context(), who, "spent", false))
				f.refused("", f.BuyBooster(t.Context(), who, "spent too", false))
				f.told(shop.Applied, f.till.Dispute(o.ID, false))
				e := f.till.Dispute(o.ID, true)
				return who, func(ctx context.Context) error { _, err := f.Told(ctx, e); return err }, -800, 1001 - 800
			}},
			"a receipt": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				receipt, _ := f.google.Sell("chest", who, "", shop.Money{})
				return who, func(ctx context.Context) error { _, err := f.Redeem(ctx, who, shop.Google, receipt); return err }, 0, 1001
			}},
			"renewed": {func() (string, func(context.Context) error, int64, int64) {
				who := player()
				_, e := f.apple.Sell("com.example.chest", who, "", shop.Money{})
				return who, func(ctx context.Context) error { _, err := f.Told(ctx, e); return err }, 0, 1001
			}},
		} {
			failures := 0
			for statement := 1; ; statement++ {
				who, do, before, behind := c.prepare()
				failure := &store.Failure{Statement: statement}
				switch statement {
				case 1:
					failure = &store.Failure{AtCommit: true}
				case 2:
					failure = &store.Failure{AtCommit: true, Answer: true}
				default:
					failure.Statement = statement - 2
				}
				err := do(store.WithFailure(t.Context(), failure))
				has := func() int64 {
					p := f.purse(who)
					return p.Coins - p.Debt - 500
				}
				switch got := has(); {
				case !failure.Happened && (err != nil || got != behind):
					t.Errorf("%s: %d coins, %v; want %d", name, got, err, behind)
				case failure.Happened && err == nil:
					t.Errorf("%s, failure %d: nobody was told", name, statement)
				case failure.Happened && failure.Committed && got != behind, failure.Happened && !failure.Committed && got != before:
					t.Errorf("%s, failure %d: %d coins; %d before it, %d behind", name, statement, got, before, behind)
				}
				if failure.Happened {
					failures++
					if err := do(t.Context()); err != nil || has() != behind {
						t.Errorf("%s, said again behind failure %d: %d coins, %v; want %d", name, statement, has(), err, behind)
					}
				}
				orders, err := f.Orders(t.Context(), who, "", 10)
				if err != nil || len(orders) != 1 {
					t.Fatalf("%s: %d orders, %v", name, len(orders), err)
				}
				if o := order(orders[0].ID); o.Given != o.Due() && name != "given again, owing" && name != "taken back, spent" {
					t.Errorf("%s: %+v is given, %+v due", name, o.Given, o.Due())
				}
				if failure.Statement > failure.Statements() || !failure.Happened {
					break // behind the last of them it has broken too
				}
			}
			if failures < 5 {
				t.Errorf("%s: only %d failures", name, failures)
			}
		}
		addsUp(t, s)
	})
}
