package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
)

type identityRow struct {
	Provider  string `gorm:"primaryKey"`
	Subject   string `gorm:"primaryKey"`
	PlayerID  string
	Secret    string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (identityRow) TableName() string { return "identities" }

func (r identityRow) domain() account.Identity {
	return account.Identity{
		Provider: r.Provider, Subject: r.Subject, PlayerID: r.PlayerID, Secret: r.Secret, CreatedAt: fromMillis(r.CreatedAt),
	}
}

type emailLinkRow struct {
	TokenHash []byte `gorm:"primaryKey"`
	Kind      string
	PlayerID  string
	Email     string
	Secret    string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (emailLinkRow) TableName() string { return "email_links" }

var (
	errNoIdentity    = fault.New(fault.NotFound, "There is no such identity.")
	errIdentityTaken = fault.New(fault.IdentityTaken, "This is another player's. Sign in there, or leave it.")
)

// Identity implements account.IdentityStore.
func (s *Store) Identity(ctx context.Context, provider, subject string) (account.Identity, error) {
	var row identityRow
	err := s.reading(ctx).Where("provider = ? AND subject = ?", provider, subject).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = errNoIdentity
	}
	return row.domain(), err
}

// Identities implements account.IdentityStore.
func (s *Store) Identities(ctx context.Context, playerID string) ([]account.Identity, error) {
	return identities(s.reading(ctx), playerID)
}

func identities(tx *gorm.DB, playerID string) ([]account.Identity, error) {
	var all []account.Identity
	var device deviceRow
	err := tx.Where("player_id = ?", playerID).Order("created_at, id").Limit(1).Find(&device).Error
	if err != nil {
		return nil, err
	}
	// A player's devices are older than what was linked to it.
	if device.ID != "" {
		all = append(all, account.Identity{
			Provider: account.ViaDevice, PlayerID: playerID, CreatedAt: fromMillis(device.CreatedAt),
		})
	}
	var rows []identityRow
	if err := tx.Where("player_id = ?", playerID).Order("created_at, provider").Find(&rows).Error; err != nil {
		return nil, err
	}
	for _, r := range rows {
		all = append(all, r.domain())
	}
	return all, nil
}

// lockPlayer makes the changes of one player's ways in and new sessions follow each
// other: a session that begins while others are ended is either ended with them, or
// begun knowing why. SQLite has one writer, and drops the clause. Rows that refer to
// the player do not wait.
//
// Whoever has become a pseudonym gets nothing new; it returns NotFound.
func lockPlayer(tx *gorm.DB, playerID string) error {
	var row playerRow
	err := tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select("id").Where("id = ?", playerID).Scopes(living).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return errNoPlayer
	}
	return err
}

func setGuest(tx *gorm.DB, playerID string, guest bool) error {
	return tx.Model(&playerRow{}).Where("id = ?", playerID).Update("guest", guest).Error
}

// LinkIdentity implements account.IdentityStore.
func (s *Store) LinkIdentity(ctx context.Context, i account.Identity) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, i.PlayerID); err != nil {
			return err
		}
		return link(tx, i)
	})
}

// link is called with the player locked.
func link(tx *gorm.DB, i account.Identity) error {
	result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&identityRow{
		Provider: i.Provider, Subject: i.Subject, PlayerID: i.PlayerID, Secret: i.Secret, CreatedAt: millis(i.CreatedAt),
	})
	if result.Error != nil {
		return result.Error
	}
	if result.RowsAffected == 1 {
		return setGuest(tx, i.PlayerID, false)
	}
	// Whose it is decides what it conflicts with.
	var row identityRow
	err := tx.Where("provider = ? AND subject = ?", i.Provider, i.Subject).Limit(1).Find(&row).Error
	switch {
	case err != nil:
		return err
	case row.PlayerID == i.PlayerID:
		return nil
	case row.PlayerID != "":
		return errIdentityTaken
	}
	return fault.New(fault.AlreadyLinked, "You have linked another account of this kind. Unlink it first.")
}

// UnlinkIdentity implements account.IdentityStore.
func (s *Store) UnlinkIdentity(ctx context.Context, playerID, provider string) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, playerID); err != nil {
			return err
		}
		all, err := identities(tx, playerID)
		if err != nil {
			return err
		}
		has, others, linked := false, 0, 0
		for _, i := range all {
			switch {
			case i.Provider == provider:
				has = true
				continue
			case i.Provider != account.ViaDevice:
				linked++
			}
			others++
		}
		if !has {
			return errNoIdentity
		}
		if others == 0 {
			return fault.New(fault.LastIdentity, "Without it you could not come in any more. Link something else first.")
		}
		switch provider {
		case account.ViaDevice:
			err = tx.Where("player_id = ?", playerID).Delete(&deviceRow{}).Error
		case account.ViaEmail:
			err = tx.Where("player_id = ?", playerID).Delete(&emailLinkRow{}).Error
		}
		if err != nil {
			return err
		}
		if err := tx.Where("player_id = ? AND provider = ?", playerID, provider).Delete(&identityRow{}).Error; err != nil {
			return err
		}
		return setGuest(tx, playerID, linked == 0)
	})
}

