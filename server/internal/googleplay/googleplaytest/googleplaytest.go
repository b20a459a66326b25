// Package googleplaytest is Google Play for tests, on a listener of its own: it sells,
// renews, voids, answers who asks, and remembers all that it would have told.
package googleplaytest

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
)

const (
	// Package is the app that is sold for.
	Package = "org.example.cuatrola"
	// Sender is the service account that sends notifications.
	Sender = "push@cuatrola-test.iam.gserviceaccount.com"

	access = "access-token"
	// pageSize is how many voided purchases there are on a page: few.
	pageSize = 2
)

var key = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Object is something in JSON.
type Object map[string]any

// Store is Google Play. Make one with New.
type Store struct {
	// URL is where it answers.
	URL string
	// Issuer signs for Sender.
	Issuer *oidctest.Issuer

	t   testing.TB
	now func() time.Time

	mu        sync.Mutex
	count     int
	purchases map[string]Object // by token
	tokens    []string          // in the order of their sale
	products  map[string]string // by token; empty for a subscription
	voids     []Object
	told      [][]byte
	status    int // that every answer has, if it is not 0
	asked     map[string]int
}

// New starts a store in which nothing has been sold, until the test ends. It reads the
// clock now.
func New(t testing.TB, now func() time.Time) *Store {
	t.Helper()
	s := &Store{
		Issuer: oidctest.New(t, now), t: t, now: now,
		purchases: make(map[string]Object), products: make(map[string]string), asked: make(map[string]int),
	}
	mux := http.NewServeMux()
	app := "/androidpublisher/v3/applications/" + Package + "/purchases/"
	mux.HandleFunc("POST /token", s.grant)
	mux.HandleFunc("GET "+app+"products/{product}/tokens/{token}", s.getProduct)
	mux.HandleFunc("POST "+app+"products/{product}/tokens/{token}", s.consume)
	mux.HandleFunc("GET "+app+"subscriptionsv2/tokens/{token}", s.getSubscription)
	mux.HandleFunc("POST "+app+"subscriptions/{product}/tokens/{token}", s.acknowledge)
	mux.HandleFunc("GET "+app+"voidedpurchases", s.listVoided)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// KeyFile writes the key file of the account that may ask.
func (s *Store) KeyFile() string {
	s.t.Helper()
	k, err := key()
	if err != nil {
		s.t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "cuatrola-test", "private_key_id": "key-1",
		"private_key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email": "server@cuatrola-test.iam.gserviceaccount.com", "token_uri": s.URL + "/token",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.t.TempDir(), "play.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// Authorization is the header that notifications come with.
func (s *Store) Authorization() string {
	return "Bearer " + s.Issuer.Token("115", "", map[string]any{"nonce": nil, "email": Sender, "email_verified": true})
}

// Answer has every request answered with a status; 0 as is right.
func (s *Store) Answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Asked counts the good requests of a kind: token, product, subscription, consume,
// acknowledge, voided.
func (s *Store) Asked(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[kind]
}

// What the store does.

func (s *Store) add(product string, o, more Object) (token string) {
	s.count++
	token = fmt.Sprintf("bought%04d.AO-J1Oy_%04d", s.count, s.count)
	maps.Copy(o, more)
	s.purchases[token], s.products[token] = o, product
	s.tokens = append(s.tokens, token)
	return token
}

func (s *Store) order() string {
	return fmt.Sprintf("GPA.3300-%04d-%04d-%05d", s.count, s.count, s.count)
}

// Sell sells a product to the player that the app names, if it names one. more
// replaces what the purchase has.
func (s *Store) Sell(product, player string, more Object) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token = s.sell(product, player, 0, more)
	s.tellProduct(token, 1)
	return token
}

// SellLater sells a product that is not paid yet; see Pay and Cancel.
func (s *Store) SellLater(product, player string) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sell(product, player, 2, nil)
}

func (s *Store) sell(product, player string, state int, more Object) (token string) {
	o := Object{
		"kind": "androidpublisher#productPurchase", "purchaseTimeMillis": millis(s.now()), "purchaseState": state, "consumptionState": 0,
		"acknowledgementState": 0, "regionCode": "ES", "obfuscatedExternalAccountId": player,
	}
	token = s.add(product, o, nil)
	if state == 0 {
		o["orderId"] = s.order()
	}
	maps.Copy(o, more)
	return token
}

// Pay pays what was sold before.
func (s *Store) Pay(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.purchases[token]["purchaseState"], s.purchases[token]["orderId"] = 0, s.order()+"-"+token[len(token)-4:]
	s.tellProduct(token, 1)
}

// Cancel gives up what was not paid.
func (s *Store) Cancel(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.purchases[token]["purchaseState"] = 1
	s.tellProduct(token, 2)
}

// Subscribe begins to sell something again and again by itself.
func (s *Store) Subscribe(product, player string, more Object) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := Object{
		"kind": "androidpublisher#subscriptionPurchaseV2", "startTime": s.now().UTC().Format(time.RFC3339Nano), "regionCode": "ES",
		"subscriptionState": "SUBSCRIPTION_STATE_ACTIVE", "acknowledgementState": "ACKNOWLEDGEMENT_STATE_PENDING",
		"externalAccountIdentifiers": Object{"obfuscatedExternalAccountId": player},
	}
	token = s.add("", o, nil)
	o["lineItems"] = []Object{{
		"productId": product, "latestSuccessfulOrderId": s.order(),
		"autoRenewingPlan": Object{"autoRenewEnabled": true, "recurringPrice": Object{"currencyCode": "EUR", "units": "3", "nanos": 990_000_000}},
		"offerDetails":     Object{"basePlanId": "monthly"},
	}}
	maps.Copy(o, more)
	s.tellSubscription(token, 4)
	return token
}

