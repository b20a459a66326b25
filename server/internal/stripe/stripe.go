// Package stripe takes money through Stripe: it asks for it, gives it back, and turns
// what Stripe tells, whether by webhook or when it is asked, into events of the shop.
//
// It is written for one version of Stripe's interface, that of the library. The
// library's own global state is not used: key, address and HTTP client belong to a
// Till. No error and no log line has a key, a secret of a webhook, or what a client
// pays with.
package stripe

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/charge"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/customer"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/ephemeralkey"
	"github.com/stripe/stripe-go/v76/event"
	"github.com/stripe/stripe-go/v76/invoice"
	"github.com/stripe/stripe-go/v76/paymentintent"
	"github.com/stripe/stripe-go/v76/refund"
	"github.com/stripe/stripe-go/v76/subscription"
	"github.com/stripe/stripe-go/v76/webhookendpoint"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	// Version of Stripe's interface that events have to be in.
	Version = sdk.APIVersion

	// timeout bounds one request to Stripe; one that has no answer is sent once more.
	timeout = 8 * time.Second
	retries = 1

	// A page takes money for no less and no more than this from now on; Stripe refuses
	// other times.
	shortest = 31 * time.Minute
	longest  = 23*time.Hour + 59*time.Minute

	// maxReason is how many characters of an operator's reason go with a refund.
	maxReason = 400
)

// What orders leave in Stripe's metadata.
const (
	metaOrder  = "order"
	metaPlayer = "player"
)

// Customers remembers what Stripe calls the players.
type Customers interface {
	// Customer is a player's; empty if none is known.
	Customer(ctx context.Context, playerID string, live bool) (string, error)
	// KeepCustomer makes id the player's customer if it is still the one given before,
	// and returns the one that is now: another request may have been faster.
	KeepCustomer(ctx context.Context, playerID string, live bool, before, id string) (string, error)
	// CustomerOwner is the player whose customer it is; empty if nobody's.
	CustomerOwner(ctx context.Context, id string, live bool) (string, error)
	// Ownerless lists at most limit customers whose players were deleted.
	Ownerless(ctx context.Context, live bool, limit int) ([]string, error)
	// DropCustomer forgets one of those.
	DropCustomer(ctx context.Context, id string) error
}

// Options are what a Till is put together from.
type Options struct {
	// Key is a secret or restricted key; PublishableKey is its counterpart for clients.
	Key, PublishableKey string
	// Secrets sign the webhooks: one, or two while the one replaces the other.
	Secrets []string
	// URL is where Stripe is; empty for the real one.
	URL string
	// HTTP is for requests to Stripe; nil for one that bounds them.
	HTTP      *http.Client
	Now       func() time.Time
	Customers Customers
}

// Till is Stripe, as the shop knows it. Make one with New.
type Till struct {
	key, publishable string
	live             bool
	secrets          []string
	now              func() time.Time
	customers        Customers

	customer     customer.Client
	ephemeral    ephemeralkey.Client
	intent       paymentintent.Client
	session      session.Client
	refund       refund.Client
	event        event.Client
	charge       charge.Client
	dispute      dispute.Client
	invoice      invoice.Client
	subscription subscription.Client
	endpoint     webhookendpoint.Client
}

var (
	_ shop.Till    = (*Till)(nil)
	_ shop.Renewer = (*Till)(nil)
)

var goodKey = regexp.MustCompile(`^(?:sk|rk)_(live|test)_[0-9A-Za-z]+$`)

// Wrong is a setting that cannot be used.
type Wrong struct {
	Setting string // as in the environment, behind CUATROLA_STRIPE_
	text    string
}

// Error says what is wrong. It does not say what the setting holds.
func (w *Wrong) Error() string { return w.text }

