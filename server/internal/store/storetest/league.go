package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/store"
)

// LeagueStarts and LeagueEnds are the bounds of the season that FillLeague fills:
// the week of 23 February 2026, in Madrid.
var (
	LeagueStarts = time.Date(2026, 2, 22, 23, 0, 0, 0, time.UTC)
	LeagueEnds   = LeagueStarts.AddDate(0, 0, 7)
)

// FillLeague fills a season that is open with players in groups of 30: three groups
// in five in bronze, the others in silver and gold, as the economy that ships has
// them. Many have as many points, and many of those came to them in the same second.
// Their names are Player 0 and so on.
func FillLeague(t testing.TB, s *store.Store, players int) {
	t.Helper()
	numbers := fmt.Sprintf(`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)`, players-1)
	id := `'01890a5d-0000-7000-8000-' || substr('000000000000' || CAST(n AS TEXT), -12)`
	if s.Kind() == store.Postgres {
		id = `'01890a5d-0000-7000-8000-' || lpad(CAST(n AS TEXT), 12, '0')`
	}
	starts := LeagueStarts.UnixMilli()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		numbers + ` INSERT INTO players (id, name, guest, created_at) SELECT ` + id + `, 'Player ' || CAST(n AS TEXT), true, 1 FROM numbers`,
		fmt.Sprintf(`INSERT INTO league_seasons VALUES ('2026-02-23', %d, %d, 1, 'open', 0)`, starts, LeagueEnds.UnixMilli()),
		numbers + ` INSERT INTO league_scores SELECT ` + id + `, '2026-02-23',
			CASE WHEN n / 30 % 5 < 3 THEN 'bronze' WHEN n / 30 % 5 = 3 THEN 'silver' ELSE 'gold' END,
			CASE WHEN n / 30 % 5 < 3 THEN n / 150 * 3 + n / 30 % 5 + 1 ELSE n / 150 + 1 END,
			1 + CAST(n AS BIGINT) * 31 % 97, 1, ` + fmt.Sprint(starts) + ` + n, ` + fmt.Sprint(starts) + ` + CAST(n AS BIGINT) * 17 % 53 * 1000,
			0, 0, 0, '', 0 FROM numbers`,
		`INSERT INTO league_groups SELECT season, division, group_no, COUNT(*), 0 FROM league_scores GROUP BY season, division, group_no`,
		`ANALYZE`,
	} {
		if _, err := pool.ExecContext(context.Background(), text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
}
