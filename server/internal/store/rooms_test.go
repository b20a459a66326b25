package store_test

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// still is a clock at which nothing falls due.
type still struct{}

func (still) Now() time.Time                              { return t0 }
func (still) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }

// parlour is a service of rooms with a clock that stands until it is moved, and all
// that it has told.
type parlour struct {
	*room.Service
	t     *testing.T
	store *store.Store

	mu      sync.Mutex
	now     time.Time
	changes []engagement.Change
	notices []notice.Notice
}

func newParlour(t *testing.T, s *store.Store) *parlour {
	t.Helper()
	p := &parlour{t: t, store: s, now: t0}
	p.Service = room.New(room.Options{
		Store: s, Matches: match.New(s, still{}, func(context.Context, string, match.Entry) {}),
		Economy: func(context.Context) (int, error) { return 7, nil },
		Now: func() time.Time {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.now
		},
		Random: crand.Reader,
		Tell: func(c ...engagement.Change) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.changes = append(p.changes, c...)
		},
		Announce: func(n notice.Notice) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.notices = append(p.notices, n)
		},
	})
	return p
}

func (p *parlour) pass(d time.Duration) { p.mu.Lock(); defer p.mu.Unlock(); p.now = p.now.Add(d) }

// told is what has been told since it was last asked, by player.
func (p *parlour) told() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	seqs := map[string]int{}
	for _, c := range p.changes {
		seqs[c.PlayerID] = c.Seq
	}
	p.changes = nil
	return seqs
}

func someone(a account.Player) people.Person {
	return people.Person{ID: a.ID, Name: a.Name, Avatar: a.Avatar}
}

var mesa = room.Settings{Rules: rules.Mesa.Rules(), TurnTime: 20 * time.Second, BotPause: time.Second}

// open makes a room and returns it.
func (p *parlour) open(owner account.Player) room.Room {
	p.t.Helper()
	var made room.Room
	_, err := p.Create(p.t.Context(), someone(owner), mesa, &match.Answer{}, func(r room.Room) ([]byte, error) { made = r; return nil, nil })
	if err != nil {
		p.t.Fatal(err)
	}
	return made
}

func (p *parlour) join(r room.Room, who ...account.Player) room.Room {
	p.t.Helper()
	for _, w := range who {
		p.pass(time.Second)
		var err error
		if r, err = p.Join(p.t.Context(), w.ID, r.Code); err != nil {
			p.t.Fatal(err)
		}
	}
	return r
}

// is fails unless the player is there, and why; it returns the engagement.
func (p *parlour) is(who account.Player, kind engagement.Kind, id string, why engagement.Reason) engagement.Engagement {
	p.t.Helper()
	e, err := p.store.Engagement(p.t.Context(), who.ID)
	if err != nil || e.Place != (engagement.Place{Kind: kind, ID: id}) || e.Reason != why {
		p.t.Errorf("%s is %+v, %v; want %s %s, %s", who.Name, e, err, kind, id, why)
	}
	return e
}

func noBody(room.Room) ([]byte, error) { return nil, nil }

