package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type standingRow struct {
	PlayerID       string `gorm:"primaryKey"`
	Welcomed       bool
	Experience     int64
	DailyDay       string
	DailyStreak    int
	VipUntil       int64
	BoosterUntil   int64
	BoosterMatches int
	BoostersHeld   int
	FriendsDay     string
	FriendsCoins   int64
	Version        int
}

func (standingRow) TableName() string { return "standings" }

// Standing implements reward.Store.
func (s *Store) Standing(ctx context.Context, playerID string) (reward.Standing, error) {
	return standing(s.reading(ctx), playerID)
}

func standing(db *gorm.DB, playerID string) (reward.Standing, error) {
	var r standingRow
	err := db.Where("player_id = ?", playerID).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return reward.Standing{PlayerID: playerID}, nil
	}
	return r.domain(), err
}

func (r *standingRow) domain() reward.Standing {
	return reward.Standing{
		PlayerID: r.PlayerID, Welcomed: r.Welcomed, Experience: r.Experience, DailyDay: r.DailyDay, DailyStreak: r.DailyStreak,
		VIPUntil: fromMillis(r.VipUntil), BoosterUntil: fromMillis(r.BoosterUntil),
		BoosterMatches: r.BoosterMatches, BoostersHeld: r.BoostersHeld,
		FriendsDay: r.FriendsDay, FriendsCoins: r.FriendsCoins, Version: r.Version,
	}
}

// Change implements reward.Store.
func (s *Store) Change(ctx context.Context, playerID string, decide func(*reward.Standing) (*wallet.Transfer, error)) (reward.Standing, error) {
	var kept reward.Standing
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) (err error) {
		t := &settlement{tx: tx, locks: s.kind == Postgres, players: []string{playerID}}
		if kept, err = t.Standing(playerID); err != nil {
			return err
		}
		changed := kept
		transfer, err := decide(&changed)
		if err != nil {
			return err
		}
		if err := t.Commit(transfer, changed); err != nil {
			return err
		}
		if err := t.flush(); err != nil {
			return err
		}
		kept = changed
		kept.Version++
		return nil
	})
	if err != nil && !errors.Is(err, errPosted) {
		return reward.Standing{}, err
	}
	return kept, nil
}

// errPosted gives up a transaction whose transfer was posted before.
var errPosted = errors.New("store: the transfer was posted before")

// commit changes standings, then posts. Always in this order, which is that of a
// settlement too: one that reads a standing holds it before it posts, and whoever went
// the other way would wait for it in a circle.
func commit(tx *gorm.DB, standings []reward.Standing, transfers []*wallet.Transfer) error {
	if err := keepStandings(tx, standings); err != nil {
		return err
	}
	fresh, err := postAll(tx, transfers...)
	if err != nil || fresh == len(transfers) {
		return err
	}
	for _, t := range transfers {
		if _, err := posted(tx, t); err != nil {
			return err
		}
	}
	return errPosted
}

// keepStandings keeps standings of different players whose rows are held. Their versions
// say whether they were: if one day they are not, nothing is lost without a word.
func keepStandings(tx *gorm.DB, standings []reward.Standing) error {
	if len(standings) == 0 {
		return nil
	}
	rows := make([]standingRow, len(standings))
	for i, s := range standings {
		rows[i] = standingRow{
			PlayerID: s.PlayerID, Welcomed: s.Welcomed, Experience: s.Experience, DailyDay: s.DailyDay, DailyStreak: s.DailyStreak,
			VipUntil: millis(s.VIPUntil), BoosterUntil: millis(s.BoosterUntil),
			BoosterMatches: s.BoosterMatches, BoostersHeld: s.BoostersHeld,
			FriendsDay: s.FriendsDay, FriendsCoins: s.FriendsCoins, Version: s.Version + 1,
		}
	}
	result := tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "player_id"}}, UpdateAll: true,
		Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("standings.version = excluded.version - 1")}},
	}).Create(&rows)
	if result.Error == nil && result.RowsAffected != int64(len(rows)) {
		return errors.New("store: a standing has changed while it was held")
	}
	return result.Error
}

