package shop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cuatrola/cuatrola/server/fault"
)

// CodeNotRenewing: the order is not paid again, or where that is ended is not here.
const CodeNotRenewing fault.Code = "not_renewing"

// WhatRenewalStopped is in the history of an order that is not to be paid again.
const WhatRenewalStopped What = "renewal_stopped"

// Renewer is a Till that can be told not to take money again.
type Renewer interface {
	// StopRenewing has a series of payments end with the time that is paid for; one that
	// is to end stays so. Codes: NotFound (there is none, or it has ended), Unavailable.
	StopRenewing(ctx context.Context, subscription string) error
}

// StopRenewing has what a player pays again and again end with the time that is paid
// for. The order is one of those paid; asked for again, it is as it was.
//
// Codes: NotFound, also for another player's; CodeNotRenewing; Unavailable.
func (s *Service) StopRenewing(ctx context.Context, playerID, orderID string) error {
	o, err := s.store.Order(ctx, orderID)
	if err != nil {
		return err
	}
	if o.PlayerID != playerID {
		return fault.New(fault.NotFound, "There is no such order.")
	}
	return s.stopRenewing(ctx, o, ActorPlayer, "")
}

// EndRenewal is StopRenewing by an operator. Codes: InvalidRequest (no reason, no
// author) too.
func (s *Service) EndRenewal(ctx context.Context, orderID, reason, author string) error {
	for field, text := range map[string]string{"reason": reason, "author": author} {
		if strings.TrimSpace(text) == "" {
			return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: "Say who ends it, and why."}
		}
	}
	o, err := s.store.Order(ctx, orderID)
	if err != nil {
		return err
	}
	return s.stopRenewing(ctx, o, author, reason)
}

func (s *Service) stopRenewing(ctx context.Context, o *Order, actor, reason string) error {
	till, can := s.tills[o.Provider].(Renewer)
	switch {
	case o.Subscription == "":
		return fault.New(CodeNotRenewing, "This is not paid again.")
	case o.Provider.pricesItself():
		return fault.New(CodeNotRenewing, "What was bought in a store is ended in the store.")
	case !can:
		return disabled(o.Provider)
	}
	// One that has ended is not to be ended.
	if err := till.StopRenewing(ctx, o.Subscription); err != nil && fault.CodeOf(err) != fault.NotFound {
		return fmt.Errorf("shop: order %s: %w", o.ID, err)
	}
	history, err := s.store.OrderHistory(ctx, o.ID)
	if err != nil || slices.ContainsFunc(history, func(c Change) bool { return c.What == WhatRenewalStopped }) {
		return err
	}
	return s.store.Trade(ctx, func(tx Tx) error {
		kept, err := tx.Order(o.ID)
		if err != nil {
			return err
		}
		return tx.Note(o.ID, Change{At: s.moment(), What: WhatRenewalStopped, Status: kept.Status, Actor: actor, Detail: Detail{Reason: reason}})
	})
}
