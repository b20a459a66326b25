package rest_test

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

// Every answer that the contract has for the shop is one that the server gives.
func TestShopContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		document := bytes.Replace(economy.Default(), []byte(`"sku": "starter",`), []byte(`"sku": "starter", "google": "starter", "until": "2999-01-01T00:00:00+01:00",`), 1)
		if _, err := w.economies.Publish(t.Context(), document, 1, time.Time{}, "eva", "the store"); err != nil {
			t.Fatal(err)
		}
		ana, _ := w.guest("Ana")
		ben, _ := w.guest("Ben")
		me := w.me(ana).ID
		order := func(body, key string) request {
			return request{method: "POST", path: "/v1/shop/orders", token: ana, body: body, header: map[string]string{"Idempotency-Key": key}}
		}
		receipt := func(token, provider, text string) request {
			return request{method: "POST", path: "/v1/shop/receipts", token: token, body: map[string]string{"provider": provider, "receipt": text}}
		}

		var s rest.Shop
		w.send(request{method: "GET", path: "/v1/shop", token: ana}).into(t, &s)
		starter := s.Offers[len(s.Offers)-1]
		if len(s.Offers) != 5 || s.Offers[0].Title.Ca != "1.000 monedes" || s.Offers[0].Prices[0] != (rest.Price{Currency: "EUR", Amount: 199, Decimals: 2}) ||
			s.Offers[0].Limit != nil || *s.Offers[3].Renews != "month" || *starter.Left != 1 || *starter.Google != "starter" || starter.Until == nil || starter.Apple != nil {
			t.Errorf("the shop: %+v", s)
		}
		if len(s.Providers) != 3 || !s.Providers[0].On || s.Providers[0].Note != nil || s.Providers[1].On || s.Providers[1].Note.Es == "" || !s.Providers[2].On {
			t.Errorf("providers: %+v", s.Providers)
		}

		for _, r := range w.requestExamples("createOrder") {
			w.expect(http.StatusCreated, "", order(string(r), "example"))
		}
		var b, again rest.BegunOrder
		first := order(`{"sku":"coins-1000","provider":"stripe","currency":"EUR","sheet":"2023-10-16"}`, "one")
		w.send(first).into(t, &b)
		if b.Order.Status != "pending" || b.Order.Text.En != "Waiting for payment" || (*b.Client)["url"] == "" || b.Order.PaidAt != nil || !b.Order.Live {
			t.Errorf("begun: %+v", b)
		}
		a := w.send(first)
		if a.into(t, &again); again.Order.ID != b.Order.ID || a.header.Get("Idempotency-Replayed") != "true" || again.Client == nil {
			t.Errorf("begun again: %+v", again)
		}
		w.expect(http.StatusConflict, "idempotency_conflict", order(`{"sku":"coins-6000","provider":"stripe","currency":"EUR"}`, "one"))
		w.expect(http.StatusUnprocessableEntity, "not_for_sale", order(`{"sku":"nothing","provider":"stripe","currency":"EUR"}`, "two"))
		w.expect(http.StatusUnprocessableEntity, "not_for_sale", order(`{"sku":"coins-1000","provider":"stripe","currency":"JPY"}`, "two"))
		w.expect(http.StatusCreated, "", order(`{"sku":"starter","provider":"stripe","currency":"EUR"}`, "two"))
		w.expect(http.StatusConflict, "purchase_limit", order(`{"sku":"starter","provider":"stripe","currency":"EUR"}`, "three"))
		w.expect(http.StatusBadRequest, "invalid_request", order(`{"sku":"coins-1000","provider":"apple","currency":"EUR"}`, "three"))
		w.expect(http.StatusBadRequest, "invalid_request", request{
			method: "POST", path: "/v1/shop/orders", token: ana, body: `{"sku":"coins-1000","provider":"stripe","currency":"EUR"}`,
		})
		off := newWorld(t, kind, func(o *rest.Options) { o.Shop = shop.New(w.store, w.economies, w.store, w.now, &w.random) })
		stranger, _ := off.guest("Eva")
		closed := order(`{"sku":"coins-1000","provider":"stripe","currency":"EUR"}`, "one")
		closed.token = stranger
		off.expect(http.StatusUnprocessableEntity, "provider_disabled", closed)
		maps.Copy(w.seen, off.seen)

		// Paid, and all of it asked back.
		paid := w.till.Pay(b.Order.ID)
		if _, err := w.shop.Told(t.Context(), paid); err != nil {
			t.Fatal(err)
		}
		w.send(first).into(t, &again)
		if again.Client != nil || again.Order.Status != "granted" || again.Order.PaidAt == nil {
			t.Errorf("paid: %+v", again)
		}
		if p := w.wallet(ana); p.Coins != 1500 {
			t.Errorf("%d coins", p.Coins)
		}
		if _, err := w.shop.Refund(t.Context(), b.Order.ID, 0, "did not mean to", "eva"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.shop.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		var r rest.OrderReceipt
		one := request{method: "GET", path: "/v1/shop/orders/" + b.Order.ID, token: ana}
		w.send(one).into(t, &r)
		if r.Status != "reversed" || r.TakenBack != 199 || len(r.History) != 5 || r.History[2].What != "paid" || r.History[2].Given.Coins != 1000 ||
			r.History[3].Text.Es != "Devolución pedida" || r.History[4].Amount != 199 || r.History[4].Given.Coins != -1000 {
			t.Errorf("the receipt: %+v", r)
		}
		if strings.Contains(string(w.send(one).body), "eva") {
			t.Error("the receipt names the operator")
		}
		one.token = ben
		w.expect(http.StatusNotFound, "not_found", one)

		var page rest.OrderPage
		w.send(request{method: "GET", path: "/v1/shop/orders?limit=2", token: ana}).into(t, &page)
		if len(page.Orders) != 2 || page.NextCursor == nil {
			t.Fatalf("the first page: %+v", page)
		}
		w.send(request{method: "GET", path: "/v1/shop/orders?cursor=" + *page.NextCursor, token: ana}).into(t, &page)
		if len(page.Orders) != 1 || page.NextCursor != nil {
			t.Errorf("the rest: %+v", page)
		}
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/shop/orders?limit=0", token: ana})

		// A store's receipt.
		bought, _ := w.play.Sell("starter", me, "", shop.Money{Amount: 229, Currency: "EUR"})
		var o rest.Order
		w.send(receipt(ana, "google", bought)).into(t, &o)
		if o.Status != "granted" || o.Price.Amount != 229 || o.Given.Coins != 1500 || o.Given.Boosters != 1 || o.Provider != "google" {
			t.Errorf("redeemed: %+v", o)
		}
		w.expect(http.StatusOK, "", receipt(ana, "google", bought))
		w.expect(http.StatusConflict, "purchase_of_another", receipt(ben, "google", bought))
		w.expect(http.StatusUnprocessableEntity, "invalid_receipt", receipt(ana, "google", "made up"))
		w.expect(http.StatusUnprocessableEntity, "provider_disabled", receipt(ana, "apple", bought))
		strange, _ := w.play.Sell("strange", me, "", shop.Money{})
		w.expect(http.StatusUnprocessableEntity, "not_for_sale", receipt(ana, "google", strange))
		waits, _ := w.play.Sell("starter", me, "", shop.Money{})
		w.play.Hold(waits)
		w.expect(http.StatusConflict, "not_paid", receipt(ana, "google", waits))
		if p := w.wallet(ana); p.Coins != 500+1500 || p.Booster.Held != 1 {
			t.Errorf("in the end: %+v", p)
		}

		// What renews, until it is not to.
		w.send(order(`{"sku":"vip-monthly","provider":"stripe","currency":"EUR"}`, "vip")).into(t, &b)
		if _, err := w.shop.Told(t.Context(), w.till.Pay(b.Order.ID)); err != nil {
			t.Fatal(err)
		}
		stop := request{method: "DELETE", path: "/v1/shop/orders/" + b.Order.ID + "/renewal", token: ben}
		w.expect(http.StatusNotFound, "not_found", stop)
		stop.token = ana
		if !w.till.Renews(b.Order.ID) {
			t.Error("it does not renew")
		}
		for range 2 {
			w.expect(http.StatusNoContent, "", stop)
		}
		w.send(request{method: "GET", path: "/v1/shop/orders/" + b.Order.ID, token: ana}).into(t, &r)
		if last := r.History[len(r.History)-1]; w.till.Renews(b.Order.ID) || last.What != "renewal_stopped" || r.History[len(r.History)-2].What != "paid" {
			t.Errorf("what does not renew any more: %+v", r.History)
		}
		w.expect(http.StatusConflict, "not_renewing", request{method: "DELETE", path: "/v1/shop/orders/" + again.Order.ID + "/renewal", token: ana})
		w.expect(http.StatusConflict, "not_renewing", request{method: "DELETE", path: "/v1/shop/orders/" + o.ID + "/renewal", token: ana})
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "DELETE", path: "/v1/shop/orders/x/renewal", token: ana})

		w.refusals(
			ana, request{method: "DELETE", path: "/v1/shop/orders/" + nobody + "/renewal"},
			request{method: "GET", path: "/v1/shop"}, request{method: "GET", path: "/v1/shop/orders"},
			request{method: "POST", path: "/v1/shop/orders", body: `{}`}, request{method: "POST", path: "/v1/shop/receipts", body: `{}`},
			request{method: "GET", path: "/v1/shop/orders/" + nobody},
		)
		w.allSeen("shop")
	})
}

