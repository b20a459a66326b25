package panel_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/shop/shoptest"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// newPlayer signs one up.
func (w *world) newPlayer(name string) string {
	w.t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		w.t.Fatal(err)
	}
	p := account.Player{ID: id.String(), Name: name, Guest: true, Avatar: "RO", Language: "ca", CreatedAt: w.now()}
	hash := sha256.Sum256([]byte(p.ID))
	d := account.Device{ID: p.ID, PlayerID: p.ID, SecretHash: hash, CreatedAt: w.now()}
	if err := w.store.CreateGuest(w.t.Context(), p, d, account.Session{ID: p.ID, PlayerID: p.ID, TokenHash: hash, CreatedAt: w.now(), UsedAt: w.now()}); err != nil {
		w.t.Fatal(err)
	}
	return p.ID
}

// operation is what the orders, the switches and the broadcasts are made of.
type operation struct {
	shop       *shop.Service
	till       *shoptest.Till
	halts      *halt.Service
	broadcasts *broadcast.Service
	woken      int
}

func (a *operation) bring(w *world, o *panel.Options) {
	economies := economy.NewService(w.store, w.now)
	if err := economies.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	a.till = shoptest.NewTill(w.now)
	a.shop = shop.New(w.store, economies, w.store, w.now, rand.Reader, shop.WithTill(shop.Stripe, a.till), shop.WithCounter(shop.Google, shoptest.NewCounter(shop.Google, w.now)))
	a.halts = halt.New(w.store, w.now, func() {})
	a.broadcasts = broadcast.New(broadcast.Options{
		Store: w.store, Economy: economies, Now: w.now, Random: rand.Reader,
		Spread: func(context.Context, []notice.Notice) error { return nil }, Wake: func() { a.woken++ },
	})
	o.Shop, o.Names, o.Balance, o.Halts, o.Broadcasts = a.shop, w.store.PlayerNames, w.store.Balance, a.halts, a.broadcasts
}

// actions are what the trail has about a subject, oldest first, each with its outcome.
func (w *world) actions(kind, id string) string {
	w.t.Helper()
	var all []string
	for _, e := range w.trailOf(kind, id) {
		all = append([]string{e.Action + " " + string(e.Outcome)}, all...)
	}
	return strings.Join(all, ", ")
}

