package socket_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// garbled is a player's socket that is sent anything.
type garbled struct {
	s             *salon
	match, player string
}

func newGarbled(t testing.TB, db *store.Store) *garbled {
	g := &garbled{s: newSalonOn(t, db, "")}
	id, players := g.s.table()
	g.match, g.player = id, players[0]
	return g
}

// send sends the frame on a socket of its own and fails unless what comes back is a
// frame of asyncapi.yaml with an error that is the client's.
func (g *garbled) send(t testing.TB, kind int, data []byte, welcomed bool) {
	t.Helper()
	ws, res, err := websocket.DefaultDialer.DialContext(t.Context(), g.s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	defer ws.Close()
	s := *g.s
	s.t = t
	c := &client{&s, ws}
	last := []byte(`{"type":"ping","id":"the last"}`)
	if welcomed {
		c.send(map[string]any{"type": "hello", "token": g.player})
	}
	// The server may hang up at once.
	_ = ws.WriteMessage(kind, data)
	_ = ws.WriteMessage(websocket.TextMessage, last)
	for {
		_, text, err := ws.ReadMessage()
		if err != nil {
			// A frame may be too large. The next socket tells whether all is well.
			if len(data) <= 8<<10 {
				t.Errorf("hung up after %.300q: %v", data, err)
			}
			return
		}
		var f frame
		if err := json.Unmarshal(text, &f); err != nil {
			t.Errorf("%q after %.300q", text, data)
			return
		}
		s.conforms(text)
		if f.Code == "internal" || f.Code == "unavailable" {
			t.Errorf("%s after %.300q", text, data)
		}
		if string(f.ID) == `"the last"` {
			return
		}
	}
}

func (g *garbled) seeds() []string {
	id, player := g.match, g.player
	return []string{
		`{"type":"hello","id":1,"token":"` + player + `","topics":{"match:` + id + `":0}}`,
		`{"type":"hello","id":1,"token":"\u0000"}`,
		`{"type":"subscribe","id":2,"topic":"match:` + id + `","seq":0}`,
		`{"type":"subscribe","id":2,"topic":"match:` + id + `","seq":-9223372036854775808}`,
		`{"type":"subscribe","id":2,"topic":"match:\u0000"}`,
		`{"type":"subscribe","id":2,"topic":"match:` + strings.Repeat("a", 4000) + `"}`,
		"{\"type\":\"subscribe\",\"id\":2,\"topic\":\"match:\xff\"}",
		`{"type":"unsubscribe","id":3,"topic":"match:` + id + `"}`,
		`{"type":"unsubscribe","id":3,"topic":""}`,
		`{"type":"act","id":4,"match":"` + id + `","seq":0,"action":"pass"}`,
		`{"type":"act","id":4,"match":"` + id + `","seq":9223372036854775807,"action":"\ud800"}`,
		`{"type":"act","id":4,"match":"\u0000","seq":0,"action":"RE"}`,
		`{"type":"act","id":4,"match":"'","seq":0}`,
		`{"type":"act","id":4,"seq":1.5}`,
		`{"type":"seed","id":5,"match":"` + id + `","seed":"\u0000"}`,
		`{"type":"seed","id":5,"match":"` + id + `","seed":"` + strings.Repeat("s", 5000) + `"}`,
		`{"type":"seed","id":5,"match":"` + id + `","seed":""}`,
		`{"type":"ping","id":{"a":[1,2,{"b":null}]}}`,
		`{"type":"ping","id":"` + strings.Repeat("i", 8000) + `"}`,
		`{"type":null}`, `null`, `[]`, `{}`, ``, `{`, `"hello"`, `1e999`, "\x00", "\xff\xfe", strings.Repeat("[", 8000), strings.Repeat("x", 9000),
	}
}

// Whatever frame is sent, before hello and after it, the answer is a frame of the
// contract, and the failure is the client's.
func TestGarbledFrames(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		g := newGarbled(t, db)
		for _, text := range g.seeds() {
			for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
				g.send(t, kind, []byte(text), false)
				g.send(t, kind, []byte(text), true)
			}
		}
	})
}

// FuzzFrames sends whatever the fuzzer thinks of.
func FuzzFrames(f *testing.F) {
	g := newGarbled(f, storetest.New(f, store.SQLite))
	for _, text := range g.seeds() {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, welcomed bool) {
		g.send(t, websocket.TextMessage, data, welcomed)
	})
}
