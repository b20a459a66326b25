package rest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// What a client says is wrong with it is a line in the log, under the request's name and
// without what is nobody's business, and a count.
func TestClientFaults(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		var mu sync.Mutex
		counted := map[string]int{}
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:], func(o *rest.Options) {
			o.Faulted = func(kind string) { mu.Lock(); defer mu.Unlock(); counted[kind]++ }
		})
		ana, secret := w.guest("Ana")
		at := func(body any) request {
			return request{method: "POST", path: "/v1/client-faults", token: ana, body: body}
		}
		for _, example := range w.requestExamples("reportClientFault") {
			w.expect(http.StatusNoContent, "", at(example))
		}
		w.refusals(ana, request{method: "POST", path: "/v1/client-faults", body: "{}"})
		for body, field := range map[string]string{
			`{"kind":"mood","client":"web 1"}`:                    "kind",
			`{"kind":"crash"}`:                                    "client",
			`{"kind":"crash","client":"web 1","code":"<script>"}`: "code",
			`{"kind":"crash","client":"web 1","message":"` + strings.Repeat("x", 501) + `"}`:      "message",
			`{"kind":"crash","client":"` + strings.Repeat("x", 61) + `"}`:                         "client",
			`{"kind":"disagreement","client":"web 1","seq":-1}`:                                   "seq",
			`{"kind":"disagreement","client":"web 1","matchId":"x"}`:                              "matchId",
			`{"kind":"disagreement","client":"web 1","action":"` + strings.Repeat("x", 17) + `"}`: "action",
		} {
			if a := w.send(at(body)); a.code() != "invalid_request" || a.field() != field {
				t.Errorf("%s: %s", body, a.body)
			}
		}
		// Tokens and secrets are not written down, wherever a client has put them.
		told := map[string]any{"kind": "crash", "client": "web 1.4.0", "message": "401 for Bearer " + ana + ",\nthe secret " + secret + " at /assets/table-4f2a.js:41"}
		r := at(told)
		r.header = map[string]string{"X-Request-Id": "of-this-fault"}
		w.expect(http.StatusNoContent, "", r)
		if log := w.log.String(); strings.Contains(log, ana) || strings.Contains(log, secret) {
			t.Error("the log has a secret")
		}
		var lines []map[string]any
		for line := range strings.Lines(w.log.String()) {
			var one map[string]any
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			if one["msg"] == "client fault" {
				delete(one, "time")
				lines = append(lines, one)
			}
		}
		if len(lines) != 3 {
			t.Fatalf("%d lines: %v", len(lines), lines)
		}
		second, last := lines[1], lines[2] // the examples come by their names, crash and disagreement
		if second["request"] == "" || second["player"] == "" {
			t.Errorf("%v", second)
		}
		delete(second, "request")
		player := second["player"]
		delete(second, "player")
		if !maps.Equal(second, map[string]any{
			"level": "WARN", "msg": "client fault", "kind": "disagreement", "client": "web 1.4.0",
			"match": "01890a5d-ac96-774b-bcce-b302099a8057", "seq": 7.0, "action": "RE", "code": "must_follow",
		}) {
			t.Errorf("%v", second)
		}
		if !maps.Equal(last, map[string]any{
			"level": "WARN", "msg": "client fault", "request": "of-this-fault", "player": player, "kind": "crash", "client": "web 1.4.0",
			"message": "401 for Bearer …,\nthe secret … at /assets/table-4f2a.js:41",
		}) {
			t.Errorf("%v", last)
		}
		mu.Lock()
		defer mu.Unlock()
		if !maps.Equal(counted, map[string]int{"disagreement": 1, "crash": 2}) {
			t.Errorf("counted %v", counted)
		}
		w.allSeen("faults")
	})
}

// Whatever kinds the contract has are counted from the start.
func TestClientFaultKinds(t *testing.T) {
	c := contract()
	if c.err != nil {
		t.Fatal(c.err)
	}
	var kinds []string
	for _, one := range c.doc.Components.Schemas["ClientFault"].Value.Properties["kind"].Value.Enum {
		kinds = append(kinds, one.(string))
	}
	if got := rest.ClientFaultKinds(); !slices.Equal(got, kinds) {
		t.Errorf("%v, of the contract %v", got, kinds)
	}
}
