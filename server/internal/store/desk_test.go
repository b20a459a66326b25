package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// forecasts are what simulations said, by the document's fingerprint.
type forecasts map[string]*economy.Forecast

func (f forecasts) Forecast(_ context.Context, document []byte, _ int) (*economy.Forecast, error) {
	return f[economy.Fingerprint(document)], nil
}

// deskTest is a desk on a database with the document that ships live.
type deskTest struct {
	*testing.T
	*economy.Desk
	s   *store.Store
	e   *economy.Service
	now time.Time
	f   forecasts
}

var (
	eva = economy.Person{ID: "0193a1b2-0000-7000-8000-00000000000e", Name: "Eva"}
	ida = economy.Person{ID: "0193a1b2-0000-7000-8000-00000000001d", Name: "Ida"}
)

func newDeskTest(t *testing.T, s *store.Store) *deskTest {
	t.Helper()
	d := &deskTest{T: t, s: s, now: t0, f: forecasts{}}
	d.e = economy.NewService(s, func() time.Time { return d.now })
	d.Desk = economy.NewDesk(d.e, d.f, rand.Reader)
	if err := d.e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// with is the document that ships with other amounts in place of its own.
func with(pairs ...string) []byte {
	text := economy.Default()
	for i := 0; i < len(pairs); i += 2 {
		if bytes.Count(text, []byte(pairs[i])) != 1 {
			panic(pairs[i])
		}
		text = bytes.Replace(text, []byte(pairs[i]), []byte(pairs[i+1]), 1)
	}
	return text
}

// draft keeps a document as a draft of Eva's.
func (d *deskTest) draft(document []byte) *economy.Draft {
	d.Helper()
	draft, err := d.Keep(d.Context(), eva, &economy.Draft{Name: "draft", Document: document})
	if err != nil {
		d.Fatal(err)
	}
	return draft
}

// simulated says what a document would issue in place of 1000 coins.
func (d *deskTest) simulated(document []byte, after int64) {
	d.f[economy.Fingerprint(document)] = &economy.Forecast{Before: 1000, After: after, Days: 7, At: d.now, Replayed: []string{"/matches"}}
}

func (d *deskTest) publish(draft *economy.Draft, base int) (*economy.Version, *economy.Proposal, error) {
	return d.Publish(d.Context(), eva, economy.Publication{DraftID: draft.ID, Revision: draft.Revision, Base: base, Reason: "to see"})
}

func (d *deskTest) refused(code fault.Code, err error) {
	d.Helper()
	if fault.CodeOf(err) != code {
		d.Errorf("got %v, want %s", err, code)
	}
}

func (d *deskTest) live(number int) {
	d.Helper()
	if v, _, err := d.e.Live(d.Context()); err != nil || v.Number != number {
		d.Errorf("live is %+v, %v; want %d", v, err, number)
	}
}

func eachDesk(t *testing.T, f func(d *deskTest)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { f(newDeskTest(t, s)) })
}

