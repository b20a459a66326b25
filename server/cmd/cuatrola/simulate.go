package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cuatrola/cuatrola/server/simulation"
)

type economySimulate struct {
	economyFlags `embed:""`

	Document string `arg:"" help:"A file, a version's number, a draft's id, live, or - for standard input."`
	Days     int    `default:"28" help:"How many days it goes back."`
	Author   string `default:"command line" help:"Who wants to know."`
}

// Run simulates a document, and keeps what comes of it as the panel does.
func (c *economySimulate) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		found, err := find(ctx, b, c.Document)
		if err != nil {
			return err
		}
		if err := usable(found.text, c.JSON); err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		bar := barOf(os.Stderr, "matches", -1)
		run, err := simulation.New(b.Simulations(), b.Now, rand.Reader).Do(ctx,
			simulation.Ask{Document: found.text, Days: c.Days, Author: c.Author}, func(done, total int64) {
				bar.ChangeMax64(max(total, 1))
				_ = bar.Set64(done) // where nobody sees it, nobody misses it
			})
		_ = bar.Finish()
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(run.Result)
		}
		return printResult(run)
	})
}

// printResult prints a simulation's result as tables.
func printResult(run *simulation.Run) error {
	r := run.Result
	fmt.Printf("simulation %s: %d matches and %d players from %s to %s\n", run.ID, r.Matches, r.Players,
		run.From.Format(time.RFC3339), run.To.Format(time.RFC3339))
	fmt.Printf("The document would have issued %+.1f %% of what version %d would have, which is live.\n", 100*r.IssuanceChange(), run.Live)
	fmt.Println("It is taken that everybody would have done what they did. They would not: whoever earns less plays less.")
	if r.Inferred > 0 {
		fmt.Printf("For %d seats, of before it was kept, what worked for the player is inferred from what was given.\n", r.Inferred)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, s simulation.Sum) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, s.Count, s.Before.Issued, s.After.Issued, s.Before.Sunk, s.After.Sunk)
	}
	fmt.Fprintln(w, "\tCOUNT\tISSUED\tWOULD BE\tSUNK\tWOULD BE\t")
	row("in all", r.Total)
	for _, part := range []struct {
		name   string
		groups []simulation.Group
	}{
		{"", r.BySource},
		{"mode ", r.ByMode},
		{"position ", r.ByPosition},
		{"booster ", r.ByBooster},
		{"division ", r.ByDivision},
		{"vip ", r.ByVIP},
		{"", r.ByDay},
	} {
		for _, g := range part.groups {
			row(part.name+orNone(g.Key), g.Sum)
		}
	}
	if err := w.Flush(); err != nil || len(r.Affected) == 0 {
		return err
	}
	fmt.Println("Whom it would change most:")
	fmt.Fprintln(w, "PLAYER\tMATCHES\tGIVEN\tWOULD BE\tDIVISION\tVIP\t")
	for _, p := range r.Affected {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%t\t\n", p.Pseudonym, p.Matches, p.Before, p.After, orNone(p.Division), p.VIP)
	}
	return w.Flush()
}

func orNone(text string) string {
	if strings.TrimSpace(text) == "" {
		return "none"
	}
	return text
}
