package simulation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/notice"
)

// weeks is the league as it would have been, in memory: the league's own rules, in
// league.Award and league.Service, work on it as they do on the database.
type weeks struct {
	league.Store // of which only what a close asks is here

	r       *Replay
	draft   *economy.Version
	economy *economy.Service
	service *league.Service
	now     time.Time
	err     error // of a close

	// real has what became of the seasons that there were.
	real map[string]league.Season
	// began is the season that had begun before the time that is simulated. What it took
	// is not known match by match, so it keeps its points, and takes none.
	began *week
	all   []*week // in their order
	// places is where players play, as the draft would have it.
	places map[string]league.Place
}

// week is a season.
type week struct {
	league.Season
	scores map[string]*league.Score
	groups map[string][]*group // by division, in the order of their numbers
	// waiting are those who have no group yet.
	waiting []*league.Score
}

type group struct {
	taken   int
	members []*league.Score
	frozen  bool
}

func newWeeks(r *Replay, draft []byte, seasons []league.Season, since time.Time) *weeks {
	w := &weeks{
		r: r, draft: &economy.Version{Number: 1, Document: draft}, real: make(map[string]league.Season), places: make(map[string]league.Place),
	}
	now := func() time.Time { return w.now }
	w.economy = economy.NewService(nil, now) // that is asked for the draft alone
	w.service = league.New(w, w.economy, now, zeros{}, func(notice.Notice) {})
	for _, s := range seasons {
		w.real[s.ID] = s
		if s.StartsAt.Before(since) {
			s.State, s.Economy = league.Open, w.draft.Number
			w.began = newWeek(s)
			w.all = append(w.all, w.began)
		}
	}
	return w
}

func newWeek(s league.Season) *week {
	return &week{Season: s, scores: make(map[string]*league.Score), groups: make(map[string][]*group)}
}

// zeros are identifiers that nobody looks at.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Place tells where a player plays whose score in a season before those that are
// simulated is frozen.
func (r *Replay) Place(playerID string, p league.Place) { r.weeks.places[playerID] = p }

// Began tells the score that a player really had at the end of a season that had begun
// before the time that is simulated.
func (r *Replay) Began(score league.Score) {
	w := r.weeks.week(score.SeasonID)
	if w == nil {
		return
	}
	score.Outcome = league.Outcome{}
	for len(w.groups[score.Division]) < score.Group {
		w.groups[score.Division] = append(w.groups[score.Division], &group{})
	}
	w.add(score)
}

func (w *week) add(score league.Score) {
	s := &score
	w.scores[s.PlayerID] = s
	if s.Group == 0 {
		w.waiting = append(w.waiting, s)
		return
	}
	g := w.groups[s.Division][s.Group-1]
	g.members = append(g.members, s)
}

