package socket_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
)

// hear says hello and follows the player's notices from a number on.
func (s *salon) hear(player string, seq int) *client {
	s.t.Helper()
	c := s.dial()
	c.send(map[string]any{"type": "hello", "token": player, "topics": map[string]int{"notices": seq}})
	c.expect("welcome", "")
	return c
}

// inbox expects the count alone.
func (c *client) inbox(seq, unread int) {
	c.s.t.Helper()
	if f := c.expect("inbox", ""); f.Topic != "notices" || f.Seq != seq || *f.Unread != unread {
		c.s.t.Fatalf("got %s, want seq %d and %d unread", f.raw, seq, unread)
	}
}

// told expects a notice; unread is -1 where another follows at once.
func (c *client) told(seq, unread int) frame {
	c.s.t.Helper()
	f := c.expect("notice", "")
	if f.Seq != seq || f.Notice.Seq != seq || (f.Unread == nil) != (unread < 0) || f.Unread != nil && *f.Unread != unread {
		c.s.t.Fatalf("got %s, want notice %d and %d unread", f.raw, seq, unread)
	}
	return f
}

func (s *salon) say(player string, times int) {
	s.t.Helper()
	for i := range times {
		if err := s.notices.Send(s.t.Context(), player, map[string]string{"en": fmt.Sprint(i)}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// What happens to a player is heard at once, on each of its sockets and on nobody
// else's, and whoever comes back hears exactly the rest.
func TestNotices(t *testing.T) {
	s := newSalon(t)
	ana, ben := s.player("Ana"), s.player("Ben")
	friends := people.New(s.store, time.Now, s.notices.Announce)
	phone, tablet, other := s.hear(ana, 0), s.hear(ana, 0), s.hear(ben, 0)
	phone.inbox(0, 0)
	tablet.inbox(0, 0)
	other.inbox(0, 0)

	if _, _, err := friends.Ask(t.Context(), ben, ana, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*client{phone, tablet} {
		if f := c.told(1, 1); f.Notice.Kind != "friend_request" || f.Notice.From.Name != "Ben" {
			t.Errorf("told %s", f.raw)
		}
	}
	if err := friends.Accept(t.Context(), ana, ben); err != nil {
		t.Fatal(err)
	}
	if f := other.told(1, 1); f.Notice.Kind != "friend_accepted" || f.Notice.From.ID != ana {
		t.Errorf("told %s", f.raw)
	}

	// Read on one device, it is read on all.
	if _, err := s.notices.MarkRead(t.Context(), ana, 1); err != nil {
		t.Fatal(err)
	}
	phone.inbox(1, 0)
	tablet.inbox(1, 0)

	// Coming back, from any number.
	s.say(ana, 3)
	for from := range 5 {
		c := s.hear(ana, from)
		for seq := from + 1; seq < 4; seq++ {
			c.told(seq, -1)
		}
		if from < 4 {
			c.told(4, 3)
		} else {
			c.inbox(4, 3)
		}
		c.send(map[string]any{"type": "ping"})
		c.expect("pong", "") // and nothing else
	}
	// A number that is not there yet is put right.
	s.hear(ana, 99).inbox(4, 3)
	// Too many to tell one by one.
	s.say(ana, 50)
	s.hear(ana, 3).inbox(54, 53)
	c := s.hear(ana, 4)
	for seq := 5; seq < 54; seq++ {
		c.told(seq, -1)
	}
	c.told(54, 53)

	// Want it no more, and again.
	c.send(map[string]any{"type": "unsubscribe", "topic": "notices"})
	c.expect("result", "")
	s.say(ana, 1)
	c.send(map[string]any{"type": "ping"})
	c.expect("pong", "")
	c.send(map[string]any{"type": "subscribe", "topic": "notices", "seq": 54})
	c.either("result", "", "notice", "")

	for _, name := range []string{"notices:" + ana, "notices:", "match", "notice", ""} {
		c.send(map[string]any{"type": "subscribe", "topic": name})
		c.expect("error", "invalid_request")
	}
}

// A match and notices are followed side by side, each by its own numbers.
func TestNoticesBesideMatch(t *testing.T) {
	s := newSalon(t)
	id, players := s.table()
	s.say(players[0], 2)
	c := s.dial()
	c.send(map[string]any{"type": "hello", "token": players[0], "topics": map[string]int{"match:" + id: 0, "notices": 1}})
	c.expect("welcome", "")
	c.either("snapshot", "", "notice", "")
	c.send(map[string]any{"type": "seed", "match": id, "seed": "s", "id": 1})
	if f := c.expect("event", ""); f.Seq != 1 {
		t.Errorf("event %s", f.raw)
	}
	c.expect("result", "")
	s.say(players[0], 1)
	c.told(3, 3)
}

// What one process keeps is heard at the other.
func TestNoticesOverTwoProcesses(t *testing.T) {
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
	here, there := newSalonOn(t, db, cluster.ClientURL()), newSalonOn(t, storetest.Open(t, o), cluster.ClientURL())
	ana := here.player("Ana")
	c := there.hear(ana, 0)
	c.inbox(0, 0)
	here.say(ana, 1)
	c.told(1, 1)
}

// failing is a domain whose database is gone.
type failing struct{}

func (failing) Since(context.Context, string, int) ([]notice.Notice, notice.Inbox, error) {
	return nil, notice.Inbox{}, fmt.Errorf("planted")
}

// A topic that cannot be followed, however often it is tried, is told so, and the socket
// goes on.
func TestNoticesFail(t *testing.T) {
	s := newSalon(t)
	s.hub.SetFirstRetry(time.Millisecond)
	s.hub.ServeNotices(failing{}, nil)
	c := s.hear(s.player("Ana"), 0)
	if f := c.expect("error", "internal"); f.Topic != "notices" {
		t.Errorf("got %s", f.raw)
	}
	c.send(map[string]any{"type": "ping"})
	c.expect("pong", "")
}

// faltering fails some times, and then is what it is.
type faltering struct {
	socket.Notices
	fails *atomic.Int64
}

func (f faltering) Since(ctx context.Context, player string, n int) ([]notice.Notice, notice.Inbox, error) {
	if f.fails.Add(-1) >= 0 {
		return nil, notice.Inbox{}, fmt.Errorf("planted")
	}
	return f.Notices.Since(ctx, player, n)
}

// A database that is away for a moment is noticed by nobody.
func TestNoticesFalter(t *testing.T) {
	s := newSalon(t)
	s.hub.SetFirstRetry(time.Millisecond)
	f := faltering{s.notices, new(atomic.Int64)}
	s.hub.ServeNotices(f, func(n notice.Notice, inbox notice.Inbox) any { return rest.NoticeJSON(n, inbox) })
	f.fails.Store(3) // one of them when it is subscribed to
	ana := s.player("Ana")
	c := s.hear(ana, 0)
	c.inbox(0, 0)
	f.fails.Store(4)
	s.say(ana, 1)
	c.told(1, 1)
}
