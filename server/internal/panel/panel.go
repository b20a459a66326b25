// Package panel is the operator's panel over HTTP: what openapi.yaml has under
// /admin/v1. Package rest, which has the server and the contract's guards, lets it in.
//
// Each area of the panel has a file of its own, which turns requests into calls of its
// domain and back. Whatever changes something goes through package audit.
package panel

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/simulation"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// CookieName is the session's.
const CookieName = "cuatrola_staff"

// HeaderCSRF is where a change brings the session's other token.
const HeaderCSRF = "X-CSRF-Token"

// Options say what the panel is made of.
type Options struct {
	Staff *staff.Service
	Trail *audit.Service
	// PublicURL is where people reach the server. If it is https, so is the cookie.
	PublicURL string
	Log       *slog.Logger
	Now       func() time.Time
	Economy   *economy.Desk
	// Seen is what the overview shows; RunNow has a background job run now.
	Seen   *overview.Service
	RunNow func(ctx context.Context, job string) error
	// Matches are watched; ViewJSON gives a view the form that it has on every channel.
	Matches  *match.Service
	ViewJSON func(match.View) any
	Leagues  *league.Service
	Fairness *fairness.Service
	// Shop has the orders; Names are what players are called, and Balance what they have.
	Shop       *shop.Service
	Names      func(ctx context.Context, playerIDs []string) (map[string]string, error)
	Balance    func(ctx context.Context, account wallet.AccountID) (int64, error)
	Halts      *halt.Service
	Broadcasts *broadcast.Service
	// Simulations of what Economy has, and of documents that are handed in.
	Simulations *simulation.Service
	Players     PlayersArea
}

// Panel answers the requests of the staff. Make one with New.
type Panel struct {
	Options
	secure bool
}

// Panel is what the contract asks for.
var _ StrictServerInterface = (*Panel)(nil)

// New returns a panel.
func New(o Options) *Panel {
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	return &Panel{Options: o, secure: strings.HasPrefix(o.PublicURL, "https://")}
}

// Register adds the handlers behind the guards.
func (p *Panel) Register(app fiber.Router) {
	RegisterHandlers(app, NewStrictHandler(p, nil))
	app.Get("/admin/v1/audit/export", p.exportAudit)
}

type visitKey struct{}

// visit is who sends a request, and from where.
type visit struct {
	session staff.Session
	member  staff.Member
	token   string
	from    staff.From
}

// Admit lets a request in, or says why not. permission is what the contract asks for;
// "" where it asks for nobody.
//
// Codes: Unauthenticated, SessionEnded, Forbidden, staff.CodeCSRF.
func (p *Panel) Admit(c *fiber.Ctx, permission, address, request string) error {
	v := visit{from: staff.From{Address: address, Request: request, Agent: c.Get(fiber.HeaderUserAgent)}}
	if permission != "" {
		v.token = c.Cookies(CookieName)
		var err error
		if v.session, v.member, err = p.Staff.Authenticate(c.UserContext(), v.token); err != nil {
			return err
		}
		c.Locals("staff", v.member.ID)
		if changes(c.Method()) && !staff.HasCSRF(v.token, c.Get(HeaderCSRF)) {
			return fault.New(staff.CodeCSRF, "Load the page anew.")
		}
		if !staff.Can(v.member.Role, staff.Permission(permission)) {
			return fault.New(fault.Forbidden, "Your role may not do this.")
		}
	} else if site := c.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && changes(c.Method()) {
		// Nobody is to be signed in by another site's page.
		return fault.New(staff.CodeCSRF, "Load the page anew.")
	}
	actor := audit.Actor{ID: v.member.ID, Name: v.member.Name, Role: string(v.member.Role), Address: address, Request: request}
	c.SetUserContext(audit.As(context.WithValue(c.UserContext(), visitKey{}, v), actor))
	return nil
}

func changes(method string) bool {
	return method != fiber.MethodGet && method != fiber.MethodHead
}

func visitOf(ctx context.Context) (visit, error) {
	v, ok := ctx.Value(visitKey{}).(visit)
	if !ok {
		return visit{}, errors.New("panel: a handler is not guarded by the contract")
	}
	return v, nil
}

// member is who sends the request.
func member(ctx context.Context) (staff.Member, error) {
	v, err := visitOf(ctx)
	return v.member, err
}

// text is an optional text, empty if it is absent.
func text[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// moment is an optional time, zero if it is absent.
func moment(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// orAbsent leaves an empty text out.
func orAbsent(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
