package stripe

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v76"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

// Kinds are the events that are something to an order, which is what a webhook's
// endpoint has to be sent.
var Kinds = []string{
	"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
	"checkout.session.completed", "checkout.session.async_payment_succeeded", "checkout.session.async_payment_failed", "checkout.session.expired",
	"charge.refunded", "charge.refund.updated",
	"charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated", "charge.dispute.closed",
	"invoice.paid", "invoice.payment_failed",
}

// Stripe's times are whole seconds. What is told of one second is put in the order in
// which it can only have happened.
const (
	first time.Duration = iota * time.Millisecond
	second
	third
	fourth
	fifth
)

// translate says what an event of Stripe's, in our version, is to the shop.
func (t *Till) translate(ctx context.Context, e *sdk.Event) (shop.Event, error) {
	out := shop.Event{Provider: shop.Stripe, ID: e.ID, Kind: string(e.Type), At: time.Unix(e.Created, 0).UTC()}
	read := reading[out.Kind]
	if read == nil {
		return out, nil
	}
	who, err := read(ctx, t, e.Data.Raw, &out)
	if err != nil {
		return shop.Event{}, err
	}
	if out.Fact.Kind == shop.FactPaid {
		out.Fact.Live = e.Livemode
		if out.Fact.PlayerID, err = t.payer(ctx, out.Fact.PlayerID, who); err != nil {
			return shop.Event{}, err
		}
	}
	if out.Fact.Kind != "" && out.Fact.At.IsZero() {
		out.Fact.At = out.At
	}
	if r := out.Renewal; r != nil {
		r.Live, r.At = e.Livemode, out.At
		if r.PlayerID, err = t.payer(ctx, r.PlayerID, who); err != nil {
			return shop.Event{}, err
		}
	}
	return out, nil
}

// payer is the player whose customer has paid, and otherwise the one that the payment
// was made for.
func (t *Till) payer(ctx context.Context, named, customerID string) (string, error) {
	if customerID == "" {
		return named, nil
	}
	owner, err := t.customers.CustomerOwner(ctx, customerID, t.live)
	if err != nil || owner == "" {
		return named, err
	}
	return owner, nil
}

// reader says what an object of an event's is to the shop, and which customer's it is.
type reader func(ctx context.Context, t *Till, raw json.RawMessage, out *shop.Event) (customerID string, err error)

// as is a reader of one type of object.
func as[T any](f func(ctx context.Context, t *Till, object *T, out *shop.Event) (customerID string, err error)) reader {
	return func(ctx context.Context, t *Till, raw json.RawMessage, out *shop.Event) (string, error) {
		var object T
		if err := json.Unmarshal(raw, &object); err != nil {
			return "", fault.Wrap(fault.InvalidRequest, "The event's object cannot be read.", err)
		}
		return f(ctx, t, &object, out)
	}
}

// reading has a reader for each of Kinds.
var reading = map[string]reader{
	"payment_intent.succeeded": as(intentSucceeded),
	// A card that was declined ends nothing: the same intent takes another one. An order
	// that counted as failed would make room for a second one within its limit.
	"payment_intent.payment_failed":            as(intentTells(shop.FactPending)),
	"payment_intent.canceled":                  as(intentTells(shop.FactCancelled)),
	"checkout.session.completed":               as(sessionPaid),
	"checkout.session.async_payment_succeeded": as(sessionPaid),
	"checkout.session.async_payment_failed":    as(sessionEnded(shop.FactFailed)),
	"checkout.session.expired":                 as(sessionEnded(shop.FactExpired)),
	"charge.refunded":                          as(chargeRefunded),
	"charge.refund.updated":                    as(refundUpdated),
	"charge.dispute.created":                   as(disputeTaken(first)),
	"charge.dispute.funds_withdrawn":           as(disputeTaken(second)),
	"charge.dispute.closed":                    as(disputeClosed),
	"charge.dispute.funds_reinstated":          as(disputeReinstated),
	"invoice.paid":                             as(invoicePaid),
	"invoice.payment_failed":                   as(invoiceFailed),
}

