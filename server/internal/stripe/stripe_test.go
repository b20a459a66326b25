package stripe_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
	"github.com/cuatrola/cuatrola/server/shop"
)

// Keys and secrets that cannot be right stop the server, an empty secret before all:
// with it everybody could sign.
func TestCheck(t *testing.T) {
	good := stripe.Options{Key: "sk_live_hunter2", PublishableKey: "pk_live_x", Secrets: []string{"whsec_hunter2hunter2"}}
	if err := good.Check(); err != nil || !good.Live() {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*stripe.Options){
		"no key":             func(o *stripe.Options) { o.Key = "" },
		"publishable as key": func(o *stripe.Options) { o.Key = "pk_live_hunter2" },
		"modes mixed":        func(o *stripe.Options) { o.PublishableKey = "pk_test_x" },
		"no secret":          func(o *stripe.Options) { o.Secrets = nil },
		"an empty secret":    func(o *stripe.Options) { o.Secrets = []string{""} },
		"one of two empty":   func(o *stripe.Options) { o.Secrets = []string{"whsec_hunter2hunter2", ""} },
		"only the prefix":    func(o *stripe.Options) { o.Secrets = []string{"whsec_"} },
		"key as secret":      func(o *stripe.Options) { o.Secrets = []string{"sk_live_hunter2"} },
		"three secrets": func(o *stripe.Options) {
			o.Secrets = slices.Repeat([]string{"whsec_hunter2hunter2"}, 3)
		},
		"an address that is none": func(o *stripe.Options) { o.URL = "stripe" },
	} {
		o := good
		change(&o)
		_, err := stripe.New(o)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the secret is repeated: %v", name, err)
		}
	}
}

func TestSheet(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	begun := b.begin(o, sheet)
	intents := b.stripe.Objects("payment_intent")
	if len(intents) != 1 {
		t.Fatalf("%d intents", len(intents))
	}
	in := intents[0]
	if in["amount"] != json.Number("499") || in["currency"] != "eur" {
		t.Errorf("asked for %v %v", in["amount"], in["currency"])
	}
	if m := in["metadata"].(stripetest.Object); m["order"] != orderID || m["player"] != playerID {
		t.Errorf("metadata %v", m)
	}
	if begun.Reference != in["id"] || begun.Client["paymentIntentClientSecret"] != in["client_secret"] || begun.Client["publishableKey"] != b.stripe.PublishableKey {
		t.Errorf("%+v", begun)
	}
	// The key for the sheet is in the client's version, and handed on as it came.
	var key stripetest.Object
	if err := json.Unmarshal([]byte(begun.Client["ephemeralKey"]), &key); err != nil || key["rendered_for"] != sheet.SheetVersion || key["secret"] != begun.Client["ephemeralKeySecret"] {
		t.Errorf("%v %v", key, err)
	}
	for _, r := range b.stripe.Requests() {
		want := stripe.Version
		if r.Path == "/v1/ephemeral_keys" {
			want = sheet.SheetVersion
		}
		if got := r.Header.Get("Stripe-Version"); got != want {
			t.Errorf("%s in version %s", r.Path, got)
		}
		if r.Path == "/v1/payment_intents" && r.Header.Get("Idempotency-Key") != "pi:"+orderID {
			t.Errorf("key %q", r.Header.Get("Idempotency-Key"))
		}
	}
	if b.customers.Of(playerID) != begun.Client["customer"] {
		t.Errorf("remembered %q", b.customers.Of(playerID))
	}

	// Asked for again it is the same, whether we know its name by now or not.
	again := b.begin(o, sheet)
	o.Reference = ""
	third := b.begin(o, sheet)
	if again.Reference != begun.Reference || third.Reference != begun.Reference || len(b.stripe.Objects("payment_intent")) != 1 || len(b.stripe.Objects("customer")) != 1 {
		t.Errorf("%s, %s, %s", begun.Reference, again.Reference, third.Reference)
	}
}

