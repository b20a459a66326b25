package rest_test

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"
	"github.com/valyala/fasthttp"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/limit"
	"github.com/cuatrola/cuatrola/server/internal/metrics"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
)

// benchClients is how many clients ask at once, each with a connection of its own.
const benchClients = 16

// bench is the server as it is in production, logs, counts and limits included, and
// beside it the least that a Fiber app with a JWT can do.
type bench struct {
	b         *testing.B
	accounts  *account.Service
	url, bare string
	clients   [benchClients]fasthttp.HostClient
	bareOnes  [benchClients]fasthttp.HostClient
}

func newBench(b *testing.B, kind string) *bench {
	o := storetest.Options(b, kind)
	o.MaxConns = benchClients
	db := storetest.Open(b, o)
	if _, err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	text, err := account.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	keys, err := account.ParseKeys(text)
	if err != nil {
		b.Fatal(err)
	}
	w := &bench{b: b}
	w.accounts = account.New(db, account.NewTokens(keys, "cuatrola", "cuatrola-api", time.Hour), time.Now)
	matches := match.New(db, clock.Wall{}, func(context.Context, string, match.Entry) {})
	notices := notice.New(db, time.Now, func(string, int) {})
	const plenty = 1_000_000
	server, err := rest.New(rest.Options{
		Accounts: w.accounts, Matches: matches, People: people.New(db, time.Now, notices.Announce), Notices: notices,
		Privacy: privacy.New(db, w.accounts, privacy.Places{}, time.Now, time.Hour),
		Stream:  websocket.New(func(*websocket.Conn) {}), Page: page, PanelPage: panel, Ready: func(context.Context) error { return nil },
		Observe: metrics.New().Request, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil)),
		Limits: rest.Limits{
			Address: limit.New[netip.Addr](plenty, time.Second), Account: limit.New[string](plenty, time.Second),
			SignUps: limit.New[netip.Addr](plenty, time.Second),
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	w.url = w.listen(server.Serve, server.Shutdown)
	bare := bareApp(b, text)
	w.bare = w.listen(bare.Listener, bare.ShutdownWithContext)
	for i := range benchClients {
		w.clients[i].Addr, w.bareOnes[i].Addr = w.url, w.bare
	}
	return w
}

func (w *bench) listen(serve func(net.Listener) error, shutdown func(context.Context) error) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.b.Fatal(err)
	}
	go func() { _ = serve(l) }()
	w.b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		for i := range benchClients {
			w.clients[i].CloseIdleConnections()
			w.bareOnes[i].CloseIdleConnections()
		}
		_ = shutdown(ctx)
	})
	return l.Addr().String()
}

// bareApp verifies the token, as strictly as the server, and answers with a player
// that it has in memory. It has no contract, log, limit, count or database.
func bareApp(b *testing.B, key []byte) *fiber.App {
	block, _ := pem.Decode(key)
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		b.Fatal(err)
	}
	public := private.(ed25519.PrivateKey).Public()
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithExpirationRequired(), jwt.WithIssuer("cuatrola"),
		jwt.WithAudience("cuatrola-api"), jwt.WithIssuedAt(), jwt.WithLeeway(30*time.Second))
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	player := rest.Player{Name: "Ana", Guest: true, Avatar: "RO", Language: "es", CreatedAt: time.Now().UTC()}
	app.Get("/v1/me", func(c *fiber.Ctx) error {
		var claims jwt.RegisteredClaims
		text := strings.TrimPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
		if _, err := parser.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) { return public, nil }); err != nil {
			return fiber.ErrUnauthorized
		}
		answer := player
		answer.ID = claims.Subject
		return c.JSON(answer)
	})
	return app
}

