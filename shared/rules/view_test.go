package rules_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

func viewers() []rules.Seat { return []rules.Seat{0, 1, 2, 3, rules.Spectator} }

func viewOf(m *rules.Match, viewer rules.Seat) (v rules.View) {
	m.View(viewer, &v)
	return v
}

// step is one action of a hand and the seat that did it.
type step struct {
	seat   rules.Seat
	action rules.Action
}

// seenBy is the part of the steps that a viewer is shown.
func seenBy(viewer rules.Seat, steps []step) (seen []step) {
	for _, s := range steps {
		if s.action != rules.Silent || s.seat == viewer {
			seen = append(seen, s)
		}
	}
	return seen
}

// Two matches that a viewer cannot tell apart give it the same view, whatever the
// others hold and however often they kept silent: the hands that it cannot see
// are dealt anew, in every way that what it saw allows, and its view must stay as
// it is.
func TestViewDependsOnWhatIsSeenOnly(t *testing.T) {
	alike, waiting, silences := 0, 0, 0
	for i := range 600 {
		r := dice(uint64(1000 + i))
		rs := randomRules(r)
		if i%3 == 0 {
			rs = rules.Presets()[i/3%4].Rules()
		}
		before := rules.NewMatch(rs)
		m := before
		rec := dealNext(r, &m)
		var steps []step
		for {
			for _, viewer := range viewers() {
				for range 2 {
					if other, hidden, ok := alikeTo(r, &before, &m, &rec, viewer, steps); ok {
						alike++
						if hidden != len(steps)-len(seenBy(viewer, steps)) {
							silences++
						}
						if m.Phase() == rules.PhaseSing && m.Turn() != viewer {
							waiting++
						}
						if got, want := viewOf(&other, viewer), viewOf(&m, viewer); got != want {
							t.Fatalf("viewer %d after %v of %+v sees\n%+v\nand in a match that is alike to it\n%+v", viewer, steps, rec, want, got)
						}
					}
				}
			}
			if m.Turn() == rules.NoSeat {
				break
			}
			a := pick(r, &m)
			steps = append(steps, step{m.Turn(), a})
			m.Apply(m.Turn(), a)
		}
	}
	// Without these the test would prove little.
	if alike < 20_000 || waiting < 100 || silences < 100 {
		t.Errorf("%d matches alike, %d while another is asked, %d with other silences", alike, waiting, silences)
	}
}

// alikeTo is a match that the viewer cannot tell from m, with the cards that it
// cannot see dealt anew, and the number of actions in it that are hidden from the
// viewer. ok is false if the cards dealt do not fit what it saw.
func alikeTo(r *rand.Rand, before, m *rules.Match, rec *rules.HandRecord, viewer rules.Seat, steps []step) (other rules.Match, hidden int, ok bool) {
	var fixed [rules.Seats]rules.Cards // what the viewer knows to have been dealt to each
	if viewer < rules.Seats {
		fixed[viewer] = rules.Of(rec.Deal[viewer][:]...)
	}
	fixed[rec.Dealer] |= rules.Of(rec.Trump)
	var known rules.Cards
	for _, s := range steps {
		if c, isCard := s.action.Card(); isCard {
			fixed[s.seat] |= rules.Of(c)
		}
	}
	for _, f := range fixed {
		known |= f
	}
	var rest []rules.Card
	for _, c := range shuffled(r) {
		if !known.Has(c) {
			rest = append(rest, c)
		}
	}
	deal := rules.Deal{}
	for s, f := range fixed {
		hand := list(rules.Actions(f))
		for i := range deal[s] {
			if i < len(hand) {
				deal[s][i], _ = hand[i].Card()
				continue
			}
			deal[s][i], rest = rest[0], rest[1:]
		}
	}

	other = *before
	if other.Deal(rec.Dealer, &deal, rec.Trump) != rules.OK {
		panic("bad deal")
	}
	// keepSilent lets those who are asked out of the viewer's sight say nothing.
	keepSilent := func() {
		other.Apply(other.Turn(), rules.Silent)
		hidden++
	}
	for _, s := range seenBy(viewer, steps) {
		for other.Phase() == rules.PhaseSing && other.Turn() != viewer && other.Turn() != s.seat {
			keepSilent()
		}
		if _, sings := s.action.Suit(); !sings && other.Phase() == rules.PhaseSing && other.Turn() != viewer {
			keepSilent() // s.seat was asked, and then played
			for other.Phase() == rules.PhaseSing && other.Turn() != viewer {
				keepSilent()
			}
		}
		if other.Apply(s.seat, s.action) != rules.OK {
			return other, hidden, false
		}
	}
	if other.Hand().Cantes != m.Hand().Cantes { // automatic ones are no actions, but seen
		return other, hidden, false
	}
	// What the viewer notices of its own: that it is asked, that it is to lead, or
	// that it won the trick and has to wait.
	for other.Phase() == rules.PhaseSing && other.Turn() != viewer {
		leads := viewOf(&other, rules.Spectator).Table.Lead == viewer
		waits := m.Phase() == rules.PhaseSing && m.Turn() != viewer
		if leads && waits || !leads && m.Turn() != viewer && r.IntN(2) == 0 {
			break
		}
		keepSilent()
	}
	leads := viewOf(m, rules.Spectator).Table.Lead == viewer
	asked := func(m *rules.Match) bool { return m.Phase() == rules.PhaseSing && m.Turn() == viewer }
	waits := func(m *rules.Match) bool { return leads && m.Phase() == rules.PhaseSing && m.Turn() != viewer }
	return other, hidden, asked(&other) == asked(m) && waits(&other) == waits(m)
}