// begin starts the room's match.
func (p *parlour) begin(r room.Room, owner account.Player) *match.Match {
	p.t.Helper()
	var id string
	_, err := p.Start(p.t.Context(), r.ID, owner.ID, &match.Answer{}, func(r room.Room) ([]byte, error) { id = r.MatchID; return nil, nil })
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := p.store.GetMatch(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func code(t *testing.T, want fault.Code, err error) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestRooms(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		ana, ben, carla := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben"), addPlayer(t, s, "Carla")
		made := p.open(ana)
		got, err := p.Get(ctx, made.ID, ana.ID)
		if err != nil || !reflect.DeepEqual(got, made) {
			t.Errorf("kept %+v, %v; want %+v", got, err, made)
		}
		p.is(ana, engagement.Room, made.ID, engagement.Joined)
		_, err = p.Create(ctx, someone(ana), mesa, &match.Answer{}, noBody)
		code(t, engagement.CodeEngaged, err)
		_, err = p.Get(ctx, made.ID, ben.ID)
		code(t, fault.NotFound, err)
		_, err = p.Join(ctx, ben.ID, "222222")
		code(t, fault.NotFound, err)
		p.told()

		r := p.join(made, ben, carla)
		if r.Seats[1].Person != someone(ben) || r.Seats[2].Person != someone(carla) || r.Version != 3 {
			t.Errorf("joined: %+v", r)
		}
		if told := p.told(); len(told) != 3 || told[ana.ID] != 3 || told[ben.ID] != 2 || told[carla.ID] != 1 {
			t.Errorf("told %v", told)
		}
		again := p.join(r, ben)
		if !reflect.DeepEqual(again, r) || len(p.told()) != 0 {
			t.Errorf("joined again: %+v", again)
		}

		r, err = p.Swap(ctx, r.ID, ana.ID, 0, 1)
		if err == nil {
			r, err = p.Sit(ctx, r.ID, carla.ID, 3)
		}
		if err == nil {
			r, err = p.GiveToBot(ctx, r.ID, ana.ID, 2, bot.Tabernero)
		}
		if err == nil {
			r, err = p.Ready(ctx, r.ID, ben.ID, true)
		}
		if err == nil {
			r, err = p.Set(ctx, r.ID, ana.ID, func(s *room.Settings) { s.TurnTime = time.Minute })
		}
		if err == nil {
			r, err = p.Ready(ctx, r.ID, ben.ID, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := [4]room.Seat{
			{Taken: room.ByPerson, Person: someone(ben), Since: r.Seats[0].Since, Ready: true},
			{Taken: room.ByPerson, Person: someone(ana), Since: t0},
			{Taken: room.ByBot, Bot: bot.Tabernero},
			{Taken: room.ByPerson, Person: someone(carla), Since: r.Seats[3].Since},
		}
		if r.Seats != want || r.Settings.TurnTime != time.Minute || r.Version != 9 {
			t.Errorf("now %+v", r)
		}

		code(t, "", p.Remove(ctx, r.ID, ana.ID, ben.ID))
		p.is(ben, engagement.None, "", engagement.Kicked)
		code(t, fault.NotFound, p.Remove(ctx, r.ID, ben.ID, ben.ID))
		_, err = p.Join(ctx, ben.ID, r.Code)
		code(t, room.CodeKicked, err)
		code(t, "", p.Remove(ctx, r.ID, ana.ID, ana.ID))
		p.is(ana, engagement.None, "", engagement.Left)
		if r, err = p.Get(ctx, r.ID, carla.ID); err != nil || r.OwnerID != carla.ID || !slices.Equal(r.Kicked, []string{ben.ID}) {
			t.Errorf("Carla's room: %+v, %v", r, err)
		}
		mine := p.open(ana) // who is free
		code(t, "", p.Remove(ctx, r.ID, carla.ID, carla.ID))
		_, err = s.Room(ctx, r.ID)
		code(t, fault.NotFound, err)
		_, err = p.Join(ctx, carla.ID, r.Code)
		code(t, fault.NotFound, err)
		p.join(mine, carla)
		p.is(carla, engagement.Room, mine.ID, engagement.Joined)
		if _, err = p.Clear(ctx, r.ID, ana.ID, 2); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a room that is gone: %v", err)
		}
	})
}

// A match of the room takes up all who sit there, and gives them back.
func TestRoomMatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		r := p.join(p.open(ana), ben)
		for seat := rules.Seat(2); seat < 4; seat++ {
			if _, err := p.GiveToBot(ctx, r.ID, ana.ID, seat, bot.Tabernero); err != nil {
				t.Fatal(err)
			}
		}
		_, err := p.Start(ctx, r.ID, ana.ID, &match.Answer{}, noBody)
		code(t, room.CodeNotReady, err)
		for range 2 {
			if _, err := p.Ready(ctx, r.ID, ben.ID, true); err != nil {
				t.Fatal(err)
			}
			p.told()
			m := p.begin(r, ana)
			if m.Mode != economy.Friends || m.Economy != 7 || m.TurnTime != mesa.TurnTime || m.BotPause != mesa.BotPause || m.Rules != mesa.Rules ||
				m.Seats[0].Name != "Ana" || m.Seats[1].PlayerID != ben.ID || !m.Seats[2].IsBot() || m.Seats[3].Bot != bot.Tabernero {
				t.Errorf("the match is %+v", m)
			}
			if told := p.told(); len(told) != 2 {
				t.Errorf("told %v", told)
			}
			e := p.is(ana, engagement.Match, m.ID, engagement.Started)
			p.is(ben, engagement.Match, m.ID, engagement.Started)
			code(t, room.CodePlaying, p.Remove(ctx, r.ID, ben.ID, ben.ID))
			p.pass(time.Hour)
			if err := p.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			p.is(ben, engagement.Match, m.ID, engagement.Started)

			last, result := ended()
			if err := s.FinishMatch(ctx, m.ID, last, result); err != nil {
				t.Fatal(err)
			}
			if after := p.is(ana, engagement.Room, r.ID, engagement.Over); after.Seq != e.Seq+1 {
				t.Errorf("back with number %d, playing with %d", after.Seq, e.Seq)
			}
			p.is(ben, engagement.Room, r.ID, engagement.Over)
			back, err := p.Get(ctx, r.ID, ben.ID)
			if err != nil || back.MatchID != "" || back.Seats[1].Person.ID != ben.ID || back.Seats[1].Ready || back.Seats[2].Taken != room.ByBot || !back.TouchedAt.Equal(last.At) {
				t.Errorf("back in %+v, %v", back, err)
			}
		}
		// A match with friends of no room leaves its players free.
		m := newMatch(t, addPlayer(t, s, "Carla"))
		m.Mode = economy.Friends
		if _, err := s.CreateMatch(ctx, m, nil); err != nil {
			t.Fatal(err)
		}
		last, result := ended()
		if err := s.FinishMatch(ctx, m.ID, last, result); err != nil {
			t.Error(err)
		}
	})
}

