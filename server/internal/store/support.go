package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/support"
)

// foundRow is a player with what staff is shown of it in a list.
type foundRow struct {
	Player     playerRow `gorm:"embedded"`
	DeletedAt  int64
	MergedInto *string
	SeenAt     int64
	OutID      *string
	OutUntil   int64
}

func (r *foundRow) domain() support.Found {
	f := support.Found{
		Player: r.Player.domain(), SeenAt: fromMillis(r.SeenAt), DeletedAt: fromMillis(r.DeletedAt),
		KeptOut: r.OutID != nil, KeptOutUntil: fromMillis(r.OutUntil),
	}
	if r.MergedInto != nil {
		f.MergedInto = *r.MergedInto
	}
	return f
}

// found reads players as staff finds them.
func found(query *gorm.DB, at time.Time) ([]support.Found, error) {
	var rows []foundRow
	err := query.Table("players").Select(`players.id, players.name, players.guest, players.avatar, players.language, players.created_at,
players.renamed_at, players.deleted_at, players.merged_into, sanctions.id AS out_id, COALESCE(sanctions.until, 0) AS out_until,
COALESCE((SELECT MAX(used_at) FROM sessions WHERE sessions.player_id = players.id), 0) AS seen_at`).
		Joins("LEFT JOIN sanctions ON sanctions.player_id = players.id AND "+inForce, millis(at)).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	all := make([]support.Found, len(rows))
	for i := range rows {
		all[i] = rows[i].domain()
	}
	return all, nil
}

// lastRune is behind whatever else a name's key may go on with.
const lastRune = "\U0010FFFF"

// FindPlayers implements support.Store.
func (s *Store) FindPlayers(ctx context.Context, q support.Query, limit int) ([]support.Found, error) {
	db := s.reading(ctx)
	var named []support.Found
	by := func(where string, args ...any) error {
		some, err := found(db.Where(where, args...).Limit(1), q.At)
		for _, f := range some {
			if !slices.ContainsFunc(named, func(known support.Found) bool { return known.ID == f.ID }) {
				named = append(named, f)
			}
		}
		return err
	}
	var errs [4]error
	if q.ID != "" {
		errs[0] = by("players.id = ?", q.ID)
	}
	if q.Code != nil {
		errs[1] = by("players.id = (SELECT player_id FROM support_codes WHERE code_hash = ? AND expires_at > ?)", q.Code[:], millis(q.At))
	}
	if q.Email != "" {
		errs[2] = by("players.id = (SELECT player_id FROM identities WHERE provider = ? AND subject = ?)", account.ViaEmail, q.Email)
	}
	if q.NameKey != "" {
		errs[3] = by("players.name_key = ?", q.NameKey)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if q.NameKey == "" && (q.ID != "" || q.Code != nil || q.Email != "") {
		return named, nil
	}
	// By the index, and not by LIKE, which SQLite would have read every row.
	rest := living(db).Order("players.name_key, players.id")
	if q.NameKey == "" {
		rest = living(db).Order("players.id DESC")
	} else {
		rest = rest.Where("players.name_key > ? AND players.name_key < ?", q.NameKey, q.NameKey+lastRune)
	}
	more, err := found(rest.Limit(limit), q.At)
	if err != nil {
		return nil, err
	}
	for _, f := range more {
		if len(named) < limit && !slices.ContainsFunc(named, func(known support.Found) bool { return known.ID == f.ID }) {
			named = append(named, f)
		}
	}
	return named, nil
}

// FoundByID implements support.Store.
func (s *Store) FoundByID(ctx context.Context, id string, at time.Time) (support.Found, error) {
	all, err := found(s.reading(ctx).Where("players.id = ?", id), at)
	if err != nil {
		return support.Found{}, err
	}
	if len(all) == 0 {
		return support.Found{}, errNoPlayer
	}
	return all[0], nil
}

// MergedInto implements support.Store.
func (s *Store) MergedInto(ctx context.Context, id string) ([]support.Found, error) {
	return found(s.reading(ctx).Where("players.merged_into = ?", id).Order("players.id"), time.Time{})
}

type noteRow struct {
	ID       string `gorm:"primaryKey"`
	PlayerID string
	Author   string
	Text     string
	At       int64
}

func (noteRow) TableName() string { return "player_notes" }

// AddNote implements support.Store.
func (s *Store) AddNote(ctx context.Context, n support.Note) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, n.PlayerID); err != nil {
			return err
		}
		return tx.Create(&noteRow{ID: n.ID, PlayerID: n.PlayerID, Author: n.Author, Text: n.Text, At: millis(n.At)}).Error
	})
}

