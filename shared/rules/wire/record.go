package wire

import "github.com/cuatrola/cuatrola/shared/rules"

const (
	// handHeader is the length of a hand in a record without its actions.
	handHeader = handTrump + 1 + 2
	// handTrump is where its shown card stands.
	handTrump = 1 + rules.DeckSize
)

// AppendRecord writes a record: the rule set, the number of hands, and of each
// hand the dealer, the cards of seats 0 to 3, the card shown, the number of
// actions and the actions. Hands and actions must be fewer than 65,536.
func AppendRecord(b []byte, rs *rules.RuleSet, hands []rules.HandRecord) []byte {
	b = AppendRules(b, rs)
	b = appendUint16(b, uint16(len(hands)))
	for h := range hands {
		hand := &hands[h]
		b = append(b, uint8(hand.Dealer))
		for s := range hand.Deal {
			for _, c := range hand.Deal[s] {
				b = append(b, uint8(c))
			}
		}
		b = append(b, uint8(hand.Trump))
		b = appendUint16(b, uint16(len(hand.Actions)))
		for _, a := range hand.Actions {
			b = append(b, uint8(a))
		}
	}
	return b
}

// Record is a record that was read. Reading another into it reuses its room.
type Record struct {
	Rules   rules.RuleSet
	Hands   []rules.HandRecord
	actions []rules.Action // of all hands, one behind the other
}

// Read reads a record. It reports whether b is one and nothing else; if not,
// the record's content is undefined.
func (rec *Record) Read(b []byte) bool {
	r := reader{b: b}
	r.rules(&rec.Rules)
	rec.hands(&r)
	return !r.bad && len(r.b) == 0
}

func (rec *Record) hands(r *reader) {
	count := int(r.uint16())
	if count > len(r.b)/handHeader {
		r.bad = true
		return
	}
	// The slices of actions point into one array, which therefore must not move
	// while it is filled.
	if cap(rec.actions) < len(r.b) {
		rec.actions = make([]rules.Action, 0, len(r.b))
	}
	if cap(rec.Hands) < count {
		rec.Hands = make([]rules.HandRecord, count)
	}
	rec.Hands = rec.Hands[:count]
	actions := rec.actions[:0]
	for h := range rec.Hands {
		part := r.take(handHeader)
		if part == nil {
			return
		}
		p := (*[handHeader]byte)(part)
		hand := &rec.Hands[h]
		hand.Dealer, hand.Trump = rules.Seat(p[0]), rules.Card(p[handTrump])
		for s := range hand.Deal {
			cards := (*[rules.HandSize]byte)(p[1+s*rules.HandSize:])
			for i := range cards {
				hand.Deal[s][i] = rules.Card(cards[i])
			}
		}
		done := r.take(int(uint16At(p[:], handTrump+1)))
		first := len(actions)
		actions = actions[:first+len(done)]
		hand.Actions = actions[first:len(actions):len(actions)]
		for i := range hand.Actions {
			hand.Actions[i] = rules.Action(done[i])
		}
	}
}
