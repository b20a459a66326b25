package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func (r playerRow) person() people.Person {
	return people.Person{ID: r.ID, Name: r.Name, Avatar: r.Avatar}
}

// NameOf implements people.Store.
func (s *Store) NameOf(ctx context.Context, playerID string) (string, time.Time, error) {
	p, err := s.PlayerByID(ctx, playerID)
	return p.Name, p.RenamedAt, err
}

// ChangePlayer implements people.Store.
func (s *Store) ChangePlayer(ctx context.Context, playerID string, rename *people.Rename, avatar, language *string) error {
	changes := map[string]any{}
	if avatar != nil {
		changes["avatar"] = *avatar
	}
	if language != nil {
		changes["language"] = *language
	}
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if rename != nil {
			if err := changeName(tx, playerID, rename); err != nil {
				return err
			}
		}
		query := living(tx.Model(&playerRow{})).Where("id = ?", playerID)
		if len(changes) == 0 {
			return nil
		}
		result := query.Updates(changes)
		if result.Error == nil && result.RowsAffected == 0 {
			return errNoPlayer
		}
		return result.Error
	})
}

// changeName asks before it writes whether the name is free: a unique violation
// would end the transaction on PostgreSQL. Of two who ask at the same time the
// index lets one have it.
func changeName(tx *gorm.DB, playerID string, rename *people.Rename) error {
	key := name.Key(rename.To)
	var taken int64
	if err := tx.Model(&playerRow{}).Where("name_key = ? AND id <> ?", key, playerID).Count(&taken).Error; err != nil {
		return err
	}
	if taken > 0 {
		return errNameTaken
	}
	result := living(tx.Model(&playerRow{})).Where("id = ? AND name = ?", playerID, rename.From).
		Updates(map[string]any{"name": rename.To, "name_key": key, "renamed_at": millis(rename.At)})
	if isDuplicate(result.Error) {
		return errNameTaken
	}
	if result.Error == nil && result.RowsAffected == 0 {
		return &fault.Error{Code: fault.NameTooSoon, Field: "name", Message: "The name has just been changed."}
	}
	return result.Error
}

// isDuplicate says whether a unique index refused the row.
func isDuplicate(err error) bool {
	var code interface{ Code() int } // of SQLite
	var state interface{ SQLState() string }
	const sqliteUnique = 2067
	return errors.As(err, &code) && code.Code() == sqliteUnique || errors.As(err, &state) && state.SQLState() == "23505"
}

// Profile implements people.Store.
func (s *Store) Profile(ctx context.Context, playerID string) (people.Profile, error) {
	var row playerRow
	err := living(s.reading(ctx)).Where("id = ?", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return people.Profile{}, errNoPlayer
	}
	if err != nil {
		return people.Profile{}, err
	}
	var stats []statsRow
	if err := s.reading(ctx).Where("player_id = ?", playerID).Find(&stats).Error; err != nil {
		return people.Profile{}, err
	}
	p := people.Profile{Person: row.person(), CreatedAt: fromMillis(row.CreatedAt)}
	for _, r := range stats {
		p.Stats = append(p.Stats, people.Stats{
			Rules: r.Rules, Played: r.Played, Won: r.Won, Hands: r.Hands, HandsWon: r.HandsWon, BidsMade: r.BidsMade, BidsLost: r.BidsLost,
		})
	}
	// The presets in their order, the house's rules last.
	place := func(name string) int {
		if preset, ok := rules.ParsePreset(name); ok {
			return int(preset)
		}
		return len(rules.Presets())
	}
	slices.SortFunc(p.Stats, func(a, b people.Stats) int { return place(a.Rules) - place(b.Rules) })
	return p, nil
}

// PersonByID implements people.Store.
func (s *Store) PersonByID(ctx context.Context, playerID string) (people.Person, error) {
	return person(living(s.reading(ctx)).Where("id = ?", playerID))
}

// PersonByName implements people.Store.
func (s *Store) PersonByName(ctx context.Context, key string) (people.Person, error) {
	return person(s.reading(ctx).Where("name_key = ?", key))
}

func person(query *gorm.DB) (people.Person, error) {
	var row playerRow
	err := living(query).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = errNoPlayer
	}
	return row.person(), err
}

type tieRow struct {
	LowID         string `gorm:"primaryKey"`
	HighID        string `gorm:"primaryKey"`
	FriendsSince  int64
	LowAskedAt    int64
	HighAskedAt   int64
	LowBlockedAt  int64
	HighBlockedAt int64
	LowToldAt     int64
	HighToldAt    int64
}

