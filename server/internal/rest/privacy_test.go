package rest_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const grace = 14 * 24 * time.Hour

// Every answer that the contract has about one's rights is one that the server gives.
func TestPrivacyContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ana, secret := w.guest("Ana")
		ask := func(method, path, token string) request { return request{method: method, path: path, token: token} }
		for _, r := range []request{
			ask("DELETE", "/v1/me", ""), ask("GET", "/v1/me/deletion", ""), ask("POST", "/v1/me/restore", ""), ask("GET", "/v1/me/export", ""),
		} {
			w.refusals(ana, r)
		}
		w.expect(http.StatusNotFound, "not_found", ask("GET", "/v1/me/deletion", ana))
		w.expect(http.StatusNotFound, "not_found", ask("POST", "/v1/me/restore", ana))
		first := w.send(ask("DELETE", "/v1/me", ana))
		var d rest.Deletion
		first.into(t, &d)
		if first.status != http.StatusAccepted || d.DeletesAt.Sub(d.RequestedAt) != grace {
			t.Errorf("%d: %s", first.status, first.body)
		}
		w.pass(time.Hour)
		// Asking again does not begin anew, and signing in changes nothing.
		w.expect(http.StatusCreated, "", request{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": secret}})
		for _, r := range []request{ask("DELETE", "/v1/me", ana), ask("GET", "/v1/me/deletion", ana)} {
			if a := w.send(r); !bytes.Equal(a.body, first.body) {
				t.Errorf("%s: %s, then %s", r.method, first.body, a.body)
			}
		}
		w.pass(grace - 2*time.Hour)
		if err := w.rights.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(http.StatusNoContent, "", ask("POST", "/v1/me/restore", ana))
		w.pass(grace)
		if err := w.rights.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(http.StatusOK, "", ask("GET", "/v1/me", ana))
		w.expect(http.StatusOK, "", ask("GET", "/v1/me/export", ana))
		w.allSeen("privacy")
	})
}

// person is somebody who has left a trace wherever one can.
type person struct {
	token, secret, id string
	matchID           string
	traces            map[string]string // by what they are
}

// live has a person do all that leaves something personal behind.
func (w *world) live(other string) person {
	w.t.Helper()
	p := person{traces: map[string]string{
		"name": "Zoraida Xifré", "name's key": name.Key("Zoraida Xifré"), "device": "Zoraida's phone", "address": "zoraida.xifre@example.net",
		"subject": "google-zoraida-1097", "report": "Ben told me where Zoraida lives.", "push token": "push-zoraida-77",
		"staff's note": "Zoraida phones every Monday.",
	}}
	a := w.send(request{method: "POST", path: "/v1/guests", body: map[string]string{"name": p.traces["name"], "deviceName": p.traces["device"]}})
	var g rest.Guest
	a.into(w.t, &g)
	p.token, p.secret, p.id = g.AccessToken, g.DeviceSecret, g.Player.ID
	secret, err := base64.RawURLEncoding.DecodeString(g.DeviceSecret)
	if err != nil {
		w.t.Fatal(err)
	}
	hash := sha256.Sum256(secret)
	p.traces["device's secret"] = string(hash[:])
	do := func(method, path string, body any) {
		w.t.Helper()
		if a := w.send(request{method: method, path: path, token: p.token, body: body}); a.status >= 300 {
			w.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
		}
	}
	do("POST", "/v1/me/identities", map[string]any{
		"google": map[string]string{"idToken": w.google.Token(p.traces["subject"], nonce, nil), "nonce": nonce},
	})
	do("POST", "/v1/me/identities/email", map[string]string{"email": p.traces["address"], "password": password})
	do("POST", "/v1/email/verify", map[string]string{"token": w.link(p.traces["address"])})
	do("POST", "/v1/sessions", map[string]string{"email": p.traces["address"], "password": password})
	p.traces["address's key"] = attempt.Identity(account.ViaEmail, p.traces["address"])
	note := support.Note{ID: uuid.NewString(), PlayerID: p.id, Author: "Eva", Text: p.traces["staff's note"], At: w.now()}
	if err := w.store.AddNote(w.t.Context(), note); err != nil {
		w.t.Fatal(err)
	}
	// A link that is still good lies there too.
	do("POST", "/v1/email/reset-request", map[string]string{"email": p.traces["address"]})
	w.accounts.Wait()

	do("POST", "/v1/wallet/daily", nil)
	him := w.me(other)
	p.matchID = w.table(p.token, p.id, p.traces["name"], other, him.ID, him.Name)
	do("POST", "/v1/friends/requests", map[string]string{"playerId": him.ID})
	do("POST", "/v1/reports", map[string]string{"playerId": him.ID, "reason": "harassment", "text": p.traces["report"]})
	do("POST", "/v1/matches", map[string]any{"rules": "mesa"})
	w.send(request{method: "POST", path: "/v1/matches", token: p.token, body: `{"rules":"mesa"}`, header: map[string]string{"Idempotency-Key": "k"}})
	w.send(request{method: "POST", path: "/v1/rooms", token: p.token, body: `{"rules":"mesa"}`, header: map[string]string{"Idempotency-Key": "room"}})
	w.expect(http.StatusNotFound, "not_found", request{method: "POST", path: "/v1/rooms/join", token: p.token, body: `{"code":"222222"}`})
	p.traces["codes' key"] = room.TriesOf(p.id)
	w.send(request{
		method: "POST", path: "/v1/shop/orders", token: p.token, body: `{"sku":"coins-1000","provider":"stripe","currency":"EUR"}`,
		header: map[string]string{"Idempotency-Key": "zoraida-purchase-key"},
	})
	p.traces["purchase's key"] = "zoraida-purchase-key"
	if w.doc.Paths.Find("/v1/me/push-tokens") != nil {
		do("PUT", "/v1/me/push-tokens", map[string]string{"token": p.traces["push token"], "platform": "android"})
	} else {
		delete(p.traces, "push token")
	}
	return p
}

