package store_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// ear hears of statements.
type ear struct {
	mu         sync.Mutex
	statements map[string]int
	failed     int
	slow       int
}

func (e *ear) Statement(name string, _ time.Duration, failed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.statements[name]++
	if failed {
		e.failed++
	}
}

func (e *ear) Slow(string)              { e.mu.Lock(); defer e.mu.Unlock(); e.slow++ }
func (e *ear) Batch(int, time.Duration) {}

// Every statement is counted by its name on either database, its transactions and its
// failures too; one that is too slow is in the log, without a value.
func TestStatementsAreCounted(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
			defer slog.SetDefault(before)
			heard := &ear{statements: make(map[string]int)}
			o := storetest.Options(t, kind)
			o.Meter, o.Slow = heard, time.Nanosecond // none is quick enough
			s, err := store.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.GetMatch(t.Context(), "a hush of somebody"); err == nil {
				t.Error("found a match that is not there")
			}
			if err := s.Atomically(t.Context(), func(ctx context.Context) error {
				_, err := s.ReadLog(ctx, "another hush", 0)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			// PostgreSQL is asked this in a batch.
			if _, err := s.CreateSession(t.Context(), newSession(t, addPlayer(t, s, "Ana").ID, "token"), 50); err != nil {
				t.Fatal(err)
			}
			pools, err := s.Pools()
			if err != nil {
				t.Fatal(err)
			}
			for name, pool := range pools {
				if _, err := pool.ExecContext(t.Context(), "DELETE FROM nowhere"); err == nil {
					t.Errorf("%s: deleted from nowhere", name)
				}
			}
			heard.mu.Lock()
			defer heard.mu.Unlock()
			for _, name := range []string{"select matches", "select match_log", "begin", "commit", "update sessions"} {
				if heard.statements[name] == 0 {
					t.Errorf("%s was not counted: %v", name, heard.statements)
				}
			}
			if heard.failed < len(pools) || heard.slow == 0 {
				t.Errorf("%d failed, %d were slow", heard.failed, heard.slow)
			}
			text := log.String()
			if !strings.Contains(text, `"statement":"select match_log"`) || !strings.Contains(text, "match_id = ?") {
				t.Errorf("the log does not have the slow statement's shape")
			}
			if strings.Contains(text, "hush") {
				t.Error("the log has a value of a statement")
			}
		})
	}
}
