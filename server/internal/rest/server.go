// Package rest serves openapi.yaml over Fiber. The contract itself decides what a
// request may hold and which requests need an access token; the handlers only
// translate between it and the domains.
//
// Fiber reuses its buffers: nothing that it hands out outlives a handler, unless
// the app is made Immutable, as here, or it is copied.
package rest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"regexp"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/review"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/talk"
)

const (
	// maxBody is what a request's body may have; the largest that the contract
	// knows is a few hundred bytes.
	maxBody = 64 << 10
	// handlerTimeout bounds a request's work, for Fiber's context does not end when
	// the client leaves.
	handlerTimeout = 20 * time.Second

	readTimeout  = 15 * time.Second
	writeTimeout = 30 * time.Second
	idleTimeout  = 75 * time.Second
	// maxHeader is what a request's line and headers may have; an access token has a
	// few hundred bytes.
	maxHeader = 8 << 10
)

// Options are what the server is put together from.
type Options struct {
	Accounts *account.Service
	Matches  *match.Service
	Reviews  *review.Service
	People   *people.Service
	Notices  *notice.Service
	Rewards  *reward.Service
	Leagues  *league.Service
	Shop     *shop.Service
	// PublicURL is where people reach the page, for what leads back to it.
	PublicURL string
	// Engagements knows what players are taken up with.
	Engagements *engagement.Service
	Rooms       *room.Service
	Lobby       *lobby.Service
	Economies   *economy.Service
	Talk        *talk.Service
	Support     *support.Service
	// Stream serves the socket on an upgraded request, and answers any other with
	// fiber.ErrUpgradeRequired.
	Stream fiber.Handler
	// Panel is the operator's; nil for none.
	Panel Panel
	// Page is the built web page, see package wasm/play; PanelPage the operator's, see package admin.
	Page, PanelPage fs.FS
	Privacy         *privacy.Service
	// Attempts slows the guessing of passwords and of rooms' codes; nil slows nothing.
	Attempts *attempt.Guard
	// Halts knows what is stopped for a while; nil if nothing can be.
	Halts *halt.Service
	// Webhooks are what providers send to, by the last part of the path. One that is not
	// there is answered as that of a provider that is off.
	Webhooks map[string]Webhook
	// Ready returns why the server cannot take requests now, or nil.
	Ready func(context.Context) error
	// Observe is told of every request that was answered.
	Observe func(method, route string, status int, took time.Duration)
	// Faulted is told of every fault that a client has reported, by its kind; nil for nobody.
	Faulted func(kind string)
	Log     *slog.Logger
	Now     func() time.Time
	// TrustedProxies are those whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// Origins are those of other sites whose pages may use the server; "*" is any.
	Origins []string
	Limits  Limits
}

// Server answers requests. Make one with New.
type Server struct {
	app         *fiber.App
	accounts    *account.Service
	matches     *match.Service
	reviews     *review.Service
	people      *people.Service
	notices     *notice.Service
	rewards     *reward.Service
	leagues     *league.Service
	shop        *shop.Service
	publicURL   string
	engagements *engagement.Service
	rooms       *room.Service
	lobby       *lobby.Service
	economies   *economy.Service
	talk        *talk.Service
	support     *support.Service
	ready       func(context.Context) error
	observe     func(method, route string, status int, took time.Duration)
	faulted     func(kind string)
	log         *slog.Logger
	now         func() time.Time
	rules       RulesCatalogue
	proxies     []netip.Prefix
	limits      Limits
	privacy     *privacy.Service
	attempts    *attempt.Guard
	panel       Panel
	halts       *halt.Service
}

// New returns a server that listens nowhere yet.
func New(o Options) (*Server, error) {
	contract, err := loadContract()
	if err != nil {
		return nil, err
	}
	s := &Server{
		accounts: o.Accounts, matches: o.Matches, reviews: o.Reviews, people: o.People, notices: o.Notices, rewards: o.Rewards, leagues: o.Leagues, shop: o.Shop, publicURL: o.PublicURL, engagements: o.Engagements, rooms: o.Rooms, lobby: o.Lobby, economies: o.Economies, ready: o.Ready, observe: o.Observe, faulted: o.Faulted, log: o.Log, now: o.Now,
		talk: o.Talk, support: o.Support,
		proxies: o.TrustedProxies, limits: o.Limits, privacy: o.Privacy, attempts: o.Attempts, panel: o.Panel, halts: o.Halts,
	}
	if s.rules, err = catalogue(contract); err != nil {
		return nil, err
	}
	s.app = fiber.New(fiber.Config{
		AppName: "cuatrola", DisableStartupMessage: true,
		Immutable: true, CaseSensitive: true, StrictRouting: true,
		BodyLimit: maxBody, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		ReadBufferSize: maxHeader,
		// Nobody's headers are believed as to host and scheme; addresses are address's.
		EnableTrustedProxyCheck: true,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			s.problem(c, err)
			return nil
		},
	})
	s.refuseUnknownMethods()
	s.app.Use(s.outermost)
	if len(o.Origins) > 0 {
		s.app.Use(crossOrigin(o.Origins))
	}
	files, err := s.files(o.Page, o.PanelPage)
	if err != nil {
		return nil, err
	}
	s.app.Use(s.limitAddress, refuseEncodings, orPage(files["/"]))
	for _, g := range contract.guards(s) {
		s.app.Add(g.method, g.path, g.handler)
	}
	RegisterHandlers(s.app, NewStrictHandler(s, nil))
	if s.panel != nil {
		s.panel.Register(s.app)
	}
	s.webhooks(contract, o.Webhooks)
	s.app.Get("/v1/stream", o.Stream)
	s.app.Get("/healthz", s.health)
	s.app.Get("/readyz", s.readiness)
	for path, f := range files {
		s.app.Get(path, f.serve)
	}
	s.app.Get("/admin/*", panelRoute(files["/admin"]))
	return s, nil
}

