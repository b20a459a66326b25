package socket_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// apart are two processes over one database whose buses never meet: whatever one of them
// says is lost to the other.
func apart(t *testing.T) [2]*salon {
	o := storetest.Options(t, store.Postgres)
	db := storetest.Open(t, o)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return [2]*salon{newSalonOn(t, db, ""), newSalonOn(t, storetest.Open(t, o), "")}
}

// A match is played to its end when every message between the processes is lost.
func TestHealMatch(t *testing.T) {
	processes := apart(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, len(processes))
	for _, p := range processes {
		go func() {
			missed := 0
			for ctx.Err() == nil {
				n, err := p.hub.Heal(ctx, p.store)
				if err != nil && ctx.Err() == nil {
					ended <- err
					return
				}
				missed += n
			}
			if missed == 0 {
				ended <- errors.New("a process missed nothing")
				return
			}
			ended <- nil
		}()
	}
	playOverBoth(t, processes)
	stop()
	for range processes {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// What players are told of, and what they are taken up with, comes too; what is known
// already comes once only.
func TestHealPlayers(t *testing.T) {
	processes := apart(t)
	s, there := processes[0], processes[1]
	ana, ben := s.player("Ana"), s.player("Ben")
	c := there.dial()
	c.send(map[string]any{"type": "hello", "token": ana, "topics": map[string]int{"notices": 0, "engagement": 0}})
	c.expect("welcome", "")
	for _, kind := range []string{c.next().Type, c.next().Type} {
		if kind != "inbox" && kind != "engagement" {
			t.Fatalf("heard %s", kind)
		}
	}
	heal := func() int {
		t.Helper()
		n, err := there.hub.Heal(t.Context(), s.store)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.say(ana, 1)
	s.say(ben, 1)
	heal()
	c.told(1, 1)
	s.say(ana, 1)
	if n := heal(); n != 1 {
		t.Errorf("missed %d messages", n)
	}
	c.told(2, 2)
	if n := heal(); n != 0 {
		t.Errorf("missed %d messages of none", n)
	}
	s.set(ana, "match", "01890a5d-ac96-774b-bcce-b302099a8057", 1)
	heal()
	c.engagement(1, "match")
}

// A database that does not answer is said, and nothing is ended by it.
func TestHealFails(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	c := s.join(players[0], id, 0)
	c.expect("snapshot", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.hub.Heal(ctx, s.store); err == nil {
		t.Error("healed without a database")
	}
	c.send(map[string]any{"type": "ping", "id": 1})
	c.expect("pong", "")
}

// A process that can do nothing for its clients sends them elsewhere, and takes them back
// when it can.
func TestSendAway(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	c := s.join(players[0], id, 0)
	c.expect("snapshot", "")
	s.hub.SendAway()
	c.expect("bye", "unavailable")
	if f, err := c.read(); err == nil {
		t.Errorf("after bye: %s", f.raw)
	}
	c = s.dial()
	c.expect("bye", "unavailable")
	if _, err := c.read(); err == nil {
		t.Error("served while it takes nobody")
	}
	s.hub.TakeBack()
	s.join(players[0], id, 0).expect("snapshot", "")
}
