package crowd

import (
	"crypto/sha256"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/rating"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// actor is one of the people: what an app would know, and what its user is like.
type actor struct {
	w      *world
	random *mathrand.Rand
	number int
	// talent is how well the actor plays: 0 for the middle of all people, 1 better than
	// five of six.
	talent float64
	friend *actor

	id, name, secret string // from the sign-up on
	online           bool
	until            time.Time // when this visit ends
	points           int       // when the actor last took a ticket

	// What the app knows of the engagement. After a reinstall it knows nothing.
	place engagement.Place
	seq   int
	// plan numbers what the actor wants to do next when it is free or tired of waiting:
	// an older plan is dropped. turn is the turn that the actor thinks about.
	plan int
	turn string
}

func (a *actor) after(d time.Duration, f func()) { a.w.clock.AfterFunc(d, f) }

// latency is how long a message takes to the actor.
func (a *actor) latency() time.Duration {
	return time.Duration(20+a.random.IntN(200)) * time.Millisecond
}

// about is a time that is often near the one given and seldom many times as long.
func (a *actor) about(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(0.7*a.random.NormFloat64()))
}

func (a *actor) process() *process { return a.w.processes[a.random.IntN(len(a.w.processes))] }

func (a *actor) waits() bool {
	return a.place.Kind == engagement.Ticket || a.place.Kind == engagement.Table
}

// mayBe is for what the actor has asked for: it notes an error that the server
// should not have given.
func (a *actor) mayBe(what string, err error, codes ...fault.Code) bool {
	if err == nil {
		return true
	}
	for _, c := range codes {
		if fault.CodeOf(err) == c {
			a.w.report.Refused[c]++
			return false
		}
	}
	a.w.wrong("%s, %s: %v", a.id, what, err)
	return false
}

// arrive begins a visit, the first one with a sign-up.
func (a *actor) arrive() {
	w := a.w
	if w.closing || a.online {
		return
	}
	if a.id == "" {
		g, err := w.accounts.SignUp(w.ctx, account.NewGuest{})
		if !a.mayBe("sign-up", err) {
			return
		}
		a.id, a.name, a.secret = g.Player.ID, g.Player.Name, g.DeviceSecret
		w.byID[a.id] = a
		w.report.SignedUp++
		if a.number%5 > 0 {
			a.mayBe("rating", a.playedBefore())
		}
		if f := a.friend; f != nil && f.id != "" {
			_, _, err := w.friends.Ask(w.ctx, a.id, f.id, "")
			a.mayBe("friend", err)
			a.mayBe("friend", w.friends.Accept(w.ctx, f.id, a.id))
		}
		if a.number%100 == 99 { // a purchase was taken back that had been spent
			t, err := wallet.New(newID(), "crowd-debt:"+a.id, wallet.KindClawback, w.clock.Now(), wallet.Move(wallet.Debt(a.id), wallet.Sales, 2000)...)
			if err == nil {
				_, _, err = w.db.Post(w.ctx, t)
			}
			a.mayBe("debt", err)
		}
	}
	w.report.Visits++
	a.online, a.until = true, w.clock.Now().Add(a.about(20*time.Minute))
	_, err := w.rewards.Purse(w.ctx, a.id)
	a.mayBe("purse", err)
	a.mayBe("daily reward", w.rewards.ClaimDaily(w.ctx, a.id), reward.CodeClaimed)
	if a.random.IntN(9) == 0 {
		a.mayBe("booster", w.rewards.BuyBooster(w.ctx, a.id, newID(), true), wallet.CodeInsufficient)
	}
	a.look()
}