func TestDrafts(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		first, err := d.Begin(ctx, eva, " Summer ", "more for all", economy.Source{Kind: economy.FromVersion, ID: "1"})
		if err != nil || first.Name != "Summer" || first.Base != 1 || first.Revision != 1 || first.Origin != "version:1" || !bytes.Equal(first.Document, economy.Default()) {
			d.Fatalf("%+v, %v", first, err)
		}
		d.now = d.now.Add(time.Minute)
		name := "Winter"
		text := []byte(`{"any": "text`)
		changed, err := d.Save(ctx, ida, first.ID, 1, economy.Edit{Name: &name, Document: text})
		if err != nil || changed.Revision != 2 || changed.Editor != "Ida" || changed.Author != "Eva" {
			d.Fatalf("%+v, %v", changed, err)
		}
		kept, err := d.Draft(ctx, first.ID)
		if err != nil || kept.Name != name || !bytes.Equal(kept.Document, text) || kept.Description != "more for all" || !kept.UpdatedAt.Equal(d.now) || !kept.CreatedAt.Equal(t0) {
			d.Fatalf("%+v, %v", kept, err)
		}
		// Eva has the first state before her still.
		_, err = d.Save(ctx, eva, first.ID, 1, economy.Edit{Document: economy.Default()})
		d.refused(economy.CodeDraftChanged, err)
		d.refused(economy.CodeDraftChanged, d.Discard(ctx, first.ID, 1))

		copied, err := d.Begin(ctx, ida, "copy", "", economy.Source{Kind: economy.FromDraft, ID: first.ID})
		if err != nil || !bytes.Equal(copied.Document, text) {
			d.Fatalf("%+v, %v", copied, err)
		}
		if all, err := d.Drafts(ctx); err != nil || len(all) != 2 {
			d.Errorf("%+v, %v", all, err)
		}
		if err := d.Discard(ctx, copied.ID, 1); err != nil {
			d.Fatal(err)
		}
		d.refused(fault.NotFound, d.Discard(ctx, copied.ID, 1))

		long, nul, none, base := strings.Repeat("x", 81), "a\x00b", " ", 2
		for _, e := range []economy.Edit{
			{Name: &long},
			{Name: &nul},
			{Name: &none},
			{Description: &nul},
			{Base: &base},
			{Document: []byte(nul)},
			{Document: bytes.Repeat([]byte(" "), economy.MaxDocument+1)},
			{Document: []byte("\xff")},
		} {
			_, err := d.Save(ctx, eva, first.ID, 2, e)
			d.refused(fault.InvalidRequest, err)
		}
		_, err = d.Begin(ctx, eva, "of nothing", "", economy.Source{Kind: economy.FromVersion, ID: "9"})
		d.refused(fault.NotFound, err)
		for range economy.MaxDrafts - 1 {
			d.draft(text)
		}
		_, err = d.Keep(ctx, eva, &economy.Draft{Name: "one too many"})
		d.refused(economy.CodeDrafts, err)
	})
}

// Of many who save the same state of a draft exactly one does.
func TestDraftRace(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		draft := d.draft(economy.Default())
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = d.Save(d.Context(), eva, draft.ID, 1, economy.Edit{Document: fmt.Append(nil, i)}) })
		}
		wg.Wait()
		saved := 0
		for _, err := range errs {
			if err == nil {
				saved++
			} else {
				d.refused(economy.CodeDraftChanged, err)
			}
		}
		if saved != 1 {
			d.Errorf("%d saved", saved)
		}
	})
}

func TestPublishDraft(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		// What issues no coin needs neither a simulation nor anybody.
		title := d.draft(with(`"es": "Para empezar"`, `"es": "Para comenzar"`))
		v, p, err := d.publish(title, 1)
		if err != nil || p != nil || v.Number != 2 || v.Author != "Eva" || v.AuthorID != eva.ID || v.Approver != "" {
			d.Fatalf("%+v, %+v, %v", v, p, err)
		}
		d.live(2)
		_, err = d.Draft(ctx, title.ID)
		d.refused(fault.NotFound, err)

		// Within the share one is enough.
		less := with(`"coins": [60, 20]`, `"coins": [58, 20]`)
		d.simulated(less, 900)
		if v, p, err := d.publish(d.draft(less), 2); err != nil || p != nil || v.Number != 3 {
			d.Fatalf("%+v, %+v, %v", v, p, err)
		}
		// Whatever is wrong keeps the draft.
		draft := d.draft(with(`"welcome": 500`, `"welcome": -1`))
		_, _, err = d.publish(draft, 3)
		d.refused(economy.CodeInvalid, err)
		_, _, err = d.publish(draft, 2)
		d.refused(economy.CodeOutdated, err)
		_, _, err = d.Publish(ctx, eva, economy.Publication{DraftID: draft.ID, Revision: 2, Base: 3, Reason: "to see"})
		d.refused(economy.CodeDraftChanged, err)
		_, _, err = d.Publish(ctx, eva, economy.Publication{DraftID: draft.ID, Revision: 1, Base: 3, Reason: " "})
		d.refused(fault.InvalidRequest, err)
		if _, err := d.Draft(ctx, draft.ID); err != nil {
			d.Error(err)
		}
		// At a time, and taken back before it.
		draft = d.draft(with(`"coins": [60, 20]`, `"coins": [58, 20]`, `"first": 200`, `"first": 300`))
		v, _, err = d.Publish(ctx, eva, economy.Publication{DraftID: draft.ID, Revision: 1, Base: 3, From: t0.Add(time.Hour), Reason: "tonight"})
		if err != nil || v.Number != 4 || !v.LiveFrom.Equal(t0.Add(time.Hour)) {
			d.Fatalf("%+v, %v", v, err)
		}
		d.live(3)
		if err := d.Withdraw(ctx, 4); err != nil {
			d.Fatal(err)
		}
		d.now = t0.Add(2 * time.Hour)
		d.live(3)
		all, live, now, err := d.Versions(ctx, 0, 10)
		if err != nil || len(all) != 4 || all[0].State(live, now) != economy.StateWithdrawn || all[1].State(live, now) != economy.StateLive || all[2].State(live, now) != economy.StatePast {
			d.Errorf("%+v, %d, %v", all, live, err)
		}
	})
}

