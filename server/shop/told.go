package shop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// refusal says whether an order would not have a fact.
func refusal(err error) bool {
	code := fault.CodeOf(err)
	return code == CodeMismatch || code == CodeForeign
}

// apply tells an order a fact, gives or takes back what follows, and keeps both, if
// anything changes. A refusal leaves the transaction as it is.
func (s *Service) apply(tx Tx, o *Order, f Fact, actor string, d Detail) error {
	if f.Kind == FactPaid && f.Transaction != "" {
		// The database would refuse it too, but then the whole transaction.
		other, err := tx.Find(o.Provider, "", f.Transaction)
		switch {
		case err == nil && other != o.ID:
			return fault.New(CodeMismatch, "Another order was paid by this payment.")
		case err != nil && fault.CodeOf(err) != fault.NotFound:
			return err
		}
	}
	before := *o
	if err := o.Apply(f); err != nil {
		return err
	}
	o.Version++
	given, owed, err := s.give(tx, o)
	if err != nil {
		return err
	}
	if same(&before, o) {
		o.Version--
		return nil
	}
	d.Given, d.Owed = given, owed
	if f.Kind == FactReversed {
		d.Key, d.Amount = f.Key, f.Amount
	}
	return tx.Keep(o, Change{At: s.moment(), What: What(f.Kind), Status: o.Status, Actor: actor, Detail: d})
}

// same says whether a fact has told an order nothing new.
func same(a, b *Order) bool {
	return a.Status == b.Status && a.Reference == b.Reference && a.Transaction == b.Transaction && a.Subscription == b.Subscription &&
		a.PaidAt.Equal(b.PaidAt) && a.Given == b.Given && maps.EqualFunc(a.Reversals, b.Reversals, func(x, y Reversal) bool {
		return x.Amount == y.Amount && x.AsOf.Equal(y.AsOf)
	})
}

// receipt is the data of an order's transfers.
type receipt struct {
	Order   string `json:"order"`
	SKU     string `json:"sku"`
	Economy int    `json:"economy"`
	// Owed of what was taken back.
	Owed int64 `json:"owed,omitempty"`
}

// give gives the player what the order's facts say and it has not given yet, or
// takes back what they no longer say. Of coins that are spent the player owes the
// rest; of boosters and days that are used up there is nothing to take.
func (s *Service) give(tx Tx, o *Order) (given Goods, owed int64, err error) {
	given = o.Due().Minus(o.Given)
	if given == (Goods{}) {
		return given, 0, nil
	}
	now := s.moment()
	var standing *reward.Standing
	if given.Boosters != 0 || given.VIPDays != 0 {
		st, err := tx.Standing(o.PlayerID)
		if err != nil {
			return Goods{}, 0, err
		}
		given.Boosters, given.VIPDays = st.Receive(now, given.Boosters, given.VIPDays)
		if given.Boosters != 0 || given.VIPDays != 0 {
			standing = &st
		}
	}
	var t *wallet.Transfer
	if given.Coins != 0 {
		if t, owed, err = s.transfer(tx, o, given.Coins); err != nil {
			return Goods{}, 0, err
		}
	}
	if t == nil && standing == nil {
		return Goods{}, 0, nil
	}
	o.Given = Goods{o.Given.Coins + given.Coins, o.Given.Boosters + given.Boosters, o.Given.VIPDays + given.VIPDays}
	if err := tx.Give(t, standing); err != nil {
		return Goods{}, 0, fmt.Errorf("shop: order %s: %w", o.ID, err)
	}
	return given, owed, nil
}

// transfer is the one that gives coins, or takes them back.
func (s *Service) transfer(tx Tx, o *Order, coins int64) (t *wallet.Transfer, owed int64, err error) {
	kind, entries := wallet.KindPurchase, wallet.Move(wallet.Sales, wallet.Player(o.PlayerID), coins)
	if coins < 0 {
		has, err := tx.Coins(o.PlayerID)
		if err != nil {
			return nil, 0, err
		}
		owed = max(0, -coins-has)
		kind, entries = wallet.KindClawback, append(
			wallet.Move(wallet.Player(o.PlayerID), wallet.Sales, -coins-owed), wallet.Move(wallet.Debt(o.PlayerID), wallet.Sales, owed)...)
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, 0, fmt.Errorf("shop: new transfer's id: %w", err)
	}
	t, err = wallet.New(id.String(), fmt.Sprintf("order:%s:%d", o.ID, o.Version), kind, s.moment(), entries...)
	if err != nil {
		return nil, 0, err
	}
	t.Data, err = json.Marshal(receipt{Order: o.ID, SKU: o.SKU, Economy: o.Economy, Owed: owed})
	return t, owed, err
}