func (tieRow) TableName() string { return "ties" }

// tieOf is the pair's row as one of the two sees it.
func (r tieRow) tieOf(playerID string) people.Tie {
	t := people.Tie{
		FriendsSince: fromMillis(r.FriendsSince),
		Asked:        [2]time.Time{fromMillis(r.LowAskedAt), fromMillis(r.HighAskedAt)},
		Blocked:      [2]time.Time{fromMillis(r.LowBlockedAt), fromMillis(r.HighBlockedAt)},
		Told:         [2]time.Time{fromMillis(r.LowToldAt), fromMillis(r.HighToldAt)},
	}
	return seenFrom(r, playerID, t)
}

// set writes the tie as one of the two sees it.
func (r *tieRow) set(playerID string, t people.Tie) {
	t = seenFrom(*r, playerID, t)
	r.FriendsSince = millis(t.FriendsSince)
	r.LowAskedAt, r.HighAskedAt = millis(t.Asked[0]), millis(t.Asked[1])
	r.LowBlockedAt, r.HighBlockedAt = millis(t.Blocked[0]), millis(t.Blocked[1])
	r.LowToldAt, r.HighToldAt = millis(t.Told[0]), millis(t.Told[1])
}

// seenFrom turns a tie round if the player is the higher one, in either direction.
func seenFrom(r tieRow, playerID string, t people.Tie) people.Tie {
	if playerID == r.HighID {
		t.Asked[0], t.Asked[1] = t.Asked[1], t.Asked[0]
		t.Blocked[0], t.Blocked[1] = t.Blocked[1], t.Blocked[0]
		t.Told[0], t.Told[1] = t.Told[1], t.Told[0]
	}
	return t
}

func readTie(db *gorm.DB, playerID, otherID string) (tieRow, error) {
	row := tieRow{LowID: min(playerID, otherID), HighID: max(playerID, otherID)}
	err := db.Where("low_id = ? AND high_id = ?", row.LowID, row.HighID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = nil
	}
	return row, err
}

// Tie implements people.Store.
func (s *Store) Tie(ctx context.Context, playerID, otherID string) (people.Tie, error) {
	row, err := readTie(s.reading(ctx), playerID, otherID)
	return row.tieOf(playerID), err
}

// ChangeTie implements people.Store.
func (s *Store) ChangeTie(ctx context.Context, playerID, otherID string, f func(people.Tie) (people.Tie, *notice.Notice, error)) (told *notice.Notice, err error) {
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := s.lockPair(tx, playerID, otherID); err != nil {
			return err
		}
		row, err := readTie(tx, playerID, otherID)
		if err != nil {
			return err
		}
		before := row.tieOf(playerID)
		after, news, err := f(before)
		if err != nil {
			return err
		}
		row.set(playerID, after)
		switch after {
		case before:
		case people.Tie{}:
			err = tx.Delete(&row).Error
		default:
			err = tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
		}
		if err != nil || news == nil {
			return err
		}
		kept, err := addNotice(tx, *news)
		told = &kept
		return err
	})
	if err != nil {
		return nil, err
	}
	return told, nil
}

// lockPair has this transaction alone change what is between the two, and makes
// sure that there are two. The players' rows are locked, in their order, since the
// pair may have no row yet; SQLite has one writer anyway.
func (s *Store) lockPair(tx *gorm.DB, a, b string) error {
	query := "SELECT id FROM players WHERE id IN (?, ?) AND deleted_at = 0 ORDER BY id"
	if s.kind == Postgres {
		// Not FOR UPDATE, which would also hold up whoever refers to the players.
		query += " FOR NO KEY UPDATE"
	}
	var ids []string
	if err := tx.Raw(query, a, b).Scan(&ids).Error; err != nil {
		return err
	}
	if len(ids) != 2 {
		return errNoPlayer
	}
	return nil
}

// tieColumns are, for each list, the times that put somebody on it, for the lower
// of the pair and for the higher.
var tieColumns = map[people.List][2]string{
	people.ListFriends:  {"friends_since", "friends_since"},
	people.ListReceived: {"high_asked_at", "low_asked_at"},
	people.ListSent:     {"low_asked_at", "high_asked_at"},
	people.ListBlocked:  {"low_blocked_at", "high_blocked_at"},
}

