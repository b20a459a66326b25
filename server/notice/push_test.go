package notice_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
)

// fakeClock stands until it is moved. What is due then happens one after the other.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*alarm
}

type alarm struct {
	at   time.Time
	f    func()
	done bool
}

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{at: c.now.Add(d), f: f}
	c.alarms = append(c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := !a.done
		a.done = true
		return was
	}
}

// next is when the next alarm rings, and false if none will.
func (c *fakeClock) next() (*alarm, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool { return a.done })
	if len(c.alarms) == 0 {
		return nil, false
	}
	return slices.MinFunc(c.alarms, func(a, b *alarm) int { return a.at.Compare(b.at) }), true
}

// run moves the clock from alarm to alarm until none is left, and returns when they
// rang, from the first on.
func (c *fakeClock) run() (rang []time.Duration) {
	from := c.Now()
	for {
		a, ok := c.next()
		if !ok {
			return rang
		}
		c.mu.Lock()
		c.now, a.done = a.at, true
		c.mu.Unlock()
		rang = append(rang, a.at.Sub(from))
		a.f()
	}
}

// post is a push service that answers as it is told.
type post struct {
	mu     sync.Mutex
	got    []notice.Message
	answer func(m notice.Message, times int) error
	times  map[string]int
}

func (p *post) Push(_ context.Context, m notice.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times[m.Token]++
	p.got = append(p.got, m)
	if p.answer == nil {
		return nil
	}
	return p.answer(m, p.times[m.Token])
}

func (p *post) tokens() (tokens []string) {
	for _, m := range p.got {
		tokens = append(tokens, m.Token)
	}
	return tokens
}

type world struct {
	t     *testing.T
	store *store.Store
	clock *fakeClock
	post  *post
	*notice.Service
	told []string
}

var t0 = time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, s *store.Store) *world {
	t.Helper()
	w := &world{t: t, store: s, clock: &fakeClock{now: t0}, post: &post{times: map[string]int{}}}
	// No spread: half of it is zero bytes, so that times can be told.
	w.Service = notice.New(s, w.clock.Now, func(id string, seq int) { w.told = append(w.told, fmt.Sprint(id, " ", seq)) },
		notice.WithPush(w.post, w.clock), notice.WithRandom(zeros{}))
	return w
}

// zeros is randomness that spreads nothing, but counts where it has to be unique.
type zeros struct{}

var count atomic.Uint32

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	if len(p) == 16 {
		binary.BigEndian.PutUint32(p[12:], count.Add(1))
	}
	return len(p), nil
}

func (w *world) player(id, name, language string) account.Player {
	w.t.Helper()
	id = "01890a5d-ac96-774b-bcce-" + strings.Repeat(id, 12)
	p := account.Player{ID: id, Name: name, Guest: true, Avatar: "AO", Language: language, CreatedAt: t0}
	d := account.Device{ID: id, PlayerID: id, SecretHash: sha256.Sum256([]byte(id)), CreatedAt: t0}
	if err := w.store.CreateGuest(w.t.Context(), p, d, account.Session{ID: id, PlayerID: id, TokenHash: d.SecretHash}); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) register(p account.Player, token string) notice.Device {
	w.t.Helper()
	d, err := w.Register(w.t.Context(), p.ID, p.ID, token, "android")
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// ask has one ask another to be friends, which is the notice to push.
func (w *world) ask(from, to account.Player) {
	w.t.Helper()
	if _, _, err := people.New(w.store, w.clock.Now, w.Announce).Ask(w.t.Context(), from.ID, to.ID, ""); err != nil {
		w.t.Fatal(err)
	}
}

func TestPush(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		ana, ben := w.player("a", "Ana", "ca"), w.player("b", "Ben", "es")
		w.register(ben, "ben-phone")
		w.register(ben, "ben-tablet")
		w.ask(ana, ben)
		if rang := w.clock.run(); len(rang) != 1 {
			t.Errorf("rang at %v", rang)
		}
		want := notice.Message{
			Token: "ben-phone", Title: "Solicitud de amistad", Body: "Ana te pide amistad.", Collapse: "friend_request",
			Data: map[string]string{"kind": "friend_request", "seq": "1"},
		}
		if len(w.post.got) != 2 || fmt.Sprint(w.post.got[0]) != fmt.Sprint(want) || w.post.got[1].Token != "ben-tablet" {
			t.Errorf("pushed %+v, want %+v", w.post.got, want)
		}
		if !slices.Equal(w.told, []string{ben.ID + " 1"}) {
			t.Errorf("told %v", w.told)
		}
		// Nobody to push to.
		if err := w.Send(t.Context(), ana.ID, map[string]string{"es": "hola", "ca": "bon dia"}); err != nil {
			t.Fatal(err)
		}
		w.clock.run()
		if len(w.post.got) != 2 {
			t.Errorf("pushed %v", w.post.tokens())
		}
		w.register(ana, "ana")
		if err := w.Send(t.Context(), ana.ID, map[string]string{"es": "hola", "ca": "bon dia"}); err != nil {
			t.Fatal(err)
		}
		w.clock.run()
		if m := w.post.got[2]; m.Title != "Cuatrola" || m.Body != "bon dia" {
			t.Errorf("pushed %+v", m)
		}
	})
}

