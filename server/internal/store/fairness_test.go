package store_test

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/fairness/fairnesstest"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// fillCrowd writes what a crowd has played into the tables, and the logs of some of
// it, the newest counted from 0: what is left out is not read, or too little to count.
func fillCrowd(t testing.TB, s *store.Store, c *fairnesstest.Crowd, logged func(n int, m *fairnesstest.Match) bool) {
	t.Helper()
	storetest.Tampered(s) // there is no ledger to these matches
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing once it is committed
	insert := func(into string, columns int) (add func(...any), flush func()) {
		var rows []string
		var args []any
		flush = func() {
			if len(rows) == 0 {
				return
			}
			//nolint:gosec // the tables are named below, and the rows are marks
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO "+into+" VALUES "+strings.Join(rows, ","), args...); err != nil {
				t.Fatal(into, err)
			}
			rows, args = rows[:0], args[:0]
		}
		return func(values ...any) {
			marks := make([]string, columns)
			for i := range marks {
				marks[i] = fmt.Sprint("$", len(args)+i+1)
			}
			rows, args = append(rows, "("+strings.Join(marks, ",")+")"), append(args, values...)
			if len(args) > 400 {
				flush()
			}
		}, flush
	}
	player, flushPlayers := insert("players (id, name, guest, created_at)", 4)
	rated, flushRated := insert("ratings (player_id, mu, sigma, matches, updated_at)", 5)
	for i, id := range c.IDs() {
		player(id, fmt.Sprint("Player ", i), true, 1)
	}
	flushPlayers()
	for _, id := range c.IDs() {
		if c.Rated(id) {
			rated(id, c.Rating(id).Mu, c.Rating(id).Sigma, 1, 1)
		}
	}
	flushRated()
	played, flushPlayed := insert("matches (id, rules, status, server_seed, turn_ms, bot_pause_ms, created_at, ended_at, result, mode, stake, economy)", 12)
	seat, flushSeats := insert("match_seats (match_id, seat, player_id, bot_level)", 4)
	entry, flushLog := insert(`match_log (match_id, seq, at, kind, seat, text, "by", deadline)`, 8)
	byEnd := slices.SortedFunc(slices.Values(c.Matches), func(a, b *fairnesstest.Match) int {
		return cmp.Or(b.EndedAt.Compare(a.EndedAt), strings.Compare(a.ID, b.ID))
	})
	for _, m := range byEnd {
		result, mode := fmt.Sprintf(`{"score":[1,0],"winner":%d,"hands":11}`, m.Winner), "online"
		if m.Void {
			result = `{"score":[0,0],"winner":0,"hands":0,"void":"broken"}`
		}
		if m.Stake > 0 {
			mode = "staked"
		}
		played(m.ID, `"liga"`, "over", []byte{}, 1, 1, m.CreatedAt.UnixMilli(), m.EndedAt.UnixMilli(), result, mode, m.Stake, 1)
	}
	flushPlayed()
	for n, m := range byEnd {
		for s, p := range m.Players {
			if p == "" {
				seat(m.ID, s, nil, "tabernero")
			} else {
				seat(m.ID, s, p, "")
			}
		}
		if !logged(n, m) {
			continue
		}
		at := m.CreatedAt.UnixMilli()
		entry(m.ID, 0, at, "seed", 0, "", "player", 0)
		for i, ms := range c.Gaps(m) {
			at += ms
			by := "player"
			if m.Players[i%4] == "" {
				by = "bot"
			}
			entry(m.ID, i+1, at, "act", i%4, "x", by, 0)
		}
	}
	flushSeats()
	flushLog()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

func fairnessLimits(t testing.TB) economy.Fairness {
	t.Helper()
	d, problems := economy.Parse(economy.Default())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return d.Fairness
}

