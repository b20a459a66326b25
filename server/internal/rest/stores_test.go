package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/appstore"
	"github.com/cuatrola/cuatrola/server/internal/appstore/appstoretest"
	"github.com/cuatrola/cuatrola/server/internal/googleplay"
	"github.com/cuatrola/cuatrola/server/internal/googleplay/googleplaytest"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/shop"
)

// What the stores send, and what only looks like it, through the whole stack.
func TestStoresWebhooks(t *testing.T) {
	apple, play := appstoretest.New(t, time.Now), googleplaytest.New(t, time.Now)
	account, err := serviceaccount.Read(play.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	appleCounter := appstore.New(appstore.Options{Roots: apple.Chain.Pool(), Bundle: appstoretest.Bundle, Now: time.Now})
	playCounter, err := googleplay.New(googleplay.Options{
		Package: googleplaytest.Package, Credentials: account, URL: play.URL, Now: time.Now,
		Push: play.Issuer.Provider("push"), PushEmail: googleplaytest.Sender,
	})
	if err != nil {
		t.Fatal(err)
	}
	outcome, failure := "applied", error(nil)
	var taken []shop.Event
	take := func(e shop.Event, err error) (string, error) {
		if err != nil {
			return "", err
		}
		taken = append(taken, e)
		return outcome, failure
	}
	w := newWorld(t, store.SQLite, func(o *rest.Options) {
		o.Webhooks = map[string]rest.Webhook{
			"apple": func(ctx context.Context, body []byte, _ func(string) string) (string, error) {
				return take(appleCounter.Notification(ctx, body))
			},
			"google": func(ctx context.Context, body []byte, header func(string) string) (string, error) {
				return take(playCounter.Notification(ctx, header("Authorization"), body))
			},
		}
	})
	const ana = "0198f1c2-0000-7000-8000-00000000000a"
	apple.Sell("coins", ana, nil)
	play.Sell("coins", ana, nil)
	type sent struct {
		name string
		good request
		bad  map[string][]request // by code
	}
	send := func(name string, body []byte) request {
		r := request{method: "POST", path: "/v1/webhooks/" + name, body: body, header: map[string]string{}}
		if name == "google" {
			r.header["Authorization"] = play.Authorization()
		}
		return r
	}
	stranger := send("google", play.Told()[0])
	stranger.header["Authorization"] = "Bearer " + play.Issuer.Token("1", "", map[string]any{"email": "ana@example.org", "email_verified": true})
	nobody := send("google", play.Told()[0])
	delete(nobody.header, "Authorization")
	for _, s := range []sent{
		{"apple", send("apple", apple.Told()[0]), map[string][]request{
			"webhook_signature": {send("apple", appstoretest.New(t, time.Now).Notification("TEST", "", "", nil, nil)), send("apple", appstoretest.Body("x"))},
			"webhook_mode":      {send("apple", apple.Notification("TEST", "", "", appstoretest.Object{"data": appstoretest.Object{"bundleId": "org.other"}}, nil))},
			"invalid_request":   {send("apple", nil), send("apple", []byte("{}"))},
		}},
		{"google", send("google", play.Told()[0]), map[string][]request{
			"webhook_signature": {stranger, nobody},
			"webhook_mode":      {send("google", play.Message(googleplaytest.Object{"packageName": "org.other"}))},
			"invalid_request":   {send("google", nil), send("google", []byte("{}"))},
		}},
	} {
		for _, word := range []string{"applied", "ignored", "refused"} {
			outcome = word
			if a := w.send(s.good); a.status != http.StatusOK || string(a.body) != fmt.Sprintf(`{"outcome":%q}`, word) {
				t.Errorf("%s: %d %s", s.name, a.status, a.body)
			}
		}
		if e := taken[len(taken)-1]; string(e.Provider) != s.name || e.Renewal == nil || e.Renewal.PlayerID != ana {
			t.Errorf("%s: %+v", s.name, e)
		}
		many := len(taken)
		for code, all := range s.bad {
			for _, r := range all {
				w.expect(http.StatusBadRequest, code, r)
			}
		}
		zipped := s.good
		zipped.header = map[string]string{"Content-Encoding": "gzip"}
		w.expect(http.StatusUnsupportedMediaType, "unsupported_encoding", zipped)
		head := fmt.Sprintf("POST /v1/webhooks/%s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.name, 1<<20+1)
		if a := w.raw(t, []byte(head)); a.status != http.StatusRequestEntityTooLarge || a.code() != "payload_too_large" {
			t.Errorf("%s: %d %s", s.name, a.status, a.body)
		}
		w.expect(http.StatusMethodNotAllowed, "method_not_allowed", request{method: "GET", path: "/v1/webhooks/" + s.name})
		// The contract's own examples are of the right form, and nobody's.
		for _, r := range w.requestExamples(s.name + "Webhook") {
			a := w.send(send(s.name, r))
			var p struct{ Code string }
			if err := json.Unmarshal(a.body, &p); err != nil || a.status != http.StatusBadRequest || !strings.HasPrefix(p.Code, "webhook_") && p.Code != "invalid_request" {
				t.Errorf("%s: %d %s", s.name, a.status, a.body)
			}
		}
		if len(taken) != many {
			t.Errorf("%s: %d events were taken that should not have been", s.name, len(taken)-many)
		}
		failure = fmt.Errorf("planted")
		w.expect(http.StatusInternalServerError, "internal", s.good)
		failure = nil
		off := newWorld(t, store.SQLite)
		off.expect(http.StatusUnprocessableEntity, "provider_disabled", s.good)
	}
	play.Answer(http.StatusBadGateway)
	w.expect(http.StatusServiceUnavailable, "unavailable", send("google", play.Told()[0]))
	for _, secret := range []string{"AO-J1Oy", strings.TrimPrefix(play.Authorization(), "Bearer ")[:40], "access-token"} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}
