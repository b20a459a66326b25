package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/rating"
)

// ratedMatches are the matches m that the fairness watch looks at. The literal 'over',
// not a parameter: only so do both databases see that the partial index answers.
const ratedMatches = `m.status = 'over' AND m.mode IN ('online', 'staked') AND m.ended_at >= @from AND m.ended_at < @to`

// played are those that were played to their end, with the winner.
func (s *Store) played(modes string) string {
	winner, void := `json_extract(m.result, '$.winner')`, `json_extract(m.result, '$.void')`
	if s.kind == Postgres {
		winner, void = `CAST(m.result::json ->> 'winner' AS INTEGER)`, `m.result::json ->> 'void'`
	}
	return `SELECT m.id, m.stake, m.created_at, m.ended_at, ` + winner + ` AS winner FROM matches m
	WHERE ` + ratedMatches + ` AND m.mode IN (` + modes + `) AND ` + void + ` IS NULL`
}

func within(w fairness.Window, more map[string]any) map[string]any {
	all := map[string]any{"from": millis(w.From), "to": millis(w.To)}
	for k, v := range more {
		all[k] = v
	}
	return all
}

// CountPlayed implements fairness.Facts.
func (s *Store) CountPlayed(ctx context.Context, w fairness.Window) (n int, err error) {
	err = s.reading(ctx).Raw(`SELECT COUNT(*) FROM (`+s.played(`'online', 'staked'`)+`) AS p`, within(w, nil)).Scan(&n).Error
	return n, err
}

// Partners implements fairness.Facts.
func (s *Store) Partners(ctx context.Context, w fairness.Window, atLeast int) ([]fairness.Tally, error) {
	var all []fairness.Tally
	err := s.reading(ctx).Raw(`
WITH p AS (`+s.played(`'staked'`)+`)
SELECT CASE WHEN a.player_id < b.player_id THEN a.player_id ELSE b.player_id END AS a,
	CASE WHEN a.player_id < b.player_id THEN b.player_id ELSE a.player_id END AS b,
	COUNT(*) AS matches, SUM(CASE WHEN a.seat % 2 = p.winner THEN 1 ELSE 0 END) AS wins
FROM p JOIN match_seats a ON a.match_id = p.id AND a.seat < 2 JOIN match_seats b ON b.match_id = p.id AND b.seat = a.seat + 2
WHERE a.player_id IS NOT NULL AND b.player_id IS NOT NULL
GROUP BY 1, 2 HAVING COUNT(*) >= @least ORDER BY 1, 2`, within(w, map[string]any{"least": atLeast})).Scan(&all).Error
	return all, err
}

// Opponents implements fairness.Facts.
func (s *Store) Opponents(ctx context.Context, w fairness.Window, atLeast int) ([]fairness.Tally, error) {
	var all []fairness.Tally
	// What one loses goes to the two who win in equal parts.
	err := s.reading(ctx).Raw(`
WITH p AS (`+s.played(`'staked'`)+`)
SELECT a.player_id AS a, b.player_id AS b, COUNT(*) AS matches,
	SUM(CASE WHEN a.seat % 2 = p.winner THEN 1 ELSE 0 END) AS wins,
	CAST(SUM(CASE WHEN a.seat % 2 = p.winner THEN p.stake ELSE -p.stake END) / 2 AS BIGINT) AS coins
FROM p JOIN match_seats a ON a.match_id = p.id
	JOIN match_seats b ON b.match_id = p.id AND b.seat IN ((a.seat + 1) % 4, (a.seat + 3) % 4)
WHERE a.player_id < b.player_id
GROUP BY 1, 2 HAVING COUNT(*) >= @least ORDER BY 1, 2`, within(w, map[string]any{"least": atLeast})).Scan(&all).Error
	return all, err
}

// fours are the free online matches p of four people, with their names in one text.
func (s *Store) fours() string {
	join := `group_concat(s.player_id, ',' ORDER BY s.player_id)`
	if s.kind == Postgres {
		join = `string_agg(s.player_id, ',' ORDER BY s.player_id)`
	}
	return `p AS (` + s.played(`'online'`) + `),
	met AS (SELECT p.id, p.created_at, ` + join + ` AS four FROM p JOIN match_seats s ON s.match_id = p.id
		GROUP BY p.id, p.created_at HAVING COUNT(s.player_id) = 4)`
}

