package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// Whoever sends what does not fit is told which member, and a number is the same
// however it is written.
func TestMisfits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ana := w.friend("Ana")
		for _, c := range []struct{ path, body, code, field, says string }{
			{"/v1/queue", `{"partnerId":"x"}`, "invalid_request", "partnerId", "regular expression"},
			{"/v1/queue", `{"stake":-1}`, "invalid_request", "stake", "at least 0"},
			{"/v1/queue", `{"stake":100.5}`, "invalid_request", "stake", "integer"},
			{"/v1/queue", `{"extra":1}`, "invalid_request", "extra", "unsupported"},
			{"/v1/queue", `{"rules":{"preset":"mesa"}}`, "invalid_rules", "rules", ""},
			{"/v1/queue", `{"rules":5}`, "invalid_rules", "rules", ""},
			{"/v1/rooms", `{"rules":[]}`, "invalid_rules", "rules", ""},
			{"/v1/rooms", `{"rules":{"preset":"mesa","beat":1}}`, "invalid_rules", "beat", ""},
			{"/v1/rooms", `{"rules":"mesa","seat":1}`, "invalid_request", "seat", "unsupported"},
			{"/v1/rooms", `{}`, "invalid_request", "rules", "missing"},
			{"/v1/sessions", `{"google":{"idToken":"x","nonce":"y","more":1}}`, "invalid_request", "google.more", "unsupported"},
			{"/v1/rooms/join", `{"code":5}`, "invalid_request", "code", "string"},
		} {
			a := w.send(request{method: "POST", path: c.path, token: ana.token, body: c.body})
			var p rest.Problem
			a.into(t, &p)
			if a.code() != c.code || a.field() != c.field || !strings.Contains(p.Detail, c.says) {
				t.Errorf("%s %s: %s", c.path, c.body, a.body)
			}
		}
		for _, body := range []string{`{"stake":1e2}`, `{"stake":100.0}`, `{"stake":10000e-2}`} {
			if e := ana.enters(body); e.Ticket.Stake != 100 {
				t.Errorf("%s: %+v", body, e.Ticket)
			}
			ana.goes()
		}
		r := ana.does("POST", "", `{"rules":{"preset":"mesa","target":2e1},"turnSeconds":6e1}`)
		if r.TurnSeconds != 60 {
			t.Errorf("%+v", r)
		}
		w.expect(http.StatusOK, "", ana.request("PATCH", "/"+r.ID, `{"turnSeconds":30.0}`))
	})
}
