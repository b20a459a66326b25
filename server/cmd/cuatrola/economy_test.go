package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// An operator changes the economy beside a running server, which takes up each version
// as it is published.
func TestEconomyCommand(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			c := settings(t)
			if kind == store.Postgres {
				c.DatabaseURL = storetest.Options(t, kind).URL
				c.JWTKeyFile = filepath.Join(t.TempDir(), "jwt.pem")
				if err := (&keysGenerate{File: c.JWTKeyFile}).Run(); err != nil {
					t.Fatal(err)
				}
			}
			env := []string{"CUATROLA_DATA_DIR=" + c.DataDir, "DATABASE_URL=" + c.DatabaseURL}
			stop := start(t, c)
			dir := t.TempDir()
			do := func(status int, want string, args ...string) string {
				t.Helper()
				got := runIn(t.Context(), t, env, "", append([]string{"economy"}, args...)...)
				if got.status != status || !strings.Contains(got.stdout+got.stderr, want) {
					t.Fatalf("%v: %+v, want %q", args, got, want)
				}
				return strings.TrimSpace(got.stdout)
			}
			file := func(name, before, after string) string {
				t.Helper()
				text := strings.Replace(string(economy.Default()), before, after, 1)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return filepath.Join(dir, name)
			}
			live := func(version, welcome int) {
				t.Helper()
				var got struct {
					Version  int
					Document struct{ Welcome int }
				}
				res, err := http.Get("http://" + c.Listen + "/v1/economy")
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.Version != version || got.Document.Welcome != welcome {
					t.Errorf("the server has %+v, %v; want version %d with a welcome of %d", got, err, version, welcome)
				}
			}
			sign := []string{"--author", "eva", "--reason", "more for all"}
			signed := func(args ...string) []string { return append(args, sign...) }

			do(0, "version 1, live, from ", "show")
			if text := do(0, "", "show", "--document"); text != strings.TrimSpace(string(economy.Default())) {
				t.Errorf("the document alone: %s", text)
			}
			do(0, `"$schema"`, "schema")
			good := file("good.json", `"welcome": 500`, `"welcome": 501`)
			bad := file("bad.json", `"daily": [50, 60`, `"daily": [50, -60`)
			do(0, "", "validate", good)
			do(1, "/daily/1: ", "validate", bad)
			do(1, `{"path":"/daily/1","code":"too_small","message":"`, "validate", "--json", bad)
			do(1, "none.json", "validate", filepath.Join(dir, "none.json"))

			do(0, "whoever earns less", "simulate", "--days", "7", good)
			do(0, `"bySource":[`, "simulate", "--json", "live")
			do(1, "/daily/1: ", "simulate", bad)
			do(1, "days", "simulate", "--days", "1000", good)

			id := do(0, "", "draft", "save", bad, "--author", "eva")
			do(0, "-60", "draft", "show", id)
			do(1, "/daily/1: ", signed("publish", id)...)
			if again := do(0, "", "draft", "save", good, "--id", id, "--author", "eva"); again != id {
				t.Errorf("the draft became %s", again)
			}
			do(0, `"base":1,"author":"eva"`, "draft", "list", "--json")
			do(0, `"name":"bad.json","revision":2`, "draft", "list", "--json")
			if changes := do(0, "", "compare", "live", id); changes != "/welcome: 500 -> 501" {
				t.Errorf("what differs: %s", changes)
			}
			do(0, `{"path":"/welcome","before":501,"after":500}`, "compare", "--json", good, "1")
			do(1, "economy_outdated", signed("publish", good, "--base", "7")...)
			do(80, "--reason", "publish", id, "--author", "eva")
			do(80, "say something", "publish", id, "--author", "eva", "--reason", " ")
			live(1, 500)

			do(0, "version 2 is live", signed("publish", id)...)
			live(2, 501)
			do(1, "economy_outdated", signed("publish", id)...) // it began from version 1
			do(1, "economy_live", signed("withdraw", "2")...)

			do(0, `"number":3,"state":"coming","liveFrom":"2999-01-01T00:00:00Z"`, signed("publish", good, "--at", "2999-01-01T00:00:00Z", "--json")...)
			do(0, "", signed("withdraw", "3")...)
			live(2, 501)
			do(0, "version 4 is live", signed("rollback", "1")...)
			live(4, 500)
			do(1, "not_found", signed("rollback", "9")...)
			table := do(0, "NUMBER", "versions")
			for i, want := range []string{"4       live       ", "3       withdrawn  ", "2       past       ", "1       past       "} {
				if line := lines(table)[i+1]; !strings.HasPrefix(line, want) {
					t.Errorf("the list has %q, want %q", line, want)
				}
			}
			do(0, "", "draft", "delete", id)
			do(1, "not_found", "draft", "delete", id)
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
