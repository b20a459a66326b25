package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/reward"
)

type matchCommand struct {
	Void matchVoid `cmd:"" help:"Give a match up for a fault of the server's: nobody wins or loses, entries are given back."`
}

type matchVoid struct {
	config.Database `embed:""`
	signed          `embed:""`

	Match   string `arg:"" help:"The match's id."`
	NATSURL string `name:"nats-url" env:"NATS_URL" placeholder:"URL" help:"NATS servers, to tell running servers at once (secret). Without, they find out when they next look."`
}

// Run gives a match up.
func (c *matchVoid) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		s.VoidWith(reward.New(s, s, economy.NewService(s, time.Now), time.Now, rand.Reader).Refund)
		announce := func(context.Context, string, match.Entry) {}
		if c.NATSURL != "" {
			news, err := bus.Open(c.NATSURL)
			if err != nil {
				return naming("NATS_URL", err)
			}
			defer news.Close()
			announce = news.Publish
		}
		if err := match.New(s, clock.Wall{}, announce).Void(ctx, c.Match, c.Author+": "+c.Reason); err != nil {
			return err
		}
		_, err := fmt.Println("given up: match", c.Match)
		return err
	})
}