// playedBefore gives the actor the rating that forty matches would have left, so that
// people are as far apart as they are where many have played for long.
func (a *actor) playedBefore() error {
	pool, err := a.w.db.SQL()
	if err != nil {
		return err
	}
	fresh := rating.New()
	_, err = pool.ExecContext(a.w.ctx, `INSERT INTO ratings (player_id, mu, sigma, matches, updated_at) VALUES ($1, $2, $3, 40, $4)`,
		a.id, fresh.Mu*(1+0.2*a.talent), fresh.Sigma/3, a.w.clock.Now().UnixMilli())
	return err
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// look asks what the actor is taken up with, and goes on from there.
func (a *actor) look() {
	if !a.online {
		return
	}
	w := a.w
	e, err := w.engagements.Of(w.ctx, a.id)
	if !a.mayBe("engagement", err) {
		return
	}
	if here := (engagement.Place{Kind: engagement.Match, ID: w.playing[a.id]}); here.ID != "" && e.Place != here {
		w.wrong("%s plays %s but is engaged with %+v", a.id, here.ID, e)
	}
	if e.Seq < a.seq {
		w.wrong("%s: engagement %d comes after %d", a.id, e.Seq, a.seq)
	}
	if e.Seq > 0 && !explained[e.Reason] {
		w.wrong("%s: engagement %+v says no reason", a.id, e)
	}
	was := a.place
	a.place, a.seq = e.Place, e.Seq
	switch {
	case e.Place.Kind == engagement.Match:
		a.consider(e.Place.ID, match.AskStore)
	case a.waits() && !(was.Kind == engagement.Ticket || was.Kind == engagement.Table):
		a.soon(a.about(2*time.Minute), a.giveUp)
	case e.Place.Kind == engagement.Room && was.Kind == engagement.Match:
		a.soon(a.about(20*time.Second), a.afterRoom)
	case e.Place.Kind == engagement.Room && was.Kind != engagement.Room: // found again
		a.soon(a.about(time.Minute), a.leaveRoom)
	case e.Place == engagement.Free && (was != engagement.Free || a.plan == 0):
		if was.Kind == engagement.Match && a.random.IntN(40) == 0 {
			a.block(was.ID)
		}
		a.soon(a.about(45*time.Second), a.next)
	}
}

// explained are the reasons that there are.
var explained = map[engagement.Reason]bool{
	engagement.Joined: true, engagement.Started: true, engagement.Over: true, engagement.Left: true, engagement.Expired: true,
	engagement.Cancelled: true, engagement.InsufficientCoins: true, engagement.InDebt: true, engagement.Seated: true,
	engagement.Unseated: true, engagement.PartnerLeft: true, engagement.Kicked: true,
}

// soon makes a plan, and drops the one before.
func (a *actor) soon(d time.Duration, f func()) {
	a.plan++
	plan := a.plan
	a.after(d, func() {
		if a.plan == plan && a.online {
			f()
		}
	})
}

// next is what somebody does who is free: play again, or go home.
func (a *actor) next() {
	w := a.w
	if a.place != engagement.Free {
		return
	}
	if w.closing || w.clock.Now().After(a.until) {
		a.goHome()
		return
	}
	if f := a.friend; f != nil && f.online && f.place == engagement.Free {
		switch a.random.IntN(5) {
		case 0, 1:
			a.takeParty(f)
			return
		case 2:
			a.openRoom(f)
			return
		}
	}
	a.enter(a.queue(), nil)
	if a.place == engagement.Free { // refused
		a.soon(a.about(time.Minute), a.next)
	}
}

func (a *actor) goHome() {
	a.online, a.place, a.seq = false, engagement.Free, 0
	a.plan++
	if gap := a.about(40 * time.Minute); !a.w.closing {
		a.plan = 0
		a.after(gap, a.arrive)
	}
}

// queue is where the actor would like to play.
func (a *actor) queue() lobby.Queue {
	q := lobby.Queue{Rules: rules.Mesa}
	switch a.random.IntN(10) {
	case 0:
		q.Rules = rules.Clasica
	case 1:
		q.Rules = rules.Liga
	}
	if a.random.IntN(3) > 0 {
		return q
	}
	coins, err := a.w.db.Balance(a.w.ctx, wallet.Player(a.id))
	a.mayBe("balance", err)
	_, d, err := a.w.economies.Live(a.w.ctx)
	if !a.mayBe("economy", err) {
		return q
	}
	for _, stake := range d.Stakes { // sometimes one that is too much
		if stake <= coins && (q.Stake == 0 || a.random.IntN(3) == 0) || a.random.IntN(50) == 0 {
			q.Stake = stake
		}
	}
	if q.Stake > 0 && a.random.IntN(5) > 0 {
		q.Rules = rules.Mesa
	}
	return q
}

// takeParty waits with a friend, who comes soon, or does not.
func (a *actor) takeParty(f *actor) {
	q := a.queue()
	if !a.enter(q, f) {
		a.soon(a.about(time.Minute), a.next)
		return
	}
	if a.random.IntN(8) == 0 {
		return
	}
	f.soon(f.about(4*time.Second), func() {
		if f.place == engagement.Free && !f.w.closing {
			f.enter(q, a)
			if f.place == engagement.Free {
				f.soon(f.about(time.Minute), f.next)
			}
		}
	})
}

// enter takes a ticket. Requests are sent twice now and then, and some people try to
// wait in two queues.
func (a *actor) enter(q lobby.Queue, with *actor) bool {
	w := a.w
	key := newID()
	r := lobby.Request{
		PlayerID: a.id, Name: a.name, Queue: q,
		Answer: match.Answer{
			Key: key, PlayerID: a.id, Route: "queue", Status: 200, At: w.clock.Now(),
			RequestHash: fmt.Append(nil, sha256.Sum256(fmt.Append(nil, q, with != nil))),
		},
		Body: func(_ engagement.Engagement, t *lobby.Ticket) ([]byte, error) {
			for _, m := range t.Members {
				if m.PlayerID == a.id {
					a.points = m.Points
				}
			}
			return []byte(t.ID), nil
		},
	}
	if with != nil {
		r.PartnerID = with.id
	}
	p := a.process()
	answer, replayed, err := p.lobby.Enter(w.ctx, r)
	if !a.mayBe("enter "+q.String(), err, engagement.CodeEngaged, wallet.CodeInsufficient, lobby.CodeInDebt, lobby.CodePartyDiffers, fault.NotFound) {
		return false
	}
	if replayed {
		w.wrong("%s: a new request was answered as an old one", a.id)
	}
	w.report.mode(q.Mode()).Entered++
	a.place = engagement.Place{Kind: engagement.Ticket, ID: string(answer.Body)}
	if a.random.IntN(10) == 0 {
		again, replayed, err := a.process().lobby.Enter(w.ctx, r)
		if a.mayBe("enter again", err) && (!replayed || string(again.Body) != string(answer.Body)) {
			w.wrong("%s: entered twice by one request", a.id)
		}
	}
	if a.random.IntN(10) == 0 {
		r.Answer.Key = newID()
		r.Queue = lobby.Queue{Rules: rules.Liga}
		r.PartnerID = ""
		_, _, err := a.process().lobby.Enter(w.ctx, r)
		if err == nil {
			w.wrong("%s waits in two queues", a.id)
		} else {
			a.mayBe("second queue", err, engagement.CodeEngaged)
		}
	}
	if a.random.IntN(20) == 0 {
		a.drop()
		return true
	}
	a.soon(a.about(2*time.Minute), a.giveUp)
	return true
}

// giveUp stops waiting, also at a table.
func (a *actor) giveUp() {
	if !a.waits() {
		return
	}
	a.w.report.StoodUp++
	a.mayBe("leave", a.process().lobby.Leave(a.w.ctx, a.id))
	a.look()
}

// drop loses the connection. Most people come back, some of them on another device.
func (a *actor) drop() {
	a.w.report.Drops++
	a.online, a.turn = false, ""
	a.plan++
	if a.random.IntN(8) == 0 { // for this evening, or for good
		a.place, a.seq = engagement.Free, 0
		a.plan = 0
		a.after(a.about(40*time.Minute), a.arrive)
		return
	}
	a.after(a.about(time.Minute), a.comeBack)
}

func (a *actor) comeBack() {
	w := a.w
	if a.online {
		return
	}
	if a.random.IntN(3) == 0 {
		w.report.Reinstalls++
		in, err := w.accounts.SignIn(w.ctx, a.secret, "another device")
		if !a.mayBe("sign-in", err) {
			return
		}
		if in.Player.ID != a.id {
			w.wrong("%s signed in as %s", a.id, in.Player.ID)
		}
		a.place, a.seq = engagement.Place{}, 0
	}
	w.report.Returns++
	a.online = true
	a.look()
	if a.place == engagement.Free { // it ended meanwhile
		a.soon(a.about(30*time.Second), a.next)
	}
}

// block keeps the actor apart from somebody it has just played with.
func (a *actor) block(matchID string) {
	m, err := a.w.db.GetMatch(a.w.ctx, matchID)
	if !a.mayBe("match", err) {
		return
	}
	for _, p := range m.Players() {
		other := a.w.byID[p.PlayerID]
		if other == a || other == a.friend {
			continue
		}
		if a.mayBe("block", a.w.friends.Block(a.w.ctx, a.id, other.id)) {
			a.w.blocks[[2]string{min(a.id, other.id), max(a.id, other.id)}] = true
			a.w.report.Blocks++
		}
		return
	}
}

// consider looks at the match and thinks about its turn, if it is the actor's. known
// is the log's number that the actor was told of.
func (a *actor) consider(matchID string, known int) {
	if !a.online {
		return
	}
	v, ok := a.view(matchID, known)
	if !ok {
		return
	}
	seed := v.SeedsMissing>>v.Viewer&1 != 0
	turn := fmt.Sprint(matchID, v.Seq, seed)
	if a.turn == turn || !seed && v.Game.Legal == 0 {
		return
	}
	a.turn = turn
	if seed {
		a.after(a.about(time.Second), func() {
			if !a.online || a.turn != turn {
				return
			}
			_, err := a.process().matches.Seed(a.w.ctx, matchID, a.id, turn[len(turn)-20:])
			a.mayBe("seed", err, fault.SeedConflict)
		})
		return
	}
	a.after(a.about(4*time.Second), func() {
		if a.online && a.turn == turn {
			a.act(matchID)
		}
	})
}

func (a *actor) view(matchID string, known int) (match.View, bool) {
	if a.w.playing[a.id] != matchID {
		return match.View{}, false
	}
	_, v, err := a.process().matches.Since(a.w.ctx, matchID, a.id, math.MaxInt, known)
	return v, a.mayBe("view", err)
}

func (a *actor) act(matchID string) {
	if a.random.IntN(60) == 0 {
		a.drop()
		return
	}
	v, ok := a.view(matchID, match.AskStore)
	if !ok || v.Game.Legal == 0 {
		return
	}
	choose := bot.Random
	if a.random.NormFloat64() < a.talent { // as well as a bot, and not just anything
		choose = func(v *rules.View, seed uint64) (rules.Action, bool) { return bot.Choose(bot.Tabernero, v, seed) }
	}
	action, ok := choose(&v.Game, a.random.Uint64())
	if !ok {
		return
	}
	_, err := a.process().matches.Act(a.w.ctx, matchID, a.id, v.Seq, action.String())
	a.mayBe("act", err, fault.StaleSequence)
}
