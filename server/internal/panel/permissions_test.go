package panel_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/staff"
)

// allowed is who may do what, operation by operation, written down once more by hand:
// the first letters of owner, economist, support and viewer; anybody needs no session.
// Whoever adds an operation or moves a permission says so here too.
var allowed = map[string]string{
	// session
	"getStaffSession":    "OESV",
	"createStaffSession": "anybody",
	"endStaffSession":    "OESV",
	"lookAtInvitation":   "anybody",
	"acceptInvitation":   "anybody",

	// self
	"createStaffSessionByPasskey": "anybody",
	"askPasskey":                  "anybody",
	"listOwnStaffSessions":        "OESV",
	"endOtherStaffSessions":       "OESV",
	"changeStaffPassword":         "OESV",
	"makeStaffRecovery":           "OESV",
	"listPasskeys":                "OESV",
	"addPasskey":                  "OESV",
	"askForPasskey":               "OESV",
	"removePasskey":               "OESV",

	// staff
	"listStaff":          "O",
	"changeStaff":        "O",
	"resetStaff":         "O",
	"listStaffSessions":  "O",
	"endStaffSessions":   "O",
	"inviteStaff":        "O",
	"takeBackInvitation": "O",

	// audit
	"listAudit":   "OE",
	"exportAudit": "O",

	// economy
	"getEconomySchema":        "OESV",
	"listEconomyVersions":     "OESV",
	"getEconomyVersion":       "OESV",
	"withdrawEconomyVersion":  "OE",
	"restoreEconomyVersion":   "OE",
	"listEconomyDrafts":       "OESV",
	"beginEconomyDraft":       "OE",
	"getEconomyDraft":         "OESV",
	"saveEconomyDraft":        "OE",
	"discardEconomyDraft":     "OE",
	"publishEconomyDraft":     "OE",
	"listEconomyProposals":    "OESV",
	"getEconomyProposal":      "OESV",
	"approveEconomyProposal":  "OE",
	"refuseEconomyProposal":   "OE",
	"takeBackEconomyProposal": "OE",
	"validateEconomy":         "OE",
	"getEconomyDocument":      "OESV",
	"compareEconomy":          "OESV",
	"reviewEconomy":           "OESV",

	// simulation
	"listSimulations":  "OESV",
	"startSimulation":  "OE",
	"getSimulation":    "OESV",
	"cancelSimulation": "OE",

	// overview
	"getOverview":         "OESV",
	"getOverviewSeries":   "OESV",
	"getOverviewPayments": "OESV",
	"getOverviewFaults":   "OESV",
	"getLedgerCheck":      "OESV",
	"runLedgerCheck":      "OE",

	// tables
	"listTables":     "OESV",
	"watchMatch":     "OESV",
	"voidMatch":      "OS",
	"getMatchRecord": "OESV",

	// league
	"listSeasons":   "OESV",
	"getSeason":     "OESV",
	"previewSeason": "OESV",
	"listGroups":    "OESV",
	"getStandings":  "OESV",
	"closeLeague":   "OE",

	// players
	"searchPlayers":       "OESV",
	"mergePlayers":        "OS",
	"getPlayerFile":       "OESV",
	"listPlayerSessions":  "OESV",
	"endPlayerSessions":   "OS",
	"getPlayerStatement":  "OESV",
	"listPlayerOrders":    "OESV",
	"listPlayerMatches":   "OESV",
	"listPlayerNotices":   "OESV",
	"listPlayerReports":   "OSV",
	"listPlayerSanctions": "OESV",
	"listPlayerNotes":     "OESV",
	"writePlayerNote":     "OES",
	"grantPlayer":         "OES",
	"suspendPlayer":       "OS",
	"liftSuspension":      "OS",
	"warnPlayer":          "OS",
	"renamePlayer":        "OS",
	"resetPlayerPassword": "OS",
	"unlinkPlayer":        "OS",
	"exportPlayer":        "OS",
	"deletePlayer":        "OS",
	"restorePlayer":       "OS",

	// reports
	"listCases":     "OSV",
	"getCase":       "OSV",
	"claimCase":     "OS",
	"releaseCase":   "OS",
	"answerReports": "OS",

	// orders
	"listStaffOrders":    "OESV",
	"getStaffOrder":      "OESV",
	"refundOrder":        "OS",
	"endOrderRenewal":    "OS",
	"listProviderEvents": "OESV",
	"reconcileOrders":    "OES",

	// switches
	"listSwitches": "OESV",
	"setSwitch":    "OES",

	// broadcast
	"listBroadcasts":      "OESV",
	"sendBroadcast":       "OE",
	"getBroadcastOptions": "OESV",
	"previewBroadcast":    "OE",
	"getBroadcast":        "OESV",
	"cancelBroadcast":     "OE",

	// fairness
	"listFairnessCases":    "OESV",
	"getFairnessCase":      "OESV",
	"decideFairnessCase":   "OS",
	"listFairnessSearches": "OESV",
	"startFairnessSearch":  "OES",
}

