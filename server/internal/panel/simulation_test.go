package panel_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/simulation"
	"github.com/cuatrola/cuatrola/server/staff"
)

// withSimulations brings the economy that ships, and simulations that it knows of.
func withSimulations(w *world, o *panel.Options) {
	service := economy.NewService(w.store, w.now)
	if err := service.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	o.Simulations = simulation.New(w.store.Simulations(), w.now, rand.Reader)
	w.t.Cleanup(func() {
		if err := o.Simulations.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
	o.Economy = economy.NewDesk(service, o.Simulations, rand.Reader)
}

// A draft is simulated, here and elsewhere, and is found by whoever would publish it.
func TestSimulations(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind, withSimulations)
		eva, viewer := w.as(staff.Economist), w.as(staff.Viewer)
		const at, nowhere = "/admin/v1/simulations", "0198f1c2-0000-7000-8000-00000000000a"
		get := func(id string) (s panel.Simulation) {
			t.Helper()
			viewer.must(http.StatusOK, "GET", at+"/"+id, nil).into(t, &s)
			return s
		}

		var draft panel.EconomyDraft
		eva.must(http.StatusCreated, "POST", "/admin/v1/economy/drafts", map[string]any{"name": "Easter", "from": "live"}).into(t, &draft)
		more := strings.Replace(*draft.Document, `"coins": [60, 20]`, `"coins": [70, 20]`, 1)
		eva.must(http.StatusOK, "PATCH", "/admin/v1/economy/drafts/"+draft.ID, map[string]any{"revision": 1, "document": more})
		ask := map[string]any{"source": "draft:" + draft.ID, "days": 28}

		viewer.refused(http.StatusForbidden, "forbidden", "POST", at, ask)
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at, map[string]any{"source": "live", "days": 93})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at, map[string]any{"days": 3})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at, map[string]any{"source": "live", "document": more, "days": 3})
		eva.refused(http.StatusNotFound, "not_found", "POST", at, map[string]any{"source": "version:7", "days": 3})
		eva.refused(http.StatusUnprocessableEntity, "economy_invalid", "POST", at, map[string]any{"document": "{}", "days": 3})

		var begun panel.Simulation
		eva.must(http.StatusAccepted, "POST", at, ask).into(t, &begun)
		s := get(begun.ID)
		for s.State == "running" {
			s = get(begun.ID)
		}
		if s.State != "done" || s.Result == nil || s.Result.Total.Count != 0 || *s.Document != more || *s.Source != "draft:"+draft.ID ||
			s.Author != eva.member.Name || s.Total == nil || s.To.Sub(s.From) < 27*24*time.Hour {
			t.Errorf("%+v", s)
		}
		var review panel.EconomyReview
		viewer.must(http.StatusOK, "GET", "/admin/v1/economy/review?of=draft:"+draft.ID, nil).into(t, &review)
		if review.Forecast == nil || review.Forecast.Days != 28 {
			t.Errorf("who would publish it is told %+v", review)
		}

		// One that another process carries out, until nothing is heard of it.
		elsewhere := &simulation.Run{
			ID: "01ffffff-0000-7000-8000-000000000001", Document: []byte(more), Live: 1, From: s.From, To: s.To, Author: "Pau",
			State: simulation.Running, Done: 3, Total: -1, StartedAt: w.now(), BeatAt: w.now(),
		}
		if err := w.store.Simulations().AddRun(t.Context(), elsewhere); err != nil {
			t.Fatal(err)
		}
		eva.refused(http.StatusConflict, "simulation_running", "POST", at, ask)
		viewer.refused(http.StatusForbidden, "forbidden", "POST", at+"/"+elsewhere.ID+"/cancel", nil)
		var cancelled panel.Simulation
		eva.must(http.StatusAccepted, "POST", at+"/"+elsewhere.ID+"/cancel", nil).into(t, &cancelled)
		if asked, err := w.store.Simulations().Beat(t.Context(), elsewhere.ID, 4, 9, w.now()); err != nil || !asked || cancelled.State != "running" {
			t.Errorf("asked to end: %t, %v, %+v", asked, err, cancelled)
		}
		w.pass(2 * time.Minute)
		if s := get(elsewhere.ID); s.State != "lost" || s.EndedAt == nil || *s.Total != 9 || s.Result != nil {
			t.Errorf("%+v", s)
		}
		eva.refused(http.StatusConflict, "simulation_over", "POST", at+"/"+elsewhere.ID+"/cancel", nil)
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/"+nowhere+"/cancel", nil)
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/x/cancel", nil)

		var page panel.SimulationPage
		viewer.must(http.StatusOK, "GET", at+"?limit=1", nil).into(t, &page)
		if len(page.Simulations) != 1 || page.Simulations[0].ID != elsewhere.ID || page.NextCursor == nil {
			t.Fatalf("%+v", page)
		}
		viewer.must(http.StatusOK, "GET", at+"?limit=1&cursor="+*page.NextCursor, nil).into(t, &page)
		if len(page.Simulations) != 1 || page.Simulations[0].ID != begun.ID || page.Simulations[0].Result != nil || page.Simulations[0].Document != nil {
			t.Errorf("%+v", page)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"?limit=0", nil)
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/"+nowhere, nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/x", nil)
		w.allSeen(common, "panel-simulation")
	})
}
