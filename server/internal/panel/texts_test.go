package panel_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/staff"
)

// badTexts are no texts that both databases keep, as an address has them.
var badTexts = []string{"%00", "a%00b", "%ff", "a%c3%28"}

// badTimes are times that no answer could name, or that stand for none.
var badTimes = []string{
	"9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00Z", "0000-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z",
}

// times calls f with each member of the schema that is a time, by its path.
func times(s *openapi3.Schema, path []string, f func(path []string)) {
	if s.Format == "date-time" {
		f(path)
	}
	for _, part := range s.AllOf {
		times(part.Value, path, f)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		times(s.Properties[name].Value, append(slices.Clone(path), name), f)
	}
}

// put returns the body with another value at a path.
func put(t *testing.T, body any, path []string, value string) any {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]any{}
	if err := json.Unmarshal(data, &whole); err != nil {
		t.Fatal(err)
	}
	in := whole
	for _, name := range path[:len(path)-1] {
		inner, is := in[name].(map[string]any)
		if !is {
			inner = map[string]any{}
		}
		in[name], in = inner, inner
	}
	in[path[len(path)-1]] = value
	return whole
}

// No parameter and no member of a body takes a text that a database cannot keep, or a
// time that cannot be answered with: whatever an area does with it, it does not get there.
func TestBadTextsStopAtTheGate(t *testing.T) {
	w := newWorld(t, store.SQLite)
	owner := *w.as(staff.Owner)
	owner.w = behindTheGate(t, w)
	examples := map[string]contracted{}
	for _, o := range operations(t, w.doc) {
		examples[o.id] = o
	}
	tried := 0
	try := func(o contracted, path string, body any) {
		t.Helper()
		tried++
		if a := owner.send(o.method, path, body); a.status != http.StatusBadRequest && a.status != http.StatusNotFound {
			t.Errorf("%s %s %v: %d %s", o.method, path, body, a.status, a.body)
		}
	}
	for path, item := range w.doc.Paths.Map() {
		for _, op := range item.Operations() {
			o, ok := examples[op.OperationID]
			if !ok {
				continue
			}
			for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
				values := badTexts
				if p.Value.Schema.Value.Format == "date-time" {
					values = append(slices.Clone(values), badTimes...)
				}
				for _, bad := range values {
					if !strings.Contains(bad, "%") {
						bad = url.QueryEscape(bad)
					}
					switch p.Value.In {
					case openapi3.ParameterInQuery:
						plain, rest, _ := strings.Cut(o.path, "?")
						query, _ := url.ParseQuery(rest)
						query.Del(p.Value.Name)
						try(o, plain+"?"+query.Encode()+"&"+p.Value.Name+"="+bad, o.body)
					case openapi3.ParameterInPath:
						at := slices.Index(strings.Split(path, "/"), "{"+p.Value.Name+"}")
						parts := strings.Split(o.path, "/")
						parts[at] = bad
						try(o, strings.Join(parts, "/"), o.body)
					}
				}
			}
			if op.RequestBody == nil {
				continue
			}
			times(op.RequestBody.Value.Content["application/json"].Schema.Value, nil, func(path []string) {
				for _, bad := range badTimes {
					try(o, o.path, put(t, o.body, path, bad))
				}
			})
		}
	}
	if tried < 300 {
		t.Errorf("only %d requests", tried)
	}
}
