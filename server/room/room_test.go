package room

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var t0 = time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)

func mesa() Settings {
	return Settings{Rules: rules.Mesa.Rules(), TurnTime: 30 * time.Second, BotPause: time.Second}
}

// newRoom is one with these people, the first its owner.
func newRoom(t *testing.T, names ...string) Room {
	t.Helper()
	r, err := open("r", "ABC234", people.Person{ID: names[0]}, mesa(), t0)
	for i, name := range names[1:] {
		if err == nil {
			r, err = r.join(name, t0.Add(time.Duration(i+1)*time.Second))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shape is who sits where, with the owner in capitals and ! behind whoever is ready.
func shape(r Room) string {
	var out []string
	for _, s := range r.Seats {
		text := "-"
		switch s.Taken {
		case ByPerson:
			if text = s.Person.ID; text == r.OwnerID {
				text = strings.ToUpper(text)
			}
			if s.Ready {
				text += "!"
			}
		case ByBot:
			text = "bot"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// A step is something done to a room; it comes to a shape or a code.
type step struct {
	what string
	do   func(Room) (Room, error)
	want string // a shape, or a code behind a colon
}

func run(t *testing.T, r Room, steps ...step) Room {
	t.Helper()
	for _, s := range steps {
		before := shape(r)
		after, err := s.do(r)
		got := ":" + string(fault.CodeOf(err))
		if err == nil {
			got, r = shape(after), after
		} else if shape(r) != before {
			t.Errorf("%s: refused, and yet %s has become %s", s.what, before, shape(r))
		}
		if got != s.want {
			t.Errorf("%s: %s, want %s", s.what, got, s.want)
		}
	}
	return r
}

func at(minutes int) time.Time { return t0.Add(time.Duration(minutes) * time.Minute) }

func join(who string) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.join(who, at(1)) }
}

func sit(who string, seat rules.Seat) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.sit(who, seat, at(1)) }
}

func swap(who string, a, b rules.Seat) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.swap(who, a, b, at(1)) }
}

func toBot(who string, seat rules.Seat) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.give(who, seat, Seat{Taken: ByBot, Bot: bot.Tabernero}, at(1)) }
}

func clearSeat(who string, seat rules.Seat) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.give(who, seat, Seat{}, at(1)) }
}

func ready(who string, is bool) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.ready(who, is, at(1)) }
}

func leave(who string) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.leave(who, at(1)) }
}

func kick(who, whom string) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.kick(who, whom, at(1)) }
}

func invite(who, whom string) func(Room) (Room, error) {
	return func(r Room) (Room, error) { return r.invite(who, whom, at(1)) }
}

func start(who string) func(Room) (Room, error) {
	return func(r Room) (Room, error) {
		if err := r.mayStart(who, at(1)); err != nil {
			return r, err
		}
		return r.started("m"), nil
	}
}

func over(r Room) (Room, error) { return r.Over(at(20)), nil }

func TestSeats(t *testing.T) {
	run(
		t, newRoom(t, "ana"),
		step{"a second comes", join("ben"), "ANA ben - -"},
		step{"and comes again", join("ben"), "ANA ben - -"},
		step{"a bot opposite", toBot("ana", 2), "ANA ben bot -"},
		step{"a third", join("carla"), "ANA ben bot carla"},
		step{"no fourth, with a bot there", join("dora"), ":room_full"},
		step{"not Ben's to open", clearSeat("ben", 2), ":not_owner"},
		step{"opened", clearSeat("ana", 2), "ANA ben - carla"},
		step{"opened again", clearSeat("ana", 2), "ANA ben - carla"},
		step{"a fourth", join("dora"), "ANA ben dora carla"},
		step{"no fifth", join("eva"), ":room_full"},
		step{"no bot for a person", toBot("ana", 1), ":seat_taken"},
		step{"nor is one cleared away", clearSeat("ana", 1), ":seat_taken"},
		step{"nobody's seat is taken", sit("ben", 3), ":seat_taken"},
		step{"ready", ready("ben", true), "ANA ben! dora carla"},
		step{"one's own seat", sit("ben", 1), "ANA ben! dora carla"},
		step{"a swap asks anew", swap("ana", 0, 1), "ben ANA dora carla"},
		step{"a swap is the owner's", swap("ben", 0, 1), ":not_owner"},
		step{"with itself", swap("ana", 2, 2), "ben ANA dora carla"},
		step{"Dora goes", leave("dora"), "ben ANA - carla"},
		step{"Ben moves", sit("ben", 2), "- ANA ben carla"},
		step{"a bot comes", toBot("ana", 0), "bot ANA ben carla"},
		step{"Ben wants its seat", sit("ben", 0), "ben ANA bot carla"},
		step{"whoever is not there", sit("eva", 3), ":not_found"},
	)
}

