package socket_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"
	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v4"

	fiberws "github.com/gofiber/contrib/websocket"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// salon is a server with sockets, whose access tokens are the players' own ids.
type salon struct {
	t           testing.TB
	store       *store.Store
	matches     *match.Service
	notices     *notice.Service
	engagements *engagement.Service
	rooms       *room.Service
	talk        *talk.Service
	hub         *socket.Hub
	url         string
	frames      *openapi3.T
	skew        *atomic.Int64 // how far the rooms' clock is ahead, in nanoseconds
}

func (s *salon) now() time.Time { return time.Now().Add(time.Duration(s.skew.Load())) }

func newSalon(t testing.TB) *salon {
	t.Helper()
	return newSalonOn(t, storetest.New(t, store.SQLite), "")
}

// newSalonOn is one process over a store and a bus that others may share.
func newSalonOn(t testing.TB, db *store.Store, natsURL string) *salon {
	t.Helper()
	s := &salon{t: t, store: db, frames: frameSchemas(t), skew: new(atomic.Int64)}
	news, err := bus.Open(natsURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(news.Close)
	s.matches = match.New(s.store, clock.Wall{}, news.Publish)
	authenticate := func(token string) (account.Caller, error) {
		if !strings.HasPrefix(token, "0") {
			return account.Caller{}, fault.New(fault.Unauthenticated, "The access token is not valid.")
		}
		return account.Caller{PlayerID: token, SessionID: "session of " + token}, nil
	}
	s.hub = socket.NewHub(s.matches, authenticate, rest.AppendView)
	if err := news.Subscribe(func(ctx context.Context, id string, e match.Entry) {
		s.matches.Observe(id, e)
		s.hub.Notify(ctx, id, e.Seq)
	}); err != nil {
		t.Fatal(err)
	}
	s.notices = notice.New(s.store, time.Now, news.PublishNotice)
	s.hub.ServeNotices(s.notices, func(n notice.Notice, inbox notice.Inbox) any { return rest.NoticeJSON(n, inbox) })
	if err := news.SubscribeNotices(s.hub.NotifyNotices); err != nil {
		t.Fatal(err)
	}
	s.engagements = engagement.New(s.store, news.PublishEngagement)
	s.rooms = room.New(room.Options{
		Store: s.store, Matches: s.matches, Economy: func(context.Context) (int, error) { return 1, nil },
		Now: s.now, Random: rand.Reader, Tell: s.engagements.Announce, Announce: s.notices.Announce,
	})
	places := rest.Places{Rooms: s.rooms}
	s.hub.ServeEngagements(s.engagements, func(ctx context.Context, e engagement.Engagement) (any, error) {
		return places.EngagementJSON(ctx, e)
	})
	if err := news.SubscribeEngagements(s.hub.NotifyEngagement); err != nil {
		t.Fatal(err)
	}
	talking := talk.New(s.matches, s.store, s.now, news.PublishTalk)
	s.hub.ServeTalk(talking)
	s.talk = talking
	if err := news.SubscribeTalk(s.hub.Hear); err != nil {
		t.Fatal(err)
	}
	if err := s.matches.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.matches.Stop)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/v1/stream", fiberws.New(s.hub.Serve))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = app.Listener(l) }()
	t.Cleanup(func() { _ = app.Shutdown() })
	t.Cleanup(s.hub.Close)
	s.url = "ws://" + l.Addr().String() + "/v1/stream"
	return s
}

