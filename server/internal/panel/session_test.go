package panel_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/staff"
)

func randomText() string { return strings.ToLower(rand.Text()[:8]) }

// From the first owner's link to a member that is let in no more: every answer of the
// contract about sessions and staff, and what the trail says of it.
func TestStaff(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		nobody := &client{w: w}
		nobody.refused(http.StatusUnauthorized, "unauthenticated", "GET", "/admin/v1/session", nil)

		older, err := w.staff.FirstOwner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first, err := w.staff.FirstOwner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		nobody.refused(http.StatusUnprocessableEntity, "link_invalid", "POST", "/admin/v1/invitation", map[string]any{"token": older})
		nobody.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/invitation", map[string]any{})
		var invited panel.StaffInvitation
		nobody.must(http.StatusOK, "POST", "/admin/v1/invitation", map[string]any{"token": first}).into(t, &invited)
		if invited.Role != "owner" || invited.Email != "" || !strings.Contains(invited.TotpURI, invited.TotpSecret) {
			t.Errorf("%+v", invited)
		}
		accept := func(token, code, password string) answer {
			return nobody.send("POST", "/admin/v1/invitation/accept", map[string]any{
				"token": token, "name": "Marta", "email": "Marta@example.org", "password": password, "code": code,
			})
		}
		for _, c := range []struct {
			a    answer
			code string
		}{
			{accept(first, "000000", password), "code_invalid"},
			{accept(first, w.code(invited.TotpSecret), "corta"), "invalid_request"},
			{accept("x", w.code(invited.TotpSecret), password), "link_invalid"},
		} {
			if c.a.code() != c.code {
				t.Errorf("%s, want %s", c.a.body, c.code)
			}
		}
		marta := w.accept(first, "Marta", "Marta@example.org")
		if marta.member.Email != "marta@example.org" || marta.member.Role != "owner" {
			t.Errorf("%+v", marta.member)
		}
		if a := accept(first, w.code(invited.TotpSecret), password); a.code() != "link_invalid" {
			t.Errorf("a link is good twice: %s", a.body)
		}
		if again, err := w.staff.FirstOwner(t.Context()); err != nil || again != "" {
			t.Errorf("another first owner: %q, %v", again, err)
		}

		// In again: with a code that is due, and not with the one that was taken.
		credentials := func(password, code string) map[string]any {
			return map[string]any{"email": "marta@example.org", "password": password, "code": code}
		}
		taken := w.code(invited.TotpSecret)
		nobody.refused(http.StatusUnauthorized, "invalid_credentials", "POST", "/admin/v1/session", credentials(password, taken))
		nobody.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/session", map[string]any{"email": "marta@example.org"})
		w.pass(time.Minute)
		nobody.refused(http.StatusUnauthorized, "invalid_credentials", "POST", "/admin/v1/session", credentials("not the password", w.code(invited.TotpSecret)))
		a := nobody.must(http.StatusCreated, "POST", "/admin/v1/session", credentials(password, w.code(invited.TotpSecret)))
		cookie := a.header.Get("Set-Cookie")
		for _, part := range []string{"; Path=/admin", "; HttpOnly", "; SameSite=strict", "; Secure"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie lacks %q: %s", part, cookie)
			}
		}
		var session panel.StaffSession
		a.into(t, &session)
		second := &client{w: w}
		second.keep(a, session)
		var s panel.StaffSession
		second.must(http.StatusOK, "GET", "/admin/v1/session", nil).into(t, &s)
		if s.RecoveryLeft != staff.RecoveryCodes || !slices.Contains(s.Permissions, "staff.manage") || s.CsrfToken != second.csrf {
			t.Errorf("%+v", s)
		}
		second.must(http.StatusNoContent, "DELETE", "/admin/v1/session", nil)
		second.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)

		// An owner invites; the link is shown once and is good once.
		var link panel.StaffNewLink
		marta.must(http.StatusCreated, "POST", "/admin/v1/staff-invitations", map[string]any{"email": "pau@example.org", "role": "support", "reason": "Weekends."}).into(t, &link)
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/staff-invitations", map[string]any{"email": "pau", "role": "support", "reason": "Weekends."})
		var list panel.StaffList
		marta.must(http.StatusOK, "GET", "/admin/v1/staff", nil).into(t, &list)
		if len(list.Members) != 1 || len(list.Invitations) != 1 || list.Invitations[0].Email != "pau@example.org" {
			t.Errorf("%+v", list)
		}
		_, token, _ := strings.Cut(link.URL, "#")
		pau := w.accept(token, "Pau", "")
		marta.refused(http.StatusConflict, "email_taken", "POST", "/admin/v1/staff-invitations", map[string]any{"email": "pau@example.org", "role": "viewer", "reason": "Again."})
		pau.refused(http.StatusForbidden, "forbidden", "GET", "/admin/v1/staff", nil)
		pau.sendWithout(t)

		// Two links to one address: the second finds it taken.
		_, one, err := w.staff.Invite(audit.As(t.Context(), audit.CommandLine("test")), "two@example.org", staff.Viewer, "Twice.")
		if err != nil {
			t.Fatal(err)
		}
		_, two, err := w.staff.Invite(audit.As(t.Context(), audit.CommandLine("test")), "two@example.org", staff.Viewer, "Twice.")
		if err != nil {
			t.Fatal(err)
		}
		w.accept(one, "Two", "")
		nobody.must(http.StatusOK, "POST", "/admin/v1/invitation", map[string]any{"token": two}).into(t, &invited)
		if a := accept(two, w.code(invited.TotpSecret), password); a.code() != "email_taken" {
			t.Errorf("%s", a.body)
		}
		var other panel.StaffNewLink
		marta.must(http.StatusCreated, "POST", "/admin/v1/staff-invitations", map[string]any{"email": "x@example.org", "role": "viewer", "reason": "Wrong."}).into(t, &other)
		marta.must(http.StatusNoContent, "DELETE", "/admin/v1/staff-invitations/"+other.ID, map[string]any{"reason": "Wrong address."})
		marta.refused(http.StatusNotFound, "not_found", "DELETE", "/admin/v1/staff-invitations/"+other.ID, map[string]any{"reason": "Wrong address."})
		marta.refused(http.StatusBadRequest, "invalid_request", "DELETE", "/admin/v1/staff-invitations/"+other.ID, map[string]any{})

		// Another role holds from the next request on; nobody is left without an owner.
		path := "/admin/v1/staff/" + pau.member.ID
		marta.must(http.StatusOK, "PATCH", path, map[string]any{"role": "owner", "reason": "Holidays."})
		pau.must(http.StatusOK, "GET", "/admin/v1/staff", nil)
		marta.must(http.StatusOK, "PATCH", path, map[string]any{"role": "economist", "reason": "Back."})
		pau.refused(http.StatusForbidden, "forbidden", "GET", "/admin/v1/staff", nil)
		pau.must(http.StatusOK, "GET", "/admin/v1/audit", nil)
		own := "/admin/v1/staff/" + marta.member.ID
		marta.refused(http.StatusConflict, "last_owner", "PATCH", own, map[string]any{"role": "viewer", "reason": "x"})
		marta.refused(http.StatusConflict, "last_owner", "PATCH", own, map[string]any{"disabled": true, "reason": "x"})
		marta.refused(http.StatusBadRequest, "invalid_request", "PATCH", own, map[string]any{"role": "king", "reason": "x"})
		stranger := "/admin/v1/staff/01890a5d-ac96-774b-bcce-b302099a8057"
		marta.refused(http.StatusNotFound, "not_found", "PATCH", stranger, map[string]any{"role": "viewer", "reason": "x"})

		// Where Pau is signed in, and out again.
		var sessions panel.StaffSessionList
		marta.must(http.StatusOK, "GET", path+"/sessions", nil).into(t, &sessions)
		if len(sessions.Sessions) != 1 || sessions.Sessions[0].Current || sessions.Sessions[0].Address != "127.0.0.1" {
			t.Errorf("%+v", sessions)
		}
		marta.refused(http.StatusNotFound, "not_found", "GET", stranger+"/sessions", nil)
		marta.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/staff/%ff/sessions", nil)
		marta.must(http.StatusNoContent, "DELETE", path+"/sessions", map[string]any{"reason": "Stolen."})
		marta.refused(http.StatusNotFound, "not_found", "DELETE", stranger+"/sessions", map[string]any{"reason": "Stolen."})
		marta.refused(http.StatusBadRequest, "invalid_request", "DELETE", path+"/sessions", map[string]any{"reason": ""})
		pau.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)

		// Another password and second factor, by a link.
		marta.must(http.StatusCreated, "POST", path+"/reset", map[string]any{"reason": "Lost."}).into(t, &link)
		marta.refused(http.StatusNotFound, "not_found", "POST", stranger+"/reset", map[string]any{"reason": "Lost."})
		marta.refused(http.StatusBadRequest, "invalid_request", "POST", path+"/reset", map[string]any{})
		_, token, _ = strings.Cut(link.URL, "#")
		again := w.accept(token, "Pau", "")
		if again.member.ID != pau.member.ID || again.member.Role != "economist" {
			t.Errorf("%+v", again.member)
		}
		marta.must(http.StatusOK, "PATCH", path, map[string]any{"disabled": true, "reason": "Gone."})
		again.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)

		var said []string
		for _, e := range slices.Backward(w.trailOf("staff", pau.member.ID)) {
			said = append(said, e.Action+" by "+e.Name)
			if e.Reason == "" || e.Outcome != audit.Done {
				t.Errorf("%+v", e)
			}
		}
		want := []string{
			"staff.invite.accept by Pau", "staff.change by Marta", "staff.change by Marta", "staff.sign-out by Marta",
			"staff.reset by Marta", "staff.reset.accept by Pau", "staff.change by Marta",
		}
		if !slices.Equal(said, want) {
			t.Errorf("the trail says %q, want %q", said, want)
		}
		last := w.trailOf("staff", pau.member.ID)[0]
		if string(last.Before) == "" || !strings.Contains(string(last.After), `"disabled":true`) {
			t.Errorf("before %s, after %s", last.Before, last.After)
		}
		w.audited(marta)
		for _, secret := range []string{password, invited.TotpSecret, token, marta.csrf, strings.TrimPrefix(marta.cookie, panel.CookieName+"=")} {
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("the log has a secret: %s", secret)
			}
		}
		w.allSeen(common, "panel-session", "panel-staff", "panel-audit")
	})
}

