package rest_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/wallet"
)

func (f friend) queue(body any) request {
	return request{method: "POST", path: "/v1/queue", token: f.token, body: body}
}

// enters takes a ticket.
func (f friend) enters(body any) rest.Engagement {
	f.w.t.Helper()
	a := f.w.send(f.queue(body))
	if a.status != http.StatusCreated {
		f.w.t.Fatalf("%s: %d %s", f.name, a.status, a.body)
	}
	var e rest.Engagement
	a.into(f.w.t, &e)
	return e
}

// goes stops looking, and says what is then.
func (f friend) goes() rest.Engagement {
	f.w.t.Helper()
	var e rest.Engagement
	f.w.send(request{method: "DELETE", path: "/v1/queue", token: f.token}).into(f.w.t, &e)
	return e
}

func (f friend) coins() int64 {
	f.w.t.Helper()
	var p rest.Purse
	f.w.send(request{method: "GET", path: "/v1/wallet", token: f.token}).into(f.w.t, &p)
	return p.Coins
}

func (w *world) befriend(a, b friend) {
	w.t.Helper()
	w.expect(http.StatusOK, "", request{method: "POST", path: "/v1/friends/requests", token: a.token, body: map[string]string{"playerId": b.id}})
	w.expect(http.StatusNoContent, "", request{method: "POST", path: "/v1/friends/requests/" + a.id + "/accept", token: b.token})
}

// Every answer of the queue that the contract shows is one that the server gives.
func TestQueueContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ana, ben := w.friend("Ana"), w.friend("Ben")
		w.refusals(
			ana.token,
			request{method: "POST", path: "/v1/queue", body: "{}"},
			request{method: "DELETE", path: "/v1/queue"},
			request{method: "GET", path: "/v1/queue/invitations"},
		)
		ana.goes() // what was refused is nothing; the empty request is a good one
		w.befriend(ana, ben)

		for _, body := range w.requestExamples("enterQueue") {
			text := strings.ReplaceAll(string(body), "01890a5d-ac96-774b-bcce-b302099a8060", ben.id)
			e := ana.enters(text)
			if e.Kind != "ticket" || *e.Reason != "joined" || e.Ticket == nil || e.Ticket.Members[0].Name != "Ana" || e.Ticket.Rules != "mesa" {
				t.Errorf("%s: %+v", text, e)
			}
			if got := ana.engagement(); *got.ID != *e.ID || got.Seq != e.Seq || got.Ticket == nil || !got.Ticket.ExpiresAt.Equal(e.Ticket.ExpiresAt) {
				t.Errorf("%s: got %+v, answered %+v", text, got, e)
			}
			w.expect(http.StatusConflict, "engaged", ana.queue(text))
			if e := ana.goes(); e.Kind != "none" || *e.Reason != "left" {
				t.Errorf("left: %+v", e)
			}
		}
		for _, c := range []struct {
			body   any
			status int
			code   string
			field  string
		}{
			{`{"rules":"tute"}`, http.StatusUnprocessableEntity, "invalid_rules", "preset"},
			{`{"rules":{"preset":"mesa","target":20}}`, http.StatusUnprocessableEntity, "invalid_rules", "rules"},
			{`{"stake":99}`, http.StatusBadRequest, "invalid_request", "stake"},
			{`{"stake":-1}`, http.StatusBadRequest, "invalid_request", "stake"},
			{`{"stake":1000}`, http.StatusConflict, "insufficient_coins", ""},
			{map[string]string{"partnerId": ana.id}, http.StatusBadRequest, "invalid_request", "partnerId"},
			{map[string]string{"partnerId": nobody}, http.StatusNotFound, "not_found", "partnerId"},
		} {
			a := w.send(ana.queue(c.body))
			if a.status != c.status || a.code() != c.code || a.field() != c.field {
				t.Errorf("%v: %d %s %q, want %d %s %q", c.body, a.status, a.code(), a.field(), c.status, c.code, c.field)
			}
		}
		w.invited(ana, ben)

		// Sent twice, it is one ticket.
		keyed := ana.queue(`{"stake":100}`)
		keyed.header = map[string]string{"Idempotency-Key": "one-ticket"}
		first, again := w.send(keyed), w.send(keyed)
		if first.status != http.StatusCreated || !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%d %s\n%d %s", first.status, first.body, again.status, again.body)
		}
		keyed.body = `{"stake":250}`
		w.expect(http.StatusConflict, "idempotency_conflict", keyed)
		ana.goes()

		w.owing(ben)
		var e rest.Economy
		w.send(request{method: "GET", path: "/v1/economy"}).into(t, &e)
		if !e.StakesOpen {
			t.Error("the staked tables are said to be closed")
		}
		w.lobby.NoStakes = true
		w.send(request{method: "GET", path: "/v1/economy"}).into(t, &e)
		if e.StakesOpen {
			t.Error("the staked tables are said to be open")
		}
		w.expect(http.StatusForbidden, "stakes_off", ana.queue(`{"stake":100}`))
		w.allSeen("queue")
	})
}

