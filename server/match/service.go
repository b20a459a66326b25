package match

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Service is the domain's door: it makes matches, takes what their players do,
// and acts for bots and for people whose time has run out. Make one with New.
type Service struct {
	store   Store
	clock   Clock
	random  io.Reader
	process string
	// announce tells of an entry that has been kept.
	announce func(ctx context.Context, matchID string, e Entry)
	// meter counts what happens.
	meter Meter
	// work marks the context of what is done for a match.
	work func(ctx context.Context, what, matchID string) (_ context.Context, end func(error))
	// over tells of a match that this process has ended; nil for nobody.
	over func(*Match)
	// awayAfter is how many turns in a row a person misses before it is away, under a
	// version of the economy.
	awayAfter func(economy int) int
	// pace is how bots' waits vary, under a version of the economy.
	pace func(economy int) bot.Pace
	// thinkers has a place for each bot that thinks.
	thinkers chan struct{}

	mu       sync.Mutex
	tables   map[string]*table
	outages  []Outage
	stopping bool
	// background counts the goroutines that act for bots and clocks.
	background sync.WaitGroup
}

// table is an open match as this process knows it: a fold of the log up to some
// entry, which another process may have taken further.
type table struct {
	mu   sync.Mutex
	fold *fold
	// alarm stops the call at the turn's deadline; nil if none is set.
	alarm func() bool
	// broken counts how often in a row the log could not be folded.
	broken int
	// thinking says that a bot thinks about the entry seq, while nobody holds the table.
	thinking struct {
		on  bool
		seq int
	}
}

// Option changes what New takes by default.
type Option func(*Service)

// WithOver has f told of each match that this process has ended. It must not block.
func WithOver(f func(*Match)) Option { return func(s *Service) { s.over = f } }

// WithAway has f say how many turns in a row a person misses before it is shown as away,
// in a match that began under a version of the economy. By default it is three.
func WithAway(f func(economy int) int) Option { return func(s *Service) { s.awayAfter = f } }

// WithPace has f say how bots' waits vary in a match that began under a version of the
// economy. By default they do not.
func WithPace(f func(economy int) bot.Pace) Option { return func(s *Service) { s.pace = f } }

// WithThinkers sets how many bots may think at a time, at least one. By default it is
// half of the processors.
func WithThinkers(n int) Option {
	return func(s *Service) { s.thinkers = make(chan struct{}, max(n, 1)) }
}

// Meter counts what happens at the tables of this process. It must not block.
type Meter interface {
	// Acted tells of what a person wanted to do, and how long that took: code is empty if
	// it was done.
	Acted(code fault.Code, took time.Duration)
	// Kept tells of an entry that this process has kept, and how long that took.
	Kept(kind Kind, by Author, took time.Duration)
	// Conflict tells of an entry whose number another writer had taken.
	Conflict()
	// Gap tells of entries of another process that this one has not heard of: the log has
	// to be read.
	Gap()
}

type noMeter struct{}

func (noMeter) Acted(fault.Code, time.Duration)  {}
func (noMeter) Kept(Kind, Author, time.Duration) {}
func (noMeter) Conflict()                        {}
func (noMeter) Gap()                             {}

// WithMeter has m count what happens.
func WithMeter(m Meter) Option { return func(s *Service) { s.meter = m } }

// WithWork has f mark the context of what is done for a match, for logs and traces: what
// is "act", "seed" or "turn". end is told how it went.
func WithWork(f func(ctx context.Context, what, matchID string) (_ context.Context, end func(error))) Option {
	return func(s *Service) { s.work = f }
}

func unmarked(ctx context.Context, _, _ string) (context.Context, func(error)) {
	return ctx, func(error) {}
}

// Tables is how many open matches this process has in its memory.
func (s *Service) Tables() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tables)
}

