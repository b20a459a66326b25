// Package socket serves /v1/stream, the one WebSocket of a client. A client says
// hello with its access token, subscribes to topics with the number of the last
// event that it has, and gets exactly what it missed and then what happens. Its
// moves may come by the same socket. asyncapi.yaml describes the frames.
//
// Nothing is queued for a slow client: what a topic has sent so far is a number,
// and what is next is read from its feed when the socket can take it.
package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofiber/contrib/websocket"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/jsonnul"
	"github.com/cuatrola/cuatrola/server/internal/logs"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/match"
)

const (
	maxFrame      = 8 << 10
	maxSockets    = 20 // of one player on one process
	maxTopics     = 16
	pingEvery     = 20 * time.Second
	silenceLimit  = 60 * time.Second
	writeTimeout  = 10 * time.Second
	actionTimeout = 15 * time.Second
	// pendingReplies is how many answers may wait for a slow client before its
	// next request is read.
	pendingReplies = 16
	// pendingTalk is how much of what is said may wait for a slow client. More is not
	// heard: it is not kept, and late it would be out of place.
	pendingTalk = 16
)

// Matches is what the socket needs of the domain.
type Matches interface {
	News(ctx context.Context, matchID, playerID string, n, known int) (*match.News, error)
	Act(ctx context.Context, matchID, playerID string, seq int, action string) (match.View, error)
	Seed(ctx context.Context, matchID, playerID, seed string) (match.View, error)
}

// Hub knows the open sockets. Make one with NewHub.
type Hub struct {
	matches      Matches
	authenticate func(accessToken string) (account.Caller, error)
	feeds        map[string]feed // by the kind of topic
	helloTimeout time.Duration   // from opening a socket to saying hello
	firstRetry   time.Duration

	mu       sync.Mutex
	watchers map[string]map[*conn]struct{} // by the topic's key
	sessions map[string]map[*conn]struct{} // by session
	conns    map[*conn]struct{}
	closing  bool
	away     bool // see SendAway
	served   sync.WaitGroup
	// frames is how many frames a second a client may send; 0 is any number.
	frames int
	// players is how many sockets each has that has said hello.
	players map[string]int
	talk    Talk // nil if nothing can be said
	// welcomed is how many sockets have said hello.
	welcomed int
	meter    Meter
	now      func() time.Time
	// crew answers and writes to the sockets.
	crew    *crew
	dismiss sync.Once
}

// Meter counts what happens on the sockets. It must not block.
type Meter interface {
	// Opened tells of a socket, Ended that it is no more, and why if this side ended it.
	Opened()
	Ended(why fault.Code)
	// Read and Sent tell of a frame; kind is one of the contract's, or "other".
	Read(kind string)
	Sent(kind string)
	// Resumed tells of a client that goes on with a topic where it was.
	Resumed(topic string)
	// Told tells how old what happened at a table is when a client is sent it.
	Told(age time.Duration)
}

type noMeter struct{}

func (noMeter) Opened()            {}
func (noMeter) Ended(fault.Code)   {}
func (noMeter) Read(string)        {}
func (noMeter) Sent(string)        {}
func (noMeter) Resumed(string)     {}
func (noMeter) Told(time.Duration) {}

// Count has m count what happens, by the clock that entries are stamped with. It is
// called before the first socket is served.
func (h *Hub) Count(m Meter, now func() time.Time) { h.meter, h.now = m, now }

// NewHub returns a hub. appendView appends a view as JSON in the form that the contract
// has for it, the same as over REST.
func NewHub(m Matches, authenticate func(string) (account.Caller, error), appendView func([]byte, *match.View) []byte) *Hub {
	return &Hub{
		matches: m, authenticate: authenticate, feeds: map[string]feed{matchTopic: &matchFeed{m, appendView}},
		watchers: make(map[string]map[*conn]struct{}), sessions: make(map[string]map[*conn]struct{}),
		conns: make(map[*conn]struct{}), helloTimeout: 10 * time.Second, firstRetry: firstRetry, meter: noMeter{}, now: time.Now, crew: newCrew(),
	}
}

const (
	// frameBurst is for how many seconds a client may have saved up frames.
	frameBurst = 10
	// maxRefused is how many frames in a row are refused before the socket is ended.
	maxRefused = 100
)

