package record

import (
	"slices"
	"strings"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// AppendReplay replays the record and writes the result, the same bytes on every
// platform; with trace, {"result":…,"trace":[…]}, where the trace says before
// each action who may do what.
func (r *Record) AppendReplay(dst []byte, trace bool) []byte {
	m := rules.NewMatch(r.Rules)
	var hands, traces []byte
	var before func(hand, action int)
	if trace {
		before = func(hand, action int) {
			traces = appendTrace(comma(traces, len(traces)), &m, hand, action)
		}
	}
	fault := rules.Replay(&m, r.Hands, before, func(h *rules.Hand) {
		hands = AppendHand(comma(hands, len(hands)), h)
	})

	if trace {
		dst = append(dst, `{"result":`...)
	}
	if fault.Reason != rules.OK {
		dst = appendFault(dst, fault.Hand, fault.Action, fault.Reason.String())
		dst = append(dst, `,"hands":[`...)
		dst = append(dst, hands...)
		dst = append(dst, "]}"...)
	} else {
		dst = append(dst, `{"ok":true,"hands":[`...)
		dst = append(dst, hands...)
		dst = append(dst, `],"score":`...)
		dst = appendByPair(dst, m.Score())
		dst = append(dst, `,"winner":`...)
		if m.Winner() == rules.NoPair {
			dst = append(dst, "null"...)
		} else {
			dst = appendInt(dst, m.Winner())
		}
		dst = append(dst, '}')
	}
	if trace {
		dst = append(dst, `,"trace":[`...)
		dst = append(dst, traces...)
		dst = append(dst, "]}"...)
	}
	return dst
}

// appendFault writes the members of an object that says what is wrong where, with its
// beginning and without its end.
func appendFault(dst []byte, hand, action int, code string) []byte {
	dst = append(dst, `{"ok":false,"hand":`...)
	dst = appendInt(dst, hand)
	dst = append(dst, `,"action":`...)
	if action == rules.NoAction {
		dst = append(dst, "null"...)
	} else {
		dst = appendInt(dst, action)
	}
	dst = append(dst, `,"error":"`...)
	dst = append(dst, code...)
	return append(dst, '"')
}

func appendTrace(dst []byte, m *rules.Match, hand, action int) []byte {
	dst = append(dst, `{"hand":`...)
	dst = appendInt(dst, hand)
	dst = append(dst, `,"i":`...)
	dst = appendInt(dst, action)
	dst = append(dst, `,"phase":"`...)
	dst = append(dst, m.Phase().String()...)
	dst = append(dst, `","seat":`...)
	dst = appendInt(dst, m.Turn())
	dst = append(dst, `,"legal":`...)
	dst = appendSorted(dst, m.Legal())
	return append(dst, '}')
}

// appendSorted writes the actions in the order of their texts.
func appendSorted(dst []byte, legal rules.Actions) []byte {
	dst = append(dst, '[')
	for i, a := range byText(legal) {
		dst = appendText(comma(dst, i), a.String())
	}
	return append(dst, ']')
}

// byText is the actions in the order of their texts.
func byText(legal rules.Actions) []rules.Action {
	list := make([]rules.Action, 0, legal.Len())
	for ; legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b rules.Action) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// AppendHand writes the result of a finished hand.
func AppendHand(dst []byte, h *rules.Hand) []byte {
	dst = append(dst, `{"bid":"`...)
	dst = append(dst, h.Bid.String()...)
	dst = append(dst, `","bidder":`...)
	if h.Bidder == rules.NoSeat {
		dst = append(dst, "null"...)
	} else {
		dst = appendInt(dst, h.Bidder)
	}
	dst = append(dst, `,"tricks":[`...)
	for i := range h.Tricks[:h.TrickCount] {
		t := &h.Tricks[i]
		dst = append(comma(dst, i), `{"lead":`...)
		dst = appendInt(dst, t.Lead)
		dst = append(dst, `,"cards":`...)
		dst = appendTexts(dst, t.Cards[:t.Count])
		dst = append(dst, `,"winner":`...)
		dst = appendInt(dst, t.Winner)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"cantes":[`...)
	for i, c := range h.Cantes[:h.CanteCount] {
		dst = append(comma(dst, i), `{"seat":`...)
		dst = appendInt(dst, c.Seat)
		dst = append(dst, `,"suit":"`...)
		dst = append(dst, c.Suit.String()...)
		dst = append(dst, `","points":`...)
		dst = appendInt(dst, c.Points)
		dst = append(dst, `,"trick":`...)
		dst = appendInt(dst, c.Trick)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"points":`...)
	dst = appendByPair(dst, h.Points)
	dst = append(dst, `,"tricksWon":`...)
	dst = appendByPair(dst, h.TricksWon)
	dst = append(dst, `,"winner":`...)
	dst = appendInt(dst, h.Winner)
	dst = append(dst, `,"value":`...)
	dst = appendInt(dst, h.Value)
	dst = append(dst, `,"score":`...)
	dst = appendByPair(dst, h.Score)
	return append(dst, '}')
}

func appendByPair[T ~uint8 | ~uint16](dst []byte, n [2]T) []byte {
	dst = append(dst, '[')
	dst = appendInt(dst, n[0])
	dst = append(dst, ',')
	dst = appendInt(dst, n[1])
	return append(dst, ']')
}
