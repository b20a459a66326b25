package stripe_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

// A purchase on the page is told of twice, by the page and by the payment: it is one.
func TestOnePurchaseTwoEvents(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	b.begin(o, page)
	events := b.stripe.Pay(orderID)
	session, intent := b.told(one(t, events, "checkout.session.completed")), b.told(one(t, events, "payment_intent.succeeded"))
	if session.Fact != intent.Fact || session.OrderID != orderID || intent.OrderID != orderID || session.Fact.Kind != shop.FactPaid {
		t.Errorf("%+v\n%+v", session, intent)
	}
}

// Whoever gets to the end of the page may still have to pay.
func TestPaidLater(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		b := newBench(t, true)
		o := b.order()
		b.begin(o, page)
		b.apply(o, b.stripe.PayLater(orderID)...)
		if o.Status != shop.Pending {
			t.Fatalf("the order is %s", o.Status)
		}
		b.apply(o, b.stripe.Arrive(orderID, arrives)...)
		if want := map[bool]shop.Status{true: shop.Granted, false: shop.Failed}[arrives]; o.Status != want {
			t.Errorf("the order is %s, want %s", o.Status, want)
		}
	}
}

func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		how  shop.Checkout
		do   func(*stripetest.Stripe) []stripetest.Event
		want shop.Status
	}{
		"declined":  {sheet, func(s *stripetest.Stripe) []stripetest.Event { return s.Decline(orderID) }, shop.Pending},
		"cancelled": {sheet, func(s *stripetest.Stripe) []stripetest.Event { return s.Cancel(orderID) }, shop.Cancelled},
		"expired":   {page, func(s *stripetest.Stripe) []stripetest.Event { return s.Expire(orderID) }, shop.Expired},
		"declined, then another card": {sheet, func(s *stripetest.Stripe) []stripetest.Event {
			return append(s.Decline(orderID), s.Pay(orderID)...)
		}, shop.Granted},
	} {
		b := newBench(t, true)
		o := b.order()
		b.begin(o, c.how)
		b.apply(o, c.do(b.stripe)...)
		if o.Status != c.want {
			t.Errorf("%s: the order is %s, want %s", name, o.Status, c.want)
		}
	}
}

func TestDisputes(t *testing.T) {
	b := newBench(t, true)
	o := paid(t, b)
	expect := func(what string, status shop.Status) {
		t.Helper()
		if o.Status != status {
			t.Errorf("%s: the order is %s, want %s", what, o.Status, status)
		}
	}
	b.apply(o, b.stripe.Dispute(orderID, true)...)
	expect("an inquiry", shop.Granted)
	b.apply(o, b.stripe.Decide(orderID, false)...)
	expect("an inquiry that is closed", shop.Granted)
	b.apply(o, b.stripe.Dispute(orderID, false)...)
	expect("a dispute", shop.Reversed)
	// All within one second of Stripe's clock, told in the opposite order.
	won := b.stripe.Decide(orderID, true)
	slices.Reverse(won)
	b.apply(o, won...)
	expect("a dispute that was won", shop.Granted)
	events := b.stripe.Events()
	slices.Reverse(events)
	b.apply(o, events...)
	expect("all of it again, backwards", shop.Granted)
	b.apply(o, b.stripe.Dispute(orderID, false)...)
	b.apply(o, b.stripe.Decide(orderID, false)...)
	expect("a dispute that was lost", shop.Reversed)
}