// audited looks at the trail through the panel: by what is looked for, page by page,
// and as files.
func (w *world) audited(c *client) {
	t := w.t
	t.Helper()
	var page panel.AuditPage
	var seen []string
	for cursor := ""; ; cursor = "&cursor=" + *page.NextCursor {
		page = panel.AuditPage{}
		c.must(http.StatusOK, "GET", "/admin/v1/audit?action=staff&limit=3"+cursor, nil).into(t, &page)
		for _, e := range page.Entries {
			seen = append(seen, e.ID)
		}
		if page.NextCursor == nil {
			break
		}
	}
	if len(seen) < 10 || !slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%d entries, newest first? %v", len(seen), seen)
	}
	c.must(http.StatusOK, "GET", "/admin/v1/audit?text=HOLIDAYS&actor="+c.member.ID, nil).into(t, &page)
	if len(page.Entries) != 1 || page.Entries[0].Reason != "Holidays." {
		t.Errorf("%+v", page)
	}
	c.must(http.StatusOK, "GET", "/admin/v1/audit?text=%25", nil).into(t, &page)
	if len(page.Entries) != 0 {
		t.Errorf("a %% stands for itself: %+v", page)
	}
	c.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/audit?limit=0", nil)
	c.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/audit/export?format=xls", nil)
	lines := strings.Split(strings.TrimSpace(string(c.must(http.StatusOK, "GET", "/admin/v1/audit/export?action=staff", nil).body)), "\n")
	if len(lines) != len(seen) {
		t.Errorf("%d lines of %d entries", len(lines), len(seen))
	}
	var e panel.AuditEntry
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil || e.ID != seen[len(seen)-1] {
		t.Errorf("the oldest comes first: %v %+v", err, e)
	}
	if table := string(c.must(http.StatusOK, "GET", "/admin/v1/audit/export?format=csv", nil).body); !strings.HasPrefix(table, "id,at,") || !strings.Contains(table, "Holidays.") {
		t.Errorf("%s", table)
	}
}

