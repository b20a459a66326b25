package league

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

// Tx is the transaction that ends a match, as the league needs it.
type Tx interface {
	versions
	// OpenSeasons lists the seasons that are not closed, the oldest first, and keeps
	// them in their states until the end of the transaction.
	OpenSeasons() ([]Season, error)
	// NewestSeason is the last one that there is, in whatever state.
	NewestSeason() (s Season, ok bool, err error)
	// AddSeason keeps a new season, unless there is one of its name.
	AddSeason(s Season) error
	// AddPoints gives players points in a season, and tells who has none there yet.
	// ReachedAt is moved to the time, if that is later.
	AddPoints(seasonID string, at time.Time, points []Points) (newcomers []Points, err error)
	// LastPlaces tells where players play, by their newest scores that are frozen.
	LastPlaces(playerIDs []string) (map[string]Place, error)
	// TakeSeat takes a seat in the group of a division that is being filled, or in a
	// new one if all are full. The group is held until the end of the transaction.
	TakeSeat(seasonID, division string, size int) (group int, err error)
	// AddScores keeps the scores of newcomers.
	AddScores(scores []Score) error
}

// Award gives the players of a match that ended at a time their league points:
// within the transaction that ends it, and after everything else in it, since a
// group that is being filled is everybody's.
//
// They count for the week in which the match ended. A week that is being closed
// takes nothing any more: what is late for it counts for the one that is open.
func Award(tx Tx, e *economy.Service, at time.Time, points []Points) error {
	points = slices.DeleteFunc(slices.Clone(points), func(p Points) bool { return p.Points <= 0 })
	if len(points) == 0 {
		return nil
	}
	season, waits, err := takes(tx, e, at)
	if err != nil {
		return err
	}
	newcomers, err := tx.AddPoints(season.ID, at, points)
	if err != nil || len(newcomers) == 0 {
		return err
	}
	scores := make([]Score, len(newcomers))
	for i, p := range newcomers {
		scores[i] = Score{PlayerID: p.PlayerID, SeasonID: season.ID, Points: p.Points, Matches: 1, FirstAt: at, ReachedAt: at}
	}
	if !waits {
		if err := seat(tx, e, season, scores); err != nil {
			return err
		}
	}
	return tx.AddScores(scores)
}

// seat finds a group for each of the scores.
func seat(tx Tx, e *economy.Service, season Season, scores []Score) error {
	d, err := e.At(season.Economy, tx.Version)
	if err != nil {
		return err
	}
	ids := make([]string, len(scores))
	for i, s := range scores {
		ids[i] = s.PlayerID
	}
	last, err := tx.LastPlaces(ids)
	if err != nil {
		return err
	}
	divisions := d.League.Divisions
	order := make([]int, len(scores))
	level := make([]int, len(scores))
	for i, s := range scores {
		order[i], level[i] = i, last[s.PlayerID].in(divisions).Level
	}
	// From the lowest division up: two matches that fill the same groups must not
	// wait for each other in a circle.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(level[a], level[b]) })
	for _, i := range order {
		division := divisions[level[i]]
		scores[i].Division = division.Name
		if scores[i].Group, err = tx.TakeSeat(season.ID, division.Name, division.GroupSize); err != nil {
			return err
		}
	}
	return nil
}

// errNoSeason cannot be: a season that is made is there.
var errNoSeason = errors.New("league: no season takes the points")

// takes is the season that takes what ends at a time. waits says that a season
// before it is not closed, so that nobody's division is known yet.
func takes(tx Tx, e *economy.Service, at time.Time) (season Season, waits bool, err error) {
	for range 3 { // somebody else may make the season first, and nobody a third one
		open, err := tx.OpenSeasons()
		if err != nil {
			return Season{}, false, err
		}
		for i, s := range open {
			// One that is older than all that are open is late.
			if s.State == Open && at.Before(s.EndsAt) {
				return s, i > 0, nil
			}
		}
		newest, ok, err := tx.NewestSeason()
		if err != nil {
			return Season{}, false, err
		}
		if season, err = begin(tx, e, at, newest, ok); err != nil {
			return Season{}, false, err
		}
		if err := tx.AddSeason(season); err != nil {
			return Season{}, false, err
		}
	}
	return Season{}, false, errNoSeason
}

// begin makes the season that a time falls into, behind the newest one there is.
func begin(tx versions, e *economy.Service, at time.Time, newest Season, ok bool) (Season, error) {
	if ok && at.Before(newest.EndsAt) {
		at = newest.EndsAt
	}
	live, err := liveAt(tx, at)
	if err != nil {
		return Season{}, err
	}
	d, err := e.At(live.Number, tx.Version)
	if err != nil {
		return Season{}, err
	}
	s := Week(at, d.Location())
	if ok {
		s = behind(s, newest, d.Location())
	}
	first, err := liveAt(tx, s.StartsAt)
	if err != nil {
		return Season{}, err
	}
	s.State, s.Economy = Open, first.Number
	return s, nil
}

// versions reads the economy's versions.
type versions interface {
	// Version reads one by its number. Codes: NotFound.
	Version(number int) (*economy.Version, error)
	// LiveVersion is the one that was live at a time. Codes: NotFound.
	LiveVersion(at time.Time) (*economy.Version, error)
}

// liveAt is the version that was live at a time. Before there was any, as at the
// beginning of a server's first week, it is the first.
func liveAt(tx versions, at time.Time) (*economy.Version, error) {
	v, err := tx.LiveVersion(at)
	if fault.CodeOf(err) == fault.NotFound {
		return tx.Version(1)
	}
	return v, err
}
