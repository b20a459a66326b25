package rest

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/report"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/simulation"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// statuses is the one map from an error's code to its status. It holds the rules'
// reasons too: 409 where the match is elsewhere, 422 where the action itself is
// against the rules.
var statuses = map[fault.Code]int{
	fault.Internal:            http.StatusInternalServerError,
	fault.Unavailable:         http.StatusServiceUnavailable,
	fault.InvalidRequest:      http.StatusBadRequest,
	fault.InvalidRules:        http.StatusUnprocessableEntity,
	fault.Unauthenticated:     http.StatusUnauthorized,
	fault.TokenExpired:        http.StatusUnauthorized,
	fault.SessionEnded:        http.StatusUnauthorized,
	fault.Suspended:           http.StatusForbidden,
	fault.UnknownDevice:       http.StatusUnauthorized,
	fault.InvalidCredentials:  http.StatusUnauthorized,
	fault.UnknownIdentity:     http.StatusUnauthorized,
	fault.InvalidIDToken:      http.StatusUnprocessableEntity,
	fault.ProviderDisabled:    http.StatusUnprocessableEntity,
	fault.IdentityTaken:       http.StatusConflict,
	fault.AlreadyLinked:       http.StatusConflict,
	fault.LastIdentity:        http.StatusConflict,
	fault.LinkInvalid:         http.StatusUnprocessableEntity,
	fault.RefreshInvalid:      http.StatusUnauthorized,
	fault.RefreshReused:       http.StatusUnauthorized,
	fault.Forbidden:           http.StatusForbidden,
	fault.NotFound:            http.StatusNotFound,
	fault.MethodNotAllowed:    http.StatusMethodNotAllowed,
	fault.PayloadTooLarge:     http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:    http.StatusUnsupportedMediaType,
	fault.UnsupportedEncoding: http.StatusUnsupportedMediaType,
	fault.UpgradeRequired:     http.StatusUpgradeRequired,
	fault.RateLimited:         http.StatusTooManyRequests,
	fault.IdempotencyConflict: http.StatusConflict,
	fault.StaleSequence:       http.StatusConflict,
	fault.SeedConflict:        http.StatusConflict,
	fault.MatchNotOver:        http.StatusConflict,
	fault.NameTaken:           http.StatusConflict,
	fault.NameReserved:        http.StatusUnprocessableEntity,
	fault.NameTooSoon:         http.StatusConflict,

	match.CodeVoid:        http.StatusConflict,
	overview.CodeRunning:  http.StatusConflict,
	league.CodeNothingDue: http.StatusConflict,

	engagement.CodeEngaged: http.StatusConflict,
	room.CodeNotOwner:      http.StatusForbidden,
	room.CodeKicked:        http.StatusForbidden,
	room.CodeRoomFull:      http.StatusConflict,
	room.CodePlaying:       http.StatusConflict,
	room.CodeSeatTaken:     http.StatusConflict,
	room.CodeSeatsOpen:     http.StatusConflict,
	room.CodeNotReady:      http.StatusConflict,
	room.CodeAlone:         http.StatusConflict,
	room.CodeApart:         http.StatusConflict,

	wallet.CodeInsufficient: http.StatusConflict,
	lobby.CodeStakesOff:     http.StatusForbidden,
	lobby.CodeInDebt:        http.StatusConflict,
	lobby.CodePartyDiffers:  http.StatusConflict,
	support.CodeGrantLimit:  http.StatusConflict,
	support.CodeMerge:       http.StatusConflict,
	support.CodeSupportCode: http.StatusUnprocessableEntity,
	report.CodeClaimed:      http.StatusConflict,
	report.CodeAnswered:     http.StatusConflict,

	halt.CodeStopped:          http.StatusServiceUnavailable,
	shop.CodeRefund:           http.StatusConflict,
	halt.CodeSwitched:         http.StatusConflict,
	broadcast.CodeOver:        http.StatusConflict,
	broadcast.CodeGrown:       http.StatusConflict,
	broadcast.CodeNobody:      http.StatusConflict,
	reward.CodeClaimed:        http.StatusConflict,
	reward.CodeNoBooster:      http.StatusConflict,
	reward.CodeBoosterRunning: http.StatusConflict,
	shop.CodeForeign:          http.StatusConflict,
	shop.CodeUnpaid:           http.StatusConflict,
	shop.CodeNotRenewing:      http.StatusConflict,
	shop.CodeLimit:            http.StatusConflict,
	shop.CodeReceipt:          http.StatusUnprocessableEntity,
	shop.CodeNotForSale:       http.StatusUnprocessableEntity,

	staff.CodeCSRF:       http.StatusForbidden,
	staff.CodeCode:       http.StatusUnprocessableEntity,
	staff.CodeEmailTaken: http.StatusConflict,
	staff.CodeLastOwner:  http.StatusConflict,
	staff.CodePasskey:    http.StatusUnprocessableEntity,
	staff.CodePassword:   http.StatusUnprocessableEntity,

	economy.CodeInvalid:        http.StatusUnprocessableEntity,
	economy.CodeOutdated:       http.StatusConflict,
	economy.CodeLive:           http.StatusConflict,
	economy.CodeDraftChanged:   http.StatusConflict,
	economy.CodeDrafts:         http.StatusConflict,
	economy.CodeProposalClosed: http.StatusConflict,
	economy.CodeOwnProposal:    http.StatusConflict,
	simulation.CodeRunning:     http.StatusConflict,
	simulation.CodeOver:        http.StatusConflict,

	shop.CodeWebhookSignature: http.StatusBadRequest,
	shop.CodeWebhookStale:     http.StatusBadRequest,
	shop.CodeWebhookVersion:   http.StatusBadRequest,
	shop.CodeWebhookMode:      http.StatusBadRequest,

	reason(rules.MatchOver):         http.StatusConflict,
	reason(rules.HandOver):          http.StatusConflict,
	reason(rules.NotYourTurn):       http.StatusConflict,
	reason(rules.WrongPhase):        http.StatusConflict,
	reason(rules.BidNotInRules):     http.StatusUnprocessableEntity,
	reason(rules.BidTooLow):         http.StatusUnprocessableEntity,
	reason(rules.BidPastTarget):     http.StatusUnprocessableEntity,
	reason(rules.CanteNotAvailable): http.StatusUnprocessableEntity,
	reason(rules.CardUnknown):       http.StatusUnprocessableEntity,
	reason(rules.CardNotInHand):     http.StatusUnprocessableEntity,
	reason(rules.MustFollow):        http.StatusUnprocessableEntity,
	reason(rules.MustBeat):          http.StatusUnprocessableEntity,
	reason(rules.MustOvertrump):     http.StatusUnprocessableEntity,
	reason(rules.MustTrump):         http.StatusUnprocessableEntity,
	reason(rules.BadDeal):           http.StatusUnprocessableEntity,
	reason(rules.BadDealer):         http.StatusUnprocessableEntity,
	reason(rules.HandUnfinished):    http.StatusConflict,
}