func TestOwner(t *testing.T) {
	run(
		t, newRoom(t, "ana", "ben", "carla"),
		step{"the next in time, not by seat", swap("ana", 1, 2), "ANA carla ben -"},
		step{"Ana goes", leave("ana"), "- carla BEN -"},
		step{"Ana has gone", leave("ana"), "- carla BEN -"},
		step{"and comes back", join("ana"), "ana carla BEN -"},
		step{"not hers any more", kick("ana", "carla"), ":not_owner"},
		step{"Carla is put out", kick("ben", "carla"), "ana - BEN -"},
		step{"who is not there", kick("ben", "carla"), ":not_found"},
		step{"and stays out", join("carla"), ":kicked"},
		step{"not Ana's to ask back", invite("ana", "carla"), ":not_owner"},
		step{"asked back", invite("ben", "carla"), "ana - BEN -"},
		step{"is there", join("carla"), "ana carla BEN -"},
		step{"Ben goes", leave("ben"), "ANA carla - -"},
		step{"Carla goes", leave("carla"), "ANA - - -"},
		step{"the last goes", leave("ana"), "- - - -"},
	)
}

func TestStart(t *testing.T) {
	r := run(
		t, newRoom(t, "ana"),
		step{"three are open", start("ana"), ":seats_open"},
		step{"one bot", toBot("ana", 1), "ANA bot - -"},
		step{"two bots", toBot("ana", 2), "ANA bot bot -"},
		step{"three bots", toBot("ana", 3), "ANA bot bot bot"},
		step{"against bots alone", start("ana"), ":room_alone"},
		step{"a seat for Ben", clearSeat("ana", 3), "ANA bot bot -"},
		step{"comes", join("ben"), "ANA bot bot ben"},
		step{"is not ready", start("ana"), ":not_ready"},
		step{"is ready", ready("ben", true), "ANA bot bot ben!"},
		step{"is not after all", ready("ben", false), "ANA bot bot ben"},
		step{"is", ready("ben", true), "ANA bot bot ben!"},
		step{"is not the owner", start("ben"), ":not_owner"},
		step{"begins", start("ana"), "ANA bot bot ben!"},
		step{"has begun", start("ana"), ":room_playing"},
		step{"nobody goes", leave("ben"), ":room_playing"},
		step{"nobody is put out", kick("ana", "ben"), ":room_playing"},
		step{"nobody comes", join("carla"), ":room_playing"},
		step{"those who are there do", join("ben"), "ANA bot bot ben!"},
		step{"over", over, "ANA bot bot ben"},
		step{"asked anew", start("ana"), ":not_ready"},
		step{"is ready", ready("ben", true), "ANA bot bot ben!"},
		step{"once more", start("ana"), "ANA bot bot ben!"},
	)
	if r.MatchID != "m" {
		t.Errorf("plays %q", r.MatchID)
	}
}

