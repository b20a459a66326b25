// Package engagement knows what each player is taken up with: a room, a place in
// the queue, a staked table or a match. It is one thing at a time, so that nobody is
// seated twice, and the server has it, so that a player finds back to it on any
// device.
package engagement

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Kind says what sort of thing it is.
type Kind string

// The kinds.
const (
	// None: the player is free.
	None Kind = "none"
	// Room: in a room with friends.
	Room Kind = "room"
	// Ticket: waiting in the queue.
	Ticket Kind = "ticket"
	// Table: sitting at a staked table that has not begun.
	Table Kind = "table"
	// Match: in a match, but for those against the machine, of which one may have any
	// number.
	Match Kind = "match"
)

// Reason says why an engagement is what it is. Every way out of something has one.
type Reason string

// The reasons.
const (
	// Joined: by one's own choice.
	Joined Reason = "joined"
	// Started: the match has begun.
	Started Reason = "started"
	// Over: the match has ended.
	Over Reason = "over"
	// Voided: the match was given up, for a fault of the server's.
	Voided Reason = "voided"
	// Left: by one's own choice.
	Left Reason = "left"
	// Kicked: the room's owner wanted it so.
	Kicked Reason = "kicked"
	// Expired: nothing came of it in time.
	Expired Reason = "expired"
	// Cancelled: the table did not fill in time, and every entry was given back.
	Cancelled Reason = "cancelled"
	// InsufficientCoins: the entry could not be paid when a seat was found.
	InsufficientCoins Reason = "insufficient_coins"
	// InDebt: there was a debt when a seat was found.
	InDebt Reason = "in_debt"
	// StakesOff: there are no staked tables any more, and every entry was given back.
	StakesOff Reason = "stakes_off"
	// Stopped: an operator has stopped this for a while, and every entry was given back.
	Stopped Reason = "stopped"
	// Seated: there was a seat at a staked table, and the entry was paid.
	Seated Reason = "seated"
	// Unseated: that table can not begin with the player, the entry was given back, and
	// the search goes on.
	Unseated Reason = "unseated"
	// Suspended: the operator keeps the player out.
	Suspended Reason = "suspended"
	// PartnerLeft: the other of the party went, and a party goes together.
	PartnerLeft Reason = "partner_left"
)

// Place is one thing to be taken up with. The zero value is none.
type Place struct {
	Kind Kind
	// ID of the room, ticket, table or match; empty for none.
	ID string
}

// Free is the place of those who are free.
var Free = Place{Kind: None}

// Engagement is what a player is taken up with.
type Engagement struct {
	PlayerID string
	Place    Place
	// Seq counts the changes from 1, also those of what it leads to, such as who sits
	// where in the room; 0 if there was none yet.
	Seq    int
	Reason Reason
	// Since is when the player came there.
	Since time.Time
}

// CodeEngaged: the player is taken up with something else.
const CodeEngaged fault.Code = "engaged"

// ErrEngaged refuses a second thing at a time.
var ErrEngaged = fault.New(CodeEngaged, "You are in a room, a queue or a match already. Leave it or finish it first.")

// Change says that a player's engagement has changed.
type Change struct {
	PlayerID string
	// Seq is its new number; 0 if whoever says so does not know it.
	Seq int
}

// Store keeps engagements. They change in the transactions of what they lead to.
type Store interface {
	// Engagement reads a player's.
	Engagement(ctx context.Context, playerID string) (Engagement, error)
}

// Service is the domain's door. Make one with New.
type Service struct {
	store Store
	tell  func(Change)
}

// New returns a service over the store. tell is called for each change behind its
// commit; it must not block.
func New(store Store, tell func(Change)) *Service { return &Service{store: store, tell: tell} }

// Of is what a player is taken up with.
func (s *Service) Of(ctx context.Context, playerID string) (Engagement, error) {
	return s.store.Engagement(ctx, playerID)
}

// Announce says that engagements have changed. Call it behind the commit.
func (s *Service) Announce(changes ...Change) {
	for _, c := range changes {
		s.tell(c)
	}
}

// Sorted is a list of players in the order in which their rows are changed, so that
// two transactions never wait for each other in a circle.
func Sorted(players []string) []string {
	return slices.SortedFunc(slices.Values(players), cmp.Compare)
}
