package loadgen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// What is played at the tables: mesa, in which nobody is asked to sing, so that every
// event is everybody's and has one number at all seats.
const (
	tableTarget      = 20
	tableTurnSeconds = 120
)

func tableRules() rules.RuleSet {
	rs := rules.Mesa.Rules()
	rs.Target = tableTarget
	return rs
}

// Whoever is away comes back, soon at first.
const (
	soonest = 50 * time.Millisecond
	latest  = time.Second
)

// table is four people who play one match after the other.
type table struct {
	r      *run
	n      int
	random *mrand.Rand
	pace   Pace
	every  time.Duration // with a rate, how far apart this table's actions are due
	room   string
	seats  [rules.Seats]*seat

	mu      sync.Mutex
	playing bool // between the run's begin and its end
	match   string
	ended   uint // bit set of the seats that have seen its end
	watch   *watch
	// heard are the events that not all seats have heard, the first with the number
	// first.
	heard []*hearing
	first int
	acked map[int]string // what was acknowledged and not heard, by its event's number
	sent  map[int]*attempt
	next  int // the next attempt's id
	now   *attempt
	due   time.Time // with a rate, when the next action is due
}

// seat is one of the four.
type seat struct {
	t      *table
	n      int
	person *person
	listen int // which server its next socket is at
	ws     *websocket.Conn
	heard  int // the number of the last event
	seen   bool
	match  string // what the socket follows
}

// hearing is one event, as far as it has been heard.
type hearing struct {
	event
	views     [rules.Seats]*view
	by        int // how many have heard it
	due, sent time.Time
}

// attempt is an action that is due or under way.
type attempt struct {
	id, seat, seq int
	match, action string
	due, sent     time.Time
	on            *websocket.Conn // nil if it went over HTTP
	// lost: another action has the number.
	lost bool
}

// open signs four people up, sits them in a room and begins their first match.
func (t *table) open(ctx context.Context) error {
	for n := range t.seats {
		p, err := t.r.servers.signUp()
		if err != nil {
			return err
		}
		t.r.totals.players.Add(1)
		t.seats[n] = &seat{t: t, n: n, person: p, listen: t.n + n}
	}
	var room client.Room
	err := t.do(0, call{
		method: "POST", path: "/v1/rooms", key: rand.Text(), answer: &room,
		body: map[string]any{"rules": map[string]any{"preset": "mesa", "target": tableTarget}, "turnSeconds": tableTurnSeconds},
	})
	for n := 1; n < rules.Seats && err == nil; n++ {
		err = t.do(n, call{method: "POST", path: "/v1/rooms/join", body: map[string]string{"code": room.Code}})
	}
	if err != nil {
		return fmt.Errorf("open a room: %w", err)
	}
	t.room = room.ID
	if err := t.begin(rand.Text()); err != nil {
		return err
	}
	for _, s := range t.seats {
		if err := s.connect(ctx); err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		t.r.sockets.Go(func() { s.follow(ctx) })
	}
	return nil
}

func (t *table) do(seat int, c call) error {
	c.token = t.seats[seat].person.token
	return t.r.servers.do(c)
}

