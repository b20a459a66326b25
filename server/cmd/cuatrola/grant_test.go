package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// An operator gives coins beside a running server. The player sees that, and neither
// who nor why.
func TestGrantCommand(t *testing.T) {
	c := settings(t)
	stop := start(t, c)
	player, err := client.SignUp(t.Context(), "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	var me struct{ ID string }
	text, err := player.Get(t.Context(), "/v1/me")
	if err == nil {
		err = json.Unmarshal(text, &me)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUATROLA_DATA_DIR", c.DataDir)
	grant := func(status int, want string, args ...string) {
		t.Helper()
		args = append([]string{"grant", "--author", "eva", "--reason", "lost in the outage"}, args...)
		if got := run(t, "", args...); got.status != status || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	grant(0, "done: +250 coins", "--key", "ticket-7", me.ID, "250")
	grant(0, "done before: +250 coins", "--key", "ticket-7", me.ID, "250")
	grant(1, "idempotency_conflict", "--key", "ticket-7", me.ID, "251")
	grant(0, `"coins":-50`, "--json", me.ID, "--", "-50")
	grant(1, "insufficient_coins", me.ID, "--", "-5000")
	grant(1, "not_found", "00000000-0000-7000-8000-000000000000", "1")
	if got := run(t, "", "grant", me.ID, "1", "--author", "eva"); got.status != 80 {
		t.Errorf("without a reason: %+v", got)
	}

	wallet, err := player.Get(t.Context(), "/v1/wallet")
	if err != nil || !strings.Contains(string(wallet), `"coins":700,`) { // 500 to welcome whoever asks
		t.Errorf("the wallet: %s, %v", wallet, err)
	}
	transfers, err := player.Get(t.Context(), "/v1/wallet/transfers?kind=grant")
	if err != nil || !strings.Contains(string(transfers), "Gift of the house") || !strings.Contains(string(transfers), "Correcció de la casa") ||
		strings.Contains(string(transfers), "eva") || strings.Contains(string(transfers), "outage") {
		t.Errorf("the statement: %s, %v", transfers, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
