package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Statuses of a match as it is stored. What an open match is doing, only its
// log tells.
const (
	statusOpen = "open"
	statusOver = "over"
)

type matchRow struct {
	ID         string `gorm:"primaryKey"`
	Rules      string
	Status     string
	ServerSeed []byte
	TurnMs     int64
	BotPauseMs int64
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
	EndedAt    *int64
	Result     *string
	Mode       string
	Economy    int
	Stake      int64
	TableID    string
}

func (matchRow) TableName() string { return "matches" }

func (r matchRow) domain() (*match.Match, error) {
	m := &match.Match{
		ID: r.ID, ServerSeed: r.ServerSeed,
		TurnTime:  time.Duration(r.TurnMs) * time.Millisecond,
		BotPause:  time.Duration(r.BotPauseMs) * time.Millisecond,
		CreatedAt: fromMillis(r.CreatedAt), Mode: economy.Mode(r.Mode), Economy: r.Economy,
		Stake: r.Stake, TableID: r.TableID,
	}
	var rs any
	err := json.Unmarshal([]byte(r.Rules), &rs)
	if err == nil {
		m.Rules, err = record.ParseRules(rs)
	}
	if err == nil && r.Result != nil {
		m.EndedAt, m.Result = fromMillis(*r.EndedAt), &match.Result{}
		err = json.Unmarshal([]byte(*r.Result), m.Result)
	}
	if err != nil {
		return nil, fmt.Errorf("store: match %s: %w", r.ID, err)
	}
	return m, nil
}

type seatRow struct {
	MatchID  string `gorm:"primaryKey"`
	Seat     uint8  `gorm:"primaryKey;autoIncrement:false"`
	PlayerID *string
	BotLevel string
}

func (seatRow) TableName() string { return "match_seats" }

type entryRow struct {
	MatchID  string `gorm:"primaryKey"`
	Seq      int    `gorm:"primaryKey;autoIncrement:false"`
	At       int64
	Kind     string
	Seat     uint8
	Text     string
	By       string
	Deadline int64
}

func (entryRow) TableName() string { return "match_log" }

type answerRow struct {
	PlayerID    string `gorm:"primaryKey"`
	Key         string `gorm:"primaryKey"`
	Route       string
	RequestHash []byte
	Status      int
	Body        []byte
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
}

func (answerRow) TableName() string { return "idempotency" }

// CreateMatch keeps a new match, and the answer with it in the same transaction
// unless that is nil, so that a request sent again can never make a second match.
// See [match.Store].
func (s *Store) CreateMatch(ctx context.Context, m *match.Match, a *match.Answer) (earlier *match.Answer, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if a != nil {
			if earlier, err = claim(tx, a); err != nil || earlier != nil {
				return err
			}
		}
		return createMatch(tx, m)
	})
	return earlier, err
}

// createMatch is CreateMatch inside a transaction, for what comes about together
// with other rows.
func createMatch(tx *gorm.DB, m *match.Match) error {
	err := tx.Create(&matchRow{
		ID: m.ID, Rules: string(record.AppendRules(nil, m.Rules)), Status: statusOpen, ServerSeed: m.ServerSeed,
		TurnMs: m.TurnTime.Milliseconds(), BotPauseMs: m.BotPause.Milliseconds(), CreatedAt: millis(m.CreatedAt),
		Mode: string(m.Mode), Economy: m.Economy, Stake: m.Stake, TableID: m.TableID,
	}).Error
	if err != nil {
		return err
	}
	seats := make([]seatRow, len(m.Seats))
	for i, seat := range m.Seats {
		seats[i] = seatRow{MatchID: m.ID, Seat: uint8(i)}
		if seat.IsBot() {
			seats[i].BotLevel = seat.Bot.String()
		} else {
			seats[i].PlayerID = &seat.PlayerID
		}
	}
	return tx.Create(&seats).Error
}

