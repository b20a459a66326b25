package panel_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/staff"
)

// withFairness brings a watch whose thresholds are those that ship.
func withFairness(t testing.TB, watch **fairness.Service) func(*world, *panel.Options) {
	t.Helper()
	d, problems := economy.Parse(economy.Default())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return func(w *world, o *panel.Options) {
		o.Fairness = fairness.New(w.store, func(context.Context) (economy.Fairness, error) { return d.Fairness, nil }, w.now, rand.Reader)
		t.Cleanup(o.Fairness.Stop)
		if watch != nil {
			*watch = o.Fairness
		}
	}
}

// addCases puts findings of each kind before the watch, the first with the greatest
// score.
func addCases(t testing.TB, w *world) (players []string) {
	t.Helper()
	pool, err := w.store.SQL()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct{ id, name string }{
		{"01890a5d-0000-7000-8000-000000000001", "Marisol"},
		{"01890a5d-0000-7000-8000-000000000002", "<b>Anselmo</b>"},
		{"01890a5d-0000-7000-8000-000000000003", "Remedios"},
		{"01890a5d-0000-7000-8000-000000000004", "Benito"},
	} {
		players = append(players, p.id)
		if _, err := pool.ExecContext(t.Context(), "INSERT INTO players (id, name, guest, created_at) VALUES ($1, $2, $3, 1)", p.id, p.name, true); err != nil {
			t.Fatal(err)
		}
	}
	at := w.now().UTC().Truncate(time.Millisecond)
	a, b, c, d := players[0], players[1], players[2], players[3]
	found := []fairness.Finding{
		{Kind: fairness.Pair, Key: a + "," + b, Players: []string{a, b}, Score: 9.123456789, Evidence: fairness.Evidence{
			Days: 30, Matches: 2, Won: 1, Expected: 1.1, Probability: 1e-9, LookedAt: 4, Apart: []fairness.Record{{Player: a, Matches: 3, Won: 1}, {Player: b}},
			Bouts: []fairness.Bout{{Match: "m1", At: at, Won: true, Chance: 0.5, Coins: 100}, {Match: "m2", At: at, Chance: 0.6, Coins: -100}},
		}},
		{Kind: fairness.Flow, Key: a + "," + c, Players: []string{a, c}, Score: 8, Evidence: fairness.Evidence{Days: 30, Matches: 9, Won: 9, Expected: 4, Probability: 1e-8, LookedAt: 4, Coins: 4500}},
		{Kind: fairness.Relay, Key: c, Players: []string{c, a, b}, Score: 8, Evidence: fairness.Evidence{
			Days: 30, Probability: 1e-8, LookedAt: 9, Coins: 1500, Flows: []fairness.Stream{{From: a, To: c, Coins: 4500, Matches: 9, Won: 9, Probability: 1e-5}, {From: c, To: b, Coins: 1500, Matches: 9, Won: 8, Probability: 1e-4}},
		}},
		{Kind: fairness.Company, Key: a + "," + b + "," + c + "," + d, Players: players, Score: 5, Evidence: fairness.Evidence{Days: 30, Matches: 20, Won: 0, Expected: 2.5, Probability: 1e-6, LookedAt: 400}},
		{Kind: fairness.Speed, Key: d, Players: []string{d}, Score: 3, Evidence: fairness.Evidence{Days: 30, Pace: &fairness.Pace{
			Actions: 150, Tenth: 90, Median: 150, Ninetieth: 200, Fast: true, Histogram: make([]int, len(fairness.PaceBounds)+1), MatchIDs: []string{"m1"},
		}}},
	}
	n := 0
	if _, err := w.store.SeeCases(t.Context(), found, func(_ *fairness.Case, f fairness.Finding) (*fairness.Case, bool) {
		n++
		return &fairness.Case{ID: "01890a5d-0000-7000-8000-0000000000c" + string(rune('0'+n)), Finding: f, State: fairness.Open, FirstSeen: at, LastSeen: at}, true
	}); err != nil {
		t.Fatal(err)
	}
	return players
}

