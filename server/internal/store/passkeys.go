package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/staff"
)

type passkeyRow struct {
	ID             string `gorm:"primaryKey"`
	MemberID       string
	Name           string
	Credential     []byte
	PublicKey      []byte
	SignCount      int64
	BackupEligible bool
	BackedUp       bool
	CreatedAt      int64 `gorm:"autoCreateTime:false"`
	UsedAt         int64
}

func (passkeyRow) TableName() string { return "staff_passkeys" }

func (r *passkeyRow) domain() staff.Passkey {
	return staff.Passkey{
		ID: r.ID, MemberID: r.MemberID, Name: r.Name, Credential: r.Credential, PublicKey: r.PublicKey,
		SignCount:      uint32(r.SignCount),
		BackupEligible: r.BackupEligible, BackedUp: r.BackedUp, CreatedAt: fromMillis(r.CreatedAt), UsedAt: fromMillis(r.UsedAt),
	}
}

type challengeRow struct {
	ID        string `gorm:"primaryKey"`
	MemberID  string
	Secret    []byte
	ExpiresAt int64
}

func (challengeRow) TableName() string { return "staff_challenges" }

// AddPasskey implements staff.Store.
func (s *Store) AddPasskey(ctx context.Context, p staff.Passkey, most int) (bool, error) {
	added := false
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// The member's row, so that two at once are counted one after the other.
		var row memberRow
		if err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ?", p.MemberID).Take(&row).Error; err != nil {
			return notFound(err, "There is no such member of staff.")
		}
		var have int64
		if err := tx.Model(&passkeyRow{}).Where("member_id = ?", p.MemberID).Count(&have).Error; err != nil || have >= int64(most) {
			return err
		}
		result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&passkeyRow{
			ID: p.ID, MemberID: p.MemberID, Name: p.Name, Credential: p.Credential, PublicKey: p.PublicKey, SignCount: int64(p.SignCount),
			BackupEligible: p.BackupEligible, BackedUp: p.BackedUp, CreatedAt: millis(p.CreatedAt), UsedAt: millis(p.UsedAt),
		})
		added = result.RowsAffected == 1
		return result.Error
	})
	return added && err == nil, err
}

// Passkeys implements staff.Store.
func (s *Store) Passkeys(ctx context.Context, memberID string) ([]staff.Passkey, error) {
	var rows []passkeyRow
	if err := s.reading(ctx).Where("member_id = ?", memberID).Order("id").Find(&rows).Error; err != nil {
		return nil, err
	}
	keys := make([]staff.Passkey, len(rows))
	for i := range rows {
		keys[i] = rows[i].domain()
	}
	return keys, nil
}

// PasskeyByCredential implements staff.Store.
func (s *Store) PasskeyByCredential(ctx context.Context, credential []byte) (staff.Passkey, error) {
	var row passkeyRow
	if err := s.reading(ctx).Where("credential = ?", credential).Take(&row).Error; err != nil {
		return staff.Passkey{}, notFound(err, "There is no such passkey.")
	}
	return row.domain(), nil
}

// UsePasskey implements staff.Store.
func (s *Store) UsePasskey(ctx context.Context, p staff.Passkey) (bool, error) {
	// A device that does not count says 0 for ever.
	result := s.writing(ctx).Model(&passkeyRow{}).Where("id = ? AND (sign_count < ? OR (sign_count = 0 AND ? = 0))", p.ID, int64(p.SignCount), int64(p.SignCount)).
		Updates(map[string]any{"sign_count": int64(p.SignCount), "backed_up": p.BackedUp, "used_at": millis(p.UsedAt)})
	return result.RowsAffected == 1, result.Error
}

// RemovePasskey implements staff.Store.
func (s *Store) RemovePasskey(ctx context.Context, memberID, id string) error {
	result := s.writing(ctx).Where("id = ? AND member_id = ?", id, memberID).Delete(&passkeyRow{})
	if result.Error == nil && result.RowsAffected == 0 {
		return fault.New(fault.NotFound, "There is no such passkey.")
	}
	return result.Error
}

// AddChallenge implements staff.Store.
func (s *Store) AddChallenge(ctx context.Context, c staff.Challenge, expired time.Time) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Where("expires_at < ?", millis(expired)).Delete(&challengeRow{}).Error; err != nil {
			return err
		}
		return tx.Create(&challengeRow{ID: c.ID, MemberID: c.MemberID, Secret: c.Secret, ExpiresAt: millis(c.ExpiresAt)}).Error
	})
}

// TakeChallenge implements staff.Store.
func (s *Store) TakeChallenge(ctx context.Context, id string) (staff.Challenge, error) {
	var rows []challengeRow
	result := s.writing(ctx).Clauses(clause.Returning{}).Where("id = ?", id).Delete(&rows)
	if result.Error != nil {
		return staff.Challenge{}, result.Error
	}
	if len(rows) == 0 {
		return staff.Challenge{}, fault.New(fault.NotFound, "There is no such challenge.")
	}
	return staff.Challenge{ID: rows[0].ID, MemberID: rows[0].MemberID, Secret: rows[0].Secret, ExpiresAt: fromMillis(rows[0].ExpiresAt)}, nil
}
