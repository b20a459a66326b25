package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
)

// An operator finds an order, gives its money back and looks at what did not fit,
// beside a running server.
func TestShopCommands(t *testing.T) {
	account := stripetest.New(t, time.Now, true)
	c := settings(t)
	c.Shop = config.Shop{OrderTTL: time.Hour, Stripe: config.Stripe{
		SecretKey: account.Key, PublishableKey: account.PublishableKey, WebhookSecrets: []string{stripetest.Secret}, APIURL: account.URL,
	}}
	stop := start(t, c)
	ctx, hook := t.Context(), "http://"+c.Listen+"/v1/webhooks/stripe"
	player, err := client.SignUp(ctx, "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := player.Order(ctx, "one", "coins-1000", "EUR")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"CUATROLA_DATA_DIR": c.DataDir, "CUATROLA_STRIPE_SECRET_KEY": account.Key, "CUATROLA_STRIPE_WEBHOOK_SECRETS": stripetest.Secret,
		"CUATROLA_STRIPE_API_URL": account.URL,
	} {
		t.Setenv(name, value)
	}
	shop := func(status int, want string, args ...string) string {
		t.Helper()
		got := run(t, "", append([]string{"shop"}, args...)...)
		if got.status != status || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
		return got.stdout
	}
	has := func(coins, debt int64) {
		t.Helper()
		var purse struct{ Coins, Debt int64 }
		text, err := player.Get(ctx, "/v1/wallet")
		if err == nil {
			err = json.Unmarshal(text, &purse)
		}
		if err != nil || purse.Coins != coins || purse.Debt != debt {
			t.Errorf("%d coins, %d owed, %v; want %d and %d", purse.Coins, purse.Debt, err, coins, debt)
		}
	}
	// Told with another amount first, then as it is.
	paid := account.Pay(o.ID)
	for _, e := range paid {
		account.Send(hook, e.With(func(event, object stripetest.Object) {
			event["id"] = "evt_altered" + event["id"].(string)[4:]
			for _, name := range []string{"amount", "amount_received", "amount_total"} {
				if _, has := object[name]; has {
					object[name] = 198
				}
			}
		}))
	}
	has(500, 0)
	shop(0, "payment_mismatch", "events", "--refused")
	shop(0, `"code":"payment_mismatch"`, "events", "--json")
	shop(0, "which had been missed", "reconcile") // Stripe has told of the payment, and nobody listened
	has(1500, 0)
	shop(0, `"missed":0,`, "reconcile", "--json")

	shop(0, o.ID, "orders", "--search", o.ID)
	shop(0, "1.99 EUR", "orders", "--search", o.ID)
	shop(0, `"status":"granted"`, "orders", "--search", o.ID, "--json")
	shop(0, "refused by stripe", "order", o.ID)
	shop(1, "not_found", "order", "00000000-0000-7000-8000-000000000000")
	shop(1, "not_refundable", "refund", o.ID, "--amount", "200", "--author", "eva", "--reason", "asked")
	shop(80, "reason", "refund", o.ID, "--amount", "100", "--author", "eva")
	shop(0, "asked", "refund", o.ID, "--amount", "100", "--author", "eva", "--reason", "asked")
	for _, e := range account.Events()[len(paid):] {
		if status, body := account.Send(hook, e); status != http.StatusOK {
			t.Errorf("%d %s", status, body)
		}
	}
	has(1500-502, 0)
	shop(0, "refund_requested by eva", "order", o.ID)
	shop(0, `"reason":"asked"`, "order", o.ID, "--json")
	shop(0, `"status":"partly_reversed"`, "orders", "--search", o.ID, "--json")
	if text, err := player.Get(ctx, "/v1/shop/orders/"+o.ID); err != nil || strings.Contains(string(text), "eva") {
		t.Errorf("the receipt: %s, %v", text, err)
	}
	if got := run(t, "", "ledger", "check"); got.status != 0 {
		t.Errorf("%+v", got)
	}
	// Without its keys, Stripe is off and the rest works.
	t.Setenv("CUATROLA_STRIPE_SECRET_KEY", "")
	t.Setenv("CUATROLA_STRIPE_WEBHOOK_SECRETS", "")
	shop(1, "provider_disabled", "refund", o.ID, "--author", "eva", "--reason", "asked")
	shop(0, o.ID, "order", o.ID)
	if err := stop(); err != nil {
		t.Error(err)
	}
}
