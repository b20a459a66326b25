package record_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const empty = `{"format":"cuatrola-record/1","rules":"liga","hands":[]`

// oneHand is a record of one hand with a deal and actions as given.
func oneHand(dealer, deal, trump, actions string) string {
	return `{"format":"cuatrola-record/1","rules":"liga","hands":[{"dealer":` + dealer + `,"deal":` + deal +
		`,"trump":` + trump + `,"actions":` + actions + `}]}`
}

const goodDeal = `[["AO","3O","RO","CO","SO"],["AC","3C","RC","CC","SC"],["AE","3E","RE","CE","SE"],["AB","3B","RB","CB","SB"]]`

// What keeps a line from being a record is an error of the input; a match that
// goes wrong is not, the replay tells of it.
func TestWhatIsARecord(t *testing.T) {
	for _, c := range []struct{ line, err string }{
		{empty + `}`, ""},
		{`{"record":` + empty + `},"result":{}}`, ""},
		{` ` + empty + ` , "v" : 3 } `, ""},
		{``, "not JSON"},
		{empty, "not JSON"},
		{empty + `} x`, "not JSON"},
		{`[]`, "not a JSON object"},
		{`null`, "not a JSON object"},
		{`{"record":[]}`, "record is not a JSON object"},
		{`{"rules":"liga","hands":[]}`, `format is not "cuatrola-record/1"`},
		{`{"format":"cuatrola-record/2","rules":"liga","hands":[]}`, `format is not "cuatrola-record/1"`},
		{`{"format":"cuatrola-record/1","hands":[]}`, "rules are missing"},
		{`{"format":"cuatrola-record/1","rules":"tute","hands":[]}`, "rules: option preset has a value it cannot take"},
		{`{"format":"cuatrola-record/1","rules":"liga"}`, "hands is not a list"},
		{`{"format":"cuatrola-record/1","rules":"liga","hands":[1]}`, "hands[0]: not a JSON object"},
		{`{"format":"cuatrola-record/1","rules":"liga","Hands":[]}`, "hands is not a list"},
		{oneHand("0", goodDeal, `"AO"`, `[]`), ""},
		{oneHand(`"0"`, goodDeal, `"AO"`, `[]`), "hands[0]: dealer is not a number"},
		{oneHand("0", `{}`, `"AO"`, `[]`), "hands[0]: deal is not a list"},
		{oneHand("0", `["AO"]`, `"AO"`, `[]`), "hands[0]: deal[0] is not a list"},
		{oneHand("0", `[["AO",1]]`, `"AO"`, `[]`), "hands[0]: deal[0][1] is not a text"},
		{oneHand("0", goodDeal, `1`, `[]`), "hands[0]: trump is not a text"},
		{oneHand("0", goodDeal, `"AO"`, `{}`), "hands[0]: actions is not a list"},
		{oneHand("0", goodDeal, `"AO"`, `[7]`), "hands[0]: actions[0] is not a text"},
	} {
		_, err := record.Parse([]byte(c.line))
		if got := message(err); got != c.err {
			t.Errorf("%s: %q, want %q", c.line, got, c.err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestFaultsInRecords(t *testing.T) {
	fault := func(action, code string) string {
		return `{"ok":false,"hand":0,"action":` + action + `,"error":"` + code + `","hands":[]}`
	}
	const fine = `{"ok":true,"hands":[],"score":[0,0],"winner":null}`
	for _, c := range []struct{ what, line, want string }{
		{"no hands", empty + `}`, fine},
		{"an unfinished hand", oneHand("0", goodDeal, `"AO"`, `["pass"]`), fine},
		{"a card twice", oneHand("0", strings.Replace(goodDeal, "3O", "AO", 1), `"AO"`, `[]`), fault("null", "bad_deal")},
		{"a card that there is not", oneHand("0", strings.Replace(goodDeal, "3O", "7O", 1), `"AO"`, `[]`), fault("null", "bad_deal")},
		{"a card too many", oneHand("0", strings.Replace(goodDeal, `"SO"`, `"SO","SO"`, 1), `"AO"`, `[]`), fault("null", "bad_deal")},
		{"a card too few", oneHand("0", strings.Replace(goodDeal, `,"SO"`, ``, 1), `"AO"`, `[]`), fault("null", "bad_deal")},
		{"a seat too many", oneHand("0", strings.Replace(goodDeal, `]]`, `],[]]`, 1), `"AO"`, `[]`), fault("null", "bad_deal")},
		{"no deal", oneHand("0", `null`, `"AO"`, `[]`), fault("null", "bad_deal")},
		{"another's card shown", oneHand("0", goodDeal, `"AC"`, `[]`), fault("null", "bad_deal")},
		{"no card shown", oneHand("0", goodDeal, `null`, `[]`), fault("null", "bad_deal")},
		{"no such dealer", oneHand("4", goodDeal, `"AO"`, `[]`), fault("null", "bad_dealer")},
		{"half a dealer", oneHand("0.5", goodDeal, `"AO"`, `[]`), fault("null", "bad_dealer")},
		{"no dealer", oneHand("null", goodDeal, `"AO"`, `[]`), fault("null", "bad_dealer")},
		{"an unknown bid", oneHand("0", goodDeal, `"AO"`, `["pass","envido"]`), fault("1", "wrong_phase")},
		{"a cante in the bidding", oneHand("0", goodDeal, `"AO"`, `["sing:X"]`), fault("0", "wrong_phase")},
		{"an unknown card", oneHand("0", goodDeal, `"AO"`, `["pass","pass","pass","pass","7O"]`), fault("4", "unknown_card")},
		{"a bid in play", oneHand("0", goodDeal, `"AO"`, `["pass","pass","pass","pass","solo"]`), fault("4", "wrong_phase")},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := string(mustParse(t, c.line).AppendReplay(nil, false)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

const goodFair = `{"scheme":"cuatrola-fair/1","matchId":"m","commitment":"00` + sixtyTwoZeros + `","serverSeed":"00` + sixtyTwoZeros +
	`","clientSeeds":["a","","ñ","d"]}`

const sixtyTwoZeros = "00000000000000000000000000000000000000000000000000000000000000"

// Optional members are kept whatever they hold, and never keep a record from
// being replayed.
func TestOptionalMembersAreKept(t *testing.T) {
	for _, c := range []struct {
		what, members string
		other         string // names of what is kept without being understood
	}{
		{"none", ``, ""},
		{"all that are known", `,"id":"x<1>","players":[{"name":"Ana \"la\" ñ","bot":false},{"name":"","bot":true},{"name":"b","bot":true},{"name":"c","bot":true}],` +
			`"startedAt":"2026-01-02T03:04:05Z","endedAt":"2026-01-02T03:14:05Z","fair":` + goodFair, ""},
		{"unknown ones", `,"v":2,"extra":{"deep":[1,2.50,"é",null,true]},"large":12345678901234567890`, "extra large v"},
		{"an id of another type", `,"id":7`, "id"},
		{"an empty id", `,"id":""`, "id"},
		{"members that are null", `,"id":null,"players":null,"fair":null,"startedAt":null`, "fair id players startedAt"},
		{"three players", `,"players":[{"name":"a","bot":true},{"name":"b","bot":true},{"name":"c","bot":true}]`, "players"},
		{"players with more to them", `,"players":[{"name":"a","bot":true,"elo":1},{"name":"b","bot":true},{"name":"c","bot":true},{"name":"d","bot":true}]`, "players"},
		{"a broken proof", `,"fair":{"scheme":"cuatrola-fair/1"}`, "fair"},
		{"a proof with more to it", `,"fair":` + strings.Replace(goodFair, "{", `{"x":1,`, 1), "fair"},
		{"names in other cases", `,"ID":"x","Players":[]`, "ID Players"},
	} {
		t.Run(c.what, func(t *testing.T) {
			line := empty + c.members + `}`
			for _, l := range []string{line, `{"result":1,"record":` + line + `}`} {
				r := mustParse(t, l)
				written := r.Append(nil)
				if got, want := decode(t, written), decode(t, []byte(line)); !reflect.DeepEqual(got, want) {
					t.Errorf("written back as\n%s\nwant\n%s", written, line)
				}
				var other []string
				for name := range r.Other {
					other = append(other, name)
				}
				if len(other) != len(strings.Fields(c.other)) || !containsAll(r.Other, strings.Fields(c.other)) {
					t.Errorf("not understood: %v, want %v", other, c.other)
				}
				if got := string(r.AppendReplay(nil, false)); !strings.HasPrefix(got, `{"ok":true`) {
					t.Error(got)
				}
			}
		})
	}
	if big := string(mustParse(t, empty+`,"large":12345678901234567890}`).Other["large"]); big != "12345678901234567890" {
		t.Errorf("a large number is kept as %s", big)
	}
}

func containsAll(m map[string]json.RawMessage, names []string) bool {
	for _, name := range names {
		if _, found := m[name]; !found {
			return false
		}
	}
	return true
}

func TestKnownMembers(t *testing.T) {
	r := mustParse(t, empty+`,"id":"m-1","players":[{"name":"Ana","bot":false},{"name":"b","bot":true},{"name":"c","bot":true},{"name":"d","bot":true}],`+
		`"startedAt":"s","endedAt":"e","fair":`+goodFair+`}`)
	if r.ID != "m-1" || r.StartedAt != "s" || r.EndedAt != "e" || len(r.Players) != 4 || r.Players[0] != (record.Player{Name: "Ana"}) || !r.Players[3].Bot {
		t.Errorf("%+v", r)
	}
	if r.Fair == nil || r.Fair.MatchID != "m" || string(r.Fair.ClientSeeds[2]) != "ñ" || len(r.Fair.ServerSeed) != rules.ServerSeedSize {
		t.Errorf("%+v", r.Fair)
	}
}

// A written record is read as the same record, also one of a match gone wrong.
func TestRecordRoundTrip(t *testing.T) {
	for i := range uint64(40) {
		for _, p := range rules.Presets() {
			r := randomRecord(p.Rules(), i)
			if i%2 == 1 {
				last := &r.Hands[len(r.Hands)-1]
				last.Actions = append(last.Actions, rules.UnknownCante, rules.UnknownCard)
				last.Trump, last.Deal[1][2], last.Dealer = rules.NoCard, rules.NoCard, rules.NoSeat
			}
			line := r.Append(nil)
			back := mustParse(t, string(line))
			if !reflect.DeepEqual(back, r) || !bytes.Equal(back.Append(nil), line) {
				t.Fatalf("%s\nis read as %+v", line, back)
			}
		}
	}
}

func TestVerdict(t *testing.T) {
	seed := bytes.Repeat([]byte{3}, rules.ServerSeedSize)
	proof := &rules.FairProof{MatchID: "m", Commitment: rules.Commit(seed), ServerSeed: seed, ClientSeeds: [rules.Seats][]byte{{}, {}, []byte("ñ<&>"), {}}}
	r := &record.Record{Rules: rules.Liga.Rules(), Fair: proof}
	dealer := rules.FairDealer(seed, "m", &proof.ClientSeeds)
	for h := range uint32(3) {
		hand := rules.HandRecord{Dealer: dealer, Actions: []rules.Action{}}
		hand.Deal, hand.Trump = rules.FairDeal(seed, "m", &proof.ClientSeeds, h, dealer)
		r.Hands = append(r.Hands, hand)
		dealer = dealer.Next()
	}
	line := string(r.Append(nil))
	for _, c := range []struct {
		what, line string
		verdict    string
		err        string
	}{
		{"honest", line, `{"ok":true,"hands":3}`, ""},
		{"another seed", strings.Replace(line, `"serverSeed":"03`, `"serverSeed":"04`, 1), `{"ok":false,"error":"commitment_mismatch","hand":0}`, ""},
		{"another client seed", strings.Replace(line, `ñ`, `n`, 1), ``, ""},
		{"hands left out", string((&record.Record{Rules: r.Rules, Hands: r.Hands[1:], Fair: proof}).Append(nil)), `{"ok":false,"error":"dealer_mismatch","hand":0}`, ""},
		{"a proof with more to it", strings.Replace(line, `"fair":{`, `"fair":{"note":1,`, 1), `{"ok":true,"hands":3}`, ""},
		{"no proof", empty + `}`, "", "fair is missing"},
		{"a proof that is none", empty + `,"fair":[]}`, "", "fair is not a JSON object"},
		{"another scheme", strings.Replace(line, "cuatrola-fair/1", "cuatrola-fair/2", 1), "", `fair.scheme is not "cuatrola-fair/1"`},
		{"a seed too short", strings.Replace(line, `"serverSeed":"03`, `"serverSeed":"`, 1), "", "fair.serverSeed is not 32 bytes in hexadecimal"},
		{"a commitment that is no number", strings.Replace(line, `"commitment":"`, `"commitment":"x`, 1), "", "fair.commitment is not 32 bytes in hexadecimal"},
		{"a match id too long", strings.Replace(line, `"matchId":"m"`, `"matchId":"`+strings.Repeat("m", 65)+`"`, 1), "", "fair.matchId is not a text of at most 64 bytes"},
		{"a client seed too long", strings.Replace(line, `["","",`, `["`+strings.Repeat("ñ", 33)+`","",`, 1), "", "fair.clientSeeds[0] is not a text of at most 64 bytes"},
		{"three client seeds", strings.Replace(line, `["","",`, `["",`, 1), "", "fair.clientSeeds is not a list of four texts"},
		{"names in other cases", strings.Replace(line, `"matchId"`, `"MATCHID"`, 1), "", "fair.matchId is not a text of at most 64 bytes"},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, err := record.Parse([]byte(c.line))
			if err != nil {
				if err.Error() != c.err {
					t.Errorf("%v", err)
				}
				return
			}
			out, honest, err := r.AppendVerdict(nil)
			if message(err) != c.err || honest != strings.HasPrefix(string(out), `{"ok":true`) {
				t.Errorf("%s, honest %v, %v; want %s, %s", out, honest, err, c.verdict, c.err)
			}
			if c.verdict != "" && string(out) != c.verdict || honest && c.verdict == "" {
				t.Errorf("%s, want %s", out, c.verdict)
			}
		})
	}
}