// Every kind has its words in every language, and names whom it is about.
func TestWords(t *testing.T) {
	w := newWorld(t, storetest.New(t, store.SQLite))
	from := w.player("f", "Fina", "es")
	for i, language := range people.Languages {
		p := w.player(fmt.Sprint(i), fmt.Sprint("P", i+2), language)
		w.register(p, language)
		for _, n := range []notice.Notice{{Kind: notice.FriendRequest}, {Kind: notice.FriendAccepted}} {
			n.PlayerID, n.From, n.At = p.ID, &notice.Person{ID: from.ID}, t0
			n, err := w.store.AddNotice(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			w.Announce(n)
		}
	}
	w.clock.run()
	seen := map[string]bool{}
	for _, m := range w.post.got {
		seen[m.Title], seen[m.Body] = true, true
		if !strings.HasPrefix(m.Body, "Fina ") || strings.Contains(m.Body, "%") {
			t.Errorf("pushed %+v", m)
		}
	}
	if len(w.post.got) != 6 || len(seen) != 12 {
		t.Errorf("%d pushes with %d texts", len(w.post.got), len(seen))
	}
}

// A league's end says the rank, and what came of it, in each language.
func TestLeagueWords(t *testing.T) {
	w := newWorld(t, storetest.New(t, store.SQLite))
	var want []string
	for i, c := range []struct {
		language, want string
		notice.League
	}{
		{"es", "Has quedado en el puesto 1. Premio en monedas: 300. Subes de división.", notice.League{Rank: 1, Prize: 300, Moved: 1}},
		{"ca", "Has quedat en el lloc 30. Baixes de divisió.", notice.League{Rank: 30, Moved: -1}},
		{"en", "You came in at number 12.", notice.League{Rank: 12}},
	} {
		p := w.player(fmt.Sprint(i), fmt.Sprint("P", i), c.language)
		w.register(p, c.language)
		n, err := w.store.AddNotice(t.Context(), notice.Notice{PlayerID: p.ID, Kind: notice.LeagueClosed, League: &c.League, At: t0})
		if err != nil {
			t.Fatal(err)
		}
		w.Announce(n)
		w.clock.run()
		want = append(want, c.want)
	}
	var got []string
	for _, m := range w.post.got {
		got = append(got, m.Body)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A message is offered again after a pause that doubles, and no more often than
// that; to devices that took it, not at all.
func TestRetries(t *testing.T) {
	w := newWorld(t, storetest.New(t, store.SQLite))
	ana, ben := w.player("a", "Ana", "es"), w.player("b", "Ben", "es")
	for _, token := range []string{"good", "bad", "slow", "wrong"} {
		w.register(ben, token)
	}
	w.post.answer = func(m notice.Message, times int) error {
		switch m.Token {
		case "bad":
			return &notice.Later{Err: errors.New("planted")}
		case "slow":
			if times == 1 {
				return &notice.Later{After: time.Minute, Err: errors.New("planted")}
			}
		case "wrong":
			return errors.New("planted")
		}
		return nil
	}
	w.ask(ana, ben)
	rang := w.clock.run()
	// The second try waits for the minute that the service asked for.
	want := []time.Duration{0, time.Minute, 80 * time.Second, 2 * time.Minute, 200 * time.Second, 6 * time.Minute}
	if !slices.Equal(rang, want) {
		t.Errorf("rang at %v, want %v", rang, want)
	}
	if w.post.times["good"] != 1 || w.post.times["bad"] != 6 || w.post.times["slow"] != 2 || w.post.times["wrong"] != 1 {
		t.Errorf("offered %v", w.post.times)
	}
}

func TestSpread(t *testing.T) {
	s := storetest.New(t, store.SQLite)
	w := newWorld(t, s)
	ana, ben := w.player("a", "Ana", "es"), w.player("b", "Ben", "es")
	w.register(ben, "ben")
	w.Service = notice.New(s, w.clock.Now, func(string, int) {}, notice.WithPush(w.post, w.clock),
		notice.WithRandom(bytes.NewReader(bytes.Repeat([]byte{0x80, 0, 0, 0}, 10))))
	w.post.answer = func(_ notice.Message, times int) error {
		if times == 1 {
			return &notice.Later{After: 5 * time.Hour, Err: errors.New("planted")}
		}
		return nil
	}
	w.ask(ana, ben)
	// An hour at most, whatever the service asks for, and a quarter of it for the dice.
	if rang := w.clock.run(); !slices.Equal(rang, []time.Duration{0, 75 * time.Minute}) {
		t.Errorf("rang at %v", rang)
	}
}

// Tokens that are no device's are forgotten.
func TestGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		ana, ben := w.player("a", "Ana", "es"), w.player("b", "Ben", "es")
		w.register(ben, "old")
		w.register(ben, "new")
		w.post.answer = func(m notice.Message, _ int) error {
			if m.Token == "old" {
				return errors.Join(notice.ErrGone, errors.New("planted"))
			}
			return nil
		}
		w.ask(ana, ben)
		w.clock.run()
		if err := w.Send(t.Context(), ben.ID, map[string]string{"es": "hola"}); err != nil {
			t.Fatal(err)
		}
		w.clock.run()
		if got := w.post.tokens(); !slices.Equal(got, []string{"old", "new", "new"}) {
			t.Errorf("pushed to %v", got)
		}
	})
}

