package match

import (
	"context"
	"math"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Listing says which matches an operator wants to see.
type Listing struct {
	// Over lists those that are over instead of the open ones.
	Over bool
	// Mode of the matches; empty for all.
	Mode economy.Mode
	// Before is the match behind which the list goes on, if any.
	Before string
	Limit  int
}

// Seen is a match as an operator sees it: what is fixed, and what a spectator may know.
type Seen struct {
	*Match
	// View is the spectator's; nil for a match that is over, and for one whose log cannot
	// be folded, which is only good for being given up.
	View *View
}

// List lists matches, newest first.
func (s *Service) List(ctx context.Context, l Listing) ([]Seen, error) {
	matches, err := s.store.ListMatches(ctx, l)
	if err != nil {
		return nil, err
	}
	list := make([]Seen, len(matches))
	for i, m := range matches {
		list[i].Match = m
		if l.Over {
			continue
		}
		_, v, err := s.Watch(ctx, m.ID, math.MaxInt)
		switch {
		case err == nil:
			list[i].View = &v
		case ctx.Err() != nil:
			return nil, err
		default:
			s.logError(ctx, "a match cannot be watched", m.ID, err)
		}
	}
	return list, nil
}

// Watch gives what a spectator may know of a match now, and the events that it was
// shown after its first n. Nothing in it depends on a hand that nobody has seen.
//
// Codes: NotFound.
func (s *Service) Watch(ctx context.Context, matchID string, n int) ([]Event, View, error) {
	t, err := s.table(ctx, matchID)
	if err != nil {
		return nil, View{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.catchUp(ctx, matchID, t); err != nil {
		return nil, View{}, err
	}
	return t.fold.events(rules.Spectator, n), t.fold.view(rules.Spectator, s.credited), nil
}

// Find is a match as it is stored, for an operator. Codes: NotFound.
func (s *Service) Find(ctx context.Context, matchID string) (*Match, error) {
	return s.store.GetMatch(ctx, matchID)
}

// RecordOf is the match written down, with the proof of its deals, for an operator.
//
// Codes: NotFound, MatchNotOver, CodeVoid.
func (s *Service) RecordOf(ctx context.Context, matchID string) (*record.Record, error) {
	t, err := s.table(ctx, matchID)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.catchUp(ctx, matchID, t); err != nil {
		return nil, err
	}
	return t.record()
}

// record is the table's match written down. It is held, and up to date.
func (t *table) record() (*record.Record, error) {
	if t.fold.void {
		return nil, errVoid
	}
	if !t.fold.ended() {
		return nil, fault.New(fault.MatchNotOver, "The record is published when the match is over.")
	}
	return t.fold.record(), nil
}
