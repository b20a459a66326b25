package shop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Redeem takes a receipt of something that a player has bought in a store. Whoever
// presents it, and however often, it is given once, to the player who bought it; where
// the store does not know who that was, to the first who presents it.
//
// Codes: ProviderDisabled, CodeReceipt, CodeUnpaid, CodeForeign, CodeNotForSale (a
// product that no catalogue has), Unavailable.
func (s *Service) Redeem(ctx context.Context, playerID string, provider ProviderName, shown string) (*Order, error) {
	counter := s.counters[provider]
	if counter == nil {
		return nil, disabled(provider)
	}
	p, err := counter.Verify(ctx, shown)
	if err != nil {
		return nil, err
	}
	if p.Live != counter.Live() || p.Transaction == "" {
		return nil, fault.New(CodeReceipt, "This receipt is not one of this shop's.")
	}
	o, err := s.redeem(ctx, playerID, provider, &p)
	if err != nil {
		return nil, s.refuse(ctx, playerID, provider, &p, err)
	}
	if err := s.deliver(ctx, counter, o); err != nil {
		slog.WarnContext(ctx, "shop: the store was not told that a purchase was given; it will be", "order", o.ID, "error", err)
	}
	return o, nil
}

func (s *Service) redeem(ctx context.Context, playerID string, provider ProviderName, p *Purchase) (*Order, error) {
	if p.PlayerID != "" && p.PlayerID != playerID {
		return nil, errForeign
	}
	what, err := s.bought(ctx, provider, p)
	if err != nil {
		return nil, err
	}
	var o *Order
	var news []Received
	err = s.store.Trade(ctx, func(tx Tx) error {
		if o, err = s.redeemed(tx, playerID, provider, p, what); err != nil {
			return err
		}
		if err := s.apply(tx, o, paid(p, o), ActorPlayer, Detail{}); err != nil {
			return err
		}
		news, err = s.waited(tx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.report(ctx, news)
	return s.store.Order(ctx, o.ID)
}

var errForeign = fault.New(CodeForeign, "This purchase belongs to another player.")

// refuse keeps what was paid and is given nothing for, where an operator sees it. It
// returns the reason.
func (s *Service) refuse(ctx context.Context, playerID string, provider ProviderName, p *Purchase, reason error) error {
	code := fault.CodeOf(reason)
	if code != CodeForeign && code != CodeMismatch && code != CodeNotForSale {
		return reason
	}
	r := Received{
		Event: Event{
			Provider: provider, ID: "receipt:" + p.Transaction + ":" + playerID, Kind: "receipt", At: p.At, Transaction: p.Transaction, Renewal: p,
		},
		ReceivedAt: s.moment(), Outcome: Refused, Code: code,
	}
	fresh := false
	err := s.store.Trade(ctx, func(tx Tx) error {
		known, err := tx.Enter(&r)
		if err != nil || known != nil {
			return err
		}
		fresh = true
		return tx.Conclude(&r)
	})
	if err != nil {
		return errors.Join(reason, err)
	}
	if fresh {
		s.report(ctx, []Received{r})
	}
	return reason
}

// redeemed finds the order of a payment that was presented, or makes it.
func (s *Service) redeemed(tx Tx, playerID string, provider ProviderName, p *Purchase, what *product) (*Order, error) {
	id, err := tx.Find(provider, "", p.Transaction)
	if fault.CodeOf(err) == fault.NotFound {
		if p.Subscription != "" {
			first, err := tx.FirstOf(provider, p.Subscription)
			switch {
			case err == nil && first.PlayerID != playerID:
				return nil, errForeign
			case err != nil && fault.CodeOf(err) != fault.NotFound:
				return nil, err
			}
		}
		if what == nil {
			return nil, fault.New(CodeNotForSale, "This is not sold here.")
		}
		o := &Order{PlayerID: playerID, Provider: provider}
		o.describe(what)
		if o, err = s.made(tx, o, p, ActorPlayer); err == nil && o.PlayerID != playerID {
			return nil, errForeign
		}
		return o, err
	}
	if err != nil {
		return nil, err
	}
	o, err := tx.Order(id)
	if err == nil && o.PlayerID != playerID {
		return nil, errForeign
	}
	return o, err
}

// deliver tells a store that the goods were given, unless it knows.
func (s *Service) deliver(ctx context.Context, counter Counter, o *Order) error {
	if !o.DeliveredAt.IsZero() || o.Status != Granted && o.Status != PartlyReversed {
		return nil
	}
	if err := counter.Delivered(ctx, o); err != nil {
		return fmt.Errorf("shop: order %s: %w", o.ID, err)
	}
	return s.store.Trade(ctx, func(tx Tx) error {
		kept, err := tx.Order(o.ID)
		if err != nil || !kept.DeliveredAt.IsZero() {
			return err
		}
		kept.DeliveredAt = s.moment()
		kept.Version++
		*o = *kept
		return tx.Keep(kept, Change{At: kept.DeliveredAt, What: WhatDelivered, Status: kept.Status, Actor: ActorSystem})
	})
}
