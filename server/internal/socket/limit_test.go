package socket_test

import "testing"

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
