package store_test

import (
	"context"
	"database/sql"
	"errors"
	mrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/words"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var pause = words.Words{ES: "Volvemos a las ocho.", CA: "Tornem a les vuit.", EN: "Back at eight."}

// throw switches a part, whatever it was.
func throw(t testing.TB, s *store.Store, part halt.Part, stopped bool) {
	t.Helper()
	h := halt.New(s, func() time.Time { return t0 }, func() {})
	if err := h.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := halt.Switch{Part: part, Stopped: stopped, Text: pause}
	if _, _, err := h.Set(t.Context(), want, h.State().Of(part).Version, "eva"); err != nil {
		t.Fatal(err)
	}
}

// retryAfter is when the same may be tried again, by the error.
func retryAfter(err error) time.Duration {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.RetryAfter
	}
	return 0
}

func TestHalts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, now := t.Context(), t0
		announced := 0
		here := halt.New(s, func() time.Time { return now }, func() { announced++ })
		there := halt.New(s, func() time.Time { return now }, func() {})
		for _, h := range []*halt.Service{here, there} {
			if err := h.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if got := here.State(); len(got) != len(halt.Parts) || len(got.Stopped()) != 0 {
			t.Fatalf("a new server has %+v", got)
		}
		stop := halt.Switch{Part: halt.Shop, Stopped: true, Text: pause, Until: t0.Add(time.Hour)}
		refused := func(want fault.Code, field string, change func(*halt.Switch)) {
			t.Helper()
			bad := stop
			change(&bad)
			_, _, err := here.Set(ctx, bad, 0, "eva")
			if fault.CodeOf(err) != want {
				t.Errorf("got %v, want %q", err, want)
			} else if f, _ := errors.AsType[*fault.Error](err); f.Field != field {
				t.Errorf("the field is %q, want %q", f.Field, field)
			}
		}
		refused(fault.NotFound, "", func(s *halt.Switch) { s.Part = "all" })
		refused(fault.InvalidRequest, "text.ca", func(s *halt.Switch) { s.Text.CA = " " })
		refused(fault.InvalidRequest, "text.en", func(s *halt.Switch) { s.Text.EN = strings.Repeat("é", halt.MaxText+1) })
		refused(fault.InvalidRequest, "until", func(s *halt.Switch) { s.Until = t0 })

		before, after, err := here.Set(ctx, stop, 0, "eva")
		if err != nil {
			t.Fatal(err)
		}
		want := halt.Switch{Part: halt.Shop, Stopped: true, Text: pause, Until: t0.Add(time.Hour).Truncate(time.Millisecond), ChangedAt: t0, By: "eva", Version: 1}
		if before != (halt.Switch{Part: halt.Shop}) || after != want {
			t.Errorf("Set gave %+v and %+v", before, after)
		}
		// Others know when they are told.
		if err := there.Check(halt.Shop); err != nil || announced != 1 {
			t.Error(announced, err)
		}
		if err := there.Sync(ctx); err != nil { // as told
			t.Fatal(err)
		}
		for _, h := range []*halt.Service{here, there} {
			err := h.Check(halt.Shop)
			if fault.CodeOf(err) != halt.CodeStopped || retryAfter(err) != time.Hour {
				t.Errorf("Check = %v", err)
			}
			if got, ok := halt.Of(err); !ok || got != want {
				t.Errorf("of a switch %+v", got)
			}
			if err := h.Check(halt.Stakes); err != nil {
				t.Error(err)
			}
		}
		// Past its time it is still stopped: nothing goes on by itself.
		now = now.Add(2 * time.Hour)
		if err := here.Check(halt.Shop); retryAfter(err) != time.Minute {
			t.Errorf("Check = %v", err)
		}
		// What is not kept is not told.
		lost := errors.New("the power went")
		err = s.Atomically(ctx, func(ctx context.Context) error {
			if _, _, err := here.Set(ctx, halt.Switch{Part: halt.Shop}, 1, "eva"); err != nil {
				t.Error(err)
			}
			return lost
		})
		if !errors.Is(err, lost) || here.Check(halt.Shop) == nil || announced != 1 {
			t.Error(err, here.Check(halt.Shop), announced)
		}
		if _, _, err := there.Set(ctx, halt.Switch{Part: halt.Shop}, 0, "olga"); fault.CodeOf(err) != halt.CodeSwitched {
			t.Errorf("who has not seen the last switch: %v", err)
		}
		_, after, err = there.Set(ctx, halt.Switch{Part: halt.Shop}, 1, "olga")
		if err != nil || after.Stopped || after.Text != pause || !after.Until.IsZero() || after.By != "olga" {
			t.Errorf("going on: %+v, %v", after, err)
		}
		if err := here.Sync(ctx); err != nil || here.Check(halt.Shop) != nil {
			t.Error(err, here.Check(halt.Shop))
		}
		if err := (*halt.Service)(nil).Check(halt.Shop); err != nil {
			t.Error(err)
		}
	})
}

