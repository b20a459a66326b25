package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
)

// friend is a player and what it does in rooms.
type friend struct {
	w         *world
	token, id string
	name      string
}

func (w *world) friend(name string) friend {
	w.t.Helper()
	token, _ := w.guest(name)
	return friend{w, token, w.me(token).ID, name}
}

func (f friend) request(method, path string, body any) request {
	return request{method: method, path: "/v1/rooms" + path, token: f.token, body: body}
}

// does sends what has to succeed, and returns the room behind it.
func (f friend) does(method, path string, body any) rest.Room {
	f.w.t.Helper()
	a := f.w.send(f.request(method, path, body))
	if a.status/100 != 2 {
		f.w.t.Fatalf("%s: %s %s: %d %s", f.name, method, path, a.status, a.body)
	}
	var r rest.Room
	if len(a.body) > 0 {
		a.into(f.w.t, &r)
	}
	return r
}

func (f friend) refused(status int, code, method, path string, body any) {
	f.w.t.Helper()
	f.w.expect(status, code, f.request(method, path, body))
}

func (f friend) open() rest.Room { f.w.t.Helper(); return f.does("POST", "", `{"rules":"mesa"}`) }

func (f friend) join(r rest.Room) rest.Room {
	f.w.t.Helper()
	return f.does("POST", "/join", map[string]string{"code": r.Code})
}

func (f friend) leave(r rest.Room) {
	f.w.t.Helper()
	f.does("DELETE", "/"+r.ID+"/members/"+f.id, nil)
}

func (f friend) engagement() rest.Engagement {
	f.w.t.Helper()
	var e rest.Engagement
	f.w.send(request{method: "GET", path: "/v1/me/engagement", token: f.token}).into(f.w.t, &e)
	return e
}

// seats is who sits where, with ! behind whoever is ready.
func seats(r rest.Room) string {
	var out []string
	for _, s := range r.Seats {
		text := string(s.Taken)
		if s.Player != nil {
			text = s.Player.Name
		}
		if s.Level != nil {
			text = string(*s.Level)
		}
		if s.Ready {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (w *world) sits(r rest.Room, want string) {
	w.t.Helper()
	if got := seats(r); got != want {
		w.t.Errorf("in the room: %s, want %s", got, want)
	}
}

// Every answer that the contract has for rooms is one that the server gives.
func TestRoomsContract(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, kind)
			ana, ben, carla := w.friend("Ana"), w.friend("Ben"), w.friend("Carla")
			w.roomRefusals(ana)
			w.makingRooms(ana)
			w.joiningRooms(ana, ben, carla)
			w.seating(ana, ben, carla)
			w.starting(ana, ben, carla)
			w.inviting(ana, ben, carla)
			w.allSeen("rooms")
		})
	}
}

func (w *world) roomRefusals(ana friend) {
	w.t.Helper()
	at := "/v1/rooms/" + nobody
	w.refusals(
		ana.token,
		request{method: "POST", path: "/v1/rooms", body: "{}"},
		request{method: "POST", path: "/v1/rooms/join", body: "{}"},
		request{method: "GET", path: at},
		request{method: "PATCH", path: at, body: "{}"},
		request{method: "PUT", path: at + "/seats/0", body: "{}"},
		request{method: "PUT", path: at + "/ready", body: "{}"},
		request{method: "POST", path: at + "/start"},
		request{method: "POST", path: at + "/invites", body: "{}"},
		request{method: "DELETE", path: at + "/members/" + nobody},
	)
	for _, r := range []request{
		ana.request("GET", "/"+nobody, nil),
		ana.request("PATCH", "/"+nobody, `{"turnSeconds":30}`),
		ana.request("PUT", "/"+nobody+"/seats/0", `{"who":"me"}`),
		ana.request("PUT", "/"+nobody+"/ready", `{"ready":true}`),
		ana.request("POST", "/"+nobody+"/start", nil),
		ana.request("POST", "/"+nobody+"/invites", `{"name":"Ben"}`),
		ana.request("DELETE", "/"+nobody+"/members/"+ana.id, nil),
		ana.request("DELETE", "/"+nobody+"/members/"+nobody, nil),
		ana.request("POST", "/join", `{"code":"222222"}`),
	} {
		w.expect(http.StatusNotFound, "not_found", r)
	}
}

