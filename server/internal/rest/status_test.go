package rest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/words"
)

// What is stopped is told to everybody, and refused in the words of whoever asks.
func TestStopped(t *testing.T) {
	w := newWorld(t, store.SQLite)
	ana, _ := w.guest("Ana")
	w.send(request{method: "PATCH", path: "/v1/me", token: ana, body: `{"language":"ca"}`})

	status := func() rest.Status {
		var s rest.Status
		w.send(request{method: "GET", path: "/v1/status"}).into(t, &s)
		return s
	}
	if got := status(); len(got.Stopped) != 0 {
		t.Errorf("%+v", got)
	}
	until := w.now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	for _, part := range halt.Parts {
		text := words.Words{ES: "es " + string(part), CA: "ca " + string(part), EN: "en " + string(part)}
		if _, _, err := w.halts.Set(t.Context(), halt.Switch{Part: part, Stopped: true, Text: text, Until: until}, 0, "eva"); err != nil {
			t.Fatal(err)
		}
	}
	if got := status(); len(got.Stopped) != len(halt.Parts) || got.Stopped[0].Until == nil || !got.Stopped[0].Until.Equal(until) {
		t.Errorf("%+v", got)
	}
	for part, r := range map[string]request{
		"queue":  {method: "POST", path: "/v1/queue", token: ana, body: `{}`},
		"stakes": {method: "POST", path: "/v1/queue", token: ana, body: `{"stake":100}`},
		"rooms":  {method: "POST", path: "/v1/rooms", token: ana, body: `{"rules":{"preset":"mesa"}}`},
		"shop": {
			method: "POST", path: "/v1/shop/orders", token: ana, body: `{"sku":"coins-1000","provider":"stripe","currency":"EUR"}`,
			header: map[string]string{"Idempotency-Key": "one"},
		},
		"sign_ups": {method: "POST", path: "/v1/guests", body: `{}`, header: map[string]string{"Accept-Language": "ca-ES,es;q=0.5"}},
	} {
		a := w.send(r)
		var p rest.Problem
		a.into(t, &p)
		if a.status != http.StatusServiceUnavailable || p.Code != "stopped" || p.Stopped == nil || string(p.Stopped.Part) != part || p.Detail != "ca "+part {
			t.Errorf("%s: %d %+v", part, a.status, p)
		}
		if got := a.header.Get("Retry-After"); got != "3600" && got != "3599" {
			t.Errorf("%s: Retry-After is %q", part, got)
		}
	}
	var shop rest.Shop
	w.send(request{method: "GET", path: "/v1/shop", token: ana}).into(t, &shop)
	for _, p := range shop.Providers {
		if p.On || p.Note == nil || p.Note.Ca != "ca shop" {
			t.Errorf("%+v", p)
		}
	}
}
