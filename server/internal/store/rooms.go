package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
)

type roomRow struct {
	ID         string `gorm:"primaryKey"`
	Code       string
	OwnerID    string
	Rules      string
	TurnMs     int64
	BotPauseMs int64
	Kicked     string
	MatchID    *string
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
	TouchedAt  int64
	Version    int
}

func (roomRow) TableName() string { return "rooms" }

func newRoomRow(r room.Room) (roomRow, error) {
	kicked, err := json.Marshal(r.Kicked)
	return roomRow{
		ID: r.ID, Code: r.Code, OwnerID: r.OwnerID, Rules: string(record.AppendRules(nil, r.Settings.Rules)),
		TurnMs: r.Settings.TurnTime.Milliseconds(), BotPauseMs: r.Settings.BotPause.Milliseconds(),
		Kicked: string(kicked), MatchID: orNull(r.MatchID),
		CreatedAt: millis(r.CreatedAt), TouchedAt: millis(r.TouchedAt), Version: r.Version,
	}, err
}

func (r *roomRow) domain() (room.Room, error) {
	out := room.Room{
		ID: r.ID, Code: r.Code, OwnerID: r.OwnerID,
		Settings: room.Settings{
			TurnTime: time.Duration(r.TurnMs) * time.Millisecond, BotPause: time.Duration(r.BotPauseMs) * time.Millisecond,
		},
		CreatedAt: fromMillis(r.CreatedAt), TouchedAt: fromMillis(r.TouchedAt), Version: r.Version,
	}
	if r.MatchID != nil {
		out.MatchID = *r.MatchID
	}
	var rs any
	err := errors.Join(json.Unmarshal([]byte(r.Kicked), &out.Kicked), json.Unmarshal([]byte(r.Rules), &rs))
	if err == nil {
		out.Settings.Rules, err = record.ParseRules(rs)
	}
	return out, err
}

type roomSeatRow struct {
	RoomID   string `gorm:"primaryKey"`
	Seat     uint8  `gorm:"primaryKey;autoIncrement:false"`
	PlayerID *string
	BotLevel string
	Since    int64
	Ready    bool
}

func (roomSeatRow) TableName() string { return "room_seats" }

var errNoRoom = notFound(gorm.ErrRecordNotFound, "There is no such room.")

// Room implements room.Store.
func (s *Store) Room(ctx context.Context, id string) (room.Room, error) {
	return readRoom(s.reading(ctx), id)
}

func readRoom(db *gorm.DB, id string) (room.Room, error) {
	var row roomRow
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return room.Room{}, notFound(err, "There is no such room.")
	}
	r, err := row.domain()
	if err != nil {
		return r, fmt.Errorf("store: room %s: %w", id, err)
	}
	var seats []struct {
		Seat         uint8
		PlayerID     *string
		BotLevel     string
		Since        int64
		Ready        bool
		Name, Avatar *string
	}
	err = db.Table("room_seats AS s").Select("s.seat, s.player_id, s.bot_level, s.since, s.ready, p.name, p.avatar").
		Joins("LEFT JOIN players AS p ON p.id = s.player_id").Where("s.room_id = ?", id).Scan(&seats).Error
	for _, row := range seats {
		seat := room.Seat{Taken: room.ByBot}
		if row.PlayerID != nil {
			seat = room.Seat{
				Taken: room.ByPerson, Person: people.Person{ID: *row.PlayerID, Name: *row.Name, Avatar: *row.Avatar},
				Since: fromMillis(row.Since), Ready: row.Ready,
			}
		} else if seat.Bot, _ = bot.ParseLevel(row.BotLevel); seat.Bot.String() != row.BotLevel {
			return r, fmt.Errorf("store: room %s: no bots of level %q", id, row.BotLevel)
		}
		r.Seats[row.Seat] = seat
	}
	return r, err
}

// RoomByCode implements room.Store.
func (s *Store) RoomByCode(ctx context.Context, code string) (string, error) {
	var row roomRow
	err := s.reading(ctx).Select("id").Where("code = ?", code).Take(&row).Error
	return row.ID, notFound(err, "There is no such room.")
}

// CreateRoom implements room.Store.
func (s *Store) CreateRoom(ctx context.Context, r room.Room, a match.Answer) (out room.Changed, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) (err error) {
		if a.Key != "" {
			if out.Earlier, err = claim(tx, &a); err != nil || out.Earlier != nil {
				return err
			}
		}
		row, err := newRoomRow(r)
		if err != nil {
			return err
		}
		// A unique violation would end the transaction on PostgreSQL.
		result := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "code"}}, DoNothing: true}).Create(&row)
		if result.Error == nil && result.RowsAffected == 0 {
			return room.ErrCodeUsed
		}
		if result.Error != nil {
			return result.Error
		}
		out.Engagements, err = engageRoom(tx, room.Room{ID: r.ID}, room.Outcome{Room: r}, r.CreatedAt)
		if err != nil {
			return err
		}
		return writeSeats(tx, r)
	})
	if err != nil {
		return room.Changed{}, err
	}
	return out, nil
}

