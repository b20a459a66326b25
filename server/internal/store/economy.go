package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

type versionRow struct {
	Number      int `gorm:"primaryKey;autoIncrement:false"`
	Document    string
	LiveFrom    int64
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	Author      string
	AuthorID    string
	Reason      string
	Approver    string
	ApproverID  string
	Restores    int
	WithdrawnAt *int64
}

func (versionRow) TableName() string { return "economy_versions" }

func (r *versionRow) domain() *economy.Version {
	v := &economy.Version{
		Number: r.Number, Document: []byte(r.Document), LiveFrom: fromMillis(r.LiveFrom), CreatedAt: fromMillis(r.CreatedAt),
		Author: r.Author, AuthorID: r.AuthorID, Reason: r.Reason, Approver: r.Approver, ApproverID: r.ApproverID, Restores: r.Restores,
	}
	if r.WithdrawnAt != nil {
		v.WithdrawnAt = fromMillis(*r.WithdrawnAt)
	}
	return v
}

// AddVersion implements economy.Store.
func (s *Store) AddVersion(ctx context.Context, v *economy.Version) error {
	result := s.writing(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&versionRow{
		Number: v.Number, Document: string(v.Document), LiveFrom: millis(v.LiveFrom), CreatedAt: millis(v.CreatedAt),
		Author: v.Author, AuthorID: v.AuthorID, Reason: v.Reason, Approver: v.Approver, ApproverID: v.ApproverID, Restores: v.Restores,
	})
	if result.Error == nil && result.RowsAffected != 1 {
		return fault.New(economy.CodeOutdated, "Another version has been published since. Compare with it first.")
	}
	return result.Error
}

// LiveVersion implements economy.Store.
func (s *Store) LiveVersion(ctx context.Context, at time.Time) (*economy.Version, error) {
	return liveVersion(s.reading(ctx), at)
}

func liveVersion(db *gorm.DB, at time.Time) (*economy.Version, error) {
	return oneVersion(db.Where("withdrawn_at IS NULL AND live_from <= ?", millis(at)).Order("live_from DESC, number DESC"))
}

// Version implements economy.Store.
func (s *Store) Version(ctx context.Context, number int) (*economy.Version, error) {
	return oneVersion(s.reading(ctx).Where("number = ?", number))
}

func oneVersion(query *gorm.DB) (*economy.Version, error) {
	var row versionRow
	if err := query.Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such version.")
	}
	return row.domain(), nil
}

// notFound puts the domains' word for a row that is not there.
func notFound(err error, message string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.New(fault.NotFound, message)
	}
	return err
}

// Versions implements economy.Store.
func (s *Store) Versions(ctx context.Context, below, limit int) ([]*economy.Version, error) {
	query := s.reading(ctx).Order("number DESC").Limit(limit)
	if below > 0 {
		query = query.Where("number < ?", below)
	}
	var rows []versionRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	versions := make([]*economy.Version, len(rows))
	for i := range rows {
		versions[i] = rows[i].domain()
	}
	return versions, nil
}

// WithdrawVersion implements economy.Store.
func (s *Store) WithdrawVersion(ctx context.Context, number int, at time.Time) error {
	result := s.writing(ctx).Model(&versionRow{}).
		Where("number = ? AND withdrawn_at IS NULL AND live_from > ?", number, millis(at)).
		Update("withdrawn_at", millis(at))
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	v, err := s.Version(ctx, number)
	if err != nil {
		return err
	}
	if !v.WithdrawnAt.IsZero() {
		return nil
	}
	return fault.New(economy.CodeLive, "This version is live already. Roll back instead.")
}

// VersionBefore implements economy.Store.
func (s *Store) VersionBefore(ctx context.Context, v *economy.Version) (*economy.Version, error) {
	from := millis(v.LiveFrom)
	return oneVersion(s.reading(ctx).
		Where("withdrawn_at IS NULL AND (live_from < ? OR live_from = ? AND number < ?)", from, from, v.Number).
		Order("live_from DESC, number DESC"))
}

var _ economy.Store = (*Store)(nil)
