package rest_test

import (
	"net/http"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// engaged puts a player into a place, which other domains' requests do otherwise.
func engaged(t *testing.T, s *store.Store, player, kind, place string) {
	t.Helper()
	db, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	statement := `INSERT INTO engagements (player_id, kind, place_id, seq, reason, since) VALUES ($1, $2, $3, 3, 'started', 1774728000000)`
	if _, err := db.ExecContext(t.Context(), statement, player, kind, place); err != nil {
		t.Fatal(err)
	}
}

// Whoever comes back on a new device is told where to.
func TestEngagement(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, kind)
			ana, _ := w.guest("Ana")
			var me rest.Player
			w.send(request{method: "GET", path: "/v1/me", token: ana}).into(t, &me)
			ask := request{method: "GET", path: "/v1/me/engagement", token: ana}
			var e rest.Engagement
			w.send(ask).into(t, &e)
			if e.Kind != "none" || e.ID != nil || e.Seq != 0 || e.Since != nil || e.Reason != nil {
				t.Errorf("a new player: %+v", e)
			}
			engaged(t, w.store, me.ID, "match", nobody)
			w.send(ask).into(t, &e)
			if e.Kind != "match" || *e.ID != nobody || e.Seq != 3 || *e.Reason != "started" || e.Since.Unix() != 1774728000 {
				t.Errorf("in a match: %+v", e)
			}
			w.refusals(ana, request{method: "GET", path: "/v1/me/engagement"})
			w.expect(http.StatusOK, "", ask)
		})
	}
}
