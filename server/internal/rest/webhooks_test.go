package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

const stripePath = "/v1/webhooks/stripe"

// newStripe is a server with a live Stripe. What is taken in is handed to told.
func newStripe(t *testing.T, told func(shop.Event) (string, error)) (*world, *stripetest.Stripe) {
	t.Helper()
	account := stripetest.New(t, time.Now, true)
	till, err := stripe.New(stripe.Options{
		Key: account.Key, Secrets: []string{stripetest.Secret}, URL: account.URL, Now: time.Now, Customers: &stripetest.Customers{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, store.SQLite, func(o *rest.Options) {
		o.Webhooks = map[string]rest.Webhook{"stripe": func(ctx context.Context, body []byte, header func(string) string) (string, error) {
			e, err := till.Webhook(ctx, body, header(stripe.SignatureHeader))
			if err != nil {
				return "", err
			}
			outcome, err := told(e)
			return outcome, err
		}}
	}), account
}

func signed(body []byte, signature string) request {
	return request{method: "POST", path: stripePath, body: body, header: map[string]string{stripe.SignatureHeader: signature}}
}

// What Stripe sends, and what only looks like it, through the whole stack.
func TestWebhooks(t *testing.T) {
	answers := map[string]error{"evt_gone": fault.New(fault.Unavailable, "planted"), "evt_broken": fmt.Errorf("planted")}
	outcomes := map[string]string{"evt_1": "applied", "evt_2": "ignored", "evt_3": "refused"}
	var taken []string
	w, _ := newStripe(t, func(e shop.Event) (string, error) {
		taken = append(taken, e.ID)
		return outcomes[e.ID], answers[e.ID]
	})
	event := func(id, change, to string) []byte {
		body, _ := stripe.SignTest(id, stripetest.Secret, true, time.Now())
		return bytes.Replace(body, []byte(change), []byte(to), 1)
	}
	sign := func(body []byte, after time.Duration) request {
		return signed(body, stripetest.Sign(body, stripetest.Secret, time.Now().Add(after)))
	}
	for id, outcome := range outcomes {
		for range 2 { // what comes again is told again
			a := w.send(sign(event(id, "", ""), 0))
			if want := fmt.Sprintf(`{"outcome":%q}`, outcome); a.status != http.StatusOK || string(a.body) != want {
				t.Errorf("%d %s, want %s", a.status, a.body, want)
			}
		}
	}
	good := event("evt_1", "", "")
	many := len(taken)
	w.expect(http.StatusBadRequest, "webhook_signature", signed(event("evt_1", "evt_1", "evt_2"), stripetest.Sign(good, stripetest.Secret, time.Now())))
	w.expect(http.StatusBadRequest, "webhook_signature", signed(good, ""))
	w.expect(http.StatusBadRequest, "webhook_signature", request{method: "POST", path: stripePath, body: good})
	w.expect(http.StatusBadRequest, "webhook_signature", signed(good, stripetest.Sign(good, "", time.Now())))
	w.expect(http.StatusBadRequest, "webhook_signature", signed(nil, "t=1,v1=00"))
	w.expect(http.StatusBadRequest, "webhook_stale", sign(good, time.Hour))
	w.expect(http.StatusBadRequest, "webhook_stale", sign(good, -time.Hour))
	w.expect(http.StatusBadRequest, "webhook_version", sign(event("evt_1", stripe.Version, "2020-08-27"), 0))
	w.expect(http.StatusBadRequest, "webhook_mode", sign(event("evt_1", `"livemode":true`, `"livemode":false`), 0))
	w.expect(http.StatusBadRequest, "invalid_request", sign([]byte("{}"), 0))
	w.expect(http.StatusMethodNotAllowed, "method_not_allowed", request{method: "GET", path: stripePath})
	w.expect(http.StatusNotFound, "not_found", request{method: "POST", path: "/v1/webhooks/other", body: "{}"})
	zipped := sign(good, 0)
	zipped.header["Content-Encoding"] = "gzip"
	w.expect(http.StatusUnsupportedMediaType, "unsupported_encoding", zipped)
	if len(taken) != many {
		t.Errorf("%d events were taken that should not have been", len(taken)-many)
	}
	w.expect(http.StatusServiceUnavailable, "unavailable", sign(event("evt_gone", "", ""), 0))
	w.expect(http.StatusInternalServerError, "internal", sign(event("evt_broken", "", ""), 0))
	for _, secret := range []string{stripetest.Secret, "sk_live", "v1="} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}

	off := newWorld(t, store.SQLite)
	off.expect(http.StatusUnprocessableEntity, "provider_disabled", sign(good, 0))
}

// The signature is for the bytes, whatever they are; no other body may be that large;
// and what was taken stays what it was while others come in.
func TestWebhookBody(t *testing.T) {
	var mu sync.Mutex
	var kept [][]byte
	w := newWorld(t, store.SQLite, func(o *rest.Options) {
		o.Webhooks = map[string]rest.Webhook{"stripe": func(_ context.Context, body []byte, _ func(string) string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, body)
			return "ignored", nil
		}}
	})
	large := func(n int, with string) []byte {
		return append([]byte(with), bytes.Repeat([]byte(" "), n-len(with))...)
	}
	var want [][]byte
	for i, body := range [][]byte{
		[]byte(" { \"a\" :1,\"a\":2 }\r\n\n"), []byte("\xff\x00\x01"), []byte("{"), large(1<<20, `{"b":1}`), large(200_000, "c"), []byte("dd"), {},
	} {
		for range 3 {
			body := append(bytes.Clone(body), byte('0'+i))
			body = body[:min(len(body), 1<<20)]
			want = append(want, body)
			w.expect(http.StatusOK, "", signed(body, "x"))
		}
	}
	if !slices.EqualFunc(kept, want, bytes.Equal) {
		t.Error("what was kept is not what was sent")
	}
	for path, size := range map[string]int{stripePath: 1<<20 + 1, "/v1/guests": 64<<10 + 1, "/v1/guests?/v1/webhooks/": 64<<10 + 1} {
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, size)
		if a := w.raw(t, append([]byte(head), large(size, "{")...)); a.status != http.StatusRequestEntityTooLarge || a.code() != "payload_too_large" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}