// Check returns a *Wrong if a setting cannot be used.
func (o *Options) Check() error {
	mode := goodKey.FindStringSubmatch(o.Key)
	if mode == nil {
		return &Wrong{"SECRET_KEY", "not one of Stripe's secret or restricted keys, like sk_live_… or rk_test_…"}
	}
	if o.PublishableKey != "" && !strings.HasPrefix(o.PublishableKey, "pk_"+mode[1]+"_") {
		return &Wrong{"PUBLISHABLE_KEY", "not like pk_" + mode[1] + "_…, which goes with the secret key"}
	}
	if n := len(o.Secrets); n < 1 || n > 2 {
		return &Wrong{"WEBHOOK_SECRETS", "needs one secret, or two while the one replaces the other"}
	}
	for _, s := range o.Secrets {
		// The library takes an empty secret for one like others: everybody could sign.
		if !strings.HasPrefix(s, "whsec_") || len(s) < len("whsec_")+8 {
			return &Wrong{"WEBHOOK_SECRETS", "has one that is empty or not Stripe's, like whsec_…"}
		}
	}
	if u, err := url.Parse(o.URL); o.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return &Wrong{"API_URL", "not a URL like https://api.stripe.com"}
	}
	return nil
}

// Live says whether a key is for money.
func (o *Options) Live() bool { return strings.Contains(o.Key, "_live_") }

// New returns a till. It asks Stripe nothing yet.
func New(o Options) (*Till, error) {
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("stripe: %w", err)
	}
	client := o.HTTP
	if client == nil {
		client = &http.Client{
			Timeout: timeout,
			// The key goes where it was sent and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	b := sdk.GetBackendWithConfig(sdk.APIBackend, &sdk.BackendConfig{
		EnableTelemetry: sdk.Bool(false), HTTPClient: client, MaxNetworkRetries: sdk.Int64(retries),
		// What it would log has the answers in it; what goes wrong is in the errors.
		LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
		URL:           sdk.String(cmp.Or(strings.TrimSuffix(o.URL, "/"), sdk.APIURL)),
	})
	return &Till{
		key: o.Key, publishable: o.PublishableKey, live: o.Live(), secrets: slices.Clone(o.Secrets), now: o.Now, customers: o.Customers,
		customer: customer.Client{B: b, Key: o.Key}, ephemeral: ephemeralkey.Client{B: b, Key: o.Key},
		intent: paymentintent.Client{B: b, Key: o.Key}, session: session.Client{B: b, Key: o.Key},
		refund: refund.Client{B: b, Key: o.Key}, event: event.Client{B: b, Key: o.Key}, charge: charge.Client{B: b, Key: o.Key},
		dispute: dispute.Client{B: b, Key: o.Key}, invoice: invoice.Client{B: b, Key: o.Key},
		subscription: subscription.Client{B: b, Key: o.Key}, endpoint: webhookendpoint.Client{B: b, Key: o.Key},
	}, nil
}

// Live implements shop.Till.
func (t *Till) Live() bool { return t.live }

// Begin implements shop.Till. For a payment sheet the client gets customer,
// ephemeralKey (Stripe's JSON, in the client's version), ephemeralKeySecret,
// paymentIntentClientSecret and publishableKey; for a page its url.
//
// Codes beside those of shop.Till: InvalidRequest (SheetVersion), shop.CodeNotForSale
// (what renews, in a sheet).
func (t *Till) Begin(ctx context.Context, o *shop.Order, how shop.Checkout) (shop.Begun, error) {
	if how.Sheet {
		switch {
		case !goodVersion.MatchString(how.SheetVersion):
			return shop.Begun{}, &fault.Error{Code: fault.InvalidRequest, Field: "sheetVersion", Message: "The payment sheet's version is one of Stripe's, like " + Version + "."}
		case o.Renews != "":
			return shop.Begun{}, &fault.Error{Code: shop.CodeNotForSale, Field: "sku", Message: "What renews is bought on the web page."}
		}
	}
	known, err := t.customers.Customer(ctx, o.PlayerID, t.live)
	if err != nil {
		return shop.Begun{}, err
	}
	begun, err := t.begin(ctx, o, how, known)
	if known != "" && isMissing(err, "customer") {
		// Somebody has deleted it at Stripe.
		slog.WarnContext(ctx, "stripe: a player's customer is gone; making another", "player", o.PlayerID)
		if known, err = t.newCustomer(ctx, o.PlayerID, how.Email, known); err == nil {
			begun, err = t.begin(ctx, o, how, known)
		}
	}
	switch {
	case err != nil:
		return shop.Begun{}, t.failure("begin", err)
	case begun.Reference == "":
		return shop.Begun{}, t.failure("begin", errors.New("an answer without an id"))
	}
	return begun, nil
}