// sendWithout tries changes without the token that belongs to the session, or with
// another's.
func (c *client) sendWithout(t *testing.T) {
	t.Helper()
	good := c.csrf
	for _, token := range []string{"", "x", good + "x", staff.CSRF("another")} {
		c.csrf = token
		c.refused(http.StatusForbidden, "csrf", "DELETE", "/admin/v1/session", nil)
	}
	c.csrf = good
	c.must(http.StatusOK, "GET", "/admin/v1/session", nil)
}

// A session ends when it is not used, and in any case.
func TestSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		idle := w.as(staff.Owner)
		w.pass(staff.DefaultIdle - time.Minute)
		idle.must(http.StatusOK, "GET", "/admin/v1/session", nil)
		w.pass(staff.DefaultIdle - time.Minute)
		idle.must(http.StatusOK, "GET", "/admin/v1/session", nil)
		w.pass(staff.DefaultIdle)
		idle.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)

		busy := w.as(staff.Owner)
		for range int(staff.DefaultLength/staff.DefaultIdle)*2 - 1 {
			w.pass(staff.DefaultIdle / 2)
			busy.must(http.StatusOK, "GET", "/admin/v1/session", nil)
		}
		w.pass(staff.DefaultIdle / 2)
		busy.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)
		if err := w.staff.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		busy.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)
		w.pass(60 * 24 * time.Hour)
		if err := w.staff.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		busy.refused(http.StatusUnauthorized, "unauthenticated", "GET", "/admin/v1/session", nil)
	})
}

