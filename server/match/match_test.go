package match_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var ctx = context.Background()

func view(t *testing.T, s *match.Service, id, player string) match.View {
	t.Helper()
	v, err := s.View(ctx, id, player)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// seed brings the seeds of all the players given.
func seed(t *testing.T, s *match.Service, id string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := s.Seed(ctx, id, name, "seed of "+name); err != nil {
			t.Fatal(err)
		}
	}
}

// act has the player do something legal, if it is the player's turn.
func act(t *testing.T, s *match.Service, id, player string, r *rand.Rand) bool {
	t.Helper()
	v := view(t, s, id, player)
	if v.Game.Legal == 0 {
		return false
	}
	a := v.Game.Legal.Nth(r.IntN(v.Game.Legal.Len()))
	if _, err := s.Act(ctx, id, player, v.Seq, a.String()); err != nil {
		t.Fatalf("%s plays %s, which its view calls legal: %v", player, a, err)
	}
	return true
}

// playOut plays the match to its end: people act at once, bots when their pause
// is over.
func playOut(t *testing.T, w *world, s *match.Service, id string, r *rand.Rand, names ...string) {
	t.Helper()
	for range 100_000 {
		if view(t, s, id, names[0]).Phase == "over" {
			return
		}
		acted := false
		for _, name := range names {
			acted = acted || act(t, s, id, name, r)
		}
		if !acted {
			w.clock.Advance(time.Second)
		}
	}
	t.Fatal("the match does not end")
}

func TestAMatchIsPlayedToItsEndAndItsRecordProvesIt(t *testing.T) {
	for i, preset := range rules.Presets() {
		for _, names := range [][]string{{"ana"}, {"ana", "bea"}, {"ana", "bea", "carla", "dora"}} {
			t.Run(fmt.Sprint(preset, len(names)), func(t *testing.T) {
				w := newWorld(t)
				s := w.process()
				id := w.create(s, preset.Rules(), players(names...))
				committed := view(t, s, id, "ana").Commitment
				seed(t, s, id, names...)
				playOut(t, w, s, id, rand.New(rand.NewPCG(uint64(i), 1)), names...)

				rec, err := s.Record(ctx, id, "ana")
				if err != nil {
					t.Fatal(err)
				}
				if rec.Fair.Commitment != committed {
					t.Error("the record's commitment is not the one that was shown before the deal")
				}
				if fault, hand := rules.VerifyFair(rec.Fair, rec.Hands); fault != rules.Fair {
					t.Errorf("fair deal: %v in hand %d", fault, hand)
				}
				m := rules.NewMatch(rec.Rules)
				if fault := rules.Replay(&m, rec.Hands, nil, nil); fault.Reason != rules.OK {
					t.Errorf("replay: %+v", fault)
				}
				v := view(t, s, id, "ana")
				if m.Winner() == rules.NoPair || m.Winner() != v.Game.Winner || m.Score() != v.Game.Score {
					t.Errorf("record ends %v for %v, view says %v for %v", m.Score(), m.Winner(), v.Game.Score, v.Game.Winner)
				}
				if rules.Commit(v.ServerSeed) != committed {
					t.Error("the server's seed is not revealed after the end")
				}
			})
		}
	}
}