// guilty is a crowd with somebody for each kind of case in it, matches with bots and
// matches that were given up.
func guilty(r *rand.Rand, people, matches int) *fairnesstest.Crowd {
	c := fairnesstest.New(r, people)
	c.Honest(matches, 0.5)
	c.WinTogether(8, 9, 100, 250, 0.95)
	c.Lose(24, 25, 60, 500, 0.97)
	c.Lose(25, 26, 60, 500, 0.97)
	c.Meet([4]int{32, 33, 34, 35}, 60)
	c.Pace(40, 150, 0.9)
	c.Meet([4]int{40, 50, 51, 52}, 3)
	c.Meet([4]int{40, 53, 54, 55}, 3)
	for i, m := range c.Matches {
		switch {
		case i%50 == 7:
			m.Void = true
		case i%9 == 3 && m.Stake == 0:
			m.Players[i%4] = ""
		}
	}
	return c
}

// The store says of the matches what counting them one by one says.
func TestFairnessFacts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		c := guilty(rand.New(rand.NewPCG(seed, 0)), 120, 400)
		fillCrowd(t, s, c, func(int, *fairnesstest.Match) bool { return true })
		ctx := t.Context()
		// A part of the time, so that its bounds matter.
		w := fairness.Window{From: fairnesstest.Begin.AddDate(0, 0, 2), To: c.Matches[len(c.Matches)/2].EndedAt}
		if w.To.Before(w.From) {
			w.To = fairnesstest.End()
		}
		players := []string{c.ID(8), c.ID(24), c.ID(32), c.ID(60), c.ID(61)}
		for name, ask := range map[string]func(fairness.Facts) (any, error){
			"played":    func(f fairness.Facts) (any, error) { return f.CountPlayed(ctx, w) },
			"partners":  func(f fairness.Facts) (any, error) { return f.Partners(ctx, w, 2) },
			"opponents": func(f fairness.Facts) (any, error) { return f.Opponents(ctx, w, 2) },
			"fours": func(f fairness.Facts) (any, error) {
				found, seen, err := f.Fours(ctx, w, 3)
				return []any{found, seen}, err
			},
			"hours": func(f fairness.Facts) (any, error) {
				all, of, err := f.MatchHours(ctx, w, players)
				return []any{all, of}, err
			},
			"played by": func(f fairness.Facts) (any, error) { return f.PlayedBy(ctx, w, players) },
			"paces":     func(f fairness.Facts) (any, error) { return f.Paces(ctx, w, 3, 40) },
			"thoughts":  func(f fairness.Facts) (any, error) { return f.Thoughts(ctx, w, c.ID(24), 3) },
			"nobody's":  func(f fairness.Facts) (any, error) { return f.Thoughts(ctx, w, "nobody", 3) },
		} {
			got, err := ask(s)
			if err != nil {
				t.Fatal(name, err)
			}
			want, err := ask(c)
			if err != nil {
				t.Fatal(name, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
			}
		}
	})
}

// fairnessWatch is a service over the store at a time.
func fairnessWatch(t testing.TB, s *store.Store, now *time.Time, l *economy.Fairness) *fairness.Service {
	t.Helper()
	w := fairness.New(s, func(context.Context) (economy.Fairness, error) { return *l, nil }, func() time.Time { return *now }, cryptorand.Reader)
	t.Cleanup(w.Stop)
	return w
}

