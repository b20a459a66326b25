package rules

// HandRecord is one hand of a record: the deal and what was done, in order.
// Whose action each is follows from the rules.
type HandRecord struct {
	Dealer  Seat
	Deal    Deal
	Trump   Card
	Actions []Action
}

// Fault is the place in a record where it stops being a match.
type Fault struct {
	Reason Reason
	// Hand is the index of the hand.
	Hand int
	// Action is the index of the refused action, or NoAction if the hand could
	// not even be dealt.
	Action int
}

// NoAction is a Fault's Action where no action is at fault.
const NoAction = -1

// Replay plays a record's hands into m, which must be new, up to their end or
// the first fault. before, if not nil, is called ahead of every action, and
// after, if not nil, behind every finished hand.
func Replay(m *Match, hands []HandRecord, before func(hand, action int), after func(*Hand)) Fault {
	for h := range hands {
		rec := &hands[h]
		if m.phase != PhaseDeal && m.phase != PhaseMatchOver {
			return Fault{HandUnfinished, h - 1, len(hands[h-1].Actions)}
		}
		if why := m.Deal(rec.Dealer, &rec.Deal, rec.Trump); why != OK {
			return Fault{why, h, NoAction}
		}
		for i, a := range rec.Actions {
			if before != nil && m.turn != NoSeat {
				before(h, i)
			}
			finished := m.finished
			if why := m.Apply(NoSeat, a); why != OK {
				return Fault{why, h, i}
			}
			if after != nil && m.finished != finished {
				after(&m.hand)
			}
		}
	}
	return Fault{Hand: len(hands), Action: NoAction}
}

// ReplayTo plays a record's hands into m, which must be new, up to what stood before an
// action of a hand (the number of its actions stands for what they lead to), or to the
// first fault before that. The record has the hand and the action.
func ReplayTo(m *Match, hands []HandRecord, hand, action int) Fault {
	if fault := Replay(m, hands[:hand], nil, nil); fault.Reason != OK {
		return fault
	}
	if m.phase != PhaseDeal && m.phase != PhaseMatchOver {
		return Fault{HandUnfinished, hand - 1, len(hands[hand-1].Actions)}
	}
	rec := hands[hand]
	rec.Actions = rec.Actions[:action]
	fault := Replay(m, []HandRecord{rec}, nil, nil)
	fault.Hand += hand
	if fault.Reason == OK {
		fault.Hand, fault.Action = hand, action
	}
	return fault
}
