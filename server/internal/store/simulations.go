package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/simulation"
)

// SimulationStore is the store as simulations see it: what happened, and the runs.
type SimulationStore struct{ s *Store }

// Simulations returns the simulations' part of the store.
func (s *Store) Simulations() SimulationStore { return SimulationStore{s} }

// Version implements simulation.Facts.
func (f SimulationStore) Version(ctx context.Context, number int) (*economy.Version, error) {
	return f.s.Version(ctx, number)
}

// LiveVersion implements simulation.Facts.
func (f SimulationStore) LiveVersion(ctx context.Context, at time.Time) (*economy.Version, error) {
	return f.s.LiveVersion(ctx, at)
}

// settled are the matches that have been settled in a time. The literal 'over', so that
// both databases see that the partial index answers.
const settled = ` m.status = 'over' AND m.mode IN ('online', 'friends', 'staked') AND m.result NOT LIKE '%"void"%' AND m.ended_at < ? AND `

// CountMatches implements simulation.Facts.
func (f SimulationStore) CountMatches(ctx context.Context, from, to time.Time) (n int64, err error) {
	err = f.s.reading(ctx).Raw(`SELECT COUNT(*) FROM matches m WHERE`+settled+`m.ended_at >= ?`, millis(to), millis(from)).Scan(&n).Error
	return n, err
}

// settledQuery has a match with its four seats in one row: four rows would cost the
// driver more than the columns do.
var settledQuery = func() string {
	columns, joins := "m.id, m.mode, m.economy, m.ended_at, m.result", ""
	for seat := range 4 {
		s := fmt.Sprintf("s%d", seat)
		for _, c := range []string{"player_id", "reward", "vip_until", "booster_until", "booster_matches", "friends_day", "friends_coins"} {
			columns += ", " + s + "." + c
		}
		joins += fmt.Sprintf(" JOIN match_seats %[1]s ON %[1]s.match_id = m.id AND %[1]s.seat = %[2]d", s, seat)
	}
	return "SELECT " + columns + " FROM matches m" + joins + " WHERE" + settled + "(m.ended_at, m.id) > (?, ?) ORDER BY m.ended_at, m.id LIMIT ?"
}()

