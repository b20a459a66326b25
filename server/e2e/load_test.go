package e2e_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/loadgen"
)

// loadOf is a run at the servers given, for so long or until ctx ends.
func loadOf(ctx context.Context, t *testing.T, long time.Duration, progress func(loadgen.Progress), mix string, all ...*server) *loadgen.Report {
	t.Helper()
	m, err := loadgen.ParseMix(mix)
	if err != nil {
		t.Fatal(err)
	}
	o := loadgen.Options{
		Mix: m, Text: mix, For: long, Players: 20, InFlight: 100, Check: 1, Timeout: 20 * time.Second, Seed: 1, Progress: progress,
	}
	for _, s := range all {
		o.URLs = append(o.URLs, s.url)
	}
	r, err := loadgen.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Error(v)
	}
	return r
}

// setting is the last value of an environment variable of the server's.
func (s *server) setting(name string) (value string) {
	for _, e := range s.env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// counts asks the server's database, whose server has stopped.
func (s *server) counts(question string) (n int64) {
	s.t.Helper()
	driver, dsn := "pgx", s.setting("DATABASE_URL")
	if dsn == "" {
		driver, dsn = "sqlite", "file:"+(&config.Database{DataDir: s.setting("CUATROLA_DATA_DIR")}).SQLiteFile()
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(context.Background(), question).Scan(&n); err != nil {
		s.t.Fatalf("%s: %v", question, err)
	}
	return n
}

const everything = "tables=4@100/s,profiles=50/s,sign-ins=20/s,dailies=max:2,postings=10/s,hot-postings=5/s,idle=10"

// runAll runs until enough of everything has happened, however slow the machine is.
func runAll(t *testing.T, all ...*server) *loadgen.Report {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(map[string]float64)
	return loadOf(ctx, t, time.Minute, func(p loadgen.Progress) {
		for i, name := range p.Names {
			done[name] += p.Points[i].Rate // of a second
		}
		if done["act"] >= 100 && done["dailies"] >= 20 && done["profiles"] >= 20 && done["sign-ins"] >= 20 && done["postings"] >= 10 && done["hot-postings"] >= 1 {
			stop()
		}
	}, everything, all...)
}

// addsUp compares what the clients know with what the database says.
func addsUp(t *testing.T, r *loadgen.Report, s *server) {
	t.Helper()
	n := r.Totals
	for question, want := range map[string]int64{
		"SELECT COUNT(*) FROM players":                                                         n.Players,
		"SELECT COUNT(*) FROM matches":                                                         n.Matches,
		"SELECT COUNT(*) FROM match_log":                                                       n.Events,
		`SELECT COUNT(*) FROM match_log WHERE kind = 'act' AND "by" = 'player'`:                n.Acknowledged,
		"SELECT COUNT(*) FROM match_log WHERE kind = 'seed'":                                   4 * n.Matches,
		"SELECT COUNT(*) FROM sessions":                                                        n.Players + n.Sessions,
		"SELECT COUNT(*) FROM transfers WHERE kind NOT IN ('welcome', 'reward', 'experience')": n.Posted,
	} {
		if got := s.counts(question); got != want {
			t.Errorf("%s: %d, the clients know of %d", question, got, want)
		}
	}
	if n.Acknowledged < 100 || n.Views < 4*n.Acknowledged*9/10 || n.Broken != 0 {
		t.Errorf("%+v", n)
	}
	for _, name := range []string{"act", "heard by all four", "heard by all four, from sending", "profiles", "sign-ins", "dailies", "postings"} {
		if of := r.Of(name); of.Count == 0 || of.P99 < of.P50 || of.HDR == "" || len(of.Points) == 0 {
			t.Errorf("%s: %+v", name, of)
		}
	}
	// Each of 20 players has coins for one booster, and one reward a day.
	if of := r.Of("dailies"); of.Count != 20 || len(of.Errors) != 1 || of.Errors["daily_claimed"] == 0 {
		t.Errorf("dailies: %d, %v", of.Count, of.Errors)
	}
	if of := r.Of("postings"); of.Count > 20 || len(of.Errors) > 1 || r.Of("hot-postings").Errors["insufficient_coins"] == 0 {
		t.Errorf("postings: %d, %v; hot: %v", of.Count, of.Errors, r.Of("hot-postings").Errors)
	}
	if errors := r.Of("act").Errors; len(errors) != 0 {
		t.Errorf("actions went wrong: %v", errors)
	}
}

func TestLoadAddsUp(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, database)
			r := runAll(t, s)
			s.kill()
			addsUp(t, r, s)
		})
	}
}

// Whoever signs in at one process, acts at a second and listens at a third is told the
// same as everybody.
func TestLoadOfTwoProcesses(t *testing.T) {
	t.Parallel()
	bus := "NATS_URL=" + newBus(t)
	here := newServer(t, "postgres", bus)
	there := newServer(t, "postgres", bus,
		"DATABASE_URL="+here.setting("DATABASE_URL"), "CUATROLA_JWT_KEY_FILE="+here.setting("CUATROLA_JWT_KEY_FILE"))
	r := runAll(t, here, there)
	here.kill()
	there.kill()
	addsUp(t, r, here)
}

// A server that dies in the middle ends no run: what goes wrong is counted, people come
// back when it does, and nothing that was acknowledged is missing.
func TestLoadOfServerThatDies(t *testing.T) {
	for _, returns := range []bool{false, true} {
		name := "for good"
		if returns {
			name = "and returns"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, "sqlite")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			killed, seconds := false, 0
			r := loadOf(ctx, t, time.Minute, func(p loadgen.Progress) {
				rates := make(map[string]float64)
				for i, name := range p.Names {
					rates[name] = p.Points[i].Rate
				}
				switch {
				case len(p.Points) == 0:
				case !killed && rates["act"] > 0 && rates["profiles"] > 0:
					killed = true
					s.kill()
					if returns {
						s.start()
						s.wait(t.Context())
					}
				case killed && (rates["act"] > 0) == returns:
					if seconds++; seconds > 2 {
						stop()
					}
				}
			}, "tables=4@max,profiles=50/s,idle=10", s)
			if !returns {
				s.start() // for the check of its ledger
				s.wait(t.Context())
			}
			profiles, back := r.Of("profiles"), r.Of("coming back")
			if profiles.Count == 0 || profiles.Errors["no_connection"] == 0 && !returns || r.Totals.Broken < 16 || (back.Count > 0) != returns {
				t.Errorf("profiles %d %v, came back %d, %d broken", profiles.Count, profiles.Errors, back.Count, r.Totals.Broken)
			}
			s.kill()
			kept := s.counts(`SELECT COUNT(*) FROM match_log WHERE kind = 'act' AND "by" = 'player'`)
			if n := r.Totals.Acknowledged; n == 0 || n > kept {
				t.Errorf("%d actions were acknowledged, %d kept", n, kept)
			}
		})
	}
}