// Between two tries much can happen after which nothing is to be pushed.
func TestNoMore(t *testing.T) {
	for name, happens := range map[string]func(w *world, ana, ben account.Player, d notice.Device) error{
		"read": func(w *world, _, ben account.Player, _ notice.Device) error {
			_, err := w.MarkRead(w.t.Context(), ben.ID, 1)
			return err
		},
		"unregistered": func(w *world, _, ben account.Player, d notice.Device) error {
			return w.Unregister(w.t.Context(), ben.ID, d.ID)
		},
		"another player's": func(w *world, ana, _ account.Player, d notice.Device) error {
			_, err := w.Register(w.t.Context(), ana.ID, ana.ID, d.Token, "ios")
			return err
		},
		"blocked": func(w *world, ana, ben account.Player, _ notice.Device) error {
			return people.New(w.store, w.clock.Now, w.Announce).Block(w.t.Context(), ben.ID, ana.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, storetest.New(t, store.SQLite))
			ana, ben := w.player("a", "Ana", "es"), w.player("b", "Ben", "es")
			d := w.register(ben, "phone")
			w.post.answer = func(notice.Message, int) error {
				if err := happens(w, ana, ben, d); err != nil {
					t.Error(err)
				}
				return &notice.Later{Err: errors.New("planted")}
			}
			w.ask(ana, ben)
			w.clock.run()
			if len(w.post.got) != 1 {
				t.Errorf("pushed %d times", len(w.post.got))
			}
		})
	}
}

