package panel_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/clock"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/report"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/sanction"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// house is a world with players in it.
type house struct {
	*world
	area  panel.PlayersArea
	tell  *people.Service
	mails chan account.Mail
	ended map[string]fault.Code
	left  []string
}

func (h *house) Send(_ context.Context, m account.Mail) error { h.mails <- m; return nil }

func newHouse(t *testing.T, kind string) *house {
	t.Helper()
	h := &house{mails: make(chan account.Mail, 10), ended: map[string]fault.Code{}}
	h.world = newWorld(t, kind, func(w *world, o *panel.Options) {
		text, err := account.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := account.ParseKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		accounts := account.New(w.store, account.NewTokens(keys, "cuatrola", "cuatrola-api", time.Hour), w.now,
			account.WithMailer(h, "https://example.org"),
			account.WithAnnounce(func(ids []string, why fault.Code) {
				for _, id := range ids {
					h.ended[id] = why
				}
			}))
		t.Cleanup(accounts.Wait)
		economies := economy.NewService(w.store, w.now)
		if err := economies.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		rewards := reward.New(w.store, w.store, economies, w.now, rand.Reader)
		w.store.SettleWith(rewards.Settle)
		notices := notice.New(w.store, w.now, func(string, int) {})
		limits, err := support.ParseLimits("owner=1000000/1000000,support=5000/6000")
		if err != nil {
			t.Fatal(err)
		}
		matches := match.New(w.store, clock.Wall{}, func(context.Context, string, match.Entry) {})
		h.area = panel.PlayersArea{
			Support: support.New(support.Options{
				Store: w.store, Notices: notices, Grants: rewards, Sessions: accounts, Limits: limits, Now: w.now, Random: rand.Reader,
			}),
			Sanctions: sanction.New(w.store, accounts, func(_ context.Context, id string) error { h.left = append(h.left, id); return nil }, w.now, rand.Reader),
			Reports:   report.New(w.store, notices, w.now), Accounts: accounts, Engagements: engagement.New(w.store, func(engagement.Change) {}),
			Matches: matches, Notices: notices, Rewards: rewards, Shop: shop.New(w.store, economies, w.store, w.now, rand.Reader),
			Privacy: privacy.New(w.store, accounts, privacy.Places{}, w.now, 14*24*time.Hour, w.store.ExportParts()...),
		}
		o.Players = h.area
		h.tell = people.New(w.store, w.now, notices.Announce)
	})
	return h
}

// guest signs a player up.
func (h *house) guest(name string) account.Guest {
	h.t.Helper()
	g, err := h.area.Accounts.SignUp(h.t.Context(), account.NewGuest{Name: name, Language: "en", Device: name + "'s phone"})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.area.Rewards.Purse(h.t.Context(), g.Player.ID); err != nil {
		h.t.Fatal(err)
	}
	return g
}