// LimitFrames sets how many frames a second a client may send from now on, with as
// many as ten seconds' frames at once; 0, the default, is any number. It is called
// before the first socket is served.
func (h *Hub) LimitFrames(perSecond int) { h.frames = perSecond }

// Notify says that a match's log has got an entry.
func (h *Hub) Notify(ctx context.Context, matchID string, seq int) {
	h.notify(topicKey(matchTopic, matchID), seq, tracing.Of(ctx))
}

func (h *Hub) notify(key string, seq int, of trace.SpanContext) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers[key] {
		c.notify(key, seq, of)
	}
}

// EndSessions ends the sockets of sessions that have ended, and says why. Authenticate
// has to refuse their access tokens already.
func (h *Hub) EndSessions(ids []string, why fault.Code) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		for c := range h.sessions[id] {
			c.leave(why)
		}
	}
}

// enter registers a socket as its session's.
func (h *Hub) enter(c *conn, sessionID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exit(c)
	c.session = sessionID
	if h.sessions[sessionID] == nil {
		h.sessions[sessionID] = make(map[*conn]struct{})
	}
	h.sessions[sessionID][c] = struct{}{}
}

// exit is called with mu held.
func (h *Hub) exit(c *conn) {
	delete(h.sessions[c.session], c)
	if len(h.sessions[c.session]) == 0 {
		delete(h.sessions, c.session)
	}
}

// Len is the number of open sockets.
func (h *Hub) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

// Greeting is how many of the open sockets have not said hello yet.
func (h *Hub) Greeting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns) - h.welcomed
}

// Close tells all clients to come back elsewhere, ends their sockets and waits
// until they are served no more.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closing = true
	for c := range h.conns {
		c.leave(fault.Unavailable)
	}
	h.mu.Unlock()
	h.served.Wait()
	h.dismiss.Do(h.crew.dismiss)
}

// SendAway ends all sockets as Close does, and takes no other until TakeBack: for a
// process that can do nothing for them while others can.
func (h *Hub) SendAway() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.away = true
	for c := range h.conns {
		c.leave(fault.Unavailable)
	}
}

// TakeBack takes sockets again after SendAway.
func (h *Hub) TakeBack() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.away = false
}

// add registers a socket; false if the hub takes none.
func (h *Hub) add(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing || h.away {
		return false
	}
	h.conns[c] = struct{}{}
	h.served.Add(1)
	h.meter.Opened()
	return true
}

// admit counts a socket of the player's; false if there are too many.
func (h *Hub) admit(playerID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.players[playerID] >= maxSockets {
		return false
	}
	if h.players == nil {
		h.players = make(map[string]int)
	}
	h.players[playerID]++
	h.welcomed++
	return true
}

func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key := range c.topics {
		h.unwatch(key, c)
	}
	h.exit(c)
	if c.player != "" {
		h.welcomed--
		if h.players[c.player]--; h.players[c.player] == 0 {
			delete(h.players, c.player)
		}
	}
	delete(h.conns, c)
	h.meter.Ended(c.why)
	h.served.Done()
}

func (h *Hub) watch(key string, c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[key] == nil {
		h.watchers[key] = make(map[*conn]struct{})
	}
	h.watchers[key][c] = struct{}{}
}

// unwatch is called with mu held.
func (h *Hub) unwatch(key string, c *conn) {
	delete(h.watchers[key], c)
	if len(h.watchers[key]) == 0 {
		delete(h.watchers, key)
	}
}

// Serve runs one client's socket until it ends.
func (h *Hub) Serve(ws *websocket.Conn) {
	c := &conn{
		hub: h, ws: ws, topics: make(map[string]*topic), ctx: context.Background(),
		replies: make(chan any, pendingReplies), said: make(chan any, pendingTalk),
		gone: make(chan struct{}), bye: make(chan fault.Code, 1),
	}
	if id, ok := ws.Locals("request id").(string); ok {
		c.request = id
		c.ctx = logs.Request(c.ctx, id)
	}
	c.begin()
	if !h.add(c) {
		c.end()
		_ = c.send(bye{Type: "bye", Code: fault.Unavailable})
		return
	}
	defer h.remove(c)
	ws.SetReadLimit(maxFrame)
	c.read()
	// The connection is another client's as soon as this returns.
	c.letGo()
}

