// Package bus carries log entries from the process that kept them to all
// processes, itself included, over NATS: an embedded server that listens on no
// port, or a cluster.
//
// A message may be lost. Every entry has its number, so whoever misses one
// notices and reads the log.
package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/trace"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/tracing"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/talk"
)

// Kinds of messages. A subject is a kind, and behind a dot whose message it is.
const (
	// matchKind is of log entries, by match.
	matchKind = "match"
	// sessionKind is of sessions that have ended.
	sessionKind = "session"
	// noticeKind is of inboxes that have changed, by player.
	noticeKind = "notice"
	// engagementKind is of engagements that have changed, by player.
	engagementKind = "engagement"
	// talkKind is of what is said, by the match at whose table.
	talkKind = "talk"
	// haltKind is of switches that were changed.
	haltKind = "halt"

	overSubject    = sessionKind + ".over"
	changedSubject = haltKind + ".changed"
)

// Kinds lists the kinds of messages.
func Kinds() []string {
	return []string{matchKind, sessionKind, noticeKind, engagementKind, talkKind, haltKind}
}

const (
	// startTimeout bounds the start of the embedded server.
	startTimeout = 10 * time.Second
	// drainTimeout bounds how long Close delivers.
	drainTimeout = 5 * time.Second
	// reconnectWait is how often a server is tried again that was lost.
	reconnectWait = 250 * time.Millisecond
	// pingInterval is how often it is asked whether the server lives that says nothing;
	// after two silences it is taken for lost.
	pingInterval = 5 * time.Second
)

// Bus is a connection to NATS. Make one with Open.
type Bus struct {
	conn     *nats.Conn
	embedded *server.Server
	closed   chan struct{}
	meter    Meter
	// gaps is told when messages may have been lost.
	gaps chan struct{}

	mu            sync.Mutex
	subscriptions []*nats.Subscription
}

// Meter counts messages by their kind; see [Kinds]. It must not block.
type Meter interface {
	// Published tells of a message, and why it was not taken, if it was not.
	Published(kind string, err error)
	// Received tells of a message, and whether it could be read.
	Received(kind string, err error)
}

type noMeter struct{}

func (noMeter) Published(string, error) {}
func (noMeter) Received(string, error)  {}

// Count has m count messages from now on. It is called before the first.
func (b *Bus) Count(m Meter) { b.meter = m }

// Dropped is how many messages were lost here, since this process was slower than they
// came.
func (b *Bus) Dropped() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subscriptions {
		d, err := s.Dropped()
		if err == nil {
			n += d
		}
	}
	return n
}

// Reconnects is how often the connection came back.
func (b *Bus) Reconnects() uint64 { return b.conn.Stats().Reconnects }

// Open connects to the NATS servers at url, or starts one inside the process if
// url is empty.
func Open(url string) (*Bus, error) {
	b := &Bus{closed: make(chan struct{}), gaps: make(chan struct{}, 1), meter: noMeter{}}
	options := []nats.Option{
		nats.Name("cuatrola"), nats.MaxReconnects(-1), nats.DrainTimeout(drainTimeout),
		nats.ClosedHandler(func(*nats.Conn) { close(b.closed) }),
		nats.ReconnectWait(reconnectWait), nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				slog.Warn("bus: cut off", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			slog.Info("bus: connected again")
			b.gap()
		}),
		// By default the library prints them. A consumer that is too slow loses messages.
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			slog.Warn("bus", "error", err)
			b.gap()
		}),
	}
	var err error
	if url == "" {
		if b.embedded, err = startServer(); err != nil {
			return nil, err
		}
		options = append(options, nats.InProcessServer(b.embedded))
	}
	if b.conn, err = nats.Connect(url, options...); err != nil {
		if b.embedded != nil {
			b.embedded.Shutdown()
		}
		return nil, fmt.Errorf("bus: %w", err)
	}
	return b, nil
}

