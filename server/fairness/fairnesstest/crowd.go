// Package fairnesstest makes crowds that play honestly, and people among them who do
// not, for the tests of what tells the two apart. A crowd answers what is asked of
// matches by itself, in plain Go: what the store answers in SQL is held against it.
package fairnesstest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2" //nolint:depguard // a crowd is made for tests, which hand in the seed
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/rating"
)

// Begin is when the crowd begins to play, Days for how long it does.
var Begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// Days that a crowd plays.
const Days = 30

// Actions of a match, all seats together. Each follows the one before; seats take turns.
const Actions = 120

// End of the window in which a crowd plays.
func End() time.Time { return Begin.AddDate(0, 0, Days) }

// Match of a crowd. Bots sit where a player's name is empty.
type Match struct {
	fairness.Played
	CreatedAt time.Time
	Void      bool
	seed      uint64
}

// person of a crowd.
type person struct {
	id      string
	skill   float64 // what a rating would be without luck, from about -4 to 4
	hour    float64 // of the day, at which they like to play
	eager   float64 // how often they do
	partner int     // with whom they like to come; themselves if with nobody
	pace    func(*rand.Rand) int64
}

// Crowd is people and what they have played.
type Crowd struct {
	Matches []*Match // in the order in which they ended, once sorted
	people  []person
	ratings map[string]rating.Rating
	r       *rand.Rand
	byHour  [24][]int
	sorted  bool
}

// luck is the scale of a match's chance: what two pairs' skills differ by counts little.
const luck = 7.0

// New is a crowd of so many people who have not played.
func New(r *rand.Rand, people int) *Crowd {
	c := &Crowd{r: r, ratings: map[string]rating.Rating{}}
	for i := range people {
		p := person{
			id: fmt.Sprintf("01890a5d-0000-7000-8000-%012d", i), skill: r.NormFloat64() * 1.6, hour: math.Mod(20+r.NormFloat64()*4+24, 24),
			eager: math.Exp(r.NormFloat64()), partner: i, pace: human(900+r.Float64()*2500, 0.45+r.Float64()*0.4),
		}
		// One in four has somebody to come with.
		if i%8 == 7 {
			p.partner = i - 1
			p.hour = c.people[i-1].hour
			c.people[i-1].partner = i
		}
		c.people = append(c.people, p)
	}
	for h := range c.byHour {
		// Enough for a table, whoever sits there already.
		for i := range min(10, people) {
			c.byHour[h] = append(c.byHour[h], i)
		}
		for i, p := range c.people {
			away := math.Abs(p.hour - float64(h))
			often := p.eager * math.Exp(-math.Pow(math.Min(away, 24-away)/3, 2))
			for range int(often * 8) {
				c.byHour[h] = append(c.byHour[h], i)
			}
		}
	}
	return c
}

// human takes about so long for an action, some times much longer.
func human(median, spread float64) func(*rand.Rand) int64 {
	return func(r *rand.Rand) int64 { return int64(200 + median*math.Exp(r.NormFloat64()*spread)) }
}

// ID of a person by number.
func (c *Crowd) ID(i int) string { return c.people[i].id }

// IDs of all.
func (c *Crowd) IDs() []string {
	ids := make([]string, len(c.people))
	for i, p := range c.people {
		ids[i] = p.id
	}
	return ids
}

// Rating of a person now.
func (c *Crowd) Rating(id string) rating.Rating {
	if r, played := c.ratings[id]; played {
		return r
	}
	return rating.New()
}

// Rated says whether the person has a rating.
func (c *Crowd) Rated(id string) bool { _, is := c.ratings[id]; return is }

// at is a moment that somebody plays at.
func (c *Crowd) at() time.Time {
	for {
		at := Begin.Add(time.Duration(c.r.Int64N(int64(Days*24*time.Hour - time.Hour))))
		// As many matches in an hour as there are people who like to play in it.
		if c.r.IntN(len(c.people)*8) < len(c.byHour[at.Hour()]) {
			return at
		}
	}
}

// Honest has matches be played by whoever comes, so large a part of them for coins.
func (c *Crowd) Honest(matches int, staked float64) {
	for range matches {
		at := c.at()
		stake := int64(0)
		if c.r.Float64() < staked {
			stake = []int64{100, 250, 500, 1000}[c.r.IntN(4)]
		}
		c.sit(at, stake, c.seats(at.Hour(), nil))
	}
}

// seats fills a table, beginning with those given, with people of about one strength.
func (c *Crowd) seats(hour int, given []int) [4]int {
	pool := c.byHour[hour]
	some := func(near float64) int {
		best, off := -1, math.Inf(1)
		for range 4 { // the nearest of a few that wait
			i := pool[c.r.IntN(len(pool))]
			if d := math.Abs(c.Rating(c.people[i].id).Mu - near); !slices.Contains(given, i) && d < off {
				best, off = i, d
			}
		}
		return best
	}
	near := rating.New().Mu
	for len(given) < 4 {
		if len(given) > 0 {
			near = c.Rating(c.people[given[0]].id).Mu
		}
		i := some(near)
		if i < 0 {
			continue
		}
		// In the order of pairs: 0 with 1, 2 with 3.
		if p := c.people[i].partner; p != i && len(given)%2 == 0 && !slices.Contains(given, p) && c.r.Float64() < 0.6 {
			given = append(given, i, p)
			continue
		}
		given = append(given, i)
	}
	return [4]int{given[0], given[2], given[1], given[3]}
}

