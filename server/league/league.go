// Package league is the weekly league. Who scores in an online match is put into
// a group of a division; when the week is over the ranks in each group are frozen,
// prizes are paid, and the top moves up and the bottom down.
//
// What a player has of the league is a row for each week. The newest one that is
// frozen says in which division the player plays next, so that whoever stays away
// for a while comes back to where they were.
package league

import (
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
)

// State of a season.
type State string

// The states, in their order.
const (
	// Open: it takes points.
	Open State = "open"
	// Closing: it takes none any more, and its groups are being frozen.
	Closing State = "closing"
	// Closed: all is frozen and paid.
	Closed State = "closed"
)

// Season is a week of the league. It is kept when somebody first scores in it.
type Season struct {
	// ID is its Monday, as YYYY-MM-DD: later seasons have greater ones.
	ID string
	// It takes what ends from StartsAt up to, not at, EndsAt.
	StartsAt, EndsAt time.Time
	// Economy is the version that was live when the season began: group sizes,
	// prizes and moves are its until the end.
	Economy int
	State   State
	// ClosedAt is zero until it is closed.
	ClosedAt time.Time
}

// Points are what a match gives a player.
type Points struct {
	PlayerID string
	Points   int64
}

// Place is a division that a player plays in.
type Place struct {
	// Division by its name, and Level that it had, from 0 for the lowest.
	Division string
	Level    int
}

// in finds the place in a document. A division that is there no more stands for
// the one that has its level now.
func (p Place) in(divisions []economy.Division) Place {
	for level, d := range divisions {
		if d.Name == p.Division {
			return Place{d.Name, level}
		}
	}
	level := max(0, min(p.Level, len(divisions)-1))
	return Place{divisions[level].Name, level}
}

// Score is what a player has in a season.
type Score struct {
	PlayerID, SeasonID string
	// Division and Group (counted from 1) that the player is in; empty and 0 for
	// whoever waits for last week's close to know.
	Division string
	Group    int
	Points   int64
	// Matches that gave them.
	Matches int
	// FirstAt is when the first one ended, ReachedAt the last one: of two with as many
	// points the one who reached them first is before.
	FirstAt, ReachedAt time.Time
	// Outcome is zero until the group is frozen.
	Outcome
}

// Outcome is what the end of a season made of a score.
type Outcome struct {
	// Rank in the group, from 1; 0 until it is frozen.
	Rank  int
	Prize int64 // in coins
	// Moved is 1 up, -1 down, 0 for staying.
	Moved int
	// Next is where the player plays from then on.
	Next Place
}
