// Package appstoretest is Apple's store for tests: it sells, renews, refunds and
// revokes, signs what it says with certificates of its own, and remembers all that it
// has told.
package appstoretest

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Bundle is the app that the store sells for.
const Bundle = "org.example.cuatrola"

// Object is something in JSON.
type Object map[string]any

// Store is the store. Make one with New.
type Store struct {
	// Chain signs.
	Chain Chain
	// Environment is the store that is played: Sandbox or Production.
	Environment string

	t   testing.TB
	now func() time.Time

	mu           sync.Mutex
	numbers      int
	transactions map[string]Object
	told         [][]byte
}

// New returns a store of the production environment in which nothing has been sold. It
// reads the clock now.
func New(t testing.TB, now func() time.Time) *Store {
	t.Helper()
	return &Store{
		Chain: NewChain(t, now()), Environment: "Production", t: t, now: now,
		numbers: 2_000_000_000_000_000, transactions: make(map[string]Object),
	}
}

// add makes a transaction out of what all of them have, with some more.
func (s *Store) add(product, player, kind string, more Object) (id string) {
	s.numbers++
	id = fmt.Sprint(s.numbers)
	at := s.now().UnixMilli()
	t := Object{
		"transactionId": id, "originalTransactionId": id, "bundleId": Bundle, "productId": product, "environment": s.Environment,
		"type": kind, "inAppOwnershipType": "PURCHASED", "quantity": 1, "purchaseDate": at, "originalPurchaseDate": at,
		"storefront": "ESP", "storefrontId": "143454", "transactionReason": "PURCHASE", "currency": "EUR", "price": 1990,
	}
	if player != "" {
		t["appAccountToken"] = player
	}
	maps.Copy(t, more)
	s.transactions[id] = t
	return id
}

// Sell sells something that can be bought again and again, to the player that the app
// names, if it names one. more replaces what a transaction has.
func (s *Store) Sell(product, player string, more Object) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = s.add(product, player, "Consumable", more)
	s.tell("ONE_TIME_CHARGE", "", id)
	return id
}

// Subscribe begins to sell something again and again by itself.
func (s *Store) Subscribe(product, player string, more Object) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = s.add(product, player, "Auto-Renewable Subscription", more)
	s.tell("SUBSCRIBED", "INITIAL_BUY", id)
	return id
}

// Renew is a subscription's next payment. id is any of its payments.
func (s *Store) Renew(id string) (next string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.transactions[id]
	player, _ := before["appAccountToken"].(string)
	next = s.add(before["productId"].(string), player, "Auto-Renewable Subscription", Object{
		"originalTransactionId": before["originalTransactionId"], "originalPurchaseDate": before["originalPurchaseDate"],
		"transactionReason": "RENEWAL", "price": before["price"], "currency": before["currency"],
	})
	s.tell("DID_RENEW", "", next)
	return next
}

// Expire ends a subscription.
func (s *Store) Expire(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell("EXPIRED", "VOLUNTARY", id)
}

// Refund gives the money back.
func (s *Store) Refund(id string) { s.takeBack("REFUND", id, Object{"revocationType": "REFUND_FULL"}) }

// RefundPart gives some of the money back, in thousandths of a percent.
func (s *Store) RefundPart(id string, part int64) {
	s.takeBack("REFUND", id, Object{"revocationType": "REFUND_PRORATED", "revocationPercentage": part})
}

// Revoke takes a purchase back without a refund.
func (s *Store) Revoke(id string) {
	s.takeBack("REVOKE", id, Object{"revocationType": "FAMILY_REVOKE"})
}

func (s *Store) takeBack(kind, id string, how Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.transactions[id]
	t["revocationDate"], t["revocationReason"] = s.now().UnixMilli(), 0
	maps.Copy(t, how)
	s.tell(kind, "", id)
}

// Reverse takes a refund back: the purchase is paid again.
func (s *Store) Reverse(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.transactions[id]
	for _, name := range []string{"revocationDate", "revocationReason", "revocationType", "revocationPercentage"} {
		delete(t, name)
	}
	s.tell("REFUND_REVERSED", "", id)
}

// Receipt is the transaction as the app has it now. more replaces what it has; a nil
// takes it away.
func (s *Store) Receipt(id string, more Object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sign(id, more)
}

func (s *Store) sign(id string, more Object) string {
	t := maps.Clone(s.transactions[id])
	t["signedDate"] = s.now().UnixMilli()
	replace(t, more)
	return s.Chain.Sign(s.t, t)
}

func replace(o, more Object) {
	for name, value := range more {
		if o[name] = value; value == nil {
			delete(o, name)
		}
	}
}

func (s *Store) tell(kind, subtype, id string) {
	s.told = append(s.told, s.notification(kind, subtype, id, nil, nil))
}

// Notification is the body of one that the store does not remember. id is the
// transaction that it is about; empty for none. more and of replace what it and its
// transaction have.
func (s *Store) Notification(kind, subtype, id string, more, of Object) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notification(kind, subtype, id, more, of)
}

func (s *Store) notification(kind, subtype, id string, more, of Object) []byte {
	data := Object{"bundleId": Bundle, "bundleVersion": "1", "environment": s.Environment}
	if id != "" {
		data["signedTransactionInfo"] = s.sign(id, of)
	}
	n := Object{
		"notificationType": kind, "notificationUUID": uuid.NewString(), "version": "2.0", "data": data, "signedDate": s.now().UnixMilli(),
	}
	if subtype != "" {
		n["subtype"] = subtype
	}
	replace(n, more)
	return Body(s.Chain.Sign(s.t, n))
}

// Body is what is sent of a signed notification.
func Body(signed string) []byte {
	body, _ := json.Marshal(map[string]string{"signedPayload": signed}) // a text
	return body
}

// Told is all that the store has told, oldest first.
func (s *Store) Told() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.told...)
}
