package socket_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	fiberws "github.com/gofiber/contrib/websocket"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// hall is a server with tables of four people, all of whom play as fast as they
// can over real sockets.
type hall struct {
	b       *testing.B
	options store.Options
	store   *store.Store
	matches *match.Service
	url     string
}

// benchView is what a player needs of a view.
type benchView struct {
	Seq   int      `json:"seq"`
	Legal []string `json:"legal"`
}

func newHall(b *testing.B, kind string) *hall {
	o := storetest.Options(b, kind)
	o.MaxConns = 16
	s := storetest.Open(b, o)
	if _, err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	news, err := bus.Open("")
	if err != nil {
		b.Fatal(err)
	}
	matches := match.New(s, clock.Wall{}, news.Publish)
	// The access token is the player's name: who it is, is not what is measured.
	authenticate := func(token string) (account.Caller, error) { return account.Caller{PlayerID: token}, nil }
	hub := socket.NewHub(matches, authenticate, rest.AppendView)
	if err := news.Subscribe(func(ctx context.Context, id string, e match.Entry) {
		matches.Observe(id, e)
		hub.Notify(ctx, id, e.Seq)
	}); err != nil {
		b.Fatal(err)
	}
	if err := matches.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/v1/stream", fiberws.New(hub.Serve))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = app.Listener(l) }()
	b.Cleanup(func() {
		hub.Close()
		_ = app.Shutdown()
		matches.Stop()
		news.Close()
	})
	return &hall{b: b, options: o, store: s, matches: matches, url: "ws://" + l.Addr().String() + "/v1/stream"}
}

func (h *hall) table(ctx context.Context, n int) (id string, names [rules.Seats]string) {
	var seats [rules.Seats]match.Seat
	for i := range seats {
		names[i] = fmt.Sprintf("00000000-0000-7000-8000-%06d%06d", n, i)
		p := account.Player{ID: names[i], Name: "Player " + names[i], Guest: true, CreatedAt: time.Now()}
		d := account.Device{ID: names[i], PlayerID: names[i], SecretHash: sha256.Sum256([]byte(names[i])), CreatedAt: time.Now()}
		if err := h.store.CreateGuest(ctx, p, d, account.Session{ID: names[i], PlayerID: names[i], TokenHash: d.SecretHash}); err != nil {
			h.b.Fatal(err)
		}
		seats[i] = match.Seat{PlayerID: names[i]}
	}
	rs := rules.Mesa.Rules() // cantes are automatic: every event is everybody's
	rs.Target = rules.MaxTarget
	_, err := h.matches.Create(ctx, match.Setup{Rules: rs, Seats: seats, TurnTime: match.MaxTurnTime}, func(v match.View) (*match.Answer, error) {
		id = v.ID
		return &match.Answer{}, nil
	})
	if err != nil {
		h.b.Fatal(err)
	}
	for _, name := range names {
		if _, err := h.matches.Seed(ctx, id, name, "s"); err != nil {
			h.b.Fatal(err)
		}
	}
	return id, names
}

// move is one action on its way to the four sockets.
type move struct {
	sent  time.Time
	heard int
}

// BenchmarkMoves plays b.N moves at many tables at once. It reports committed
// moves a second, the time from a move's sending until the fourth socket has it,
// and the same insert on the database alone, with as many writers, for the ratio.
func BenchmarkMoves(b *testing.B) {
	for _, kind := range storetest.Kinds {
		for _, tables := range []int{8, 64} {
			b.Run(fmt.Sprintf("%s/tables=%d", kind, tables), func(b *testing.B) {
				h := newHall(b, kind)
				alone := insertsAlone(b, kind, h.options, tables)
				h.play(tables, alone)
			})
		}
	}
}

