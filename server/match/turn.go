package match

import (
	"context"
	"errors"
	"math"
	"time"
)

const (
	// heartbeat is how often a process says that it lives; silence for outageLimit
	// is an outage.
	heartbeat   = time.Second
	outageLimit = 3 * heartbeat
	// sweepEvery is how often a process looks for turns that ended without anybody
	// acting, since the process that had the match has died; sweepGrace is what it
	// leaves the others.
	sweepEvery = time.Second
	sweepGrace = 2 * time.Second
	// retryAfter is when a turn is tried again that could not be saved.
	retryAfter = time.Second
	// page is how many matches are read at once.
	page = 500
)

// Start takes up all open matches: their turns end when their deadlines say,
// which an outage has moved. It goes on in the background until Stop.
func (s *Service) Start(ctx context.Context) error {
	if err := s.store.BeginProcess(ctx, s.process, s.now(), outageLimit); err != nil {
		return err
	}
	outages, err := s.store.Outages(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.outages = outages
	s.mu.Unlock()
	if err := s.takeUp(ctx, time.UnixMilli(math.MaxInt64/2)); err != nil {
		return err
	}
	s.every(heartbeat, func(ctx context.Context) error { return s.store.Beat(ctx, s.process, s.now()) })
	s.every(sweepEvery, func(ctx context.Context) error { return s.takeUp(ctx, s.now().Add(-sweepGrace)) })
	return nil
}

// Stop ends what runs in the background and waits for it. Matches stay as their
// logs have them.
func (s *Service) Stop() {
	s.mu.Lock()
	s.stopping = true
	tables := make([]*table, 0, len(s.tables))
	for _, t := range s.tables {
		tables = append(tables, t)
	}
	s.mu.Unlock()
	for _, t := range tables {
		t.mu.Lock()
		t.clearAlarm()
		t.mu.Unlock()
	}
	s.background.Wait()
}

// enter lets a background task run unless the service is stopping.
func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.background.Add(1)
	return true
}

// every calls f again and again until Stop.
func (s *Service) every(d time.Duration, f func(context.Context) error) {
	s.clock.AfterFunc(d, func() {
		if !s.enter() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		if err := f(ctx); err != nil {
			s.logError(ctx, "background task failed; it is tried again", "", err)
		}
		cancel()
		s.background.Done()
		s.every(d, f)
	})
}

// takeUp sees to it that every turn that ends before a time has an alarm here.
func (s *Service) takeUp(ctx context.Context, before time.Time) error {
	after := ""
	for {
		due, err := s.store.Due(ctx, before, after, page)
		if err != nil {
			return err
		}
		for _, d := range due {
			after = d.MatchID
			s.mu.Lock()
			t := s.tables[d.MatchID]
			if t == nil {
				t = &table{}
				s.tables[d.MatchID] = t
			}
			s.mu.Unlock()
			t.mu.Lock()
			if t.alarm == nil && !t.thinking.on {
				s.setAlarmAt(d.MatchID, t, s.credited(d.Since, d.Deadline))
			}
			t.mu.Unlock()
		}
		if len(due) < page {
			return nil
		}
	}
}

// setAlarm has the table's turn end at its deadline.
func (s *Service) setAlarm(t *table) {
	s.setAlarmAt(t.fold.ID, t, s.credited(t.fold.opened(), t.fold.deadline()))
}

func (s *Service) setAlarmAt(matchID string, t *table, at time.Time) {
	t.clearAlarm()
	t.alarm = s.clock.AfterFunc(at.Sub(s.clock.Now()), func() {
		if !s.enter() {
			return
		}
		defer s.background.Done()
		s.timeUp(matchID, t)
	})
}

// timeUp acts for the seat whose time has run out, a bot's or a person's.
func (s *Service) timeUp(matchID string, t *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alarm = nil
	// Of the whole turn: a bot's thinking has no end that this could set.
	work, end := s.work(context.Background(), "turn", matchID)
	err := s.actForLate(work, matchID, t)
	end(err)
	if !errors.As(err, new(brokenError)) {
		t.broken = 0
	} else if t.broken++; t.broken >= voidAfter {
		s.logError(work, "a match's log cannot be read; the match is given up", matchID, err)
		ctx, cancel := context.WithTimeout(work, storeTimeout)
		defer cancel()
		err = s.void(ctx, matchID, t, "its log cannot be read: "+err.Error())
	}
	if err != nil && !errors.Is(err, ErrConflict) {
		s.logError(work, "a turn that has ended could not be saved; it is tried again", matchID, err)
		s.setAlarmAt(matchID, t, s.clock.Now().Add(retryAfter))
	}
}

func (s *Service) actForLate(ctx context.Context, matchID string, t *table) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if t.fold == nil {
		if err := s.load(ctx, matchID, t); err != nil {
			return err
		}
	}
	if t.fold.ended() {
		s.letGo(t)
		return nil
	}
	if s.credited(t.fold.opened(), t.fold.deadline()).After(s.clock.Now()) {
		s.setAlarm(t)
		return nil
	}
	e := t.fold.overdue()
	if t.thinking.on && t.thinking.seq == e.Seq {
		return nil // somebody is at it
	}
	if !s.think(t, &e) {
		if t.fold == nil { // something could not be kept meanwhile
			s.setAlarmAt(matchID, t, s.clock.Now().Add(retryAfter))
		}
		return nil
	}
	// On a conflict another process was faster, and has the next turn too.
	return s.keep(ctx, t, e.Entry)
}

// think has a bot choose what to do. The table is let go of meanwhile, so that whoever
// looks at it does not wait, and only so many bots think at a time: thousands of tables
// whose bots are late are late, and do not keep people's requests from a processor. It
// says whether the turn is still the same behind it.
func (s *Service) think(t *table, e *late) bool {
	if !e.thinks() {
		e.choose()
		return true
	}
	t.thinking.on, t.thinking.seq = true, e.Seq
	t.mu.Unlock()
	s.thinkers <- struct{}{}
	e.choose()
	<-s.thinkers
	t.mu.Lock()
	if t.thinking.seq == e.Seq {
		t.thinking.on = false
	}
	return t.fold != nil && len(t.fold.log) == e.Seq
}

// credited is a deadline with the time that outages took from the turn.
func (s *Service) credited(since, deadline time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.outages {
		if o.To.After(since) && o.From.Before(deadline) {
			from := o.From
			if from.Before(since) {
				from = since
			}
			deadline = deadline.Add(o.To.Sub(from))
		}
	}
	return deadline
}
