package rating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// What OpenSkill's own documentation and tests say comes out, for matches of two
// sides.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		name            string
		tau             float64
		winners, losers []Rating
		won, lost       []Rating
	}{
		{
			"the example of its README", 0,
			[]Rating{New(), {32.444, 5.123}},
			[]Rating{{43.381, 2.421}, {25.188, 6.211}},
			[]Rating{{28.669648436582808, 8.071520788025197}, {33.83086971107981, 5.062772998705765}},
			[]Rating{{43.071274808241974, 2.4166900452721256}, {23.149503312339064, 6.1378606973362135}},
		},
		{
			"two new players", tau,
			[]Rating{New()},
			[]Rating{New()},
			[]Rating{{27.635389493140497, 8.06590141354368}},
			[]Rating{{22.364610506859503, 8.06590141354368}},
		},
		{
			"two pairs", tau,
			[]Rating{{29.182, 4.782}, {27.174, 4.922}},
			[]Rating{{16.672, 6.217}, New()},
			[]Rating{{29.607340941337068, 4.755311788972862}, {27.624602782532037, 4.892807828777459}},
			[]Rating{{15.953170429143093, 6.125902065139878}, {23.70858117648013, 8.111707446126035}},
		},
		{
			"two pairs that change little", 0.01,
			[]Rating{{29.182, 4.782}, {27.174, 4.922}},
			[]Rating{{16.672, 6.217}, New()},
			[]Rating{{29.60722003260825, 4.754607604502581}, {27.624482251695827, 4.892124276331747}},
			[]Rating{{15.953286947567106, 6.1253654293947335}, {23.708689129525133, 8.111303923213725}},
		},
		{
			"two players that change much", 0.3,
			[]Rating{{25, 3}},
			[]Rating{{25, 3}},
			[]Rating{{25.624880438870754, 2.9879993738476953}},
			[]Rating{{24.375119561129246, 2.9879993738476953}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			won, lost := rate(c.winners, c.losers, c.tau)
			same(t, won, c.won)
			same(t, lost, c.lost)
		})
	}
}

func same(t *testing.T, got, want []Rating) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i].Mu-want[i].Mu) > 1e-9 || math.Abs(got[i].Sigma-want[i].Sigma) > 1e-9 {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}

// A hundred people of known strength, in chance pairs: the ratings come to their
// order, stay finite, and do not freeze.
func TestRatingsFindTheOrder(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	const people, matches = 100, 20000
	var ratings [people]Rating
	for i := range ratings {
		ratings[i] = New()
	}
	strength := func(i int) float64 { return float64(i) / people * 20 }
	for range matches {
		p := random.Perm(people)[:4]
		gap := strength(p[0]) + strength(p[1]) - strength(p[2]) - strength(p[3])
		if random.Float64() > 1/(1+math.Exp(-gap/beta)) {
			p[0], p[1], p[2], p[3] = p[2], p[3], p[0], p[1]
		}
		won, lost := Rate([]Rating{ratings[p[0]], ratings[p[1]]}, []Rating{ratings[p[2]], ratings[p[3]]})
		ratings[p[0]], ratings[p[1]], ratings[p[2]], ratings[p[3]] = won[0], won[1], lost[0], lost[1]
	}
	concordant, pairs := 0, 0
	for i, r := range ratings {
		if math.IsNaN(r.Mu) || r.Sigma <= 0 || r.Sigma > initialSigma {
			t.Fatalf("seed %d: %v", seed, r)
		}
		for j := range i {
			if strength(i)-strength(j) < 2 {
				continue
			}
			pairs++
			if r.Mu > ratings[j].Mu {
				concordant++
			}
		}
	}
	if float64(concordant) < 0.95*float64(pairs) {
		t.Errorf("seed %d: only %d of %d pairs are in order", seed, concordant, pairs)
	}
}

// However unlikely the outcome, the numbers stay numbers.
func TestExtremes(t *testing.T) {
	for _, gap := range []float64{0, 1, 1e3, 1e6} {
		a, b := []Rating{{gap, 1e-3}, {gap, 8}}, []Rating{{-gap, 8}, {-gap, 1e-3}}
		for _, sides := range [][2][]Rating{{a, b}, {b, a}} {
			won, lost := Rate(sides[0], sides[1])
			for i := range won {
				if !(won[i].Mu >= sides[0][i].Mu) || !(lost[i].Mu <= sides[1][i].Mu) || !(won[i].Sigma > 0) || !(lost[i].Sigma > 0) {
					t.Errorf("gap %v: %v, %v", gap, won, lost)
				}
			}
		}
	}
}

// Sides that are alike are as likely to win, the better one is likelier, and the two
// chances are one.
func TestExpect(t *testing.T) {
	even := []Rating{New(), {30, 2}}
	better := []Rating{{28, 3}, {30, 2}}
	if got := Expect(even, even); got != 0.5 {
		t.Errorf("against itself: %v", got)
	}
	p, q := Expect(better, even), Expect(even, better)
	if p <= 0.5 || math.Abs(p+q-1) > 1e-12 {
		t.Errorf("the better side: %v, the other %v", p, q)
	}
	if unsure := Expect([]Rating{{28, 8}, {30, 8}}, even); unsure >= p {
		t.Errorf("whose rating is less sure: %v, want less than %v", unsure, p)
	}
}

func ExampleRating_Points() {
	fmt.Println(New().Points(), Bot().Points())
	// Output: 1000 917
}