// Fours implements fairness.Facts.
func (s *Store) Fours(ctx context.Context, w fairness.Window, atLeast int) (found []fairness.Four, seen int, err error) {
	var rows []struct {
		Four          string
		Matches, Seen int
	}
	err = s.reading(ctx).Raw(`
WITH `+s.fours()+`, counted AS (SELECT four, COUNT(*) AS matches FROM met GROUP BY four)
SELECT four, matches, (SELECT COUNT(*) FROM counted) AS seen FROM counted WHERE matches >= @least ORDER BY four`,
		within(w, map[string]any{"least": atLeast})).Scan(&rows).Error
	for _, r := range rows {
		four := fairness.Four{Matches: r.Matches}
		copy(four.Players[:], strings.Split(r.Four, ","))
		found, seen = append(found, four), r.Seen
	}
	return found, seen, err
}

// MatchHours implements fairness.Facts.
func (s *Store) MatchHours(ctx context.Context, w fairness.Window, players []string) (all fairness.Hours, of map[string]fairness.Hours, err error) {
	var rows []struct {
		PlayerID string
		Hour     int64
		N        int
	}
	err = s.reading(ctx).Raw(`
WITH `+s.fours()+`
SELECT '' AS player_id, created_at / 3600000 AS hour, COUNT(*) AS n FROM met GROUP BY 1, 2
UNION ALL
SELECT s.player_id, met.created_at / 3600000 AS hour, COUNT(*) AS n
FROM met JOIN match_seats s ON s.match_id = met.id WHERE s.player_id IN @players GROUP BY 1, 2`,
		within(w, map[string]any{"players": players})).Scan(&rows).Error
	all, of = fairness.Hours{}, make(map[string]fairness.Hours, len(players))
	for _, r := range rows {
		hours := all
		if r.PlayerID != "" {
			if of[r.PlayerID] == nil {
				of[r.PlayerID] = fairness.Hours{}
			}
			hours = of[r.PlayerID]
		}
		hours[r.Hour] = r.N
	}
	return all, of, err
}

// PlayedBy implements fairness.Facts.
func (s *Store) PlayedBy(ctx context.Context, w fairness.Window, players []string) ([]fairness.Played, error) {
	var rows []struct {
		ID             string
		EndedAt, Stake int64
		Winner, Seat   int
		PlayerID       *string
		Mu, Sigma      *float64
	}
	err := s.reading(ctx).Raw(`
WITH p AS (`+s.played(`'online', 'staked'`)+`)
SELECT p.id, p.ended_at, p.stake, p.winner, s.seat, s.player_id, r.mu, r.sigma
FROM p JOIN match_seats s ON s.match_id = p.id LEFT JOIN ratings r ON r.player_id = s.player_id
WHERE p.id IN (SELECT match_id FROM match_seats WHERE player_id IN @players)
ORDER BY p.ended_at, p.id, s.seat`, within(w, map[string]any{"players": players})).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	all := make([]fairness.Played, 0, len(rows)/4)
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].ID != r.ID {
			all = append(all, fairness.Played{ID: r.ID, EndedAt: fromMillis(r.EndedAt), Stake: r.Stake, Winner: r.Winner})
		}
		m := &all[len(all)-1]
		switch {
		case r.PlayerID == nil:
			m.Ratings[r.Seat] = rating.Bot()
		case r.Mu == nil:
			m.Players[r.Seat], m.Ratings[r.Seat] = *r.PlayerID, rating.New()
		default:
			m.Players[r.Seat], m.Ratings[r.Seat] = *r.PlayerID, rating.Rating{Mu: *r.Mu, Sigma: *r.Sigma}
		}
	}
	return all, nil
}

