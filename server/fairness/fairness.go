// Package fairness finds what deserves an operator's look: people who win together
// too often at staked tables, coins that go from one player to another, four who meet
// more often than chance would have it, and play that is faster or more even than a
// person's. It shows cases with their evidence and punishes nobody; what to do about a
// case is a person's decision.
//
// It reads what matches have left behind anyway. Nothing is kept about players for
// its sake but the cases, and what is kept to slow down the guessing of passwords,
// hashes of addresses among it, is not looked at.
package fairness

import (
	"context"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/rating"
)

// Kind of a case.
type Kind string

// The kinds.
const (
	// Pair: two win together at staked tables more often than they should.
	Pair Kind = "pair"
	// Flow: one loses coins to another at staked tables.
	Flow Kind = "flow"
	// Relay: somebody wins coins from one and loses them to another.
	Relay Kind = "relay"
	// Company: the same four meet in free online matches.
	Company Kind = "company"
	// Speed: somebody plays faster, or more evenly, than people do.
	Speed Kind = "speed"
)

// Kinds lists all.
var Kinds = []Kind{Pair, Flow, Relay, Company, Speed}

// State of a case.
type State string

// The states.
const (
	// Open: nobody has decided.
	Open State = "open"
	// Watching: somebody has looked and wants to see how it goes on.
	Watching State = "watching"
	// Dismissed: it is nothing. It comes back when there is much more of it.
	Dismissed State = "dismissed"
)

// Finding is what a search has found.
type Finding struct {
	Kind Kind
	// Key tells the case from others of its kind: who it is about.
	Key string
	// Players are those involved: of a flow the loser first, of a relay the one in the
	// middle.
	Players []string
	// Score orders cases. Where chance explains play, it is the decimal exponent of how
	// seldom it does, all that was looked at considered: 3 for one search in a thousand.
	// For speeds, see [Evidence].
	Score    float64
	Evidence Evidence
}

// Evidence is what a case shows. Which members there are depends on its kind.
type Evidence struct {
	// Days that were looked at.
	Days int `json:"days"`
	// Matches that count, and how many of them were won: together (a pair), or by the one
	// who has the coins (a flow).
	Matches int `json:"matches,omitempty"`
	Won     int `json:"won"`
	// Expected is how many of the matches ratings let expect to be won, the margin
	// included, or how often four people would have met.
	Expected float64 `json:"expected,omitempty"`
	// Probability of as much or more by chance, and LookedAt, how many others were looked
	// at too: the more, the likelier that one of them stands out.
	Probability float64 `json:"probability,omitempty"`
	LookedAt    int     `json:"lookedAt,omitempty"`
	// Coins that went from the first player to the second, less what came back.
	Coins int64 `json:"coins,omitempty"`
	// Apart is how each played without the other.
	Apart []Record `json:"apart,omitempty"`
	// Bouts are the newest matches of it, oldest first.
	Bouts []Bout `json:"bouts,omitempty"`
	// Flows of a relay, in and out.
	Flows []Stream `json:"flows,omitempty"`
	// Pace of a speed.
	Pace *Pace `json:"pace,omitempty"`
}

// Record is how somebody has played.
type Record struct {
	Player  string `json:"player"`
	Matches int    `json:"matches"`
	Won     int    `json:"won"`
}

// Bout is one match as evidence.
type Bout struct {
	Match string    `json:"match"`
	At    time.Time `json:"at"`
	// Won by the pair, or by the one who has the coins.
	Won bool `json:"won"`
	// Chance that was given to it.
	Chance float64 `json:"chance"`
	// Coins that changed hands between the two of a flow; negative for those that came
	// back. Of a pair, what each of them won or lost.
	Coins int64 `json:"coins,omitempty"`
}

// Stream is coins from one to another.
type Stream struct {
	From        string  `json:"from"`
	To          string  `json:"to"`
	Coins       int64   `json:"coins"`
	Matches     int     `json:"matches"`
	Won         int     `json:"won"`
	Probability float64 `json:"probability"`
}

// Pace is how fast somebody plays, in milliseconds.
type Pace struct {
	Player  string `json:"-"`
	Actions int    `json:"actions"`
	// A tenth of the actions took no longer than Tenth, half no longer than Median, nine
	// tenths no longer than Ninetieth.
	Tenth     int64 `json:"tenth"`
	Median    int64 `json:"median"`
	Ninetieth int64 `json:"ninetieth"`
	// Fast and Even say what is wrong with it.
	Fast bool `json:"fast"`
	Even bool `json:"even"`
	// Histogram counts the actions by how long they took: below [PaceBounds] each, and
	// the rest.
	Histogram []int `json:"histogram,omitempty"`
	// MatchIDs are those that were looked at, newest first.
	MatchIDs []string `json:"matchIds,omitempty"`
}

// PaceBounds are the upper bounds of a histogram's classes, in milliseconds.
var PaceBounds = []int64{100, 200, 300, 400, 500, 650, 800, 1000, 1250, 1500, 2000, 2500, 3000, 4000, 5000, 7000, 10000, 15000}

// Case is a finding that is kept until the evidence is gone from the window and
// beyond: it does not go by itself.
type Case struct {
	ID string // UUID, version 7
	Finding
	State State
	// FirstSeen and LastSeen are the first and the last search that found it.
	FirstSeen, LastSeen time.Time
	// The last decision: when, why and by whom; zero and empty before there is one.
	DecidedAt time.Time
	Reason    string
	DecidedBy string
	// DismissedAt is the score at which it was dismissed, and CameBack how often it was
	// opened again.
	DismissedScore float64
	CameBack       int
}

