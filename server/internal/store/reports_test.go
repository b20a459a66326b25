package store_test

import (
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/report"
)

// Reports are one case for each player they are about; who has it in hand keeps others
// from answering, an answer is one of what was seen, and who reported is told.
func TestReportCases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		cases := report.New(s, d.notices, func() time.Time { return t0 })
		tell := people.New(s, func() time.Time { return t0 }, func(notice.Notice) {})
		rude, cheat, ana, ben := addPlayer(t, s, "Rude"), addPlayer(t, s, "Cheat"), addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		by := func(reporter, about string, why people.Reason) string {
			t.Helper()
			r, err := tell.Report(ctx, people.Report{ReporterID: reporter, ReportedID: about, Reason: why, Text: "<i>so</i>"})
			if err != nil {
				t.Fatal(err)
			}
			return r.ID
		}
		first := by(ana.ID, rude.ID, people.Harassment)
		about := by(ana.ID, cheat.ID, people.Cheating)
		second := by(ben.ID, rude.ID, people.Harassment)
		third := by(ben.ID, rude.ID, people.Name)

		list, err := cases.Cases(ctx, "", 10)
		if err != nil || len(list) != 2 || list[0].Reported.Name != "Rude" || list[1].Reported.Name != "Cheat" {
			t.Fatalf("%+v, %v", list, err)
		}
		if c := list[0]; c.Open != 3 || c.Reporters != 2 || c.Reasons[people.Harassment] != 2 || c.Reasons[people.Name] != 1 || len(c.Reasons) != 2 || c.Oldest != first {
			t.Errorf("%+v", c)
		}
		if list, err := cases.Cases(ctx, first, 10); err != nil || len(list) != 1 || list[0].Oldest != about {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := cases.Case(ctx, ana.ID); fault.CodeOf(err) != fault.NotFound {
			t.Error(err)
		}

		eva, ole := report.Staff{ID: newID(t), Name: "Eva"}, report.Staff{ID: newID(t), Name: "Ole"}
		if c, err := cases.Claim(ctx, rude.ID, eva, false); err != nil || c.ClaimedBy.ID != eva.ID || !c.ClaimedAt.Equal(t0) {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = cases.Claim(ctx, rude.ID, ole, false)
		d.refused(report.CodeClaimed, err)
		_, err = cases.Release(ctx, rude.ID, ole)
		d.refused(report.CodeClaimed, err)
		d.refused(report.CodeClaimed, cases.Close(ctx, rude.ID, []string{first}, report.Warned, ole, "so it is"))
		if _, err := cases.Claim(ctx, rude.ID, ole, true); err != nil {
			t.Error(err)
		}
		if c, err := cases.Release(ctx, rude.ID, ole); err != nil || c.ClaimedBy.ID != "" {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = cases.Claim(ctx, ana.ID, ole, true)
		d.refused(fault.NotFound, err)

		d.refused(fault.InvalidRequest, cases.Close(ctx, rude.ID, []string{first}, "", ole, "so it is"))
		d.refused(fault.InvalidRequest, cases.Close(ctx, rude.ID, []string{first}, report.Warned, ole, ""))
		d.refused(fault.InvalidRequest, cases.Close(ctx, rude.ID, nil, report.Warned, ole, "so it is"))
		d.refused(report.CodeAnswered, cases.Close(ctx, rude.ID, []string{first, about}, report.Warned, ole, "another's"))
		if err := cases.Close(ctx, rude.ID, []string{first, second, first}, report.Warned, ole, "so it is"); err != nil {
			t.Fatal(err)
		}
		d.refused(report.CodeAnswered, cases.Close(ctx, rude.ID, []string{first}, report.Dismissed, eva, "twice"))
		for _, p := range []string{ana.ID, ben.ID} {
			if told := d.told(p); len(told) != 1 {
				t.Errorf("told %q", told)
			}
		}
		if c, err := cases.Case(ctx, rude.ID); err != nil || c.Open != 1 || c.Oldest != third {
			t.Errorf("%+v, %v", c, err)
		}
		all, err := cases.Reports(ctx, report.Which{About: rude.ID}, "", 10)
		if err != nil || len(all) != 3 || !all[0].Open || all[1].Open || all[1].Answer != report.Warned || all[1].AnsweredBy != "Ole" ||
			all[1].Note != "so it is" || !all[1].AnsweredAt.Equal(t0) || all[2].Reporter.Name != "Ana" || all[2].Text != "<i>so</i>" {
			t.Errorf("%+v, %v", all, err)
		}
		if all, err := cases.Reports(ctx, report.Which{By: ben.ID, Open: true}, "", 10); err != nil || len(all) != 1 || all[0].ID != third {
			t.Errorf("%+v, %v", all, err)
		}
		// The same report can come anew.
		by(ana.ID, rude.ID, people.Harassment)
	})
}
