package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/notice"
)

type noticeRow struct {
	PlayerID  string `gorm:"primaryKey"`
	Seq       int    `gorm:"primaryKey;autoIncrement:false"`
	Kind      string
	FromID    *string
	Text      *string
	RoomID    *string
	RoomCode  *string
	League    *string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	// BroadcastID is that of what the house says to many, where its words are.
	BroadcastID *string
}

func (noticeRow) TableName() string { return "notices" }

type inboxRow struct {
	PlayerID string `gorm:"primaryKey"`
	LastSeq  int
	ReadSeq  int
}

func (inboxRow) TableName() string { return "inboxes" }

func (r inboxRow) domain() notice.Inbox { return notice.Inbox{Last: r.LastSeq, Read: r.ReadSeq} }

// AddNotice implements notice.Store.
func (s *Store) AddNotice(ctx context.Context, n notice.Notice) (notice.Notice, error) {
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) (err error) {
		n, err = addNotice(tx, n)
		return err
	})
	return n, err
}

func newNoticeRow(n notice.Notice) (noticeRow, error) {
	row := noticeRow{PlayerID: n.PlayerID, Seq: n.Seq, Kind: string(n.Kind), CreatedAt: millis(n.At)}
	if n.From != nil {
		row.FromID = &n.From.ID
	}
	if n.Room != nil {
		row.RoomID, row.RoomCode = &n.Room.ID, &n.Room.Code
	}
	if n.Said != nil {
		row.BroadcastID = &n.Said.ID
	}
	var errs [2]error
	if n.Text != nil {
		row.Text, errs[0] = asJSON(n.Text)
	}
	if n.League != nil {
		row.League, errs[1] = asJSON(n.League)
	}
	return row, errors.Join(errs[:]...)
}

func asJSON(v any) (*string, error) {
	data, err := json.Marshal(v)
	text := string(data)
	return &text, err
}

// addNotice takes the player's next number and holds it until the transaction
// ends.
func addNotice(tx *gorm.DB, n notice.Notice) (notice.Notice, error) {
	row, err := newNoticeRow(n)
	if err != nil {
		return n, err
	}
	err = tx.Raw(`INSERT INTO inboxes (player_id, last_seq, read_seq) VALUES (?, 1, 0)
ON CONFLICT (player_id) DO UPDATE SET last_seq = inboxes.last_seq + 1 RETURNING last_seq`, n.PlayerID).Scan(&row.Seq).Error
	if err != nil {
		return n, err
	}
	n.Seq = row.Seq
	if err := tx.Create(&row).Error; err != nil {
		return n, err
	}
	return n, tx.Where("player_id = ? AND seq <= ?", n.PlayerID, n.Seq-notice.Kept).Delete(&noticeRow{}).Error
}

// addNotices is addNotice for many players, one notice each, in as few statements.
// Those who are deleted get none. Inboxes are held in the order of their players, so
// that two who do this do not wait for each other in a circle.
func addNotices(tx *gorm.DB, list []notice.Notice) ([]notice.Notice, error) {
	list = slices.SortedFunc(slices.Values(list), func(a, b notice.Notice) int { return strings.Compare(a.PlayerID, b.PlayerID) })
	ids := make([]string, len(list))
	for i, n := range list {
		ids[i] = n.PlayerID
	}
	var there []string
	if err := living(tx.Model(&playerRow{})).Where("id IN ?", ids).Pluck("id", &there).Error; err != nil || len(there) == 0 {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(n notice.Notice) bool { return !slices.Contains(there, n.PlayerID) })
	args := make([]any, len(list))
	for i, n := range list {
		args[i] = n.PlayerID
	}
	var numbers []inboxRow
	err := tx.Raw(`INSERT INTO inboxes (player_id, last_seq, read_seq) VALUES `+times("(?, 1, 0)", len(list))+`
ON CONFLICT (player_id) DO UPDATE SET last_seq = inboxes.last_seq + 1 RETURNING player_id, last_seq`, args...).Scan(&numbers).Error
	if err != nil {
		return nil, err
	}
	last, full := make(map[string]int, len(numbers)), []string(nil)
	for _, r := range numbers {
		last[r.PlayerID] = r.LastSeq
		if r.LastSeq > notice.Kept {
			full = append(full, r.PlayerID)
		}
	}
	rows := make([]noticeRow, len(list))
	for i := range list {
		list[i].Seq = last[list[i].PlayerID]
		if rows[i], err = newNoticeRow(list[i]); err != nil {
			return nil, err
		}
	}
	if err := tx.Create(&rows).Error; err != nil || len(full) == 0 {
		return list, err
	}
	return list, tx.Exec(`DELETE FROM notices WHERE player_id IN ? AND seq <= (SELECT last_seq FROM inboxes WHERE player_id = notices.player_id) - ?`,
		full, notice.Kept).Error
}