func (w *world) makingRooms(ana friend) {
	w.t.Helper()
	for _, body := range w.requestExamples("createRoom") {
		r := ana.does("POST", "", body)
		if e := ana.engagement(); e.Kind != "room" || *e.ID != r.ID || e.Room == nil || e.Room.Code != r.Code || len(r.Code) != 6 {
			w.t.Errorf("in the room %+v: %+v", r, e)
		}
		ana.refused(http.StatusConflict, "engaged", "POST", "", body)
		ana.leave(r)
	}
	for body, field := range map[string]string{
		`{"rules":"tute"}`:                              "preset",
		`{"rules":{"preset":"mesa","target":12}}`:       "target",
		`{"rules":{"preset":"liga","target":20}}`:       "target", // points
		`{"rules":{"preset":"mesa","bonusAbove":9999}}`: "bonusAbove",
		`{"rules":{"preset":"mesa","jokers":2}}`:        "jokers",
	} {
		if a := w.send(ana.request("POST", "", body)); a.status != http.StatusUnprocessableEntity || a.code() != "invalid_rules" || a.field() != field {
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	for body, field := range map[string]string{`{"rules":"mesa","turnSeconds":4}`: "turnSeconds", `{"rules":"mesa","botPauseMs":5001}`: "botPauseMs", `{}`: "rules"} {
		if a := w.send(ana.request("POST", "", body)); a.status != http.StatusBadRequest || a.field() != field {
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	for _, body := range []string{`{"rules":{"preset":"mesa","target":20}}`, `{"rules":{"preset":"mesa-quintola"}}`, `{"rules":{"preset":"clasica","target":3}}`, `{"rules":{"preset":"clasica","end":"hands"}}`} {
		ana.leave(ana.does("POST", "", body))
	}
	// Sent twice, it is one room.
	keyed := ana.request("POST", "", `{"rules":"liga","turnSeconds":60}`)
	keyed.header = map[string]string{"Idempotency-Key": "one-room"}
	first, again := w.send(keyed), w.send(keyed)
	if first.status != http.StatusCreated || again.status != http.StatusCreated || !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		w.t.Errorf("%d %s\n%d %s", first.status, first.body, again.status, again.body)
	}
	keyed.body = `{"rules":"liga"}`
	w.expect(http.StatusConflict, "idempotency_conflict", keyed)
	var r rest.Room
	first.into(w.t, &r)
	if got := ana.does("GET", "/"+r.ID, nil); seats(got) != seats(r) || got.Version != r.Version || string(got.Rules) != `"liga"` || got.TurnSeconds != 60 {
		w.t.Errorf("got %+v, made %+v", got, r)
	}
	ana.leave(r)
}

func (w *world) joiningRooms(ana, ben, carla friend) {
	w.t.Helper()
	r := ana.open()
	ben.refused(http.StatusNotFound, "not_found", "GET", "/"+r.ID, nil)
	for _, body := range w.requestExamples("joinRoom") {
		ben.refused(http.StatusNotFound, "not_found", "POST", "/join", body)
	}
	r = ben.does("POST", "/join", map[string]string{"code": " " + strings.ToLower(r.Code[:3]) + "-" + r.Code[3:]})
	w.sits(r, "Ana Ben open open")
	w.sits(ben.join(r), "Ana Ben open open")
	ben.refused(http.StatusConflict, "engaged", "POST", "", `{"rules":"mesa"}`)
	// A block hides the room from whoever is blocked, and tells whoever blocks.
	w.expect(http.StatusNoContent, "", request{method: "PUT", path: "/v1/blocks/" + carla.id, token: ben.token})
	carla.refused(http.StatusNotFound, "not_found", "POST", "/join", map[string]string{"code": r.Code})
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/blocks/" + carla.id, token: ben.token})
	w.expect(http.StatusNoContent, "", request{method: "PUT", path: "/v1/blocks/" + ben.id, token: carla.token})
	carla.refused(http.StatusConflict, "players_apart", "POST", "/join", map[string]string{"code": r.Code})
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/blocks/" + ben.id, token: carla.token})

	mine := carla.open()
	carla.refused(http.StatusConflict, "engaged", "POST", "/join", map[string]string{"code": r.Code})
	carla.leave(mine)

	ana.does("PUT", "/"+r.ID+"/seats/2", `{"who":"bot"}`)
	ana.does("PUT", "/"+r.ID+"/seats/3", `{"who":"bot"}`)
	carla.refused(http.StatusConflict, "room_full", "POST", "/join", map[string]string{"code": r.Code})
	ana.does("PUT", "/"+r.ID+"/seats/3", `{"who":"nobody"}`)
	carla.join(r)
	carla.refused(http.StatusForbidden, "not_owner", "DELETE", "/"+r.ID+"/members/"+ben.id, nil)
	ana.does("DELETE", "/"+r.ID+"/members/"+carla.id, nil)
	if e := carla.engagement(); e.Kind != "none" || *e.Reason != "kicked" {
		w.t.Errorf("put out: %+v", e)
	}
	carla.refused(http.StatusForbidden, "kicked", "POST", "/join", map[string]string{"code": r.Code})

	// The owner goes, and then the last.
	ana.leave(r)
	if got := ben.does("GET", "/"+r.ID, nil); got.Owner != ben.id {
		w.t.Errorf("left to %+v", got)
	}
	// Nobody does anything, and the room is gone.
	w.pass(room.IdleTime)
	if err := w.rooms.Sweep(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if e := ben.engagement(); e.Kind != "none" || *e.Reason != "expired" {
		w.t.Errorf("expired: %+v", e)
	}
	ana.refused(http.StatusNotFound, "not_found", "POST", "/join", map[string]string{"code": r.Code})
}

func (w *world) seating(ana, ben, carla friend) {
	w.t.Helper()
	r := ana.open()
	ben.join(r)
	carla.join(r)
	seat := func(n int) string { return fmt.Sprintf("/%s/seats/%d", r.ID, n) }
	for _, body := range w.requestExamples("changeSeat") { // in any order
		if a := w.send(ana.request("PUT", seat(3), body)); a.status != http.StatusOK && a.code() != "seat_taken" {
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	for n, f := range []friend{ana, ben, carla} {
		r = f.does("GET", "/"+r.ID, nil)
		for from, s := range r.Seats {
			if s.Player != nil && s.Player.ID == f.id {
				ana.does("PUT", seat(n), fmt.Sprintf(`{"who":"seat","from":%d}`, from))
			}
		}
	}
	w.sits(ana.does("PUT", seat(3), `{"who":"bot"}`), "Ana Ben Carla tabernero")
	for _, level := range bot.Levels() {
		w.sits(ana.does("PUT", seat(3), fmt.Sprintf(`{"who":"bot","level":%q}`, level)), "Ana Ben Carla "+level.String())
	}
	ana.refused(http.StatusBadRequest, "invalid_request", "PUT", seat(3), `{"who":"bot","level":"?"}`)
	w.sits(carla.does("PUT", seat(3), `{"who":"me"}`), "Ana Ben maestro Carla")
	r = ana.does("PUT", seat(2), `{"who":"nobody"}`)
	w.sits(r, "Ana Ben open Carla")
	ben.refused(http.StatusConflict, "seat_taken", "PUT", seat(0), `{"who":"me"}`)
	ana.refused(http.StatusConflict, "seat_taken", "PUT", seat(1), `{"who":"bot"}`)
	ben.refused(http.StatusForbidden, "not_owner", "PUT", seat(2), `{"who":"bot"}`)
	ana.refused(http.StatusBadRequest, "invalid_request", "PUT", seat(4), `{"who":"me"}`)
	// What would count for nothing is refused, and nobody has moved.
	for body, field := range map[string]string{
		`{"who":"me","level":"maestro"}`:            "level",
		`{"who":"nobody","level":"maestro"}`:        "level",
		`{"who":"seat","from":3,"level":"maestro"}`: "level",
		`{"who":"me","from":3}`:                     "from",
		`{"who":"nobody","from":3}`:                 "from",
		`{"who":"bot","from":3}`:                    "from",
		`{"who":"seat"}`:                            "from",
	} {
		if a := w.send(ana.request("PUT", seat(2), body)); a.status != http.StatusBadRequest || a.code() != "invalid_request" || a.field() != field {
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	w.sits(ana.does("GET", "/"+r.ID, nil), "Ana Ben open Carla")
	for _, body := range w.requestExamples("setReady") {
		r = ben.does("PUT", "/"+r.ID+"/ready", body)
	}
	w.sits(r, "Ana Ben! open Carla")
	for _, body := range w.requestExamples("changeRoom") {
		r = ana.does("PATCH", "/"+r.ID, body)
	}
	w.sits(r, "Ana Ben open Carla")
	if string(r.Rules) != `{"preset":"mesa","target":20}` || r.TurnSeconds != 45 || r.BotPauseMs != 800 {
		w.t.Errorf("changed to %+v", r)
	}
	ben.refused(http.StatusForbidden, "not_owner", "PATCH", "/"+r.ID, `{"turnSeconds":45}`)
	ana.refused(http.StatusUnprocessableEntity, "invalid_rules", "PATCH", "/"+r.ID, `{"rules":{"preset":"mesa","target":21}}`)
	for _, f := range []friend{ana, ben, carla} {
		f.leave(r)
	}
}

func (w *world) starting(ana, ben, carla friend) {
	w.t.Helper()
	r := ana.does("POST", "", `{"rules":{"preset":"clasica","target":3},"botPauseMs":0}`)
	start := "/" + r.ID + "/start"
	ana.refused(http.StatusConflict, "seats_open", "POST", start, nil)
	for n := 1; n < 4; n++ {
		ana.does("PUT", fmt.Sprintf("/%s/seats/%d", r.ID, n), `{"who":"bot","level":"tabernero"}`)
	}
	ana.refused(http.StatusConflict, "room_alone", "POST", start, nil)
	ana.does("PUT", "/"+r.ID+"/seats/2", `{"who":"nobody"}`)
	w.sits(ben.join(r), "Ana tabernero Ben tabernero")
	ana.refused(http.StatusConflict, "not_ready", "POST", start, nil)
	ben.does("PUT", "/"+r.ID+"/ready", `{"ready":true}`)
	ben.refused(http.StatusForbidden, "not_owner", "POST", start, nil)
	w.expect(http.StatusNoContent, "", request{method: "PUT", path: "/v1/blocks/" + ben.id, token: ana.token})
	ana.refused(http.StatusConflict, "players_apart", "POST", start, nil)
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/blocks/" + ben.id, token: ana.token})
	bad := ana.request("POST", start, nil)
	bad.header = map[string]string{"Idempotency-Key": "a b"}
	w.expect(http.StatusBadRequest, "invalid_request", bad)

	keyed := ana.request("POST", start, nil)
	keyed.header = map[string]string{"Idempotency-Key": "start-1"}
	first, again := w.send(keyed), w.send(keyed)
	if first.status != http.StatusOK || !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		w.t.Fatalf("%d %s\n%d %s", first.status, first.body, again.status, again.body)
	}
	var begun rest.RoomMatch
	first.into(w.t, &begun)
	r = ben.does("GET", "/"+r.ID, nil)
	if r.MatchID == nil || *r.MatchID != begun.MatchID || r.ExpiresAt != nil {
		w.t.Fatalf("begun: %+v", r)
	}
	for _, f := range []friend{ana, ben} {
		if e := f.engagement(); e.Kind != "match" || *e.ID != *r.MatchID || *e.Reason != "started" || e.Room != nil {
			w.t.Errorf("%s is %+v", f.name, e)
		}
	}
	other := "/" + r.ID
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"PATCH", other, `{"turnSeconds":30}`},
		{"PUT", other + "/seats/1", `{"who":"me"}`},
		{"PUT", other + "/ready", `{"ready":true}`},
		{"POST", start, nil},
		{"POST", other + "/invites", `{"name":"Carla"}`},
		{"DELETE", other + "/members/" + ana.id, nil},
	} {
		ana.refused(http.StatusConflict, "room_playing", c.method, c.path, c.body)
	}
	carla.refused(http.StatusConflict, "room_playing", "POST", "/join", map[string]string{"code": r.Code})
	ana.does("GET", other, nil)

	w.playRoom(r, ana, ben)
	for _, f := range []friend{ana, ben} {
		if e := f.engagement(); e.Kind != "room" || *e.Reason != "over" || e.Room == nil || e.Room.MatchID != nil {
			w.t.Errorf("%s is back in %+v", f.name, e)
		}
	}
	keyed.header["Idempotency-Key"] = "one-room" // which made a room
	w.expect(http.StatusConflict, "idempotency_conflict", keyed)
	// Another: everybody is asked anew.
	ana.refused(http.StatusConflict, "not_ready", "POST", start, nil)
	ben.does("PUT", "/"+r.ID+"/ready", `{"ready":true}`)
	w.playRoom(ana.does("POST", start, nil), ana, ben)
	ana.leave(r)
	ben.leave(r)
}

// playRoom plays the room's match to its end.
func (w *world) playRoom(r rest.Room, friends ...friend) rest.View {
	w.t.Helper()
	for _, f := range friends {
		w.seed(f.token, *r.MatchID)
	}
	for {
		for _, f := range friends {
			v := w.view(f.token, *r.MatchID)
			if v.Phase == "over" {
				return v
			}
			if len(v.Legal) > 0 {
				w.act(f.token, *r.MatchID, v.Seq, v.Legal[0])
			}
		}
	}
}

func (w *world) inviting(ana, ben, carla friend) {
	w.t.Helper()
	r := ana.open()
	invites := "/" + r.ID + "/invites"
	for _, body := range w.requestExamples("inviteToRoom") {
		if a := w.send(ana.request("POST", invites, body)); a.status != http.StatusOK && a.code() != "not_found" { // the first is nobody
			w.t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	ana.refused(http.StatusBadRequest, "invalid_request", "POST", invites, `{"playerId":"`+ana.id+`"}`)
	var page rest.NoticePage
	w.send(request{method: "GET", path: "/v1/notices?limit=1", token: ben.token}).into(w.t, &page)
	if len(page.Notices) != 1 || page.Notices[0].Kind != "room_invite" || page.Notices[0].From.Name != "Ana" || page.Notices[0].Room == nil || page.Notices[0].Room.Code != r.Code {
		w.t.Fatalf("told %+v", page.Notices)
	}
	ben.does("POST", "/join", map[string]string{"code": page.Notices[0].Room.Code})
	ben.refused(http.StatusForbidden, "not_owner", "POST", invites, `{"name":"Carla"}`)
	ana.leave(r)
	r = ana.open()
	a := w.send(ana.request("POST", "/"+r.ID+"/invites", `{"name":"Ben"}`))
	if a.status != http.StatusTooManyRequests || a.code() != "rate_limited" || a.header.Get("Retry-After") == "" {
		w.t.Errorf("to another room at once: %d %s", a.status, a.body)
	}
	w.expect(http.StatusOK, "", ana.request("POST", "/"+r.ID+"/invites", `{"playerId":"`+carla.id+`"}`))
}

// Whoever guesses codes has to wait longer and longer; a right one is let in.
func TestRoomCodesAreNotGuessed(t *testing.T) {
	w := newWorld(t, store.SQLite)
	ana, ben := w.friend("Ana"), w.friend("Ben")
	r := ana.open()
	guess := func(code string) answer { return w.send(ben.request("POST", "/join", map[string]string{"code": code})) }
	for i := range 5 {
		if a := guess(fmt.Sprintf("22222%d", i+2)); a.status != http.StatusNotFound {
			t.Fatalf("%d: %s", a.status, a.body)
		}
	}
	if a := guess(r.Code); a.status != http.StatusTooManyRequests || a.code() != "rate_limited" || a.header.Get("Retry-After") == "" || strings.Contains(string(a.body), "password") {
		t.Errorf("the sixth: %d %s", a.status, a.body)
	}
	w.tries.move(time.Minute)
	if a := guess(r.Code); a.status != http.StatusOK {
		t.Errorf("later: %d %s", a.status, a.body)
	}
	// Passwords are counted apart.
	a := w.send(request{method: "POST", path: "/v1/sessions", body: `{"email":"nobody@example.org","password":"wrong horse"}`})
	if a.code() != "invalid_credentials" {
		t.Errorf("a password: %d %s", a.status, a.body)
	}
}

// A match with friends pays its winners half of what one online pays, up to so much
// a day, and the others nothing.
func TestFriendsRewards(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, kind)
			capped := bytes.Replace(economy.Default(), []byte(`"dailyCap": 300`), []byte(`"dailyCap": 40`), 1)
			if _, err := w.economies.Publish(t.Context(), capped, 1, time.Time{}, "eva", "a low cap"); err != nil {
				t.Fatal(err)
			}
			ana, ben := w.friend("Ana"), w.friend("Ben")
			r := ana.does("POST", "", `{"rules":{"preset":"clasica","target":3},"botPauseMs":0}`)
			ben.join(r)
			for n := 2; n < 4; n++ {
				ana.does("PUT", fmt.Sprintf("/%s/seats/%d", r.ID, n), `{"who":"bot"}`)
			}
			purse := func(f friend) (p rest.Purse) {
				w.send(request{method: "GET", path: "/v1/wallet", token: f.token}).into(t, &p)
				return p
			}
			coins, won := map[string]int64{ana.id: purse(ana).Coins, ben.id: purse(ben).Coins}, map[string]int{}
			for won[ana.id] < 3 && won[ben.id] < 3 {
				ben.does("PUT", "/"+r.ID+"/ready", `{"ready":true}`)
				over := w.playRoom(ana.does("POST", "/"+r.ID+"/start", nil), ana, ben)
				for seat, f := range []friend{ana, ben} { // opponents
					if *over.Winner == seat {
						won[f.id]++
					}
					want := coins[f.id] + []int64{0, 30, 40, 40}[won[f.id]]
					if got := purse(f).Coins; got != want {
						t.Errorf("%s has won %d times: %d coins, want %d", f.name, won[f.id], got, want)
					}
				}
			}
		})
	}
}
