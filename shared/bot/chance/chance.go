// Package chance says how likely a pair is to win the match from where it stands: what a
// bid or a card is worth when a match point is not always worth the same.
//
// It goes by how hands come out when bots play each other (shares.gen.go, written by
// `cuatrola bots chance`): which pair wins how much, for each preset, by which bids each
// pair may still make, whether bids may be raised and who leads. From those, the chances
// follow by dynamic programming over the scores. House rules that only touch the play of
// cards (beat, undertrump, partnerExempt, stopWhenLost, fortyFirst, tie, and cantes but
// for their number) are taken to change none of that; target, end, exactTarget, bonusAbove,
// maxCantes with it, raising and bidderLeads are taken into account. Beside that, hands are
// taken to come out alike at every score: that somebody who is far behind bids more
// boldly is not in it.
//
// The package is pure and allocates nothing.
package chance

import "github.com/cuatrola/cuatrola/shared/rules"

// State is where a match stands between two hands.
type State struct {
	// Score of each pair.
	Score [2]uint16
	// Finished counts the hands that have ended.
	Finished uint16
	// Mano is the pair of the seat that speaks first in the next hand.
	Mano rules.Pair
}

// Before is the state in which the hand that a view shows was dealt. If that hand has
// ended, it is the state behind it; before the first one, pair 0 is taken to be mano.
func Before(v *rules.View) State {
	s := State{Score: v.Score, Finished: v.HandsFinished}
	if v.Dealer < rules.Seats {
		s.Mano = v.Dealer.Next().Pair()
		if v.Phase == rules.PhaseDeal || v.Phase == rules.PhaseMatchOver {
			s.Mano = s.Mano.Other()
		}
	}
	return s
}

// After is the state behind a hand that a pair has won with so many match points.
func (s State) After(winner rules.Pair, value uint8) State {
	s.Score[winner&1] += uint16(value)
	s.Finished++
	s.Mano = s.Mano.Other()
	return s
}

const (
	// maxValue is the most match points that a hand gives.
	maxValue = 5
	// maxLead is the greatest lead that is told apart in a match over a number of hands.
	// Who is further ahead and not yet safe has won but for less than one time in a
	// thousand million.
	maxLead = 127
	// level is the place of no lead in a row; what one hand adds to maxLead has a place too.
	level   = maxLead + maxValue
	leads   = 2*level + 1
	targets = rules.MaxTarget + 1
)

// Table holds the chances by one rule set. It is large, so keep one. The zero Table waits
// for its rules.
type Table struct {
	rules rules.RuleSet
	ready bool
	// won[i][j] are the chances of a hand's results, by how many bids mano's pair, i, and
	// the other, j, may make.
	won [reaches][reaches]results
	// win is mano's pair's chance: by the points of both, in rows of target; or, in a match
	// over a number of hands, by the hands that are left and by the lead, in rows of leads.
	win [targets * leads]float32
}

// results are the chances that mano's pair, 0, or the other one wins a hand with a value.
type results [2][maxValue + 1]float32

// Set makes the table that of a rule set, which takes a few hundred microseconds unless it
// is already.
func (t *Table) Set(rs rules.RuleSet) {
	if t.ready && t.rules == rs {
		return
	}
	// Whatever comes in, nothing here may panic: views are fuzzed.
	rs.Target = min(max(rs.Target, 1), rules.MaxTarget)
	t.rules, t.ready = rs, true
	for i := range t.won {
		for j := range t.won[i] {
			t.won[i][j] = hand(&rs, i, j)
		}
	}
	if rs.End == rules.EndHands {
		t.fillHands()
	} else {
		t.fillPoints()
	}
}

// reach is how many of the bids a pair may make that needs so many points to the target.
func (t *Table) reach(needs int) int {
	n := 0
	for _, bid := range t.rules.Bids {
		if bid.Value == 0 || t.rules.ExactTarget && t.rules.End == rules.EndPoints && int(bid.Value) > needs {
			break
		}
		n++
	}
	return n
}

