// Package googleplay reads what Google Play has sold. A purchase is believed when
// Google says so over its own interface (androidpublisher, version 3): neither what an
// app shows nor what Google's notifications tell is more than a hint to ask.
package googleplay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/oauth2"
	"google.golang.org/api/androidpublisher/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/oidc"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	// MaxReceipt is how long a receipt may be.
	MaxReceipt = 8 << 10

	// timeout bounds one request to Google.
	timeout = 10 * time.Second
	// remembered is how long Google tells what was voided, and asks for no more than.
	remembered = 30*24*time.Hour - time.Hour
	// late is how much later than it was something may be told that was voided.
	late = 24 * time.Hour
	// page is how many voided purchases are asked for at once, which is the most.
	page = 1000

	maxID    = 255
	maxToken = 1000
)

// Options are what a Counter is put together from.
type Options struct {
	// Package is the app's name.
	Package     string
	Credentials serviceaccount.Credentials
	// URL is where Google's interface is; empty for the real one.
	URL string
	// Test takes the purchases of those who test the app, and nothing else; otherwise
	// none of theirs is taken.
	Test bool
	Now  func() time.Time
	// Push says whose notifications are heard; its Audiences are empty for nobody's.
	Push oidc.Provider
	// PushEmail is the address of the service account that sends them.
	PushEmail string
}

// Counter is Google Play, as the shop knows it. Make one with New.
type Counter struct {
	app       string
	test      bool
	purchases *androidpublisher.PurchasesService
	now       func() time.Time
	senders   *oidc.Verifier
	sender    string
}

var (
	_ shop.Counter = (*Counter)(nil)
	_ shop.Source  = (*Counter)(nil)
)

// New returns a counter. It asks Google nothing yet.
func New(o Options) (*Counter, error) {
	plain := &http.Client{
		Timeout: timeout,
		// A request with an access token goes where it was sent and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, plain)
	authorized := o.Credentials.Config(androidpublisher.AndroidpublisherScope).Client(ctx)
	authorized.Timeout, authorized.CheckRedirect = plain.Timeout, plain.CheckRedirect
	options := []option.ClientOption{option.WithHTTPClient(authorized)}
	if o.URL != "" {
		options = append(options, option.WithEndpoint(strings.TrimSuffix(o.URL, "/")+"/"))
	}
	service, err := androidpublisher.NewService(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("googleplay: %w", err)
	}
	o.Push.Name = pushed
	return &Counter{
		app: o.Package, test: o.Test, purchases: service.Purchases, now: o.Now,
		senders: oidc.New(o.Now, o.Push), sender: o.PushEmail,
	}, nil
}

// Live implements shop.Counter.
func (c *Counter) Live() bool { return !c.test }

var (
	goodProduct = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.]{0,149}$`)
	goodToken   = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,999}$`)
)

// Verify implements shop.Counter. The receipt is a JSON object with productId and
// purchaseToken, such as the purchase itself as the app's library has it.
func (c *Counter) Verify(ctx context.Context, receipt string) (shop.Purchase, error) {
	var shown struct {
		ProductID     string `json:"productId"`
		PurchaseToken string `json:"purchaseToken"`
	}
	if len(receipt) > MaxReceipt || json.Unmarshal([]byte(receipt), &shown) != nil ||
		!goodProduct.MatchString(shown.ProductID) || !goodToken.MatchString(shown.PurchaseToken) {
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "A receipt is a JSON object with productId and purchaseToken.")
	}
	p, err := c.product(ctx, shown.ProductID, shown.PurchaseToken)
	if !errors.Is(err, errUnknown) {
		return p, err
	}
	// What it is, product or subscription, the app does not say.
	if p, err = c.subscription(ctx, shown.PurchaseToken, c.now()); err == nil && p.Product != shown.ProductID {
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "This was bought as another product.")
	}
	return p, err
}

// errUnknown is in the chain of an error that says that Google does not know a
// purchase.
var errUnknown = errors.New("googleplay: no such purchase")

// failure is an error of a request, without what was asked for, which has a token.
func failure(what string, err error) error {
	if answer, ok := errors.AsType[*googleapi.Error](err); ok {
		switch answer.Code {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
			return fault.Wrap(shop.CodeReceipt, "Google does not know this purchase.", errUnknown)
		}
		err = fmt.Errorf("googleplay: %s: status %d", what, answer.Code)
	} else if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		err = fmt.Errorf("googleplay: no access token: status %d", refused.Response.StatusCode)
	} else if request, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("googleplay: %s: %w", what, request.Err)
	}
	return fault.Wrap(fault.Unavailable, "Google Play does not answer. Try again.", err)
}

// rightMode refuses tests where it is about money, and money in tests.
func (c *Counter) rightMode(test bool) error {
	if test != c.test {
		return fault.New(shop.CodeReceipt, "Test and live purchases do not mix.")
	}
	return nil
}

