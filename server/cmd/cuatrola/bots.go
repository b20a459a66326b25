package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

type botsCommand struct {
	Play  botsPlay  `cmd:"" default:"withargs" help:"Let bots play each other and print the records. The default."`
	Match botsMatch `cmd:"" help:"Let two players play each other on the same cards from both sides, and say how much better one is."`
}

// botsPlay lets bots play matches against each other and writes their
// records: corpora for tests, measurements and other implementations.
//
// The same flags always give the same bytes. The records carry a proof of their
// deals like those of real matches, but the server seed follows from --seed, which
// anybody may know: fine for a corpus, useless for a match that somebody plays.
type botsPlay struct {
	Rules   string  `default:"clasica" help:"A preset's name, or house rules as a JSON object."`
	Matches int     `default:"1" help:"How many matches."`
	Seed    uint64  `default:"1" help:"What everything follows from: deals and play. Not for real matches."`
	Level   string  `default:"tabernero" enum:"aprendiz,tabernero,veterano,maestro" help:"How well the bots play (${enum})."`
	Dice    *uint64 `help:"The seed of all the bots' choices. Without it, another for each match, which follows from --seed."`
	Nodes   uint64  `help:"How many cards a bot may try in thought for a decision. 0: its level's own budget."`
	Random  bool    `help:"Play any legal action instead, each as likely as the others."`
	Illegal bool    `help:"Cut each match off at random and end it with an action that is refused there."`
}

func (c *botsPlay) Run() error {
	rs, err := parseRulesFlag(c.Rules)
	if err != nil {
		return err
	}
	level, _ := bot.ParseLevel(c.Level) // kong has checked the name
	w := bufio.NewWriterSize(os.Stdout, 1<<16)
	if err := c.play(w, rs, level); err != nil {
		return err
	}
	return w.Flush()
}

func (c *botsPlay) play(w io.Writer, rs rules.RuleSet, level bot.Level) error {
	player := new(bot.Player)
	choose := func(v *rules.View, seed uint64) (rules.Action, bool) {
		if c.Dice != nil {
			seed = *c.Dice
		}
		return player.Choose(level, v, seed, bot.Budget{Nodes: c.Nodes})
	}
	name := level.String()
	if c.Random {
		choose, name = bot.Random, "random"
	}
	var line []byte
	for i := range c.Matches {
		r := selfPlay(rs, c.Seed, i, choose)
		for range rules.Seats {
			r.Players = append(r.Players, record.Player{Name: name, Bot: true})
		}
		if c.Illegal {
			spoil(r, rand.New(rand.NewPCG(c.Seed, uint64(i)))) //nolint:gosec // a corpus wants faults that can be had again
		}
		line = append(r.Append(line[:0]), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// parseRulesFlag reads a preset's name or a JSON object.
func parseRulesFlag(text string) (rules.RuleSet, error) {
	var v any = text
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return rules.RuleSet{}, fmt.Errorf("--rules is not JSON: %w", err)
		}
	}
	rs, err := record.ParseRules(v)
	if err != nil {
		return rs, fmt.Errorf("--rules: %w", err)
	}
	return rs, nil
}

// selfPlay plays one whole match, number i of a seed. Its server seed is
// SHA-256("cuatrola-bots/1 SEED I"), the numbers in decimal. Unlike bots in real
// matches, these bring client seeds, so that a corpus has some.
func selfPlay(rs rules.RuleSet, seed uint64, i int, choose func(*rules.View, uint64) (rules.Action, bool)) *record.Record {
	id := fmt.Sprintf("bots-%d-%d", seed, i)
	serverSeed := sha256.Sum256(fmt.Appendf(nil, "cuatrola-bots/1 %d %d", seed, i))
	proof := &rules.FairProof{MatchID: id, Commitment: rules.Commit(serverSeed[:]), ServerSeed: serverSeed[:]}
	for s := range proof.ClientSeeds {
		proof.ClientSeeds[s] = fmt.Appendf(nil, "seat %d", s)
	}
	r := &record.Record{Rules: rs, ID: id, Fair: proof}

	// The bots' own dice, apart from the deals.
	dice := rand.New(rand.NewPCG(seed, uint64(i))).Uint64() //nolint:gosec // bots that play alike again are the point
	m := rules.NewMatch(rs)
	dealer := rules.FairDealer(proof.ServerSeed, id, &proof.ClientSeeds)
	for m.Phase() != rules.PhaseMatchOver {
		hand := rules.HandRecord{Dealer: dealer}
		hand.Deal, hand.Trump = rules.FairDeal(proof.ServerSeed, id, &proof.ClientSeeds, uint32(len(r.Hands)), dealer)
		m.Deal(hand.Dealer, &hand.Deal, hand.Trump)
		for m.Turn() != rules.NoSeat {
			var v rules.View
			m.View(m.Turn(), &v)
			a, _ := choose(&v, dice)
			if why := m.Apply(m.Turn(), a); why != rules.OK {
				// A record that is not legal must not pass for one, and a refused
				// action would be chosen again for ever.
				panic("bot's action refused: " + why.String())
			}
			hand.Actions = append(hand.Actions, a)
		}
		r.Hands = append(r.Hands, hand)
		dealer = dealer.Next()
	}
	return r
}

// spoil cuts a record off and ends it with an action that is refused. Of all the
// reasons that could come up anywhere in the match each is as likely as the
// others, so that a corpus has the rare ones too.
func spoil(r *record.Record, dice *rand.Rand) {
	type fault struct {
		hand, place int
		action      rules.Action
	}
	var reasons []rules.Reason
	faults := map[rules.Reason][]fault{}
	look := func(m *rules.Match, hand, place int) {
		for a := rules.Action(0); a <= rules.UnknownCard; a++ {
			if rules.ParseAction(a.String()) != a {
				continue // no text says this action
			}
			why := m.Check(rules.NoSeat, a)
			if why == rules.OK {
				continue
			}
			if faults[why] == nil {
				reasons = append(reasons, why)
			}
			faults[why] = append(faults[why], fault{hand, place, a})
		}
	}
	m := rules.NewMatch(r.Rules)
	for h := range r.Hands {
		hand := &r.Hands[h]
		m.Deal(hand.Dealer, &hand.Deal, hand.Trump)
		for i, a := range hand.Actions {
			look(&m, h, i)
			m.Apply(rules.NoSeat, a)
		}
		look(&m, h, len(hand.Actions)) // behind the hand's end
	}

	likely := faults[reasons[dice.IntN(len(reasons))]]
	f := likely[dice.IntN(len(likely))]
	r.Hands = r.Hands[:f.hand+1]
	last := &r.Hands[f.hand]
	last.Actions = append(last.Actions[:f.place], f.action)
}
