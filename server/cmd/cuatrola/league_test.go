package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// The operator looks at the league and closes a week, with a program that is killed
// again and again: what is left of it each time is some groups whole, and no group in
// part.
func TestLeagueCommand(t *testing.T) {
	const players = 900
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	dir := t.TempDir()
	file := filepath.Join(dir, "cuatrola.sqlite")
	s := storetest.Open(t, store.Options{File: file})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := economy.NewService(s, func() time.Time { return storetest.LeagueStarts }).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.FillLeague(t, s, players)
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	frozen := func() (groups, scores int) {
		t.Helper()
		err := pool.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM league_groups WHERE frozen_at > 0),
			(SELECT COUNT(*) FROM league_scores WHERE rank > 0)`).Scan(&groups, &scores)
		if err != nil {
			t.Fatal(err)
		}
		return groups, scores
	}
	t.Setenv("CUATROLA_DATA_DIR", dir)
	first := func(o output) map[string]any {
		t.Helper()
		var line map[string]any
		if err := json.Unmarshal([]byte(lines(o.stdout)[0]), &line); err != nil || o.status != 0 {
			t.Fatalf("%+v, %v", o, err)
		}
		return line
	}
	if got := first(run(t, "", "league", "state")); got["season"] != "2026-02-23" || got["state"] != "open" {
		t.Errorf("the state: %v", got)
	}
	preview := first(run(t, "", "league", "preview"))
	if preview["division"] != "bronze" || preview["players"] != players*3/5. || preview["coins"] != players/30*3/5*600. {
		t.Errorf("the preview: %v", preview)
	}

	for groups := 0; groups < players/30; {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "league", "close")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for until := groups + 1 + random.IntN(6); groups < min(until, players/30); {
			groups, _ = frozen()
		}
		// It may have ended by itself.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		var scores int
		if groups, scores = frozen(); scores != groups*30 {
			t.Fatalf("%d groups are frozen, and %d scores", groups, scores)
		}
		if o := run(t, "", "ledger", "check"); o.status != 0 {
			t.Fatalf("%+v", o)
		}
	}
	if o := run(t, "", "league", "close"); o.status != 0 || o.stdout != "closed 2026-02-23\n" && o.stdout != "nothing is due\n" {
		t.Errorf("the last close: %+v", o)
	}
	if o := run(t, "", "league", "close"); o.status != 0 || o.stdout != "nothing is due\n" {
		t.Errorf("one more: %+v", o)
	}
	if got := first(run(t, "", "league", "state")); got["state"] != "closed" || got["closedAt"] == nil {
		t.Errorf("the state: %v", got)
	}
	preview["state"] = "closed"
	done := first(run(t, "", "league", "preview", "2026-02-23"))
	for member, want := range preview {
		if done[member] != want {
			t.Errorf("%s is %v, was to be %v", member, done[member], want)
		}
	}
	group := run(t, "", "league", "show", "2026-02-23", "bronze", "1")
	if best := first(group); best["rank"] != 1. || best["prize"] != 300. || best["next"] != "silver" || len(lines(group.stdout)) != 30 {
		t.Errorf("the best: %v", best)
	}
	if o := run(t, "", "league", "preview", "2026-02-24"); o.status == 0 || !strings.Contains(o.stderr, "not_found") {
		t.Errorf("no season: %+v", o)
	}
	var prizes, coins int
	err = pool.QueryRowContext(t.Context(), `SELECT COUNT(*), SUM(e.amount) FROM transfers t JOIN entries e
		ON e.transfer_id = t.id AND e.amount > 0 WHERE t.kind = 'prize'`).Scan(&prizes, &coins)
	if want := players / 150 * (3*600 + 1200 + 2400); err != nil || prizes != players/10 || coins != want {
		t.Errorf("%d prizes, %d coins, want %d, %v", prizes, coins, want, err)
	}
}
