package loadgen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// person is a guest of the server's, whom this run has signed up.
type person struct {
	id, secret string
	// token is an access token, which is good for as long as a run may take.
	token string
}

func (s *servers) signUp() (*person, error) {
	var guest struct {
		Player struct {
			ID string `json:"id"`
		} `json:"player"`
		DeviceSecret string `json:"deviceSecret"`
		AccessToken  string `json:"accessToken"`
	}
	if err := s.do(call{method: "POST", path: "/v1/guests", body: struct{}{}, answer: &guest}); err != nil {
		return nil, fmt.Errorf("sign up: %w", err)
	}
	return &person{id: guest.Player.ID, secret: guest.DeviceSecret, token: guest.AccessToken}, nil
}

// signUps makes n of them.
func (r *run) signUps(ctx context.Context, n int) ([]*person, error) {
	people := make([]*person, n)
	return people, eachOf(ctx, n, func(i int) (err error) {
		people[i], err = r.servers.signUp()
		if err == nil {
			r.totals.players.Add(1)
		}
		return err
	})
}

// workers is how many things are prepared at a time.
const workers = 32

// eachOf does n things, some at a time, and returns the first error.
func eachOf(ctx context.Context, n int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// request returns what one request of that kind is, of the people given.
func (r *run) request(kind Kind, people []*person) (func() error, error) {
	var turn atomic.Uint64
	next := func() *person { return people[turn.Add(1)%uint64(len(people))] }
	buy := func(p *person) error {
		err := r.servers.do(call{
			method: "POST", path: "/v1/wallet/purchases", token: p.token, key: rand.Text(),
			body: map[string]any{"item": "booster"},
		})
		if err == nil {
			r.totals.posted.Add(1)
		}
		return err
	}
	switch kind {
	case Profiles:
		return func() error { return r.servers.do(call{method: "GET", path: "/v1/me", token: next().token}) }, nil
	case SignIns:
		return func() error {
			err := r.servers.do(call{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": next().secret}})
			if err == nil {
				r.totals.sessions.Add(1)
			}
			return err
		}, nil
	case Dailies:
		return func() error {
			err := r.servers.do(call{method: "POST", path: "/v1/wallet/daily", token: next().token})
			if err == nil {
				r.totals.posted.Add(1)
			}
			return err
		}, nil
	case Postings:
		return func() error { return buy(next()) }, nil
	case HotPostings:
		return func() error { return buy(people[0]) }, nil
	}
	return nil, errors.New("no such kind: " + string(kind))
}

// welcome asks for each purse once, which gives the welcome grant: coins to spend.
func (r *run) welcome(ctx context.Context, people []*person) error {
	return eachOf(ctx, len(people), func(i int) error {
		return r.servers.do(call{method: "GET", path: "/v1/wallet", token: people[i].token})
	})
}

// requests does one kind of request until ctx ends.
func (r *run) requests(ctx context.Context, s *series, pace Pace, do func() error) {
	one := func(_ context.Context, due time.Time) {
		if err := do(); err != nil {
			s.failed(due, codeOf(err))
			return
		}
		s.done(due, time.Now())
	}
	if pace.Clients > 0 {
		closed(ctx, pace.Clients, one)
		return
	}
	open(ctx, s, pace.Rate, r.InFlight, r.newRandom(), one)
}
