package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/talk"
)

type muteRow struct {
	PlayerID string `gorm:"primaryKey"`
	MutedID  string `gorm:"primaryKey"`
	Since    int64
}

func (muteRow) TableName() string { return "mutes" }

// Mute implements talk.Store.
func (s *Store) Mute(ctx context.Context, playerID, otherID string, mute bool, at time.Time) error {
	db := s.writing(ctx)
	if !mute {
		return db.Where("player_id = ? AND muted_id = ?", playerID, otherID).Delete(&muteRow{}).Error
	}
	return db.Clauses(clause.OnConflict{DoNothing: true}).
		Create(&muteRow{PlayerID: playerID, MutedID: otherID, Since: millis(at)}).Error
}

// Muted implements talk.Store.
func (s *Store) Muted(ctx context.Context, playerID string, others []string) ([]string, error) {
	var muted []string
	if len(others) == 0 {
		return nil, nil
	}
	err := s.reading(ctx).Model(&muteRow{}).
		Where("player_id = ? AND muted_id IN ?", playerID, others).Order("muted_id").Pluck("muted_id", &muted).Error
	return muted, err
}

// Hearing implements talk.Store.
func (s *Store) Hearing(ctx context.Context, speakerID string, listeners []string) ([]string, error) {
	if len(listeners) == 0 {
		return nil, nil
	}
	var deaf []string
	err := s.reading(ctx).Raw(`
		SELECT player_id FROM mutes WHERE muted_id = @speaker AND player_id IN @listeners
		UNION ALL
		SELECT high_id FROM ties WHERE low_id = @speaker AND high_id IN @listeners AND low_blocked_at + high_blocked_at > 0
		UNION ALL
		SELECT low_id FROM ties WHERE high_id = @speaker AND low_id IN @listeners AND low_blocked_at + high_blocked_at > 0`,
		map[string]any{"speaker": speakerID, "listeners": listeners}).Scan(&deaf).Error
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(listeners), func(id string) bool { return slices.Contains(deaf, id) }), nil
}

var _ talk.Store = (*Store)(nil)