func money(amount int64, currency sdk.Currency) shop.Money {
	return shop.Money{Amount: amount, Currency: strings.ToUpper(string(currency))}
}

func customerOf(c *sdk.Customer) string {
	if c == nil {
		return ""
	}
	return c.ID
}

// intentOf is what Stripe calls a payment, by which all that comes later is found.
func intentOf(p *sdk.PaymentIntent) string {
	if p == nil {
		return ""
	}
	return p.ID
}

// ordered says whether a payment intent is an order's. An invoice's is not: what is to
// be said of that one, the invoice says; and others on the same account sell other
// things.
func ordered(p *sdk.PaymentIntent, out *shop.Event) bool {
	if p.Invoice != nil || p.Metadata[metaOrder] == "" {
		return false
	}
	out.OrderID, out.Reference, out.Transaction = p.Metadata[metaOrder], p.ID, p.ID
	return true
}

func intentSucceeded(_ context.Context, _ *Till, p *sdk.PaymentIntent, out *shop.Event) (string, error) {
	if ordered(p, out) && p.Status == sdk.PaymentIntentStatusSucceeded {
		out.Fact = shop.Fact{
			Kind: shop.FactPaid, Transaction: p.ID, Money: money(p.AmountReceived, p.Currency), PlayerID: p.Metadata[metaPlayer],
		}
	}
	return customerOf(p.Customer), nil
}

func intentTells(kind shop.FactKind) func(context.Context, *Till, *sdk.PaymentIntent, *shop.Event) (string, error) {
	return func(_ context.Context, _ *Till, p *sdk.PaymentIntent, out *shop.Event) (string, error) {
		if ordered(p, out) {
			out.Fact.Kind = kind
		}
		return customerOf(p.Customer), nil
	}
}

func aboutSession(s *sdk.CheckoutSession, out *shop.Event) bool {
	if s.Metadata[metaOrder] == "" || s.Metadata[metaOrder] != s.ClientReferenceID {
		return false
	}
	out.OrderID, out.Reference, out.Transaction = s.ClientReferenceID, s.ID, intentOf(s.PaymentIntent)
	return true
}

// sessionPaid is about a page that was gone through to its end, with the money there or
// still to come. Of a subscription's money its invoice tells, which knows the payment.
func sessionPaid(_ context.Context, _ *Till, s *sdk.CheckoutSession, out *shop.Event) (string, error) {
	switch {
	case !aboutSession(s, out):
	case s.Mode == sdk.CheckoutSessionModePayment && s.PaymentStatus == sdk.CheckoutSessionPaymentStatusPaid && out.Transaction != "":
		out.Fact = shop.Fact{
			Kind: shop.FactPaid, Transaction: out.Transaction, Money: money(s.AmountTotal, s.Currency), PlayerID: s.Metadata[metaPlayer],
		}
	default:
		out.Fact.Kind = shop.FactPending
	}
	return customerOf(s.Customer), nil
}

func sessionEnded(kind shop.FactKind) func(context.Context, *Till, *sdk.CheckoutSession, *shop.Event) (string, error) {
	return func(_ context.Context, _ *Till, s *sdk.CheckoutSession, out *shop.Event) (string, error) {
		if aboutSession(s, out) {
			out.Fact.Kind = kind
		}
		return customerOf(s.Customer), nil
	}
}

func aboutCharge(c *sdk.Charge, out *shop.Event) bool {
	out.OrderID, out.Transaction = c.Metadata[metaOrder], intentOf(c.PaymentIntent)
	return out.Transaction != ""
}

// refundKey is under which a charge's refunds stand: they are told in all.
func refundKey(chargeID string) string { return "refunds:" + chargeID }

func chargeRefunded(_ context.Context, _ *Till, c *sdk.Charge, out *shop.Event) (string, error) {
	if aboutCharge(c, out) {
		out.Fact = shop.Fact{Kind: shop.FactReversed, Key: refundKey(c.ID), Amount: c.AmountRefunded}
	}
	return customerOf(c.Customer), nil
}

