// Package appstore reads what Apple's store signs: the transaction that an app shows
// as its receipt (StoreKit 2), and the notifications that the store sends of its own
// accord (App Store Server Notifications, version 2). Both are verified against a
// root certificate that the operator gives; Apple is asked nothing.
package appstore

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"log/slog"
	"math/bits"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	// MaxReceipt is how long a receipt may be. Apple's have about five thousand
	// characters, most of them certificates.
	MaxReceipt = 64 << 10

	maxID = 255

	// ended is the key of the one reversal that a transaction of Apple's can have.
	ended = "revocation"
)

// Options are what a Counter is put together from.
type Options struct {
	// Roots are where certificates have to lead; see ReadRoots.
	Roots *x509.CertPool
	// Bundle is the app's identifier.
	Bundle string
	// Sandbox takes what was bought in the store's sandbox, and nothing else; otherwise
	// none of that is taken.
	Sandbox bool
	Now     func() time.Time
}

// Counter is Apple's store, as the shop knows it. Make one with New.
type Counter struct {
	roots       *x509.CertPool
	bundle      string
	environment string
	now         func() time.Time
	parser      *jwt.Parser
}

var _ shop.Counter = (*Counter)(nil)

// New returns a counter.
func New(o Options) *Counter {
	environment := "Production"
	if o.Sandbox {
		environment = "Sandbox"
	}
	return &Counter{
		roots: o.Roots, bundle: o.Bundle, environment: environment, now: o.Now,
		parser: jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
	}
}

// Live implements shop.Counter.
func (c *Counter) Live() bool { return c.environment == "Production" }

// Delivered implements shop.Counter. Apple is not told: the app finishes its
// transaction.
func (c *Counter) Delivered(context.Context, *shop.Order) error { return nil }

// transaction is what the store signs of a payment; times are in milliseconds.
type transaction struct {
	noClaims
	TransactionID         string `json:"transactionId"`
	OriginalTransactionID string `json:"originalTransactionId"`
	BundleID              string `json:"bundleId"`
	ProductID             string `json:"productId"`
	Environment           string `json:"environment"`
	Type                  string `json:"type"`
	Ownership             string `json:"inAppOwnershipType"`
	AppAccountToken       string `json:"appAccountToken"`
	Quantity              int    `json:"quantity"`
	// Price in thousandths of the currency.
	Price        int64  `json:"price"`
	Currency     string `json:"currency"`
	PurchaseDate int64  `json:"purchaseDate"`
	SignedDate   int64  `json:"signedDate"`
	// RevocationDate is when it was taken back, 0 if it was not. RevocationPercentage is
	// how much of it, in thousandths of a percent, if RevocationType says that it was a
	// part.
	RevocationDate       int64  `json:"revocationDate"`
	RevocationType       string `json:"revocationType"`
	RevocationPercentage int64  `json:"revocationPercentage"`
}

func (t *transaction) signedAt() time.Time { return time.UnixMilli(t.SignedDate).UTC() }

func (t *transaction) price() shop.Money {
	if t.Currency == "" {
		return shop.Money{}
	}
	return shop.FromDecimals(t.Price, 3, t.Currency)
}

// takenBack is how much of the price is not there any more.
func (t *transaction) takenBack() int64 {
	const hundred = 100_000
	price := t.price().Amount
	if t.RevocationType != "REFUND_PRORATED" || t.RevocationPercentage <= 0 || t.RevocationPercentage >= hundred || price <= 0 {
		return shop.All
	}
	high, low := bits.Mul64(uint64(price), uint64(t.RevocationPercentage))
	part, _ := bits.Div64(high, low, hundred)
	return int64(part)
}

// Verify implements shop.Counter. The receipt is the signed transaction. Codes:
// CodeReceipt.
func (c *Counter) Verify(_ context.Context, receipt string) (shop.Purchase, error) {
	if len(receipt) > MaxReceipt {
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "The receipt is too long to be one.")
	}
	var t transaction
	if err := c.read(receipt, &t); err != nil {
		return shop.Purchase{}, fault.Wrap(shop.CodeReceipt, "This was not signed by Apple.", err)
	}
	if err := c.ours(&t); err != nil {
		return shop.Purchase{}, err
	}
	return c.purchase(&t)
}

// ours says whether a transaction is one of this app's, in the store that counts here.
func (c *Counter) ours(t *transaction) error {
	switch {
	case t.BundleID != c.bundle:
		return fault.New(shop.CodeReceipt, "This was bought in another app.")
	case t.Environment != c.environment:
		return fault.New(shop.CodeReceipt, "Test and live purchases do not mix.")
	case t.TransactionID == "" || len(t.TransactionID) > maxID || t.ProductID == "" || len(t.ProductID) > maxID ||
		len(t.OriginalTransactionID) > maxID || t.PurchaseDate <= 0 || t.Price < 0:
		return fault.New(shop.CodeReceipt, "This is signed, and no purchase.")
	}
	return nil
}

