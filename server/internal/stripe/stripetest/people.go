package stripetest

import (
	"fmt"
)

// What people and banks do. All of it goes by the order that was asked for; what an
// action returns are the events that it made, oldest first.

func (s *Stripe) find(kind, orderID string) Object {
	for _, id := range s.ids {
		o := s.objects[id]
		if o == nil || o["object"] != kind {
			continue
		}
		if m, ok := o["metadata"].(Object); ok && m["order"] == orderID {
			return o
		}
	}
	return nil
}

// act does something about an order, and returns the events that it made.
func (s *Stripe) act(f func()) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.events)
	f()
	return append([]Event(nil), s.events[before:]...)
}

func (s *Stripe) chargeOf(intentID string) Object {
	intent := s.objects[intentID]
	if intent == nil {
		return nil
	}
	id, _ := intent["latest_charge"].(string)
	return s.objects[id]
}

// must is an object that the test believes is there.
func (s *Stripe) must(o Object, what string) Object {
	if o == nil {
		panic(fmt.Sprintf("stripetest: no %s", what))
	}
	return o
}

// succeed takes an intent's money.
func (s *Stripe) succeed(intent Object) {
	charge := s.put("ch", "charge", Object{
		"amount": intent["amount"], "amount_refunded": 0, "currency": intent["currency"], "customer": intent["customer"],
		"payment_intent": intent["id"], "invoice": intent["invoice"], "metadata": intent["metadata"], "refunded": false, "disputed": false,
		"status": "succeeded",
	})
	intent["status"], intent["amount_received"], intent["latest_charge"] = "succeeded", intent["amount"], charge["id"]
	s.tell("charge.succeeded", charge)
	s.tell("payment_intent.succeeded", intent)
}

// Pay has the player pay an order, in the sheet or on the page. A card's money is there
// at once.
func (s *Stripe) Pay(orderID string) []Event {
	return s.act(func() {
		if session := s.find("checkout.session", orderID); session != nil {
			s.complete(session, true)
			return
		}
		s.succeed(s.must(s.find("payment_intent", orderID), "payment for order "+orderID))
	})
}

// PayLater has the player go through the page with a way of paying that takes days; see
// Arrive.
func (s *Stripe) PayLater(orderID string) []Event {
	return s.act(func() { s.complete(s.must(s.find("checkout.session", orderID), "page for order "+orderID), false) })
}

// Arrive ends what PayLater began.
func (s *Stripe) Arrive(orderID string, paid bool) []Event {
	return s.act(func() {
		session := s.must(s.find("checkout.session", orderID), "page for order "+orderID)
		id, _ := session["payment_intent"].(string)
		intent := s.must(s.objects[id], "payment that is under way")
		if !paid {
			intent["status"] = "requires_payment_method"
			s.tell("payment_intent.payment_failed", intent)
			s.tell("checkout.session.async_payment_failed", session)
			return
		}
		session["payment_status"] = "paid"
		s.succeed(intent)
		s.tell("checkout.session.async_payment_succeeded", session)
	})
}

func (s *Stripe) complete(session Object, paid bool) {
	session["status"], session["url"] = "complete", nil
	if session["mode"] == "subscription" {
		metadata, _ := session["subscription_metadata"].(Object)
		sub := s.put("sub", "subscription", Object{
			"status": "active", "metadata": metadata, "customer": session["customer"], "cancel_at_period_end": false,
			"price": session["amount_total"], "currency": session["currency"],
		})
		s.tell("customer.subscription.created", sub)
		invoice := s.bill(sub, "subscription_create", true)
		session["subscription"], session["invoice"], session["payment_status"] = sub["id"], invoice["id"], "paid"
		s.tell("checkout.session.completed", session)
		return
	}
	metadata, _ := session["intent_metadata"].(Object)
	customer, _ := session["customer"].(string)
	currency, _ := session["currency"].(string)
	intent := s.intent(num(session["amount_total"]), currency, customer, metadata, nil)
	session["payment_intent"] = intent["id"]
	if paid {
		session["payment_status"] = "paid"
		s.succeed(intent)
	} else {
		intent["status"] = "processing"
	}
	s.tell("checkout.session.completed", session)
}

// bill makes a subscription's invoice, and has it paid or not.
func (s *Stripe) bill(sub Object, reason string, paid bool) Object {
	currency, _ := sub["currency"].(string)
	customer, _ := sub["customer"].(string)
	invoice := s.put("in", "invoice", Object{
		"subscription": sub["id"], "subscription_details": Object{"metadata": sub["metadata"]}, "billing_reason": reason,
		"customer": customer, "currency": currency, "amount_due": sub["price"], "amount_paid": 0, "status": "open", "paid": false,
	})
	intent := s.intent(num(sub["price"]), currency, customer, Object{}, invoice["id"])
	invoice["payment_intent"] = intent["id"]
	if !paid {
		s.tell("payment_intent.payment_failed", intent)
		s.tell("invoice.payment_failed", invoice)
		return invoice
	}
	s.succeed(intent)
	invoice["status"], invoice["paid"], invoice["amount_paid"] = "paid", true, sub["price"]
	s.tell("invoice.paid", invoice)
	return invoice
}

