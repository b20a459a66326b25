package shop

import (
	"context"
	"time"
)

// Till is a provider that is asked for the money: the player then pays it, and it
// tells us by events.
type Till interface {
	Source
	// Live says whether it is about money; false for a provider's test mode.
	Live() bool
	// Begin asks for an order's money, and returns what the client needs to pay. The
	// same order asked for again is the same. Codes: Unavailable.
	Begin(ctx context.Context, o *Order, how Checkout) (Begun, error)
	// Refund gives money back: amount in all so far, in the order's currency. That it
	// has happened is told by an event. Codes: Unavailable, CodeRefund.
	Refund(ctx context.Context, o *Order, amount int64, reason string) error
}

// Source is a provider that can be asked for events. A Counter may be one too.
type Source interface {
	// Since reads the events that the provider has for us since a time, oldest first,
	// for those that were missed. It ends with the first error of each.
	Since(ctx context.Context, since time.Time, each func(Event) error) error
}

// Checkout is how a player wants to pay.
type Checkout struct {
	// Sheet asks for what a mobile app's payment sheet needs, in the version of the
	// provider's interface that its library speaks; otherwise a page of the provider's
	// takes the money.
	Sheet        bool
	SheetVersion string
	// Title of the product, for the page and the receipt.
	Title string
	// Email of the player, if one is known.
	Email string
	// ReturnURL is where the page leads back to.
	ReturnURL string
	Language  string
}

// Begun is an order that waits for its money.
type Begun struct {
	// Reference is what the provider calls it.
	Reference string
	// Client has what the client needs, by the provider's names. It may hold secrets
	// that are the player's, and is not kept.
	Client map[string]string
}

// Counter is a provider where players buy first, and show us a receipt.
type Counter interface {
	// Live says whether it is about money; false for a store's sandbox.
	Live() bool
	// Verify reads a receipt that a client shows. Codes: CodeReceipt, CodeUnpaid,
	// Unavailable.
	Verify(ctx context.Context, receipt string) (Purchase, error)
	// Delivered tells the provider that the goods were given, without which some give
	// the money back. It is repeated until it succeeds, and may be when it has. Codes:
	// Unavailable.
	Delivered(ctx context.Context, o *Order) error
}

// Purchase is a payment that came about without an order.
type Purchase struct {
	// Transaction is what the provider calls this payment, Subscription what it calls
	// the series that it belongs to, if it does.
	Transaction  string `json:"transaction"`
	Subscription string `json:"subscription,omitempty"`
	// Reference becomes the order's: what Delivered finds the purchase by. Empty if
	// there is nothing to tell.
	Reference string `json:"reference,omitempty"`
	// Product is the provider's own identifier; empty for that of the subscription's
	// first order.
	Product string `json:"product,omitempty"`
	// PlayerID is who paid, as the client said when it bought; empty if it did not.
	PlayerID string `json:"playerId,omitempty"`
	// Price is zero if the provider does not say it.
	Price Money     `json:"price,omitzero"`
	Live  bool      `json:"live"`
	At    time.Time `json:"at"`
}

// Event is what a provider tells of its own accord, verified.
type Event struct {
	Provider ProviderName `json:"provider"`
	// ID names the event: told again, it is the same.
	ID string `json:"id"`
	// Kind is the provider's word, for the log.
	Kind string    `json:"kind"`
	At   time.Time `json:"at"`
	// What it is about: the order, or what the provider calls it. One that is known is
	// enough; the first of them that names an order does.
	OrderID     string `json:"orderId,omitempty"`
	Reference   string `json:"reference,omitempty"`
	Transaction string `json:"transaction,omitempty"`
	// Fact is what happened; its Kind is empty if it is nothing to an order.
	Fact Fact `json:"fact,omitzero"`
	// Renewal is a payment that nobody has shown a receipt of, such as a subscription's
	// further one. It makes an order of its own.
	Renewal *Purchase `json:"renewal,omitempty"`
}
