package match_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// hasCards says whether a set of cards that is not empty is anywhere in a value.
func hasCards(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if hasCards(v.Field(i)) {
				return true
			}
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if hasCards(v.Index(i)) {
				return true
			}
		}
	default:
		return v.Type() == reflect.TypeFor[rules.Cards]() && !v.IsZero() || v.Type() == reflect.TypeFor[rules.Actions]() && !v.IsZero()
	}
	return false
}

// public are the cards that a table has seen in a hand.
func public(g *rules.View) map[rules.Card]bool {
	cards := map[rules.Card]bool{}
	for _, trick := range append(g.Hand.Tricks[:g.Hand.TrickCount:g.Hand.TrickCount], g.Table) {
		for _, c := range append(trick.Cards[:trick.Count:trick.Count], trick.Best) {
			if c.Valid() {
				cards[c] = true
			}
		}
	}
	return cards
}

// Whoever watches knows no hand: what they are shown holds the trump and the cards that
// were played, and is the same whatever the others are. It says less than any seat's
// own view.
func TestWatchingShowsNoHand(t *testing.T) {
	names := []string{"ana", "bea", "carla", "dora"}
	for i, preset := range rules.Presets() {
		w := newWorld(t)
		s := w.process()
		r := rand.New(rand.NewPCG(uint64(i), 11))
		id := w.create(s, preset.Rules(), players(names...))
		seed(t, s, id, names...)
		for over := false; !over; {
			events, v, err := s.Watch(ctx, id, 0)
			if err != nil {
				t.Fatal(err)
			}
			over = v.Phase == "over"
			if hasCards(reflect.ValueOf(v)) || v.Viewer != rules.Spectator || !over && v.ServerSeed != nil {
				t.Fatalf("shown to whoever watches: %+v", v)
			}
			played := map[rules.Card]bool{}
			for _, e := range events {
				if e.Text == rules.Silent.String() {
					t.Fatalf("told of a silence: %+v", e)
				}
				if c, ok := rules.ParseAction(e.Text).Card(); ok && e.Kind == match.KindAct {
					played[c] = true
				}
			}
			for c := range public(&v.Game) {
				if !played[c] {
					t.Fatalf("%v is shown, and was not played", c)
				}
			}
			var held rules.Cards
			for seat, name := range names {
				own := view(t, s, id, name)
				held |= own.Game.Cards
				// But for what is the seat's own, and for the silences that only it and the
				// winner of a trick notice, it is the same.
				mine, theirs := own.Game, v.Game
				for _, g := range []*rules.View{&mine, &theirs} {
					g.Viewer, g.Cards, g.Legal, g.Phase, g.Turn, g.Seq = 0, 0, 0, 0, 0, 0
				}
				if !reflect.DeepEqual(mine, theirs) {
					t.Fatalf("seat %d sees %+v, whoever watches %+v", seat, mine, theirs)
				}
			}
			for c := range public(&v.Game) {
				if held&(1<<c) != 0 && !over && v.Game.Phase != rules.PhaseDeal {
					t.Fatalf("%v is shown, and somebody holds it", c)
				}
			}
			for _, name := range names {
				if !over && act(t, s, id, name, r) {
					break
				}
			}
		}
		if _, err := s.RecordOf(ctx, id); err != nil {
			t.Error(err)
		}
	}
}

// The list has what is open or over, also on a process that has not heard of it, and a
// match that cannot be read is in it all the same.
func TestList(t *testing.T) {
	w := newWorld(t)
	s, other := w.process(), w.process()
	first := w.create(s, rules.Mesa.Rules(), players("ana"))
	second := w.create(s, rules.Mesa.Rules(), players("bea"))
	third := w.create(s, rules.Mesa.Rules(), players("carla"))
	seed(t, s, first, "ana")
	if err := s.Void(ctx, third, "the power went"); err != nil {
		t.Fatal(err)
	}
	w.store.logs[second] = append(w.store.logs[second], match.Entry{Seq: 0, Kind: "what", At: w.clock.Now()})
	list := func(l match.Listing, want ...string) []match.Seen {
		t.Helper()
		l.Limit = 10
		seen, err := other.List(ctx, l)
		if err != nil || len(seen) != len(want) {
			t.Fatalf("%+v, %v; want %v", seen, err, want)
		}
		for i, m := range seen {
			if m.ID != want[i] {
				t.Fatalf("%s is there, want %s", m.ID, want[i])
			}
		}
		return seen
	}
	open := list(match.Listing{}, second, first)
	if open[0].View != nil {
		t.Errorf("a log that nobody can read shows %+v", open[0].View)
	}
	if v := open[1].View; v == nil || v.Phase == match.PhaseSeeds || v.Deadline.IsZero() {
		t.Errorf("an open match shows %+v", v)
	}
	if over := list(match.Listing{Over: true}, third); over[0].View != nil || over[0].Result.Void != "the power went" {
		t.Errorf("%+v", over[0])
	}
	list(match.Listing{Before: second}, first)
	list(match.Listing{Mode: "staked"})
	if _, _, err := s.Watch(ctx, "none", math.MaxInt); code(err) != "not_found" {
		t.Error(err)
	}
	if _, err := s.RecordOf(ctx, third); code(err) != "match_void" {
		t.Error(err)
	}
	if _, err := s.RecordOf(ctx, first); code(err) != "match_not_over" {
		t.Error(err)
	}
	w.clock.Advance(time.Millisecond)
}
