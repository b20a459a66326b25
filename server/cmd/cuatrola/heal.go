package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/socket"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

const (
	// healEvery is how late a client may hear of what a lost message told of last, and
	// healCutOff the same while the bus is away.
	healEvery  = 5 * time.Second
	healCutOff = time.Second
	// watchEvery is how often the database is asked whether it answers, and lostAfter how
	// long it may not before sockets are sent to other processes.
	watchEvery = time.Second
	lostAfter  = 5 * time.Second
)

// heal sends sockets what lost messages have kept from them, until ctx is done.
func heal(ctx context.Context, hub *socket.Hub, news *bus.Bus, db *store.Store) {
	tick := time.NewTicker(healCutOff)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-news.Gaps():
		case <-tick.C:
			if news.Ready() && time.Since(last) < healEvery {
				continue
			}
		}
		last = time.Now()
		missed, err := hub.Heal(ctx, db)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "what sockets may have missed cannot be read", "error", err)
		}
		if missed > 0 {
			slog.InfoContext(ctx, "sockets were told late", "missed", missed)
		}
	}
}

// watchDatabase sends sockets away while this process cannot reach the database, until
// ctx is done: another may.
func watchDatabase(ctx context.Context, hub *socket.Hub, db *store.Store) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	answered, lost := time.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asking, cancel := context.WithTimeout(ctx, watchEvery)
		err := db.Ping(asking)
		cancel()
		switch {
		case err == nil:
			answered = time.Now()
			if lost {
				lost = false
				slog.InfoContext(ctx, "the database answers again")
				hub.TakeBack()
			}
		case ctx.Err() == nil && !lost && time.Since(answered) >= lostAfter:
			lost = true
			slog.ErrorContext(ctx, "the database does not answer: sockets are sent away", "error", err)
			hub.SendAway()
		}
	}
}

// setEvery is how often the time is set by the database's. It is as far off by then as
// two clocks drift apart, which is microseconds.
const setEvery = 10 * time.Second

// commonTime is the time by the database's clock where several machines may share it, set
// again and again until ctx is done.
func commonTime(ctx context.Context, db *store.Store) (*clock.Common, error) {
	c := new(clock.Common)
	if !db.SharesClock() {
		return c, nil
	}
	ahead, err := c.Set(ctx, db.Time)
	for range 2 { // the quickest of three answers counts
		if err == nil {
			_, err = c.Set(ctx, db.Time)
		}
	}
	if err != nil {
		return nil, naming("DATABASE_URL", err)
	}
	if ahead.Abs() > maxAhead {
		slog.WarnContext(ctx, "this machine's clock is not the database's, which counts", "ahead", ahead.String())
	}
	go func() {
		tick := time.NewTicker(setEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			asking, cancel := context.WithTimeout(ctx, setEvery)
			ahead, err := c.Set(asking, db.Time)
			cancel()
			switch {
			case err != nil && ctx.Err() == nil:
				slog.WarnContext(ctx, "the database's time cannot be read", "error", err)
			case err == nil && ahead.Abs() > maxAhead:
				slog.WarnContext(ctx, "the database's clock was set, or this process was paused", "ahead", ahead.String())
			}
		}
	}()
	return c, nil
}

// maxAhead is how far two clocks may be apart without being worth a line in the log.
const maxAhead = time.Second
