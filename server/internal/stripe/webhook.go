package stripe

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	// SignatureHeader has a webhook's signatures.
	SignatureHeader = "Stripe-Signature"
	// Tolerance is how far a signature's time may be from ours.
	Tolerance = 5 * time.Minute
	// maxSignature is what the header may have; Stripe's has a few hundred characters.
	maxSignature = 4 << 10
)

// TestKind is the kind of the event by which an operator tries the webhook. It is
// nothing to any order.
const TestKind = "cuatrola.webhook_test"

// Webhook reads what Stripe sends: the body as it came, byte by byte, and its signature
// header.
//
// Codes: shop.CodeWebhookSignature, shop.CodeWebhookStale, shop.CodeWebhookVersion, shop.CodeWebhookMode, InvalidRequest (signed, and
// yet no event).
func (t *Till) Webhook(ctx context.Context, body []byte, signature string) (shop.Event, error) {
	if err := t.verify(body, signature); err != nil {
		return shop.Event{}, err
	}
	var e sdk.Event
	if err := json.Unmarshal(body, &e); err != nil {
		return shop.Event{}, fault.Wrap(fault.InvalidRequest, "This is signed, and no event.", err)
	}
	switch {
	case e.Object != "event" || e.ID == "" || e.Type == "" || e.Data == nil || e.Created <= 0:
		return shop.Event{}, fault.New(fault.InvalidRequest, "This is signed, and no event.")
	case e.APIVersion != Version:
		// Read as ours it might say something else.
		return shop.Event{}, fault.New(shop.CodeWebhookVersion, "The event is in version "+version(e.APIVersion)+"; the webhook's endpoint has to be made for "+Version+".")
	}
	if err := t.ours(&e); err != nil {
		return shop.Event{}, err
	}
	return t.translate(ctx, &e)
}

// ours refuses events of another mode or account.
func (t *Till) ours(e *sdk.Event) error {
	switch {
	case e.Livemode != t.live:
		return fault.New(shop.CodeWebhookMode, "Test events and real ones do not mix.")
	case e.Account != "":
		return fault.New(shop.CodeWebhookMode, "The event is a connected account's.")
	}
	return nil
}

// version is one as it may be repeated.
func version(text string) string {
	if goodVersion.MatchString(text) {
		return text
	}
	return "unknown"
}

func (t *Till) verify(body []byte, signature string) error {
	bad := fault.New(shop.CodeWebhookSignature, "The signature is not one of ours for this body.")
	at, ok := stamp(signature)
	if !ok {
		return bad
	}
	// The library's own look at the time is by the system's clock, and into the past only.
	for _, secret := range t.secrets {
		if webhook.ValidatePayloadIgnoringTolerance(body, signature, secret) != nil {
			continue
		}
		if off := t.now().Sub(at); off > Tolerance || off < -Tolerance {
			return fault.New(shop.CodeWebhookStale, "This was signed too long ago, or in the future.")
		}
		return nil
	}
	return bad
}

// stamp reads a signature's time. There is one: the library would take the last.
func stamp(signature string) (at time.Time, ok bool) {
	if len(signature) > maxSignature {
		return at, false
	}
	for part := range strings.SplitSeq(signature, ",") {
		text, is := strings.CutPrefix(part, "t=")
		if !is {
			continue
		}
		seconds, err := strconv.ParseInt(text, 10, 64)
		if ok || err != nil {
			return at, false
		}
		at, ok = time.Unix(seconds, 0), true
	}
	return at, ok
}

// SignTest makes an event that is nothing to anybody and signs it as Stripe would with
// the secret, so that an operator can see what becomes of one.
func SignTest(id, secret string, live bool, now time.Time) (body []byte, signature string) {
	body, _ = json.Marshal(map[string]any{ // texts, numbers and truth values
		"id": id, "object": "event", "type": TestKind, "api_version": Version, "created": now.Unix(), "livemode": live,
		"data": map[string]any{"object": map[string]any{"id": id, "object": "cuatrola_test"}},
	})
	return body, webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: now}).Header
}

// Endpoint says what is wrong with the endpoint at that address as Stripe knows it, if
// anything is. Codes: Unavailable.
func (t *Till) Endpoint(ctx context.Context, address string) (wrong []string, err error) {
	p := &sdk.WebhookEndpointListParams{ListParams: sdk.ListParams{Context: ctx, Limit: sdk.Int64(100)}}
	found, others := t.endpoint.List(p), 0
	for found.Next() {
		e := found.WebhookEndpoint()
		if e.URL != address {
			others++
			continue
		}
		if e.Status != "enabled" {
			wrong = append(wrong, "it is "+word(e.Status))
		}
		if e.APIVersion != Version {
			wrong = append(wrong, "its events are in version "+cmp.Or(e.APIVersion, "of the account")+", and not in "+Version)
		}
		for _, kind := range Kinds {
			if !slices.Contains(e.EnabledEvents, kind) && !slices.Contains(e.EnabledEvents, "*") {
				wrong = append(wrong, "it is not sent "+kind)
			}
		}
		return wrong, nil
	}
	if err := found.Err(); err != nil {
		return nil, t.failure("endpoints", err)
	}
	return []string{"there is none, beside " + strconv.Itoa(others) + " at other addresses"}, nil
}
