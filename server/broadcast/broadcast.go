// Package broadcast tells many players something in the house's name: each of those
// whom a filter finds gets one notice, however often the sending is broken off, repeated
// or done by several processes at once.
//
// A broadcast is sent in batches by the order of the players' identifiers. How far it
// has come is kept in the transaction that keeps a batch's notices.
package broadcast

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/words"
)

// Filter says who is told. Whatever is empty does not matter; all that is set has to fit.
type Filter struct {
	Language string `json:"language,omitempty"`
	// Division of the league in which the player plays by the newest week.
	Division string `json:"division,omitempty"`
	// LevelFrom and LevelTo are both included.
	LevelFrom int `json:"levelFrom,omitempty"`
	LevelTo   int `json:"levelTo,omitempty"`
	// VIP says whether the player has a pass now.
	VIP *bool `json:"vip,omitempty"`
	// ActiveDays is in how many days the player was signed in and seen.
	ActiveDays int `json:"activeDays,omitempty"`
	// RegisteredFrom is included, RegisteredTo is not.
	RegisteredFrom time.Time `json:"registeredFrom,omitzero"`
	RegisteredTo   time.Time `json:"registeredTo,omitzero"`
	// Bought says whether the player has ever paid for an order.
	Bought *bool `json:"bought,omitempty"`
	// Players by their identifiers.
	Players []string `json:"players,omitempty"`
}

// MaxPlayers is how many players a filter may name.
const MaxPlayers = 1000

// Audience is who a filter finds: those who were players at a time, judged by that time.
type Audience struct {
	Filter
	At time.Time
	// ExperienceFrom is included, ExperienceTo is not; below zero for no bound.
	ExperienceFrom, ExperienceTo int64
}

// Message is what is said.
type Message struct {
	Title, Text words.Words
	// Link is where in the app it leads, one of [notice.Links]; empty for nowhere.
	Link string
}

// Most characters of a title and of a text.
const (
	MaxTitle = 60
	MaxText  = 400
)

// State of a broadcast.
type State string

// The states.
const (
	// Sending: not everybody has it yet.
	Sending State = "sending"
	// Done: everybody has it.
	Done State = "done"
	// Cancelled: who has it keeps it, and nobody else gets it.
	Cancelled State = "cancelled"
)

// Broadcast is a message on its way.
type Broadcast struct {
	ID string // UUID, version 7
	// Key makes a request that is sent twice one broadcast.
	Key string
	Message
	Audience Audience
	State    State
	// Author and Reason say who sends it and why.
	Author, Reason string
	// Planned is how many it was for when it was sent, Sent how many have it. Read is how
	// many of those have read it.
	Planned, Sent, Read int
	// EndedAt is when it was done or cancelled; zero before.
	EndedAt time.Time
}

// Size is how many an audience has.
type Size struct {
	Players int
	// Devices is how many of them have a device to be pushed to.
	Devices int
	// Languages counts them by language.
	Languages map[string]int
}

// Recipient is one of an audience.
type Recipient struct{ ID, Name, Avatar, Language string }

// Codes of this domain.
const (
	// CodeOver: it is sent, or cancelled, already.
	CodeOver fault.Code = "broadcast_over"
	// CodeGrown: it would go to more players than its author has seen.
	CodeGrown fault.Code = "audience_grown"
	// CodeNobody: there is nobody to tell.
	CodeNobody fault.Code = "audience_empty"
)

// Store keeps broadcasts.
type Store interface {
	// AudienceSize counts an audience.
	AudienceSize(ctx context.Context, a Audience) (Size, error)
	// AudienceSample lists at most limit of an audience.
	AudienceSample(ctx context.Context, a Audience, limit int) ([]Recipient, error)
	// BroadcastByKey finds the one that has a key. Codes: NotFound.
	BroadcastByKey(ctx context.Context, key string) (*Broadcast, error)
	// AddBroadcast keeps a broadcast, or returns the one that has its key.
	AddBroadcast(ctx context.Context, b *Broadcast) (earlier *Broadcast, err error)
	// Broadcast reads one. Codes: NotFound.
	Broadcast(ctx context.Context, id string) (*Broadcast, error)
	// Broadcasts lists at most limit, newest first, older than the one with the id given,
	// if any.
	Broadcasts(ctx context.Context, before string, limit int) ([]*Broadcast, error)
	// CancelBroadcast has nobody else get it. Codes: NotFound, CodeOver.
	CancelBroadcast(ctx context.Context, id string, at time.Time) error
	// SendingBroadcasts lists those that are being sent, oldest first.
	SendingBroadcasts(ctx context.Context) ([]string, error)
	// SendBroadcast tells at most limit players more, in one transaction, and returns
	// their notices. It is done if nobody is left, or if it has been cancelled. Whoever
	// sends the same one meanwhile waits.
	SendBroadcast(ctx context.Context, id string, at time.Time, limit int) (told []notice.Notice, done bool, err error)
}