// A seat is shown its own cards and what lies face up; a spectator no hand at all.
func TestViewShowsNoOtherHand(t *testing.T) {
	eachRuleSet(t, 40, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		randomMatch(r, rs, func(m *rules.Match) {
			for _, viewer := range viewers() {
				v := viewOf(m, viewer)
				want := rules.Cards(0)
				if viewer < rules.Seats {
					want = m.Held(viewer)
				}
				if v.Cards != want || v.Viewer != viewer {
					t.Fatalf("viewer %d holds %v, want %v", viewer, v.Cards, want)
				}
				if wantLegal := m.Turn() == viewer; (v.Legal != 0) != wantLegal || wantLegal && v.Legal != m.Legal() {
					t.Fatalf("viewer %d may do %v", viewer, text(v.Legal))
				}
				hidden := rules.Cards(0)
				for s := range rules.Seat(rules.Seats) {
					if s != viewer {
						hidden |= m.Held(s)
					}
				}
				if m.Dealer() != rules.NoSeat && v.Unseen() != hidden {
					t.Fatalf("viewer %d has not seen %v, want %v", viewer, v.Unseen(), hidden)
				}
			}
		})
	})
}

// The dealer's card stays known to all, also where the dealer sits out.
func TestTrumpStaysShown(t *testing.T) {
	m := table(t, rules.Clasica.Rules(), 3, anyHands, "AB", "pass quintola")
	for _, viewer := range viewers() {
		if v := viewOf(&m, viewer); v.Trump.String() != "AB" || v.Out != 3 {
			t.Errorf("viewer %d sees the trump %v, seat %d out", viewer, v.Trump, v.Out)
		}
	}
}

// A seat can tell by its view alone what the match would answer to its action.
func TestViewChecksLikeTheMatch(t *testing.T) {
	eachRuleSet(t, 60, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		randomMatch(r, rs, func(m *rules.Match) {
			for s := range rules.Seat(rules.Seats) {
				v := viewOf(m, s)
				for _, a := range allActions() {
					if got, want := v.Check(a), m.Check(s, a); got != want {
						t.Fatalf("%v of seat %d, %v: the view says %v, the match %v", a, s, m.Phase(), got, want)
					}
				}
			}
			spectator := viewOf(m, rules.Spectator)
			for _, a := range allActions() {
				if spectator.Check(a) == rules.OK {
					t.Fatalf("a spectator may do %v", a)
				}
			}
		})
	})
}

// Each viewer counts the actions that it is shown, without a gap: a silence
// counts for the seat that keeps it and for nobody else.
func TestSeqCountsWhatIsShown(t *testing.T) {
	silences := 0
	eachRuleSet(t, 60, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		m := rules.NewMatch(rs)
		for m.Phase() != rules.PhaseMatchOver {
			if m.Turn() == rules.NoSeat {
				dealNext(r, &m)
			}
			before := m
			a := pick(r, &m)
			m.Apply(m.Turn(), a)
			for _, viewer := range viewers() {
				want := viewOf(&before, viewer).Seq + 1
				if a == rules.Silent && viewer != before.Turn() {
					want--
					silences++
				}
				if got := viewOf(&m, viewer).Seq; got != want || m.Seen(viewer) != int(want) {
					t.Fatalf("%v of seat %d: viewer %d counts %d (%d), want %d", a, before.Turn(), viewer, got, m.Seen(viewer), want)
				}
			}
		}
	})
	if silences == 0 {
		t.Error("nobody kept silent")
	}
}

