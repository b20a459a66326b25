package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
)

// Value is one text or blob somewhere in the database.
type Value struct{ Table, Column, Text string }

// Dump reads every text and blob of every column of every table.
func Dump(t testing.TB, s *store.Store) []Value {
	t.Helper()
	var all []Value
	for _, table := range Tables(t, s) {
		all = append(all, dumpTable(t, s, table)...)
	}
	return all
}

// Tables are the names of all tables.
func Tables(t testing.TB, s *store.Store) []string {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	names := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if s.Kind() == store.Postgres {
		names = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	rows, err := pool.QueryContext(context.Background(), names)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return tables
}

func dumpTable(t testing.TB, s *store.Store, table string) []Value {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.QueryContext(context.Background(), "SELECT * FROM "+table) //nolint:gosec // a name from the database's own list
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []Value
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			switch v := v.(type) {
			case string:
				all = append(all, Value{table, columns[i], v})
			case []byte:
				all = append(all, Value{table, columns[i], string(v)})
			case nil, int64, int32, int16, bool, float64:
			default:
				all = append(all, Value{table, columns[i], fmt.Sprint(v)})
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
