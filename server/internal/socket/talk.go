package socket

import (
	"context"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/talk"
)

// Talk is what the socket needs of the domain of what is said at the table.
type Talk interface {
	Say(ctx context.Context, matchID, playerID, code string) error
}

// ServeTalk lets clients say something at their tables. It is called before the first
// socket is served.
func (h *Hub) ServeTalk(t Talk) { h.talk = t }

type said struct {
	Type  string    `json:"type"`
	Topic string    `json:"topic"`
	Seat  int       `json:"seat"`
	Say   string    `json:"say"`
	At    time.Time `json:"at"`
}

// Hear carries what was said to the sockets of those who hear it, if they follow the
// match. It has no number and is not repeated to whoever comes back.
func (h *Hub) Hear(what talk.Said) {
	key := topicKey(matchTopic, what.MatchID)
	frame := said{Type: "said", Topic: key, Seat: int(what.Seat), Say: what.Code, At: what.At}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers[key] {
		if !slices.Contains(what.To, c.player) {
			continue
		}
		select {
		case c.said <- frame:
			c.poke()
		default:
		}
	}
}