// settlement implements reward.Tx in a transaction that is under way. What it is given
// it keeps at the end, in flush, all players' in one go.
type settlement struct {
	tx *gorm.DB
	// locks says whether a row that is read stays as it is until the end. SQLite has
	// one writer, and drops FOR UPDATE without a word.
	locks bool
	// The match, and its players by their identifiers in order.
	match   string
	players []string

	standings map[string]reward.Standing // read, and changed, so far
	changed   []string                   // of the standings, whose
	transfers []*wallet.Transfer
	gave      map[string]int64 // to whom
}

// Version implements reward.Tx.
func (t *settlement) Version(number int) (*economy.Version, error) {
	return oneVersion(t.tx.Where("number = ?", number))
}

// Standing implements reward.Tx. The first one that is asked for reads all players'.
func (t *settlement) Standing(playerID string) (reward.Standing, error) {
	if t.standings == nil {
		if err := t.read(); err != nil {
			return reward.Standing{}, err
		}
	}
	s, ok := t.standings[playerID]
	if !ok {
		return s, fmt.Errorf("store: player %s is not in the match that ends", playerID)
	}
	return s, nil
}

func (t *settlement) read() error {
	db := t.tx
	if t.locks {
		db = db.Clauses(clause.Locking{Strength: "UPDATE"})
	}
	var rows []standingRow
	read := func() error {
		return db.Where("player_id IN ?", t.players).Order("player_id").Find(&rows).Error
	}
	if err := read(); err != nil {
		return err
	}
	if len(rows) < len(t.players) {
		// A row that is not there cannot be held.
		fresh := make([]standingRow, len(t.players))
		for i, id := range t.players {
			fresh[i] = standingRow{PlayerID: id, Version: 1}
		}
		if err := t.tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
	t.standings = make(map[string]reward.Standing, len(rows))
	for _, r := range rows {
		t.standings[r.PlayerID] = r.domain()
	}
	return nil
}

// Post implements reward.Tx.
func (t *settlement) Post(transfer *wallet.Transfer) error {
	t.transfers = append(t.transfers, transfer)
	return nil
}

// Commit implements reward.Tx.
func (t *settlement) Commit(transfer *wallet.Transfer, s reward.Standing) error {
	if !slices.Contains(t.changed, s.PlayerID) {
		t.changed = append(t.changed, s.PlayerID)
	}
	t.standings[s.PlayerID] = s
	if transfer != nil {
		t.transfers = append(t.transfers, transfer)
	}
	return nil
}

// Gave implements reward.Tx.
func (t *settlement) Gave(playerID string, coins int64) {
	if t.gave == nil {
		t.gave = make(map[string]int64, len(t.players))
	}
	t.gave[playerID] = coins
}

// keepGiven writes down at the match what it has given.
func (t *settlement) keepGiven() error {
	if len(t.gave) == 0 {
		return nil
	}
	var set strings.Builder
	var args []any
	for _, id := range t.players {
		if coins, ok := t.gave[id]; ok {
			set.WriteString(" WHEN ? THEN CAST(? AS BIGINT)")
			args = append(args, id, coins)
		}
	}
	return t.tx.Exec(`UPDATE match_seats SET reward = CASE player_id`+set.String()+` END WHERE match_id = ? AND player_id IS NOT NULL`,
		append(args, t.match)...).Error
}

// flush keeps what has been given.
func (t *settlement) flush() error {
	if err := t.keepGiven(); err != nil {
		return err
	}
	slices.Sort(t.changed)
	standings := make([]reward.Standing, len(t.changed))
	for i, id := range t.changed {
		standings[i] = t.standings[id]
	}
	return commit(t.tx, standings, t.transfers)
}

var _ reward.Store = (*Store)(nil)