func TestSubscription(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	o.Renews = "month"
	b.begin(o, page)
	events := b.stripe.Pay(orderID)
	paying := 0
	for _, e := range events {
		if out := b.told(e); out.Fact.Kind == shop.FactPaid {
			paying++
			if out.OrderID != orderID || out.Fact.Subscription == "" || out.Renewal != nil {
				t.Errorf("%+v", out)
			}
		}
	}
	b.apply(o, events...)
	if paying != 1 || o.Status != shop.Granted || o.Subscription == "" || o.Transaction == "" {
		t.Errorf("%d events say that it is paid: %+v", paying, o)
	}
	b.now = b.now.Add(30 * 24 * time.Hour)
	renewed := b.told(one(t, b.stripe.Renew(orderID, true), "invoice.paid"))
	want := shop.Purchase{
		Transaction: renewed.Transaction, Subscription: o.Subscription, PlayerID: playerID, Price: o.Price, Live: true, At: b.now,
	}
	if renewed.Renewal == nil || *renewed.Renewal != want || renewed.OrderID != "" || renewed.Fact.Kind != "" || renewed.Transaction == o.Transaction {
		t.Errorf("%+v", renewed)
	}
	// A renewal's refund is about the renewal.
	back := b.told(one(t, b.stripe.Refund(orderID, 100), "charge.refunded"))
	if back.OrderID != "" || back.Transaction != renewed.Transaction || back.Fact.Amount != 100 {
		t.Errorf("%+v", back)
	}
	for _, e := range append(b.stripe.Renew(orderID, false), b.stripe.EndSubscription(orderID)...) {
		if out := b.told(e); out.Fact.Kind != "" || out.Renewal != nil {
			t.Errorf("%s: %+v", e.Type, out)
		}
	}
}

// Who pays is told by the customer, whatever the payment says.
func TestAnothersCustomer(t *testing.T) {
	b := newBench(t, true)
	e := b.event()
	b.customers.Set("0198f1c2-0000-7000-8000-0000000000bb", "cus_other")
	out := b.told(e.With(func(_, o stripetest.Object) { o["customer"] = "cus_other" }))
	if err := b.order().Apply(out.Fact); err == nil {
		t.Error("another player's customer has paid")
	} else {
		wantCode(t, err, shop.CodeForeign)
	}
}

// What was paid has to be what was asked for.
func TestPaidSomethingElse(t *testing.T) {
	b := newBench(t, true)
	e := b.event()
	for name, change := range map[string]func(event, object stripetest.Object){
		"less":             func(_, o stripetest.Object) { o["amount_received"] = 498 },
		"another currency": func(_, o stripetest.Object) { o["currency"] = "usd" },
		"without decimals": func(_, o stripetest.Object) { o["currency"], o["amount_received"] = "jpy", 4 },
	} {
		if err := b.order().Apply(b.told(e.With(change)).Fact); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			wantCode(t, err, shop.CodeMismatch)
		}
	}
}

// What others sell through the same account is nothing to us.
func TestNotOurs(t *testing.T) {
	b := newBench(t, true)
	b.begin(b.order(), page)
	for _, e := range b.stripe.Pay(orderID) {
		out := b.told(e.With(func(_, o stripetest.Object) { o["metadata"] = stripetest.Object{} }))
		if out.Fact.Kind != "" {
			t.Errorf("%s: %+v", e.Type, out)
		}
	}
}

// Whatever is done to a payment, and in whatever order and however often it is told,
// the order ends as the money did.
func TestAnySequence(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 6))
		b := newBench(t, true)
		o := b.order()
		o.Price.Amount = 1 + r.Int64N(2000)
		o.Goods.Coins = r.Int64N(100_000)
		b.begin(o, []shop.Checkout{sheet, page}[r.IntN(2)])
		b.stripe.Pay(orderID)
		disputed := false
		for range r.IntN(12) {
			if r.IntN(2) == 0 {
				b.now = b.now.Add(time.Duration(r.IntN(100_000)) * time.Second)
			}
			switch {
			case disputed:
				b.stripe.Decide(orderID, r.IntN(3) > 0)
				disputed = false
				b.now = b.now.Add(time.Second) // a second dispute is no matter of the same second
			case r.IntN(3) == 0 && b.stripe.Has(orderID) > 0:
				b.stripe.Dispute(orderID, r.IntN(3) == 0)
				disputed = true
			case b.stripe.Has(orderID) > 0:
				b.stripe.Refund(orderID, 1+r.Int64N(o.Price.Amount))
			}
		}
		events := b.stripe.Events()
		for range r.IntN(20) {
			events = append(events, events[r.IntN(len(events))])
		}
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		// What finds no order yet is told again.
		b.apply(o, events...)
		b.apply(o, events...)
		if has := b.stripe.Has(orderID); o.Price.Amount-o.TakenBack() != has {
			t.Fatalf("seed %d: Stripe has %d of %d, and %d are taken back: %+v", seed, has, o.Price.Amount, o.TakenBack(), o.Reversals)
		}
	}
}