// sit plays a match among four, by skill and luck.
func (c *Crowd) sit(at time.Time, stake int64, seats [4]int) *Match {
	gap := c.people[seats[0]].skill + c.people[seats[2]].skill - c.people[seats[1]].skill - c.people[seats[3]].skill
	winner := 0
	if c.r.Float64() > 1/(1+math.Exp(-gap/luck)) {
		winner = 1
	}
	return c.Result(at, stake, seats, winner)
}

// Result adds a match among four that had a winner.
func (c *Crowd) Result(at time.Time, stake int64, seats [4]int, winner int) *Match {
	m := &Match{CreatedAt: at.UTC().Truncate(time.Millisecond), seed: c.r.Uint64()}
	m.ID = fmt.Sprintf("01890a5e-0000-7000-8000-%012d", len(c.Matches))
	m.EndedAt = m.CreatedAt.Add(time.Duration(5+c.r.IntN(10)) * time.Minute)
	m.Stake, m.Winner = stake, winner
	var sides [2][]rating.Rating
	for s, i := range seats {
		m.Players[s] = c.people[i].id
		sides[s%2] = append(sides[s%2], c.Rating(m.Players[s]))
	}
	sides[winner], sides[1-winner] = rating.Rate(sides[winner], sides[1-winner])
	for s, id := range m.Players {
		c.ratings[id] = sides[s%2][s/2]
	}
	c.Matches, c.sorted = append(c.Matches, m), false
	return m
}

// WinTogether has two play for coins against whoever comes, and win so large a part.
func (c *Crowd) WinTogether(a, b, matches int, stake int64, part float64) {
	for range matches {
		at := c.at()
		seats := c.seats(at.Hour(), []int{a, b})
		c.Result(at, stake, seats, c.lost(part))
	}
}

// Lose has one lose so large a part of the matches for coins against another, each
// with whoever comes.
func (c *Crowd) Lose(from, to, matches int, stake int64, part float64) {
	for range matches {
		at := c.at()
		others := c.seats(at.Hour(), []int{from, to})
		c.Result(at, stake, [4]int{to, from, others[1], others[3]}, c.lost(part))
	}
}

// Meet has four people play for nothing, again and again.
func (c *Crowd) Meet(four [4]int, matches int) {
	for range matches {
		c.sit(c.at(), 0, four)
	}
}

// lost is 1 if something of this chance does not happen.
func (c *Crowd) lost(chance float64) int {
	if c.r.Float64() < chance {
		return 0
	}
	return 1
}

// Pace has somebody take so long for an action, give or take a part of it.
func (c *Crowd) Pace(i int, ms, part float64) {
	c.people[i].pace = func(r *rand.Rand) int64 { return int64(ms * (1 + part*(2*r.Float64()-1))) }
}

// Gaps are how long each action of a match took, in milliseconds; seats take turns.
func (c *Crowd) Gaps(m *Match) []int64 {
	r := rand.New(rand.NewPCG(m.seed, 1)) //nolint:gosec // the same again, by its seed
	var paces [4]func(*rand.Rand) int64
	for s, id := range m.Players {
		paces[s] = human(800, 0.1)
		if id != "" {
			paces[s] = c.people[slices.IndexFunc(c.people, func(p person) bool { return p.id == id })].pace
		}
	}
	gaps := make([]int64, Actions)
	for i := range gaps {
		gaps[i] = paces[i%4](r)
	}
	return gaps
}

// in lists the matches that count, in the order in which they ended.
func (c *Crowd) in(w fairness.Window, f func(*Match)) {
	if !c.sorted {
		slices.SortFunc(c.Matches, func(a, b *Match) int {
			if d := a.EndedAt.Compare(b.EndedAt); d != 0 {
				return d
			}
			return strings.Compare(a.ID, b.ID)
		})
		c.sorted = true
	}
	for _, m := range c.Matches {
		if !m.Void && !m.EndedAt.Before(w.From) && m.EndedAt.Before(w.To) {
			f(m)
		}
	}
}

// CountPlayed implements fairness.Facts.
func (c *Crowd) CountPlayed(_ context.Context, w fairness.Window) (n int, _ error) {
	c.in(w, func(*Match) { n++ })
	return n, nil
}

// Partners implements fairness.Facts.
func (c *Crowd) Partners(_ context.Context, w fairness.Window, atLeast int) ([]fairness.Tally, error) {
	return c.tallies(w, atLeast, [][2]int{{0, 2}, {1, 3}}), nil
}

