package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/engagement"
)

// What changes only as a part of greater transactions, for tests by itself.

func (s *Store) Engage(ctx context.Context, playerID string, from, to engagement.Place, why engagement.Reason, at time.Time) (c engagement.Change, err error) {
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		c, err = engage(tx, playerID, from, to, why, at)
		return err
	})
	return c, err
}

func (s *Store) Touch(ctx context.Context, playerID string, place engagement.Place) (c engagement.Change, err error) {
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		c, err = touch(tx, playerID, place)
		return err
	})
	return c, err
}
