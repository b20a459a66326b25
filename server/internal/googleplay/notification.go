package googleplay

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

// pushed is how the verifier knows who sends notifications.
const pushed = "push"

// notification is what Google tells of a purchase (a real-time developer
// notification). One of its parts is there.
type notification struct {
	Package string `json:"packageName"`
	// At in milliseconds.
	At           int64 `json:"eventTimeMillis,string"`
	Subscription *struct {
		Type  int    `json:"notificationType"`
		Token string `json:"purchaseToken"`
	} `json:"subscriptionNotification"`
	Product *struct {
		Type    int    `json:"notificationType"`
		Token   string `json:"purchaseToken"`
		Product string `json:"sku"`
	} `json:"oneTimeProductNotification"`
	Voided *struct {
		Token string `json:"purchaseToken"`
		Order string `json:"orderId"`
	} `json:"voidedPurchaseNotification"`
	Test *struct{} `json:"testNotification"`
}

// What has happened to a subscription that somebody has paid for, and to a product.
const (
	subscriptionRecovered = 1
	subscriptionRenewed   = 2
	subscriptionPurchased = 4
	subscriptionRestarted = 7
	subscriptionRevoked   = 12
	productPurchased      = 1
)

// Notification reads what Google's message queue sends, with its authorization header.
// What it tells is a hint: the event has what Google says when it is asked.
//
// Codes: ProviderDisabled (notifications are not set up), shop.CodeWebhookSignature,
// shop.CodeWebhookMode (another app's), InvalidRequest, Unavailable.
func (c *Counter) Notification(ctx context.Context, authorization string, body []byte) (shop.Event, error) {
	if err := c.sentByGoogle(ctx, authorization); err != nil {
		return shop.Event{}, err
	}
	var sent struct {
		Message struct {
			ID   string `json:"messageId"`
			Data []byte `json:"data"`
		} `json:"message"`
	}
	var n notification
	if json.Unmarshal(body, &sent) != nil || json.Unmarshal(sent.Message.Data, &n) != nil ||
		sent.Message.ID == "" || len(sent.Message.ID) > maxID || n.At <= 0 {
		return shop.Event{}, fault.New(fault.InvalidRequest, "This is no notification of Google Play's.")
	}
	if n.Package != c.app {
		return shop.Event{}, fault.New(shop.CodeWebhookMode, "The notification is another app's.")
	}
	e := shop.Event{Provider: shop.Google, ID: "message:" + sent.Message.ID, Kind: n.kind(), At: time.UnixMilli(n.At).UTC()}
	return e, c.ask(ctx, &n, &e)
}

func (c *Counter) sentByGoogle(ctx context.Context, authorization string) error {
	token, bearer := strings.CutPrefix(authorization, "Bearer ")
	if !bearer {
		token = ""
	}
	email, err := c.senders.Machine(ctx, pushed, token)
	switch code := fault.CodeOf(err); {
	case code == fault.InvalidIDToken:
		return fault.Wrap(shop.CodeWebhookSignature, "This was not sent by Google.", err)
	case err != nil:
		return err
	case email != c.sender:
		return fault.New(shop.CodeWebhookSignature, "This was sent by somebody else's account.")
	}
	return nil
}

func (n *notification) kind() string {
	switch {
	case n.Subscription != nil:
		return fmt.Sprintf("subscription.%d", n.Subscription.Type)
	case n.Product != nil:
		return fmt.Sprintf("product.%d", n.Product.Type)
	case n.Voided != nil:
		return "voided"
	case n.Test != nil:
		return "test"
	}
	return "unknown"
}

// ask puts into an event what Google says about what it is about. Codes: Unavailable.
func (c *Counter) ask(ctx context.Context, n *notification, e *shop.Event) error {
	switch {
	case n.Subscription != nil && !goodToken.MatchString(n.Subscription.Token),
		n.Product != nil && (!goodToken.MatchString(n.Product.Token) || !goodProduct.MatchString(n.Product.Product)):
		slog.ErrorContext(ctx, "google: a notification about something that cannot be asked for", "message", e.ID, "kind", e.Kind)
		return nil
	case n.Subscription != nil:
		switch n.Subscription.Type {
		case subscriptionRecovered, subscriptionRenewed, subscriptionPurchased, subscriptionRestarted:
			p, err := c.subscription(ctx, n.Subscription.Token, e.At)
			return c.sold(ctx, e, &p, err)
		case subscriptionRevoked:
			return c.takenBack(ctx, e, n.Subscription.Token, "")
		}
	case n.Product != nil && n.Product.Type == productPurchased:
		p, err := c.product(ctx, n.Product.Product, n.Product.Token)
		return c.sold(ctx, e, &p, err)
	case n.Voided != nil:
		return c.takenBack(ctx, e, n.Voided.Token, n.Voided.Order)
	}
	return nil
}

// sold makes an event one of a payment, unless there is nothing to give for it.
func (c *Counter) sold(ctx context.Context, e *shop.Event, p *shop.Purchase, err error) error {
	switch fault.CodeOf(err) {
	case "":
		e.Transaction, e.Renewal = p.Transaction, p
	case fault.Unavailable:
		return err
	case shop.CodeUnpaid: // of the payment, Google tells again
	default:
		slog.WarnContext(ctx, "google: a purchase that nothing is given for", "message", e.ID, "kind", e.Kind, "error", err)
	}
	return nil
}

// takenBack makes an event one of a purchase that was voided: that with the order, or
// the last with the token if none is named. If Google does not say so yet, it will:
// what was voided is asked for again and again.
func (c *Counter) takenBack(ctx context.Context, e *shop.Event, token, order string) error {
	all, err := c.voided(ctx, e.At)
	if err != nil {
		return err
	}
	for _, v := range slices.Backward(all) {
		if v.PurchaseToken == token && (order == "" || v.OrderId == order) {
			told := voidedEvent(v)
			e.Transaction, e.Fact = told.Transaction, told.Fact
			break
		}
	}
	return nil
}