// Products are rounded by conversion, here and below, so that no machine adds to them before
// it rounds: bots answer alike everywhere.
func (t *Table) fillPoints() {
	target := int(t.rules.Target)
	var reach [targets]int
	for points := range target {
		reach[points] = t.reach(target - points)
	}
	// Every hand gives points, so that what a state leads to has a greater sum.
	for sum := 2*target - 2; sum >= 0; sum-- {
		for mine := max(0, sum-target+1); mine <= min(sum, target-1); mine++ {
			theirs := sum - mine
			won := &t.won[reach[mine]][reach[theirs]]
			chance := float32(0) // the other pair's, which is mano of the next hand
			for value := 1; value <= maxValue; value++ {
				if mine+value < target {
					chance += float32(won[0][value] * t.win[theirs*target+mine+value])
				}
				if theirs+value < target {
					chance += float32(won[1][value] * t.win[(theirs+value)*target+mine])
				} else {
					chance += won[1][value]
				}
			}
			t.win[mine*target+theirs] = 1 - min(chance, 1) // which is rounded
		}
	}
}

func (t *Table) fillHands() {
	won := &t.won[t.reach(0)][t.reach(0)]
	row := t.win[:leads]
	clear(row[:level])
	for lead := level + 1; lead < leads; lead++ {
		row[lead] = 1
	}
	// Level behind the last hand there is one more, and it decides: it gives points.
	row[level] = 0
	for _, p := range won[0] {
		row[level] += p
	}
	for left := 1; left <= int(t.rules.Target); left++ {
		next := row
		row = t.win[left*leads:][:leads]
		open := min(maxLead, maxValue*left) // beyond that, the match is decided
		clear(row[:level-open])
		for lead := level + open + 1; lead < leads; lead++ {
			row[lead] = 1
		}
		for lead := -open; lead <= open; lead++ {
			// The other pair is mano of the next hand, and leads by as much less.
			behind := (*[2*maxValue + 1]float32)(next[level-lead-maxValue:])
			theirs := float32(0)
			for value := 1; value <= maxValue; value++ {
				theirs += float32(won[0][value]*behind[maxValue-value]) + float32(won[1][value]*behind[maxValue+value])
			}
			row[level+lead] = 1 - min(theirs, 1) // which is rounded
		}
	}
}

// Win is the chance that a pair wins the match from a state, by the rules of the last Set.
func (t *Table) Win(pair rules.Pair, s State) float64 {
	mine, theirs := int(s.Score[s.Mano&1]), int(s.Score[s.Mano&1^1])
	chance := t.mano(mine, theirs, int(s.Finished))
	if pair&1 != s.Mano&1 {
		chance = 1 - chance
	}
	return chance
}

// mano is the chance of the pair that is mano.
func (t *Table) mano(mine, theirs, finished int) float64 {
	target := int(t.rules.Target)
	if t.rules.End == rules.EndHands {
		left, lead := target-finished, mine-theirs
		switch {
		case left <= 0 && lead != 0, lead > maxLead, lead < -maxLead:
			if lead > 0 {
				return 1
			}
			return 0
		default:
			return float64(t.win[max(left, 0)*leads+level+lead])
		}
	}
	switch {
	case mine >= target:
		return 1
	case theirs >= target:
		return 0
	default:
		return float64(t.win[mine*target+theirs])
	}
}

// Hand is the chance that a pair wins the next hand with a value: how hands come out
// that this package goes by.
func (t *Table) Hand(s State, winner rules.Pair, value uint8) float64 {
	if value > maxValue {
		return 0
	}
	target, mano := int(t.rules.Target), s.Mano&1
	i, j := t.reach(target-int(s.Score[mano])), t.reach(target-int(s.Score[mano^1]))
	side := 0
	if winner&1 != mano {
		side = 1
	}
	return float64(t.won[i][j][side][value])
}
