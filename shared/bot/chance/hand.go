package chance

import "github.com/cuatrola/cuatrola/shared/rules"

const (
	presets = 4
	bids    = 3
	// reaches counts how many bids a pair may be able to make: none to all three.
	reaches = bids + 1
	// outcomes of a hand: nobody bid and mano's pair has won or the other, and the same for
	// each bid.
	outcomes = 2 * (1 + bids)
	// whole is what shares and bonuses are parts of.
	whole = 1<<16 - 1

	// limits are the numbers of cantes told apart: none, one, two, or more.
	limits = 4
	// Points of the winner of a hand that nobody bid are counted in steps from the fewest on.
	leastPoints = 60
	pointStep   = 5
	pointSteps  = 36
)

// hand is how hands come out by a rule set when mano's pair and the other may make so many
// of the bids.
func hand(rs *rules.RuleSet, mano, other int) (r results) {
	preset := min(rs.Preset, presets-1)
	s := &shares[preset][truth(rs.Raising)][truth(rs.BidderLeads)][mano][other]
	two := Bonus(rs)
	for outcome, share := range s {
		p := float32(share) / whole
		side := &r[outcome&1]
		if bid := outcome / 2; bid > 0 {
			side[min(rs.Bids[bid-1].Value, maxValue)] += p
			continue
		}
		side[2] += float32(p * two)
		side[1] += float32(p * (1 - two))
	}
	// Shares are rounded.
	sum := float32(0)
	for _, side := range r {
		for _, p := range side {
			sum += p
		}
	}
	if sum == 0 {
		sum, r[0][1], r[1][1] = 1, 0.5, 0.5
	}
	for side := range r {
		for value := range r[side] {
			r[side][value] /= sum
		}
	}
	return r
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Bonus is the part of the hands that nobody bids whose winner has more points than the
// bonus is for: how many give two match points.
func Bonus(rs *rules.RuleSet) float32 {
	if rs.BonusAbove < 0 {
		return 0
	}
	limit := limits - 1
	if rs.MaxCantes >= 0 {
		limit = min(limit, int(rs.MaxCantes))
	}
	over := &above[min(rs.Preset, presets-1)][limit]
	above := int(rs.BonusAbove) - leastPoints
	if above < 0 {
		return 1
	}
	step, rest := above/pointStep, above%pointStep
	if step >= pointSteps-1 {
		return 0
	}
	// In between, as if as many hands fell on each point.
	low, high := float32(over[step]), float32(over[step+1])
	return (low + float32((high-low)*float32(rest)/pointStep)) / whole
}