// purchase is a transaction that is something to give for.
func (c *Counter) purchase(t *transaction) (shop.Purchase, error) {
	switch {
	case t.Ownership != "PURCHASED":
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "What a family shares was not bought here.")
	case t.RevocationDate != 0:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "This purchase has been taken back.")
	case t.Quantity != 1:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "Several at once are not sold.")
	}
	p := shop.Purchase{
		Transaction: t.TransactionID, Product: t.ProductID, Price: t.price(), Live: c.Live(), At: time.UnixMilli(t.PurchaseDate).UTC(),
	}
	if t.Type == "Auto-Renewable Subscription" {
		p.Subscription = t.OriginalTransactionID
	}
	if t.AppAccountToken != "" {
		player, err := uuid.Parse(t.AppAccountToken)
		if err != nil {
			return shop.Purchase{}, fault.New(shop.CodeReceipt, "The purchase's account is none.")
		}
		p.PlayerID = player.String() // as players have it, in lower case
	}
	return p, nil
}

// notification is what the store tells.
type notification struct {
	noClaims
	Type    string `json:"notificationType"`
	Subtype string `json:"subtype"`
	UUID    string `json:"notificationUUID"`
	Version string `json:"version"`
	Data    *struct {
		BundleID    string `json:"bundleId"`
		Environment string `json:"environment"`
		Transaction string `json:"signedTransactionInfo"`
	} `json:"data"`
	SignedDate int64 `json:"signedDate"`
}

func (n *notification) signedAt() time.Time { return time.UnixMilli(n.SignedDate).UTC() }

// Notification reads what the store sends: a JSON object with a signedPayload, whose
// own transaction is signed too.
//
// Codes: InvalidRequest, shop.CodeWebhookSignature, shop.CodeWebhookMode (another app's, or of the
// store that does not count here).
func (c *Counter) Notification(ctx context.Context, body []byte) (shop.Event, error) {
	var sent struct {
		SignedPayload string `json:"signedPayload"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.SignedPayload == "" {
		return shop.Event{}, fault.Wrap(fault.InvalidRequest, "This is no notification of Apple's.", err)
	}
	var n notification
	if err := c.read(sent.SignedPayload, &n); err != nil {
		return shop.Event{}, fault.Wrap(shop.CodeWebhookSignature, "This was not signed by Apple.", err)
	}
	if n.Version != "2.0" || n.Type == "" || len(n.Type) > maxID || n.UUID == "" || len(n.UUID) > maxID {
		return shop.Event{}, fault.New(fault.InvalidRequest, "This is signed, and no notification.")
	}
	event := shop.Event{Provider: shop.Apple, ID: n.UUID, Kind: n.kind(), At: n.signedAt()}
	if n.Data == nil {
		return event, nil // of no purchase, such as a summary
	}
	if n.Data.BundleID != c.bundle || n.Data.Environment != c.environment {
		return shop.Event{}, fault.New(shop.CodeWebhookMode, "The notification is another app's, or of a store that does not count here.")
	}
	if n.Data.Transaction == "" {
		return event, nil
	}
	var t transaction
	if err := c.read(n.Data.Transaction, &t); err != nil {
		return shop.Event{}, fault.Wrap(shop.CodeWebhookSignature, "The notification's transaction was not signed by Apple.", err)
	}
	if c.ours(&t) != nil {
		return shop.Event{}, fault.New(shop.CodeWebhookMode, "The notification is about a transaction that does not count here.")
	}
	event.Transaction = t.TransactionID
	c.translate(ctx, &n, &t, &event)
	return event, nil
}

func (n *notification) kind() string {
	if n.Subtype == "" || len(n.Subtype) > maxID {
		return n.Type
	}
	return n.Type + "." + n.Subtype
}

// translate says what a notification is to an order.
func (c *Counter) translate(ctx context.Context, n *notification, t *transaction, event *shop.Event) {
	switch n.Type {
	case "ONE_TIME_CHARGE", "SUBSCRIBED", "DID_RENEW", "OFFER_REDEEMED":
		c.sold(ctx, t, event)
	case "DID_CHANGE_RENEWAL_PREF":
		if n.Subtype == "UPGRADE" { // a dearer pass, which begins at once
			c.sold(ctx, t, event)
		}
	case "REFUND", "REVOKE":
		if t.Ownership != "PURCHASED" {
			return // what a family shares has given nothing
		}
		// The transaction's own time: the store may sign anew when it sends again.
		at := n.signedAt()
		if t.RevocationDate != 0 {
			at = time.UnixMilli(t.RevocationDate).UTC()
		}
		event.Fact = shop.Fact{Kind: shop.FactReversed, Key: ended, Amount: t.takenBack(), At: at}
	case "REFUND_REVERSED":
		event.Fact = shop.Fact{Kind: shop.FactReversed, Key: ended, Amount: 0, At: n.signedAt()}
	}
	// The rest, such as EXPIRED or DID_CHANGE_RENEWAL_STATUS, changes nothing that was
	// paid. TEST is an operator's.
}

// sold makes an event one of a payment, unless there is nothing to give for it.
func (c *Counter) sold(ctx context.Context, t *transaction, event *shop.Event) {
	p, err := c.purchase(t)
	if err != nil {
		// Paid or not, nothing is given for it, here or to who shows it.
		slog.WarnContext(ctx, "apple: a purchase that nothing is given for", "transaction", t.TransactionID, "kind", event.Kind, "error", err)
		return
	}
	event.Renewal = &p
}
