package main

import (
	"os"

	"github.com/cuatrola/cuatrola/server/internal/duel"
	"github.com/cuatrola/cuatrola/server/internal/selfplay"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// fitCommand works out anew what bots know of hands from having played many. It prints the
// source of the tables that are in shared/bot.
type fitCommand struct {
	Chance  fitChanceCommand  `cmd:"" help:"Print shared/bot/chance/shares.gen.go: how hands come out."`
	Reality fitRealityCommand `cmd:"" help:"Print shared/bot/bidreal.gen.go: what comes of the solver's hopes."`
	Hunch   fitHunchCommand   `cmd:"" help:"Print shared/bot/hunch/hunch.gen.go: what five cards promise."`
	Habit   fitHabitCommand   `cmd:"" help:"Print shared/bot/habit/habit.gen.go: which cards are played of those that could be."`
}

type fitRealityCommand struct {
	Deals   int    `default:"4000" help:"How many random deals."`
	Samples int    `default:"60" help:"Ways in which the cards may lie, on which a seat asks the solver."`
	Cards   string `default:"pimc16" help:"Who plays the cards: a player as in bots match."`
	Seed    uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitRealityCommand) Run() error {
	cards, err := duel.ParseEntrant(c.Cards)
	if err != nil {
		return err
	}
	told, done := progressOf(os.Stderr, "deals", len(rules.Presets())*c.Deals)
	defer done()
	return selfplay.Reality{Deals: c.Deals, Samples: c.Samples, Cards: cards, Seed: c.Seed, Progress: told}.Write(os.Stdout)
}

type fitChanceCommand struct {
	Deals   int    `default:"10000" help:"How many random deals."`
	Samples int    `default:"40" help:"Ways in which the cards may lie, on which a seat tries its bids."`
	Seed    uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitChanceCommand) Run() error {
	told, done := progressOf(os.Stderr, "deals", c.Deals)
	defer done()
	return selfplay.Shares{Deals: c.Deals, Samples: c.Samples, Seed: c.Seed, Progress: told}.Write(os.Stdout)
}

type fitHunchCommand struct {
	Deals  int    `default:"400000" help:"How many random deals."`
	Rounds int    `default:"6" help:"How many times the fit goes through them."`
	Seed   uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitHunchCommand) Run() error {
	return selfplay.Hunches{Deals: c.Deals, Rounds: c.Rounds, Seed: c.Seed}.Write(os.Stdout, os.Stderr)
}

type fitHabitCommand struct {
	Deals int    `default:"3000" help:"How many random deals of each preset."`
	Seed  uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitHabitCommand) Run() error {
	return selfplay.Habits{Deals: c.Deals, Seed: c.Seed}.Write(os.Stdout, os.Stderr)
}
