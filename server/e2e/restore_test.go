package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

const (
	restorePlayers = 6
	// Acknowledged actions before the copy, and behind it.
	restoreActions = 250
)

// While people play, the database is copied as docs/operations.md says. Then it is lost,
// and what was copied takes its place: everything that was acknowledged before is there,
// nothing that was asked for behind it, the ledger adds up, and every match can be played
// to its end.
func TestRestored(t *testing.T) {
	for database, start := range map[string]func(*testing.T) (*server, lifeline){
		"sqlite":   copiedFile,
		"postgres": pointInTime,
	} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			s, line := start(t)
			d := newDiary(t, s)
			for i := range restorePlayers {
				d.join(ctx, uint64(i))
			}
			var players sync.WaitGroup
			playing, stop := context.WithCancel(ctx)
			defer stop()
			for _, p := range d.players {
				players.Go(func() { d.play(playing, p) })
			}
			d.wait(ctx, restoreActions)
			d.turn(during)
			line.copy()
			d.turn(behind)
			// As an app would that does not know that it will be forgotten.
			late := d.join(ctx, restorePlayers)
			bought := d.buy(ctx)
			d.wait(ctx, restoreActions)
			stop()
			line.lose()
			players.Wait()
			line.restore()
			s.start()
			s.wait(ctx)

			d.compare(ctx, late, bought)
			fmt.Printf("%s: restored %d actions, %d postings, forgot %d actions\n", database, d.actions[before], d.postings, d.actions[behind])
		})
	}
}

// lifeline is how a database is copied, lost and restored.
type lifeline struct{ copy, lose, restore func() }

