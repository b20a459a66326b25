package match

import (
	"context"
	"errors"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// CodeVoid: the match was given up for a fault of the server's.
const CodeVoid fault.Code = "match_void"

var errVoid = fault.New(CodeVoid, "This match was given up for a fault of the server's. What it cost is given back.")

// brokenError says that a log cannot be folded, by this code or at all.
type brokenError struct{ error }

// Unwrap gives the fold's own error.
func (e brokenError) Unwrap() error { return e.error }

// voidAfter is how often in a row a turn finds a log that it cannot fold until the
// match is given up.
const voidAfter = 3

// Void gives a match up that cannot be played to its end for a fault of ours: nothing
// is won or lost, what its players have paid for it is given back, and they are free.
// To give it up again changes nothing.
//
// Codes: InvalidRequest (no reason), NotFound, Unavailable, and the rules' match_over.
func (s *Service) Void(ctx context.Context, matchID, reason string) error {
	if reason == "" {
		return &fault.Error{Code: fault.InvalidRequest, Field: "reason", Message: "Say why."}
	}
	s.mu.Lock()
	t := s.tables[matchID]
	if t == nil {
		t = &table{}
		s.tables[matchID] = t
	}
	s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.void(ctx, matchID, t, reason)
}

// void is Void with the table held.
func (s *Service) void(ctx context.Context, matchID string, t *table, reason string) error {
	for {
		m, err := s.store.GetMatch(ctx, matchID)
		if err != nil {
			return err
		}
		if m.Over() {
			s.forget(matchID, t)
			if m.Result.Void != "" {
				return nil
			}
			return fault.New(fault.Code(rules.MatchOver.String()), "This match has been played to its end.")
		}
		// Whatever the log says, this comes behind it.
		log, err := s.store.ReadLog(ctx, matchID, 0)
		if err != nil {
			return err
		}
		last := Entry{Seq: len(log), At: s.now(), Kind: KindVoid, By: ByClock}
		err = s.store.VoidMatch(ctx, matchID, last, reason)
		if errors.Is(err, ErrConflict) {
			continue
		}
		t.fold = nil
		if err != nil {
			return fault.Wrap(fault.Unavailable, "The match could not be given up. Try again.", err)
		}
		s.forget(matchID, t)
		s.announce(ctx, matchID, last)
		if s.over != nil {
			s.over(m)
		}
		return nil
	}
}

// forget lets a match go that is over, whatever is known of it.
func (s *Service) forget(matchID string, t *table) {
	t.fold = nil
	t.clearAlarm()
	s.mu.Lock()
	delete(s.tables, matchID)
	s.mu.Unlock()
}
