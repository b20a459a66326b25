package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type standingRow struct {
	PlayerID       string `gorm:"primaryKey"`
	Welcomed       bool
	Experience     int64
	DailyDay       string
	DailyStreak    int
	VipUntil       int64
	BoosterUntil   int64
	BoosterMatches int
	BoostersHeld   int
	FriendsDay     string
	FriendsCoins   int64
	Version        int
}

func (standingRow) TableName() string { return "standings" }

// Standing implements reward.Store.
func (s *Store) Standing(ctx context.Context, playerID string) (reward.Standing, error) {
	return standing(s.read.WithContext(ctx), playerID)
}

func standing(db *gorm.DB, playerID string) (reward.Standing, error) {
	var r standingRow
	err := db.Where("player_id = ?", playerID).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return reward.Standing{PlayerID: playerID}, nil
	}
	return reward.Standing{
		PlayerID: playerID, Welcomed: r.Welcomed, Experience: r.Experience, DailyDay: r.DailyDay, DailyStreak: r.DailyStreak,
		VIPUntil: fromMillis(r.VipUntil), BoosterUntil: fromMillis(r.BoosterUntil),
		BoosterMatches: r.BoosterMatches, BoostersHeld: r.BoostersHeld,
		FriendsDay: r.FriendsDay, FriendsCoins: r.FriendsCoins, Version: r.Version,
	}, err
}

// Commit implements reward.Store.
func (s *Store) Commit(ctx context.Context, t *wallet.Transfer, standing reward.Standing) (replayed bool, err error) {
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error { return commit(tx, t, standing) })
	if errors.Is(err, errPosted) {
		return true, nil
	}
	return false, err
}

// errPosted gives up a transaction whose transfer was posted before.
var errPosted = errors.New("store: the transfer was posted before")

// commit changes a player's standing, then posts. Always in this order, which is that
// of a settlement too: one that reads the standing holds it before it posts, and
// whoever went the other way would wait for it in a circle.
func commit(tx *gorm.DB, t *wallet.Transfer, standing reward.Standing) error {
	if err := keepStanding(tx, standing); err != nil || t == nil {
		return err
	}
	_, replayed, err := post(tx, t)
	if err == nil && replayed {
		return errPosted
	}
	return err
}

// keepStanding keeps the standing if its version is still the one that it was read
// with.
func keepStanding(tx *gorm.DB, s reward.Standing) error {
	row := standingRow{
		PlayerID: s.PlayerID, Welcomed: s.Welcomed, Experience: s.Experience, DailyDay: s.DailyDay, DailyStreak: s.DailyStreak,
		VipUntil: millis(s.VIPUntil), BoosterUntil: millis(s.BoosterUntil),
		BoosterMatches: s.BoosterMatches, BoostersHeld: s.BoostersHeld,
		FriendsDay: s.FriendsDay, FriendsCoins: s.FriendsCoins, Version: s.Version + 1,
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

// settlement implements reward.Tx in a transaction that is under way.
type settlement struct {
	tx *gorm.DB
	// locks says whether a row that is read stays as it is until the end. SQLite has
	// one writer, and drops FOR UPDATE without a word.
	locks bool
}

// Version implements reward.Tx.
func (t *settlement) Version(number int) (*economy.Version, error) {
	return oneVersion(t.tx.Where("number = ?", number))
}

// Standing implements reward.Tx.
func (t *settlement) Standing(playerID string) (reward.Standing, error) {
	db := t.tx
	if t.locks {
		// A row that is not there cannot be held.
		fresh := standingRow{PlayerID: playerID, Version: 1}
		if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return reward.Standing{}, err
		}
		db = db.Clauses(clause.Locking{Strength: "UPDATE"})
	}
	return standing(db, playerID)
}

// Commit implements reward.Tx.
func (t *settlement) Commit(transfer *wallet.Transfer, s reward.Standing) error {
	return commit(t.tx, transfer, s)
}

var _ reward.Store = (*Store)(nil)
