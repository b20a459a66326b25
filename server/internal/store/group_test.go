package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
)

// gathering is a store whose log entries gather in one batch until it is let go.
type gathering struct {
	*store.Store
	letGo func()
}

func gather(s *store.Store) *gathering { return &gathering{s, s.HoldEntries()} }

// join starts an append, and returns once it is in the batch.
func (g *gathering) join(ctx context.Context, wg *sync.WaitGroup, e match.Entry, err *error) {
	e.Kind, e.Text, e.By = match.KindAct, "AO", match.ByPlayer
	before := g.Gathered()
	wg.Go(func() { *err = g.AppendLog(ctx, "match", e) })
	for g.Gathered() == before {
		runtime.Gosched()
	}
}

func TestGroupCommitsTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		g := gather(s)
		var wg sync.WaitGroup
		var errs [5]error
		for i, seq := range []int{0, 1, 1, 2, 0} {
			g.join(t.Context(), &wg, match.Entry{Seq: seq}, &errs[i])
		}
		g.letGo()
		wg.Wait()
		for i, want := range []error{nil, nil, match.ErrConflict, nil, match.ErrConflict} {
			if !errors.Is(errs[i], want) {
				t.Errorf("append %d: %v, want %v", i, errs[i], want)
			}
		}
		if log, err := s.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 3 {
			t.Errorf("kept %v, %v", log, err)
		}
		// Numbers that were taken before are so for a batch too.
		g = gather(s)
		for i, seq := range []int{2, 3} {
			g.join(t.Context(), &wg, match.Entry{Seq: seq}, &errs[i])
		}
		g.letGo()
		wg.Wait()
		if !errors.Is(errs[0], match.ErrConflict) || errs[1] != nil {
			t.Error(errs[0], errs[1])
		}
	})
}

// What the database refuses fails alone.
func TestGroupFailsAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		db, err := s.SQL()
		if err == nil {
			refuse := "CREATE TRIGGER planted BEFORE INSERT ON match_log WHEN NEW.seq = 1 BEGIN SELECT RAISE(ABORT, 'planted'); END"
			if s.Kind() == store.Postgres {
				refuse = "ALTER TABLE match_log ADD CONSTRAINT planted CHECK (seq <> 1)"
			}
			_, err = db.ExecContext(t.Context(), refuse)
		}
		if err != nil {
			t.Fatal(err)
		}
		g := gather(s)
		var wg sync.WaitGroup
		var errs [3]error
		for i := range errs {
			g.join(t.Context(), &wg, match.Entry{Seq: i}, &errs[i])
		}
		g.letGo()
		wg.Wait()
		if errs[0] != nil || errs[1] == nil || errors.Is(errs[1], match.ErrConflict) || errs[2] != nil {
			t.Error(errs)
		}
		if log, err := s.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 2 {
			t.Errorf("kept %v, %v", log, err)
		}
	})
}

// What cannot be kept at all fails together, and nothing of it is kept.
func TestGroupFailsTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		db, err := s.SQL()
		if err == nil {
			_, err = db.ExecContext(t.Context(), "ALTER TABLE match_log RENAME TO gone")
		}
		if err != nil {
			t.Fatal(err)
		}
		g := gather(s)
		var wg sync.WaitGroup
		var errs [3]error
		for i := range errs {
			g.join(t.Context(), &wg, match.Entry{Seq: i}, &errs[i])
		}
		g.letGo()
		wg.Wait()
		for i, err := range errs {
			if err == nil || errors.Is(err, match.ErrConflict) {
				t.Errorf("append %d: %v", i, err)
			}
		}
		if _, err := db.ExecContext(t.Context(), "ALTER TABLE gone RENAME TO match_log"); err != nil {
			t.Fatal(err)
		}
		if log, err := s.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 0 {
			t.Errorf("kept %v, %v", log, err)
		}
		// And the next batch is another.
		if err := s.AppendLog(t.Context(), "match", match.Entry{Kind: match.KindAct, By: match.ByBot}); err != nil {
			t.Error(err)
		}
	})
}

// One caller that gives up takes nobody's entry with it.
func TestGroupOutlivesItsCallers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		g := gather(s)
		var first, others sync.WaitGroup
		var errs [3]error
		ctx, cancel := context.WithCancel(t.Context())
		g.join(ctx, &first, match.Entry{Seq: 0}, &errs[0]) // it will write
		g.join(ctx, &others, match.Entry{Seq: 1}, &errs[1])
		g.join(t.Context(), &first, match.Entry{Seq: 2}, &errs[2])
		cancel()
		others.Wait()
		if !errors.Is(errs[1], context.Canceled) {
			t.Errorf("a caller that gave up: %v", errs[1])
		}
		g.letGo()
		first.Wait()
		if errs[0] != nil || errs[2] != nil {
			t.Error(errs[0], errs[2])
		}
		if log, err := s.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 3 {
			t.Errorf("kept %v, %v", log, err)
		}
	})
}

// Any number at once are kept, each once, whatever the batches.
func TestGroupOfMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const matches, entries = 40, 25
		var wg sync.WaitGroup
		for m := range matches {
			wg.Go(func() {
				id := string(rune('A' + m))
				for seq := range entries {
					var twice [2]error
					var both sync.WaitGroup
					for i := range twice {
						both.Go(func() {
							twice[i] = s.AppendLog(t.Context(), id, match.Entry{Seq: seq, Kind: match.KindAct, By: match.ByPlayer})
						})
					}
					both.Wait()
					if kept, refused := twice[0], twice[1]; (kept == nil) == (refused == nil) || !errors.Is(errors.Join(kept, refused), match.ErrConflict) {
						t.Errorf("match %s, entry %d: %v and %v", id, seq, kept, refused)
					}
				}
				if log, err := s.ReadLog(t.Context(), id, 0); err != nil || len(log) != entries {
					t.Errorf("match %s: %d entries, %v", id, len(log), err)
				}
			})
		}
		wg.Wait()
	})
}