var letters = map[string]staff.Role{"O": staff.Owner, "E": staff.Economist, "S": staff.Support, "V": staff.Viewer}

// contracted is one of the contract's, with a request that fits it.
type contracted struct {
	id, method, path string
	body             any
}

func (o contracted) unsafe() bool { return o.method != http.MethodGet }

// operations are those of the panel, in order.
func operations(t *testing.T, doc *openapi3.T) (all []contracted) {
	t.Helper()
	for path, item := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/admin/v1/") {
			continue
		}
		for method, op := range item.Operations() {
			o := contracted{id: op.OperationID, method: method, path: path}
			var query []string
			for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
				value := fmt.Sprint(p.Value.Example)
				switch {
				case p.Value.In == "path":
					o.path = strings.ReplaceAll(o.path, "{"+p.Value.Name+"}", value)
				case p.Value.In == "query" && p.Value.Required:
					query = append(query, p.Value.Name+"="+value)
				}
			}
			if strings.Contains(o.path, "{") || strings.Contains(o.path, "<nil>") {
				t.Errorf("%s has a parameter without an example: %s", o.id, o.path)
			}
			if len(query) > 0 {
				o.path += "?" + strings.Join(query, "&")
			}
			if op.RequestBody != nil {
				examples := op.RequestBody.Value.Content["application/json"].Examples
				names := slices.Sorted(maps.Keys(examples))
				if len(names) == 0 {
					t.Errorf("%s has no example of its body", o.id)
					continue
				}
				o.body = examples[names[0]].Value.Value
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b contracted) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

// Every operation of the contract is in the list above and has the guards that the
// panel goes by; there is no list without an operation.
func TestEveryOperationIsListed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			permission, _ := op.Extensions["x-permission"].(string)
			ofStaff := op.Security != nil && slices.ContainsFunc(*op.Security, func(r openapi3.SecurityRequirement) bool { _, is := r["staffSession"]; return is })
			if !strings.HasPrefix(path, "/admin/") {
				if ofStaff || permission != "" {
					t.Errorf("%s %s is the staff's, and not below /admin/v1", method, path)
				}
				continue
			}
			roles, listed := allowed[op.OperationID]
			seen[op.OperationID] = true
			switch open := permission == "" && !ofStaff; {
			case !listed:
				t.Errorf("%s (%s %s) is not in the list of this test", op.OperationID, method, path)
			case (permission != "") != ofStaff:
				t.Errorf("%s has permission %q, and staffSession is %v", op.OperationID, permission, ofStaff)
			case open != (roles == "anybody"):
				t.Errorf("%s is for %s, and its permission is %q", op.OperationID, roles, permission)
			}
		}
	}
	for id := range allowed {
		if !seen[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
}

// What the panel answers is what the contract has under /admin/v1, no more and no less.
func TestNoRouteOutsideTheContract(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(cuatrola.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	panel.New(panel.Options{PublicURL: "https://example.org"}).Register(app)
	written := strings.NewReplacer("{", ":", "}", "")
	contract, routes := map[string]bool{}, map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if strings.HasPrefix(path, "/admin/") {
				contract[method+" "+written.Replace(path)] = true
			}
		}
	}
	for _, r := range app.GetRoutes(true) {
		// Fiber lets a GET's handler answer HEAD.
		method := strings.Replace(r.Method, http.MethodHead, http.MethodGet, 1)
		routes[method+" "+r.Path] = true
	}
	for r := range routes {
		if !contract[r] {
			t.Errorf("%s is answered, and not in the contract", r)
		}
	}
	for r := range contract {
		if !routes[r] {
			t.Errorf("%s is in the contract, and not answered", r)
		}
	}
}