// Renew has a subscription's next period paid, or its payment fail.
func (s *Stripe) Renew(orderID string, paid bool) []Event {
	return s.act(func() {
		s.bill(s.must(s.find("subscription", orderID), "subscription of order "+orderID), "subscription_cycle", paid)
	})
}

// EndSubscription ends a subscription.
func (s *Stripe) EndSubscription(orderID string) []Event {
	return s.act(func() {
		sub := s.must(s.find("subscription", orderID), "subscription of order "+orderID)
		sub["status"] = "canceled"
		s.tell("customer.subscription.deleted", sub)
	})
}

// Decline has the player try to pay with a card that is refused.
func (s *Stripe) Decline(orderID string) []Event {
	return s.act(func() {
		s.tell("payment_intent.payment_failed", s.must(s.find("payment_intent", orderID), "payment for order "+orderID))
	})
}

// Cancel has a payment given up.
func (s *Stripe) Cancel(orderID string) []Event {
	return s.act(func() {
		intent := s.must(s.find("payment_intent", orderID), "payment for order "+orderID)
		intent["status"] = "canceled"
		s.tell("payment_intent.canceled", intent)
	})
}

// Expire ends a page that nobody has gone through.
func (s *Stripe) Expire(orderID string) []Event {
	return s.act(func() {
		session := s.must(s.find("checkout.session", orderID), "page for order "+orderID)
		session["status"], session["url"] = "expired", nil
		s.tell("checkout.session.expired", session)
	})
}

// charge of an order that is paid, or, for a subscription, of its newest payment.
func (s *Stripe) charge(orderID string) Object {
	if c := s.find("charge", orderID); c != nil {
		return c
	}
	sub := s.must(s.find("subscription", orderID), "charge for order "+orderID)
	var newest Object
	for _, id := range s.ids {
		if o := s.objects[id]; o != nil && o["object"] == "charge" {
			invoiceID, _ := o["invoice"].(string)
			if i := s.objects[invoiceID]; i != nil && i["subscription"] == sub["id"] {
				newest = o
			}
		}
	}
	return s.must(newest, "charge for order "+orderID)
}

// Refund gives money back from Stripe's dashboard; of what there still is.
func (s *Stripe) Refund(orderID string, amount int64) []Event {
	return s.act(func() {
		charge := s.charge(orderID)
		if amount = min(amount, num(charge["amount"])-num(charge["amount_refunded"])); amount > 0 {
			s.giveBack(charge, amount, Object{})
		}
	})
}

// FailRefund has the newest refund come back from a bank that would not have it.
func (s *Stripe) FailRefund(orderID string) []Event {
	return s.act(func() {
		charge := s.charge(orderID)
		var newest Object
		for _, id := range s.ids {
			if o := s.objects[id]; o != nil && o["object"] == "refund" && o["charge"] == charge["id"] && o["status"] == "succeeded" {
				newest = o
			}
		}
		s.must(newest, "refund of order "+orderID)["status"] = "failed"
		charge["amount_refunded"], charge["refunded"] = num(charge["amount_refunded"])-num(newest["amount"]), false
		s.tell("charge.refund.updated", newest)
	})
}

// Dispute has the bank take an order's money. As an inquiry it only asks.
func (s *Stripe) Dispute(orderID string, inquiry bool) []Event {
	return s.act(func() {
		charge := s.charge(orderID)
		status := "needs_response"
		if inquiry {
			status = "warning_needs_response"
		}
		d := s.put("dp", "dispute", Object{
			"charge": charge["id"], "payment_intent": charge["payment_intent"], "amount": charge["amount"], "currency": charge["currency"],
			"status": status, "metadata": Object{},
		})
		s.tell("charge.dispute.created", d)
		if !inquiry {
			charge["disputed"] = true
			s.tell("charge.dispute.funds_withdrawn", d)
		}
	})
}

// Decide ends an order's newest dispute: the money comes back, or stays away. What was
// an inquiry is closed.
func (s *Stripe) Decide(orderID string, won bool) []Event {
	return s.act(func() {
		charge := s.charge(orderID)
		var d Object
		for _, id := range s.ids {
			if o := s.objects[id]; o != nil && o["object"] == "dispute" && o["charge"] == charge["id"] {
				d = o
			}
		}
		s.must(d, "dispute of order "+orderID)
		switch {
		case d["status"] == "warning_needs_response":
			d["status"] = "warning_closed"
		case won:
			d["status"], charge["disputed"] = "won", false
			s.tell("charge.dispute.funds_reinstated", d)
		default:
			d["status"] = "lost"
		}
		s.tell("charge.dispute.closed", d)
	})
}

// Has is how much of an order's money the account has now.
func (s *Stripe) Has(orderID string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	charge := s.find("charge", orderID)
	if charge == nil || charge["disputed"] == true {
		return 0
	}
	return num(charge["amount"]) - num(charge["amount_refunded"])
}
