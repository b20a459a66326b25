package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/match"
)

// held is a store whose group cannot write until it is let go, so that entries
// gather in one batch.
type held struct {
	*Store
	t       *testing.T
	waiting int
}

func hold(t *testing.T) *held {
	t.Helper()
	s, err := openSQLite(t.Context(), Options{File: filepath.Join(t.TempDir(), "x.sqlite")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.group.writing.Lock()
	return &held{Store: s, t: t}
}

// join starts an append, and returns once it is in the batch.
func (h *held) join(ctx context.Context, wg *sync.WaitGroup, seq int, err *error) {
	e := match.Entry{Seq: seq, Kind: match.KindAct, Text: "AO", By: match.ByPlayer}
	wg.Go(func() { *err = h.AppendLog(ctx, "match", e) })
	h.waiting++
	for {
		h.group.mu.Lock()
		in := h.group.next != nil && len(h.group.next.rows) == h.waiting
		h.group.mu.Unlock()
		if in {
			return
		}
		runtime.Gosched()
	}
}

func TestGroupCommitsTogether(t *testing.T) {
	h := hold(t)
	var wg sync.WaitGroup
	var errs [5]error
	for i, seq := range []int{0, 1, 1, 2, 0} {
		h.join(t.Context(), &wg, seq, &errs[i])
	}
	h.group.writing.Unlock()
	wg.Wait()
	for i, want := range []error{nil, nil, match.ErrConflict, nil, match.ErrConflict} {
		if !errors.Is(errs[i], want) {
			t.Errorf("append %d: %v, want %v", i, errs[i], want)
		}
	}
	if log, err := h.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 3 {
		t.Errorf("kept %v, %v", log, err)
	}
}

func TestGroupFailsTogether(t *testing.T) {
	h := hold(t)
	var wg sync.WaitGroup
	var errs [3]error
	for i := range errs {
		h.join(t.Context(), &wg, i, &errs[i])
	}
	if err := h.write.Exec(fmt.Sprintf(
		"CREATE TRIGGER planted BEFORE INSERT ON match_log WHEN NEW.seq = %d BEGIN SELECT RAISE(ROLLBACK, 'planted'); END", len(errs)-1,
	)).Error; err != nil {
		t.Fatal(err)
	}
	h.group.writing.Unlock()
	wg.Wait()
	for i, err := range errs {
		if err == nil || errors.Is(err, match.ErrConflict) {
			t.Errorf("append %d: %v", i, err)
		}
	}
	if log, err := h.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 0 {
		t.Errorf("kept %v, %v", log, err)
	}
	// And the next batch is another.
	if err := h.AppendLog(t.Context(), "match", match.Entry{Kind: match.KindAct, By: match.ByBot}); err != nil {
		t.Error(err)
	}
}

// One caller that gives up takes nobody's entry with it.
func TestGroupOutlivesItsCallers(t *testing.T) {
	h := hold(t)
	var first, others sync.WaitGroup
	var errs [3]error
	ctx, cancel := context.WithCancel(t.Context())
	h.join(ctx, &first, 0, &errs[0]) // it will write
	h.join(ctx, &others, 1, &errs[1])
	h.join(t.Context(), &first, 2, &errs[2])
	cancel()
	others.Wait()
	if !errors.Is(errs[1], context.Canceled) {
		t.Errorf("a caller that gave up: %v", errs[1])
	}
	h.group.writing.Unlock()
	first.Wait()
	if errs[0] != nil || errs[2] != nil {
		t.Error(errs[0], errs[2])
	}
	if log, err := h.ReadLog(t.Context(), "match", 0); err != nil || len(log) != 3 {
		t.Errorf("kept %v, %v", log, err)
	}
}