// New returns a service over the store. announce is called after each entry that
// this process keeps, in the order of each match, with the context of what made it; it
// must not block.
func New(store Store, clock Clock, announce func(ctx context.Context, matchID string, e Entry), options ...Option) *Service {
	s := &Service{
		store: store, clock: clock, random: rand.Reader, announce: announce,
		process: uuid.NewString(), tables: make(map[string]*table), meter: noMeter{}, work: unmarked,
		awayAfter: func(int) int { return 3 },
		pace:      func(int) bot.Pace { return bot.Steady() },
	}
	WithThinkers(runtime.GOMAXPROCS(0) / 2)(s)
	for _, o := range options {
		o(s)
	}
	return s
}

// Bounds of what a request may ask for.
const (
	MinTurnTime     = 5 * time.Second
	MaxTurnTime     = 5 * time.Minute
	DefaultTurnTime = 30 * time.Second
	MaxBotPause     = 5 * time.Second
	DefaultBotPause = 800 * time.Millisecond
)

// Setup is what is asked for in a new match.
type Setup struct {
	Rules              rules.RuleSet
	Seats              [rules.Seats]Seat
	TurnTime, BotPause time.Duration
	// Mode is how the match comes about, Economy the version that is live.
	Mode    economy.Mode
	Economy int
	// Stake and TableID of a staked match; see Match.
	Stake   int64
	TableID string
}

// Create makes a match. It waits for the seeds of the players' seats, which come
// by [Service.Seed] and only then: the commitment to the server's seed is out
// before.
//
// answer builds what the request is answered with from the match's view for the
// first player; with an idempotency key it is kept with the match, and if the
// key was used before, no match is made and the earlier answer is returned.
//
// Codes: InvalidRules, InvalidRequest (times out of bounds), IdempotencyConflict.
func (s *Service) Create(ctx context.Context, setup Setup, answer func(View) (*Answer, error)) (*Answer, error) {
	m, err := s.Make(setup)
	if err != nil {
		return nil, err
	}
	f := s.newFold(m)
	viewer := rules.Spectator
	for seat := rules.Seat(0); seat < rules.Seats; seat++ {
		if !m.Seats[seat].IsBot() {
			viewer = seat
			break
		}
	}
	a, err := answer(f.view(viewer, s.credited))
	if err != nil {
		return nil, err
	}
	keep := a
	if a.Key == "" {
		keep = nil
	}
	earlier, err := s.store.CreateMatch(ctx, m, keep)
	if err != nil || earlier != nil {
		return earlier, err
	}
	s.Opened(m)
	return a, nil
}

// Opened takes up a match that has been kept. If nobody comes to say so, since the
// process has died, the sweep finds it.
func (s *Service) Opened(m *Match) {
	f := s.newFold(m)
	s.mu.Lock()
	if s.tables[m.ID] != nil { // somebody asked for it first
		s.mu.Unlock()
		return
	}
	t := &table{fold: f}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.tables[m.ID] = t
	s.mu.Unlock()
	s.setAlarm(t)
}

func (s *Service) newFold(m *Match) *fold {
	f := newFold(m)
	f.awayAfter, f.pace = s.awayAfter(m.Economy), s.pace(m.Economy)
	return f
}

// Make makes a match that is not kept yet: for what keeps it together with other
// rows, and then calls [Service.Opened].
//
// Codes: InvalidRules, InvalidRequest (times out of bounds).
func (s *Service) Make(setup Setup) (*Match, error) {
	if err := setup.Rules.Validate(); err != nil {
		var option rules.OptionError
		errors.As(err, &option)
		return nil, &fault.Error{Code: fault.InvalidRules, Message: "A rule has a value it cannot take.", Field: string(option)}
	}
	if setup.TurnTime < MinTurnTime || setup.TurnTime > MaxTurnTime {
		return nil, outOfBounds("turnSeconds", MinTurnTime, MaxTurnTime)
	}
	if setup.BotPause < 0 || setup.BotPause > MaxBotPause {
		return nil, outOfBounds("botPauseMs", 0, MaxBotPause)
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, fmt.Errorf("match: new id: %w", err)
	}
	seed := make([]byte, rules.ServerSeedSize)
	if _, err := io.ReadFull(s.random, seed); err != nil {
		return nil, fmt.Errorf("match: new seed: %w", err)
	}
	return &Match{
		ID: id.String(), Rules: setup.Rules, Seats: setup.Seats, ServerSeed: seed,
		TurnTime: setup.TurnTime, BotPause: setup.BotPause, Mode: setup.Mode, Economy: setup.Economy, Stake: setup.Stake, TableID: setup.TableID,
		// The store keeps milliseconds; the fold must be the same when read back.
		CreatedAt: s.now(),
	}, nil
}