// Coins are bought, spent and asked back: what is owed keeps its player from staked
// tables until coins have come in that pay it.
func TestDebtKeepsFromStakes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ana := w.friend("Ana")
		var b rest.BegunOrder
		w.send(request{
			method: "POST", path: "/v1/shop/orders", token: ana.token, body: `{"sku":"coins-1000","provider":"stripe","currency":"EUR"}`,
			header: map[string]string{"Idempotency-Key": "one"},
		}).into(t, &b)
		told := func(e shop.Event) {
			t.Helper()
			if outcome, err := w.shop.Told(t.Context(), e); err != nil || outcome != shop.Applied {
				t.Fatal(outcome, err)
			}
		}
		has := func(coins, debt int64) {
			t.Helper()
			if p := w.wallet(ana.token); p.Coins != coins || p.Debt != debt {
				t.Errorf("%d coins, %d owed; want %d, %d", p.Coins, p.Debt, coins, debt)
			}
		}
		w.wallet(ana.token) // which brings the welcome grant
		told(w.till.Pay(b.Order.ID))
		for _, key := range []string{"one", "two", "three"} {
			w.expect(http.StatusOK, "", request{
				method: "POST", path: "/v1/wallet/purchases", token: ana.token, body: `{"item":"booster"}`, header: map[string]string{"Idempotency-Key": key},
			})
		}
		has(300, 0)
		dispute := w.till.Dispute(b.Order.ID, false)
		told(dispute)
		has(0, 700)
		w.expect(http.StatusConflict, "in_debt", ana.queue(`{"stake":100}`))
		w.expect(http.StatusOK, "", request{method: "POST", path: "/v1/wallet/daily", token: ana.token})
		has(0, 650)
		w.expect(http.StatusConflict, "in_debt", ana.queue(`{"stake":100}`))
		told(w.till.Dispute(b.Order.ID, true))
		has(350, 0)
		ana.enters(`{"stake":100}`)
		if found, err := w.store.CheckLedger(t.Context(), 10); err != nil || len(found) > 0 {
			t.Errorf("the ledger does not add up: %+v, %v", found, err)
		}
	})
}