var goodVersion = regexp.MustCompile(`^20\d\d-\d\d-\d\d(?:\.[a-z]{1,30})?$`)

// begin asks for the money. Its errors are the library's.
func (t *Till) begin(ctx context.Context, o *shop.Order, how shop.Checkout, customerID string) (shop.Begun, error) {
	if customerID == "" {
		var err error
		if customerID, err = t.newCustomer(ctx, o.PlayerID, how.Email, ""); err != nil {
			return shop.Begun{}, err
		}
	}
	if how.Sheet {
		return t.sheet(ctx, o, how, customerID)
	}
	return t.page(ctx, o, how, customerID)
}

// newCustomer makes a player's customer in the place of the one before, which is empty
// if there is none.
func (t *Till) newCustomer(ctx context.Context, playerID, email, before string) (string, error) {
	p := &sdk.CustomerParams{Metadata: map[string]string{metaPlayer: playerID}}
	if email != "" {
		p.Email = sdk.String(email)
	}
	p.Context = ctx
	// Stripe refuses a key that comes with other parameters.
	sum := sha256.Sum256([]byte(before + "\n" + email))
	p.SetIdempotencyKey("cus:" + playerID + ":" + hex.EncodeToString(sum[:8]))
	made, err := t.customer.New(p)
	if err != nil {
		return "", err
	}
	return t.customers.KeepCustomer(ctx, playerID, t.live, before, made.ID)
}

func metadata(o *shop.Order) map[string]string {
	return map[string]string{metaOrder: o.ID, metaPlayer: o.PlayerID}
}

func (t *Till) sheet(ctx context.Context, o *shop.Order, how shop.Checkout, customerID string) (shop.Begun, error) {
	var intent *sdk.PaymentIntent
	var err error
	if o.Reference != "" {
		p := &sdk.PaymentIntentParams{}
		p.Context = ctx
		intent, err = t.intent.Get(o.Reference, p)
	} else {
		p := &sdk.PaymentIntentParams{
			Amount: sdk.Int64(o.Price.Amount), Currency: sdk.String(strings.ToLower(o.Price.Currency)), Customer: sdk.String(customerID),
			AutomaticPaymentMethods: &sdk.PaymentIntentAutomaticPaymentMethodsParams{Enabled: sdk.Bool(true)},
			Metadata:                metadata(o),
		}
		if how.Title != "" {
			p.Description = sdk.String(how.Title)
		}
		p.Context = ctx
		p.SetIdempotencyKey("pi:" + o.ID)
		if intent, err = t.intent.New(p); isConflict(err) {
			if intent, err = t.findIntent(ctx, o, customerID); intent == nil && err == nil {
				p.SetIdempotencyKey("pi:" + o.ID + ":" + customerID)
				intent, err = t.intent.New(p)
			}
		}
	}
	if err != nil {
		return shop.Begun{}, err
	}
	if intent.Customer != nil && intent.Customer.ID != "" {
		customerID = intent.Customer.ID // the intent's own, also if the player has another by now
	}
	p := &sdk.EphemeralKeyParams{Customer: sdk.String(customerID), StripeVersion: sdk.String(how.SheetVersion)}
	p.Context = ctx
	key, err := t.ephemeral.New(p)
	if err != nil {
		return shop.Begun{}, err
	}
	return shop.Begun{Reference: intent.ID, Client: map[string]string{
		"customer": customerID, "ephemeralKey": string(key.RawJSON), "ephemeralKeySecret": key.Secret,
		"paymentIntentClientSecret": intent.ClientSecret, "publishableKey": t.publishable,
	}}, nil
}

