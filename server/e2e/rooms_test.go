package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// friend is a person with an app, who follows on the socket what becomes of them.
type friend struct {
	t      *testing.T
	ctx    context.Context
	srv    *server
	c      *client.Client
	stream *client.Stream
	now    client.Engagement
	random *rand.Rand
}

func newFriend(ctx context.Context, t *testing.T, s *server, n uint64) *friend {
	t.Helper()
	c, err := client.SignUp(ctx, s.url, s.http)
	if err != nil {
		t.Fatal(err)
	}
	f := &friend{t: t, ctx: ctx, srv: s, c: c, random: rand.New(rand.NewPCG(n, 5))}
	f.come()
	return f
}

// come opens a socket, as on a device that has just been started.
func (f *friend) come() {
	f.t.Helper()
	var err error
	if f.stream, err = f.c.Follow(f.ctx, map[string]int{"engagement": 0, "notices": 0}); err != nil {
		f.t.Fatal(err)
	}
	context.AfterFunc(f.ctx, f.stream.Close)
	f.hear(func(g client.Frame) bool { return g.Engagement != nil })
}

// hear reads frames until one is such.
func (f *friend) hear(such func(client.Frame) bool) client.Frame {
	f.t.Helper()
	for {
		g, err := f.stream.Next()
		if err != nil {
			f.t.Fatalf("%s waits: %v", f.c.Player.Name, err)
		}
		if g.Engagement != nil {
			f.now = *g.Engagement
		}
		if g.Type == "error" {
			f.t.Errorf("%s is told %s", f.c.Player.Name, g.Raw)
		}
		if such(g) {
			return g
		}
	}
}

// until waits until the friend's engagement is such; it may be so already.
func (f *friend) until(such func(client.Engagement) bool) {
	f.t.Helper()
	if !such(f.now) {
		f.hear(func(g client.Frame) bool { return g.Engagement != nil && such(f.now) })
	}
}

func (f *friend) do(method, path string, body any) client.Room {
	f.t.Helper()
	var r client.Room
	var answer any = &r
	if method == "DELETE" {
		answer = nil
	}
	if err := f.c.Do(f.ctx, method, "/v1/rooms"+path, body, answer); err != nil {
		f.t.Fatalf("%s: %s %s: %v", f.c.Player.Name, method, path, err)
	}
	return r
}