func (h *hall) play(tables int, alone float64) {
	b := h.b
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var left, done atomic.Int64
	left.Store(int64(b.N))
	var mu sync.Mutex
	var latencies []time.Duration
	finished := make(chan struct{})
	begin := make(chan struct{})
	var seated sync.WaitGroup
	for n := range tables {
		id, names := h.table(ctx, n)
		var tableMu sync.Mutex
		moves := make(map[int]*move)
		for _, name := range names {
			seated.Add(1)
			ws, res, err := websocket.DefaultDialer.DialContext(ctx, h.url, nil)
			if err != nil {
				b.Fatal(err)
			}
			_ = res.Body.Close()
			b.Cleanup(func() { _ = ws.Close() })
			if err := ws.WriteJSON(map[string]any{"type": "hello", "token": name, "topics": map[string]int{"match:" + id: 4}}); err != nil {
				b.Fatal(err)
			}
			go func() {
				first := true
				for {
					_, data, err := ws.ReadMessage()
					if err != nil {
						return
					}
					var f struct {
						Type string     `json:"type"`
						Seq  int        `json:"seq"`
						View *benchView `json:"view"`
					}
					if err := json.Unmarshal(data, &f); err != nil {
						b.Error(err)
						return
					}
					if f.Type == "event" {
						tableMu.Lock()
						if m := moves[f.Seq]; m != nil {
							if m.heard++; m.heard == rules.Seats {
								took := time.Since(m.sent)
								delete(moves, f.Seq)
								mu.Lock()
								latencies = append(latencies, took)
								mu.Unlock()
								if done.Add(1) == int64(b.N) {
									close(finished)
								}
							}
						}
						tableMu.Unlock()
					}
					if f.View == nil {
						continue
					}
					if first {
						first = false
						seated.Done()
						<-begin
					}
					if len(f.View.Legal) > 0 && left.Add(-1) >= 0 {
						tableMu.Lock()
						moves[f.View.Seq+1] = &move{sent: time.Now()}
						tableMu.Unlock()
						_ = ws.WriteJSON(map[string]any{
							"type": "act", "id": 1, "match": id, "seq": f.View.Seq, "action": f.View.Legal[0],
						})
					}
				}
			}()
		}
	}
	seated.Wait()
	b.ResetTimer()
	close(begin)
	select {
	case <-finished:
	case <-time.After(2 * time.Minute):
		b.Fatalf("only %d of %d moves came back", done.Load(), b.N)
	}
	b.StopTimer()
	rate := float64(b.N) / b.Elapsed().Seconds()
	slices.Sort(latencies)
	b.ReportMetric(rate, "moves/s")
	b.ReportMetric(float64(latencies[len(latencies)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(alone, "db-alone/s")
	b.ReportMetric(rate/alone, "of-db")
	b.ReportMetric(0, "ns/op")
}

// insertsAlone is how many log entries a second the database keeps by itself: the
// same statement through the bare driver, one transaction each, with as many
// writers at once. SQLite has one connection that writes, PostgreSQL as many as
// the server has.
func insertsAlone(b *testing.B, kind string, o store.Options, writers int) float64 {
	driver, dsn := "pgx", o.URL
	statement := `INSERT INTO match_log (match_id, seq, at, kind, seat, text, "by", deadline)
		VALUES ($1, $2, $3, 'act', 0, 'AO', 'player', $4) ON CONFLICT DO NOTHING`
	if kind == store.SQLite {
		driver = "sqlite"
		dsn = "file:" + (&url.URL{Path: o.File}).EscapedPath() + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if kind == store.Postgres {
		db.SetMaxOpenConns(o.MaxConns)
		db.SetMaxIdleConns(o.MaxConns)
	}
	insert, err := db.PrepareContext(b.Context(), statement)
	if err != nil {
		b.Fatal(err)
	}
	defer insert.Close()
	const total = 4000
	each := total / writers
	var wg sync.WaitGroup
	start := time.Now()
	for w := range writers {
		id := fmt.Sprintf("00000000-0000-7000-8001-%012d", w)
		wg.Go(func() {
			for seq := range each {
				now := time.Now().UnixMilli()
				if _, err := insert.ExecContext(b.Context(), id, seq, now, now); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(each*writers) / time.Since(start).Seconds()
}
