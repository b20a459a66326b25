package appstore_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/appstore"
	"github.com/cuatrola/cuatrola/server/internal/appstore/appstoretest"
	"github.com/cuatrola/cuatrola/server/shop"
)

const (
	ana     = "0198f1c2-0000-7000-8000-00000000000a"
	product = "org.example.cuatrola.coins1000"
)

type (
	object = appstoretest.Object
	wish   = appstoretest.Wish
	chain  = appstoretest.Chain
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func start(t *testing.T) (*clock, *appstoretest.Store, *appstore.Counter) {
	t.Helper()
	c := &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s := appstoretest.New(t, c.now)
	return c, s, appstore.New(appstore.Options{Roots: s.Chain.Pool(), Bundle: appstoretest.Bundle, Now: c.now})
}

func TestVerify(t *testing.T) {
	c, s, counter := start(t)
	id := s.Sell(product, strings.ToUpper(ana), nil)
	want := shop.Purchase{
		Transaction: id, Product: product, PlayerID: ana, Price: shop.Money{Amount: 199, Currency: "EUR"}, Live: true, At: c.at,
	}
	check := func(receipt string) {
		t.Helper()
		if got, err := counter.Verify(t.Context(), receipt); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	receipt := s.Receipt(id, nil)
	check(receipt)
	c.pass(400 * 24 * time.Hour)
	check(receipt) // an app that was not opened for long
	want.PlayerID = ""
	check(s.Receipt(id, object{"appAccountToken": nil}))
	want.Price = shop.Money{}
	check(s.Receipt(id, object{"appAccountToken": nil, "price": nil, "currency": nil}))
	want.Price = shop.Money{Amount: 300, Currency: "JPY"}
	check(s.Receipt(id, object{"appAccountToken": nil, "price": 300_000, "currency": "JPY"}))

	first := s.Subscribe("vip", ana, nil)
	c.pass(24 * time.Hour)
	second := s.Renew(first)
	got, err := counter.Verify(t.Context(), s.Receipt(second, nil))
	if err != nil || got.Subscription != first || got.Transaction != second || !got.At.Equal(c.at) {
		t.Errorf("%+v, %v", got, err)
	}
	if !counter.Live() || appstore.New(appstore.Options{Sandbox: true}).Live() {
		t.Error("which store is about money")
	}
	if err := counter.Delivered(t.Context(), &shop.Order{}); err != nil {
		t.Error(err)
	}
}

// Each receipt is right but for one thing.
func TestRefuses(t *testing.T) {
	c, s, counter := start(t)
	id := s.Sell(product, ana, nil)
	with := func(name string, value any) string { return s.Receipt(id, object{name: value}) }
	good := s.Receipt(id, nil)
	parts := strings.Split(good, ".")
	var header object
	text, err := jwt.NewParser().DecodeSegment(parts[0])
	if err != nil || json.Unmarshal(text, &header) != nil {
		t.Fatal(err)
	}
	payload := object{}
	if text, err = jwt.NewParser().DecodeSegment(parts[1]); err != nil || json.Unmarshal(text, &payload) != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	old := s.Chain
	from, to := c.at.AddDate(-1, 0, 0), c.at.AddDate(1, 0, 0)
	leaf := func(w wish) chain {
		if w.To.IsZero() {
			w.To = to
		}
		if w.From.IsZero() {
			w.From = from
		}
		return chain{appstoretest.Issue(t, old[1], w), old[1], old[2]}
	}
	unmarked := appstoretest.Issue(t, old[2], wish{CA: true, From: from, To: to})
	lapsed := appstoretest.Issue(t, old[2], wish{CA: true, Marker: appstoretest.IssuerMarker, From: from, To: c.at.Add(-time.Second)})
	marker := appstoretest.LeafMarker
	strange := appstoretest.NewChain(t, c.at)
	under := appstoretest.Issue(t, old[1], wish{CA: true, Marker: appstoretest.IssuerMarker, From: from, To: to})
	noCA := leaf(wish{Marker: appstoretest.IssuerMarker})[0]
	sign := func(ch chain) string { return ch.Sign(t, payload) }
	x5c := func(list ...any) string {
		return appstoretest.Sign(t, jwt.SigningMethodES256, old[0].Key, object{"x5c": list}, payload)
	}
	h := old.Header()
	for name, receipt := range map[string]string{
		"empty":                 "",
		"no signed text":        "a.b.c",
		"too long":              good + strings.Repeat("A", appstore.MaxReceipt),
		"no signature":          parts[0] + "." + parts[1] + ".",
		"another's signature":   parts[0] + "." + parts[1] + "." + strings.Split(with("price", 1), ".")[2],
		"alg none":              appstoretest.Sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, header, payload),
		"alg RS256":             appstoretest.Sign(t, jwt.SigningMethodRS256, rsaKey, object{"x5c": h}, payload),
		"alg HS256":             appstoretest.Sign(t, jwt.SigningMethodHS256, old[0].Raw, object{"x5c": h}, payload),
		"alg ES384":             appstoretest.Sign(t, jwt.SigningMethodES384, old[1].Key, object{"x5c": h}, payload),
		"a critical header":     appstoretest.Sign(t, jwt.SigningMethodES256, old[0].Key, object{"x5c": h, "crit": []string{"b64"}, "b64": true}, payload),
		"no certificates":       appstoretest.Sign(t, jwt.SigningMethodES256, old[0].Key, nil, payload),
		"x5c no list":           appstoretest.Sign(t, jwt.SigningMethodES256, old[0].Key, object{"x5c": h[0]}, payload),
		"two certificates":      sign(chain{old[0], old[1]}),
		"four certificates":     sign(chain{old[0], old[1], old[2], old[2]}),
		"four that lead on":     sign(chain{appstoretest.Issue(t, under, wish{Marker: marker, From: from, To: to}), under, old[1], old[2]}),
		"numbers in the chain":  x5c(1, 2, 3),
		"no base64":             x5c(h[0], h[1], "!"),
		"no certificate":        x5c(h[0], "AAAA", h[2]),
		"a long certificate":    x5c(h[0], h[1], strings.Repeat("A", 20<<10)),
		"another root":          sign(strange),
		"another root's leaf":   sign(chain{strange[0], old[1], old[2]}),
		"another root shown":    sign(chain{old[0], old[1], strange[2]}),
		"another issuer shown":  sign(chain{old[0], under, old[2]}),
		"the wrong way round":   appstoretest.Sign(t, jwt.SigningMethodES256, old[0].Key, object{"x5c": []string{h[2], h[1], h[0]}}, payload),
		"another key":           appstoretest.Sign(t, jwt.SigningMethodES256, strange[0].Key, object{"x5c": h}, payload),
		"leaf without marker":   sign(leaf(wish{})),
		"leaf, issuer's marker": sign(leaf(wish{Marker: appstoretest.IssuerMarker})),
		"issuer without marker": sign(chain{appstoretest.Issue(t, unmarked, wish{Marker: marker, From: from, To: to}), unmarked, old[2]}),
		"issuer that is no CA":  sign(chain{appstoretest.Issue(t, noCA, wish{Marker: marker, From: from, To: to}), noCA, old[2]}),
		"leaf expired":          sign(leaf(wish{Marker: marker, To: c.at.Add(-time.Second)})),
		"leaf not good yet":     sign(leaf(wish{Marker: marker, From: c.at.Add(time.Second)})),
		"issuer expired":        sign(chain{appstoretest.Issue(t, lapsed, wish{Marker: marker, From: from, To: to}), lapsed, old[2]}),
		"signed in the future":  with("signedDate", c.at.Add(6*time.Minute).UnixMilli()),
		"not dated":             with("signedDate", nil),
		"dated by a text":       with("signedDate", "2026-05-01"),
		"another app":           with("bundleId", "org.example.other"),
		"no app":                with("bundleId", nil),
		"sandbox":               with("environment", "Sandbox"),
		"Xcode":                 with("environment", "Xcode"),
		"no environment":        with("environment", nil),
		"family shared":         with("inAppOwnershipType", "FAMILY_SHARED"),
		"no ownership":          with("inAppOwnershipType", nil),
		"taken back":            with("revocationDate", c.at.UnixMilli()),
		"two at once":           with("quantity", 2),
		"no quantity":           with("quantity", nil),
		"an account by name":    with("appAccountToken", "ana"),
		"no transaction":        with("transactionId", nil),
		"a long transaction":    with("transactionId", strings.Repeat("1", 256)),
		"no product":            with("productId", nil),
		"not bought yet":        with("purchaseDate", nil),
		"a price below nothing": with("price", -1),
	} {
		got, err := counter.Verify(t.Context(), receipt)
		if got != (shop.Purchase{}) || fault.CodeOf(err) != shop.CodeReceipt {
			t.Errorf("%s: %+v, %v", name, got, err)
		} else if receipt != "" && strings.Contains(err.Error(), receipt) {
			t.Errorf("%s: the receipt is in the error", name)
		}
	}
	// A leaf whose key is weaker, with a signature that fits.
	weak := leaf(wish{Marker: marker, Curve: elliptic.P224()})
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims(payload))
	token.Header["x5c"] = weak.Header()
	signing, err := token.SigningString()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(signing))
	r, q, err := ecdsa.Sign(rand.Reader, weak[0].Key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), q.FillBytes(make([]byte, 32))...)
	if _, err := counter.Verify(t.Context(), signing+"."+token.EncodeSegment(signature)); fault.CodeOf(err) != shop.CodeReceipt {
		t.Errorf("another curve: %v", err)
	}
	// Any byte.
	for i := range len(good) {
		altered := []byte(good)
		altered[i] ^= 1
		if i%31 == 0 || good[i] == '.' || i > len(good)-90 {
			if _, err := counter.Verify(t.Context(), string(altered)); fault.CodeOf(err) != shop.CodeReceipt {
				t.Errorf("altered at %d: %v", i, err)
			}
		}
	}
	// A leaf that has expired since was good when it signed.
	if _, err := counter.Verify(t.Context(), leaf(wish{Marker: marker, To: c.at.Add(time.Second)}).Sign(t, payload)); err != nil {
		t.Error(err)
	}
	c.pass(time.Hour)
	if _, err := counter.Verify(t.Context(), leaf(wish{Marker: marker, To: c.at.Add(-time.Minute)}).Sign(t, payload)); err != nil {
		t.Error(err)
	}
}