// sitting is how the friend sees the room, by the places in the list of friends.
func (f *friend) sitting(all []*friend) string {
	if f.now.Room == nil {
		return f.now.Kind
	}
	var out []string
	for _, s := range f.now.Room.Seats {
		text := s.Taken
		for i, other := range all {
			if s.Player != nil && s.Player.ID == other.c.Player.ID {
				text = fmt.Sprint(i)
			}
		}
		if s.Ready {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// play plays the match to its end, by the socket alone, and says which pair won.
func (f *friend) play(id string) (winner int, err error) {
	topic := "match:" + id
	err = errors.Join(
		f.stream.Send(map[string]any{"type": "subscribe", "topic": topic, "seq": 0}),
		f.stream.Send(map[string]any{"type": "seed", "match": id, "seed": fmt.Sprint(f.random.Uint64())}),
	)
	acted := -1
	for err == nil {
		var g client.Frame
		if g, err = f.stream.Next(); err != nil {
			break
		}
		if g.Engagement != nil {
			f.now = *g.Engagement
		}
		if g.Type == "error" {
			return 0, violated("%s", g.Raw)
		}
		v := g.View
		if v == nil || g.Topic != topic {
			continue
		}
		if v.Phase == "over" {
			return *v.Winner, f.stream.Send(map[string]any{"type": "unsubscribe", "topic": topic})
		}
		if len(v.Legal) > 0 && v.Seq > acted {
			acted = v.Seq
			err = f.stream.Act(1, id, v.Seq, v.Legal[f.random.IntN(len(v.Legal))])
		}
	}
	return 0, err
}

func (f *friend) coins() int64 {
	f.t.Helper()
	var purse struct{ Coins int64 }
	if err := f.c.Do(f.ctx, "GET", "/v1/wallet", nil, &purse); err != nil {
		f.t.Fatal(err)
	}
	return purse.Coins
}

// Four friends find one another by a code and by an invitation, choose their seats,
// play a match with whatever the server does meanwhile, are paid what a match with
// friends pays, play another, and part.
func TestFriends(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := newServer(t, database)
			var all []*friend
			for i := range 4 {
				all = append(all, newFriend(ctx, t, s, uint64(i)))
			}
			owner, last := all[0], all[3]
			coins := make([]int64, len(all))
			for i, f := range all {
				coins[i] = f.coins()
			}

			r := owner.do("POST", "", map[string]any{"rules": map[string]any{"preset": "clasica", "target": 3}, "turnSeconds": 120})
			for _, f := range all[1:3] {
				f.do("POST", "/join", map[string]string{"code": r.Code})
			}
			owner.do("POST", "/"+r.ID+"/invites", map[string]string{"playerId": last.c.Player.ID})
			told := last.hear(func(g client.Frame) bool { return g.Type == "notice" })
			var invitation struct {
				Notice struct {
					Kind string
					Room client.Room
				}
			}
			if err := json.Unmarshal(told.Raw, &invitation); err != nil || invitation.Notice.Kind != "room_invite" {
				t.Fatalf("invited by %s, %v", told.Raw, err)
			}
			last.do("POST", "/join", map[string]string{"code": strings.ToLower(invitation.Notice.Room.Code)})
			owner.do("PUT", "/"+r.ID+"/seats/2", map[string]any{"who": "seat", "from": 3})
			for _, f := range all {
				f.until(func(client.Engagement) bool { return f.sitting(all) == "0 1 3 2" })
			}

			seat := func(i int) int { return []int{0, 1, 3, 2}[i] }
			var matches []string
			for round := range 2 {
				for _, f := range all[1:] {
					f.do("PUT", "/"+r.ID+"/ready", map[string]bool{"ready": true})
				}
				owner.until(func(client.Engagement) bool { return owner.sitting(all) == "0 1! 3! 2!" })
				id := owner.do("POST", "/"+r.ID+"/start", nil).MatchID
				matches = append(matches, id)
				if round == 1 {
					// All is where it was when the power comes back.
					s.kill()
					s.start()
					s.wait(ctx)
					for _, f := range all {
						f.stream.Close()
						f.come()
					}
				}
				for _, f := range all {
					f.until(func(e client.Engagement) bool { return e.Kind == "match" && e.ID == id && e.Reason == "started" })
				}
				winners, errs := make([]int, len(all)), make([]error, len(all))
				var playing sync.WaitGroup
				for i, f := range all {
					playing.Go(func() { winners[i], errs[i] = f.play(id) })
				}
				playing.Wait()
				if err := errors.Join(errs...); err != nil {
					t.Fatal(err)
				}
				for i, f := range all {
					f.until(func(e client.Engagement) bool { return e.Kind == "room" && e.Reason == "over" })
					if got := f.sitting(all); got != "0 1 3 2" {
						t.Errorf("back in %s", got)
					}
					if winners[i] != winners[0] {
						t.Errorf("the winners are %v", winners)
					}
					if seat(i)%2 == winners[i] {
						coins[i] += 30
					}
					if got := f.coins(); got != coins[i] {
						t.Errorf("player %d has %d coins, want %d", i, got, coins[i])
					}
				}
			}
			if matches[0] == matches[1] {
				t.Error("the second match is the first")
			}

			owner.do("DELETE", "/"+r.ID+"/members/"+last.c.Player.ID, nil)
			last.until(func(e client.Engagement) bool { return e.Kind == "none" && e.Reason == "kicked" })
			owner.do("DELETE", "/"+r.ID+"/members/"+owner.c.Player.ID, nil)
			owner.until(func(e client.Engagement) bool { return e.Kind == "none" && e.Reason == "left" })
			next := all[1]
			next.until(func(e client.Engagement) bool { return e.Room != nil && e.Room.Owner == next.c.Player.ID })
			var p *client.Problem
			if err := last.c.Do(ctx, "POST", "/v1/rooms/join", map[string]string{"code": r.Code}, nil); !errors.As(err, &p) || p.Code != "kicked" {
				t.Errorf("put out, and then: %v", err)
			}
			owner.do("POST", "/join", map[string]string{"code": r.Code})
			if got := owner.do("GET", "/"+r.ID, nil); !slices.ContainsFunc(got.Seats, func(s client.RoomSeat) bool { return s.Taken == "open" }) {
				t.Errorf("back in %+v", got)
			}
		})
	}
}