func TestStop(t *testing.T) {
	w := newWorld(t, storetest.New(t, store.SQLite))
	ana, ben := w.player("a", "Ana", "es"), w.player("b", "Ben", "es")
	w.register(ben, "phone")
	w.post.answer = func(notice.Message, int) error { return &notice.Later{Err: errors.New("planted")} }
	w.ask(ana, ben)
	first, _ := w.clock.next()
	first.done = true
	first.f()
	second, ok := w.clock.next()
	if !ok || len(w.post.got) != 1 {
		t.Fatalf("pushed %v", w.post.got)
	}
	w.Stop()
	if !second.done {
		t.Error("the repetition is still to come")
	}
	second.f() // as if it had just begun
	if err := w.Send(t.Context(), ben.ID, map[string]string{"es": "hola"}); err != nil {
		t.Error(err)
	}
	if rang := w.clock.run(); len(rang) != 0 || len(w.post.got) != 1 {
		t.Errorf("after Stop: rang at %v, pushed %v", rang, w.post.got)
	}
}

func TestDevices(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		w := newWorld(t, s)
		ana, ben := w.player("a", "Ana", "ca"), w.player("b", "Ben", "es")
		first := w.register(ana, "token")
		w.clock.now = w.clock.now.Add(time.Second)
		if again := w.register(ana, "token"); again.ID != first.ID || !again.CreatedAt.Equal(w.clock.now) {
			t.Errorf("again: %+v, first %+v", again, first)
		}
		// Ben signs in where Ana was: the token is his, and she cannot drop it.
		bens := w.register(ben, "token")
		if bens.ID == first.ID {
			t.Error("one identifier for two players' registrations")
		}
		for _, id := range []string{first.ID, bens.ID} {
			if err := w.Unregister(ctx, ana.ID, id); err != nil {
				t.Fatal(err)
			}
		}
		if devices, language, err := s.Devices(ctx, ben.ID); err != nil || language != "es" || len(devices) != 1 || devices[0] != bens {
			t.Errorf("%+v, %s, %v; want %+v", devices, language, err, bens)
		}
		if devices, _, err := s.Devices(ctx, ana.ID); err != nil || len(devices) != 0 {
			t.Errorf("Ana still has %+v, %v", devices, err)
		}
		// The newest ones stay.
		for i := range notice.MaxDevices + 3 {
			w.clock.now = w.clock.now.Add(time.Second)
			w.register(ana, fmt.Sprint(i))
		}
		devices, _, err := s.Devices(ctx, ana.ID)
		if err != nil || len(devices) != notice.MaxDevices || devices[0].Token != "3" {
			t.Errorf("%+v, %v", devices, err)
		}
		for _, bad := range []string{"", strings.Repeat("x", notice.MaxToken+1)} {
			if _, err := w.Register(ctx, ana.ID, ana.ID, bad, "web"); fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%d bytes: %v", len(bad), err)
			}
		}
	})
}

// What is told to many is pushed to those who have a device, and none is left out
// because too many wait.
func TestManyAreTold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.LimitPushes(4)
		var list []notice.Notice
		for i, id := range strings.Split("abcdef", "") {
			p := w.player(id, "P"+id, []string{"es", "ca", "en"}[i%3])
			if id != "f" {
				w.register(p, id)
			}
			n, err := s.AddNotice(t.Context(), notice.Notice{PlayerID: p.ID, Kind: notice.System, Text: map[string]string{"es": "hola"}, At: t0})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, n)
		}
		done := make(chan error, 1)
		go func() { done <- w.Spread(t.Context(), list) }()
		for waiting := true; waiting; {
			w.clock.run()
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
				waiting = false
			default:
			}
		}
		w.clock.run()
		got := w.post.tokens()
		slices.Sort(got)
		if !slices.Equal(got, strings.Split("abcde", "")) || len(w.told) != 6 {
			t.Errorf("pushed to %v, told %v", got, w.told)
		}
		// Who stops waiting leaves it.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w.LimitPushes(0)
		if err := w.Spread(ctx, list); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