// invited: a friend says yes to a party.
func (w *world) invited(ana, ben friend) {
	w.t.Helper()
	invitations := func() rest.QueueInvitations {
		var all rest.QueueInvitations
		w.send(request{method: "GET", path: "/v1/queue/invitations", token: ben.token}).into(w.t, &all)
		return all
	}
	if got := invitations(); len(got.Invitations) != 0 {
		w.t.Errorf("nobody waits: %+v", got)
	}
	e := ana.enters(map[string]any{"partnerId": ben.id, "stake": 250})
	if *e.Ticket.Invited != ben.id || e.Ticket.BotsAt != nil {
		w.t.Errorf("%+v", e.Ticket)
	}
	if got := invitations().Invitations; len(got) != 1 || got[0].From.Name != "Ana" || got[0].Stake != 250 || got[0].Rules != "mesa" {
		w.t.Errorf("invited: %+v", got)
	}
	var page rest.NoticePage
	w.send(request{method: "GET", path: "/v1/notices", token: ben.token}).into(w.t, &page)
	if len(page.Notices) == 0 || page.Notices[0].Kind != "party_invite" || page.Notices[0].From.Name != "Ana" {
		w.t.Errorf("told %+v", page.Notices)
	}
	w.expect(http.StatusConflict, "party_differs", ben.queue(map[string]any{"partnerId": ana.id}))
	e = ben.enters(map[string]any{"partnerId": ana.id, "stake": 250})
	if len(e.Ticket.Members) != 2 || e.Ticket.Invited != nil || e.Ticket.Members[0].Name != "Ana" || *ana.engagement().ID != *e.ID {
		w.t.Errorf("a party: %+v", e.Ticket)
	}
	w.waits.Advance(0)
	e = ana.engagement()
	if e.Kind != "table" || *e.Reason != "seated" || e.Table == nil || len(e.Table.People) != 2 || e.Table.Stake != 250 || ana.coins() != 250 || ben.coins() != 250 {
		w.t.Errorf("at a table: %+v", e)
	}
	if e := ben.goes(); e.Kind != "none" || ben.coins() != 500 {
		w.t.Errorf("stood up: %+v", e)
	}
	if e := ana.engagement(); *e.Reason != "partner_left" || ana.coins() != 500 {
		w.t.Errorf("stood up with the partner: %+v", e)
	}
}

// owing: who owes coins does not play for coins.
func (w *world) owing(f friend) {
	w.t.Helper()
	debt, err := wallet.New("01890a5d-ac96-774b-bcce-b302099a8099", "taken back", wallet.KindClawback, time.Now(),
		wallet.Move(wallet.Debt(f.id), wallet.Sales, 100_000)...)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, _, err := w.store.Post(w.t.Context(), debt); err != nil {
		w.t.Fatal(err)
	}
	w.expect(http.StatusConflict, "in_debt", f.queue(`{"stake":100}`))
}

// Four people meet, play for coins, and the winners have the pot; then one of them
// plays with bots, which come when the wait is over.
func TestFromQueueToReward(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		var four []friend
		for _, name := range []string{"Ana", "Ben", "Carla", "Dora"} {
			f := w.friend(name)
			f.enters(`{"stake":250}`)
			four = append(four, f)
		}
		w.waits.Advance(0)
		for _, f := range four {
			if e := f.engagement(); e.Kind != "match" || *e.Reason != "started" || f.coins() != 250 {
				t.Fatalf("%s: %+v, %d coins", f.name, e, f.coins())
			}
		}
		id := *four[0].engagement().ID
		if v := w.view(four[0].token, id); *v.Mode != "staked" || *v.Stake != 250 {
			t.Errorf("the view has %v, %v", *v.Mode, *v.Stake)
		}
		over := w.playOut(id, four)
		for _, f := range four {
			won := *w.view(f.token, id).You%2 == *over.Winner
			want := map[bool]int64{true: 750, false: 250}[won]
			if e := f.engagement(); e.Kind != "none" || *e.Reason != "over" || f.coins() != want {
				t.Errorf("%s: %+v, %d coins, want %d", f.name, e, f.coins(), want)
			}
			f.enters(`{}`)
			ticket, err := w.store.Ticket(t.Context(), f.id)
			if err != nil || ticket.Points() > 1000 != won {
				t.Errorf("%s has %d points, %v", f.name, ticket.Points(), err)
			}
			f.goes()
		}
		w.clean()

		ana := four[0]
		e := ana.enters(`{}`)
		w.waits.Advance(29 * time.Second)
		if e := ana.engagement(); e.Kind != "ticket" {
			t.Fatalf("before the bots: %+v", e)
		}
		w.waits.Advance(e.Ticket.BotsAt.Sub(w.waits.Now()) + time.Second)
		e = ana.engagement()
		if e.Kind != "match" {
			t.Fatalf("with bots: %+v", e)
		}
		bots := 0
		for _, seat := range w.view(ana.token, *e.ID).Seats {
			if seat.Bot {
				bots++
			}
		}
		if bots != 3 {
			t.Errorf("%d seats are marked as bots'", bots)
		}
	})
}

// playOut plays a match to its end, everybody doing the first thing they may.
func (w *world) playOut(id string, people []friend) rest.View {
	w.t.Helper()
	for _, f := range people {
		w.seed(f.token, id)
	}
	for {
		for _, f := range people {
			v := w.view(f.token, id)
			if v.Phase == "over" {
				return v
			}
			if len(v.Legal) > 0 {
				if a := w.act(f.token, id, v.Seq, v.Legal[0]); a.status != http.StatusOK && a.code() != "stale_sequence" {
					w.t.Fatalf("%d: %s", a.status, a.body)
				}
			}
		}
	}
}

func (w *world) clean() {
	w.t.Helper()
	wrong, err := w.store.CheckLedger(w.t.Context(), 10)
	if err != nil || len(wrong) > 0 {
		w.t.Errorf("the ledger: %+v, %v", wrong, err)
	}
}
