// Package sanction keeps players out of the game: until a time, or without end.
//
// A sanction is in force at once and everywhere. Who is under one cannot sign in, the
// sessions end, and with them access tokens and sockets; the places among others, in a
// room, a queue or at a table, are given up. A match that runs is played to its end by
// the clock, as for anybody who is away. A sanction ends by itself when its time has
// come, or when it is lifted; what it was stays.
//
// A player has one at a time, and another replaces it.
package sanction

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/unit"
)

// Word says to the player, as a code for which clients have the words, what a sanction
// is for.
type Word string

// The words.
const (
	Cheating   Word = "cheating"
	Collusion  Word = "collusion" // playing together for the other's coins
	Harassment Word = "harassment"
	Name       Word = "name" // an offensive name, again and again
	Payments   Word = "payments"
	Rules      Word = "rules" // anything else that is against the rules of the house
)

// Words lists all.
var Words = []Word{Cheating, Collusion, Harassment, Name, Payments, Rules}

const (
	// MaxText is the most characters of what the player is told in the operator's words.
	MaxText = 500
	// MaxReason is the most characters of what staff writes down for itself.
	MaxReason = 500
)

// Sanction is one time of being kept out.
type Sanction struct {
	ID, PlayerID string
	// Word and Text are what the player is told. Text may be empty.
	Word Word
	Text string
	// Reason is for staff only, and Author who imposed it.
	Reason, Author string
	Since          time.Time
	// Until is when it ends by itself; zero for never.
	Until time.Time
	// EndedAt is when it was lifted or replaced; zero if it was not, also if it has
	// ended by itself. EndedBy and EndReason say who ended it, and why.
	EndedAt            time.Time
	EndedBy, EndReason string
}

// InForce says whether it keeps the player out at that time.
func (s *Sanction) InForce(at time.Time) bool {
	return s.EndedAt.IsZero() && (s.Until.IsZero() || s.Until.After(at))
}

// Refusal is the error of whoever wants in at that time.
func (s *Sanction) Refusal() error {
	message := s.Text
	switch {
	case message != "":
	case s.Until.IsZero():
		message = "This account is closed."
	default:
		message = fmt.Sprintf("This account is suspended until %s.", s.Until.UTC().Format(time.RFC3339))
	}
	return &fault.Error{Code: fault.Suspended, Message: message, Until: s.Until, Why: string(s.Word), Words: s.Text}
}

// Store keeps sanctions. Beside it, whatever begins a session has to refuse whom one
// in force keeps out; see account.SessionStore.
type Store interface {
	// Impose keeps the sanction, replaces the one in force, if any, and ends the
	// player's sessions, whose identifiers it returns: all in one transaction, behind
	// which no session begins while it is in force. Codes: NotFound.
	Impose(ctx context.Context, s Sanction) (ended []string, err error)
	// Lift ends the one in force. Codes: NotFound (there is none, or no such player).
	Lift(ctx context.Context, playerID, author, reason string, at time.Time) error
	// SanctionAt reads the one in force at that time. Codes: NotFound.
	SanctionAt(ctx context.Context, playerID string, at time.Time) (Sanction, error)
	// Sanctions lists the player's, newest first.
	Sanctions(ctx context.Context, playerID string) ([]Sanction, error)
}

// Sessions makes known that sessions have ended.
type Sessions interface {
	// Ended makes known that they have, and why, here and to all processes.
	Ended(ctx context.Context, ids []string, why fault.Code)
}

// Service is the domain's door. Make one with New.
type Service struct {
	store    Store
	sessions Sessions
	leave    func(ctx context.Context, playerID string) error
	now      func() time.Time
	random   io.Reader
}

// New returns a service over the store. leave has a player leave whatever it is in
// among others, see package privacy; what it misses, that package's sweep finds.
func New(store Store, sessions Sessions, leave func(context.Context, string) error, now func() time.Time, random io.Reader) *Service {
	return &Service{store: store, sessions: sessions, leave: leave, now: now, random: random}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Wish is a sanction that somebody wants to impose.
type Wish struct {
	PlayerID string
	Word     Word
	Text     string
	Reason   string
	Author   string
	Until    time.Time // zero: without end
}

// Impose keeps a player out from now on, and returns the sanction.
//
// Codes: InvalidRequest (its Field is word, text, reason, author or until), NotFound.
func (s *Service) Impose(ctx context.Context, w Wish) (Sanction, error) {
	w.Text, w.Reason = strings.TrimSpace(w.Text), strings.TrimSpace(w.Reason)
	now := s.moment()
	switch {
	case !slices.Contains(Words, w.Word):
		return Sanction{}, invalid("word", "There is no such word.")
	case !utf8.ValidString(w.Text) || utf8.RuneCountInString(w.Text) > MaxText:
		return Sanction{}, invalid("text", fmt.Sprintf("The player is told at most %d characters.", MaxText))
	case strings.TrimSpace(w.Author) == "":
		return Sanction{}, invalid("author", "Say who imposes it.")
	case !w.Until.IsZero() && !w.Until.After(now):
		return Sanction{}, invalid("until", "That is past.")
	}
	if err := checkReason(w.Reason); err != nil {
		return Sanction{}, err
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Sanction{}, fmt.Errorf("sanction: new id: %w", err)
	}
	kept := Sanction{
		ID: id.String(), PlayerID: w.PlayerID, Word: w.Word, Text: w.Text, Reason: w.Reason, Author: w.Author, Since: now,
	}
	if !w.Until.IsZero() {
		kept.Until = w.Until.UTC().Truncate(time.Millisecond)
	}
	ended, err := s.store.Impose(ctx, kept)
	if err != nil {
		return Sanction{}, err
	}
	// Only behind the commit: who is put out before comes in again.
	unit.Then(ctx, func() {
		s.sessions.Ended(ctx, ended, fault.Suspended)
		// Done whether or not somebody waits for the answer.
		if err := s.leave(context.WithoutCancel(ctx), w.PlayerID); err != nil {
			slog.WarnContext(ctx, "who is suspended has not left yet; it is tried again", "player", w.PlayerID, "error", err)
		}
	})
	return kept, nil
}

func checkReason(reason string) error {
	if strings.TrimSpace(reason) == "" || !utf8.ValidString(reason) || utf8.RuneCountInString(reason) > MaxReason {
		return invalid("reason", fmt.Sprintf("Say why, in 1 to %d characters.", MaxReason))
	}
	return nil
}

func invalid(field, message string) error {
	return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: message}
}

// Lift lets a player in again.
//
// Codes: InvalidRequest (reason), NotFound (nothing keeps the player out).
func (s *Service) Lift(ctx context.Context, playerID, author, reason string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	return s.store.Lift(ctx, playerID, author, strings.TrimSpace(reason), s.moment())
}

// Current is what keeps the player out now; nil if nothing does.
func (s *Service) Current(ctx context.Context, playerID string) (*Sanction, error) {
	one, err := s.store.SanctionAt(ctx, playerID, s.moment())
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &one, nil
}

// History lists all that a player was kept out for, newest first.
func (s *Service) History(ctx context.Context, playerID string) ([]Sanction, error) {
	return s.store.Sanctions(ctx, playerID)
}
