// Package bot plays a seat: a seat's view goes in, an action comes out. Bots see
// what a person in that seat would see and nothing else, and the same view, level
// and seed always give the same action.
//
// The package is pure and imports the rules only, so that server and module run
// the very same bots.
package bot

import (
	"sync"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Level is how well a bot plays.
type Level uint8

// The levels, weakest first.
const (
	// Aprendiz plays legally and plausibly, and makes a beginner's mistakes.
	Aprendiz Level = iota
	// Tabernero bids what sampled deals say it will win, and plays by the
	// tavern's rules of thumb.
	Tabernero
	// Veterano tries bids and cards on deals that fit what it has seen, and each of
	// those it solves.
	Veterano
	// Maestro weighs the deals by what the others did, looks at all of them as soon as
	// they are few, does not count on seeing more by its next card than it will, and bids
	// for the match.
	Maestro
	levelCount
)

var levelNames = [levelCount]string{"aprendiz", "tabernero", "veterano", "maestro"}

// Levels are all levels, weakest first.
func Levels() []Level { return []Level{Aprendiz, Tabernero, Veterano, Maestro} }

// String is the level's name in contracts and settings.
func (l Level) String() string {
	if l >= levelCount {
		return "?"
	}
	return levelNames[l]
}

// ParseLevel reads a level's name.
func ParseLevel(text string) (Level, bool) {
	for i, name := range levelNames {
		if name == text {
			return Level(i), true
		}
	}
	return 0, false
}

// Choose is [Player.Choose] with the level's own budget, by a player that is kept for
// the next call.
func Choose(l Level, v *rules.View, seed uint64) (a rules.Action, ok bool) {
	p, _ := players.Get().(*Player)
	defer players.Put(p)
	return p.Choose(l, v, seed, Budget{})
}

var players = sync.Pool{New: func() any { return new(Player) }}

// suppose is a match that shows this view, with the viewer's own cards and no
// others. ok is false if the viewer is not to act, or if its view calls legal what
// is not: such a view is no match's, and thinking about it might never end.
func suppose(v *rules.View) (m rules.Match, ok bool) {
	if v.Legal == 0 || v.Viewer >= rules.Seats || v.Viewer != v.Turn {
		return m, false
	}
	var held [rules.Seats]rules.Cards
	held[v.Viewer] = v.Cards
	m = v.Suppose(held)
	return m, m.Legal() == v.Legal
}

// Random is any legal action, each as likely as the others: play that reaches
// every corner of the rules.
func Random(v *rules.View, seed uint64) (a rules.Action, ok bool) {
	if _, ok := suppose(v); !ok {
		return 0, false
	}
	r := newRandom(seed, v)
	return v.Legal.Nth(r.below(v.Legal.Len())), true
}

// sing sings the forty if it can, else the first suit there is.
func sing(v *rules.View) rules.Action {
	if forty := rules.Sing(v.Trump.Suit()); v.Legal.Has(forty) {
		return forty
	}
	a, _ := v.Legal.First()
	return a
}

// random is SplitMix64 (Steele, Lea and Flood, 2014): small, fast and good
// enough to sample deals with. It decides no deal.
type random struct{ state uint64 }

// newRandom starts from the seed and the place in the match, so that a bot that
// is asked again answers the same.
func newRandom(seed uint64, v *rules.View) *random {
	return &random{seed ^ uint64(v.HandsFinished)<<48 ^ uint64(v.Seq)<<8 ^ uint64(v.Viewer)}
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number under n. The bias of at most n in 2^32 does not matter here.
func (r *random) below(n int) int { return int((r.next() >> 32) * uint64(n) >> 32) }