// gate is a panel that lets in whom the panel lets in, and does nothing then.
type gate struct{ *panel.Panel }

func (gate) Register(app fiber.Router) {
	app.All("/admin/v1/*", func(c *fiber.Ctx) error { return c.Status(http.StatusNoContent).Send(nil) })
}

// snapshot is all that the database holds, but for when sessions were last seen.
func snapshot(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, v := range storetest.Tables(t, s) {
		columns := "*"
		if v == "staff_sessions" {
			columns = "id, ended_at"
		}
		rows, err := pool.QueryContext(t.Context(), "SELECT "+columns+" FROM "+v) //nolint:gosec // a name from the database's own list
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for rows.Next() {
			values, places := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				places[i] = &values[i]
			}
			if err := rows.Scan(places...); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(values...))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
		slices.Sort(all)
		tables[v] = strings.Join(all, "\n")
	}
	return tables
}

// Each operation takes who may and refuses everybody else: without a session, with one
// that has run out or was ended, without the token that changes need, with a wrong one
// and another's, and in another role. Whoever is refused has changed nothing.
func TestWhoMayDoWhat(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind)
		all := operations(t, w.doc)
		if len(all) < 60 {
			t.Fatalf("only %d operations", len(all))
		}
		// Sessions of each role that are good no more.
		expired, ended, good := map[string]*client{}, map[string]*client{}, map[string]*client{}
		for letter, role := range letters {
			expired[letter] = w.as(role)
		}
		w.pass(staff.DefaultLength + time.Minute)
		for letter, role := range letters {
			ended[letter], good[letter] = w.as(role), w.as(role)
			ended[letter].must(http.StatusNoContent, "DELETE", "/admin/v1/session", nil)
		}
		nobody, forged := &client{w: w}, &client{w: w, cookie: panel.CookieName + "=forged", csrf: staff.CSRF("forged")}

		before := snapshot(t, w.store)
		refused := 0
		for _, o := range all {
			roles := allowed[o.id]
			try := func(c *client, status int, code, why string) {
				t.Helper()
				refused++
				if a := c.send(o.method, o.path, o.body); a.status != status || a.code() != code {
					t.Errorf("%s (%s %s) %s: %d %s, want %d %s", o.id, o.method, o.path, why, a.status, a.code(), status, code)
				}
			}
			if roles == "anybody" {
				if o.unsafe() {
					refused++
					if a := nobody.sendWith(o.method, o.path, o.body, map[string]string{"Sec-Fetch-Site": "cross-site"}); a.code() != "csrf" {
						t.Errorf("%s from another site: %d %s", o.id, a.status, a.code())
					}
				}
				continue
			}
			try(nobody, http.StatusUnauthorized, "unauthenticated", "without a session")
			try(forged, http.StatusUnauthorized, "unauthenticated", "with a made-up session")
			if !o.unsafe() {
				// Which has no body to hold against the contract.
				if status, _ := bare(t, w, http.MethodHead, o.path, nobody); status != http.StatusUnauthorized {
					t.Errorf("HEAD %s without a session: %d", o.path, status)
				}
			}
			for letter := range letters {
				try(expired[letter], http.StatusUnauthorized, "session_ended", letter+"'s session has run out")
				try(ended[letter], http.StatusUnauthorized, "session_ended", letter+"'s session was ended")
				c := *good[letter]
				if o.unsafe() {
					for _, token := range []string{"", "x", good[letter].csrf + "x", ended[letter].csrf} {
						c.csrf = token
						try(&c, http.StatusForbidden, "csrf", letter+"'s with token "+token)
					}
				}
				if !strings.Contains(roles, letter) {
					try(good[letter], http.StatusForbidden, "forbidden", "as "+letter)
				}
			}
		}
		after := snapshot(t, w.store)
		for table, rows := range before {
			if after[table] != rows {
				t.Errorf("refused requests have changed %s:\nbefore %s\nafter  %s", table, rows, after[table])
			}
		}
		t.Logf("%d requests for %d operations were refused", refused, len(all))

		// Whoever may is let in, by the same guards; behind them is nothing here.
		let := behindTheGate(t, w)
		for _, o := range all {
			for letter := range letters {
				status, _ := bare(t, let, o.method, o.path, good[letter])
				in := status != http.StatusUnauthorized && status != http.StatusForbidden
				if want := allowed[o.id] == "anybody" || strings.Contains(allowed[o.id], letter); in != want || status >= 500 {
					t.Errorf("%s as %s: %d, and is allowed: %v", o.id, letter, status, want)
				}
			}
		}
	})
}

