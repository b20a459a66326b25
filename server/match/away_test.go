package match_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Who lets three turns pass is away, for everybody and on every process; their seat
// stays theirs, they are shown all that they have missed, and their own action brings
// them back.
func TestAwayAndBack(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	names := []string{"ana", "bea", "carla", "dora"}
	id := w.create(s, rules.Mesa.Rules(), players(names...))
	seed(t, s, id, names...)
	r := rand.New(rand.NewPCG(3, 28))
	away := func(want bool) {
		t.Helper()
		for _, process := range []*match.Service{s, w.process()} {
			for _, name := range names {
				if v := view(t, process, id, name); v.Away != [rules.Seats]bool{want} {
					t.Fatalf("%s sees %v as away", name, v.Away)
				}
			}
		}
	}
	// turns lets people play until ana's turn has come n times, and ended each time.
	turns := func(n int) {
		t.Helper()
		for n > 0 {
			if view(t, s, id, "ana").Game.Turn == 0 {
				w.clock.Advance(30 * time.Second)
				n--
				continue
			}
			for _, name := range names[1:] {
				if act(t, s, id, name, r) {
					break
				}
			}
		}
	}
	had := view(t, s, id, "ana").Seq
	turns(2)
	away(false)
	turns(1)
	away(true)

	events, v, err := s.Since(ctx, id, "ana", had, match.AskStore)
	if err != nil || len(events) != v.Seq-had {
		t.Fatalf("back again she is shown %d events from %d to %d, %v", len(events), had, v.Seq, err)
	}
	missed := 0
	for i, e := range events {
		if e.Seq != had+1+i {
			t.Fatalf("event %d came after %d", e.Seq, had+i)
		}
		if e.Seat == 0 && e.By == match.ByClock {
			missed++
		}
	}
	if missed != 3 {
		t.Errorf("she is shown %d turns of hers that the server played", missed)
	}
	for view(t, s, id, "ana").Game.Turn != 0 {
		for _, name := range names[1:] {
			if act(t, s, id, name, r) {
				break
			}
		}
	}
	away(true)
	if !act(t, s, id, "ana", r) {
		t.Fatal("it is not her turn")
	}
	away(false)
	turns(1) // one that is missed later counts anew
	away(false)
}

// Whether somebody is away follows from what the viewer was shown, so that it does not
// tell who was asked to sing.
func TestAwayTellsNothingElse(t *testing.T) {
	names := []string{"ana", "bea", "carla", "dora"}
	aways, silences := 0, 0
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := newWorld(t)
			s := w.process()
			id := w.create(s, rules.Clasica.Rules(), players(names...))
			seed(t, s, id, names...)
			r := rand.New(rand.NewPCG(uint64(i), 11))
			for over := false; !over; {
				turn := -1
				for seat, name := range names {
					v := view(t, s, id, name)
					events, _, err := s.Since(ctx, id, name, 0, match.AskStore)
					if err != nil {
						t.Fatal(err)
					}
					var missed [rules.Seats]int
					for _, e := range events {
						if e.Text == rules.Silent.String() {
							silences++ // with which one is back, and nobody else is told
						}
						switch {
						case e.Kind != match.KindAct:
						case e.By == match.ByClock:
							missed[e.Seat]++
						default:
							missed[e.Seat] = 0
						}
					}
					for other, n := range missed {
						if v.Away[other] != (n >= 3) {
							t.Fatalf("%s sees seat %d as away: %v, and was shown %d turns missed", name, other, v.Away[other], n)
						}
						if v.Away[other] {
							aways++
						}
					}
					if v.Game.Legal != 0 {
						turn = seat
					}
					over = v.Phase == "over"
				}
				// Nobody bids, for only then is anybody asked; half of them are seldom there.
				switch {
				case over:
				case turn%2 == 0 && r.IntN(8) > 0:
					w.clock.Advance(30 * time.Second)
				case view(t, s, id, names[turn]).Phase == "bid":
					if _, err := s.Act(ctx, id, names[turn], view(t, s, id, names[turn]).Seq, "pass"); err != nil {
						t.Fatal(err)
					}
				default:
					act(t, s, id, names[turn], r)
				}
			}
		})
	}
	if aways == 0 || silences == 0 {
		t.Errorf("%d times away, %d silences: no test of it", aways, silences)
	}
}