// table plays a match of two people to its end.
func (w *world) table(token1, id1, name1, token2, id2, name2 string) (matchID string) {
	w.t.Helper()
	rs := rules.Mesa.Rules()
	rs.Target = 1
	setup := match.Setup{Rules: rs, TurnTime: match.DefaultTurnTime}
	setup.Seats[0], setup.Seats[1] = match.Seat{PlayerID: id1, Name: name1}, match.Seat{PlayerID: id2, Name: name2}
	_, err := w.matches.Create(w.t.Context(), setup, func(v match.View) (*match.Answer, error) {
		matchID = v.ID
		return &match.Answer{}, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.seed(token1, matchID)
	w.seed(token2, matchID)
	for {
		for _, token := range []string{token1, token2} {
			v := w.view(token, matchID)
			if v.Phase == "over" {
				return matchID
			}
			if len(v.Legal) > 0 {
				w.act(token, matchID, v.Seq, v.Legal[0])
			}
		}
	}
}

func (p person) found(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, v := range storetest.Dump(t, s) {
		for what, trace := range p.traces {
			if strings.Contains(v.Text, trace) {
				found[what] = append(found[what], v.Table+"."+v.Column)
			}
		}
	}
	return found
}

// When the grace period is over, nothing in any table of either database leads to
// the person, and what others share with it still adds up.
func TestNothingPersonalIsLeft(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ben, _ := w.guest("Ben")
		p := w.live(ben)
		before := p.found(t, w.store)
		for what := range p.traces {
			if len(before[what]) == 0 {
				t.Errorf("no trace of the %s, though it was left", what)
			}
		}
		recordOf := func() *record.Record {
			t.Helper()
			rec, err := record.Parse(bytes.TrimSpace(w.send(request{method: "GET", path: "/v1/matches/" + p.matchID + "/record", token: ben}).body))
			if err != nil {
				t.Fatal(err)
			}
			return rec
		}
		lived := recordOf()
		ledger := func() (all []storetest.Value) {
			for _, v := range storetest.Dump(t, w.store) {
				if v.Table == "transfers" || v.Table == "entries" || v.Table == "accounts" {
					all = append(all, v)
				}
			}
			return all
		}
		booked := ledger()
		w.expect(http.StatusAccepted, "", request{method: "DELETE", path: "/v1/me", token: p.token})
		w.pass(grace)

		// Several processes at once: one does it, the others find it done.
		ended := make(chan error, 4)
		for range cap(ended) {
			go func() { ended <- w.rights.Sweep(t.Context()) }()
		}
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		for what, where := range p.found(t, w.store) {
			t.Errorf("the %s is still in %v", what, where)
		}

		for _, r := range []request{
			{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": p.secret}},
			{method: "POST", path: "/v1/sessions", body: map[string]any{"email": p.traces["address"], "password": password}},
			{method: "GET", path: "/v1/me", token: p.token},
			{method: "GET", path: "/v1/me/export", token: p.token},
		} {
			if a := w.send(r); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s: %d %s", r.method, r.path, a.status, a.body)
			}
		}
		w.expect(http.StatusNotFound, "not_found", request{method: "GET", path: "/v1/players/" + p.id, token: ben})

		if now := ledger(); len(booked) == 0 || fmt.Sprint(now) != fmt.Sprint(booked) {
			t.Errorf("the ledger was\n%v\nand is\n%v", booked, now)
		}
		after := recordOf()
		if after.Players[0].Name != privacy.Pseudonym(p.id) || after.Players[1].Name != "Ben" {
			t.Errorf("players: %+v", after.Players)
		}
		after.Players = lived.Players
		if !bytes.Equal(after.Append(nil), lived.Append(nil)) {
			t.Errorf("the record has changed:\n%s\n%s", lived.Append(nil), after.Append(nil))
		}
		if fault, hand := rules.VerifyFair(after.Fair, after.Hands); fault != rules.Fair {
			t.Errorf("the deals: %s in hand %d", fault, hand)
		}
		// The name is free again.
		w.guest(p.traces["name"])
	})
}