// bare sends a request without a body and returns the status and the kind of what is
// answered, which is not held against the contract.
func bare(t *testing.T, w *world, method, path string, c *client) (status int, kind string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
		req.Header.Set(panel.HeaderCSRF, c.csrf)
	}
	res, err := w.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header.Get("Content-Type")
}

// behindTheGate is the same world, with nothing behind the panel's guards.
func behindTheGate(t *testing.T, w *world) *world {
	t.Helper()
	log := slog.New(slog.NewJSONHandler(&w.log, nil))
	server, err := rest.New(rest.Options{
		Panel: gate{panel.New(panel.Options{Staff: w.staff, Trail: w.trail, PublicURL: "https://example.org", Log: log, Now: w.now})},
		Page:  fstest.MapFS{}, PanelPage: fstest.MapFS{}, Stream: websocket.New(func(*websocket.Conn) {}),
		Ready: func(context.Context) error { return nil }, Observe: func(string, string, int, time.Duration) {}, Log: log, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		w.http.CloseIdleConnections()
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &world{t: t, url: "http://" + l.Addr().String(), http: w.http, doc: w.doc, router: w.router, store: w.store, staff: w.staff, trail: w.trail, seen: w.seen}
}

// Nothing else is answered under /admin/v1: not other methods, not what is written
// otherwise, not what nobody has thought of. Not even an owner gets anything there but
// the page itself, or a problem.
func TestNothingElseIsThere(t *testing.T) {
	w := newWorld(t, store.SQLite)
	owner := w.as(staff.Owner)
	before := snapshot(t, w.store)
	known := map[string]bool{}
	all := operations(t, w.doc)
	paths := map[string]bool{}
	for _, o := range all {
		path, _, _ := strings.Cut(o.path, "?")
		known[o.method+" "+path], paths[path] = true, true
	}
	for path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			if known[method+" "+path] || method == "HEAD" && known["GET "+path] {
				continue
			}
			if status, _ := bare(t, w, method, path, owner); status < 400 || status >= 500 {
				t.Errorf("%s %s: %d", method, path, status)
			}
		}
		for _, odd := range []string{
			path + "/", path + "/more/than/there/is", "/ADMIN" + strings.TrimPrefix(path, "/admin"), strings.Replace(path, "/v1/", "//v1/", 1),
			strings.Replace(path, "/v1/", "/v1//", 1), strings.Replace(path, "/v1/", "/v1/%2e/", 1), strings.Replace(path, "/v1/", "/v2/", 1),
		} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				if status, kind := bare(t, w, method, odd, owner); status >= 500 && kind != "text/plain; charset=utf-8" || status < 400 && !strings.HasPrefix(kind, "text/html") {
					t.Errorf("%s %s: %d %s", method, odd, status, kind)
				}
			}
		}
	}
	if after := snapshot(t, w.store); !maps.Equal(before, after) {
		t.Error("something has changed")
	}
}