// The same request twice makes one room and one match, also at the same time.
func TestRoomRequestsAreOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		body := func(r room.Room) ([]byte, error) { return fmt.Appendf(nil, "%s %s", r.ID, r.MatchID), nil }
		request := match.Answer{PlayerID: ana.ID, Key: "k", Route: "create", RequestHash: []byte{1}, Status: 201, At: t0}
		const times = 6
		twice := func(do func(*match.Answer) (*match.Answer, error)) string {
			t.Helper()
			answers := make([]*match.Answer, times)
			var all sync.WaitGroup
			for i := range times {
				all.Go(func() {
					var err error
					again := request
					if answers[i], err = do(&again); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for _, a := range answers {
				if t.Failed() || !reflect.DeepEqual(a, answers[0]) {
					t.Fatalf("answered %+v and %+v", a, answers[0])
				}
			}
			return string(answers[0].Body)
		}
		id := twice(func(a *match.Answer) (*match.Answer, error) { return p.Create(ctx, someone(ana), mesa, a, body) })[:36]
		r, err := p.Get(ctx, id, ana.ID)
		if err != nil {
			t.Fatal(err)
		}
		p.join(r, ben)
		for seat := rules.Seat(2); seat < 4; seat++ {
			if _, err := p.GiveToBot(ctx, id, ana.ID, seat, bot.Tabernero); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Ready(ctx, id, ben.ID, true); err != nil {
			t.Fatal(err)
		}
		_, err = p.Start(ctx, id, ana.ID, &request, body)
		code(t, "", err) // replayed as it was: the caller says what it asks for
		request.Route = "start"
		_, err = p.Start(ctx, id, ana.ID, &request, body)
		code(t, fault.IdempotencyConflict, err)
		request.Key = "k2"
		if text := twice(func(a *match.Answer) (*match.Answer, error) { return p.Start(ctx, id, ana.ID, a, body) }); len(text) != 73 {
			t.Errorf("started: %s", text)
		}
		if list, err := s.History(ctx, ben.ID, "", 10); err != nil || len(list) != 1 {
			t.Errorf("%d matches, %v", len(list), err)
		}
	})
}

func TestRoomBlocks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		friends := people.New(s, p.clock, func(notice.Notice) {})
		ana, ben, carla, dora := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben"), addPlayer(t, s, "Carla"), addPlayer(t, s, "Dora")
		block := func(a, b account.Player) {
			t.Helper()
			if err := friends.Block(ctx, a.ID, b.ID); err != nil {
				t.Fatal(err)
			}
		}
		block(ben, carla)
		block(dora, ben)
		r := p.join(p.open(ana), ben)
		_, err := p.Join(ctx, carla.ID, r.Code) // whom Ben has blocked
		code(t, fault.NotFound, err)
		_, err = p.Join(ctx, dora.ID, r.Code) // who has blocked Ben
		code(t, room.CodeApart, err)
		p.is(dora, engagement.None, "", "")
		block(ben, dora)
		_, err = p.Join(ctx, dora.ID, r.Code)
		code(t, fault.NotFound, err)

		// A block among those who are there throws nobody out, but nothing begins.
		for seat := rules.Seat(2); seat < 4; seat++ {
			if _, err := p.GiveToBot(ctx, r.ID, ana.ID, seat, bot.Tabernero); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Ready(ctx, r.ID, ben.ID, true); err != nil {
			t.Fatal(err)
		}
		block(ben, ana)
		_, err = p.Start(ctx, r.ID, ana.ID, &match.Answer{}, noBody)
		code(t, room.CodeApart, err)
		if err := friends.Unblock(ctx, ben.ID, ana.ID); err != nil {
			t.Fatal(err)
		}
		p.begin(r, ana)
	})
}

