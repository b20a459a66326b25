package shop

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
)

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
// halt.CodeStopped, Unavailable (the provider; the order is kept, and the same request goes on with it).
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
	// Behind the key: an order that was begun goes on.
	now := s.moment()
	halts, err := tx.Halts()
	if err == nil {
		err = halts.Of(halt.Shop).Refusal(now)
	}
	if err != nil {
		return nil, false, err
	}
	p := d.Product(w.SKU)
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
