package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/unit"
)

type sessionRow struct {
	ID        string `gorm:"primaryKey"`
	PlayerID  string
	Via       string
	Device    string
	TokenHash []byte
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	UsedAt    int64
	ExpiresAt int64
	EndedAt   int64
}

func (sessionRow) TableName() string { return "sessions" }

type spentRow struct {
	TokenHash []byte `gorm:"primaryKey"`
	SessionID string
	Salt      []byte
	NextHash  []byte
	SpentAt   int64
}

func (spentRow) TableName() string { return "spent_tokens" }

func newSessionRow(s account.Session) *sessionRow {
	return &sessionRow{
		ID: s.ID, PlayerID: s.PlayerID, Via: s.Via, Device: s.Device, TokenHash: s.TokenHash[:],
		CreatedAt: millis(s.CreatedAt), UsedAt: millis(s.UsedAt), ExpiresAt: millis(s.ExpiresAt),
	}
}

func (r *sessionRow) domain() (account.Session, error) {
	if len(r.TokenHash) != sha256.Size {
		return account.Session{}, errors.New("store: a session's token hash has another size")
	}
	return account.Session{
		ID: r.ID, PlayerID: r.PlayerID, Via: r.Via, Device: r.Device, TokenHash: [sha256.Size]byte(r.TokenHash),
		CreatedAt: fromMillis(r.CreatedAt), UsedAt: fromMillis(r.UsedAt), ExpiresAt: fromMillis(r.ExpiresAt),
	}, nil
}

// What beginning a session asks. The first is PostgreSQL's only, where whoever ends a player's
// sessions holds the same row; see lockPlayer.
const (
	holdPlayer = `SELECT id FROM players WHERE id = $1 FOR NO KEY UPDATE`
	// It keeps nothing for whoever has become a pseudonym or is kept out.
	insertSession = `INSERT INTO sessions (id, player_id, via, device, token_hash, created_at, used_at, expires_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8 FROM players WHERE id = $2 AND players.deleted_at = 0 AND NOT EXISTS (
			SELECT 1 FROM sanctions WHERE sanctions.player_id = $2 AND sanctions.ended_at = 0 AND (sanctions.until = 0 OR sanctions.until > $6))`
	// The new one stays in any case, whatever two clocks say; and if it was not kept, so do all.
	endSurplus = `UPDATE sessions SET ended_at = $3 WHERE ended_at = 0 AND id IN (
			SELECT id FROM sessions WHERE player_id = $1 AND ended_at = 0 AND id <> $2 ORDER BY used_at DESC, id DESC LIMIT 1000 OFFSET $4)
		AND EXISTS (SELECT 1 FROM sessions AS begun WHERE begun.id = $2) RETURNING id`
)

// errNotBegun undoes the transaction in which no session was kept.
var errNotBegun = errors.New("store: no session was begun")

