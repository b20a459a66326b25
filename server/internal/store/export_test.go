package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"gorm.io/gorm"
)

// PostSQL is what most postings are on PostgreSQL, for the benchmark's other side.
var PostSQL = postPairAloneSQL

// CountStatements counts those that the store sends from now on to change something,
// BEGIN and COMMIT among them. It is called before the store is used.
func (s *Store) CountStatements() *atomic.Int64 {
	n := new(atomic.Int64)
	s.write.Statement.ConnPool = &countingPool{s.write.Statement.ConnPool, n}
	return n
}

// countingPool counts statements on their way to a pool or a transaction.
type countingPool struct {
	gorm.ConnPool
	n *atomic.Int64
}

func (p *countingPool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	p.n.Add(1)
	return p.ConnPool.ExecContext(ctx, query, args...)
}

func (p *countingPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	p.n.Add(1)
	return p.ConnPool.QueryContext(ctx, query, args...)
}

func (p *countingPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	p.n.Add(1)
	return p.ConnPool.QueryRowContext(ctx, query, args...)
}

// GetDBConn implements gorm.GetDBConnector.
func (p *countingPool) GetDBConn() (*sql.DB, error) {
	switch pool := p.ConnPool.(type) {
	case *sql.DB:
		return pool, nil
	case gorm.GetDBConnector:
		return pool.GetDBConn()
	}
	return nil, errors.New("not a pool")
}

// BeginTx implements gorm.ConnPoolBeginner.
func (p *countingPool) BeginTx(ctx context.Context, o *sql.TxOptions) (gorm.ConnPool, error) {
	p.n.Add(1)
	switch pool := p.ConnPool.(type) {
	case gorm.TxBeginner:
		tx, err := pool.BeginTx(ctx, o)
		return &countingPool{tx, p.n}, err
	case gorm.ConnPoolBeginner:
		tx, err := pool.BeginTx(ctx, o)
		return &countingPool{tx, p.n}, err
	}
	return nil, errors.New("not a pool")
}

func (p *countingPool) Commit() error {
	p.n.Add(1)
	return p.ConnPool.(gorm.TxCommitter).Commit()
}

func (p *countingPool) Rollback() error { return p.ConnPool.(gorm.TxCommitter).Rollback() }

// HoldEntries keeps all log entries from being written, so that they gather in one batch,
// until it is let go.
func (s *Store) HoldEntries() (letGo func()) {
	g := s.entries
	for range cap(g.writers) {
		g.writers <- struct{}{}
	}
	return func() {
		for range cap(g.writers) {
			<-g.writers
		}
	}
}

// Gathered is how many entries wait in the batch that is written next.
func (s *Store) Gathered() int {
	s.entries.mu.Lock()
	defer s.entries.mu.Unlock()
	if s.entries.next == nil {
		return 0
	}
	return len(s.entries.next.rows)
}