func TestExport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ben, _ := w.guest("Ben")
		p := w.live(ben)
		a := w.send(request{method: "GET", path: "/v1/me/export", token: p.token})
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/zip" || !strings.Contains(a.header.Get("Content-Disposition"), p.id) {
			t.Fatalf("%d %v", a.status, a.header)
		}
		z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]map[string]any{}
		var all strings.Builder
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
			var rows []map[string]any
			if err := json.Unmarshal(text, &rows); err != nil {
				t.Errorf("%s: %v: %s", f.Name, err, text)
			}
			files[f.Name] = rows
		}
		for what, trace := range p.traces {
			if !strings.HasSuffix(what, " key") && what != "device's secret" && what != "staff's note" && !strings.Contains(all.String(), trace) {
				t.Errorf("the export has not the %s", what)
			}
		}
		for _, secret := range []string{p.secret, "argon2id", password} {
			if strings.Contains(all.String(), secret) {
				t.Errorf("the export has a secret: %s", secret)
			}
		}
		want := map[string]int{
			"profile": 1, "identities": 2, "devices": 1, "sessions": 2, "matches": 3, "people": 1, "reports": 1, "statistics": 1,
			"emailLinks": 1, "deletion": 0, "standing": 1, "pushTokens": 1, "room": 1, "orders": 1,
			"mutes": 0,
		}
		for part, n := range want {
			if rows, ok := files[part+".json"]; !ok || len(rows) != n {
				t.Errorf("%s: %d rows, want %d: %v", part, len(rows), n, rows)
			}
		}
		coins := 0.0
		for _, m := range files["wallet.json"] {
			if coins += m["amount"].(float64); m["balance"] != coins {
				t.Errorf("the wallet does not add up at %v: %v", coins, m)
			}
		}
		var purse struct{ Coins float64 }
		w.send(request{method: "GET", path: "/v1/wallet", token: p.token}).into(t, &purse)
		if coins != purse.Coins || coins == 0 {
			t.Errorf("the export ends at %v coins, the purse has %v", coins, purse.Coins)
		}
		over := 0
		for _, m := range files["matches.json"] {
			if rec, _ := json.Marshal(m["record"]); m["status"] == "over" {
				over++
				if _, err := record.Parse(rec); err != nil || m["matchId"] != p.matchID {
					t.Errorf("record of %v: %v: %s", m["matchId"], err, rec)
				}
			} else if string(rec) != "null" {
				t.Errorf("a match that is %v has a record", m["status"])
			}
		}
		if over != 1 {
			t.Errorf("%d matches that are over", over)
		}
		if t.Failed() {
			t.Log(fmt.Sprint(files))
		}
	})
}