// CreateSession implements account.SessionStore.
func (s *Store) CreateSession(ctx context.Context, session account.Session, limit int) ([]string, error) {
	r := newSessionRow(session)
	row := []any{r.ID, r.PlayerID, r.Via, r.Device, r.TokenHash, r.CreatedAt, r.UsedAt, r.ExpiresAt}
	surplus := []any{r.PlayerID, r.ID, r.CreatedAt, int64(limit - 1)}
	var ended []string
	var err error
	if s.kind == Postgres && unit.Of(ctx) == nil {
		ended, err = s.beginSession(ctx, row, surplus)
	} else {
		err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
			if s.kind == Postgres {
				if err := lockPlayer(tx, session.PlayerID); err != nil {
					return err
				}
			}
			result, err := tx.Statement.ConnPool.ExecContext(ctx, insertSession, row...)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil {
				return err
			} else if n == 0 {
				return errNotBegun
			}
			rows, err := tx.Statement.ConnPool.QueryContext(ctx, endSurplus, surplus...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id string
				if err := rows.Scan(&id); err != nil {
					return err
				}
				ended = append(ended, id)
			}
			return rows.Err()
		})
	}
	if errors.Is(err, errNotBegun) {
		if err := keptOut(s.reading(ctx), session.PlayerID, session.CreatedAt); err != nil {
			return nil, err
		}
		return nil, errNoPlayer
	}
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// beginSession asks PostgreSQL all of it in one round trip. It is one transaction all the same, and
// each statement sees what was committed while an earlier one waited for the player: in a single
// statement a sanction of that moment would go unseen.
func (s *Store) beginSession(ctx context.Context, row, surplus []any) (ended []string, err error) {
	pool, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	err = conn.Raw(func(own any) error {
		var asked pgx.Batch
		asked.Queue(holdPlayer, surplus[0])
		asked.Queue(insertSession, row...)
		asked.Queue(endSurplus, surplus...)
		answers := own.(*stdlib.Conn).Conn().SendBatch(ctx, &asked)
		_, err := answers.Exec()
		if err == nil {
			var kept pgconn.CommandTag
			if kept, err = answers.Exec(); err == nil && kept.RowsAffected() == 0 {
				err = errNotBegun
			}
		}
		if err == nil {
			var rows pgx.Rows
			if rows, err = answers.Query(); err == nil {
				ended, err = pgx.CollectRows(rows, pgx.RowTo[string])
			}
		}
		return errors.Join(err, answers.Close())
	})
	return ended, err
}

// endSessions ends the live sessions that fit, and adds them to ids.
func endSessions(tx *gorm.DB, at time.Time, ids *[]string, where string, args ...any) error {
	var rows []sessionRow
	err := tx.Model(&rows).Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).
		Where("ended_at = 0").Where(where, args...).Update("ended_at", millis(at)).Error
	for _, r := range rows {
		*ids = append(*ids, r.ID)
	}
	return err
}

// RotateSession implements account.SessionStore.
func (s *Store) RotateSession(ctx context.Context, r account.Rotation) (account.Session, [32]byte, error) {
	var session account.Session
	salt := r.Salt
	// Found out inside the transaction, which must commit what follows from it.
	var refused error
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// The condition is what lets one of two requests in: the other waits for the
		// row, and then finds that it has another token.
		var rows []sessionRow
		err := tx.Model(&rows).Clauses(clause.Returning{}).
			Where("token_hash = ? AND ended_at = 0 AND expires_at > ?", r.Spent[:], millis(r.At)).
			Updates(map[string]any{"token_hash": r.Next[:], "used_at": millis(r.At), "expires_at": millis(r.ExpiresAt)}).Error
		if err != nil {
			return err
		}
		if len(rows) == 1 {
			if session, err = rows[0].domain(); err != nil {
				return err
			}
			return tx.Create(&spentRow{
				TokenHash: r.Spent[:], SessionID: session.ID, Salt: r.Salt[:], NextHash: r.Next[:], SpentAt: millis(r.At),
			}).Error
		}
		session, salt, refused, err = again(tx, r)
		return err
	})
	if err == nil {
		err = refused
	}
	return session, salt, err
}

