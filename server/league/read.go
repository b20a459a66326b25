package league

import (
	"context"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

// Table is a group as its members see it.
type Table struct {
	Season Season
	// Division that the player plays in. In a season that the player has not scored
	// in, it is where the first points would bring them.
	Division economy.Division
	// Level of the division, from 0 for the lowest, and the names of all.
	Level int
	Names []string
	// Mine is the player's score; nil without one.
	Mine *Score
	// Waiting says that the player's group is found when last week is closed.
	Waiting bool
	// Ranks are the members of the group in their order, each with the outcome that it
	// has or, if nothing changed, would have. Up and Down tell how many move.
	Ranks    []Entry
	Up, Down int
}

// Mine is the league as a player sees it now.
func (s *Service) Mine(ctx context.Context, playerID string) (*Table, error) {
	season, d, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	score, level, err := s.where(ctx, playerID, season, d)
	if err != nil {
		return nil, err
	}
	return s.table(ctx, season, d, score, level)
}

// Division is the name of the division that a player plays in now.
func (s *Service) Division(ctx context.Context, playerID string) (string, error) {
	season, d, err := s.Current(ctx)
	if err != nil {
		return "", err
	}
	_, level, err := s.where(ctx, playerID, season, d)
	return d.League.Divisions[level].Name, err
}

// where is a player's score in a season, nil without one, and the level of the
// division that the player plays in there or, as things are, would.
func (s *Service) where(ctx context.Context, playerID string, season Season, d *economy.Document) (*Score, int, error) {
	score, err := s.store.ScoreOf(ctx, playerID, season.ID)
	none := fault.CodeOf(err) == fault.NotFound
	if err != nil && !none {
		return nil, 0, err
	}
	place := Place{Division: score.Division}
	if score.Group == 0 {
		if place, _, err = s.store.PlaceOf(ctx, playerID); err != nil {
			return nil, 0, err
		}
	}
	level := place.in(d.League.Divisions).Level
	if none {
		return nil, level, nil
	}
	return &score, level, nil
}

func (s *Service) table(ctx context.Context, season Season, d *economy.Document, score *Score, level int) (*Table, error) {
	t := &Table{Season: season, Level: level, Division: d.League.Divisions[level], Mine: score}
	for _, division := range d.League.Divisions {
		t.Names = append(t.Names, division.Name)
	}
	if score == nil || score.Group == 0 {
		t.Waiting = score != nil
		return t, nil
	}
	var err error
	t.Ranks, err = s.ranks(ctx, d, Group{SeasonID: season.ID, Division: score.Division, Number: score.Group})
	t.Up, t.Down = Zones(t.Division, len(t.Ranks))
	return t, err
}

// Season is a season that is behind the player, with its group as it was frozen.
// Codes: NotFound.
func (s *Service) Season(ctx context.Context, playerID, seasonID string) (*Table, error) {
	score, err := s.store.ScoreOf(ctx, playerID, seasonID)
	if fault.CodeOf(err) == fault.NotFound || err == nil && score.Rank == 0 {
		return nil, errNoPart
	}
	if err != nil {
		return nil, err
	}
	season, err := s.store.Season(ctx, seasonID)
	if err != nil {
		return nil, err
	}
	d, err := s.document(ctx, season)
	if err != nil {
		return nil, err
	}
	return s.table(ctx, season, d, &score, Place{Division: score.Division}.in(d.League.Divisions).Level)
}

// Past lists at most limit seasons that are behind the player, newest first, those
// before the one given, if any.
func (s *Service) Past(ctx context.Context, playerID, before string, limit int) ([]Past, error) {
	return s.store.Frozen(ctx, playerID, before, limit)
}

// Best lists at most limit of the best scores of a division of a season, the
// current one with "", or of all divisions with "", those behind the score given
// unless it is nil. Codes: NotFound, InvalidRequest (no such division).
func (s *Service) Best(ctx context.Context, seasonID, division string, behind *Score, limit int) (Season, []Entry, error) {
	season, d, err := s.Current(ctx)
	if err != nil {
		return season, nil, err
	}
	if seasonID != "" && seasonID != season.ID {
		if season, err = s.store.Season(ctx, seasonID); err != nil {
			return season, nil, err
		}
		if d, err = s.document(ctx, season); err != nil {
			return season, nil, err
		}
	}
	var names []string
	for _, one := range d.League.Divisions {
		if division == "" || one.Name == division {
			names = append(names, one.Name)
		}
	}
	if len(names) == 0 {
		return season, nil, &fault.Error{Code: fault.InvalidRequest, Field: "division", Message: "There is no such division."}
	}
	best, err := s.store.Best(ctx, season.ID, names, behind, limit)
	return season, best, err
}

// Seasons lists at most limit seasons, newest first, those before the one given,
// if any.
func (s *Service) Seasons(ctx context.Context, before string, limit int) ([]Season, error) {
	return s.store.Seasons(ctx, before, limit)
}

// Look is a season as an operator sees it. Codes: NotFound.
func (s *Service) Look(ctx context.Context, seasonID string) (Season, Tally, error) {
	season, err := s.store.Season(ctx, seasonID)
	if err != nil {
		return season, Tally{}, err
	}
	t, err := s.store.Tally(ctx, seasonID)
	return season, t, err
}

// Groups lists at most limit groups of a division by their numbers, those behind the
// one given.
func (s *Service) Groups(ctx context.Context, behind Group, limit int) ([]Group, error) {
	return s.store.DivisionGroups(ctx, behind, limit)
}

// CodeNothingDue: no season is over and not closed.
const CodeNothingDue fault.Code = "nothing_due"

// Divisions lists the names of a season's divisions, the lowest first.
func (s *Service) Divisions(ctx context.Context, season Season) (names []string, err error) {
	d, err := s.document(ctx, season)
	if err != nil {
		return nil, err
	}
	for _, division := range d.League.Divisions {
		names = append(names, division.Name)
	}
	return names, nil
}

// Due is the season that is to be closed now; ok is false if none is.
func (s *Service) Due(ctx context.Context) (season Season, ok bool, err error) {
	return s.store.DueSeason(ctx, s.moment().Add(-Grace))
}
