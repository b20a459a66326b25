package league

import (
	"context"
	"io"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Group of players that compete for ranks.
type Group struct {
	SeasonID, Division string
	// Number counts the groups of a division from 1.
	Number  int
	Members int
	// FrozenAt is zero until its ranks are.
	FrozenAt time.Time
}

// Tally is how far a season is, and what it has given.
type Tally struct {
	// Players who have scored, of whom so many Wait for a group.
	Players, Waiting int
	// Groups, and those of them that are Frozen.
	Groups, Frozen int
	// Prizes that were paid, and of how many coins in all.
	Prizes int
	Coins  int64
}

// Entry is a score with whose it is, as everybody may see it.
type Entry struct {
	Score
	// Name and Avatar are a pseudonym's once the player is deleted.
	Name, Avatar string
}

// Ending is what is kept when a group is frozen: together, or nothing of it.
type Ending struct {
	// Scores with their outcomes.
	Scores []Score
	// Prizes in the order of the players.
	Prizes []*wallet.Transfer
	// Notices for the players. Whoever is deleted is told nothing.
	Notices []notice.Notice
}

// Store keeps the league.
type Store interface {
	// Version reads one of the economy's. Codes: NotFound.
	Version(ctx context.Context, number int) (*economy.Version, error)

	// Season reads one. Codes: NotFound.
	Season(ctx context.Context, id string) (Season, error)
	// Seasons lists at most limit, newest first, those before the one given, if any.
	Seasons(ctx context.Context, before string, limit int) ([]Season, error)
	// ScoreOf is what a player has in a season. Codes: NotFound.
	ScoreOf(ctx context.Context, playerID, seasonID string) (Score, error)
	// PlaceOf tells where a player plays, by the newest score that is frozen; ok is
	// false if none is.
	PlaceOf(ctx context.Context, playerID string) (p Place, ok bool, err error)
	// InGroup lists the members of a group, in no order.
	InGroup(ctx context.Context, g Group) ([]Entry, error)
	// Best lists at most limit scores of divisions of a season in the order of
	// [Compare], those behind the one given unless it is nil.
	Best(ctx context.Context, seasonID string, divisions []string, behind *Score, limit int) ([]Entry, error)
	// Frozen lists at most limit of the player's scores that are frozen with their
	// seasons, newest first, those before the season given, if any.
	Frozen(ctx context.Context, playerID, before string, limit int) ([]Past, error)

	// DueSeason is the oldest season that is not closed, if it ended by a time.
	DueSeason(ctx context.Context, by time.Time) (s Season, ok bool, err error)
	// BeginClose has the season take nothing any more. When it returns, every match
	// that scored in it is through.
	BeginClose(ctx context.Context, seasonID string) error
	// SeatWaiting has f seat at most limit of those who wait in the season, the first
	// to come first, and keeps the groups. It tells how many.
	SeatWaiting(ctx context.Context, seasonID string, limit int, f func(Tx, []Score) error) (int, error)
	// Tally adds up a season.
	Tally(ctx context.Context, seasonID string) (Tally, error)
	// DivisionGroups lists at most limit groups of a division of a season by their
	// numbers, those behind the one given.
	DivisionGroups(ctx context.Context, behind Group, limit int) ([]Group, error)
	// Groups lists at most limit groups of a season by division and number, behind the
	// one given; with unfrozen, only those that are not frozen.
	Groups(ctx context.Context, behind Group, unfrozen bool, limit int) ([]Group, error)
	// FreezeGroup has f work out how a group ends, and keeps it. If the group is
	// frozen already nothing happens. It returns the notices that were kept.
	FreezeGroup(ctx context.Context, g Group, at time.Time, f func([]Score) (Ending, error)) ([]notice.Notice, error)
	// EndClose seats at most limit of those who wait in the season that follows. With
	// nobody left the season is closed, and done is true.
	EndClose(ctx context.Context, seasonID string, at time.Time, limit int, f func(Tx, Season, []Score) error) (done bool, err error)
}

// Past is a season that a player has behind them.
type Past struct {
	Season
	Score
}

// Service is the domain's door. Make one with New.
type Service struct {
	store   Store
	economy *economy.Service
	now     func() time.Time
	random  io.Reader
	tell    func(notice.Notice)
}

// New returns a service. random is where identifiers come from; tell is called
// with every notice that was kept.
func New(store Store, e *economy.Service, now func() time.Time, random io.Reader, tell func(notice.Notice)) *Service {
	return &Service{store: store, economy: e, now: now, random: random, tell: tell}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// document is the one that a season is settled under.
func (s *Service) document(ctx context.Context, season Season) (*economy.Document, error) {
	return s.economy.At(season.Economy, func(number int) (*economy.Version, error) { return s.store.Version(ctx, number) })
}

// Current is the season that now belongs to, and its document. Until somebody
// scores in it, it is what it would be.
func (s *Service) Current(ctx context.Context) (Season, *economy.Document, error) {
	seasons, err := s.store.Seasons(ctx, "", 1)
	if err != nil {
		return Season{}, nil, err
	}
	now := s.moment()
	if len(seasons) > 0 && now.Before(seasons[0].EndsAt) && seasons[0].State == Open {
		d, err := s.document(ctx, seasons[0])
		return seasons[0], d, err
	}
	v, d, err := s.economy.Live(ctx)
	if err != nil {
		return Season{}, nil, err
	}
	season := Week(now, d.Location())
	if len(seasons) > 0 {
		season = behind(season, seasons[0], d.Location())
	}
	season.State, season.Economy = Open, v.Number
	return season, d, nil
}

// Left is how long a season takes points yet.
func (s *Service) Left(season Season) time.Duration { return max(season.EndsAt.Sub(s.moment()), 0) }

var errNoPart = fault.New(fault.NotFound, "You have no part in that season, or it is not closed.")