// Seen is what a further finding makes of a case. It says whether the case was
// dismissed and is opened again, because there is so much more of it.
func (c *Case) Seen(f Finding, at time.Time, comebackPercent int) (comesBack bool) {
	c.Finding, c.LastSeen = f, at
	if c.State != Dismissed || f.Score*100 < c.DismissedScore*float64(comebackPercent) {
		return false
	}
	c.State = Open
	c.CameBack++
	return true
}

// decide is what a decision makes of it. Codes: InvalidRequest.
func (c *Case) decide(state State, reason, by string, at time.Time) error {
	switch state {
	case Open, Watching, Dismissed:
	default:
		return &fault.Error{Code: fault.InvalidRequest, Field: "state", Message: "There is no such state."}
	}
	if strings.TrimSpace(reason) == "" {
		return &fault.Error{Code: fault.InvalidRequest, Field: "reason", Message: "Say why."}
	}
	c.State, c.Reason, c.DecidedBy, c.DecidedAt = state, reason, by, at
	if state == Dismissed {
		c.DismissedScore = c.Score
	}
	return nil
}

// Run is a search.
type Run struct {
	ID string // UUID, version 7
	// AskedBy names who wanted it; empty for the daily one.
	AskedBy string
	AskedAt time.Time
	// BeatAt is when it last said that it goes on; zero before it begins.
	BeatAt time.Time
	// Step of Steps is the one that it is at.
	Step, Steps int
	// EndedAt is zero while it goes on; Failed says how it ended.
	EndedAt time.Time
	Failed  bool
	// Matches is how many were in the window, Found how many cases were found, New how
	// many of them were not known or have come back.
	Matches, Found, New int
}

// Window of time in which matches ended.
type Window struct{ From, To time.Time }

// Tally is how often two people met, and what came of it.
type Tally struct {
	A, B    string // A < B
	Matches int
	// Wins of the pair, or of A against B.
	Wins int
	// Coins that went from B to A, less what came back.
	Coins int64
}

// Four people who met, in the order of their identifiers.
type Four struct {
	Players [4]string
	Matches int
}

// Hours count matches by the hour in which they began, in hours since 1970.
type Hours map[int64]int

// Played is a rated match.
type Played struct {
	ID      string
	EndedAt time.Time
	Stake   int64 // 0 for a free one
	Winner  int   // the pair of the seats with this remainder by two
	// Players by seat, empty for a bot, and their ratings now.
	Players [4]string
	Ratings [4]rating.Rating
}

// Thought is how long an action took, in milliseconds.
type Thought struct {
	Match string
	Ms    int64
}

// Facts are what is asked of the matches. All of it is about matches that have ended
// in the window and were played to their end.
type Facts interface {
	// CountPlayed counts online and staked matches.
	CountPlayed(ctx context.Context, w Window) (int, error)
	// Partners lists who played together at staked tables at least so many times.
	Partners(ctx context.Context, w Window, atLeast int) ([]Tally, error)
	// Opponents lists who played against one another there.
	Opponents(ctx context.Context, w Window, atLeast int) ([]Tally, error)
	// Fours lists which four met in free online matches at least so many times; seen
	// counts all fours that have met.
	Fours(ctx context.Context, w Window, atLeast int) (found []Four, seen int, err error)
	// MatchHours counts free online matches of four people, in all and by each of the
	// players named.
	MatchHours(ctx context.Context, w Window, players []string) (all Hours, of map[string]Hours, err error)
	// PlayedBy lists the online and staked matches of the players, each match once, in
	// the order in which they ended.
	PlayedBy(ctx context.Context, w Window, players []string) ([]Played, error)
	// Paces are those of all who have at least so many actions in so many of their newest
	// online and staked matches. An action of a person's counts from the entry before it.
	Paces(ctx context.Context, w Window, matches, atLeast int) ([]Pace, error)
	// Thoughts lists the actions that a player's pace comes from, newest match first.
	Thoughts(ctx context.Context, w Window, player string, matches int) ([]Thought, error)
}

// Filter says which cases are listed. Empty members do not filter.
type Filter struct {
	State  State
	Kind   Kind
	Player string
}

// Place is where a page of cases goes on: behind the case with this score and
// identifier.
type Place struct {
	Score float64
	ID    string
}

// Store keeps cases and searches.
type Store interface {
	Facts
	// SeeCases keeps what was found: f makes of each finding and of the case that there
	// is, nil if none, the case as it is now. It returns how many f said are news.
	SeeCases(ctx context.Context, found []Finding, f func(*Case, Finding) (_ *Case, news bool)) (news int, err error)
	// Cases lists at most limit, the highest score first.
	Cases(ctx context.Context, f Filter, after *Place, limit int) ([]*Case, error)
	// Case reads one. Codes: NotFound.
	Case(ctx context.Context, id string) (*Case, error)
	// ChangeCase has f change one, all or nothing. Codes: NotFound, those of f.
	ChangeCase(ctx context.Context, id string, f func(*Case) error) error
	// CountCases by state.
	CountCases(ctx context.Context) (map[State]int, error)

	// PlayerNames are the names of players, by their identifiers.
	PlayerNames(ctx context.Context, ids []string) (map[string]string, error)

	// AskRun keeps a search that is to be made, or returns the one that has not ended.
	AskRun(ctx context.Context, r *Run) (*Run, error)
	// TakeRun takes the one that has not ended and has not beaten since a time, for the
	// caller to make, with its beat. Codes: NotFound.
	TakeRun(ctx context.Context, beatBefore, now time.Time) (*Run, error)
	// KeepRun keeps what has changed.
	KeepRun(ctx context.Context, r *Run) error
	// Runs lists at most limit, newest first.
	Runs(ctx context.Context, limit int) ([]*Run, error)
}
