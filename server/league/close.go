package league

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/wallet"
)

const (
	// Grace is how long after its end a season is left alone: a match that ended in
	// its last moment may still be on its way into the database. What comes later
	// counts for the next week.
	Grace = time.Minute
	// groupsAtOnce is how many groups are listed at once, seatsAtOnce how many players
	// are seated in one transaction, for which matches wait.
	groupsAtOnce = 500
	seatsAtOnce  = 100
)

// prizeReceipt is a prize's data.
type prizeReceipt struct {
	Economy  int    `json:"economy"`
	Season   string `json:"season"`
	Division string `json:"division"`
	Group    int    `json:"group"`
	Rank     int    `json:"rank"`
}

// CloseDue closes every season that is over, in their order, and returns their
// names. Anything may call it, at any time, as often as it likes and on several
// processes: each group is frozen once, with its prizes and notices, in a
// transaction of its own. What is interrupted goes on with the next call.
func (s *Service) CloseDue(ctx context.Context) (closed []string, err error) {
	for {
		season, ok, err := s.store.DueSeason(ctx, s.moment().Add(-Grace))
		if err != nil || !ok {
			return closed, err
		}
		if err := s.close(ctx, season); err != nil {
			return closed, fmt.Errorf("league: close %s: %w", season.ID, err)
		}
		closed = append(closed, season.ID)
	}
}

func (s *Service) close(ctx context.Context, season Season) error {
	d, err := s.document(ctx, season)
	if err != nil {
		return err
	}
	if err := s.store.BeginClose(ctx, season.ID); err != nil {
		return err
	}
	// Those who waited have been seated when the season before was closed.
	for n := seatsAtOnce; n == seatsAtOnce; {
		n, err = s.store.SeatWaiting(ctx, season.ID, seatsAtOnce, func(tx Tx, scores []Score) error {
			return seat(tx, s.economy, season, scores)
		})
		if err != nil {
			return err
		}
	}
	for behind := (Group{SeasonID: season.ID}); ; {
		groups, err := s.store.Groups(ctx, behind, true, groupsAtOnce)
		if err != nil {
			return err
		}
		for _, g := range groups {
			if err := s.freeze(ctx, season, d, g); err != nil {
				return fmt.Errorf("%s, group %d: %w", g.Division, g.Number, err)
			}
			behind = g
		}
		if len(groups) < groupsAtOnce {
			break
		}
	}
	for done := false; !done; {
		done, err = s.store.EndClose(ctx, season.ID, s.moment(), seatsAtOnce, func(tx Tx, next Season, scores []Score) error {
			return seat(tx, s.economy, next, scores)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) freeze(ctx context.Context, season Season, d *economy.Document, g Group) error {
	at := s.moment()
	told, err := s.store.FreezeGroup(ctx, g, at, func(scores []Score) (Ending, error) {
		return s.ending(season, d, Freeze(d, g.Division, scores), at)
	})
	if err != nil {
		return err
	}
	for _, n := range told {
		s.tell(n)
	}
	return nil
}

// ending is what is kept of a group's ranks.
func (s *Service) ending(season Season, d *economy.Document, scores []Score, at time.Time) (Ending, error) {
	// Whoever changes accounts of several players does so in this order.
	slices.SortFunc(scores, func(a, b Score) int { return strings.Compare(a.PlayerID, b.PlayerID) })
	e := Ending{Scores: scores}
	for _, score := range scores {
		e.Notices = append(e.Notices, notice.Notice{
			PlayerID: score.PlayerID, Kind: notice.LeagueClosed, At: at,
			League: &notice.League{
				Season: season.ID, Division: score.Division, Rank: score.Rank, Prize: score.Prize, Moved: score.Moved, Next: score.Next.Division,
			},
		})
		if score.Prize == 0 {
			continue
		}
		t, err := s.prize(season, score, at)
		if err != nil {
			return e, err
		}
		e.Prizes = append(e.Prizes, t)
	}
	return e, nil
}

func (s *Service) prize(season Season, score Score, at time.Time) (*wallet.Transfer, error) {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, fmt.Errorf("league: new transfer's id: %w", err)
	}
	t, err := wallet.New(id.String(), PrizeKey(season.ID, score.PlayerID), wallet.KindPrize, at,
		wallet.Move(wallet.Prizes, wallet.Player(score.PlayerID), score.Prize)...)
	if err != nil {
		return nil, err
	}
	t.Data, err = json.Marshal(prizeReceipt{season.Economy, season.ID, score.Division, score.Group, score.Rank})
	return t, err
}

// PrizeKey is the key of a prize's transfer in the ledger.
func PrizeKey(seasonID, playerID string) string { return "league:" + seasonID + ":" + playerID }

// Forecast is what closing a season as it is would do in a division.
type Forecast struct {
	Division        string
	Groups, Players int
	Prizes          int
	Coins           int64
	Up, Down        int
}

// Preview works out what the close of a season does, or, in groups that are
// frozen, has done, for each division from the lowest. Codes: NotFound.
func (s *Service) Preview(ctx context.Context, seasonID string) (season Season, forecasts []Forecast, err error) {
	if season, err = s.store.Season(ctx, seasonID); err != nil {
		return season, nil, err
	}
	d, err := s.document(ctx, season)
	if err != nil {
		return season, nil, err
	}
	byName := make(map[string]*Forecast)
	for _, division := range d.League.Divisions {
		forecasts = append(forecasts, Forecast{Division: division.Name})
	}
	for i := range forecasts {
		byName[forecasts[i].Division] = &forecasts[i]
	}
	behind := Group{SeasonID: season.ID}
	for {
		groups, err := s.store.Groups(ctx, behind, false, groupsAtOnce)
		if err != nil {
			return season, nil, err
		}
		for _, g := range groups {
			ranks, err := s.ranks(ctx, d, g)
			if err != nil {
				return season, nil, err
			}
			f := byName[g.Division]
			f.Groups++
			f.Players += len(ranks)
			for _, e := range ranks {
				if e.Prize > 0 {
					f.Prizes++
				}
				f.Coins += e.Prize
				f.Up += max(e.Moved, 0)
				f.Down += max(-e.Moved, 0)
			}
			behind = g
		}
		if len(groups) < groupsAtOnce {
			return season, forecasts, nil
		}
	}
}

// Group lists a group's members in their order, with the outcomes that they have
// or, if nothing changed, would have. Codes: NotFound (no such season).
func (s *Service) Group(ctx context.Context, g Group) ([]Entry, error) {
	season, err := s.store.Season(ctx, g.SeasonID)
	if err != nil {
		return nil, err
	}
	d, err := s.document(ctx, season)
	if err != nil {
		return nil, err
	}
	return s.ranks(ctx, d, g)
}

// ranks are a group's members in their order, with the outcomes that they have or,
// if nothing changed, would have.
func (s *Service) ranks(ctx context.Context, d *economy.Document, g Group) ([]Entry, error) {
	entries, err := s.store.InGroup(ctx, g)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 && entries[0].Rank > 0 {
		slices.SortFunc(entries, func(a, b Entry) int { return a.Rank - b.Rank })
		return entries, nil
	}
	scores, byPlayer := make([]Score, len(entries)), make(map[string]Entry, len(entries))
	for i, e := range entries {
		scores[i], byPlayer[e.PlayerID] = e.Score, e
	}
	for i, score := range Freeze(d, g.Division, scores) {
		e := byPlayer[score.PlayerID]
		e.Score = score
		entries[i] = e
	}
	return entries, nil
}
