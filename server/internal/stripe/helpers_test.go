package stripe_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

// bench is a till beside its fake, at a time that the test moves.
type bench struct {
	t         *testing.T
	now       time.Time
	stripe    *stripetest.Stripe
	till      *stripe.Till
	customers *stripetest.Customers
}

func newBench(t *testing.T, live bool) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), customers: &stripetest.Customers{}}
	b.stripe = stripetest.New(t, b.clock, live)
	b.till = b.newTill(func(*stripe.Options) {})
	return b
}

func (b *bench) clock() time.Time { return b.now }

func (b *bench) options() stripe.Options {
	return stripe.Options{
		Key: b.stripe.Key, PublishableKey: b.stripe.PublishableKey, Secrets: []string{stripetest.Secret}, URL: b.stripe.URL,
		Now: b.clock, Customers: b.customers,
	}
}

func (b *bench) newTill(change func(*stripe.Options)) *stripe.Till {
	b.t.Helper()
	o := b.options()
	change(&o)
	till, err := stripe.New(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return till
}

const (
	orderID  = "0198f1c2-0000-7000-8000-000000000001"
	playerID = "0198f1c2-0000-7000-8000-0000000000aa"
)

func (b *bench) order() *shop.Order {
	return &shop.Order{
		ID: orderID, PlayerID: playerID, SKU: "coins_s", Goods: shop.Goods{Coins: 1000}, Price: shop.Money{Amount: 499, Currency: "EUR"},
		Provider: shop.Stripe, Live: b.till.Live(), Status: shop.Created, CreatedAt: b.now, ExpiresAt: b.now.Add(24 * time.Hour),
	}
}

var (
	sheet = shop.Checkout{Sheet: true, SheetVersion: "2024-06-20", Title: "1000 coins", Email: "ana@example.org"}
	page  = shop.Checkout{Title: "1000 coins", Email: "ana@example.org", ReturnURL: "https://play.example/shop?from=menu", Language: "ca"}
)

func (b *bench) begin(o *shop.Order, how shop.Checkout) shop.Begun {
	b.t.Helper()
	begun, err := b.till.Begin(b.t.Context(), o, how)
	if err != nil {
		b.t.Fatal(err)
	}
	o.Reference = begun.Reference
	return begun
}

// told reads an event as the webhook does.
func (b *bench) told(e stripetest.Event) shop.Event {
	b.t.Helper()
	out, err := b.till.Webhook(b.t.Context(), e.JSON(), stripetest.Sign(e.JSON(), stripetest.Secret, b.now))
	if err != nil {
		b.t.Fatalf("%s: %v", e.Type, err)
	}
	return out
}

// apply tells an order what events say of it, as far as they find it.
func (b *bench) apply(o *shop.Order, events ...stripetest.Event) {
	b.t.Helper()
	for _, e := range events {
		out := b.told(e)
		if out.Fact.Kind == "" || out.OrderID != o.ID && (out.Transaction == "" || out.Transaction != o.Transaction) {
			continue
		}
		if err := o.Apply(out.Fact); err != nil {
			b.t.Fatalf("%s: %v", e.Type, err)
		}
	}
}

// one is the only event of a kind.
func one(t *testing.T, events []stripetest.Event, kind string) stripetest.Event {
	t.Helper()
	i := slices.IndexFunc(events, func(e stripetest.Event) bool { return e.Type == kind })
	if i < 0 {
		t.Fatalf("no %s among %d events", kind, len(events))
	}
	return events[i]
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("code %q, want %q: %v", got, want, err)
	}
}
