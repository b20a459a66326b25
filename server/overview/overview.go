// Package overview adds up for the operator what the server does: players, matches,
// waits, coins, purchases, faults, and how the background work is getting on. It
// only reads what the other domains keep, and keeps sums of it, so that a question
// about a year costs no more than one about today.
//
// Sums are kept by the hour. Which hours make a day is a matter of the economy's
// time zone, which may be changed; in a zone that is not a whole number of hours
// away from UTC, an hour belongs to the day in which it begins.
package overview

import (
	"context"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// What is counted. Each has labels of its own.
type What string

// Counts that follow from what the other domains keep, by the hour.
const (
	// MatchBegun, by mode.
	MatchBegun What = "match_begun"
	// MatchEnded: played to its end, by mode.
	MatchEnded What = "match_ended"
	// MatchVoided: given up, by mode.
	MatchVoided What = "match_voided"
	// PlayerJoined has the one label "".
	PlayerJoined What = "player_joined"
)

// Counts that nobody keeps but the processes, minute by minute; see [Pulse].
const (
	// Requests answered, by the class of their status: 2xx to 5xx.
	Requests What = "requests"
	// Failures are answers of 500 and above, by method and route.
	Failures What = "failures"
	// Waits of players for the match that they got, by [WaitLabel].
	Waits What = "waits"
	// JobFailures by job.
	JobFailures What = "job_failures"
	// ClientFaults are what clients say is wrong with them, by kind.
	ClientFaults What = "client_faults"
	// Sockets are those open in the minute. They are no sum: only a minute has them.
	Sockets What = "sockets"
)

// Account is a kind of account of coins.
type Account string

// The kinds: what players have and owe, what lies at tables, and the house's.
const (
	Players  Account = "players"
	Debt     Account = "debt"
	Escrow   Account = "escrow"
	Grants   Account = "grants"
	Rewards  Account = "rewards"
	Prizes   Account = "prizes"
	Sales    Account = "sales"
	Spending Account = "spending"
)

// Accounts lists the kinds, the players' first.
var Accounts = []Account{Players, Escrow, Debt, Grants, Rewards, Prizes, Sales, Spending}

// House says whether coins in such accounts are not in the world: what comes out of
// them has been issued, what goes into them is gone.
func (a Account) House() bool { return a != Players && a != Debt && a != Escrow }

// AccountOf is the kind of an account.
func AccountOf(id wallet.AccountID) Account {
	switch {
	case !id.Stored():
		return Account(id[len("house:"):])
	case id.IsEscrow():
		return Escrow
	case id.IsDebt():
		return Debt
	default:
		return Players
	}
}

// Flow is what transfers of a kind have moved into and out of accounts of a kind.
type Flow struct {
	// Bucket is the place of the time in the list of what was asked for; -1 for all
	// time before.
	Bucket  int
	Kind    wallet.Kind
	Account Account
	// In and Out in coins, neither below 0.
	In, Out int64
}

// Count is how often something has happened.
type Count struct {
	Bucket int // as in Flow
	What   What
	Label  string
	N      int64
}

// Payment adds up the orders of a provider in a currency.
type Payment struct {
	Bucket   int // as in Flow
	Provider shop.ProviderName
	Currency string
	// Live is false for a provider's test mode.
	Live bool
	// Paid, and what of it, in the currency's smallest unit.
	Paid       int64
	PaidAmount int64
	// Refunded and Disputed are orders of which money was taken back, in the bucket in
	// which their provider last said so, whenever they were paid.
	Refunded       int64
	RefundedAmount int64
	Disputed       int64
	DisputedAmount int64
}

// Week is how the league stands.
type Week struct {
	// Season that takes points, or is being closed; empty if nobody has scored yet.
	Season, State    string
	StartsAt, EndsAt time.Time
	// Players who have scored, in how many groups, of which so many are frozen.
	Players, Groups, Frozen int
	// LastClosed is the newest season that is closed, with when; empty for none.
	LastClosed string
	ClosedAt   time.Time
}

// Refusal is an event of a provider's that was refused.
type Refusal struct {
	Provider   shop.ProviderName
	ID, Kind   string
	OrderID    string
	Code       fault.Code
	ReceivedAt time.Time
}

// Store keeps the sums, and reads what they are made of.
type Store interface {
	// Pulse keeps what a process has counted in minutes, replacing what it has said of
	// them before.
	Pulse(ctx context.Context, process string, minutes []Minute) error
	// SocketsSince adds up the newest count of sockets of each process that has counted
	// since a minute.
	SocketsSince(ctx context.Context, minute time.Time) (int64, error)
	// SocketsByMinute adds up the processes' counts.
	SocketsByMinute(ctx context.Context, since time.Time) (map[time.Time]int64, error)
	// PrunePulses removes what was counted before a time.
	PrunePulses(ctx context.Context, before time.Time) error

	// Summarized is up to which time hours are summed up; zero for none at all.
	Summarized(ctx context.Context) (time.Time, error)
	// Oldest is when the first of what is counted happened; zero if nothing has.
	Oldest(ctx context.Context) (time.Time, error)
	// Summarize sums up the hours from one time to another, again or for the first
	// time. Both are whole hours, and the first is not behind Summarized.
	Summarize(ctx context.Context, from, to time.Time) error

	// Flows adds up the ledger between each two successive cuts, and before the first.
	// Cuts are whole hours. What is not summed up yet is read as it is, so that the
	// answer is that of the ledger at one moment.
	Flows(ctx context.Context, cuts []time.Time) ([]Flow, error)
	// Counts does the same with what was counted, except before the first cut.
	Counts(ctx context.Context, cuts []time.Time, what ...What) ([]Count, error)
	// Payments does the same with orders.
	Payments(ctx context.Context, cuts []time.Time) ([]Payment, error)

	// Players counts those that are not deleted.
	Players(ctx context.Context) (int64, error)
	// Active counts the players who have used a session since each of the times.
	Active(ctx context.Context, since []time.Time) ([]int64, error)
	// OpenMatches counts them by mode.
	OpenMatches(ctx context.Context) (map[economy.Mode]int64, error)
	// Waiting counts the players in the queues and at tables, by mode.
	Waiting(ctx context.Context) (map[economy.Mode]int, error)
	Week(ctx context.Context) (Week, error)
	// CountRefusals counts providers' events that were refused since a time; Refusals
	// lists the newest of them.
	CountRefusals(ctx context.Context, since time.Time) (int64, error)
	Refusals(ctx context.Context, limit int) ([]Refusal, error)

	// JobBegan keeps that a run of a job has begun, JobProgressed how far it is, and
	// JobEnded how it ended. report is JSON, nil to leave the last one there.
	JobBegan(ctx context.Context, job string, at time.Time) error
	JobProgressed(ctx context.Context, job string, done, total int) error
	JobEnded(ctx context.Context, job string, at time.Time, failure string) error
	JobReported(ctx context.Context, job string, report []byte) error
	// Jobs lists what is known of each, by name.
	Jobs(ctx context.Context) ([]Job, error)
}
