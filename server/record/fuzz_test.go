package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Any line is a record or an error. A record is written back as the same record,
// and what its replay and its verdict say is JSON.
func FuzzRecordLine(f *testing.F) {
	for i, p := range rules.Presets() {
		r := randomRecord(p.Rules(), uint64(i))
		r.Hands = r.Hands[:1] // the fuzzer gets further with short ones
		f.Add(r.Append(nil))
	}
	f.Add([]byte(empty + `,"id":"x","players":[],"fair":` + goodFair + `,"v":{"a":[1e9]}}`))
	f.Add([]byte(`{"record":` + empty + `,"record":1}}`))
	f.Add([]byte(oneHand("4", `[["AO","7O"]]`, `"x"`, `["sing:","pass"]`)))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := record.Parse(line)
		if err != nil {
			return
		}
		written := r.Append(nil)
		back, err := record.Parse(written)
		if err != nil {
			t.Fatalf("%s\nis written as\n%s\n%v", line, written, err)
		}
		if again := back.Append(nil); !bytes.Equal(again, written) {
			t.Fatalf("%s\nis written again as\n%s", written, again)
		}
		for name, raw := range r.Other {
			if !reflect.DeepEqual(decode(t, raw), decode(t, back.Other[name])) {
				t.Fatalf("%q: %s is kept as %s", name, raw, back.Other[name])
			}
		}
		r.Other, back.Other = nil, nil
		if !reflect.DeepEqual(r, back) {
			t.Fatalf("%s\nis read as\n%+v\nand written back as\n%+v", line, r, back)
		}
		for _, trace := range []bool{false, true} {
			if out := r.AppendReplay(nil, trace); !json.Valid(out) || !bytes.Equal(out, back.AppendReplay(nil, trace)) {
				t.Fatalf("%s\nreplays to\n%s", line, out)
			}
		}
		if out, honest, err := r.AppendVerdict(nil); err == nil && !json.Valid(out) || honest && err != nil {
			t.Fatalf("%s\nhas the verdict %s, %v", line, out, err)
		}
	})
}

// Any line is a point of a record or an error, and what is said of it is JSON.
func FuzzMomentLine(f *testing.F) {
	for i, p := range rules.Presets() {
		r := randomRecord(p.Rules(), uint64(i))
		r.Hands = r.Hands[:1]
		f.Add(r.Append(nil))
		f.Add(fmt.Appendf(nil, `{"record":%s,"hand":0,"action":%d}`, r.Append(nil), 8+i))
	}
	var s solve.Solver
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := record.ParseMoment(line)
		if err != nil {
			return
		}
		if out := p.AppendValues(nil, &s); !json.Valid(out) {
			t.Fatalf("%s: %s", line, out)
		}
	})
}

// Any line is a position or an error. What may be played is part of the hand, and
// something always may.
func FuzzPositionLine(f *testing.F) {
	f.Add([]byte(position(`"B"`, `2`, `[{"seat":0,"card":"SO"},{"seat":1,"card":"RO"}]`, `["CO","3O","AC","SB"]`)))
	f.Add([]byte(position(`"O"`, `0`, `[]`, `[]`)))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := record.ParsePosition(line)
		if err != nil {
			return
		}
		legal := p.Rules.Playable(p.Trump, p.Seat, &p.Table, p.Hand)
		if legal&^p.Hand != 0 || (legal == 0) != (p.Hand == 0) {
			t.Fatalf("%s: %v of %v may be played", line, legal, p.Hand)
		}
		var out struct{ Legal []string }
		if err := json.Unmarshal(p.AppendLegal(nil), &out); err != nil || len(out.Legal) != legal.Len() {
			t.Fatalf("%s: %v, %v", line, out, err)
		}
	})
}

// Any JSON value is house rules that can be played and are written back as the
// same, or an error.
func FuzzHouseRules(f *testing.F) {
	f.Add([]byte(`"mesa"`))
	f.Add([]byte(`{"preset":"liga","target":20,"bonusAbove":null,"maxCantes":4,"beat":"led","raising":false}`))
	f.Add([]byte(`{"preset":"clasica","end":"hands","tie":"lastTrick","cantes":"auto","undertrump":"forced"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		rs, err := record.ParseRules(v)
		if err != nil {
			return
		}
		if err := rs.Validate(); err != nil {
			t.Fatalf("%s is read as what cannot be played: %v", text, err)
		}
		written := record.AppendRules(nil, rs)
		if back, err := record.ParseRules(decode(t, written)); err != nil || back != rs {
			t.Fatalf("%s is written as %s and read as %+v, %v", text, written, back, err)
		}
	})
}
