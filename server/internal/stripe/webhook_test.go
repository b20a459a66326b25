package stripe_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

func (b *bench) event() stripetest.Event {
	b.t.Helper()
	b.begin(b.order(), sheet)
	return one(b.t, b.stripe.Pay(orderID), "payment_intent.succeeded")
}

func TestWebhook(t *testing.T) {
	b := newBench(t, true)
	e := b.told(b.event())
	intent := b.stripe.Objects("payment_intent")[0]["id"].(string)
	want := shop.Event{
		Provider: shop.Stripe, ID: e.ID, Kind: "payment_intent.succeeded", At: b.now, OrderID: orderID, Reference: intent, Transaction: intent,
		Fact: shop.Fact{
			Kind: shop.FactPaid, Transaction: intent, Money: shop.Money{Amount: 499, Currency: "EUR"}, Live: true, PlayerID: playerID, At: b.now,
		},
	}
	if e != want {
		t.Errorf("%+v\nwant %+v", e, want)
	}
}

// One byte that is another, anywhere, and the body is not the one that was signed.
func TestAlteredByOneByte(t *testing.T) {
	b := newBench(t, true)
	body := b.event().JSON()
	signature := stripetest.Sign(body, stripetest.Secret, b.now)
	for i := range body {
		altered := bytes.Clone(body)
		altered[i] ^= 1
		if _, err := b.till.Webhook(t.Context(), altered, signature); fault.CodeOf(err) != shop.CodeWebhookSignature {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for _, altered := range [][]byte{nil, {}, append(bytes.Clone(body), ' '), body[:len(body)-1]} {
		_, err := b.till.Webhook(t.Context(), altered, signature)
		wantCode(t, err, shop.CodeWebhookSignature)
	}
}

func TestSignatures(t *testing.T) {
	b := newBench(t, true)
	body := b.event().JSON()
	good := stripetest.Sign(body, stripetest.Secret, b.now)
	_, mac, _ := strings.Cut(good, ",v1=")
	stamp, _, _ := strings.Cut(good, ",")
	for name, signature := range map[string]string{
		"none":                "",
		"nonsense":            "v1",
		"no stamp":            "v1=" + mac,
		"no mac":              stamp,
		"an empty mac":        stamp + ",v1=",
		"another secret":      stripetest.Sign(body, "whsec_anotherOne", b.now),
		"an empty secret":     stripetest.Sign(body, "", b.now),
		"another scheme":      stamp + ",v0=" + mac,
		"two stamps":          stripetest.Sign(body, stripetest.Secret, b.now.Add(-time.Hour)) + "," + stamp,
		"a stamp of another":  "t=1," + "v1=" + mac,
		"a stamp of no time":  "t=now,v1=" + mac,
		"longer than any is":  good + strings.Repeat(",v1="+mac, 100),
		"a stamp with a plus": strings.Replace(good, "t=", "t=+0", 1) + ",t=1",
	} {
		_, err := b.till.Webhook(t.Context(), body, signature)
		if fault.CodeOf(err) != shop.CodeWebhookSignature {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One good one among several will do: Stripe signs with both while a secret is replaced.
	if _, err := b.till.Webhook(t.Context(), body, stamp+",v1="+strings.Repeat("0", 64)+",v1="+mac+",v0=x"); err != nil {
		t.Error(err)
	}
}

// A signature is good for five minutes around now, both ways.
func TestStamp(t *testing.T) {
	b := newBench(t, true)
	body := b.event().JSON()
	for off, want := range map[time.Duration]fault.Code{
		0: "", 5 * time.Minute: "", -5 * time.Minute: "",
		5*time.Minute + time.Second: shop.CodeWebhookStale, -5*time.Minute - time.Second: shop.CodeWebhookStale,
		24 * time.Hour: shop.CodeWebhookStale, -72 * time.Hour: shop.CodeWebhookStale, -b.now.Sub(time.Unix(0, 0)): shop.CodeWebhookStale,
	} {
		_, err := b.till.Webhook(t.Context(), body, stripetest.Sign(body, stripetest.Secret, b.now.Add(off)))
		if fault.CodeOf(err) != want {
			t.Errorf("off by %v: %v", off, err)
		}
		// Who does not know the secret is not told about clocks.
		_, err = b.till.Webhook(t.Context(), body, stripetest.Sign(body, "whsec_anotherOne", b.now.Add(off)))
		wantCode(t, err, shop.CodeWebhookSignature)
	}
}

func TestTwoSecrets(t *testing.T) {
	b := newBench(t, true)
	body := b.event().JSON()
	b.till = b.newTill(func(o *stripe.Options) { o.Secrets = []string{"whsec_theNewOne", stripetest.Secret} })
	for _, secret := range []string{"whsec_theNewOne", stripetest.Secret} {
		if _, err := b.till.Webhook(t.Context(), body, stripetest.Sign(body, secret, b.now)); err != nil {
			t.Errorf("%v", err)
		}
	}
	_, err := b.till.Webhook(t.Context(), body, stripetest.Sign(body, "whsec_theOneBefore", b.now))
	wantCode(t, err, shop.CodeWebhookSignature)
}

// Signed, but not for us: another version, mode or account, or no event at all.
func TestRefusedEvents(t *testing.T) {
	for _, live := range []bool{true, false} {
		b := newBench(t, live)
		good := b.event()
		for name, c := range map[string]struct {
			change func(event, object stripetest.Object)
			want   fault.Code
		}{
			"older":                 {func(e, _ stripetest.Object) { e["api_version"] = "2020-08-27" }, shop.CodeWebhookVersion},
			"newer":                 {func(e, _ stripetest.Object) { e["api_version"] = "2026-01-28.clover" }, shop.CodeWebhookVersion},
			"versionless":           {func(e, _ stripetest.Object) { delete(e, "api_version") }, shop.CodeWebhookVersion},
			"other mode":            {func(e, _ stripetest.Object) { e["livemode"] = !live }, shop.CodeWebhookMode},
			"connected account":     {func(e, _ stripetest.Object) { e["account"] = "acct_1" }, shop.CodeWebhookMode},
			"no event":              {func(e, _ stripetest.Object) { e["object"] = "payment_intent" }, fault.InvalidRequest},
			"nameless":              {func(e, _ stripetest.Object) { delete(e, "id") }, fault.InvalidRequest},
			"timeless":              {func(e, _ stripetest.Object) { delete(e, "created") }, fault.InvalidRequest},
			"no object":             {func(e, _ stripetest.Object) { delete(e, "data") }, fault.InvalidRequest},
			"amount that is a text": {func(_, o stripetest.Object) { o["amount_received"] = "many" }, fault.InvalidRequest},
		} {
			body := good.With(c.change).JSON()
			_, err := b.till.Webhook(t.Context(), body, stripetest.Sign(body, stripetest.Secret, b.now))
			if fault.CodeOf(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, body := range []string{"", "null", "[]", "{}", "1", `{"id"`} {
			_, err := b.till.Webhook(t.Context(), []byte(body), stripetest.Sign([]byte(body), stripetest.Secret, b.now))
			wantCode(t, err, fault.InvalidRequest)
		}
	}
}

// The event that an operator tries the webhook with is nothing to anybody.
func TestSignTest(t *testing.T) {
	b := newBench(t, true)
	body, signature := stripe.SignTest("evt_try_1", stripetest.Secret, true, b.now)
	e, err := b.till.Webhook(t.Context(), body, signature)
	if err != nil || e.Fact.Kind != "" || e.Renewal != nil || e.OrderID != "" || e.ID != "evt_try_1" || e.Kind != stripe.TestKind {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestEndpoint(t *testing.T) {
	b := newBench(t, true)
	b.stripe.AddEndpoint("https://a/hook", stripe.Version, "*")
	b.stripe.AddEndpoint("https://b/hook", "2020-08-27", stripe.Kinds[1:]...)
	b.stripe.AddEndpoint("https://c/hook", stripe.Version, stripe.Kinds...)
	for address, want := range map[string]int{"https://a/hook": 0, "https://b/hook": 2, "https://c/hook": 0, "https://d/hook": 1} {
		if wrong, err := b.till.Endpoint(t.Context(), address); err != nil || len(wrong) != want {
			t.Errorf("%s: %q, %v", address, wrong, err)
		}
	}
	b.stripe.Fail(500, 500)
	_, err := b.till.Endpoint(t.Context(), "https://a/hook")
	wantCode(t, err, fault.Unavailable)
}

func FuzzWebhook(f *testing.F) {
	f.Add([]byte(`{"id":"evt_1","object":"event","type":"charge.refunded","api_version":"2023-10-16","created":1,"livemode":true,"data":{"object":{"id":"ch_1","payment_intent":{"id":"pi_1"}}}}`))
	f.Add([]byte(`{"id":"evt_1","object":"event","type":"invoice.paid","api_version":"2023-10-16","created":1,"livemode":true,"data":{"object":{"subscription":"sub_1"}}}`))
	f.Add([]byte(`{"id":"evt_1","object":"event","type":"charge.dispute.closed","api_version":"2023-10-16","created":1,"livemode":true,"data":{"object":null}}`))
	now := time.Unix(1_800_000_000, 0)
	till, err := stripe.New(stripe.Options{
		Key: "sk_live_x", Secrets: []string{stripetest.Secret}, URL: "http://127.0.0.1:1", Now: func() time.Time { return now },
		Customers: &stripetest.Customers{},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// What is signed is read without a panic, whatever it is.
		_, _ = till.Webhook(t.Context(), body, stripetest.Sign(body, stripetest.Secret, now))
	})
}
