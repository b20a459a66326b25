// Package rating says how well people play, as far as their matches tell, so that
// the lobby can put those together who are a match for one another. It is pure.
//
// It is the model of Weng and Lin (JMLR 12, 2011) for teams, in its Plackett-Luce
// form with OpenSkill's constants, of which two teams need no more than the few
// lines in [Rate].
package rating

import "math"

// Rating is what is thought of a player's play: a normal distribution.
type Rating struct {
	// Mu is its mean, Sigma how unsure it is.
	Mu, Sigma float64
}

const (
	initialMu    = 25.0
	initialSigma = initialMu / 3
	// beta is how much the play of one and the same player varies.
	beta = initialMu / 6
	// tau is added to the uncertainty before each match. Without it somebody's rating
	// would stand still after a few hundred matches, however well they have learned.
	tau = initialMu / 300
	// kappa keeps a variance above zero.
	kappa = 0.0001
)

// New is the rating of somebody who has not played.
func New() Rating { return Rating{initialMu, initialSigma} }

// Bot is a bot's rating. It is a little below that of a new player, and no match
// changes it: a bot does not learn, and thousands of them playing at once would
// only measure who plays with bots.
func Bot() Rating { return Rating{initialMu - beta/2, initialSigma / 4} }

// Rate gives the ratings of both sides after a match, in the order given. A side
// is rated as a whole, by the sum of its players; those who are less sure move more.
func Rate(winners, losers []Rating) (won, lost []Rating) { return rate(winners, losers, tau) }

func rate(winners, losers []Rating, tau float64) (won, lost []Rating) {
	muWon, varWon := side(winners, tau)
	muLost, varLost := side(losers, tau)
	expected, c := expect(muWon, varWon, muLost, varLost)
	surprise, spread := 1-expected, expected*(1-expected)
	after := func(players []Rating, variance, surprise float64) []Rating {
		out := make([]Rating, len(players))
		shrink := spread * math.Sqrt(variance) / (c * c * c)
		for i, p := range players {
			v := p.Sigma*p.Sigma + tau*tau
			out[i] = Rating{
				Mu:    p.Mu + v/c*surprise,
				Sigma: math.Sqrt(v * math.Max(1-v*shrink, kappa)),
			}
		}
		return out
	}
	return after(winners, varWon, surprise), after(losers, varLost, -surprise)
}

// Expect is how likely the first side wins against the second.
func Expect(first, second []Rating) float64 {
	mu1, var1 := side(first, tau)
	mu2, var2 := side(second, tau)
	chance, _ := expect(mu1, var1, mu2, var2)
	return chance
}

// expect is how likely the model thinks that the first side wins, and the scale on
// which it compares the two.
func expect(mu1, var1, mu2, var2 float64) (chance, c float64) {
	c = math.Sqrt(var1 + var2 + 2*beta*beta)
	return 1 / (1 + math.Exp((mu2-mu1)/c)), c
}

// side is a side's mean and variance.
func side(players []Rating, tau float64) (mu, variance float64) {
	for _, p := range players {
		mu += p.Mu
		variance += p.Sigma*p.Sigma + tau*tau
	}
	return mu, variance
}

// Points is the rating's mean as a whole number: 1000 for a new player. The
// lobby's windows are in it.
func (r Rating) Points() int { return int(math.Round(r.Mu * 1000 / initialMu)) }