func reason(r rules.Reason) fault.Code { return fault.Code(r.String()) }

// fromFiber says what an error of Fiber's own means.
var fromFiber = map[int]*fault.Error{
	http.StatusBadRequest:            fault.New(fault.InvalidRequest, "The request cannot be read."),
	http.StatusNotFound:              fault.New(fault.NotFound, "There is nothing here."),
	http.StatusMethodNotAllowed:      fault.New(fault.MethodNotAllowed, "This cannot be done here; see the Allow header."),
	http.StatusRequestTimeout:        fault.New(fault.InvalidRequest, "The request took too long to arrive."),
	http.StatusRequestEntityTooLarge: fault.New(fault.PayloadTooLarge, "The body is larger than it may be here."),
	http.StatusUpgradeRequired:       fault.New(fault.UpgradeRequired, "This is a WebSocket."),
	// The connection broke while the request was read.
	http.StatusBadGateway:                  fault.New(fault.InvalidRequest, "The request cannot be read."),
	http.StatusRequestHeaderFieldsTooLarge: fault.New(fault.InvalidRequest, "The headers are too large."),
}

const problemJSON = "application/problem+json"

// problem answers with the error. Only what the error says for a person goes out;
// its cause goes into the log.
func (s *Server) problem(c *fiber.Ctx, err error) {
	f := s.faultOf(c, err)
	status := statuses[f.Code]
	p := Problem{
		Type: "urn:cuatrola:problem:" + string(f.Code), Title: title(f.Code), Status: status,
		Code: Code(f.Code), Detail: f.Message, RequestID: requestID(c),
	}
	if f.Field != "" {
		p.Field = &f.Field
	}
	if one, ok := halt.Of(f); ok {
		what := stoppedJSON(one)
		p.Stopped, p.Detail = &what, one.Text.In(s.languageOf(c))
	}
	if f.Code == fault.Suspended {
		p.Suspension = &Suspension{Why: SuspensionWhy(f.Why)}
		if !f.Until.IsZero() {
			p.Suspension.Until = &f.Until
		}
		if f.Words != "" {
			p.Suspension.Text = &f.Words
		}
	}
	if f.Code == fault.IdentityTaken {
		p.Choices = &[]ProblemChoices{"sign_in_there", "cancel"}
	}
	body, err := json.Marshal(p)
	if err != nil {
		body = nil // cannot happen: the struct holds texts and a number
	}
	switch {
	case status == http.StatusUnauthorized:
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	case f.Code == fault.UpgradeRequired:
		c.Set(fiber.HeaderUpgrade, "websocket")
	}
	if f.RetryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, seconds(f.RetryAfter))
	}
	c.Status(status).Set(fiber.HeaderContentType, problemJSON)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Response().SetBody(body)
}

// faultOf finds the code for any error, and logs those that nobody foresaw.
func (s *Server) faultOf(c *fiber.Ctx, err error) *fault.Error {
	internal := fault.New(fault.Internal, "Something went wrong on the server. Try again.")
	if f, ok := errors.AsType[*fault.Error](err); ok {
		if f.Code == fault.Unavailable {
			s.log.LogAttrs(c.UserContext(), slog.LevelError, "unavailable", slog.String("request", requestID(c)), slog.Any("error", err))
		}
		if statuses[f.Code] != 0 {
			return f
		}
	}
	if f, ok := errors.AsType[*fiber.Error](err); ok {
		if known := fromFiber[f.Code]; known != nil {
			return known
		}
	}
	s.log.LogAttrs(c.UserContext(), slog.LevelError, "request failed", slog.String("request", requestID(c)), slog.Any("error", err))
	// The database cannot be reached, or took too long.
	if _, ok := errors.AsType[net.Error](err); ok {
		return fault.New(fault.Unavailable, "The server is not ready. Try again.")
	}
	return internal
}

// title is the code in words: "must_follow" is "Must follow".
func title(code fault.Code) string {
	words := strings.ReplaceAll(string(code), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
