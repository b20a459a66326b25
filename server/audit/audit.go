// Package audit is the trail of what staff do: who, when, why, and how things were
// before and after. It only grows.
//
// A change and its entry are kept together or not at all, see [Service.Do]. Where that
// cannot be, since the change happens elsewhere too, an entry says beforehand what was
// asked for, and another afterwards what came of it: [Service.Around].
package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Actor is who does something. Commands act as [CommandLine].
type Actor struct {
	ID   string // of the member of staff; "" for a command
	Name string
	Role string
	// Address that the request came from, and its identifier, as the log has it; ""
	// for a command.
	Address, Request string
}

// CommandLine is whoever runs a command on the server itself, under the name they give.
func CommandLine(name string) Actor { return Actor{Name: name, Role: "command line"} }

type actorKey struct{}

// As returns a context in which a acts.
func As(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// ActorOf is who acts in ctx.
func ActorOf(ctx context.Context) (Actor, bool) {
	a, ok := ctx.Value(actorKey{}).(Actor)
	return a, ok
}

// Subject is what is changed: its kind, such as "player" or "economy", and its
// identifier among those; "" where there is only one.
type Subject struct{ Kind, ID string }

// Change is what is done, such as "players.ban", to what, and why.
type Change struct {
	Action  string
	Subject Subject
	Reason  string
}

// MaxReason is how long a reason may be, in characters.
const MaxReason = 500

// NeedsReason refuses a change without a reason. Codes: InvalidRequest, its Field is
// reason.
func NeedsReason(reason string) error {
	n := utf8.RuneCountInString(reason)
	if strings.TrimSpace(reason) == "" || n > MaxReason {
		return &fault.Error{Code: fault.InvalidRequest, Field: "reason", Message: fmt.Sprintf("Say why, in %d characters at most.", MaxReason)}
	}
	return nil
}

// Outcome is what an entry says of its change.
type Outcome string

// Outcomes.
const (
	Done   Outcome = "done"
	Asked  Outcome = "asked"  // begun; another entry says what came of it
	Failed Outcome = "failed" // of what was asked; nothing may be concluded about what it has done elsewhere
)

// Entry is one line of the trail.
type Entry struct {
	ID string // UUID, version 7
	At time.Time
	Actor
	Change
	Outcome Outcome
	// Of is the entry that asked, where this one says what came of it.
	Of string
	// Code says why it failed.
	Code fault.Code
	// Before and After are JSON, nil where there is nothing to say. They hold no secret.
	Before, After json.RawMessage
}

// Search is what entries are looked for by; what is empty does not matter.
type Search struct {
	ActorID   string
	Action    string // its beginning: "players" finds "players.ban"
	Subject   Subject
	From, To  time.Time // To is not included
	Text      string    // in the reason, the actor's name, before or after; without regard to case
	Before    string    // an entry's ID: older ones only
	Limit     int
	Ascending bool // oldest first, and Before means newer ones only
}

// Store keeps the trail.
type Store interface {
	// Atomically has f's changes kept together or not at all.
	Atomically(ctx context.Context, f func(ctx context.Context) error) error
	// AddAudit keeps an entry.
	AddAudit(ctx context.Context, e Entry) error
	// Audit lists entries, newest first.
	Audit(ctx context.Context, s Search) ([]Entry, error)
}

// Service writes and reads the trail. Make one with New.
type Service struct {
	store  Store
	now    func() time.Time
	random io.Reader
}

// New returns a service over the store. random is where identifiers come from.
func New(store Store, now func() time.Time, random io.Reader) *Service {
	return &Service{store: store, now: now, random: random}
}

// Do carries out a change in one unit of work with its entry. f makes the change, with
// the context that it is given, and says how things were before and are after; nil for
// nothing. Whatever f returns as an error keeps nothing, and is returned. If f says that
// nothing was changed, by [ErrUnchanged], it is kept without an entry.
func (s *Service) Do(ctx context.Context, c Change, f func(ctx context.Context) (before, after any, err error)) error {
	return s.store.Atomically(ctx, func(ctx context.Context) error {
		before, after, err := f(ctx)
		if errors.Is(err, ErrUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = s.write(ctx, c, Entry{Outcome: Done}, before, after)
		return err
	})
}

// ErrUnchanged is what a function of Do returns if all was as wanted, for instance
// because the same request came before.
var ErrUnchanged = errors.New("audit: nothing to change")

// Around carries out a change that cannot be one unit of work with its entry: before it,
// an entry says that it was asked for; afterwards another, what came of it. If the
// process dies in between, there is no other.
func (s *Service) Around(ctx context.Context, c Change, before any, f func(ctx context.Context) (after any, err error)) error {
	asked, err := s.write(ctx, c, Entry{Outcome: Asked}, before, nil)
	if err != nil {
		return err
	}
	after, err := f(ctx)
	e := Entry{Outcome: Done, Of: asked}
	if err != nil {
		e.Outcome, e.Code = Failed, fault.CodeOf(err)
	}
	// What has happened is written down, whoever has stopped waiting for it.
	_, lost := s.write(context.WithoutCancel(ctx), c, e, nil, after)
	return errors.Join(err, lost)
}

func (s *Service) write(ctx context.Context, c Change, e Entry, before, after any) (id string, err error) {
	actor, ok := ActorOf(ctx)
	if !ok {
		return "", errors.New("audit: nobody acts in this context")
	}
	key, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return "", fmt.Errorf("audit: new entry's id: %w", err)
	}
	e.ID, e.At, e.Actor, e.Change = key.String(), s.now().UTC().Truncate(time.Millisecond), actor, c
	for value, to := range map[*any]*json.RawMessage{&before: &e.Before, &after: &e.After} {
		if *value == nil {
			continue
		}
		if *to, err = json.Marshal(*value); err != nil {
			return "", fmt.Errorf("audit: %s: %w", c.Action, err)
		}
	}
	return e.ID, s.store.AddAudit(ctx, e)
}

// Find lists what is looked for, newest first, at most as many as the search says.
func (s *Service) Find(ctx context.Context, q Search) ([]Entry, error) { return s.store.Audit(ctx, q) }

// Each calls f with every entry that is looked for, oldest first, until f returns an
// error, which it returns.
func (s *Service) Each(ctx context.Context, q Search, f func(Entry) error) error {
	q.Ascending, q.Limit, q.Before = true, 500, ""
	for {
		page, err := s.store.Audit(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := f(e); err != nil {
				return err
			}
		}
		if len(page) < q.Limit {
			return nil
		}
		q.Before = page[len(page)-1].ID
	}
}