func outOfBounds(field string, lowest, highest time.Duration) error {
	return &fault.Error{
		Code: fault.InvalidRequest, Field: field,
		Message: fmt.Sprintf("%s must lie between %v and %v.", field, lowest, highest),
	}
}

func (s *Service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Millisecond) }

// Seed gives a seat's own seed for the deals, 1 to 64 bytes of UTF-8. The same
// seed again changes nothing.
//
// Codes: NotFound, Forbidden, InvalidRequest, SeedConflict (another seed was
// given, or the time to give one is over), Unavailable.
func (s *Service) Seed(ctx context.Context, matchID, playerID, seed string) (View, error) {
	if len(seed) == 0 || len(seed) > rules.MaxClientSeed || !utf8.ValidString(seed) {
		return View{}, &fault.Error{Code: fault.InvalidRequest, Field: "seed", Message: "A seed is a text of 1 to 64 bytes."}
	}
	return s.change(ctx, "seed", matchID, playerID, func(f *fold, seat rules.Seat) (*Entry, error) {
		if f.missing>>seat&1 == 0 {
			if string(f.seeds[seat]) == seed {
				return nil, nil
			}
			return nil, fault.New(fault.SeedConflict, "Your seat's seed is settled already.")
		}
		return &Entry{Kind: KindSeed, Seat: seat, Text: seed, By: ByPlayer}, nil
	})
}

// Act does what a player does with its seat. seq is the sequence number of the
// view that the player acts on; the same action sent again with the same number
// is the same action, and changes nothing.
//
// Codes: NotFound, Forbidden, StaleSequence, Unavailable, and the rules' reasons.
func (s *Service) Act(ctx context.Context, matchID, playerID string, seq int, action string) (v View, err error) {
	defer func(asked time.Time) {
		var code fault.Code
		if err != nil {
			code = fault.CodeOf(err)
		}
		s.meter.Acted(code, s.clock.Now().Sub(asked))
	}(s.clock.Now())
	return s.change(ctx, "act", matchID, playerID, func(f *fold, seat rules.Seat) (*Entry, error) {
		if seq != f.shown[seat] {
			e, ok := f.entryShownAt(seat, seq)
			if ok && e.Kind == KindAct && e.Seat == seat && e.Text == action {
				return nil, nil
			}
			return nil, fault.New(fault.StaleSequence, "The match has moved on since that view.")
		}
		if f.missing != 0 {
			return nil, refusal(rules.WrongPhase)
		}
		a := rules.ParseAction(action)
		if why := f.game.Check(seat, a); why != rules.OK {
			return nil, refusal(why)
		}
		return &Entry{Kind: KindAct, Seat: seat, Text: a.String(), By: ByPlayer}, nil
	})
}

// refusal makes a rules' reason an error: its code is the reason's.
func refusal(why rules.Reason) error {
	return fault.New(fault.Code(why.String()), "The rules do not allow this now.")
}

