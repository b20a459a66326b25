package fairness

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

// Service looks, and keeps what it has found. Make one with New.
type Service struct {
	store  Store
	limits func(context.Context) (economy.Fairness, error)
	now    func() time.Time
	random io.Reader

	running sync.WaitGroup
	ctx     context.Context // of what runs in the background
	stop    context.CancelFunc
}

// New returns a service over the store. limits are the thresholds that hold now.
func New(store Store, limits func(context.Context) (economy.Fairness, error), now func() time.Time, random io.Reader) *Service {
	s := &Service{store: store, limits: limits, now: now, random: random}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Stop ends what [Service.Begin] has begun, and waits for it. Another process, or
// this one when it runs again, takes up what was interrupted.
func (s *Service) Stop() {
	s.stop()
	s.running.Wait()
}

// Wait waits for what [Service.Begin] has begun, without ending it.
func (s *Service) Wait() { s.running.Wait() }

func (s *Service) time() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// lostAfter is when a search is taken up by another process that does not say that it
// goes on. A step of it takes seconds.
const lostAfter = 5 * time.Minute

// Ask keeps that a search is wanted, or returns the one that has not ended, which is
// not new. Whoever asks has it begun with [Service.Begin] once that is kept; if that
// does not happen, [Service.Work] makes it when it is called next.
func (s *Service) Ask(ctx context.Context, by string) (r *Run, isNew bool, err error) {
	wanted := &Run{ID: s.newID(), AskedBy: by, AskedAt: s.time(), Steps: len(steps)}
	if r, err = s.store.AskRun(ctx, wanted); err != nil {
		return nil, false, err
	}
	return r, r.ID == wanted.ID, nil
}

// Begin makes a search that is asked for, in the background, until Stop.
func (s *Service) Begin() {
	s.running.Go(func() {
		if err := s.Work(s.ctx); err != nil && s.ctx.Err() == nil {
			slog.Error("the fairness watch has failed", "error", err)
		}
	})
}

// Daily makes a search, whether or not somebody has asked for one.
func (s *Service) Daily(ctx context.Context) error {
	if _, _, err := s.Ask(ctx, ""); err != nil {
		return err
	}
	return s.Work(ctx)
}

// Work makes the search that is asked for, if there is one that nobody makes.
func (s *Service) Work(ctx context.Context) error {
	now := s.time()
	run, err := s.store.TakeRun(ctx, now.Add(-lostAfter), now)
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.search(ctx, run)
	if err != nil && ctx.Err() != nil {
		return err // to be taken up by another
	}
	run.EndedAt, run.Failed = s.time(), err != nil
	if kept := s.store.KeepRun(ctx, run); err == nil {
		err = kept
	}
	return err
}

func (s *Service) search(ctx context.Context, run *Run) error {
	limits, err := s.limits(ctx)
	if err != nil {
		return err
	}
	at := s.time()
	look := &search{facts: s.store, window: windowOf(limits, at), limits: limits}
	if run.Matches, err = s.store.CountPlayed(ctx, look.window); err != nil {
		return err
	}
	run.Steps = len(steps)
	for i, step := range steps {
		run.Step, run.BeatAt = i, s.time()
		if err := s.store.KeepRun(ctx, run); err != nil {
			return err
		}
		if err := step(look, ctx); err != nil {
			return err
		}
	}
	run.Step, run.Found = len(steps), len(look.found)
	run.New, err = s.store.SeeCases(ctx, look.found, func(c *Case, f Finding) (*Case, bool) {
		if c != nil {
			return c, c.Seen(f, at, limits.ComebackPercent)
		}
		return &Case{ID: s.newID(), Finding: f, State: Open, FirstSeen: at, LastSeen: at}, true
	})
	return err
}

// newID panics where there is no randomness, as nothing works then.
func (s *Service) newID() string {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		panic(fmt.Sprintf("fairness: no randomness: %v", err))
	}
	return id.String()
}

// Runs lists at most limit searches, newest first.
func (s *Service) Runs(ctx context.Context, limit int) ([]*Run, error) {
	return s.store.Runs(ctx, limit)
}

// Cases lists at most limit, the highest score first.
func (s *Service) Cases(ctx context.Context, f Filter, after *Place, limit int) ([]*Case, error) {
	return s.store.Cases(ctx, f, after, limit)
}

// Count counts the cases by state.
func (s *Service) Count(ctx context.Context) (map[State]int, error) { return s.store.CountCases(ctx) }

// Case reads one. Codes: NotFound.
func (s *Service) Case(ctx context.Context, id string) (*Case, error) { return s.store.Case(ctx, id) }

// Names are those of everybody who is involved in the cases, by their identifiers.
func (s *Service) Names(ctx context.Context, cases ...*Case) (map[string]string, error) {
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.Players...)
	}
	slices.Sort(ids)
	return s.store.PlayerNames(ctx, slices.Compact(ids))
}

// Decide keeps what somebody thinks of a case, and why. It returns the case as it was
// and as it is. Codes: NotFound, InvalidRequest (no reason, no such state).
func (s *Service) Decide(ctx context.Context, id string, state State, reason, by string) (before, after Case, err error) {
	err = s.store.ChangeCase(ctx, id, func(c *Case) error {
		before = *c
		if err := c.decide(state, reason, by, s.time()); err != nil {
			return err
		}
		after = *c
		return nil
	})
	return before, after, err
}
