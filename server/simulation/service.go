package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// State of a run.
type State string

// The states.
const (
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	// Lost: the process that carried it out has died.
	Lost State = "lost"
)

// Run is a simulation that somebody has asked for.
type Run struct {
	ID string // UUID, version 7
	// Document is the draft, and Fingerprint what it is found by. Source says where it came
	// from, as the economy's desk names it; "" for nowhere.
	Document    []byte
	Fingerprint string
	Source      string
	// Live is the version that was live when it began.
	Live int
	// It goes through what happened from From up to, not at, To.
	From, To time.Time
	Author   string
	State    State
	// Done matches of Total have been gone through; -1 until they are counted.
	Done, Total int64
	// StartedAt, and BeatAt when its process last said that it goes on. EndedAt is zero
	// until it is over.
	StartedAt, BeatAt, EndedAt time.Time
	// Result is nil unless it is Done.
	Result *Result
}

// Codes of this domain.
const (
	// CodeRunning: another simulation is running; one at a time is enough for a database
	// that people play on.
	CodeRunning fault.Code = "simulation_running"
	// CodeOver: the simulation is over.
	CodeOver fault.Code = "simulation_over"
)

// Mark is a place among what happened: behind the thing of a time with an identifier.
type Mark struct {
	At time.Time
	ID string
	// Version tells a player's deeds of one moment apart.
	Version int
}

// Facts are what happened.
type Facts interface {
	// CountMatches counts the matches that were settled in a time.
	CountMatches(ctx context.Context, from, to time.Time) (int64, error)
	// SettledMatches lists at most limit matches behind a mark, which ended before a time,
	// in the order of ends and identifiers.
	SettledMatches(ctx context.Context, behind Mark, to time.Time, limit int) ([]Match, error)
	// Deeds lists at most limit deeds behind a mark, before a time, in the order of times,
	// players and versions.
	Deeds(ctx context.Context, behind Mark, to time.Time, limit int) ([]Deed, error)
	// EachSale tells f every order that was paid in a time and has given coins.
	EachSale(ctx context.Context, from, to time.Time, f func(Sale)) error
	// SeasonsIn lists the league's seasons, the oldest first, that took points in a time or
	// were closed in it.
	SeasonsIn(ctx context.Context, from, to time.Time) ([]league.Season, error)
	// EachScore tells f every score in a season.
	EachScore(ctx context.Context, seasonID string, f func(league.Score)) error
	// EachPlace tells f where every player plays by the newest season before the one given
	// that is frozen for them.
	EachPlace(ctx context.Context, before string, f func(playerID string, p league.Place)) error
	// Version reads one of the economy's. Codes: NotFound.
	Version(ctx context.Context, number int) (*economy.Version, error)
	// LiveVersion is the one that is live at a time. Codes: NotFound.
	LiveVersion(ctx context.Context, at time.Time) (*economy.Version, error)
}

// Runs keep simulations.
type Runs interface {
	// AddRun keeps a run that begins. Codes: CodeRunning.
	AddRun(ctx context.Context, r *Run) error
	// Beat says how far a run is and that it goes on. cancelled says that somebody wants
	// it to end. Codes: CodeOver.
	Beat(ctx context.Context, id string, done, total int64, at time.Time) (cancelled bool, err error)
	// EndRun keeps how a run has ended, unless it was over.
	EndRun(ctx context.Context, r *Run) error
	// CancelRun asks a run to end. Codes: NotFound, CodeOver.
	CancelRun(ctx context.Context, id string) error
	// LoseRuns has those be lost that have not beaten since a time.
	LoseRuns(ctx context.Context, since, at time.Time) error
	// Run reads one. Codes: NotFound.
	Run(ctx context.Context, id string) (*Run, error)
	// Runs lists at most limit, newest first, older than the one given, if any, without
	// documents and results.
	Runs(ctx context.Context, before string, limit int) ([]*Run, error)
	// NewestRun is the newest that is done of the documents with a fingerprint, begun while
	// a version was live. Codes: NotFound.
	NewestRun(ctx context.Context, fingerprint string, live int) (*Run, error)
}

// Store is what the domain keeps and reads.
type Store interface {
	Facts
	Runs
}

