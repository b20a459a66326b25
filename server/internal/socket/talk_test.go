package socket_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/talk"
)

// What is said at a table is heard there, by whoever wants to hear it, on every device,
// and by nobody else.
func TestTalk(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	var clients []*client
	for _, p := range append(players[:], players[0]) {
		c := s.join(p, id, 0)
		c.expect("snapshot", "")
		clients = append(clients, c)
	}
	ana, bea, carla, dora, tablet := clients[0], clients[1], clients[2], clients[3], clients[4]
	say := func(c *client, line string) {
		t.Helper()
		c.send(map[string]any{"type": "talk", "id": 1, "match": id, "say": line})
		if heard := c.either("result", "", "said", ""); heard.Say != line {
			t.Fatalf("the speaker hears %s", heard.raw)
		}
	}
	hears := func(seat int, line string, who ...*client) {
		t.Helper()
		for _, c := range who {
			if f := c.expect("said", ""); f.Seat != seat || f.Say != line || f.Topic != "match:"+id {
				t.Fatalf("heard %s, want %s of seat %d", f.raw, line, seat)
			}
		}
	}
	say(ana, "hello")
	hears(0, "hello", bea, carla, dora, tablet)

	// Who does not want to hear her hears what comes next, and nothing of hers.
	if err := s.talk.Mute(t.Context(), id, players[1], 0, true); err != nil {
		t.Fatal(err)
	}
	ties := people.New(s.store, s.now, func(notice.Notice) {})
	if err := ties.Block(t.Context(), players[3], players[0]); err != nil {
		t.Fatal(err)
	}
	say(ana, "clap")
	hears(0, "clap", carla, tablet)
	say(carla, "wow")
	hears(2, "wow", ana, tablet, bea, dora)
	say(dora, "fire") // a block works both ways, a mute one way
	hears(3, "fire", bea, carla)
	say(bea, "heart")
	hears(1, "heart", ana, tablet, carla, dora)

	// Nobody else has a voice at this table, and who has nothing to say says nothing.
	eva := s.dial()
	eva.send(map[string]any{"type": "hello", "token": s.player("Eva")})
	eva.expect("welcome", "")
	eva.send(map[string]any{"type": "talk", "id": 2, "match": id, "say": "hello"})
	eva.expect("error", "forbidden")
	bea.send(map[string]any{"type": "talk", "id": 3, "match": id, "say": "anything else"})
	bea.expect("error", "invalid_request")
	bea.send(map[string]any{"type": "talk", "id": 4, "match": "01890a5d-ac96-774b-bcce-b302099a8057", "say": "hello"})
	bea.expect("error", "not_found")
	for range talk.Burst - 1 {
		say(carla, "thanks")
		hears(2, "thanks", ana, tablet, bea, dora)
	}
	carla.send(map[string]any{"type": "talk", "id": 5, "match": id, "say": "thanks"})
	carla.expect("error", "rate_limited")
	s.skew.Add(int64(talk.Every))
	say(carla, "goodbye")
	hears(2, "goodbye", ana, tablet, bea, dora)
	if n := eva.s.hub.Len(); n != 6 {
		t.Errorf("%d sockets are open", n)
	}
}