func (p *parlour) clock() time.Time { p.mu.Lock(); defer p.mu.Unlock(); return p.now }

func TestRoomInvites(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		friends := people.New(s, p.clock, func(notice.Notice) {})
		ana, ben, carla := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben"), addPlayer(t, s, "Carla")
		r := p.open(ana)
		invite := func(id, name string, want fault.Code) {
			t.Helper()
			_, err := p.Invite(ctx, r.ID, ana.ID, id, name)
			code(t, want, err)
		}
		var want []notice.Notice
		count := func(more int) {
			t.Helper()
			for range more {
				want = append(want, notice.Notice{
					PlayerID: ben.ID, Seq: len(want) + 1, Kind: notice.RoomInvite, At: p.clock(),
					From: &notice.Person{ID: ana.ID, Name: "Ana", Avatar: ana.Avatar}, Room: &notice.Room{ID: r.ID, Code: r.Code},
				})
			}
			got, err := s.NoticesAfter(ctx, ben.ID, 0, 10)
			if err != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) || len(p.notices) != len(want) {
				t.Fatalf("told %+v, %v; want %+v", got, err, want)
			}
		}
		other, err := p.Invite(ctx, r.ID, ana.ID, "", "bén")
		if err != nil || other != someone(ben) {
			t.Errorf("invited %+v, %v", other, err)
		}
		count(1)
		invite(ben.ID, "", "")
		count(0)
		p.pass(room.InviteEvery)
		invite(ben.ID, "", "")
		count(1)
		invite("", "Zoe", fault.NotFound)
		invite(newID(t), "", fault.NotFound)
		invite(ana.ID, "", fault.InvalidRequest)

		// To another room, not at once.
		code(t, "", p.Remove(ctx, r.ID, ana.ID, ana.ID))
		r = p.open(ana)
		_, err = p.Invite(ctx, r.ID, ana.ID, ben.ID, "")
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.RateLimited || f.RetryAfter != room.InviteEvery {
			t.Errorf("to another room: %v", err)
		}
		p.pass(room.InviteEvery)
		invite("", "Ben", "")
		count(1)

		r = p.join(r, ben)
		p.pass(room.InviteEvery)
		invite("", "Ben", "") // is there
		count(0)
		_, err = p.Invite(ctx, r.ID, ben.ID, carla.ID, "")
		code(t, room.CodeNotOwner, err)
		_, err = p.Invite(ctx, r.ID, carla.ID, ben.ID, "")
		code(t, fault.NotFound, err)

		// Whoever is put out comes back when asked.
		code(t, "", p.Remove(ctx, r.ID, ana.ID, ben.ID))
		_, err = p.Join(ctx, ben.ID, r.Code)
		code(t, room.CodeKicked, err)
		invite("", "Ben", "")
		count(1)
		p.join(r, ben)

		if err := friends.Block(ctx, carla.ID, ana.ID); err != nil {
			t.Fatal(err)
		}
		invite("", "Carla", fault.NotFound)
		if err := friends.Block(ctx, ben.ID, ana.ID); err != nil {
			t.Fatal(err)
		}
		if got, err := s.NoticesAfter(ctx, ben.ID, 0, 1); err != nil || got[0].From != nil || got[0].Room != nil {
			t.Errorf("behind a block: %+v, %v", got, err)
		}
	})
}

