package fairness

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/rating"
)

// search looks at a window of time. Its findings are those that chance explains less
// often than the thresholds allow.
type search struct {
	facts  Facts
	window Window
	limits economy.Fairness
	found  []Finding
}

// steps of a search, in their order.
var steps = []func(*search, context.Context) error{
	(*search).pairs, (*search).flows, (*search).companies, (*search).speeds,
}

const (
	// keptBouts bounds the matches that a case shows.
	keptBouts = 200
	// Whatever ratings say, nobody is expected to win less than a third of the matches,
	// or more than two: ratings of few matches are wide off, and there is much luck in
	// the game.
	leastExpected, mostExpected = 1. / 3, 2. / 3
	// playersAtOnce bounds a question to the store.
	playersAtOnce = 500
)

// enough says whether a probability is small enough to be a finding.
func (s *search) enough(p float64, lookedAt int) bool {
	return p*float64(lookedAt)*float64(s.limits.OneIn) <= 1
}

func (s *search) add(kind Kind, key string, players []string, score float64, e Evidence) {
	e.Days = s.limits.WindowDays
	s.found = append(s.found, Finding{Kind: kind, Key: key, Players: players, Score: score, Evidence: e})
}

// allow is a chance as ratings tell it, with the margin for what they do not tell.
func (s *search) allow(chance float64) float64 {
	return math.Min(math.Max(chance, leastExpected), mostExpected) + float64(s.limits.MarginPercent)/100
}

// pairs finds those who win together too often.
func (s *search) pairs(ctx context.Context) error {
	all, err := s.facts.Partners(ctx, s.window, s.limits.Pairs.MinMatches)
	if err != nil {
		return err
	}
	// Those who would not stand out even among the weakest need no closer look.
	suspects := slices.DeleteFunc(slices.Clone(all), func(t Tally) bool {
		trials := make([]trial, t.Matches)
		for i := range trials {
			trials[i] = trial{s.allow(0), 1}
		}
		return !s.enough(tail(trials, int64(2*t.Wins-t.Matches)), len(all))
	})
	return s.closer(ctx, suspects, func(t Tally, played *history) {
		e := Evidence{LookedAt: len(all), Apart: played.apart(t.A, t.B)}
		strengths := played.strengths(t.A, t.B)
		var trials []trial
		for _, m := range played.of(t.A, t.B) {
			a, b := seatOf(m, t.A), seatOf(m, t.B)
			if m.Stake == 0 || a%2 != b%2 {
				continue
			}
			chance := s.allow(m.chance(a%2, strengths))
			won := m.Winner == a%2
			trials = append(trials, trial{chance, 1})
			e.Matches++
			e.Expected += chance
			coins := -m.Stake
			if won {
				e.Won++
				coins = m.Stake
			}
			e.Bouts = append(e.Bouts, Bout{Match: m.ID, At: m.EndedAt, Won: won, Chance: chance, Coins: coins})
		}
		e.Probability = tail(trials, int64(2*e.Won-e.Matches))
		if s.enough(e.Probability, len(all)) {
			e.Bouts = e.Bouts[max(0, len(e.Bouts)-keptBouts):]
			s.add(Pair, t.A+","+t.B, []string{t.A, t.B}, score(e.Probability, len(all)), e)
		}
	})
}

// flows finds coins that go from one to another, and those that are passed on.
func (s *search) flows(ctx context.Context) error {
	all, err := s.facts.Opponents(ctx, s.window, s.limits.Flows.MinMatches)
	if err != nil {
		return err
	}
	lookedAt := 2 * len(all) // either may be the one who loses
	suspects := slices.DeleteFunc(slices.Clone(all), func(t Tally) bool {
		return max(t.Coins, -t.Coins) < s.limits.Flows.MinCoins
	})
	var streams []Stream
	err = s.closer(ctx, suspects, func(t Tally, played *history) {
		from, to := t.B, t.A
		if t.Coins < 0 {
			from, to = t.A, t.B
		}
		e := Evidence{LookedAt: lookedAt, Apart: played.apart(from, to)}
		strengths := played.strengths(from, to)
		var trials []trial
		for _, m := range played.of(from, to) {
			winner := seatOf(m, to)
			if m.Stake == 0 || winner%2 == seatOf(m, from)%2 {
				continue
			}
			chance := s.allow(m.chance(winner%2, strengths))
			trials = append(trials, trial{chance, m.Stake})
			won := m.Winner == winner%2
			// What one loses goes to the two who win.
			coins := m.Stake
			e.Matches++
			e.Expected += chance
			if won {
				e.Won++
			} else {
				coins = -coins
			}
			e.Coins += coins
			e.Bouts = append(e.Bouts, Bout{Match: m.ID, At: m.EndedAt, Won: won, Chance: chance, Coins: coins / 2})
		}
		e.Probability = tail(trials, e.Coins)
		e.Coins /= 2
		streams = append(streams, Stream{from, to, e.Coins, e.Matches, e.Won, e.Probability})
		if s.enough(e.Probability, lookedAt) {
			e.Bouts = e.Bouts[max(0, len(e.Bouts)-keptBouts):]
			s.add(Flow, from+","+to, []string{from, to}, score(e.Probability, lookedAt), e)
		}
	})
	if err == nil {
		s.relays(all, streams)
	}
	return err
}

