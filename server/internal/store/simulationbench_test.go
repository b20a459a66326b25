package store_test

import (
	crand "crypto/rand"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/simulation"
)

// fillMatches fills four weeks with settled matches of 20,000 players, each of whom claims
// four rewards in each week that they score in, and some of whom have boosters and passes.
func fillMatches(b *testing.B, s *store.Store, matches int) {
	b.Helper()
	const players, weeks = 20_000, 4
	pool, err := s.SQL()
	if err != nil {
		b.Fatal(err)
	}
	storetest.Tampered(s) // nothing is posted
	starts := storetest.LeagueStarts.UnixMilli()
	const week = 7 * 24 * 3600 * 1000
	series := func(n int) string {
		return fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", n-1)
	}
	pad := "substr('000000000000' || CAST(%s AS TEXT), -12)"
	if s.Kind() == store.Postgres {
		pad = "lpad(CAST(%s AS TEXT), 12, '0')"
	}
	player := func(n string) string { return "'01890a5d-0000-7000-8000-' || " + fmt.Sprintf(pad, n) }
	matchID := "'01890a5d-0000-7000-9000-' || " + fmt.Sprintf(pad, "i")
	step := weeks * week / matches
	statements := []string{
		`INSERT INTO economy_versions (number, document, live_from, created_at, author, reason) VALUES (1, '` + string(economy.Default()) + `', 0, 0, '', '')`,
		`INSERT INTO players (id, name, guest, created_at) ` + series(players) + ` SELECT ` + player("i") + `, 'P', TRUE, 0 FROM n`,
		`INSERT INTO matches (id, rules, status, server_seed, turn_ms, bot_pause_ms, created_at, mode, economy, ended_at, result) ` + series(matches) +
			` SELECT ` + matchID + `, '"mesa"', 'over', '', 1, 1, 0, CASE WHEN i % 5 < 3 THEN 'online' WHEN i % 5 = 3 THEN 'friends' ELSE 'staked' END, 1,
			` + fmt.Sprint(starts) + ` + CAST(i AS BIGINT) * ` + fmt.Sprint(step) + `,
			'{"score":[11,7],"winner":' || CAST(i / 7 % 2 AS TEXT) || ',"hands":18,"handsWon":[11,7],"bids":[{"made":1,"lost":0},{"made":0,"lost":0},{"made":0,"lost":2},{"made":0,"lost":0}],"missed":[0,' || CAST(i / 11 % 4 AS TEXT) || ',0,0]}'
			FROM n`,
		`INSERT INTO match_seats (match_id, seat, player_id, bot_level, reward, vip_until, booster_until, booster_matches, friends_day, friends_coins) ` + series(4*matches) +
			` SELECT '01890a5d-0000-7000-9000-' || ` + fmt.Sprintf(pad, "(i / 4)") + `, i % 4,
			CASE WHEN i % 16 = 7 THEN NULL ELSE ` + player(fmt.Sprintf("(CAST(i AS BIGINT) * 7919 %% %d)", players)) + ` END,
			CASE WHEN i % 16 = 7 THEN 'tabernero' ELSE '' END, CASE WHEN i % 16 = 7 THEN NULL ELSE 20 END,
			CASE WHEN i % 16 = 7 THEN NULL WHEN i % 9 = 0 THEN ` + fmt.Sprint(starts+5*week) + ` ELSE 0 END,
			CASE WHEN i % 17 = 0 THEN ` + fmt.Sprint(starts+5*week) + ` ELSE 0 END, 0, '', 0 FROM n`,
		`INSERT INTO standing_deeds (player_id, version, at, kind, economy, coins, begun, boosters, days, vip_until, booster_until, booster_matches, boosters_held, daily_day, daily_streak) ` +
			series(4*weeks*players) + ` SELECT ` + player(fmt.Sprintf("(i %% %d)", players)) + `, i, ` + fmt.Sprint(starts) + ` + CAST(i AS BIGINT) * ` +
			fmt.Sprint(weeks*week/(4*weeks*players)) + `, 'daily', 1, 50, FALSE, 0, 0, 0, 0, 0, 0, '', 0 FROM n`,
	}
	for w := range weeks {
		id := storetest.LeagueStarts.Add(time.Hour).AddDate(0, 0, 7*w).Format(time.DateOnly)
		state, closed := "closed", starts+int64(w+1)*week+90_000
		statements = append(statements,
			fmt.Sprintf(`INSERT INTO league_seasons VALUES ('%s', %d, %d, 1, '%s', %d)`, id, starts+int64(w)*week, starts+int64(w+1)*week, state, closed),
			`INSERT INTO league_scores `+series(players)+` SELECT `+player("i")+`, '`+id+`', CASE WHEN i % 3 = 0 THEN 'silver' ELSE 'bronze' END, i / 30 + 1,
			1 + i % 97, 1, `+fmt.Sprint(starts)+`, `+fmt.Sprint(starts)+`, i % 30 + 1, CASE WHEN i % 30 < 3 THEN 100 ELSE 0 END, 0, 'bronze', 0 FROM n`)
	}
	for _, statement := range append(statements, `ANALYZE`) {
		if _, err := pool.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%v: %.200s", err, statement)
		}
	}
}

// aggregateSQL is what the database alone says about the same matches: what was given by
// mode, day and whether a pass worked.
const aggregateSQL = `
SELECT m.mode, m.ended_at / 86400000, s.vip_until > m.ended_at, COUNT(*), SUM(s.reward) FROM matches m JOIN match_seats s ON s.match_id = m.id
WHERE m.status = 'over' AND m.ended_at >= $1 AND m.ended_at < $2 AND s.player_id IS NOT NULL GROUP BY 1, 2, 3`

func aggregate(b *testing.B, s *store.Store, to time.Time) {
	b.Helper()
	pool, err := s.SQL()
	if err != nil {
		b.Fatal(err)
	}
	rows, err := pool.QueryContext(b.Context(), aggregateSQL, storetest.LeagueStarts.UnixMilli(), to.UnixMilli())
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n == 0 {
		b.Fatal(n, err)
	}
}

// BenchmarkSimulation simulates a draft over 100,000 settled matches, 320,000 claims and
// four weeks of the league, reading them from the database, in turns with an aggregate of
// what the matches have given by the database alone.
func BenchmarkSimulation(b *testing.B) {
	const matches = 100_000
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			fillMatches(b, s, matches)
			to := storetest.LeagueStarts.AddDate(0, 0, 29)
			service := simulation.New(s.Simulations(), func() time.Time { return to }, crand.Reader)
			var ours, theirs, busy []float64
			for b.Loop() {
				begun := time.Now()
				aggregate(b, s, to)
				theirs = append(theirs, time.Since(begun).Seconds())
				begun = time.Now()
				before := processor(b)
				run, err := service.Do(b.Context(), simulation.Ask{Document: economy.Default(), Days: 30}, func(int64, int64) {})
				if err != nil || run.Result.Matches != matches {
					b.Fatalf("%+v, %v", run, err)
				}
				ours, busy = append(ours, time.Since(begun).Seconds()), append(busy, processor(b)-before)
			}
			b.ReportMetric(median(ours), "s/simulation")
			b.ReportMetric(median(busy), "cpu-s/simulation")
			b.ReportMetric(median(theirs), "s/aggregate")
			b.ReportMetric(float64(matches)/median(ours), "matches/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// processor is how many seconds this process has had of it: on a machine that does other
// things too, that says more than the clock. What PostgreSQL has is not in it.
func processor(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
