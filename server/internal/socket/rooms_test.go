package socket_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Whoever is in a room hears of whatever changes there, and why they are no longer
// in it.
func TestRooms(t *testing.T) {
	s := newSalon(t)
	ctx := t.Context()
	ana, ben, carla := s.player("Ana"), s.player("Ben"), s.player("Carla")
	phones := map[string]*client{}
	for _, player := range []string{ana, ben, carla} {
		c := s.dial()
		c.send(map[string]any{"type": "hello", "token": player, "topics": map[string]int{"engagement": 0}})
		c.expect("welcome", "")
		c.engagement(0, "none")
		phones[player] = c
	}
	// until reads states until one is so; those in between may come or not.
	until := func(player string, seq int, kind, reason string, people int) frame {
		t.Helper()
		for {
			f := phones[player].expect("engagement", "")
			if f.Seq < seq {
				continue
			}
			e := f.Engagement
			if f.Seq > seq || string(e.Kind) != kind || string(*e.Reason) != reason || (e.Room == nil) != (people == 0) {
				t.Fatalf("heard %s, want %d %s %s", f.raw, seq, kind, reason)
			}
			if people > 0 {
				for _, seat := range e.Room.Seats {
					if seat.Player != nil {
						people--
					}
				}
				if people != 0 {
					t.Errorf("%d people too few in %s", people, f.raw)
				}
			}
			return f
		}
	}
	done := func(_ room.Room, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	settings := room.Settings{Rules: rules.Liga.Rules(), TurnTime: time.Minute}
	var r room.Room
	_, err := s.rooms.Create(ctx, people.Person{ID: ana}, settings, &match.Answer{}, func(made room.Room) ([]byte, error) { r = made; return nil, nil })
	done(r, err)
	until(ana, 1, "room", "joined", 1)
	done(s.rooms.Join(ctx, ben, r.Code))
	until(ben, 1, "room", "joined", 2)
	until(ana, 2, "room", "joined", 2)
	done(s.rooms.Join(ctx, carla, r.Code))
	until(carla, 1, "room", "joined", 3)
	done(s.rooms.GiveToBot(ctx, r.ID, ana, 3, bot.Tabernero))
	if f := until(ben, 3, "room", "joined", 3); f.Engagement.Room.Seats[3].Taken != "bot" || f.Engagement.Room.Owner != ana || f.Engagement.Room.Code != r.Code {
		t.Errorf("heard %s", f.raw)
	}
	done(r, s.rooms.Remove(ctx, r.ID, ana, carla))
	until(carla, 3, "none", "kicked", 0)
	done(r, s.rooms.Remove(ctx, r.ID, ana, ana))
	until(ana, 6, "none", "left", 0)
	if f := until(ben, 5, "room", "joined", 1); f.Engagement.Room.Owner != ben {
		t.Errorf("heard %s", f.raw)
	}
	s.skew.Store(int64(room.IdleTime))
	if err := s.rooms.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	until(ben, 6, "none", "expired", 0)
}