// change lets a player add an entry. decide says which, or none if there is
// nothing to add; it is asked again whenever the log turns out to have gone on.
func (s *Service) change(ctx context.Context, what, matchID, playerID string, decide func(*fold, rules.Seat) (*Entry, error)) (_ View, err error) {
	ctx, end := s.work(ctx, what, matchID)
	defer func() { end(err) }()
	t, err := s.table(ctx, matchID)
	if err != nil {
		return View{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	// What this process knows may be behind the log: before anything is refused,
	// the log is read.
	current := t.fold == nil
	if current {
		if err := s.load(ctx, matchID, t); err != nil {
			return View{}, err
		}
	}
	for {
		seat, err := t.fold.seatOf(playerID)
		if err != nil {
			return View{}, err
		}
		if t.fold.void {
			return View{}, errVoid
		}
		e, err := decide(t.fold, seat)
		if err == nil && e != nil {
			if err = s.keep(ctx, t, *e); errors.Is(err, ErrConflict) {
				current = true
				continue
			}
			if err != nil {
				return View{}, err
			}
		}
		if err != nil && !current {
			if err := s.catchUp(ctx, matchID, t); err != nil {
				return View{}, err
			}
			current = true
			continue
		}
		if err != nil {
			return View{}, err
		}
		return t.fold.view(seat, s.credited), nil
	}
}

// View is what the player may know of the match now.
//
// Codes: NotFound, Forbidden.
func (s *Service) View(ctx context.Context, matchID, playerID string) (View, error) {
	_, v, err := s.Since(ctx, matchID, playerID, math.MaxInt, AskStore)
	return v, err
}

// AskStore is what Since is told to know of when it has to read the log.
const AskStore = -1

// Since gives the player's events after its first n, and its view behind them.
// known is the log's sequence number that the caller has been told of: the log is
// read only if this process has not got that far, or for AskStore.
//
// Codes: NotFound, Forbidden.
func (s *Service) Since(ctx context.Context, matchID, playerID string, n, known int) ([]Event, View, error) {
	news, err := s.News(ctx, matchID, playerID, n, known)
	if err != nil {
		return nil, View{}, err
	}
	return news.Events, news.View, nil
}

// News is what a player has not seen yet of a match.
type News struct {
	Events []Event
	// View is the player's behind the events.
	View View
	// Entries is how many entries of the log it is behind. Hidden ones of other seats are
	// among them, so that it is not for the player's eyes.
	Entries int
}

// News is Since for whoever passes it on, and has to know which announcements it covers.
//
// Codes: NotFound, Forbidden.
func (s *Service) News(ctx context.Context, matchID, playerID string, n, known int) (*News, error) {
	t, err := s.table(ctx, matchID)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known == AskStore || t.fold == nil || known >= len(t.fold.log) {
		if err := s.catchUp(ctx, matchID, t); err != nil {
			return nil, err
		}
	}
	seat, err := t.fold.seatOf(playerID)
	if err != nil {
		return nil, err
	}
	news := &News{Events: t.fold.events(seat, n), Entries: len(t.fold.log)}
	t.fold.show(seat, s.credited, &news.View)
	return news, nil
}

// Record is the match written down, with the proof of its deals.
//
// Codes: NotFound, Forbidden, MatchNotOver, CodeVoid.
func (s *Service) Record(ctx context.Context, matchID, playerID string) (*record.Record, error) {
	t, err := s.table(ctx, matchID)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.catchUp(ctx, matchID, t); err != nil {
		return nil, err
	}
	if _, err := t.fold.seatOf(playerID); err != nil {
		return nil, err
	}
	return t.record()
}

// History lists at most limit matches of a player, newest first, older than the
// match with the id given, if any.
func (s *Service) History(ctx context.Context, playerID, before string, limit int) ([]*Match, error) {
	return s.store.History(ctx, playerID, before, limit)
}

// Observe takes in an entry that another process has kept.
func (s *Service) Observe(matchID string, e Entry) {
	s.mu.Lock()
	t := s.tables[matchID]
	s.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fold == nil || e.Seq < len(t.fold.log) {
		return
	}
	if err := t.fold.add(e); err != nil {
		// Something before it was missed: the log is read when it is next needed.
		s.meter.Gap()
		t.fold = nil
		return
	}
	s.leaveTurn(t)
}

// table is the match as this process knows it. Matches that are over are read
// anew each time, so that only open ones are held.
func (s *Service) table(ctx context.Context, matchID string) (*table, error) {
	s.mu.Lock()
	t := s.tables[matchID]
	s.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t = &table{}
	if err := s.load(ctx, matchID, t); err != nil {
		return nil, err
	}
	if t.fold.ended() {
		return t, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.tables[matchID]; other != nil {
		return other, nil
	}
	s.tables[matchID] = t
	return t, nil
}

// load folds the match's whole log.
func (s *Service) load(ctx context.Context, matchID string, t *table) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	m, err := s.store.GetMatch(ctx, matchID)
	if err != nil {
		return unread(err)
	}
	entries, err := s.store.ReadLog(ctx, matchID, 0)
	if err != nil {
		return unread(err)
	}
	f := s.newFold(m)
	for _, e := range entries {
		if err := f.add(e); err != nil {
			if m.Result != nil && m.Result.Void != "" {
				f.void = true // and shown as far as it can be read
				break
			}
			return brokenError{err}
		}
	}
	t.fold = f
	return nil
}

// unread is the error of a store that does not answer, which whoever asked may ask again.
func unread(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return fault.Wrap(fault.Unavailable, "The match could not be read. Try again.", err)
}

// catchUp folds in what other processes have kept since.
func (s *Service) catchUp(ctx context.Context, matchID string, t *table) error {
	if t.fold == nil {
		return s.load(ctx, matchID, t)
	}
	if t.fold.ended() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	entries, err := s.store.ReadLog(ctx, matchID, len(t.fold.log))
	if err != nil {
		return unread(err)
	}
	for _, e := range entries {
		if err := t.fold.add(e); err != nil {
			t.fold = nil
			return brokenError{err}
		}
	}
	if len(entries) > 0 {
		s.leaveTurn(t)
	}
	return nil
}

// keep writes the entry behind the log and, once it is on disk, folds it in and
// announces it. On ErrConflict the table has been brought up to date; after any
// other error the table knows nothing any more, because the entry may or may not
// have been kept.
func (s *Service) keep(ctx context.Context, t *table, e Entry) error {
	e.Seq, e.At = len(t.fold.log), s.now()
	result := t.fold.stamp(&e)
	// Whoever asked may have gone away meanwhile; the entry is written all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var err error
	begun := s.clock.Now()
	if result != nil {
		err = s.store.FinishMatch(ctx, t.fold.ID, e, *result)
	} else {
		err = s.store.AppendLog(ctx, t.fold.ID, e)
	}
	switch {
	case errors.Is(err, ErrConflict):
		s.meter.Conflict()
		if err := s.catchUp(ctx, t.fold.ID, t); err != nil {
			return err
		}
		return ErrConflict
	case err != nil:
		t.fold = nil
		return fault.Wrap(fault.Unavailable, "The match could not be saved. Ask for it again, then try once more.", err)
	}
	s.meter.Kept(e.Kind, e.By, s.clock.Now().Sub(begun))
	if err := t.fold.add(e); err != nil {
		return err
	}
	s.announce(ctx, t.fold.ID, e)
	if !t.fold.ended() {
		s.setAlarm(t)
		return nil
	}
	s.letGo(t)
	if s.over != nil {
		s.over(t.fold.Match)
	}
	return nil
}

// storeTimeout bounds one read or write.
const storeTimeout = 10 * time.Second

// leaveTurn leaves the turn to the process that kept the newest entry. If that one
// dies, the turn is found by the sweep of any other.
func (s *Service) leaveTurn(t *table) {
	if t.fold.ended() {
		s.letGo(t)
		return
	}
	t.clearAlarm()
}

// letGo forgets a match that is over: it is read from the store from now on.
func (s *Service) letGo(t *table) {
	t.clearAlarm()
	s.mu.Lock()
	delete(s.tables, t.fold.ID)
	s.mu.Unlock()
}

func (t *table) clearAlarm() {
	if t.alarm != nil {
		t.alarm()
		t.alarm = nil
	}
}

func (s *Service) logError(ctx context.Context, msg, matchID string, err error) {
	if matchID == "" {
		slog.ErrorContext(ctx, msg, "error", err)
		return
	}
	slog.ErrorContext(ctx, msg, "match", matchID, "error", err)
}
