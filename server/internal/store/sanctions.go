package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/sanction"
)

type sanctionRow struct {
	ID        string `gorm:"primaryKey"`
	PlayerID  string
	Word      string
	Text      string
	Reason    string
	Author    string
	Since     int64
	Until     int64
	EndedAt   int64
	EndedBy   string
	EndReason string
}

func (sanctionRow) TableName() string { return "sanctions" }

func (r *sanctionRow) domain() sanction.Sanction {
	return sanction.Sanction{
		ID: r.ID, PlayerID: r.PlayerID, Word: sanction.Word(r.Word), Text: r.Text, Reason: r.Reason, Author: r.Author,
		Since: fromMillis(r.Since), Until: fromMillis(r.Until),
		EndedAt: fromMillis(r.EndedAt), EndedBy: r.EndedBy, EndReason: r.EndReason,
	}
}

// inForce is what keeps players out at a time, which it takes as its parameter. The
// first part is the partial index's.
const inForce = "sanctions.ended_at = 0 AND (sanctions.until = 0 OR sanctions.until > ?)"

var errNoSanction = fault.New(fault.NotFound, "Nothing keeps this player out.")

// Impose implements sanction.Store.
func (s *Store) Impose(ctx context.Context, one sanction.Sanction) ([]string, error) {
	var ended []string
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// Whoever begins a session holds the player too; see CreateSession.
		if err := lockPlayer(tx, one.PlayerID); err != nil {
			return err
		}
		now := millis(one.Since)
		open := tx.Model(&sanctionRow{}).Where("player_id = ? AND ended_at = 0", one.PlayerID)
		// What was over by itself says so; what was not is replaced.
		err := open.Updates(map[string]any{
			"ended_by":   gorm.Expr("CASE WHEN until = 0 OR until > ? THEN ? ELSE '' END", now, one.Author),
			"end_reason": gorm.Expr("CASE WHEN until = 0 OR until > ? THEN ? ELSE '' END", now, one.Reason),
			"ended_at":   gorm.Expr("CASE WHEN until = 0 OR until > ? THEN ? ELSE until END", now, now),
		}).Error
		if err != nil {
			return err
		}
		err = tx.Create(&sanctionRow{
			ID: one.ID, PlayerID: one.PlayerID, Word: string(one.Word), Text: one.Text, Reason: one.Reason, Author: one.Author,
			Since: now, Until: millis(one.Until),
		}).Error
		if err != nil {
			return err
		}
		return endSessions(tx, one.Since, &ended, "player_id = ?", one.PlayerID)
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// Lift implements sanction.Store.
func (s *Store) Lift(ctx context.Context, playerID, author, reason string, at time.Time) error {
	result := s.writing(ctx).Model(&sanctionRow{}).Where("player_id = ?", playerID).Where(inForce, millis(at)).
		Updates(map[string]any{"ended_at": millis(at), "ended_by": author, "end_reason": reason})
	if result.Error == nil && result.RowsAffected == 0 {
		return errNoSanction
	}
	return result.Error
}

// SanctionAt implements sanction.Store.
func (s *Store) SanctionAt(ctx context.Context, playerID string, at time.Time) (sanction.Sanction, error) {
	return sanctionAt(s.reading(ctx), playerID, at)
}

func sanctionAt(db *gorm.DB, playerID string, at time.Time) (sanction.Sanction, error) {
	var row sanctionRow
	err := db.Where("player_id = ?", playerID).Where(inForce, millis(at)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = errNoSanction
	}
	return row.domain(), err
}

// keptOut returns the refusal of whom a sanction keeps out at that time, nil if none
// does.
func keptOut(db *gorm.DB, playerID string, at time.Time) error {
	one, err := sanctionAt(db, playerID, at)
	switch {
	case err == nil:
		return one.Refusal()
	case errors.Is(err, errNoSanction):
		return nil
	}
	return err
}

// Sanctions implements sanction.Store.
func (s *Store) Sanctions(ctx context.Context, playerID string) ([]sanction.Sanction, error) {
	var rows []sanctionRow
	if err := s.reading(ctx).Where("player_id = ?", playerID).Order("id DESC").Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]sanction.Sanction, len(rows))
	for i := range rows {
		all[i] = rows[i].domain()
	}
	return all, nil
}

var _ sanction.Store = (*Store)(nil)