func (w *weeks) week(id string) *week {
	for _, one := range w.all {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// award gives the players of a match their points.
func (w *weeks) award(at time.Time, points []league.Points) error {
	if w.err != nil || w.began != nil && at.Before(w.began.EndsAt) {
		return w.err
	}
	return league.Award(seats{w}, w.economy, at, points)
}

// advance closes the weeks that were closed by a time.
func (w *weeks) advance(at time.Time) {
	for w.err == nil {
		s := w.oldest()
		if s == nil {
			return
		}
		closed := w.closesAt(s)
		if closed.IsZero() || closed.After(at) {
			return
		}
		w.now = closed
		_, w.err = w.service.CloseDue(context.Background())
	}
}

// oldest is the oldest week that is not closed; nil without one.
func (w *weeks) oldest() *week {
	for _, s := range w.all {
		if s.State != league.Closed {
			return s
		}
	}
	return nil
}

// closesAt is when a week was really closed, but not before it is due; zero if it was
// not. One that there only would have been is closed when it is due.
func (w *weeks) closesAt(s *week) time.Time {
	due := s.EndsAt.Add(league.Grace)
	was, ok := w.real[s.ID]
	switch {
	case !ok:
		return due
	case was.ClosedAt.IsZero() || was.ClosedAt.After(due):
		return was.ClosedAt
	default:
		return due
	}
}

// seats is what the league's rules ask of a transaction.
type seats struct{ *weeks }

// Version implements league.Tx.
func (t seats) Version(int) (*economy.Version, error) { return t.draft, nil }

// LiveVersion implements league.Tx.
func (t seats) LiveVersion(time.Time) (*economy.Version, error) { return t.draft, nil }

// OpenSeasons implements league.Tx.
func (t seats) OpenSeasons() ([]league.Season, error) {
	var open []league.Season
	for _, s := range t.all {
		if s.State != league.Closed {
			open = append(open, s.Season)
		}
	}
	return open, nil
}

// NewestSeason implements league.Tx.
func (t seats) NewestSeason() (league.Season, bool, error) {
	if len(t.all) == 0 {
		return league.Season{}, false, nil
	}
	return t.all[len(t.all)-1].Season, true, nil
}

// AddSeason implements league.Tx.
func (t seats) AddSeason(s league.Season) error {
	t.all = append(t.all, newWeek(s))
	return nil
}

// AddPoints implements league.Tx.
func (t seats) AddPoints(seasonID string, at time.Time, points []league.Points) (newcomers []league.Points, err error) {
	s := t.week(seasonID)
	for _, p := range points {
		score := s.scores[p.PlayerID]
		if score == nil {
			newcomers = append(newcomers, p)
			continue
		}
		score.Points += p.Points
		score.Matches++
		if score.ReachedAt.Before(at) {
			score.ReachedAt = at
		}
	}
	return newcomers, nil
}

// LastPlaces implements league.Tx.
func (t seats) LastPlaces(playerIDs []string) (map[string]league.Place, error) { return t.places, nil }

// TakeSeat implements league.Tx.
func (t seats) TakeSeat(seasonID, division string, size int) (int, error) {
	s := t.week(seasonID)
	groups := s.groups[division]
	if n := len(groups); n == 0 || groups[n-1].taken >= size {
		groups = append(groups, &group{})
		s.groups[division] = groups
	}
	groups[len(groups)-1].taken++
	return len(groups), nil
}

// AddScores implements league.Tx.
func (t seats) AddScores(scores []league.Score) error {
	for _, score := range scores {
		t.week(score.SeasonID).add(score)
	}
	return nil
}

// What a close asks.

// Version implements league.Store.
func (w *weeks) Version(context.Context, int) (*economy.Version, error) { return w.draft, nil }

// DueSeason implements league.Store.
func (w *weeks) DueSeason(context.Context, time.Time) (league.Season, bool, error) {
	s := w.oldest()
	if s == nil {
		return league.Season{}, false, nil
	}
	closed := w.closesAt(s)
	return s.Season, !closed.IsZero() && !closed.After(w.now), nil
}

// BeginClose implements league.Store.
func (w *weeks) BeginClose(_ context.Context, seasonID string) error {
	w.week(seasonID).State = league.Closing
	return nil
}

// SeatWaiting implements league.Store.
func (w *weeks) SeatWaiting(_ context.Context, seasonID string, limit int, f func(league.Tx, []league.Score) error) (int, error) {
	s := w.week(seasonID)
	slices.SortFunc(s.waiting, func(a, b *league.Score) int {
		if c := a.FirstAt.Compare(b.FirstAt); c != 0 {
			return c
		}
		return strings.Compare(a.PlayerID, b.PlayerID)
	})
	first := s.waiting[:min(limit, len(s.waiting))]
	scores := make([]league.Score, len(first))
	for i, score := range first {
		scores[i] = *score
	}
	if len(scores) == 0 {
		return 0, nil
	}
	if err := f(seats{w}, scores); err != nil {
		return 0, err
	}
	s.waiting = s.waiting[len(first):]
	for _, score := range scores {
		s.add(score)
	}
	return len(scores), nil
}

// Groups implements league.Store.
func (w *weeks) Groups(_ context.Context, behind league.Group, unfrozen bool, limit int) ([]league.Group, error) {
	s := w.week(behind.SeasonID)
	names := make([]string, 0, len(s.groups))
	for name := range s.groups {
		names = append(names, name)
	}
	slices.Sort(names)
	var found []league.Group
	for _, name := range names {
		for i, g := range s.groups[name] {
			if name < behind.Division || name == behind.Division && i+1 <= behind.Number || unfrozen && g.frozen {
				continue
			}
			if len(found) == limit {
				return found, nil
			}
			found = append(found, league.Group{SeasonID: s.ID, Division: name, Number: i + 1, Members: len(g.members)})
		}
	}
	return found, nil
}

// FreezeGroup implements league.Store.
func (w *weeks) FreezeGroup(_ context.Context, g league.Group, at time.Time, f func([]league.Score) (league.Ending, error)) ([]notice.Notice, error) {
	here := w.week(g.SeasonID).groups[g.Division][g.Number-1]
	scores := make([]league.Score, len(here.members))
	for i, score := range here.members {
		scores[i] = *score
	}
	end, err := f(scores)
	if err != nil {
		return nil, err
	}
	here.frozen = true
	for _, score := range end.Scores {
		w.places[score.PlayerID] = score.Next
		w.r.prize(score, at, 0, score.Prize)
	}
	return nil, nil
}

// EndClose implements league.Store.
func (w *weeks) EndClose(ctx context.Context, seasonID string, at time.Time, limit int, f func(league.Tx, league.Season, []league.Score) error) (bool, error) {
	s := w.week(seasonID)
	for _, next := range w.all {
		if next.ID <= seasonID || next.State == league.Closed {
			continue
		}
		n, err := w.SeatWaiting(ctx, next.ID, limit, func(tx league.Tx, scores []league.Score) error { return f(tx, next.Season, scores) })
		if err != nil || n == limit {
			return false, err
		}
		break
	}
	s.State, s.ClosedAt = league.Closed, at
	s.scores, s.groups = nil, nil // nobody asks again
	return true, nil
}

var (
	_ league.Tx    = seats{}
	_ league.Store = (*weeks)(nil)
)
