// Package crowd lets a crowd of simulated people come, wait, stake, play, meet friends,
// drop out and return, by the real domains on a real database and by a clock that jumps from one
// event to the next: hours of many people in minutes of one machine. What may never
// happen, such as somebody who is seated twice, is looked for all the time; how long
// people wait and how far apart they are is measured.
//
// Everything happens in one goroutine, in an order that follows from the seed, except for
// the deals and identifiers, which are as random as ever.
package crowd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/internal/clock/clocktest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Options say what the crowd is like.
type Options struct {
	// Players there are.
	Players int
	// Seed of all that they decide.
	Seed uint64
	// Begin is when the first may come; zero for the evening of a Sunday on which the clocks
	// have gone forward, ten minutes before the league's week ends.
	Begin time.Time
	// For is how long people come; who is playing then plays to the end.
	For time.Duration
	// Hands of a match. The queues' own matches have eleven and more, which tells no more
	// about the lobby and takes ten times as long to work out.
	Hands int
	// Processes that share the database. They hear of each other's entries, but for
	// one message in a hundred.
	Processes int
	// KillEvery is how often a process dies and another one takes its place; 0 for
	// never.
	KillEvery time.Duration
	// Progress is told every minute of the simulated time; nil for nobody.
	Progress func(Progress)
}

// Progress is how far it has come.
type Progress struct {
	At                       time.Time
	Online, Waiting, Playing int
	Matches                  int
}

// begin is when a crowd comes of which nothing else is said.
var begin = time.Date(2026, 3, 29, 21, 50, 0, 0, time.UTC)

// Run has a crowd play on an empty, migrated database, and reports. What should not
// have happened is in the report, an error means that it could not be carried out.
func Run(ctx context.Context, db *store.Store, o Options) (*Report, error) {
	if o.Begin.IsZero() {
		o.Begin = begin
	}
	w := &world{
		Options: o, ctx: ctx, db: db, clock: clocktest.New(o.Begin), random: newRandom(o.Seed, 0),
		byID: make(map[string]*actor), playing: make(map[string]string), open: make(map[string]*match.Match),
		blocks: make(map[[2]string]bool), report: newReport(o, db.Kind()),
	}
	began := time.Now()
	if err := w.setUp(); err != nil {
		return nil, err
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	w.report.RealSeconds = time.Since(began).Seconds()
	for _, a := range w.actors {
		if a.id != "" {
			w.report.People = append(w.report.People, Person{a.id, a.name, a.secret})
		}
	}
	return w.report, nil
}

// Person is somebody who came. With the secret of the device one can be them afterwards.
type Person struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	DeviceSecret string `json:"deviceSecret"`
}

func newRandom(seed, stream uint64) *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(seed, stream)) //nolint:gosec // people whose whims can be had again are the point
}

// world is all there is.
type world struct {
	Options
	ctx    context.Context
	db     *store.Store
	clock  *clocktest.Clock
	random *mathrand.Rand

	accounts    *account.Service
	friends     *people.Service
	economies   *economy.Service
	rewards     *reward.Service
	leagues     *league.Service
	engagements *engagement.Service
	processes   []*process

	actors []*actor
	byID   map[string]*actor
	// open has the matches that are being played, playing who is in which. They are what
	// the world has been told, and so what the database is compared with.
	open    map[string]*match.Match
	playing map[string]string
	blocks  map[[2]string]bool // who is apart from whom, the lower identifier first
	closing bool               // nobody begins anything new

	report *Report
}

// process is one of the server's.
type process struct {
	w       *world
	matches *match.Service
	lobby   *lobby.Service
	rooms   *room.Service
}

func (w *world) setUp() error {
	text, err := account.GenerateKey(nil)
	if err != nil {
		return err
	}
	keys, err := account.ParseKeys(text)
	if err != nil {
		return err
	}
	now := w.clock.Now
	nobody := func(notice.Notice) {}
	w.accounts = account.New(w.db, account.NewTokens(keys, "crowd", "crowd", time.Hour), now)
	w.friends = people.New(w.db, now, nobody)
	w.economies = economy.NewService(w.db, now)
	if err := w.economies.Start(w.ctx); err != nil {
		return err
	}
	w.rewards = reward.New(w.db, w.db, w.economies, now, rand.Reader)
	w.db.SettleWith(w.rewards.Settle)
	w.leagues = league.New(w.db.League(), w.economies, now, rand.Reader, nobody)
	w.engagements = engagement.New(w.db, func(c engagement.Change) {
		if a := w.byID[c.PlayerID]; a != nil && a.online {
			a.after(a.latency(), a.look)
		}
	})
	w.processes = make([]*process, w.Processes)
	for i := range w.processes {
		if err := w.startProcess(i); err != nil {
			return err
		}
	}
	if w.KillEvery > 0 {
		w.kills(0)
	}
	w.closeWeeks()
	w.sweepRooms()
	w.come()
	return nil
}