// refundUpdated is about a refund that did not arrive, by which there is less refunded
// than was told before. How much in all, only the charge knows.
func refundUpdated(ctx context.Context, t *Till, r *sdk.Refund, out *shop.Event) (string, error) {
	if r.Status != sdk.RefundStatusFailed && r.Status != sdk.RefundStatusCanceled || r.Charge == nil {
		return "", nil
	}
	p := &sdk.ChargeParams{}
	p.Context = ctx
	c, err := t.charge.Get(r.Charge.ID, p)
	if err != nil {
		return "", t.failure("charge", err)
	}
	if aboutCharge(c, out) {
		out.Fact = shop.Fact{Kind: shop.FactReversed, Key: refundKey(c.ID), Amount: c.AmountRefunded, At: out.At.Add(second)}
	}
	return customerOf(c.Customer), nil
}

func aboutDispute(d *sdk.Dispute, amount int64, rank time.Duration, out *shop.Event) {
	if out.Transaction = intentOf(d.PaymentIntent); out.Transaction != "" {
		out.Fact = shop.Fact{Kind: shop.FactReversed, Key: "dispute:" + d.ID, Amount: amount, At: out.At.Add(rank)}
	}
}

// inquiry says whether a dispute is only a question yet, which takes no money.
func inquiry(d *sdk.Dispute) bool { return strings.HasPrefix(string(d.Status), "warning_") }

func disputeTaken(rank time.Duration) func(context.Context, *Till, *sdk.Dispute, *shop.Event) (string, error) {
	return func(_ context.Context, _ *Till, d *sdk.Dispute, out *shop.Event) (string, error) {
		if !inquiry(d) {
			aboutDispute(d, d.Amount, rank, out)
		}
		return "", nil
	}
}

func disputeClosed(_ context.Context, _ *Till, d *sdk.Dispute, out *shop.Event) (string, error) {
	switch d.Status {
	case sdk.DisputeStatusLost:
		aboutDispute(d, d.Amount, third, out)
	case sdk.DisputeStatusWon:
		aboutDispute(d, 0, fourth, out)
	}
	return "", nil
}

func disputeReinstated(_ context.Context, _ *Till, d *sdk.Dispute, out *shop.Event) (string, error) {
	aboutDispute(d, 0, fifth, out)
	return "", nil
}

// aboutInvoice says whether an invoice is for a subscription of ours, with its order.
func aboutInvoice(i *sdk.Invoice) (orderID string, ok bool) {
	if i.Subscription == nil || i.SubscriptionDetails == nil {
		return "", false
	}
	orderID = i.SubscriptionDetails.Metadata[metaOrder]
	return orderID, orderID != ""
}

// invoicePaid is about a subscription's payment: its first is its order's, each further
// one is an order of its own.
func invoicePaid(_ context.Context, _ *Till, i *sdk.Invoice, out *shop.Event) (string, error) {
	orderID, ok := aboutInvoice(i)
	if !ok || i.Status != sdk.InvoiceStatusPaid {
		return customerOf(i.Customer), nil
	}
	paid, player := money(i.AmountPaid, i.Currency), i.SubscriptionDetails.Metadata[metaPlayer]
	out.Transaction = intentOf(i.PaymentIntent)
	if out.Transaction == "" {
		out.Transaction = i.ID // paid by other means
	}
	switch i.BillingReason {
	case sdk.InvoiceBillingReasonSubscriptionCreate:
		out.OrderID = orderID
		out.Fact = shop.Fact{Kind: shop.FactPaid, Transaction: out.Transaction, Subscription: i.Subscription.ID, Money: paid, PlayerID: player}
	case sdk.InvoiceBillingReasonSubscriptionCycle:
		out.Renewal = &shop.Purchase{Transaction: out.Transaction, Subscription: i.Subscription.ID, PlayerID: player, Price: paid}
	}
	return customerOf(i.Customer), nil
}

// invoiceFailed ends an order whose first payment failed. A further one that fails is
// nothing yet to have an order, and Stripe tries again.
func invoiceFailed(_ context.Context, _ *Till, i *sdk.Invoice, out *shop.Event) (string, error) {
	if orderID, ok := aboutInvoice(i); ok && i.BillingReason == sdk.InvoiceBillingReasonSubscriptionCreate {
		out.OrderID, out.Fact.Kind = orderID, shop.FactFailed
	}
	return customerOf(i.Customer), nil
}