// An order is found, given back in part and whole, and its renewal ended; whoever did
// it stands in its history and in the trail.
func TestOrders(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		var a operation
		w := newWorld(t, kind, a.bring)
		sofia, viewer := w.as(staff.Support), w.as(staff.Viewer)
		ana := w.newPlayer("Ana")
		buy := func(sku, key string) *shop.Order {
			t.Helper()
			o, _, _, err := a.shop.Begin(t.Context(), ana, key, shop.Wish{SKU: sku, Provider: shop.Stripe, Currency: "EUR"})
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		told := func(e shop.Event) {
			t.Helper()
			if _, err := a.shop.Told(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		o := buy("coins-1000", "one")
		told(a.till.Pay(o.ID))
		unpaid := buy("coins-1000", "two")

		list := func(query string) panel.StaffOrderPage {
			t.Helper()
			var page panel.StaffOrderPage
			viewer.must(http.StatusOK, "GET", "/admin/v1/orders"+query, nil).into(t, &page)
			return page
		}
		first := list("?limit=1")
		if len(first.Orders) != 1 || first.NextCursor == nil || first.Orders[0].ID != unpaid.ID || first.Orders[0].Player.Name != "Ana" {
			t.Errorf("%+v", first)
		}
		if got := list("?limit=1&cursor=" + *first.NextCursor); len(got.Orders) != 1 || got.NextCursor != nil || got.Orders[0].ID != o.ID {
			t.Errorf("%+v", got)
		}
		for query, want := range map[string]int{"?search=Ana": 2, "?search=" + ana: 2, "?search=Bea": 0, "?status=granted": 1, "?search=Ana&status=granted": 1, "?search=%20": 2, "?search=Ana&status=failed": 0} {
			if got := list(query); len(got.Orders) != want {
				t.Errorf("%s: %d orders, want %d", query, len(got.Orders), want)
			}
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/orders?status=lost", nil)
		at := "/admin/v1/orders/" + o.ID
		detail := func() (d panel.StaffOrderDetail) {
			t.Helper()
			viewer.must(http.StatusOK, "GET", at, nil).into(t, &d)
			return d
		}
		d := detail()
		if d.Coins != 1000 || d.Debt != 0 || d.Refundable != o.Price.Amount || d.Renewal || len(d.History) != 3 || len(d.Events) != 1 || d.Events[0].Outcome != "applied" {
			t.Errorf("%+v", d)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/orders/none", nil)
		const nobodys = "01890a5d-ac96-774b-bcce-b302099a8060"
		viewer.refused(http.StatusNotFound, "not_found", "GET", "/admin/v1/orders/"+nobodys, nil)

		refund := func(total int64) map[string]any { return map[string]any{"total": total, "reason": "Bought it twice."} }
		viewer.refused(http.StatusForbidden, "forbidden", "POST", at+"/refund", refund(1))
		sofia.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/refund", map[string]any{"total": 1, "reason": " "})
		sofia.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/refund", refund(0))
		sofia.refused(http.StatusConflict, "not_refundable", "POST", at+"/refund", refund(o.Price.Amount+1))
		sofia.refused(http.StatusConflict, "not_refundable", "POST", "/admin/v1/orders/"+unpaid.ID+"/refund", refund(1))
		sofia.refused(http.StatusNotFound, "not_found", "POST", "/admin/v1/orders/"+nobodys+"/refund", refund(1))
		if err := w.store.Atomically(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		sofia.must(http.StatusOK, "POST", at+"/refund", refund(99)).into(t, &d)
		if last := d.History[len(d.History)-1]; last.What != "refund_requested" || last.Actor != sofia.member.Name || *last.Reason != "Bought it twice." || last.Amount != 99 {
			t.Errorf("%+v", last)
		}
		var found panel.Reconciled
		sofia.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/provider-events/reconcile", map[string]any{"reason": " "})
		sofia.must(http.StatusOK, "POST", "/admin/v1/provider-events/reconcile", map[string]any{"reason": "Is it there yet?"}).into(t, &found)
		if found.Missed != 1 {
			t.Errorf("%+v", found)
		}
		if d = detail(); d.Order.TakenBack != 99 || d.Order.Status != "partly_reversed" || d.Refundable != o.Price.Amount-99 {
			t.Errorf("%+v", d)
		}
		// Spent meanwhile: the rest is owed.
		spend, err := wallet.New(uuid.NewString(), "spent", wallet.KindRefund, w.now(), wallet.Move(wallet.Player(ana), wallet.Sales, d.Coins)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.store.Post(t.Context(), spend); err != nil {
			t.Fatal(err)
		}
		sofia.must(http.StatusOK, "POST", at+"/refund", refund(o.Price.Amount))
		sofia.must(http.StatusOK, "POST", "/admin/v1/provider-events/reconcile", map[string]any{"reason": "Is it there yet?"})
		if d = detail(); d.Order.Status != "reversed" || d.Coins != 0 || d.Debt <= 0 || d.Refundable != 0 {
			t.Errorf("%+v", d)
		}
		want := strings.Repeat("orders.refund asked, orders.refund failed, ", 1) + "orders.refund asked, orders.refund done, orders.refund asked, orders.refund done"
		if got := w.actions("order", o.ID); got != want {
			t.Errorf("the trail has %s", got)
		}
		if got := w.trailOf("order", o.ID)[0]; got.Actor.ID != sofia.member.ID || got.Reason != "Bought it twice." {
			t.Errorf("%+v", got)
		}

		// What is paid again and again.
		club := buy("vip-monthly", "three")
		told(a.till.Pay(club.ID))
		clubs := "/admin/v1/orders/" + club.ID
		viewer.must(http.StatusOK, "GET", clubs, nil).into(t, &d)
		if !d.Renewal {
			t.Errorf("%+v", d)
		}
		why := map[string]any{"reason": "Asked for it by mail."}
		sofia.must(http.StatusOK, "POST", clubs+"/end-renewal", why).into(t, &d)
		if d.Renewal || a.till.Renews(club.ID) || d.History[len(d.History)-1].Actor != sofia.member.Name {
			t.Errorf("%+v", d)
		}
		sofia.refused(http.StatusConflict, "not_renewing", "POST", at+"/end-renewal", why)
		sofia.refused(http.StatusNotFound, "not_found", "POST", "/admin/v1/orders/"+nobodys+"/end-renewal", why)
		sofia.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/end-renewal", map[string]any{})

		// A payment that does not fit stands in the inbox.
		wrong := a.till.Pay(unpaid.ID)
		wrong.Fact.Money.Amount++
		told(wrong)
		told(shop.Event{Provider: shop.Stripe, ID: "evt_0", Kind: "customer.created", At: w.now()})
		inbox := func(query string) (page panel.ProviderEventPage) {
			t.Helper()
			viewer.must(http.StatusOK, "GET", "/admin/v1/provider-events"+query, nil).into(t, &page)
			return page
		}
		if got := inbox(""); len(got.Events) != 1 || *got.Events[0].Code != "payment_mismatch" || *got.Events[0].OrderID != unpaid.ID {
			t.Errorf("%+v", got)
		}
		if got := inbox("?outcome=ignored"); len(got.Events) != 1 || got.Events[0].ID != "evt_0" {
			t.Errorf("%+v", got)
		}
		seen, cursor := map[string]bool{}, ""
		for {
			page := inbox("?outcome=applied&limit=1" + cursor)
			seen[page.Events[0].ID] = true
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + *page.NextCursor
		}
		if len(seen) != len(inbox("?outcome=applied&limit=100").Events) || len(seen) < 4 {
			t.Errorf("%d events page by page", len(seen))
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/provider-events?cursor=abc", nil)
		// {"provider":"\\u0000"}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/provider-events?cursor=eyJwcm92aWRlciI6Ilx1MDAwMCJ9", nil)
		w.allSeen(append(common, "refundOrder 422 provider_disabled", "endOrderRenewal 422 provider_disabled"), "panel-orders")
	})
}

func TestSwitches(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		var a operation
		w := newWorld(t, kind, a.bring)
		sofia, viewer := w.as(staff.Support), w.as(staff.Viewer)
		list := func() panel.SwitchList {
			t.Helper()
			var all panel.SwitchList
			viewer.must(http.StatusOK, "GET", "/admin/v1/switches", nil).into(t, &all)
			return all
		}
		if got := list(); len(got.Switches) != len(halt.Parts) || got.Switches[0].Part != "shop" || got.Switches[0].Stopped {
			t.Errorf("%+v", got)
		}
		until := w.now().Add(time.Hour).UTC().Truncate(time.Millisecond)
		stop := map[string]any{
			"stopped": true, "version": 0, "until": until, "reason": "The provider has an outage.",
			"text": map[string]string{"es": "Volvemos.", "ca": "Tornem.", "en": "Back soon."},
		}
		const at = "/admin/v1/switches/shop"
		viewer.refused(http.StatusForbidden, "forbidden", "PUT", at, stop)
		sofia.refused(http.StatusBadRequest, "invalid_request", "PUT", "/admin/v1/switches/all", stop)
		sofia.refused(http.StatusBadRequest, "invalid_request", "PUT", at, map[string]any{"stopped": true, "version": 0, "reason": "No words."})
		if a.halts.Check(halt.Shop) != nil {
			t.Error("it is stopped by a refusal")
		}
		var got, on panel.Switch
		sofia.must(http.StatusOK, "PUT", at, stop).into(t, &got)
		if !got.Stopped || got.Text.Ca != "Tornem." || !got.Until.Equal(until) || *got.By != sofia.member.Name || got.Version != 1 {
			t.Errorf("%+v", got)
		}
		if a.halts.Check(halt.Shop) == nil {
			t.Error("it is not stopped")
		}
		sofia.refused(http.StatusConflict, "switched_meanwhile", "PUT", at, stop)
		sofia.must(http.StatusOK, "PUT", at, map[string]any{"stopped": false, "version": 1, "reason": "They are back."}).into(t, &on)
		if on.Stopped || on.Text.Es != "Volvemos." || on.Until != nil || a.halts.Check(halt.Shop) != nil {
			t.Errorf("%+v", on)
		}
		if got := w.actions("switch", "shop"); got != "switches.stop done, switches.go-on done" {
			t.Errorf("the trail has %s", got)
		}
		if e := w.trailOf("switch", "shop")[0]; e.Reason != "They are back." || !strings.Contains(string(e.Before), `"stopped":true`) {
			t.Errorf("%+v", e)
		}
		w.allSeen(common, "panel-switches")
	})
}

func TestBroadcasts(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		var a operation
		w := newWorld(t, kind, a.bring)
		eva, sofia := w.as(staff.Economist), w.as(staff.Support)
		ana, bea := w.newPlayer("Ana"), w.newPlayer("Bea")
		const at = "/admin/v1/broadcasts"

		var options panel.BroadcastOptions
		sofia.must(http.StatusOK, "GET", "/admin/v1/broadcast-options", nil).into(t, &options)
		if len(options.Divisions) == 0 || len(options.Links) != len(notice.Links) {
			t.Errorf("%+v", options)
		}
		filter := map[string]any{
			"language": "ca", "levelFrom": 1, "levelTo": 5, "vip": false, "bought": false, "activeDays": 30,
			"registeredFrom": w.now().Add(-time.Hour), "players": []string{ana, bea},
		}
		var size panel.BroadcastPreview
		sofia.refused(http.StatusForbidden, "forbidden", "POST", at+"/preview", map[string]any{"filter": filter})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/preview", map[string]any{"filter": map[string]any{"division": "mud"}})
		eva.must(http.StatusOK, "POST", at+"/preview", map[string]any{"filter": filter}).into(t, &size)
		if size.Players != 2 || size.Languages.Ca != 2 || len(size.Some) != 2 || size.Some[0].Name != "Bea" {
			t.Errorf("%+v", size)
		}
		words := func(text string) map[string]string {
			return map[string]string{"es": text, "ca": text, "en": text}
		}
		wish := map[string]any{"title": words("T"), "text": words("t"), "link": "league", "filter": filter, "seen": 2, "reason": "The tournament."}
		keyed := func(key string, body map[string]any, change ...any) answer {
			t.Helper()
			all := map[string]any{}
			for name, value := range body {
				all[name] = value
			}
			for i := 0; i < len(change); i += 2 {
				all[change[i].(string)] = change[i+1]
			}
			return eva.sendWith("POST", at, all, map[string]string{"Idempotency-Key": key})
		}
		refused := func(status int, code string, a answer) {
			t.Helper()
			if a.status != status || a.code() != code {
				t.Errorf("%d %s, want %d %s", a.status, a.body, status, code)
			}
		}
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at, wish) // no key
		refused(http.StatusBadRequest, "invalid_request", keyed("one", wish, "title", words(" ")))
		refused(http.StatusBadRequest, "invalid_request", keyed("one", wish, "reason", " "))
		refused(http.StatusConflict, "audience_empty", keyed("one", wish, "filter", map[string]any{"language": "en"}))
		var b panel.Broadcast
		first := keyed("one", wish)
		first.into(t, &b)
		if first.status != http.StatusCreated || b.State != "sending" || b.Planned != 2 || b.Author != eva.member.Name || a.woken != 1 {
			t.Errorf("%d %+v", first.status, b)
		}
		again := keyed("one", wish)
		if again.status != http.StatusCreated || again.header.Get("Idempotency-Replayed") != "true" || a.woken != 1 {
			t.Errorf("%d %s", again.status, again.body)
		}
		refused(http.StatusConflict, "idempotency_conflict", keyed("one", wish, "link", "shop"))
		if err := a.broadcasts.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		sofia.must(http.StatusOK, "GET", at+"/"+b.ID, nil).into(t, &b)
		if b.State != "done" || b.Sent != 2 || b.EndedAt == nil || *b.Filter.Vip || *b.Filter.LevelTo != 5 || *b.Link != "league" {
			t.Errorf("%+v", b)
		}
		why := map[string]any{"reason": "A wrong day."}
		eva.refused(http.StatusConflict, "broadcast_over", "POST", at+"/"+b.ID+"/cancel", why)
		sofia.refused(http.StatusForbidden, "forbidden", "POST", at+"/"+b.ID+"/cancel", why)
		const nobodys = "01890a5d-ac96-774b-bcce-b302099a8060"
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/"+nobodys+"/cancel", why)
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/"+b.ID+"/cancel", map[string]any{"reason": " "})
		eva.refused(http.StatusNotFound, "not_found", "GET", at+"/"+nobodys, nil)
		eva.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/none", nil)

		var second panel.Broadcast
		keyed("two", wish, "filter", map[string]any{}).into(t, &second)
		eva.must(http.StatusOK, "POST", at+"/"+second.ID+"/cancel", why).into(t, &second)
		if second.State != "cancelled" || second.Sent != 0 {
			t.Errorf("%+v", second)
		}
		if got := w.actions("broadcast", second.ID); got != "broadcast.send done, broadcast.cancel done" {
			t.Errorf("the trail has %s", got)
		}
		for i := range 30 {
			w.newPlayer("P" + strings.Repeat("x", i))
		}
		refused(http.StatusConflict, "audience_grown", keyed("three", wish, "filter", map[string]any{}))
		var page panel.BroadcastPage
		sofia.must(http.StatusOK, "GET", at+"?limit=1", nil).into(t, &page)
		if len(page.Broadcasts) != 1 || page.Broadcasts[0].ID != second.ID || page.NextCursor == nil {
			t.Errorf("%+v", page)
		}
		sofia.must(http.StatusOK, "GET", at+"?limit=1&cursor="+*page.NextCursor, nil).into(t, &page)
		if len(page.Broadcasts) != 1 || page.Broadcasts[0].ID != b.ID {
			t.Errorf("%+v", page)
		}
		sofia.refused(http.StatusBadRequest, "invalid_request", "GET", at+"?limit=0", nil)
		w.allSeen(common, "panel-broadcast")
	})
}
