package economy

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Forecast is what a document would have issued in the place of another: the newest
// simulation of exactly this document.
type Forecast struct {
	// Before and After are the coins issued under the version that is live and under the
	// document, over the same time.
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	// Days are how many were replayed, up to At.
	Days int       `json:"days"`
	At   time.Time `json:"at"`
	// Replayed are the members whose effect is in these numbers, as JSON pointers in
	// which * stands for any name or number; with all that is in them.
	Replayed []string `json:"replayed"`
}

// Forecaster knows what has been simulated.
type Forecaster interface {
	// Forecast is the newest for a document in the place of the version with the number
	// live, nil if there is none. [Fingerprint] tells documents apart.
	Forecast(ctx context.Context, document []byte, live int) (*Forecast, error)
}

// Need says why publishing takes a second person.
type Need string

// Why a second person is needed, if one is.
const (
	// NeedNone: publishing needs nobody else.
	NeedNone Need = ""
	// NeedSimulation: nobody knows what the document would issue.
	NeedSimulation Need = "not_simulated"
	// NeedMoves: it would issue more or less than a person may change alone.
	NeedMoves Need = "moves_issuance"
	// NeedUnseen: it changes what a simulation does not see, and what may issue coins.
	NeedUnseen Need = "not_in_simulation"
	// NeedRule: it changes when a second person is needed.
	NeedRule Need = "changes_the_rule"
)

// still are the members that issue no coin, whatever they say. All others may.
var still = []string{
	"/format", "/levels", "/matches/online/experience", "/matches/friends/experiencePercent",
	"/stakes",     // a pot pays what was paid in
	"/bots/pause", // but not who the bots are: against weaker ones people win more
	"/botFillSeconds", "/queue", "/league/points", "/league/botsPercent", "/fairness",
	"/catalogue/*/title",
}

// need says whether a document may take the place of the live one without a second
// person. The rule is that of the document that is live.
func need(live *Document, changes []Change, f *Forecast) Need {
	issues, unseen := false, false
	for _, c := range changes {
		switch {
		case within(c.Path, []string{"/approval"}):
			return NeedRule
		case within(c.Path, still):
		default:
			issues = true
			unseen = unseen || f != nil && !within(c.Path, f.Replayed)
		}
	}
	switch {
	case !issues:
		return NeedNone
	case f == nil || f.Before == 0 && f.After == 0: // nothing was there to be replayed
		return NeedSimulation
	case unseen:
		return NeedUnseen
	case max(f.After-f.Before, f.Before-f.After)*100 > live.Approval.Share*f.Before:
		return NeedMoves
	}
	return NeedNone
}

// within says whether a path leads into one of the members.
func within(path string, members []string) bool {
	steps := strings.Split(path, "/")
next:
	for _, m := range members {
		wanted := strings.Split(m, "/")
		if len(wanted) > len(steps) {
			continue
		}
		for i, w := range wanted {
			if w != "*" && w != steps[i] {
				continue next
			}
		}
		return true
	}
	return false
}

// Review is what there is to know before a document is published.
type Review struct {
	// Newest is the number of the newest version: what the person knows who publishes.
	Newest int
	// Live is the number of the version that is live.
	Live     int
	Problems []Problem
	// Changes against the version that is live.
	Changes []Change
	// Undone are those of the changes that take back what was published since the draft
	// was begun.
	Undone []Change
	// Forecast is nil if the document was not simulated.
	Forecast *Forecast
	// Share in percent that a change may move alone, by the version that is live.
	Share int64
	// Need says whether a second person has to agree, and why.
	Need Need
	// Back: the document is that of the version that was live before and leaves the rule
	// alone, so that it is published at once.
	Back bool
}

// Review says what publishing a document would mean. Codes: NotFound.
func (d *Desk) Review(ctx context.Context, s Source) (*Review, error) {
	document, err := d.Read(ctx, s)
	if err != nil {
		return nil, err
	}
	r, err := d.review(ctx, document)
	if err != nil {
		return nil, err
	}
	switch s.Kind {
	case FromDraft:
		draft, err := d.store.Draft(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		return r, d.undone(ctx, r, draft)
	case FromVersion:
		number, err := strconv.Atoi(s.ID)
		if err != nil {
			return nil, err
		}
		if r.Back, err = d.isBack(ctx, number); err != nil {
			return nil, err
		}
		if r.Back = r.Back && r.Need != NeedRule; r.Back {
			r.Need = NeedNone
		}
	case FromLive, FromShipped, FromProposal:
	}
	return r, nil
}

func (d *Desk) review(ctx context.Context, document []byte) (*Review, error) {
	v, live, err := d.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	r := &Review{Live: v.Number, Share: live.Approval.Share}
	if r.Newest, err = d.economy.newest(ctx); err != nil {
		return nil, err
	}
	if _, r.Problems = Parse(document); len(r.Problems) > 0 && r.Problems[0].Code == NotJSON {
		return r, nil
	}
	r.Changes = Compare(v.Document, document)
	if len(r.Problems) > 0 {
		return r, nil
	}
	if d.forecaster != nil {
		if r.Forecast, err = d.forecaster.Forecast(ctx, document, v.Number); err != nil {
			return nil, err
		}
	}
	r.Need = need(live, r.Changes, r.Forecast)
	return r, nil
}

// undone finds what was changed since the draft was begun and is in the draft as it was
// before.
func (d *Desk) undone(ctx context.Context, r *Review, draft *Draft) error {
	if draft.Base == 0 || draft.Base == r.Newest {
		return nil
	}
	base, err := d.store.Version(ctx, draft.Base)
	if err != nil {
		return err
	}
	live, err := d.store.Version(ctx, r.Live)
	if err != nil {
		return err
	}
	since := map[string]Change{}
	for _, c := range Compare(base.Document, live.Document) {
		since[c.Path] = c
	}
	for _, c := range r.Changes {
		if was, ok := since[c.Path]; ok && string(was.Before) == string(c.After) {
			r.Undone = append(r.Undone, c)
		}
	}
	return nil
}

// Before is the version that was live right before the one that is, 0 if none was: what
// one can go back to at once. Where the live one has itself gone back to an older one, it
// is what was before that: so that going back step by step leads back, and not to and fro.
func (d *Desk) Before(ctx context.Context) (int, error) {
	v, err := d.store.LiveVersion(ctx, d.economy.time())
	if err != nil {
		return 0, err
	}
	for v.Restores != 0 {
		if v, err = d.store.Version(ctx, v.Restores); err != nil {
			return 0, err
		}
	}
	before, err := d.store.VersionBefore(ctx, v)
	if err != nil {
		return 0, ignoreNotFound(err)
	}
	return before.Number, nil
}

// isBack says whether a version is the one to go back to.
func (d *Desk) isBack(ctx context.Context, number int) (bool, error) {
	before, err := d.Before(ctx)
	return before == number && number != 0, err
}