func TestSheetRefused(t *testing.T) {
	b := newBench(t, true)
	for _, version := range []string{"", "latest", "2024-06-20\r\nX: y"} {
		how := sheet
		how.SheetVersion = version
		_, err := b.till.Begin(t.Context(), b.order(), how)
		wantCode(t, err, fault.InvalidRequest)
	}
	o := b.order()
	o.Renews = "month"
	_, err := b.till.Begin(t.Context(), o, sheet)
	wantCode(t, err, shop.CodeNotForSale)
	if n := len(b.stripe.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestPage(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	begun := b.begin(o, page)
	s := b.stripe.Objects("checkout.session")[0]
	for name, want := range map[string]any{
		"mode": "payment", "client_reference_id": orderID, "currency": "eur", "locale": "es", "customer": b.customers.Of(playerID),
		"success_url": "https://play.example/shop?checkout=done&from=menu&order=" + orderID,
		"cancel_url":  "https://play.example/shop?checkout=left&from=menu&order=" + orderID,
		"id":          begun.Reference, "url": begun.Client["url"], "amount_total": json.Number("499"),
	} {
		if s[name] != want {
			t.Errorf("%s is %v, want %v", name, s[name], want)
		}
	}
	if b.begin(o, page).Client["url"] != begun.Client["url"] {
		t.Error("asked for again, another page")
	}
	b.stripe.Expire(orderID)
	if url, ok := b.begin(o, page).Client["url"]; ok {
		t.Errorf("a page that is over: %q", url)
	}
}

func TestPageThatRenews(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	o.Renews = "year"
	how := page
	how.Language = "en"
	b.begin(o, how)
	s := b.stripe.Objects("checkout.session")[0]
	if s["mode"] != "subscription" || s["interval"] != "year" || s["locale"] != "en" {
		t.Errorf("%v", s)
	}
}

// Amounts are in the smallest unit there is: for yen that is the yen.
func TestZeroDecimal(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	o.Price = shop.Money{Amount: 800, Currency: "JPY"}
	b.begin(o, sheet)
	events := b.stripe.Pay(orderID)
	b.apply(o, events...)
	b.apply(o, b.stripe.Refund(orderID, 200)...)
	if in := b.stripe.Objects("payment_intent")[0]; in["amount"] != json.Number("800") || in["currency"] != "jpy" {
		t.Errorf("asked for %v %v", in["amount"], in["currency"])
	}
	if o.Status != shop.PartlyReversed || o.Due().Coins != 750 {
		t.Errorf("%s, %d coins due", o.Status, o.Due().Coins)
	}
}

// A customer that somebody has deleted at Stripe is made anew.
func TestCustomerGone(t *testing.T) {
	for name, how := range map[string]shop.Checkout{"sheet": sheet, "page": page} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, true)
			b.begin(b.order(), how)
			old := b.customers.Of(playerID)
			b.stripe.Delete(old)
			o := b.order()
			o.ID = "0198f1c2-0000-7000-8000-000000000002"
			b.begin(o, how)
			if now := b.customers.Of(playerID); now == old || now == "" {
				t.Errorf("the customer is %q", now)
			}
			// Asked for again, not knowing its name, in another language.
			reference := o.Reference
			o.Reference, how.Title = "", "1000 monedas"
			if b.begin(o, how); o.Reference != reference {
				t.Errorf("%s, and then %s", reference, o.Reference)
			}
		})
	}
}

// Two requests at once, and one whose answer is lost, make one payment.
func TestBeginAgain(t *testing.T) {
	b := newBench(t, true)
	b.stripe.Lose(1)
	var wait sync.WaitGroup
	references := make([]string, 4)
	for i := range references {
		wait.Go(func() {
			begun, err := b.till.Begin(t.Context(), b.order(), sheet)
			if err != nil {
				t.Error(err)
			}
			references[i] = begun.Reference
		})
	}
	wait.Wait()
	if slices.Sort(references); references[0] != references[3] || len(b.stripe.Objects("payment_intent")) != 1 || len(b.stripe.Objects("customer")) != 1 {
		t.Errorf("%v", references)
	}
}