func TestWhatIsRefusedChangesNothing(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	names := []string{"ana", "bea", "carla", "dora"}
	id := w.create(s, rules.Liga.Rules(), players(names...))

	refused := func(want string, err error) {
		t.Helper()
		if code(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := s.Act(ctx, id, "ana", 0, "pass")
	refused("wrong_phase", err)
	_, err = s.Record(ctx, id, "ana")
	refused("match_not_over", err)
	_, err = s.Seed(ctx, id, "eva", "x")
	refused("forbidden", err)
	_, err = s.Seed(ctx, id, "ana", "")
	refused("invalid_request", err)
	seed(t, s, id, names...)
	_, err = s.Seed(ctx, id, "ana", "another")
	refused("seed_conflict", err)
	if _, err = s.Seed(ctx, id, "ana", "seed of ana"); err != nil {
		t.Errorf("the same seed again: %v", err)
	}

	turn := int(view(t, s, id, "ana").Game.Turn)
	mine, other := names[turn], names[(turn+1)%4]
	seq := view(t, s, id, mine).Seq
	before := len(w.store.logs[id])
	for _, c := range []struct {
		player, action, want string
		seq                  int
	}{
		{"eva", "pass", "forbidden", seq},
		{other, "pass", "not_your_turn", seq},
		{mine, "AO", "wrong_phase", seq},
		{mine, "nonsense", "wrong_phase", seq},
		{mine, "silent", "wrong_phase", seq},
		{mine, "pass", "stale_sequence", seq - 1},
		{mine, "pass", "stale_sequence", seq + 1},
		{mine, "pass", "stale_sequence", -1},
	} {
		_, err := s.Act(ctx, id, c.player, c.seq, c.action)
		refused(c.want, err)
	}
	_, err = s.View(ctx, "no such match", mine)
	refused("not_found", err)
	if after := len(w.store.logs[id]); after != before {
		t.Errorf("the log grew from %d to %d entries", before, after)
	}
}

func TestTheSameActionSentTwiceIsOne(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	names := []string{"ana", "bea", "carla", "dora"}
	id := w.create(s, rules.Clasica.Rules(), players(names...))
	seed(t, s, id, names...)
	r := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		v := view(t, s, id, "ana")
		name := names[v.Game.Turn]
		v = view(t, s, id, name)
		if v.Game.Legal == 0 { // somebody else is asked to sing
			for _, n := range names {
				act(t, s, id, n, r)
			}
			continue
		}
		a := v.Game.Legal.Nth(r.IntN(v.Game.Legal.Len())).String()
		for range 2 {
			if _, err := s.Act(ctx, id, name, v.Seq, a); err != nil {
				t.Fatal(err)
			}
		}
		events, now, err := s.Since(ctx, id, name, v.Seq, match.AskStore)
		if err != nil || now.Seq != v.Seq+1 || len(events) != 1 || events[0].Text != a {
			t.Fatalf("after %s twice: %d events, seq %d → %d (%v)", a, len(events), v.Seq, now.Seq, err)
		}
		if _, err := s.Act(ctx, id, name, v.Seq, "silent"); a != "silent" && code(err) != "stale_sequence" {
			t.Fatalf("another action with an old number: %v", err)
		}
		if now.Phase == "over" {
			return
		}
	}
}

func TestTimeRunsOut(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana"))
	if v := view(t, s, id, "ana"); v.Phase != match.PhaseSeeds || !v.Deadline.Equal(w.clock.Now().Add(30*time.Second)) {
		t.Fatalf("phase %s, deadline %v", v.Phase, v.Deadline)
	}
	w.clock.Advance(30 * time.Second)
	if v := view(t, s, id, "ana"); v.Phase != "bid" || v.ClientSeeds[0] != "" {
		t.Fatalf("without a seed in time: phase %s, seeds %q", v.Phase, v.ClientSeeds)
	}
	// Nobody does anything: the server plays the whole match, no faster than allowed.
	w.clock.Advance(6 * time.Hour)
	v := view(t, s, id, "ana")
	if v.Phase != "over" {
		t.Fatalf("phase %s after six hours", v.Phase)
	}
	events, _, _ := s.Since(ctx, id, "ana", 0, match.AskStore)
	for i, e := range events {
		switch want := match.ByBot; {
		case e.Seat == 0 && e.By != match.ByClock, e.Seat != 0 && e.By != want:
			t.Fatalf("seat %d's action was by %s", e.Seat, e.By)
		case i > 0 && e.Seat == 0 && e.At.Sub(events[i-1].At) < 30*time.Second:
			t.Fatalf("ana was given %v only", e.At.Sub(events[i-1].At))
		}
	}
}

func TestAnOutageIsCredited(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana"))
	w.clock.Advance(10 * time.Second)
	w.clock.Skip(time.Hour) // killed, and started again an hour later
	s = w.process()
	want := w.clock.Now().Add(20 * time.Second)
	if v := view(t, s, id, "ana"); v.Deadline.Sub(want).Abs() > time.Second {
		t.Errorf("deadline %v, want about %v", v.Deadline, want)
	}
	w.clock.Advance(18 * time.Second)
	if v := view(t, s, id, "ana"); v.Phase != match.PhaseSeeds {
		t.Error("the time of the outage was not given back")
	}
	w.clock.Advance(3 * time.Second)
	if v := view(t, s, id, "ana"); v.Phase == match.PhaseSeeds {
		t.Error("the turn does not end")
	}
}

func TestAnyProcessGoesOn(t *testing.T) {
	// Processes come and go between any two actions; none hears of the others
	// except through the store.
	w := newWorld(t)
	names := []string{"ana", "bea"}
	processes := []*match.Service{w.process(), w.process()}
	id := w.create(processes[0], rules.Liga.Rules(), players(names...))
	seed(t, processes[1], id, "bea")
	seed(t, processes[0], id, "ana")
	r := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		i := r.IntN(len(processes))
		if r.IntN(10) == 0 {
			processes[i] = w.process()
		}
		s := processes[i]
		if view(t, s, id, "ana").Phase == "over" {
			break
		}
		if !act(t, s, id, names[r.IntN(2)], r) {
			w.clock.Advance(time.Second)
		}
		a, b := view(t, processes[0], id, "ana"), view(t, processes[1], id, "ana")
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("two processes differ:\n%+v\n%+v", a, b)
		}
	}
	if view(t, processes[0], id, "ana").Phase != "over" {
		t.Fatal("the match does not end")
	}
	for i, e := range w.store.logs[id] {
		if e.Seq != i {
			t.Fatalf("entry %d has number %d", i, e.Seq)
		}
	}
}