func TestProposals(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		more := with(`"coins": [60, 20]`, `"coins": [90, 20]`)
		propose := func(document []byte, base int, need economy.Need) *economy.Proposal {
			d.Helper()
			v, p, err := d.publish(d.draft(document), base)
			if err != nil || v != nil || p == nil || p.Need != need {
				d.Fatalf("%+v, %+v, %v; want %s", v, p, err, need)
			}
			return p
		}
		propose(more, 1, economy.NeedSimulation)
		d.simulated(more, 1101)
		p := propose(more, 1, economy.NeedMoves)
		d.live(1)
		kept, standing, err := d.Proposal(ctx, p.ID)
		if err != nil || standing != economy.Open || kept.Forecast == nil || kept.Forecast.After != 1101 || !kept.ExpiresAt.Equal(t0.AddDate(0, 0, 7)) {
			d.Fatalf("%+v, %s, %v", kept, standing, err)
		}
		// Nobody lifts the rule in the same change, nor the rule alone.
		lifted := with(`"coins": [60, 20]`, `"coins": [90, 20]`, `"share": 10`, `"share": 1000`)
		d.simulated(lifted, 1101)
		propose(lifted, 1, economy.NeedRule)
		rule := with(`"days": 7`, `"days": 8`)
		d.simulated(rule, 1000)
		propose(rule, 1, economy.NeedRule)
		// What a simulation does not see it cannot excuse.
		welcome := with(`"welcome": 500`, `"welcome": 5000`)
		d.simulated(welcome, 1000)
		propose(welcome, 1, economy.NeedUnseen)

		// The author decides nothing, and another says why.
		_, err = d.Approve(ctx, eva, p.ID, "fine")
		d.refused(economy.CodeOwnProposal, err)
		d.refused(economy.CodeOwnProposal, d.Refuse(ctx, eva, p.ID, "no"))
		d.refused(fault.Forbidden, d.TakeBack(ctx, ida, p.ID, "no"))
		_, err = d.Approve(ctx, ida, p.ID, " ")
		d.refused(fault.InvalidRequest, err)
		d.refused(fault.NotFound, d.Refuse(ctx, ida, newID(d.T), "no"))

		refused := propose(more, 1, economy.NeedMoves)
		if err := d.Refuse(ctx, ida, refused.ID, "too much"); err != nil {
			d.Fatal(err)
		}
		d.refused(economy.CodeProposalClosed, d.Refuse(ctx, ida, refused.ID, "once more"))
		back := propose(more, 1, economy.NeedMoves)
		if err := d.TakeBack(ctx, eva, back.ID, "thought again"); err != nil {
			d.Fatal(err)
		}
		other := propose(more, 1, economy.NeedMoves)

		v, err := d.Approve(ctx, ida, p.ID, "looks right")
		if err != nil || v.Number != 2 || v.Author != "Eva" || v.Approver != "Ida" || v.ApproverID != ida.ID {
			d.Fatalf("%+v, %v", v, err)
		}
		d.live(2)
		_, err = d.Draft(ctx, p.DraftID)
		d.refused(fault.NotFound, err)
		// The others were made for what is not there any more.
		_, err = d.Approve(ctx, ida, other.ID, "too late")
		d.refused(economy.CodeProposalClosed, err)

		for id, want := range map[string]economy.Verdict{p.ID: economy.Approved, refused.ID: economy.Refused, back.ID: economy.TakenBack, other.ID: economy.Void} {
			if got, standing, err := d.Proposal(ctx, id); err != nil || standing != want {
				d.Errorf("%+v, %s, %v; want %s", got, standing, err, want)
			}
		}
		page, newest, _, err := d.Proposals(ctx, other.ID, 2)
		if err != nil || newest != 2 || len(page) != 2 || page[0].ID != back.ID || page[1].Why != "too much" {
			d.Errorf("%+v, %v", page, err)
		}

		// One lapses, and one for a time lapses then.
		lapsing := propose(welcome, 2, economy.NeedUnseen)
		d.now = d.now.AddDate(0, 0, 7)
		_, err = d.Approve(ctx, ida, lapsing.ID, "at last")
		d.refused(economy.CodeProposalClosed, err)
		draft := d.draft(more[:len(more)-2])
		_, _, err = d.publish(draft, 2)
		d.refused(economy.CodeInvalid, err)
		draft = d.draft(with(`"welcome": 500`, `"welcome": 700`))
		_, timed, err := d.Publish(ctx, eva, economy.Publication{DraftID: draft.ID, Revision: 1, Base: 2, From: d.now.Add(time.Hour), Reason: "tonight"})
		if err != nil || !timed.ExpiresAt.Equal(d.now.Add(time.Hour)) {
			d.Fatalf("%+v, %v", timed, err)
		}
		// Worked on since, the draft stays.
		name := "goes on"
		if _, err := d.Save(ctx, eva, draft.ID, 1, economy.Edit{Name: &name}); err != nil {
			d.Fatal(err)
		}
		if v, err := d.Approve(ctx, ida, timed.ID, "good"); err != nil || v.Number != 3 || !v.LiveFrom.Equal(timed.LiveFrom) {
			d.Errorf("%+v, %v", v, err)
		}
		d.live(2)
		if _, err := d.Draft(ctx, draft.ID); err != nil {
			d.Error(err)
		}
	})
}

