package store

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/match"
)

// group commits rows that arrive together, together: nearly all of a commit is the wait
// for the disk, and much of the rest is the way to the database and back. Rows that arrive
// while others are written share the next statement. Alone, a row waits for nobody.
type group[R any] struct {
	// write keeps rows, which are its own now, and says of each how that went.
	write func(context.Context, []R) []error
	meter Meter // nil for none
	// writers has a place for each batch that may be written at a time.
	writers chan struct{}

	mu   sync.Mutex
	next *batch[R] // takes rows until it is written
}

// batch is rows that are written together.
type batch[R any] struct {
	rows []R
	errs []error       // one for each row, set before done is closed
	done chan struct{} // closed when the batch is on disk, or has failed
}

const (
	// groupTimeout bounds the writing of a batch. It is not any one caller's to cancel.
	groupTimeout = 10 * time.Second
	// maxBatch bounds the parameters of a statement.
	maxBatch = 256
)

func newGroup[R any](writers int, meter Meter, write func(context.Context, []R) []error) *group[R] {
	return &group[R]{write: write, meter: meter, writers: make(chan struct{}, writers)}
}

// append returns when the row is on disk, or what write said of it. After an error of
// ctx's it may or may not be kept.
func (g *group[R]) append(ctx context.Context, row R) error {
	g.mu.Lock()
	first := g.next == nil || len(g.next.rows) == maxBatch
	if first {
		g.next = &batch[R]{done: make(chan struct{})}
	}
	b, i := g.next, len(g.next.rows)
	b.rows = append(b.rows, row)
	g.mu.Unlock()
	if first {
		// Whoever opens a batch writes it. Until there is a place for it, others may join.
		opened := time.Now()
		g.writers <- struct{}{}
		g.mu.Lock()
		if g.next == b {
			g.next = nil
		}
		g.mu.Unlock()
		if g.meter != nil {
			g.meter.Batch(len(b.rows), time.Since(opened))
		}
		g.commit(ctx, b)
		<-g.writers
		return b.errs[i]
	}
	select {
	case <-b.done:
		return b.errs[i]
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *group[R]) commit(ctx context.Context, b *batch[R]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), groupTimeout)
	defer cancel()
	b.errs = g.write(ctx, b.rows)
	close(b.done)
}

// entriesWriters is how many batches of log entries PostgreSQL is given at a time. One
// would make the largest batches; but a row may have to wait for another process's
// transaction, and those behind it are not to wait with it.
const entriesWriters = 4

// insertEntries keeps entries of any matches in one statement, which is its own
// transaction. An entry whose number is taken is a conflict of its own only.
func insertEntries(tx *gorm.DB, rows []entryRow) []error {
	errs := make([]error, len(rows))
	if len(rows) == 1 {
		errs[0] = insertEntry(tx, &rows[0])
		return errs
	}
	values := make([]any, 0, 8*len(rows))
	for i := range rows {
		r := &rows[i]
		values = append(values, r.MatchID, r.Seq, r.At, r.Kind, r.Seat, r.Text, r.By, r.Deadline)
	}
	type key struct {
		MatchID string
		Seq     int
	}
	var kept []key
	err := tx.Raw(insertEntriesSQL(len(rows)), values...).Scan(&kept).Error
	if err != nil && isIntegrity(err) {
		// One of them cannot be kept, and so none was.
		for i := range rows {
			errs[i] = insertEntry(tx, &rows[i])
		}
		return errs
	}
	left := make(map[key]bool, len(kept))
	for _, k := range kept {
		left[k] = true
	}
	for i := range rows {
		k := key{rows[i].MatchID, rows[i].Seq}
		switch {
		case err != nil:
			errs[i] = err
		case left[k]:
			delete(left, k) // another row of that number was not kept
		default:
			errs[i] = match.ErrConflict
		}
	}
	return errs
}

// isIntegrity says whether the database refused a statement for what it says, so that
// nothing of it was kept.
func isIntegrity(err error) bool {
	const sqliteConstraint = 19
	var (
		code  interface{ Code() int }
		state interface{ SQLState() string }
	)
	return errors.As(err, &code) && code.Code()&0xff == sqliteConstraint ||
		errors.As(err, &state) && strings.HasPrefix(state.SQLState(), "23")
}

// insertEntriesSQL is insertEntrySQL for n entries, which tells those that it keeps.
func insertEntriesSQL(n int) string {
	return insertEntrySQL[:strings.Index(insertEntrySQL, "VALUES")] + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)" +
		strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?)", n-1) + " ON CONFLICT DO NOTHING RETURNING match_id, seq"
}
