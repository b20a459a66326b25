package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/attempt"
)

type triesRow struct {
	Identity string `gorm:"primaryKey"`
	Address  string `gorm:"primaryKey"`
	Count    int
	LastAt   int64
	Known    bool
}

func (triesRow) TableName() string { return "sign_in_tries" }

// ChangeTries implements attempt.Store.
func (s *Store) ChangeTries(ctx context.Context, keys []attempt.Who, f func([]attempt.Tries)) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		tries := make([]attempt.Tries, len(keys))
		for i, k := range keys {
			// On PostgreSQL, an insert that is nothing and then a lock: a row that is not
			// there cannot be locked. All callers take their keys in the same order.
			row := triesRow{Identity: k.Identity, Address: k.Address}
			if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
				return err
			}
			query := tx.Where("identity = ? AND address = ?", k.Identity, k.Address)
			if s.kind == Postgres {
				query = query.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
			}
			if err := query.Take(&row).Error; err != nil {
				return err
			}
			tries[i] = attempt.Tries{Count: row.Count, LastAt: fromMillis(row.LastAt), Known: row.Known}
		}
		f(tries)
		for i, k := range keys {
			// A map, for GORM passes over zero values in a struct.
			err := tx.Model(&triesRow{}).Where("identity = ? AND address = ?", k.Identity, k.Address).Updates(map[string]any{
				"count": tries[i].Count, "last_at": millis(tries[i].LastAt), "known": tries[i].Known,
			}).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// PruneTries implements attempt.Store.
func (s *Store) PruneTries(ctx context.Context, before, knownBefore time.Time) error {
	return s.writing(ctx).
		Where("last_at < ? AND (known = ? OR last_at < ?)", millis(before), false, millis(knownBefore)).
		Delete(&triesRow{}).Error
}
