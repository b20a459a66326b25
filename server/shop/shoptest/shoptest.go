// Package shoptest has a till and a counter that keep in memory what providers keep:
// who has paid what, what was given back, and the events that they tell of it.
package shoptest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

// provider is what till and counter have in common.
type provider struct {
	mu     sync.Mutex
	name   shop.ProviderName
	now    func() time.Time
	down   bool
	count  int
	events []shop.Event
}

// errDown is what a provider answers that cannot be reached.
var errDown = fault.New(fault.Unavailable, "The provider does not answer.")

// SetDown has the provider answer nothing, or everything again.
func (p *provider) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// tell makes an event. The caller holds the mutex.
func (p *provider) tell(kind string, e shop.Event) shop.Event {
	p.count++
	e.Provider, e.Kind, e.ID, e.At = p.name, kind, fmt.Sprintf("evt_%s_%d", p.name, p.count), p.now()
	// Two things of one moment have different times, as Stripe's have not: what is last
	// is what the test says.
	e.At = e.At.Add(time.Duration(p.count) * time.Millisecond)
	if e.Fact.Kind != "" {
		e.Fact.At = e.At
	}
	p.events = append(p.events, e)
	return e
}

// Since implements shop.Source.
func (p *provider) Since(_ context.Context, since time.Time, each func(shop.Event) error) error {
	p.mu.Lock()
	down, events := p.down, append([]shop.Event(nil), p.events...)
	p.mu.Unlock()
	if down {
		return errDown
	}
	for _, e := range events {
		if !e.At.Before(since) {
			if err := each(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// payment is one that a provider knows.
type payment struct {
	order        shop.Order // as it was asked for
	transaction  string
	subscription string
	paid         bool
	refunded     int64
	disputed     bool
	stopped      bool
}

// Till is a shop.Till. Make one with NewTill.
type Till struct {
	provider
	payments map[string]*payment // by order
	asked    map[string]int
}

// NewTill returns one that nobody has been asked for anything.
func NewTill(now func() time.Time) *Till {
	return &Till{provider: provider{name: shop.Stripe, now: now}, payments: make(map[string]*payment), asked: make(map[string]int)}
}

// Live implements shop.Till.
func (t *Till) Live() bool { return true }

// Begin implements shop.Till.
func (t *Till) Begin(_ context.Context, o *shop.Order, how shop.Checkout) (shop.Begun, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down {
		return shop.Begun{}, errDown
	}
	t.asked[o.ID]++
	if t.payments[o.ID] == nil {
		t.payments[o.ID] = &payment{order: *o, transaction: "pi_" + o.ID}
	}
	return shop.Begun{Reference: "cs_" + o.ID, Client: map[string]string{"url": "https://pay.example/" + o.ID, "title": how.Title, "email": how.Email}}, nil
}

// Asked counts how often an order's money was asked for.
func (t *Till) Asked(orderID string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked[orderID]
}

// Pay has the player pay, and returns what is told of it; as from a payment sheet the
// event names the order.
func (t *Till) Pay(orderID string) shop.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	p.paid = true
	if p.order.Renews != "" {
		p.subscription = "sub_" + orderID
	}
	return t.tell("payment.succeeded", shop.Event{OrderID: orderID, Fact: shop.Fact{
		Kind: shop.FactPaid, Transaction: p.transaction, Money: p.order.Price, Live: true, PlayerID: p.order.PlayerID, Subscription: p.subscription,
	}})
}

// Renew has a subscription paid again.
func (t *Till) Renew(orderID string) shop.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	return t.tell("invoice.paid", shop.Event{Renewal: &shop.Purchase{
		Transaction: fmt.Sprintf("pi_%s_%d", p.subscription, t.count), Subscription: p.subscription, Price: p.order.Price, Live: true, At: t.now(),
	}})
}

// StopRenewing implements shop.Renewer.
func (t *Till) StopRenewing(_ context.Context, subscription string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down {
		return errDown
	}
	for _, p := range t.payments {
		if p.subscription == subscription {
			p.stopped = true
			return nil
		}
	}
	return fault.New(fault.NotFound, "There is no such subscription.")
}

// Renews says whether an order is to be paid again.
func (t *Till) Renews(orderID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	return p.subscription != "" && !p.stopped
}

// End tells that the money did not come.
func (t *Till) End(orderID string, kind shop.FactKind) shop.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tell(string(kind), shop.Event{OrderID: orderID, Fact: shop.Fact{Kind: kind}})
}

// Refund implements shop.Till. It tells of it by an event that names the payment only.
func (t *Till) Refund(_ context.Context, o *shop.Order, amount int64, _ string) error {
	if _, ok := t.GiveBack(o.ID, amount); !ok {
		return errDown
	}
	return nil
}

// GiveBack refunds an order's payment, so that amount was refunded in all.
func (t *Till) GiveBack(orderID string, amount int64) (shop.Event, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	if t.down || !p.paid {
		return shop.Event{}, false
	}
	p.refunded = max(p.refunded, min(amount, p.order.Price.Amount))
	return t.tell("charge.refunded", shop.Event{Transaction: p.transaction, Fact: shop.Fact{
		Kind: shop.FactReversed, Key: "refunds", Amount: p.refunded,
	}}), true
}

// Dispute has the bank take a payment's money, or give it back.
func (t *Till) Dispute(orderID string, won bool) shop.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	p.disputed = !won
	amount := int64(0)
	if !won {
		amount = p.order.Price.Amount
	}
	return t.tell("dispute", shop.Event{Transaction: p.transaction, Fact: shop.Fact{Kind: shop.FactReversed, Key: "dispute", Amount: amount}})
}