// A room in which nothing happens is closed once, whoever sweeps, and its people are
// told.
func TestRoomsExpire(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		var idle []account.Player
		for i := range 3 {
			owner, guest := addPlayer(t, s, fmt.Sprint("Owner ", i)), addPlayer(t, s, fmt.Sprint("Guest ", i))
			p.join(p.open(owner), guest)
			idle = append(idle, owner, guest)
		}
		p.pass(room.IdleTime - 3*time.Second)
		busy := addPlayer(t, s, "Busy")
		kept := p.open(busy)
		if err := p.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for _, who := range idle {
			if e, err := s.Engagement(ctx, who.ID); err != nil || e.Place.Kind != engagement.Room {
				t.Errorf("too early: %+v, %v", e, err)
			}
		}
		p.pass(3 * time.Second)
		p.told()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := p.Sweep(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(p.changes) != len(idle) {
			t.Errorf("told %v", p.changes)
		}
		for _, who := range idle {
			if e := p.is(who, engagement.None, "", engagement.Expired); !e.Since.Equal(p.now) {
				t.Errorf("since %v", e.Since)
			}
		}
		p.is(busy, engagement.Room, kept.ID, engagement.Joined)
	})
}

// Of many who want the last seat at once, one gets it, and the others are free.
func TestLastSeat(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newParlour(t, s)
		owner := addPlayer(t, s, "Owner")
		var others []account.Player
		for i := range 8 {
			others = append(others, addPlayer(t, s, fmt.Sprint("Other ", i)))
		}
		for range 5 {
			r := p.open(owner)
			for seat := rules.Seat(1); seat < 3; seat++ {
				if _, err := p.GiveToBot(ctx, r.ID, owner.ID, seat, bot.Tabernero); err != nil {
					t.Fatal(err)
				}
			}
			errs := make([]error, len(others))
			var all sync.WaitGroup
			for i, o := range others {
				all.Go(func() { _, errs[i] = p.Join(ctx, o.ID, r.Code) })
			}
			all.Wait()
			in := 0
			for i, err := range errs {
				if err == nil {
					in++
					p.is(others[i], engagement.Room, r.ID, engagement.Joined)
					code(t, "", p.Remove(ctx, r.ID, others[i].ID, others[i].ID))
					continue
				}
				code(t, room.CodeRoomFull, err)
				if e, err := s.Engagement(ctx, others[i].ID); err != nil || e.Place != engagement.Free {
					t.Errorf("refused, and yet %+v, %v", e, err)
				}
			}
			if in != 1 {
				t.Fatalf("%d came in", in)
			}
			code(t, "", p.Remove(ctx, r.ID, owner.ID, owner.ID))
		}
	})
}

