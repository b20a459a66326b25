package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"

	"github.com/cuatrola/cuatrola/server/internal/duel"
	"github.com/cuatrola/cuatrola/server/record"
)

// botsMatch says how much better one player is than another.
type botsMatch struct {
	A       string `arg:"" help:"A player: a level; random; greedy, the rules of thumb; pimcN, which solves N sampled deals; cheater, who sees all cards; or CARDS/BIDS, two of these of which one plays the cards and the other bids (also never)."`
	B       string `arg:"" help:"The other."`
	Rules   string `default:"clasica" help:"A preset's name, or house rules as a JSON object."`
	Deals   int    `default:"1000" help:"How many deals; each is played from both sides."`
	Mode    string `default:"hands" enum:"hands,bids,matches" help:"What is played for each deal: a hand that nobody bids on, a hand with bids as the first of a match, or a whole match (${enum})."`
	Seed    uint64 `default:"1" help:"What everything follows from: deals and play."`
	Workers int    `help:"How many play at the same time. 0: as many as there are processors. It does not change the result."`
	Nodes   uint64 `help:"How many cards a level may try in thought for a decision. 0: its own budget."`
	JSON    bool   `name:"json" help:"Print the result as JSON."`
}

// Validate is called by kong.
func (c *botsMatch) Validate() error {
	switch {
	case c.Deals < 1 || c.Deals > 10_000_000:
		return errors.New("--deals: from 1 to 10000000")
	case c.Workers < 0 || c.Workers > 1024:
		return errors.New("--workers: from 0 to 1024")
	}
	return nil
}

func (c *botsMatch) Run() error {
	rs, err := parseRulesFlag(c.Rules)
	if err != nil {
		return err
	}
	a, err := duel.ParseEntrant(c.A)
	if err != nil {
		return err
	}
	b, err := duel.ParseEntrant(c.B)
	if err != nil {
		return err
	}
	mode, _ := duel.ParseMode(c.Mode) // kong has checked the name
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	told, done := progressOf(os.Stderr, "deals", c.Deals)
	r, err := duel.Run(ctx, a, b, duel.Options{
		Rules: rs, Mode: mode, Deals: c.Deals, Seed: c.Seed, Workers: c.Workers, Nodes: c.Nodes, Progress: told,
	})
	done()
	if err != nil {
		return err
	}
	r.Rules = json.RawMessage(record.AppendRules(nil, rs))
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	return r.Write(os.Stdout)
}