// Of many who decide at once exactly one does.
func TestDecisionRace(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		_, p, err := d.publish(d.draft(with(`"welcome": 500`, `"welcome": 501`)), 1)
		if err != nil {
			d.Fatal(err)
		}
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				if i%2 == 0 {
					_, errs[i] = d.Approve(d.Context(), ida, p.ID, "yes")
				} else {
					errs[i] = d.Refuse(d.Context(), ida, p.ID, "no")
				}
			})
		}
		wg.Wait()
		decided := 0
		for _, err := range errs {
			switch fault.CodeOf(err) {
			case "":
				decided++
			case economy.CodeProposalClosed, economy.CodeOutdated:
			default:
				d.Error(err)
			}
		}
		got, standing, err := d.Proposal(d.Context(), p.ID)
		v, _, liveErr := d.e.Live(d.Context())
		if err != nil || liveErr != nil || decided != 1 || (standing == economy.Approved) != (v.Number == 2) || got.Version == 0 == (v.Number == 2) {
			d.Errorf("%d decided; %+v, %s; version %d is live; %v", decided, got, standing, v.Number, err)
		}
	})
}

// Going back leads back, step by step and at once, and not to and fro; further back and
// forward again it is a change like any other.
func TestRollBackByOne(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		for number, welcome := range []string{2: "600", 3: "700", 4: "800"} {
			if number < 2 {
				continue
			}
			d.now = d.now.Add(time.Hour)
			if _, err := d.e.Publish(ctx, with(`"welcome": 500`, `"welcome": `+welcome), number-1, time.Time{}, "ana", "more"); err != nil {
				d.Fatal(err)
			}
		}
		_, p, err := d.RollBack(ctx, eva, 2, 4, "two steps at once")
		if err != nil || p == nil || p.Restores != 2 {
			d.Fatalf("%+v, %v", p, err)
		}
		for i, to := range []int{3, 2, 1} {
			v, p, err := d.RollBack(ctx, eva, to, 4+i, "that was wrong")
			if err != nil || p != nil || v.Number != 5+i || v.Restores != to {
				d.Fatalf("to %d: %+v, %+v, %v", to, v, p, err)
			}
			d.live(5 + i)
		}
		// Forward again.
		if r, err := d.Review(ctx, economy.Source{Kind: economy.FromVersion, ID: "2"}); err != nil || r.Back || r.Need != economy.NeedSimulation {
			d.Errorf("%+v, %v", r, err)
		}
		_, p, err = d.RollBack(ctx, eva, 2, 7, "it was right")
		if err != nil || p == nil {
			d.Fatalf("%+v, %v", p, err)
		}
		if v, err := d.Approve(ctx, ida, p.ID, "it was"); err != nil || v.Restores != 2 {
			d.Errorf("%+v, %v", v, err)
		}
		_, _, err = d.RollBack(ctx, eva, 99, 8, "to nowhere")
		d.refused(fault.NotFound, err)
		_, _, err = d.RollBack(ctx, eva, 1, 7, "unseen")
		d.refused(economy.CodeOutdated, err)
	})
}

