package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// violation is something that a server must never do, whatever befalls it. Any
// other error means that the server was away: the player comes back.
type violation struct{ error }

func violated(format string, args ...any) error {
	return violation{fmt.Errorf(format, args...)}
}

// player is a person with an app: it plays matches against bots, comes back
// when the connection breaks, and remembers everything that it was told.
type player struct {
	srv    *server
	random *rand.Rand
	client *client.Client
	// lasts is done when whoever still waits for others goes; nil if nobody has to.
	lasts context.Context //nolint:containedctx // of one test
	// acknowledged is called after each action that the server says it has kept.
	acknowledged func()
	// heard is called with everything that is received during a match: the
	// viewer's sequence number that it speaks of, and the text.
	heard func(seq int, text []byte)
}

// sitting is one match as the player has lived it.
type sitting struct {
	id     string
	seat   int
	events []client.Frame
	// acked are the actions that the server has acknowledged, by the sequence
	// number that they were sent with.
	acked   map[int]string
	pending *pending
	// sentOn is the connection that pending was sent on.
	sentOn *client.Stream
	// view is the newest.
	view   *client.View
	ended  bool
	nextID int
}

// over says whether the match has ended and nothing is left open.
func (g *sitting) over() bool { return g.ended && g.pending == nil }

// pending is an action that was sent and not acknowledged.
type pending struct {
	id     int
	seq    int
	action string
}

// keepTrying does something until the server has answered it.
func (p *player) keepTrying(ctx context.Context, f func() error) error {
	for {
		err := f()
		var wrong violation
		if err == nil || errors.As(err, &wrong) || ctx.Err() != nil {
			return err
		}
		var problem *client.Problem
		if errors.As(err, &problem) && problem.Status < 500 {
			return violation{err}
		}
		p.srv.wait(ctx)
	}
}

func (p *player) signUp(ctx context.Context) error {
	return p.keepTrying(ctx, func() (err error) {
		p.client, err = client.SignUp(ctx, p.srv.url, p.srv.http)
		return err
	})
}