// While another seat is asked, only the trick's winner can tell that it waits.
func TestWhoIsAskedIsHidden(t *testing.T) {
	m := singers(t, rules.Liga.Rules(), noBid+firstTrick) // seat 2 is asked, seat 0 won
	for viewer, want := range map[rules.Seat]struct {
		phase rules.Phase
		turn  rules.Seat
	}{
		0:               {rules.PhaseSing, rules.NoSeat},
		1:               {rules.PhasePlay, 0},
		2:               {rules.PhaseSing, 2},
		3:               {rules.PhasePlay, 0},
		rules.Spectator: {rules.PhasePlay, 0},
	} {
		if v := viewOf(&m, viewer); v.Phase != want.phase || v.Turn != want.turn {
			t.Errorf("viewer %d sees %v of seat %d, want %v of seat %d", viewer, v.Phase, v.Turn, want.phase, want.turn)
		}
	}
}

// A match that is supposed from a view shows the same view. If the hands are
// supposed as they are, and the viewer sees who is to act, it goes on as the real
// one does.
func TestSupposedMatchGoesOnLikeTheReal(t *testing.T) {
	asked := 0
	eachRuleSet(t, 300, func(t *testing.T, r *rand.Rand, rs rules.RuleSet) {
		m := rules.NewMatch(rs)
		supposed := map[rules.Seat]rules.Match{}
		for m.Phase() != rules.PhaseMatchOver {
			if m.Turn() == rules.NoSeat {
				dealNext(r, &m)
				clear(supposed)
			}
			for _, viewer := range viewers() {
				s := supposeReal(t, &m, viewer)
				if s.Phase() == m.Phase() && r.IntN(6) == 0 {
					supposed[viewer] = s
				}
			}
			a, turn := pick(r, &m), m.Turn()
			if m.Phase() == rules.PhaseSing {
				asked += len(supposed)
			}
			m.Apply(turn, a)
			for viewer, s := range supposed {
				if why := s.Apply(turn, a); why != rules.OK {
					t.Fatalf("%v of seat %d is refused where viewer %d supposes: %v", a, turn, viewer, why)
				}
				supposed[viewer] = s
				for _, other := range viewers() {
					got, want := viewOf(&s, other), viewOf(&m, other)
					got.Seq, want.Seq = 0, 0
					if got != want {
						t.Fatalf("after %v of seat %d viewer %d supposes\n%+v\nwant\n%+v", a, turn, viewer, got, want)
					}
				}
			}
		}
	})
	if asked < 100 {
		t.Errorf("supposed matches were asked to sing %d times", asked)
	}
}

// Who has been asked out of the viewer's sight is not asked again.
func TestSupposedMatchAsksOnce(t *testing.T) {
	for _, p := range []rules.Preset{rules.Clasica, rules.Liga} {
		m := singers(t, p.Rules(), noBid+firstTrick+" silent")
		supposed := supposeReal(t, &m, m.Turn())
		act(t, &supposed, "silent")
		expects(t, &supposed, rules.PhasePlay, 0, "CC RC CE RE")
	}
}

func supposeReal(t *testing.T, m *rules.Match, viewer rules.Seat) rules.Match {
	t.Helper()
	var held [rules.Seats]rules.Cards
	for s := range rules.Seat(rules.Seats) {
		held[s] = m.Held(s)
	}
	v := viewOf(m, viewer)
	supposed := v.Suppose(held)
	if got := viewOf(&supposed, viewer); got != v {
		t.Fatalf("%+v\nwant\n%+v", got, v)
	}
	if v.Phase != rules.PhasePlay && supposed.Legal() != m.Legal() {
		t.Fatalf("%v of viewer %d: legal %s, want %s", v.Phase, viewer, text(supposed.Legal()), text(m.Legal()))
	}
	return supposed
}
