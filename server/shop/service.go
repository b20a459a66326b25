package shop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Store keeps orders, their history and the inbox of events.
type Store interface {
	// Trade runs f in a transaction, which is kept if f returns nil.
	Trade(ctx context.Context, f func(Tx) error) error
	// Order reads one. Codes: NotFound.
	Order(ctx context.Context, id string) (*Order, error)
	// Orders lists at most limit of a player's, newest first, older than the one with
	// the id given, if any.
	Orders(ctx context.Context, playerID, before string, limit int) ([]*Order, error)
	// OrderHistory lists what has happened to an order, oldest first.
	OrderHistory(ctx context.Context, orderID string) ([]Change, error)
	// Bought counts a player's orders by SKU, without those that came to nothing.
	Bought(ctx context.Context, playerID string) (map[string]int, error)
	// Email of a player, empty if none is known.
	Email(ctx context.Context, playerID string) (string, error)
	// FindOrders lists at most limit orders that one of the search's parts names,
	// newest first, older than the one with the id given, if any.
	FindOrders(ctx context.Context, s Search, before string, limit int) ([]*Order, error)
	// ProviderEvents lists at most limit events of an outcome, newest first, received before a
	// time, if one is given.
	ProviderEvents(ctx context.Context, outcome Outcome, before time.Time, limit int) ([]Received, error)
	// WaitingEvents lists at most limit events that wait for their order, received since
	// a time, oldest first, behind the one given, if any.
	WaitingEvents(ctx context.Context, since time.Time, after *Received, limit int) ([]Received, error)
	// Unpaid lists at most limit orders that are open though their time to pay is over.
	Unpaid(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Undelivered lists at most limit orders of a provider that have been given without
	// its knowing, in the order of their ids, behind the one given, if any.
	Undelivered(ctx context.Context, provider ProviderName, after string, limit int) ([]*Order, error)
	// ReadUntil is how far a provider's events have been read; zero for not at all.
	ReadUntil(ctx context.Context, provider ProviderName) (time.Time, error)
	// SetReadUntil keeps that.
	SetReadUntil(ctx context.Context, provider ProviderName, until time.Time) error
}

// Tx is a transaction of the shop's. Rows are held in one order: the event, the
// order, the standing, the accounts.
type Tx interface {
	// Enter puts an event into the inbox. If it is there, known is what became of it,
	// and it is held.
	Enter(r *Received) (known *Received, err error)
	// Conclude keeps what has become of an event.
	Conclude(r *Received) error
	// Waiting lists the events that wait for the order and that nobody holds, and
	// holds them.
	Waiting(o *Order) ([]Received, error)

	// HoldPlayer keeps others from adding orders of the player's until the end. Codes:
	// NotFound, also for an account that was deleted.
	HoldPlayer(playerID string) error
	// Bought is the Store's.
	Bought(playerID string) (map[string]int, error)
	// Order reads an order and holds it. Codes: NotFound.
	Order(id string) (*Order, error)
	// OrderByKey reads a player's order by its key, and holds it. Codes: NotFound.
	OrderByKey(playerID, key string) (*Order, error)
	// Find looks for the order that is or was asked for under a reference, or paid by a
	// transaction; an empty word finds nothing. Codes: NotFound.
	Find(provider ProviderName, reference, transaction string) (id string, err error)
	// FirstOf is the first order of a subscription, which is not held. Codes: NotFound.
	FirstOf(provider ProviderName, subscription string) (*Order, error)
	// Add keeps a new order, or returns false if there is one with its key or its
	// transaction.
	Add(o *Order) (bool, error)
	// Keep keeps a changed order, and writes what has happened into its history.
	Keep(o *Order, c Change) error
	// Note writes into an order's history.
	Note(orderID string, c Change) error

	// Standing reads a player's, and holds it.
	Standing(playerID string) (reward.Standing, error)
	// Coins of a player, whose account is then held.
	Coins(playerID string) (int64, error)
	// Give posts the transfer, unless it is nil, and keeps the standing, unless it is
	// nil. After an error the transaction is given up.
	Give(t *wallet.Transfer, s *reward.Standing) error
}

// Outcome is what became of an event.
type Outcome string

// The outcomes.
const (
	// Applied: the order knows it.
	Applied Outcome = "applied"
	// Ignored: it is nothing to an order, or, with CodeUnknownOrder, to none that is
	// known yet; then it is looked at again.
	Ignored Outcome = "ignored"
	// Refused: it does not fit its order, and has changed nothing. An operator has to
	// look.
	Refused Outcome = "refused"
)

// Received is an event in the inbox.
type Received struct {
	Event
	ReceivedAt time.Time
	Outcome    Outcome
	// Code says why it was refused, or what it waits for.
	Code fault.Code
	// Order that it was found to be about; empty if none.
	Order string
}

func (r *Received) waits() bool { return r.Outcome == Ignored && r.Code == CodeUnknownOrder }

// Change is a line of an order's history.
type Change struct {
	// Seq counts from 1.
	Seq  int
	At   time.Time
	What What
	// Status behind the change.
	Status Status
	// Actor says who did it: the player, a provider, the system or an operator.
	Actor string
	// Detail of the change; what it has depends on What.
	Detail Detail
}

// What has happened to an order: the kind of the fact that it was told, or one of
// these.
type What string

// What happens beside facts.
const (
	WhatCreated         What = "created"
	WhatPaid            What = What(FactPaid)
	WhatReversed        What = What(FactReversed)
	WhatDelivered       What = "delivered"
	WhatRefused         What = "refused"
	WhatRefundRequested What = "refund_requested"
	WhatRefundFailed    What = "refund_failed"
)

// Actors beside operators and providers.
const (
	ActorPlayer = "player"
	ActorSystem = "system"
)

// Detail is what more there is to say about a change.
type Detail struct {
	// Event that told it.
	Event string `json:"event,omitempty"`
	// Key and Amount of a reversal, or of a refund that was asked for, in all.
	Key    string `json:"key,omitempty"`
	Amount int64  `json:"amount,omitempty"`
	// Given with the change; below zero what was taken back. Owed is how much of the
	// coins the player no longer had.
	Given Goods `json:"given,omitzero"`
	Owed  int64 `json:"owed,omitempty"`
	// Code and Reason of what was refused, or asked for.
	Code   fault.Code `json:"code,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

const (
	// DefaultTimeToPay is how long an order is open.
	DefaultTimeToPay = 24 * time.Hour
	// overlap of what is read of a provider's events with what was read before.
	overlap = time.Hour
	// remembered is how long providers remember their events, and how long an event
	// waits for its order.
	remembered = 30 * 24 * time.Hour
	// batch is how many rows a sweep takes at once.
	batch = 100
)

// Service is the domain's door. Make one with New.
type Service struct {
	store     Store
	economy   *economy.Service
	versions  economy.Store
	now       func() time.Time
	random    io.Reader
	tills     map[ProviderName]Till
	counters  map[ProviderName]Counter
	timeToPay time.Duration
	observe   func(provider ProviderName, outcome Outcome, code fault.Code)
}

// Option is a part of a service that is not always there.
type Option func(*Service)

// WithTill has a provider asked for money.
func WithTill(name ProviderName, t Till) Option { return func(s *Service) { s.tills[name] = t } }

// WithCounter has a provider's receipts taken.
func WithCounter(name ProviderName, c Counter) Option {
	return func(s *Service) { s.counters[name] = c }
}

// WithTimeToPay says how long an order is open; 0 for the default.
func WithTimeToPay(d time.Duration) Option {
	return func(s *Service) { s.timeToPay = cmp.Or(d, DefaultTimeToPay) }
}

// WithObserver is told of every event that was taken in, behind its transaction.
func WithObserver(f func(provider ProviderName, outcome Outcome, code fault.Code)) Option {
	return func(s *Service) { s.observe = f }
}

// New returns a service. versions has those of the economy; random is where
// identifiers come from.
func New(store Store, e *economy.Service, versions economy.Store, now func() time.Time, random io.Reader, options ...Option) *Service {
	s := &Service{
		store: store, economy: e, versions: versions, now: now, random: random, timeToPay: DefaultTimeToPay,
		tills: make(map[ProviderName]Till), counters: make(map[ProviderName]Counter),
		observe: func(ProviderName, Outcome, fault.Code) {},
	}
	for _, o := range options {
		o(s)
	}
	return s
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Offer is a product as a player can buy it now.
type Offer struct {
	economy.Product
	// Left is how often the player can still buy it, if it has a limit.
	Left int
}

// Goods of the product.
func goods(p *economy.Product) Goods {
	return Goods{Coins: p.Grants.Coins, Boosters: p.Grants.Boosters, VIPDays: p.Grants.VIPDays}
}

// Offers are what the player can buy now, in the catalogue's order. What has reached
// its limit stays among them, with nothing left.
func (s *Service) Offers(ctx context.Context, playerID string) ([]Offer, error) {
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	bought, err := s.store.Bought(ctx, playerID)
	if err != nil {
		return nil, err
	}
	now, offers := s.moment(), []Offer{}
	for _, p := range d.Catalogue {
		if p.OnSale(now) {
			offers = append(offers, Offer{Product: p, Left: max(0, p.Limit-bought[p.SKU])})
		}
	}
	return offers, nil
}

// Providers says of each provider whether it can be bought from.
func (s *Service) Providers() map[ProviderName]bool {
	on := make(map[ProviderName]bool)
	for _, name := range []ProviderName{Stripe, Apple, Google} {
		on[name] = s.tills[name] != nil || s.counters[name] != nil
	}
	return on
}

// Wish is what a player would like to buy.
type Wish struct {
	SKU      string
	Provider ProviderName
	Currency string
	// How it is to be paid. Title and Email are filled in.
	How Checkout
}

func disabled(name ProviderName) error {
	return &fault.Error{Code: fault.ProviderDisabled, Field: "provider", Message: fmt.Sprintf("This server does not sell through %s.", name)}
}

// Begin makes an order and asks its provider for the money. key makes a request that
// is sent twice one order: it is begun again if it was not, and what the client needs
// comes again as long as the order is open.
//
// Codes: ProviderDisabled, CodeNotForSale, CodeLimit, IdempotencyConflict, NotFound,
// Unavailable (the provider; the order is kept, and the same request goes on with it).
func (s *Service) Begin(ctx context.Context, playerID, key string, w Wish) (o *Order, client map[string]string, replayed bool, err error) {
	till := s.tills[w.Provider]
	if till == nil {
		return nil, nil, false, disabled(w.Provider)
	}
	version, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	err = s.store.Trade(ctx, func(tx Tx) error {
		o, replayed, err = s.order(tx, playerID, key, w, version, d, till.Live())
		return err
	})
	if err != nil {
		return nil, nil, false, err
	}
	if !o.Open() || !s.now().Before(o.ExpiresAt) {
		return o, nil, replayed, nil
	}
	how := w.How
	title, err := s.Title(ctx, o)
	if err != nil {
		return nil, nil, false, err
	}
	how.Title = inLanguage(title, how.Language)
	if how.Email, err = s.store.Email(ctx, playerID); err != nil {
		return nil, nil, false, err
	}
	begun, err := till.Begin(ctx, o, how)
	if err != nil {
		return nil, nil, false, err
	}
	// The provider may have told of the payment by now.
	err = s.store.Trade(ctx, func(tx Tx) error {
		if o, err = tx.Order(o.ID); err != nil {
			return err
		}
		return s.apply(tx, o, Fact{Kind: FactPending, Reference: begun.Reference, At: s.moment()}, string(o.Provider), Detail{})
	})
	return o, begun.Client, replayed, err
}

// order finds the order that a key stands for, or makes it.
func (s *Service) order(tx Tx, playerID, key string, w Wish, v *economy.Version, d *economy.Document, live bool) (o *Order, replayed bool, err error) {
	if err := tx.HoldPlayer(playerID); err != nil {
		return nil, false, err
	}
	o, err = tx.OrderByKey(playerID, key)
	switch {
	case err == nil && (o.SKU != w.SKU || o.Provider != w.Provider || o.Price.Currency != w.Currency || o.Sheet != w.How.Sheet):
		return nil, false, fault.New(fault.IdempotencyConflict, "This key came with another order before.")
	case err == nil:
		return o, true, nil
	case fault.CodeOf(err) != fault.NotFound:
		return nil, false, err
	}
	now, p := s.moment(), d.Product(w.SKU)
	if p == nil || !p.OnSale(now) {
		return nil, false, &fault.Error{Code: CodeNotForSale, Field: "sku", Message: "This is not sold, or not now."}
	}
	price, ok := p.Prices[w.Currency]
	if !ok {
		return nil, false, &fault.Error{Code: CodeNotForSale, Field: "currency", Message: "This is not sold in that currency."}
	}
	if p.Limit > 0 {
		bought, err := tx.Bought(playerID)
		if err != nil {
			return nil, false, err
		}
		if bought[p.SKU] >= p.Limit {
			return nil, false, &fault.Error{Code: CodeLimit, Field: "sku", Message: "You cannot buy this once more."}
		}
	}
	o = &Order{
		PlayerID: playerID, Key: key, SKU: p.SKU, Economy: v.Number, Goods: goods(p), Price: Money{price, w.Currency},
		Provider: w.Provider, Sheet: w.How.Sheet, Renews: p.Renews, Live: live,
		Status: Created, CreatedAt: now, ExpiresAt: now.Add(s.timeToPay),
	}
	if _, err := s.add(tx, o, ActorPlayer); err != nil {
		return nil, false, err
	}
	return o, false, nil
}

// add gives a new order its identifier and keeps it. It says false if another order
// has its transaction.
func (s *Service) add(tx Tx, o *Order, actor string) (bool, error) {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return false, fmt.Errorf("shop: new order's id: %w", err)
	}
	o.ID = id.String()
	added, err := tx.Add(o)
	if err != nil || !added {
		return false, err
	}
	return true, tx.Note(o.ID, Change{At: s.moment(), What: WhatCreated, Status: o.Status, Actor: actor})
}

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

// Redeem takes a receipt of something that a player has bought in a store. Whoever
// presents it, and however often, it is given once, to the player who bought it; where
// the store does not know who that was, to the first who presents it.
//
// Codes: ProviderDisabled, CodeReceipt, CodeUnpaid, CodeForeign, CodeNotForSale (a
// product that no catalogue has), Unavailable.
func (s *Service) Redeem(ctx context.Context, playerID string, provider ProviderName, shown string) (*Order, error) {
	counter := s.counters[provider]
	if counter == nil {
		return nil, disabled(provider)
	}
	p, err := counter.Verify(ctx, shown)
	if err != nil {
		return nil, err
	}
	if p.Live != counter.Live() || p.Transaction == "" {
		return nil, fault.New(CodeReceipt, "This receipt is not one of this shop's.")
	}
	o, err := s.redeem(ctx, playerID, provider, &p)
	if err != nil {
		return nil, s.refuse(ctx, playerID, provider, &p, err)
	}
	if err := s.deliver(ctx, counter, o); err != nil {
		slog.WarnContext(ctx, "shop: the store was not told that a purchase was given; it will be", "order", o.ID, "error", err)
	}
	return o, nil
}

func (s *Service) redeem(ctx context.Context, playerID string, provider ProviderName, p *Purchase) (*Order, error) {
	if p.PlayerID != "" && p.PlayerID != playerID {
		return nil, errForeign
	}
	what, err := s.bought(ctx, provider, p)
	if err != nil {
		return nil, err
	}
	var o *Order
	var news []Received
	err = s.store.Trade(ctx, func(tx Tx) error {
		if o, err = s.redeemed(tx, playerID, provider, p, what); err != nil {
			return err
		}
		if err := s.apply(tx, o, paid(p, o), ActorPlayer, Detail{}); err != nil {
			return err
		}
		news, err = s.waited(tx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.report(ctx, news)
	return s.store.Order(ctx, o.ID)
}

var errForeign = fault.New(CodeForeign, "This purchase belongs to another player.")

// refuse keeps what was paid and is given nothing for, where an operator sees it. It
// returns the reason.
func (s *Service) refuse(ctx context.Context, playerID string, provider ProviderName, p *Purchase, reason error) error {
	code := fault.CodeOf(reason)
	if code != CodeForeign && code != CodeMismatch && code != CodeNotForSale {
		return reason
	}
	r := Received{
		Event: Event{
			Provider: provider, ID: "receipt:" + p.Transaction + ":" + playerID, Kind: "receipt", At: p.At, Transaction: p.Transaction, Renewal: p,
		},
		ReceivedAt: s.moment(), Outcome: Refused, Code: code,
	}
	fresh := false
	err := s.store.Trade(ctx, func(tx Tx) error {
		known, err := tx.Enter(&r)
		if err != nil || known != nil {
			return err
		}
		fresh = true
		return tx.Conclude(&r)
	})
	if err != nil {
		return errors.Join(reason, err)
	}
	if fresh {
		s.report(ctx, []Received{r})
	}
	return reason
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

// redeemed finds the order of a payment that was presented, or makes it.
func (s *Service) redeemed(tx Tx, playerID string, provider ProviderName, p *Purchase, what *product) (*Order, error) {
	id, err := tx.Find(provider, "", p.Transaction)
	if fault.CodeOf(err) == fault.NotFound {
		if p.Subscription != "" {
			first, err := tx.FirstOf(provider, p.Subscription)
			switch {
			case err == nil && first.PlayerID != playerID:
				return nil, errForeign
			case err != nil && fault.CodeOf(err) != fault.NotFound:
				return nil, err
			}
		}
		if what == nil {
			return nil, fault.New(CodeNotForSale, "This is not sold here.")
		}
		o := &Order{PlayerID: playerID, Provider: provider}
		o.describe(what)
		if o, err = s.made(tx, o, p, ActorPlayer); err == nil && o.PlayerID != playerID {
			return nil, errForeign
		}
		return o, err
	}
	if err != nil {
		return nil, err
	}
	o, err := tx.Order(id)
	if err == nil && o.PlayerID != playerID {
		return nil, errForeign
	}
	return o, err
}

// deliver tells a store that the goods were given, unless it knows.
func (s *Service) deliver(ctx context.Context, counter Counter, o *Order) error {
	if !o.DeliveredAt.IsZero() || o.Status != Granted && o.Status != PartlyReversed {
		return nil
	}
	if err := counter.Delivered(ctx, o); err != nil {
		return fmt.Errorf("shop: order %s: %w", o.ID, err)
	}
	return s.store.Trade(ctx, func(tx Tx) error {
		kept, err := tx.Order(o.ID)
		if err != nil || !kept.DeliveredAt.IsZero() {
			return err
		}
		kept.DeliveredAt = s.moment()
		kept.Version++
		*o = *kept
		return tx.Keep(kept, Change{At: kept.DeliveredAt, What: WhatDelivered, Status: kept.Status, Actor: ActorSystem})
	})
}

// Orders lists at most limit of a player's, newest first, older than the one with the
// id given, if any.
func (s *Service) Orders(ctx context.Context, playerID, before string, limit int) ([]*Order, error) {
	return s.store.Orders(ctx, playerID, before, limit)
}

// Receipt is one order with its history. Codes: NotFound, also for another player's.
func (s *Service) Receipt(ctx context.Context, playerID, orderID string) (*Order, []Change, error) {
	o, err := s.store.Order(ctx, orderID)
	if err != nil {
		return nil, nil, err
	}
	if o.PlayerID != playerID {
		return nil, nil, fault.New(fault.NotFound, "There is no such order.")
	}
	history, err := s.store.OrderHistory(ctx, orderID)
	return o, history, err
}

// Title is what an order's product was called when it was bought.
func (s *Service) Title(ctx context.Context, o *Order) (economy.Title, error) {
	title := economy.Title{ES: o.SKU, CA: o.SKU, EN: o.SKU}
	d, err := s.economy.At(o.Economy, func(number int) (*economy.Version, error) { return s.versions.Version(ctx, number) })
	if err != nil {
		return title, err
	}
	if p := d.Product(o.SKU); p != nil {
		title = p.Name()
	}
	return title, nil
}

func inLanguage(t economy.Title, language string) string {
	switch language {
	case "ca":
		return t.CA
	case "en":
		return t.EN
	default:
		return t.ES
	}
}
