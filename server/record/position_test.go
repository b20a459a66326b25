package record_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
)

func position(trump, seat, trick, hand string) string {
	return `{"rules":"liga","trump":` + trump + `,"seat":` + seat + `,"trick":` + trick + `,"hand":` + hand + `}`
}

func TestPositions(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{position(`"B"`, `2`, `[{"seat":0,"card":"SO"},{"seat":1,"card":"RO"}]`, `["CO","3O","AC","SB"]`), `{"legal":["3O"]}`},
		{position(`"B"`, `2`, `[]`, `["SB","CO","AC","3O"]`), `{"legal":["3O","AC","CO","SB"]}`},
		{position(`"B"`, `2`, `[]`, `[]`), `{"legal":[]}`},
		{`{"position":` + position(`"B"`, `3`, `[{"seat":0,"card":"SO"},{"seat":2,"card":"SB"}]`, `["AC","CB"]`) + `,"legal":[]}`, `{"legal":["CB"]}`},
	} {
		p, err := record.ParsePosition([]byte(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := string(p.AppendLegal(nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

func TestPositionsRefused(t *testing.T) {
	for _, c := range []struct{ line, err string }{
		{`x`, "not JSON"},
		{`[]`, "not a JSON object"},
		{`{"position":1}`, "position is not a JSON object"},
		{`{"trump":"B"}`, "rules are missing"},
		{position(`"X"`, `0`, `[]`, `[]`), "trump is not a suit"},
		{position(`"SB"`, `0`, `[]`, `[]`), "trump is not a suit"},
		{position(`"B"`, `4`, `[]`, `[]`), "seat is not 0, 1, 2 or 3"},
		{position(`"B"`, `"0"`, `[]`, `[]`), "seat is not 0, 1, 2 or 3"},
		{position(`"B"`, `0`, `null`, `[]`), "trick is not a list of at most three cards"},
		{position(`"B"`, `0`, `[1,2,3,4]`, `[]`), "trick is not a list of at most three cards"},
		{position(`"B"`, `0`, `[{"seat":0,"card":"SO"}]`, `[]`), "trick[0]: seat is not another one of the table"},
		{position(`"B"`, `0`, `[{"seat":1,"card":"SO"},{"seat":1,"card":"RO"}]`, `[]`), "trick[1]: seat is not another one of the table"},
		{position(`"B"`, `0`, `[{"seat":1,"card":"7O"}]`, `[]`), "trick[0]: card is not one of the pack, or is there twice"},
		{position(`"B"`, `0`, `[7]`, `[]`), "trick[0]: seat is not another one of the table"},
		{position(`"B"`, `0`, `[]`, `{}`), "hand is not a list of at most five cards"},
		{position(`"B"`, `0`, `[]`, `["SO","CO","RO","3O","AO","SB"]`), "hand is not a list of at most five cards"},
		{position(`"B"`, `0`, `[]`, `["SO","SO"]`), "hand[1] is not a card of the pack, or is there twice"},
		{position(`"B"`, `0`, `[{"seat":1,"card":"SO"}]`, `["SO"]`), "hand[0] is not a card of the pack, or is there twice"},
		{position(`"B"`, `0`, `[]`, `[1]`), "hand[0] is not a card of the pack, or is there twice"},
	} {
		if _, err := record.ParsePosition([]byte(c.line)); message(err) != c.err {
			t.Errorf("%s: %v, want %s", c.line, err, c.err)
		}
	}
}
