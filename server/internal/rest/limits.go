package rest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/limit"
	"github.com/cuatrola/cuatrola/server/room"
)

// Limits count requests. Those that are nil limit nothing.
type Limits struct {
	// Address counts all requests of an address, Account those of a player.
	Address limit.Limiter[netip.Addr]
	Account limit.Limiter[string]
	// SignUps counts the guests that an address makes.
	SignUps limit.Limiter[netip.Addr]
	// Mails counts the mails that an address has sent.
	Mails limit.Limiter[netip.Addr]
	// Exports counts the exports that a player asks for.
	Exports limit.Limiter[string]
	// ClientFaults counts the faults that a player's clients report.
	ClientFaults limit.Limiter[string]
}

const (
	headerLimit     = "RateLimit-Limit"
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// limitAddress counts a request for the address that it comes from. Probes are not
// counted: a balancer that is told to go away takes the server for dead.
func (s *Server) limitAddress(c *fiber.Ctx) error {
	if path := c.Path(); s.limits.Address == nil || path == "/healthz" || path == "/readyz" {
		return c.Next()
	}
	if err := s.allowed(c, s.limits.Address.Take(limit.Address(s.address(c)), s.now())); err != nil {
		return err
	}
	return c.Next()
}

// limitAccount counts a request for the player that sent it.
func (s *Server) limitAccount(c *fiber.Ctx, playerID string) error {
	if s.limits.Account == nil {
		return nil
	}
	return s.allowed(c, s.limits.Account.Take(playerID, s.now()))
}

// limitOperation counts a request by the limit that the contract names for its
// operation.
func (s *Server) limitOperation(c *fiber.Ctx, name string) error {
	switch name {
	case "signUps":
		if s.limits.SignUps != nil {
			return s.allowed(c, s.limits.SignUps.Take(limit.Address(s.address(c)), s.now()))
		}
	case "mails":
		if s.limits.Mails != nil {
			return s.allowed(c, s.limits.Mails.Take(limit.Address(s.address(c)), s.now()))
		}
	case "signIns", "roomCodes":
		c.SetUserContext(context.WithValue(c.UserContext(), addressContextKey{}, limit.Address(s.address(c)).String()))
	case "clientFaults":
		c.SetUserContext(context.WithValue(c.UserContext(), requestContextKey{}, requestID(c)))
		if id, ok := c.Locals(playerKey).(string); ok && s.limits.ClientFaults != nil {
			return s.allowed(c, s.limits.ClientFaults.Take(id, s.now()))
		}
	case "exports":
		if id, ok := c.Locals(playerKey).(string); ok && s.limits.Exports != nil {
			return s.allowed(c, s.limits.Exports.Take(id, s.now()))
		}
	}
	return nil
}

type addressContextKey struct{}

// signInWithEmail has the password looked at, if it may be tried now. A sign-in
// without a guard, as some tests have it, is not slowed.
func (s *Server) signInWithEmail(ctx context.Context, email, password, device string) (account.SignedIn, error) {
	if s.attempts == nil {
		return s.accounts.SignInWithEmail(ctx, email, password, device)
	}
	// What is no address is counted too, as it is: it is nobody's.
	subject, err := account.NormalEmail(email)
	if err != nil {
		subject = email
	}
	identity := attempt.Identity(account.ViaEmail, subject)
	address, _ := ctx.Value(addressContextKey{}).(string)
	if err := s.attempts.Begin(ctx, identity, address); err != nil {
		return account.SignedIn{}, err
	}
	in, err := s.accounts.SignInWithEmail(ctx, email, password, device)
	if err != nil {
		return in, err
	}
	return in, s.attempts.Succeed(ctx, identity, address)
}

// joinRoom tries a room's code, if the player may try one now. Codes are guessed as
// passwords are, and slowed alike; what they are wrong for is counted apart.
func (s *Server) joinRoom(ctx context.Context, playerID, code string) (room.Room, error) {
	if s.attempts == nil {
		return s.rooms.Join(ctx, playerID, code)
	}
	identity := room.TriesOf(playerID)
	address, _ := ctx.Value(addressContextKey{}).(string)
	address = "rooms " + address
	if err := s.attempts.Begin(ctx, identity, address); err != nil {
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.RateLimited {
			f.Message = "Too many wrong codes. Try again later."
		}
		return room.Room{}, err
	}
	r, err := s.rooms.Join(ctx, playerID, code)
	if c := fault.CodeOf(err); c == fault.NotFound || c == fault.Internal {
		return r, err
	}
	// The code was right, whatever else is in the way.
	return r, errors.Join(err, s.attempts.Succeed(ctx, identity, address))
}

// allowed tells the client how it stands, and refuses if it stands badly. Of
// several limits the headers show the one that is nearest.
func (s *Server) allowed(c *fiber.Ctx, v limit.Verdict) error {
	header := &c.Response().Header
	if before := header.Peek(headerRemaining); v.OK && len(before) > 0 {
		if n, err := strconv.Atoi(string(before)); err == nil && n <= v.Remaining {
			return nil
		}
	}
	header.Set(headerLimit, strconv.Itoa(v.Limit))
	header.Set(headerRemaining, strconv.Itoa(v.Remaining))
	header.Set(headerReset, seconds(v.Reset))
	if v.OK {
		return nil
	}
	return &fault.Error{
		Code: fault.RateLimited, Message: "Too many requests. Try again later.", RetryAfter: max(v.Retry, time.Second),
	}
}

// seconds is a time in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

const addressKey = "address"

// address is where the request comes from. Behind trusted proxies that is the last
// address in X-Forwarded-For that is none of theirs: each proxy adds whom it was
// talking to behind what it was told, so that what stands further left is only
// somebody's word. Fiber would take the leftmost, which is the client's own.
func (s *Server) address(c *fiber.Ctx) netip.Addr {
	if a, ok := c.Locals(addressKey).(netip.Addr); ok {
		return a
	}
	var a netip.Addr
	if tcp, ok := c.Context().RemoteAddr().(*net.TCPAddr); ok {
		a = tcp.AddrPort().Addr().Unmap()
	}
	if s.trusted(a) {
		rest := forwardedFor(c)
		for rest != "" && s.trusted(a) {
			var last string
			if i := strings.LastIndexByte(rest, ','); i >= 0 {
				rest, last = rest[:i], rest[i+1:]
			} else {
				rest, last = "", rest
			}
			next, err := netip.ParseAddr(strings.TrimSpace(last))
			if err != nil {
				break // a proxy that does not say whom it serves is taken for its client
			}
			a = next.Unmap()
		}
	}
	c.Locals(addressKey, a)
	return a
}

// forwardedFor is all that the headers of that name say: some proxies add a line
// of their own, and the first line is then the client's.
func forwardedFor(c *fiber.Ctx) string {
	lines := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	return string(bytes.Join(lines, []byte{','}))
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// crossOrigin lets pages of other sites use the server. They get no cookies, for
// there are none: whoever has a token may use it from anywhere.
func crossOrigin(origins []string) fiber.Handler {
	return cors.New(cors.Config{
		// The panel has a cookie, and no page but its own.
		Next:         func(c *fiber.Ctx) bool { return strings.HasPrefix(c.Path(), panelPath) },
		AllowOrigins: strings.Join(origins, ","),
		AllowHeaders: strings.Join([]string{
			fiber.HeaderAuthorization, fiber.HeaderContentType, "Idempotency-Key", fiber.HeaderXRequestID,
		}, ","),
		ExposeHeaders: strings.Join([]string{
			fiber.HeaderXRequestID, "Idempotency-Replayed", fiber.HeaderRetryAfter, headerLimit, headerRemaining, headerReset,
			// By which a client knows how its clock goes.
			fiber.HeaderDate,
		}, ","),
		MaxAge: 3600,
	})
}