func TestDown(t *testing.T) {
	b := newBench(t, true)
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusFound} {
		b.stripe.Fail(status, status, status)
		_, err := b.till.Begin(t.Context(), b.order(), sheet)
		wantCode(t, err, fault.Unavailable)
		b.stripe.Fail()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.till.Begin(ctx, b.order(), sheet)
	wantCode(t, err, fault.Unavailable)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	o := b.order()
	o.Transaction = "pi_1"
	b.stripe.Fail(500, 500)
	wantCode(t, b.till.Refund(t.Context(), o, 1, "x"), fault.Unavailable)
	b.stripe.Fail(500, 500)
	wantCode(t, b.till.Since(t.Context(), b.now, func(shop.Event) error { return nil }), fault.Unavailable)
}

// No error has a key, a secret, or what a client pays with, though Stripe's answers do.
func TestErrorsHaveNoSecrets(t *testing.T) {
	b := newBench(t, true)
	// Stripe would quote the key.
	other := b.newTill(func(o *stripe.Options) { o.Key = "sk_live_hunter2" })
	_, err := other.Begin(t.Context(), b.order(), sheet)
	wantCode(t, err, fault.Unavailable)
	if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "401") {
		t.Error(text)
	}
	// An answer that is refused with the client's secret and the key in its words.
	o := b.order()
	o.Price.Amount = 0
	_, err = b.till.Begin(t.Context(), o, sheet)
	wantCode(t, err, fault.Internal)
	if !strings.Contains(err.Error(), "parameter_invalid_integer") {
		t.Error(err)
	}
	for _, text := range []string{"sk_live_tests", "whsec_cuatrolaTests", "ek_live_abc", "pi_1_secret_2", "sk_live_****7890"} {
		if clean := b.till.Hide("bad " + text + "!"); clean != "bad …!" {
			t.Errorf("%q became %q", text, clean)
		}
	}
}

func paid(t *testing.T, b *bench) *shop.Order {
	t.Helper()
	o := b.order()
	b.begin(o, sheet)
	b.apply(o, b.stripe.Pay(orderID)...)
	if o.Status != shop.Granted {
		t.Fatalf("the order is %s", o.Status)
	}
	return o
}

// A refund is given so that so much was given back in all, however often it is asked
// for, and whoever else gave back some.
func TestRefund(t *testing.T) {
	b := newBench(t, true)
	o := paid(t, b)
	give := func(total int64) {
		t.Helper()
		if err := b.till.Refund(t.Context(), o, total, "a player's wish"); err != nil {
			t.Fatal(err)
		}
	}
	has := func(want int64) {
		t.Helper()
		if got := b.stripe.Has(orderID); got != want {
			t.Errorf("Stripe has %d, want %d", got, want)
		}
	}
	give(100)
	give(100)
	has(399)
	b.stripe.Refund(orderID, 50) // from the dashboard
	give(150)
	has(349)
	give(200)
	has(299)
	// Its answer is lost, and the request repeated.
	b.stripe.Lose(1)
	give(300)
	has(199)
	// The newest comes back from the bank, and is given again.
	failed := b.stripe.FailRefund(orderID)
	has(299)
	b.apply(o, b.stripe.Events()...)
	if back := o.TakenBack(); back != 200 {
		t.Errorf("%d are taken back", back)
	}
	if len(failed) != 1 {
		t.Errorf("%d events", len(failed))
	}
	give(300)
	has(199)
	give(499)
	has(0)
	for _, r := range b.stripe.Objects("refund") {
		if m := r["metadata"].(stripetest.Object); m["order"] != nil && (m["order"] != orderID || m["reason"] != "a player's wish") {
			t.Errorf("metadata %v", m)
		}
	}
}