// relays finds those through whom coins pass: what comes in from one and what goes
// out to another, each seldom, and both together more so.
func (s *search) relays(all []Tally, streams []Stream) {
	// Of all who were looked at, how many such ways there are.
	degree := map[string]int{}
	for _, t := range all {
		degree[t.A]++
		degree[t.B]++
	}
	ways := 0
	for _, d := range degree {
		ways += d * (d - 1)
	}
	in, out := map[string][]Stream{}, map[string][]Stream{}
	for _, f := range streams {
		in[f.To], out[f.From] = append(in[f.To], f), append(out[f.From], f)
	}
	for middle, incoming := range in {
		best := 1.0
		var part []Stream
		for _, f := range incoming {
			for _, g := range out[middle] {
				p := both(f.Probability, g.Probability)
				if f.From == g.To || !s.enough(p, ways) {
					continue
				}
				best = math.Min(best, p)
				for _, one := range []Stream{f, g} {
					if !slices.Contains(part, one) {
						part = append(part, one)
					}
				}
			}
		}
		if len(part) == 0 {
			continue
		}
		// What came in first, then by coins.
		slices.SortFunc(part, func(a, b Stream) int {
			if aIn, bIn := a.To == middle, b.To == middle; aIn != bIn {
				if aIn {
					return -1
				}
				return 1
			}
			return cmp.Or(cmp.Compare(b.Coins, a.Coins), strings.Compare(a.From+a.To, b.From+b.To))
		})
		players, coins := []string{middle}, [2]int64{}
		for _, f := range part {
			other, way := f.From, 0
			if f.From == middle {
				other, way = f.To, 1
			}
			coins[way] += f.Coins
			if !slices.Contains(players, other) {
				players = append(players, other)
			}
		}
		s.add(Relay, middle, players, score(best, ways), Evidence{
			Probability: best, LookedAt: ways, Coins: min(coins[0], coins[1]), Flows: part,
		})
	}
}

// closer has f look at each suspect with the matches of both.
func (s *search) closer(ctx context.Context, suspects []Tally, f func(Tally, *history)) error {
	for len(suspects) > 0 {
		var players []string
		known := map[string]bool{}
		n := 0
		for ; n < len(suspects) && len(players) < playersAtOnce; n++ {
			for _, p := range []string{suspects[n].A, suspects[n].B} {
				if !known[p] {
					known[p] = true
					players = append(players, p)
				}
			}
		}
		played, err := s.facts.PlayedBy(ctx, s.window, players)
		if err != nil {
			return err
		}
		h := &history{all: played, by: map[string][]int{}}
		for i, m := range played {
			for _, p := range m.Players {
				if known[p] {
					h.by[p] = append(h.by[p], i)
				}
			}
		}
		for _, t := range suspects[:n] {
			f(t, h)
		}
		suspects = suspects[n:]
	}
	return nil
}

// history is matches in the order in which they ended, and whose they are.
type history struct {
	all []Played
	by  map[string][]int
}

// of lists the matches of both players.
func (h *history) of(a, b string) []*bout {
	var both []*bout
	for _, i := range h.by[a] {
		if m := (*bout)(&h.all[i]); seatOf(m, b) >= 0 {
			both = append(both, m)
		}
	}
	return both
}

// apart is how each of two has played in matches without the other.
func (h *history) apart(a, b string) []Record {
	records := []Record{{Player: a}, {Player: b}}
	for i, other := range []string{b, a} {
		for _, n := range h.by[records[i].Player] {
			m := (*bout)(&h.all[n])
			if seatOf(m, other) >= 0 {
				continue
			}
			records[i].Matches++
			if m.Winner == seatOf(m, records[i].Player)%2 {
				records[i].Won++
			}
		}
	}
	return records
}

// strengths are what the ratings of two would be if they had never met: what they did
// together may not explain itself. Of all others, the ratings are those of now.
func (h *history) strengths(a, b string) map[string]rating.Rating {
	strengths := map[string]rating.Rating{}
	for _, who := range [][2]string{{a, b}, {b, a}} {
		now := rating.New()
		for _, n := range h.by[who[0]] {
			m := (*bout)(&h.all[n])
			if seatOf(m, who[1]) >= 0 {
				continue
			}
			seat := seatOf(m, who[0])
			sides := m.sides(map[string]rating.Rating{who[0]: now})
			sides[m.Winner], sides[1-m.Winner] = rating.Rate(sides[m.Winner], sides[1-m.Winner])
			now = sides[seat%2][seat/2]
		}
		strengths[who[0]] = now
	}
	return strengths
}

