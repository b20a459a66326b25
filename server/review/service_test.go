package review

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// match is a record of two hands at random.
func match() *record.Record {
	dice := rand.New(rand.NewPCG(1, 1))
	rec := &record.Record{Rules: rules.Mesa.Rules()}
	rec.Rules.Target = 2
	m := rules.NewMatch(rec.Rules)
	for dealer := rules.Seat(0); dealer < 2; dealer++ {
		h := rules.HandRecord{Dealer: dealer}
		for i, c := range dice.Perm(rules.DeckSize) {
			h.Deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
		}
		h.Trump = h.Deal[dealer][0]
		m.Deal(dealer, &h.Deal, h.Trump)
		for m.Turn() != rules.NoSeat {
			var v rules.View
			m.View(m.Turn(), &v)
			a, _ := bot.Random(&v, dice.Uint64())
			if m.Phase() == rules.PhaseBid {
				a = rules.Pass
			}
			h.Actions = append(h.Actions, a)
			m.Apply(rules.NoSeat, a)
		}
		rec.Hands = append(rec.Hands, h)
	}
	return rec
}

type records struct{ rec *record.Record }

func (r records) Record(_ context.Context, _, playerID string) (*record.Record, error) {
	if playerID != "ana" {
		return nil, fault.New(fault.Forbidden, "Not yours.")
	}
	return r.rec, nil
}

func codeOf(err error) fault.Code {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

func TestReview(t *testing.T) {
	rec := match()
	s, err := New(records{rec}, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, hands, err := s.Review(t.Context(), "m", "ana", 1)
	if err != nil || hands != 2 {
		t.Fatal(hands, err)
	}
	var want coach.Hand
	new(coach.Coach).Review(rec.Rules, rec.Hands, 1, &want)
	if *first != want {
		t.Error("not the coach's own review")
	}

	// Asked again, by many, it is not worked out again: no coach is there to do it.
	c := <-s.coaches
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			again, _, err := s.Review(t.Context(), "m", "ana", 1)
			if err != nil || again != first {
				t.Error("worked out again", err)
			}
		})
	}
	all.Wait()

	// Who did not sit there learns nothing, remembered or not.
	if _, _, err := s.Review(t.Context(), "m", "ben", 1); codeOf(err) != fault.Forbidden {
		t.Error(err)
	}
	for _, hand := range []int{-1, 2} {
		if _, _, err := s.Review(t.Context(), "m", "ana", hand); codeOf(err) != fault.NotFound {
			t.Error(hand, err)
		}
	}
	// Whoever cannot wait is told so.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Review(gone, "m", "ana", 0); codeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	s.coaches <- c
	if _, _, err := s.Review(t.Context(), "m", "ana", 0); err != nil {
		t.Error(err)
	}
}