// conn is one client's socket. The reader answers requests, the writer alone writes, and
// both run only while there is something to do: most sockets are silent most of the time,
// and a goroutine that waits has its stack. The one that waits for frames does nothing else.
type conn struct {
	hub     *Hub
	ws      *websocket.Conn
	token   string
	player  string
	session string // guarded by hub.mu
	replies chan any
	said    chan any
	gone    chan struct{} // closed when nothing is written any more, though the reader runs
	bye     chan fault.Code
	ping    *time.Timer
	// ctx is that of work for the socket, request the name of the request that opened it.
	ctx     context.Context //nolint:containedctx // of what goes on beside its reader
	request string
	// frames is how many the client may send, nil for any number; refused is how many in a
	// row it was not allowed.
	frames  *rate.Limiter
	refused int
	// welcomed is the writer's: the client has been welcomed.
	welcomed bool
	// why this side ends the socket is the writer's; empty if the client went.
	why fault.Code

	mu      sync.Mutex
	topics  map[string]*topic // by key
	pinging bool              // a ping is due
	// woken says that something may have to be written, writing that a writer runs, over
	// that none begins any more.
	woken, writing, over bool
	writer               sync.WaitGroup
}

func (c *conn) notify(key string, seq int, of trace.SpanContext) {
	c.mu.Lock()
	t := c.topics[key]
	if t == nil || seq < t.through {
		c.mu.Unlock()
		return
	}
	t.dirty = true
	t.follow(of)
	t.known = max(t.known, seq)
	c.mu.Unlock()
	c.poke()
}

// poke has a writer look for what there is to write.
func (c *conn) poke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.woken = true
	if c.writing || c.over {
		return
	}
	c.writing = true
	c.writer.Add(1)
	c.hub.crew.run(c.write)
}

// begin has the client pinged from now on. It is called before anybody knows the socket.
func (c *conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ping = time.AfterFunc(pingEvery, c.askPing)
}

// askPing has the writer ping the client, and comes again until the end.
func (c *conn) askPing() {
	c.mu.Lock()
	defer c.poke()
	defer c.mu.Unlock()
	if !c.over {
		c.pinging = true
		c.ping.Reset(pingEvery)
	}
}

// letGo lets no writer begin any more, and returns when none runs.
func (c *conn) letGo() {
	c.end()
	c.writer.Wait()
}

// end lets no writer begin any more.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.ping.Stop()
}

// leave has the writer say why and end the socket.
func (c *conn) leave(why fault.Code) {
	select {
	case c.bye <- why:
		c.poke()
	default:
	}
}

var (
	errNUL = errors.New("a text with the character U+0000")
	errID  = errors.New("an id that is neither a text nor a whole number")
)

