package store

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/halt"
)

type haltRow struct {
	Part      string `gorm:"primaryKey"`
	Stopped   bool
	Text      string
	Until     int64
	ChangedAt int64
	ChangedBy string
	Version   int
}

func (haltRow) TableName() string { return "halts" }

// Halts implements halt.Store.
func (s *Store) Halts(ctx context.Context) (halt.State, error) { return halts(s.reading(ctx)) }

func halts(db *gorm.DB) (halt.State, error) {
	var rows []haltRow
	if err := db.Order("part").Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make(halt.State, len(rows))
	for i, r := range rows {
		all[i] = halt.Switch{
			Part: halt.Part(r.Part), Stopped: r.Stopped, Until: fromMillis(r.Until), ChangedAt: fromMillis(r.ChangedAt), By: r.ChangedBy, Version: r.Version,
		}
		if err := json.Unmarshal([]byte(r.Text), &all[i].Text); err != nil {
			return nil, fmt.Errorf("store: switch %s: %w", r.Part, err)
		}
	}
	return all, nil
}

// haltLock is the switches' on PostgreSQL: what begins shares it, and whoever switches
// has it alone. It stands in a queue, so that what begins again and again cannot keep a
// stop from its turn, as it could with locks of rows.
const haltLock = "(hashtextextended('cuatrola halts ' || current_schema(), 0))"

// heldHalts are the switches as they stay until the transaction ends. SQLite has one
// writer, which no switch gets by.
func heldHalts(tx *gorm.DB, locks bool) (halt.State, error) {
	if locks {
		// A statement of its own: the next one sees what was done while it waited.
		if err := tx.Exec("SELECT pg_advisory_xact_lock_shared" + haltLock).Error; err != nil {
			return nil, err
		}
	}
	return halts(tx)
}

// SetHalt implements halt.Store.
func (s *Store) SetHalt(ctx context.Context, h halt.Switch) error {
	text, err := json.Marshal(h.Text)
	if err != nil {
		return err
	}
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if s.kind == Postgres {
			if err := tx.Exec("SELECT pg_advisory_xact_lock" + haltLock).Error; err != nil {
				return err
			}
		}
		result := tx.Model(&haltRow{}).Where("part = ? AND version = ?", string(h.Part), h.Version-1).Updates(map[string]any{
			"stopped": h.Stopped, "text": string(text), "until": millis(h.Until),
			"changed_at": millis(h.ChangedAt), "changed_by": h.By, "version": h.Version,
		})
		if result.Error == nil && result.RowsAffected == 0 {
			return halt.ErrSwitched
		}
		return result.Error
	})
}

var _ halt.Store = (*Store)(nil)
