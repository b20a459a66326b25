package socket_test

import "testing"

// A player has so many sockets at once, and one more when one has ended.
func TestSocketsOfAPlayer(t *testing.T) {
	s := newSalon(t)
	player := s.player("Ana")
	hello := map[string]any{"type": "hello", "token": player}
	var first *client
	for i := range 20 {
		c := s.dial()
		c.send(hello)
		c.expect("welcome", "")
		if i == 0 {
			first = c
		}
	}
	c := s.dial()
	c.send(hello)
	c.expect("error", "rate_limited")
	other := s.dial()
	other.send(map[string]any{"type": "hello", "token": s.player("Ben")})
	other.expect("welcome", "")
	_ = first.ws.Close()
	for {
		c.send(hello)
		if f := c.next(); f.Type == "welcome" {
			break
		} else if f.Code != "rate_limited" {
			t.Fatalf("%s", f.raw)
		}
	}
}

// Whoever sends too many frames is told so, and shown the door if that does not
// help; frames that are nothing count too.
func TestFrameLimit(t *testing.T) {
	s := newSalon(t)
	s.hub.LimitFrames(1)
	player := s.player("Ana")
	c := s.dial()
	c.send(map[string]any{"type": "hello", "token": player})
	c.expect("welcome", "")
	for range 4 {
		c.send(map[string]any{"type": "ping", "id": 1})
		c.expect("pong", "")
		c.send([]any{"nothing"})
		c.expect("error", "invalid_request")
	}
	refused := 0
	for id := 2; ; id++ {
		c.send(map[string]any{"type": "ping", "id": id})
		f := c.next()
		switch {
		case f.Type == "pong":
		case f.Type == "error" && f.Code == "rate_limited" && len(f.ID) > 0:
			refused++
		case f.Type == "bye" && f.Code == "rate_limited":
			if refused < 100 {
				t.Errorf("shown the door after %d frames too many", refused)
			}
			return
		default:
			t.Fatalf("unexpected: %s", f.raw)
		}
	}
}