func (t *Till) page(ctx context.Context, o *shop.Order, how shop.Checkout, customerID string) (shop.Begun, error) {
	if o.Reference != "" {
		p := &sdk.CheckoutSessionParams{}
		p.Context = ctx
		s, err := t.session.Get(o.Reference, p)
		if err != nil {
			return shop.Begun{}, err
		}
		return paying(s), nil
	}
	item := &sdk.CheckoutSessionLineItemParams{
		Quantity: sdk.Int64(1),
		PriceData: &sdk.CheckoutSessionLineItemPriceDataParams{
			Currency: sdk.String(strings.ToLower(o.Price.Currency)), UnitAmount: sdk.Int64(o.Price.Amount),
			ProductData: &sdk.CheckoutSessionLineItemPriceDataProductDataParams{Name: sdk.String(cmp.Or(how.Title, o.SKU))},
		},
	}
	p := &sdk.CheckoutSessionParams{
		ClientReferenceID: sdk.String(o.ID), Customer: sdk.String(customerID), Metadata: metadata(o),
		LineItems: []*sdk.CheckoutSessionLineItemParams{item}, Locale: sdk.String(locale(how.Language)),
		SuccessURL: sdk.String(back(how.ReturnURL, o.ID, "done")), CancelURL: sdk.String(back(how.ReturnURL, o.ID, "left")),
		// From the order alone, so that the same order asked for again is the same request.
		ExpiresAt: sdk.Int64(o.CreatedAt.Add(min(max(o.ExpiresAt.Sub(o.CreatedAt), shortest), longest)).Unix()),
	}
	if o.Renews == "" {
		p.Mode = sdk.String(string(sdk.CheckoutSessionModePayment))
		p.PaymentIntentData = &sdk.CheckoutSessionPaymentIntentDataParams{Metadata: metadata(o)}
	} else {
		p.Mode = sdk.String(string(sdk.CheckoutSessionModeSubscription))
		item.PriceData.Recurring = &sdk.CheckoutSessionLineItemPriceDataRecurringParams{Interval: sdk.String(o.Renews)}
		p.SubscriptionData = &sdk.CheckoutSessionSubscriptionDataParams{Metadata: metadata(o)}
	}
	p.Context = ctx
	p.SetIdempotencyKey("cs:" + o.ID)
	s, err := t.session.New(p)
	if isConflict(err) {
		if s, err = t.findSession(ctx, o, customerID); s == nil && err == nil {
			p.SetIdempotencyKey("cs:" + o.ID + ":" + customerID)
			s, err = t.session.New(p)
		}
	}
	if err != nil {
		return shop.Begun{}, err
	}
	return paying(s), nil
}

// isConflict says whether a request came before with other parameters: with another
// title, since the player's language is another by now, or another customer. What it
// made, if anything, is then looked for.
func isConflict(err error) bool {
	e, ok := errors.AsType[*sdk.Error](err)
	return ok && e.Type == sdk.ErrorTypeIdempotency && e.HTTPStatusCode == http.StatusBadRequest
}

// since is from when on an order's payments can be.
func since(o *shop.Order) *sdk.RangeQueryParams {
	return &sdk.RangeQueryParams{GreaterThanOrEqual: o.CreatedAt.Add(-Tolerance).Unix()}
}