// Has is how much of an order's money the till has now.
func (t *Till) Has(orderID string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.payments[orderID]
	switch {
	case p == nil || !p.paid || p.disputed:
		return 0
	default:
		return p.order.Price.Amount - p.refunded
	}
}

// Events are all that the provider has told, in order.
func (p *provider) Events() []shop.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]shop.Event(nil), p.events...)
}

// Counter is a shop.Counter. Make one with NewCounter.
type Counter struct {
	provider
	sold      map[string]*sale // by receipt
	delivered map[string]int   // by transaction
}

type sale struct {
	shop.Purchase
	void, unpaid bool
}

// NewCounter returns one that has sold nothing.
func NewCounter(name shop.ProviderName, now func() time.Time) *Counter {
	return &Counter{provider: provider{name: name, now: now}, sold: make(map[string]*sale), delivered: make(map[string]int)}
}

// Live implements shop.Counter.
func (c *Counter) Live() bool { return true }

// Sell sells a product in the store, and returns the receipt and what is told of it.
// playerID is empty if the app did not say who bought.
func (c *Counter) Sell(product, playerID, subscription string, price shop.Money) (receipt string, told shop.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &sale{Purchase: shop.Purchase{
		Transaction: fmt.Sprintf("txn_%s_%d", c.name, c.count), Subscription: subscription, Product: product, PlayerID: playerID,
		Price: price, Live: true, At: c.now(),
	}}
	receipt = "receipt of " + p.Transaction
	c.sold[receipt] = p
	renewal := p.Purchase
	return receipt, c.tell("sold", shop.Event{Renewal: &renewal})
}

// Void gives a purchase's money back, or says that it was not.
func (c *Counter) Void(receipt string, void bool) shop.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.sold[receipt]
	p.void = void
	amount := int64(0)
	if void {
		amount = shop.All
	}
	return c.tell("voided", shop.Event{Transaction: p.Transaction, Fact: shop.Fact{Kind: shop.FactReversed, Key: "refund", Amount: amount}})
}

// IsVoid says whether a purchase's money was given back.
func (c *Counter) IsVoid(receipt string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sold[receipt].void
}

// Hold has the store wait for a purchase's money.
func (c *Counter) Hold(receipt string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sold[receipt].unpaid = true
}

// Verify implements shop.Counter.
func (c *Counter) Verify(_ context.Context, receipt string) (shop.Purchase, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch p := c.sold[receipt]; {
	case c.down:
		return shop.Purchase{}, errDown
	case p == nil:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "The store knows no such purchase.")
	case p.unpaid:
		return shop.Purchase{}, fault.New(shop.CodeUnpaid, "The store does not have the money yet.")
	default:
		return p.Purchase, nil
	}
}

// Delivered implements shop.Counter.
func (c *Counter) Delivered(_ context.Context, o *shop.Order) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return errDown
	}
	c.delivered[o.Transaction]++
	return nil
}

// Deliveries counts how often the store was told that a purchase was given.
func (c *Counter) Deliveries(transaction string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.delivered[transaction]
}

var (
	_ shop.Till    = (*Till)(nil)
	_ shop.Counter = (*Counter)(nil)
	_ shop.Source  = (*Counter)(nil)
)