// window is how much time's events are read at once: Stripe has the newest first.
const window = 6 * time.Hour

// Since implements shop.Source. An event that cannot be read is logged and left out:
// those behind it are not to wait for it.
func (t *Till) Since(ctx context.Context, since time.Time, each func(shop.Event) error) error {
	for now, from := t.now(), since; !from.After(now); from = from.Add(window) {
		p := &sdk.EventListParams{
			ListParams:   sdk.ListParams{Context: ctx, Limit: sdk.Int64(100)},
			CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: from.Unix()}, Types: sdk.StringSlice(Kinds),
		}
		if until := from.Add(window); !until.After(now) {
			p.CreatedRange.LesserThan = until.Unix()
		}
		var events []*sdk.Event
		found := t.event.List(p)
		for found.Next() {
			events = append(events, found.Event())
		}
		if err := found.Err(); err != nil {
			return t.failure("events", err)
		}
		for _, e := range slices.Backward(events) {
			told, err := t.listed(ctx, e)
			switch code := fault.CodeOf(err); {
			case code == fault.Unavailable || ctx.Err() != nil:
				return err
			case err != nil:
				slog.ErrorContext(ctx, "stripe: an event cannot be read", "event", e.ID, "kind", string(e.Type), "error", err)
				continue
			}
			if err := each(told); err != nil {
				return err
			}
		}
	}
	return nil
}

// listed reads an event of a list. Lists have events in the version that was the
// account's when they came about; in another one than ours, the object is read anew.
func (t *Till) listed(ctx context.Context, e *sdk.Event) (shop.Event, error) {
	if err := t.ours(e); err != nil {
		return shop.Event{}, err
	}
	if e.Data == nil {
		return shop.Event{}, fault.New(fault.InvalidRequest, "The event has no object.")
	}
	if e.APIVersion != Version && reading[string(e.Type)] != nil {
		raw, err := t.anew(ctx, e)
		if err != nil {
			return shop.Event{}, err
		}
		e.Data.Raw = raw
	}
	return t.translate(ctx, e)
}

// anew reads an event's object in our version. It may have changed since, which takes
// nothing from what the event says: amounts are told in all.
func (t *Till) anew(ctx context.Context, e *sdk.Event) (json.RawMessage, error) {
	var named struct{ ID, Object string }
	if err := json.Unmarshal(e.Data.Raw, &named); err != nil || named.ID == "" {
		return nil, fault.Wrap(fault.InvalidRequest, "The event's object cannot be read.", err)
	}
	p := sdk.Params{Context: ctx}
	var answer *sdk.APIResource
	var err error
	switch named.Object {
	case "payment_intent":
		var o *sdk.PaymentIntent
		o, err = t.intent.Get(named.ID, &sdk.PaymentIntentParams{Params: p})
		answer = &o.APIResource
	case "checkout.session":
		var o *sdk.CheckoutSession
		o, err = t.session.Get(named.ID, &sdk.CheckoutSessionParams{Params: p})
		answer = &o.APIResource
	case "charge":
		var o *sdk.Charge
		o, err = t.charge.Get(named.ID, &sdk.ChargeParams{Params: p})
		answer = &o.APIResource
	case "refund":
		var o *sdk.Refund
		o, err = t.refund.Get(named.ID, &sdk.RefundParams{Params: p})
		answer = &o.APIResource
	case "dispute":
		var o *sdk.Dispute
		o, err = t.dispute.Get(named.ID, &sdk.DisputeParams{Params: p})
		answer = &o.APIResource
	case "invoice":
		var o *sdk.Invoice
		o, err = t.invoice.Get(named.ID, &sdk.InvoiceParams{Params: p})
		answer = &o.APIResource
	default:
		return nil, fault.New(fault.InvalidRequest, "The event's object is of another kind.")
	}
	if err != nil {
		return nil, t.failure("object", err)
	}
	return answer.LastResponse.RawJSON, nil
}