type bout Played

// sides are the ratings of the pairs, with some players' own instead of those of now.
func (m *bout) sides(own map[string]rating.Rating) (sides [2][]rating.Rating) {
	for seat, p := range m.Players {
		r, is := own[p]
		if !is {
			r = m.Ratings[seat]
		}
		sides[seat%2] = append(sides[seat%2], r)
	}
	return sides
}

// chance that a pair wins.
func (m *bout) chance(pair int, own map[string]rating.Rating) float64 {
	sides := m.sides(own)
	return rating.Expect(sides[pair], sides[1-pair])
}

// seatOf is the player's seat; -1 for none.
func seatOf(m *bout, player string) int { return slices.Index(m.Players[:], player) }

// companies finds four people who meet more often than chance would have it. Chance:
// whoever plays in an hour is at each of its tables alike.
func (s *search) companies(ctx context.Context) error {
	fours, seen, err := s.facts.Fours(ctx, s.window, s.limits.Companies.MinMatches)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(fours, playersAtOnce/4) {
		var players []string
		for _, f := range part {
			players = append(players, f.Players[:]...)
		}
		slices.Sort(players)
		all, of, err := s.facts.MatchHours(ctx, s.window, slices.Compact(players))
		if err != nil {
			return err
		}
		for _, f := range part {
			e := Evidence{Matches: f.Matches, LookedAt: seen}
			for hour, n := range of[f.Players[0]] {
				mean, most := float64(n*s.limits.Companies.Factor), n
				for _, p := range f.Players[1:] {
					mean *= float64(of[p][hour]) / float64(all[hour])
					most = min(most, of[p][hour])
				}
				// Where nobody else played, they had no choice; more than that it cannot be.
				e.Expected += math.Min(mean, float64(most))
			}
			for _, p := range f.Players {
				r := Record{Player: p, Matches: -f.Matches}
				for _, n := range of[p] {
					r.Matches += n
				}
				e.Apart = append(e.Apart, r)
			}
			e.Probability = atLeast(f.Matches, e.Expected)
			if !s.enough(e.Probability, seen) {
				continue
			}
			played, err := s.facts.PlayedBy(ctx, s.window, f.Players[:1])
			if err != nil {
				return err
			}
			for i := range played {
				m := (*bout)(&played[i])
				if m.Stake == 0 && !slices.ContainsFunc(f.Players[1:], func(p string) bool { return seatOf(m, p) < 0 }) {
					first := seatOf(m, f.Players[0])
					e.Bouts = append(e.Bouts, Bout{Match: m.ID, At: m.EndedAt, Won: m.Winner == first%2, Chance: m.chance(first%2, nil)})
				}
			}
			e.Bouts = e.Bouts[max(0, len(e.Bouts)-keptBouts):]
			s.add(Company, strings.Join(f.Players[:], ","), f.Players[:], score(e.Probability, seen), e)
		}
	}
	return nil
}

// speeds finds play that is too fast or too even for a person. Chance has no part in
// it; the score is that of something that chance would just allow, and ten more for
// times that are nothing, or all the same.
func (s *search) speeds(ctx context.Context) error {
	limits := s.limits.Speed
	paces, err := s.facts.Paces(ctx, s.window, limits.Matches, limits.MinActions)
	if err != nil {
		return err
	}
	for _, p := range paces {
		p.Fast = p.Median < limits.MedianMs
		spread := (p.Ninetieth - p.Tenth) * 100
		p.Even = spread <= limits.SpreadPercent*p.Median
		if !p.Fast && !p.Even {
			continue
		}
		below := 0.0
		if p.Fast {
			below = 1 - float64(p.Median)/float64(limits.MedianMs)
		}
		if p.Even && limits.SpreadPercent > 0 && p.Median > 0 {
			below = math.Max(below, 1-float64(spread)/float64(limits.SpreadPercent*p.Median))
		}
		thoughts, err := s.facts.Thoughts(ctx, s.window, p.Player, limits.Matches)
		if err != nil {
			return err
		}
		p.Histogram = make([]int, len(PaceBounds)+1)
		for _, t := range thoughts {
			class, exact := slices.BinarySearch(PaceBounds, t.Ms)
			if exact {
				class++
			}
			p.Histogram[class]++
			if !slices.Contains(p.MatchIDs, t.Match) {
				p.MatchIDs = append(p.MatchIDs, t.Match)
			}
		}
		pace := p
		s.add(Speed, p.Player, []string{p.Player}, math.Log10(float64(s.limits.OneIn))+10*below, Evidence{Pace: &pace})
	}
	return nil
}

// windowOf is that which ends now.
func windowOf(limits economy.Fairness, now time.Time) Window {
	return Window{From: now.AddDate(0, 0, -limits.WindowDays), To: now}
}
