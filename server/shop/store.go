package shop

import (
	"context"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Store keeps orders, their history and the inbox of events.
type Store interface {
	// Trade runs f in a transaction, which is kept if f returns nil.
	Trade(ctx context.Context, f func(Tx) error) error
	// Order reads one. Codes: NotFound.
	Order(ctx context.Context, id string) (*Order, error)
	// Orders lists at most limit of a player's, newest first, older than the one with
	// the id given, if any.
	Orders(ctx context.Context, playerID, before string, limit int) ([]*Order, error)
	// OrderHistory lists what has happened to an order, oldest first.
	OrderHistory(ctx context.Context, orderID string) ([]Change, error)
	// Bought counts a player's orders by SKU, without those that came to nothing.
	Bought(ctx context.Context, playerID string) (map[string]int, error)
	// Email of a player, empty if none is known.
	Email(ctx context.Context, playerID string) (string, error)
	// FindOrders lists at most limit orders that one of the search's parts names,
	// newest first, older than the one with the id given, if any.
	FindOrders(ctx context.Context, s Search, before string, limit int) ([]*Order, error)
	// ProviderEvents lists at most limit events of an outcome, newest first, behind a mark.
	ProviderEvents(ctx context.Context, outcome Outcome, behind Mark, limit int) ([]Received, error)
	// OrderEvents lists the events that were found to be about an order, oldest first.
	OrderEvents(ctx context.Context, orderID string) ([]Received, error)
	// WaitingEvents lists at most limit events that wait for their order, received since
	// a time, oldest first, behind the one given, if any.
	WaitingEvents(ctx context.Context, since time.Time, after *Received, limit int) ([]Received, error)
	// Unpaid lists at most limit orders that are open though their time to pay is over.
	Unpaid(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Undelivered lists at most limit orders of a provider that have been given without
	// its knowing, in the order of their ids, behind the one given, if any.
	Undelivered(ctx context.Context, provider ProviderName, after string, limit int) ([]*Order, error)
	// ReadUntil is how far a provider's events have been read; zero for not at all.
	ReadUntil(ctx context.Context, provider ProviderName) (time.Time, error)
	// SetReadUntil keeps that.
	SetReadUntil(ctx context.Context, provider ProviderName, until time.Time) error
}

// Tx is a transaction of the shop's. Rows are held in one order: the event, the
// order, the standing, the accounts.
type Tx interface {
	halt.Tx

	// Enter puts an event into the inbox. If it is there, known is what became of it,
	// and it is held.
	Enter(r *Received) (known *Received, err error)
	// Conclude keeps what has become of an event.
	Conclude(r *Received) error
	// Waiting lists the events that wait for the order and that nobody holds, and
	// holds them.
	Waiting(o *Order) ([]Received, error)

	// HoldPlayer keeps others from adding orders of the player's until the end. Codes:
	// NotFound, also for an account that was deleted.
	HoldPlayer(playerID string) error
	// Heir is who has what was the player's: the account that it was merged into, or the
	// player itself.
	Heir(playerID string) (string, error)
	// Bought is the Store's.
	Bought(playerID string) (map[string]int, error)
	// Order reads an order and holds it. Codes: NotFound.
	Order(id string) (*Order, error)
	// OrderByKey reads a player's order by its key, and holds it. Codes: NotFound.
	OrderByKey(playerID, key string) (*Order, error)
	// Find looks for the order that is or was asked for under a reference, or paid by a
	// transaction; an empty word finds nothing. Codes: NotFound.
	Find(provider ProviderName, reference, transaction string) (id string, err error)
	// FirstOf is the first order of a subscription, which is not held. Codes: NotFound.
	FirstOf(provider ProviderName, subscription string) (*Order, error)
	// Add keeps a new order, or returns false if there is one with its key or its
	// transaction.
	Add(o *Order) (bool, error)
	// Keep keeps a changed order, and writes what has happened into its history.
	Keep(o *Order, c Change) error
	// Note writes into an order's history.
	Note(orderID string, c Change) error

	// Standing reads a player's, and holds it.
	Standing(playerID string) (reward.Standing, error)
	// Coins of a player, whose account is then held.
	Coins(playerID string) (int64, error)
	// Give posts the transfer, unless it is nil, and keeps the standing, unless it is
	// nil. After an error the transaction is given up.
	Give(t *wallet.Transfer, s *reward.Standing) error
}

// Outcome is what became of an event.
type Outcome string

// The outcomes.
const (
	// Applied: the order knows it.
	Applied Outcome = "applied"
	// Ignored: it is nothing to an order, or, with CodeUnknownOrder, to none that is
	// known yet; then it is looked at again.
	Ignored Outcome = "ignored"
	// Refused: it does not fit its order, and has changed nothing. An operator has to
	// look.
	Refused Outcome = "refused"
)

// Received is an event in the inbox.
type Received struct {
	Event
	ReceivedAt time.Time
	Outcome    Outcome
	// Code says why it was refused, or what it waits for.
	Code fault.Code
	// Order that it was found to be about; empty if none.
	Order string
}

func (r *Received) waits() bool { return r.Outcome == Ignored && r.Code == CodeUnknownOrder }

// Change is a line of an order's history.
type Change struct {
	// Seq counts from 1.
	Seq  int
	At   time.Time
	What What
	// Status behind the change.
	Status Status
	// Actor says who did it: the player, a provider, the system or an operator.
	Actor string
	// Detail of the change; what it has depends on What.
	Detail Detail
}

// What has happened to an order: the kind of the fact that it was told, or one of
// these.
type What string

// What happens beside facts.
const (
	WhatCreated         What = "created"
	WhatPaid            What = What(FactPaid)
	WhatReversed        What = What(FactReversed)
	WhatDelivered       What = "delivered"
	WhatRefused         What = "refused"
	WhatRefundRequested What = "refund_requested"
	WhatRefundFailed    What = "refund_failed"
)

// Actors beside operators and providers.
const (
	ActorPlayer = "player"
	ActorSystem = "system"
)

// Detail is what more there is to say about a change.
type Detail struct {
	// Event that told it.
	Event string `json:"event,omitempty"`
	// Key and Amount of a reversal, or of a refund that was asked for, in all.
	Key    string `json:"key,omitempty"`
	Amount int64  `json:"amount,omitempty"`
	// Given with the change; below zero what was taken back. Owed is how much of the
	// coins the player no longer had.
	Given Goods `json:"given,omitzero"`
	Owed  int64 `json:"owed,omitempty"`
	// Code and Reason of what was refused, or asked for.
	Code   fault.Code `json:"code,omitempty"`
	Reason string     `json:"reason,omitempty"`
}
