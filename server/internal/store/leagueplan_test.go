package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
)

// whole is what a plan says that reads or sorts a whole table of many rows.
var whole = map[string]*regexp.Regexp{
	store.SQLite:   regexp.MustCompile(`SCAN (league_scores|players|s|p)\b|TEMP B-TREE`),
	store.Postgres: regexp.MustCompile(`Seq Scan on (league_scores|players)|Sort Key|Hash Join`),
}

// plan is how the database goes about a statement.
func plan(t testing.TB, s *store.Store, statement string) string {
	t.Helper()
	explain := "EXPLAIN "
	if s.Kind() == store.SQLite {
		explain = "EXPLAIN QUERY PLAN "
	}
	return strings.Join(query(t, s, explain+statement), "\n")
}

// leagueReads are all that players ask of the league, by what they are called here.
func leagueReads(l *league.Service, playerID string, deep *league.Score) map[string]func(testing.TB) {
	must := func(t testing.TB, err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	best := func(division string, behind *league.Score) func(testing.TB) {
		return func(t testing.TB) {
			_, entries, err := l.Best(t.Context(), "2026-02-23", division, behind, 21)
			if must(t, err); len(entries) != 21 {
				t.Fatalf("%d entries", len(entries))
			}
		}
	}
	return map[string]func(testing.TB){
		"my_week": func(t testing.TB) {
			table, err := l.Mine(t.Context(), playerID)
			if must(t, err); len(table.Ranks) != 30 {
				t.Fatalf("%d ranks", len(table.Ranks))
			}
		},
		"my_division":   func(t testing.TB) { _, err := l.Division(t.Context(), playerID); must(t, err) },
		"my_past":       func(t testing.TB) { _, err := l.Past(t.Context(), playerID, "2026-12-28", 21); must(t, err) },
		"best":          best("", nil),
		"best_bronze":   best("bronze", nil),
		"deep_page":     best("", deep),
		"deep_page_one": best("bronze", deep),
	}
}

// Whatever the league asks of a season with many players, in reading, scoring and
// closing, is found by an index: no table of players is read or sorted as a whole.
func TestLeaguePlans(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		const players = 15_000
		storetest.FillLeague(t, s, players)
		asked := s.RecordStatements()
		check := func(what string, least int) {
			t.Helper()
			statements := asked.Take()
			if len(statements) < least {
				t.Errorf("%s: %d statements, of at least %d", what, len(statements), least)
			}
			for _, statement := range statements {
				if strings.Contains(statement, `"league_seasons"`) || strings.Contains(statement, "`league_seasons`") {
					continue // a row for each week, which PostgreSQL rather reads as they are
				}
				if p := plan(t, s, statement); whole[s.Kind()].MatchString(p) {
					t.Errorf("%s: %s\n%s", what, statement, p)
				}
			}
		}
		during := l.closer(week(0).Add(72 * time.Hour))
		deep := &league.Score{Points: 40, ReachedAt: week(0).Add(20 * time.Second), PlayerID: fmt.Sprintf("01890a5d-0000-7000-8000-%012d", players/2)}
		for name, read := range leagueReads(during, fmt.Sprintf("01890a5d-0000-7000-8000-%012d", 4711), deep) {
			read(t)
			check(name, 1)
		}
		ana := addPlayer(t, s, "Ana")
		old := account.Player{ID: fmt.Sprintf("01890a5d-0000-7000-8000-%012d", 4711)}
		l.play(week(0).Add(time.Hour), ana, old)
		check("a first score and another one", 5)
		l.play(week(1), old)
		check("a score that waits", 2)
		// One group, of thousands.
		group := league.Group{SeasonID: "2026-02-23", Division: "bronze", Number: 1}
		for _, change := range []string{`UPDATE league_groups SET frozen_at = 1`, `UPDATE league_groups SET frozen_at = 0 WHERE number = 1`} {
			exec(t, s, change)
		}
		if closed := l.close(week(1).Add(time.Hour)); len(closed) != 1 {
			t.Fatal(closed)
		}
		check("a close", 8)
		if _, err := during.Group(t.Context(), group); err != nil {
			t.Fatal(err)
		}
		l.play(week(1), ana)
		check("a first score of somebody who has a division", 5)
	})
}

// The pages of a list, one behind the other, are all of it in its order, however many
// have as many points at the same moment.
func TestBestByPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s).closer(week(0))
		storetest.FillLeague(t, s, 1500)
		exec(t, s, `UPDATE league_scores SET points = 1 + points % 4, reached_at = reached_at / 30000`)
		for _, division := range []string{"", "bronze", "gold"} {
			want := query(t, s, `SELECT player_id FROM league_scores WHERE division = '`+division+`' OR '`+division+`' = ''
				ORDER BY points DESC, reached_at, player_id`)
			var got []string
			for behind := (*league.Score)(nil); ; {
				_, page, err := l.Best(t.Context(), "2026-02-23", division, behind, 97)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range page {
					got = append(got, e.PlayerID)
					if e.Name == "" {
						t.Errorf("%+v has no name", e)
					}
				}
				if len(page) < 97 {
					break
				}
				behind = &page[96].Score
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: %d of %d, or in another order", division, len(got), len(want))
			}
		}
	})
}