// What a product's purchaseState says, and its purchaseType.
const (
	statePurchased = 0
	statePending   = 2
	typeTest       = 0
)

var errPending = fault.New(shop.CodeUnpaid, "This has not been paid yet.")

// product asks for a purchase that is no subscription.
func (c *Counter) product(ctx context.Context, product, token string) (shop.Purchase, error) {
	got, err := c.purchases.Products.Get(c.app, product, token).Context(ctx).Do()
	if err != nil {
		return shop.Purchase{}, failure("product", err)
	}
	switch {
	case got.PurchaseState == statePending:
		return shop.Purchase{}, errPending
	case got.PurchaseState != statePurchased:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "This purchase has been cancelled.")
	case got.ProductId != "" && got.ProductId != product, got.PurchaseToken != "" && got.PurchaseToken != token:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "This was bought as another product.")
	case got.Quantity > 1:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "Several at once are not sold.")
	case len(got.OrderId) > maxID || got.PurchaseTimeMillis <= 0:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "What Google knows of it is no purchase.")
	}
	if err := c.rightMode(got.PurchaseType != nil && *got.PurchaseType == typeTest); err != nil {
		return shop.Purchase{}, err
	}
	p := shop.Purchase{
		// What was bought with a code has no order of Google's.
		Transaction: cmp.Or(got.OrderId, token), Reference: reference(ofProduct, product, token), Product: product,
		Live: c.Live(), At: time.UnixMilli(got.PurchaseTimeMillis).UTC(),
	}
	return p, named(&p, got.ObfuscatedExternalAccountId)
}

// named puts the player into a purchase whose identifier the app gave when it was made.
func named(p *shop.Purchase, account string) error {
	if account == "" {
		return nil
	}
	player, err := uuid.Parse(account)
	if err != nil {
		*p = shop.Purchase{}
		return fault.New(shop.CodeReceipt, "The purchase's account is none.")
	}
	p.PlayerID = player.String() // as players have it, in lower case
	return nil
}

// subscription asks for the last payment of a subscription. A further one is dated now:
// Google says only when the first was.
func (c *Counter) subscription(ctx context.Context, token string, now time.Time) (shop.Purchase, error) {
	got, err := c.purchases.Subscriptionsv2.Get(c.app, token).Context(ctx).Do()
	if err != nil {
		return shop.Purchase{}, failure("subscription", err)
	}
	switch {
	case got.SubscriptionState == "SUBSCRIPTION_STATE_PENDING":
		return shop.Purchase{}, errPending
	case len(got.LineItems) != 1:
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "Several at once are not sold.")
	}
	item := got.LineItems[0]
	if item.LatestSuccessfulOrderId == "" || len(item.LatestSuccessfulOrderId) > maxID || !goodProduct.MatchString(item.ProductId) {
		return shop.Purchase{}, fault.New(shop.CodeReceipt, "Nothing was paid for this.")
	}
	if err := c.rightMode(got.TestPurchase != nil); err != nil {
		return shop.Purchase{}, err
	}
	p := shop.Purchase{
		Transaction: item.LatestSuccessfulOrderId, Subscription: token, Product: item.ProductId, Live: c.Live(), At: now.UTC(),
	}
	if got.AcknowledgementState != acknowledged {
		p.Reference = reference(ofSubscription, item.ProductId, token, p.Transaction)
	}
	if began, err := time.Parse(time.RFC3339Nano, got.StartTime); err == nil && !isRenewal(p.Transaction) {
		p.At = began.UTC()
	}
	if plan := item.AutoRenewingPlan; plan != nil && plan.RecurringPrice != nil && (item.OfferDetails == nil || item.OfferDetails.OfferId == "") {
		// With an offer it may be another price until later.
		p.Price = shop.FromDecimals(plan.RecurringPrice.Units*1_000_000+plan.RecurringPrice.Nanos/1000, 6, plan.RecurringPrice.CurrencyCode)
	}
	account := ""
	if got.ExternalAccountIdentifiers != nil {
		account = got.ExternalAccountIdentifiers.ObfuscatedExternalAccountId
	}
	return p, named(&p, account)
}

const acknowledged = "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"

// isRenewal says whether an order of Google's is a subscription's further one: these
// have the first one's name, with two dots and a number.
func isRenewal(order string) bool { return strings.Contains(order, "..") }

// What an order's reference begins with. Behind it are product and token, by which
// Google is told that the goods were given.
const (
	ofProduct      = "product"
	ofSubscription = "subscription"
)

func reference(kind string, parts ...string) string { return kind + "/" + strings.Join(parts, "/") }

