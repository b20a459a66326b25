package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/notice"
)

type broadcastRow struct {
	ID       string `gorm:"primaryKey"`
	IdemKey  string
	Title    string
	Text     string
	Link     string
	Audience string
	State    string
	Author   string
	Reason   string
	Planned  int
	Sent     int
	// Reached is the last player who was told.
	Reached   string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	EndedAt   int64
	Seen      int `gorm:"->;-:migration"` // how many have read it, where it is counted
}

func (broadcastRow) TableName() string { return "broadcasts" }

// audienceJSON is an audience but for its time, which is the broadcast's.
type audienceJSON struct {
	Filter         broadcast.Filter `json:"filter"`
	ExperienceFrom int64            `json:"experienceFrom"`
	ExperienceTo   int64            `json:"experienceTo"`
}

func newBroadcastRow(b *broadcast.Broadcast) (*broadcastRow, error) {
	row := &broadcastRow{
		ID: b.ID, IdemKey: b.Key, Link: b.Link, State: string(b.State), Author: b.Author, Reason: b.Reason, Planned: b.Planned, Sent: b.Sent,
		CreatedAt: millis(b.Audience.At), EndedAt: millis(b.EndedAt),
	}
	for to, value := range map[*string]any{
		&row.Title: b.Title, &row.Text: b.Text,
		&row.Audience: audienceJSON{b.Audience.Filter, b.Audience.ExperienceFrom, b.Audience.ExperienceTo},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		*to = string(text)
	}
	return row, nil
}

func (r *broadcastRow) domain() (*broadcast.Broadcast, error) {
	b := &broadcast.Broadcast{
		ID: r.ID, Key: r.IdemKey, State: broadcast.State(r.State), Author: r.Author, Reason: r.Reason,
		Planned: r.Planned, Sent: r.Sent, Read: r.Seen, EndedAt: fromMillis(r.EndedAt),
	}
	var a audienceJSON
	err := errors.Join(json.Unmarshal([]byte(r.Title), &b.Title), json.Unmarshal([]byte(r.Text), &b.Text), json.Unmarshal([]byte(r.Audience), &a))
	if err != nil {
		return nil, fmt.Errorf("store: broadcast %s: %w", r.ID, err)
	}
	b.Link = r.Link
	b.Audience = broadcast.Audience{Filter: a.Filter, At: fromMillis(r.CreatedAt), ExperienceFrom: a.ExperienceFrom, ExperienceTo: a.ExperienceTo}
	return b, nil
}

// audience are the players of one.
func audience(db *gorm.DB, a broadcast.Audience) *gorm.DB {
	at := millis(a.At)
	query := living(db.Table("players")).Where("players.created_at <= ?", at)
	if a.Language != "" {
		query = query.Where("players.language = ?", a.Language)
	}
	if a.Division != "" {
		query = query.Where(`(SELECT CASE WHEN s.rank > 0 THEN s.next_division ELSE s.division END FROM league_scores s
	WHERE s.player_id = players.id AND (s.rank > 0 OR s.division <> '') ORDER BY s.season DESC LIMIT 1) = ?`, a.Division)
	}
	const experience = "COALESCE((SELECT s.experience FROM standings s WHERE s.player_id = players.id), 0)"
	if a.ExperienceFrom >= 0 {
		query = query.Where(experience+" >= ?", a.ExperienceFrom)
	}
	if a.ExperienceTo >= 0 {
		query = query.Where(experience+" < ?", a.ExperienceTo)
	}
	either := func(yes *bool, exists string, args ...any) {
		switch {
		case yes == nil:
		case *yes:
			query = query.Where("EXISTS ("+exists+")", args...)
		default:
			query = query.Where("NOT EXISTS ("+exists+")", args...)
		}
	}
	either(a.VIP, "SELECT 1 FROM standings s WHERE s.player_id = players.id AND s.vip_until > ?", at)
	either(a.Bought, "SELECT 1 FROM orders o WHERE o.player_id = players.id AND o.paid_at > 0")
	if a.ActiveDays > 0 {
		since := a.At.AddDate(0, 0, -a.ActiveDays)
		query = query.Where("EXISTS (SELECT 1 FROM sessions s WHERE s.player_id = players.id AND s.used_at >= ?)", millis(since))
	}
	if !a.RegisteredFrom.IsZero() {
		query = query.Where("players.created_at >= ?", millis(a.RegisteredFrom))
	}
	if !a.RegisteredTo.IsZero() {
		query = query.Where("players.created_at < ?", millis(a.RegisteredTo))
	}
	if len(a.Players) > 0 {
		query = query.Where("players.id IN ?", a.Players)
	}
	return query
}

// AudienceSize implements broadcast.Store.
func (s *Store) AudienceSize(ctx context.Context, a broadcast.Audience) (broadcast.Size, error) {
	size := broadcast.Size{Languages: make(map[string]int)}
	var rows []struct {
		Language         string
		Players, Devices int
	}
	err := audience(s.reading(ctx), a).Select(`players.language, COUNT(*) AS players, SUM(CASE WHEN EXISTS (
	SELECT 1 FROM push_tokens t JOIN sessions s ON s.id = t.session_id AND s.ended_at = 0 WHERE t.player_id = players.id) THEN 1 ELSE 0 END) AS devices`).
		Group("players.language").Scan(&rows).Error
	for _, r := range rows {
		size.Players += r.Players
		size.Devices += r.Devices
		size.Languages[r.Language] = r.Players
	}
	return size, err
}

