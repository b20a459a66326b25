package loadgen

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/tidwall/gjson"

	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	handshakeTimeout = 10 * time.Second
	writeTimeout     = 5 * time.Second
)

// Ten thousand sockets are to cost their client little.
var dialer = websocket.Dialer{HandshakeTimeout: handshakeTimeout, ReadBufferSize: 1024, WriteBufferSize: 1024}

// listen opens a socket and says hello.
func listen(ctx context.Context, base, token string, topics map[string]int) (*websocket.Conn, error) {
	ws, res, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(base, "http")+"/v1/stream", nil)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	if err := send(ws, map[string]any{"type": "hello", "token": token, "topics": topics}); err != nil {
		_ = ws.Close()
		return nil, err
	}
	return ws, nil
}

// send writes a frame. One goroutine may at a time.
func send(ws *websocket.Conn, frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	_ = ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	return ws.WriteMessage(websocket.TextMessage, data)
}

// frame is what the tables need of what they hear. Every seat hears every event, so
// it is read in one go.
type frame struct {
	kind       string // its type
	id         int
	topic      string
	seq        int
	event      event
	code       string
	view       *view
	unreadable bool
}

// event is something that happened in a match, as all seats hear it.
type event struct {
	kind   string
	seat   int
	action string
	by     string
}

// view is what a seat is shown.
type view struct {
	seq        int
	phase      string
	turn       int // -1: nobody's
	legal      []string
	cards      rules.Cards
	trump      rules.Card
	dealer     int
	score      [2]int
	table      []string // the cards of the open trick
	unreadable string   // what of it cannot be read
}

// readFrame reads a frame, and of its view all that is checked, if whole.
func readFrame(data []byte, whole bool) frame {
	var f frame
	if !gjson.ValidBytes(data) {
		return frame{unreadable: true}
	}
	gjson.ParseBytes(data).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			f.kind = value.Str
		case "id":
			f.id = int(value.Int())
		case "topic":
			f.topic = value.Str
		case "seq":
			f.seq = int(value.Int())
		case "kind":
			f.event.kind = value.Str
		case "seat":
			f.event.seat = int(value.Int())
		case "action":
			f.event.action = value.Str
		case "by":
			f.event.by = value.Str
		case "code":
			f.code = value.Str
		case "view":
			f.view = readView(value, whole)
		}
		return true
	})
	return f
}

func readView(all gjson.Result, whole bool) *view {
	v := &view{turn: -1, dealer: -1, trump: rules.NoCard}
	card := func(value gjson.Result) rules.Card {
		c, ok := rules.ParseCard(value.Str)
		if !ok {
			v.unreadable = value.Raw
		}
		return c
	}
	all.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "seq":
			v.seq = int(value.Int())
		case "phase":
			v.phase = value.Str
		case "legal":
			for _, a := range value.Array() {
				v.legal = append(v.legal, a.Str)
			}
		case "turn":
			if value.Type == gjson.Number {
				v.turn = int(value.Int())
			}
		}
		if !whole {
			return true
		}
		switch key.Str {
		case "dealer":
			if value.Type == gjson.Number {
				v.dealer = int(value.Int())
			}
		case "trump":
			if value.Type == gjson.String {
				v.trump = card(value)
			}
		case "cards":
			for _, c := range value.Array() {
				v.cards |= rules.Of(card(c))
			}
		case "trick":
			for _, c := range value.Get("cards").Array() {
				v.table = append(v.table, c.Get("card").Str)
			}
		case "score":
			for i, n := range value.Array() {
				if i < len(v.score) {
					v.score[i] = int(n.Int())
				}
			}
		}
		return true
	})
	return v
}