// Serve answers requests from l until Shutdown.
func (s *Server) Serve(l net.Listener) error { return s.app.Listener(patient{l, s.log}) }

// Shutdown takes no more requests and waits for those under way, until ctx is done.
func (s *Server) Shutdown(ctx context.Context) error { return s.app.ShutdownWithContext(ctx) }

func (s *Server) health(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": "ok"})
}

func (s *Server) readiness(c *fiber.Ctx) error {
	if err := s.ready(c.UserContext()); err != nil {
		return fault.Wrap(fault.Unavailable, "The server is not ready. Try again.", err)
	}
	return s.health(c)
}

// refuseUnknownMethods answers requests with methods that HTTP does not have as all
// others: Fiber has a text of its own for them, before any handler of ours.
func (s *Server) refuseUnknownMethods() {
	inner := s.app.Server().Handler
	s.app.Server().Handler = func(rc *fasthttp.RequestCtx) {
		if slices.Contains(fiber.DefaultMethods, string(rc.Method())) {
			inner(rc)
			return
		}
		c := s.app.AcquireCtx(rc)
		defer s.app.ReleaseCtx(c)
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		s.problem(c, fiber.ErrMethodNotAllowed)
	}
}

const requestIDKey = "request id"

func requestID(c *fiber.Ctx) string {
	id, _ := c.Locals(requestIDKey).(string)
	if id == "" {
		// A request that fasthttp itself refused.
		id = uuid.NewString()
		c.Locals(requestIDKey, id)
	}
	return id
}

var goodRequestID = regexp.MustCompile(`^[0-9A-Za-z._-]{8,64}$`)

// outermost names each request, bounds it, answers its errors and its panics, and
// writes one line about it. The line has the path without the query and nothing of
// headers and bodies, so that no card and no token is in it.
func (s *Server) outermost(c *fiber.Ctx) error {
	start := time.Now()
	id := c.Get(fiber.HeaderXRequestID)
	if !goodRequestID.MatchString(id) {
		id = uuid.NewString()
	}
	c.Locals(requestIDKey, id)
	c.Set(fiber.HeaderXRequestID, id)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	c.Set(fiber.HeaderCacheControl, "no-store")
	ctx, cancel := context.WithTimeout(context.Background(), handlerTimeout)
	defer cancel()
	ctx = logs.Request(ctx, id)
	if tracing.On() {
		ctx = tracing.Incoming(ctx, func(name string) string { return c.Get(name) })
	}
	ctx, span := tracing.Begin(ctx, c.Method(), trace.SpanKindServer)
	defer span.End()
	c.SetUserContext(ctx)

	if err := protected(c); err != nil {
		s.problem(c, err)
	}

	took := time.Since(start)
	status := c.Response().StatusCode()
	// The pattern, not the path, for counting. Anything may stand in the address of
	// nothing, so that is not written down.
	route, path := c.Route().Path, c.Path()
	if route == "/" && path != "/" {
		route = "none"
		switch status {
		case fiber.StatusOK, fiber.StatusNotModified:
			route, path = "page", "?"
		case fiber.StatusNotFound, fiber.StatusTooManyRequests:
			path = "?"
		}
	}
	s.observe(c.Method(), route, status, took)
	matchID, _ := c.Locals(matchKey).(string)
	if span.IsRecording() {
		span.SetName(c.Method() + " " + route)
		span.SetAttributes(attribute.String("http.request.method", c.Method()), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", status), attribute.String("cuatrola.request", id))
		if matchID != "" {
			span.SetAttributes(attribute.String("cuatrola.match", matchID))
		}
		if status >= fiber.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
	}
	level := slog.LevelInfo
	if route == "/healthz" || route == "/readyz" {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("request", id), slog.String("method", c.Method()), slog.String("path", path),
		slog.Int("status", status), slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("ip", s.address(c).String()),
	}
	if player, ok := c.Locals(playerKey).(string); ok {
		attrs = append(attrs, slog.String("player", player))
	}
	if member, ok := c.Locals("staff").(string); ok {
		attrs = append(attrs, slog.String("staff", member))
	}
	if matchID != "" {
		attrs = append(attrs, slog.String("match", matchID))
	}
	s.log.LogAttrs(ctx, level, "request", attrs...)
	return nil
}

// protected makes a panic an error like any other.
func protected(c *fiber.Ctx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.Next()
}

// refuseEncodings keeps Fiber from inflating a body: the limit on a body's size
// does not hold for what comes out.
func refuseEncodings(c *fiber.Ctx) error {
	if c.Get(fiber.HeaderContentEncoding) != "" {
		return fault.New(fault.UnsupportedEncoding, "A body is not compressed.")
	}
	return c.Next()
}

const playerKey = "player"

// matchKey is where the guard leaves the id of the match that a request is about.
const matchKey = "match"

type contextKey struct{}

// caller is who sent the request, and in which session. The contract's guard has
// put it there wherever the contract asks for an access token.
func caller(ctx context.Context) (account.Caller, error) {
	c, ok := ctx.Value(contextKey{}).(account.Caller)
	if !ok {
		return account.Caller{}, errors.New("rest: a handler that needs a player is not guarded by the contract")
	}
	return c, nil
}

// player is the identifier of who sent the request; see caller.
func player(ctx context.Context) (string, error) {
	c, err := caller(ctx)
	return c.PlayerID, err
}
