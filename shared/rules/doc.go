// Package rules plays Cuatrola: the cards, the rule sets, a match from the
// first bid to its winner, what each seat may know of it, records of matches
// and the fair deal.
//
// The package is pure. It reads no clock, draws no random number, does no
// input or output and knows no JSON: a deal is handed in, an action is handed
// in, and the same calls give the same state everywhere. It needs the standard
// library only, so that the server and the WebAssembly module run the very same
// code. Everything is a value of fixed size; asking what is legal, applying an
// action, scoring and viewing allocate nothing.
//
// A match is driven like this:
//
//	m := rules.NewMatch(rs)
//	for m.Phase() != rules.PhaseMatchOver {
//		m.Deal(dealer, &deal, trump)
//		for m.Turn() != rules.NoSeat {
//			m.Apply(m.Turn(), choose(m.Legal()))
//		}
//	}
//
// Nothing here panics on bad input: what is refused is refused with a [Reason]
// and changes nothing.
package rules