// claim keeps the answer under its key, or returns the one that is there. On
// PostgreSQL the insert waits for a transaction that holds the key; a caught
// unique violation instead of ON CONFLICT would end the transaction there.
func claim(tx *gorm.DB, a *match.Answer) (earlier *match.Answer, err error) {
	result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&answerRow{
		PlayerID: a.PlayerID, Key: a.Key, Route: a.Route, RequestHash: a.RequestHash,
		Status: a.Status, Body: a.Body, CreatedAt: millis(a.At),
	})
	if result.Error != nil || result.RowsAffected == 1 {
		return nil, result.Error
	}
	return answered(tx, a)
}

// answered is the answer that the request got before, or nil. Codes:
// IdempotencyConflict.
func answered(tx *gorm.DB, a *match.Answer) (*match.Answer, error) {
	var row answerRow
	err := tx.Where("player_id = ? AND key = ?", a.PlayerID, a.Key).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if row.Route != a.Route || !bytes.Equal(row.RequestHash, a.RequestHash) {
		return nil, fault.New(fault.IdempotencyConflict, "This Idempotency-Key came with another request before.")
	}
	return &match.Answer{
		Key: row.Key, PlayerID: row.PlayerID, Route: row.Route, RequestHash: row.RequestHash,
		Status: row.Status, Body: row.Body, At: fromMillis(row.CreatedAt),
	}, nil
}

// GetMatch reads a match with its seats. Codes: NotFound.
func (s *Store) GetMatch(ctx context.Context, id string) (*match.Match, error) {
	return getMatch(s.reading(ctx), id)
}

func getMatch(db *gorm.DB, id string) (*match.Match, error) {
	var row matchRow
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such match.")
	}
	matches, err := withSeats(db, []matchRow{row})
	if err != nil {
		return nil, err
	}
	return matches[0], nil
}

// withSeats turns rows into matches, with one query for all their seats.
func withSeats(db *gorm.DB, rows []matchRow) ([]*match.Match, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	matches := make([]*match.Match, len(rows))
	ids := make([]string, len(rows))
	byID := make(map[string]*match.Match, len(rows))
	for i, row := range rows {
		m, err := row.domain()
		if err != nil {
			return nil, err
		}
		matches[i], ids[i], byID[row.ID] = m, row.ID, m
	}
	// Written out: GORM passes over an embedded struct that is not exported.
	var seats []struct {
		MatchID  string
		Seat     uint8
		PlayerID *string
		BotLevel string
		Name     *string
	}
	err := db.Table("match_seats").
		Select("match_seats.match_id, match_seats.seat, match_seats.player_id, match_seats.bot_level, players.name").
		Joins("LEFT JOIN players ON players.id = match_seats.player_id").
		Where("match_seats.match_id IN ?", ids).
		Scan(&seats).Error
	if err != nil {
		return nil, err
	}
	for _, row := range seats {
		var seat match.Seat
		if row.PlayerID != nil {
			seat.PlayerID = *row.PlayerID
		} else {
			var ok bool
			if seat.Bot, ok = bot.ParseLevel(row.BotLevel); !ok {
				return nil, fmt.Errorf("store: match %s: no bots of level %q", row.MatchID, row.BotLevel)
			}
		}
		if row.Name != nil {
			seat.Name = *row.Name
		}
		byID[row.MatchID].Seats[row.Seat] = seat
	}
	return matches, nil
}

// ReadLog reads the match's entries from a sequence number on, in order.
func (s *Store) ReadLog(ctx context.Context, id string, from int) ([]match.Entry, error) {
	var rows []entryRow
	err := s.reading(ctx).Where("match_id = ? AND seq >= ?", id, from).Order("seq").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	entries := make([]match.Entry, len(rows))
	for i, r := range rows {
		entries[i] = match.Entry{
			Seq: r.Seq, At: fromMillis(r.At), Kind: match.Kind(r.Kind), Seat: rules.Seat(r.Seat),
			Text: r.Text, By: match.Author(r.By), Deadline: fromMillis(r.Deadline),
		}
	}
	return entries, nil
}

