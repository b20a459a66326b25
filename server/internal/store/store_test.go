package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)

func newID(t testing.TB) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

func addPlayer(t testing.TB, s *store.Store, name string) account.Player {
	t.Helper()
	p := account.Player{ID: newID(t), Name: name, Guest: true, CreatedAt: t0}
	d := account.Device{ID: newID(t), PlayerID: p.ID, SecretHash: sha256.Sum256([]byte(p.ID)), CreatedAt: t0}
	if err := s.CreateGuest(t.Context(), p, d, newSession(t, p.ID, p.ID)); err != nil {
		t.Fatal(err)
	}
	return p
}

// newSession is one whose refresh token is the given text.
func newSession(t testing.TB, playerID, token string) account.Session {
	t.Helper()
	return account.Session{
		ID: newID(t), PlayerID: playerID, Via: account.ViaDevice, TokenHash: sha256.Sum256([]byte(token)),
		CreatedAt: t0, UsedAt: t0, ExpiresAt: t0.Add(time.Hour),
	}
}

func newMatch(t testing.TB, players ...account.Player) *match.Match {
	t.Helper()
	rs := rules.Liga.Rules()
	rs.Target, rs.MaxCantes = 7, rules.None
	m := &match.Match{
		ID: newID(t), Rules: rs, ServerSeed: []byte{1, 0, 255},
		TurnTime: 20 * time.Second, BotPause: 700 * time.Millisecond, CreatedAt: t0,
	}
	for i, p := range players {
		m.Seats[i] = match.Seat{PlayerID: p.ID, Name: p.Name}
	}
	return m
}

func addMatch(t *testing.T, s *store.Store, players ...account.Player) *match.Match {
	t.Helper()
	m := newMatch(t, players...)
	if earlier, err := s.CreateMatch(t.Context(), m, nil); err != nil || earlier != nil {
		t.Fatal(earlier, err)
	}
	return m
}

func entry(seq int, text string) match.Entry {
	return match.Entry{
		Seq: seq, At: t0.Add(time.Duration(seq) * time.Second), Kind: match.KindAct, Seat: rules.Seat(seq % 4),
		Text: text, By: match.ByPlayer, Deadline: t0.Add(time.Minute),
	}
}

func TestPlayers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		p := addPlayer(t, s, "Añil ♠")
		got, err := s.PlayerByID(ctx, p.ID)
		if err != nil || got != p {
			t.Errorf("PlayerByID = %+v, %v; want %+v", got, err, p)
		}
		got, err = s.PlayerByDevice(ctx, sha256.Sum256([]byte(p.ID)))
		if err != nil || got != p {
			t.Errorf("PlayerByDevice = %+v, %v; want %+v", got, err, p)
		}
		if _, err := s.PlayerByID(ctx, newID(t)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("unknown player: %v", err)
		}
		if _, err := s.PlayerByDevice(ctx, [32]byte{}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("unknown device: %v", err)
		}

		// A hash that is taken leaves no player behind.
		other := account.Player{ID: newID(t), Name: "Other", CreatedAt: t0}
		taken := account.Device{ID: newID(t), PlayerID: other.ID, SecretHash: sha256.Sum256([]byte(p.ID)), CreatedAt: t0}
		if err := s.CreateGuest(ctx, other, taken, newSession(t, other.ID, other.ID)); err == nil {
			t.Error("two devices with one secret")
		}
		if _, err := s.PlayerByID(ctx, other.ID); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("half a sign-up was kept: %v", err)
		}
	})
}

func TestMatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		p := addPlayer(t, s, "Ana")
		m := addMatch(t, s, p)
		got, err := s.GetMatch(ctx, m.ID)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("GetMatch = %+v, %v; want %+v", got, err, m)
		}
		if _, err := s.GetMatch(ctx, newID(t)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("unknown match: %v", err)
		}
		if log, err := s.ReadLog(ctx, m.ID, 0); err != nil || len(log) != 0 {
			t.Errorf("a new match's log: %v, %v", log, err)
		}
		if _, err := s.CreateMatch(ctx, m, nil); err == nil {
			t.Error("one match made twice")
		}
	})
}

