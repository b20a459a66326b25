package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

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
func fingerprint(t testing.TB, s *store.Store) string {
	t.Helper()
	sum := sha256.New()
	for _, line := range query(t, s, `SELECT player_id, rank, prize, moved, next_division, next_level FROM league_scores ORDER BY player_id`) {
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
			l := newLeagues(t, s)
			began := time.Now()
			lap := func(what string) {
				t.Logf("%s: %s", what, time.Since(began).Round(time.Millisecond))
				began = time.Now()
			}
			storetest.FillLeague(t, s, players)
			lap("filled")
			killed := 0
			for longest := int64(10); ; longest = longest * 5 / 4 {
				ctx := newMortal(t.Context(), 1+random.Int64N(longest))
				closed, err := l.closer(week(1).Add(time.Hour)).CloseDue(ctx)
				ctx.end()
				if err == nil {
					if len(closed) != 1 {
						t.Errorf("closed %v", closed)
					}
					break
				}
				killed++
			}
			lap(fmt.Sprintf("killed %d times", killed))
			if killed < 20 {
				t.Errorf("killed only %d times", killed)
			}
			groups := players / 30
			coins := groups/5*3*600 + groups/5*1200 + groups/5*2400
			l.rows(`SELECT COUNT(*), SUM(prize), COUNT(CASE WHEN rank = 0 THEN 1 END) FROM league_scores`, fmt.Sprintf("%d %d 0", players, coins))
			l.rows(`SELECT COUNT(*), SUM(e.amount) FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.amount > 0 WHERE t.kind = 'prize'`,
				fmt.Sprintf("%d %d", groups*3, coins))
			l.rows(`SELECT COUNT(*), MAX(seq) FROM notices`, fmt.Sprintf("%d 1", players))
			l.rows(`SELECT moved, COUNT(*) FROM league_scores WHERE division = 'silver' GROUP BY moved ORDER BY moved`,
				fmt.Sprintf("-1 %d", groups/5*8), fmt.Sprintf("0 %d", groups/5*14), fmt.Sprintf("1 %d", groups/5*8))
			// Worked out by the database itself, the ranks are the same.
			l.rows(`SELECT COUNT(*) FROM (SELECT rank AS kept, ROW_NUMBER() OVER (PARTITION BY season, division, group_no
				ORDER BY points DESC, reached_at, player_id) AS worked_out FROM league_scores) AS ranks WHERE kept <> worked_out`, "0")
			addsUp(t, s)
			lap("checked")

			// Again, with another end of everybody: nothing is different.
			before := fingerprint(t, s)
			if got := l.close(week(1).Add(time.Hour)); len(got) > 0 {
				t.Errorf("closed %v again", got)
			}
			exec(t, s, `UPDATE league_seasons SET state = 'closing', closed_at = 0`)
			if got := l.close(week(1).Add(time.Hour)); strings.Join(got, "") != "2026-02-23" {
				t.Errorf("closed %v", got)
			}
			if got := fingerprint(t, s); got != before {
				t.Error("the ranks have changed")
			}
			l.rows(`SELECT COUNT(*) FROM transfers WHERE kind = 'prize'`, fmt.Sprint(groups*3))
			lap("again")
		})
	}
}
