package duel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Player decides for its seats. It is used by one goroutine.
type Player interface {
	// Choose is the action of the seat whose turn it is. Honest players look at the
	// view, which has more than one legal action, and not at the match.
	Choose(m *rules.Match, v *rules.View, seed uint64) rules.Action
}

// Entrant is a player by name.
type Entrant struct {
	Name string
	// cards and bids make what decides each; they may be the same.
	cards, bids func(nodes uint64) Player
}

// Names says which entrants there are, for people.
const Names = "a level, random, greedy, pimcN (N samples), cheater, or CARDS/BIDS of two of these, with never as BIDS too"

// ParseEntrant reads a name: a level's; "random"; "greedy", the rules of thumb;
// "pimc50" and the like; "cheater"; or two of them with a stroke between, one that plays
// the cards and one that bids. "never" bids never.
func ParseEntrant(name string) (Entrant, error) {
	cards, bids, both := strings.Cut(name, "/")
	e := Entrant{Name: name}
	var ok bool
	if e.cards, ok = parsePlayer(cards); !ok {
		return e, fmt.Errorf("no player is called %q: %s", cards, Names)
	}
	if !both {
		return e, nil
	}
	if bids == "never" {
		e.bids = func(uint64) Player { return never{} }
		return e, nil
	}
	if e.bids, ok = parsePlayer(bids); !ok {
		return e, fmt.Errorf("no player that bids is called %q: %s", bids, Names)
	}
	return e, nil
}

const maxSamples = 100_000

func parsePlayer(name string) (func(nodes uint64) Player, bool) {
	if level, ok := bot.ParseLevel(name); ok {
		return func(nodes uint64) Player { return newLevelPlayer(level, nodes) }, true
	}
	switch name {
	case "random":
		return func(uint64) Player { return random{} }, true
	case "greedy":
		return func(uint64) Player { return newLevelPlayer(bot.Tabernero, 0) }, true
	case "cheater":
		return func(uint64) Player { return &cheater{} }, true
	}
	if digits, ok := strings.CutPrefix(name, "pimc"); ok {
		n, err := strconv.Atoi(digits)
		if err == nil && n > 0 && n <= maxSamples {
			return func(uint64) Player { return &sampler{samples: n} }, true
		}
	}
	return nil, false
}

// Player is a new one; nodes is what a level may spend on a decision, 0 its own budget.
func (e Entrant) Player(nodes uint64) Player { return e.player(nodes) }

func (e Entrant) player(nodes uint64) Player {
	if e.bids == nil {
		return e.cards(nodes)
	}
	return composed{cards: e.cards(nodes), bids: e.bids(nodes)}
}

// composed plays with one player's cards and another's bids.
type composed struct{ cards, bids Player }

func (p composed) Choose(m *rules.Match, v *rules.View, seed uint64) rules.Action {
	if v.Phase == rules.PhaseBid {
		return p.bids.Choose(m, v, seed)
	}
	return p.cards.Choose(m, v, seed)
}

// never bids never.
type never struct{}

func (never) Choose(*rules.Match, *rules.View, uint64) rules.Action { return rules.Pass }

// random does anything that is legal.
type random struct{}

func (random) Choose(_ *rules.Match, v *rules.View, seed uint64) rules.Action {
	a, _ := bot.Random(v, seed)
	return a
}

// levelPlayer is one of the bots that people play against.
type levelPlayer struct {
	level  bot.Level
	bot    bot.Player
	budget bot.Budget
}

func newLevelPlayer(level bot.Level, nodes uint64) *levelPlayer {
	return &levelPlayer{level: level, budget: bot.Budget{Nodes: nodes}}
}

func (p *levelPlayer) Choose(_ *rules.Match, v *rules.View, seed uint64) rules.Action {
	a, _ := p.bot.Choose(p.level, v, seed, p.budget)
	return a
}
