package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/staff"
)

type memberRow struct {
	ID           string `gorm:"primaryKey"`
	Name         string
	Email        string
	Role         string
	Disabled     bool
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
	SignedInAt   int64
	PasswordHash string
	SealedTOTP   []byte `gorm:"column:sealed_totp"`
	LastStep     int64
}

func (memberRow) TableName() string { return "staff" }

func newMemberRow(m staff.Member) *memberRow {
	return &memberRow{
		ID: m.ID, Name: m.Name, Email: m.Email, Role: string(m.Role), Disabled: m.Disabled, CreatedAt: millis(m.CreatedAt),
		SignedInAt: millis(m.SignedInAt), PasswordHash: m.PasswordHash, SealedTOTP: m.SealedTOTP, LastStep: m.LastStep,
	}
}

func (r *memberRow) domain() staff.Member {
	return staff.Member{
		ID: r.ID, Name: r.Name, Email: r.Email, Role: staff.Role(r.Role), Disabled: r.Disabled, CreatedAt: fromMillis(r.CreatedAt),
		SignedInAt: fromMillis(r.SignedInAt), PasswordHash: r.PasswordHash, SealedTOTP: r.SealedTOTP, LastStep: r.LastStep,
	}
}

type linkRow struct {
	ID        string `gorm:"primaryKey"`
	Hash      []byte
	Kind      string
	MemberID  *string
	Email     string
	Role      string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	UsedAt    int64
}

func (linkRow) TableName() string { return "staff_links" }

func (r *linkRow) domain() (staff.Link, error) {
	hash, err := hashOf(r.Hash)
	l := staff.Link{
		ID: r.ID, Hash: hash, Kind: staff.LinkKind(r.Kind), Email: r.Email, Role: staff.Role(r.Role),
		CreatedAt: fromMillis(r.CreatedAt), ExpiresAt: fromMillis(r.ExpiresAt), UsedAt: fromMillis(r.UsedAt),
	}
	if r.MemberID != nil {
		l.MemberID = *r.MemberID
	}
	return l, err
}

// hashOf is a SHA-256 as a column has it.
func hashOf(b []byte) ([sha256.Size]byte, error) {
	if len(b) != sha256.Size {
		return [sha256.Size]byte{}, errors.New("store: a hash has another size")
	}
	return [sha256.Size]byte(b), nil
}

type recoveryRow struct {
	MemberID string `gorm:"primaryKey"`
	Hash     []byte `gorm:"primaryKey"`
	UsedAt   int64
}

func (recoveryRow) TableName() string { return "staff_recovery" }

type staffSessionRow struct {
	ID        string `gorm:"primaryKey"`
	Hash      []byte
	MemberID  string
	Address   string
	Agent     string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	SeenAt    int64
	EndedAt   int64
}

func (staffSessionRow) TableName() string { return "staff_sessions" }

func (r *staffSessionRow) domain() (staff.Session, error) {
	hash, err := hashOf(r.Hash)
	return staff.Session{
		ID: r.ID, Hash: hash, MemberID: r.MemberID, Address: r.Address, Agent: r.Agent,
		CreatedAt: fromMillis(r.CreatedAt), SeenAt: fromMillis(r.SeenAt), EndedAt: fromMillis(r.EndedAt),
	}, err
}

// Members implements staff.Store.
func (s *Store) Members(ctx context.Context) ([]staff.Member, error) {
	var rows []memberRow
	if err := s.reading(ctx).Order("id").Find(&rows).Error; err != nil {
		return nil, err
	}
	members := make([]staff.Member, len(rows))
	for i := range rows {
		members[i] = rows[i].domain()
	}
	return members, nil
}

// Member implements staff.Store.
func (s *Store) Member(ctx context.Context, id string) (staff.Member, error) {
	return member(s.reading(ctx).Where("id = ?", id))
}

// MemberByEmail implements staff.Store.
func (s *Store) MemberByEmail(ctx context.Context, email string) (staff.Member, error) {
	return member(s.reading(ctx).Where("email = ?", email))
}

func member(query *gorm.DB) (staff.Member, error) {
	var row memberRow
	if err := query.Take(&row).Error; err != nil {
		return staff.Member{}, notFound(err, "There is no such member of staff.")
	}
	return row.domain(), nil
}