// AppendLog keeps the entry: when it returns nil the entry is on disk. It returns
// match.ErrConflict if the sequence number is taken.
func (s *Store) AppendLog(ctx context.Context, id string, e match.Entry) error {
	row := newEntryRow(id, e)
	if unit.Of(ctx) != nil {
		return insertEntry(s.writing(ctx), &row)
	}
	// A span of its own, for the statement may be in the trace of another's entry.
	ctx, span := tracing.Within(ctx, "commit match_log", trace.SpanKindInternal)
	defer span.End()
	err := s.entries.append(ctx, row)
	tracing.Fail(span, err)
	return err
}

func (s *Store) groupEntries(writers int, meter Meter) {
	s.entries = newGroup(writers, meter, func(ctx context.Context, rows []entryRow) []error {
		return insertEntries(s.write.WithContext(ctx), rows)
	})
}

func newEntryRow(id string, e match.Entry) entryRow {
	return entryRow{
		MatchID: id, Seq: e.Seq, At: millis(e.At), Kind: string(e.Kind), Seat: uint8(e.Seat),
		Text: e.Text, By: string(e.By), Deadline: millis(e.Deadline),
	}
}

// insertEntrySQL is the hottest statement there is. Written out, it takes about
// half the time that GORM needs to make it from the struct.
const insertEntrySQL = `
INSERT INTO match_log (match_id, seq, at, kind, seat, text, "by", deadline)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

func insertEntry(tx *gorm.DB, r *entryRow) error {
	result := tx.Exec(insertEntrySQL, r.MatchID, r.Seq, r.At, r.Kind, r.Seat, r.Text, r.By, r.Deadline)
	if result.Error == nil && result.RowsAffected != 1 {
		return match.ErrConflict
	}
	return result.Error
}

// SettleWith has f settle each match in the transaction that ends it. It is set
// before the store is used. f may ask nothing but its transaction.
func (s *Store) SettleWith(f func(reward.Tx, *match.Match, match.Result) error) {
	s.settle = f
}

// Settles says whether matches that end are settled.
func (s *Store) Settles() bool { return s.settle != nil }

// FinishMatch keeps the entry that ends the match, the result, what it adds to its
// players' statistics, and what it pays them. It returns match.ErrConflict, and
// keeps nothing, if the entry's number is taken or the match is over.
func (s *Store) FinishMatch(ctx context.Context, id string, last match.Entry, r match.Result) error {
	return s.endMatch(ctx, id, last, r, func(tx *gorm.DB, m *match.Match) error {
		if err := s.release(tx, m, engagement.Over, last.At); err != nil {
			return err
		}
		if err := count(tx, m, r); err != nil {
			return err
		}
		if err := rate(tx, m, r, last.At); err != nil || s.settle == nil {
			return err
		}
		t := s.settlement(tx, m)
		if err := s.settle(t, m, r); err != nil {
			return err
		}
		return t.flush()
	})
}

// VoidWith has f give back what a match has cost that is given up, in the transaction
// that does it. See SettleWith.
func (s *Store) VoidWith(f func(reward.Tx, *match.Match) error) { s.refund = f }

// VoidMatch implements match.Store.
func (s *Store) VoidMatch(ctx context.Context, id string, last match.Entry, reason string) error {
	return s.endMatch(ctx, id, last, match.Result{Void: reason}, func(tx *gorm.DB, m *match.Match) error {
		if err := s.release(tx, m, engagement.Voided, last.At); err != nil || s.refund == nil {
			return err
		}
		t := s.settlement(tx, m)
		if err := s.refund(t, m); err != nil {
			return err
		}
		return t.flush()
	})
}

// settlement is what a match's end pays, to be flushed.
func (s *Store) settlement(tx *gorm.DB, m *match.Match) *settlement {
	t := &settlement{tx: tx, locks: s.kind == Postgres, match: m.ID}
	for _, p := range m.Players() {
		t.players = append(t.players, p.PlayerID)
	}
	return t
}

// endMatch keeps a match's last entry and its result, and has then do what comes of
// it, all or nothing.
func (s *Store) endMatch(ctx context.Context, id string, last match.Entry, r match.Result, then func(*gorm.DB, *match.Match) error) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		row := newEntryRow(id, last)
		if err := insertEntry(tx, &row); err != nil {
			return err
		}
		var ended []matchRow
		err := tx.Raw(`UPDATE matches SET status = ?, ended_at = ?, result = ? WHERE id = ? AND status <> ? RETURNING *`,
			statusOver, millis(last.At), string(text), id, statusOver).Scan(&ended).Error
		if err == nil && len(ended) == 0 {
			return match.ErrConflict
		}
		if err != nil {
			return err
		}
		all, err := withSeats(tx, ended)
		if err != nil {
			return err
		}
		return then(tx, all[0])
	})
}

// release lets the players of a match go that is over, back to their room if it was
// a room's. Nobody is held by one against the machine.
func (s *Store) release(tx *gorm.DB, m *match.Match, why engagement.Reason, at time.Time) error {
	to := engagement.Free
	switch m.Mode {
	case economy.Machine:
		return nil
	case economy.Friends:
		var err error
		if to, err = s.reopen(tx, m.ID, at); err != nil {
			return err
		}
	}
	var players []string
	for _, p := range m.Players() {
		players = append(players, p.PlayerID)
	}
	if len(players) == 0 {
		return nil
	}
	inOrder := "SELECT player_id FROM engagements WHERE player_id IN ? ORDER BY player_id"
	if s.kind == Postgres {
		inOrder += " FOR UPDATE"
	}
	return tx.Exec(`UPDATE engagements SET kind = ?, place_id = ?, reason = ?, since = ?, seq = seq + 1