// frameSchemas reads the frames' schemas from asyncapi.yaml. They are written so
// that they mean the same in OpenAPI.
func frameSchemas(t testing.TB) *openapi3.T {
	t.Helper()
	var async struct {
		Components struct {
			Schemas map[string]any `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(cuatrola.AsyncAPI, &async); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "frames", "version": "1"}, "paths": map[string]any{},
		"components": map[string]any{"schemas": async.Components.Schemas},
	})
	if err != nil {
		t.Fatal(err)
	}
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
		if strings.HasSuffix(u.Path, "openapi.yaml") {
			return cuatrola.OpenAPI, nil
		}
		return nil, fmt.Errorf("asyncapi.yaml refers to %s", u)
	}
	doc, err := loader.LoadFromDataWithPath(text, &url.URL{Path: "frames.json"})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// conforms fails unless the frame is as asyncapi.yaml describes its type.
func (s *salon) conforms(frame []byte) {
	s.t.Helper()
	var value map[string]any
	if err := json.Unmarshal(frame, &value); err != nil {
		s.t.Fatal(err)
	}
	name, _ := value["type"].(string)
	schema := s.frames.Components.Schemas[strings.ToUpper(name[:1])+name[1:]]
	if schema == nil {
		s.t.Errorf("asyncapi.yaml has no frame %q", name)
		return
	}
	if err := schema.Value.VisitJSON(value); err != nil {
		s.t.Errorf("%s\n%v", frame, err)
	}
	for member := range value {
		if schema.Value.Properties[member] == nil {
			s.t.Errorf("asyncapi.yaml does not know %q of %s", member, name)
		}
	}
}

// TestExamples: what asyncapi.yaml shows is what it describes.
func TestExamples(t *testing.T) {
	s := &salon{t: t, frames: frameSchemas(t)}
	var async struct {
		Components struct {
			Messages map[string]struct {
				Examples []struct {
					Payload any `yaml:"payload"`
				} `yaml:"examples"`
			} `yaml:"messages"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(cuatrola.AsyncAPI, &async); err != nil {
		t.Fatal(err)
	}
	for name, m := range async.Components.Messages {
		for _, e := range m.Examples {
			text, err := json.Marshal(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			s.conforms(text)
		}
		if s.frames.Components.Schemas[strings.ToUpper(name[:1])+name[1:]] == nil {
			t.Errorf("no schema for %s", name)
		}
	}
}

func (s *salon) player(name string) string {
	s.t.Helper()
	id := fmt.Sprintf("01890a5d-ac96-774b-bcce-%012x", time.Now().UnixNano()&0xffffffffffff)
	p := account.Player{ID: id, Name: name, Guest: true, Avatar: "AO", Language: "es", CreatedAt: time.Now()}
	d := account.Device{ID: id, PlayerID: id, CreatedAt: time.Now()}
	copy(d.SecretHash[:], id)
	if err := s.store.CreateGuest(s.t.Context(), p, d, account.Session{ID: id, PlayerID: id, TokenHash: d.SecretHash}); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// table makes a match of four people.
func (s *salon) table() (id string, players [rules.Seats]string) {
	s.t.Helper()
	var seats [rules.Seats]match.Seat
	for i := range seats {
		players[i] = s.player(fmt.Sprint("Player ", i))
		seats[i] = match.Seat{PlayerID: players[i], Name: fmt.Sprint("Player ", i)}
	}
	rs := rules.Mesa.Rules()
	rs.Target = 1
	_, err := s.matches.Create(s.t.Context(), match.Setup{Rules: rs, Seats: seats, TurnTime: match.MaxTurnTime},
		func(v match.View) (*match.Answer, error) {
			id = v.ID
			return &match.Answer{}, nil
		})
	if err != nil {
		s.t.Fatal(err)
	}
	return id, players
}

// client is one socket.
type client struct {
	s  *salon
	ws *websocket.Conn
}

// frame is any frame from the server.
type frame struct {
	Type   string
	ID     json.RawMessage
	Topic  string
	Seq    int
	Seat   int
	Action string
	Say    string
	Seed   *string
	View   *rest.View
	Notice *rest.Notice
	Unread *int
	// Engagement is what its player is taken up with.
	Engagement *rest.Engagement
	Code       string
	Player     string
	raw        string
}

func (s *salon) dial() *client {
	s.t.Helper()
	ws, res, err := websocket.DefaultDialer.DialContext(s.t.Context(), s.url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = res.Body.Close()
	s.t.Cleanup(func() { _ = ws.Close() })
	return &client{s, ws}
}

// join says hello and follows the match from an event on.
func (s *salon) join(player, matchID string, seq int) *client {
	s.t.Helper()
	c := s.dial()
	c.send(map[string]any{"type": "hello", "token": player, "topics": map[string]int{"match:" + matchID: seq}})
	if f := c.next(); f.Type != "welcome" || f.Player != player {
		s.t.Fatalf("after hello: %s", f.raw)
	}
	return c
}

func (c *client) send(f any) {
	c.s.t.Helper()
	if err := c.ws.WriteJSON(f); err != nil {
		c.s.t.Fatal(err)
	}
}

func (c *client) next() frame {
	c.s.t.Helper()
	f, err := c.read()
	if err != nil {
		c.s.t.Fatal(err)
	}
	return f
}

func (c *client) read() (frame, error) {
	_, data, err := c.ws.ReadMessage()
	if err != nil {
		return frame{}, err
	}
	c.s.conforms(data)
	f := frame{raw: string(data)}
	return f, json.Unmarshal(data, &f)
}

func (c *client) expect(kind, code string) frame {
	c.s.t.Helper()
	f := c.next()
	if f.Type != kind || f.Code != code {
		c.s.t.Fatalf("got %s, want %s %s", f.raw, kind, code)
	}
	return f
}

// either expects two frames that may come in either order, and gives the second.
func (c *client) either(kind1, code1, kind2, code2 string) frame {
	c.s.t.Helper()
	a, b := c.next(), c.next()
	if a.Type == kind2 {
		a, b = b, a
	}
	if a.Type != kind1 || a.Code != code1 || b.Type != kind2 || b.Code != code2 {
		c.s.t.Fatalf("got %s and %s, want %s %s and %s %s", a.raw, b.raw, kind1, code1, kind2, code2)
	}
	return b
}

// A session that is signed out takes its sockets with it, and no others.
func TestEndSessions(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	first, second, other := s.join(players[0], id, 0), s.join(players[0], id, 0), s.join(players[1], id, 0)
	for _, c := range []*client{first, second, other} {
		c.expect("snapshot", "")
	}
	s.hub.EndSessions([]string{"session of " + players[0], "session of nobody"}, fault.SessionEnded)
	for _, c := range []*client{first, second} {
		c.expect("bye", "session_ended")
		if _, err := c.read(); err == nil {
			t.Error("the socket is still open")
		}
	}
	other.send(map[string]any{"type": "ping"})
	other.expect("pong", "")
}

func TestHello(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()

	c := s.dial()
	c.send(map[string]any{"type": "ping", "id": 1})
	c.expect("error", "unauthenticated")
	c.send(map[string]any{"type": "hello", "token": "nobody", "id": 2})
	if f := c.expect("error", "unauthenticated"); string(f.ID) != "2" {
		t.Errorf("answers %s", f.raw)
	}
	c.send(map[string]any{"type": "hello", "token": players[0]})
	c.expect("welcome", "")
	c.send(map[string]any{"type": "hello", "token": players[1], "id": "three"})
	if f := c.expect("error", "invalid_request"); string(f.ID) != `"three"` {
		t.Errorf("answers %s", f.raw)
	}
	c.send(map[string]any{"type": "ping", "id": 4})
	if f := c.expect("pong", ""); string(f.ID) != "4" {
		t.Errorf("answers %s", f.raw)
	}
	c.send(map[string]any{"type": "dance"})
	c.expect("error", "invalid_request")
	for _, text := range []string{"{", "{\"type\":\"ping\",\"action\":\"\xff\"}"} {
		if err := c.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			t.Fatal(err)
		}
		c.expect("error", "invalid_request")
	}
	c.send(map[string]any{"type": "subscribe", "topic": "chat:1", "id": 5})
	c.expect("error", "invalid_request")
	c.send(map[string]any{"type": "subscribe", "topic": "match:" + id, "id": 6})
	if f := c.either("result", "", "snapshot", ""); f.View.MatchID != id || *f.View.You != 0 {
		t.Errorf("a snapshot of %s", f.raw)
	}
	c.send(map[string]any{"type": "unsubscribe", "topic": "match:" + id, "id": 7})
	c.expect("result", "")

	// Of another's match there is nothing to hear.
	stranger := s.join(s.player("Stranger"), id, 0)
	stranger.expect("error", "forbidden")
	stranger.send(map[string]any{"type": "act", "match": id, "seq": 0, "action": "pass", "id": 8})
	stranger.expect("error", "forbidden")
	stranger.send(map[string]any{"type": "subscribe", "topic": "match:00000000-0000-7000-8000-000000000000", "id": 9})
	if f := stranger.expect("error", "not_found"); string(f.ID) != "9" {
		t.Errorf("answers %s", f.raw)
	}

	// A request that is no upgrade.
	res, err := http.Get("http" + strings.TrimPrefix(s.url, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("without an upgrade: %d", res.StatusCode)
	}
}

// A client that does not say who it is loses its socket, however much it says
// besides; one that has said it keeps its own.
func TestHelloIsDue(t *testing.T) {
	s := newSalon(t)
	s.hub.SetHelloTimeout(2 * time.Second)
	id, players := s.table()
	known := s.join(players[0], id, 0)
	known.expect("snapshot", "")
	stranger := s.dial()
	for {
		if err := stranger.ws.WriteJSON(map[string]any{"type": "ping"}); err != nil {
			break
		}
		if _, _, err := stranger.ws.ReadMessage(); err != nil {
			break
		}
	}
	known.send(map[string]any{"type": "ping"})
	known.expect("pong", "")
}

// Four people play a hand by socket alone. Each hears of everything once and in
// order, and whoever comes back after any event hears exactly the rest.
func TestPlayAndResume(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	var clients [rules.Seats]*client
	for i, p := range players {
		clients[i] = s.join(p, id, 0)
		clients[i].expect("snapshot", "")
	}
	for i, c := range clients {
		seed := fmt.Sprint("seed ", i)
		c.send(map[string]any{"type": "seed", "match": id, "seed": seed, "id": 1})
		c.send(map[string]any{"type": "seed", "match": id, "seed": seed, "id": 2}) // changes nothing
	}
	// What each has heard, by its number.
	var heard [rules.Seats]map[int]string
	for i := range heard {
		heard[i] = map[int]string{}
	}
	var over [rules.Seats]bool
	step := func(i int) {
		t.Helper()
		f := clients[i].next()
		switch f.Type {
		case "event":
			if n := len(heard[i]) + 1; f.Seq != n {
				t.Fatalf("seat %d: event %d came as the %d.: %s", i, f.Seq, n, f.raw)
			}
			text := f.Action
			if f.Seed != nil {
				text = *f.Seed
			}
			heard[i][f.Seq] = fmt.Sprint(f.Seat, " ", text)
		case "error":
			// Two of one's own at once: the second finds that the match has moved on.
			t.Fatalf("seat %d: %s", i, f.raw)
		}
		if f.View == nil {
			return
		}
		if f.View.Seq != f.Seq {
			t.Errorf("seat %d: the view behind event %d counts %d", i, f.Seq, f.View.Seq)
		}
		over[i] = f.View.Phase == "over"
		if len(f.View.Legal) > 0 {
			act := map[string]any{"type": "act", "match": id, "seq": f.View.Seq, "action": f.View.Legal[0], "id": f.View.Seq}
			clients[i].send(act)
			clients[i].send(act) // the same action
		}
	}
	for i := range clients {
		for !over[i] {
			// Everybody else has to go on too; frames wait in the connection.
			for j := range clients {
				if !over[j] {
					step(j)
				}
			}
		}
	}
	for i := range clients {
		n := len(heard[i])
		if n < 4+4+20 {
			t.Fatalf("seat %d heard of %d events only", i, n)
		}
		for after := 0; after <= n; after += 5 {
			c := s.join(players[i], id, after)
			for seq := after + 1; seq <= n; seq++ {
				f := c.expect("event", "")
				text := f.Action
				if f.Seed != nil {
					text = *f.Seed
				}
				if f.Seq != seq || fmt.Sprint(f.Seat, " ", text) != heard[i][seq] {
					t.Fatalf("seat %d, back after %d: %s, heard before: %s", i, after, f.raw, heard[i][seq])
				}
				if (f.View != nil) != (seq == n) {
					t.Fatalf("seat %d, back after %d of %d: %s", i, after, n, f.raw)
				}
			}
			if after == n {
				c.expect("snapshot", "")
			}
			c.send(map[string]any{"type": "ping"})
			c.expect("pong", "") // and nothing else
			_ = c.ws.Close()
		}
	}
}

// Two processes over one database and one bus: two of the players are at each, and
// so is half of what is done. Nobody can tell.
func TestTwoProcesses(t *testing.T) {
	cluster, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	cluster.Start()
	defer cluster.Shutdown()
	if !cluster.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	o := storetest.Options(t, store.Postgres)
	db := storetest.Open(t, o)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	processes := [2]*salon{
		newSalonOn(t, db, cluster.ClientURL()),
		newSalonOn(t, storetest.Open(t, o), cluster.ClientURL()),
	}
	playOverBoth(t, processes)
}

// playOverBoth plays a match whose players are at one process and the other in turns, and
// fails unless everybody hears of everything once, in order.
func playOverBoth(t *testing.T, processes [2]*salon) {
	t.Helper()
	id, players := processes[0].table()
	var clients [rules.Seats]*client
	for i, p := range players {
		clients[i] = processes[i%2].join(p, id, 0)
		clients[i].expect("snapshot", "")
	}
	for i, c := range clients {
		c.send(map[string]any{"type": "seed", "match": id, "seed": fmt.Sprint("seed ", i), "id": 1})
	}
	var heard, over [rules.Seats]int
	for open := len(clients); open > 0; {
		for i, c := range clients {
			if over[i] > 0 {
				continue
			}
			f := c.next()
			if f.Type == "error" {
				t.Fatalf("seat %d: %s", i, f.raw)
			}
			if f.Type == "event" {
				if heard[i]++; f.Seq != heard[i] {
					t.Fatalf("seat %d: event %d came as the %d.", i, f.Seq, heard[i])
				}
			}
			if f.View == nil {
				continue
			}
			if f.View.Phase == "over" {
				over[i] = f.View.Seq
				open--
			}
			if len(f.View.Legal) > 0 {
				c.send(map[string]any{"type": "act", "match": id, "seq": f.View.Seq, "action": f.View.Legal[0]})
			}
		}
	}
	for i := range over {
		if over[i] != over[0] || over[i] != heard[i] {
			t.Errorf("seat %d heard %d events of %d, seat 0 %d", i, heard[i], over[i], over[0])
		}
	}
}

func TestActRefused(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	c := s.join(players[0], id, 0)
	c.expect("snapshot", "")
	for _, r := range []struct {
		frame map[string]any
		code  string
	}{
		{map[string]any{"type": "act", "match": id, "seq": 0, "action": "pass"}, "wrong_phase"},
		{map[string]any{"type": "act", "match": id, "seq": 7, "action": "pass"}, "stale_sequence"},
		{map[string]any{"type": "act", "match": id, "action": "pass"}, "invalid_request"},
		{map[string]any{"type": "seed", "match": id, "seed": ""}, "invalid_request"},
		{map[string]any{"type": "seed", "match": id, "seed": strings.Repeat("s", 65)}, "invalid_request"},
		{map[string]any{"type": "act", "match": "x", "seq": 0, "action": "pass"}, "not_found"},
	} {
		c.send(r.frame)
		c.expect("error", r.code)
	}
}

// A server that stops tells its clients to come back, and a socket that was
// refused is not held.
func TestClose(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	c := s.join(players[0], id, 0)
	c.expect("snapshot", "")
	closed := make(chan struct{})
	go func() { s.hub.Close(); close(closed) }()
	c.expect("bye", "unavailable")
	if f, err := c.read(); err == nil {
		t.Errorf("after bye: %s", f.raw)
	}
	<-closed
	if n := s.hub.Len(); n != 0 {
		t.Errorf("%d sockets are left", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if ws, res, err := websocket.DefaultDialer.DialContext(ctx, s.url, nil); err == nil {
		_ = res.Body.Close()
		if _, frame, err := ws.ReadMessage(); err == nil && !strings.Contains(string(frame), `"bye"`) {
			t.Errorf("served after Close: %s", frame)
		}
		_ = ws.Close()
	}
}
