// Package shop sells coins, boosters and VIP passes for money, through whoever
// takes the money. An order is a state machine over facts that its provider tells,
// in any order and any number of times: what it has given its player follows from
// the facts alone.
package shop

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Status of an order.
type Status string

// The statuses. An order leaves created, pending, failed, cancelled and expired
// when it is paid, however late; paid is passed through with the grant.
const (
	// Created: kept, and its provider not asked yet.
	Created Status = "created"
	// Pending: the provider waits for the money.
	Pending Status = "pending"
	// Paid: the money is there, and nothing was given for it: an operator has to look.
	Paid Status = "paid"
	// Granted: all of it was given.
	Granted Status = "granted"
	// PartlyReversed: some of the money was taken back, and as much of the goods.
	PartlyReversed Status = "partly_reversed"
	// Reversed: all of the money was taken back.
	Reversed Status = "reversed"
	// Failed: the provider could not take the money.
	Failed Status = "failed"
	// Cancelled: the player thought better of it.
	Cancelled Status = "cancelled"
	// Expired: the time to pay is over.
	Expired Status = "expired"
)

// Goods are what an order gives.
type Goods struct {
	Coins    int64 `json:"coins,omitempty"`
	Boosters int   `json:"boosters,omitempty"`
	VIPDays  int   `json:"vipDays,omitempty"`
}

// Minus is what g has more than h.
func (g Goods) Minus(h Goods) Goods {
	return Goods{g.Coins - h.Coins, g.Boosters - h.Boosters, g.VIPDays - h.VIPDays}
}

// ProviderName names who takes the money.
type ProviderName string

// The providers.
const (
	Stripe ProviderName = "stripe"
	Apple  ProviderName = "apple"
	Google ProviderName = "google"
)

// pricesItself says whether the provider is a store, whose prices are its own.
func (p ProviderName) pricesItself() bool { return p != Stripe }

// Money is an amount in a currency's smallest unit.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"` // ISO 4217, upper case
}

// All is the amount of a reversal of the whole, whatever it was.
const All = math.MaxInt64

// Reversal is money that the provider has taken back, or could have.
type Reversal struct {
	// Amount in the order's currency; what exceeds the order's does not count.
	Amount int64 `json:"amount"`
	// AsOf is when the provider said so: an older word does not replace a newer.
	AsOf time.Time `json:"asOf"`
}

// Order is one purchase.
type Order struct {
	ID       string // UUID, version 7
	PlayerID string
	// Key makes a request that is sent twice one order; empty for an order that was
	// made of a purchase.
	Key string
	SKU string
	// Economy is the version whose catalogue had the price and the goods.
	Economy int
	Goods   Goods
	// Price is what is to be paid, or was if the provider sets prices.
	Price    Money
	Provider ProviderName
	// Sheet says how it is paid; see Checkout.
	Sheet bool
	// Renews is how often it is paid again: month or year, empty for once. Each
	// payment is an order of its own, which says nothing of renewing.
	Renews string
	// Live says whether it is about money; false for a provider's test mode.
	Live   bool
	Status Status
	// Reference is what the provider calls what it was asked for, such as a
	// PaymentIntent, or by what it is told that the goods were given; Transaction what it calls the payment, Subscription the series
	// of payments that it belongs to. Empty until known, or if there is none. A
	// transaction is one order's.
	Reference, Transaction, Subscription string
	CreatedAt, ExpiresAt                 time.Time
	// PaidAt is zero until it is paid.
	PaidAt time.Time
	// Reversals by what the provider calls them.
	Reversals map[string]Reversal
	// Given is what the player has been given so far, less what was taken back. What
	// had been used up could not be.
	Given Goods
	// DeliveredAt is when the provider was told that the goods were given, for those
	// that have to be.
	DeliveredAt time.Time
	// Version counts the changes.
	Version int
}

// FactKind says what a provider tells of an order.
type FactKind string

// The kinds of facts.
const (
	// FactPending: it waits for the money.
	FactPending FactKind = "pending"
	// FactPaid: it has the money.
	FactPaid FactKind = "paid"
	// FactFailed: it could not take the money.
	FactFailed FactKind = "failed"
	// FactCancelled: the player, or we, thought better of it.
	FactCancelled FactKind = "cancelled"
	// FactExpired: the time to pay is over.
	FactExpired FactKind = "expired"
	// FactReversed: so much has been taken back under this key, in all; 0 when it was
	// given back again, as after a dispute that was won.
	FactReversed FactKind = "reversed"
)

// Fact is what a provider tells of an order.
type Fact struct {
	Kind FactKind `json:"kind,omitempty"`
	// Reference is what the provider calls what it was asked for, with FactPending.
	Reference string `json:"reference,omitempty"`
	// Transaction, Money, Live and PlayerID are what was paid and who paid, with
	// FactPaid. They have to be the order's; a PlayerID that is empty is not known.
	Transaction string `json:"transaction,omitempty"`
	Money       Money  `json:"money,omitzero"`
	Live        bool   `json:"live,omitempty"`
	PlayerID    string `json:"playerId,omitempty"`
	// Subscription is the series that the payment begins, if it does.
	Subscription string `json:"subscription,omitempty"`
	// Key names what reverses, such as a dispute; Amount is how much in all, or All.
	Key    string `json:"key,omitempty"`
	Amount int64  `json:"amount,omitempty"`
	// At is when the provider says that it was.
	At time.Time `json:"at,omitzero"`
}