// goodID tells whether the JSON value is a text or a whole number, which is all that an
// answer repeats.
func goodID(id json.RawMessage) bool {
	if len(id) == 0 || id[0] == '"' {
		return true
	}
	return (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

// request is any frame that a client sends.
type request struct {
	Type   string          `json:"type"`
	ID     json.RawMessage `json:"id,omitempty"`
	Token  string          `json:"token"`
	Topics map[string]int  `json:"topics"`
	Topic  string          `json:"topic"`
	Match  string          `json:"match"`
	Seq    *int            `json:"seq"`
	Action string          `json:"action"`
	Seed   string          `json:"seed"`
	Say    string          `json:"say"`
}

type (
	welcome struct {
		Type   string `json:"type"`
		Player string `json:"player"`
	}
	result struct {
		Type string          `json:"type"`
		ID   json.RawMessage `json:"id,omitempty"`
		Seq  *int            `json:"seq,omitempty"`
	}
	failure struct {
		Type   string          `json:"type"`
		ID     json.RawMessage `json:"id,omitempty"`
		Topic  string          `json:"topic,omitempty"`
		Code   fault.Code      `json:"code"`
		Detail string          `json:"detail"`
	}
	bye struct {
		Type string     `json:"type"`
		Code fault.Code `json:"code"`
	}
)

// read answers the client's frames until the socket ends.
func (c *conn) read() {
	// Until the client has said who it is, nothing that it sends gives it more time.
	c.alive(c.hub.helloTimeout)
	heard := func() {
		if c.player != "" {
			c.alive(silenceLimit)
		}
	}
	if n := c.hub.frames; n > 0 {
		c.frames = rate.NewLimiter(rate.Limit(n), n*frameBurst)
	}
	c.ws.SetPongHandler(func(string) error { heard(); return nil })
	taken := make(chan bool)
	for goesOn := true; goesOn; {
		heard()
		_, data, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		// In another goroutine, for what a frame needs of a stack would be this one's for
		// good, and this one is there for each socket.
		c.hub.crew.run(func() { taken <- c.take(data) })
		goesOn = <-taken
	}
}

// take answers a frame; false ends the socket.
func (c *conn) take(data []byte) (goesOn bool) {
	var r request
	err := json.Unmarshal(data, &r)
	if err == nil && jsonnul.In(data) {
		err = errNUL
	}
	if err == nil && !goodID(r.ID) {
		r.ID, err = nil, errID
	}
	c.hub.meter.Read(knownKind(r.Type))
	if c.frames != nil && !c.frames.Allow() {
		if c.refused++; c.refused > maxRefused {
			c.leave(fault.RateLimited)
			<-c.gone // not before the client has been told
			return false
		}
		c.reply(c.failed(c.ctx, r.ID, "", fault.New(fault.RateLimited, "Too many frames. Send fewer.")))
		return true
	}
	c.refused = 0
	switch {
	case err != nil || !utf8.Valid(data):
		// The standard library would replace what is not UTF-8: a seed would be kept
		// that nobody sent.
		c.reply(failure{Type: "error", Code: fault.InvalidRequest, Detail: "A frame is a JSON object, see asyncapi.yaml."})
	case c.player == "" && r.Type != "hello":
		c.reply(c.failed(c.ctx, r.ID, "", fault.New(fault.Unauthenticated, "Say hello with an access token first.")))
	default:
		c.reply(c.answer(&r))
	}
	return true
}

// alive lets the client be silent for d from now.
func (c *conn) alive(d time.Duration) {
	_ = c.ws.SetReadDeadline(time.Now().Add(d))
	select {
	case <-c.gone:
		// The writer ended meanwhile, and this has undone its interrupt.
		c.interrupt()
	default:
	}
}

// interrupt ends the reader. Closing would not: fasthttp closes the connection
// itself, and only once its handler has returned.
func (c *conn) interrupt() { _ = c.ws.SetReadDeadline(time.Unix(1, 0)) }

// reply hands a frame to the writer. A client that does not read what it asked
// for is not read from, until the writer gives it up.
func (c *conn) reply(frame any) {
	if frame == nil {
		return
	}
	select {
	case c.replies <- frame:
		c.poke()
	case <-c.gone:
	}
}

// kinds are those of the frames that clients send.
var kinds = []string{"hello", "subscribe", "unsubscribe", "act", "seed", "talk", "ping"}

// knownKind keeps what a client may write from what is counted.
func knownKind(kind string) string {
	if slices.Contains(kinds, kind) {
		return kind
	}
	return "other"
}

func (c *conn) answer(r *request) any {
	if r.Type == "ping" {
		return result{Type: "pong", ID: r.ID}
	}
	ctx, cancel := context.WithTimeout(c.ctx, actionTimeout)
	defer cancel()
	ctx, span := tracing.Begin(ctx, "socket "+knownKind(r.Type), trace.SpanKindServer)
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(attribute.String("cuatrola.request", c.request))
	}
	frame, err := c.handle(ctx, r)
	if err != nil {
		tracing.Fail(span, err)
		topic := ""
		if r.Type == "subscribe" {
			topic = r.Topic
		}
		return c.failed(ctx, r.ID, topic, err)
	}
	return frame
}

func (c *conn) handle(ctx context.Context, r *request) (any, error) {
	switch r.Type {
	case "hello":
		return nil, c.hello(ctx, r)
	case "subscribe":
		n := 0
		if r.Seq != nil {
			n = *r.Seq
		}
		return result{Type: "result", ID: r.ID}, c.subscribe(ctx, r.Topic, n)
	case "unsubscribe":
		if t, err := c.hub.topic(r.Topic, c.player); err == nil {
			c.drop(t.key)
		}
		return result{Type: "result", ID: r.ID}, nil
	case "act":
		if r.Seq == nil {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: "seq", Message: "An action says on which view it acts: seq."}
		}
		v, err := c.hub.matches.Act(ctx, r.Match, c.player, *r.Seq, r.Action)
		return c.outcome(ctx, r, v, err)
	case "seed":
		v, err := c.hub.matches.Seed(ctx, r.Match, c.player, r.Seed)
		return c.outcome(ctx, r, v, err)
	case "talk":
		if c.hub.talk == nil {
			return nil, fault.New(fault.NotFound, "There is no talk here.")
		}
		return result{Type: "result", ID: r.ID}, c.hub.talk.Say(ctx, r.Match, c.player, r.Say)
	default:
		return nil, fault.New(fault.InvalidRequest, "There is no such frame; see asyncapi.yaml.")
	}
}