// Ties implements people.Store.
func (s *Store) Ties(ctx context.Context, playerID string, list people.List, after string, limit int) ([]people.Related, error) {
	var rows []struct {
		ID     string
		Name   string
		Avatar string
		Since  int64
	}
	asLow, asHigh := tieColumns[list][0], tieColumns[list][1]
	err := s.reading(ctx).Raw(`
SELECT p.id, p.name, p.avatar, t.since FROM (
	SELECT high_id AS id, `+asLow+` AS since FROM ties WHERE low_id = @player AND high_id > @after AND `+asLow+` > 0
	UNION ALL
	SELECT low_id, `+asHigh+` FROM ties WHERE high_id = @player AND low_id > @after AND `+asHigh+` > 0
) t JOIN players p ON p.id = t.id ORDER BY p.id LIMIT @limit`,
		map[string]any{"player": playerID, "after": after, "limit": limit}).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	related := make([]people.Related, len(rows))
	for i, r := range rows {
		related[i] = people.Related{Person: people.Person{ID: r.ID, Name: r.Name, Avatar: r.Avatar}, Since: fromMillis(r.Since)}
	}
	return related, nil
}

// Apart implements people.Store.
func (s *Store) Apart(ctx context.Context, playerIDs []string) (bool, error) {
	var n int64
	err := s.reading(ctx).Model(&tieRow{}).
		Where("low_id IN ? AND high_id IN ? AND low_blocked_at + high_blocked_at > 0", playerIDs, playerIDs).Count(&n).Error
	return n > 0, err
}

// PlayedTogether implements people.Store.
func (s *Store) PlayedTogether(ctx context.Context, matchID, playerID, otherID string) (bool, error) {
	var n int64
	err := s.reading(ctx).Model(&seatRow{}).
		Where("match_id = ? AND player_id IN ?", matchID, []string{playerID, otherID}).Distinct("player_id").Count(&n).Error
	return n == 2, err
}

type reportRow struct {
	ID         string `gorm:"primaryKey"`
	ReporterID string
	ReportedID string
	MatchID    string
	Reason     string
	Text       string
	Status     string
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
}

func (reportRow) TableName() string { return "reports" }

// AddReport implements people.Store.
func (s *Store) AddReport(ctx context.Context, r people.Report) (people.Report, error) {
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&reportRow{
			ID: r.ID, ReporterID: r.ReporterID, ReportedID: r.ReportedID, MatchID: r.MatchID,
			Reason: string(r.Reason), Text: r.Text, Status: "open", CreatedAt: millis(r.CreatedAt),
		})
		if result.Error != nil || result.RowsAffected == 1 {
			return result.Error
		}
		var row reportRow
		err := tx.Where("reporter_id = ? AND reported_id = ? AND match_id = ? AND reason = ? AND status = 'open'",
			r.ReporterID, r.ReportedID, r.MatchID, string(r.Reason)).Take(&row).Error
		r.ID, r.Text, r.CreatedAt = row.ID, row.Text, fromMillis(row.CreatedAt)
		return err
	})
	return r, err
}

type statsRow struct {
	PlayerID string `gorm:"primaryKey"`
	Rules    string `gorm:"primaryKey"`
	Played   int
	Won      int
	Hands    int
	HandsWon int
	BidsMade int
	BidsLost int
}

func (statsRow) TableName() string { return "player_stats" }

// count adds a match that has ended to its players' statistics.
func count(tx *gorm.DB, m *match.Match, r match.Result) error {
	var rows []statsRow
	for _, p := range m.Players() {
		pair := p.Seat.Pair()
		row := statsRow{
			PlayerID: p.PlayerID, Rules: people.StatsName(m.Rules), Played: 1, Hands: r.Hands, HandsWon: r.HandsWon[pair],
			BidsMade: r.Bids[p.Seat].Made, BidsLost: r.Bids[p.Seat].Lost,
		}
		if pair == r.Winner {
			row.Won = 1
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	var more clause.Set
	for _, column := range []string{"played", "won", "hands", "hands_won", "bids_made", "bids_lost"} {
		more = append(more, clause.Assignment{
			Column: clause.Column{Name: column}, Value: gorm.Expr("player_stats." + column + " + excluded." + column),
		})
	}
	return tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "player_id"}, {Name: "rules"}}, DoUpdates: more}).Create(&rows).Error
}

// PlayerNames are what players are called, by their identifiers; who is deleted is called
// by the pseudonym.
func (s *Store) PlayerNames(ctx context.Context, ids []string) (map[string]string, error) {
	var rows []struct{ ID, Name string }
	err := s.reading(ctx).Model(&playerRow{}).Select("id, name").Where("id IN ?", ids).Scan(&rows).Error
	names := make(map[string]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, err
}
