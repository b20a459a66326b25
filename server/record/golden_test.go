package record_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var update = flag.Bool("update", false, "write what testdata's matches give anew")

// Each file of testdata holds a record, and on the next line what
// `cuatrola replay --trace` answers, byte for byte: the module's own tests and
// other implementations may hold themselves to them too. Every preset has one,
// house rules have one.
func TestGoldenMatches(t *testing.T) {
	house := with(rules.Liga, func(rs *rules.RuleSet) {
		rs.End, rs.Target, rs.MaxCantes, rs.BonusAbove = rules.EndHands, 5, rules.None, 65
		rs.FortyFirst, rs.Undertrump, rs.PartnerExempt = false, rules.UndertrumpForced, true
	})
	sets := map[string]rules.RuleSet{"house": house}
	for _, p := range rules.Presets() {
		sets[p.String()] = p.Rules()
	}
	for name, rs := range sets {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".jsonl")
			if *update {
				r := randomRecord(rs, uint64(len(name)))
				lines := append(r.Append(nil), '\n')
				lines = append(r.AppendReplay(lines, true), '\n')
				if err := os.WriteFile(file, lines, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			line, want, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
			r := mustParse(t, string(line))
			if r.Rules != rs {
				t.Errorf("the match is played by %+v", r.Rules)
			}
			if got := r.AppendReplay(nil, true); !bytes.Equal(got, want) {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			if got := r.Append(nil); !bytes.Equal(got, line) {
				t.Errorf("the record is written back as\n%s", got)
			}
			result, trace := r.AppendReplay(nil, false), r.AppendReplay(nil, true)
			if !bytes.HasPrefix(trace, append([]byte(`{"result":`), result...)) {
				t.Error("the result differs with and without the trace")
			}
		})
	}
}

// Matches that another implementation of the rules has made, where there are
// any: CUATROLA_VECTORS names a folder of their files.
func TestVectors(t *testing.T) {
	dir := os.Getenv("CUATROLA_VECTORS")
	if dir == "" {
		return // TestGoldenMatches has the project's own corpus
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<20)
			for n := 1; lines.Scan(); n++ {
				checkVector(t, n, lines.Bytes())
			}
			if err := lines.Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func checkVector(t *testing.T, n int, line []byte) {
	t.Helper()
	var v struct {
		Record, Position     json.RawMessage
		Result, Trace, Legal any
	}
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("line %d: %v", n, err)
	}
	if v.Position != nil {
		p, err := record.ParsePosition(line)
		if err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if got := decode(t, p.AppendLegal(nil)); !reflect.DeepEqual(got, any(map[string]any{"legal": v.Legal})) {
			t.Errorf("line %d: %v, want %v", n, got, v.Legal)
		}
		return
	}
	got := decode(t, mustParse(t, string(line)).AppendReplay(nil, true)).(map[string]any)
	if !reflect.DeepEqual(got["result"], v.Result) {
		t.Errorf("line %d: %v, want %v", n, got["result"], v.Result)
	}
	if v.Trace != nil && !reflect.DeepEqual(got["trace"], v.Trace) {
		t.Errorf("line %d: trace differs", n)
	}
}