// findIntent looks among a customer's for an order's; it is nil if there is none.
func (t *Till) findIntent(ctx context.Context, o *shop.Order, customerID string) (*sdk.PaymentIntent, error) {
	p := &sdk.PaymentIntentListParams{Customer: sdk.String(customerID), CreatedRange: since(o)}
	p.Context = ctx
	p.Limit = sdk.Int64(100)
	found := t.intent.List(p)
	for found.Next() {
		if i := found.PaymentIntent(); i.Metadata[metaOrder] == o.ID {
			return i, nil
		}
	}
	return nil, found.Err()
}

// findSession is findIntent for a page.
func (t *Till) findSession(ctx context.Context, o *shop.Order, customerID string) (*sdk.CheckoutSession, error) {
	p := &sdk.CheckoutSessionListParams{Customer: sdk.String(customerID), CreatedRange: since(o)}
	p.Context = ctx
	p.Limit = sdk.Int64(100)
	found := t.session.List(p)
	for found.Next() {
		if s := found.CheckoutSession(); s.ClientReferenceID == o.ID {
			return s, nil
		}
	}
	return nil, found.Err()
}

func paying(s *sdk.CheckoutSession) shop.Begun {
	b := shop.Begun{Reference: s.ID, Client: make(map[string]string)}
	if s.URL != "" {
		b.Client["url"] = s.URL // it has none any more when it is over
	}
	return b
}

// locale is the page's language; Stripe has no Catalan.
func locale(language string) string {
	if language == "en" {
		return "en"
	}
	return "es"
}

// back is where the page leads to, with the order and how the page was left. Whether
// it is paid only Stripe itself says.
func back(returnURL, orderID, outcome string) string {
	u, err := url.Parse(returnURL)
	if err != nil {
		return returnURL
	}
	q := u.Query()
	q.Set("order", orderID)
	q.Set("checkout", outcome)
	u.RawQuery = q.Encode()
	return u.String()
}

// Refund implements shop.Till. What was given back before, from wherever, is asked of
// Stripe first.
func (t *Till) Refund(ctx context.Context, o *shop.Order, amount int64, reason string) error {
	if !strings.HasPrefix(o.Transaction, "pi_") || amount <= 0 || amount > o.Price.Amount {
		return fault.New(shop.CodeRefund, "There is no payment at Stripe that this could be given back of.")
	}
	list := &sdk.RefundListParams{PaymentIntent: sdk.String(o.Transaction)}
	list.Context = ctx
	list.Limit = sdk.Int64(100)
	back, count := int64(0), 0
	found := t.refund.List(list)
	for found.Next() {
		count++
		if r := found.Refund(); r.Status != sdk.RefundStatusFailed && r.Status != sdk.RefundStatusCanceled {
			back += r.Amount
		}
	}
	if err := found.Err(); err != nil {
		return t.failure("refunds", err)
	}
	if back >= amount {
		return nil
	}
	p := &sdk.RefundParams{
		PaymentIntent: sdk.String(o.Transaction), Amount: sdk.Int64(amount - back), Reason: sdk.String(reasonOf(reason)),
		Metadata: map[string]string{metaOrder: o.ID, "reason": cut(reason, maxReason)},
	}
	p.Context = ctx
	// One refund follows the refunds that were seen: of two requests at once the second
	// is the first, or, with another amount, is refused and has to look again.
	p.SetIdempotencyKey("re:" + o.ID + ":" + strconv.Itoa(count))
	if _, err := t.refund.New(p); err != nil {
		if e, ok := errors.AsType[*sdk.Error](err); ok && e.Type == sdk.ErrorTypeInvalidRequest && e.HTTPStatusCode < 500 &&
			e.HTTPStatusCode != http.StatusUnauthorized && e.HTTPStatusCode != http.StatusForbidden && e.HTTPStatusCode != http.StatusTooManyRequests {
			return fault.Wrap(shop.CodeRefund, "Stripe does not give this back: "+word(string(e.Code))+".", t.clean("refund", err))
		}
		return t.failure("refund", err)
	}
	return nil
}

