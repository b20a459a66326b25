package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/room"
)

type deletionRow struct {
	PlayerID    string `gorm:"primaryKey"`
	RequestedAt int64
	DueAt       int64
	DoneAt      int64
}

func (deletionRow) TableName() string { return "deletions" }

func (r deletionRow) domain() privacy.Deletion {
	return privacy.Deletion{PlayerID: r.PlayerID, RequestedAt: fromMillis(r.RequestedAt), DueAt: fromMillis(r.DueAt)}
}

var errNoDeletion = fault.New(fault.NotFound, "The account is not about to be deleted.")

// RequestDeletion implements privacy.Store.
func (s *Store) RequestDeletion(ctx context.Context, d privacy.Deletion) (privacy.Deletion, error) {
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&deletionRow{
			PlayerID: d.PlayerID, RequestedAt: millis(d.RequestedAt), DueAt: millis(d.DueAt),
		}).Error
		if err != nil {
			return err
		}
		var row deletionRow
		if err := tx.Where("player_id = ?", d.PlayerID).Take(&row).Error; err != nil {
			return err
		}
		d = row.domain()
		return nil
	})
	return d, err
}

// PendingDeletion implements privacy.Store.
func (s *Store) PendingDeletion(ctx context.Context, playerID string) (privacy.Deletion, error) {
	var row deletionRow
	err := s.reading(ctx).Where("player_id = ? AND done_at = 0", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return privacy.Deletion{}, errNoDeletion
	}
	return row.domain(), err
}

// CancelDeletion implements privacy.Store.
func (s *Store) CancelDeletion(ctx context.Context, playerID string) error {
	result := s.writing(ctx).Where("player_id = ? AND done_at = 0", playerID).Delete(&deletionRow{})
	if result.Error == nil && result.RowsAffected == 0 {
		return errNoDeletion
	}
	return result.Error
}

// DueDeletions implements privacy.Store.
func (s *Store) DueDeletions(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Model(&deletionRow{}).
		Where("done_at = 0 AND due_at <= ?", millis(now)).Order("due_at").Limit(limit).Pluck("player_id", &ids).Error
	return ids, err
}

// erasures remove, table by table, what leads from a player to a person. Whoever
// adds a table with such data adds a line here, and what is in it to the test that
// searches the whole database. Order matters where one line reads what another
// removes.
//
// What stays is numbers and what matches are made of: seats, logs, statistics, the
// reasons of reports. A seat's seed for the deals stays too, though the player chose
// its text, for the record proves nothing without it.
var erasures = []string{
	// First, for it holds the row: what others do to the player waits, and then finds
	// nobody.
	"UPDATE players SET name = @pseudonym, name_key = NULL, guest = @guest, avatar = 'AO', language = 'es', renamed_at = 0, deleted_at = @now WHERE id = @id",
	"DELETE FROM email_links WHERE player_id = @id OR email IN (SELECT subject FROM identities WHERE player_id = @id AND provider = 'email')",
	"DELETE FROM identities WHERE player_id = @id",
	"DELETE FROM devices WHERE player_id = @id",
	"DELETE FROM spent_tokens WHERE session_id IN (SELECT id FROM sessions WHERE player_id = @id)",
	// The rows stay until no access token of theirs is good any more.
	"UPDATE sessions SET device = '' WHERE player_id = @id",
	"DELETE FROM push_tokens WHERE player_id = @id",
	"DELETE FROM notices WHERE player_id = @id",
	"DELETE FROM inboxes WHERE player_id = @id",
	"DELETE FROM ties WHERE low_id = @id OR high_id = @id",
	"DELETE FROM mutes WHERE player_id = @id OR muted_id = @id",
	"UPDATE reports SET text = '', note = '' WHERE reporter_id = @id OR reported_id = @id",
	// What was decided about them may name them.
	"UPDATE fairness_cases SET reason = '' WHERE id IN (SELECT case_id FROM fairness_players WHERE player_id = @id)",
	"DELETE FROM idempotency WHERE player_id = @id",
	"DELETE FROM support_codes WHERE player_id = @id",
	"DELETE FROM player_notes WHERE player_id = @id",
	// That there was a sanction stays; what was written about the person does not.
	"UPDATE sanctions SET text = '', reason = '', end_reason = '' WHERE player_id = @id",
	// Orders stay: the law wants them kept. The key of a request is the app's own text.
	"UPDATE orders SET idem_key = NULL WHERE player_id = @id",
	// Stripe is told to forget them too, which takes more than this transaction.
	"UPDATE stripe_customers SET player_id = NULL WHERE player_id = @id",
}

// Erase implements privacy.Store.
func (s *Store) Erase(ctx context.Context, playerID, pseudonym string, now time.Time) (done bool, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// On PostgreSQL a second process waits here for the first, and finds it done.
		claim := tx.Model(&deletionRow{}).
			Where("player_id = ? AND done_at = 0 AND due_at <= ?", playerID, millis(now)).Update("done_at", millis(now))
		if claim.Error != nil || claim.RowsAffected == 0 {
			return claim.Error
		}
		// Behind this lock nothing new comes in; see lockPlayer.
		if err := lockPlayer(tx, playerID); err != nil {
			return err
		}
		// Their keys are hashes, which only this side can make.
		var emails []string
		err := tx.Model(&identityRow{}).Where("player_id = ? AND provider = ?", playerID, account.ViaEmail).Pluck("subject", &emails).Error
		if err != nil {
			return err
		}
		keys := []string{room.TriesOf(playerID)}
		for _, email := range emails {
			keys = append(keys, attempt.Identity(account.ViaEmail, email))
		}
		if err := tx.Where("identity IN ?", keys).Delete(&triesRow{}).Error; err != nil {
			return err
		}
		all, err := sameAs(tx, playerID)
		if err != nil {
			return err
		}
		for _, id := range all {
			name := pseudonym
			if id != playerID {
				name = privacy.Pseudonym(id)
			}
			with := map[string]any{"id": id, "pseudonym": name, "now": millis(now), "guest": true}
			for _, statement := range erasures {
				if err := tx.Exec(statement, with).Error; err != nil {
					return err
				}
			}
		}
		done = true
		return nil
	})
	return done && err == nil, err
}

// Lingering implements privacy.Store.
func (s *Store) Lingering(ctx context.Context, at time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Raw(`
SELECT e.player_id FROM engagements e JOIN players p ON p.id = e.player_id
WHERE e.kind IN ('room', 'ticket', 'table') AND (
	p.deleted_at > 0 OR EXISTS (SELECT 1 FROM sanctions WHERE sanctions.player_id = e.player_id AND `+inForce+`))
ORDER BY e.player_id LIMIT ?`, millis(at), limit).Scan(&ids).Error
	return ids, err
}

// Prune implements privacy.Store.
func (s *Store) Prune(ctx context.Context, before time.Time) error {
	return s.writing(ctx).Where("created_at < ?", millis(before)).Delete(&answerRow{}).Error
}

// SQL is the pool that writes, for what looks at the tables from outside.
func (s *Store) SQL() (*sql.DB, error) { return s.write.DB() }
