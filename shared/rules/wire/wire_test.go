package wire_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
	"github.com/cuatrola/cuatrola/shared/rules/wire"
)

func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomRules is a preset with any of its options changed.
func randomRules(r *rand.Rand) rules.RuleSet {
	rs := pick(r, rules.Presets()...).Rules()
	if r.IntN(3) == 0 {
		return rs
	}
	flag := func(b *bool) {
		if r.IntN(4) == 0 {
			*b = !*b
		}
	}
	rs.End = pick(r, rules.EndPoints, rules.EndHands)
	rs.Target = uint8(1 + r.IntN(15))
	rs.BonusAbove = pick[int16](r, rules.None, 0, 60, 100, 250)
	rs.Tie = pick(r, rules.TieMano, rules.TieLastTrick)
	rs.Cantes = pick(r, rules.CantesDeclare, rules.CantesAuto)
	rs.MaxCantes = pick[int8](r, rules.None, 0, 1, 2, 4)
	rs.Beat = pick(r, rules.BeatBest, rules.BeatLed)
	rs.Undertrump = pick(r, rules.UndertrumpFree, rules.UndertrumpForced)
	for _, b := range []*bool{&rs.ExactTarget, &rs.FortyFirst, &rs.StopWhenLost, &rs.PartnerExempt, &rs.Raising, &rs.BidderLeads} {
		flag(b)
	}
	return rs
}

// randomMatch plays any legal actions to the end and shows every state.
func randomMatch(r *rand.Rand, rs rules.RuleSet, visit func(*rules.Match)) []rules.HandRecord {
	m := rules.NewMatch(rs)
	dealer := rules.Seat(r.IntN(rules.Seats))
	var hands []rules.HandRecord
	for m.Phase() != rules.PhaseMatchOver {
		rec := rules.HandRecord{Dealer: dealer, Trump: rules.NoCard}
		for i, c := range r.Perm(rules.DeckSize) {
			rec.Deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		rec.Trump = rec.Deal[dealer][r.IntN(rules.HandSize)]
		visit(&m)
		m.Deal(rec.Dealer, &rec.Deal, rec.Trump)
		for m.Turn() != rules.NoSeat {
			visit(&m)
			legal := m.Legal()
			a := legal.Nth(r.IntN(legal.Len()))
			m.Apply(m.Turn(), a)
			rec.Actions = append(rec.Actions, a)
		}
		hands = append(hands, rec)
		dealer = dealer.Next()
	}
	visit(&m)
	return hands
}

// spoil makes one thing of a record wrong.
func spoil(r *rand.Rand, hands []rules.HandRecord) {
	hand := &hands[r.IntN(len(hands))]
	switch r.IntN(6) {
	case 0:
		hand.Dealer = rules.Seat(r.IntN(256))
	case 1:
		hand.Deal[r.IntN(rules.Seats)][r.IntN(rules.HandSize)] = rules.Card(r.IntN(256))
	case 2:
		hand.Trump = rules.Card(r.IntN(256))
	case 3:
		hand.Actions = hand.Actions[:r.IntN(len(hand.Actions))]
	case 4:
		hand.Actions = append(hand.Actions, rules.Pass)
	default:
		hand.Actions[r.IntN(len(hand.Actions))] = rules.Action(r.IntN(256))
	}
}

func TestRulesRoundTrip(t *testing.T) {
	r := dice(1)
	for range 2000 {
		want := randomRules(r)
		b := wire.AppendRules(nil, &want)
		got, rest, ok := wire.ReadRules(b)
		if len(b) != wire.RulesSize || !ok || len(rest) != 0 || got != want {
			t.Fatalf("%+v came back as %+v (ok %v)", want, got, ok)
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	r := dice(2)
	var rec wire.Record
	for range 500 {
		rs := randomRules(r)
		hands := randomMatch(r, rs, func(*rules.Match) {})
		if r.IntN(2) == 0 {
			spoil(r, hands)
		}
		b := wire.AppendRecord(nil, &rs, hands)
		if !rec.Read(b) {
			t.Fatal("a record is not read back")
		}
		if rec.Rules != rs || !sameHands(rec.Hands, hands) {
			t.Fatal("a record came back changed")
		}
		if !bytes.Equal(wire.AppendRecord(nil, &rec.Rules, rec.Hands), b) {
			t.Fatal("a record is written differently the second time")
		}
		for _, cut := range []int{0, 1, len(b) / 2, len(b) - 1} {
			if rec.Read(b[:cut]) {
				t.Fatalf("the first %d of %d bytes are taken for a record", cut, len(b))
			}
		}
		if rec.Read(append(b, 0)) {
			t.Fatal("a record with a byte too many is read")
		}
	}
}

func sameHands(a, b []rules.HandRecord) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Dealer != b[i].Dealer || a[i].Deal != b[i].Deal || a[i].Trump != b[i].Trump ||
			!bytes.Equal(raw(a[i].Actions), raw(b[i].Actions)) {
			return false
		}
	}
	return true
}

func raw(actions []rules.Action) []byte {
	b := make([]byte, len(actions))
	for i, a := range actions {
		b[i] = byte(a)
	}
	return b
}

// What crosses the boundary as a result is what the rules say on this side.
func TestReplayAgreesWithRules(t *testing.T) {
	r := dice(3)
	var replayer wire.Replayer
	faults := map[rules.Reason]int{}
	for range 1500 {
		rs := randomRules(r)
		hands := randomMatch(r, rs, func(*rules.Match) {})
		if r.IntN(3) > 0 {
			spoil(r, hands)
		}
		want := replayed(rs, hands)
		b := wire.AppendRecord(nil, &rs, hands)
		got := result(t, &replayer, b, true)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\ngot  %+v\nwant %+v", rs, got, want)
		}
		want.Trace = nil
		if got := result(t, &replayer, b, false); !reflect.DeepEqual(got, want) {
			t.Fatalf("without a trace: got %+v, want %+v", got, want)
		}
		faults[want.Fault.Reason]++
	}
	for _, why := range []rules.Reason{rules.OK, rules.BadDeal, rules.BadDealer, rules.HandUnfinished, rules.HandOver, rules.WrongPhase, rules.CardUnknown} {
		if faults[why] == 0 {
			t.Errorf("no record was at fault with %v: the test has become blind", why)
		}
	}
}

