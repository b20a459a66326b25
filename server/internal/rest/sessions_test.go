package rest_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/sanction"
)

// signedOut is an access token of a session that has been ended.
func (w *world) signedOut() string {
	w.t.Helper()
	var g rest.Guest
	w.send(request{method: "POST", path: "/v1/guests", body: "{}"}).into(w.t, &g)
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/sessions", token: g.AccessToken})
	return g.AccessToken
}

// suspended goes through what is answered whom the operator keeps out.
func (w *world) suspended() {
	w.t.Helper()
	var g rest.Guest
	w.send(request{method: "POST", path: "/v1/guests", body: "{}"}).into(w.t, &g)
	a := w.send(request{method: "POST", path: "/v1/me/support-code", token: g.AccessToken})
	var code rest.SupportCode
	if a.into(w.t, &code); a.status != http.StatusCreated || len(code.Code) != 9 || !code.ExpiresAt.After(w.now()) {
		w.t.Errorf("%d: %s", a.status, a.body)
	}
	nobody := func(context.Context, string) error { return nil }
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	door := sanction.New(w.store, w.accounts, nobody, time.Now, rand.Reader)
	impose := func(until time.Time, text string) {
		w.t.Helper()
		_, err := door.Impose(w.t.Context(), sanction.Wish{
			PlayerID: g.Player.ID, Word: sanction.Harassment, Text: text, Reason: "again", Author: "Eva", Until: until,
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	impose(until, "")
	signIn := request{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": g.DeviceSecret}}
	refresh := request{method: "POST", path: "/v1/sessions/refresh", body: map[string]string{"refreshToken": g.RefreshToken}}
	w.expect(http.StatusUnauthorized, "session_ended", request{method: "GET", path: "/v1/me", token: g.AccessToken})
	w.expect(http.StatusForbidden, "suspended", refresh)
	var p rest.Problem
	w.expect(http.StatusForbidden, "suspended", signIn)
	w.expect(http.StatusForbidden, "suspended", request{method: "POST", path: "/v1/guests", body: map[string]string{"deviceSecret": g.DeviceSecret}})
	somebody, _ := w.guest("Somebody")
	w.refusals(somebody, request{method: "POST", path: "/v1/me/support-code"})
	w.send(signIn).into(w.t, &p)
	if p.Suspension == nil || p.Suspension.Why != "harassment" || p.Suspension.Until == nil || !p.Suspension.Until.Equal(until) {
		w.t.Errorf("%+v", p)
	}
	impose(time.Time{}, "We have talked about this.")
	p = rest.Problem{}
	if w.send(signIn).into(w.t, &p); p.Suspension == nil || p.Suspension.Until != nil || p.Suspension.Text == nil || *p.Suspension.Text != p.Detail {
		w.t.Errorf("%+v", p)
	}
	if err := door.Lift(w.t.Context(), g.Player.ID, "Eva", "they have promised"); err != nil {
		w.t.Fatal(err)
	}
	w.expect(http.StatusCreated, "", signIn)
}

// sessions goes through every answer about sessions.
func (w *world) sessions(secret string) {
	w.t.Helper()
	signIn := func(device string) rest.Session {
		w.t.Helper()
		a := w.send(request{method: "POST", path: "/v1/sessions", body: map[string]string{"deviceSecret": secret, "deviceName": device}})
		var s rest.Session
		a.into(w.t, &s)
		if a.status != http.StatusCreated || s.RefreshToken == "" {
			w.t.Fatalf("%d: %s", a.status, a.body)
		}
		return s
	}
	refresh := func(token string) request {
		return request{method: "POST", path: "/v1/sessions/refresh", body: map[string]string{"refreshToken": token}}
	}
	me := func(token string) request { return request{method: "GET", path: "/v1/me", token: token} }

	phone, laptop := signIn("phone"), signIn("laptop")
	var list rest.SessionList
	w.send(request{method: "GET", path: "/v1/sessions", token: laptop.AccessToken}).into(w.t, &list)
	var current, others int
	for _, s := range list.Sessions {
		switch {
		case s.Current && s.SessionID == laptop.SessionID && s.DeviceName != nil && *s.DeviceName == "laptop":
			current++
		case !s.Current:
			others++
		}
	}
	if current != 1 || others < 1 {
		w.t.Errorf("the list of sessions is %+v", list)
	}

	// A token is good once; a retry gets the same, an old one ends the session.
	var second, third rest.Session
	w.send(refresh(phone.RefreshToken)).into(w.t, &second)
	var retried rest.Session
	w.send(refresh(phone.RefreshToken)).into(w.t, &retried)
	if second.RefreshToken == phone.RefreshToken || second.RefreshToken != retried.RefreshToken || second.SessionID != phone.SessionID {
		w.t.Errorf("refreshed %+v, retried %+v", second, retried)
	}
	// A client that chooses the next one itself gets that.
	chosen := map[string]string{"refreshToken": second.RefreshToken, "nextRefreshToken": "d2VyIG5pY2h0IHNwaWVsdCwgaGF0IHNjaG9uIHZlcmw"}
	w.send(request{method: "POST", path: "/v1/sessions/refresh", body: chosen}).into(w.t, &third)
	if third.RefreshToken != chosen["nextRefreshToken"] {
		w.t.Errorf("refreshed %+v", third)
	}
	w.expect(http.StatusOK, "", me(third.AccessToken))
	w.expect(http.StatusUnauthorized, "refresh_reused", refresh(phone.RefreshToken))
	w.expect(http.StatusUnauthorized, "refresh_invalid", refresh(third.RefreshToken))
	w.expect(http.StatusUnauthorized, "session_ended", me(third.AccessToken))
	for _, r := range w.requestExamples("refreshSession") {
		w.expect(http.StatusUnauthorized, "refresh_invalid", request{method: "POST", path: "/v1/sessions/refresh", body: r})
	}

	w.suspended()

	// One session is signed out, then all.
	phone = signIn("phone")
	one := func(id, token string) request {
		return request{method: "DELETE", path: "/v1/sessions/" + id, token: token}
	}
	stranger, _ := w.guest("Stranger")
	w.expect(http.StatusNotFound, "not_found", one(phone.SessionID, stranger))
	w.expect(http.StatusBadRequest, "invalid_request", one("x", laptop.AccessToken))
	w.expect(http.StatusNoContent, "", one(phone.SessionID, laptop.AccessToken))
	w.expect(http.StatusNotFound, "not_found", one(phone.SessionID, laptop.AccessToken))
	w.expect(http.StatusUnauthorized, "session_ended", me(phone.AccessToken))
	w.expect(http.StatusOK, "", me(laptop.AccessToken))
	phone, other := signIn("phone"), signIn("other")
	w.expect(http.StatusNoContent, "", request{method: "DELETE", path: "/v1/sessions", token: other.AccessToken})
	for _, s := range []rest.Session{phone, laptop, other} {
		w.expect(http.StatusUnauthorized, "session_ended", me(s.AccessToken))
		w.expect(http.StatusUnauthorized, "refresh_invalid", refresh(s.RefreshToken))
	}
	w.expect(http.StatusOK, "", me(stranger))
}