// Delivered implements shop.Counter: a product is consumed, so that it can be bought
// again; a subscription acknowledged.
func (c *Counter) Delivered(ctx context.Context, o *shop.Order) error {
	parts := strings.Split(o.Reference, "/")
	if len(parts) < 3 {
		return nil // there was nothing to tell when it was bought
	}
	product, token := parts[1], parts[2]
	var err error
	if parts[0] == ofSubscription {
		err = c.purchases.Subscriptions.Acknowledge(c.app, product, token, &androidpublisher.SubscriptionPurchasesAcknowledgeRequest{}).Context(ctx).Do()
	} else {
		err = c.purchases.Products.Consume(c.app, product, token).Context(ctx).Do()
	}
	if err == nil {
		return nil
	}
	if answer, ok := errors.AsType[*googleapi.Error](err); ok && answer.Code < http.StatusInternalServerError && c.nothingToTell(ctx, parts[0], product, token) {
		return nil
	}
	if err = failure("delivered", err); errors.Is(err, errUnknown) {
		err = fault.Wrap(fault.Unavailable, "Google Play does not take that it was delivered.", errUnknown)
	}
	return err
}

// nothingToTell says whether Google knows by now that the goods were given, or will not
// give the money back any more, or has.
func (c *Counter) nothingToTell(ctx context.Context, kind, product, token string) bool {
	if kind == ofSubscription {
		got, err := c.purchases.Subscriptionsv2.Get(c.app, token).Context(ctx).Do()
		if err != nil {
			return errors.Is(failure("subscription", err), errUnknown)
		}
		return got.AcknowledgementState == acknowledged || got.SubscriptionState == "SUBSCRIPTION_STATE_EXPIRED"
	}
	got, err := c.purchases.Products.Get(c.app, product, token).Context(ctx).Do()
	if err != nil {
		return errors.Is(failure("product", err), errUnknown)
	}
	return got.ConsumptionState == 1 || got.PurchaseState != statePurchased
}

// Since implements shop.Source, by what was voided: given back, charged back, or taken
// back because nobody had told in three days that the goods were given.
func (c *Counter) Since(ctx context.Context, since time.Time, each func(shop.Event) error) error {
	all, err := c.voided(ctx, since)
	if err != nil {
		return err
	}
	for _, v := range all {
		if err := each(voidedEvent(v)); err != nil {
			return err
		}
	}
	return nil
}

// voided lists what was voided since a time, oldest first.
func (c *Counter) voided(ctx context.Context, since time.Time) ([]*androidpublisher.VoidedPurchase, error) {
	from, oldest := since.Add(-late), c.now().Add(-remembered)
	if from.Before(oldest) {
		from = oldest
	}
	var all []*androidpublisher.VoidedPurchase
	for next := ""; ; {
		// Type 1 has subscriptions too.
		call := c.purchases.Voidedpurchases.List(c.app).Context(ctx).Type(1).StartTime(from.UnixMilli()).MaxResults(page)
		if next != "" {
			call.Token(next)
		}
		got, err := call.Do()
		if err != nil {
			return nil, notReceipt(failure("voided", err))
		}
		for _, v := range got.VoidedPurchases {
			if id := transactionOf(v); id != "" && len(id) <= maxToken && v.VoidedTimeMillis > 0 {
				all = append(all, v)
			} else {
				slog.ErrorContext(ctx, "google: something was voided that names no purchase")
			}
		}
		if got.TokenPagination == nil || got.TokenPagination.NextPageToken == "" {
			break
		}
		next = got.TokenPagination.NextPageToken
	}
	slices.SortStableFunc(all, func(a, b *androidpublisher.VoidedPurchase) int {
		return cmp.Compare(a.VoidedTimeMillis, b.VoidedTimeMillis)
	})
	return all, nil
}

// notReceipt is an error about a request in which there is nobody's receipt.
func notReceipt(err error) error {
	if errors.Is(err, errUnknown) {
		return fault.Wrap(fault.Unavailable, "Google Play does not answer as it should.", err)
	}
	return err
}

// transactionOf is what a voided purchase is called, as product and subscription call
// it.
func transactionOf(v *androidpublisher.VoidedPurchase) string {
	return cmp.Or(v.OrderId, v.PurchaseToken)
}

func voidedEvent(v *androidpublisher.VoidedPurchase) shop.Event {
	at := time.UnixMilli(v.VoidedTimeMillis).UTC()
	return shop.Event{
		Provider: shop.Google, ID: "voided:" + transactionOf(v), Kind: "voided." + reason(v.VoidedReason), At: at, Transaction: transactionOf(v),
		Fact: shop.Fact{Kind: shop.FactReversed, Key: "voided", Amount: shop.All, At: at},
	}
}

// reason is the word for why something was voided.
func reason(number int64) string {
	words := []string{"other", "remorse", "not_received", "defective", "accidental", "fraud", "friendly_fraud", "chargeback", "unacknowledged"}
	if number < 0 || number >= int64(len(words)) {
		return words[0]
	}
	return words[number]
}