func TestFairness(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		var watch *fairness.Service
		w := newWorld(t, kind, withFairness(t, &watch))
		support, viewer := w.as(staff.Support), w.as(staff.Viewer)
		players := addCases(t, w)
		const cases = "/admin/v1/fairness/cases"

		// All, in pages of two, by score.
		var all []panel.FairnessCase
		cursor := ""
		for {
			var page panel.FairnessCasePage
			viewer.must(http.StatusOK, "GET", cases+"?limit=2"+cursor, nil).into(t, &page)
			all = append(all, page.Cases...)
			if page.Counts.Open != 5 || page.Counts.Watching+page.Counts.Dismissed != 0 {
				t.Errorf("counts %+v", page.Counts)
			}
			if page.NextCursor == nil {
				break
			}
			cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
		}
		if len(all) != 5 {
			t.Fatalf("%d cases", len(all))
		}
		for i, c := range all {
			if i > 0 && c.Score > all[i-1].Score || c.Evidence.Bouts != nil {
				t.Errorf("case %d: %+v", i, c)
			}
		}
		var page panel.FairnessCasePage
		viewer.must(http.StatusOK, "GET", cases+"?kind=speed&state=open&player="+players[3], nil).into(t, &page)
		if len(page.Cases) != 1 || page.Cases[0].Evidence.Pace == nil || page.Cases[0].Players[0].Name != "Benito" {
			t.Errorf("%+v", page.Cases)
		}
		for _, bad := range []string{"?kind=guilt", "?state=punished", "?cursor=x", "?player=x", "?limit=0"} {
			viewer.refused(http.StatusBadRequest, "invalid_request", "GET", cases+bad, nil)
		}

		// One, whole.
		first := all[0]
		var one panel.FairnessCase
		viewer.must(http.StatusOK, "GET", cases+"/"+first.ID, nil).into(t, &one)
		if len(*one.Evidence.Bouts) != 2 || *(*one.Evidence.Bouts)[1].Coins != -100 || one.Players[1].Name != "<b>Anselmo</b>" || one.DecidedAt != nil {
			t.Errorf("%+v", one)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", cases+"/01890a5d-0000-7000-8000-000000000000", nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", cases+"/x", nil)

		// A decision, with its line in the trail.
		decide := func(state, reason string) map[string]any { return map[string]any{"state": state, "reason": reason} }
		viewer.refused(http.StatusForbidden, "forbidden", "POST", cases+"/"+first.ID+"/decision", decide("dismissed", "No."))
		support.refused(http.StatusBadRequest, "invalid_request", "POST", cases+"/"+first.ID+"/decision", decide("dismissed", ""))
		support.refused(http.StatusBadRequest, "invalid_request", "POST", cases+"/"+first.ID+"/decision", decide("dismissed", "  "))
		support.refused(http.StatusNotFound, "not_found", "POST", cases+"/01890a5d-0000-7000-8000-000000000000/decision", decide("dismissed", "No."))
		if entries := w.trailOf("fairness case", first.ID); len(entries) != 0 {
			t.Errorf("the trail of what was refused: %+v", entries)
		}
		support.must(http.StatusOK, "POST", cases+"/"+first.ID+"/decision", decide("dismissed", "They are sisters.")).into(t, &one)
		if one.State != "dismissed" || *one.Reason != "They are sisters." || *one.DecidedBy != support.member.Name || one.DecidedAt == nil {
			t.Errorf("%+v", one)
		}
		entries := w.trailOf("fairness case", first.ID)
		if len(entries) != 1 || entries[0].Action != "fairness.decide" || entries[0].Change.Reason != "They are sisters." || entries[0].Actor.ID != support.member.ID {
			t.Errorf("the trail: %+v", entries)
		}

		// A search, which ends.
		viewer.refused(http.StatusForbidden, "forbidden", "POST", "/admin/v1/fairness/searches", nil)
		var run panel.FairnessSearch
		support.must(http.StatusAccepted, "POST", "/admin/v1/fairness/searches", nil).into(t, &run)
		if *run.AskedBy != support.member.Name {
			t.Errorf("%+v", run)
		}
		watch.Wait()
		var list panel.FairnessSearchList
		viewer.must(http.StatusOK, "GET", "/admin/v1/fairness/searches", nil).into(t, &list)
		if len(list.Searches) != 1 || list.Searches[0].State != "done" || list.Searches[0].ID != run.ID || list.Searches[0].EndedAt == nil {
			t.Errorf("%+v", list.Searches)
		}
		w.allSeen(common, "panel-fairness")
	})
}
