package shop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
)

// Search is what an operator knows of an order; each part that is not empty may name
// it.
type Search struct {
	// ID of the order, or of its player.
	ID string
	// Word of the provider's: reference, transaction or subscription.
	Word string
	// Email of the player, in its normal form, and Name, as a key.
	Email, NameKey string
	// All finds all orders; then the other parts do not matter.
	All bool
	// Status that they have to have as well; empty for any.
	Status Status
}

// SearchFor makes a search of what an operator has typed.
func SearchFor(text string) Search {
	text = strings.TrimSpace(text)
	s := Search{ID: text, Word: text, NameKey: name.Key(text)}
	if email, err := account.NormalEmail(text); err == nil {
		s.Email = email
	}
	return s
}

// FindOrders lists at most limit orders that a text is about: an e-mail address or a
// player's name or identifier, an order's identifier, or what its provider calls it.
// They come newest first, older than the one with the id given, if any.
func (s *Service) FindOrders(ctx context.Context, text, before string, limit int) ([]*Order, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "search", Message: "Say what to look for."}
	}
	return s.store.FindOrders(ctx, SearchFor(text), before, limit)
}

// Browse is FindOrders for somebody who may look around: an empty text finds all orders,
// and status, unless empty, those that have it.
func (s *Service) Browse(ctx context.Context, text string, status Status, before string, limit int) ([]*Order, error) {
	search := Search{All: true}
	if strings.TrimSpace(text) != "" {
		search = SearchFor(text)
	}
	search.Status = status
	return s.store.FindOrders(ctx, search, before, limit)
}

// EventsOf are the events that were found to be about an order, oldest first.
func (s *Service) EventsOf(ctx context.Context, orderID string) ([]Received, error) {
	return s.store.OrderEvents(ctx, orderID)
}

// CanRefund is how much of an order may still be given back here; 0 for nothing.
func (s *Service) CanRefund(o *Order) int64 {
	if total, err := refundable(o, 0); err == nil && s.tills[o.Provider] != nil {
		return total - o.TakenBack()
	}
	return 0
}

// CanEndRenewal says whether an order is one that may be paid again, and where that is
// ended here.
func (s *Service) CanEndRenewal(o *Order) bool {
	_, can := s.tills[o.Provider].(Renewer)
	return can && o.Subscription != "" && !o.Provider.pricesItself()
}

// Order is one with its history, for an operator. Codes: NotFound.
func (s *Service) Order(ctx context.Context, id string) (*Order, []Change, error) {
	o, err := s.store.Order(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	history, err := s.store.OrderHistory(ctx, id)
	return o, history, err
}

// Mark is a place in the inbox: that of an event, or, with a time alone, behind all that
// was received then or later. The zero value is the beginning.
type Mark struct {
	ReceivedAt time.Time
	Provider   ProviderName
	ID         string
}

// Inbox lists at most limit events of an outcome, newest first, behind a mark. The
// refused ones are an operator's to look at.
func (s *Service) Inbox(ctx context.Context, outcome Outcome, behind Mark, limit int) ([]Received, error) {
	return s.store.ProviderEvents(ctx, outcome, behind, limit)
}

// Refund has a provider give money back: so that it is total in all, in the smallest
// unit of the order's currency, or everything if total is 0. What the player was
// given is taken back when the provider says that it has happened. That it was asked
// for is in the order's history before the provider is asked. Asked twice for the same
// total, it is given back once.
//
// Codes: NotFound, InvalidRequest (no reason, no author), CodeRefund, ProviderDisabled,
// Unavailable.
func (s *Service) Refund(ctx context.Context, id string, total int64, reason, author string) (*Order, error) {
	for field, text := range map[string]string{"reason": reason, "author": author} {
		if strings.TrimSpace(text) == "" {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: field, Message: "Say who gives back, and why."}
		}
	}
	var o *Order
	note := func(what What, code fault.Code) error {
		return s.store.Trade(ctx, func(tx Tx) (err error) {
			if o, err = tx.Order(id); err != nil {
				return err
			}
			if what == WhatRefundRequested {
				if total, err = refundable(o, total); err != nil {
					return err
				}
				if s.tills[o.Provider] == nil {
					return disabled(o.Provider)
				}
			}
			return tx.Note(id, Change{
				At: s.moment(), What: what, Status: o.Status, Actor: author, Detail: Detail{Amount: total, Reason: reason, Code: code},
			})
		})
	}
	if err := note(WhatRefundRequested, ""); err != nil {
		return nil, err
	}
	if err := s.tills[o.Provider].Refund(ctx, o, total, reason); err != nil {
		return nil, errors.Join(err, note(WhatRefundFailed, fault.CodeOf(err)))
	}
	return o, nil
}

