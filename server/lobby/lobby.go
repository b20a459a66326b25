// Package lobby finds people to play with. Whoever wants to play takes a ticket,
// alone or with a friend; the matcher makes matches of tickets of one queue, free
// ones and, at tables that people pay to sit down at, staked ones.
//
// Tickets and tables are in the database, and each round of the matcher is one
// transaction in which tickets become a match, so that any number of processes may
// match at once and none leaves a ticket behind that is neither.
package lobby

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/rating"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Queue is what people want to play. Only those of one queue meet.
type Queue struct {
	Rules rules.Preset
	// Stake is the entry to pay, in coins; 0 for a free match.
	Stake int64
}

// Mode of the matches that come of it.
func (q Queue) Mode() economy.Mode {
	if q.Stake > 0 {
		return economy.Staked
	}
	return economy.Online
}

// String is the rules' name, a colon and the stake.
func (q Queue) String() string { return q.Rules.String() + ":" + strconv.FormatInt(q.Stake, 10) }

// Member is somebody who has a ticket. One without a player is a bot.
type Member struct {
	PlayerID, Name, Avatar string
	// Points are the player's rating when the ticket was taken.
	Points int
}

// Ticket is a player who waits, or a party of two who play as a pair.
type Ticket struct {
	ID    string // UUID, version 7
	Queue Queue
	// Members are one or two; the first is the one who took the ticket.
	Members []Member
	// InvitedID is whom the ticket still waits for, to be the second; empty for most.
	InvitedID string
	// TableID is where the ticket sits; empty while it waits.
	TableID string
	// Since is when it began to wait.
	Since time.Time
}

// Points are those of its players on the average.
func (t *Ticket) Points() int {
	sum := 0
	for _, m := range t.Members {
		sum += m.Points
	}
	return sum / len(t.Members)
}

// place is where the ticket's players are.
func (t *Ticket) place() engagement.Place {
	if t.TableID != "" {
		return engagement.Place{Kind: engagement.Table, ID: t.TableID}
	}
	return engagement.Place{Kind: engagement.Ticket, ID: t.ID}
}

// Players lists the identifiers of its members.
func (t *Ticket) Players() (ids []string) {
	for _, m := range t.Members {
		ids = append(ids, m.PlayerID)
	}
	return ids
}

// Table is a staked table that has not begun.
type Table struct {
	ID                 string // UUID, version 7
	Queue              Queue
	OpenedAt, Deadline time.Time
	// Tickets that sit there, in the order in which they came.
	Tickets []Ticket
}

// Players lists who sits there.
func (t *Table) Players() (ids []string) {
	for i := range t.Tickets {
		ids = append(ids, t.Tickets[i].Players()...)
	}
	return ids
}

// Funds are what a player can pay with.
type Funds struct{ Coins, Debt int64 }

// Codes of this domain.
const (
	// CodeStakesOff: there are no staked tables here.
	CodeStakesOff fault.Code = "stakes_off"
	// CodeInDebt: who owes coins does not play for coins.
	CodeInDebt fault.Code = "in_debt"
	// CodePartyDiffers: the friend waits for other rules or another entry.
	CodePartyDiffers fault.Code = "party_differs"
)

// ErrBusy is what a Tx returns when a ticket has moved between being found and being
// held. The transaction is given up and may be tried again.
var ErrBusy = errors.New("lobby: the ticket has just moved")

// Outcome is whom to tell behind a commit.
type Outcome struct {
	Changes []engagement.Change
	Notices []notice.Notice
}

// Store keeps tickets and tables.
type Store interface {
	// InLobby runs f in one transaction: all that it does is kept, or nothing. It is
	// not run again after an error.
	InLobby(ctx context.Context, f func(Tx) error) (Outcome, error)
	// Queues lists those with a ticket or an open table, in a fixed order.
	Queues(ctx context.Context) ([]Queue, error)
	// Ticket reads the player's; nil if there is none.
	Ticket(ctx context.Context, playerID string) (*Ticket, error)
	// Table reads a table that has not begun, with who sits there; nil if there is none.
	Table(ctx context.Context, id string) (*Table, error)
	// Invitations lists the tickets of the player's friends that wait for it, oldest first.
	Invitations(ctx context.Context, playerID string) ([]Ticket, error)
	// Waiting counts the players in the queues and at tables, by mode.
	Waiting(ctx context.Context) (map[economy.Mode]int, error)
}

