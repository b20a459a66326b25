// Package crowd_test has the tests with very many players. They run without the race
// detector, with which they would take ten times as long: what is to be seen here is not
// goroutines that meet.
package crowd_test

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/notice"
)

// rows reads rows as text, with spaces between the columns.
func rows(t *testing.T, s *store.Store, text string) []string {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	found, err := pool.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for found.Next() {
		values, places := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := found.Scan(places...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = v.String
		}
		list = append(list, strings.Join(texts, " "))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// mortal is a context that ends when it has been asked for its end so many times:
// between any two statements, or before a commit.
type mortal struct {
	context.Context
	end  context.CancelFunc
	left *atomic.Int64
}

func newMortal(ctx context.Context, asked int64) mortal {
	m := mortal{left: new(atomic.Int64)}
	m.Context, m.end = context.WithCancel(ctx)
	m.left.Store(asked)
	return m
}

// Done implements context.Context.
func (m mortal) Done() <-chan struct{} {
	if m.left.Add(-1) == 0 {
		m.end()
	}
	return m.Context.Done()
}

// fingerprint of all ranks, prizes and moves.
func fingerprint(t *testing.T, s *store.Store) string {
	t.Helper()
	sum := sha256.New()
	for _, line := range rows(t, s, `SELECT player_id, rank, prize, moved, next_division, next_level FROM league_scores ORDER BY player_id`) {
		fmt.Fprintln(sum, line)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// The week of 200,000 players is closed by somebody who is killed again and again, wherever
// that finds them: each prize is paid once, everybody is told once, and the ranks are
// those of a close that nobody disturbs.
func TestCloseKilled(t *testing.T) {
	for kind, players := range map[string]int{store.SQLite: 200_100, store.Postgres: 6_000} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			random := rand.New(rand.NewPCG(seed, 0))
			t.Logf("seed %d", seed)
			s := storetest.New(t, kind)
			after := storetest.LeagueEnds.Add(time.Hour)
			now := func() time.Time { return after }
			e := economy.NewService(s, now)
			if err := e.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			l := league.New(s.League(), e, now, crand.Reader, func(notice.Notice) {})
			are := func(text string, want ...string) {
				t.Helper()
				if got := rows(t, s, text); !slices.Equal(got, want) {
					t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
				}
			}
			addsUp := func() {
				t.Helper()
				if found, err := s.CheckLedger(t.Context(), 10); err != nil || len(found) > 0 {
					t.Errorf("the ledger does not add up: %+v, %v", found, err)
				}
			}
			storetest.FillLeague(t, s, players)
			killed := 0
			for longest := int64(10); ; longest = longest * 5 / 4 {
				ctx := newMortal(t.Context(), 1+random.Int64N(longest))
				closed, err := l.CloseDue(ctx)
				ctx.end()
				if err == nil {
					if len(closed) != 1 {
						t.Errorf("closed %v", closed)
					}
					break
				}
				killed++
			}
			t.Logf("killed %d times", killed)
			if killed < 20 {
				t.Errorf("killed only %d times", killed)
			}
			groups := players / 30
			coins := groups/5*3*600 + groups/5*1200 + groups/5*2400
			are(`SELECT COUNT(*), SUM(prize), COUNT(CASE WHEN rank = 0 THEN 1 END) FROM league_scores`, fmt.Sprintf("%d %d 0", players, coins))
			are(`SELECT COUNT(*), SUM(e.amount) FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.amount > 0 WHERE t.kind = 'prize'`,
				fmt.Sprintf("%d %d", groups*3, coins))
			are(`SELECT COUNT(*), MAX(seq) FROM notices`, fmt.Sprintf("%d 1", players))
			are(`SELECT moved, COUNT(*) FROM league_scores WHERE division = 'silver' GROUP BY moved ORDER BY moved`,
				fmt.Sprintf("-1 %d", groups/5*8), fmt.Sprintf("0 %d", groups/5*14), fmt.Sprintf("1 %d", groups/5*8))
			// Worked out by the database itself, the ranks are the same.
			are(`SELECT COUNT(*) FROM (SELECT rank AS kept, ROW_NUMBER() OVER (PARTITION BY season, division, group_no
				ORDER BY points DESC, reached_at, player_id) AS worked_out FROM league_scores) AS ranks WHERE kept <> worked_out`, "0")
			addsUp()

			// Again, and as if the last step were missing: nothing is different.
			before := fingerprint(t, s)
			if got, err := l.CloseDue(t.Context()); err != nil || len(got) > 0 {
				t.Errorf("closed %v again, %v", got, err)
			}
			pool, err := s.SQL()
			if err == nil {
				_, err = pool.ExecContext(t.Context(), `UPDATE league_seasons SET state = 'closing', closed_at = 0`)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := l.CloseDue(t.Context()); err != nil || !slices.Equal(got, []string{"2026-02-23"}) {
				t.Errorf("closed %v, %v", got, err)
			}
			if got := fingerprint(t, s); got != before {
				t.Error("the ranks have changed")
			}
			are(`SELECT COUNT(*) FROM transfers WHERE kind = 'prize'`, fmt.Sprint(groups*3))
		})
	}
}