// Codes of this domain.
const (
	// CodeMismatch: what was paid is not what was ordered.
	CodeMismatch fault.Code = "payment_mismatch"
	// CodeForeign: the purchase is another player's.
	CodeForeign fault.Code = "purchase_of_another"
	// CodeReceipt: the receipt is not a good one.
	CodeReceipt fault.Code = "invalid_receipt"
	// CodeUnpaid: the provider does not have the money yet.
	CodeUnpaid fault.Code = "not_paid"
	// CodeNotForSale: there is no such product, or not now, or not in that currency.
	CodeNotForSale fault.Code = "not_for_sale"
	// CodeLimit: the player cannot buy it once more.
	CodeLimit fault.Code = "purchase_limit"
	// CodeRefund: this cannot be given back, or not here.
	CodeRefund fault.Code = "not_refundable"
	// CodeUnknownOrder: an event that is about no order that is known yet.
	CodeUnknownOrder fault.Code = "unknown_order"
)

// Apply takes a fact in. The order that results depends on the facts and not on
// their order, except that the same Key with the same At keeps the greater amount of
// two refunds.
//
// Codes: CodeMismatch, CodeForeign. Then nothing has changed.
func (o *Order) Apply(f Fact) error {
	switch f.Kind {
	case FactPaid:
		return o.pay(f)
	case FactReversed:
		known, ok := o.Reversals[f.Key]
		if ok && (f.At.Before(known.AsOf) || f.At.Equal(known.AsOf) && f.Amount <= known.Amount) {
			return nil
		}
		o.Reversals = maps.Clone(o.Reversals)
		if o.Reversals == nil {
			o.Reversals = make(map[string]Reversal)
		}
		o.Reversals[f.Key] = Reversal{Amount: f.Amount, AsOf: f.At}
	case FactPending:
		if o.Status == Created {
			o.Status = Pending
		}
		if f.Reference != "" {
			o.Reference = f.Reference
		}
	case FactFailed:
		o.end(Failed)
	case FactCancelled:
		o.end(Cancelled)
	case FactExpired:
		o.end(Expired)
	}
	o.restate()
	return nil
}

func (o *Order) pay(f Fact) error {
	switch {
	case f.PlayerID != "" && f.PlayerID != o.PlayerID:
		return fault.New(CodeForeign, "This purchase belongs to another player.")
	case o.Transaction != "" && f.Transaction != o.Transaction:
		return fault.New(CodeMismatch, "This order was paid by another payment.")
	case f.Money != o.Price:
		return fault.New(CodeMismatch, "What was paid is not the order's price.")
	case f.Live != o.Live:
		return fault.New(CodeMismatch, "Test and live payments do not mix.")
	}
	o.Transaction = f.Transaction
	if f.Subscription != "" {
		o.Subscription = f.Subscription
	}
	if o.PaidAt.IsZero() || f.At.Before(o.PaidAt) {
		o.PaidAt = f.At
	}
	o.restate()
	return nil
}

// end closes an order that was not paid. The first end stays.
func (o *Order) end(s Status) {
	if o.Status == Created || o.Status == Pending {
		o.Status = s
	}
}

// restate works out the status of an order that is paid.
func (o *Order) restate() {
	if o.PaidAt.IsZero() {
		return
	}
	switch back, whole := o.back(); {
	case back == 0:
		o.Status = Granted
	case back < whole:
		o.Status = PartlyReversed
	default:
		o.Status = Reversed
	}
}

// TakenBack is how much of the price is not there any more.
func (o *Order) TakenBack() int64 {
	back := int64(0)
	for _, r := range o.Reversals {
		back = min(back+min(r.Amount, o.Price.Amount), o.Price.Amount)
	}
	return back
}

// back is which part of the whole is not there any more. What cost nothing, as stores
// sometimes have it, comes back whole.
func (o *Order) back() (part, whole int64) {
	if o.Price.Amount > 0 {
		return o.TakenBack(), o.Price.Amount
	}
	for _, r := range o.Reversals {
		if r.Amount > 0 {
			part = 1
		}
	}
	return part, 1
}

// Due is what the player should have been given by the facts: all of it for the
// whole price; of what is taken back, the same share, in whole coins, boosters and
// days, in the player's favour.
func (o *Order) Due() Goods {
	if o.PaidAt.IsZero() {
		return Goods{}
	}
	back, whole := o.back()
	return Goods{
		Coins:    o.Goods.Coins - share(o.Goods.Coins, back, whole),
		Boosters: o.Goods.Boosters - int(share(int64(o.Goods.Boosters), back, whole)),
		VIPDays:  o.Goods.VIPDays - int(share(int64(o.Goods.VIPDays), back, whole)),
	}
}

// share is the whole part of amount * part / whole, for part <= whole. Coins times
// cents of a large order would not fit into 64 bits.
func share(amount, part, whole int64) int64 {
	if part <= 0 || whole <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(amount), uint64(part))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}

// Open says whether the order still waits for its money.
func (o *Order) Open() bool { return o.Status == Created || o.Status == Pending }

// ReversalKeys lists the keys of the reversals in order.
func (o *Order) ReversalKeys() []string {
	return slices.SortedFunc(maps.Keys(o.Reversals), cmp.Compare)
}

// Disputed says whether what reverses is the payer's bank and not the operator or a
// store, by what the provider calls it.
func Disputed(key string) bool { return strings.HasPrefix(key, "dispute:") }
