// Package duel lets players play against each other, and says how much better one is.
//
// Luck decides most single hands, so both sides get the same cards: each deal is played
// twice, once with one player in seats 0 and 2 and the other in seats 1 and 3, and once
// the other way round. What is then left of luck is what the intervals say; the two
// sides of a deal depend on each other, so intervals count deals, not hands.
//
// The same options give the same result, on any number of workers; only times differ.
package duel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Mode is what is played for each deal.
type Mode uint8

// The modes.
const (
	// Hands is a hand that nobody may bid on: card play alone.
	Hands Mode = iota
	// Bids is a hand with bidding, as the first of a match.
	Bids
	// Matches is a whole match. Its n-th hand is dealt alike on both sides.
	Matches
)

var modeNames = []string{"hands", "bids", "matches"}

// String is the mode's name on the command line.
func (m Mode) String() string {
	if int(m) >= len(modeNames) {
		return "?"
	}
	return modeNames[m]
}

// ParseMode reads a mode's name.
func ParseMode(text string) (Mode, bool) {
	for i, name := range modeNames {
		if name == text {
			return Mode(i), true
		}
	}
	return 0, false
}

// Options say what is played.
type Options struct {
	Rules rules.RuleSet
	Mode  Mode
	Deals int
	// Seed is what the deals and the players' dice follow from.
	Seed uint64
	// Workers play at the same time; 0: as many as there are processors.
	Workers int
	// Nodes is what a level may spend on a decision; 0: its own budget.
	Nodes uint64
	// Progress, if not nil, is told of each deal that has been played, by one worker at
	// a time.
	Progress func(played int)
}

// chunk is how many deals a worker takes at once.
const chunk = 8

// Run plays a against b. An error is ctx's, or says which player did what it may not.
func Run(ctx context.Context, a, b Entrant, o Options) (*Report, error) {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Mode == Hands {
		// Without bids in the rules a pass says nothing, and players know that.
		o.Rules.Bids = [len(o.Rules.Bids)]rules.Bid{}
	}
	begin := time.Now()
	var taken atomic.Int64
	var mu sync.Mutex
	played := 0
	workers := make([]*worker, o.Workers)
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		w := newWorker(o, a, b)
		workers[i] = w
		group.Go(func() error {
			runtime.LockOSThread() // see processorTime
			defer runtime.UnlockOSThread()
			for {
				from := int(taken.Add(chunk)) - chunk
				if from >= o.Deals {
					return nil
				}
				to := min(from+chunk, o.Deals)
				for deal := from; deal < to; deal++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					if err := w.play(deal); err != nil {
						return err
					}
				}
				if o.Progress != nil {
					mu.Lock()
					played += to - from
					o.Progress(played)
					mu.Unlock()
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	total := workers[0]
	for _, w := range workers[1:] {
		total.add(w)
	}
	return total.report(time.Since(begin)), nil
}

// worker plays deals one after the other. The players are its own: they keep what they
// work with.
type worker struct {
	options Options
	names   [2]string
	players [2]Player
	sums    sums
	times   [2]times
}

func newWorker(o Options, a, b Entrant) *worker {
	return &worker{
		options: o, names: [2]string{a.Name, b.Name},
		players: [2]Player{a.player(o.Nodes), b.player(o.Nodes)},
	}
}

func (w *worker) add(other *worker) {
	w.sums.add(&other.sums)
	for i := range w.times {
		w.times[i].add(&other.times[i])
	}
}

// play plays a deal from both sides.
func (w *worker) play(deal int) error {
	var both played
	for first := range rules.Pair(2) { // the pair that the first player plays for
		m := rules.NewMatch(w.options.Rules)
		dealer := rules.Seat(deal % rules.Seats)
		for hand := 0; m.Phase() != rules.PhaseMatchOver && (hand == 0 || w.options.Mode == Matches); hand++ {
			cards := w.deal(deal, hand)
			m.Deal(dealer, &cards, cards[dealer][0])
			if err := w.hand(&m, first, deal); err != nil {
				return err
			}
			both.hand(&m, first)
			dealer = dealer.Next()
		}
		both.game(&m, first)
	}
	w.sums.count(&both)
	return nil
}

// deal is the cards of a hand, alike for everybody who asks.
func (w *worker) deal(deal, hand int) (cards rules.Deal) {
	dice := rand.New(rand.NewPCG(w.options.Seed, uint64(deal)<<16|uint64(hand))) //nolint:gosec // the point is to deal alike again
	for i, c := range dice.Perm(rules.DeckSize) {
		cards[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
	}
	return cards
}

// hand plays the hand that has been dealt. Whoever has no choice is not asked.
func (w *worker) hand(m *rules.Match, first rules.Pair, deal int) error {
	// Both players throw the same dice, so that players who are the same play alike.
	dice := rand.New(rand.NewPCG(w.options.Seed, ^uint64(deal))).Uint64() //nolint:gosec // see above
	var v rules.View
	for m.Turn() != rules.NoSeat {
		a, _ := m.Legal().First()
		if m.Legal().Rest() != 0 {
			who := 0
			if m.Turn().Pair() != first {
				who = 1
			}
			m.View(m.Turn(), &v)
			begin := processorTime()
			a = w.players[who].Choose(m, &v, dice)
			w.times[who].count(m.Phase(), processorTime()-begin)
			if why := m.Check(m.Turn(), a); why != rules.OK {
				return fmt.Errorf("duel: %s chose %v, which is refused: %v (deal %d, seed %d, hand %d, action %d)",
					w.names[who], a, why, deal, w.options.Seed, m.HandsFinished(), v.Seq)
			}
		}
		m.Apply(rules.NoSeat, a)
	}
	return nil
}
