package match_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// voided says whether the match is given up for everybody, on every process.
func voided(t *testing.T, id string, had map[string]int, processes ...*match.Service) {
	t.Helper()
	for _, s := range processes {
		for name, seq := range had {
			events, v, err := s.Since(ctx, id, name, seq, match.AskStore)
			if err != nil || v.Phase != match.PhaseVoid || v.Game.Legal != 0 || v.Game.Turn != rules.NoSeat || !v.Deadline.IsZero() || v.EndedAt.IsZero() || v.ServerSeed != nil {
				t.Fatalf("%s sees %+v, %v", name, v, err)
			}
			if len(events) > 0 && events[len(events)-1].Kind != match.KindVoid {
				t.Fatalf("%s is told %+v", name, events)
			}
			if _, err := s.Act(ctx, id, name, v.Seq, "pass"); code(err) != "match_void" {
				t.Fatalf("%s acts: %v", name, err)
			}
			if _, err := s.Seed(ctx, id, name, "another"); code(err) != "match_void" {
				t.Fatalf("%s brings a seed: %v", name, err)
			}
			if _, err := s.Record(ctx, id, name); code(err) != "match_void" {
				t.Fatalf("%s asks for the record: %v", name, err)
			}
		}
		if err := s.Void(ctx, id, "again"); err != nil {
			t.Fatalf("given up again: %v", err)
		}
	}
}

// A match that is given up is over, for a reason, and nobody's turn.
func TestVoid(t *testing.T) {
	w := newWorld(t)
	s, other := w.process(), w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana", "bea"))
	seed(t, s, id, "ana", "bea")
	r := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		w.clock.Advance(time.Second)
		_ = act(t, s, id, "ana", r) || act(t, s, id, "bea", r)
	}
	had := map[string]int{"ana": view(t, s, id, "ana").Seq, "bea": view(t, s, id, "bea").Seq}
	view(t, other, id, "bea") // who has the match in memory too
	if err := s.Void(ctx, id, ""); code(err) != "invalid_request" {
		t.Errorf("without a reason: %v", err)
	}
	if err := other.Void(ctx, id, "an outage"); err != nil {
		t.Fatal(err)
	}
	for name := range had {
		if events, _, _ := s.Since(ctx, id, name, had[name], match.AskStore); len(events) != 1 {
			t.Errorf("%s is told %+v", name, events)
		}
	}
	voided(t, id, had, s, other, w.process())
	kept := len(w.store.logs[id])
	w.clock.Advance(time.Hour)
	if n := len(w.store.logs[id]); n != kept || w.store.matches[id].Result.Void != "an outage" {
		t.Errorf("%d entries an hour later, %d before: %+v", n, kept, w.store.matches[id].Result)
	}

	over := w.create(s, rules.Mesa.Rules(), players("ana"))
	seed(t, s, over, "ana")
	playOut(t, w, s, over, r, "ana")
	if err := s.Void(ctx, over, "too late"); code(err) != "match_over" {
		t.Errorf("a match that is over: %v", err)
	}
	if err := s.Void(ctx, "nothing", "why"); code(err) != "not_found" {
		t.Errorf("no match: %v", err)
	}
}

// A log that cannot be read, by this code or at all, holds nobody for ever.
func TestAMatchThatCannotBeReadIsGivenUp(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana"))
	seed(t, s, id, "ana")
	had := map[string]int{"ana": view(t, s, id, "ana").Seq}
	log := w.store.logs[id]
	spoilt := match.Entry{
		Seq: len(log), At: w.clock.Now(), Kind: match.KindAct, Seat: 3, Text: "no card", By: match.ByBot, Deadline: w.clock.Now().Add(time.Second),
	}
	w.store.logs[id] = append(log, spoilt)
	s = w.process() // a new version, say
	if _, err := s.View(ctx, id, "ana"); code(err) != "internal" {
		t.Fatalf("it can be read: %v", err)
	}
	w.clock.Advance(2 * time.Second)
	if w.store.matches[id].Over() {
		t.Fatal("given up at the first try")
	}
	w.clock.Advance(5 * time.Second)
	if r := w.store.matches[id].Result; r == nil || r.Void == "" {
		t.Fatalf("not given up: %+v", r)
	}
	voided(t, id, had, s, w.process())
}