// each has f scan every row of a query. There are too many of these for GORM, which takes
// longer to find a row's columns than all the rest.
func each(db *gorm.DB, query string, args []any, f func(*sql.Rows) error) error {
	rows, err := db.Raw(query, args...).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// SettledMatches implements simulation.Facts.
func (f SimulationStore) SettledMatches(ctx context.Context, behind simulation.Mark, to time.Time, limit int) ([]simulation.Match, error) {
	matches := make([]simulation.Match, 0, limit)
	var mode, result string
	var endedAt int64
	var seats [4]struct {
		player, friendsDay                                          sql.NullString
		coins, vipUntil, boosterUntil, boosterMatches, friendsCoins sql.NullInt64
	}
	var m simulation.Match
	places := []any{&m.ID, &mode, &m.Economy, &endedAt, &result}
	for i := range seats {
		s := &seats[i]
		places = append(places, &s.player, &s.coins, &s.vipUntil, &s.boosterUntil, &s.boosterMatches, &s.friendsDay, &s.friendsCoins)
	}
	err := each(f.s.reading(ctx), settledQuery, []any{millis(to), millis(behind.At), behind.ID, limit}, func(rows *sql.Rows) error {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		var how match.Result
		if err := json.Unmarshal([]byte(result), &how); err != nil {
			return fmt.Errorf("store: match %s: %w", m.ID, err)
		}
		m.Mode, m.EndedAt, m.Winner = economy.Mode(mode), fromMillis(endedAt), how.Winner
		for i := range seats {
			s := &seats[i]
			m.Seats[i] = simulation.Seat{}
			if !s.player.Valid {
				continue
			}
			m.Seats[i] = simulation.Seat{PlayerID: s.player.String, Missed: how.Missed[i], Coins: s.coins.Int64, Known: s.vipUntil.Valid}
			if s.vipUntil.Valid {
				m.Seats[i].Before = reward.Standing{
					PlayerID: s.player.String, VIPUntil: fromMillis(s.vipUntil.Int64), BoosterUntil: fromMillis(s.boosterUntil.Int64),
					BoosterMatches: int(s.boosterMatches.Int64), FriendsDay: s.friendsDay.String, FriendsCoins: s.friendsCoins.Int64,
				}
			}
		}
		matches = append(matches, m)
		return nil
	})
	return matches, err
}

const deedsQuery = `
SELECT player_id, version, at, kind, economy, coins, begun, boosters, days,
	vip_until, booster_until, booster_matches, boosters_held, daily_day, daily_streak
FROM standing_deeds WHERE at < ? AND (at, player_id, version) > (?, ?, ?) ORDER BY at, player_id, version LIMIT ?`

// Deeds implements simulation.Facts.
func (f SimulationStore) Deeds(ctx context.Context, behind simulation.Mark, to time.Time, limit int) ([]simulation.Deed, error) {
	deeds := make([]simulation.Deed, 0, limit)
	var r deedRow
	places := []any{
		&r.PlayerID, &r.Version, &r.At, &r.Kind, &r.Economy, &r.Coins, &r.Begun, &r.Boosters, &r.Days,
		&r.VipUntil, &r.BoosterUntil, &r.BoosterMatches, &r.BoostersHeld, &r.DailyDay, &r.DailyStreak,
	}
	err := each(f.s.reading(ctx), deedsQuery, []any{millis(to), millis(behind.At), behind.ID, behind.Version, limit}, func(rows *sql.Rows) error {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		deeds = append(deeds, simulation.Deed{PlayerID: r.PlayerID, Version: r.Version, Deed: reward.Deed{
			Kind: reward.DeedKind(r.Kind), At: fromMillis(r.At), Economy: r.Economy, Coins: r.Coins,
			Start: r.Begun, Boosters: r.Boosters, Days: r.Days,
			Before: reward.Standing{
				PlayerID: r.PlayerID, VIPUntil: fromMillis(r.VipUntil), BoosterUntil: fromMillis(r.BoosterUntil),
				BoosterMatches: r.BoosterMatches, BoostersHeld: r.BoostersHeld, DailyDay: r.DailyDay, DailyStreak: r.DailyStreak,
			},
		}})
		return nil
	})
	return deeds, err
}

// EachSale implements simulation.Facts.
func (f SimulationStore) EachSale(ctx context.Context, from, to time.Time, tell func(simulation.Sale)) error {
	return each(f.s.reading(ctx),
		`SELECT player_id, sku, paid_at, goods, given_coins FROM orders WHERE given_coins > 0 AND paid_at >= ? AND paid_at < ? ORDER BY id`,
		[]any{millis(from), millis(to)}, func(rows *sql.Rows) error {
			var s simulation.Sale
			var at int64
			var text string
			if err := rows.Scan(&s.PlayerID, &s.SKU, &at, &text, &s.Given); err != nil {
				return err
			}
			var goods shop.Goods
			if err := json.Unmarshal([]byte(text), &goods); err != nil {
				return err
			}
			s.At, s.Promised = fromMillis(at), goods.Coins
			tell(s)
			return nil
		})
}

// SeasonsIn implements simulation.Facts.
func (f SimulationStore) SeasonsIn(ctx context.Context, from, to time.Time) ([]league.Season, error) {
	var rows []seasonRow
	err := f.s.reading(ctx).Where("starts_at < ? AND (ends_at > ? OR closed_at >= ? OR state <> 'closed')", millis(to), millis(from), millis(from)).
		Order("id").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	seasons := make([]league.Season, len(rows))
	for i, r := range rows {
		seasons[i] = r.domain()
	}
	return seasons, nil
}

// EachScore implements simulation.Facts.
func (f SimulationStore) EachScore(ctx context.Context, seasonID string, tell func(league.Score)) error {
	return each(f.s.reading(ctx),
		`SELECT player_id, division, group_no, points, matches, first_at, reached_at, rank, prize FROM league_scores WHERE season = ?`,
		[]any{seasonID}, func(rows *sql.Rows) error {
			r := scoreRow{Season: seasonID}
			err := rows.Scan(&r.PlayerID, &r.Division, &r.GroupNo, &r.Points, &r.Matches, &r.FirstAt, &r.ReachedAt, &r.Rank, &r.Prize)
			if err == nil {
				tell(r.domain())
			}
			return err
		})
}

// EachPlace implements simulation.Facts.
func (f SimulationStore) EachPlace(ctx context.Context, before string, tell func(string, league.Place)) error {
	return each(f.s.reading(ctx), `
SELECT s.player_id, s.next_division, s.next_level FROM league_scores s
JOIN (SELECT player_id, MAX(season) AS season FROM league_scores WHERE rank > 0 AND season < ? GROUP BY player_id) AS last
	ON last.player_id = s.player_id AND last.season = s.season`,
		[]any{before}, func(rows *sql.Rows) error {
			var id string
			var p league.Place
			err := rows.Scan(&id, &p.Division, &p.Level)
			if err == nil {
				tell(id, p)
			}
			return err
		})
}

type simulationRow struct {
	ID          string `gorm:"primaryKey"`
	Document    string
	Fingerprint string
	Source      string
	Live        int
	FromAt      int64
	ToAt        int64
	Author      string
	State       string
	Done        int64
	Total       int64
	CancelAsked bool
	StartedAt   int64
	BeatAt      int64
	EndedAt     int64
	Result      *string
}

func (simulationRow) TableName() string { return "simulations" }

func (r *simulationRow) domain() (*simulation.Run, error) {
	run := &simulation.Run{
		ID: r.ID, Document: []byte(r.Document), Fingerprint: r.Fingerprint, Source: r.Source, Live: r.Live,
		From: fromMillis(r.FromAt), To: fromMillis(r.ToAt),
		Author: r.Author, State: simulation.State(r.State), Done: r.Done, Total: r.Total,
		StartedAt: fromMillis(r.StartedAt), BeatAt: fromMillis(r.BeatAt), EndedAt: fromMillis(r.EndedAt),
	}
	if r.Result != nil {
		run.Result = new(simulation.Result)
		if err := json.Unmarshal([]byte(*r.Result), run.Result); err != nil {
			return nil, fmt.Errorf("store: simulation %s: %w", r.ID, err)
		}
	}
	return run, nil
}

// AddRun implements simulation.Runs.
func (f SimulationStore) AddRun(ctx context.Context, r *simulation.Run) error {
	result := f.s.writing(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&simulationRow{
		ID: r.ID, Document: string(r.Document), Fingerprint: r.Fingerprint, Source: r.Source, Live: r.Live,
		FromAt: millis(r.From), ToAt: millis(r.To),
		Author: r.Author, State: string(r.State), Done: r.Done, Total: r.Total, StartedAt: millis(r.StartedAt), BeatAt: millis(r.BeatAt),
	})
	if result.Error == nil && result.RowsAffected != 1 {
		return fault.New(simulation.CodeRunning, "Another simulation is running. Wait for it, or end it.")
	}
	return result.Error
}

var errSimulationOver = fault.New(simulation.CodeOver, "The simulation is over.")

// Beat implements simulation.Runs.
func (f SimulationStore) Beat(ctx context.Context, id string, done, total int64, at time.Time) (cancelled bool, err error) {
	var rows []simulationRow
	err = f.s.writing(ctx).Raw(`UPDATE simulations SET done = ?, total = ?, beat_at = ? WHERE id = ? AND state = 'running' RETURNING cancel_asked`,
		done, total, millis(at), id).Scan(&rows).Error
	if err == nil && len(rows) == 0 {
		err = errSimulationOver
	}
	return err == nil && rows[0].CancelAsked, err
}

// EndRun implements simulation.Runs.
func (f SimulationStore) EndRun(ctx context.Context, r *simulation.Run) error {
	var result *string
	if r.State == simulation.Done {
		text, err := json.Marshal(r.Result)
		if err != nil {
			return err
		}
		s := string(text)
		result = &s
	}
	return f.s.writing(ctx).Exec(`UPDATE simulations SET state = ?, done = ?, total = ?, ended_at = ?, result = ? WHERE id = ? AND state = 'running'`,
		string(r.State), r.Done, r.Total, millis(r.EndedAt), result, r.ID).Error
}

// CancelRun implements simulation.Runs.
func (f SimulationStore) CancelRun(ctx context.Context, id string) error {
	result := f.s.writing(ctx).Exec(`UPDATE simulations SET cancel_asked = TRUE WHERE id = ? AND state = 'running'`, id)
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	if _, err := f.Run(ctx, id); err != nil {
		return err
	}
	return errSimulationOver
}

// LoseRuns implements simulation.Runs.
func (f SimulationStore) LoseRuns(ctx context.Context, since, at time.Time) error {
	// Asked for first: whoever looks at a run again and again should not write each time.
	var silent int64
	const which = `state = 'running' AND beat_at < ?`
	err := f.s.reading(ctx).Model(&simulationRow{}).Where(which, millis(since)).Count(&silent).Error
	if err != nil || silent == 0 {
		return err
	}
	return f.s.writing(ctx).Exec(`UPDATE simulations SET state = 'lost', ended_at = ? WHERE `+which, millis(at), millis(since)).Error
}

// Run implements simulation.Runs.
func (f SimulationStore) Run(ctx context.Context, id string) (*simulation.Run, error) {
	return oneRun(f.s.reading(ctx).Where("id = ?", id))
}

func oneRun(query *gorm.DB) (*simulation.Run, error) {
	var row simulationRow
	if err := query.Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such simulation.")
	}
	return row.domain()
}

// Runs implements simulation.Runs.
func (f SimulationStore) Runs(ctx context.Context, before string, limit int) ([]*simulation.Run, error) {
	var rows []simulationRow
	err := older(f.s.reading(ctx).Omit("document", "result"), before).Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	runs := make([]*simulation.Run, len(rows))
	for i := range rows {
		if runs[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// NewestRun implements simulation.Runs.
func (f SimulationStore) NewestRun(ctx context.Context, fingerprint string, live int) (*simulation.Run, error) {
	return oneRun(f.s.reading(ctx).Where("fingerprint = ? AND live = ? AND state = 'done'", fingerprint, live).Order("id DESC"))
}

var _ simulation.Store = SimulationStore{}
