package bot

import (
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Player thinks: it holds what a bot needs room for. The zero value is ready. It is
// large, so keep one, and for one goroutine; what it chose before does not matter to
// what it chooses next.
type Player struct {
	solver  solve.Solver
	deals   deals.Deals
	auction auction
	thought thought
}

// What the levels from Veterano on are good at.
var (
	bidSkills  = [...]*bidSkill{&veteranoBids, &maestroBids}
	playSkills = [...]*skill{&veteranoPlay, &maestroPlay}
)

// Budget bounds how long a bot thinks. The zero value is the level's own budget.
type Budget struct {
	// Nodes is how many cards may be tried in thought, over all deals, before the bot
	// answers by what it has seen so far; 0 is the level's own number. The answer is
	// the same on every machine.
	Nodes uint64
	// Expired, if not nil, is asked between deals whether time is up. It makes the
	// answer depend on the machine.
	Expired func() bool
}

// spent says whether the budget is used up by so many cards tried.
func (b *Budget) spent(nodes uint64) bool {
	return b.Nodes > 0 && nodes >= b.Nodes || b.Expired != nil && b.Expired()
}

// Choose is the action that a bot of a level takes: the same for the same view, seed
// and number of nodes, wherever it runs. ok is false if it is not the viewer's turn.
func (p *Player) Choose(l Level, v *rules.View, seed uint64, budget Budget) (a rules.Action, ok bool) {
	m, ok := suppose(v)
	if !ok {
		return 0, false
	}
	first, ok := v.Legal.First()
	switch {
	case v.Legal.Rest() == 0:
		return first, ok
	case l == Aprendiz:
		return aprendiz(v, newRandom(seed, v)), true
	case v.Phase == rules.PhaseBid:
		r := newRandom(seed, v)
		if l >= Veterano {
			p.solver.Nodes = 0
			if a, ok := p.bid(bidSkills[min(l, Maestro)-Veterano], v, r, budget); ok {
				return a, true
			}
		}
		return bid(v, r), true
	case l >= Veterano:
		p.solver.Nodes = 0
		if a, ok := p.think(playSkills[min(l, Maestro)-Veterano], v, newRandom(seed, v), budget); ok {
			return a, true
		}
	}
	if v.Phase == rules.PhaseSing {
		return sing(v), true
	}
	return rules.Play(pickCard(&m)), true
}
