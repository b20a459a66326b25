package googleplay_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/googleplay"
	"github.com/cuatrola/cuatrola/server/internal/googleplay/googleplaytest"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	ana     = "0198f1c2-0000-7000-8000-00000000000a"
	product = "coins_1000"
)

type object = googleplaytest.Object

type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func start(t *testing.T) (*clock, *googleplaytest.Store, *googleplay.Counter) {
	t.Helper()
	c := &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s := googleplaytest.New(t, c.now)
	return c, s, counter(t, c, s, false)
}

func counter(t *testing.T, c *clock, s *googleplaytest.Store, test bool) *googleplay.Counter {
	t.Helper()
	account, err := serviceaccount.Read(s.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	counter, err := googleplay.New(googleplay.Options{
		Package: googleplaytest.Package, Credentials: account, URL: s.URL, Test: test, Now: c.now,
		Push: s.Issuer.Provider("whatever"), PushEmail: googleplaytest.Sender,
	})
	if err != nil {
		t.Fatal(err)
	}
	return counter
}

func TestVerify(t *testing.T) {
	c, s, counter := start(t)
	token := s.Sell(product, strings.ToUpper(ana), nil)
	want := shop.Purchase{
		Transaction: s.Order(token), Reference: "product/" + product + "/" + token, Product: product, PlayerID: ana, Live: true, At: c.at,
	}
	check := func(product, token string) {
		t.Helper()
		if got, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token)); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	check(product, token)
	want.PlayerID = ""
	s.Change(token, object{"obfuscatedExternalAccountId": nil, "quantity": 1, "productId": product, "purchaseToken": token})
	check(product, token)
	// Bought with a code: it has no order of Google's.
	want.Transaction = token
	s.Change(token, object{"orderId": nil, "purchaseType": 1})
	check(product, token)
	// The app has consumed it by itself: it is given all the same, once.
	s.Change(token, object{"consumptionState": 1, "acknowledgementState": 1})
	check(product, token)

	sub := s.Subscribe("vip", ana, nil)
	first := s.Order(sub)
	want = shop.Purchase{
		Transaction: first, Subscription: sub, Reference: "subscription/vip/" + sub + "/" + first, Product: "vip", PlayerID: ana,
		Price: shop.Money{Amount: 399, Currency: "EUR"}, Live: true, At: c.at,
	}
	check("vip", sub)
	if err := counter.Delivered(t.Context(), &shop.Order{Reference: want.Reference}); err != nil {
		t.Fatal(err)
	}
	want.Reference = ""
	check("vip", sub)
	c.pass(31 * 24 * time.Hour)
	s.Renew(sub)
	want.Transaction, want.At = first+"..0", c.at
	check("vip", sub)
	c.pass(31 * 24 * time.Hour)
	s.Renew(sub)
	want.Transaction, want.At = first+"..1", c.at
	check("vip", sub)
	// Every state in which something was paid for.
	for _, state := range []string{"CANCELED", "IN_GRACE_PERIOD", "ON_HOLD", "PAUSED", "EXPIRED"} {
		s.Change(sub, object{"subscriptionState": "SUBSCRIPTION_STATE_" + state})
		check("vip", sub)
	}
	if n := s.Asked("token"); n != 1 {
		t.Errorf("%d access tokens", n)
	}
	if !counter.Live() {
		t.Error("not about money")
	}
}