const (
	// batch is how many players are told in one transaction: on SQLite nobody else writes
	// meanwhile.
	batch = 200
	// shift is how long a run sends before it leaves the rest to the next.
	shift = 50 * time.Second
	// samples is how many of an audience are shown.
	samples = 5
	// Growth of an audience since its author has seen its size, in per cent, and the
	// number that does not matter.
	maxGrowth, smallGrowth = 10, 20
)

// Service is the domain's door. Make one with New.
type Service struct {
	store   Store
	economy *economy.Service
	now     func() time.Time
	random  io.Reader
	// spread tells players of their notices, and wake has the sending begin soon.
	spread func(context.Context, []notice.Notice) error
	wake   func()
}

// Options are what a service is put together from.
type Options struct {
	Store   Store
	Economy *economy.Service
	Now     func() time.Time
	// Random is where identifiers come from.
	Random io.Reader
	// Spread tells players of notices that are kept, see [notice.Service.Spread].
	Spread func(context.Context, []notice.Notice) error
	// Wake has [Service.Work] called soon. It must not block.
	Wake func()
}

// New returns a service.
func New(o Options) *Service {
	return &Service{store: o.Store, economy: o.Economy, now: o.Now, random: o.Random, spread: o.Spread, wake: o.Wake}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// audience is who a filter finds now. Codes: InvalidRequest.
func (s *Service) audience(ctx context.Context, f Filter) (Audience, error) {
	a := Audience{Filter: f, At: s.moment(), ExperienceFrom: -1, ExperienceTo: -1}
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return a, err
	}
	misfit := func(field, message string) (Audience, error) {
		return a, &fault.Error{Code: fault.InvalidRequest, Field: "filter." + field, Message: message}
	}
	switch {
	case f.Division != "" && !slices.ContainsFunc(d.League.Divisions, func(one economy.Division) bool { return one.Name == f.Division }):
		return misfit("division", "There is no such division.")
	case f.LevelTo > 0 && f.LevelTo < f.LevelFrom:
		return misfit("levelTo", "That is below the lowest level.")
	case !f.RegisteredTo.IsZero() && !f.RegisteredFrom.Before(f.RegisteredTo):
		return misfit("registeredTo", "That is before the first day.")
	case len(f.Players) > MaxPlayers:
		return misfit("players", fmt.Sprintf("Name %d players at most.", MaxPlayers))
	}
	if f.LevelFrom > 1 {
		a.ExperienceFrom = d.Levels.Least(f.LevelFrom)
	}
	if f.LevelTo > 0 {
		a.ExperienceTo = d.Levels.Least(f.LevelTo + 1)
	}
	return a, nil
}

// Divisions of the league, the lowest first.
func (s *Service) Divisions(ctx context.Context) ([]string, error) {
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(d.League.Divisions))
	for i, one := range d.League.Divisions {
		names[i] = one.Name
	}
	return names, nil
}

// Preview counts whom a filter finds, and shows some of them. Codes: InvalidRequest.
func (s *Service) Preview(ctx context.Context, f Filter) (Size, []Recipient, error) {
	a, err := s.audience(ctx, f)
	if err != nil {
		return Size{}, nil, err
	}
	size, err := s.store.AudienceSize(ctx, a)
	if err != nil {
		return Size{}, nil, err
	}
	some, err := s.store.AudienceSample(ctx, a, samples)
	return size, some, err
}

// Wish is a broadcast that somebody would like to send.
type Wish struct {
	Message
	Filter
	// Key makes the same wish, told twice, one broadcast.
	Key            string
	Author, Reason string
	// Seen is the size that the author has seen.
	Seen int
}

