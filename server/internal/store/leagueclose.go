package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/notice"
)

// LeagueStore is the store as the league sees it: its methods have names that
// would say too little among all of the store's.
type LeagueStore struct{ s *Store }

// League returns the league's part of the store.
func (s *Store) League() LeagueStore { return LeagueStore{s} }

// alone runs f in a transaction while no match scores.
func (l LeagueStore) alone(ctx context.Context, f func(*settlement) error) error {
	return l.s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		t := &settlement{tx: tx, locks: l.s.kind == Postgres}
		if t.locks {
			if err := tx.Exec("SELECT pg_advisory_xact_lock" + leagueLock).Error; err != nil {
				return err
			}
		}
		return f(t)
	})
}

// Version implements league.Store.
func (l LeagueStore) Version(ctx context.Context, number int) (*economy.Version, error) {
	return l.s.Version(ctx, number)
}

// DueSeason implements league.Store.
func (l LeagueStore) DueSeason(ctx context.Context, by time.Time) (league.Season, bool, error) {
	var row seasonRow
	err := l.s.reading(ctx).Where("state <> 'closed'").Order("id").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return league.Season{}, false, nil
	}
	return row.domain(), err == nil && row.EndsAt <= millis(by), err
}

// BeginClose implements league.Store.
func (l LeagueStore) BeginClose(ctx context.Context, seasonID string) error {
	return l.alone(ctx, func(t *settlement) error {
		return t.tx.Model(&seasonRow{}).Where("id = ? AND state = ?", seasonID, string(league.Open)).
			Update("state", string(league.Closing)).Error
	})
}

// SeatWaiting implements league.Store.
func (l LeagueStore) SeatWaiting(ctx context.Context, seasonID string, limit int, f func(league.Tx, []league.Score) error) (n int, err error) {
	err = l.alone(ctx, func(t *settlement) error {
		n, err = seatWaiting(t, seasonID, limit, f)
		return err
	})
	return n, err
}

const (
	seatHead = `WITH seats (player_id, division, group_no) AS (VALUES `
	seatTail = `)
UPDATE league_scores SET division = seats.division, group_no = seats.group_no
FROM seats WHERE league_scores.player_id = seats.player_id AND season = ?`
)

func seatWaiting(t *settlement, seasonID string, limit int, f func(league.Tx, []league.Score) error) (int, error) {
	var rows []scoreRow
	err := t.tx.Where("season = ? AND division = '' AND group_no = 0", seasonID).Order("first_at, player_id").Limit(limit).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	scores := scoresOf(rows)
	if err := f(t, scores); err != nil {
		return 0, err
	}
	args := make([]any, 0, 3*len(scores)+1)
	for _, s := range scores {
		args = append(args, s.PlayerID, s.Division, s.Group)
	}
	return len(scores), t.tx.Exec(
		seatHead+times("(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS INTEGER))", len(scores))+seatTail, append(args, seasonID)...).Error
}

func scoresOf(rows []scoreRow) []league.Score {
	scores := make([]league.Score, len(rows))
	for i, r := range rows {
		scores[i] = r.domain()
	}
	return scores
}

// Groups implements league.Store.
func (l LeagueStore) Groups(ctx context.Context, behind league.Group, unfrozen bool, limit int) ([]league.Group, error) {
	query := l.s.reading(ctx).Where("season = ? AND (division, number) > (?, ?)", behind.SeasonID, behind.Division, behind.Number)
	if unfrozen {
		query = query.Where("frozen_at = 0")
	}
	var rows []leagueGroupRow
	if err := query.Order("division, number").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	groups := make([]league.Group, len(rows))
	for i, r := range rows {
		groups[i] = r.domain()
	}
	return groups, nil
}

// DivisionGroups implements league.Store.
func (l LeagueStore) DivisionGroups(ctx context.Context, behind league.Group, limit int) ([]league.Group, error) {
	var rows []leagueGroupRow
	err := l.s.reading(ctx).Where("season = ? AND division = ? AND number > ?", behind.SeasonID, behind.Division, behind.Number).
		Order("number").Limit(limit).Find(&rows).Error
	groups := make([]league.Group, len(rows))
	for i, r := range rows {
		groups[i] = r.domain()
	}
	return groups, err
}

