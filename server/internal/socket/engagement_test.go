package socket_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/engagement"
)

// set changes where a player is, as the domains do in their transactions, and tells.
func (s *salon) set(player, kind, place string, seq int) {
	s.t.Helper()
	db, err := s.store.SQL()
	if err != nil {
		s.t.Fatal(err)
	}
	statement := `INSERT INTO engagements (player_id, kind, place_id, seq, reason, since) VALUES ($1, $2, $3, $4, 'joined', 1)
ON CONFLICT (player_id) DO UPDATE SET kind = excluded.kind, place_id = excluded.place_id, seq = excluded.seq`
	if _, err := db.ExecContext(s.t.Context(), statement, player, kind, place, seq); err != nil {
		s.t.Fatal(err)
	}
	s.engagements.Announce(engagement.Change{PlayerID: player, Seq: seq})
}

func (c *client) engagement(seq int, kind string) {
	c.s.t.Helper()
	if f := c.expect("engagement", ""); f.Topic != "engagement" || f.Seq != seq || f.Engagement.Seq != seq || string(f.Engagement.Kind) != kind {
		c.s.t.Fatalf("got %s, want %d %s", f.raw, seq, kind)
	}
}

// A player hears of what they are taken up with, on every device, and comes back to
// it as it is.
func TestEngagement(t *testing.T) {
	const place = "01890a5d-ac96-774b-bcce-b302099a8057"
	s := newSalon(t)
	ana, ben := s.player("Ana"), s.player("Ben")
	follow := func(player string, seq int) *client {
		c := s.dial()
		c.send(map[string]any{"type": "hello", "token": player, "topics": map[string]int{"engagement": seq}})
		c.expect("welcome", "")
		return c
	}
	phone, tablet, other := follow(ana, 0), follow(ana, 0), follow(ben, 0)
	for _, c := range []*client{phone, tablet, other} {
		c.engagement(0, "none")
	}
	s.set(ana, "room", place, 1)
	phone.engagement(1, "room")
	tablet.engagement(1, "room")
	s.set(ana, "match", place, 3) // one was missed, and does not matter
	phone.engagement(3, "match")
	tablet.engagement(3, "match")
	follow(ana, 1).engagement(3, "match")
	follow(ana, 3).engagement(3, "match")

	// Told without a number, the change is read all the same; told twice, it is heard once.
	s.set(ana, "none", "", 4)
	s.engagements.Announce(engagement.Change{PlayerID: ana})
	phone.engagement(4, "none")
	phone.send(map[string]any{"type": "ping"})
	phone.expect("pong", "")
	other.send(map[string]any{"type": "ping"})
	other.expect("pong", "")
}
