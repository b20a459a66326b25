package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

const nobody = "00000000-0000-7000-8000-000000000000"

// me is who the token says one is.
func (w *world) me(token string) rest.Player {
	w.t.Helper()
	var p rest.Player
	w.send(request{method: "GET", path: "/v1/me", token: token}).into(w.t, &p)
	return p
}

// refusals are the answers that every operation with a body, an access token or a
// player in its path gives alike.
func (w *world) refusals(token string, requests ...request) {
	w.t.Helper()
	expired, err := w.tokens.Issue(account.Caller{PlayerID: nobody, SessionID: nobody}, time.Now().Add(-2*time.Hour))
	if err != nil {
		w.t.Fatal(err)
	}
	out := w.signedOut()
	for _, r := range requests {
		w.expect(http.StatusUnauthorized, "unauthenticated", r)
		late := r
		late.token = expired.Access
		w.expect(http.StatusUnauthorized, "token_expired", late)
		late.token = out
		w.expect(http.StatusUnauthorized, "session_ended", late)
		r.token = token
		if r.body != nil {
			r.body = `{"surplus":1}`
			w.expect(http.StatusBadRequest, "invalid_request", r)
			w.tooLarge(r)
			r.body = "{}"
			r.header = map[string]string{"Content-Type": "text/plain"}
			w.expect(http.StatusUnsupportedMediaType, "unsupported_media", r)
			r.header = map[string]string{"Content-Encoding": "gzip"}
			w.expect(http.StatusUnsupportedMediaType, "unsupported_encoding", r)
		}
		if strings.Contains(r.path, nobody) {
			r.path = strings.Replace(r.path, nobody, "x", 1)
			r.header, r.body = nil, nil
			w.expect(http.StatusBadRequest, "invalid_request", r)
		}
	}
}

// Every answer that the contract has for people is one that the server gives.
func TestPeopleContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		ana, _ := w.guest("Ana")
		ben, _ := w.guest("Ben")

		w.names(ana, ben)
		w.profiles(ana, ben)

		w.allSeen("people")
	})
}

func (w *world) names(ana, ben string) {
	w.t.Helper()
	change := func(token, body string) request {
		return request{method: "PATCH", path: "/v1/me", token: token, body: body}
	}
	w.refusals(ana, change("", "{}"))
	w.expect(http.StatusBadRequest, "invalid_request", change(ana, "{}"))
	w.expect(http.StatusBadRequest, "invalid_request", change(ana, `{"language":"fr"}`))
	w.expect(http.StatusConflict, "name_too_soon", change(ana, `{"name":"Ana María","avatar":"CB"}`))
	w.expect(http.StatusConflict, "name_too_soon", change(ben, `{"name":"Benet"}`))
	before := w.me(ana)
	if before.Avatar == "CB" || before.RenameableAt == nil || before.RenameableAt.Sub(before.CreatedAt) != 30*24*time.Hour {
		w.t.Errorf("after a refusal: %+v", before)
	}
	w.pass(30 * 24 * time.Hour)
	w.expect(http.StatusConflict, "name_taken", change(ben, `{"name":"АNA"}`))
	w.expect(http.StatusUnprocessableEntity, "name_reserved", change(ben, `{"name":"support"}`))
	for _, body := range w.requestExamples("changeMe") {
		w.expect(http.StatusOK, "", change(ana, string(body)))
	}
	after := w.me(ana)
	if after.ID != before.ID || after.Name != "Ana María" || after.Avatar != "RE" || after.Language != "en" {
		w.t.Errorf("changed to %+v", after)
	}
	// The old name is free, the own one is no change.
	w.expect(http.StatusOK, "", change(ana, `{"name":"Ana María"}`))
	w.expect(http.StatusOK, "", change(ben, `{"name":"Ana"}`))

	// A made-up name is changed when one likes, once.
	var g rest.Guest
	w.send(request{method: "POST", path: "/v1/guests", body: "{}"}).into(w.t, &g)
	if g.Player.RenameableAt != nil || g.Player.Language != "es" {
		w.t.Errorf("signed up as %+v", g.Player)
	}
	w.expect(http.StatusOK, "", change(g.AccessToken, `{"name":"Carla"}`))
	w.expect(http.StatusConflict, "name_too_soon", change(g.AccessToken, `{"name":"Carlota"}`))
}

func (w *world) profiles(ana, ben string) {
	w.t.Helper()
	w.refusals(ana, request{method: "GET", path: "/v1/players/" + nobody}, request{method: "GET", path: "/v1/players?name=x"})
	w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/players", token: ana})
	w.expect(http.StatusNotFound, "not_found", request{method: "GET", path: "/v1/players/" + nobody, token: ana})

	var list rest.PlayerList
	w.send(request{method: "GET", path: "/v1/players?name=%C3%A1na-maria", token: ben}).into(w.t, &list)
	if len(list.Players) != 1 || list.Players[0].Name != "Ana María" {
		w.t.Errorf("found %+v", list)
	}
	w.send(request{method: "GET", path: "/v1/players?name=--", token: ben}).into(w.t, &list)
	if len(list.Players) != 0 {
		w.t.Errorf("found %+v", list)
	}

	// What is played is counted, by preset whatever the length, and house rules apart.
	wins, hands := 0, 0
	for _, rules := range []any{map[string]any{"preset": "liga", "target": 3}, "liga", map[string]any{"preset": "liga", "maxCantes": nil, "target": 1}} {
		v := w.newMatch(ana, rules)
		w.seed(ana, v.MatchID)
		over := w.playUntil(ana, v.MatchID, func(v rest.View) bool { return v.Phase == "over" })
		if _, preset := rules.(string); (preset || rules.(map[string]any)["target"] == 3) && *over.Winner == 0 {
			wins++
		}
		if _, preset := rules.(string); preset || rules.(map[string]any)["target"] == 3 {
			hands += over.Hand
		}
	}
	var p rest.Profile
	w.send(request{method: "GET", path: "/v1/players/" + w.me(ana).ID, token: ben}).into(w.t, &p)
	if len(p.Statistics) != 2 || p.Level != 1 {
		w.t.Fatalf("profile: %+v", p)
	}
	liga, house := p.Statistics[0], p.Statistics[1]
	if liga.Rules != "liga" || liga.Played != 2 || liga.Won != wins || liga.Hands != hands || house.Rules != "house" || house.Played != 1 {
		w.t.Errorf("%d of 2 won, %d hands, counted %+v", wins, hands, p.Statistics)
	}
	if slices.ContainsFunc(p.Statistics, func(s rest.Statistics) bool { return s.HandsWon > s.Hands || s.BidsMade+s.BidsLost > s.Hands }) {
		w.t.Errorf("counted %+v", p.Statistics)
	}
}