// Tally implements league.Store.
func (l LeagueStore) Tally(ctx context.Context, seasonID string) (t league.Tally, err error) {
	err = l.s.reading(ctx).Raw(`
		SELECT COUNT(*) AS players, COALESCE(SUM(CASE WHEN group_no = 0 THEN 1 ELSE 0 END), 0) AS waiting,
			(SELECT COUNT(*) FROM league_groups WHERE season = @season) AS "groups",
			(SELECT COUNT(*) FROM league_groups WHERE season = @season AND frozen_at > 0) AS frozen,
			COALESCE(SUM(CASE WHEN prize > 0 THEN 1 ELSE 0 END), 0) AS prizes, COALESCE(CAST(SUM(prize) AS BIGINT), 0) AS coins
		FROM league_scores WHERE season = @season`, map[string]any{"season": seasonID}).Scan(&t).Error
	return t, err
}

// FreezeGroup implements league.Store.
func (l LeagueStore) FreezeGroup(ctx context.Context, g league.Group, at time.Time, f func([]league.Score) (league.Ending, error)) (told []notice.Notice, err error) {
	err = l.s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// On PostgreSQL a second process waits here for the first, and finds it done.
		claim := tx.Model(&leagueGroupRow{}).
			Where("season = ? AND division = ? AND number = ? AND frozen_at = 0", g.SeasonID, g.Division, g.Number).
			Update("frozen_at", millis(at))
		if claim.Error != nil || claim.RowsAffected == 0 {
			return claim.Error
		}
		var rows []scoreRow
		err := tx.Where("season = ? AND division = ? AND group_no = ?", g.SeasonID, g.Division, g.Number).Find(&rows).Error
		if err != nil {
			return err
		}
		end, err := f(scoresOf(rows))
		if err != nil {
			return err
		}
		if err := keepOutcomes(tx, g.SeasonID, end.Scores); err != nil {
			return err
		}
		fresh, err := postAll(tx, end.Prizes...)
		if err == nil && fresh != len(end.Prizes) {
			err = fmt.Errorf("store: %d prizes of %+v were posted before", len(end.Prizes)-fresh, g)
		}
		if err != nil {
			return err
		}
		told, err = addNotices(tx, end.Notices)
		return err
	})
	if err != nil {
		return nil, err
	}
	return told, nil
}

const (
	outcomesHead = `WITH ends (player_id, rank, prize, moved, next_division, next_level) AS (VALUES `
	outcomesTail = `)
UPDATE league_scores SET rank = ends.rank, prize = ends.prize, moved = ends.moved,
	next_division = ends.next_division, next_level = ends.next_level
FROM ends WHERE league_scores.player_id = ends.player_id AND season = ?`
)

func keepOutcomes(tx *gorm.DB, seasonID string, scores []league.Score) error {
	if len(scores) == 0 {
		return nil
	}
	args := make([]any, 0, 6*len(scores)+1)
	for _, s := range scores {
		args = append(args, s.PlayerID, s.Rank, s.Prize, s.Moved, s.Next.Division, s.Next.Level)
	}
	const row = "(CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS BIGINT), CAST(? AS SMALLINT), CAST(? AS TEXT), CAST(? AS INTEGER))"
	result := tx.Exec(outcomesHead+times(row, len(scores))+outcomesTail, append(args, seasonID)...)
	if result.Error == nil && result.RowsAffected != int64(len(scores)) {
		return fmt.Errorf("store: season %s: %d of %d outcomes kept", seasonID, result.RowsAffected, len(scores))
	}
	return result.Error
}

// EndClose implements league.Store.
func (l LeagueStore) EndClose(ctx context.Context, seasonID string, at time.Time, limit int, f func(league.Tx, league.Season, []league.Score) error) (done bool, err error) {
	err = l.alone(ctx, func(t *settlement) error {
		var left int64
		err := t.tx.Model(&leagueGroupRow{}).Where("season = ? AND frozen_at = 0", seasonID).Count(&left).Error
		if err != nil {
			return err
		}
		if left > 0 {
			return fmt.Errorf("store: season %s: %d groups are not frozen", seasonID, left)
		}
		var next []seasonRow
		if err := t.tx.Where("id > ? AND state <> 'closed'", seasonID).Order("id").Limit(1).Find(&next).Error; err != nil {
			return err
		}
		if len(next) > 0 {
			n, err := seatWaiting(t, next[0].ID, limit, func(tx league.Tx, scores []league.Score) error {
				return f(tx, next[0].domain(), scores)
			})
			if err != nil || n == limit {
				return err
			}
		}
		done = true
		return t.tx.Model(&seasonRow{}).Where("id = ? AND state <> 'closed'", seasonID).
			Updates(map[string]any{"state": string(league.Closed), "closed_at": millis(at)}).Error
	})
	return done && err == nil, err
}

var _ league.Store = LeagueStore{}
