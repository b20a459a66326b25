// Package halt stops parts of the game for a while, at an operator's word: nothing new
// begins there, and what has begun goes on.
//
// What is stopped is in the database. Each process has it in memory too, where to ask
// costs nothing: read at the start, with each change that the bus tells of, and again
// and again for what the bus has lost. Where a part must not be late, the transaction
// in which something begins asks the database as well; see [Tx].
package halt

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/words"
)

// Part of the game that can be stopped on its own.
type Part string

// The parts.
const (
	// Shop: orders. What is ordered already is taken, and given.
	Shop Part = "shop"
	// Stakes: staked tables. Those that have not begun are cancelled, and every entry
	// is given back.
	Stakes Part = "stakes"
	// Queue: finding people to play with, at staked tables too. Who waits is let go.
	Queue Part = "queue"
	// Rooms: new rooms, and new matches in rooms.
	Rooms Part = "rooms"
	// SignUps: new players. Those who are players come in.
	SignUps Part = "sign_ups"
)

// Parts are all of them, in the order in which they are shown.
var Parts = []Part{Shop, Stakes, Queue, Rooms, SignUps}

// Known says whether there is such a part.
func (p Part) Known() bool { return slices.Contains(Parts, p) }

// Switch is whether a part is stopped, and what its players are told.
type Switch struct {
	Part    Part
	Stopped bool
	// Text for players. It stays when the part goes on, for the next time.
	Text words.Words
	// Until is when it is expected to go on; zero if nobody knows. Nothing happens then
	// by itself.
	Until time.Time
	// ChangedAt and By say when and by whom it was last switched; zero for never.
	ChangedAt time.Time
	By        string
	// Version counts the changes.
	Version int
}

// Codes of this domain.
const (
	// CodeStopped: the part is stopped; see [Of].
	CodeStopped fault.Code = "stopped"
	// CodeSwitched: somebody else has switched it since.
	CodeSwitched fault.Code = "switched_meanwhile"
)

// ErrSwitched refuses a switch by somebody who has not seen the last one.
var ErrSwitched = fault.New(CodeSwitched, "Somebody else has switched this meanwhile. Look again.")

// MaxText is the most characters of a text.
const MaxText = 300

// patience is when to try again if nobody knows when the part goes on, and the least in
// any case.
const patience = time.Minute

// stopped is the cause of a refusal.
type stopped struct{ Switch }

func (s *stopped) Error() string { return string(s.Part) + " is stopped" }

// Of is the switch that an error comes of, if it comes of one.
func Of(err error) (Switch, bool) {
	if s, ok := errors.AsType[*stopped](err); ok {
		return s.Switch, true
	}
	return Switch{}, false
}

// Refusal of something new at a time, or nil if the part is not stopped. Codes: CodeStopped.
func (s Switch) Refusal(now time.Time) error {
	if !s.Stopped {
		return nil
	}
	return &fault.Error{
		Code: CodeStopped, Message: s.Text.EN, Err: &stopped{s}, RetryAfter: max(s.Until.Sub(now), patience),
	}
}

// State is the switches of all parts. A part that is not in it is not stopped.
type State []Switch

// Of is the switch of a part.
func (all State) Of(part Part) Switch {
	if i := slices.IndexFunc(all, func(s Switch) bool { return s.Part == part }); i >= 0 {
		return all[i]
	}
	return Switch{Part: part}
}

// Stopped are the switches of what is stopped.
func (all State) Stopped() State {
	return slices.DeleteFunc(slices.Clone(all), func(s Switch) bool { return !s.Stopped })
}

// Tx is what a transaction can know in which something begins.
type Tx interface {
	// Halts reads all switches and keeps them as they are until the transaction ends:
	// whoever switches waits for it, and whoever asks behind a switch sees it. So nothing
	// begins in a part, on any process, once its stop has been kept.
	Halts() (State, error)
}

// Store keeps switches.
type Store interface {
	// Halts reads all.
	Halts(ctx context.Context) (State, error)
	// SetHalt keeps a switch whose version is one more than that of the one that is
	// there, and waits for transactions that have read it. Codes: CodeSwitched.
	SetHalt(ctx context.Context, s Switch) error
}

// Service knows what is stopped. Make one with New. A nil one knows of nothing that is.
type Service struct {
	store Store
	now   func() time.Time
	// announce tells all processes that a switch has changed.
	announce func()

	reading sync.Mutex // so that nothing older replaces what is newer
	state   atomic.Pointer[State]
}

// New returns a service that knows of nothing before Sync. announce is called behind
// each change; it must not block.
func New(store Store, now func() time.Time, announce func()) *Service {
	return &Service{store: store, now: now, announce: announce}
}

// Sync reads the switches: at the start, when a change is announced, and now and then
// for what was not heard.
func (s *Service) Sync(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	state, err := s.store.Halts(ctx)
	if err == nil {
		s.state.Store(&state)
	}
	return err
}

// Read reads the switches as they are kept.
func (s *Service) Read(ctx context.Context) (State, error) { return s.store.Halts(ctx) }

// State is what this process knows.
func (s *Service) State() State {
	if s == nil {
		return nil
	}
	if p := s.state.Load(); p != nil {
		return *p
	}
	return nil
}

// Check refuses what would begin in a part that is stopped, as far as this process
// knows. It asks no database. Codes: CodeStopped.
func (s *Service) Check(part Part) error {
	if s == nil {
		return nil
	}
	return s.State().Of(part).Refusal(s.now())
}

// Set switches a part. version is that of the switch as its author has seen it. A part
// that is stopped may be stopped again, with another text. Processes are told when what
// ctx is a unit of is kept.
//
// Codes: NotFound (no such part), InvalidRequest (the text, the time), CodeSwitched.
func (s *Service) Set(ctx context.Context, want Switch, version int, author string) (before, after Switch, err error) {
	if !want.Part.Known() {
		return before, after, fault.New(fault.NotFound, "There is no such switch.")
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	all, err := s.store.Halts(ctx)
	if err != nil {
		return before, after, err
	}
	before = all.Of(want.Part)
	after = Switch{
		Part: want.Part, Stopped: want.Stopped, Text: before.Text, ChangedAt: now, By: author, Version: version + 1,
	}
	if want.Stopped {
		after.Text, after.Until = want.Text.Trimmed(), want.Until.UTC().Truncate(time.Millisecond)
		if err := after.Text.Check("text", MaxText); err != nil {
			return before, after, err
		}
		if !want.Until.IsZero() && !after.Until.After(now) {
			return before, after, &fault.Error{Code: fault.InvalidRequest, Field: "until", Message: "That time is past."}
		}
	}
	if before.Version != version {
		return before, after, ErrSwitched
	}
	if err := s.store.SetHalt(ctx, after); err != nil {
		return before, after, err
	}
	unit.Then(ctx, func() { s.switched(context.WithoutCancel(ctx)) })
	return before, after, nil
}

// switched has this process and all others read the switches.
func (s *Service) switched(ctx context.Context) {
	if err := s.Sync(ctx); err != nil {
		slog.WarnContext(ctx, "halt: what is stopped cannot be read; it is, before long", "error", err)
	}
	s.announce()
}
