package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type standingRow struct {
	PlayerID       string `gorm:"primaryKey"`
	Experience     int64
	DailyDay       string
	DailyStreak    int
	VipUntil       int64
	BoosterUntil   int64
	BoosterMatches int
	BoostersHeld   int
	Version        int
}

func (standingRow) TableName() string { return "standings" }

// Standing implements reward.Store.
func (s *Store) Standing(ctx context.Context, playerID string) (reward.Standing, error) {
	var r standingRow
	err := s.read.WithContext(ctx).Where("player_id = ?", playerID).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return reward.Standing{PlayerID: playerID}, nil
	}
	return reward.Standing{
		PlayerID: playerID, Experience: r.Experience, DailyDay: r.DailyDay, DailyStreak: r.DailyStreak,
		VIPUntil: fromMillis(r.VipUntil), BoosterUntil: fromMillis(r.BoosterUntil),
		BoosterMatches: r.BoosterMatches, BoostersHeld: r.BoostersHeld, Version: r.Version,
	}, err
}

// Commit implements reward.Store.
func (s *Store) Commit(ctx context.Context, t *wallet.Transfer, standing reward.Standing) (replayed bool, err error) {
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if t != nil {
			if _, replayed, err = post(tx, t); err != nil || replayed {
				return err
			}
		}
		return keepStanding(tx, standing)
	})
	return replayed, err
}

// keepStanding keeps the standing if its version is still the one that it was read
// with.
func keepStanding(tx *gorm.DB, s reward.Standing) error {
	row := standingRow{
		PlayerID: s.PlayerID, Experience: s.Experience, DailyDay: s.DailyDay, DailyStreak: s.DailyStreak,
		VipUntil: millis(s.VIPUntil), BoosterUntil: millis(s.BoosterUntil),
		BoosterMatches: s.BoosterMatches, BoostersHeld: s.BoostersHeld, Version: s.Version + 1,
	}
	var result *gorm.DB
	if s.Version == 0 {
		result = tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	} else {
		// All columns: a plain update would pass over those that have become zero.
		result = tx.Model(&standingRow{}).Where("player_id = ? AND version = ?", s.PlayerID, s.Version).Select("*").Updates(&row)
	}
	if result.Error == nil && result.RowsAffected != 1 {
		return reward.ErrMoved
	}
	return result.Error
}

var _ reward.Store = (*Store)(nil)