// again is what comes of a refresh token that is no session's present one.
func again(tx *gorm.DB, r account.Rotation) (session account.Session, salt [32]byte, refused, err error) {
	invalid := fault.New(fault.RefreshInvalid, "The refresh token is not valid any more.")
	var spent spentRow
	if err := tx.Where("token_hash = ?", r.Spent[:]).Take(&spent).Error; errors.Is(err, gorm.ErrRecordNotFound) {
		// Or the present token of a session that is over.
		var over sessionRow
		if err := tx.Where("token_hash = ?", r.Spent[:]).Limit(1).Find(&over).Error; err != nil {
			return session, salt, nil, err
		}
		refused, err = whyOver(tx, over, r.At, invalid)
		return session, salt, refused, err
	} else if err != nil {
		return session, salt, nil, err
	}
	var row sessionRow
	if err := tx.Where("id = ?", spent.SessionID).Take(&row).Error; err != nil {
		return session, salt, nil, err
	}
	if session, err = row.domain(); err != nil {
		return session, salt, nil, err
	}
	if row.EndedAt != 0 || row.ExpiresAt <= millis(r.At) {
		refused, err = whyOver(tx, row, r.At, invalid)
		return session, salt, refused, err
	}
	if len(spent.Salt) != len(salt) {
		return session, salt, nil, errors.New("store: a spent token's salt has another size")
	}
	salt = [32]byte(spent.Salt)
	if bytes.Equal(spent.NextHash, row.TokenHash) {
		if bytes.Equal(spent.NextHash, r.Next[:]) {
			return session, r.Salt, nil, nil
		}
		if fromMillis(spent.SpentAt).Add(r.Grace).After(r.At) {
			return session, salt, nil, nil
		}
	}
	var ids []string
	if err := endSessions(tx, r.At, &ids, "id = ?", row.ID); err != nil {
		return session, salt, nil, err
	}
	return session, salt, fault.New(fault.RefreshReused, "The refresh token was used before. You have been signed out."), nil
}

// whyOver is how a token of a session that is over is refused: whoever is kept out is
// told so.
func whyOver(tx *gorm.DB, over sessionRow, at time.Time, otherwise error) (refused, err error) {
	if over.PlayerID == "" {
		return otherwise, nil
	}
	err = keptOut(tx, over.PlayerID, at)
	switch {
	case err == nil:
		return otherwise, nil
	case fault.CodeOf(err) == fault.Suspended:
		return err, nil
	}
	return nil, err
}

// Sessions implements account.SessionStore.
func (s *Store) Sessions(ctx context.Context, playerID string, at time.Time) ([]account.Session, error) {
	var rows []sessionRow
	err := s.reading(ctx).
		Where("player_id = ? AND ended_at = 0 AND expires_at > ?", playerID, millis(at)).
		Order("used_at DESC, id DESC").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	sessions := make([]account.Session, len(rows))
	for i := range rows {
		if sessions[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// EndSession implements account.SessionStore.
func (s *Store) EndSession(ctx context.Context, playerID, sessionID string, at time.Time) error {
	var ids []string
	err := endSessions(s.writing(ctx), at, &ids,
		"id = ? AND player_id = ? AND expires_at > ?", sessionID, playerID, millis(at))
	if err == nil && len(ids) == 0 {
		err = fault.New(fault.NotFound, "You have no such session.")
	}
	return err
}

// EndSessions implements account.SessionStore.
func (s *Store) EndSessions(ctx context.Context, playerID string, at time.Time) ([]string, error) {
	var ids []string
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// Sessions of whoever has become a pseudonym are ended all the same.
		if err := lockPlayer(tx, playerID); err != nil && fault.CodeOf(err) != fault.NotFound {
			return err
		}
		return endSessions(tx, at, &ids, "player_id = ?", playerID)
	})
	return ids, err
}

// EndedSince implements account.SessionStore.
func (s *Store) EndedSince(ctx context.Context, at time.Time) ([]string, error) {
	var ids []string
	// With "> 0" the partial index can be used.
	err := s.reading(ctx).Model(&sessionRow{}).
		Where("ended_at > 0 AND ended_at >= ?", millis(at)).Pluck("id", &ids).Error
	return ids, err
}

// ForgetSessions implements account.SessionStore.
func (s *Store) ForgetSessions(ctx context.Context, over, spent time.Time) error {
	// Their spent tokens go with them.
	err := s.writing(ctx).
		Where("expires_at < ? OR ended_at > 0 AND ended_at < ?", millis(over), millis(over)).
		Delete(&sessionRow{}).Error
	if err != nil {
		return err
	}
	return s.writing(ctx).Where("spent_at < ?", millis(spent)).Delete(&spentRow{}).Error
}
