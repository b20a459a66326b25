package main

import (
	"os"

	"github.com/cuatrola/cuatrola/server/internal/selfplay"
)

// fitCommand works out anew what bots know of hands from having played many. It prints the
// source of the tables that are in shared/bot.
type fitCommand struct {
	Chance fitChanceCommand `cmd:"" help:"Print shared/bot/chance/shares.gen.go: how hands come out."`
	Hunch  fitHunchCommand  `cmd:"" help:"Print shared/bot/hunch/hunch.gen.go: what five cards promise."`
}

type fitChanceCommand struct {
	Deals   int    `default:"10000" help:"How many random deals."`
	Samples int    `default:"40" help:"Ways in which the cards may lie, on which a seat tries its bids."`
	Seed    uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitChanceCommand) Run() error {
	return selfplay.Shares{Deals: c.Deals, Samples: c.Samples, Seed: c.Seed}.Write(os.Stdout)
}

type fitHunchCommand struct {
	Deals  int    `default:"400000" help:"How many random deals."`
	Rounds int    `default:"6" help:"How many times the fit goes through them."`
	Seed   uint64 `default:"1" help:"What everything follows from."`
}

func (c *fitHunchCommand) Run() error {
	return selfplay.Hunches{Deals: c.Deals, Rounds: c.Rounds, Seed: c.Seed}.Write(os.Stdout, os.Stderr)
}
