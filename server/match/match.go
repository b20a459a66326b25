// Package match runs matches on the server. A match is its log: what is fixed
// when it is made, then one entry for each seed and each action. Everything else,
// from the hands dealt to whose turn it is, is the fold of that log, so that any
// process can take a match up where the log ends.
//
// Each entry is kept by the [Store] before anybody hears of it, and the store
// takes a sequence number once: two processes can not both write the same entry.
package match

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Match is what is fixed when a match is made, and how it ended.
type Match struct {
	ID    string // UUID, version 7: later matches have greater ids
	Rules rules.RuleSet
	Seats [rules.Seats]Seat
	// ServerSeed is what the deals are derived from; secret until the match is over.
	ServerSeed []byte
	// TurnTime is what a person has for one action, BotPause what a bot waits
	// before a card in the middle of a trick; other waits follow from it by [bot.Pace].
	TurnTime, BotPause time.Duration
	CreatedAt          time.Time
	// Mode is how the match came about, Economy the version of the economy that was
	// live then: what it pays follows from both.
	Mode    economy.Mode
	Economy int
	// Stake is the entry that each has paid into the escrow of the table TableID; 0 and
	// empty but for staked matches.
	Stake   int64
	TableID string
	// EndedAt is zero, and Result nil, while the match is open.
	EndedAt time.Time
	Result  *Result
}

// Over says whether the match has ended.
func (m *Match) Over() bool { return m.Result != nil }

// Sitting is a player in a seat.
type Sitting struct {
	PlayerID string
	Seat     rules.Seat
}

// Players lists the people at the table in the order of their identifiers. Whoever
// changes rows of several players does so in this order, so that two matches that
// end together do not wait for each other in a circle.
func (m *Match) Players() []Sitting {
	var people []Sitting
	for seat, who := range m.Seats {
		if !who.IsBot() {
			people = append(people, Sitting{who.PlayerID, rules.Seat(seat)})
		}
	}
	slices.SortFunc(people, func(a, b Sitting) int { return cmp.Compare(a.PlayerID, b.PlayerID) })
	return people
}

// Seat is who sits somewhere: a player, or a bot if PlayerID is empty.
type Seat struct {
	PlayerID string
	// Name of the player, as the store knows it when it reads the match.
	Name string
	Bot  bot.Level
}

// IsBot says whether no person sits there.
func (s Seat) IsBot() bool { return s.PlayerID == "" }

// Result is how a match ended, as lists show it.
type Result struct {
	Score  [2]uint16  `json:"score"`
	Winner rules.Pair `json:"winner"`
	Hands  int        `json:"hands"`
	// HandsWon of each pair, and what each seat's bids came to: for statistics.
	HandsWon [2]int            `json:"handsWon"`
	Bids     [rules.Seats]Bids `json:"bids"`
	// Missed counts the turns that each seat's person had missed in a row at the end.
	Missed [rules.Seats]int `json:"missed"`
	// Void says why the match was given up for a fault of ours; empty for one that was
	// played to its end. Nothing else here means anything then.
	Void string `json:"void,omitempty"`
}

// Bids counts a seat's bids that won their hand, and those that did not.
type Bids struct {
	Made int `json:"made"`
	Lost int `json:"lost"`
}

// Kind of a log entry.
type Kind string

// The kinds.
const (
	// KindSeed: a seat brings its own seed for the deals.
	KindSeed Kind = "seed"
	// KindAct: a seat bids, plays, sings or keeps silent.
	KindAct Kind = "act"
	// KindVoid: the match is given up; its last entry, which belongs to no seat.
	KindVoid Kind = "void"
)

// Author of a log entry.
type Author string

// The authors.
const (
	// ByPlayer: the person in the seat.
	ByPlayer Author = "player"
	// ByBot: the bot in the seat.
	ByBot Author = "bot"
	// ByClock: the server, for a person whose time had run out.
	ByClock Author = "clock"
)

// Entry is one row of a match's log.
type Entry struct {
	// Seq counts the entries of a match from 0.
	Seq  int
	At   time.Time
	Kind Kind
	Seat rules.Seat
	// Text is the seed, or the action as records write it.
	Text string
	By   Author
	// Deadline of the turn that this entry opens; zero behind the last entry.
	Deadline time.Time
}

// Outage is a time in which no process ran. Turns get it back.
type Outage struct{ From, To time.Time }

// Due is an open match's current turn.
type Due struct {
	MatchID string
	// Since is when the turn began, Deadline when it ends.
	Since, Deadline time.Time
}

// Answer is the remembered answer to a request that made a match.
type Answer struct {
	PlayerID, Key, Route string
	RequestHash          []byte
	Status               int
	Body                 []byte
	At                   time.Time
}

// ErrConflict says that another writer took the sequence number, or ended the
// match. Read the log again and decide anew.
var ErrConflict = errors.New("match: another writer was first")

// Store keeps matches and their logs. What a method has returned nil for is on
// disk. Errors other than those named mean that the store failed, and that a
// write may or may not have been kept.
type Store interface {
	// CreateMatch keeps a new match, and the answer with it unless that is nil.
	// If the answer's key was used before, nothing is kept and the earlier answer
	// is returned. Codes: IdempotencyConflict.
	CreateMatch(ctx context.Context, m *Match, a *Answer) (earlier *Answer, err error)
	// GetMatch reads a match with its seats. Codes: NotFound.
	GetMatch(ctx context.Context, id string) (*Match, error)
	// ReadLog reads the entries from a sequence number on, in order.
	ReadLog(ctx context.Context, id string, from int) ([]Entry, error)
	// AppendLog keeps the entry, or returns ErrConflict.
	AppendLog(ctx context.Context, id string, e Entry) error
	// FinishMatch keeps the last entry and the result, and counts it in its players'
	// statistics, or returns ErrConflict.
	FinishMatch(ctx context.Context, id string, last Entry, r Result) error
	// VoidMatch keeps the last entry of a match that is given up and why, and gives back
	// what its players have paid for it, or returns ErrConflict.
	VoidMatch(ctx context.Context, id string, last Entry, reason string) error
	// Due lists at most limit open matches whose turn ends before a time, by id,
	// after the id given.
	Due(ctx context.Context, before time.Time, after string, limit int) ([]Due, error)
	// History lists at most limit matches of a player, newest first, older than
	// the match with the id given, if any.
	History(ctx context.Context, playerID, before string, limit int) ([]*Match, error)
	// ListMatches lists matches of all players, newest first.
	ListMatches(ctx context.Context, l Listing) ([]*Match, error)

	// BeginProcess keeps a starting process's first heartbeat. If no process has
	// beaten for longer than limit, the time since is kept as an outage.
	BeginProcess(ctx context.Context, processID string, at time.Time, limit time.Duration) error
	// Beat keeps that the process lives.
	Beat(ctx context.Context, processID string, at time.Time) error
	// Outages lists the outages, oldest first.
	Outages(ctx context.Context) ([]Outage, error)
}

// Clock tells the time and calls back later.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed. stop keeps a call
	// that has not begun from happening.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}
