package panel_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/staff"
)

// doubles is what a simulation says of every document: twice the coins.
type doubles struct{}

func (doubles) Forecast(context.Context, []byte, int) (*economy.Forecast, error) {
	return &economy.Forecast{Before: 1000, After: 2000, Days: 7, At: time.Date(2026, 3, 30, 8, 0, 0, 0, time.UTC), Replayed: []string{"/welcome"}}, nil
}

// withEconomy brings the document that ships, live.
func withEconomy(w *world, o *panel.Options) {
	service := economy.NewService(w.store, w.now)
	if err := service.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	o.Economy = economy.NewDesk(service, doubles{}, rand.Reader)
}

// From a draft to a version by one person, by two, and back: every answer of the
// contract about the economy, and what the trail says of it.
func TestEconomy(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		w := newWorld(t, kind, withEconomy)
		eva, ida, viewer := w.as(staff.Economist), w.as(staff.Owner), w.as(staff.Viewer)
		const at = "/admin/v1/economy"
		nowhere := "0198f1c2-0000-7000-8000-00000000000a"

		var schema struct{ Schema json.RawMessage }
		viewer.must(http.StatusOK, "GET", at+"/schema", nil).into(t, &schema)
		if welcome, daily := strings.Index(string(schema.Schema), `"welcome"`), strings.Index(string(schema.Schema), `"daily"`); welcome < 0 || welcome > daily {
			t.Error("the schema has lost its order")
		}
		begin := func(from string) panel.EconomyDraft {
			t.Helper()
			var d panel.EconomyDraft
			eva.must(http.StatusCreated, "POST", at+"/drafts", map[string]any{"name": "Easter", "description": "More.", "from": from}).into(t, &d)
			return d
		}
		save := func(d panel.EconomyDraft, change map[string]any) panel.EconomyDraft {
			t.Helper()
			change["revision"] = d.Revision
			var got panel.EconomyDraft
			eva.must(http.StatusOK, "PATCH", at+"/drafts/"+d.ID, change).into(t, &got)
			return got
		}
		viewer.refused(http.StatusForbidden, "forbidden", "POST", at+"/drafts", map[string]any{"name": "Mine", "from": "live"})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/drafts", map[string]any{"name": "Mine", "from": "elsewhere"})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/drafts", map[string]any{"name": " ", "from": "live"})
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/drafts", map[string]any{"name": "Mine", "from": "version:9"})

		d := begin("live")
		if d.Document == nil || *d.Document != string(economy.Default()) || d.Base != 1 || d.Problems != 0 || d.Origin != "live" {
			t.Fatalf("%+v", d)
		}
		text := func(old, replacement string) string { return strings.Replace(*d.Document, old, replacement, 1) }
		bad := save(d, map[string]any{"document": text(`"welcome": 500`, `"welcome": -1`)})
		if bad.Problems != 1 || bad.Revision != 2 || bad.Document != nil || bad.Editor != eva.member.Name {
			t.Errorf("%+v", bad)
		}
		ida.refused(http.StatusConflict, "economy_draft_changed", "PATCH", at+"/drafts/"+d.ID, map[string]any{"revision": 1, "name": "Mine"})
		eva.refused(http.StatusNotFound, "not_found", "PATCH", at+"/drafts/"+nowhere, map[string]any{"revision": 1})
		eva.refused(http.StatusBadRequest, "invalid_request", "PATCH", at+"/drafts/"+d.ID, map[string]any{"name": "x"})
		publish := func(d panel.EconomyDraft, base int) map[string]any {
			return map[string]any{"revision": d.Revision, "base": base, "reason": "It is time."}
		}
		eva.refused(http.StatusUnprocessableEntity, "economy_invalid", "POST", at+"/drafts/"+d.ID+"/publish", publish(bad, 1))
		eva.refused(http.StatusConflict, "economy_outdated", "POST", at+"/drafts/"+d.ID+"/publish", publish(bad, 7))
		eva.refused(http.StatusConflict, "economy_draft_changed", "POST", at+"/drafts/"+d.ID+"/publish", publish(d, 1))
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/drafts/"+nowhere+"/publish", publish(d, 1))
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/drafts/"+d.ID+"/publish", map[string]any{"revision": 2, "base": 1})

		var problems panel.EconomyProblems
		eva.must(http.StatusOK, "POST", at+"/validate", map[string]any{"document": "{\n x"}).into(t, &problems)
		if p := problems.Problems; len(p) != 1 || p[0].Code != "not_json" || p[0].Line == nil || *p[0].Line != 2 {
			t.Errorf("%+v", p)
		}
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/validate", map[string]any{})

		// A title alone needs nobody else.
		d = save(bad, map[string]any{"document": text("Para empezar", "Para comenzar"), "name": "Title", "base": 1})
		var review panel.EconomyReview
		viewer.must(http.StatusOK, "GET", at+"/review?of=draft:"+d.ID, nil).into(t, &review)
		if review.Need != nil || len(review.Changes) != 1 || review.Newest != 1 || review.Forecast == nil {
			t.Errorf("%+v", review)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/review?of=draft:"+nowhere, nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/review", nil)
		var out panel.EconomyOutcome
		eva.must(http.StatusOK, "POST", at+"/drafts/"+d.ID+"/publish", publish(d, 1)).into(t, &out)
		if out.Version == nil || out.Version.Number != 2 || out.Version.State != "live" || out.Proposal != nil {
			t.Fatalf("%+v", out)
		}
		eva.refused(http.StatusNotFound, "not_found", "GET", at+"/drafts/"+d.ID, nil)

		// Twice the coins need two people.
		propose := func() panel.EconomyProposal {
			t.Helper()
			d := begin("version:2")
			d = save(d, map[string]any{"document": strings.Replace(*d.Document, `"welcome": 500`, `"welcome": 1000`, 1)})
			var out panel.EconomyOutcome
			eva.must(http.StatusOK, "POST", at+"/drafts/"+d.ID+"/publish", publish(d, 2)).into(t, &out)
			if out.Proposal == nil || out.Proposal.Need != "moves_issuance" || out.Proposal.Forecast == nil || !out.Proposal.Own {
				t.Fatalf("%+v", out)
			}
			return *out.Proposal
		}
		p, refused, back, void := propose(), propose(), propose(), propose()
		why := map[string]any{"reason": "Looks right."}
		on := func(p panel.EconomyProposal, what string) string { return at + "/proposals/" + p.ID + what }
		for _, what := range []string{"/approve", "/refuse"} {
			eva.refused(http.StatusConflict, "economy_own_proposal", "POST", on(p, what), why)
			ida.refused(http.StatusBadRequest, "invalid_request", "POST", on(p, what), map[string]any{})
			ida.refused(http.StatusNotFound, "not_found", "POST", at+"/proposals/"+nowhere+what, why)
			viewer.refused(http.StatusForbidden, "forbidden", "POST", on(p, what), why)
		}
		ida.must(http.StatusOK, "POST", on(refused, "/refuse"), map[string]any{"reason": "Too much."})
		ida.refused(http.StatusConflict, "economy_proposal_closed", "POST", on(refused, "/refuse"), why)
		ida.refused(http.StatusForbidden, "forbidden", "POST", on(back, "/take-back"), why)
		eva.must(http.StatusOK, "POST", on(back, "/take-back"), why)
		eva.refused(http.StatusConflict, "economy_proposal_closed", "POST", on(back, "/take-back"), why)
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", on(back, "/take-back"), map[string]any{})
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/proposals/"+nowhere+"/take-back", why)
		var v panel.EconomyVersion
		ida.must(http.StatusOK, "POST", on(p, "/approve"), why).into(t, &v)
		if v.Number != 3 || v.Approver == nil || *v.Approver != ida.member.Name || v.Author != eva.member.Name {
			t.Errorf("%+v", v)
		}
		ida.refused(http.StatusConflict, "economy_proposal_closed", "POST", on(void, "/approve"), why)
		var page panel.EconomyProposalPage
		viewer.must(http.StatusOK, "GET", at+"/proposals?limit=3", nil).into(t, &page)
		if len(page.Proposals) != 3 || page.Proposals[0].State != "void" || page.Proposals[1].State != "taken_back" || page.Proposals[2].State != "refused" || page.NextCursor == nil {
			t.Fatalf("%+v", page)
		}
		viewer.must(http.StatusOK, "GET", at+"/proposals?limit=3&cursor="+*page.NextCursor, nil).into(t, &page)
		if len(page.Proposals) != 1 || page.Proposals[0].State != "approved" || page.Proposals[0].Own {
			t.Errorf("%+v", page)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/proposals?limit=0", nil)
		var one panel.EconomyProposal
		viewer.must(http.StatusOK, "GET", on(p, ""), nil).into(t, &one)
		if one.Document == nil || !strings.Contains(*one.Document, `"welcome": 1000`) {
			t.Errorf("%+v", one)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/proposals/"+nowhere, nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/proposals/x", nil)

		// Back in one step, and no further.
		var history panel.EconomyVersionPage
		viewer.must(http.StatusOK, "GET", at+"/versions", nil).into(t, &history)
		if history.Before == nil || *history.Before != 2 {
			t.Errorf("%+v", history)
		}
		restore := map[string]any{"base": 3, "reason": "That was too much."}
		eva.refused(http.StatusConflict, "economy_outdated", "POST", at+"/versions/2/restore", map[string]any{"base": 2, "reason": "x"})
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/versions/2/restore", map[string]any{"base": 2})
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/versions/9/restore", restore)
		eva.must(http.StatusOK, "POST", at+"/versions/2/restore", restore).into(t, &out)
		if out.Version == nil || out.Version.Number != 4 || out.Version.Restores == nil || *out.Version.Restores != 2 {
			t.Errorf("%+v", out)
		}
		// At a time, and taken back before it.
		d = begin("live")
		d = save(d, map[string]any{"document": strings.Replace(*d.Document, `"growth": 50`, `"growth": 60`, 1)})
		timed := publish(d, 4)
		timed["from"] = w.now().Add(time.Hour).UTC().Format(time.RFC3339)
		eva.must(http.StatusOK, "POST", at+"/drafts/"+d.ID+"/publish", timed).into(t, &out)
		if out.Version == nil || out.Version.State != "coming" {
			t.Errorf("%+v", out)
		}
		eva.refused(http.StatusConflict, "economy_live", "POST", at+"/versions/4/withdraw", why)
		eva.refused(http.StatusNotFound, "not_found", "POST", at+"/versions/9/withdraw", why)
		eva.refused(http.StatusBadRequest, "invalid_request", "POST", at+"/versions/5/withdraw", map[string]any{})
		for range 2 {
			eva.must(http.StatusOK, "POST", at+"/versions/5/withdraw", why).into(t, &v)
			if v.State != "withdrawn" || v.WithdrawnAt == nil {
				t.Errorf("%+v", v)
			}
		}
		var versions panel.EconomyVersionPage
		viewer.must(http.StatusOK, "GET", at+"/versions?limit=2", nil).into(t, &versions)
		if versions.Live != 4 || versions.Newest != 5 || len(versions.Versions) != 2 || versions.NextCursor == nil || *versions.NextCursor != "4" {
			t.Errorf("%+v", versions)
		}
		viewer.must(http.StatusOK, "GET", at+"/versions?cursor=4", nil).into(t, &versions)
		if len(versions.Versions) != 3 || versions.Versions[2].State != "past" {
			t.Errorf("%+v", versions)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/versions?cursor=x", nil)
		viewer.must(http.StatusOK, "GET", at+"/versions/3", nil).into(t, &v)
		if v.Document == nil {
			t.Errorf("%+v", v)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/versions/9", nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/versions/0", nil)

		var comparison panel.EconomyComparison
		viewer.must(http.StatusOK, "GET", at+"/comparison?before=version:2&after=proposal:"+p.ID, nil).into(t, &comparison)
		if len(comparison.Changes) != 1 || comparison.Changes[0].Path != "/welcome" || fmt.Sprint(comparison.Changes[0].After) != "1000" {
			t.Errorf("%+v", comparison)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/comparison?before=version:9&after=live", nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/comparison?before=live", nil)
		var document panel.EconomyText
		viewer.must(http.StatusOK, "GET", at+"/document?of=shipped", nil).into(t, &document)
		if document.Document != string(economy.Default()) {
			t.Error("another document than the one that ships")
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", at+"/document?of=version:9", nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/document?of=nothing", nil)

		d = begin("shipped")
		var drafts panel.EconomyDraftList
		viewer.must(http.StatusOK, "GET", at+"/drafts", nil).into(t, &drafts)
		if len(drafts.Drafts) != 4 || drafts.Drafts[0].ID != d.ID || drafts.Drafts[0].Document != nil {
			t.Errorf("%+v", drafts)
		}
		viewer.must(http.StatusOK, "GET", at+"/drafts/"+d.ID, nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", at+"/drafts/x", nil)
		eva.refused(http.StatusConflict, "economy_draft_changed", "DELETE", at+"/drafts/"+d.ID+"?revision=2", nil)
		eva.refused(http.StatusBadRequest, "invalid_request", "DELETE", at+"/drafts/"+d.ID, nil)
		eva.must(http.StatusNoContent, "DELETE", at+"/drafts/"+d.ID+"?revision=1", nil)
		eva.refused(http.StatusNotFound, "not_found", "DELETE", at+"/drafts/"+d.ID+"?revision=1", nil)
		for range economy.MaxDrafts - 3 {
			begin("shipped")
		}
		eva.refused(http.StatusConflict, "economy_drafts", "POST", at+"/drafts", map[string]any{"name": "Mine", "from": "live"})

		// What was published says in the trail what it changed.
		var trail panel.AuditPage
		ida.must(http.StatusOK, "GET", "/admin/v1/audit?action=economy.approve", nil).into(t, &trail)
		if len(trail.Entries) != 1 || trail.Entries[0].Reason != "Looks right." || !strings.Contains(fmt.Sprint(trail.Entries[0].After), "/welcome") {
			t.Errorf("%+v", trail)
		}
		w.allSeen(append([]string{"approveEconomyProposal 409 economy_outdated", "approveEconomyProposal 422 economy_invalid", "restoreEconomyVersion 422 economy_invalid"}, common...), "panel-economy")
	})
}
