package record_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// twoHands is a record of a hand that is finished and of one that has begun.
func twoHands(t *testing.T) (text string, r *record.Record) {
	r = randomRecord(rules.Clasica.Rules(), 4)
	r.Hands = r.Hands[:2]
	r.Hands[1].Actions = r.Hands[1].Actions[:9]
	return string(r.Append(nil)), mustParse(t, string(r.Append(nil)))
}

func TestMoments(t *testing.T) {
	text, r := twoHands(t)
	end := len(r.Hands[0].Actions)
	spoiled := mustParse(t, text)
	spoiled.Hands[0].Actions[4] = rules.Silent
	illegal := string(spoiled.Append(nil))
	for _, c := range []struct{ line, want string }{
		{`{"record":` + text + `,"hand":0,"action":0}`, `{"ok":false,"hand":0,"action":0,"error":"wrong_phase"}`},
		{`{"record":` + text + `,"hand":0}`, fmt.Sprintf(`{"ok":false,"hand":0,"action":%d,"error":"hand_over"}`, end)},
		{`{"record":` + text + fmt.Sprintf(`,"hand":0,"action":%d}`, end+1), fmt.Sprintf(`{"ok":false,"hand":0,"action":%d,"error":"no_such_moment"}`, end+1)},
		{`{"record":` + text + `,"hand":2}`, `{"ok":false,"hand":2,"action":null,"error":"no_such_moment"}`},
		{`{"record":` + text + `,"hand":2,"action":1}`, `{"ok":false,"hand":2,"action":1,"error":"no_such_moment"}`},
		{empty + `}`, `{"ok":false,"hand":0,"action":null,"error":"no_such_moment"}`},
		{`{"record":` + illegal + `,"hand":1,"action":1}`, `{"ok":false,"hand":0,"action":4,"error":"wrong_phase"}`},
		{oneHand("4", goodDeal, `"AO"`, `[]`), `{"ok":false,"hand":0,"action":null,"error":"bad_dealer"}`},
		{oneHand("0", goodDeal, `"AC"`, `[]`), `{"ok":false,"hand":0,"action":null,"error":"bad_deal"}`},
	} {
		p, err := record.ParseMoment([]byte(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := string(p.AppendValues(nil, new(solve.Solver))); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

// A moment without indices is the end of an unfinished record, a record alone is one
// too, and what stands behind the moment does not matter.
func TestMomentsThatAreTheSame(t *testing.T) {
	text, r := twoHands(t)
	want := values(t, fmt.Sprintf(`{"record":%s,"hand":1,"action":%d}`, text, len(r.Hands[1].Actions)))
	if !strings.HasPrefix(want, `{"seat":`) {
		t.Fatal(want)
	}
	more := strings.TrimSuffix(text, `]}]}`) + `,"pass","XX"]},{"dealer":9,"actions":[]}]}`
	for _, line := range []string{
		text,
		`{"record":` + text + `}`,
		`{"record":` + text + `,"hand":null,"action":null}`,
		fmt.Sprintf(`{"action":%d.0,"hand":1e0,"record":%s}`, len(r.Hands[1].Actions), text),
		strings.TrimSuffix(text, `}`) + `,"hand":1}`,
		fmt.Sprintf(`{"record":%s,"hand":1,"action":%d}`, more, len(r.Hands[1].Actions)),
	} {
		if got := values(t, line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func values(t *testing.T, line string) string {
	t.Helper()
	p, err := record.ParseMoment([]byte(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(p.AppendValues(nil, new(solve.Solver)))
}

func TestMomentsRefused(t *testing.T) {
	for _, c := range []struct{ line, err string }{
		{`x`, "not JSON"},
		{`[]`, "not a JSON object"},
		{`{"record":1}`, "record is not a JSON object"},
		{`{"record":{},"hand":-1}`, `format is not "cuatrola-record/1"`},
		{`{"record":` + empty + `},"hand":-1}`, "hand is not a whole number from 0 to 65535"},
		{`{"record":` + empty + `},"hand":65536}`, "hand is not a whole number from 0 to 65535"},
		{`{"record":` + empty + `},"hand":1e300}`, "hand is not a whole number from 0 to 65535"},
		{`{"record":` + empty + `},"hand":"0","action":"0"}`, "hand is not a whole number from 0 to 65535"},
		{`{"record":` + empty + `},"action":0.5}`, "action is not a whole number from 0 to 65535"},
		{empty + `,"action":[]}`, "action is not a whole number from 0 to 65535"},
	} {
		if _, err := record.ParseMoment([]byte(c.line)); message(err) != c.err {
			t.Errorf("%s: %v, want %s", c.line, err, c.err)
		}
	}
}

// The value of a hand's last action is its result, as the seat sees it: in a hand on points
// its pair's less the other's, in a hand on tricks those of the bidder's pair, negated for
// a defender.
func TestValuesLeadToTheResult(t *testing.T) {
	for i, p := range rules.Presets() {
		r := randomRecord(p.Rules(), uint64(i))
		for hand := range r.Hands {
			h := &r.Hands[hand]
			m := rules.NewMatch(r.Rules)
			rules.Replay(&m, r.Hands[:hand+1], nil, nil)
			result := m.Hand()
			at := record.Moment{Record: r, Hand: hand, Action: len(h.Actions) - 1}
			var out struct {
				Seat   rules.Seat
				Values map[string]int
			}
			text := at.AppendValues(nil, new(solve.Solver))
			if err := json.Unmarshal(text, &out); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			pair := out.Seat.Pair()
			want := int(result.Points[pair]) - int(result.Points[pair.Other()])
			if result.Bid != rules.Pass && r.Rules.Bids[result.Bid-rules.Solo].Needs > 0 {
				want = int(result.TricksWon[result.Bidder.Pair()])
				if pair != result.Bidder.Pair() {
					want = -want
				}
			}
			if got := out.Values[h.Actions[at.Action].String()]; got != want {
				t.Errorf("%v, hand %d: %s, want %d for %v", p, hand, text, want, h.Actions[at.Action])
			}
		}
	}
}