// reasonOf is Stripe's word for a reason.
func reasonOf(reason string) string {
	switch reason {
	case string(sdk.RefundReasonDuplicate), string(sdk.RefundReasonFraudulent):
		return reason
	default:
		return string(sdk.RefundReasonRequestedByCustomer)
	}
}

// cut takes at most so many characters.
func cut(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// StopRenewing implements shop.Renewer.
func (t *Till) StopRenewing(ctx context.Context, subscriptionID string) error {
	p := &sdk.SubscriptionParams{CancelAtPeriodEnd: sdk.Bool(true)}
	p.Context = ctx
	_, err := t.subscription.Update(subscriptionID, p)
	if isMissing(err, "") {
		return fault.Wrap(fault.NotFound, "Stripe knows no such subscription, or it has ended.", t.clean("subscription", err))
	}
	return t.failure("subscription", err)
}

// forgetAtOnce is how many customers are forgotten in one go.
const forgetAtOnce = 100

// Forget has Stripe delete the customers whose players were deleted here, which ends
// their subscriptions too. Payments stay there, without the person.
func (t *Till) Forget(ctx context.Context) error {
	ids, err := t.customers.Ownerless(ctx, t.live, forgetAtOnce)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p := &sdk.CustomerParams{Params: sdk.Params{Context: ctx}}
		if _, err := t.customer.Del(id, p); err != nil && !isMissing(err, "") {
			return t.failure("customer", err)
		}
		if err := t.customers.DropCustomer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func isMissing(err error, parameter string) bool {
	e, ok := errors.AsType[*sdk.Error](err)
	return ok && e.Code == sdk.ErrorCodeResourceMissing && (parameter == "" || e.Param == parameter)
}

// failure says what an error of the library's means. One of ours passes through.
func (t *Till) failure(what string, err error) error {
	if err == nil {
		return nil
	}
	if _, ours := errors.AsType[*fault.Error](err); ours {
		return err
	}
	e, answered := errors.AsType[*sdk.Error](err)
	if answered && e.HTTPStatusCode < 500 && e.Type == sdk.ErrorTypeInvalidRequest &&
		e.HTTPStatusCode != http.StatusUnauthorized && e.HTTPStatusCode != http.StatusForbidden && e.HTTPStatusCode != http.StatusTooManyRequests {
		// The request was wrong, and will be if it is repeated.
		return t.clean(what, err)
	}
	return fault.Wrap(fault.Unavailable, "The payment provider does not answer. Try again.", t.clean(what, err))
}

// clean is a library's error without what may be secret in it: the library's own text
// is the whole answer, and Stripe quotes a part of a wrong key.
func (t *Till) clean(what string, err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		text := ""
		if e.HTTPStatusCode != http.StatusUnauthorized {
			text = ": " + t.hide(cut(e.Msg, maxReason))
		}
		return fmt.Errorf("stripe: %s: answered %d, %s %s, request %s%s",
			what, e.HTTPStatusCode, word(string(e.Type)), word(string(e.Code)), word(e.RequestID), text)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("stripe: %s: %w", what, known)
		}
	}
	return fmt.Errorf("stripe: %s: %s", what, t.hide(cut(err.Error(), maxReason)))
}

// hide takes our own secrets out of a text, and what looks like one.
func (t *Till) hide(text string) string {
	for _, secret := range append([]string{t.key}, t.secrets...) {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return secretive.ReplaceAllString(text, "…")
}

var secretive = regexp.MustCompile(`\b(?:sk|rk|ek|whsec)_[0-9A-Za-z_*]+|\b[0-9a-z]+_[0-9A-Za-z]+_secret_[0-9A-Za-z]+`)

// word is a code of Stripe's as it may stand in a log.
func word(code string) string {
	code = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, code[:min(len(code), 60)])
	return cmp.Or(code, "-")
}
