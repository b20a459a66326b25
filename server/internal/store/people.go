package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/record"
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
	return s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if rename != nil {
			if err := changeName(tx, playerID, rename); err != nil {
				return err
			}
		}
		query := tx.Model(&playerRow{}).Where("id = ?", playerID)
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
	result := tx.Model(&playerRow{}).Where("id = ? AND name = ?", playerID, rename.From).
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
	err := s.read.WithContext(ctx).Where("id = ?", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return people.Profile{}, errNoPlayer
	}
	if err != nil {
		return people.Profile{}, err
	}
	var stats []statsRow
	if err := s.read.WithContext(ctx).Where("player_id = ?", playerID).Find(&stats).Error; err != nil {
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

// PlayerByName implements people.Store.
func (s *Store) PlayerByName(ctx context.Context, key string) (people.Person, error) {
	var row playerRow
	err := s.read.WithContext(ctx).Where("name_key = ?", key).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return people.Person{}, errNoPlayer
	}
	return row.person(), err
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
func count(tx *gorm.DB, matchID string, r match.Result) error {
	var text string
	if err := tx.Model(&matchRow{}).Where("id = ?", matchID).Pluck("rules", &text).Error; err != nil {
		return err
	}
	var form any
	err := json.Unmarshal([]byte(text), &form)
	var rs rules.RuleSet
	if err == nil {
		rs, err = record.ParseRules(form)
	}
	if err != nil {
		return fmt.Errorf("store: match %s: %w", matchID, err)
	}
	// In the players' order, so that two matches that end together do not wait for
	// one another's rows in a circle.
	var seats []seatRow
	if err := tx.Where("match_id = ? AND player_id IS NOT NULL", matchID).Order("player_id, seat").Find(&seats).Error; err != nil {
		return err
	}
	for _, seat := range seats {
		pair := rules.Seat(seat.Seat).Pair()
		row := statsRow{
			PlayerID: *seat.PlayerID, Rules: people.StatsName(rs), Played: 1, Hands: r.Hands, HandsWon: r.HandsWon[pair],
			BidsMade: r.Bids[seat.Seat].Made, BidsLost: r.Bids[seat.Seat].Lost,
		}
		if pair == r.Winner {
			row.Won = 1
		}
		var more clause.Set
		for _, column := range []string{"played", "won", "hands", "hands_won", "bids_made", "bids_lost"} {
			more = append(more, clause.Assignment{
				Column: clause.Column{Name: column}, Value: gorm.Expr("player_stats." + column + " + excluded." + column),
			})
		}
		conflict := clause.OnConflict{Columns: []clause.Column{{Name: "player_id"}, {Name: "rules"}}, DoUpdates: more}
		if err := tx.Clauses(conflict).Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}
