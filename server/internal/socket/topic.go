package socket

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/jsontext"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
)

// Kinds of topics. A match's has the match behind a colon; the others are always
// one's own.
const (
	matchTopic  = "match"
	noticeTopic = "notices"
	// engagementTopic is what one is taken up with.
	engagementTopic = "engagement"
)

// feed is a kind of topic. What happens on a topic is numbered for each viewer from
// 1; a feed can tell a viewer what came after any number.
type feed interface {
	// since gives what came after the viewer's event n. known is the number that was
	// last announced, the feed's own, or match.AskStore.
	since(ctx context.Context, t topicRef, n, known int) (news, error)
}

// news is what a topic has for one viewer.
type news struct {
	// events are the frames of what happened, in order. The last carries the state.
	events []any
	// state is the frame that carries the state alone, for want of an event.
	state any
	// seq is the number of the last event that the state counts.
	seq int
	// through is the feed's own number of what comes next: whatever is announced below it
	// is in the state. 0 for a feed that does not say.
	through int
	// at is when the last of the events happened, where that is of interest.
	at time.Time
	// mark is what of the state may change without an event; comparable. A change is
	// worth sending the state for.
	mark any
}

// topicRef is a topic as one viewer has it.
type topicRef struct {
	name   string // as clients write it
	id     string // of the match
	player string
}

// topic is how far a client has been sent a topic.
type topic struct {
	topicRef
	key   string // as the hub announces it
	feed  feed
	sent  int // the viewer's number of the last event sent
	known int // the number last announced; match.AskStore at first
	// through is that of the news sent last: what is announced below it is known.
	through int
	dirty   bool
	fresh   bool // the state is due whatever has happened
	mark    any  // of the news sent last
	// tries is how often in a row it could not be read, retryAt when it is read again.
	tries   int
	retryAt time.Time
	// trace is that of the first of what is to be sent.
	trace trace.SpanContext
}

// follow has what is to be sent be a part of a trace, unless it is one's already.
func (t *topic) follow(of trace.SpanContext) {
	if !t.trace.IsValid() {
		t.trace = of
	}
}

// topicKey is what is announced: of a match to all its viewers, of the rest to the
// one player.
func topicKey(kind, id string) string { return kind + ":" + id }

// topic reads a topic's name.
func (h *Hub) topic(name, player string) (*topic, error) {
	kind, id, named := strings.Cut(name, ":")
	f, ok := h.feeds[kind]
	if !ok || named != (kind == matchTopic) {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "topic", Message: "There is no such topic."}
	}
	t := &topic{
		topicRef: topicRef{name: name, id: id, player: player}, feed: f, key: name,
		known: match.AskStore, dirty: true, fresh: true,
	}
	if !named {
		t.key = topicKey(kind, player)
	}
	return t, nil
}

// kindOf is the kind of a frame that is sent, as the contract names it.
func kindOf(frame any) string {
	switch f := frame.(type) {
	case matchEvent:
		return "event"
	case matchState:
		return "snapshot"
	case result:
		return f.Type
	case failure:
		return "error"
	case welcome:
		return "welcome"
	case bye:
		return "bye"
	case inboxState:
		return "inbox"
	case noticeEvent:
		return "notice"
	case engagementState:
		return "engagement"
	case said:
		return "talk"
	default:
		return "other"
	}
}

// readTimeout bounds what a feed reads from the database.
const readTimeout = 10 * time.Second

// matchFeed shows players their matches.
type matchFeed struct {
	matches    Matches
	appendView func([]byte, *match.View) []byte
}

type (
	matchState struct {
		topic string
		view  *match.View
		feed  *matchFeed
	}
	matchEvent struct {
		topic string
		event *match.Event
		view  *match.View // nil if it is not the last
		feed  *matchFeed
	}
)

func (s matchState) appendText(b []byte) []byte {
	b = jsontext.AppendString(append(b, `{"type":"snapshot","topic":`...), s.topic)
	b = jsontext.AppendInt(append(b, `,"seq":`...), s.view.Seq)
	b = s.feed.appendView(append(b, `,"view":`...), s.view)
	return append(b, '}')
}

func (m matchEvent) appendText(b []byte) []byte {
	e := m.event
	b = jsontext.AppendString(append(b, `{"type":"event","topic":`...), m.topic)
	b = jsontext.AppendInt(append(b, `,"seq":`...), e.Seq)
	b = jsontext.AppendTime(append(b, `,"at":`...), e.At)
	b = jsontext.AppendString(append(b, `,"kind":`...), e.Kind)
	b = jsontext.AppendInt(append(b, `,"seat":`...), e.Seat)
	switch e.Kind {
	case match.KindSeed:
		b = jsontext.AppendString(append(b, `,"seed":`...), e.Text)
	case match.KindAct:
		b = jsontext.AppendString(append(b, `,"action":`...), e.Text)
	}
	b = jsontext.AppendString(append(b, `,"by":`...), e.By)
	if m.view != nil {
		b = m.feed.appendView(append(b, `,"view":`...), m.view)
	}
	return append(b, '}')
}