// A server for tests takes what the sandbox sells, and no money.
func TestSandbox(t *testing.T) {
	c, s, _ := start(t)
	counter := appstore.New(appstore.Options{Roots: s.Chain.Pool(), Bundle: appstoretest.Bundle, Sandbox: true, Now: c.now})
	id := s.Sell(product, ana, nil)
	if _, err := counter.Verify(t.Context(), s.Receipt(id, nil)); fault.CodeOf(err) != shop.CodeReceipt {
		t.Errorf("live: %v", err)
	}
	if got, err := counter.Verify(t.Context(), s.Receipt(id, object{"environment": "Sandbox"})); err != nil || got.Live {
		t.Errorf("sandbox: %+v, %v", got, err)
	}
}

func TestNotifications(t *testing.T) {
	c, s, counter := start(t)
	last := func() shop.Event {
		t.Helper()
		told := s.Told()
		e, err := counter.Notification(t.Context(), told[len(told)-1])
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider != shop.Apple || e.ID == "" || !e.At.Equal(c.at) {
			t.Errorf("%+v", e)
		}
		return e
	}
	reversed := func(e shop.Event, id string, amount int64, at time.Time) {
		t.Helper()
		want := shop.Fact{Kind: shop.FactReversed, Key: "revocation", Amount: amount, At: at}
		if e.Transaction != id || e.Renewal != nil || e.Fact != want {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	id := s.Sell(product, ana, nil)
	sold := last()
	shown, err := counter.Verify(t.Context(), s.Receipt(id, nil))
	if err != nil || sold.Renewal == nil || *sold.Renewal != shown || sold.Kind != "ONE_TIME_CHARGE" || sold.Transaction != id {
		t.Errorf("%+v %+v, %v", sold, sold.Renewal, err)
	}
	c.pass(time.Hour)
	s.Refund(id)
	back := c.at
	reversed(last(), id, shop.All, back)
	c.pass(time.Hour)
	// Sent again, and signed anew, it is as old as it was.
	e, err := counter.Notification(t.Context(), s.Notification("REFUND", "", id, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	reversed(e, id, shop.All, back)
	s.Reverse(id)
	reversed(last(), id, 0, c.at)
	c.pass(time.Hour)
	s.RefundPart(id, 40_000)
	reversed(last(), id, 79, c.at) // of 199
	if e, err = counter.Notification(t.Context(), s.Notification("REFUND", "", id, nil, object{"price": nil, "currency": nil})); err != nil {
		t.Fatal(err)
	}
	reversed(e, id, shop.All, c.at)
	s.RefundPart(id, 100_000)
	reversed(last(), id, shop.All, c.at)
	s.Revoke(id)
	reversed(last(), id, shop.All, c.at)

	first := s.Subscribe("vip", ana, nil)
	if e := last(); e.Kind != "SUBSCRIBED.INITIAL_BUY" || e.Renewal == nil || e.Renewal.Subscription != first || e.Renewal.PlayerID != ana {
		t.Errorf("%+v", e)
	}
	second := s.Renew(first)
	if e := last(); e.Renewal == nil || e.Renewal.Subscription != first || e.Renewal.Transaction != second {
		t.Errorf("%+v", e)
	}
	s.Expire(second)
	if e := last(); e.Kind != "EXPIRED.VOLUNTARY" || e.Renewal != nil || e.Fact.Kind != "" {
		t.Errorf("%+v", e)
	}

	upgrade := s.Notification("DID_CHANGE_RENEWAL_PREF", "UPGRADE", second, nil, object{"productId": "vip.year"})
	if e, err = counter.Notification(t.Context(), upgrade); err != nil || e.Renewal == nil || e.Renewal.Product != "vip.year" {
		t.Errorf("%+v, %v", e, err)
	}

	for name, body := range map[string][]byte{
		"test":           s.Notification("TEST", "", "", nil, nil),
		"summary":        s.Notification("RENEWAL_EXTENSION", "SUMMARY", "", object{"data": nil, "summary": object{}}, nil),
		"to come":        s.Notification("SOMETHING_NEW", "", id, nil, nil),
		"declined":       s.Notification("REFUND_DECLINED", "", id, nil, nil),
		"downgrade":      s.Notification("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", first, nil, nil),
		"status":         s.Notification("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", first, nil, nil),
		"family bought":  s.Notification("SUBSCRIBED", "INITIAL_BUY", first, nil, object{"inAppOwnershipType": "FAMILY_SHARED"}),
		"family revoked": s.Notification("REVOKE", "", first, nil, object{"inAppOwnershipType": "FAMILY_SHARED"}),
		"two at once":    s.Notification("ONE_TIME_CHARGE", "", first, nil, object{"quantity": 2}),
		"revoked since":  s.Notification("DID_RENEW", "", second, nil, object{"revocationDate": c.at.UnixMilli()}),
	} {
		if e, err := counter.Notification(t.Context(), body); err != nil || e.Renewal != nil || e.Fact.Kind != "" || e.ID == "" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// Each notification is right but for one thing.
func TestRefusesNotifications(t *testing.T) {
	c, s, counter := start(t)
	id := s.Sell(product, ana, nil)
	told := string(s.Told()[0])
	strange := appstoretest.New(t, c.now)
	foreign := strange.Receipt(strange.Sell(product, ana, nil), nil)
	data := func(more object) []byte {
		d := object{"bundleId": appstoretest.Bundle, "environment": "Production", "signedTransactionInfo": s.Receipt(id, nil)}
		for name, value := range more {
			d[name] = value
		}
		return s.Notification("ONE_TIME_CHARGE", "", "", object{"data": d}, nil)
	}
	altered := []byte(told)
	altered[len(altered)/2] ^= 1
	for name, is := range map[string]struct {
		body []byte
		code fault.Code
	}{
		"empty":                       {nil, fault.InvalidRequest},
		"no JSON":                     {[]byte("signedPayload=x"), fault.InvalidRequest},
		"nothing signed":              {[]byte(`{}`), fault.InvalidRequest},
		"no signed text":              {appstoretest.Body("x"), shop.CodeWebhookSignature},
		"one byte altered":            {altered, shop.CodeWebhookSignature},
		"a receipt":                   {appstoretest.Body(s.Receipt(id, nil)), fault.InvalidRequest},
		"another root":                {strange.Notification("TEST", "", "", nil, nil), shop.CodeWebhookSignature},
		"not dated":                   {s.Notification("TEST", "", "", object{"signedDate": nil}, nil), shop.CodeWebhookSignature},
		"version 1":                   {s.Notification("TEST", "", "", object{"version": "1.0"}, nil), fault.InvalidRequest},
		"no id":                       {s.Notification("TEST", "", "", object{"notificationUUID": nil}, nil), fault.InvalidRequest},
		"a long id":                   {s.Notification("TEST", "", "", object{"notificationUUID": strings.Repeat("1", 256)}, nil), fault.InvalidRequest},
		"another app":                 {data(object{"bundleId": "org.example.other"}), shop.CodeWebhookMode},
		"sandbox":                     {data(object{"environment": "Sandbox"}), shop.CodeWebhookMode},
		"its transaction unsigned":    {data(object{"signedTransactionInfo": "x"}), shop.CodeWebhookSignature},
		"its transaction another's":   {data(object{"signedTransactionInfo": foreign}), shop.CodeWebhookSignature},
		"its transaction another app": {data(object{"signedTransactionInfo": s.Receipt(id, object{"bundleId": "org.example.other"})}), shop.CodeWebhookMode},
		"its transaction sandbox":     {data(object{"signedTransactionInfo": s.Receipt(id, object{"environment": "Sandbox"})}), shop.CodeWebhookMode},
	} {
		if e, err := counter.Notification(t.Context(), is.body); fault.CodeOf(err) != is.code || e != (shop.Event{}) {
			t.Errorf("%s: %+v, %v; want %s", name, e, err, is.code)
		}
	}
}

func TestReadRoots(t *testing.T) {
	c, s, _ := start(t)
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	root := s.Chain[2]
	block := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	id := s.Sell(product, ana, nil)
	other := appstoretest.NewChain(t, c.at)[2]
	for _, file := range []string{
		s.Chain.RootFile(t),
		write("root.cer", root.Raw),
		write("two.pem", append(block("CERTIFICATE", other.Raw), block("CERTIFICATE", root.Raw)...)),
	} {
		roots, err := appstore.ReadRoots(file)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		counter := appstore.New(appstore.Options{Roots: roots, Bundle: appstoretest.Bundle, Now: c.now})
		if _, err := counter.Verify(t.Context(), s.Receipt(id, nil)); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
	key := block("PRIVATE KEY", []byte("x"))
	for _, file := range []string{
		filepath.Join(dir, "none"), write("empty", nil), write("text", []byte("root")), write("key.pem", key),
		write("both.pem", append(block("CERTIFICATE", root.Raw), key...)),
		write("leaf.pem", block("CERTIFICATE", s.Chain[0].Raw)), write("issuer.cer", s.Chain[1].Raw),
	} {
		if _, err := appstore.ReadRoots(file); err == nil {
			t.Errorf("%s: no error", filepath.Base(file))
		}
	}
}