// Renew is a subscription's next payment.
func (s *Store) Renew(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.purchases[token]["lineItems"].([]Object)[0]
	first, number, renewed := strings.Cut(item["latestSuccessfulOrderId"].(string), "..")
	next := 0
	if renewed {
		n, err := strconv.Atoi(number)
		if err != nil {
			s.t.Fatal(err)
		}
		next = n + 1
	}
	item["latestSuccessfulOrderId"] = fmt.Sprintf("%s..%d", first, next)
	s.tellSubscription(token, 2)
}

// Order is what a purchase's last payment is called.
func (s *Store) Order(token string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orderOf(token)
}

func (s *Store) orderOf(token string) string {
	o := s.purchases[token]
	if items, ok := o["lineItems"].([]Object); ok {
		o = items[0]
	}
	order, _ := o["orderId"].(string)
	last, _ := o["latestSuccessfulOrderId"].(string)
	return cmp.Or(order, last)
}

// Void gives the money of a purchase's last payment back, for a reason of Google's, and
// takes the purchase back, or leaves it.
func (s *Store) Void(token string, why int, revoke bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.void(token, why, revoke)
}

func (s *Store) void(token string, why int, revoke bool) {
	order, kind := s.orderOf(token), 2
	v := Object{
		"kind": "androidpublisher#voidedPurchase", "purchaseToken": token, "orderId": order, "voidedTimeMillis": millis(s.now()),
		"purchaseTimeMillis": millis(s.now()), "voidedSource": 0, "voidedReason": why,
	}
	if order == "" {
		delete(v, "orderId")
	}
	s.voids = append(s.voids, v)
	o := s.purchases[token]
	if s.products[token] == "" {
		kind = 1
		if revoke {
			o["subscriptionState"] = "SUBSCRIPTION_STATE_EXPIRED"
			s.tellSubscription(token, 12)
		}
	} else if revoke {
		o["purchaseState"] = 1
	}
	s.tell(Object{"voidedPurchaseNotification": Object{"purchaseToken": token, "orderId": order, "productType": kind, "refundType": 1}})
}

// Lapse gives back all that nobody has said to be delivered, as Google does after three
// days, and returns how many these were.
func (s *Store) Lapse() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range s.tokens {
		o := s.purchases[token]
		if o["purchaseState"] == 0 && o["acknowledgementState"] == 0 || o["acknowledgementState"] == "ACKNOWLEDGEMENT_STATE_PENDING" && o["subscriptionState"] == "SUBSCRIPTION_STATE_ACTIVE" {
			s.void(token, 8, true)
			n++
		}
	}
	return n
}

// Delivered says whether Google was told that a purchase was given.
func (s *Store) Delivered(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.purchases[token]
	return o["consumptionState"] == 1 || o["acknowledgementState"] == "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"
}

// Change changes what is known of a purchase; a nil takes it away.
func (s *Store) Change(token string, more Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, value := range more {
		if s.purchases[token][name] = value; value == nil {
			delete(s.purchases[token], name)
		}
	}
}

// Receipt is what the app shows of a purchase.
func Receipt(product, token string) string {
	text, _ := json.Marshal(Object{ // texts
		"productId": product, "purchaseToken": token, "packageName": Package, "purchaseState": 0, "orderId": "of the app's making",
	})
	return string(text)
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// What the store tells.

func (s *Store) tellProduct(token string, kind int) {
	s.tell(Object{"oneTimeProductNotification": Object{"version": "1.0", "notificationType": kind, "purchaseToken": token, "sku": s.products[token]}})
}

func (s *Store) tellSubscription(token string, kind int) {
	s.tell(Object{"subscriptionNotification": Object{"version": "1.0", "notificationType": kind, "purchaseToken": token}})
}

func (s *Store) tell(about Object) { s.told = append(s.told, s.message(about)) }

// Message is the body of a notification that the store does not remember.
func (s *Store) Message(about Object) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.message(about)
}