// ChangeMember implements staff.Store.
func (s *Store) ChangeMember(ctx context.Context, id string, f func(m *staff.Member, owners int) error) (staff.Member, error) {
	var m staff.Member
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// All of them, in order: the number of owners is not to change meanwhile.
		var rows []memberRow
		if err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Order("id").Find(&rows).Error; err != nil {
			return err
		}
		owners, found := 0, false
		for i := range rows {
			if rows[i].Role == string(staff.Owner) && !rows[i].Disabled {
				owners++
			}
			if rows[i].ID == id {
				m, found = rows[i].domain(), true
			}
		}
		if !found {
			return fault.New(fault.NotFound, "There is no such member of staff.")
		}
		if err := f(&m, owners); err != nil {
			return err
		}
		return tx.Save(newMemberRow(m)).Error
	})
	return m, emailTaken(err)
}

// emailTaken puts the domain's word for an address that another member has.
func emailTaken(err error) error {
	if isDuplicate(err) {
		return &fault.Error{Code: staff.CodeEmailTaken, Field: "email", Message: "Somebody of the staff has this address.", Err: err}
	}
	return err
}

// TakeStep implements staff.Store.
func (s *Store) TakeStep(ctx context.Context, memberID string, step int64) (bool, error) {
	result := s.writing(ctx).Model(&memberRow{}).Where("id = ? AND last_step < ?", memberID, step).Update("last_step", step)
	return result.RowsAffected == 1, result.Error
}

// AddLink implements staff.Store.
func (s *Store) AddLink(ctx context.Context, l staff.Link, first bool) (bool, error) {
	added := false
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if first {
			var there int64
			if err := tx.Model(&memberRow{}).Count(&there).Error; err != nil || there > 0 {
				return err
			}
			if err := tx.Model(&linkRow{}).Where("used_at = 0 AND email = ''").Update("used_at", millis(l.CreatedAt)).Error; err != nil {
				return err
			}
		}
		added = true
		return tx.Create(&linkRow{
			ID: l.ID, Hash: l.Hash[:], Kind: string(l.Kind), MemberID: orNull(l.MemberID), Email: l.Email, Role: string(l.Role),
			CreatedAt: millis(l.CreatedAt), ExpiresAt: millis(l.ExpiresAt),
		}).Error
	})
	return added && err == nil, err
}

// Link implements staff.Store.
func (s *Store) Link(ctx context.Context, hash [sha256.Size]byte) (staff.Link, error) {
	var row linkRow
	if err := s.reading(ctx).Where("hash = ?", hash[:]).Take(&row).Error; err != nil {
		return staff.Link{}, notFound(err, "There is no such link.")
	}
	return row.domain()
}

// OpenLinks implements staff.Store.
func (s *Store) OpenLinks(ctx context.Context, at time.Time) ([]staff.Link, error) {
	var rows []linkRow
	if err := s.reading(ctx).Where("used_at = 0 AND expires_at > ?", millis(at)).Order("id DESC").Find(&rows).Error; err != nil {
		return nil, err
	}
	links := make([]staff.Link, len(rows))
	for i := range rows {
		var err error
		if links[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// EndLink implements staff.Store.
func (s *Store) EndLink(ctx context.Context, id string, at time.Time) error {
	result := s.writing(ctx).Model(&linkRow{}).Where("id = ? AND used_at = 0", id).Update("used_at", millis(at))
	if result.Error == nil && result.RowsAffected == 0 {
		return fault.New(fault.NotFound, "There is no such link, or it is good for nothing any more.")
	}
	return result.Error
}

// Follow implements staff.Store.
func (s *Store) Follow(ctx context.Context, linkID string, at time.Time, m staff.Member, recovery [][sha256.Size]byte) error {
	return emailTaken(s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		var link linkRow
		result := tx.Model(&link).Clauses(clause.Returning{}).
			Where("id = ? AND used_at = 0 AND expires_at > ?", linkID, millis(at)).Update("used_at", millis(at))
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			return noLink()
		}
		row := newMemberRow(m)
		if link.Kind == string(staff.LinkInvite) {
			if err := tx.Create(row).Error; err != nil {
				return err
			}
		} else {
			result := tx.Model(&memberRow{}).Where("id = ? AND NOT disabled", m.ID).Updates(map[string]any{
				// Role and all else may have been changed since the link was looked at.
				"name": row.Name, "password_hash": row.PasswordHash, "sealed_totp": row.SealedTOTP, "last_step": row.LastStep,
			})
			if result.Error != nil {
				return result.Error
			}
			if result.RowsAffected == 0 {
				return noLink()
			}
			// One that is still about is not to set anew what this one has set.
			if err := tx.Model(&linkRow{}).Where("used_at = 0 AND member_id = ?", m.ID).Update("used_at", millis(at)).Error; err != nil {
				return err
			}
		}
		if err := setRecovery(tx, m.ID, recovery); err != nil {
			return err
		}
		if err := tx.Where("member_id = ?", m.ID).Delete(&passkeyRow{}).Error; err != nil {
			return err
		}
		// The first owner's link is for a server without staff.
		if err := tx.Model(&linkRow{}).Where("used_at = 0 AND email = ''").Update("used_at", millis(at)).Error; err != nil {
			return err
		}
		return endStaffSessions(tx, m.ID, "", at)
	}))
}

