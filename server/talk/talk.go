// Package talk lets the people at a table say something to one another: a line out of a
// fixed set, so that there is nothing to write, to look through or to keep. Who sits
// there hears it now or never; it is no part of the match.
package talk

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	// Every is how often somebody may say something, Burst how much at once.
	Every = 3 * time.Second
	Burst = 4
	// Lingering is how long people may talk when the match is over.
	Lingering = 2 * time.Minute
	// maxSpeakers is how many players' limits are remembered before those go who have
	// been silent long enough.
	maxSpeakers = 10_000
)

// Said is a line as it goes to the table.
type Said struct {
	MatchID string
	Seat    rules.Seat
	Code    string
	At      time.Time
	// To are the players who hear it, the speaker among them, who may have several
	// devices.
	To []string
}

// Matches is what this package needs of matches.
type Matches interface {
	// Since gives the player's view of a match, see [match.Service.Since].
	Since(ctx context.Context, matchID, playerID string, n, known int) ([]match.Event, match.View, error)
}

// Store keeps who has muted whom.
type Store interface {
	// Hearing are those of the listeners who hear the speaker: who have not muted the
	// speaker, and with a block neither way.
	Hearing(ctx context.Context, speakerID string, listeners []string) ([]string, error)
	// Muted are those of the others whom the player has muted.
	Muted(ctx context.Context, playerID string, others []string) ([]string, error)
	// Mute keeps that the player has muted the other, or forgets it. Repeating it
	// changes nothing.
	Mute(ctx context.Context, playerID, otherID string, mute bool, at time.Time) error
}

// Service is the domain's door. Make one with New.
type Service struct {
	matches  Matches
	store    Store
	now      func() time.Time
	announce func(Said)

	mu       sync.Mutex
	speakers map[string]*rate.Limiter
}

// New returns a service. announce carries what is said to the sockets of those who hear
// it; it must not block.
func New(m Matches, store Store, now func() time.Time, announce func(Said)) *Service {
	return &Service{matches: m, store: store, now: now, announce: announce, speakers: make(map[string]*rate.Limiter)}
}

// Lines are all that can be said: phrases, then reactions.
func Lines() []Line { return slices.Clone(lines) }

// Say says a line at a match's table. Whether anybody hears it, nobody is told.
//
// Codes: InvalidRequest (no such line), NotFound, Forbidden (not one of the match's
// players), RateLimited, and the rules' match_over some time behind the end.
func (s *Service) Say(ctx context.Context, matchID, playerID, code string) error {
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.Code == code }) {
		return &fault.Error{Code: fault.InvalidRequest, Field: "say", Message: "There is no such line."}
	}
	v, err := s.view(ctx, matchID, playerID)
	if err != nil {
		return err
	}
	now := s.now()
	if !v.EndedAt.IsZero() && now.After(v.EndedAt.Add(Lingering)) {
		return fault.New(fault.Code(rules.MatchOver.String()), "The match is over, and everybody has gone.")
	}
	if wait := s.reserve(playerID, now); wait > 0 {
		limited := fault.New(fault.RateLimited, "You have said a lot. Let the others speak.")
		limited.RetryAfter = wait
		return limited
	}
	to, err := s.store.Hearing(ctx, playerID, others(&v))
	if err != nil {
		return err
	}
	s.announce(Said{MatchID: matchID, Seat: v.Viewer, Code: code, At: now.UTC(), To: append(to, playerID)})
	return nil
}

// view is the player's of the match.
func (s *Service) view(ctx context.Context, matchID, playerID string) (match.View, error) {
	_, v, err := s.matches.Since(ctx, matchID, playerID, math.MaxInt, match.AskStore)
	return v, err
}

// others are the other people at the table.
func others(v *match.View) []string {
	var ids []string
	for seat, who := range v.Seats {
		if !who.IsBot() && rules.Seat(seat) != v.Viewer {
			ids = append(ids, who.PlayerID)
		}
	}
	return ids
}

// reserve counts a line of the player's, or says how long the player has to wait.
func (s *Service) reserve(playerID string, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.speakers[playerID]
	if l == nil {
		if len(s.speakers) >= maxSpeakers {
			for id, other := range s.speakers {
				if other.TokensAt(now) >= Burst {
					delete(s.speakers, id)
				}
			}
		}
		l = rate.NewLimiter(rate.Every(Every), Burst)
		s.speakers[playerID] = l
	}
	r := l.ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return wait
	}
	return 0
}

// Muted are the seats of a match whose people the player has muted.
//
// Codes: NotFound, Forbidden.
func (s *Service) Muted(ctx context.Context, matchID, playerID string) ([]rules.Seat, error) {
	v, err := s.view(ctx, matchID, playerID)
	if err != nil {
		return nil, err
	}
	muted, err := s.store.Muted(ctx, playerID, others(&v))
	if err != nil {
		return nil, err
	}
	seats := []rules.Seat{}
	for seat, who := range v.Seats {
		if slices.Contains(muted, who.PlayerID) {
			seats = append(seats, rules.Seat(seat))
		}
	}
	return seats, nil
}

// Mute has the player hear the person in a seat no more, at this table or any other, or
// hear them again. The other is not told.
//
// Codes: NotFound, Forbidden, InvalidRequest (a bot's seat, or one's own).
func (s *Service) Mute(ctx context.Context, matchID, playerID string, seat rules.Seat, mute bool) error {
	v, err := s.view(ctx, matchID, playerID)
	if err != nil {
		return err
	}
	if seat >= rules.Seats || seat == v.Viewer || v.Seats[seat].IsBot() {
		return &fault.Error{Code: fault.InvalidRequest, Field: "seat", Message: "Nobody else sits there."}
	}
	return s.store.Mute(ctx, playerID, v.Seats[seat].PlayerID, mute, s.now())
}
