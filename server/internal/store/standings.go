package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// holdingsSQL takes a player's accounts, of coins and of debt, and the player: a row
// whatever is there of it. Both databases understand its parameters.
const holdingsSQL = `
SELECT COALESCE((SELECT balance FROM accounts WHERE id = $1), 0), COALESCE((SELECT balance FROM accounts WHERE id = $2), 0),
	COALESCE(s.welcomed, FALSE), COALESCE(s.experience, 0), COALESCE(s.daily_day, ''), COALESCE(s.daily_streak, 0),
	COALESCE(s.vip_until, 0), COALESCE(s.booster_until, 0), COALESCE(s.booster_matches, 0), COALESCE(s.boosters_held, 0),
	COALESCE(s.friends_day, ''), COALESCE(s.friends_coins, 0), COALESCE(s.version, 0)
FROM (SELECT 1) AS one LEFT JOIN standings s ON s.player_id = $3`

// Holdings implements reward.Store.
func (s *Store) Holdings(ctx context.Context, playerID string) (reward.Holdings, error) {
	var has reward.Holdings
	r := standingRow{PlayerID: playerID}
	// Past GORM, which is slower than the statement: each answer about a wallet asks this.
	err := s.reading(ctx).Statement.ConnPool.QueryRowContext(ctx, holdingsSQL,
		string(wallet.Player(playerID)), string(wallet.Debt(playerID)), playerID).Scan(
		&has.Coins, &has.Debt, &r.Welcomed, &r.Experience, &r.DailyDay, &r.DailyStreak,
		&r.VipUntil, &r.BoosterUntil, &r.BoosterMatches, &r.BoostersHeld, &r.FriendsDay, &r.FriendsCoins, &r.Version)
	has.Standing = r.domain()
	return has, err
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
		kept.Deed = nil
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
	if result.Error != nil {
		return result.Error
	}
	return keepDeeds(tx, standings)
}

type deedRow struct {
	PlayerID       string `gorm:"primaryKey"`
	Version        int    `gorm:"primaryKey;autoIncrement:false"`
	At             int64
	Kind           string
	Economy        int
	Coins          int64
	Begun          bool
	Boosters       int
	Days           int
	VipUntil       int64
	BoosterUntil   int64
	BoosterMatches int
	BoostersHeld   int
	DailyDay       string
	DailyStreak    int
}

func (deedRow) TableName() string { return "standing_deeds" }

// keepDeeds keeps what was done to standings, if anything was beside a match's end.
func keepDeeds(tx *gorm.DB, standings []reward.Standing) error {
	var rows []deedRow
	for _, s := range standings {
		if s.Deed == nil {
			continue
		}
		d, b := s.Deed, s.Deed.Before
		rows = append(rows, deedRow{
			PlayerID: s.PlayerID, Version: s.Version + 1, At: millis(d.At), Kind: string(d.Kind), Economy: d.Economy, Coins: d.Coins,
			Begun: d.Start, Boosters: d.Boosters, Days: d.Days,
			VipUntil: millis(b.VIPUntil), BoosterUntil: millis(b.BoosterUntil), BoosterMatches: b.BoosterMatches, BoostersHeld: b.BoostersHeld,
			DailyDay: b.DailyDay, DailyStreak: b.DailyStreak,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Create(&rows).Error
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
	gave      map[string]given // to whom
}

// given is what a match has given a player, and the standing that it follows from; nil
// where it follows from none.
type given struct {
	coins  int64
	before *reward.Standing
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
		t.gave = make(map[string]given, len(t.players))
	}
	g := given{coins: coins}
	if s, ok := t.standings[playerID]; ok {
		g.before = &s // as it was read: it is kept behind this
	}
	t.gave[playerID] = g
}

// keepGiven takes the values of each player between its halves.
const (
	keepGivenHead = `WITH given (player_id, reward, vip_until, booster_until, booster_matches, friends_day, friends_coins) AS (VALUES `
	keepGivenTail = `)
UPDATE match_seats SET reward = given.reward, vip_until = given.vip_until, booster_until = given.booster_until,
	booster_matches = given.booster_matches, friends_day = given.friends_day, friends_coins = given.friends_coins
FROM given WHERE match_seats.match_id = ? AND match_seats.player_id = given.player_id`
)

// keepGiven writes down at the match what it has given, and what that follows from.
func (t *settlement) keepGiven() error {
	if len(t.gave) == 0 {
		return nil
	}
	args := make([]any, 0, 7*len(t.gave)+1)
	for _, id := range t.players {
		g, ok := t.gave[id]
		switch {
		case !ok:
		case g.before == nil:
			args = append(args, id, g.coins, nil, nil, nil, nil, nil)
		default:
			args = append(args, id, g.coins, millis(g.before.VIPUntil), millis(g.before.BoosterUntil), g.before.BoosterMatches,
				g.before.FriendsDay, g.before.FriendsCoins)
		}
	}
	// The casts tell PostgreSQL what it is given.
	const row = "(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS INTEGER), CAST(? AS TEXT), CAST(? AS BIGINT))"
	return t.tx.Exec(keepGivenHead+times(row, len(t.gave))+keepGivenTail, append(args, t.match)...).Error
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