// since: the view may change without an event for the seat whose turn it has become
// because another seat kept silent, so the mark is what one may do.
func (f *matchFeed) since(ctx context.Context, t topicRef, n, known int) (news, error) {
	fresh, err := f.matches.News(ctx, t.id, t.player, n, known)
	if err != nil {
		return news{}, err
	}
	events, view := fresh.Events, &fresh.View
	out := news{
		state: matchState{t.name, view, f},
		seq:   view.Seq, through: fresh.Entries, mark: view.Game.Legal,
	}
	for i := range events {
		frame := matchEvent{topic: t.name, event: &events[i], feed: f}
		if i == len(events)-1 {
			out.at, frame.view = events[i].At, view
		}
		out.events = append(out.events, frame)
	}
	return out, nil
}

// Notices is what the socket needs of the notices' domain.
type Notices interface {
	Since(ctx context.Context, playerID string, n int) ([]notice.Notice, notice.Inbox, error)
}

// ServeNotices adds the topic of notices, before the first socket. noticeJSON gives
// a notice the form that the contract has for it.
func (h *Hub) ServeNotices(n Notices, noticeJSON func(notice.Notice, notice.Inbox) any) {
	h.feeds[noticeTopic] = noticeFeed{n, noticeJSON}
}

// NotifyNotices says that a player's inbox has changed.
func (h *Hub) NotifyNotices(playerID string, seq int) {
	h.notify(topicKey(noticeTopic, playerID), seq, trace.SpanContext{})
}

// noticeFeed tells players what they are told.
type noticeFeed struct {
	notices    Notices
	noticeJSON func(notice.Notice, notice.Inbox) any
}

type (
	inboxState struct {
		Type   string `json:"type"`
		Topic  string `json:"topic"`
		Seq    int    `json:"seq"`
		Unread int    `json:"unread"`
	}
	noticeEvent struct {
		Type   string `json:"type"`
		Topic  string `json:"topic"`
		Seq    int    `json:"seq"`
		Notice any    `json:"notice"`
		Unread *int   `json:"unread,omitempty"`
	}
)

// since: the inbox may change without a notice when it is read on another device.
func (f noticeFeed) since(ctx context.Context, t topicRef, n, _ int) (news, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	list, inbox, err := f.notices.Since(ctx, t.player, n)
	if err != nil {
		return news{}, err
	}
	unread := inbox.Unread()
	out := news{
		state: inboxState{Type: "inbox", Topic: t.name, Seq: inbox.Last, Unread: unread},
		seq:   inbox.Last, mark: inbox,
	}
	for i, n := range list {
		frame := noticeEvent{Type: "notice", Topic: t.name, Seq: n.Seq, Notice: f.noticeJSON(n, inbox)}
		if i == len(list)-1 {
			frame.Unread = &unread
		}
		out.events = append(out.events, frame)
	}
	return out, nil
}

// Engagements is what the socket needs of the engagements' domain.
type Engagements interface {
	Of(ctx context.Context, playerID string) (engagement.Engagement, error)
}

// ServeEngagements adds the topic of engagements, before the first socket.
// engagementJSON gives one the form that the contract has for it.
func (h *Hub) ServeEngagements(e Engagements, engagementJSON func(context.Context, engagement.Engagement) (any, error)) {
	h.feeds[engagementTopic] = engagementFeed{e, engagementJSON}
}

// NotifyEngagement says that a player's engagement has changed.
func (h *Hub) NotifyEngagement(playerID string, seq int) {
	h.notify(topicKey(engagementTopic, playerID), seq, trace.SpanContext{})
}

// engagementFeed shows players what they are taken up with, and where that leads.
type engagementFeed struct {
	engagements    Engagements
	engagementJSON func(context.Context, engagement.Engagement) (any, error)
}

type engagementState struct {
	Type       string `json:"type"`
	Topic      string `json:"topic"`
	Seq        int    `json:"seq"`
	Engagement any    `json:"engagement"`
}

// since: only the state counts. Whoever misses a change has the state behind the
// next.
func (f engagementFeed) since(ctx context.Context, t topicRef, _, _ int) (news, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	e, err := f.engagements.Of(ctx, t.player)
	if err != nil {
		return news{}, err
	}
	json, err := f.engagementJSON(ctx, e)
	if err != nil {
		return news{}, err
	}
	return news{
		state: engagementState{Type: "engagement", Topic: t.name, Seq: e.Seq, Engagement: json},
		seq:   e.Seq, mark: e.Seq,
	}, nil
}