func noLink() error {
	return fault.New(staff.CodeLink, "This link is unknown, used or expired. Ask for another.")
}

// SetRecovery implements staff.Store.
func (s *Store) SetRecovery(ctx context.Context, memberID string, recovery [][sha256.Size]byte) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error { return setRecovery(tx, memberID, recovery) })
}

func setRecovery(tx *gorm.DB, memberID string, recovery [][sha256.Size]byte) error {
	if err := tx.Where("member_id = ?", memberID).Delete(&recoveryRow{}).Error; err != nil {
		return err
	}
	rows := make([]recoveryRow, len(recovery))
	for i := range recovery {
		rows[i] = recoveryRow{MemberID: memberID, Hash: recovery[i][:]}
	}
	return tx.Create(&rows).Error
}

// UseRecovery implements staff.Store.
func (s *Store) UseRecovery(ctx context.Context, memberID string, hash [sha256.Size]byte, at time.Time) (bool, error) {
	result := s.writing(ctx).Model(&recoveryRow{}).Where("member_id = ? AND hash = ? AND used_at = 0", memberID, hash[:]).Update("used_at", millis(at))
	return result.RowsAffected == 1, result.Error
}

// RecoveryLeft implements staff.Store.
func (s *Store) RecoveryLeft(ctx context.Context, memberID string) (int, error) {
	var n int64
	err := s.reading(ctx).Model(&recoveryRow{}).Where("member_id = ? AND used_at = 0", memberID).Count(&n).Error
	return int(n), err
}

// AddSession implements staff.Store.
func (s *Store) AddSession(ctx context.Context, one staff.Session) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Create(&staffSessionRow{
			ID: one.ID, Hash: one.Hash[:], MemberID: one.MemberID, Address: one.Address, Agent: one.Agent,
			CreatedAt: millis(one.CreatedAt), SeenAt: millis(one.SeenAt),
		}).Error
		if err != nil {
			return err
		}
		return tx.Model(&memberRow{}).Where("id = ?", one.MemberID).Update("signed_in_at", millis(one.CreatedAt)).Error
	})
}

// SessionByHash implements staff.Store.
func (s *Store) SessionByHash(ctx context.Context, hash [sha256.Size]byte) (staff.Session, staff.Member, error) {
	var row staffSessionRow
	if err := s.reading(ctx).Where("hash = ?", hash[:]).Take(&row).Error; err != nil {
		return staff.Session{}, staff.Member{}, notFound(err, "There is no such session.")
	}
	one, err := row.domain()
	if err != nil {
		return staff.Session{}, staff.Member{}, err
	}
	m, err := s.Member(ctx, one.MemberID)
	return one, m, err
}

// SeeSession implements staff.Store.
func (s *Store) SeeSession(ctx context.Context, id string, at time.Time) error {
	return s.writing(ctx).Model(&staffSessionRow{}).Where("id = ? AND seen_at < ?", id, millis(at)).Update("seen_at", millis(at)).Error
}

// StaffSessions implements staff.Store.
func (s *Store) StaffSessions(ctx context.Context, memberID string, seenAfter time.Time) ([]staff.Session, error) {
	var rows []staffSessionRow
	err := s.reading(ctx).Where("member_id = ? AND ended_at = 0 AND seen_at > ?", memberID, millis(seenAfter)).Order("seen_at DESC, id").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	sessions := make([]staff.Session, len(rows))
	for i := range rows {
		if sessions[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// EndStaffSessions implements staff.Store.
func (s *Store) EndStaffSessions(ctx context.Context, memberID, id string, at time.Time) error {
	return endStaffSessions(s.writing(ctx), memberID, id, at)
}

func endStaffSessions(db *gorm.DB, memberID, id string, at time.Time) error {
	query := db.Model(&staffSessionRow{}).Where("member_id = ? AND ended_at = 0", memberID)
	if id != "" {
		query = query.Where("id = ?", id)
	}
	return query.Update("ended_at", millis(at)).Error
}

// PruneStaff implements staff.Store.
func (s *Store) PruneStaff(ctx context.Context, before time.Time) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Where("seen_at < ?", millis(before)).Delete(&staffSessionRow{}).Error; err != nil {
			return err
		}
		return tx.Where("expires_at < ?", millis(before)).Delete(&linkRow{}).Error
	})
}

var _ staff.Store = (*Store)(nil)
