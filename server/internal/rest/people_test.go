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
			if r.header = nil; r.body != nil {
				r.body = "{}"
			}
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
		w.friends(ana, ben)
		w.blocks(ana, ben)
		w.reports(ana, ben)
		w.notices(ana, ben)
		w.pushTokens(ana, ben)

		w.allSeen("people", "notices")
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
	before := w.me(ana)
	w.expect(http.StatusConflict, "name_too_soon", change(ana, `{"name":"Ana María","language":"ca"}`))
	w.expect(http.StatusConflict, "name_too_soon", change(ben, `{"name":"Benet"}`))
	if after := w.me(ana); after.Language != "es" || after.Name != "Ana" {
		w.t.Errorf("after a refusal: %+v", after)
	}
	if before.RenameableAt == nil || before.RenameableAt.Sub(before.CreatedAt) != 30*24*time.Hour {
		w.t.Errorf("signed up as %+v", before)
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

// friendship is what the other is to the token's player.
func (w *world) friendship(token, otherID string) rest.FriendshipState {
	w.t.Helper()
	var p rest.Profile
	w.send(request{method: "GET", path: "/v1/players/" + otherID, token: token}).into(w.t, &p)
	return p.Friendship
}

// list is who is on the list, by name.
func (w *world) list(token, path string) []string {
	w.t.Helper()
	var names []string
	for cursor := ""; ; {
		var page rest.FriendPage
		w.send(request{method: "GET", path: path + cursor, token: token}).into(w.t, &page)
		for _, f := range page.People {
			names = append(names, f.Player.Name)
		}
		if page.NextCursor == nil {
			return names
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func (w *world) friends(ana, ben string) {
	w.t.Helper()
	const requests = "/v1/friends/requests"
	w.refusals(ana,
		request{method: "GET", path: "/v1/friends"},
		request{method: "GET", path: requests},
		request{method: "POST", path: requests, body: "{}"},
		request{method: "POST", path: requests + "/" + nobody + "/accept"},
		request{method: "DELETE", path: requests + "/" + nobody},
		request{method: "DELETE", path: "/v1/friends/" + nobody},
	)
	for _, r := range []request{
		{method: "GET", path: "/v1/friends?limit=0"},
		{method: "GET", path: requests + "?direction=up"},
	} {
		r.token = ana
		w.expect(http.StatusBadRequest, "invalid_request", r)
	}
	for _, r := range []request{
		{method: "POST", path: requests, body: `{"playerId":"` + nobody + `"}`},
		{method: "POST", path: requests, body: `{"name":"Zoe"}`},
		{method: "POST", path: requests + "/" + nobody + "/accept"},
		{method: "DELETE", path: requests + "/" + nobody},
		{method: "DELETE", path: "/v1/friends/" + nobody},
	} {
		r.token = ana
		w.expect(http.StatusNotFound, "not_found", r)
	}
	for _, body := range w.requestExamples("requestFriend") {
		a := w.send(request{method: "POST", path: requests, token: ben, body: body})
		if a.status != http.StatusNotFound && a.code() != "invalid_request" { // nobody, and oneself
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	anaID, benID := w.me(ana).ID, w.me(ben).ID
	ask := func(token, body string) request {
		return request{method: "POST", path: requests, token: token, body: body}
	}
	accept := func(token, otherID string) request {
		return request{method: "POST", path: requests + "/" + otherID + "/accept", token: token}
	}
	w.expect(http.StatusBadRequest, "invalid_request", ask(ana, `{"playerId":"`+anaID+`"}`))
	w.expect(http.StatusBadRequest, "invalid_request", ask(ana, `{"playerId":"`+anaID+`","name":"Ana"}`))
	w.expect(http.StatusNotFound, "not_found", accept(ben, anaID))
	for range 2 {
		w.expect(http.StatusOK, "", ask(ana, `{"playerId":"`+benID+`"}`))
	}
	if a, b := w.friendship(ana, benID), w.friendship(ben, anaID); a != "requested" || b != "received" {
		w.t.Errorf("after a request: %s and %s", a, b)
	}
	if w.friendship(ana, anaID) != "self" {
		w.t.Error("not oneself")
	}
	if sent, got := w.list(ana, requests+"?direction=sent"), w.list(ben, requests+"?limit=1"); !slices.Equal(sent, []string{"Ana"}) || !slices.Equal(got, []string{"Ana María"}) {
		w.t.Errorf("sent to %v, received from %v", sent, got)
	}
	// The one who asked cannot say yes.
	w.expect(http.StatusNotFound, "not_found", accept(ana, benID))
	for range 2 {
		w.expect(http.StatusNoContent, "", accept(ben, anaID))
	}
	if a, b := w.friendship(ana, benID), w.friendship(ben, anaID); a != "friends" || b != "friends" {
		w.t.Errorf("after a yes: %s and %s", a, b)
	}
	for range 2 {
		w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/friends/" + anaID, token: ben})
	}
	// By name, declined; and then both ask.
	w.expect(http.StatusOK, "", ask(ana, `{"name":"ÁNA"}`))
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: requests + "/" + anaID, token: ben})
	w.expect(http.StatusOK, "", ask(ben, `{"playerId":"`+anaID+`"}`))
	w.expect(http.StatusOK, "", ask(ana, `{"playerId":"`+benID+`"}`))
	for _, name := range []string{"Dora", "Enric"} {
		other, _ := w.guest(name)
		w.expect(http.StatusOK, "", ask(ana, `{"name":"`+name+`"}`))
		w.expect(http.StatusNoContent, "", accept(other, anaID))
	}
	if got := w.list(ana, "/v1/friends?limit=2"); !slices.Equal(got, []string{"Ana", "Dora", "Enric"}) {
		w.t.Errorf("friends: %v", got)
	}
}

func (w *world) blocks(ana, ben string) {
	w.t.Helper()
	w.refusals(ana,
		request{method: "GET", path: "/v1/blocks"},
		request{method: "PUT", path: "/v1/blocks/" + nobody},
		request{method: "DELETE", path: "/v1/blocks/" + nobody},
	)
	w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/blocks?limit=101", token: ana})
	anaID, benID := w.me(ana).ID, w.me(ben).ID
	for _, method := range []string{"PUT", "DELETE"} {
		w.expect(http.StatusNotFound, "not_found", request{method: method, path: "/v1/blocks/" + nobody, token: ana})
		w.expect(http.StatusBadRequest, "invalid_request", request{method: method, path: "/v1/blocks/" + anaID, token: ana})
	}
	for range 2 {
		w.expect(http.StatusNoContent, "", request{method: "PUT", path: "/v1/blocks/" + benID, token: ana})
	}
	if got := w.list(ana, "/v1/blocks?limit=1"); !slices.Equal(got, []string{"Ana"}) {
		w.t.Errorf("blocked: %v", got)
	}
	// Neither sees the other, anywhere.
	for _, c := range []struct{ token, id, name string }{{ana, benID, "Ana"}, {ben, anaID, "Ana+Mar%C3%ADa"}} {
		w.expect(http.StatusNotFound, "not_found", request{method: "GET", path: "/v1/players/" + c.id, token: c.token})
		w.expect(http.StatusNotFound, "not_found", request{method: "POST", path: "/v1/friends/requests", token: c.token, body: `{"playerId":"` + c.id + `"}`})
		w.expect(http.StatusNotFound, "not_found", request{method: "POST", path: "/v1/friends/requests/" + c.id + "/accept", token: c.token})
		var list rest.PlayerList
		w.send(request{method: "GET", path: "/v1/players?name=" + c.name, token: c.token}).into(w.t, &list)
		if len(list.Players) != 0 {
			w.t.Errorf("found %v", list)
		}
		var page rest.NoticePage
		w.send(request{method: "GET", path: "/v1/notices?limit=100", token: c.token}).into(w.t, &page)
		for _, n := range page.Notices {
			if n.From != nil && n.From.ID == c.id {
				w.t.Errorf("a notice from %v", n.From)
			}
		}
		if friends := w.list(c.token, "/v1/friends?limit=100"); slices.Contains(friends, w.me(ben).Name) || slices.Contains(friends, w.me(ana).Name) {
			w.t.Errorf("friends: %v", friends)
		}
	}
	// The other's block is not one's own to take back, nor to see.
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/blocks/" + anaID, token: ben})
	if got := w.list(ben, "/v1/blocks?limit=1"); len(got) != 0 {
		w.t.Errorf("Ben has blocked %v", got)
	}
	w.expect(http.StatusNotFound, "not_found", request{method: "GET", path: "/v1/players/" + anaID, token: ben})
	for range 2 {
		w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/blocks/" + benID, token: ana})
	}
	if a, b := w.friendship(ana, benID), w.friendship(ben, anaID); a != "none" || b != "none" {
		w.t.Errorf("after the block: %s and %s", a, b)
	}
}

func (w *world) reports(ana, ben string) {
	w.t.Helper()
	report := func(body string) request {
		return request{method: "POST", path: "/v1/reports", token: ana, body: body}
	}
	r := report("{}")
	r.token = ""
	w.refusals(ana, r)
	benID := w.me(ben).ID
	w.expect(http.StatusNotFound, "not_found", report(`{"playerId":"`+nobody+`","reason":"name"}`))
	w.expect(http.StatusBadRequest, "invalid_request", report(`{"playerId":"`+w.me(ana).ID+`","reason":"name"}`))
	w.expect(http.StatusBadRequest, "invalid_request", report(`{"playerId":"`+benID+`","reason":"name","matchId":"`+nobody+`"}`))
	w.expect(http.StatusBadRequest, "invalid_request", report(`{"playerId":"`+benID+`","reason":"name","text":"`+strings.Repeat("x", 501)+`"}`))
	for _, body := range w.requestExamples("report") {
		w.expect(http.StatusNotFound, "not_found", report(string(body)))
	}
	var first, again, other rest.Report
	w.send(report(`{"playerId":"`+benID+`","reason":"name","text":"`+strings.Repeat("ñ", 500)+`"}`)).into(w.t, &first)
	w.send(report(`{"playerId":"`+benID+`","reason":"name"}`)).into(w.t, &again)
	w.send(report(`{"playerId":"`+benID+`","reason":"other"}`)).into(w.t, &other)
	if first != again || first.ID == other.ID || first.ID == "" {
		w.t.Errorf("reports %v, %v and %v", first, again, other)
	}
}

func (w *world) notices(ana, ben string) {
	w.t.Helper()
	w.refusals(ana,
		request{method: "GET", path: "/v1/notices"},
		request{method: "POST", path: "/v1/notices/read", body: "{}"},
	)
	for _, bad := range []string{"limit=0", "cursor=x", "cursor=-1"} {
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/notices?" + bad, token: ana})
	}
	page := func(token, query string) (p rest.NoticePage) {
		w.t.Helper()
		w.send(request{method: "GET", path: "/v1/notices?" + query, token: token}).into(w.t, &p)
		return p
	}
	kinds := func(p rest.NoticePage) (kinds []string) {
		for _, n := range p.Notices {
			from := ""
			if n.From != nil {
				from = n.From.Name
			}
			kinds = append(kinds, string(n.Kind)+" "+from)
		}
		return kinds
	}
	// What friends has done, newest first.
	all := page(ana, "limit=100")
	if got := kinds(all); !slices.Equal(got, []string{"friend_accepted Enric", "friend_accepted Dora", "friend_request Ana", "friend_accepted Ana"}) ||
		all.Unread != 4 || all.Last != 4 || all.NextCursor != nil {
		w.t.Errorf("Ana's notices: %v, %+v", got, all)
	}
	// Ana has asked twice in a day, and Ben was told once.
	if got := kinds(page(ben, "")); !slices.Equal(got, []string{"friend_accepted Ana María", "friend_request Ana María"}) {
		w.t.Errorf("Ben's notices: %v", got)
	}
	first := page(ana, "limit=3")
	if first.NextCursor == nil {
		w.t.Fatalf("no second page behind %+v", first)
	}
	if second := page(ana, "limit=3&cursor="+*first.NextCursor); len(second.Notices) != 1 || second.Notices[0].Seq != 1 || second.NextCursor != nil {
		w.t.Errorf("second page: %+v", second)
	}
	for _, body := range w.requestExamples("readNotices") {
		w.expect(http.StatusOK, "", request{method: "POST", path: "/v1/notices/read", token: ben, body: body})
	}
	for _, c := range []struct{ upTo, unread string }{{"3", "1"}, {"1", "1"}, {"2147483647", "0"}} {
		a := w.send(request{method: "POST", path: "/v1/notices/read", token: ana, body: `{"upTo":` + c.upTo + `}`})
		if want := `{"last":4,"unread":` + c.unread + `}`; strings.TrimSpace(string(a.body)) != want {
			w.t.Errorf("read up to %s: %s", c.upTo, a.body)
		}
	}
	if err := w.house.Send(w.t.Context(), w.me(ana).ID, map[string]string{"es": "hola", "ca": "hola", "en": "hello"}); err != nil {
		w.t.Fatal(err)
	}
	p := page(ana, "limit=1")
	if n := p.Notices[0]; p.Unread != 1 || n.Kind != "system" || n.Read || n.From != nil || (*n.Text)["en"] != "hello" {
		w.t.Errorf("the house says %+v", p)
	}
	if !page(ana, "limit=2").Notices[1].Read {
		w.t.Error("a notice that was read is not")
	}
}

func (w *world) pushTokens(ana, ben string) {
	w.t.Helper()
	put := request{method: "PUT", path: "/v1/me/push-tokens", body: "{}"}
	drop := func(token, id string) request {
		return request{method: "DELETE", path: "/v1/me/push-tokens/" + id, token: token}
	}
	w.refusals(ana, put, drop("", nobody))
	register := func(token string, body any) (p rest.PushToken) {
		w.t.Helper()
		put.token, put.body = token, body
		w.expect(http.StatusOK, "", put)
		w.send(put).into(w.t, &p)
		return p
	}
	devices := func(token string) int {
		w.t.Helper()
		d, _, err := w.store.Devices(w.t.Context(), w.me(token).ID)
		if err != nil {
			w.t.Fatal(err)
		}
		return len(d)
	}
	var anas, bens rest.PushToken
	for _, body := range w.requestExamples("putPushToken") {
		anas = register(ana, string(body))
		bens = register(ben, string(body))
	}
	if anas.ID == bens.ID || devices(ana) != 0 || devices(ben) != 1 {
		w.t.Errorf("%+v then %+v", anas, bens)
	}
	w.expect(http.StatusNoContent, "", drop(ana, bens.ID))
	if devices(ben) != 1 {
		w.t.Error("somebody else's device was dropped")
	}
	for range 2 {
		w.expect(http.StatusNoContent, "", drop(ben, bens.ID))
	}
	if devices(ben) != 0 {
		w.t.Error("a dropped device is still there")
	}
	// Nothing is pushed any more to where somebody has signed out.
	register(ana, `{"token":"a","platform":"web"}`)
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/sessions", token: ana})
	if d, _, err := w.store.Devices(w.t.Context(), w.idOf(ben, "Ana+Maria")); err != nil || len(d) != 0 {
		w.t.Errorf("after signing out: %v, %v", d, err)
	}
}

// idOf is the player that a name finds.
func (w *world) idOf(token, name string) string {
	w.t.Helper()
	var list rest.PlayerList
	w.send(request{method: "GET", path: "/v1/players?name=" + name, token: token}).into(w.t, &list)
	if len(list.Players) != 1 {
		w.t.Fatalf("%s finds %v", name, list)
	}
	return list.Players[0].ID
}