func TestRefundsAtOnce(t *testing.T) {
	b := newBench(t, true)
	o := paid(t, b)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			err := b.till.Refund(t.Context(), o, int64(100+100*(i%2)), "x")
			if code := fault.CodeOf(err); code != "" && code != fault.Unavailable {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if has := b.stripe.Has(orderID); has != 399 && has != 299 {
		t.Errorf("Stripe has %d", has)
	}
}

func TestRefundRefused(t *testing.T) {
	b := newBench(t, true)
	o := paid(t, b)
	refuse := func(o *shop.Order, amount int64) {
		t.Helper()
		wantCode(t, b.till.Refund(t.Context(), o, amount, "x"), shop.CodeRefund)
	}
	refuse(o, 500)
	refuse(o, 0)
	refuse(&shop.Order{ID: orderID, Price: o.Price}, 1)
	b.stripe.Dispute(orderID, false)
	refuse(o, 100)
	if has := len(b.stripe.Objects("refund")); has != 0 {
		t.Errorf("%d refunds", has)
	}
}

func TestStopRenewing(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	o.Renews = "month"
	b.begin(o, page)
	b.apply(o, b.stripe.Pay(orderID)...)
	if o.Subscription == "" {
		t.Fatal("no subscription")
	}
	for range 2 {
		if err := b.till.StopRenewing(t.Context(), o.Subscription); err != nil {
			t.Fatal(err)
		}
	}
	if b.stripe.Objects("subscription")[0]["cancel_at_period_end"] != true {
		t.Error("it renews")
	}
	b.stripe.EndSubscription(orderID)
	wantCode(t, b.till.StopRenewing(t.Context(), o.Subscription), fault.NotFound)
}

// With the player the customer goes, and what would still be taken from them.
func TestForget(t *testing.T) {
	b := newBench(t, true)
	o := b.order()
	o.Renews = "month"
	b.begin(o, page)
	b.stripe.Pay(orderID)
	b.customers.Erase(playerID)
	b.stripe.Lose(1)
	for range 2 {
		if err := b.till.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := b.customers.Ownerless(t.Context(), true, 1); len(left) != 0 || len(b.stripe.Objects("customer")) != 0 {
		t.Errorf("%v", left)
	}
	if b.stripe.Objects("subscription")[0]["status"] != "canceled" {
		t.Error("the subscription goes on")
	}
}

// What Since reads is what the webhooks told, oldest first, over pages and gaps.
func TestSince(t *testing.T) {
	b := newBench(t, true)
	began := b.now
	o := paid(t, b)
	for range 130 {
		b.now = b.now.Add(7 * time.Minute)
		b.stripe.Refund(orderID, 1)
	}
	b.now = b.now.Add(20 * time.Hour)
	b.stripe.Dispute(orderID, false)
	var want []string
	for _, e := range b.stripe.Events() {
		if slices.Contains(stripe.Kinds, e.Type) {
			want = append(want, e.ID)
		}
	}
	var got []string
	again := b.order()
	if err := b.till.Since(t.Context(), began, func(e shop.Event) error {
		got = append(got, e.ID)
		return again.Apply(e.Fact)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d events, want %d", len(got), len(want))
	}
	b.apply(o, b.stripe.Events()...)
	if again.TakenBack() != 499 || len(again.Reversals) != 2 || o.TakenBack() != 499 {
		t.Errorf("%+v", again.Reversals)
	}
	stop := errors.New("enough")
	if err := b.till.Since(t.Context(), began, func(shop.Event) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// Lists have events in the account's own version. Read as ours they would say something
// else; the object itself is asked for instead.
func TestSinceInAnotherVersion(t *testing.T) {
	b := newBench(t, true)
	b.stripe.SetVersion("2019-05-16")
	began := b.now
	o := b.order()
	b.begin(o, page)
	b.stripe.Pay(orderID)
	b.stripe.Refund(orderID, 99)
	b.stripe.Refund(orderID, 100)
	b.stripe.FailRefund(orderID)
	b.now = b.now.Add(time.Minute)
	b.stripe.Dispute(orderID, false)
	b.stripe.Decide(orderID, true)
	if err := b.till.Since(t.Context(), began, func(e shop.Event) error { return o.Apply(e.Fact) }); err != nil {
		t.Fatal(err)
	}
	if o.Status != shop.PartlyReversed || o.TakenBack() != 99 || o.Price.Amount-o.TakenBack() != b.stripe.Has(orderID) {
		t.Errorf("%s, %d taken back", o.Status, o.TakenBack())
	}
}