// What already runs goes on, who waits is let go, and nobody new comes in.
func TestTheLobbyStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		known := halt.New(s, func() time.Time { return t0 }, func() {})
		h := newHall(t, s, "Ana Bea Carla Dora Eva Flor Gil", func(o *lobby.Options) { o.Halts = known })
		set := func(part halt.Part, stopped bool) {
			t.Helper()
			throw(t, s, part, stopped)
			if err := known.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		h.enter("Ana Bea Carla Dora", 100)
		match := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		h.enter("Eva Flor", 250)
		h.are("Eva Flor", engagement.Table, engagement.Seated)
		h.enter("Gil", 0)

		set(halt.Stakes, true)
		h.try(halt.CodeStopped, "Gil", 100, "")
		h.pass(1)
		h.are("Eva Flor", engagement.None, engagement.Stopped)
		h.have("Eva Flor", 500)
		h.are("Gil", engagement.Ticket, engagement.Joined)
		if got := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started); got != match {
			t.Error("the match that had begun is another")
		}
		h.try("", "Eva", 0, "")
		set(halt.Queue, true)
		h.try(halt.CodeStopped, "Flor", 0, "")
		h.pass(1)
		h.are("Eva Gil", engagement.None, engagement.Stopped)

		set(halt.Stakes, false)
		h.try(halt.CodeStopped, "Flor", 250, "") // the queue stands, also to the tables
		set(halt.Queue, false)
		h.enter("Flor", 250)
		h.are("Flor", engagement.Table, engagement.Seated)
		set(halt.Queue, true)
		h.pass(1)
		h.are("Flor", engagement.None, engagement.Stopped)
		h.have("Flor", 500)
		h.clean()
	})
}

// ahead is a lobby's store whose transactions stop when they have read the switches.
type ahead struct {
	*store.Store
	read, on chan struct{}
}

func (a *ahead) InLobby(ctx context.Context, f func(lobby.Tx) error) (lobby.Outcome, error) {
	return a.Store.InLobby(ctx, func(tx lobby.Tx) error { return f(&aheadTx{tx, a}) })
}

type aheadTx struct {
	lobby.Tx
	a *ahead
}

func (t *aheadTx) Halts() (halt.State, error) {
	state, err := t.Tx.Halts()
	t.a.read <- struct{}{}
	<-t.a.on
	return state, err
}

// A round that has read that all is well ends before the stop is kept; the next one
// knows, though its process has not been told.
func TestAStopWaitsForTheRoundBeforeIt(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, kind)
			here, there := storetest.Open(t, o), storetest.Open(t, o)
			if _, err := here.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			a := &ahead{Store: here, read: make(chan struct{}), on: make(chan struct{})}
			h := newHall(t, here, "Ana Bea Carla Dora Eva", func(o *lobby.Options) { o.Store = a })
			for _, name := range strings.Fields("Ana Bea Carla Dora") {
				h.try("", name, 100, "")
			}
			round := make(chan error)
			go func() { round <- h.Round(t.Context(), lobby.Queue{Rules: rules.Mesa, Stake: 100}) }()
			<-a.read
			stopped := make(chan struct{})
			go func() { throw(t, there, halt.Stakes, true); close(stopped) }()
			if kind == store.Postgres {
				awaitLock(t, rawDatabase(t, kind, o), stopped)
			}
			select {
			case <-stopped:
				t.Error("the stop did not wait")
			default:
			}
			a.on <- struct{}{}
			if err := <-round; err != nil {
				t.Fatal(err)
			}
			<-stopped
			h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)

			h.try("", "Eva", 100, "") // nobody has told this process
			go func() { <-a.read; a.on <- struct{}{} }()
			if err := h.Round(t.Context(), lobby.Queue{Rules: rules.Mesa, Stake: 100}); err != nil {
				t.Fatal(err)
			}
			h.are("Eva", engagement.None, engagement.Stopped)
			h.clean()
		})
	}
}