// thoughts are the actions of people in each one's newest matches, and how long each
// took: a turn begins with the entry before it.
func (s *Store) thoughts(only string) string {
	return `p AS (` + s.played(`'online', 'staked'`) + `),
	newest AS (SELECT player_id, match_id, seat, nth FROM (
		SELECT s.player_id, s.match_id, s.seat, ROW_NUMBER() OVER (PARTITION BY s.player_id ORDER BY p.ended_at DESC, p.id DESC) AS nth
		FROM p JOIN match_seats s ON s.match_id = p.id WHERE s.player_id ` + only + `) AS x WHERE nth <= @matches),
	thoughts AS (SELECT n.player_id, n.nth, n.match_id, l.seq, l.at - before.at AS ms
		FROM newest n JOIN match_log l ON l.match_id = n.match_id JOIN match_log before ON before.match_id = l.match_id AND before.seq = l.seq - 1
		WHERE l.seat = n.seat AND l.kind = 'act' AND l."by" = 'player')`
}

// Paces implements fairness.Facts.
func (s *Store) Paces(ctx context.Context, w fairness.Window, matches, atLeast int) ([]fairness.Pace, error) {
	var rows []struct {
		Player                   string
		Actions                  int
		Tenth, Median, Ninetieth int64
	}
	// The smallest time that so large a part of the actions did not exceed.
	err := s.reading(ctx).Raw(`
WITH `+s.thoughts(`IS NOT NULL`)+`,
	ranked AS (SELECT player_id, ms, ROW_NUMBER() OVER (PARTITION BY player_id ORDER BY ms) AS place, COUNT(*) OVER (PARTITION BY player_id) AS actions FROM thoughts)
SELECT player_id AS player, actions, MAX(CASE WHEN place = (actions + 9) / 10 THEN ms END) AS tenth,
	MAX(CASE WHEN place = (actions + 1) / 2 THEN ms END) AS median, MAX(CASE WHEN place = (actions * 9 + 9) / 10 THEN ms END) AS ninetieth
FROM ranked WHERE actions >= @least GROUP BY player_id, actions ORDER BY player_id`,
		within(w, map[string]any{"matches": matches, "least": atLeast})).Scan(&rows).Error
	var all []fairness.Pace
	for _, r := range rows {
		all = append(all, fairness.Pace{Player: r.Player, Actions: r.Actions, Tenth: r.Tenth, Median: r.Median, Ninetieth: r.Ninetieth})
	}
	return all, err
}

// Thoughts implements fairness.Facts.
func (s *Store) Thoughts(ctx context.Context, w fairness.Window, player string, matches int) ([]fairness.Thought, error) {
	var all []fairness.Thought
	err := s.reading(ctx).Raw(`WITH `+s.thoughts(`= @player`)+` SELECT match_id AS match, ms FROM thoughts ORDER BY nth, seq`,
		within(w, map[string]any{"matches": matches, "player": player})).Scan(&all).Error
	return all, err
}

type caseRow struct {
	ID             string `gorm:"primaryKey"`
	Kind           string
	Subject        string
	Score          float64
	Evidence       string
	State          string
	FirstSeen      int64
	LastSeen       int64
	DecidedAt      int64
	DecidedBy      string
	Reason         string
	DismissedScore float64
	CameBack       int
}

func (caseRow) TableName() string { return "fairness_cases" }

type casePlayerRow struct {
	CaseID   string `gorm:"primaryKey"`
	Place    int    `gorm:"primaryKey;autoIncrement:false"`
	PlayerID string
}

func (casePlayerRow) TableName() string { return "fairness_players" }

func newCaseRow(c *fairness.Case) (*caseRow, error) {
	evidence, err := json.Marshal(c.Evidence)
	if err != nil {
		return nil, fmt.Errorf("store: case %s: %w", c.ID, err)
	}
	return &caseRow{
		ID: c.ID, Kind: string(c.Kind), Subject: c.Key, Score: c.Score, Evidence: string(evidence), State: string(c.State),
		FirstSeen: millis(c.FirstSeen), LastSeen: millis(c.LastSeen), DecidedAt: millis(c.DecidedAt), DecidedBy: c.DecidedBy,
		Reason: c.Reason, DismissedScore: c.DismissedScore, CameBack: c.CameBack,
	}, nil
}