func TestADeadProcessesTurnIsTakenUp(t *testing.T) {
	w := newWorld(t)
	dead := w.process()
	other := w.process()
	id := w.create(dead, rules.Mesa.Rules(), players("ana"))
	dead.Stop()
	w.clock.Advance(40 * time.Second)
	if v := view(t, other, id, "ana"); v.Phase == match.PhaseSeeds {
		t.Error("nobody took up the turn of the process that died")
	}
}

func TestObservedEntriesAreFoldedInAndGapsHealed(t *testing.T) {
	w := newWorld(t)
	writer, reader := w.process(), w.process()
	names := []string{"ana", "bea", "carla", "dora"}
	id := w.create(writer, rules.Clasica.Rules(), players(names...))
	view(t, reader, id, "ana") // the reader has the match from here on
	seed(t, writer, id, names...)
	r := rand.New(rand.NewPCG(5, 5))
	playOut(t, w, writer, id, r, names...)
	got := 0
	for i, e := range w.announced {
		if i%7 == 3 {
			continue // lost on the bus
		}
		reader.Observe(id, e)
		events, v, err := reader.Since(ctx, id, "ana", got, e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if got++; e.Seq != got {
				t.Fatalf("event %d after event %d", e.Seq, got-1)
			}
		}
		if v.Seq != got {
			t.Fatalf("view at %d, events at %d", v.Seq, got)
		}
	}
	if got != view(t, writer, id, "ana").Seq {
		t.Errorf("the reader was shown %d events", got)
	}
}