// ChangeRoom implements room.Store.
func (s *Store) ChangeRoom(ctx context.Context, id string, a match.Answer, f func(room.Tx, room.Room) (room.Outcome, error)) (changed room.Changed, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) (err error) {
		if err := s.lockRoom(tx, id); err != nil {
			return err
		}
		if a.Key != "" {
			// Behind the lock: the same request at the same time is over by now.
			if changed.Earlier, err = answered(tx, &a); err != nil || changed.Earlier != nil {
				return err
			}
		}
		before, err := readRoom(tx, id)
		if err != nil {
			return err
		}
		out, err := f(roomTx{tx, s.kind == Postgres}, before)
		if err != nil {
			return err
		}
		if out.Match != nil {
			if err := createMatch(tx, out.Match); err != nil {
				return err
			}
		}
		if !reflect.DeepEqual(before, out.Room) {
			if changed.Engagements, err = engageRoom(tx, before, out, out.Room.TouchedAt); err != nil {
				return err
			}
			if err := keepRoom(tx, before, out.Room); err != nil {
				return err
			}
		}
		if out.Invitation != nil {
			kept, err := addNotice(tx, *out.Invitation)
			if err != nil {
				return err
			}
			changed.Invitation = &kept
		}
		if a.Key == "" {
			return nil
		}
		a.Body = out.Answer
		changed.Earlier, err = claim(tx, &a)
		return err
	})
	if err != nil {
		return room.Changed{}, err
	}
	return changed, nil
}

// lockRoom has this transaction alone change the room; SQLite has one writer
// anyway. A room's row is locked before the engagements of those who are in it.
func (s *Store) lockRoom(tx *gorm.DB, id string) error {
	if s.kind != Postgres {
		return nil
	}
	var ids []string
	err := tx.Raw("SELECT id FROM rooms WHERE id = ? FOR UPDATE", id).Scan(&ids).Error
	if err == nil && len(ids) == 0 {
		err = errNoRoom
	}
	return err
}

// keepRoom writes what of a room has changed.
func keepRoom(tx *gorm.DB, before, after room.Room) error {
	if after.Closed() {
		return tx.Where("id = ?", after.ID).Delete(&roomRow{}).Error
	}
	after.Version = before.Version + 1
	row, err := newRoomRow(after)
	if err != nil {
		return err
	}
	if err := tx.Model(&roomRow{}).Where("id = ?", after.ID).Select("*").Updates(&row).Error; err != nil {
		return err
	}
	if before.Seats == after.Seats {
		return nil
	}
	// All anew, for two who change seats may not sit on one meanwhile.
	if err := tx.Where("room_id = ?", after.ID).Delete(&roomSeatRow{}).Error; err != nil {
		return err
	}
	return writeSeats(tx, after)
}

func writeSeats(tx *gorm.DB, r room.Room) error {
	var rows []roomSeatRow
	for i, seat := range r.Seats {
		row := roomSeatRow{RoomID: r.ID, Seat: uint8(i), Since: millis(seat.Since), Ready: seat.Ready}
		switch seat.Taken {
		case room.Open:
			continue
		case room.ByPerson:
			row.PlayerID = &seat.Person.ID
		case room.ByBot:
			row.BotLevel = seat.Bot.String()
		}
		rows = append(rows, row)
	}
	return tx.Create(&rows).Error
}

// engageRoom has everybody whom a change of a room concerns where it leaves them.
func engageRoom(tx *gorm.DB, before room.Room, out room.Outcome, at time.Time) ([]engagement.Change, error) {
	here := engagement.Place{Kind: engagement.Room, ID: before.ID}
	were, are := before.People(), out.Room.People()
	all := slices.Concat(were, are)
	slices.Sort(all)
	var changes []engagement.Change
	for _, id := range slices.Compact(all) {
		var c engagement.Change
		var err error
		switch was, is := slices.Contains(were, id), slices.Contains(are, id); {
		case out.Match != nil:
			c, err = engage(tx, id, here, engagement.Place{Kind: engagement.Match, ID: out.Match.ID}, engagement.Started, at)
		case was && is:
			c, err = touch(tx, id, here)
		case is:
			c, err = engage(tx, id, engagement.Free, here, engagement.Joined, at)
		default:
			c, err = engage(tx, id, here, engagement.Free, out.Why, at)
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// reopen has the players of a room's match back in it, and says where that is; if
// the match was no room's, they are free.
func (s *Store) reopen(tx *gorm.DB, matchID string, at time.Time) (engagement.Place, error) {
	var ids []string
	query := "SELECT id FROM rooms WHERE match_id = ?"
	if s.kind == Postgres {
		query += " FOR UPDATE"
	}
	if err := tx.Raw(query, matchID).Scan(&ids).Error; err != nil || len(ids) == 0 {
		return engagement.Free, err
	}
	before, err := readRoom(tx, ids[0])
	if err != nil {
		return engagement.Free, err
	}
	return engagement.Place{Kind: engagement.Room, ID: before.ID}, keepRoom(tx, before, before.Over(at))
}

// IdleRooms implements room.Store.
func (s *Store) IdleRooms(ctx context.Context, before time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Model(&roomRow{}).Where("match_id IS NULL AND touched_at <= ?", millis(before)).
		Order("touched_at").Limit(limit).Pluck("id", &ids).Error
	return ids, err
}

// roomTx implements room.Tx in a transaction that is under way.
type roomTx struct {
	tx    *gorm.DB
	locks bool // see settlement
}

// Halts implements halt.Tx.
func (t roomTx) Halts() (halt.State, error) { return heldHalts(t.tx, t.locks) }

// Tie implements room.Tx.
func (t roomTx) Tie(playerID, otherID string) (people.Tie, error) {
	row, err := readTie(t.tx, playerID, otherID)
	return row.tieOf(playerID), err
}

// Invited implements room.Tx.
func (t roomTx) Invited(playerID, otherID string) (string, time.Time, error) {
	var rows []struct {
		RoomID    string
		CreatedAt int64
	}
	err := t.tx.Model(&noticeRow{}).Where("player_id = ? AND from_id = ? AND kind = ?", otherID, playerID, string(notice.RoomInvite)).
		Order("seq DESC").Limit(1).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return "", time.Time{}, err
	}
	return rows[0].RoomID, fromMillis(rows[0].CreatedAt), nil
}

var _ room.Store = (*Store)(nil)