// CreateEmailLink implements account.IdentityStore.
func (s *Store) CreateEmailLink(ctx context.Context, l account.EmailLink, since time.Time, most int) (bool, error) {
	kept := false
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockPlayer(tx, l.PlayerID); err != nil {
			return err
		}
		// What has expired still counts as a mail for a while, then nothing needs it.
		err := tx.Where("expires_at < ? AND created_at < ?", millis(l.CreatedAt), millis(since)).Delete(&emailLinkRow{}).Error
		if err != nil {
			return err
		}
		for _, by := range []struct{ column, value string }{{"email", l.Email}, {"player_id", l.PlayerID}} {
			var n int64
			err := tx.Model(&emailLinkRow{}).Where(clause.Eq{Column: by.column, Value: by.value}).
				Where("created_at > ?", millis(since)).Count(&n).Error
			if err != nil || n >= int64(most) {
				return err
			}
		}
		kept = true
		return tx.Create(&emailLinkRow{
			TokenHash: l.TokenHash[:], Kind: l.Kind, PlayerID: l.PlayerID, Email: l.Email, Secret: l.Secret,
			CreatedAt: millis(l.CreatedAt), ExpiresAt: millis(l.ExpiresAt),
		}).Error
	})
	return kept && err == nil, err
}

// useLink finds a link that is still good and takes it away.
func useLink(tx *gorm.DB, kind string, tokenHash [32]byte, at time.Time) (emailLinkRow, error) {
	var row emailLinkRow
	err := tx.Where("token_hash = ? AND kind = ? AND expires_at > ?", tokenHash[:], kind, millis(at)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row, account.ErrLinkInvalid
	}
	if err != nil {
		return row, err
	}
	if err := lockPlayer(tx, row.PlayerID); fault.CodeOf(err) == fault.NotFound {
		return row, account.ErrLinkInvalid
	} else if err != nil {
		return row, err
	}
	result := tx.Where("token_hash = ?", tokenHash[:]).Delete(&emailLinkRow{})
	if result.Error == nil && result.RowsAffected == 0 {
		// Another request was first.
		return row, account.ErrLinkInvalid
	}
	return row, result.Error
}

// ConfirmEmail implements account.IdentityStore.
func (s *Store) ConfirmEmail(ctx context.Context, tokenHash [32]byte, at time.Time) (account.Confirmation, error) {
	var c account.Confirmation
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := useLink(tx, account.LinkVerify, tokenHash, at)
		if err != nil {
			return err
		}
		if c.Player, err = one(tx.Where("players.id = ?", row.PlayerID)); err != nil {
			return err
		}
		// The password may be new, and the address the same.
		var old identityRow
		own := tx.Where("player_id = ? AND provider = ?", row.PlayerID, account.ViaEmail)
		if err := own.Limit(1).Find(&old).Error; err != nil {
			return err
		}
		if c.Replaced = old.Subject; c.Replaced != "" {
			err := tx.Where("provider = ? AND subject = ?", old.Provider, old.Subject).Delete(&identityRow{}).Error
			if err != nil {
				return err
			}
			if err := endSessions(tx, at, &c.Ended, "player_id = ?", row.PlayerID); err != nil {
				return err
			}
		}
		return link(tx, account.Identity{
			Provider: account.ViaEmail, Subject: row.Email, PlayerID: row.PlayerID, Secret: row.Secret, CreatedAt: at,
		})
	})
	if err != nil {
		return account.Confirmation{}, err
	}
	return c, nil
}

// ResetPassword implements account.IdentityStore.
func (s *Store) ResetPassword(ctx context.Context, tokenHash [32]byte, secret string, at time.Time) ([]string, error) {
	var ended []string
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := useLink(tx, account.LinkReset, tokenHash, at)
		if err != nil {
			return err
		}
		result := tx.Model(&identityRow{}).
			Where("provider = ? AND subject = ? AND player_id = ?", account.ViaEmail, row.Email, row.PlayerID).
			Update("secret", secret)
		if result.Error != nil {
			return result.Error
		}
		if result.RowsAffected == 0 {
			// The player has another address by now.
			return account.ErrLinkInvalid
		}
		// Other links to the old mailbox are as good as the one that was used. They
		// still count as mails, so they expire instead of going.
		err = tx.Model(&emailLinkRow{}).Where("player_id = ? AND kind = ? AND expires_at > ?", row.PlayerID, account.LinkReset, millis(at)).
			Update("expires_at", millis(at)).Error
		if err != nil {
			return err
		}
		return endSessions(tx, at, &ended, "player_id = ?", row.PlayerID)
	})
	return ended, err
}