func replayed(rs rules.RuleSet, hands []rules.HandRecord) (want wire.Result) {
	m := rules.NewMatch(rs)
	want.Fault = rules.Replay(&m, hands, func(hand, action int) {
		want.Trace = append(want.Trace, wire.TraceEntry{Hand: hand, Action: action, Phase: m.Phase(), Seat: m.Turn(), Legal: m.Legal()})
	}, func(h *rules.Hand) {
		want.Hands = append(want.Hands, *h)
	})
	want.Winner, want.Score = m.Winner(), m.Score()
	return want
}

func result(t testing.TB, replayer *wire.Replayer, record []byte, trace bool) wire.Result {
	t.Helper()
	b, refused, ok := replayer.Replay(record, trace)
	if refused != nil || !ok {
		t.Fatalf("a record is not replayed: %v, %v", refused, ok)
	}
	res, ok := wire.ReadResult(b)
	if !ok {
		t.Fatal("a result is not read back")
	}
	return res
}

func TestReplayRefusesRules(t *testing.T) {
	rs := rules.Liga.Rules()
	rs.Target = 100
	var replayer wire.Replayer
	_, refused, ok := replayer.Replay(wire.AppendRecord(nil, &rs, nil), false)
	if !errors.Is(refused, rules.OptionError("target")) || !ok {
		t.Errorf("Replay = %v, %v, want the refused option target", refused, ok)
	}
}

// Every view of every state crosses and comes back the same, and says the same
// of every action.
func TestViewRoundTrip(t *testing.T) {
	r := dice(4)
	for range 150 {
		rs := randomRules(r)
		randomMatch(r, rs, func(m *rules.Match) {
			for viewer := rules.Seat(0); viewer < rules.Viewers; viewer++ {
				var want, got rules.View
				m.View(viewer, &want)
				b := wire.AppendView(nil, &want)
				if len(b) != wire.ViewSize || !wire.ReadView(b, &got) || got != want {
					t.Fatalf("view\n%+v\ncame back as\n%+v", want, got)
				}
			}
		})
	}
}

func TestViewRefusesWhatIsNone(t *testing.T) {
	m := rules.NewMatch(rules.Clasica.Rules())
	var v rules.View
	m.View(0, &v)
	good := wire.AppendView(nil, &v)
	if !wire.ReadView(good, &v) {
		t.Fatal("a good view is refused")
	}
	if wire.ReadView(good[:len(good)-1], &v) || wire.ReadView(append(bytes.Clone(good), 0), &v) {
		t.Error("a view of another length is read")
	}
	for at, value := range map[int]byte{
		0: 9, 2: 0, 3: 2, 16: 5, 17: 9, 18: 7, 19: 2, 30: 4, 32: 4, 33: 5, 36: 0x10, 46: 4, 49: 5, 54: 3, 56: 6, 57: 5,
	} {
		bad := bytes.Clone(good)
		bad[at] = value
		if wire.ReadView(bad, &v) {
			t.Errorf("a view whose byte %d is %d is read", at, value)
		}
	}
}