// Each purchase is right but for one thing.
func TestRefuses(t *testing.T) {
	_, s, counter := start(t)
	verify := func(name, receipt string, want fault.Code) {
		t.Helper()
		got, err := counter.Verify(t.Context(), receipt)
		if got != (shop.Purchase{}) || fault.CodeOf(err) != want {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, want)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "AO-J1Oy") {
			t.Errorf("%s: what Google says, or the token, is in the error: %v", name, err)
		}
	}
	token := s.Sell(product, ana, nil)
	for name, receipt := range map[string]string{
		"empty":           "",
		"no JSON":         token,
		"a list":          `["` + token + `"]`,
		"no product":      googleplaytest.Receipt("", token),
		"no token":        googleplaytest.Receipt(product, ""),
		"too long":        googleplaytest.Receipt(product, token) + strings.Repeat(" ", googleplay.MaxReceipt),
		"a way":           googleplaytest.Receipt("..", token),
		"a longer way":    googleplaytest.Receipt(product, "../"+token),
		"another call":    googleplaytest.Receipt(product, token+":consume"),
		"a question":      googleplaytest.Receipt(product, token+"?x"),
		"NUL":             googleplaytest.Receipt(product, "\x00"),
		"a long token":    googleplaytest.Receipt(product, strings.Repeat("a", 1001)),
		"made up":         googleplaytest.Receipt(product, "bought0815.AO-J1Oy_0815"),
		"another product": googleplaytest.Receipt("coins_6000", token),
	} {
		verify(name, receipt, shop.CodeReceipt)
	}
	for name, more := range map[string]object{
		"cancelled":               {"purchaseState": 1},
		"a state to come":         {"purchaseState": 3},
		"two at once":             {"quantity": 2},
		"Google names another":    {"productId": "coins_6000"},
		"Google names it another": {"purchaseToken": "bought"},
		"a test":                  {"purchaseType": 0},
		"an account by name":      {"obfuscatedExternalAccountId": "ana"},
		"a long order":            {"orderId": strings.Repeat("1", 256)},
		"no time":                 {"purchaseTimeMillis": nil},
	} {
		verify(name, googleplaytest.Receipt(product, s.Sell(product, ana, more)), shop.CodeReceipt)
	}
	later := s.SellLater(product, ana)
	verify("not paid yet", googleplaytest.Receipt(product, later), shop.CodeUnpaid)
	s.Cancel(later)
	verify("never paid", googleplaytest.Receipt(product, later), shop.CodeReceipt)
	for name, more := range map[string]object{
		"a test":             {"testPurchase": object{}},
		"several":            {"lineItems": []object{{"productId": "vip", "latestSuccessfulOrderId": "1"}, {"productId": "more", "latestSuccessfulOrderId": "1"}}},
		"none":               {"lineItems": nil},
		"never paid":         {"lineItems": []object{{"productId": "vip"}}},
		"no product":         {"lineItems": []object{{"latestSuccessfulOrderId": "1"}}},
		"an account by name": {"externalAccountIdentifiers": object{"obfuscatedExternalAccountId": "ana"}},
	} {
		verify("subscription: "+name, googleplaytest.Receipt("vip", s.Subscribe("vip", ana, more)), shop.CodeReceipt)
	}
	pending := s.Subscribe("vip", ana, object{"subscriptionState": "SUBSCRIPTION_STATE_PENDING"})
	verify("subscription: not paid yet", googleplaytest.Receipt("vip", pending), shop.CodeUnpaid)
	verify("subscription: another product", googleplaytest.Receipt("vip_year", s.Subscribe("vip", ana, nil)), shop.CodeReceipt)

	// No answer is no reason to call a receipt bad, and neither is that Google does not
	// let us ask.
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusFound} {
		s.Answer(status)
		verify(http.StatusText(status), googleplaytest.Receipt(product, token), fault.Unavailable)
	}
	s.Answer(0)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := counter.Verify(done, googleplaytest.Receipt(product, token)); fault.CodeOf(err) != fault.Unavailable || strings.Contains(err.Error(), token) {
		t.Errorf("given up: %v", err)
	}
	if _, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token)); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// While Google gives no access, errors have nothing of its answer.
func TestNoAccess(t *testing.T) {
	_, s, counter := start(t)
	s.Answer(http.StatusForbidden)
	_, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, "bought"))
	if fault.CodeOf(err) != fault.Unavailable || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "403") {
		t.Errorf("%v", err)
	}
}

// A server for tests takes those of testers, and no money.
func TestTest(t *testing.T) {
	c, s, _ := start(t)
	counter := counter(t, c, s, true)
	if counter.Live() {
		t.Error("about money")
	}
	for product, token := range map[string]string{product: s.Sell(product, ana, nil), "vip": s.Subscribe("vip", ana, nil)} {
		if _, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token)); fault.CodeOf(err) != shop.CodeReceipt {
			t.Errorf("live %s: %v", product, err)
		}
		s.Change(token, object{"purchaseType": 0, "testPurchase": object{}})
		if got, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token)); err != nil || got.Live {
			t.Errorf("test %s: %+v, %v", product, got, err)
		}
	}
}