// outcome answers a request that changed a match. The event that it made is sent
// before the answer, so that a client that has its answer has the view behind it.
func (c *conn) outcome(ctx context.Context, r *request, v match.View, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if t := c.topics[topicKey(matchTopic, r.Match)]; t != nil {
		t.dirty = true
		t.follow(tracing.Of(ctx))
	}
	c.mu.Unlock()
	return result{Type: "result", ID: r.ID, Seq: &v.Seq}, nil
}

func (c *conn) hello(ctx context.Context, r *request) error {
	if c.player != "" {
		return fault.New(fault.InvalidRequest, "You have said hello before.")
	}
	caller, err := c.hub.authenticate(r.Token)
	if err == nil {
		c.hub.enter(c, caller.SessionID)
		// Once more, for the session may have ended before its sockets were known.
		_, err = c.hub.authenticate(r.Token)
	}
	if err == nil && !c.hub.admit(caller.PlayerID) {
		err = fault.New(fault.RateLimited, "You have too many sockets open. Close one.")
	}
	if err != nil {
		return err
	}
	c.player, c.token = caller.PlayerID, r.Token
	c.reply(welcome{Type: "welcome", Player: c.player})
	for name, n := range r.Topics {
		if err := c.subscribe(ctx, name, n); err != nil {
			c.reply(c.failed(ctx, r.ID, name, err))
		}
	}
	return nil
}

// subscribe has the writer send what the client has missed of a topic after its
// event n, and then what happens.
func (c *conn) subscribe(ctx context.Context, name string, n int) error {
	t, err := c.hub.topic(name, c.player)
	if err == nil {
		// Nothing is after that number: it is asked whether the player may see it.
		_, err = t.feed.since(ctx, t.topicRef, math.MaxInt, t.known)
	}
	if err != nil && !passes(err) { // what passes, the writer waits for
		return err
	}
	if t.sent = max(n, 0); t.sent > 0 {
		kind, _, _ := strings.Cut(t.key, ":")
		c.hub.meter.Resumed(kind)
	}
	c.mu.Lock()
	_, known := c.topics[t.key]
	if !known && len(c.topics) >= maxTopics {
		c.mu.Unlock()
		return &fault.Error{Code: fault.InvalidRequest, Field: "topic", Message: "You have too many topics open."}
	}
	c.topics[t.key] = t
	c.mu.Unlock()
	c.hub.watch(t.key, c)
	c.poke()
	return nil
}

// drop ends a subscription.
func (c *conn) drop(key string) {
	c.mu.Lock()
	delete(c.topics, key)
	c.mu.Unlock()
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.hub.unwatch(key, c)
}

// write sends what there is, until there is nothing more or the socket ends.
func (c *conn) write() {
	defer c.writer.Done()
	for c.wanted() {
		if err := c.flush(); err != nil {
			c.end()
			close(c.gone)
			c.interrupt()
			return
		}
	}
}

// wanted says whether the writer is to look again; if not, it is the writer no more.
func (c *conn) wanted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || !c.woken {
		c.writing = false
		return false
	}
	c.woken = false
	return true
}

// errLeft ends the writer when the client has been told why.
var errLeft = errors.New("socket: this side has ended it")

// flush sends all answers that wait, then what is said, then news.
func (c *conn) flush() error {
	for {
		var err error
		select {
		case why := <-c.bye:
			c.why = why
			_ = c.send(bye{Type: "bye", Code: why})
			return errLeft
		case frame := <-c.replies:
			err = c.sendReply(frame)
		case frame := <-c.said:
			if c.welcomed {
				err = c.send(frame)
			}
		default:
			if err := c.sendPing(); err != nil {
				return err
			}
			return c.sendNews()
		}
		if err != nil {
			return err
		}
	}
}

// sendReply sends an answer behind the events that came of what it answers, so
// that a client that has the one has the others; but the welcome before all.
func (c *conn) sendReply(frame any) error {
	if _, ok := frame.(welcome); ok {
		c.welcomed = true
		if err := c.send(frame); err != nil {
			return err
		}
		return c.sendNews()
	}
	if err := c.sendNews(); err != nil {
		return err
	}
	return c.send(frame)
}