// casesOf turns rows into cases, with one query for all their players.
func casesOf(db *gorm.DB, rows []caseRow) ([]*fairness.Case, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	all, ids, byID := make([]*fairness.Case, len(rows)), make([]string, len(rows)), make(map[string]*fairness.Case, len(rows))
	for i, r := range rows {
		c := &fairness.Case{
			ID: r.ID, Finding: fairness.Finding{Kind: fairness.Kind(r.Kind), Key: r.Subject, Score: r.Score}, State: fairness.State(r.State),
			FirstSeen: fromMillis(r.FirstSeen), LastSeen: fromMillis(r.LastSeen), DecidedAt: fromMillis(r.DecidedAt), DecidedBy: r.DecidedBy,
			Reason: r.Reason, DismissedScore: r.DismissedScore, CameBack: r.CameBack,
		}
		if err := json.Unmarshal([]byte(r.Evidence), &c.Evidence); err != nil {
			return nil, fmt.Errorf("store: case %s: %w", r.ID, err)
		}
		all[i], ids[i], byID[r.ID] = c, r.ID, c
	}
	var players []casePlayerRow
	if err := db.Where("case_id IN ?", ids).Order("case_id, place").Find(&players).Error; err != nil {
		return nil, err
	}
	for _, p := range players {
		byID[p.CaseID].Players = append(byID[p.CaseID].Players, p.PlayerID)
	}
	return all, nil
}

// keepCase writes a case and who is involved.
func keepCase(tx *gorm.DB, c *fairness.Case) error {
	row, err := newCaseRow(c)
	if err != nil {
		return err
	}
	if err := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}).Create(row).Error; err != nil {
		return err
	}
	if err := tx.Where("case_id = ?", c.ID).Delete(&casePlayerRow{}).Error; err != nil {
		return err
	}
	players := make([]casePlayerRow, len(c.Players))
	for i, p := range c.Players {
		players[i] = casePlayerRow{CaseID: c.ID, Place: i, PlayerID: p}
	}
	return tx.Create(&players).Error
}

// SeeCases implements fairness.Store.
func (s *Store) SeeCases(ctx context.Context, found []fairness.Finding, f func(*fairness.Case, fairness.Finding) (*fairness.Case, bool)) (news int, err error) {
	// Two searches that end together, and a decision in between, take them in one order.
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b fairness.Finding) int {
		return strings.Compare(string(a.Kind)+" "+a.Key, string(b.Kind)+" "+b.Key)
	})
	err = s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if s.kind == Postgres {
			// Against another search that makes the same new case.
			if err := tx.Exec("LOCK TABLE fairness_cases IN SHARE ROW EXCLUSIVE MODE").Error; err != nil {
				return err
			}
		}
		for _, one := range found {
			var rows []caseRow
			if err := tx.Where("kind = ? AND subject = ?", string(one.Kind), one.Key).Find(&rows).Error; err != nil {
				return err
			}
			known, err := casesOf(tx, rows)
			if err != nil {
				return err
			}
			var c *fairness.Case
			if len(known) > 0 {
				c = known[0]
			}
			c, isNew := f(c, one)
			if isNew {
				news++
			}
			if err := keepCase(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
	return news, err
}

// Cases implements fairness.Store.
func (s *Store) Cases(ctx context.Context, f fairness.Filter, after *fairness.Place, limit int) ([]*fairness.Case, error) {
	query := s.reading(ctx).Order("score DESC, id").Limit(limit)
	if f.State != "" {
		query = query.Where("state = ?", string(f.State))
	}
	if f.Kind != "" {
		query = query.Where("kind = ?", string(f.Kind))
	}
	if f.Player != "" {
		query = query.Where("id IN (SELECT case_id FROM fairness_players WHERE player_id = ?)", f.Player)
	}
	if after != nil {
		query = query.Where("(score < ? OR score = ? AND id > ?)", after.Score, after.Score, after.ID)
	}
	var rows []caseRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	return casesOf(s.reading(ctx), rows)
}

// Case implements fairness.Store.
func (s *Store) Case(ctx context.Context, id string) (*fairness.Case, error) {
	return getCase(s.reading(ctx), id)
}

func getCase(db *gorm.DB, id string) (*fairness.Case, error) {
	var row caseRow
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such case.")
	}
	all, err := casesOf(db.Session(&gorm.Session{NewDB: true}), []caseRow{row})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ChangeCase implements fairness.Store.
func (s *Store) ChangeCase(ctx context.Context, id string, f func(*fairness.Case) error) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		query := tx
		if s.kind == Postgres {
			query = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
		}
		c, err := getCase(query, id)
		if err != nil {
			return err
		}
		if err := f(c); err != nil {
			return err
		}
		return keepCase(tx, c)
	})
}