// Delivery is told once, and it is no error that Google knows.
func TestDelivered(t *testing.T) {
	_, s, counter := start(t)
	order := func(product, token string) *shop.Order {
		t.Helper()
		p, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token))
		if err != nil || p.Reference == "" {
			t.Fatalf("%+v, %v", p, err)
		}
		return &shop.Order{Reference: p.Reference, Transaction: p.Transaction, Subscription: p.Subscription}
	}
	coins, vip := s.Sell(product, ana, nil), s.Subscribe("vip", ana, nil)
	sold, subscribed := order(product, coins), order("vip", vip)
	s.Answer(http.StatusServiceUnavailable)
	for _, o := range []*shop.Order{sold, subscribed} {
		if err := counter.Delivered(t.Context(), o); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("while Google is down: %v", err)
		}
	}
	s.Answer(0)
	if s.Delivered(coins) || s.Delivered(vip) {
		t.Error("told before")
	}
	for range 2 {
		for _, o := range []*shop.Order{sold, subscribed, {}} {
			if err := counter.Delivered(t.Context(), o); err != nil {
				t.Error(err)
			}
		}
	}
	if !s.Delivered(coins) || !s.Delivered(vip) || s.Asked("consume") != 1 || s.Asked("acknowledge") != 1 {
		t.Errorf("not told, or twice: %d, %d", s.Asked("consume"), s.Asked("acknowledge"))
	}

	// There is nothing to tell of what was taken back, or is forgotten.
	for name, end := range map[string]func(token string){
		"void": func(token string) { s.Void(token, 0, true) },
		"change": func(token string) {
			s.Change(token, object{"purchaseState": 1, "subscriptionState": "SUBSCRIPTION_STATE_EXPIRED"})
		},
	} {
		for product, token := range map[string]string{product: s.Sell(product, ana, nil), "vip": s.Subscribe("vip", ana, nil)} {
			o := order(product, token)
			end(token)
			if err := counter.Delivered(t.Context(), o); err != nil {
				t.Errorf("%s of %s: %v", name, product, err)
			}
		}
	}
	for _, reference := range []string{"product/coins_1000/forgotten", "subscription/vip/forgotten/GPA.1"} {
		if err := counter.Delivered(t.Context(), &shop.Order{Reference: reference}); err != nil {
			t.Errorf("%s: %v", reference, err)
		}
	}
	// But it is an error that Google takes it for another product and still waits.
	token := s.Sell(product, ana, nil)
	s.Change(token, object{"consumptionState": 2})
	if err := counter.Delivered(t.Context(), &shop.Order{Reference: "product/" + product + "/" + token}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("refused: %v", err)
	}
	// Whom nobody tells gives the money back.
	s.Change(token, object{"consumptionState": 0})
	if n := s.Lapse(); n != 1 {
		t.Errorf("%d lapsed", n)
	}
}

