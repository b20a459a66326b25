package main

import (
	"context"
	"fmt"

	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/match"
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
	return withBooks(c.Database, func(ctx context.Context, b books) error {
		b.VoidWith(b.rewards().Refund)
		announce := func(context.Context, string, match.Entry) {}
		if c.NATSURL != "" {
			news, err := bus.Open(c.NATSURL)
			if err != nil {
				return naming("NATS_URL", err)
			}
			defer news.Close()
			announce = news.Publish
		}
		if err := match.New(b.Store, b.Common, announce).Void(ctx, c.Match, c.Author+": "+c.Reason); err != nil {
			return err
		}
		_, err := fmt.Println("given up: match", c.Match)
		return err
	})
}
