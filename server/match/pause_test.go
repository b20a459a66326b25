package match_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Bots wait for as long as everybody could tell beforehand, to the millisecond: what they
// are asked that others do not see, and what they keep to themselves, takes no time.
func TestWaitsTellNothing(t *testing.T) {
	sung, silent := 0, 0
	waits := map[time.Duration]int{}
	for i := range uint64(25) {
		w := newWorld(t)
		s := w.process(match.WithPace(func(int) bot.Pace { return bot.Natural() }))
		seats := players("ana")
		for seat := 1; seat < rules.Seats; seat++ {
			seats[seat].Bot = bot.Aprendiz // who does not always sing
		}
		id := w.create(s, rules.Clasica.Rules(), seats)
		seed(t, s, id, "ana")
		r := rand.New(rand.NewPCG(i, 9))
		for {
			w.clock.Advance(0)
			v := view(t, s, id, "ana")
			if v.Phase == "over" {
				break
			}
			if v.Game.Legal.Has(rules.Pass) {
				if _, err := s.Act(ctx, id, "ana", v.Seq, "pass"); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if v.Game.Legal != 0 {
				act(t, s, id, "ana", r)
				continue
			}
			wait := v.Deadline.Sub(w.clock.Now())
			waits[wait]++
			w.clock.Advance(wait - time.Millisecond)
			if now := view(t, s, id, "ana"); now.Seq != v.Seq {
				t.Fatalf("seat %d acted before its wait of %v was over", v.Game.Turn, wait)
			}
			w.clock.Advance(time.Millisecond)
			if now := view(t, s, id, "ana"); now.Seq == v.Seq {
				t.Fatalf("seat %d did not act after a wait of %v", v.Game.Turn, wait)
			}
		}
		for _, e := range w.store.logs[id] {
			switch {
			case e.By != match.ByBot:
			case e.Text == rules.Silent.String():
				silent++
			case strings.HasPrefix(e.Text, "sing:"):
				sung++
			}
		}
	}
	if sung == 0 || silent == 0 || len(waits) < 200 {
		t.Errorf("bots sang %d times and kept silent %d times; %d waits: no test of it", sung, silent, len(waits))
	}
}

// While the server thinks for somebody whose time has run out, they may look and act: what
// it comes to think of is dropped then. Nothing is thought about twice.
func TestThinkingHoldsNobodyUp(t *testing.T) {
	for _, back := range []bool{false, true} {
		w := newWorld(t)
		s := w.process(match.WithThinkers(2))
		names := []string{"ana", "bea", "carla", "dora"}
		id := w.create(s, rules.Mesa.Rules(), players(names...))
		seed(t, s, id, names...)
		v := view(t, s, id, "ana")
		who := names[v.Game.Turn]
		before := len(w.store.logs[id])

		release := s.HoldThinkers()
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.clock.Advance(30 * time.Second)
		}()
		s.AwaitThinking(id)
		if v = view(t, s, id, who); v.Game.Legal == 0 {
			t.Fatal("it is not the turn any more that is thought about")
		}
		by := match.ByClock
		if back {
			by = match.ByPlayer
			if _, err := s.Act(ctx, id, who, v.Seq, "pass"); err != nil {
				t.Fatal(err)
			}
		}
		release()
		<-done
		if log := w.store.logs[id][before:]; len(log) != 1 || log[0].By != by {
			t.Errorf("back %v: %+v", back, log)
		}
		w.clock.Advance(30 * time.Second)
		if n := len(w.store.logs[id]) - before; n != 2 {
			t.Errorf("back %v: the next turn does not end: %d entries", back, n)
		}
	}
}

// Whatever the level, two processes choose the same for a bot.
func TestProcessesThinkAlike(t *testing.T) {
	for _, level := range bot.Levels() {
		w := newWorld(t)
		seats := players("ana")
		for seat := 1; seat < rules.Seats; seat++ {
			seats[seat].Bot = level
		}
		s := w.process()
		rs := rules.Clasica.Rules()
		rs.Target = 3
		id := w.create(s, rs, seats)
		w.clock.Advance(6 * time.Hour)
		played := w.store.logs[id]
		if played[len(played)-1].Seq < 5 {
			t.Fatal("nothing was played")
		}
		// The same match is taken up by another process from each point of its log.
		for n := 2; n < len(played); n += 7 {
			again := newWorld(t)
			again.store.matches[id] = w.store.matches[id]
			m := *w.store.matches[id]
			m.Result, m.EndedAt = nil, time.Time{}
			again.store.matches[id], again.store.logs[id] = &m, append([]match.Entry(nil), played[:n]...)
			again.clock.Skip(played[n-1].At.Sub(again.clock.Now()))
			again.process()
			again.clock.Advance(31 * time.Second)
			if got := again.store.logs[id]; len(got) <= n || got[n].Text != played[n].Text || got[n].Seat != played[n].Seat {
				t.Fatalf("%v: entry %d is %+v, in the other process %+v", level, n, got[n:], played[n])
			}
		}
	}
}