// What was voided is told page by page, oldest first, each time by the same name.
func TestSince(t *testing.T) {
	c, s, counter := start(t)
	began := c.at
	var want []string
	for i := range 5 {
		token := s.Sell(product, ana, nil)
		if i == 2 {
			token = s.Subscribe("vip", ana, nil)
		}
		if i == 3 {
			s.Change(token, object{"orderId": nil})
		}
		c.pass(time.Hour)
		s.Void(token, i+1, i%2 == 0)
		if i == 3 {
			want = append(want, token)
			continue
		}
		want = append(want, s.Order(token))
	}
	read := func(since time.Time) (all []shop.Event) {
		t.Helper()
		if err := counter.Since(t.Context(), since, func(e shop.Event) error {
			all = append(all, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := read(began)
	if len(all) != len(want) || s.Asked("voided") != 3 {
		t.Fatalf("%d events on %d pages", len(all), s.Asked("voided"))
	}
	for i, e := range all {
		at := began.Add(time.Duration(i+1) * time.Hour)
		if e != (shop.Event{
			Provider: shop.Google, ID: "voided:" + want[i], Kind: "voided." + []string{"remorse", "not_received", "defective", "accidental", "fraud"}[i], At: at,
			Transaction: want[i], Fact: shop.Fact{Kind: shop.FactReversed, Key: "voided", Amount: shop.All, At: at},
		}) {
			t.Errorf("%+v", e)
		}
	}
	// Later, what Google would not tell any more is not asked for; and what it may have
	// told late is asked for again.
	if all = read(time.Time{}); len(all) != 5 {
		t.Errorf("%d events since ever", len(all))
	}
	if all = read(c.at.Add(20 * time.Hour)); len(all) != 5 {
		t.Errorf("%d events of the day before", len(all))
	}
	if all = read(c.at.Add(25 * time.Hour)); len(all) != 0 {
		t.Errorf("%d events of tomorrow", len(all))
	}
	c.pass(29 * 24 * time.Hour)
	if all = read(began); len(all) != 5 {
		t.Errorf("%d events after a month", len(all))
	}
	stop := fault.New(fault.Internal, "stop")
	if err := counter.Since(t.Context(), began, func(shop.Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusBadGateway} {
		s.Answer(status)
		if err := counter.Since(t.Context(), began, nil); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestNotifications(t *testing.T) {
	c, s, counter := start(t)
	hear := func(body []byte) shop.Event {
		t.Helper()
		e, err := counter.Notification(t.Context(), s.Authorization(), body)
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider != shop.Google || !strings.HasPrefix(e.ID, "message:") || !e.At.Equal(c.at) {
			t.Errorf("%+v", e)
		}
		return e
	}
	last := func() shop.Event { t.Helper(); told := s.Told(); return hear(told[len(told)-1]) }
	nothing := func(name string, e shop.Event) {
		t.Helper()
		if e.Renewal != nil || e.Fact.Kind != "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	bought := func(e shop.Event, product, token string) {
		t.Helper()
		p, err := counter.Verify(t.Context(), googleplaytest.Receipt(product, token))
		if err != nil || e.Renewal == nil || *e.Renewal != p || e.Transaction != p.Transaction || e.Fact.Kind != "" {
			t.Errorf("%+v, %+v; want %+v, %v", e, e.Renewal, p, err)
		}
	}
	token := s.Sell(product, ana, nil)
	bought(last(), product, token)
	sub := s.Subscribe("vip", ana, nil)
	bought(last(), "vip", sub)
	c.pass(31 * 24 * time.Hour)
	s.Renew(sub)
	bought(last(), "vip", sub)

	later := s.SellLater(product, ana)
	early := s.Message(object{"oneTimeProductNotification": object{"notificationType": 1, "purchaseToken": later, "sku": product}})
	nothing("not paid yet", hear(early))
	s.Pay(later)
	bought(last(), product, later)
	never := s.SellLater(product, ana)
	s.Cancel(never)
	nothing("never paid", last())

	// A voided purchase is believed when it is listed.
	hint := s.Message(object{"voidedPurchaseNotification": object{"purchaseToken": token, "orderId": s.Order(token), "productType": 2, "refundType": 1}})
	nothing("a hint", hear(hint))
	s.Void(token, 7, false)
	want := shop.Fact{Kind: shop.FactReversed, Key: "voided", Amount: shop.All, At: c.at}
	for _, e := range []shop.Event{last(), hear(hint)} {
		if e.Transaction != s.Order(token) || e.Fact != want || e.Renewal != nil {
			t.Errorf("%+v", e)
		}
	}
	// Of a subscription, its last payment is taken back.
	s.Void(sub, 0, true)
	for _, body := range s.Told()[len(s.Told())-2:] {
		if e := hear(body); e.Transaction != s.Order(sub) || e.Fact != want {
			t.Errorf("%+v", e)
		}
	}
	other := s.Message(object{"subscriptionNotification": object{"notificationType": 12, "purchaseToken": "another"}})
	nothing("another's revocation", hear(other))

	test := s.Sell(product, ana, object{"purchaseType": 0})
	nothing("a tester's", last())
	_ = test
	for name, about := range map[string]object{
		"test":            {"testNotification": object{"version": "1.0"}},
		"to come":         {"somethingNew": object{}},
		"expired":         {"subscriptionNotification": object{"notificationType": 13, "purchaseToken": sub}},
		"made up":         {"oneTimeProductNotification": object{"notificationType": 1, "purchaseToken": "made-up", "sku": product}},
		"no product":      {"oneTimeProductNotification": object{"notificationType": 1, "purchaseToken": "made-up"}},
		"a way":           {"subscriptionNotification": object{"notificationType": 2, "purchaseToken": "../x"}},
		"no subscription": {"subscriptionNotification": object{"notificationType": 2, "purchaseToken": token}},
	} {
		nothing(name, hear(s.Message(about)))
	}
	s.Answer(http.StatusBadGateway)
	for _, body := range s.Told()[:3] {
		if _, err := counter.Notification(t.Context(), s.Authorization(), body); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("while Google is down: %v", err)
		}
	}
	if _, err := counter.Notification(t.Context(), s.Authorization(), hint); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("while Google is down: %v", err)
	}
}

// Each notification is right but for one thing.
func TestRefusesNotifications(t *testing.T) {
	c, s, counter := start(t)
	s.Sell(product, ana, nil)
	body := s.Told()[0]
	bearer := func(more map[string]any) string {
		all := map[string]any{"nonce": nil, "email": googleplaytest.Sender, "email_verified": true}
		for name, value := range more {
			all[name] = value
		}
		return "Bearer " + s.Issuer.Token("115", "", all)
	}
	for name, authorization := range map[string]string{
		"none":             "",
		"no bearer":        strings.TrimPrefix(s.Authorization(), "Bearer "),
		"empty":            "Bearer ",
		"made up":          "Bearer a.b.c",
		"one byte altered": s.Authorization()[:200] + "x" + s.Authorization()[201:],
		"another audience": bearer(map[string]any{"aud": "https://another.example"}),
		"another issuer":   bearer(map[string]any{"iss": "https://another.example"}),
		"another account":  bearer(map[string]any{"email": "stranger@example.iam.gserviceaccount.com"}),
		"not verified":     bearer(map[string]any{"email_verified": false}),
		"expired":          bearer(map[string]any{"exp": c.at.Add(-time.Minute).Unix()}),
	} {
		if e, err := counter.Notification(t.Context(), authorization, body); e != (shop.Event{}) || fault.CodeOf(err) != shop.CodeWebhookSignature {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	wrapped := func(data string, id any) []byte {
		text, err := json.Marshal(object{"message": object{"data": []byte(data), "messageId": id}})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good := `{"packageName":"` + googleplaytest.Package + `","eventTimeMillis":"1777636800000","testNotification":{}}`
	if e, err := counter.Notification(t.Context(), s.Authorization(), wrapped(good, "815")); err != nil || e.ID != "message:815" || e.Kind != "test" {
		t.Errorf("%+v, %v", e, err)
	}
	for name, is := range map[string]struct {
		body []byte
		code fault.Code
	}{
		"empty":       {nil, fault.InvalidRequest},
		"no JSON":     {[]byte("x"), fault.InvalidRequest},
		"no message":  {[]byte(`{}`), fault.InvalidRequest},
		"no data":     {wrapped("", "815"), fault.InvalidRequest},
		"no id":       {wrapped(good, ""), fault.InvalidRequest},
		"a long id":   {wrapped(good, strings.Repeat("1", 256)), fault.InvalidRequest},
		"no time":     {wrapped(`{"packageName":"`+googleplaytest.Package+`"}`, "815"), fault.InvalidRequest},
		"another app": {wrapped(strings.Replace(good, "example", "other", 1), "815"), shop.CodeWebhookMode},
	} {
		if e, err := counter.Notification(t.Context(), s.Authorization(), is.body); e != (shop.Event{}) || fault.CodeOf(err) != is.code {
			t.Errorf("%s: %+v, %v; want %s", name, e, err, is.code)
		}
	}
	// Without a sender nobody is heard.
	account, err := serviceaccount.Read(s.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := googleplay.New(googleplay.Options{Package: googleplaytest.Package, Credentials: account, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deaf.Notification(t.Context(), s.Authorization(), body); fault.CodeOf(err) != fault.ProviderDisabled {
		t.Errorf("%v", err)
	}
	s.Issuer.Break(true)
	c.pass(2 * time.Hour)
	s.Issuer.Rotate()
	if _, err := counter.Notification(t.Context(), s.Authorization(), body); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("without keys: %v", err)
	}
}
