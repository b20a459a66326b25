package record

import (
	"errors"

	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Moment is a point of a record: what stood before an action of a hand, or at the end of
// its actions.
type Moment struct {
	Record *Record
	// Hand is the index of the hand and Action that of the action. The record may lack
	// them.
	Hand, Action int
}

// maxIndex of a hand or an action: what the module has room for, and more than any match has.
const maxIndex = 1<<16 - 1

// ParseMoment reads a line that is a record, or an object that holds one under "record",
// with the indices "hand" and "action" beside it. Without "hand" it is the last hand,
// without "action" the end of the hand's actions.
func ParseMoment(line []byte) (*Moment, error) {
	o, err := parseLine(line)
	if err != nil {
		return nil, err
	}
	inner, err := innerObject(o, "record")
	if err != nil {
		return nil, err
	}
	p := &Moment{}
	if p.Record, err = parseRecord(inner, line); err != nil {
		return nil, err
	}
	hands := p.Record.Hands
	var ok bool
	if p.Hand, ok = index(o["hand"], max(len(hands)-1, 0)); !ok {
		return nil, errors.New("hand is not a whole number from 0 to 65535")
	}
	end := rules.NoAction
	if p.Hand < len(hands) {
		end = len(hands[p.Hand].Actions)
	}
	if p.Action, ok = index(o["action"], end); !ok {
		return nil, errors.New("action is not a whole number from 0 to 65535")
	}
	return p, nil
}

func index(v any, without int) (i int, ok bool) {
	switch n := v.(type) {
	case nil:
		return without, true
	case float64:
		if n >= 0 && n <= maxIndex && n == float64(int(n)) {
			return int(n), true
		}
	}
	return 0, false
}

// NoSuchMoment is the code for a hand or an action that the record lacks.
const NoSuchMoment = "no_such_moment"

// AppendValues solves the moment with all cards seen, and writes whose turn it is and
// what each action comes to for that seat, sorted (solve.Solver.ValuesFor says in what
// unit):
//
//	{"seat":2,"values":{"3O":-4,"AO":12}}
//
// or what is wrong and where, as a replay does, with "wrong_phase" if the seats are
// bidding and "hand_over" or "match_over" if nobody is to act:
//
//	{"ok":false,"hand":0,"action":7,"error":"must_beat"}
func (p *Moment) AppendValues(dst []byte, s *solve.Solver) []byte {
	hands := p.Record.Hands
	if p.Hand >= len(hands) || p.Action > len(hands[p.Hand].Actions) {
		return append(appendFault(dst, p.Hand, p.Action, NoSuchMoment), '}')
	}
	m := rules.NewMatch(p.Record.Rules)
	fault := rules.ReplayTo(&m, hands, p.Hand, p.Action)
	var values [solve.Actions]int16
	if fault.Reason == rules.OK {
		fault.Reason = s.ValuesFor(&m, &values)
	}
	if fault.Reason != rules.OK {
		return append(appendFault(dst, fault.Hand, fault.Action, fault.Reason.String()), '}')
	}
	dst = append(dst, `{"seat":`...)
	dst = appendInt(dst, m.Turn())
	dst = append(dst, `,"values":{`...)
	for i, a := range byText(m.Legal()) {
		dst = appendText(comma(dst, i), a.String())
		dst = append(dst, ':')
		dst = appendInt(dst, values[a])
	}
	return append(dst, "}}"...)
}
