//go:build wasip1

// Command wasm is the WebAssembly module: the rules, records, fair deal and bots
// for the browser, Node and wherever else WebAssembly runs.
//
// It is a reactor: the host calls _initialize once, then any export. Scalars
// cross as 32-bit numbers; anything larger goes through two buffers of the
// module's memory in the form of package wire: the host writes to where [input]
// says and reads an answer of the length returned from where [output] says.
// Matches live in numbered slots. The TypeScript package beside this file is the
// one host that has to know all this.
//
// Neither fmt nor any JSON may be imported from here: the size of the module is
// a promise.
package main

import (
	"unsafe"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
	"github.com/cuatrola/cuatrola/shared/rules/sha256"
	"github.com/cuatrola/cuatrola/shared/rules/wire"
)

// slots is how many matches can be in play at a time. The host folds a match
// anew from its log when it has had to give the slot to another.
const slots = 16

// Answers of exports whose result is a length or a code, for what cannot be read
// at all. They are outside every range of those results.
const malformed = -1

// noAction is choose's answer where there is nothing to choose.
const noAction = 255

var (
	in, out  []byte
	matches  [slots]rules.Match
	replayer wire.Replayer
	record   wire.Record
	view     rules.View
	position wire.Position
	thinker  bot.Player
	solver   solve.Solver
	values   [solve.Actions]int16
	reviewer coach.Coach
	reviewed coach.Hand
)

func main() {}

// input makes room for size bytes and says where to write them. The room is
// valid until the next call of input.
//
//go:wasmexport input
func input(size uint32) uint32 {
	if uint32(cap(in)) < size {
		in = make([]byte, size)
	}
	in = in[:size]
	return address(in)
}

// output says where the last answer stands.
//
//go:wasmexport output
func output() uint32 { return address(out) }

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// empty does nothing: what the boundary itself costs, for benchmarks.
//
//go:wasmexport empty
func empty(slot uint32) uint32 { return slot }

// checkRules says whether the rule set in the input can be played: 0, or the
// length of the refused option's name.
//
//go:wasmexport checkRules
func checkRules() int32 {
	rs, rest, ok := wire.ReadRules(in)
	if !ok || len(rest) != 0 {
		return malformed
	}
	return refuse(rs.Validate())
}

func refuse(err error) int32 {
	if err == nil {
		return 0
	}
	option, _ := err.(rules.OptionError)
	out = append(out[:0], option...)
	return int32(len(out))
}

// replay replays the record in the input. The answer is the result's length, or
// that of a refused option's name, negated and less one.
//
//go:wasmexport replay
func replay(trace uint32) int32 {
	result, refused, ok := replayer.Replay(in, trace != 0)
	if !ok {
		return malformed
	}
	if refused != nil {
		return malformed - refuse(refused)
	}
	out = result
	return int32(len(out))
}

// positionLegal is the set of legal actions of the position in the input;
// negative as in replay.
//
//go:wasmexport positionLegal
func positionLegal() int32 {
	refused, ok := wire.ReadPosition(in, &position)
	if !ok {
		return malformed
	}
	if refused != nil {
		return malformed - refuse(refused)
	}
	return int32(position.Legal())
}

// solveRecord works out with all cards seen what each action comes to that may be done
// before an action of a hand of the record in the input, which has both, for the seat
// whose turn it is. The answer is the length of wire's values; negative as in replay.
//
//go:wasmexport solveRecord
func solveRecord(hand, action uint32) int32 {
	if !record.Read(in) || hand >= uint32(len(record.Hands)) || action > uint32(len(record.Hands[hand].Actions)) {
		return malformed
	}
	if err := record.Rules.Validate(); err != nil {
		return malformed - refuse(err)
	}
	m := rules.NewMatch(record.Rules)
	fault := rules.ReplayTo(&m, record.Hands, int(hand), int(action))
	if fault.Reason == rules.OK {
		fault.Reason = solver.ValuesFor(&m, &values)
	}
	out = wire.AppendValues(out[:0], fault, m.Turn(), m.Legal(), values[:])
	return int32(len(out))
}

// newMatch starts a match under the rule set in the input, as checkRules.
//
//go:wasmexport newMatch
func newMatch(slot uint32) int32 {
	rs, rest, ok := wire.ReadRules(in)
	if !ok || len(rest) != 0 {
		return malformed
	}
	if err := rs.Validate(); err != nil {
		return refuse(err)
	}
	matches[slot] = rules.NewMatch(rs)
	return 0
}

