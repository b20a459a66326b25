package panel_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/passkey/passkeytest"
	"github.com/cuatrola/cuatrola/server/staff"
)

// ceremony asks for what a browser is asked for.
func (c *client) ceremony(path string, body any) (id string, options json.RawMessage) {
	c.w.t.Helper()
	var asked struct {
		CeremonyID string
		PublicKey  json.RawMessage
	}
	c.must(http.StatusCreated, "POST", path, body).into(c.w.t, &asked)
	return asked.CeremonyID, asked.PublicKey
}

// A member's own things: sessions, password, recovery codes and passkeys, with every
// answer of the contract.
func TestSelf(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		marta := w.as(staff.Owner)
		email := marta.member.Email
		own := map[string]any{"password": password}
		wrong := map[string]any{"password": "quien reparte elige"}

		// A passkey is made with the password only, and once.
		marta.refused(http.StatusUnprocessableEntity, "password_wrong", "POST", "/admin/v1/self/passkeys/options", wrong)
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/self/passkeys/options", map[string]any{})
		device := passkeytest.New(t, "https://example.org")
		id, options := marta.ceremony("/admin/v1/self/passkeys/options", own)
		fresh := map[string]any{"ceremonyId": id, "name": "Laptop", "credential": device.Create(options)}
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/self/passkeys", map[string]any{"ceremonyId": id, "name": "", "credential": device.Create(options)})
		var made panel.StaffPasskey
		marta.must(http.StatusCreated, "POST", "/admin/v1/self/passkeys", fresh).into(t, &made)
		marta.refused(http.StatusUnprocessableEntity, "passkey_invalid", "POST", "/admin/v1/self/passkeys", fresh)
		id, options = marta.ceremony("/admin/v1/self/passkeys/options", own)
		marta.refused(http.StatusUnprocessableEntity, "passkey_invalid", "POST", "/admin/v1/self/passkeys", map[string]any{"ceremonyId": id, "name": "Again", "credential": device.Create(options)})
		// Nobody answers to what another was asked.
		pau := w.as(staff.Viewer)
		id, options = marta.ceremony("/admin/v1/self/passkeys/options", own)
		pau.refused(http.StatusUnprocessableEntity, "passkey_invalid", "POST", "/admin/v1/self/passkeys",
			map[string]any{"ceremonyId": id, "name": "Mine", "credential": passkeytest.New(t, "https://example.org").Create(options)})
		// Nor behind time.
		id, options = marta.ceremony("/admin/v1/self/passkeys/options", own)
		w.pass(staff.CeremonyTTL)
		marta.refused(http.StatusUnprocessableEntity, "passkey_invalid", "POST", "/admin/v1/self/passkeys",
			map[string]any{"ceremonyId": id, "name": "Late", "credential": passkeytest.New(t, "https://example.org").Create(options)})
		var list panel.StaffPasskeyList
		marta.must(http.StatusOK, "GET", "/admin/v1/self/passkeys", nil).into(t, &list)
		if len(list.Passkeys) != 1 || list.Passkeys[0].Name != "Laptop" || list.Passkeys[0].UsedAt != nil {
			t.Errorf("%+v", list)
		}

		// One comes in with it, once for each challenge.
		nobody := &client{w: w}
		id, options = nobody.ceremony("/admin/v1/session/passkey/options", nil)
		signed := map[string]any{"ceremonyId": id, "credential": device.Sign(options)}
		a := nobody.must(http.StatusCreated, "POST", "/admin/v1/session/passkey", signed)
		var session panel.StaffSession
		a.into(t, &session)
		if session.Member.ID != marta.member.ID || !strings.Contains(a.header.Get("Set-Cookie"), "HttpOnly") {
			t.Errorf("%+v", session)
		}
		second := &client{w: w}
		second.keep(a, session)
		second.must(http.StatusOK, "GET", "/admin/v1/staff", nil)
		nobody.refused(http.StatusUnprocessableEntity, "passkey_invalid", "POST", "/admin/v1/session/passkey", signed)
		nobody.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/session/passkey", map[string]any{"ceremonyId": id})
		come := func(d *passkeytest.Device) answer {
			id, options := nobody.ceremony("/admin/v1/session/passkey/options", nil)
			return nobody.send("POST", "/admin/v1/session/passkey", map[string]any{"ceremonyId": id, "credential": d.Sign(options)})
		}
		// A copy of the device that counts on from where it was made is found out.
		copied := *device
		copied.Count = 0
		if a := come(&copied); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}
		if a := come(passkeytest.New(t, "https://example.org")); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}

		// Where one is signed in, and out everywhere else.
		var sessions panel.StaffSessionList
		marta.must(http.StatusOK, "GET", "/admin/v1/self/sessions", nil).into(t, &sessions)
		if len(sessions.Sessions) != 2 || slices.IndexFunc(sessions.Sessions, func(s panel.StaffSessionItem) bool { return s.Current }) < 0 {
			t.Errorf("%+v", sessions)
		}
		marta.must(http.StatusNoContent, "DELETE", "/admin/v1/self/sessions", nil)
		second.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)
		pau.must(http.StatusOK, "GET", "/admin/v1/session", nil)

		// Another password: the second factor and the passkey stay as they are.
		if a := come(device); a.status != http.StatusCreated {
			t.Fatalf("%s", a.body)
		} else {
			a.into(t, &session)
			second.keep(a, session)
		}
		const next = "quien elige no reparte"
		marta.refused(http.StatusUnprocessableEntity, "password_wrong", "POST", "/admin/v1/self/password", map[string]any{"current": next, "password": next})
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/self/password", map[string]any{"current": password, "password": "corta"})
		stay := func() {
			w.pass(5 * time.Minute)
			marta.must(http.StatusOK, "GET", "/admin/v1/session", nil)
			pau.must(http.StatusOK, "GET", "/admin/v1/session", nil)
		}
		stay() // whoever was wrong waits
		marta.must(http.StatusNoContent, "POST", "/admin/v1/self/password", map[string]any{"current": password, "password": next})
		marta.must(http.StatusOK, "GET", "/admin/v1/session", nil)
		second.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)

		marta.refused(http.StatusUnprocessableEntity, "password_wrong", "POST", "/admin/v1/self/recovery", own)
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/self/recovery", map[string]any{})
		stay()
		var codes panel.StaffRecovery
		marta.must(http.StatusCreated, "POST", "/admin/v1/self/recovery", map[string]any{"password": next}).into(t, &codes)
		enter := func(word, code string) answer {
			return nobody.send("POST", "/admin/v1/session", map[string]any{"email": email, "password": word, "code": code})
		}
		if a := enter(next, codes.RecoveryCodes[0]); a.status != http.StatusCreated {
			t.Errorf("%s", a.body)
		}
		if a := enter(next, w.code(marta.secret)); a.status != http.StatusCreated {
			t.Errorf("the second factor is another with another password: %s", a.body)
		}
		if a := enter(password, codes.RecoveryCodes[1]); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}

		// A passkey that is removed is good for nothing; nor is any after a reset, or when
		// its member is not let in.
		stranger := "/admin/v1/self/passkeys/01890a5d-ac96-774b-bcce-b302099a8057"
		marta.refused(http.StatusNotFound, "not_found", "DELETE", stranger, nil)
		marta.refused(http.StatusBadRequest, "invalid_request", "DELETE", "/admin/v1/self/passkeys/x", nil)
		pau.refused(http.StatusNotFound, "not_found", "DELETE", "/admin/v1/self/passkeys/"+made.ID, nil)
		marta.must(http.StatusNoContent, "DELETE", "/admin/v1/self/passkeys/"+made.ID, nil)
		if a := come(device); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}
		phone := passkeytest.New(t, "https://example.org")
		id, options = pau.ceremony("/admin/v1/self/passkeys/options", own)
		pau.must(http.StatusCreated, "POST", "/admin/v1/self/passkeys", map[string]any{"ceremonyId": id, "name": "Phone", "credential": phone.Create(options)})
		path := "/admin/v1/staff/" + pau.member.ID
		marta.must(http.StatusOK, "PATCH", path, map[string]any{"disabled": true, "reason": "Away."})
		if a := come(phone); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}
		marta.must(http.StatusOK, "PATCH", path, map[string]any{"disabled": false, "reason": "Back."})
		if a := come(phone); a.status != http.StatusCreated {
			t.Errorf("%s", a.body)
		}
		var link panel.StaffNewLink
		marta.must(http.StatusCreated, "POST", path+"/reset", map[string]any{"reason": "Lost."}).into(t, &link)
		_, token, _ := strings.Cut(link.URL, "#")
		w.accept(token, "Pau", "")
		if a := come(phone); a.code() != "invalid_credentials" {
			t.Errorf("a lost device comes in: %s", a.body)
		}

		var said []string
		for _, e := range slices.Backward(w.trailOf("staff", marta.member.ID)) {
			said = append(said, strings.TrimPrefix(e.Action, "staff."))
			if e.ID == "" || e.Outcome != audit.Done {
				t.Errorf("%+v", e)
			}
		}
		want := []string{"invite.accept", "passkey.add", "sign-in", "sign-out", "sign-in", "password", "recovery", "sign-in", "sign-in", "passkey.remove"}
		if !slices.Equal(said, want) {
			t.Errorf("the trail says %q, want %q", said, want)
		}
		// Without passkeys, the same paths say so.
		none := newWorld(t, kind, func(w *world, o *panel.Options) {
			w.staff = staff.New(staff.Options{Store: w.store, Trail: w.trail, Now: w.now, Cost: cheap})
			o.Staff = w.staff
		})
		(&client{w: none}).refused(http.StatusNotFound, "not_found", "POST", "/admin/v1/session/passkey/options", nil)
		none.as(staff.Viewer).refused(http.StatusNotFound, "not_found", "POST", "/admin/v1/self/passkeys/options", own)
		for key := range none.seen {
			w.seen[key] = true
		}
		w.allSeen(common, "panel-self")
		for _, key := range []string{"createStaffSessionByPasskey 401 invalid_credentials"} {
			if !w.seen[key] {
				t.Errorf("no request was answered with %s", key)
			}
		}
	})
}

// The first owner's link is good until there is somebody.
func TestFirstOwnersLinkEnds(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		first, err := w.staff.FirstOwner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.as(staff.Owner)
		(&client{w: w}).refused(http.StatusUnprocessableEntity, "link_invalid", "POST", "/admin/v1/invitation", map[string]any{"token": first})
	})
}
