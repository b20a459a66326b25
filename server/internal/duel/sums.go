package duel

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// contracts are what a hand may be played for: nobody bid, solo, cuatrola, quintola.
const contracts = int(rules.Quintola-rules.Pass) + 1

// What is measured, each a sum over a sum: so much for each of so many.
const (
	gamesWon      = iota // of games, which are hands or matches
	handsWon             // of hands
	pointsAhead          // for each hand on points
	valueAhead           // match points, for each hand
	handsWonOn           // handsWon by contract, and so on
	pointsAheadOn = handsWonOn + contracts
	valueAheadOn  = pointsAheadOn + contracts
	quantities    = valueAheadOn + contracts
)

// played is what came of a deal on both its sides, seen from the first player.
type played struct {
	of   [quantities]struct{ n, sum int64 }
	bids [2][contracts]bids
}

// bids counts what a player's pair played for, and how often it won that.
type bids struct{ hands, made int64 }

func (p *played) count(what int, sum int64) {
	p.of[what].n++
	p.of[what].sum += sum
}

// hand counts a hand that has ended; the first player played for the pair given.
func (p *played) hand(m *rules.Match, first rules.Pair) {
	h := m.Hand()
	contract := int(h.Bid - rules.Pass)
	won, value := int64(0), -int64(h.Value)
	if h.Winner == first {
		won, value = 1, -value
	}
	p.count(handsWon, won)
	p.count(handsWonOn+contract, won)
	p.count(valueAhead, value)
	p.count(valueAheadOn+contract, value)
	if contract == 0 || m.Rules().Bids[contract-1].Needs == 0 {
		ahead := int64(h.Points[first]) - int64(h.Points[first.Other()])
		p.count(pointsAhead, ahead)
		p.count(pointsAheadOn+contract, ahead)
	}
	if contract == 0 {
		return
	}
	who := 0
	if h.Bidder.Pair() != first {
		who = 1
	}
	b := &p.bids[who][contract]
	b.hands++
	if h.Winner == h.Bidder.Pair() {
		b.made++
	}
}

// game counts what the deal was played for: a match that has ended, or its one hand.
func (p *played) game(m *rules.Match, first rules.Pair) {
	winner := m.Winner()
	if winner == rules.NoPair {
		winner = m.Hand().Winner
	}
	if winner == first {
		p.count(gamesWon, 1)
	} else {
		p.count(gamesWon, 0)
	}
}

// sums are what came of many deals, in whole numbers: the order of adding changes
// nothing.
type sums struct {
	deals int64
	of    [quantities]ratio
	bids  [2][contracts]bids
}

func (s *sums) count(p *played) {
	s.deals++
	for i := range s.of {
		s.of[i].count(p.of[i].n, p.of[i].sum)
	}
	for who := range s.bids {
		for i := range s.bids[who] {
			s.bids[who][i].add(p.bids[who][i])
		}
	}
}

func (s *sums) add(o *sums) {
	s.deals += o.deals
	for i := range s.of {
		s.of[i].add(o.of[i])
	}
	for who := range s.bids {
		for i := range s.bids[who] {
			s.bids[who][i].add(o.bids[who][i])
		}
	}
}

func (b *bids) add(o bids) {
	b.hands += o.hands
	b.made += o.made
}

// ratio estimates a sum over a number, both summed over deals, whose parts depend on
// each other.
type ratio struct{ n, sum, nn, nsum, sumsum int64 }

func (r *ratio) count(n, sum int64) {
	r.n += n
	r.sum += sum
	r.nn += n * n
	r.nsum += n * sum
	r.sumsum += sum * sum
}

func (r *ratio) add(o ratio) {
	r.n += o.n
	r.sum += o.sum
	r.nn += o.nn
	r.nsum += o.nsum
	r.sumsum += o.sumsum
}

// Estimate is a mean with the interval that holds the true one in 95 of 100 duels. After
// one deal alone it has no end, but for shares.
type Estimate struct {
	// N is how many hands or matches were counted, on both sides of all deals.
	N    int64
	Mean float64
	Low  float64
	High float64
}

// MarshalJSON writes null for an end that there is not.
func (e Estimate) MarshalJSON() ([]byte, error) {
	end := func(x float64) *float64 {
		if math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		N    int64    `json:"n"`
		Mean float64  `json:"mean"`
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}{e.N, e.Mean, end(e.Low), end(e.High)})
}

// estimate is the ratio, with the interval by its first-order variance over deals
// (Cochran, Sampling Techniques, 1977, section 6.3).
func (r *ratio) estimate(deals int64) Estimate {
	if r.n == 0 {
		return Estimate{}
	}
	e := Estimate{N: r.n, Mean: float64(r.sum) / float64(r.n)}
	half := math.Inf(1)
	if deals > 1 {
		spread := float64(r.sumsum) - 2*e.Mean*float64(r.nsum) + e.Mean*e.Mean*float64(r.nn)
		d := float64(deals)
		half = 1.96 * math.Sqrt(max(0, spread)*d/(d-1)) / float64(r.n)
	}
	e.Low, e.High = e.Mean-half, e.Mean+half
	return e
}

// share is estimate of something that is at most 1 of each: its interval, which knows
// nothing of that, ends there.
func (r *ratio) share(deals int64) Estimate {
	e := r.estimate(deals)
	e.Low, e.High = max(0, e.Low), min(1, e.High)
	return e
}

// times are how long a player took for each decision that was one.
type times struct{ bids, cards []uint32 } // nanoseconds

func (t *times) count(phase rules.Phase, took time.Duration) {
	ns := uint32(min(max(took, 0), math.MaxUint32))
	if phase == rules.PhaseBid {
		t.bids = append(t.bids, ns)
	} else {
		t.cards = append(t.cards, ns)
	}
}

func (t *times) add(o *times) {
	t.bids = append(t.bids, o.bids...)
	t.cards = append(t.cards, o.cards...)
}

// Times say how long decisions took, in microseconds of processor time; those without a
// choice do not count.
type Times struct {
	Decisions int     `json:"decisions"`
	PerSecond float64 `json:"perSecond"`
	Mean      float64 `json:"meanMicros"`
	P50       float64 `json:"p50Micros"`
	P99       float64 `json:"p99Micros"`
	Max       float64 `json:"maxMicros"`
}

func timesOf(all []uint32) Times {
	t := Times{Decisions: len(all)}
	if len(all) == 0 {
		return t
	}
	slices.Sort(all)
	sum := 0.0
	for _, ns := range all {
		sum += float64(ns)
	}
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))]) / 1e3 }
	t.PerSecond = 1e9 * float64(len(all)) / max(1, sum)
	t.Mean, t.P50, t.P99, t.Max = sum/float64(len(all))/1e3, at(0.5), at(0.99), at(1)
	return t
}
