package store

import (
	"context"
	"crypto/sha256"
	"errors"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
)

type playerRow struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	Guest     bool
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (playerRow) TableName() string { return "players" }

func (r playerRow) domain() account.Player {
	return account.Player{ID: r.ID, Name: r.Name, Guest: r.Guest, CreatedAt: fromMillis(r.CreatedAt)}
}

type deviceRow struct {
	ID         string `gorm:"primaryKey"`
	PlayerID   string
	SecretHash []byte
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
}

func (deviceRow) TableName() string { return "devices" }

var errNoPlayer = fault.New(fault.NotFound, "There is no such player.")

// CreateGuest implements account.Store.
func (s *Store) CreateGuest(ctx context.Context, p account.Player, d account.Device) error {
	return s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Create(&playerRow{ID: p.ID, Name: p.Name, Guest: p.Guest, CreatedAt: millis(p.CreatedAt)}).Error
		if err != nil {
			return err
		}
		return tx.Create(&deviceRow{
			ID: d.ID, PlayerID: d.PlayerID, SecretHash: d.SecretHash[:], CreatedAt: millis(d.CreatedAt),
		}).Error
	})
}

// PlayerByDevice implements account.Store.
func (s *Store) PlayerByDevice(ctx context.Context, secretHash [sha256.Size]byte) (account.Player, error) {
	return one(s.read.WithContext(ctx).
		Joins("JOIN devices ON devices.player_id = players.id").
		Where("devices.secret_hash = ?", secretHash[:]))
}

// PlayerByID implements account.Store.
func (s *Store) PlayerByID(ctx context.Context, id string) (account.Player, error) {
	return one(s.read.WithContext(ctx).Where("players.id = ?", id))
}

func one(query *gorm.DB) (account.Player, error) {
	var row playerRow
	err := query.Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return account.Player{}, errNoPlayer
	}
	if err != nil {
		return account.Player{}, err
	}
	return row.domain(), nil
}
