package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/crowd"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

type loadCommand struct {
	Clients loadClients `cmd:"" help:"Have many clients play, read, sign in and listen on a server that runs, and measure how long they wait. Fails if they are not told the same, in order, by the rules. They sign up as guests, and stay: use a database that may go."`

	Crowd loadCrowd `cmd:"" help:"Have a simulated crowd queue, stake, play, drop out and return, by a clock that jumps; then check that all adds up. Fails if anything does not."`
}

// loadCrowd plays on a database of its own. It has no environment variable for
// another: a server's database must not get there by chance.
type loadCrowd struct {
	Players   int           `default:"2000" help:"How many people come."`
	Seed      uint64        `default:"1" help:"What all that they do follows from, but for the deals."`
	Hours     float64       `default:"1" help:"How long they come, by the simulated clock."`
	Hands     int           `default:"1" help:"Hands of a match, 1 to 11. More take longer and tell no more about the lobby."`
	Processes int           `default:"2" help:"Processes of the server that share the database."`
	KillEvery time.Duration `default:"10m" help:"How often one of them dies, by the simulated clock. 0: never."`
	Begin     time.Time     `help:"When they begin to come, as 2026-12-24T06:00:00Z; without it an evening on which much happens at once."`
	JSON      bool          `name:"json" help:"Print the report as JSON."`
	DataDir   string        `help:"The data directory of a server on SQLite that nobody has come to yet, to look at afterwards. Empty: one that goes."`
	Devices   string        `placeholder:"FILE" help:"Write there who came, a line of JSON each, with the secret of their device: to be one of them afterwards."`
	URL       string        `name:"database-url" placeholder:"URL" help:"An empty PostgreSQL database to play on (secret). Empty: SQLite in a temporary directory."`
}

// Validate is called by kong.
func (c *loadCrowd) Validate() error {
	switch {
	case c.Players < 1 || c.Players > 1_000_000:
		return errors.New("--players: from 1 to 1000000")
	case c.Hours <= 0 || c.Hours > 24*7:
		return errors.New("--hours: above 0, at most 168")
	case c.Hands < 1 || c.Hands > 11:
		return errors.New("--hands: from 1 to 11")
	case c.Processes < 1 || c.Processes > 16:
		return errors.New("--processes: from 1 to 16")
	case c.KillEvery < 0 || c.KillEvery > 0 && c.KillEvery < 10*time.Second:
		return errors.New("--kill-every: 0, or 10s and more")
	case c.DataDir != "" && c.URL != "":
		return errors.New("--data-dir or --database-url, not both")
	}
	return nil
}

var errCrowdWrong = errors.New("something went wrong in the crowd; the report says what")

// Run simulates the crowd.
func (c *loadCrowd) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o := store.Options{URL: c.URL}
	switch {
	case c.DataDir != "":
		o.File = (&config.Database{DataDir: c.DataDir}).SQLiteFile()
	case c.URL == "":
		dir, err := os.MkdirTemp("", "cuatrola-crowd-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.File = filepath.Join(dir, "crowd.sqlite")
	}
	db, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return err
	}
	if err := crowd.Empty(ctx, db); err != nil {
		return err
	}
	r, err := crowd.Run(ctx, db, crowd.Options{
		Players: c.Players, Seed: c.Seed, Begin: c.Begin, For: time.Duration(c.Hours * float64(time.Hour)), Hands: c.Hands,
		Processes: c.Processes, KillEvery: c.KillEvery, Progress: progressLine(time.Now),
	})
	if err != nil {
		return err
	}
	if err := writeDevices(c.Devices, r.People); err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(r)
	} else {
		err = r.Write(os.Stdout)
	}
	if err == nil && len(r.Violations) > 0 {
		err = errCrowdWrong
	}
	return err
}

// writeDevices keeps who came in a file, unless it is nameless.
func writeDevices(file string, people []crowd.Person) error {
	if file == "" {
		return nil
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, p := range people {
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return os.WriteFile(file, lines.Bytes(), 0o600)
}

// progressLine says on standard error how far it has come, every few seconds of real
// time.
func progressLine(now func() time.Time) func(crowd.Progress) {
	const every = 5 * time.Second
	last := now()
	return func(p crowd.Progress) {
		if now().Sub(last) < every {
			return
		}
		last = now()
		fmt.Fprintf(os.Stderr, "%s  %d online, %d waiting, %d playing, %d matches begun\n",
			p.At.Format("15:04"), p.Online, p.Waiting, p.Playing, p.Matches)
	}
}