func TestLog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		m := addMatch(t, s, addPlayer(t, s, "Ana"))
		want := []match.Entry{entry(0, "pass"), entry(1, "solo"), entry(2, "AO"), entry(3, "sing:E")}
		want[0].Kind, want[0].By, want[2].Deadline = match.KindSeed, match.ByBot, time.Time{}
		for _, e := range want {
			if err := s.AppendLog(ctx, m.ID, e); err != nil {
				t.Fatal(err)
			}
		}
		for from := range 5 {
			got, err := s.ReadLog(ctx, m.ID, from)
			if err != nil || !(len(got) == 0 && from == 4 || reflect.DeepEqual(got, want[from:])) {
				t.Errorf("from %d: %+v, %v; want %+v", from, got, err, want[from:])
			}
		}

		// A number that is taken keeps what it has.
		if err := s.AppendLog(ctx, m.ID, entry(3, "silent")); !errors.Is(err, match.ErrConflict) {
			t.Errorf("a taken number: %v", err)
		}
		if got, err := s.ReadLog(ctx, m.ID, 0); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after the conflict: %+v, %v; want %+v", got, err, want)
		}

		// Another match's numbers are its own.
		if err := s.AppendLog(ctx, addMatch(t, s).ID, entry(3, "pass")); err != nil {
			t.Errorf("another match: %v", err)
		}
	})
}

// Of many writers of one number exactly one gets it, and its entry is the one
// that is kept.
func TestLogRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		m := addMatch(t, s, addPlayer(t, s, "Ana"))
		const writers, rounds = 8, 10
		for seq := range rounds {
			errs := make([]error, writers)
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					e := entry(seq, fmt.Sprint("action ", w))
					if seq == rounds-1 {
						errs[w] = s.FinishMatch(t.Context(), m.ID, e, match.Result{Hands: w})
						return
					}
					errs[w] = s.AppendLog(t.Context(), m.ID, e)
				})
			}
			wg.Wait()
			winner := -1
			for w, err := range errs {
				switch {
				case err == nil && winner < 0:
					winner = w
				case err == nil:
					t.Fatalf("seq %d: writers %d and %d both won", seq, winner, w)
				case !errors.Is(err, match.ErrConflict):
					t.Fatalf("seq %d: writer %d: %v", seq, w, err)
				}
			}
			got, err := s.ReadLog(t.Context(), m.ID, seq)
			if err != nil || len(got) != 1 || got[0].Text != fmt.Sprint("action ", winner) {
				t.Fatalf("seq %d: winner %d, kept %+v, %v", seq, winner, got, err)
			}
			if seq == rounds-1 {
				if m, err := s.GetMatch(t.Context(), m.ID); err != nil || m.Result.Hands != winner {
					t.Fatalf("winner %d, kept result %+v, %v", winner, m.Result, err)
				}
			}
		}
	})
}

func TestFinish(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		m := addMatch(t, s, addPlayer(t, s, "Ana"))
		if err := s.AppendLog(ctx, m.ID, entry(0, "pass")); err != nil {
			t.Fatal(err)
		}
		result := match.Result{Score: [2]uint16{7, 3}, Winner: 0, Hands: 5}
		if err := s.FinishMatch(ctx, m.ID, entry(0, "AO"), result); !errors.Is(err, match.ErrConflict) {
			t.Errorf("a taken number: %v", err)
		}
		if got, err := s.GetMatch(ctx, m.ID); err != nil || got.Over() {
			t.Errorf("a refused end was kept: %+v, %v", got, err)
		}
		last := entry(1, "AO")
		if err := s.FinishMatch(ctx, m.ID, last, result); err != nil {
			t.Fatal(err)
		}
		m.EndedAt, m.Result = last.At, &result
		if got, err := s.GetMatch(ctx, m.ID); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("GetMatch = %+v, %v; want %+v", got, err, m)
		}
		if err := s.FinishMatch(ctx, m.ID, entry(2, "AC"), result); !errors.Is(err, match.ErrConflict) {
			t.Errorf("a second end: %v", err)
		}
		if log, err := s.ReadLog(ctx, m.ID, 0); err != nil || len(log) != 2 {
			t.Errorf("the log after a second end: %+v, %v", log, err)
		}
	})
}