// Searches find what is planted, again and again the same cases; a decision stays
// until there is much more of it.
func TestFairnessCases(t *testing.T) {
	// Always the same crowd: one that chance deals now and then hides what is planted.
	const seed = 7
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		c := guilty(rand.New(rand.NewPCG(seed, 0)), 120, 2500)
		fillCrowd(t, s, c, func(_ int, m *fairnesstest.Match) bool { return slices.Contains(m.Players[:], c.ID(40)) })
		now, l := fairnesstest.End(), fairnessLimits(t)
		w := fairnessWatch(t, s, &now, &l)
		if err := w.Daily(ctx); err != nil {
			t.Fatal(err)
		}
		runs, err := w.Runs(ctx, 10)
		if err != nil || len(runs) != 1 {
			t.Fatal(runs, err)
		}
		run := runs[0]
		list := func(f fairness.Filter) []*fairness.Case {
			t.Helper()
			var all []*fairness.Case
			var after *fairness.Place
			for {
				page, err := w.Cases(ctx, f, after, 2)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					return all
				}
				all = append(all, page...)
				last := page[len(page)-1]
				after = &fairness.Place{Score: last.Score, ID: last.ID}
			}
		}
		all := list(fairness.Filter{})
		if run.EndedAt.IsZero() || run.Failed || run.AskedBy != "" || run.Found != len(all) || run.New != len(all) || run.Step != run.Steps || run.Matches == 0 {
			t.Errorf("the search: %+v, with %d cases", run, len(all))
		}
		kinds := map[fairness.Kind]*fairness.Case{}
		for i, one := range all {
			kinds[one.Kind] = one
			if i > 0 && one.Score > all[i-1].Score {
				t.Errorf("case %d has a greater score than the one before", i)
			}
			if one.State != fairness.Open || !one.FirstSeen.Equal(now) || !one.LastSeen.Equal(now) || len(one.Players) == 0 {
				t.Errorf("a new case: %+v", one)
			}
			again, err := w.Case(ctx, one.ID)
			if err != nil || !reflect.DeepEqual(again, one) {
				t.Errorf("read alone: %+v, %v", again, err)
			}
		}
		for _, k := range fairness.Kinds {
			if kinds[k] == nil {
				t.Fatalf("no case of kind %s", k)
			}
			for _, one := range list(fairness.Filter{Kind: k}) {
				if one.Kind != k {
					t.Errorf("kind %s lists %+v", k, one)
				}
			}
		}
		if own := list(fairness.Filter{Player: c.ID(8)}); len(own) == 0 || slices.ContainsFunc(own, func(one *fairness.Case) bool { return !slices.Contains(one.Players, c.ID(8)) }) {
			t.Errorf("of a player: %+v", own)
		}

		// Decisions.
		pair := kinds[fairness.Pair].ID
		now = now.Add(time.Hour)
		for _, bad := range []struct {
			id            string
			state         fairness.State
			reason, field string
			code          fault.Code
		}{
			{pair, fairness.Dismissed, "", "reason", fault.InvalidRequest},
			{pair, "punished", "for good", "state", fault.InvalidRequest},
			{"none", fairness.Watching, "why", "", fault.NotFound},
		} {
			if _, _, err := w.Decide(ctx, bad.id, bad.state, bad.reason, "Ana"); fault.CodeOf(err) != bad.code {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		before, after, err := w.Decide(ctx, pair, fairness.Dismissed, "They are sisters.", "Ana")
		if err != nil || before.State != fairness.Open || after.State != fairness.Dismissed {
			t.Fatal(before.State, after.State, err)
		}
		kept, err := w.Case(ctx, pair)
		if err != nil || !reflect.DeepEqual(*kept, after) || kept.Reason != "They are sisters." || kept.DecidedBy != "Ana" || !kept.DecidedAt.Equal(now) {
			t.Errorf("dismissed: %+v, %v", kept, err)
		}
		flow := kinds[fairness.Flow].ID
		if _, _, err := w.Decide(ctx, flow, fairness.Watching, "Let us see.", "Ana"); err != nil {
			t.Fatal(err)
		}
		counts, err := w.Count(ctx)
		if err != nil || counts[fairness.Dismissed] != 1 || counts[fairness.Watching] != 1 || counts[fairness.Open] != len(all)-2 {
			t.Errorf("counts %v, %v", counts, err)
		}

		// Found again, with about as much evidence.
		now = now.Add(time.Hour)
		if err := w.Daily(ctx); err != nil {
			t.Fatal(err)
		}
		kept, err = w.Case(ctx, pair)
		if err != nil || kept.State != fairness.Dismissed || !kept.LastSeen.Equal(now) || !kept.FirstSeen.Equal(fairnesstest.End()) || kept.Reason == "" {
			t.Errorf("found again: %+v, %v", kept, err)
		}
		if again := list(fairness.Filter{}); len(again) != len(all) {
			t.Errorf("%d cases, before %d", len(again), len(all))
		}
		// A score that is enough. More evidence would be a greater score; a smaller share
		// of the same one tells as much.
		dismissed := fairness.Finding{Kind: fairness.Pair, Key: kept.Key, Players: kept.Players, Score: kept.DismissedScore * 1.6}
		news, err := s.SeeCases(ctx, []fairness.Finding{dismissed}, func(c *fairness.Case, f fairness.Finding) (*fairness.Case, bool) {
			return c, c.Seen(f, now, l.ComebackPercent)
		})
		if err != nil || news != 1 {
			t.Errorf("%d news, %v", news, err)
		}
		if kept, err = w.Case(ctx, pair); err != nil || kept.State != fairness.Open || kept.CameBack != 1 || kept.Reason == "" {
			t.Errorf("come back: %+v, %v", kept, err)
		}
		if kept, err = w.Case(ctx, flow); err != nil || kept.State != fairness.Watching {
			t.Errorf("watched: %+v, %v", kept, err)
		}
	})
}