func TestSettings(t *testing.T) {
	r := run(t, newRoom(t, "ana", "ben"), step{"ready", ready("ben", true), "ANA ben! - -"})
	for _, c := range []struct {
		who    string
		change func(*Settings)
		code   fault.Code
		field  string
		want   string
	}{
		{"ana", func(*Settings) {}, "", "", "ANA ben! - -"},
		{"ana", func(s *Settings) { s.Rules = rules.Liga.Rules() }, "", "", "ANA ben - -"},
		{"ana", func(s *Settings) { s.Rules.Target = 20 }, "", "", "ANA ben - -"},
		{"ana", func(s *Settings) { s.Rules = rules.Clasica.Rules(); s.Rules.Target = 3 }, "", "", "ANA ben - -"},
		{"ana", func(s *Settings) { s.Rules.Target = 12 }, fault.InvalidRules, "target", ""},
		{"ana", func(s *Settings) { s.Rules.Target = 3 }, fault.InvalidRules, "target", ""}, // hands
		{"ana", func(s *Settings) { s.Rules.Beat = 9 }, fault.InvalidRules, "beat", ""},
		{"ana", func(s *Settings) { s.TurnTime = time.Second }, fault.InvalidRequest, "turnSeconds", ""},
		{"ana", func(s *Settings) { s.BotPause = time.Hour }, fault.InvalidRequest, "botPauseMs", ""},
		{"ben", func(s *Settings) { s.TurnTime = time.Minute }, CodeNotOwner, "", ""},
		{"eva", func(s *Settings) { s.TurnTime = time.Minute }, fault.NotFound, "", ""},
	} {
		s := r.Settings
		c.change(&s)
		after, err := r.set(c.who, s, at(1))
		if fault.CodeOf(err) != c.code {
			t.Errorf("%+v: %v, want %s", s, err, c.code)
			continue
		}
		if f, _ := err.(*fault.Error); f != nil && f.Field != c.field { //nolint:errorlint // not wrapped
			t.Errorf("%+v: field %q, want %q", s, f.Field, c.field)
		}
		if err == nil && (shape(after) != c.want || after.Settings != s) {
			t.Errorf("%+v: %s, %+v", s, shape(after), after.Settings)
		}
	}
	for _, p := range rules.Presets() {
		if s := (Settings{Rules: p.Rules(), TurnTime: time.Minute}); s.check() != nil {
			t.Errorf("%s: %v", p, s.check())
		}
	}
}

func closed(r Room) bool { return r.Closed() }

func TestExpiry(t *testing.T) {
	r := newRoom(t, "ana", "ben") // Ben came a second later
	for _, c := range []struct {
		r      Room
		now    time.Time
		closed bool
	}{
		{r, at(30), false},
		{r, at(31), true},
		{r.started("m"), at(300), false},
		{r.started("m").Over(at(300)), at(329), false},
		{r.started("m").Over(at(300)), at(330), true},
	} {
		if after := c.r.expired(c.now); after.Closed() != c.closed {
			t.Errorf("at %v: %s", c.now, shape(after))
		}
	}
	for name, touch := range map[string]func(Room) (Room, error){
		"ready": ready("ben", true), "sit": sit("ben", 3), "bot": toBot("ana", 2), "join": join("carla"), "leave": leave("ben"),
	} {
		touched, err := touch(r)
		if err != nil || closed(touched.expired(at(30))) || !closed(touched.expired(at(31))) {
			t.Errorf("%s: touched at %v, %v", name, touched.TouchedAt, err)
		}
	}
}