// The turns that end before a time are those of open matches, each as its newest
// entry has it.
func TestDue(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		p := addPlayer(t, s, "Ana")
		var want []match.Due
		for i := range 9 {
			m := addMatch(t, s, p)
			switch i % 4 {
			case 0: // over
				if err := s.FinishMatch(ctx, m.ID, entry(0, "AO"), match.Result{}); err != nil {
					t.Fatal(err)
				}
			case 1: // waits for its seeds
				want = append(want, match.Due{MatchID: m.ID, Since: t0, Deadline: t0.Add(m.TurnTime)})
			case 2: // under way
				e := entry(1, "AO")
				e.Deadline = t0.Add(50 * time.Second)
				for _, e := range []match.Entry{entry(0, "pass"), e} {
					if err := s.AppendLog(ctx, m.ID, e); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, match.Due{MatchID: m.ID, Since: e.At, Deadline: e.Deadline})
			case 3: // not due yet
				if err := s.AppendLog(ctx, m.ID, entry(0, "pass")); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []match.Due
		for after := ""; ; after = got[len(got)-1].MatchID {
			page, err := s.Due(ctx, t0.Add(time.Minute), after, 2)
			if err != nil || len(page) > 2 {
				t.Fatal(page, err)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestHistory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		var want []*match.Match
		for i := range 6 {
			players := []account.Player{ana}
			if i%2 == 1 {
				players = []account.Player{ben, ana}
			}
			want = append([]*match.Match{addMatch(t, s, players...)}, want...)
			addMatch(t, s, ben)
		}
		var got []*match.Match
		for cursor := ""; ; cursor = got[len(got)-1].ID {
			page, err := s.History(ctx, ana.ID, cursor, 4)
			if err != nil || len(page) > 4 {
				t.Fatal(page, err)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	})
}

func TestIdempotency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		key := match.Answer{
			Key: "k", PlayerID: ana.ID, Route: "POST /v1/matches", RequestHash: []byte{1},
			Status: 201, Body: []byte("first"), At: t0,
		}
		first := newMatch(t, ana)
		if replay, err := s.CreateMatch(ctx, first, &key); replay != nil || err != nil {
			t.Fatal(replay, err)
		}

		again, second := key, newMatch(t, ana)
		again.Status, again.Body, again.At = 500, []byte("second"), t0.Add(time.Hour)
		if replay, err := s.CreateMatch(ctx, second, &again); err != nil || !reflect.DeepEqual(replay, &key) {
			t.Errorf("again: %+v, %v; want %+v", replay, err, key)
		}
		if _, err := s.GetMatch(ctx, second.ID); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a replay made a second match: %v", err)
		}

		for name, change := range map[string]func(*match.Answer){
			"input": func(i *match.Answer) { i.RequestHash = []byte{2} },
			"route": func(i *match.Answer) { i.Route = "POST /v1/other" },
		} {
			other := again
			change(&other)
			if _, err := s.CreateMatch(ctx, newMatch(t, ana), &other); fault.CodeOf(err) != fault.IdempotencyConflict {
				t.Errorf("other %s: %v", name, err)
			}
		}

		// Another player's key is another key.
		theirs := key
		theirs.PlayerID, theirs.RequestHash = ben.ID, []byte{3}
		if replay, err := s.CreateMatch(ctx, newMatch(t, ben), &theirs); replay != nil || err != nil {
			t.Errorf("another player: %+v, %v", replay, err)
		}

		// A match that cannot be kept leaves no answer behind.
		failed := key
		failed.Key = "failed"
		if _, err := s.CreateMatch(ctx, first, &failed); err == nil {
			t.Error("one match made twice")
		}
		if earlier, err := s.CreateMatch(ctx, newMatch(t, ana), &failed); earlier != nil || err != nil {
			t.Errorf("after a failure: %+v, %v", earlier, err)
		}
	})
}

func TestIdempotencyRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ana := addPlayer(t, s, "Ana")
		const writers = 8
		replays := make([]*match.Answer, writers)
		errs := make([]error, writers)
		var wg sync.WaitGroup
		for w := range writers {
			m := newMatch(t, ana)
			key := match.Answer{
				Key: "k", PlayerID: ana.ID, Route: "r", RequestHash: []byte{1}, Status: 201, Body: []byte(m.ID), At: t0,
			}
			wg.Go(func() { replays[w], errs[w] = s.CreateMatch(t.Context(), m, &key) })
		}
		wg.Wait()
		history, err := s.History(t.Context(), ana.ID, "", 10)
		if err != nil || len(history) != 1 {
			t.Fatalf("%d matches, %v", len(history), err)
		}
		made := 0
		for w := range writers {
			if errs[w] != nil {
				t.Error(errs[w])
			} else if replays[w] == nil {
				made++
			} else if string(replays[w].Body) != history[0].ID {
				t.Errorf("a replay of %s, made was %s", replays[w].Body, history[0].ID)
			}
		}
		if made != 1 {
			t.Errorf("%d writers made the match", made)
		}
	})
}

func TestOutages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, limit := t.Context(), 5*time.Second
		begin := func(process string, at time.Time) {
			t.Helper()
			if err := s.BeginProcess(ctx, process, at, limit); err != nil {
				t.Fatal(err)
			}
		}
		want := func(outages ...match.Outage) {
			t.Helper()
			got, err := s.Outages(ctx)
			if err != nil || len(got) != len(outages) || len(got) > 0 && !reflect.DeepEqual(got, outages) {
				t.Fatalf("got %v, %v; want %v", got, err, outages)
			}
		}
		at := func(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }

		begin("a", at(0)) // the first start ever
		want()
		begin("b", at(3)) // beside a living one
		want()
		for i := range 10 {
			if err := s.Beat(ctx, "a", at(i)); err != nil {
				t.Fatal(err)
			}
		}
		begin("c", at(14)) // just within the limit
		want()
		first := match.Outage{From: at(14), To: at(60)}
		begin("d", at(60))
		want(first)
		begin("e", at(60)) // started together
		want(first)
		second := match.Outage{From: at(60), To: at(100)}
		begin("f", at(100))
		want(first, second)
	})
}

func TestMigrations(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := storetest.Open(t, storetest.Options(t, kind))
			status, err := s.MigrationStatus(ctx)
			if err != nil || len(status) < 3 {
				t.Fatal(status, err)
			}
			for i, m := range status {
				if i > 0 && m.Version <= status[i-1].Version || !m.Applied.IsZero() {
					t.Errorf("migration %d: %+v", i, m)
				}
			}
			// Processes that start together.
			var wg sync.WaitGroup
			total := make(chan int, 4)
			for range 4 {
				wg.Go(func() {
					done, err := s.Migrate(ctx)
					if err != nil {
						t.Error(err)
					}
					total <- len(done)
				})
				if kind == store.SQLite { // only ever one process
					wg.Wait()
				}
			}
			wg.Wait()
			close(total)
			sum := 0
			for n := range total {
				sum += n
			}
			if sum != len(status) {
				t.Errorf("%d migrations were applied, want %d", sum, len(status))
			}
			addMatch(t, s, addPlayer(t, s, "Ana"))
			// Down to nothing and up again.
			for i := len(status); i > 0; i-- {
				down, err := s.MigrateDown(ctx)
				if err != nil || len(down) != 1 || down[0].Version != status[i-1].Version {
					t.Fatalf("down from %d: %v, %v", i, down, err)
				}
			}
			if down, err := s.MigrateDown(ctx); err != nil || len(down) != 0 {
				t.Errorf("down from nothing: %v, %v", down, err)
			}
			if up, err := s.Migrate(ctx); err != nil || len(up) != len(status) {
				t.Errorf("up again: %v, %v", up, err)
			}
			addMatch(t, s, addPlayer(t, s, "Ana"))
		})
	}
}

func TestSQLiteKeepsAcrossOpens(t *testing.T) {
	o := storetest.Options(t, store.SQLite)
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := addPlayer(t, s, "Ana")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// The file has the name it was given, whatever a URI would make of it.
	if _, err := os.Stat(o.File); err != nil {
		t.Error(err)
	}
	s = storetest.Open(t, o)
	if got, err := s.PlayerByID(t.Context(), p.ID); err != nil || got != p {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNoSecretInErrors(t *testing.T) {
	for _, url := range []string{
		"postgres://user:hunter2@127.0.0.1:notaport/db",
		"postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1",
	} {
		_, err := store.Open(context.Background(), store.Options{URL: url})
		if err == nil {
			t.Fatal("opened")
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a password in: %v", err)
		}
	}
}