// dealHand deals the next hand: the input holds the dealer, the cards of seats 0
// to 3 and the card shown. The answer is a reason.
//
//go:wasmexport dealHand
func dealHand(slot uint32) int32 {
	if len(in) != 2+rules.DeckSize {
		return malformed
	}
	var deal rules.Deal
	for s := range deal {
		for i := range deal[s] {
			deal[s][i] = rules.Card(in[1+s*rules.HandSize+i])
		}
	}
	return int32(matches[slot].Deal(rules.Seat(in[0]), &deal, rules.Card(in[1+rules.DeckSize])))
}

// legal is the set of actions of the seat whose turn it is.
//
//go:wasmexport legal
func legal(slot uint32) uint32 { return uint32(matches[slot].Legal()) }

// turn is the seat to act, 255 if none.
//
//go:wasmexport turn
func turn(slot uint32) uint32 { return uint32(matches[slot].Turn()) }

// phase is the match's phase.
//
//go:wasmexport phase
func phase(slot uint32) uint32 { return uint32(matches[slot].Phase()) }

// check says why an action would be refused, 0 if it would not.
//
//go:wasmexport check
func check(slot, seat, action uint32) uint32 {
	return uint32(matches[slot].Check(rules.Seat(seat), rules.Action(action)))
}

// apply does an action, or says why not.
//
//go:wasmexport apply
func apply(slot, seat, action uint32) uint32 {
	return uint32(matches[slot].Apply(rules.Seat(seat), rules.Action(action)))
}

// matchView writes what a viewer sees; the answer is its length.
//
//go:wasmexport matchView
func matchView(slot, viewer uint32) int32 {
	if viewer >= rules.Viewers {
		return malformed
	}
	matches[slot].View(rules.Seat(viewer), &view)
	out = wire.AppendView(out[:0], &view)
	return int32(len(out))
}

// lastHand writes the hand in play, or the one that ended until the next is
// dealt; the answer is its length.
//
//go:wasmexport lastHand
func lastHand(slot uint32) int32 {
	out = wire.AppendHand(out[:0], matches[slot].Hand())
	return int32(len(out))
}

// choose is what a bot of a level does in the place of the viewer of the view in
// the input, 255 if it is not the viewer's turn. A number of 64 bits would cross
// as a BigInt, so the seed comes in two halves. nodes is how many cards it may try in
// thought and ms how many milliseconds of the host's clock it may take, 0 for what the
// level takes; with the latter the answer depends on the machine.
//
//go:wasmexport choose
func choose(level, seedLow, seedHigh, nodes, ms uint32) int32 {
	if !wire.ReadView(in, &view) {
		return malformed
	}
	view.Legal = legalIn(&view)
	budget := bot.Budget{Nodes: uint64(nodes)}
	if ms > 0 {
		deadline = monotonic() + uint64(ms)*1_000_000
		budget.Expired = expired
	}
	action, ok := thinker.Choose(bot.Level(level), &view, uint64(seedHigh)<<32|uint64(seedLow), budget)
	if !ok {
		return noAction
	}
	return int32(action)
}

// deadline is when the bot that thinks has to answer, by the host's clock.
var deadline uint64

func expired() bool { return monotonic() >= deadline }

// monotonic is the host's clock, which only goes forward, in nanoseconds. The runtime
// has the same import; package time would be several KB more.
func monotonic() uint64 {
	var now uint64
	clockTimeGet(1, 1000, &now)
	return now
}

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(clock uint32, precision uint64, now *uint64) uint32

// wait is how long a bot waits that is to act in the view in the input, anybody's, in
// thousandths of an ordinary wait.
//
//go:wasmexport wait
func wait(seedLow, seedHigh uint32) int32 {
	if !wire.ReadView(in, &view) {
		return malformed
	}
	return int32(bot.Natural().Wait(&view, uint64(seedHigh)<<32|uint64(seedLow)))
}

// viewLegal is the set of actions that the viewer of the view in the input may
// do, worked out here whatever the view itself says.
//
//go:wasmexport viewLegal
func viewLegal() int32 {
	if !wire.ReadView(in, &view) {
		return malformed
	}
	return int32(legalIn(&view))
}