// link gives a player an address.
func (h *house) link(id, email string) {
	h.t.Helper()
	err := h.store.LinkIdentity(h.t.Context(), account.Identity{Provider: account.ViaEmail, Subject: email, PlayerID: id, Secret: "x", CreatedAt: h.now()})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) code(id string) string {
	h.t.Helper()
	c, err := h.area.Support.NewCode(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c.Text
}

func why(more ...any) map[string]any {
	body := map[string]any{"reason": "A test wants it."}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

// Staff finds players, sees their files and acts on them; every change is in the audit.
func TestPlayersArea(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		h := newHouse(t, kind)
		eva, vic, owner := h.as(staff.Support), h.as(staff.Viewer), h.as(staff.Owner)
		ana, ben := h.guest("Ana <script>"), h.guest("Ben")
		h.link(ana.Player.ID, "ana.perez@mail.example.org")
		const nobody = "01890a5d-ac96-774b-bcce-b302099a8057"
		of := func(id, what string) string { return "/admin/v1/players/" + id + what }
		at := func(what string) string { return of(ana.Player.ID, what) }

		var list panel.PanelPlayers
		for q, want := range map[string]int{"": 2, "an": 1, "ana.perez@mail.example.org": 1, ben.Player.ID: 1, "zzz": 0} {
			eva.must(http.StatusOK, "GET", "/admin/v1/players?q="+q, nil).into(t, &list)
			if len(list.Players) != want {
				t.Errorf("%q finds %+v", q, list)
			}
		}
		vic.must(http.StatusOK, "GET", "/admin/v1/players?q=ana.perez@mail.example.org", nil).into(t, &list)
		if len(list.Players) != 0 {
			t.Error("a viewer finds players by address")
		}
		eva.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/players?q="+strings.Repeat("x", 300), nil)

		// One who has played, was reported and told something.
		rs := rules.Mesa.Rules()
		m := &match.Match{ID: newID(t), Rules: rs, ServerSeed: []byte{1}, TurnTime: time.Second, BotPause: time.Second, CreatedAt: h.now(), Mode: economy.Machine}
		m.Seats[1] = match.Seat{PlayerID: ana.Player.ID, Name: ana.Player.Name}
		if _, err := h.store.CreateMatch(t.Context(), m, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := h.tell.Report(t.Context(), people.Report{ReporterID: ben.Player.ID, ReportedID: ana.Player.ID, Reason: people.Name, Text: "<b>look</b>"}); err != nil {
			t.Fatal(err)
		}
		eva.must(http.StatusCreated, "POST", at("/notes"), map[string]string{"text": "<img src=x>"})
		eva.must(http.StatusNoContent, "POST", at("/warn"), why("about", "name", "text", "Please."))
		for _, part := range []string{"", "/sessions", "/statement", "/statement?account=debt", "/orders", "/matches", "/notices", "/reports", "/reports?side=by", "/sanctions", "/notes"} {
			for _, c := range []*client{eva, vic} {
				c.must(http.StatusOK, "GET", at(part), nil)
			}
			eva.refused(http.StatusNotFound, "not_found", "GET", of(nobody, part), nil)
			eva.refused(http.StatusBadRequest, "invalid_request", "GET", of("x", part), nil)
		}
		var file panel.PanelPlayerFile
		eva.must(http.StatusOK, "GET", at(""), nil).into(t, &file)
		if file.Coins != 500 || file.OpenReports != 1 || len(file.Identities) != 2 || *file.Identities[1].Subject != "ana.perez@mail.example.org" || file.Allowance.Each != 5000 {
			t.Errorf("%+v", file)
		}
		vic.must(http.StatusOK, "GET", at(""), nil).into(t, &file)
		if *file.Identities[1].Subject != "a***@m***.org" || !file.Identities[1].Masked || file.Allowance.Each != 0 {
			t.Errorf("a viewer sees %+v", file.Identities)
		}

		// Coins, within limits, once for each key.
		give := func(coins int, key string) map[string]any { return why("coins", coins, "key", key) }
		var granted panel.PanelGranted
		eva.must(http.StatusOK, "POST", at("/grant"), give(5000, "ticket-0001")).into(t, &granted)
		if granted.Balance != 5500 || granted.Replayed || granted.Allowance.Used != 5000 {
			t.Errorf("%+v", granted)
		}
		eva.must(http.StatusOK, "POST", at("/grant"), give(5000, "ticket-0001")).into(t, &granted)
		if granted.Balance != 5500 || !granted.Replayed || granted.Allowance.Used != 5000 {
			t.Errorf("%+v", granted)
		}
		eva.refused(http.StatusConflict, "idempotency_conflict", "POST", at("/grant"), give(50, "ticket-0001"))
		eva.refused(http.StatusConflict, "grant_limit", "POST", at("/grant"), give(1001, "ticket-0002"))
		owner.refused(http.StatusConflict, "insufficient_coins", "POST", at("/grant"), give(-5501, "ticket-0003"))
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at("/grant"), give(0, "ticket-0003"))
		vic.refused(http.StatusForbidden, "forbidden", "POST", at("/grant"), give(1, "ticket-0004"))

		// Names, ways in, sessions.
		eva.refused(http.StatusConflict, "name_taken", "POST", at("/rename"), why("name", "BEN"))
		eva.refused(http.StatusUnprocessableEntity, "name_reserved", "POST", at("/rename"), why("name", "admin"))
		eva.must(http.StatusOK, "POST", at("/rename"), why())
		eva.must(http.StatusNoContent, "POST", at("/reset-password"), why())
		if m := <-h.mails; m.To != "ana.perez@mail.example.org" || !strings.Contains(m.Text, "#reset=") {
			t.Errorf("%+v", m)
		}
		eva.refused(http.StatusNotFound, "not_found", "POST", of(ben.Player.ID, "/reset-password"), why())
		eva.refused(http.StatusConflict, "last_identity", "POST", of(ben.Player.ID, "/unlink"), why("provider", "device"))
		eva.must(http.StatusNoContent, "POST", at("/sessions/end"), why("sessionId", ana.SessionID))
		eva.refused(http.StatusNotFound, "not_found", "POST", at("/sessions/end"), why("sessionId", ana.SessionID))
		eva.must(http.StatusNoContent, "POST", at("/sessions/end"), why())
		if h.ended[ana.SessionID] != fault.SessionEnded {
			t.Errorf("ended %v", h.ended)
		}

		// Kept out, and let in again.
		until := h.now().Add(time.Hour).UTC().Truncate(time.Second)
		eva.must(http.StatusOK, "POST", of(ben.Player.ID, "/suspend"), why("word", "cheating", "until", until))
		if h.ended[ben.SessionID] != fault.Suspended || len(h.left) != 1 {
			t.Errorf("ended %v, left %v", h.ended, h.left)
		}
		if _, err := h.area.Accounts.SignIn(t.Context(), ben.DeviceSecret, ""); fault.CodeOf(err) != fault.Suspended {
			t.Error(err)
		}
		eva.must(http.StatusOK, "GET", of(ben.Player.ID, ""), nil).into(t, &file)
		if file.Sanction == nil || !file.Sanction.InForce || file.Player.KeptOutUntil == nil {
			t.Errorf("%+v", file)
		}
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at("/suspend"), why("word", "cheating", "until", "2020-01-01T00:00:00Z"))
		eva.must(http.StatusNoContent, "POST", of(ben.Player.ID, "/lift"), why())
		eva.refused(http.StatusNotFound, "not_found", "POST", of(ben.Player.ID, "/lift"), why())
		vic.refused(http.StatusForbidden, "forbidden", "POST", at("/suspend"), why("word", "cheating"))

		// What the law gives a player, for one who cannot come in.
		a := eva.must(http.StatusOK, "POST", at("/export"), why())
		if z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body))); err != nil || len(z.File) < 10 {
			t.Error(err)
		}
		eva.must(http.StatusOK, "POST", at("/delete"), why())
		eva.must(http.StatusNoContent, "POST", at("/restore"), why())
		eva.refused(http.StatusNotFound, "not_found", "POST", at("/restore"), why())

		// A guest becomes part of an account.
		guest := h.guest("")
		into := h.guest("Dora")
		h.link(into.Player.ID, "dora@example.org")
		merge := why("guestCode", h.code(guest.Player.ID), "accountCode", h.code(into.Player.ID))
		var m1 panel.PanelMerged
		merge["preview"] = true
		eva.must(http.StatusOK, "POST", "/admin/v1/players/merge", merge).into(t, &m1)
		if m1.Guest.ID != guest.Player.ID || m1.Account.Name != "Dora" || m1.Coins != 500 || m1.Guest.MergedInto != nil {
			t.Errorf("%+v", m1)
		}
		delete(merge, "preview")
		eva.must(http.StatusOK, "POST", "/admin/v1/players/merge", merge).into(t, &m1)
		if m1.Guest.MergedInto == nil || m1.Coins != 500 {
			t.Errorf("%+v", m1)
		}
		if in, err := h.area.Accounts.SignIn(t.Context(), guest.DeviceSecret, ""); err != nil || in.Player.ID != into.Player.ID {
			t.Errorf("%+v, %v", in, err)
		}
		eva.refused(http.StatusUnprocessableEntity, "support_code_invalid", "POST", "/admin/v1/players/merge", merge)
		eva.refused(http.StatusConflict, "cannot_merge", "POST", "/admin/v1/players/merge",
			why("guestCode", h.code(into.Player.ID), "accountCode", h.code(ana.Player.ID)))
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/players/merge",
			map[string]string{"guestCode": h.code(ben.Player.ID), "accountCode": h.code(into.Player.ID)})
		eva.must(http.StatusNoContent, "POST", of(into.Player.ID, "/unlink"), why("provider", "email"))
		eva.must(http.StatusOK, "GET", of(into.Player.ID, ""), nil).into(t, &file)
		if len(file.Guests) != 1 || file.Coins != 1000 {
			t.Errorf("%+v", file)
		}

		for _, action := range []string{
			"/notes", "/sessions/end", "/grant", "/suspend", "/lift", "/warn", "/rename", "/reset-password", "/unlink", "/export", "/delete", "/restore",
		} {
			body := why("coins", 1, "key", "ticket-0009", "word", "rules", "about", "rules", "provider", "email")
			for name := range map[string]bool{"coins": true, "key": true, "word": true, "about": true, "provider": true} {
				keep := map[string]string{"/grant": "coins key", "/suspend": "word", "/warn": "about", "/unlink": "provider"}[action]
				if !strings.Contains(keep, name) {
					delete(body, name)
				}
			}
			if action == "/notes" {
				body = map[string]any{"text": "Nobody."}
			}
			eva.refused(http.StatusNotFound, "not_found", "POST", of(nobody, action), body)
			body["reason"], body["text"] = "", ""
			eva.refused(http.StatusBadRequest, "invalid_request", "POST", at(action), body)
		}
		h.allSeen(common, "panel-players")

		seen := map[string]bool{}
		for _, id := range []string{ana.Player.ID, ben.Player.ID, into.Player.ID} {
			for _, e := range h.trailOf("player", id) {
				seen[e.Action] = true
				if e.Actor.ID == "" || e.Outcome != audit.Done || e.Reason == "" && e.Action != "players.note" {
					t.Errorf("%+v", e)
				}
			}
		}
		if len(seen) != 13 {
			t.Errorf("in the audit: %v", seen)
		}
	})
}

