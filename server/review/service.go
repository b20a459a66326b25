package review

import (
	"context"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
)

// Records gives the records of matches that are over to those who sat there.
type Records interface {
	// Record is a match's record. Codes: NotFound, Forbidden, MatchNotOver and others that
	// say why there is none.
	Record(ctx context.Context, matchID, playerID string) (*record.Record, error)
}

const (
	// remembered is how many hands' reviews are kept, some 5 KB each.
	remembered = 1000
	// patience is how long a request waits for a coach.
	patience = 5 * time.Second
)

// Service reviews hands of matches that are kept. Make one with New.
type Service struct {
	records Records
	// coaches that have nothing to do: there are as many as may work at a time, since each
	// takes a processor for a tenth of a second or two, and moves come first.
	coaches chan *coach.Coach
	done    *lru.Cache[key, *coach.Hand]
}

type key struct {
	match string
	hand  int
}

// New returns a service of so many coaches, at least one.
func New(records Records, coaches int) (*Service, error) {
	done, err := lru.New[key, *coach.Hand](remembered)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	s := &Service{records: records, coaches: make(chan *coach.Coach, max(1, coaches)), done: done}
	for range cap(s.coaches) {
		s.coaches <- new(coach.Coach)
	}
	return s, nil
}

// Review reviews a hand, counted from 0, of a match that is over, for a player who sat
// there. hands is how many the match has.
//
// Codes: those of Records; NotFound for a hand that there is not; Unavailable while too
// many others ask.
func (s *Service) Review(ctx context.Context, matchID, playerID string, hand int) (review *coach.Hand, hands int, err error) {
	// Asked each time, whoever has asked before.
	rec, err := s.records.Record(ctx, matchID, playerID)
	if err != nil {
		return nil, 0, err
	}
	hands = len(rec.Hands)
	if hand < 0 || hand >= hands {
		return nil, 0, fault.New(fault.NotFound, "The match has no such hand.")
	}
	k := key{matchID, hand}
	if h, ok := s.done.Get(k); ok {
		return h, hands, nil
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var c *coach.Coach
	select {
	case c = <-s.coaches:
	case <-waiting.Done():
		return nil, 0, &fault.Error{
			Code: fault.Unavailable, Message: "The coach has too much to do. Try again.", RetryAfter: patience, Err: waiting.Err(),
		}
	}
	defer func() { s.coaches <- c }()
	if h, ok := s.done.Get(k); ok { // somebody else waited for the same
		return h, hands, nil
	}
	h := new(coach.Hand)
	if wrong := c.Review(rec.Rules, rec.Hands, hand, h); wrong.Reason != 0 {
		return nil, 0, fmt.Errorf("review: hand %d of match %s: %v", hand, matchID, wrong.Reason)
	}
	s.done.Add(k, h)
	return h, hands, nil
}