const (
	// MaxDays is how far back a simulation goes at most.
	MaxDays = 92
	// beatEvery is how often a run says that it goes on, lostAfter when nobody believes
	// it any more: no statement of its takes that long.
	beatEvery = time.Second
	lostAfter = time.Minute
	// atOnce is how many matches or deeds are read at once.
	atOnce = 2000
	// lookEvery is after how many matches a run looks whether it is time to beat.
	lookEvery = 250
)

// Service is the domain's door. Make one with New.
type Service struct {
	store  Store
	now    func() time.Time
	random io.Reader

	background sync.WaitGroup
	// stopped ends what runs in this process.
	stopped context.Context
	stop    context.CancelFunc
}

// New returns a service. random is where identifiers and the keys of pseudonyms come from.
func New(store Store, now func() time.Time, random io.Reader) *Service {
	s := &Service{store: store, now: now, random: random}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// Stop ends what runs in this process, and waits for it until ctx is done. What it
// interrupts has failed.
func (s *Service) Stop(ctx context.Context) error {
	s.stop()
	done := make(chan struct{})
	go func() {
		s.background.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Ask is what somebody wants to know.
type Ask struct {
	Document []byte
	// Source of the document; "" for none.
	Source string
	// Days that it goes back, from now.
	Days   int
	Author string
}

// Start begins a simulation in the background, of a unit once that is kept. Codes:
// economy.CodeInvalid, InvalidRequest (its Field is days), CodeRunning.
func (s *Service) Start(ctx context.Context, a Ask) (*Run, error) {
	r, err := s.begin(ctx, a)
	if err != nil {
		return nil, err
	}
	one := *r
	unit.Then(ctx, func() {
		// Of this process, not of whoever asked.
		s.background.Go(func() { //nolint:contextcheck // see above
			if err := s.carry(s.stopped, &one, Failed, func(int64, int64) {}); err != nil && !errors.Is(err, errCancelled) {
				slog.ErrorContext(s.stopped, "a simulation has failed", "simulation", one.ID, "error", err)
			}
		})
	})
	return r, nil
}

// Do carries a simulation out. progress is told how many matches of how many have been
// gone through. Codes: those of Start; once it has begun, what it comes to is in the run.
func (s *Service) Do(ctx context.Context, a Ask, progress func(done, total int64)) (*Run, error) {
	r, err := s.begin(ctx, a)
	if err != nil {
		return nil, err
	}
	return r, s.carry(ctx, r, Cancelled, progress)
}

func (s *Service) begin(ctx context.Context, a Ask) (*Run, error) {
	if _, problems := economy.Parse(a.Document); len(problems) > 0 {
		return nil, &fault.Error{Code: economy.CodeInvalid, Field: problems[0].Path, Message: problems[0].Message}
	}
	if a.Days < 1 || a.Days > MaxDays {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "days", Message: fmt.Sprintf("From 1 to %d days.", MaxDays)}
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, fmt.Errorf("simulation: new id: %w", err)
	}
	now := s.moment()
	if err := s.store.LoseRuns(ctx, now.Add(-lostAfter), now); err != nil {
		return nil, err
	}
	live, err := s.store.LiveVersion(ctx, now)
	if err != nil {
		return nil, err
	}
	r := &Run{
		ID: id.String(), Document: a.Document, Fingerprint: economy.Fingerprint(a.Document), Source: a.Source, Live: live.Number,
		From: now.AddDate(0, 0, -a.Days), To: now, Author: a.Author, State: Running, Total: -1, StartedAt: now, BeatAt: now,
	}
	return r, s.store.AddRun(ctx, r)
}

var errCancelled = errors.New("simulation: cancelled")

// carry carries a run out to its end, which it keeps. interrupted is how it ends with ctx.
func (s *Service) carry(ctx context.Context, r *Run, interrupted State, progress func(done, total int64)) error {
	err := s.simulate(ctx, r, progress)
	switch {
	case err == nil:
		r.State = Done
	case errors.Is(err, errCancelled):
		r.State = Cancelled
	case ctx.Err() != nil:
		r.State = interrupted
	default:
		r.State = Failed
	}
	r.EndedAt = s.moment()
	// Also if ctx is what has ended it.
	const wait = 10 * time.Second
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	return errors.Join(err, s.store.EndRun(last, r))
}

func (s *Service) simulate(ctx context.Context, r *Run, progress func(done, total int64)) (err error) {
	var key [32]byte
	if _, err := io.ReadFull(s.random, key[:]); err != nil {
		return fmt.Errorf("simulation: new key: %w", err)
	}
	if r.Total, err = s.store.CountMatches(ctx, r.From, r.To); err != nil {
		return err
	}
	beaten := s.moment()
	beat := func(now time.Time) error {
		beaten = now
		cancelled, err := s.store.Beat(ctx, r.ID, r.Done, r.Total, now)
		if err == nil && cancelled {
			err = errCancelled
		}
		return err
	}
	if err := beat(beaten); err != nil {
		return err
	}
	progress(0, r.Total)
	documents := [][]byte{r.Document}
	live, err := s.store.Version(ctx, r.Live)
	if err != nil {
		return err
	}
	// What was live all the time has given what was given.
	if live.LiveFrom.After(r.From) && live.Number > 1 {
		documents = append(documents, live.Document)
	}
	replays, err := s.Replay(ctx, documents, r.From, r.To, func(*Match, [rules.Seats]int64) error {
		// To look at the clock costs as much as a seat.
		if r.Done++; r.Done%lookEvery != 0 {
			return nil
		}
		progress(r.Done, r.Total)
		if now := s.moment(); now.Sub(beaten) >= beatEvery {
			return beat(now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.Done = r.Total
	progress(r.Done, r.Total)
	if err := beat(s.moment()); err != nil {
		return err
	}
	r.Result = replays[0].Result(key[:])
	if len(replays) > 1 {
		r.Result.Live = replays[1].total.After
	}
	return nil
}

// Replay goes through what happened from a time up to another under drafts, reading it
// piece by piece, once for all of them. each is told every match and what the first draft
// would have given each seat; its error ends it.
func (s *Service) Replay(ctx context.Context, drafts [][]byte, from, to time.Time, each func(m *Match, would [rules.Seats]int64) error) ([]*Replay, error) {
	seasons, err := s.store.SeasonsIn(ctx, from, to)
	if err != nil {
		return nil, err
	}
	versions := economy.NewService(nil, s.now) // to have each parsed once
	document := func(number int) (*economy.Document, error) {
		return versions.At(number, func(number int) (*economy.Version, error) { return s.store.Version(ctx, number) })
	}
	var all replays
	for _, draft := range drafts {
		r, err := NewReplay(draft, document, seasons, from)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if err := s.tellLeague(ctx, all, seasons, from); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	matches := read(ctx, func(last *Match) ([]Match, error) {
		mark := Mark{At: from}
		if last != nil {
			mark = Mark{At: last.EndedAt, ID: last.ID}
		}
		return s.store.SettledMatches(ctx, mark, to, atOnce)
	})
	deeds := read(ctx, func(last *Deed) ([]Deed, error) {
		mark := Mark{At: from}
		if last != nil {
			mark = Mark{At: last.At, ID: last.PlayerID, Version: last.Version}
		}
		return s.store.Deeds(ctx, mark, to, atOnce)
	})
	coming := seasons
	for {
		m, d := matches.peek(), deeds.peek()
		switch {
		case m == nil && d == nil:
			if err := errors.Join(matches.err, deeds.err); err != nil {
				return nil, err
			}
			return all, s.tellRest(ctx, all, seasons, from, to)
		case matches.err != nil || deeds.err != nil:
			return nil, errors.Join(matches.err, deeds.err)
		// Of one moment, what players do is before what ends.
		case m == nil || d != nil && !d.At.After(m.EndedAt):
			coming, err = s.tellDivisions(ctx, all, coming, d.At)
			if err == nil {
				all.each(func(r *Replay) { r.Deed(d) })
			}
			deeds.drop()
		default:
			coming, err = s.tellDivisions(ctx, all, coming, m.EndedAt)
			for i := 0; i < len(all) && err == nil; i++ {
				var would [rules.Seats]int64
				if would, err = all[i].Match(m); i == 0 && err == nil {
					err = each(m, would)
				}
			}
			matches.drop()
		}
		if err != nil {
			return nil, err
		}
	}
}

// replays are told the same.
type replays []*Replay

func (all replays) each(tell func(*Replay)) {
	for _, r := range all {
		tell(r)
	}
}

// tellLeague tells where players played before the time, and what they had in weeks that
// had begun.
func (s *Service) tellLeague(ctx context.Context, all replays, seasons []league.Season, from time.Time) error {
	if len(seasons) == 0 {
		return nil
	}
	if err := s.store.EachPlace(ctx, seasons[0].ID, func(playerID string, p league.Place) {
		all.each(func(r *Replay) { r.Place(playerID, p) })
	}); err != nil {
		return err
	}
	for _, season := range seasons {
		if season.StartsAt.Before(from) {
			if err := s.store.EachScore(ctx, season.ID, func(score league.Score) {
				all.each(func(r *Replay) { r.Began(score) })
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellDivisions tells where players are in the seasons that have begun by a time, and
// returns those that have not.
func (s *Service) tellDivisions(ctx context.Context, all replays, coming []league.Season, at time.Time) ([]league.Season, error) {
	for len(coming) > 0 && !coming[0].StartsAt.After(at) {
		err := s.store.EachScore(ctx, coming[0].ID, func(score league.Score) {
			if score.Division != "" {
				all.each(func(r *Replay) { r.Division(score.PlayerID, score.Division) })
			}
		})
		if err != nil {
			return nil, err
		}
		coming = coming[1:]
	}
	return coming, nil
}

// tellRest tells what is not a matter of order: prizes and sales.
func (s *Service) tellRest(ctx context.Context, all replays, seasons []league.Season, from, to time.Time) error {
	for _, season := range seasons {
		if season.ClosedAt.Before(from) || season.ClosedAt.After(to) {
			continue
		}
		if err := s.store.EachScore(ctx, season.ID, func(score league.Score) {
			all.each(func(r *Replay) { r.Prize(score, season.ClosedAt) })
		}); err != nil {
			return err
		}
	}
	if err := s.store.EachSale(ctx, from, to, func(sale Sale) {
		all.each(func(r *Replay) { r.Sale(&sale) })
	}); err != nil {
		return err
	}
	var errs []error
	all.each(func(r *Replay) { errs = append(errs, r.End(to)) })
	return errors.Join(errs...)
}

// Run reads a simulation. One whose process has died is lost. Codes: NotFound.
func (s *Service) Run(ctx context.Context, id string) (*Run, error) {
	if err := s.lose(ctx); err != nil {
		return nil, err
	}
	return s.store.Run(ctx, id)
}

// Runs lists at most limit, newest first, older than the one given, if any, without
// documents and results.
func (s *Service) Runs(ctx context.Context, before string, limit int) ([]*Run, error) {
	if err := s.lose(ctx); err != nil {
		return nil, err
	}
	return s.store.Runs(ctx, before, limit)
}

func (s *Service) lose(ctx context.Context) error {
	now := s.moment()
	return s.store.LoseRuns(ctx, now.Add(-lostAfter), now)
}

// Cancel asks a simulation to end, wherever it runs; it does within a second or so.
// Codes: NotFound, CodeOver.
func (s *Service) Cancel(ctx context.Context, id string) error { return s.store.CancelRun(ctx, id) }

// replayed are the members of a document whose effect is in a simulation, as JSON
// pointers.
var replayed = []string{
	"/timeZone", "/welcome", "/daily", "/matches", "/booster", "/vip", "/combine", "/league", "/catalogue/*/grants/coins",
}

// Newest is the newest simulation of a document that is done, however the document is
// written, begun while a version was live. Codes: NotFound.
func (s *Service) Newest(ctx context.Context, document []byte, live int) (*Run, error) {
	return s.store.NewestRun(ctx, economy.Fingerprint(document), live)
}

// Forecast implements economy.Forecaster.
func (s *Service) Forecast(ctx context.Context, document []byte, live int) (*economy.Forecast, error) {
	r, err := s.Newest(ctx, document, live)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	const day = 24 * time.Hour
	return &economy.Forecast{
		Before: r.Result.Live.Issued, After: r.Result.Total.After.Issued, Days: int((r.To.Sub(r.From) + day/2) / day), At: r.To,
		Replayed: replayed,
	}, nil
}

var _ economy.Forecaster = (*Service)(nil)