// play plays one match to its end and compares what it has lived with the
// record.
func (p *player) play(ctx context.Context, ruleSet any) (*record.Record, error) {
	key := fmt.Sprint("match-", p.random.Uint64())
	noPause := 0
	var first client.View
	err := p.keepTrying(ctx, func() (err error) {
		first, err = p.client.CreateMatch(ctx, key, client.NewMatch{Rules: ruleSet, BotPauseMs: &noPause, TurnSeconds: 120})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	p.hear(first.Seq, first.Raw)
	return p.finish(ctx, first)
}

// finish plays a match that has begun, from the first view of it.
func (p *player) finish(ctx context.Context, first client.View) (*record.Record, error) {
	g := &sitting{id: first.MatchID, seat: *first.You, acked: make(map[int]string)}
	seed := fmt.Sprint("seed ", p.random.Uint64())
	err := p.keepTrying(ctx, func() error {
		v, err := p.client.Seed(ctx, g.id, seed)
		if err == nil {
			p.hear(v.Seq, v.Raw)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	for !g.over() {
		if err := p.keepTrying(ctx, func() error { return p.session(ctx, g) }); err != nil {
			return nil, fmt.Errorf("match %s, after %d events: %w", g.id, len(g.events), err)
		}
	}
	var line []byte
	err = p.keepTrying(ctx, func() (err error) {
		line, err = p.client.Record(ctx, g.id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", g.id, err)
	}
	rec, err := g.verify(line)
	if err != nil {
		return nil, fmt.Errorf("match %s: %w", g.id, err)
	}
	return rec, nil
}

func (p *player) hear(seq int, text []byte) {
	if p.heard != nil {
		p.heard(seq, text)
	}
}

// session is one connection: it ends with the match, or with the connection.
func (p *player) session(ctx context.Context, g *sitting) error {
	stream, err := p.client.Stream(ctx, map[string]int{g.id: len(g.events)})
	if err != nil {
		return err
	}
	defer stream.Close()
	for !g.over() {
		f, err := stream.Next()
		if err != nil {
			return err
		}
		switch f.Type {
		case "welcome":
		case "event":
			p.hear(f.Seq, f.Raw)
			if f.Seq != len(g.events)+1 {
				return violated("event %d came after event %d", f.Seq, len(g.events))
			}
			g.events = append(g.events, f)
		case "snapshot":
			p.hear(f.Seq, f.Raw)
			if f.Seq != len(g.events) {
				return violated("a snapshot at %d came after event %d", f.Seq, len(g.events))
			}
		case "result":
			// The view that it is one's turn again may have come first.
			p.acknowledge(g, f.ID)
			f.View = g.view
		case "bye":
			return errors.New("the server said good-bye")
		default:
			if f.Code == "unavailable" {
				return errors.New(f.Detail)
			}
			return violated("frame %s %s: %s (pending %+v)", f.Type, f.Code, f.Detail, g.pending)
		}
		if f.View != nil {
			if f.View.Seq != len(g.events) && f.Type != "result" {
				return violated("a view at %d came with event %d", f.View.Seq, len(g.events))
			}
			g.view = f.View
			if err := p.see(ctx, g, stream, f.View); err != nil {
				return err
			}
		}
	}
	return nil
}

// see acts on a view, if it is the player's turn.
func (p *player) see(ctx context.Context, g *sitting, stream *client.Stream, v *client.View) error {
	if v.Seq != len(g.events) {
		return nil // a newer one is under way
	}
	if _, done := g.acked[v.Seq]; done {
		return nil // what the view asks for is done; the event is under way
	}
	g.ended = v.Phase == "over"
	switch {
	case g.pending != nil && g.sentOn == stream:
		return nil // its answer is under way
	case g.pending != nil:
		// Sent before the connection broke. It may have been kept or not.
	case len(v.Legal) == 0:
		return nil
	default:
		g.nextID++
		g.pending = &pending{id: g.nextID, seq: v.Seq, action: v.Legal[p.random.IntN(len(v.Legal))]}
	}
	g.sentOn = stream
	return p.send(ctx, g, stream)
}

// send sends what is pending, now and then twice, by the socket or by REST.
func (p *player) send(ctx context.Context, g *sitting, stream *client.Stream) error {
	a := *g.pending
	times := 1
	if p.random.IntN(10) == 0 {
		times = 2
	}
	if p.random.IntN(3) > 0 {
		for range times {
			if err := stream.Act(a.id, g.id, a.seq, a.action); err != nil {
				return err
			}
		}
		return nil
	}
	for range times {
		v, err := p.client.Act(ctx, g.id, a.seq, a.action)
		if err != nil {
			var problem *client.Problem
			if errors.As(err, &problem) && problem.Status < 500 {
				return violated("action %s at %d: %w", a.action, a.seq, err)
			}
			return err
		}
		p.hear(v.Seq, v.Raw)
	}
	p.acknowledge(g, a.id)
	// If this was an action of before the crash, the view asks for the next one.
	return p.see(ctx, g, stream, g.view)
}

func (p *player) acknowledge(g *sitting, id int) {
	if g.pending == nil || g.pending.id != id {
		return // the second answer to an action sent twice
	}
	g.acked[g.pending.seq] = g.pending.action
	g.pending = nil
	if p.acknowledged != nil {
		p.acknowledged()
	}
}

// verify holds the record against what the player has lived: a fair match by the
// rules, with every event in its place, none missing and none twice, and every
// acknowledged action in it.
func (g *sitting) verify(line []byte) (*record.Record, error) {
	rec, err := record.Parse(bytes.TrimSpace(line))
	if err != nil {
		return nil, violated("the record: %w", err)
	}
	m := rules.NewMatch(rec.Rules)
	var lived []string
	whose := func(h, i int) { // what this seat is shown of the record
		if a := rec.Hands[h].Actions[i]; a != rules.Silent || m.Turn() == rules.Seat(g.seat) {
			lived = append(lived, fmt.Sprintf("%d %s", m.Turn(), a))
		}
	}
	if fault := rules.Replay(&m, rec.Hands, whose, nil); fault.Reason != rules.OK || m.Winner() == rules.NoPair {
		return nil, violated("the record's replay: %+v, winner %d", fault, m.Winner())
	}
	if rec.Fair == nil {
		return nil, violated("the record has no proof of its deals")
	}
	if fault, hand := rules.VerifyFair(rec.Fair, rec.Hands); fault != rules.Fair {
		return nil, violated("the record's deals: %s in hand %d", fault, hand)
	}
	var told []string
	for _, e := range g.events {
		if e.Kind == "act" {
			told = append(told, fmt.Sprintf("%d %s", e.Seat, e.Action))
		}
	}
	if !slices.Equal(told, lived) {
		return nil, violated("told of %d actions, the record has %d:\n%v\n%v", len(told), len(lived), told, lived)
	}
	for seq, action := range g.acked {
		if e := g.events[seq]; e.Seat != g.seat || e.Action != action {
			return nil, violated("acknowledged %s at %d, which is seat %d's %s", action, seq, e.Seat, e.Action)
		}
	}
	return rec, nil
}