// However many ask and work at once, there is one search, and it is made.
func TestFairnessRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		now, l := fairnesstest.End(), fairnessLimits(t)
		w := fairnessWatch(t, s, &now, &l)
		if err := w.Work(ctx); err != nil { // nothing is asked for
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		ids := make([]string, 4)
		for i := range ids {
			wg.Go(func() {
				r, _, err := w.Ask(ctx, "Ana")
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = r.ID
			})
		}
		wg.Wait()
		if slices.Sort(ids); ids[0] != ids[3] {
			t.Errorf("several searches: %v", ids)
		}
		// A process takes it and dies.
		if _, err := s.TakeRun(ctx, now.Add(-time.Minute), now); err != nil {
			t.Fatal(err)
		}
		if err := w.Work(ctx); err != nil {
			t.Fatal(err)
		}
		if runs, err := w.Runs(ctx, 5); err != nil || len(runs) != 1 || !runs[0].EndedAt.IsZero() {
			t.Fatalf("what another has: %+v, %v", runs, err)
		}
		now = now.Add(time.Hour)
		for range 3 {
			wg.Go(func() {
				if err := w.Work(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		runs, err := w.Runs(ctx, 5)
		if err != nil || len(runs) != 1 || runs[0].EndedAt.IsZero() || runs[0].Failed || runs[0].AskedBy != "Ana" {
			t.Fatalf("taken up: %+v, %v", runs, err)
		}
		if next, isNew, err := w.Ask(ctx, "Bea"); err != nil || !isNew || next.ID == runs[0].ID {
			t.Errorf("the next: %+v, %v", next, err)
		}
	})
}

// A search whose thresholds cannot be read has failed, and the next one can be asked for.
func TestFairnessRunFails(t *testing.T) {
	s := storetest.New(t, store.SQLite)
	w := fairness.New(s, func(context.Context) (economy.Fairness, error) { return economy.Fairness{}, errors.New("no economy") }, time.Now, cryptorand.Reader)
	if err := w.Daily(t.Context()); err == nil {
		t.Error("it went well")
	}
	runs, err := w.Runs(t.Context(), 5)
	if err != nil || len(runs) != 1 || !runs[0].Failed || runs[0].EndedAt.IsZero() {
		t.Errorf("%+v, %v", runs, err)
	}
}

// cpuSeconds is what the process has taken so far.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkFairness searches in a month of a hundred thousand matches among five
// thousand people.
func BenchmarkFairness(b *testing.B) {
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			c := guilty(rand.New(rand.NewPCG(1, 2)), 5000, 100_000)
			fillCrowd(b, s, c, func(n int, _ *fairnesstest.Match) bool { return n < 12_000 })
			now, l := fairnesstest.End(), fairnessLimits(b)
			w := fairnessWatch(b, s, &now, &l)
			before := cpuSeconds(b)
			for b.Loop() {
				if err := w.Daily(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			// Of this process, in which SQLite is too: PostgreSQL's own is not counted.
			b.ReportMetric((cpuSeconds(b)-before)/float64(b.N), "cpu-s/op")
			runs, err := w.Runs(b.Context(), 1)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(runs[0].Matches), "matches")
			b.ReportMetric(float64(runs[0].Found), "cases")
		})
	}
}