// copiedFile is a server on SQLite, which `cuatrola backup` copies.
func copiedFile(t *testing.T) (*server, lifeline) {
	data, kept := t.TempDir(), filepath.Join(t.TempDir(), "copy.sqlite")
	s := newServer(t, "sqlite", "CUATROLA_DATA_DIR="+data)
	file := filepath.Join(data, "cuatrola.sqlite")
	return s, lifeline{
		copy: func() {
			cmd := exec.Command(binary, "backup", kept)
			cmd.Env = s.env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("cuatrola backup: %v\n%s", err, out)
			}
		},
		lose: func() {
			s.kill()
			// With the files beside it: the old log must not be taken for the copy's.
			for _, end := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(file + end); err != nil {
					t.Fatal(err)
				}
			}
		},
		restore: func() {
			text, err := os.ReadFile(kept)
			if err == nil {
				err = os.WriteFile(file, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}

// pointInTime is a server on PostgreSQL, of which there is a base backup of the beginning
// and the WAL from there on.
func pointInTime(t *testing.T) (*server, lifeline) {
	const point = "before_the_mistake"
	c := newCluster(t)
	key := jwtKey(t, t.TempDir())
	s := newServer(t, "sqlite", "DATABASE_URL="+c.url(), "CUATROLA_JWT_KEY_FILE="+key)
	backup := func(name string, args ...string) {
		c.run("pg_basebackup", append([]string{"-h", c.dir, "-U", "cuatrola", "-D", c.path(name), "-c", "fast"}, args...)...)
	}
	backup("base")
	return s, lifeline{
		copy: func() {
			conn, err := pgx.Connect(t.Context(), c.url())
			if err == nil {
				_, err = conn.Exec(t.Context(), "SELECT pg_create_restore_point($1)", point)
				_ = conn.Close(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		lose: func() {
			// The next night's backup waits until all WAL before it is in the archive, that of
			// the mistake too.
			backup("next", "-X", "none")
			s.kill()
			c.kill()
		},
		restore: func() { c.restore("base", point) },
	}
}

// phase is when something was acknowledged.
type phase int

const (
	before phase = iota // the copy
	during
	behind
)

// diary is what players were told, and when.
type diary struct {
	t *testing.T
	s *server

	players  []*player
	keys     map[*player]uint64
	postings int
	// statements are what the ledger said of each player before the copy.
	statements map[*player][]transfer

	mu      sync.Mutex
	now     phase
	actions map[phase]int
	matches map[string]*sat
	more    chan struct{} // closed with the next action
}

// sat is a match that one was in.
type sat struct {
	player *player
	seat   int
	// told and acked are of before the copy, by the viewer's sequence numbers.
	told  []client.Frame
	acked map[int]string
	// late are the sequence numbers of actions that were sent and acknowledged behind it.
	late   []int
	behind int
}

// transfer is a line of a player's statement.
type transfer struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Amount  int64  `json:"amount"`
	Balance int64  `json:"balance"`
}

func newDiary(t *testing.T, s *server) *diary {
	return &diary{
		t: t, s: s, keys: make(map[*player]uint64), statements: make(map[*player][]transfer),
		actions: make(map[phase]int), matches: make(map[string]*sat), more: make(chan struct{}),
	}
}

// join signs somebody up, who is given coins.
func (d *diary) join(ctx context.Context, seed uint64) *player {
	d.t.Helper()
	p := &player{srv: d.s, random: rand.New(rand.NewPCG(seed, 10))}
	err := p.signUp(ctx)
	if err == nil {
		_, err = p.client.Get(ctx, "/v1/wallet")
	}
	if err == nil {
		err = p.client.Do(ctx, http.MethodPost, "/v1/wallet/daily", nil, nil)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now == before {
		d.players = append(d.players, p)
		d.statements[p] = d.statement(ctx, p)
		d.postings += len(d.statements[p])
	}
	return p
}

// statement is what the ledger says of a player, newest first.
func (d *diary) statement(ctx context.Context, p *player) []transfer {
	d.t.Helper()
	text, err := p.client.Get(ctx, "/v1/wallet/transfers?limit=100")
	var page struct {
		Transfers []transfer `json:"transfers"`
	}
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	if err != nil || len(page.Transfers) == 0 {
		d.t.Fatalf("a statement of %d transfers: %v", len(page.Transfers), err)
	}
	return page.Transfers
}

// buy has somebody spend coins behind the copy, and returns what they have had since.
func (d *diary) buy(ctx context.Context) map[string]bool {
	d.t.Helper()
	p := d.players[0]
	earlier := d.statement(ctx, p)
	if err := p.client.Purchase(ctx, "behind", "booster"); err != nil {
		d.t.Fatal(err)
	}
	bought := make(map[string]bool)
	for _, one := range d.statement(ctx, p) {
		if !slices.Contains(earlier, one) {
			bought[one.ID] = true
		}
	}
	if len(bought) == 0 {
		d.t.Fatal("a purchase without a transfer")
	}
	return bought
}

// play plays one match after the other until ctx is done or the server is gone for good.
func (d *diary) play(ctx context.Context, p *player) {
	noPause := 0
	for n := 0; ctx.Err() == nil; n++ {
		err := func() error {
			v, err := p.client.CreateMatch(ctx, fmt.Sprint("match-", n), client.NewMatch{Rules: ruleSets[n%len(ruleSets)], BotPauseMs: &noPause, TurnSeconds: 120})
			if err != nil {
				return err
			}
			g := &sitting{id: v.MatchID, seat: *v.You, acked: make(map[int]string)}
			if _, err := p.client.Seed(ctx, g.id, fmt.Sprint("seed ", p.random.Uint64())); err != nil {
				return err
			}
			p.acknowledged = func() { d.acknowledged(p, g) }
			for !g.over() {
				if err := p.session(ctx, g); err != nil {
					return err
				}
			}
			return nil
		}()
		if err != nil && ctx.Err() == nil {
			d.t.Errorf("a match: %v", err)
			return
		}
	}
}

func (d *diary) acknowledged(p *player, g *sitting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.matches[g.id]
	if m == nil {
		m = &sat{player: p, seat: g.seat}
		d.matches[g.id] = m
	}
	switch d.now {
	case before:
		m.told, m.acked = slices.Clone(g.events), maps.Clone(g.acked)
	case behind:
		// The first may have been sent before.
		if m.behind++; m.behind > 1 {
			m.late = append(m.late, slices.Max(slices.Collect(maps.Keys(g.acked))))
		}
	}
	d.actions[d.now]++
	close(d.more)
	d.more = make(chan struct{})
}

// turn begins another phase.
func (d *diary) turn(p phase) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = p
}

// wait waits until so many actions are acknowledged in this phase.
func (d *diary) wait(ctx context.Context, actions int) {
	d.t.Helper()
	for {
		d.mu.Lock()
		n, more := d.actions[d.now], d.more
		d.mu.Unlock()
		if n >= actions {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			d.t.Fatalf("%d actions: %v", n, ctx.Err())
		}
	}
}

// compare holds what the restored server knows against the diary.
func (d *diary) compare(ctx context.Context, late *player, bought map[string]bool) {
	var problem *client.Problem
	if err := late.client.SignIn(ctx); !errors.As(err, &problem) || problem.Status != http.StatusUnauthorized {
		d.t.Errorf("who came behind the copy signs in: %v", err)
	}
	for _, p := range d.players {
		if err := p.client.SignIn(ctx); err != nil {
			d.t.Fatal(err)
		}
		now := d.statement(ctx, p)
		for _, one := range d.statements[p] {
			if !slices.Contains(now, one) {
				d.t.Errorf("the posting %+v is lost", one)
			}
		}
		for _, one := range now {
			if bought[one.ID] {
				d.t.Errorf("the posting %+v is of behind the copy", one)
			}
		}
	}
	for id, m := range d.matches {
		v, err := m.player.client.View(ctx, id)
		if len(m.acked) == 0 && errors.As(err, &problem) && problem.Status == http.StatusNotFound {
			continue // it began behind the copy
		}
		if err != nil {
			d.t.Errorf("match %s, with %d actions acknowledged: %v", id, len(m.acked), err)
			continue
		}
		for _, seq := range m.late {
			if v.Seq > seq {
				d.t.Errorf("match %s is at %d, and %d was acknowledged behind the copy", id, v.Seq, seq)
				break
			}
		}
		// To its end, hearing all of it again from the beginning.
		g := &sitting{id: id, seat: m.seat, acked: make(map[int]string)}
		m.player.acknowledged = nil
		for !g.over() {
			if err := m.player.session(ctx, g); err != nil {
				d.t.Fatalf("match %s: %v", id, err)
			}
		}
		maps.Copy(g.acked, m.acked) // verify compares them with what was heard
		line, err := m.player.client.Record(ctx, id)
		if err == nil {
			_, err = g.verify(line)
		}
		if err != nil {
			d.t.Errorf("match %s: %v", id, err)
		}
		for i, was := range m.told {
			if is := g.events[i]; is.Kind != was.Kind || is.Seat != was.Seat || is.Action != was.Action {
				d.t.Errorf("match %s: event %d was %s and is %s", id, was.Seq, was.Raw, is.Raw)
				break
			}
		}
	}
}
