// Package bus carries log entries from the process that kept them to all
// processes, itself included, over NATS: an embedded server that listens on no
// port, or a cluster.
//
// A message may be lost. Every entry has its number, so whoever misses one
// notices and reads the log.
package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/talk"
)

const (
	// subjects of log entries are this prefix and the match's id.
	subjects = "match."
	// endedSubject is that of sessions that have ended.
	endedSubject = "session.over"
	// noticeSubjects are this prefix and the player's id, whose inbox has changed.
	noticeSubjects = "notice."
	// engagementSubjects are this prefix and the player's id, whose engagement has
	// changed.
	engagementSubjects = "engagement."
	// talkSubjects are this prefix and the id of the match at whose table something is
	// said.
	talkSubjects = "talk."
	// haltedSubject is that of switches that were changed.
	haltedSubject = "halt.changed"
)

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
	// gaps is told when messages may have been lost.
	gaps chan struct{}
}

// Open connects to the NATS servers at url, or starts one inside the process if
// url is empty.
func Open(url string) (*Bus, error) {
	b := &Bus{closed: make(chan struct{}), gaps: make(chan struct{}, 1)}
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

// Publish tells all processes of an entry. It does not wait for them.
func (b *Bus) Publish(matchID string, e match.Entry) {
	data, err := json.Marshal(e)
	if err == nil {
		err = b.conn.Publish(subjects+matchID, data)
	}
	if err != nil {
		// The entry is kept; whoever misses it reads the log.
		slog.Warn("bus: a log entry was not announced", "match", matchID, "seq", e.Seq, "error", err)
	}
}

// Subscribe calls f for every entry of every match, one after the other, until
// Close.
func (b *Bus) Subscribe(f func(matchID string, e match.Entry)) error {
	_, err := b.conn.Subscribe(subjects+"*", func(msg *nats.Msg) {
		var e match.Entry
		if err := json.Unmarshal(msg.Data, &e); err != nil {
			slog.Warn("bus: not a log entry", "error", err)
			return
		}
		f(strings.TrimPrefix(msg.Subject, subjects), e)
	})
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
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
		err = b.conn.Publish(endedSubject, data)
	}
	if err != nil {
		// They are kept; the others read them before long.
		slog.Warn("bus: the end of sessions was not announced", "sessions", len(sessionIDs), "error", err)
	}
}

// SubscribeEnded calls f for sessions that have ended, until Close.
func (b *Bus) SubscribeEnded(f func(sessionIDs []string, why fault.Code)) error {
	_, err := b.conn.Subscribe(endedSubject, func(msg *nats.Msg) {
		var m ended
		if err := json.Unmarshal(msg.Data, &m); err != nil {
			slog.Warn("bus: not a list of sessions", "error", err)
			return
		}
		f(m.Sessions, m.Why)
	})
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

// PublishHalts tells all processes that a part of the game was stopped, or goes on. It
// does not wait for them.
func (b *Bus) PublishHalts() {
	if err := b.conn.Publish(haltedSubject, nil); err != nil {
		// It is kept; the others read it before long.
		slog.Warn("bus: a switch was not announced", "error", err)
	}
}

// SubscribeHalts calls f when a part of the game was stopped, or goes on, until Close.
func (b *Bus) SubscribeHalts(f func()) error {
	if _, err := b.conn.Subscribe(haltedSubject, func(*nats.Msg) { f() }); err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

// PublishNotice tells all processes that a player's inbox has changed, and the
// number of its newest notice. It does not wait for them.
func (b *Bus) PublishNotice(playerID string, seq int) { b.publishSeq(noticeSubjects, playerID, seq) }

// SubscribeNotices calls f for every inbox that has changed, until Close.
func (b *Bus) SubscribeNotices(f func(playerID string, seq int)) error {
	return b.subscribeSeq(noticeSubjects, f)
}

// PublishEngagement tells all processes that a player's engagement has changed, and
// its number. It does not wait for them.
func (b *Bus) PublishEngagement(c engagement.Change) {
	b.publishSeq(engagementSubjects, c.PlayerID, c.Seq)
}

// SubscribeEngagements calls f for every engagement that has changed, until Close.
func (b *Bus) SubscribeEngagements(f func(playerID string, seq int)) error {
	return b.subscribeSeq(engagementSubjects, f)
}

// PublishTalk tells all processes what is said at a table. It does not wait for them,
// and what is lost is lost.
func (b *Bus) PublishTalk(said talk.Said) {
	data, err := json.Marshal(said)
	if err == nil {
		err = b.conn.Publish(talkSubjects+said.MatchID, data)
	}
	if err != nil {
		slog.Warn("bus: what was said was not announced", "match", said.MatchID, "error", err)
	}
}

// SubscribeTalk calls f for all that is said at any table, until Close.
func (b *Bus) SubscribeTalk(f func(talk.Said)) error {
	_, err := b.conn.Subscribe(talkSubjects+"*", func(msg *nats.Msg) {
		var said talk.Said
		if err := json.Unmarshal(msg.Data, &said); err != nil {
			slog.Warn("bus: nothing that is said", "error", err)
			return
		}
		f(said)
	})
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

// publishSeq tells of a player's newest number of some kind.
func (b *Bus) publishSeq(subjects, playerID string, seq int) {
	if err := b.conn.Publish(subjects+playerID, []byte(strconv.Itoa(seq))); err != nil {
		// It is kept; whoever misses it reads it with the next.
		slog.Warn("bus: a change was not announced", "subject", subjects, "player", playerID, "seq", seq, "error", err)
	}
}

func (b *Bus) subscribeSeq(subjects string, f func(playerID string, seq int)) error {
	_, err := b.conn.Subscribe(subjects+"*", func(msg *nats.Msg) {
		seq, err := strconv.Atoi(string(msg.Data))
		if err != nil {
			slog.Warn("bus: not a number", "subject", msg.Subject, "error", err)
			return
		}
		f(strings.TrimPrefix(msg.Subject, subjects), seq)
	})
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}