// Many people do anything in any room at once: nobody sits twice, everybody is where
// the seats say, and no room is left without people or owner.
func TestRoomsAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const players, steps = 8, 100
		ctx, p := t.Context(), newParlour(t, s)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var all []account.Player
		for i := range players {
			all = append(all, addPlayer(t, s, fmt.Sprint("Player ", i)))
		}
		var codes sync.Map // of rooms, by id
		var begun atomic.Int32
		play := func(i int) {
			dice, me := rand.New(rand.NewPCG(seed, uint64(i))), all[i]
			one := func() account.Player { return all[dice.IntN(players)] }
			seat := func() rules.Seat { return rules.Seat(dice.IntN(rules.Seats)) }
			for range steps {
				e, err := s.Engagement(ctx, me.ID)
				if err != nil {
					t.Error(err)
					return
				}
				id := e.Place.ID
				switch dice.IntN(14) {
				case 0:
					if i > 2 { // few rooms, so that they fill
						continue
					}
					_, err = p.Create(ctx, someone(me), mesa, &match.Answer{}, func(r room.Room) ([]byte, error) { codes.Store(r.ID, r.Code); return nil, nil })
				case 1, 2:
					codes.Range(func(_, c any) bool { _, err = p.Join(ctx, me.ID, c.(string)); return dice.IntN(2) == 0 })
				case 3:
					_, err = p.Sit(ctx, id, me.ID, seat())
				case 4:
					_, err = p.Swap(ctx, id, me.ID, seat(), seat())
				case 5:
					_, err = p.GiveToBot(ctx, id, me.ID, seat(), bot.Tabernero)
				case 6, 7, 8:
					_, err = p.Ready(ctx, id, me.ID, true)
				case 9:
					err = p.Remove(ctx, id, me.ID, one().ID)
				default:
					if e.Place.Kind == engagement.Match {
						last, result := ended()
						if err = s.FinishMatch(ctx, id, last, result); errors.Is(err, match.ErrConflict) {
							err = nil
						}
						break
					}
					for seat := range rules.Seat(rules.Seats) {
						_, err = p.GiveToBot(ctx, id, me.ID, seat, bot.Tabernero)
					}
					if _, err = p.Start(ctx, id, me.ID, &match.Answer{}, noBody); err == nil {
						begun.Add(1)
					}
				}
				if fault.CodeOf(err) == fault.Internal {
					t.Error(err)
				}
			}
		}
		var busy sync.WaitGroup
		for i := range players {
			busy.Go(func() { play(i) })
		}
		busy.Wait()
		t.Logf("%d matches began", begun.Load())

		sits := map[string]engagement.Place{}
		codes.Range(func(id, _ any) bool {
			r, err := s.Room(ctx, id.(string))
			if fault.CodeOf(err) == fault.NotFound {
				return true
			}
			if err != nil || r.Closed() || r.SeatOf(r.OwnerID) == rules.NoSeat {
				t.Errorf("a room is left like %+v, %v", r, err)
			}
			for _, who := range r.People() {
				if sits[who] != (engagement.Place{}) {
					t.Errorf("%s sits in two rooms", who)
				}
				sits[who] = engagement.Place{Kind: engagement.Room, ID: r.ID}
				if r.MatchID != "" {
					sits[who] = engagement.Place{Kind: engagement.Match, ID: r.MatchID}
				}
			}
			return true
		})
		for _, who := range all {
			want := engagement.Free
			if place, ok := sits[who.ID]; ok {
				want = place
			}
			if e, err := s.Engagement(ctx, who.ID); err != nil || e.Place != want {
				t.Errorf("%s is %+v, %v; the seats say %+v", who.Name, e, err, want)
			}
		}
	})
}