func startServer() (*server.Server, error) {
	s, err := server.NewServer(&server.Options{ServerName: "cuatrola", DontListen: true, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, fmt.Errorf("bus: embedded server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, errors.New("bus: the embedded server does not start")
	}
	return s, nil
}

// Close delivers what is under way and ends the connection.
func (b *Bus) Close() {
	if err := b.conn.Drain(); err != nil {
		b.conn.Close()
	}
	// Draining goes on in the background, at most for drainTimeout.
	<-b.closed
	if b.embedded != nil {
		b.embedded.Shutdown()
	}
}

// Gaps is sent to when messages may have been lost: the connection was, or they came
// faster than they were taken.
func (b *Bus) Gaps() <-chan struct{} { return b.gaps }

func (b *Bus) gap() {
	select {
	case b.gaps <- struct{}{}:
	default: // it is known already
	}
}

// Ready says whether the bus is connected.
func (b *Bus) Ready() bool { return b.conn.IsConnected() }

// publish sends a message, with the trace that ctx is in. It does not wait for anybody.
func (b *Bus) publish(ctx context.Context, kind, subject string, data []byte) error {
	var err error
	if tracing.On() {
		ctx, span := tracing.Within(ctx, "publish "+kind, trace.SpanKindProducer)
		msg := &nats.Msg{Subject: subject, Data: data}
		tracing.Outgoing(ctx, func(name, value string) {
			if msg.Header == nil {
				msg.Header = nats.Header{}
			}
			msg.Header.Set(name, value)
		})
		err = b.conn.PublishMsg(msg)
		tracing.Fail(span, err)
		span.End()
	} else {
		err = b.conn.Publish(subject, data)
	}
	b.meter.Published(kind, err)
	return err
}

// subscribe calls f for every message on a subject, one after the other, until Close,
// with the trace that the message came in. An error of f's is a message that cannot be
// read.
func (b *Bus) subscribe(kind, subject string, f func(ctx context.Context, msg *nats.Msg) error) error {
	s, err := b.conn.Subscribe(subject, func(msg *nats.Msg) {
		ctx, span := context.Background(), trace.SpanFromContext(context.Background())
		if len(msg.Header) > 0 {
			ctx, span = tracing.Within(tracing.Incoming(ctx, msg.Header.Get), "receive "+kind, trace.SpanKindConsumer)
		}
		err := f(ctx, msg)
		if err != nil {
			slog.WarnContext(ctx, "bus: a message that cannot be read", "kind", kind, "error", err)
		}
		b.meter.Received(kind, err)
		tracing.Fail(span, err)
		span.End()
	})
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscriptions = append(b.subscriptions, s)
	return nil
}

// of is whose message it is.
func of(kind, subject string) string { return strings.TrimPrefix(subject, kind+".") }

// Publish tells all processes of an entry. It does not wait for them.
func (b *Bus) Publish(ctx context.Context, matchID string, e match.Entry) {
	data, err := json.Marshal(e)
	if err == nil {
		err = b.publish(ctx, matchKind, matchKind+"."+matchID, data)
	}
	if err != nil {
		// The entry is kept; whoever misses it reads the log.
		slog.WarnContext(ctx, "bus: a log entry was not announced", "match", matchID, "seq", e.Seq, "error", err)
	}
}

// Subscribe calls f for every entry of every match, one after the other, until
// Close.
func (b *Bus) Subscribe(f func(ctx context.Context, matchID string, e match.Entry)) error {
	return b.subscribe(matchKind, matchKind+".*", func(ctx context.Context, msg *nats.Msg) error {
		var e match.Entry
		if err := json.Unmarshal(msg.Data, &e); err != nil {
			return err
		}
		f(ctx, of(matchKind, msg.Subject), e)
		return nil
	})
}

// ended is a message of sessions that have ended.
type ended struct {
	Sessions []string   `json:"sessions"`
	Why      fault.Code `json:"why"`
}

// PublishEnded tells all processes of sessions that have ended, and why. It does not
// wait for them.
func (b *Bus) PublishEnded(sessionIDs []string, why fault.Code) {
	data, err := json.Marshal(ended{sessionIDs, why})
	if err == nil {
		err = b.publish(context.Background(), sessionKind, overSubject, data)
	}
	if err != nil {
		// They are kept; the others read them before long.
		slog.Warn("bus: the end of sessions was not announced", "sessions", len(sessionIDs), "error", err)
	}
}

// SubscribeEnded calls f for sessions that have ended, until Close.
func (b *Bus) SubscribeEnded(f func(sessionIDs []string, why fault.Code)) error {
	return b.subscribe(sessionKind, overSubject, func(_ context.Context, msg *nats.Msg) error {
		var m ended
		if err := json.Unmarshal(msg.Data, &m); err != nil {
			return err
		}
		f(m.Sessions, m.Why)
		return nil
	})
}

// PublishHalts tells all processes that a part of the game was stopped, or goes on. It
// does not wait for them.
func (b *Bus) PublishHalts() {
	if err := b.publish(context.Background(), haltKind, changedSubject, nil); err != nil {
		// It is kept; the others read it before long.
		slog.Warn("bus: a switch was not announced", "error", err)
	}
}

// SubscribeHalts calls f when a part of the game was stopped, or goes on, until Close.
func (b *Bus) SubscribeHalts(f func()) error {
	return b.subscribe(haltKind, changedSubject, func(context.Context, *nats.Msg) error {
		f()
		return nil
	})
}

// PublishNotice tells all processes that a player's inbox has changed, and the
// number of its newest notice. It does not wait for them.
func (b *Bus) PublishNotice(playerID string, seq int) { b.publishSeq(noticeKind, playerID, seq) }

// SubscribeNotices calls f for every inbox that has changed, until Close.
func (b *Bus) SubscribeNotices(f func(playerID string, seq int)) error {
	return b.subscribeSeq(noticeKind, f)
}

// PublishEngagement tells all processes that a player's engagement has changed, and
// its number. It does not wait for them.
func (b *Bus) PublishEngagement(c engagement.Change) {
	b.publishSeq(engagementKind, c.PlayerID, c.Seq)
}

// SubscribeEngagements calls f for every engagement that has changed, until Close.
func (b *Bus) SubscribeEngagements(f func(playerID string, seq int)) error {
	return b.subscribeSeq(engagementKind, f)
}

// PublishTalk tells all processes what is said at a table. It does not wait for them,
// and what is lost is lost.
func (b *Bus) PublishTalk(said talk.Said) {
	data, err := json.Marshal(said)
	if err == nil {
		err = b.publish(context.Background(), talkKind, talkKind+"."+said.MatchID, data)
	}
	if err != nil {
		slog.Warn("bus: what was said was not announced", "match", said.MatchID, "error", err)
	}
}

// SubscribeTalk calls f for all that is said at any table, until Close.
func (b *Bus) SubscribeTalk(f func(talk.Said)) error {
	return b.subscribe(talkKind, talkKind+".*", func(_ context.Context, msg *nats.Msg) error {
		var said talk.Said
		if err := json.Unmarshal(msg.Data, &said); err != nil {
			return err
		}
		f(said)
		return nil
	})
}

// publishSeq tells of a player's newest number of some kind.
func (b *Bus) publishSeq(kind, playerID string, seq int) {
	if err := b.publish(context.Background(), kind, kind+"."+playerID, []byte(strconv.Itoa(seq))); err != nil {
		// It is kept; whoever misses it reads it with the next.
		slog.Warn("bus: a change was not announced", "kind", kind, "player", playerID, "seq", seq, "error", err)
	}
}

func (b *Bus) subscribeSeq(kind string, f func(playerID string, seq int)) error {
	return b.subscribe(kind, kind+".*", func(_ context.Context, msg *nats.Msg) error {
		seq, err := strconv.Atoi(string(msg.Data))
		if err != nil {
			return err
		}
		f(of(kind, msg.Subject), seq)
		return nil
	})
}
