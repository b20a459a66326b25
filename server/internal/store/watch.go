package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/internal/tracing"
)

// Meter counts what the database is asked. It must not block.
type Meter interface {
	// Statement tells of a statement that was carried out, its rows read: name is one of
	// a bounded number, such as "insert match_log".
	Statement(name string, took time.Duration, failed bool)
	// Slow tells of one that took longer than it should.
	Slow(name string)
	// Batch tells of log entries that were committed together, and how long the first of
	// them waited for others to be written.
	Batch(entries int, waited time.Duration)
}

// watch is told of every statement, by PostgreSQL's driver or by the one around
// SQLite's.
type watch struct {
	kind  string
	meter Meter         // nil for none
	slow  time.Duration // 0: none is too slow

	mu    sync.RWMutex
	names map[string]string // of statements, by their text
}

const (
	// maxNamed is how many texts are remembered with their names. Lists in them make
	// more than there are statements.
	maxNamed = 2000
	// maxShape is how much of a statement is written down.
	maxShape = 600
)

// asked is a statement under way.
type asked struct {
	text  string
	begun time.Time
	span  trace.Span
}

// begin takes in that a statement begins.
func (w *watch) begin(ctx context.Context, text string) (context.Context, asked) {
	a := asked{text: text, begun: time.Now()}
	if !tracing.On() {
		return ctx, a
	}
	name := w.name(text)
	ctx, a.span = tracing.Within(ctx, name, trace.SpanKindClient)
	if a.span.IsRecording() {
		operation, table, _ := strings.Cut(name, " ")
		a.span.SetAttributes(attribute.String("db.system.name", systems[w.kind]), attribute.String("db.operation.name", operation),
			attribute.String("db.collection.name", table), attribute.String("db.query.text", shape(text)))
	}
	return ctx, a
}

// systems are the databases as OpenTelemetry names them.
var systems = map[string]string{SQLite: "sqlite", Postgres: "postgresql"}

// end takes in that it has ended.
func (w *watch) end(ctx context.Context, a asked, err error) {
	took := time.Since(a.begun)
	failed := err != nil && !errors.Is(err, sql.ErrNoRows) && !errors.Is(err, pgx.ErrNoRows)
	if a.span != nil {
		if failed {
			// The error may quote a value.
			a.span.SetStatus(codes.Error, "")
		}
		a.span.End()
	}
	slow := w.slow > 0 && took >= w.slow
	if w.meter == nil && !slow {
		return
	}
	name := w.name(a.text)
	if w.meter != nil {
		w.meter.Statement(name, took, failed)
	}
	if !slow {
		return
	}
	if w.meter != nil {
		w.meter.Slow(name)
	}
	slog.WarnContext(ctx, "a slow statement", "statement", name, "ms", float64(took.Microseconds())/1000, "sql", shape(a.text))
}

// name is what a statement is counted as.
func (w *watch) name(text string) string {
	w.mu.RLock()
	name, ok := w.names[text]
	w.mu.RUnlock()
	if ok {
		return name
	}
	name = nameOf(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names == nil {
		w.names = make(map[string]string)
	}
	if len(w.names) < maxNamed {
		w.names[strings.Clone(text)] = name
	}
	return name
}

// verbs are what a statement may begin with. Any other is "other".
var verbs = map[string]string{
	"select": "from", "with": "from", "insert": "into", "update": "update", "delete": "from",
	"begin": "", "commit": "", "rollback": "", "savepoint": "", "release": "", "lock": "", "set": "",
	"create": "", "alter": "", "drop": "",
}

// nameOf is a statement's verb and the first table that it is about. Statements are
// written in the program, so that there are only so many names.
func nameOf(text string) string {
	words := words{text: text}
	verb := words.next()
	before, known := verbs[verb]
	switch {
	case !known:
		return "other"
	case before == "":
		return verb
	case before == verb:
		return verb + table(words.next())
	}
	for w := words.next(); w != ""; w = words.next() {
		if w == before {
			return verb + table(words.next())
		}
	}
	return verb
}

// table is a blank and the table's name, without its schema.
func table(word string) string {
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		word = word[i+1:]
	}
	if word == "" || word == "select" || len(word) > 63 {
		return ""
	}
	return " " + word
}

// words are those of a statement outside of comments and texts, in small letters and
// without quotes.
type words struct {
	text string
	at   int
}

func (w *words) next() string {
	for w.at < len(w.text) {
		rest := w.text[w.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "--"):
			w.at += skip(rest, 2, "\n")
		case strings.HasPrefix(rest, "/*"):
			w.at += skip(rest, 2, "*/")
		case c == '\'':
			w.at += skip(rest, 1, "'")
		case ofWord(c):
			end := w.at
			for end < len(w.text) && ofWord(w.text[end]) {
				end++
			}
			word := w.text[w.at:end]
			w.at = end
			return strings.ToLower(strings.NewReplacer(`"`, "", "`", "").Replace(word))
		default:
			w.at++
		}
	}
	return ""
}

// skip is where what begins at from ends.
func skip(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

func ofWord(c byte) bool {
	return c == '_' || c == '.' || c == '"' || c == '`' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

var (
	literals = regexp.MustCompile(`(?s)--[^\n]*\n?|/\*.*?\*/|'(?:[^']|'')*'|\$\d+|\?\d*|\b\d+(?:\.\d+)?\b`)
	lists    = regexp.MustCompile(`\?(?:\s*,\s*\?)+`)
	tuples   = regexp.MustCompile(`\(\?…?\)(?:\s*,\s*\(\?…?\))+`)
	blanks   = regexp.MustCompile(`\s+`)
)

// shape is a statement without values, in one line, to be read by people.
func shape(text string) string {
	text = literals.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "--") || strings.HasPrefix(found, "/*") {
			return " "
		}
		return "?"
	})
	text = lists.ReplaceAllString(text, "?…")
	text = tuples.ReplaceAllString(text, "(?…)…")
	text = strings.TrimSpace(blanks.ReplaceAllString(text, " "))
	if len(text) > maxShape {
		text = strings.ToValidUTF8(text[:maxShape], "") + "…"
	}
	return text
}

// tracer hears of PostgreSQL's statements, transactions' begins and ends included.
type tracer struct{ *watch }

type askedKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx, a := t.begin(ctx, data.SQL)
	return context.WithValue(ctx, askedKey{}, &a)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if a, ok := ctx.Value(askedKey{}).(*asked); ok {
		t.end(ctx, *a, data.Err)
	}
}

type batchKey struct{}

// TraceBatchStart implements pgx.BatchTracer.
func (t tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return context.WithValue(ctx, batchKey{}, time.Now())
}

// TraceBatchQuery implements pgx.BatchTracer. Statements of a batch are asked at once, so
// that each has taken the time since then.
func (t tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	_, a := t.begin(ctx, data.SQL)
	if begun, ok := ctx.Value(batchKey{}).(time.Time); ok {
		a.begun = begun
	}
	t.end(ctx, a, data.Err)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
