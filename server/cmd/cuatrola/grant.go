package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type grantCommand struct {
	config.Database `embed:""`
	signed          `embed:""`

	Player string `arg:"" help:"The player's id."`
	Coins  int64  `arg:"" help:"How many; negative, behind --, to take them, never more than there are."`
	Key    string `help:"With the same key it is done once, however often it is run. A new one without it."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run gives a player coins, or takes them.
func (c *grantCommand) Run() error {
	return withBooks(c.Database, func(ctx context.Context, b books) error {
		p, err := b.PlayerByID(ctx, c.Player)
		if err != nil {
			return err
		}
		if c.Key == "" {
			c.Key = uuid.NewString()
		}
		t, replayed, err := b.rewards().Grant(ctx, p.ID, c.Coins, c.Key, c.Author, c.Reason)
		if err != nil {
			return err
		}
		var balance int64 // as it was then, if it was done before
		for _, e := range t.Entries {
			if e.Account == wallet.Player(p.ID) {
				balance = e.Balance
			}
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(map[string]any{
				"transfer": t.ID, "player": p.ID, "coins": c.Coins, "balance": balance, "replayed": replayed,
			})
		}
		done := "done"
		if replayed {
			done = "done before"
		}
		_, err = fmt.Printf("%s: %+d coins, which left %d, transfer %s\n", done, c.Coins, balance, t.ID)
		return err
	})
}