// legalIn is what the view's viewer may do. What the view itself says of that is
// not trusted: it may come from anywhere.
func legalIn(v *rules.View) rules.Actions {
	var legal rules.Actions
	for a := rules.Action(0); a <= rules.Silent; a++ {
		if v.Check(a) == rules.OK {
			legal |= 1 << a
		}
	}
	return legal
}

// viewCheck says why the viewer of the view in the input may not do an action.
//
//go:wasmexport viewCheck
func viewCheck(action uint32) int32 {
	if !wire.ReadView(in, &view) {
		return malformed
	}
	return int32(view.Check(rules.Action(action)))
}

// viewAfter writes what the viewer of the view in the input sees once it has done an
// action, as far as the view tells: as if no other seat had anything to sing, without
// what is sung by itself, since hidden cards decide who of a pair does, and without the
// next hand. The answer is its length, or the reason why the action is refused, negated
// and less one.
//
//go:wasmexport viewAfter
func viewAfter(action uint32) int32 {
	if !wire.ReadView(in, &view) {
		return malformed
	}
	if reason := view.Check(rules.Action(action)); reason != rules.OK {
		return malformed - int32(reason)
	}
	var held [rules.Seats]rules.Cards
	held[view.Viewer] = view.Cards
	rs := view.Rules
	if rs.Cantes == rules.CantesAuto {
		view.Rules.MaxCantes = 0
	}
	m := view.Suppose(held)
	m.Apply(view.Viewer, rules.Action(action))
	m.View(view.Viewer, &view)
	view.Rules = rs
	out = wire.AppendView(out[:0], &view)
	return int32(len(out))
}

// review writes the coach's review of a hand of the record in the input: the reason why
// there is none (0: there is one), the hand and action at fault (65,535: no action), and
// the review. The answer is its length; negative as in replay.
//
//go:wasmexport review
func review(hand uint32) int32 {
	if !record.Read(in) {
		return malformed
	}
	if err := record.Rules.Validate(); err != nil {
		return malformed - refuse(err)
	}
	fault := reviewer.Review(record.Rules, record.Hands, int(hand), &reviewed)
	out = append(out[:0], uint8(fault.Reason),
		uint8(fault.Hand), uint8(fault.Hand>>8), uint8(fault.Action), uint8(fault.Action>>8))
	if fault.Reason == rules.OK {
		out = reviewed.Append(out)
	}
	return int32(len(out))
}

// digest writes the SHA-256 of the input: a seed's commitment.
//
//go:wasmexport digest
func digest() int32 {
	sum := sha256.Sum(in)
	out = append(out[:0], sum[:]...)
	return int32(len(out))
}

// fairDealer is the first dealer drawn from the seeds in the input.
//
//go:wasmexport fairDealer
func fairDealer() int32 {
	s, rest, ok := wire.ReadSeeds(in)
	if !ok || len(rest) != 0 {
		return malformed
	}
	return int32(rules.FairDealer(s.Server, s.MatchID, &s.Clients))
}

// fairDeal writes the deal of a hand drawn from the seeds in the input: the
// cards of seats 0 to 3 and the card shown.
//
//go:wasmexport fairDeal
func fairDeal(hand, dealer uint32) int32 {
	s, rest, ok := wire.ReadSeeds(in)
	if !ok || len(rest) != 0 || dealer >= rules.Seats {
		return malformed
	}
	deal, trump := rules.FairDeal(s.Server, s.MatchID, &s.Clients, hand, rules.Seat(dealer))
	out = out[:0]
	for seat := range deal {
		for _, c := range deal[seat] {
			out = append(out, uint8(c))
		}
	}
	out = append(out, uint8(trump))
	return int32(len(out))
}

// fairVerify checks the deals of the proof and record in the input: the fault in
// the low byte, the first hand that differs above it.
//
//go:wasmexport fairVerify
func fairVerify() int32 {
	fault, hand, ok := record.VerifyFair(in)
	if !ok {
		return malformed
	}
	return int32(fault) | int32(hand)<<8
}

// reasonCode writes the stable code of a reason; the answer is its length.
//
//go:wasmexport reasonCode
func reasonCode(reason uint32) int32 {
	out = append(out[:0], rules.Reason(reason).String()...)
	return int32(len(out))
}