// CountCases implements fairness.Store.
func (s *Store) CountCases(ctx context.Context) (map[fairness.State]int, error) {
	var rows []struct {
		State string
		N     int
	}
	err := s.reading(ctx).Raw(`SELECT state, COUNT(*) AS n FROM fairness_cases GROUP BY state`).Scan(&rows).Error
	counts := map[fairness.State]int{}
	for _, r := range rows {
		counts[fairness.State(r.State)] = r.N
	}
	return counts, err
}

type runRow struct {
	ID      string `gorm:"primaryKey"`
	AskedBy string
	AskedAt int64
	BeatAt  int64
	Step    int
	Steps   int
	EndedAt int64
	Failed  bool
	Matches int
	Found   int
	Fresh   int
}

func (runRow) TableName() string { return "fairness_runs" }

func newRunRow(r *fairness.Run) *runRow {
	return &runRow{
		ID: r.ID, AskedBy: r.AskedBy, AskedAt: millis(r.AskedAt), BeatAt: millis(r.BeatAt), Step: r.Step, Steps: r.Steps,
		EndedAt: millis(r.EndedAt), Failed: r.Failed, Matches: r.Matches, Found: r.Found, Fresh: r.New,
	}
}

func (r runRow) domain() *fairness.Run {
	return &fairness.Run{
		ID: r.ID, AskedBy: r.AskedBy, AskedAt: fromMillis(r.AskedAt), BeatAt: fromMillis(r.BeatAt), Step: r.Step, Steps: r.Steps,
		EndedAt: fromMillis(r.EndedAt), Failed: r.Failed, Matches: r.Matches, Found: r.Found, New: r.Fresh,
	}
}

// AskRun implements fairness.Store.
func (s *Store) AskRun(ctx context.Context, r *fairness.Run) (*fairness.Run, error) {
	var kept runRow
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(newRunRow(r)).Error; err != nil {
			return err
		}
		return tx.Where("ended_at = 0").Take(&kept).Error
	})
	if errors.Is(err, gorm.ErrRecordNotFound) {
		// It ended between the two statements: whoever asks now gets a new one.
		return s.AskRun(ctx, r)
	}
	return kept.domain(), err
}

// TakeRun implements fairness.Store.
func (s *Store) TakeRun(ctx context.Context, beatBefore, now time.Time) (*fairness.Run, error) {
	var rows []runRow
	err := s.writing(ctx).Raw(`UPDATE fairness_runs SET beat_at = ? WHERE ended_at = 0 AND beat_at < ? RETURNING *`,
		millis(now), millis(beatBefore)).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.NotFound, "No search waits.")
	}
	return rows[0].domain(), nil
}

// KeepRun implements fairness.Store.
func (s *Store) KeepRun(ctx context.Context, r *fairness.Run) error {
	// A search that another process has ended meanwhile stays as that has left it.
	return s.writing(ctx).Model(&runRow{}).Where("id = ? AND ended_at = 0", r.ID).Select("*").Updates(newRunRow(r)).Error
}

// Runs implements fairness.Store.
func (s *Store) Runs(ctx context.Context, limit int) ([]*fairness.Run, error) {
	var rows []runRow
	if err := s.reading(ctx).Order("asked_at DESC, id DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]*fairness.Run, len(rows))
	for i, r := range rows {
		all[i] = r.domain()
	}
	return all, nil
}

var _ fairness.Store = (*Store)(nil)