// texts are buffers for frames.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// texter is a frame that writes itself, because it is sent so often.
type texter interface{ appendText(b []byte) []byte }

func (c *conn) send(frame any) error {
	c.hub.meter.Sent(kindOf(frame))
	buffer := texts.Get().(*[]byte)
	defer texts.Put(buffer)
	text := (*buffer)[:0]
	if f, ok := frame.(texter); ok {
		text = f.appendText(text)
		*buffer = text
	} else {
		var err error
		if text, err = json.Marshal(frame); err != nil {
			return err
		}
	}
	if err := c.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return c.ws.WriteMessage(websocket.TextMessage, text)
}

// sendPing keeps the connection open, if a ping is due, and ends it when the access token
// is no longer good.
func (c *conn) sendPing() error {
	c.mu.Lock()
	due := c.pinging
	c.pinging = false
	c.mu.Unlock()
	if !due {
		return nil
	}
	if c.welcomed {
		if _, err := c.hub.authenticate(c.token); err != nil {
			c.why = fault.CodeOf(err)
			_ = c.send(bye{Type: "bye", Code: fault.CodeOf(err)})
			return err
		}
	}
	return c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
}

// sendNews sends every topic on from where it was.
func (c *conn) sendNews() error {
	if !c.welcomed {
		return nil
	}
	c.mu.Lock()
	var due []*topic
	now := time.Now()
	for _, t := range c.topics {
		if t.dirty && !now.Before(t.retryAt) {
			due = append(due, t)
		}
	}
	c.mu.Unlock()
	for _, t := range due {
		if err := c.sendTopic(t); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) sendTopic(t *topic) error {
	c.mu.Lock()
	if c.topics[t.key] != t {
		// Dropped meanwhile, or begun anew, which sends it later.
		c.mu.Unlock()
		return nil
	}
	t.dirty = false
	sent, known, fresh, mark, of := t.sent, t.known, t.fresh, t.mark, t.trace
	t.trace = trace.SpanContext{}
	c.mu.Unlock()

	ctx, span := tracing.Within(tracing.In(c.ctx, of), "socket send", trace.SpanKindProducer)
	defer span.End()
	news, err := t.feed.since(ctx, t.topicRef, sent, known)
	if err != nil && passes(err) && c.retry(t) {
		return nil
	}
	if err != nil {
		c.drop(t.key)
		return c.send(c.failed(ctx, nil, t.name, err))
	}
	for _, frame := range news.events {
		if err := c.send(frame); err != nil {
			return err
		}
	}
	if !fresh && len(news.events) > 0 && !news.at.IsZero() {
		c.hub.meter.Told(max(0, c.hub.now().Sub(news.at)))
	}
	if len(news.events) == 0 && (fresh || news.mark != mark) {
		if err := c.send(news.state); err != nil {
			return err
		}
	}
	c.mu.Lock()
	t.sent, t.through, t.fresh, t.mark = news.seq, news.through, false, news.mark
	t.tries, t.retryAt = 0, time.Time{}
	c.mu.Unlock()
	return nil
}

// passes says whether an error is none of the client's making, and may be over soon: the
// database does not answer.
func passes(err error) bool {
	var known *fault.Error
	return !errors.As(err, &known) || known.Code == fault.Unavailable
}

// maxTries is how often a topic is tried again, each time after twice as long: with
// firstRetry, for six seconds. By then clients of a database that is gone have been sent
// away.
const (
	maxTries   = 5
	firstRetry = 200 * time.Millisecond
)

// retry has a topic sent later; false if that has been tried often enough.
func (c *conn) retry(t *topic) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.tries == maxTries {
		return false
	}
	after := c.hub.firstRetry << t.tries
	t.tries++
	t.dirty, t.retryAt = true, time.Now().Add(after)
	time.AfterFunc(after, c.poke)
	return true
}

// failed is the frame for an error. Its cause is for the log.
func (c *conn) failed(ctx context.Context, id json.RawMessage, topic string, err error) failure {
	f := failure{Type: "error", ID: id, Topic: topic, Code: fault.CodeOf(err), Detail: "Something went wrong on the server. Try again."}
	var known *fault.Error
	if errors.As(err, &known) {
		f.Detail = known.Message
	} else {
		slog.ErrorContext(ctx, "socket: request failed", "player", c.player, "error", err)
	}
	return f
}
