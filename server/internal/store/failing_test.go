package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"gorm.io/gorm"
)

// ErrFailure is what a statement or a commit returns that was made to fail.
var ErrFailure = errors.New("the connection broke")

// Failure befalls the first transaction of the calls that are made with its context. A
// statement that changes something outside of one is one of its own.
type Failure struct {
	// Statement is the number, from 1, of the one before which the connection
	// breaks. Behind the last one the commit breaks instead.
	Statement int
	// AtCommit breaks the commit: before it has happened, or, if Answer, when it
	// has and only its answer is lost.
	AtCommit, Answer bool

	// Happened says that it has come to that, Committed that the transaction had
	// been committed by then.
	Happened, Committed bool
	// Clock, if any, is read on both sides of the commit.
	Clock    func() int64
	From, To int64

	begun bool
	count int
}

// Statements is how many there have been.
func (f *Failure) Statements() int { return f.count }

type failureKey struct{}

// WithFailure returns a context in which f befalls a transaction.
func WithFailure(ctx context.Context, f *Failure) context.Context {
	return context.WithValue(ctx, failureKey{}, f)
}

// BreakOnDemand lets transactions fail when their context says so.
func (s *Store) BreakOnDemand() {
	for _, db := range []*gorm.DB{s.write, s.read} {
		if _, done := db.ConnPool.(*failingPool); !done {
			db.ConnPool = &failingPool{db.ConnPool}
			db.Statement.ConnPool = db.ConnPool
		}
	}
}

// WithoutSync spares SQLite's waits for the disk: what is lost when the power goes is
// not what the tests of broken connections look for.
func (s *Store) WithoutSync() error {
	if s.kind != SQLite {
		return nil
	}
	return s.write.Exec("PRAGMA synchronous=OFF").Error
}

type failingPool struct{ gorm.ConnPool }

// GetDBConn implements gorm.GetDBConnector.
func (p *failingPool) GetDBConn() (*sql.DB, error) {
	if c, ok := p.ConnPool.(gorm.GetDBConnector); ok {
		return c.GetDBConn()
	}
	return p.ConnPool.(*sql.DB), nil
}

// BeginTx implements gorm.ConnPoolBeginner.
func (p *failingPool) BeginTx(ctx context.Context, o *sql.TxOptions) (gorm.ConnPool, error) {
	var tx gorm.ConnPool
	var err error
	switch inner := p.ConnPool.(type) {
	case gorm.TxBeginner:
		tx, err = inner.BeginTx(ctx, o)
	case gorm.ConnPoolBeginner:
		tx, err = inner.BeginTx(ctx, o)
	}
	f, ok := ctx.Value(failureKey{}).(*Failure)
	if err != nil || !ok || f.begun {
		return tx, err
	}
	f.begun = true
	return &failingTx{tx, f}, nil
}

// alone lets do run a statement that is its own transaction.
func (p *failingPool) alone(ctx context.Context, query string, do func() error) error {
	f, ok := ctx.Value(failureKey{}).(*Failure)
	if !ok || f.begun || !strings.Contains(query, "INSERT INTO") {
		return do()
	}
	f.begun = true
	switch {
	case f.Statement == 0 && !f.AtCommit:
		return do()
	case f.Statement == 0 && f.Answer:
		if err := do(); err != nil {
			return err
		}
		f.Committed = true
	}
	f.Happened = true
	return ErrFailure
}

func (p *failingPool) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = p.alone(ctx, query, func() error {
		result, err = p.ConnPool.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

func (p *failingPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	var rows *sql.Rows
	err := p.alone(ctx, query, func() (err error) {
		rows, err = p.ConnPool.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // done below
		return err
	})
	if err != nil && rows != nil {
		// Only now is it over; what it was refused for comes out now, and whether it has
		// changed anything.
		changed := rows.Next()
		for rows.Next() {
		}
		if refused := rows.Err(); refused != nil {
			err, changed = refused, false
		}
		ctx.Value(failureKey{}).(*Failure).Committed = changed
		_ = rows.Close()
		return nil, err
	}
	return rows, err
}

type failingTx struct {
	gorm.ConnPool
	f *Failure
}

func (t *failingTx) next() error {
	t.f.count++
	if t.f.count == t.f.Statement {
		t.f.Happened = true
		return ErrFailure
	}
	return nil
}

func (t *failingTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.next(); err != nil {
		return nil, err
	}
	return t.ConnPool.ExecContext(ctx, query, args...)
}

func (t *failingTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.next(); err != nil {
		return nil, err
	}
	return t.ConnPool.QueryContext(ctx, query, args...)
}

func (t *failingTx) Commit() error {
	inner := t.ConnPool.(gorm.TxCommitter)
	if t.f.Clock != nil {
		t.f.From = t.f.Clock()
		defer func() { t.f.To = t.f.Clock() }()
	}
	switch {
	case !t.f.AtCommit && t.f.Statement == 0:
		return inner.Commit()
	case t.f.Answer:
		t.f.Happened, t.f.Committed = true, true
		return errors.Join(ErrFailure, inner.Commit())
	default:
		t.f.Happened = true
		return errors.Join(ErrFailure, inner.Rollback())
	}
}

func (t *failingTx) Rollback() error { return t.ConnPool.(gorm.TxCommitter).Rollback() }