// Told takes in what a provider tells of its own accord: once, in one transaction with
// what follows from it. An event that fits nothing is no error: it is kept, and its
// outcome says so. After an error nothing was kept, and the provider has to tell it
// again.
func (s *Service) Told(ctx context.Context, e Event) (Outcome, error) {
	return s.told(ctx, e, func() {})
}

// told is Told, which calls fresh if nobody has told the event before.
func (s *Service) told(ctx context.Context, e Event, fresh func()) (Outcome, error) {
	bought, err := s.bought(ctx, e.Provider, e.Renewal)
	if err != nil {
		return "", err
	}
	var r Received
	var news []Received
	err = s.store.Trade(ctx, func(tx Tx) error {
		news = nil
		r = Received{Event: e, ReceivedAt: s.moment(), Outcome: Ignored}
		known, err := tx.Enter(&r)
		if err != nil {
			return err
		}
		if known != nil {
			if r = *known; !known.waits() {
				return nil
			}
		} else {
			fresh()
		}
		news, err = s.take(tx, &r, bought)
		return err
	})
	if err != nil {
		return "", err
	}
	s.report(ctx, news)
	return r.Outcome, nil
}

// take says what becomes of an event, does it, and goes on with those that have waited
// for its order. It returns all that it has concluded.
func (s *Service) take(tx Tx, r *Received, bought *product) (news []Received, err error) {
	o, err := s.orderOf(tx, &r.Event, bought)
	if err == nil && o != nil {
		r.Order = o.ID
		d := Detail{Event: r.ID}
		if p := r.Renewal; p != nil {
			err = s.apply(tx, o, paid(p, o), string(r.Provider), d)
		}
		if err == nil && r.Fact.Kind != "" {
			err = s.apply(tx, o, r.Fact, string(r.Provider), d)
		}
		r.Outcome, r.Code = Applied, ""
	}
	switch code := fault.CodeOf(err); {
	case err == nil && o == nil:
		r.Outcome, r.Code = Ignored, ""
	case err == nil:
	case code == CodeUnknownOrder:
		r.Outcome, r.Code = Ignored, code
	case refusal(err):
		r.Outcome, r.Code = Refused, code
		if o != nil {
			if err := tx.Note(o.ID, Change{
				At: s.moment(), What: WhatRefused, Status: o.Status, Actor: string(r.Provider), Detail: Detail{Event: r.ID, Code: code},
			}); err != nil {
				return nil, err
			}
		}
	default:
		return nil, err
	}
	if err := tx.Conclude(r); err != nil {
		return nil, err
	}
	news = append(news, *r)
	if r.Outcome != Applied {
		return news, nil
	}
	more, err := s.waited(tx, o)
	return append(news, more...), err
}

// waited goes on with the events that have waited for the order.
func (s *Service) waited(tx Tx, o *Order) (news []Received, err error) {
	waiting, err := tx.Waiting(o)
	if err != nil {
		return nil, err
	}
	for i := range waiting {
		w := &waiting[i]
		if w.Renewal != nil {
			continue // it has an order of its own to make, in a transaction of its own
		}
		more, err := s.take(tx, w, nil)
		if err != nil {
			return nil, err
		}
		news = append(news, more...)
	}
	return news, nil
}

// orderOf finds what order an event is about, or makes it of the payment that it
// tells of. It is nil for an event that is nothing to an order. Codes: CodeUnknownOrder,
// CodeForeign.
func (s *Service) orderOf(tx Tx, e *Event, bought *product) (*Order, error) {
	if e.Renewal != nil {
		return s.renewal(tx, e, bought)
	}
	if e.Fact.Kind == "" {
		return nil, nil
	}
	if e.OrderID != "" {
		o, err := tx.Order(e.OrderID)
		if err == nil && o.Provider != e.Provider {
			return nil, fault.New(CodeMismatch, "The order is another provider's.")
		}
		if fault.CodeOf(err) != fault.NotFound {
			return o, err
		}
	}
	transaction := cmp.Or(e.Transaction, e.Fact.Transaction)
	id, err := tx.Find(e.Provider, e.Reference, transaction)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.New(CodeUnknownOrder, "There is no such order yet.")
	}
	if err != nil {
		return nil, err
	}
	return tx.Order(id)
}

// product is one of a catalogue, and which version's.
type product struct {
	*economy.Product
	version int
}