// Whoever is forgotten has left what others are in with them: no room belongs to
// nobody, nobody plays with somebody who is not there, and no entry stays behind.
func TestNobodyWaitsForTheForgotten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		forgotten := func(all ...friend) {
			t.Helper()
			for _, f := range all {
				w.expect(http.StatusAccepted, "", request{method: "DELETE", path: "/v1/me", token: f.token})
			}
			w.pass(2 * grace)
			if err := w.rights.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		is := func(f friend, want string) {
			t.Helper()
			e, err := w.store.Engagement(t.Context(), f.id)
			if got := string(e.Place.Kind) + " " + string(e.Reason); err != nil || got != want {
				t.Errorf("%s is in %s, %v; want %s", f.name, got, err, want)
			}
		}

		owner, guest := w.friend("Olga"), w.friend("Gabi")
		r := owner.open()
		guest.join(r)
		waiting, sitting, across := w.friend("Wim"), w.friend("Sara"), w.friend("Alba")
		waiting.enters(`{}`)
		sitting.enters(`{"stake":100}`)
		across.enters(`{"stake":100}`)
		w.waits.Advance(0)
		is(sitting, "table seated")
		forgotten(owner, waiting, sitting)
		for _, f := range []friend{owner, waiting, sitting} {
			is(f, "none left")
		}
		if got := guest.does("GET", "/"+r.ID, nil); got.Owner != guest.id || seats(got) != "open Gabi open open" {
			t.Errorf("left to %s: %s", got.Owner, seats(got))
		}
		if e := across.engagement(); e.Kind != "table" || len(e.Table.People) != 1 {
			t.Errorf("across: %+v", e)
		}
		if coins, err := w.store.Balance(t.Context(), wallet.Player(sitting.id)); err != nil || coins != 500 {
			t.Errorf("%d coins, %v", coins, err)
		}
		across.goes()
		w.clean()

		// From a match nobody goes before its end; then it is the room that is left.
		playing := w.friend("Paula")
		r = guest.does("PATCH", "/"+r.ID, `{"rules":{"preset":"mesa","end":"points","target":3},"botPauseMs":0}`)
		r = playing.join(r)
		for seat, s := range r.Seats {
			if s.Taken == "open" {
				guest.does("PUT", fmt.Sprintf("/%s/seats/%d", r.ID, seat), `{"who":"bot"}`)
			}
		}
		playing.does("PUT", "/"+r.ID+"/ready", `{"ready":true}`)
		guest.does("POST", "/"+r.ID+"/start", nil)
		r = guest.does("GET", "/"+r.ID, nil)
		w.seed(playing.token, *r.MatchID)
		forgotten(playing)
		is(playing, "match started")
		w.seed(guest.token, *r.MatchID)
		for over := false; !over; {
			for _, f := range []friend{guest, playing} {
				v, err := w.matches.View(t.Context(), *r.MatchID, f.id)
				if over = err == nil && v.Phase == "over"; over {
					break
				}
				if first, ok := v.Game.Legal.First(); ok {
					_, err = w.matches.Act(t.Context(), *r.MatchID, f.id, v.Seq, first.String())
				}
				if code := fault.CodeOf(err); err != nil && code != fault.StaleSequence {
					t.Fatal(err)
				}
			}
		}
		is(playing, "room over")
		if err := w.rights.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		is(playing, "none left")
		if got := guest.does("GET", "/"+r.ID, nil); strings.Contains(seats(got), "Deleted") {
			t.Errorf("still there: %s", seats(got))
		}
		w.clean()
	})
}
