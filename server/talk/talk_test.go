package talk_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// table is a match of ana and bea.
type table struct {
	match.View
	deaf []string
}

func (t *table) Since(_ context.Context, _, playerID string, _, _ int) ([]match.Event, match.View, error) {
	v := t.View
	for seat, who := range v.Seats {
		if who.PlayerID == playerID {
			v.Viewer = rules.Seat(seat)
			return nil, v, nil
		}
	}
	return nil, v, fault.New(fault.Forbidden, "no")
}

func (t *table) Hearing(_ context.Context, _ string, listeners []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(listeners), func(id string) bool { return slices.Contains(t.deaf, id) }), nil
}

func (t *table) Muted(context.Context, string, []string) ([]string, error) { return t.deaf, nil }

func (t *table) Mute(context.Context, string, string, bool, time.Time) error { return nil }

// Nobody can drown the others, however often they try, and waiting helps.
func TestLimit(t *testing.T) {
	now := time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)
	at := &table{}
	at.Seats[0].PlayerID, at.Seats[1].PlayerID = "ana", "bea"
	var heard []talk.Said
	s := talk.New(at, at, func() time.Time { return now }, func(said talk.Said) { heard = append(heard, said) })
	say := func(who string, want fault.Code) {
		t.Helper()
		if err := s.Say(t.Context(), "m", who, "clap"); fault.CodeOf(err) != want {
			t.Fatalf("%s at %v: %v, want %q", who, now, err, want)
		}
	}
	for range talk.Burst {
		say("ana", "")
	}
	for range 100 { // what is refused does not count
		say("ana", fault.RateLimited)
	}
	var limited *fault.Error
	if err := s.Say(t.Context(), "m", "ana", "clap"); !errors.As(err, &limited) || limited.RetryAfter != talk.Every {
		t.Errorf("to be tried again after %v", limited.RetryAfter)
	}
	say("bea", "")
	now = now.Add(talk.Every - time.Millisecond)
	say("ana", fault.RateLimited)
	now = now.Add(time.Millisecond)
	say("ana", "")
	say("ana", fault.RateLimited)
	if len(heard) != talk.Burst+2 || !slices.Equal(heard[0].To, []string{"bea", "ana"}) {
		t.Errorf("heard: %+v", heard)
	}
	now = now.Add(time.Hour)
	for range talk.Burst { // no more is saved up
		say("ana", "")
	}
	say("ana", fault.RateLimited)
	say("eva", fault.Forbidden)
	at.EndedAt = now.Add(-talk.Lingering)
	say("bea", "")
	now = now.Add(time.Millisecond)
	say("bea", "match_over")
	if err := s.Say(t.Context(), "m", "ana", "something else"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("a line that there is not: %v", err)
	}
}

// A code is for ever, and one line's.
func TestLines(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range talk.Lines() {
		if seen[l.Code] || l.ES == "" || l.CA == "" || l.EN == "" {
			t.Errorf("%+v", l)
		}
		seen[l.Code] = true
	}
}