// all has every client send n requests, one after the other, and returns how long
// that took.
func (w *bench) all(clients *[benchClients]fasthttp.HostClient, n, status int, fill func(client int, r *fasthttp.Request), done func(client int, body []byte)) time.Duration {
	w.b.Helper()
	var group sync.WaitGroup
	errs := make(chan error, benchClients)
	start := time.Now()
	for i := range benchClients {
		group.Go(func() {
			r, a := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			defer fasthttp.ReleaseRequest(r)
			defer fasthttp.ReleaseResponse(a)
			for range n {
				r.Reset()
				fill(i, r)
				if err := clients[i].Do(r, a); err != nil {
					errs <- err
					return
				}
				if a.StatusCode() != status {
					errs <- fmt.Errorf("%d: %s", a.StatusCode(), a.Body())
					return
				}
				if done != nil {
					done(i, a.Body())
				}
			}
		})
	}
	group.Wait()
	took := time.Since(start)
	close(errs)
	var failed error
	for err := range errs {
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		w.b.Fatal(failed)
	}
	return took
}

func perSecond(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }

func eachKind(b *testing.B, f func(b *testing.B, w *bench)) {
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) { f(b, newBench(b, kind)) })
	}
}

// BenchmarkProfile reads one's own profile, in turns with the bare app, so that both
// have the same of a machine that does other things too. of-bare is the goal's ratio.
func BenchmarkProfile(b *testing.B) {
	eachKind(b, func(b *testing.B, w *bench) {
		var tokens [benchClients]string
		for i := range tokens {
			g, err := w.accounts.SignUp(b.Context(), account.NewGuest{})
			if err != nil {
				b.Fatal(err)
			}
			tokens[i] = "Bearer " + g.Token.Access
		}
		fill := func(i int, r *fasthttp.Request) {
			r.SetRequestURI("http://cuatrola/v1/me")
			r.Header.Set(fiber.HeaderAuthorization, tokens[i])
		}
		const each = 50
		w.all(&w.clients, each, 200, fill, nil)
		w.all(&w.bareOnes, each, 200, fill, nil)
		var ours, bare time.Duration
		n := 0
		for b.Loop() {
			bare += w.all(&w.bareOnes, each, 200, fill, nil)
			ours += w.all(&w.clients, each, 200, fill, nil)
			n += each * benchClients
		}
		b.ReportMetric(perSecond(n, ours), "reads/s")
		b.ReportMetric(perSecond(n, bare), "bare/s")
		b.ReportMetric(float64(bare)/float64(ours), "of-bare")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkSignUp makes guests: player, device and session in one transaction.
func BenchmarkSignUp(b *testing.B) {
	eachKind(b, func(b *testing.B, w *bench) {
		fill := func(_ int, r *fasthttp.Request) {
			r.SetRequestURI("http://cuatrola/v1/guests")
			r.Header.SetMethod(fiber.MethodPost)
			r.Header.SetContentType(fiber.MIMEApplicationJSON)
			r.SetBodyString("{}")
		}
		var took time.Duration
		n := 0
		for b.Loop() {
			took += w.all(&w.clients, 10, 201, fill, nil)
			n += 10 * benchClients
		}
		b.ReportMetric(perSecond(n, took), "guests/s")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkRefresh takes refresh tokens for their successors, one transaction each.
func BenchmarkRefresh(b *testing.B) {
	eachKind(b, func(b *testing.B, w *bench) {
		var tokens [benchClients]string
		for i := range tokens {
			g, err := w.accounts.SignUp(b.Context(), account.NewGuest{})
			if err != nil {
				b.Fatal(err)
			}
			tokens[i] = g.Refresh
		}
		fill := func(i int, r *fasthttp.Request) {
			r.SetRequestURI("http://cuatrola/v1/sessions/refresh")
			r.Header.SetMethod(fiber.MethodPost)
			r.Header.SetContentType(fiber.MIMEApplicationJSON)
			r.SetBodyString(`{"refreshToken":"` + tokens[i] + `"}`)
		}
		next := func(i int, body []byte) {
			_, rest, _ := strings.Cut(string(body), `"refreshToken":"`)
			tokens[i], _, _ = strings.Cut(rest, `"`)
		}
		var took time.Duration
		n := 0
		for b.Loop() {
			took += w.all(&w.clients, 10, 200, fill, next)
			n += 10 * benchClients
		}
		b.ReportMetric(perSecond(n, took), "refreshes/s")
		b.ReportMetric(0, "ns/op")
	})
}