// A link that has been followed makes those before it good for nothing; of who is not
// let in no link is good, and what began before is over when they are let in again.
func TestLinksThatAreLeft(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		owner, pau, nobody := w.as(staff.Owner), w.as(staff.Support), &client{w: w}
		path := "/admin/v1/staff/" + pau.member.ID
		reset := func() string {
			t.Helper()
			var link panel.StaffNewLink
			owner.must(http.StatusCreated, "POST", path+"/reset", map[string]any{"reason": "A new phone."}).into(t, &link)
			_, token, _ := strings.Cut(link.URL, "#")
			return token
		}
		bad := func(token, why string) {
			t.Helper()
			for _, at := range []string{"", "/accept"} {
				body := map[string]any{"token": token}
				if at != "" {
					body["name"], body["password"], body["code"] = "Pau", password, "000000"
				}
				if a := nobody.send("POST", "/admin/v1/invitation"+at, body); a.code() != "link_invalid" {
					t.Errorf("%s: %d %s", why, a.status, a.body)
				}
			}
		}
		first, second, third := reset(), reset(), reset()
		pau = w.accept(second, "Pau", "")
		bad(first, "a link from before the one that was followed")
		bad(third, "a link from behind the one that was followed")

		left := reset()
		looked := nobody.must(http.StatusOK, "POST", "/admin/v1/invitation", map[string]any{"token": left})
		var invited panel.StaffInvitation
		looked.into(t, &invited)
		owner.must(http.StatusOK, "PATCH", path, map[string]any{"disabled": true, "reason": "Left."})
		bad(left, "a link of who is not let in")
		// As if it had been looked at right before.
		l, err := w.store.Link(t.Context(), sha256.Sum256([]byte(left)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.store.Member(t.Context(), pau.member.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.Follow(t.Context(), l.ID, w.now(), m, nil); fault.CodeOf(err) != staff.CodeLink {
			t.Errorf("%v", err)
		}
		// As if the password had been looked at right before.
		late := staff.Session{ID: l.ID, Hash: sha256.Sum256([]byte("late")), MemberID: m.ID, CreatedAt: w.now(), SeenAt: w.now()}
		if err := w.store.AddSession(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		owner.must(http.StatusOK, "PATCH", path, map[string]any{"disabled": false, "reason": "Back."})
		pau.cookie, pau.csrf = panel.CookieName+"=late", staff.CSRF("late")
		pau.refused(http.StatusUnauthorized, "session_ended", "GET", "/admin/v1/session", nil)
		w.accept(left, "Pau", "")
	})
}

// A recovery code stands in for a code of the second factor, once. Guesses are slowed.
func TestRecoveryAndGuessing(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		_, token, err := w.staff.Invite(audit.As(t.Context(), audit.CommandLine("test")), "ana@example.org", staff.Viewer, "x")
		if err != nil {
			t.Fatal(err)
		}
		c := &client{w: w}
		var invited panel.StaffInvitation
		c.must(http.StatusOK, "POST", "/admin/v1/invitation", map[string]any{"token": token}).into(t, &invited)
		var accepted panel.StaffAccepted
		c.must(http.StatusCreated, "POST", "/admin/v1/invitation/accept", map[string]any{
			"token": token, "name": "Ana", "password": password, "code": w.code(invited.TotpSecret),
		}).into(t, &accepted)
		in := func(password, code string) answer {
			return c.send("POST", "/admin/v1/session", map[string]any{"email": "ANA@example.org", "password": password, "code": code})
		}
		recovery := strings.ToUpper(strings.ReplaceAll(accepted.RecoveryCodes[3], "-", " "))
		if a := in("another password", recovery); a.code() != "invalid_credentials" {
			t.Errorf("%s", a.body)
		}
		if a := in(password, recovery); a.status != http.StatusCreated {
			t.Errorf("%s", a.body)
		}
		if a := in(password, recovery); a.code() != "invalid_credentials" {
			t.Errorf("a recovery code is good twice: %s", a.body)
		}
		codes := map[string]int{}
		for range 20 {
			codes[in(password, "000000").code()]++
		}
		if codes["rate_limited"] < 10 {
			t.Errorf("guesses are not slowed: %v", codes)
		}
	})
}