WHERE kind = ? AND place_id = ? AND player_id IN (`+inOrder+`)`,
		string(to.Kind), to.ID, string(why), millis(at), string(engagement.Match), m.ID, players).Error
}

// dueQuery: a match without an entry is waiting for its seeds. The literal
// 'over', not a parameter: only so do both databases see that the partial index
// answers.
const dueQuery = `
SELECT m.id AS match_id, COALESCE(l.at, m.created_at) AS since, COALESCE(l.deadline, m.created_at + m.turn_ms) AS deadline
FROM matches m LEFT JOIN match_log l
	ON l.match_id = m.id AND l.seq = (SELECT MAX(seq) FROM match_log WHERE match_id = m.id)
WHERE m.status <> 'over' AND m.id > ? AND COALESCE(l.deadline, m.created_at + m.turn_ms) < ?
ORDER BY m.id LIMIT ?`

// Due lists at most limit open matches whose turn ends before a time, by id,
// after the id given.
func (s *Store) Due(ctx context.Context, before time.Time, after string, limit int) ([]match.Due, error) {
	var rows []struct {
		MatchID         string
		Since, Deadline int64
	}
	if err := s.reading(ctx).Raw(dueQuery, after, millis(before), limit).Scan(&rows).Error; err != nil {
		return nil, err
	}
	due := make([]match.Due, len(rows))
	for i, r := range rows {
		due[i] = match.Due{MatchID: r.MatchID, Since: fromMillis(r.Since), Deadline: fromMillis(r.Deadline)}
	}
	return due, nil
}

// History lists at most limit matches of a player, newest first, older than the
// match with the id given, if any.
func (s *Store) History(ctx context.Context, playerID, before string, limit int) ([]*match.Match, error) {
	query := s.reading(ctx).Model(&matchRow{}).
		Joins("JOIN match_seats ON match_seats.match_id = matches.id").
		Where("match_seats.player_id = ?", playerID)
	if before != "" {
		query = query.Where("match_seats.match_id < ?", before)
	}
	var rows []matchRow
	if err := query.Order("match_seats.match_id DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	return withSeats(s.reading(ctx), rows)
}

// ListMatches implements match.Store. The literal 'over' is there for the partial index.
func (s *Store) ListMatches(ctx context.Context, l match.Listing) ([]*match.Match, error) {
	query := s.reading(ctx).Model(&matchRow{})
	if l.Over {
		query = query.Where("status = 'over'")
	} else {
		query = query.Where("status <> 'over'")
	}
	if l.Mode != "" {
		query = query.Where("mode = ?", string(l.Mode))
	}
	if l.Before != "" {
		query = query.Where("id < ?", l.Before)
	}
	var rows []matchRow
	if err := query.Order("id DESC").Limit(l.Limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	return withSeats(s.reading(ctx), rows)
}
