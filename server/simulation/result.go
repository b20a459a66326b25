package simulation

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/cuatrola/cuatrola/server/economy"
)

// Coins that came into the world, and that left it. What players win from one another
// is neither.
type Coins struct {
	Issued int64 `json:"issued"`
	Sunk   int64 `json:"sunk"`
}

func (c *Coins) add(coins int64) {
	if coins > 0 {
		c.Issued += coins
	} else {
		c.Sunk -= coins
	}
}

// Sum is what happened, and what would have.
type Sum struct {
	// Count of the rewards, claims, sales and prizes that it is made of; a prize that there
	// was and one that there would have been are two.
	Count  int64 `json:"count"`
	Before Coins `json:"before"`
	After  Coins `json:"after"`
}

// Group is one group's sum.
type Group struct {
	Key string `json:"key"`
	Sum
}

// Source is where coins come from, or go.
type Source string

// The sources.
const (
	FromMatches  Source = "matches"
	FromWelcome  Source = "welcome"
	FromDaily    Source = "daily"
	FromPrizes   Source = "prizes"
	FromSales    Source = "sales"    // products for money
	FromBoosters Source = "boosters" // bought with coins
	FromPasses   Source = "vip"      // bought with coins
)

// Sources lists all, as results have them.
var Sources = []Source{FromMatches, FromWelcome, FromDaily, FromPrizes, FromSales, FromBoosters, FromPasses}

// Keys of groups that have two.
const (
	Winners, Losers = "won", "lost"
	Yes, No         = "yes", "no"
)

// Profile is a player whom the draft would change most, with whom it could be nobody but
// by chance: the pseudonym says nothing outside of its simulation.
type Profile struct {
	Pseudonym string `json:"pseudonym"`
	// Matches that the player finished.
	Matches int `json:"matches"`
	// Before and After are what the player was given in all less what was paid, in coins.
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	// Division of the league that the player was last in; "" for none.
	Division string `json:"division"`
	// VIP says whether a pass worked when the player was last seen.
	VIP bool `json:"vip"`
}

// Result of a simulation. It says what would have been had everybody done what they did:
// whoever earns less or pays more behaves otherwise, and that is not in it.
type Result struct {
	// Matches that were settled in the time, and Players who did anything in it.
	Matches int64 `json:"matches"`
	Players int64 `json:"players"`
	// Inferred counts the seats at matches of before there was kept what a reward follows
	// from: what worked for the player there is inferred from what it gave.
	Inferred int64 `json:"inferred"`
	// Unexplained is by how many coins what is worked out for the economy that was live
	// differs from what was given. If all was kept it is none.
	Unexplained int64 `json:"unexplained"`

	Total Sum `json:"total"`
	// Live is what the version that was live when the simulation began would have given and
	// taken in all. It is what was given and taken, unless another one was live before.
	Live Coins `json:"live"`
	// Total by source; and of matches alone by mode, finishing position, and
	// whether a booster worked. By division, pass and day it is all again.
	BySource   []Group `json:"bySource"`
	ByMode     []Group `json:"byMode"`
	ByPosition []Group `json:"byPosition"`
	ByBooster  []Group `json:"byBooster"`
	ByDivision []Group `json:"byDivision"`
	ByVIP      []Group `json:"byVip"`
	ByDay      []Group `json:"byDay"`

	// Affected are the players whom it would change most, most first.
	Affected []Profile `json:"affected"`
}

// affected is how many players a result shows.
const affected = 10

// IssuanceChange is how much more the draft would have issued than what is live, as a
// share of that: 0.1 for a tenth more, -0.1 for a tenth less. Where that would have issued
// nothing, and the draft something, it is infinite.
func (r *Result) IssuanceChange() float64 {
	before, after := r.Live.Issued, r.Total.After.Issued
	switch {
	case before == after:
		return 0
	case before == 0:
		return math.Inf(1)
	default:
		return float64(after-before) / float64(before)
	}
}

// tally is sums by a key.
type tally map[string]*Sum

func (t tally) add(key string, before, after int64) {
	s := t[key]
	if s == nil {
		s = new(Sum)
		t[key] = s
	}
	s.add(before, after)
}

func (s *Sum) add(before, after int64) {
	s.Count++
	s.Before.add(before)
	s.After.add(after)
}

// groups are the sums, those of the keys given first, the others by their keys.
func (t tally) groups(first ...string) []Group {
	all := make([]Group, 0, len(t))
	for key, sum := range t {
		all = append(all, Group{key, *sum})
	}
	place := func(key string) int {
		if i := slices.Index(first, key); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(place(a.Key), place(b.Key)), strings.Compare(a.Key, b.Key))
	})
	return all
}

// Result is what has come of it by now. key is the secret that pseudonyms are made with.
func (r *Replay) Result(key []byte) *Result {
	sources := make([]string, len(Sources))
	for i, s := range Sources {
		sources[i] = string(s)
	}
	divisions := make([]string, len(r.draft.League.Divisions))
	for i, d := range r.draft.League.Divisions {
		divisions[i] = d.Name
	}
	players := int64(0)
	for _, p := range r.players {
		if p.counted {
			players++
		}
	}
	return &Result{
		Matches: r.matches, Players: players, Inferred: r.inferred, Unexplained: r.unexplained,
		Total: r.total, Live: r.total.Before, BySource: r.bySource.groups(sources...),
		ByMode:     r.byMode.groups(string(economy.Online), string(economy.Staked), string(economy.Friends)),
		ByPosition: r.byPosition.groups(Winners, Losers), ByBooster: r.byBooster.groups(Yes, No),
		ByDivision: r.byDivision.groups(divisions...), ByVIP: r.byVIP.groups(Yes, No), ByDay: r.byDay.groups(),
		Affected: r.affected(key),
	}
}

func (r *Replay) affected(key []byte) []Profile {
	type one struct {
		id string
		*player
	}
	var most []one
	change := func(p *player) int64 {
		if p.after > p.before {
			return p.after - p.before
		}
		return p.before - p.after
	}
	compare := func(a, b one) int {
		return cmp.Or(cmp.Compare(change(b.player), change(a.player)), strings.Compare(a.id, b.id))
	}
	for id, p := range r.players {
		o := one{id, p}
		if change(p) == 0 || len(most) == affected && compare(o, most[affected-1]) > 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(most, o, compare)
		most = slices.Insert(most, i, o)
		most = most[:min(len(most), affected)]
	}
	profiles := make([]Profile, len(most))
	for i, p := range most {
		profiles[i] = Profile{
			Pseudonym: pseudonym(key, p.id), Matches: p.matches, Before: p.before, After: p.after, Division: p.division, VIP: p.vip,
		}
	}
	return profiles
}

// pseudonym of a player: the same under the same key, and nobody's without it.
func pseudonym(key []byte, playerID string) string {
	const shown = 4
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(playerID))
	return strings.ToUpper(hex.EncodeToString(mac.Sum(nil)[:shown]))
}
