package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

const (
	queuePlayers = 24
	queueStake   = 100
	queueKills   = 4
)

// People look for a staked table over real sockets while the server is killed again
// and again, some of them thinking better of it now and then. Everybody gets a match
// with three others, is told so by the socket, and has the pot or not; no coin and
// nobody is left behind.
func TestQueueKilledAgainAndAgain(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := newServer(t, database)
			random := rand.New(rand.NewPCG(2026, uint64(len(database))))
			var steps, nextKill atomic.Int64
			killDue := make(chan struct{}, 1)
			arm := func() { nextKill.Store(steps.Load() + 5 + random.Int64N(40)) }
			arm()
			step := func() {
				if steps.Add(1) >= nextKill.Load() {
					select {
					case killDue <- struct{}{}:
					default:
					}
				}
			}
			var people sync.WaitGroup
			var coins atomic.Int64
			for i := range queuePlayers {
				people.Go(func() {
					p := &player{srv: s, acknowledged: step, random: rand.New(rand.NewPCG(uint64(i), 23))}
					have, err := p.playForCoins(ctx, step)
					coins.Add(have)
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("player %d: %v", i, err)
						cancel()
					}
				})
			}
			done := make(chan struct{})
			go func() { people.Wait(); close(done) }()
			for kills, playing := 0, true; playing; {
				select {
				case <-killDue:
					if kills++; kills > queueKills {
						continue
					}
					s.kill()
					arm()
					s.start()
					s.wait(ctx)
				case <-done:
					playing = false
				}
			}
			if got := coins.Load(); got != queuePlayers*500 {
				t.Errorf("the players have %d coins in all, want %d", got, queuePlayers*500)
			}
			check := exec.CommandContext(ctx, binary, "ledger", "check")
			check.Env = s.env
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("ledger check: %v\n%s", err, out)
			}
		})
	}
}

// playForCoins looks for a table, plays there, and says how many coins are left.
func (p *player) playForCoins(ctx context.Context, step func()) (coins int64, err error) {
	if err := p.signUp(ctx); err != nil {
		return 0, err
	}
	id, err := p.findTable(ctx, step)
	if err != nil {
		return 0, fmt.Errorf("the queue: %w", err)
	}
	var view client.View
	err = p.keepTrying(ctx, func() (err error) {
		view, err = p.client.View(ctx, id)
		return err
	})
	if err != nil {
		return 0, err
	}
	rec, err := p.finish(ctx, view)
	if err != nil {
		return 0, err
	}
	for _, seat := range rec.Players {
		if seat.Bot {
			return 0, violated("a bot at a staked table")
		}
	}
	err = p.keepTrying(ctx, func() error {
		data, err := p.client.Get(ctx, "/v1/wallet")
		if err != nil {
			return err
		}
		var purse struct{ Coins int64 }
		if err := json.Unmarshal(data, &purse); err != nil {
			return err
		}
		if coins = purse.Coins; coins != 500-queueStake && coins != 500+queueStake {
			return violated("%d coins behind the match", coins)
		}
		e, err := p.client.Engagement(ctx)
		if err == nil && (e.Kind != "none" || e.Reason != "over") {
			return violated("behind the match: %+v", e)
		}
		return err
	})
	return coins, err
}

// findTable enters the queue and follows the engagement on the socket until it leads
// to a match. Whatever breaks, it comes back and goes on where the server has it.
func (p *player) findTable(ctx context.Context, step func()) (matchID string, err error) {
	last := 0
	lasts := p.lasts
	if lasts == nil {
		lasts = ctx
	}
	for entries := 0; matchID == ""; entries++ {
		key := fmt.Sprint("queue-", entries)
		err := p.keepTrying(ctx, func() error {
			_, err := p.client.Enter(ctx, key, client.Queue{Stake: queueStake})
			return err
		})
		if err != nil {
			return "", err
		}
		step()
		if entries < 2 && p.random.IntN(4) == 0 {
			// Thinks better of it, and then again.
			err := p.keepTrying(ctx, func() error {
				e, err := p.client.Leave(ctx)
				if err == nil && e.Kind == "match" {
					matchID = e.ID
				}
				return err
			})
			if err != nil {
				return "", err
			}
			step()
			continue
		}
		for out := false; !out && matchID == ""; {
			if lasts.Err() != nil {
				return p.goAway(ctx)
			}
			err := p.keepTrying(ctx, func() error {
				stream, err := p.client.Stream(ctx, nil)
				if err != nil {
					return err
				}
				defer stream.Close()
				defer context.AfterFunc(lasts, stream.Close)()
				if err := stream.Subscribe(1, "engagement", last); err != nil {
					return err
				}
				for {
					f, err := stream.Next()
					if lasts.Err() != nil {
						return nil
					}
					if err != nil {
						return err
					}
					if f.Engagement == nil {
						if f.Type == "bye" {
							return errors.New("the server said good-bye")
						}
						continue
					}
					step()
					if f.Engagement.Seq < last {
						return violated("engagement %d came after %d", f.Engagement.Seq, last)
					}
					last = f.Engagement.Seq
					switch f.Engagement.Kind {
					case "match":
						matchID = f.Engagement.ID
						return nil
					case "none":
						if f.Engagement.Reason != "cancelled" && f.Engagement.Reason != "expired" {
							return violated("left the queue: %+v", f.Engagement)
						}
						out = true
						return nil
					}
				}
			})
			if err != nil {
				return "", err
			}
		}
	}
	return matchID, nil
}

// errGone is that nobody came any more, and the player has gone.
var errGone = errors.New("gone, for nobody came")

// goAway leaves the queue, unless that has led to a match meanwhile.
func (p *player) goAway(ctx context.Context) (matchID string, err error) {
	err = p.keepTrying(ctx, func() error {
		e, err := p.client.Leave(ctx)
		if err == nil && e.Kind == "match" {
			matchID = e.ID
		}
		return err
	})
	if err == nil && matchID == "" {
		err = errGone
	}
	return matchID, err
}
