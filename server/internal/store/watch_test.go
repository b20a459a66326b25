package store

import (
	"fmt"
	"strings"
	"testing"
)

// What a statement is counted as comes of its words alone.
func TestStatementsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		insertEntrySQL:                          "insert match_log",
		dueQuery:                                "select matches",
		`SELECT * FROM "players" WHERE id = $1`: "select players",
		"select count(*) from `players`":        "select players",
		"-- name: JobGetAvailable :many\nWITH x AS (SELECT id FROM main.river_job) UPDATE river_job SET a = 1": "with river_job",
		"/* from elsewhere */ DELETE FROM sessions WHERE a = 'x from y'":                                       "delete sessions",
		`UPDATE "matches" SET status = ? WHERE id = ?`:                                                         "update matches",
		"begin":                       "begin",
		"COMMIT":                      "commit",
		"SAVEPOINT sp123":             "savepoint",
		"SELECT 1":                    "select",
		"SELECT a FROM (SELECT 1) x":  "select",
		"SELECT pg_advisory_lock($1)": "select",
		"PRAGMA table_info(x)":        "other",
		"":                            "other",
		"'open":                       "other",
		"/* open":                     "other",
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%q is counted as %q, want %q", text, got, want)
		}
	}
}

// A shape has no value in it, and no list of any length.
func TestShapesHaveNoValues(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a1,  b\n\tFROM t WHERE c = 'it''s secret' AND d IN ($1,$2, $3) AND e = 12.5 LIMIT 7 -- 8": "SELECT a1, b FROM t WHERE c = ? AND d IN (?…) AND e = ? LIMIT ?",
		"INSERT INTO t VALUES (?, ?), (?, ?), (?, ?)":                                                     "INSERT INTO t VALUES (?…)…",
		"INSERT INTO t VALUES (?1, 'a;b', 3)":                                                             "INSERT INTO t VALUES (?…)",
	} {
		if got := shape(text); got != want {
			t.Errorf("the shape of %q is %q, want %q", text, got, want)
		}
	}
	if got := shape("SELECT " + strings.Repeat("é, ", 1000)); len(got) > maxShape+len("…") {
		t.Errorf("a shape has %d bytes", len(got))
	}
}

// However many texts there are, there are no more names and little is remembered.
func TestNamesAreBounded(t *testing.T) {
	w := &watch{}
	names := make(map[string]bool)
	for i := range 2 * maxNamed {
		names[w.name(fmt.Sprintf("SELECT * FROM t WHERE a IN (?%s)", strings.Repeat(", ?", i)))] = true
	}
	if len(names) != 1 || len(w.names) != maxNamed {
		t.Errorf("%d names, %d texts", len(names), len(w.names))
	}
}