// begin begins a match, once with the same key.
func (t *table) begin(key string) error {
	for n := 1; n < rules.Seats; n++ {
		err := t.do(n, call{method: "PUT", path: "/v1/rooms/" + t.room + "/ready", body: map[string]bool{"ready": true}})
		if err != nil && codeOf(err) != "room_playing" {
			return fmt.Errorf("be ready: %w", err)
		}
	}
	var begun struct {
		MatchID string `json:"matchId"`
	}
	if err := t.do(0, call{method: "POST", path: "/v1/rooms/" + t.room + "/start", key: key, answer: &begun}); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	for n := range t.seats {
		seed := fmt.Sprintf("%s %d", key, n)
		err := t.do(n, call{method: "POST", path: "/v1/matches/" + begun.MatchID + "/seed", body: map[string]string{"seed": seed}})
		if err != nil {
			return fmt.Errorf("give a seed: %w", err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.match, t.ended, t.heard, t.first, t.now = begun.MatchID, 0, nil, 1, nil
	t.acked, t.watch = make(map[int]string), nil
	if t.r.checked(t.n) {
		t.watch = newWatch(tableRules())
	}
	for _, s := range t.seats {
		s.heard = 0
	}
	t.r.totals.matches.Add(1)
	return nil
}

// again begins the next match, as soon as it can be begun.
func (t *table) again(ctx context.Context) {
	key := rand.Text()
	for wait := soonest; ; wait = min(2*wait, latest) {
		due := time.Now()
		err := t.begin(key)
		if err == nil {
			t.r.matches.done(due, time.Now())
			break
		}
		t.r.matches.failed(due, codeOf(err))
		if !pause(ctx, wait) {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = t.soon()
	for _, s := range t.seats {
		if s.ws != nil { // whoever is away asks for it when they are back
			_ = s.change()
		}
	}
}

// change has the seat's socket follow the match that is played.
func (s *seat) change() error {
	if s.match == s.t.match {
		return nil
	}
	err := errors.Join(
		send(s.ws, map[string]any{"type": "unsubscribe", "topic": "match:" + s.match}),
		send(s.ws, map[string]any{"type": "subscribe", "topic": "match:" + s.t.match, "seq": s.heard}),
	)
	s.match = s.t.match
	return err
}

// pause says false if ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// soon is a moment within the table's pace, so that tables do not act all at once.
func (t *table) soon() time.Time {
	if t.every == 0 {
		return time.Now()
	}
	return time.Now().Add(time.Duration(t.random.Int64N(int64(t.every))))
}

// play lets people act from now on.
func (t *table) play() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.playing = true
	t.due = t.soon()
	if t.now != nil {
		t.plan(t.now)
	}
}

// stop has nobody act any more. What was due until then and is not even sent is
// counted.
func (t *table) stop(end time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.playing = false
	if a := t.now; a != nil && a.sent.IsZero() && a.due.Before(end) && !a.due.IsZero() {
		t.r.acts.skipped(a.due, 1)
	}
	if t.every > 0 && t.ended == 0 {
		for due := t.due; due.Before(end); due = due.Add(t.every) {
			t.r.acts.skipped(due, 1)
		}
	}
}

// connect opens a socket at the next server, on the events that are missing.
func (s *seat) connect(ctx context.Context) error {
	t := s.t
	t.mu.Lock()
	base := t.r.URLs[s.listen%len(t.r.URLs)]
	s.listen++
	match, heard := t.match, s.heard
	t.mu.Unlock()
	ws, err := listen(ctx, base, s.person.token, map[string]int{"match:" + match: heard})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.ws, s.match = ws, match
	return s.change() // if one began while this socket was opened
}

// follow reads what the seat is told, and comes back when its socket breaks.
func (s *seat) follow(ctx context.Context) {
	t := s.t
	for {
		err := s.read(ctx)
		t.mu.Lock()
		_ = s.ws.Close()
		for _, a := range t.sent {
			if a.on == s.ws && t.now != a {
				t.unanswered(a)
			}
		}
		s.ws = nil
		t.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		t.r.totals.broken.Add(1)
		t.r.connects.failed(time.Now(), broken(err))
		for wait := soonest; ; wait = min(2*wait, latest) {
			if !pause(ctx, wait) {
				return
			}
			due := time.Now()
			if err := s.connect(ctx); err == nil {
				t.r.connects.done(due, time.Now())
				break
			}
			t.r.connects.failed(due, "no_connection")
		}
	}
}

// bye is the server's good-bye.
type bye struct{ code string }

func (b bye) Error() string { return b.code }

func broken(err error) string {
	var b bye
	if errors.As(err, &b) {
		return "bye_" + b.code
	}
	return "socket_broken"
}

func (s *seat) read(ctx context.Context) error {
	t := s.t
	t.mu.Lock()
	ws := s.ws
	t.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	defer stop()
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		now := time.Now()
		f := readFrame(data, t.r.checked(t.n))
		switch {
		case f.unreadable:
			t.r.violated("table %d, seat %d: a frame that is no JSON: %.200s", t.n, s.n, data)
		case f.kind == "bye":
			return bye{f.code}
		default:
			t.mu.Lock()
			t.hear(ctx, s, &f, now)
			t.mu.Unlock()
		}
	}
}

// hear takes a frame that the seat was sent.
func (t *table) hear(ctx context.Context, s *seat, f *frame, now time.Time) {
	if f.topic != "" && f.topic != "match:"+t.match {
		return // of the match before
	}
	switch f.kind {
	case "event":
		t.heardBy(s, f, now)
	case "snapshot":
		if f.seq != s.heard {
			t.violated("seat %d is shown number %d behind event %d", s.n, f.seq, s.heard)
		}
	case "result", "error":
		if a := t.sent[f.id]; a != nil {
			t.answered(a, f.code, now)
		}
	}
	if f.view == nil {
		return
	}
	if !s.seen && f.view.phase != "seeds" {
		s.seen = true
		t.r.seated.Done()
	}
	switch f.view.phase {
	case "over", "void":
		t.ended |= 1 << s.n
		if t.ended == 1<<rules.Seats-1 {
			t.r.totals.finished.Add(1)
			if f.view.phase == "void" {
				t.r.matches.failed(now, "void")
			}
			if t.playing {
				t.r.sockets.Go(func() { t.again(ctx) })
			}
		}
	default:
		t.turn(s, f.view)
	}
}

func (t *table) violated(format string, args ...any) {
	t.r.violated("table %d, match %s: "+format, append([]any{t.n, t.match}, args...)...)
}

// heardBy takes an event: the next for that seat, and the same for all.
func (t *table) heardBy(s *seat, f *frame, now time.Time) {
	if f.seq != s.heard+1 {
		t.violated("seat %d hears event %d behind event %d", s.n, f.seq, s.heard)
		return
	}
	s.heard = f.seq
	i := f.seq - t.first
	if i == len(t.heard) {
		h := &hearing{event: f.event}
		t.heard = append(t.heard, h)
		if a := t.now; a != nil && f.event.kind == "act" && a.seq+1 == f.seq {
			if !a.sent.IsZero() && a.seat == f.event.seat && a.action == f.event.action {
				h.due, h.sent = a.due, a.sent
			} else {
				a.lost = true
			}
			t.now = nil
			if t.sent[a.id] == a && a.on != nil && a.on != t.seats[a.seat].ws {
				t.unanswered(a)
			}
		}
		if action, ok := t.acked[f.seq]; ok {
			t.wasAcked(f.seq, action, h.event)
		}
	}
	if f.view != nil && f.view.seq != f.seq {
		t.violated("seat %d's view behind event %d has number %d", s.n, f.seq, f.view.seq)
	}
	h := t.heard[i]
	if h.event != f.event {
		t.violated("event %d is %v to seat %d, %v to another", f.seq, f.event, s.n, h.event)
	}
	h.views[s.n] = f.view
	if h.by++; h.by < rules.Seats {
		return
	}
	// Every seat hears them in order, so the first is the first to be heard by all.
	t.heard, t.first = t.heard[1:], t.first+1
	t.r.totals.events.Add(1)
	if !h.due.IsZero() {
		t.r.heard.done(h.due, now)
		t.r.fromSent.done(h.sent, now)
	}
	if t.watch != nil {
		n, err := t.watch.follow(h.event, &h.views)
		t.r.totals.views.Add(int64(n))
		if err != nil {
			t.violated("%v", err)
		}
	}
}

func (t *table) wasAcked(seq int, action string, e event) {
	delete(t.acked, seq)
	if e.action != action {
		t.violated("%s was acknowledged as event %d, which is %v", action, seq, e)
	}
}

// unanswered gives up waiting for the answer to what went over a socket that broke.
func (t *table) unanswered(a *attempt) {
	delete(t.sent, a.id)
	t.r.acts.failed(a.due, "no_answer")
}

// answered takes the answer to an action; code is empty if it is done.
func (t *table) answered(a *attempt, code string, now time.Time) {
	delete(t.sent, a.id)
	if code != "" {
		t.r.acts.failed(a.due, code)
		if t.now == a { // it is still that seat's turn, as far as one knows
			t.now = nil
			time.AfterFunc(latest, func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				if t.now == nil && t.match == a.match && t.seats[a.seat].heard == a.seq && t.playing {
					t.now = &attempt{seat: a.seat, seq: a.seq, match: t.match, action: a.action}
					t.plan(t.now)
				}
			})
		}
		return
	}
	t.r.acts.done(a.due, now)
	t.r.totals.acknowledged.Add(1)
	if a.match != t.match {
		return // which everybody has seen the end of
	}
	if a.lost {
		t.violated("%s was acknowledged as event %d, which is another", a.action, a.seq+1)
	}
	if i := a.seq + 1 - t.first; i < 0 {
		return // all have heard it
	} else if i < len(t.heard) {
		t.wasAcked(a.seq+1, a.action, t.heard[i].event)
	} else {
		t.acked[a.seq+1] = a.action
	}
}

// turn acts on a view, if it is the seat's turn.
func (t *table) turn(s *seat, v *view) {
	if len(v.legal) == 0 || v.seq != s.heard {
		return
	}
	if a := t.now; a != nil && a.seat == s.n && a.seq == v.seq {
		if !a.sent.IsZero() && a.on != nil && a.on != s.ws {
			t.send(a) // it went over a socket that broke, and may have been kept or not
		}
		return
	}
	t.now = &attempt{seat: s.n, seq: v.seq, match: t.match, action: t.choose(v.legal)}
	if t.playing {
		t.plan(t.now)
	}
}

// choose chooses anything, but passes on four bids of five: matches are to be played.
func (t *table) choose(legal []string) string {
	if legal[0] == rules.Pass.String() && t.random.IntN(5) > 0 {
		return legal[0]
	}
	return legal[t.random.IntN(len(legal))]
}

// People think from one to four seconds and a half.
const (
	leastThought = time.Second
	moreThought  = 3500 * time.Millisecond
)

// plan sends an action when it is due.
func (t *table) plan(a *attempt) {
	now := time.Now()
	switch {
	case t.pace.Human:
		a.due = now.Add(leastThought + time.Duration(t.random.Int64N(int64(moreThought))))
	case t.every > 0:
		a.due = t.due
		t.due = t.due.Add(t.every)
	default:
		a.due = now
	}
	if wait := a.due.Sub(now); wait > 0 {
		time.AfterFunc(wait, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.now == a && t.playing {
				t.send(a)
			}
		})
		return
	}
	t.send(a)
}

// send sends an action, by the seat's socket or, where there are several servers,
// every other time by HTTP to yet another.
func (t *table) send(a *attempt) {
	s := t.seats[a.seat]
	again := !a.sent.IsZero()
	if !again {
		t.next++
		a.id, a.sent = t.next, time.Now()
		t.sent[a.id] = a
	}
	match := a.match
	if len(t.r.URLs) > 1 && a.id%2 == 0 {
		a.on = nil
		t.r.sockets.Go(func() {
			err := t.r.servers.on(t.r.URLs[(t.n+a.seat+1+a.id/2)%len(t.r.URLs)], call{
				method: "POST", path: "/v1/matches/" + match + "/actions", token: s.person.token,
				body: map[string]any{"seq": a.seq, "action": a.action},
			})
			code := ""
			if err != nil {
				code = codeOf(err)
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.answered(a, code, time.Now())
		})
		return
	}
	if s.ws == nil {
		a.on = gone // it is sent when the seat is back
		return
	}
	a.on = s.ws
	_ = send(s.ws, map[string]any{"type": "act", "id": a.id, "match": match, "seq": a.seq, "action": a.action})
}

// gone stands for a socket that is not there any more.
var gone = &websocket.Conn{}

// settled says whether everything that was acknowledged or heard by one has been
// heard by all who are there.
func (t *table) settled() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.seats {
		if s.ws == nil {
			return nil // whoever is away misses nothing until they are back
		}
	}
	if len(t.sent) > 0 {
		return fmt.Errorf("%d actions are not answered", len(t.sent))
	}
	if len(t.heard) > 0 {
		return fmt.Errorf("event %d was heard at %d seats only", t.first, t.heard[0].by)
	}
	if len(t.acked) > 0 {
		return fmt.Errorf("%d actions were acknowledged and never heard of", len(t.acked))
	}
	return nil
}