// refundable is how much may be given back in all.
func refundable(o *Order, total int64) (int64, error) {
	if total == 0 {
		total = o.Price.Amount
	}
	switch {
	case o.Provider.pricesItself():
		return 0, fault.New(CodeRefund, "The store itself gives back what was paid there.")
	case o.PaidAt.IsZero():
		return 0, fault.New(CodeRefund, "This was not paid.")
	case total < 0 || total > o.Price.Amount:
		return 0, &fault.Error{Code: CodeRefund, Field: "amount", Message: fmt.Sprintf("The price was %d.", o.Price.Amount)}
	case total <= o.TakenBack():
		return 0, &fault.Error{Code: CodeRefund, Field: "amount", Message: fmt.Sprintf("%d have come back already.", o.TakenBack())}
	}
	return total, nil
}

// Reconciled says what a reconciliation has found.
type Reconciled struct {
	// Read is how many events of the providers' were looked at, Missed how many of
	// them had been missed. Late is how many events that waited for their order have
	// found it.
	Read, Missed, Late int
}

// Reconcile reads the providers' events again since the last time, and takes in what
// was missed; then looks again at the events that wait for their order. A provider
// that cannot be asked does not keep the others from being.
func (s *Service) Reconcile(ctx context.Context) (r Reconciled, err error) {
	var errs []error
	for name, source := range s.sources() {
		if err := s.read(ctx, name, source, &r); err != nil {
			errs = append(errs, fmt.Errorf("shop: events of %s: %w", name, err))
		}
	}
	late, err := s.late(ctx)
	r.Late = late
	return r, errors.Join(append(errs, err)...)
}

func (s *Service) sources() map[ProviderName]Source {
	all := make(map[ProviderName]Source)
	for name, till := range s.tills {
		all[name] = till
	}
	for name, counter := range s.counters {
		if source, ok := counter.(Source); ok {
			all[name] = source
		}
	}
	return all
}

func (s *Service) read(ctx context.Context, name ProviderName, source Source, r *Reconciled) error {
	began := s.moment()
	since, err := s.store.ReadUntil(ctx, name)
	if err != nil {
		return err
	}
	// What the provider has forgotten it cannot be asked for.
	if since = since.Add(-overlap); since.Before(began.Add(-remembered)) {
		since = began.Add(-remembered)
	}
	err = source.Since(ctx, since, func(e Event) error {
		r.Read++
		missed := false
		_, err := s.told(ctx, e, func() { missed = true })
		if missed && err == nil {
			r.Missed++
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.store.SetReadUntil(ctx, name, began)
}

// late looks again at events that wait for their order.
func (s *Service) late(ctx context.Context) (found int, err error) {
	var last *Received
	for {
		waiting, err := s.store.WaitingEvents(ctx, s.moment().Add(-remembered), last, batch)
		if err != nil || len(waiting) == 0 {
			return found, err
		}
		for i := range waiting {
			outcome, err := s.Told(ctx, waiting[i].Event)
			if err != nil {
				return found, err
			}
			if outcome != Ignored {
				found++
			}
		}
		last = &waiting[len(waiting)-1]
	}
}

// Expire closes the orders whose time to pay is over. One that is paid all the same
// is given.
func (s *Service) Expire(ctx context.Context) error {
	for {
		ids, err := s.store.Unpaid(ctx, s.moment(), batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			err := s.store.Trade(ctx, func(tx Tx) error {
				o, err := tx.Order(id)
				if err != nil {
					return err
				}
				return s.apply(tx, o, Fact{Kind: FactExpired, At: s.moment()}, ActorSystem, Detail{})
			})
			if err != nil {
				return err
			}
		}
	}
}

// Deliver tells the stores of what was given without their knowing.
func (s *Service) Deliver(ctx context.Context) error {
	var errs []error
	for name, counter := range s.counters {
		for after := ""; ; {
			orders, err := s.store.Undelivered(ctx, name, after, batch)
			if err != nil || len(orders) == 0 {
				errs = append(errs, err)
				break
			}
			for _, o := range orders {
				after = o.ID
				errs = append(errs, s.deliver(ctx, counter, o))
			}
		}
	}
	return errors.Join(errs...)
}