// AudienceSample implements broadcast.Store.
func (s *Store) AudienceSample(ctx context.Context, a broadcast.Audience, limit int) ([]broadcast.Recipient, error) {
	var some []broadcast.Recipient
	err := audience(s.reading(ctx), a).Select("players.id, players.name, players.avatar, players.language").
		Order("players.id DESC").Limit(limit).Scan(&some).Error
	return some, err
}

// withReads counts how many have read it, as long as their inboxes keep it.
const withReads = `broadcasts.*, (SELECT COUNT(*) FROM notices n JOIN inboxes i ON i.player_id = n.player_id
	WHERE n.broadcast_id = broadcasts.id AND n.seq <= i.read_seq) AS seen`

func oneBroadcast(query *gorm.DB) (*broadcast.Broadcast, error) {
	var row broadcastRow
	if err := query.Select(withReads).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such broadcast.")
	}
	return row.domain()
}

// Broadcast implements broadcast.Store.
func (s *Store) Broadcast(ctx context.Context, id string) (*broadcast.Broadcast, error) {
	return oneBroadcast(s.reading(ctx).Where("id = ?", id))
}

// BroadcastByKey implements broadcast.Store.
func (s *Store) BroadcastByKey(ctx context.Context, key string) (*broadcast.Broadcast, error) {
	return oneBroadcast(s.reading(ctx).Where("idem_key = ?", key))
}

// Broadcasts implements broadcast.Store.
func (s *Store) Broadcasts(ctx context.Context, before string, limit int) ([]*broadcast.Broadcast, error) {
	var rows []broadcastRow
	if err := older(s.reading(ctx), before).Select(withReads).Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	list := make([]*broadcast.Broadcast, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// AddBroadcast implements broadcast.Store.
func (s *Store) AddBroadcast(ctx context.Context, b *broadcast.Broadcast) (*broadcast.Broadcast, error) {
	row, err := newBroadcastRow(b)
	if err != nil {
		return nil, err
	}
	db := s.writing(ctx)
	result := db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "idem_key"}}, DoNothing: true}).Create(row)
	if result.Error != nil || result.RowsAffected == 1 {
		return nil, result.Error
	}
	return oneBroadcast(db.Where("idem_key = ?", b.Key))
}

// CancelBroadcast implements broadcast.Store.
func (s *Store) CancelBroadcast(ctx context.Context, id string, at time.Time) error {
	// Who sends a batch meanwhile holds the row: its players have it.
	result := s.writing(ctx).Model(&broadcastRow{}).Where("id = ? AND state = ?", id, string(broadcast.Sending)).
		Updates(map[string]any{"state": string(broadcast.Cancelled), "ended_at": millis(at)})
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	if _, err := s.Broadcast(ctx, id); err != nil {
		return err
	}
	return fault.New(broadcast.CodeOver, "It is not being sent any more.")
}

// SendingBroadcasts implements broadcast.Store.
func (s *Store) SendingBroadcasts(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Model(&broadcastRow{}).Where("state = ?", string(broadcast.Sending)).Order("id").Pluck("id", &ids).Error
	return ids, err
}

// SendBroadcast implements broadcast.Store.
func (s *Store) SendBroadcast(ctx context.Context, id string, at time.Time, limit int) (told []notice.Notice, done bool, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		var row broadcastRow
		// SQLite has one writer, and drops FOR UPDATE without a word.
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&row).Error
		if err != nil {
			return notFound(err, "There is no such broadcast.")
		}
		if done = row.State != string(broadcast.Sending); done {
			return nil
		}
		b, err := row.domain()
		if err != nil {
			return err
		}
		var next []string
		err = audience(tx, b.Audience).Where("players.id > ?", row.Reached).Order("players.id").Limit(limit).Pluck("players.id", &next).Error
		if err != nil {
			return err
		}
		if len(next) > 0 {
			said := &notice.Said{ID: b.ID, Title: b.Title, Text: b.Text, Link: b.Link}
			list := make([]notice.Notice, len(next))
			for i, player := range next {
				list[i] = notice.Notice{PlayerID: player, Kind: notice.Broadcast, Said: said, At: at}
			}
			if told, err = addNotices(tx, list); err != nil {
				return err
			}
			row.Reached = next[len(next)-1]
		}
		changes := map[string]any{"reached": row.Reached, "sent": row.Sent + len(told)}
		if done = len(next) < limit; done {
			changes["state"], changes["ended_at"] = string(broadcast.Done), millis(at)
		}
		return tx.Model(&broadcastRow{}).Where("id = ?", id).Updates(changes).Error
	})
	if err != nil {
		return nil, false, err
	}
	return told, done, nil
}

var _ broadcast.Store = (*Store)(nil)