func (s *Store) message(about Object) []byte {
	s.count++
	o := Object{"version": "1.0", "packageName": Package, "eventTimeMillis": millis(s.now())}
	maps.Copy(o, about)
	data, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	body, err := json.Marshal(Object{
		"message":      Object{"data": data, "messageId": fmt.Sprint(s.count), "publishTime": s.now().UTC().Format(time.RFC3339Nano)},
		"subscription": "projects/cuatrola-test/subscriptions/play",
	})
	if err != nil {
		panic(err)
	}
	return body
}

// Told is all that the store has told, oldest first.
func (s *Store) Told() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// What the store answers.

func (s *Store) grant(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status != 0 {
		http.Error(w, `{"error":"planted"}`, s.status)
		return
	}
	if r.PostFormValue("assertion") == "" {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	s.asked["token"]++
	write(w, Object{"access_token": access, "token_type": "Bearer", "expires_in": 3600})
}

func write(w http.ResponseWriter, o Object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o)
}

func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Google's own text may quote what was asked for.
	_ = json.NewEncoder(w).Encode(Object{"error": Object{"code": status, "message": "about hunter2"}})
}

// begin holds the store, and says whether the request is a good one.
func (s *Store) begin(w http.ResponseWriter, r *http.Request) (end func(), ok bool) {
	s.mu.Lock()
	switch {
	case s.status != 0:
		refuse(w, s.status)
	case r.Header.Get("Authorization") != "Bearer "+access:
		refuse(w, http.StatusUnauthorized)
	default:
		return s.mu.Unlock, true
	}
	return s.mu.Unlock, false
}

func (s *Store) getProduct(w http.ResponseWriter, r *http.Request) {
	end, ok := s.begin(w, r)
	defer end()
	if !ok {
		return
	}
	s.asked["product"]++
	token := r.PathValue("token")
	if product := s.products[token]; product == "" || product != r.PathValue("product") {
		refuse(w, http.StatusNotFound)
		return
	}
	write(w, s.purchases[token])
}

func (s *Store) consume(w http.ResponseWriter, r *http.Request) {
	end, ok := s.begin(w, r)
	defer end()
	if !ok {
		return
	}
	token, is := strings.CutSuffix(r.PathValue("token"), ":consume")
	o := s.purchases[token]
	if !is || s.products[token] != r.PathValue("product") || o["purchaseState"] != 0 || o["consumptionState"] != 0 {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.asked["consume"]++
	o["consumptionState"], o["acknowledgementState"] = 1, 1
	w.WriteHeader(http.StatusNoContent)
}

func (s *Store) getSubscription(w http.ResponseWriter, r *http.Request) {
	end, ok := s.begin(w, r)
	defer end()
	if !ok {
		return
	}
	s.asked["subscription"]++
	token := r.PathValue("token")
	if product, known := s.products[token]; product != "" || !known {
		refuse(w, http.StatusBadRequest)
		return
	}
	write(w, s.purchases[token])
}

func (s *Store) acknowledge(w http.ResponseWriter, r *http.Request) {
	end, ok := s.begin(w, r)
	defer end()
	if !ok {
		return
	}
	token, is := strings.CutSuffix(r.PathValue("token"), ":acknowledge")
	o := s.purchases[token]
	if !is || o["acknowledgementState"] != "ACKNOWLEDGEMENT_STATE_PENDING" || o["lineItems"].([]Object)[0]["productId"] != r.PathValue("product") {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.asked["acknowledge"]++
	o["acknowledgementState"] = "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED"
	w.WriteHeader(http.StatusNoContent)
}

func (s *Store) listVoided(w http.ResponseWriter, r *http.Request) {
	end, ok := s.begin(w, r)
	defer end()
	if !ok {
		return
	}
	q := r.URL.Query()
	since, err := strconv.ParseInt(q.Get("startTime"), 10, 64)
	if err != nil || time.UnixMilli(since).Before(s.now().Add(-30*24*time.Hour)) {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.asked["voided"]++
	var all []Object
	for _, v := range slices.Backward(s.voids) { // in no order that may be counted on
		at, err := strconv.ParseInt(v["voidedTimeMillis"].(string), 10, 64)
		token, _ := v["purchaseToken"].(string)
		if err == nil && at >= since && (q.Get("type") == "1" || s.products[token] != "") {
			all = append(all, v)
		}
	}
	from := 0
	if next := q.Get("token"); next != "" {
		if from, err = strconv.Atoi(next); err != nil || from > len(all) {
			refuse(w, http.StatusBadRequest)
			return
		}
	}
	answer, to := Object{}, min(from+pageSize, len(all))
	if answer["voidedPurchases"] = all[from:to]; to < len(all) {
		answer["tokenPagination"] = Object{"nextPageToken": strconv.Itoa(to)}
	}
	write(w, answer)
}
