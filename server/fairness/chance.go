package fairness

import "math"

// trial is won with a chance, and gives its weight if it is, else takes it.
type trial struct {
	chance float64
	weight int64
}

// maxStates bounds the work of tail. Above it, weights are rounded.
const maxStates = 1 << 17

// tail is how likely the trials give at least so much in all by chance: exactly, by
// the distribution of the sum (with weights of one and even chances, the binomial
// one). Where weights have to be rounded, it is never less than that.
func tail(trials []trial, seen int64) float64 {
	total, unit := int64(0), int64(0)
	for _, t := range trials {
		total += t.weight
		unit = gcd(unit, t.weight)
	}
	if total == 0 || seen <= -total {
		return 1
	}
	if seen > total {
		return 0
	}
	// What is won is half of what is seen and what there was. Upwards: a sum that lies
	// between two possible ones was reached by the greater.
	need := (seen + total + 1) / 2
	// Where there are too many sums, weights are rounded up, which misses none that is
	// enough.
	unit = max(unit, (total+maxStates-1)/maxStates)
	sum := int64(0)
	weights := make([]int64, len(trials))
	for i, t := range trials {
		weights[i] = (t.weight + unit - 1) / unit
		sum += weights[i]
	}
	least := (need + unit - 1) / unit
	// won[k] is how likely k units have been won so far.
	won, top := make([]float64, sum+1), int64(0)
	won[0] = 1
	for i, t := range trials {
		top += weights[i]
		for k := top; k >= 0; k-- {
			p := won[k] * (1 - t.chance)
			if k >= weights[i] {
				p += won[k-weights[i]] * t.chance
			}
			won[k] = p
		}
	}
	p := 0.0
	for k := sum; k >= least; k-- { // the small ones first
		p += won[k]
	}
	return math.Min(p, 1)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// atLeast is how likely something that happens so often on average, by itself and
// each time anew, happens at least k times (a Poisson tail).
func atLeast(k int, mean float64) float64 {
	if k <= 0 {
		return 1
	}
	if mean <= 0 {
		return 0
	}
	logged, _ := math.Lgamma(float64(k) + 1)
	term := math.Exp(float64(k)*math.Log(mean) - mean - logged)
	if float64(k) <= mean { // not a tail: what is below is less
		below := 0.0
		for i := k - 1; i >= 0; i-- {
			term *= float64(i+1) / mean
			below += term
		}
		return math.Max(0, 1-below)
	}
	p := 0.0
	for i := k; term > p*1e-17; i++ {
		p += term
		term *= mean / float64(i+1)
	}
	return math.Min(p, 1)
}

// both is how likely the product of two probabilities, each of which takes any value
// alike by chance, is as small as this.
func both(p, q float64) float64 {
	product := p * q
	if product <= 0 {
		return 0
	}
	return math.Min(1, product*(1-math.Log(product)))
}

// leastChance keeps scores finite.
const leastChance = 1e-300

// score is that of something with a probability, of which there were so many others.
func score(p float64, lookedAt int) float64 {
	return -math.Log10(math.Min(1, math.Max(p, leastChance)*float64(max(lookedAt, 1))))
}