func TestCodes(t *testing.T) {
	dice := rand.NewChaCha8([32]byte{1})
	seen, used := map[string]bool{}, map[rune]bool{}
	for range 2000 {
		code, err := newCode(dice)
		if err != nil || len(code) != codeLength || strings.Trim(code, alphabet) != "" {
			t.Fatalf("code %q, %v", code, err)
		}
		seen[code] = true
		for _, c := range code {
			used[c] = true
		}
	}
	if len(seen) < 1999 || len(used) != 32 || strings.ContainsAny(alphabet, "01IO") {
		t.Errorf("%d codes of %d characters", len(seen), len(used))
	}
	if _, err := newCode(bytes.NewReader(nil)); err == nil {
		t.Error("a code of nothing")
	}
	for text, want := range map[string]string{"abc234": "ABC234", " ab-c2 34 ": "ABC234", "": ""} {
		if got := cleanCode(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestKickedAreBounded(t *testing.T) {
	r := newRoom(t, "ana")
	for i := range maxKicked + 1 {
		who := fmt.Sprint(i)
		var err error
		if r, err = r.join(who, t0); err == nil {
			r, err = r.kick("ana", who, t0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Kicked) != maxKicked || slices.Contains(r.Kicked, "0") {
		t.Errorf("%d are kept out: %v", len(r.Kicked), r.Kicked)
	}
}

// Whatever people do, in whatever order: a room has its owner in it, everybody one
// seat, a match only when it may begin, and what is refused changes nothing.
func TestAnythingGoes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	names := []string{"ana", "ben", "carla", "dora", "eva", "fina"}
	who := func() string { return names[dice.IntN(len(names))] }
	seat := func() rules.Seat { return rules.Seat(dice.IntN(rules.Seats)) }
	started := 0
	for range 300 {
		r := newRoom(t, who())
		now := t0
		for range 200 {
			now = now.Add(time.Second)
			actions := []func(Room) (Room, error){
				join(who()), join(who()), sit(who(), seat()), swap(who(), seat(), seat()), toBot(who(), seat()), clearSeat(who(), seat()),
				ready(who(), dice.IntN(4) > 0), ready(who(), true), leave(who()), kick(who(), who()), invite(who(), who()), start(r.OwnerID),
				func(r Room) (Room, error) {
					s := r.Settings
					s.TurnTime = time.Duration(dice.IntN(40)) * time.Second
					return r.set(who(), s, now)
				},
			}
			if r.MatchID != "" && dice.IntN(4) == 0 {
				actions = []func(Room) (Room, error){over}
			}
			before := r
			before.Kicked = slices.Clone(r.Kicked)
			after, err := actions[dice.IntN(len(actions))](r)
			if !reflect.DeepEqual(before, r) {
				t.Fatalf("a change has changed what it was given: %+v, %+v", before, r)
			}
			if err != nil {
				continue
			}
			if after.MatchID != "" && r.MatchID == "" {
				started++
				if len(after.People()) < 2 || strings.Contains(shape(after), "-") {
					t.Fatalf("begun with %s", shape(after))
				}
				for _, s := range after.Seats {
					if s.Taken == ByPerson && !s.Ready && s.Person.ID != after.OwnerID {
						t.Fatalf("begun with %s", shape(after))
					}
				}
			}
			if r.MatchID != "" && after.MatchID != "" && shape(r) != shape(after) {
				t.Fatalf("changed while it plays: %s, %s", shape(r), shape(after))
			}
			if r = after; r.Closed() {
				break
			}
			invariants(t, r)
		}
	}
	if started < 5 {
		t.Errorf("only %d matches began", started)
	}
}

func invariants(t *testing.T, r Room) {
	t.Helper()
	present := r.People()
	if len(slices.Compact(slices.Sorted(slices.Values(present)))) != len(present) {
		t.Fatalf("somebody sits twice: %s", shape(r))
	}
	if r.SeatOf(r.OwnerID) == rules.NoSeat {
		t.Fatalf("the owner %s is not there: %s", r.OwnerID, shape(r))
	}
	if err := r.Settings.check(); err != nil {
		t.Fatal(err)
	}
	for _, id := range r.Kicked {
		if slices.Contains(present, id) {
			t.Fatalf("%s has been put out, and is there: %s", id, shape(r))
		}
	}
	for _, s := range r.Seats {
		if s.Ready && s.Taken != ByPerson || (s.Taken == ByPerson) == s.Since.IsZero() {
			t.Fatalf("a seat is %+v", s)
		}
	}
}
