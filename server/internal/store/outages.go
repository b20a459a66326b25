package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/match"
)

type heartbeatRow struct {
	ProcessID string `gorm:"primaryKey"`
	At        int64
}

func (heartbeatRow) TableName() string { return "heartbeats" }

type outageRow struct {
	FromMs int64 `gorm:"primaryKey;autoIncrement:false"`
	ToMs   int64
}

func (outageRow) TableName() string { return "outages" }

// Beat keeps that the process lived at that time.
func (s *Store) Beat(ctx context.Context, processID string, at time.Time) error {
	return s.writing(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "process_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"at"}),
	}).Create(&heartbeatRow{ProcessID: processID, At: millis(at)}).Error
}

// BeginProcess keeps a starting process's first heartbeat. If the last
// heartbeat of any process is older than limit, the time since is kept as an
// outage. Heartbeats older than that one tell nothing more and are removed.
func (s *Store) BeginProcess(ctx context.Context, processID string, at time.Time, limit time.Duration) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		var last *int64
		if err := tx.Model(&heartbeatRow{}).Select("MAX(at)").Scan(&last).Error; err != nil {
			return err
		}
		if last != nil {
			if at.Sub(fromMillis(*last)) > limit {
				err := tx.Clauses(clause.OnConflict{DoNothing: true}).
					Create(&outageRow{FromMs: *last, ToMs: millis(at)}).Error
				if err != nil {
					return err
				}
			}
			if err := tx.Where("at < ?", *last).Delete(&heartbeatRow{}).Error; err != nil {
				return err
			}
		}
		return tx.Create(&heartbeatRow{ProcessID: processID, At: millis(at)}).Error
	})
}

// Outages lists the outages, oldest first.
func (s *Store) Outages(ctx context.Context) ([]match.Outage, error) {
	var rows []outageRow
	if err := s.reading(ctx).Order("from_ms").Find(&rows).Error; err != nil {
		return nil, err
	}
	outages := make([]match.Outage, len(rows))
	for i, r := range rows {
		outages[i] = match.Outage{From: fromMillis(r.FromMs), To: fromMillis(r.ToMs)}
	}
	return outages, nil
}
