package rules_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// states is every state of some matches in which a card is to be played.
func states(p rules.Preset) (all []rules.Match) {
	for i := range 40 {
		randomMatch(dice(uint64(i)), p.Rules(), func(m *rules.Match) {
			if m.Phase() == rules.PhasePlay {
				all = append(all, *m)
			}
		})
	}
	return all
}

// fourPlayerHand is a hand that nobody bid: 20 cards and 4 passes.
func fourPlayerHand(p rules.Preset) rules.HandRecord {
	for i := uint64(0); ; i++ {
		_, hands := randomMatch(dice(i), p.Rules(), func(*rules.Match) {})
		if len(hands[0].Actions) == rules.DeckSize+rules.Seats {
			return hands[0]
		}
	}
}

// sink keeps results alive, so that what gives them is not optimised away.
var sink int

// BenchmarkLegal asks a match for what is legal, which it keeps.
func BenchmarkLegal(b *testing.B) {
	all := states(rules.Liga)
	b.ReportAllocs()
	sum, i := 0, 0
	for b.Loop() {
		sum += int(all[i].Legal())
		if i++; i == len(all) {
			i = 0
		}
	}
	sink = sum
}

// BenchmarkPlayable works out what may be played from cards and table.
func BenchmarkPlayable(b *testing.B) {
	type position struct {
		trump rules.Suit
		seat  rules.Seat
		table rules.Trick
		hand  rules.Cards
	}
	var all []position
	for _, m := range states(rules.Liga) {
		v := viewOf(&m, m.Turn())
		all = append(all, position{v.Trump.Suit(), v.Viewer, v.Table, v.Cards})
	}
	rs := rules.Liga.Rules()
	b.ReportAllocs()
	sum, i := 0, 0
	for b.Loop() {
		p := &all[i]
		sum += int(rs.Playable(p.trump, p.seat, &p.table, p.hand))
		if i++; i == len(all) {
			i = 0
		}
	}
	sink = sum
}

// BenchmarkCheck asks about any card, legal or not.
func BenchmarkCheck(b *testing.B) {
	all := states(rules.Liga)
	b.ReportAllocs()
	sum, i := 0, 0
	for b.Loop() {
		sum += int(all[i].Check(all[i].Turn(), rules.Action(i%rules.DeckSize)))
		if i++; i == len(all) {
			i = 0
		}
	}
	sink = sum
}

func BenchmarkView(b *testing.B) {
	all := states(rules.Liga)
	b.ReportAllocs()
	var v rules.View
	i := 0
	for b.Loop() {
		all[i].View(0, &v)
		if i++; i == len(all) {
			i = 0
		}
	}
}

// BenchmarkReplayHand replays a hand of twenty cards: the deal, four passes, the
// cards, the result.
func BenchmarkReplayHand(b *testing.B) {
	for _, p := range rules.Presets() {
		b.Run(p.String(), func(b *testing.B) {
			hands := []rules.HandRecord{fourPlayerHand(p)}
			rs := p.Rules()
			b.ReportAllocs()
			var m rules.Match
			for b.Loop() {
				m = rules.NewMatch(rs)
				if rules.Replay(&m, hands, nil, nil).Reason != rules.OK {
					b.Fatal("refused")
				}
			}
		})
	}
}

// BenchmarkRandomHand plays whole hands from the deal on, every action drawn from
// the legal ones. Shuffling is part of it.
func BenchmarkRandomHand(b *testing.B) {
	for _, p := range rules.Presets() {
		b.Run(p.String(), func(b *testing.B) {
			rs := p.Rules()
			var deck [rules.DeckSize]rules.Card
			for i := range deck {
				deck[i] = rules.Card(i)
			}
			state := uint64(1)
			below := func(n int) int { // any quick dice do
				state ^= state << 13
				state ^= state >> 7
				state ^= state << 17
				return int((state >> 32) * uint64(n) >> 32)
			}
			b.ReportAllocs()
			for b.Loop() {
				var deal rules.Deal
				for i := rules.DeckSize - 1; i > 0; i-- {
					j := below(i + 1)
					deck[i], deck[j] = deck[j], deck[i]
				}
				for i, c := range deck {
					deal[i/rules.HandSize][i%rules.HandSize] = c
				}
				m := rules.NewMatch(rs)
				m.Deal(3, &deal, deal[3][4])
				for m.Turn() != rules.NoSeat {
					legal := m.Legal()
					m.Apply(rules.NoSeat, legal.Nth(below(legal.Len())))
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hands/s")
		})
	}
}
