package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/unit"
)

type playerRow struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	NameKey   *string // nil if the player signed up before names had keys
	Guest     bool
	Avatar    string
	Language  string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	RenamedAt int64
}

func (playerRow) TableName() string { return "players" }

func (r playerRow) domain() account.Player {
	return account.Player{
		ID: r.ID, Name: r.Name, Guest: r.Guest, Avatar: r.Avatar, Language: r.Language,
		CreatedAt: fromMillis(r.CreatedAt), RenamedAt: fromMillis(r.RenamedAt),
	}
}

type deviceRow struct {
	ID         string `gorm:"primaryKey"`
	PlayerID   string
	SecretHash []byte
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
}

func (deviceRow) TableName() string { return "devices" }

var (
	errNoPlayer  = fault.New(fault.NotFound, "There is no such player.")
	errDevice    = fault.New(fault.IdentityTaken, "There is a device with this secret.")
	errNameTaken = &fault.Error{Code: fault.NameTaken, Message: "Another player has this name, or one that looks like it.", Field: "name"}
)

// CreateGuest implements account.Store.
func (s *Store) CreateGuest(ctx context.Context, p account.Player, d account.Device, session account.Session) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		key := name.Key(p.Name)
		result := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name_key"}}, DoNothing: true}).Create(&playerRow{
			ID: p.ID, Name: p.Name, NameKey: &key, Guest: p.Guest, Avatar: p.Avatar, Language: p.Language,
			CreatedAt: millis(p.CreatedAt), RenamedAt: millis(p.RenamedAt),
		})
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			return errNameTaken
		}
		result = tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "secret_hash"}}, DoNothing: true}).Create(&deviceRow{
			ID: d.ID, PlayerID: d.PlayerID, SecretHash: d.SecretHash[:], CreatedAt: millis(d.CreatedAt),
		})
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			return errDevice
		}
		return tx.Create(newSessionRow(session)).Error
	})
}

// Most requests begin with the first, and sign-ins with the second. Written out, they take half
// the time that GORM needs to make them and to read their row.
const (
	playerByID     = "SELECT " + playerColumns + " FROM players WHERE deleted_at = 0 AND id = $1"
	playerByDevice = "SELECT " + playerColumns + " FROM players WHERE deleted_at = 0 AND id = (SELECT player_id FROM devices WHERE secret_hash = $1)"
	playerColumns  = "id, name, guest, avatar, language, created_at, renamed_at"
)

// PlayerByDevice implements account.Store.
func (s *Store) PlayerByDevice(ctx context.Context, secretHash [sha256.Size]byte) (account.Player, error) {
	return s.player(ctx, playerByDevice, secretHash[:])
}

// PlayerByID implements account.Store.
func (s *Store) PlayerByID(ctx context.Context, id string) (account.Player, error) {
	return s.player(ctx, playerByID, id)
}

func (s *Store) player(ctx context.Context, query string, key any) (account.Player, error) {
	var pool gorm.ConnPool
	if unit.Of(ctx) != nil {
		pool = s.reading(ctx).Statement.ConnPool
	} else if own, err := s.read.DB(); err == nil {
		pool = own
	} else {
		return account.Player{}, err
	}
	var row playerRow
	err := pool.QueryRowContext(ctx, query, key).Scan(
		&row.ID, &row.Name, &row.Guest, &row.Avatar, &row.Language, &row.CreatedAt, &row.RenamedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return account.Player{}, errNoPlayer
	}
	return row.domain(), err
}

func one(query *gorm.DB) (account.Player, error) {
	var row playerRow
	err := living(query).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return account.Player{}, errNoPlayer
	}
	if err != nil {
		return account.Player{}, err
	}
	return row.domain(), nil
}
