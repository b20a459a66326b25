package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/client"
)

// An operator gives a match up beside a running server, which has it in memory. Its
// player is told, and not by whom.
func TestMatchVoidCommand(t *testing.T) {
	c := settings(t)
	stop := start(t, c)
	player, err := client.SignUp(t.Context(), "http://"+c.Listen, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	v, err := player.CreateMatch(t.Context(), "one", client.NewMatch{Rules: "mesa"})
	if err == nil {
		v, err = player.View(t.Context(), v.MatchID)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUATROLA_DATA_DIR", c.DataDir)
	void := func(status int, want string, args ...string) {
		t.Helper()
		args = append([]string{"match", "void", "--author", "eva", "--reason", "stuck"}, args...)
		if got := run(t, "", args...); got.status != status || !strings.Contains(got.stdout+got.stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	void(0, "given up", v.MatchID)
	void(0, "given up", v.MatchID)
	void(1, "not_found", "00000000-0000-7000-8000-000000000000")

	_, err = player.Seed(t.Context(), v.MatchID, "late")
	var problem *client.Problem
	if !errors.As(err, &problem) || problem.Code != "match_void" || problem.Status != http.StatusConflict {
		t.Errorf("a seed for it: %v", err)
	}
	if v, err = player.View(t.Context(), v.MatchID); err != nil || v.Phase != "void" {
		t.Errorf("the view: %s, %v", v.Raw, err)
	}
	matches, err := player.Get(t.Context(), "/v1/matches")
	if err != nil || !strings.Contains(string(matches), `"status":"void"`) || strings.Contains(string(matches), "eva") {
		t.Errorf("the history: %s, %v", matches, err)
	}
	if got := run(t, "", "ledger", "check"); got.status != 0 {
		t.Errorf("the ledger: %+v", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
