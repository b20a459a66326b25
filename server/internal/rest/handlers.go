package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Server is what the contract asks for. Errors of all handlers go to problem.
var _ StrictServerInterface = (*Server)(nil)

// CreateGuest implements StrictServerInterface.
func (s *Server) CreateGuest(ctx context.Context, r CreateGuestRequestObject) (CreateGuestResponseObject, error) {
	name, language := "", ""
	if r.Body.Name != nil {
		name = *r.Body.Name
	}
	if r.Body.Language != nil {
		language = string(*r.Body.Language)
	}
	g, err := s.accounts.SignUp(ctx, account.NewGuest{Name: name, Language: language, Device: text(r.Body.DeviceName), Secret: text(r.Body.DeviceSecret)})
	if err != nil {
		return nil, err
	}
	return CreateGuest201JSONResponse{
		Player: playerJSON(g.Player), DeviceSecret: g.DeviceSecret, AccessToken: g.Token.Access, ExpiresAt: g.Token.ExpiresAt,
		RefreshToken: g.Refresh, RefreshExpiresAt: g.RefreshExpiresAt, SessionID: g.SessionID,
	}, nil
}

// text is an optional text, empty if it is absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// GetMe implements StrictServerInterface.
func (s *Server) GetMe(ctx context.Context, _ GetMeRequestObject) (GetMeResponseObject, error) {
	p, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	return GetMe200JSONResponse(playerJSON(p)), nil
}

// me is the player whose access token the request has. A token outlives a
// database that was made anew.
func (s *Server) me(ctx context.Context) (account.Player, error) {
	id, err := player(ctx)
	if err != nil {
		return account.Player{}, err
	}
	p, err := s.accounts.Player(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return p, fault.Wrap(fault.Unauthenticated, "The access token's player does not exist.", err)
	}
	return p, err
}

func playerJSON(p account.Player) Player {
	return Player{
		ID: p.ID, Name: p.Name, Guest: p.Guest, Avatar: p.Avatar, Language: Language(p.Language),
		CreatedAt: p.CreatedAt.UTC(), RenameableAt: timeOrNull(people.RenameableAt(p.RenamedAt)),
	}
}

// GetRules implements StrictServerInterface.
func (s *Server) GetRules(context.Context, GetRulesRequestObject) (GetRulesResponseObject, error) {
	return GetRules200JSONResponse(s.rules), nil
}

const createMatchRoute = "POST /v1/matches"

// CreateMatch implements StrictServerInterface.
func (s *Server) CreateMatch(ctx context.Context, r CreateMatchRequestObject) (CreateMatchResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	setup, err := setupOf(r.Body, me)
	if err != nil {
		return nil, err
	}
	// It pays nothing under any version, but its bots' waits follow from one.
	live, _, err := s.economies.Live(ctx)
	if err != nil {
		return nil, err
	}
	setup.Economy = live.Number
	// What the contract's defaults have filled in is hashed with the rest.
	request, err := json.Marshal(r.Body)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(request)
	var fresh *match.Answer
	answer, err := s.matches.Create(ctx, setup, func(v match.View) (*match.Answer, error) {
		body, err := json.Marshal(ViewJSON(v))
		if err != nil {
			return nil, err
		}
		fresh = &match.Answer{
			PlayerID: me.ID, Route: createMatchRoute, RequestHash: hash[:],
			Status: fiber.StatusCreated, Body: body, At: s.now().UTC(),
		}
		if r.Params.IdempotencyKey != nil {
			fresh.Key = *r.Params.IdempotencyKey
		}
		return fresh, nil
	})
	if err != nil {
		return nil, err
	}
	return storedAnswer{answer, answer != fresh}, nil
}

func setupOf(body *NewMatch, me account.Player) (match.Setup, error) {
	setup := match.Setup{TurnTime: match.DefaultTurnTime, BotPause: match.DefaultBotPause}
	var err error
	if setup.Rules, err = parseRules(body.Rules); err != nil {
		return setup, err
	}
	if body.TurnSeconds != nil {
		setup.TurnTime = time.Duration(*body.TurnSeconds) * time.Second
	}
	if body.BotPauseMs != nil {
		setup.BotPause = time.Duration(*body.BotPauseMs) * time.Millisecond
	}
	seat := 0
	if body.Seat != nil {
		seat = *body.Seat
	}
	setup.Mode = economy.Machine
	for i := range setup.Seats {
		setup.Seats[i].Bot = levelOr(body.Level, bot.Tabernero)
		if body.Levels != nil && i < len(*body.Levels) {
			setup.Seats[i].Bot = levelOr((*body.Levels)[i], setup.Seats[i].Bot)
		}
	}
	setup.Seats[seat] = match.Seat{PlayerID: me.ID, Name: me.Name}
	return setup, nil
}