// Opponents implements fairness.Facts.
func (c *Crowd) Opponents(_ context.Context, w fairness.Window, atLeast int) ([]fairness.Tally, error) {
	return c.tallies(w, atLeast, [][2]int{{0, 1}, {0, 3}, {2, 1}, {2, 3}}), nil
}

func (c *Crowd) tallies(w fairness.Window, atLeast int, ties [][2]int) (all []fairness.Tally) {
	by := map[[2]string]*fairness.Tally{}
	c.in(w, func(m *Match) {
		for _, tie := range ties {
			a, b := tie[0], tie[1]
			if m.Players[a] > m.Players[b] {
				a, b = b, a
			}
			if m.Stake == 0 {
				continue
			}
			key := [2]string{m.Players[a], m.Players[b]}
			if by[key] == nil {
				by[key] = &fairness.Tally{A: key[0], B: key[1]}
			}
			t := by[key]
			t.Matches++
			coins := -m.Stake
			if m.Winner == a%2 {
				t.Wins++
				coins = m.Stake
			}
			if a%2 != b%2 {
				t.Coins += coins // twice
			}
		}
	})
	for _, t := range by {
		t.Coins /= 2
		if t.Matches >= atLeast {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(x, y fairness.Tally) int { return strings.Compare(x.A+x.B, y.A+y.B) })
	return all
}

func four(m *Match) (players [4]string, people bool) {
	players = m.Players
	slices.Sort(players[:])
	return players, players[0] != ""
}

// Fours implements fairness.Facts.
func (c *Crowd) Fours(_ context.Context, w fairness.Window, atLeast int) (found []fairness.Four, seen int, _ error) {
	counts := map[[4]string]int{}
	c.in(w, func(m *Match) {
		if who, people := four(m); people && m.Stake == 0 {
			counts[who]++
		}
	})
	for who, n := range counts {
		if n >= atLeast {
			found = append(found, fairness.Four{Players: who, Matches: n})
		}
	}
	slices.SortFunc(found, func(a, b fairness.Four) int { return slices.Compare(a.Players[:], b.Players[:]) })
	if len(found) > 0 {
		seen = len(counts)
	}
	return found, seen, nil
}

// MatchHours implements fairness.Facts.
func (c *Crowd) MatchHours(_ context.Context, w fairness.Window, players []string) (all fairness.Hours, of map[string]fairness.Hours, _ error) {
	all, of = fairness.Hours{}, map[string]fairness.Hours{}
	c.in(w, func(m *Match) {
		if _, people := four(m); !people || m.Stake > 0 {
			return
		}
		hour := m.CreatedAt.Unix() / 3600
		all[hour]++
		for _, p := range m.Players {
			if slices.Contains(players, p) {
				if of[p] == nil {
					of[p] = fairness.Hours{}
				}
				of[p][hour]++
			}
		}
	})
	return all, of, nil
}

// PlayedBy implements fairness.Facts.
func (c *Crowd) PlayedBy(_ context.Context, w fairness.Window, players []string) (all []fairness.Played, _ error) {
	c.in(w, func(m *Match) {
		if !slices.ContainsFunc(m.Players[:], func(p string) bool { return p != "" && slices.Contains(players, p) }) {
			return
		}
		played := m.Played
		for s, p := range m.Players {
			played.Ratings[s] = rating.Bot()
			if p != "" {
				played.Ratings[s] = c.Rating(p)
			}
		}
		all = append(all, played)
	})
	return all, nil
}

// Paces implements fairness.Facts.
func (c *Crowd) Paces(ctx context.Context, w fairness.Window, matches, atLeast int) (all []fairness.Pace, _ error) {
	for _, p := range c.people {
		thoughts, err := c.Thoughts(ctx, w, p.id, matches)
		if err != nil {
			return nil, err
		}
		if len(thoughts) < atLeast {
			continue
		}
		ms := make([]int64, len(thoughts))
		for i, t := range thoughts {
			ms[i] = t.Ms
		}
		slices.Sort(ms)
		n := len(ms)
		all = append(all, fairness.Pace{Player: p.id, Actions: n, Tenth: ms[(n+9)/10-1], Median: ms[(n+1)/2-1], Ninetieth: ms[(9*n+9)/10-1]})
	}
	return all, nil
}

// Thoughts implements fairness.Facts.
func (c *Crowd) Thoughts(_ context.Context, w fairness.Window, player string, matches int) (all []fairness.Thought, _ error) {
	var own []*Match
	c.in(w, func(m *Match) {
		if slices.Contains(m.Players[:], player) {
			own = append(own, m)
		}
	})
	slices.Reverse(own)
	for _, m := range own[:min(matches, len(own))] {
		seat := slices.Index(m.Players[:], player)
		for i, ms := range c.Gaps(m) {
			if i%4 == seat {
				all = append(all, fairness.Thought{Match: m.ID, Ms: ms})
			}
		}
	}
	return all, nil
}