// What comes later is not undone by one who publishes for behind it what may be published
// now.
func TestPublishBehindWhatComes(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		less, later := with(`"welcome": 500`, `"welcome": 400`), d.now.Add(time.Hour)
		if _, err := d.e.Publish(ctx, less, 1, later, "ana", "two have agreed on it"); err != nil {
			d.Fatal(err)
		}
		publish := func(document []byte, base int, from time.Time) (*economy.Version, *economy.Proposal) {
			d.Helper()
			draft := d.draft(document)
			v, p, err := d.Publish(ctx, eva, economy.Publication{DraftID: draft.ID, Revision: draft.Revision, Base: base, From: from, Reason: "to see"})
			if err != nil {
				d.Fatal(err)
			}
			return v, p
		}
		for _, from := range []time.Time{later, later.Add(time.Hour)} {
			if v, p := publish(economy.Default(), 2, from); v != nil || p == nil || p.Need != economy.NeedSimulation {
				d.Errorf("behind what comes: %+v, %+v", v, p)
			}
		}
		// Before it, for until then; and behind it what issues the same.
		if v, _ := publish(economy.Default(), 2, later.Add(-time.Minute)); v == nil {
			d.Error("before what comes: not published")
		}
		d.simulated(less, 1000)
		if v, p := publish(with(`"welcome": 500`, `"welcome": 400`, `"botFillSeconds": 30`, `"botFillSeconds": 31`), 3, later.Add(time.Hour)); v != nil || p == nil {
			d.Errorf("what is not simulated against what is live: %+v, %+v", v, p)
		}
	})
}

// The rule itself takes two, also where it is what was there before.
func TestRollBackOfTheRule(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		if _, err := d.e.Publish(ctx, with(`"share": 10`, `"share": 2`, `"welcome": 500`, `"welcome": 400`), 1, time.Time{}, "ana", "less alone"); err != nil {
			d.Fatal(err)
		}
		if r, err := d.Review(ctx, economy.Source{Kind: economy.FromVersion, ID: "1"}); err != nil || r.Back || r.Need != economy.NeedRule {
			d.Errorf("%+v, %v", r, err)
		}
		v, p, err := d.RollBack(ctx, eva, 1, 2, "that was wrong")
		if err != nil || v != nil || p == nil || p.Need != economy.NeedRule {
			d.Fatalf("%+v, %+v, %v", v, p, err)
		}
		d.live(2)
		if v, err := d.Approve(ctx, ida, p.ID, "it was"); err != nil || v.Restores != 1 {
			d.Errorf("%+v, %v", v, err)
		}
	})
}

func TestReview(t *testing.T) {
	eachDesk(t, func(d *deskTest) {
		ctx := d.Context()
		draft := d.draft(with(`"first": 200`, `"first": 300`))
		if _, err := d.e.Publish(ctx, with(`"growth": 50`, `"growth": 60`, `"welcome": 500`, `"welcome": 600`), 1, time.Time{}, "ana", "meanwhile"); err != nil {
			d.Fatal(err)
		}
		source := economy.Source{Kind: economy.FromDraft, ID: draft.ID}
		r, err := d.Review(ctx, source)
		if err != nil || r.Newest != 2 || r.Live != 2 || r.Share != 10 || len(r.Problems) != 0 || len(r.Changes) != 3 || r.Need != economy.NeedSimulation {
			d.Fatalf("%+v, %v", r, err)
		}
		if len(r.Undone) != 2 || r.Undone[0].Path != "/levels/growth" || r.Undone[1].Path != "/welcome" {
			d.Errorf("takes back %+v", r.Undone)
		}
		base := 2
		if _, err := d.Save(ctx, eva, draft.ID, 1, economy.Edit{Base: &base}); err != nil {
			d.Fatal(err)
		}
		if r, err := d.Review(ctx, source); err != nil || len(r.Undone) != 0 {
			d.Errorf("%+v, %v", r, err)
		}
		if r, err := d.Review(ctx, economy.Source{Kind: economy.FromVersion, ID: "1"}); err != nil || !r.Back || r.Need != economy.NeedNone {
			d.Errorf("%+v, %v", r, err)
		}
		if _, err := d.Save(ctx, eva, draft.ID, 2, economy.Edit{Document: []byte("{")}); err != nil {
			d.Fatal(err)
		}
		if r, err := d.Review(ctx, source); err != nil || len(r.Problems) != 1 || r.Changes != nil {
			d.Errorf("%+v, %v", r, err)
		}
	})
}
