package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/loadgen"
)

// loadClients are bots who play as an app does, on a server that runs.
type loadClients struct {
	URL      []string      `name:"url" required:"" placeholder:"URL" help:"The server, or several processes of it: everything goes to one after the other, a person's requests too."`
	Mix      string        `default:"tables=50@human,profiles=20/s,sign-ins=5/s,idle=100" placeholder:"MIX" help:"What they do, all at once: tables=N@human, N@R/s (R actions a second in all) or N@max; profiles, sign-ins, dailies, postings (boosters for coins) or hot-postings (all by one player) =R/s, or =max:N (N clients, one request after the other); idle=N (sockets)."`
	For      time.Duration `default:"30s" help:"How long is measured, 1s to 1h."`
	WarmUp   time.Duration `default:"5s" help:"How long they do the same before, which does not count."`
	Players  int           `default:"200" help:"How many players share the requests, beside those at tables."`
	InFlight int           `default:"1000" help:"Requests of a kind under way at most. What is due beyond is counted as unsent."`
	Check    float64       `default:"1" help:"The share of tables whose every view is held against the rules, 0 to 1. Order and completeness are checked at all."`
	Timeout  time.Duration `default:"30s" help:"How long an answer may take."`
	Seed     uint64        `default:"1" help:"What is chosen follows from it, and when it is due."`
	JSON     string        `name:"json" placeholder:"FILE" help:"Write the report there as JSON, with histograms."`
	Plot     string        `placeholder:"FILE.svg" help:"Draw there how it went."`
	Quiet    bool          `help:"Say nothing meanwhile."`
}

// Validate is called by kong.
func (c *loadClients) Validate() error {
	for _, text := range c.URL {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("--url: %q is no address like http://localhost:8080", text)
		}
	}
	switch {
	case c.For < time.Second || c.For > time.Hour:
		return errors.New("--for: from 1s to 1h")
	case c.WarmUp < 0 || c.WarmUp > time.Hour:
		return errors.New("--warm-up: from 0s to 1h")
	case c.Players < 1 || c.Players > 100_000:
		return errors.New("--players: from 1 to 100000")
	case c.InFlight < 1 || c.InFlight > 100_000:
		return errors.New("--in-flight: from 1 to 100000")
	case !(c.Check >= 0 && c.Check <= 1):
		return errors.New("--check: from 0 to 1")
	case c.Timeout < 100*time.Millisecond || c.Timeout > 10*time.Minute:
		return errors.New("--timeout: from 100ms to 10m")
	}
	_, err := loadgen.ParseMix(c.Mix)
	return err
}

var errClientsWrong = errors.New("the server did what no server may do; the report says what")

// Run plays.
func (c *loadClients) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	mix, err := loadgen.ParseMix(c.Mix)
	if err != nil {
		return err
	}
	o := loadgen.Options{
		Mix: mix, Text: c.Mix, For: c.For, WarmUp: c.WarmUp, Players: c.Players,
		InFlight: c.InFlight, Check: c.Check, Timeout: c.Timeout, Seed: c.Seed,
	}
	for _, u := range c.URL {
		o.URLs = append(o.URLs, strings.TrimSuffix(u, "/"))
	}
	if !c.Quiet {
		o.Progress = func(p loadgen.Progress) { tellClients(os.Stderr, p) }
	}
	r, err := loadgen.Run(ctx, o)
	if err != nil {
		return err
	}
	if err := r.Write(os.Stdout); err != nil {
		return err
	}
	if err := writeTo(c.JSON, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }); err != nil {
		return err
	}
	if err := writeTo(c.Plot, r.Plot); err != nil {
		return err
	}
	if r.ViolationCount > 0 {
		return errClientsWrong
	}
	return nil
}

// tellClients says how far the clients are.
func tellClients(w io.Writer, p loadgen.Progress) {
	var parts []string
	for i, at := range p.Points {
		if at.Rate > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f/s %.1f/%.1f ms", p.Names[i], at.Rate, at.P50, at.P99))
		}
	}
	if len(p.Points) > 0 {
		fmt.Fprintf(w, "%3.0f s, %s: %s\n", p.Points[0].At, p.What, strings.Join(parts, ", "))
		return
	}
	fmt.Fprintln(w, p.What)
}

// writeTo has write fill that file, unless it is nameless.
func writeTo(file string, write func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
