package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// customerRow is what Stripe calls a player. Without a player it is to be forgotten
// there.
type customerRow struct {
	ID       string `gorm:"primaryKey"`
	PlayerID *string
	Live     bool
}

func (customerRow) TableName() string { return "stripe_customers" }

// Customers is what Stripe calls the players. It implements stripe.Customers.
type Customers struct{ store *Store }

// Customers returns what Stripe calls the players.
func (s *Store) Customers() Customers { return Customers{s} }

// Customer implements stripe.Customers.
func (c Customers) Customer(ctx context.Context, playerID string, live bool) (string, error) {
	return customerOf(c.store.reading(ctx), playerID, live)
}

func customerOf(db *gorm.DB, playerID string, live bool) (string, error) {
	var row customerRow
	err := db.Where("player_id = ? AND live = ?", playerID, live).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", nil
	}
	return row.ID, err
}

// KeepCustomer implements stripe.Customers. A customer of one who was deleted meanwhile
// is forgotten with the others. Codes: NotFound.
func (c Customers) KeepCustomer(ctx context.Context, playerID string, live bool, before, id string) (kept string, err error) {
	err = c.store.writing(ctx).Transaction(func(tx *gorm.DB) error {
		row := customerRow{ID: id, PlayerID: &playerID, Live: live}
		gone := lockPlayer(tx, playerID)
		switch {
		case errors.Is(gone, errNoPlayer):
			row.PlayerID = nil
		case gone != nil:
			return gone
		case before != "":
			if err := tx.Where("id = ? AND player_id = ? AND live = ?", before, playerID, live).Delete(&customerRow{}).Error; err != nil {
				return err
			}
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
			return err
		}
		kept, err = customerOf(tx, playerID, live)
		return err
	})
	if err == nil && kept == "" {
		return "", errNoPlayer
	}
	return kept, err
}

// CustomerOwner implements stripe.Customers.
func (c Customers) CustomerOwner(ctx context.Context, id string, live bool) (string, error) {
	var row customerRow
	err := c.store.reading(ctx).Where("id = ? AND live = ?", id, live).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) || err == nil && row.PlayerID == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return *row.PlayerID, nil
}

// Ownerless implements stripe.Customers.
func (c Customers) Ownerless(ctx context.Context, live bool, limit int) ([]string, error) {
	var ids []string
	err := c.store.reading(ctx).Model(&customerRow{}).Where("player_id IS NULL AND live = ?", live).Order("id").Limit(limit).Pluck("id", &ids).Error
	return ids, err
}

// DropCustomer implements stripe.Customers.
func (c Customers) DropCustomer(ctx context.Context, id string) error {
	return c.store.writing(ctx).Where("id = ? AND player_id IS NULL", id).Delete(&customerRow{}).Error
}