// levelOr is the level that a request names, which the contract's guard has seen to be
// one, or another if it names none.
func levelOr(name *BotLevel, otherwise bot.Level) bot.Level {
	if name == nil {
		return otherwise
	}
	level, _ := bot.ParseLevel(string(*name))
	return level
}

func parseRules(text json.RawMessage) (rules.RuleSet, error) {
	var form any
	if err := json.Unmarshal(text, &form); err != nil {
		return rules.RuleSet{}, fault.Wrap(fault.InvalidRequest, "rules are not JSON.", err)
	}
	rs, err := record.ParseRules(form)
	if err != nil {
		// The contract's guard has seen to it that rules fit; this is for the case
		// that contract and rules disagree.
		f := fault.Wrap(fault.InvalidRules, "A rule has a value that it cannot take.", err)
		if option, ok := errors.AsType[rules.OptionError](err); ok {
			f.Field = string(option)
		}
		return rs, f
	}
	return rs, nil
}

// storedAnswer is an answer as it was kept with its effect, byte for byte.
type storedAnswer struct {
	*match.Answer
	replayed bool
}

// VisitCreateMatchResponse sends it.
func (a storedAnswer) VisitCreateMatchResponse(c *fiber.Ctx) error { return a.send(c) }

func (a storedAnswer) send(c *fiber.Ctx) error {
	if a.replayed {
		c.Set("Idempotency-Replayed", "true")
	}
	c.Status(a.Status).Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(a.Body)
}

// ListMatches implements StrictServerInterface.
func (s *Server) ListMatches(ctx context.Context, r ListMatchesRequestObject) (ListMatchesResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	matches, err := s.matches.History(ctx, me, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := MatchPage{Matches: []MatchSummary{}}
	matches, page.NextCursor = paging.Cut(matches, limit, func(m *match.Match) string { return m.ID })
	for _, m := range matches {
		page.Matches = append(page.Matches, summaryJSON(m, me))
	}
	return ListMatches200JSONResponse(page), nil
}

// GetMatch implements StrictServerInterface.
func (s *Server) GetMatch(ctx context.Context, r GetMatchRequestObject) (GetMatchResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.matches.View(ctx, r.MatchID, me)
	if err != nil {
		return nil, err
	}
	return GetMatch200JSONResponse(ViewJSON(v)), nil
}

// GiveSeed implements StrictServerInterface.
func (s *Server) GiveSeed(ctx context.Context, r GiveSeedRequestObject) (GiveSeedResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.matches.Seed(ctx, r.MatchID, me, r.Body.Seed)
	if err != nil {
		return nil, err
	}
	return GiveSeed200JSONResponse(ViewJSON(v)), nil
}

// Act implements StrictServerInterface.
func (s *Server) Act(ctx context.Context, r ActRequestObject) (ActResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.matches.Act(ctx, r.MatchID, me, r.Body.Seq, r.Body.Action)
	if err != nil {
		return nil, err
	}
	return Act200JSONResponse(ViewJSON(v)), nil
}

// GetRecord implements StrictServerInterface.
func (s *Server) GetRecord(ctx context.Context, r GetRecordRequestObject) (GetRecordResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	rec, err := s.matches.Record(ctx, r.MatchID, me)
	if err != nil {
		return nil, err
	}
	return recordLine{rec}, nil
}

// recordLine is a record as it is written to files: one line with its end, so
// that records can be put together.
type recordLine struct{ *record.Record }

func (r recordLine) VisitGetRecordResponse(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="cuatrola-`+r.ID+`.json"`)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	var line bytes.Buffer
	line.Write(r.Append(nil))
	line.WriteByte('\n')
	return c.Send(line.Bytes())
}