// NoticesBefore implements notice.Store.
func (s *Store) NoticesBefore(ctx context.Context, playerID string, before, limit int) ([]notice.Notice, error) {
	return s.notices(ctx, "n.seq < ?", "n.seq DESC", playerID, before, limit)
}

// NoticesAfter implements notice.Store.
func (s *Store) NoticesAfter(ctx context.Context, playerID string, after, limit int) ([]notice.Notice, error) {
	return s.notices(ctx, "n.seq > ?", "n.seq", playerID, after, limit)
}

// notices reads whom they are about from the players, so that a person has one
// name everywhere; one that was deleted, or with a block in between, has none.
func (s *Store) notices(ctx context.Context, where, order, playerID string, seq, limit int) ([]notice.Notice, error) {
	var rows []struct {
		Seq       int
		Kind      string
		Text      *string
		RoomID    *string
		RoomCode  *string
		League    *string
		CreatedAt int64
		SaidID    *string
		Title     *string
		Words     *string
		Link      *string
		ID        *string
		Name      *string
		Avatar    *string
	}
	err := s.reading(ctx).Table("notices n").
		Select("n.seq, n.kind, n.text, n.room_id, n.room_code, n.league, n.created_at, b.id AS said_id, b.title, b.text AS words, b.link, p.id, p.name, p.avatar").
		Joins("LEFT JOIN broadcasts b ON b.id = n.broadcast_id").
		Joins(`LEFT JOIN players p ON p.id = n.from_id AND p.deleted_at = 0 AND NOT EXISTS (
			SELECT 1 FROM ties t WHERE t.low_blocked_at + t.high_blocked_at > 0 AND (
				t.low_id = n.player_id AND t.high_id = n.from_id OR t.low_id = n.from_id AND t.high_id = n.player_id))`).
		Where("n.player_id = ?", playerID).Where(where, seq).Order(order).Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	list := make([]notice.Notice, len(rows))
	for i, r := range rows {
		n := notice.Notice{PlayerID: playerID, Seq: r.Seq, Kind: notice.Kind(r.Kind), At: fromMillis(r.CreatedAt)}
		if r.ID != nil {
			n.From = &notice.Person{ID: *r.ID, Name: *r.Name, Avatar: *r.Avatar}
			if r.RoomID != nil && r.RoomCode != nil {
				n.Room = &notice.Room{ID: *r.RoomID, Code: *r.RoomCode}
			}
		}
		if r.Text != nil {
			if err := json.Unmarshal([]byte(*r.Text), &n.Text); err != nil {
				return nil, fmt.Errorf("store: notice %d of %s: %w", r.Seq, playerID, err)
			}
		}
		if r.SaidID != nil {
			n.Said = &notice.Said{ID: *r.SaidID, Link: *r.Link}
			err := errors.Join(json.Unmarshal([]byte(*r.Title), &n.Said.Title), json.Unmarshal([]byte(*r.Words), &n.Said.Text))
			if err != nil {
				return nil, fmt.Errorf("store: broadcast %s: %w", *r.SaidID, err)
			}
		}
		if r.League != nil {
			if err := json.Unmarshal([]byte(*r.League), &n.League); err != nil {
				return nil, fmt.Errorf("store: notice %d of %s: %w", r.Seq, playerID, err)
			}
		}
		list[i] = n
	}
	return list, nil
}

