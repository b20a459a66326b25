package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
)

// watchedConnector opens connections of SQLite's driver that tell of their statements,
// as PostgreSQL's driver does by itself.
type watchedConnector struct {
	inner driver.Driver
	dsn   string
	watch *watch
}

// Connect implements driver.Connector.
func (c *watchedConnector) Connect(context.Context) (driver.Conn, error) {
	inner, err := c.inner.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	full, ok := inner.(sqliteConn)
	if !ok {
		_ = inner.Close()
		return nil, errors.New("store: SQLite's driver lacks what is needed of it")
	}
	return &watchedConn{full, c.watch}, nil
}

// Driver implements driver.Connector.
func (c *watchedConnector) Driver() driver.Driver { return c.inner }

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.Pinger
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
}

type watchedConn struct {
	sqliteConn
	watch *watch
}

// BeginTx implements driver.ConnBeginTx.
func (c *watchedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	_, a := c.watch.begin(ctx, "BEGIN")
	tx, err := c.sqliteConn.BeginTx(ctx, o)
	c.watch.end(ctx, a, err)
	if err != nil {
		return nil, err
	}
	return &watchedTx{tx, ctx, c.watch}, nil
}

// watchedTx has the context in which its transaction began: its end is given none.
type watchedTx struct {
	driver.Tx
	ctx   context.Context
	watch *watch
}

// Commit implements driver.Tx.
func (t *watchedTx) Commit() error {
	_, a := t.watch.begin(t.ctx, "COMMIT")
	err := t.Tx.Commit()
	t.watch.end(t.ctx, a, err)
	return err
}

// ExecContext implements driver.ExecerContext.
func (c *watchedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	_, a := c.watch.begin(ctx, query)
	r, err := c.sqliteConn.ExecContext(ctx, query, args)
	c.watch.end(ctx, a, err)
	return r, err
}

// QueryContext implements driver.QueryerContext.
func (c *watchedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	_, a := c.watch.begin(ctx, query)
	rows, err := c.sqliteConn.QueryContext(ctx, query, args)
	return c.watch.rows(ctx, a, rows, err)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *watchedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	inner, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	full, ok := inner.(sqliteStmt)
	if !ok {
		return inner, nil
	}
	return &watchedStmt{full, query, c.watch}, nil
}

// sqliteStmt is what the driver's statements can do.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type watchedStmt struct {
	sqliteStmt
	query string
	watch *watch
}

// ExecContext implements driver.StmtExecContext.
func (s *watchedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	_, a := s.watch.begin(ctx, s.query)
	r, err := s.sqliteStmt.ExecContext(ctx, args)
	s.watch.end(ctx, a, err)
	return r, err
}

// QueryContext implements driver.StmtQueryContext.
func (s *watchedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	_, a := s.watch.begin(ctx, s.query)
	rows, err := s.sqliteStmt.QueryContext(ctx, args)
	return s.watch.rows(ctx, a, rows, err)
}

// rows are the statement's, which ends with them.
func (w *watch) rows(ctx context.Context, a asked, rows driver.Rows, err error) (driver.Rows, error) {
	full, ok := rows.(sqliteRows)
	if err != nil || !ok {
		w.end(ctx, a, err)
		return rows, err
	}
	return &watchedRows{sqliteRows: full, ctx: ctx, asked: a, watch: w}, nil
}

// sqliteRows is what the driver's rows can do.
type sqliteRows interface {
	driver.Rows
	ColumnTypeDatabaseTypeName(index int) string
	ColumnTypeLength(index int) (length int64, ok bool)
	ColumnTypeNullable(index int) (nullable, ok bool)
	ColumnTypePrecisionScale(index int) (precision, scale int64, ok bool)
	ColumnTypeScanType(index int) reflect.Type
}

type watchedRows struct {
	sqliteRows
	ctx   context.Context
	asked asked
	watch *watch
	err   error
	ended bool
}

// Next implements driver.Rows.
func (r *watchedRows) Next(dest []driver.Value) error {
	err := r.sqliteRows.Next(dest)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return err
}

// Close implements driver.Rows.
func (r *watchedRows) Close() error {
	err := r.sqliteRows.Close()
	if !r.ended {
		r.ended = true
		r.watch.end(r.ctx, r.asked, errors.Join(r.err, err))
	}
	return err
}