func TestAWriteThatFailsIsSaidAndCanBeTriedAgain(t *testing.T) {
	for _, kept := range []bool{false, true} {
		w := newWorld(t)
		s := w.process()
		names := []string{"ana", "bea", "carla", "dora"}
		id := w.create(s, rules.Clasica.Rules(), players(names...))
		seed(t, s, id, names...)
		name := names[view(t, s, id, "ana").Game.Turn]
		seq := view(t, s, id, name).Seq
		w.store.fail, w.store.failAfter = errors.New("disk full"), kept
		if _, err := s.Act(ctx, id, name, seq, "pass"); code(err) != "unavailable" {
			t.Fatalf("kept %v: %v", kept, err)
		}
		v, err := s.Act(ctx, id, name, seq, "pass")
		if err != nil || v.Seq != seq+1 || len(w.store.logs[id]) != seq+1 {
			t.Fatalf("kept %v, tried again: seq %d → %d, %d entries, %v", kept, seq, v.Seq, len(w.store.logs[id]), err)
		}
	}
}

func TestATurnThatCannotBeSavedIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana"))
	w.store.fail = errors.New("disk full")
	w.clock.Advance(32 * time.Second)
	if v := view(t, s, id, "ana"); v.Phase == match.PhaseSeeds {
		t.Error("the turn was given up")
	}
}

func TestSilenceIsShownToNobodyElse(t *testing.T) {
	names := []string{"ana", "bea", "carla", "dora"}
	silences := 0
	for i := range 10 {
		w := newWorld(t)
		s := w.process()
		id := w.create(s, rules.Clasica.Rules(), players(names...))
		seed(t, s, id, names...)
		r := rand.New(rand.NewPCG(uint64(i), 9))
		for {
			var views [4]match.View
			asked := -1
			for seat, name := range names {
				views[seat] = view(t, s, id, name)
				if views[seat].Game.Legal.Has(rules.Silent) {
					asked = seat
				}
			}
			if views[0].Phase == "over" {
				break
			}
			if asked < 0 {
				turn := views[0].Game.Turn // nobody bids: only then is anybody asked
				if views[0].Phase != "bid" {
					act(t, s, id, names[turn], r)
				} else if _, err := s.Act(ctx, id, names[turn], views[turn].Seq, "pass"); err != nil {
					t.Fatal(err)
				}
				continue
			}
			silences++
			w.clock.Advance(time.Second)
			if _, err := s.Act(ctx, id, names[asked], views[asked].Seq, "silent"); err != nil {
				t.Fatal(err)
			}
			for seat, name := range names {
				events, now, err := s.Since(ctx, id, name, views[seat].Seq, match.AskStore)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case seat == asked:
					if len(events) != 1 {
						t.Fatalf("who kept silent was shown %d events", len(events))
					}
				case len(events) != 0:
					t.Fatalf("seat %d was shown that seat %d kept silent", seat, asked)
				case now.Game.Legal == 0 && !reflect.DeepEqual(now, views[seat]):
					t.Fatalf("seat %d's view changed by a silence:\n%+v\n%+v", seat, views[seat], now)
				}
			}
		}
	}
	if silences == 0 {
		t.Fatal("nobody kept silent")
	}
}

func TestBotsOfAMatchPlayTheSameAgain(t *testing.T) {
	w := newWorld(t)
	s := w.process()
	id := w.create(s, rules.Mesa.Rules(), players("ana"))
	w.clock.Advance(6 * time.Hour)
	rec, err := s.Record(ctx, id, "ana")
	if err != nil {
		t.Fatal(err)
	}
	m := rules.NewMatch(rec.Rules)
	passes := 0
	for _, h := range rec.Hands {
		m.Deal(h.Dealer, &h.Deal, h.Trump)
		for _, a := range h.Actions {
			var v rules.View
			m.View(m.Turn(), &v)
			if c, _ := bot.Choose(bot.Tabernero, &v, 1); v.Phase == rules.PhasePlay && c != a {
				t.Fatalf("a bot played %s where its level plays %s", a, c)
			}
			m.Apply(rules.NoSeat, a)
			passes++
		}
	}
	if passes == 0 {
		t.Fatal("nothing was played")
	}
}