// Notes implements support.Store.
func (s *Store) Notes(ctx context.Context, playerID, before string, limit int) ([]support.Note, error) {
	query := s.reading(ctx).Where("player_id = ?", playerID)
	if before != "" {
		query = query.Where("id < ?", before)
	}
	var rows []noteRow
	if err := query.Order("id DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]support.Note, len(rows))
	for i, r := range rows {
		all[i] = support.Note{ID: r.ID, PlayerID: r.PlayerID, Author: r.Author, Text: r.Text, At: fromMillis(r.At)}
	}
	return all, nil
}

// CountGrant implements support.Store. The condition is in the statement, so that of two
// at once the second counts the first.
func (s *Store) CountGrant(ctx context.Context, staffID, day string, coins, most int64) (bool, error) {
	if coins > most {
		return false, nil
	}
	result := s.writing(ctx).Exec(`INSERT INTO staff_grants (staff_id, day, coins) VALUES (?, ?, ?)
ON CONFLICT (staff_id, day) DO UPDATE SET coins = staff_grants.coins + excluded.coins WHERE staff_grants.coins + excluded.coins <= ?`,
		staffID, day, coins, most)
	return result.RowsAffected == 1, result.Error
}

// Granted implements support.Store.
func (s *Store) Granted(ctx context.Context, staffID, day string) (int64, error) {
	var coins int64
	err := s.reading(ctx).Raw("SELECT COALESCE((SELECT coins FROM staff_grants WHERE staff_id = ? AND day = ?), 0)", staffID, day).Scan(&coins).Error
	return coins, err
}

// TakeName implements support.Store.
func (s *Store) TakeName(ctx context.Context, playerID, to string) (before string, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, playerID); err != nil {
			return err
		}
		var row playerRow
		if err := tx.Where("id = ?", playerID).Take(&row).Error; err != nil {
			return err
		}
		before = row.Name
		key := name.Key(to)
		// See changeName.
		var taken int64
		if err := tx.Model(&playerRow{}).Where("name_key = ? AND id <> ?", key, playerID).Count(&taken).Error; err != nil {
			return err
		}
		if taken > 0 {
			return errNameTaken
		}
		err := tx.Model(&playerRow{}).Where("id = ?", playerID).Updates(map[string]any{"name": to, "name_key": key}).Error
		if isDuplicate(err) {
			return errNameTaken
		}
		return err
	})
	return before, err
}

type supportCodeRow struct {
	PlayerID  string `gorm:"primaryKey"`
	CodeHash  []byte
	ExpiresAt int64
}

func (supportCodeRow) TableName() string { return "support_codes" }

// PutCode implements support.Store.
func (s *Store) PutCode(ctx context.Context, playerID string, hash [sha256.Size]byte, expires time.Time) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, playerID); err != nil {
			return err
		}
		err := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "player_id"}}, UpdateAll: true}).
			Create(&supportCodeRow{PlayerID: playerID, CodeHash: hash[:], ExpiresAt: millis(expires)}).Error
		if isDuplicate(err) {
			return fault.New(fault.NameTaken, "Another player has this code.")
		}
		return err
	})
}

// PlayerByCode implements support.Store.
func (s *Store) PlayerByCode(ctx context.Context, hash [sha256.Size]byte, at time.Time) (string, error) {
	var row supportCodeRow
	err := s.reading(ctx).Where("code_hash = ? AND expires_at > ?", hash[:], millis(at)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = fault.New(fault.NotFound, "There is no such code.")
	}
	return row.PlayerID, err
}

var _ support.Store = (*Store)(nil)

// sameAs is a player and the guests that were merged into it, who are the same person.
func sameAs(tx *gorm.DB, playerID string) ([]string, error) {
	var guests []string
	err := tx.Model(&playerRow{}).Where("merged_into = ?", playerID).Order("id").Pluck("id", &guests).Error
	if err != nil {
		return nil, fmt.Errorf("store: guests of %s: %w", playerID, err)
	}
	return append([]string{playerID}, guests...), nil
}
