package shop

import (
	"context"
	"time"
)

// Till is a provider that is asked for the money: the player then pays it, and it
// tells us by events.
type Till interface {
	// Begin asks for an order's money, and returns what the client needs to pay. The
	// same order asked for again is the same. Codes: Unavailable.
	Begin(ctx context.Context, o *Order, how Checkout) (Begun, error)
	// Refund gives money back: amount in all so far, in the order's currency. That it
	// has happened is told by an event. Codes: Unavailable.
	Refund(ctx context.Context, o *Order, amount int64, reason string) error
	// Since reads the events that the provider has for us since a time, oldest first,
	// for those that were missed.
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
	// Verify reads a receipt that a client shows. Codes: CodeReceipt, Unavailable.
	Verify(ctx context.Context, receipt string) (Purchase, error)
	// Delivered tells the provider that the goods were given, without which some give
	// the money back. It is repeated until it succeeds.
	Delivered(ctx context.Context, o *Order) error
}

// Purchase is what a verified receipt says.
type Purchase struct {
	// Transaction is what the provider calls this payment, Subscription what it calls
	// the series that it belongs to, if it does.
	Transaction, Subscription string
	// Product is the provider's own identifier.
	Product string
	// PlayerID is who paid, as the client said when it bought; empty if it did not.
	PlayerID string
	// Price is zero if the provider does not say it.
	Price Money
	Live  bool
	At    time.Time
}

// Event is what a provider tells of its own accord, verified.
type Event struct {
	Provider ProviderName
	// ID names the event: told again, it is the same.
	ID string
	// Kind is the provider's word, for the log.
	Kind string
	At   time.Time
	// What it is about: the order, or what the provider calls it, whichever is known.
	OrderID, Reference, Transaction string
	// Fact is what happened; its Kind is empty if it is nothing to an order.
	Fact Fact
	// Renewal is a further payment of a subscription, which makes an order of its own.
	Renewal *Purchase
}