// awaitLock returns when somebody waits for an advisory lock, or when done is closed.
func awaitLock(t *testing.T, db *sql.DB, done <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-done:
			return
		default:
		}
		waiting := 0
		err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			return
		}
	}
}

// Two processes that are never told of anything: once a stop has been kept, no table is
// opened and no match is begun by either.
func TestNoTableBeginsBehindAStop(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, kind)
			here, there := storetest.Open(t, o), storetest.Open(t, o)
			if _, err := here.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			var names []string
			for i := range 40 {
				names = append(names, "P"+strconv.Itoa(i))
			}
			h := newHall(t, here, strings.Join(names, " "))
			other := h.Options
			other.Store = there
			services := []*lobby.Service{h.Service, lobby.New(other)}
			db := rawDatabase(t, kind, o)
			begun := func() (n int) {
				t.Helper()
				err := db.QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM stake_tables) + (SELECT COUNT(*) FROM matches)`).Scan(&n)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			seed := mrand.Uint64()
			at := mrand.New(mrand.NewPCG(seed, 0)).IntN(len(names))
			var wg sync.WaitGroup
			behind := -1
			for i, name := range names {
				wg.Go(func() {
					service := services[i%2]
					_, _, err := service.Enter(t.Context(), h.request(name, 100, ""))
					if err == nil {
						err = service.Sweep(t.Context())
					}
					if err != nil {
						t.Error(err)
					}
				})
				if i == at {
					throw(t, there, halt.Stakes, true)
					behind = begun()
				}
			}
			wg.Wait()
			for _, service := range services {
				if err := service.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := begun(); got != behind {
				t.Errorf("seed %d: %d tables and matches behind the stop, %d when it was kept", seed, got, behind)
			}
			for _, name := range names {
				if e := h.engagement(name); e.Place.Kind != engagement.Match && e.Reason != engagement.Stopped {
					t.Errorf("seed %d: %s: %+v", seed, name, e)
				} else if e.Place.Kind == engagement.None {
					h.have(name, 500)
				}
			}
			h.clean()
		})
	}
}

// An order that is kept goes on, to the goods; a new one is refused.
func TestTheShopStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newStorefront(t, s)
		p := addPlayer(t, s, "Ana")
		o := f.begin(p.ID, "one", wish("chest", "EUR"))
		throw(t, s, halt.Shop, true)
		if again := f.begin(p.ID, "one", wish("chest", "EUR")); again.ID != o.ID {
			t.Errorf("the same request made another order")
		}
		if _, _, _, err := f.Begin(t.Context(), p.ID, "two", wish("chest", "EUR")); fault.CodeOf(err) != halt.CodeStopped {
			t.Errorf("a new order: %v", err)
		}
		f.told(shop.Applied, f.till.Pay(o.ID))
		f.has(p.ID, 1001, 2, 10)
		throw(t, s, halt.Shop, false)
		f.begin(p.ID, "two", wish("chest", "EUR"))
	})
}

func TestRoomsStop(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		p := newParlour(t, s)
		ana, bea := addPlayer(t, s, "Ana"), addPlayer(t, s, "Bea")
		r := p.join(p.open(ana), bea)
		throw(t, s, halt.Rooms, true)
		_, err := p.Start(t.Context(), r.ID, ana.ID, &match.Answer{}, func(room.Room) ([]byte, error) { return nil, nil })
		if fault.CodeOf(err) != halt.CodeStopped {
			t.Errorf("a match: %v", err)
		}
	})
}

func TestSignUpsStop(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		known := halt.New(s, func() time.Time { return t0 }, func() {})
		throw(t, s, halt.SignUps, true)
		if err := known.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		a := account.New(s, nil, func() time.Time { return t0 }, account.WithHalts(known))
		if _, err := a.SignUp(t.Context(), account.NewGuest{}); fault.CodeOf(err) != halt.CodeStopped {
			t.Error(err)
		}
	})
}