// Prepare makes a broadcast of a wish, or returns the one that the same wish, by its
// key, has become before. Nothing is kept.
//
// Codes: InvalidRequest, CodeNobody, CodeGrown, IdempotencyConflict.
func (s *Service) Prepare(ctx context.Context, w Wish) (b *Broadcast, replayed bool, err error) {
	w.Title, w.Text = w.Title.Trimmed(), w.Text.Trimmed()
	if err := w.Title.Check("title", MaxTitle); err != nil {
		return nil, false, err
	}
	if err := w.Text.Check("text", MaxText); err != nil {
		return nil, false, err
	}
	if w.Link != "" && !slices.Contains(notice.Links, w.Link) {
		return nil, false, &fault.Error{Code: fault.InvalidRequest, Field: "link", Message: "Nothing in the app is called so."}
	}
	a, err := s.audience(ctx, w.Filter)
	if err != nil {
		return nil, false, err
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, false, fmt.Errorf("broadcast: new id: %w", err)
	}
	b = &Broadcast{ID: id.String(), Key: w.Key, Message: w.Message, Audience: a, State: Sending, Author: w.Author, Reason: w.Reason}
	earlier, err := s.store.BroadcastByKey(ctx, w.Key)
	if fault.CodeOf(err) != fault.NotFound {
		return earlier, true, errors.Join(err, differ(earlier, b))
	}
	size, err := s.store.AudienceSize(ctx, a)
	switch b.Planned = size.Players; {
	case err != nil:
		return nil, false, err
	case b.Planned == 0:
		return nil, false, fault.New(CodeNobody, "The filter finds nobody.")
	case b.Planned > w.Seen+max(smallGrowth, w.Seen*maxGrowth/100):
		return nil, false, fault.New(CodeGrown, "It would go to more players than you have seen. Look again.")
	}
	return b, false, nil
}

// differ refuses a wish whose key came with another.
func differ(earlier, b *Broadcast) error {
	if earlier == nil {
		return nil
	}
	was, err := json.Marshal(earlier.Audience.Filter)
	if err != nil {
		return err
	}
	is, err := json.Marshal(b.Audience.Filter)
	if err != nil {
		return err
	}
	if earlier.Message != b.Message || !bytes.Equal(was, is) {
		return fault.New(fault.IdempotencyConflict, "This key came with another broadcast before.")
	}
	return nil
}

// Send keeps a broadcast that was prepared, and has the sending begin when what ctx is a
// unit of is kept. If its key was used meanwhile, that one is returned.
//
// Codes: IdempotencyConflict.
func (s *Service) Send(ctx context.Context, b *Broadcast) (kept *Broadcast, replayed bool, err error) {
	earlier, err := s.store.AddBroadcast(ctx, b)
	if err != nil || earlier != nil {
		return earlier, true, errors.Join(err, differ(earlier, b))
	}
	unit.Then(ctx, s.wake)
	return b, false, nil
}

// Get reads one. Codes: NotFound.
func (s *Service) Get(ctx context.Context, id string) (*Broadcast, error) {
	return s.store.Broadcast(ctx, id)
}

// List gives at most limit, newest first, older than the one with the id given, if any.
func (s *Service) List(ctx context.Context, before string, limit int) ([]*Broadcast, error) {
	return s.store.Broadcasts(ctx, before, limit)
}

// Cancel has nobody else get a broadcast. Who has it keeps it. Codes: NotFound, CodeOver.
func (s *Service) Cancel(ctx context.Context, id string) (*Broadcast, error) {
	if err := s.store.CancelBroadcast(ctx, id, s.moment()); err != nil {
		return nil, err
	}
	return s.store.Broadcast(ctx, id)
}

// Resume has the sending go on soon, if a process that is no more has left some.
func (s *Service) Resume(ctx context.Context) error {
	ids, err := s.store.SendingBroadcasts(ctx)
	if err == nil && len(ids) > 0 {
		s.wake()
	}
	return err
}

// Work sends what is being sent, for a while; what is left is the next call's. It may be
// broken off anywhere and called by any number of processes: whoever is told is told
// once. A push to a device that was on its way then may be lost, as any may.
func (s *Service) Work(ctx context.Context) error {
	began := s.now()
	ids, err := s.store.SendingBroadcasts(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		for done := false; !done; {
			if s.now().Sub(began) > shift {
				return nil
			}
			var told []notice.Notice
			if told, done, err = s.store.SendBroadcast(ctx, id, s.moment(), batch); err != nil {
				return fmt.Errorf("broadcast %s: %w", id, err)
			}
			if err := s.spread(ctx, told); err != nil {
				return fmt.Errorf("broadcast %s: %w", id, err)
			}
		}
	}
	return nil
}