func (w *world) startProcess(i int) error {
	p := &process{w: w}
	p.matches = match.New(w.db, w.clock, p.announce, match.WithOver(w.over))
	p.lobby = lobby.New(lobby.Options{
		Store: w.db, Matches: p, Economy: w.economies, Clock: w.clock, Random: rand.Reader,
		Announce: w.engagements.Announce, Notify: func(notice.Notice) {}, Meter: meter{w},
	})
	p.rooms = room.New(room.Options{
		Store: w.db, Matches: p, Economy: w.liveEconomy, Now: w.clock.Now, Random: rand.Reader,
		Tell: w.engagements.Announce, Announce: func(notice.Notice) {},
	})
	w.processes[i] = p
	if err := p.matches.Start(w.ctx); err != nil {
		return err
	}
	p.lobby.Start()
	return nil
}

// kills lets one process after the other die, and another one begin in its place. What
// it had in memory is lost.
func (w *world) kills(i int) {
	w.clock.AfterFunc(w.KillEvery, func() {
		w.processes[i].matches.Stop()
		w.processes[i].lobby.Stop()
		w.report.Kills++
		if err := w.startProcess(i); err != nil {
			w.wrong("process %d cannot start again: %v", i, err)
			return
		}
		w.kills((i + 1) % len(w.processes))
	})
}

// closeWeeks closes the league's weeks that are over, every minute.
func (w *world) closeWeeks() {
	w.clock.AfterFunc(time.Minute, func() {
		closed, err := w.leagues.CloseDue(w.ctx)
		if err != nil {
			w.wrong("a week of the league cannot be closed: %v", err)
		}
		w.report.WeeksClosed = append(w.report.WeeksClosed, closed...)
		w.closeWeeks()
	})
}

// come makes the people. They come in three waves, and some at any time.
func (w *world) come() {
	for i := range w.Players {
		a := &actor{w: w, random: newRandom(w.Seed, uint64(i)+1), number: i, talent: w.random.NormFloat64()}
		w.actors = append(w.actors, a)
		share := w.random.Float64()
		if wave := w.random.IntN(4); wave < 3 {
			share = 0.1 + 0.3*float64(wave) + 0.05*w.random.NormFloat64()
		}
		a.after(time.Duration(min(max(share, 0), 0.95)*float64(w.For)), a.arrive)
	}
	// Half of them have a friend to play with.
	for i := 0; i+1 < len(w.actors); i += 4 {
		w.actors[i].friend, w.actors[i+1].friend = w.actors[i+1], w.actors[i]
	}
}

func (w *world) run() error {
	end := w.Begin.Add(w.For)
	for w.clock.Now().Before(end) {
		if err := w.minute(); err != nil {
			return err
		}
	}
	w.closing = true
	w.recall()
	// A match of one hand is over in minutes, a ticket in five, a room in half an hour at
	// the most. What is not quiet in three hours will never be.
	for latest := end.Add(3 * time.Hour); w.clock.Now().Before(latest) && !w.quiet(); {
		if err := w.minute(); err != nil {
			return err
		}
	}
	for _, p := range w.processes {
		p.matches.Stop()
		p.lobby.Stop()
	}
	w.report.Simulated = w.clock.Now().Sub(w.Begin).Minutes()
	return nil
}

// recall has everybody come back who has gone in the middle of something, so that it
// need not take the half hour after which a room is closed that was left alone.
func (w *world) recall() {
	for _, a := range w.actors {
		if !a.online && a.id != "" {
			a.after(a.about(2*time.Minute), a.comeBack)
		}
	}
}

func (w *world) minute() error {
	w.clock.Advance(time.Minute)
	if w.Progress != nil {
		p := Progress{At: w.clock.Now(), Playing: len(w.playing), Matches: w.report.matches()}
		for _, a := range w.actors {
			if a.online {
				p.Online++
				if a.waits() {
					p.Waiting++
				}
			}
		}
		w.Progress(p)
	}
	return w.ctx.Err()
}