// Tx is a transaction on the lobby's tables and on what changes with them. Rows are
// taken in one order: switches, queues, tickets, tables, engagements by player,
// accounts.
type Tx interface {
	halt.Tx

	// Claim remembers the answer to a request that has a key, or returns the one that
	// was given before. Its body may be given later by Answer. Codes:
	// IdempotencyConflict.
	Claim(a *match.Answer) (earlier *match.Answer, err error)
	Answer(a *match.Answer) error

	// HoldQueue lets no other transaction match in the queue until the end.
	HoldQueue(q Queue) error
	// ClaimTickets takes at most limit of the queue's tickets that sit nowhere, oldest
	// first, passing over those that another transaction has. ClaimTables takes its open
	// tables, with who sits there; it waits for one that somebody is just leaving, since
	// those who pass it over would open another.
	ClaimTickets(q Queue, limit int) ([]Ticket, error)
	ClaimTables(q Queue, limit int) ([]Table, error)
	// HoldTicket finds the player's ticket and, if it sits somewhere, the table, and
	// keeps others from them; nil if there is none. ErrBusy if it moved meanwhile.
	HoldTicket(playerID string) (*Ticket, *Table, error)
	// HoldInvitation finds the ticket of a player that waits for another, and keeps
	// others from it; nil if there is none.
	HoldInvitation(fromID, invitedID string) (*Ticket, error)
	// HoldPair keeps others from changing what is between two players, and says
	// whether they are friends. Codes: NotFound.
	HoldPair(a, b string) (friends bool, err error)
	// Apart gives the pairs among the players that have a block between them, the
	// lower identifier first.
	Apart(players []string) (map[[2]string]bool, error)
	Funds(players []string) (map[string]Funds, error)
	// KeptOut says which of the players a sanction keeps out at that time.
	KeptOut(players []string, at time.Time) (map[string]bool, error)
	Rating(playerID string) (rating.Rating, error)

	AddTicket(t Ticket) error
	// Join makes a player the second of a ticket, which waits from then on.
	Join(t Ticket, second Member) error
	RemoveTicket(id string) error
	OpenTable(t Table) error
	// Sit puts a ticket at a table. Return puts it back under another identifier.
	Sit(t Ticket, tableID string, at time.Time) error
	Return(t Ticket, newID string) error
	// CloseTable says what has become of a table: a match, or nothing.
	CloseTable(id, matchID string, at time.Time) error

	// Engage takes a player from one place to another and returns the new number, or
	// ErrEngaged. Touch counts a change of the place where the player is.
	Engage(playerID string, from, to engagement.Place, why engagement.Reason, at time.Time) (seq int, err error)
	Touch(playerID string, place engagement.Place) error
	CreateMatch(m *match.Match) error
	Post(t *wallet.Transfer) error
	// Tell keeps a notice.
	Tell(n notice.Notice) error
}

// Level is the level of the bots that fill up a table of people with so many points on
// the average: the best that they reach.
func Level(bots *economy.Bots, points int) bot.Level {
	switch from := &bots.Levels; {
	case points >= from.Maestro:
		return bot.Maestro
	case points >= from.Veterano:
		return bot.Veterano
	case points >= from.Tabernero:
		return bot.Tabernero
	default:
		return bot.Aprendiz
	}
}

// stakeData explains a transfer of entries.
type stakeData struct {
	Table string `json:"table"`
	Rules string `json:"rules"`
	Stake int64  `json:"stake"`
	Why   string `json:"why,omitempty"`
}

func policyOf(d *economy.Document) Policy {
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	return Policy{
		Window: d.Queue.WindowPoints, Widening: d.Queue.PointsPerSecond, AnyAfter: seconds(d.Queue.AnyAfterSeconds),
		PartyWait: seconds(d.Queue.PartySeconds), BotFill: seconds(d.BotFillSeconds), MaxWait: seconds(d.Queue.MaxWaitSeconds),
	}
}

// QueueOf is the queue for a preset by its name.
func QueueOf(preset string, stake int64) (Queue, error) {
	p, ok := rules.ParsePreset(preset)
	if !ok {
		return Queue{}, &fault.Error{Code: fault.InvalidRequest, Field: "rules", Message: "There is no such preset."}
	}
	return Queue{p, stake}, nil
}