// bought finds the product that a payment names, in the newest catalogue that has it:
// what was paid for is given though it is sold no more. It is nil if there is none.
func (s *Service) bought(ctx context.Context, provider ProviderName, p *Purchase) (*product, error) {
	if p == nil || p.Product == "" {
		return nil, nil
	}
	is := func(candidate *economy.Product) bool {
		switch provider {
		case Apple:
			return candidate.Apple == p.Product
		case Google:
			return candidate.Google == p.Product
		default:
			return candidate.SKU == p.Product
		}
	}
	live, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	for number := live.Number; ; {
		if i := slices.IndexFunc(d.Catalogue, func(c economy.Product) bool { return is(&c) }); i >= 0 {
			return &product{&d.Catalogue[i], number}, nil
		}
		older, err := s.versions.Versions(ctx, number, 1)
		if err != nil || len(older) == 0 {
			return nil, err
		}
		number = older[0].Number
		if d, err = s.economy.At(number, func(int) (*economy.Version, error) { return older[0], nil }); err != nil {
			return nil, err
		}
	}
}

// renewal finds the order that a payment has made, or makes it: the player's that the
// payment names, or whose subscription it belongs to.
func (s *Service) renewal(tx Tx, e *Event, bought *product) (*Order, error) {
	p := e.Renewal
	id, err := tx.Find(e.Provider, "", p.Transaction)
	switch {
	case err == nil:
		return tx.Order(id)
	case fault.CodeOf(err) != fault.NotFound:
		return nil, err
	}
	o := &Order{PlayerID: p.PlayerID, Provider: e.Provider}
	if bought != nil {
		o.describe(bought)
	}
	if p.Subscription != "" {
		first, err := tx.FirstOf(e.Provider, p.Subscription)
		switch {
		case err == nil:
			o.PlayerID = first.PlayerID
			if bought == nil {
				o.SKU, o.Economy, o.Goods, o.Price = first.SKU, first.Economy, first.Goods, first.Price
			}
			o.Live = first.Live
		case fault.CodeOf(err) != fault.NotFound:
			return nil, err
		}
	}
	if o.PlayerID == "" || o.SKU == "" {
		return nil, fault.New(CodeUnknownOrder, "Nobody is known to have bought this.")
	}
	// Who began to pay as a guest goes on paying for the account that it was merged into.
	if o.PlayerID, err = tx.Heir(o.PlayerID); err != nil {
		return nil, err
	}
	if err := tx.HoldPlayer(o.PlayerID); err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			return nil, fault.New(CodeForeign, "Who has bought this is not here any more.")
		}
		return nil, err
	}
	if o, err = s.made(tx, o, p, string(e.Provider)); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *Order) describe(p *product) {
	o.SKU, o.Economy, o.Goods = p.SKU, p.version, goods(p.Product)
	// Where the store does not say what it took, the catalogue's price stands for it.
	currency := slices.Min(slices.Collect(maps.Keys(p.Prices)))
	if _, ok := p.Prices["EUR"]; ok {
		currency = "EUR"
	}
	o.Price = Money{p.Prices[currency], currency}
}

// made completes an order by the payment that it is made of, and keeps it; not yet
// that it was paid. If somebody else was faster, theirs is returned.
func (s *Service) made(tx Tx, o *Order, p *Purchase, actor string) (*Order, error) {
	now := s.moment()
	if o.Provider.pricesItself() {
		o.Live = p.Live
		if p.Price.Currency != "" {
			o.Price = p.Price
		}
	}
	o.Status, o.Reference, o.Transaction, o.Subscription = Pending, p.Reference, p.Transaction, p.Subscription
	o.CreatedAt, o.ExpiresAt = now, now.Add(s.timeToPay)
	added, err := s.add(tx, o, actor)
	if err != nil || added {
		return o, err
	}
	id, err := tx.Find(o.Provider, p.Reference, p.Transaction)
	if err != nil {
		return nil, err
	}
	return tx.Order(id)
}

// paid is the fact that a payment is. A store sets its prices: whatever it took is the
// order's price.
func paid(p *Purchase, o *Order) Fact {
	f := Fact{
		Kind: FactPaid, Transaction: p.Transaction, Money: p.Price, Live: p.Live, PlayerID: p.PlayerID, Subscription: p.Subscription, At: p.At,
	}
	if o.Provider.pricesItself() || f.Money.Currency == "" {
		f.Money = o.Price
	}
	return f
}

// report tells those who watch what has become of events.
func (s *Service) report(ctx context.Context, news []Received) {
	for _, n := range news {
		s.observe(n.Provider, n.Outcome, n.Code)
		if n.Outcome == Refused {
			slog.WarnContext(ctx, "shop: a payment or an event does not fit", "provider", n.Provider, "event", n.ID, "kind", n.Kind, "order", n.Order, "code", n.Code)
		}
	}
}