// Inbox implements notice.Store.
func (s *Store) Inbox(ctx context.Context, playerID string) (notice.Inbox, error) {
	var row inboxRow
	err := s.reading(ctx).Where("player_id = ?", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return notice.Inbox{}, nil
	}
	return row.domain(), err
}

// MarkRead implements notice.Store.
func (s *Store) MarkRead(ctx context.Context, playerID string, upTo int) (notice.Inbox, error) {
	err := s.writing(ctx).Model(&inboxRow{}).Where("player_id = ? AND read_seq < ?", playerID, upTo).
		Update("read_seq", gorm.Expr("CASE WHEN last_seq < ? THEN last_seq ELSE ? END", upTo, upTo)).Error
	if err != nil {
		return notice.Inbox{}, err
	}
	return s.Inbox(ctx, playerID)
}

type pushTokenRow struct {
	ID        string `gorm:"primaryKey"`
	PlayerID  string
	SessionID string
	Token     string
	Platform  string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (pushTokenRow) TableName() string { return "push_tokens" }

func (r pushTokenRow) domain() notice.Device {
	return notice.Device{
		ID: r.ID, PlayerID: r.PlayerID, SessionID: r.SessionID, Token: r.Token, Platform: r.Platform,
		CreatedAt: fromMillis(r.CreatedAt),
	}
}

// putDevice renews one's own registration; another player's becomes one's own under
// a new identifier, for the old one is that player's to drop.
const putDevice = `
INSERT INTO push_tokens (id, player_id, session_id, token, platform, created_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (token) DO UPDATE SET
	id = CASE WHEN push_tokens.player_id = excluded.player_id THEN push_tokens.id ELSE excluded.id END,
	player_id = excluded.player_id, session_id = excluded.session_id, platform = excluded.platform, created_at = excluded.created_at
RETURNING id`

// PutDevice implements notice.Store.
func (s *Store) PutDevice(ctx context.Context, d notice.Device, most int) (notice.Device, error) {
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Raw(putDevice, d.ID, d.PlayerID, d.SessionID, d.Token, d.Platform, millis(d.CreatedAt)).Scan(&d.ID).Error
		if err != nil {
			return err
		}
		keep := tx.Model(&pushTokenRow{}).Select("id").Where("player_id = ?", d.PlayerID).Order("created_at DESC, id DESC").Limit(most)
		return tx.Where("player_id = ? AND id NOT IN (?)", d.PlayerID, keep).Delete(&pushTokenRow{}).Error
	})
	return d, err
}

// DropDevice implements notice.Store.
func (s *Store) DropDevice(ctx context.Context, playerID, deviceID string) error {
	return s.writing(ctx).Where("id = ? AND player_id = ?", deviceID, playerID).Delete(&pushTokenRow{}).Error
}

// Reachable implements notice.Store.
func (s *Store) Reachable(ctx context.Context, playerIDs []string) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Model(&pushTokenRow{}).Joins("JOIN sessions ON sessions.id = push_tokens.session_id AND sessions.ended_at = 0").
		Where("push_tokens.player_id IN ?", playerIDs).Distinct().Pluck("push_tokens.player_id", &ids).Error
	return ids, err
}

// Devices implements notice.Store.
func (s *Store) Devices(ctx context.Context, playerID string) ([]notice.Device, string, error) {
	var rows []pushTokenRow
	err := s.reading(ctx).Joins("JOIN sessions ON sessions.id = push_tokens.session_id AND sessions.ended_at = 0").
		Where("push_tokens.player_id = ?", playerID).Order("push_tokens.created_at, push_tokens.id").Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, "", err
	}
	p, err := s.PlayerByID(ctx, playerID)
	if err != nil {
		return nil, "", err
	}
	devices := make([]notice.Device, len(rows))
	for i, r := range rows {
		devices[i] = r.domain()
	}
	return devices, p.Language, nil
}