func TestPositionRoundTrip(t *testing.T) {
	r := dice(5)
	for range 3000 {
		rs := randomRules(r)
		deck := r.Perm(rules.DeckSize)
		trump := rules.Suit(r.IntN(rules.Suits))
		seats := []rules.Seat{0, 1, 2}[:r.IntN(4)]
		var cards []rules.Card
		table := rules.NewTrick(rules.NoSeat)
		for i, s := range seats {
			if i == 0 {
				table.Lead = s
			}
			cards = append(cards, rules.Card(deck[i]))
			table.Add(s, cards[i], trump)
		}
		var hand rules.Cards
		for _, c := range deck[3 : 3+r.IntN(6)] {
			hand |= rules.Of(rules.Card(c))
		}
		b := wire.AppendPosition(nil, &rs, trump, 3, hand, seats, cards)
		var p wire.Position
		refused, ok := wire.ReadPosition(b, &p)
		if refused != nil || !ok {
			t.Fatalf("a position is not read back: %v, %v", refused, ok)
		}
		want := wire.Position{Rules: rs, Trump: trump, Seat: 3, Table: table, Hand: hand}
		if p != want || p.Legal() != rules.Actions(rs.Playable(trump, 3, &table, hand)) {
			t.Fatalf("position %+v came back as %+v", want, p)
		}
		if _, ok := wire.ReadPosition(append(b, 0), &p); ok {
			t.Fatal("a position with a byte too many is read")
		}
	}
}

func TestVerifyFair(t *testing.T) {
	seed := bytes.Repeat([]byte{7}, rules.ServerSeedSize)
	clients := [rules.Seats][]byte{[]byte("a"), nil, []byte("ccc"), []byte("d")}
	rs := rules.Mesa.Rules()
	dealer := rules.FairDealer(seed, "m", &clients)
	var hands []rules.HandRecord
	for h := range uint32(3) {
		rec := rules.HandRecord{Dealer: dealer}
		rec.Deal, rec.Trump = rules.FairDeal(seed, "m", &clients, h, dealer)
		hands = append(hands, rec)
		dealer = dealer.Next()
	}
	verify := func() (rules.FairFault, int) {
		commitment := rules.Commit(seed)
		b := wire.AppendSeeds(commitment[:], seed, "m", &clients)
		var rec wire.Record
		fault, hand, ok := rec.VerifyFair(wire.AppendRecord(b, &rs, hands))
		if !ok {
			t.Fatal("a proof is not read back")
		}
		return fault, hand
	}
	if fault, _ := verify(); fault != rules.Fair {
		t.Errorf("an honest match: %v", fault)
	}
	hands[2].Trump = hands[2].Deal[hands[2].Dealer][0]
	if fault, hand := verify(); fault != rules.FairDealWrong || hand != 2 {
		t.Errorf("another card shown in hand 2: %v in hand %d", fault, hand)
	}
	clients[1] = []byte("b")
	if fault, hand := verify(); fault == rules.Fair || hand != 0 {
		t.Errorf("another seed: %v in hand %d", fault, hand)
	}
}

func TestNoAllocation(t *testing.T) {
	r := dice(6)
	rs := rules.Liga.Rules()
	record := wire.AppendRecord(nil, &rs, randomMatch(r, rs, func(*rules.Match) {}))
	var replayer wire.Replayer
	var view rules.View
	m := rules.NewMatch(rs)
	var buffer []byte
	for what, f := range map[string]func(){
		"replay": func() { _, _, _ = replayer.Replay(record, true) },
		"view": func() {
			m.View(0, &view)
			buffer = wire.AppendView(buffer[:0], &view)
			wire.ReadView(buffer, &view)
		},
	} {
		f() // the first time may make room
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// handRecord is one whole hand of four players without cantes asked: 24 actions.
func handRecord() (rules.RuleSet, []rules.HandRecord) {
	rs := rules.MesaQuintola.Rules()
	r := dice(8)
	for {
		hand := randomMatch(r, rs, func(*rules.Match) {})[:1]
		if len(hand[0].Actions) == rules.Seats+rules.DeckSize {
			return rs, hand
		}
	}
}

// BenchmarkReplayHand is the module's figure natively: a whole hand read, replayed
// and its result written.
func BenchmarkReplayHand(b *testing.B) {
	rs, hand := handRecord()
	record := wire.AppendRecord(nil, &rs, hand)
	var replayer wire.Replayer
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = replayer.Replay(record, false)
	}
}
