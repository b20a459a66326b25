package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

const (
	crashPlayers = 80
	crashes      = 50
)

// ruleSets is what the players of the tests play by, in turn.
var ruleSets = []any{
	"clasica", "mesa", "mesa-quintola", "liga",
	map[string]any{"preset": "liga", "undertrump": "forced", "partnerExempt": true, "target": 9},
	map[string]any{"preset": "clasica", "fortyFirst": true, "maxCantes": 1, "bidderLeads": true},
}

// Eighty people play while the server is killed fifty times, each time after
// a random number of acknowledged actions. Nothing that was acknowledged is lost,
// nobody misses or hears twice of anything, every match ends, every record proves
// its deals.
func TestKilledAgainAndAgain(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			s := newServer(t, database)

			random := rand.New(rand.NewPCG(2026, uint64(len(database))))
			var acks, matches, nextKill atomic.Int64
			killDue := make(chan struct{}, 1)
			arm := func() { nextKill.Store(acks.Load() + 40 + random.Int64N(260)) }
			arm()
			acknowledged := func() {
				if acks.Add(1) >= nextKill.Load() {
					select {
					case killDue <- struct{}{}:
					default:
					}
				}
			}

			var killed atomic.Int64
			var players sync.WaitGroup
			for i := range crashPlayers {
				players.Go(func() {
					p := &player{
						srv: s, acknowledged: acknowledged,
						random: rand.New(rand.NewPCG(uint64(i), 17)),
					}
					err := p.signUp(ctx)
					for n := i; err == nil && (n == i || killed.Load() < crashes); n++ {
						_, err = p.play(ctx, ruleSets[n%len(ruleSets)])
						matches.Add(1)
					}
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("player %d: %v", i, err)
						cancel()
					}
				})
			}
			go func() { // a player that fails keeps the others from waiting for ever
				players.Wait()
				cancel()
			}()
			for killed.Load() < crashes {
				select {
				case <-killDue:
				case <-ctx.Done():
					if !errors.Is(ctx.Err(), context.Canceled) || !t.Failed() {
						t.Errorf("only %d crashes: %v", killed.Load(), ctx.Err())
					}
					return
				}
				s.kill()
				killed.Add(1)
				arm()
				select { // what was acknowledged meanwhile does not count for the next
				case <-killDue:
				default:
				}
				s.start()
				s.wait(ctx)
			}
			players.Wait()
			fmt.Printf("%s: %d crashes, %d matches, %d acknowledged actions\n", database, killed.Load(), matches.Load(), acks.Load())
		})
	}
}