func (w *world) quiet() bool {
	n, err := count(w.ctx, w.db, `SELECT COUNT(*) FROM engagements WHERE kind <> 'none'`)
	return err == nil && n == 0 && len(w.open) == 0
}

// wrong notes what should not have happened.
func (w *world) wrong(format string, args ...any) {
	const most = 100
	if len(w.report.Violations) < most {
		at := w.clock.Now().Sub(w.Begin).Truncate(time.Second)
		w.report.Violations = append(w.report.Violations, fmt.Sprintf("%v: ", at)+fmt.Sprintf(format, args...))
	}
}

// Make implements lobby.Matches: the matches of a crowd are short.
func (p *process) Make(setup match.Setup) (*match.Match, error) {
	setup.Rules.End, setup.Rules.Target = rules.EndHands, uint8(p.w.Hands)
	return p.matches.Make(setup)
}

// Opened implements lobby.Matches.
func (p *process) Opened(m *match.Match) {
	p.w.opened(m)
	p.matches.Opened(m)
}

// announce has the other processes and the players hear of an entry.
func (p *process) announce(_ context.Context, matchID string, e match.Entry) {
	w := p.w
	for _, other := range w.processes {
		if other == p || other == nil {
			continue
		}
		if w.random.IntN(100) == 0 {
			w.report.MessagesLost++
			continue
		}
		other.matches.Observe(matchID, e)
	}
	w.report.Turns[e.By]++
	m := w.open[matchID]
	if m == nil {
		w.wrong("match %s, which has not begun or is over, has an entry", matchID)
		return
	}
	for _, seat := range m.Seats {
		if a := w.byID[seat.PlayerID]; a != nil && a.online {
			a.after(a.latency(), func() { a.consider(matchID, e.Seq) })
		}
	}
}

// opened notes that a match has begun, and looks at who is in it.
func (w *world) opened(m *match.Match) {
	w.open[m.ID] = m
	r := w.report.mode(m.Mode)
	r.Matches++
	var points []int
	var in []string
	for _, p := range m.Players() {
		if other := w.playing[p.PlayerID]; other != "" {
			w.wrong("%s is seated in %s and in %s", p.PlayerID, other, m.ID)
		}
		w.playing[p.PlayerID] = m.ID
		points = append(points, w.byID[p.PlayerID].points)
		in = append(in, p.PlayerID)
	}
	for i, a := range in {
		for _, b := range in[i+1:] {
			if w.blocks[[2]string{min(a, b), max(a, b)}] {
				w.wrong("%s and %s, who are apart, are in match %s", a, b, m.ID)
			}
		}
	}
	if len(in) < rules.Seats {
		r.WithBots++
		if m.Mode == economy.Staked {
			w.wrong("a bot is in the staked match %s", m.ID)
		}
	}
	if m.Mode != economy.Friends { // who chose their company themselves
		r.spread = append(r.spread, float64(slices.Max(points)-slices.Min(points)))
	}
}

// over notes that a match has ended.
func (w *world) over(m *match.Match) {
	if w.open[m.ID] == nil {
		w.wrong("match %s has ended twice", m.ID)
	}
	delete(w.open, m.ID)
	for _, p := range m.Players() {
		if w.playing[p.PlayerID] == m.ID {
			delete(w.playing, p.PlayerID)
		}
		w.engagements.Announce(engagement.Change{PlayerID: p.PlayerID})
	}
}

// meter is the lobby's.
type meter struct{ w *world }

// Waiting implements lobby.Meter.
func (m meter) Waiting(economy.Mode, int) {}

// Seated implements lobby.Meter.
func (m meter) Seated(mode economy.Mode, waited time.Duration, gap int) {
	r := m.w.report.mode(mode)
	r.Seated++
	r.waits = append(r.waits, waited.Seconds())
	r.gaps = append(r.gaps, float64(gap))
}

// Left implements lobby.Meter.
func (m meter) Left(mode economy.Mode, why engagement.Reason) { m.w.report.mode(mode).Left[why]++ }

// TableClosed implements lobby.Meter.
func (m meter) TableClosed() { m.w.report.TablesCancelled++ }

// errNotEmpty keeps a crowd out of a database that somebody uses.
var errNotEmpty = errors.New("crowd: there are players in this database already; a crowd needs an empty one")

// Empty returns an error if the database has players.
func Empty(ctx context.Context, db *store.Store) error {
	n, err := count(ctx, db, `SELECT COUNT(*) FROM (SELECT 1 FROM players LIMIT 1) AS anybody`)
	if err == nil && n > 0 {
		err = errNotEmpty
	}
	return err
}
