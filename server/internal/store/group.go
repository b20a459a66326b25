package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/match"
)

// group commits log entries of several matches together. SQLite has one writer,
// and nearly all of a commit is the wait for the disk: entries that arrive during
// one wait share the next. Alone, an entry waits for nobody. PostgreSQL does the
// same by itself.
type group struct {
	db    *gorm.DB
	meter Meter // nil for none

	mu   sync.Mutex
	next *batch // takes entries until it is written

	writing sync.Mutex
}

// batch is entries that are written in one transaction.
type batch struct {
	rows []entryRow
	errs []error       // one for each row, set before done is closed
	done chan struct{} // closed when the batch is on disk, or has failed
}

// groupTimeout bounds the writing of a batch. It is not any one caller's to cancel.
const groupTimeout = 10 * time.Second

// append returns when the row is on disk, or match.ErrConflict if its number is
// taken. After any other error, that of ctx included, it may or may not be kept.
func (g *group) append(ctx context.Context, row entryRow) error {
	g.mu.Lock()
	first := g.next == nil
	if first {
		g.next = &batch{done: make(chan struct{})}
	}
	b, i := g.next, len(g.next.rows)
	b.rows = append(b.rows, row)
	g.mu.Unlock()
	if first {
		// Whoever opens a batch writes it. Until the one before is on disk, others
		// may join.
		opened := time.Now()
		g.writing.Lock()
		g.mu.Lock()
		g.next = nil
		g.mu.Unlock()
		if g.meter != nil {
			g.meter.Batch(len(b.rows), time.Since(opened))
		}
		b.write(context.WithoutCancel(ctx), g.db)
		g.writing.Unlock()
		close(b.done)
		return b.errs[i]
	}
	select {
	case <-b.done:
		return b.errs[i]
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *batch) write(ctx context.Context, db *gorm.DB) {
	ctx, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	b.errs = make([]error, len(b.rows))
	if len(b.rows) == 1 {
		// One statement is its own transaction.
		b.errs[0] = insertEntry(db.WithContext(ctx), &b.rows[0])
		return
	}
	err := db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		for i := range b.rows {
			// A number that is taken fails its own caller only.
			if err := insertEntry(tx, &b.rows[i]); errors.Is(err, match.ErrConflict) {
				b.errs[i] = err
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for i := range b.errs {
			b.errs[i] = err
		}
	}
}
