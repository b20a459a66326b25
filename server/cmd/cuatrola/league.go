package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/overview"
)

type leagueCommand struct {
	State   leagueState   `cmd:"" help:"List the newest seasons, a line of JSON each."`
	Show    leagueShow    `cmd:"" help:"Print a group's ranks as they are or would be, a line of JSON for each player."`
	Preview leaguePreview `cmd:"" help:"Work out what closing a season does, a line of JSON for each division. Changes nothing."`
	Close   leagueClose   `cmd:"" help:"Close now what is due, as the server does by itself every minute. Can be repeated."`
}

type leagueState struct {
	config.Database `embed:""`

	Limit int `default:"10" help:"How many."`
}

// withLeague runs f with the league of a database.
func withLeague(c config.Database, f func(context.Context, *league.Service) error) error {
	return withBooks(c, func(ctx context.Context, b books) error {
		// The notices are kept; whoever is connected hears of them with the next one.
		nobody := func(notice.Notice) {}
		return f(ctx, league.New(b.League(), b.economy(), b.Now, rand.Reader, nobody))
	})
}

// Run lists seasons.
func (c *leagueState) Run() error {
	return withLeague(c.Database, func(ctx context.Context, l *league.Service) error {
		seasons, err := l.Seasons(ctx, "", c.Limit)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		for _, s := range seasons {
			line := map[string]any{
				"season": s.ID, "state": s.State, "startsAt": s.StartsAt, "endsAt": s.EndsAt, "economy": s.Economy, "closedAt": nil,
			}
			if !s.ClosedAt.IsZero() {
				line["closedAt"] = s.ClosedAt
			}
			if err := out.Encode(line); err != nil {
				return err
			}
		}
		return nil
	})
}

type leagueShow struct {
	config.Database `embed:""`

	Season   string `arg:"" help:"The season, by its Monday."`
	Division string `arg:"" help:"The division's name."`
	Group    int    `arg:"" help:"The group's number."`
}

// Run prints a group.
func (c *leagueShow) Run() error {
	return withLeague(c.Database, func(ctx context.Context, l *league.Service) error {
		ranks, err := l.Group(ctx, league.Group{SeasonID: c.Season, Division: c.Division, Number: c.Group})
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		for _, e := range ranks {
			err := out.Encode(map[string]any{
				"rank": e.Rank, "player": e.PlayerID, "name": e.Name, "points": e.Points, "matches": e.Matches,
				"reachedAt": e.ReachedAt, "prize": e.Prize, "moved": e.Moved, "next": e.Next.Division,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type leaguePreview struct {
	config.Database `embed:""`

	Season string `arg:"" optional:"" help:"The season, by its Monday; the newest without it."`
}

// Run prints what a close does.
func (c *leaguePreview) Run() error {
	return withLeague(c.Database, func(ctx context.Context, l *league.Service) error {
		if c.Season == "" {
			newest, err := l.Seasons(ctx, "", 1)
			if err != nil || len(newest) == 0 {
				return err
			}
			c.Season = newest[0].ID
		}
		season, forecasts, err := l.Preview(ctx, c.Season)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		for _, f := range forecasts {
			err := out.Encode(map[string]any{
				"season": season.ID, "state": season.State, "division": f.Division, "groups": f.Groups, "players": f.Players,
				"prizes": f.Prizes, "coins": f.Coins, "up": f.Up, "down": f.Down,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type leagueClose struct {
	config.Database `embed:""`
}

// Run closes what is due.
func (c *leagueClose) Run() error {
	return withLeague(c.Database, func(ctx context.Context, l *league.Service) error {
		closed, err := l.CloseDue(ctx)
		for _, season := range closed {
			fmt.Println("closed", season)
		}
		if err == nil && len(closed) == 0 {
			fmt.Println("nothing is due")
		}
		return err
	})
}

// leagueJob is the job that closes the league's weeks. A long close outlasts a turn:
// this process then leaves the next turns to it.
func leagueJob(l *league.Service) jobs.Job {
	var closing sync.Mutex
	return jobs.Job{Name: overview.JobLeague, When: jobs.Every(time.Minute), Run: func(ctx context.Context) error {
		if !closing.TryLock() {
			return nil
		}
		defer closing.Unlock()
		began := time.Now()
		closed, err := l.CloseDue(ctx)
		for _, season := range closed {
			slog.InfoContext(ctx, "closed a week of the league", "season", season, "took", time.Since(began))
		}
		return err
	}}
}