// Reports are answered by whoever has them in hand.
func TestReportsArea(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		h := newHouse(t, kind)
		eva, ole, vic := h.as(staff.Support), h.as(staff.Owner), h.as(staff.Viewer)
		ana, ben := h.guest("Ana"), h.guest("Ben")
		r, err := h.tell.Report(t.Context(), people.Report{ReporterID: ben.Player.ID, ReportedID: ana.Player.ID, Reason: people.Harassment, Text: "<b>rude</b>"})
		if err != nil {
			t.Fatal(err)
		}
		const nobody = "01890a5d-ac96-774b-bcce-b302099a8057"
		at := "/admin/v1/reports/" + ana.Player.ID
		var cases panel.PanelCases
		vic.must(http.StatusOK, "GET", "/admin/v1/reports", nil).into(t, &cases)
		if len(cases.Cases) != 1 || cases.Cases[0].Open != 1 || cases.Cases[0].Reported.Name != "Ana" {
			t.Errorf("%+v", cases)
		}
		vic.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/reports?limit=x", nil)
		vic.refused(http.StatusForbidden, "forbidden", "POST", at+"/claim", map[string]any{})
		eva.must(http.StatusOK, "POST", at+"/claim", map[string]any{})
		eva.must(http.StatusOK, "POST", at+"/claim", map[string]any{})
		ole.refused(http.StatusConflict, "case_claimed", "POST", at+"/claim", map[string]any{})
		ole.refused(http.StatusConflict, "case_claimed", "POST", at+"/release", nil)
		answer := map[string]any{"reports": []string{r.ID}, "answer": "warned", "note": "Not nice.", "warning": map[string]string{"about": "words"}}
		ole.refused(http.StatusConflict, "case_claimed", "POST", at+"/answer", answer)
		var file panel.PanelCaseFile
		ole.must(http.StatusOK, "GET", at, nil).into(t, &file)
		if file.Case == nil || file.Case.ClaimedBy == nil || file.Case.ClaimedBy.ID != eva.member.ID || len(file.Reports) != 1 || file.Reports[0].Text != "<b>rude</b>" {
			t.Errorf("%+v", file)
		}
		ole.must(http.StatusOK, "POST", at+"/claim", map[string]any{"take": true})
		ole.must(http.StatusOK, "POST", at+"/release", nil)
		eva.refused(http.StatusConflict, "report_answered", "POST", at+"/answer",
			map[string]any{"reports": []string{nobody}, "answer": "dismissed", "note": "No."})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/answer",
			map[string]any{"reports": []string{r.ID}, "answer": "warned", "note": "Without a warning."})
		eva.must(http.StatusNoContent, "POST", at+"/answer", answer)
		for id, want := range map[string]string{ana.Player.ID: "respect", ben.Player.ID: "looked into"} {
			list, _, err := h.area.Notices.List(t.Context(), id, 100, 10)
			if err != nil || len(list) != 1 || !strings.Contains(list[0].Text["en"], want) {
				t.Errorf("%+v, %v", list, err)
			}
		}
		eva.must(http.StatusOK, "GET", at, nil).into(t, &file)
		if a := file.Reports[0]; a.Open || *a.Answer != "warned" || *a.Note != "Not nice." {
			t.Errorf("%+v", a)
		}
		for what, body := range map[string]any{"/claim": map[string]any{}, "/release": nil, "/answer": answer} {
			eva.refused(http.StatusNotFound, "not_found", "POST", at+what, body)
			eva.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/reports/x"+what, body)
		}
		eva.refused(http.StatusNotFound, "not_found", "GET", "/admin/v1/reports/"+nobody, nil)
		eva.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/reports/x", nil)
		h.allSeen(common, "panel-reports")
		if trail := h.trailOf("player", ana.Player.ID); len(trail) != 4 {
			t.Errorf("%+v", trail)
		}
	})
}

func newID(t testing.TB) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}
