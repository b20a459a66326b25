package panel

import (
	"context"
	"strconv"
	"strings"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fairness"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/unit"
)

// fairnessCursor is where the page behind a case begins.
func fairnessCursor(c *fairness.Case) string {
	return strconv.FormatFloat(c.Score, 'f', -1, 64) + "_" + c.ID
}

func fairnessPlace(cursor *string) (*fairness.Place, error) {
	if cursor == nil {
		return nil, nil
	}
	score, id, _ := strings.Cut(*cursor, "_")
	number, err := strconv.ParseFloat(score, 64)
	if err != nil {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "cursor", Message: "This is no cursor."}
	}
	return &fairness.Place{Score: number, ID: id}, nil
}

// ListFairnessCases implements StrictServerInterface.
func (p *Panel) ListFairnessCases(ctx context.Context, r ListFairnessCasesRequestObject) (ListFairnessCasesResponseObject, error) {
	after, err := fairnessPlace(r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	f := fairness.Filter{State: fairness.State(text(r.Params.State)), Kind: fairness.Kind(text(r.Params.Kind)), Player: text(r.Params.Player)}
	cases, err := p.Fairness.Cases(ctx, f, after, limit+1)
	if err != nil {
		return nil, err
	}
	counts, err := p.Fairness.Count(ctx)
	if err != nil {
		return nil, err
	}
	page := FairnessCasePage{Cases: []FairnessCase{}}
	page.Counts.Open, page.Counts.Watching, page.Counts.Dismissed = counts[fairness.Open], counts[fairness.Watching], counts[fairness.Dismissed]
	cases, page.NextCursor = paging.Cut(cases, limit, fairnessCursor)
	names, err := p.Fairness.Names(ctx, cases...)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		c.Evidence.Bouts = nil
		if c.Evidence.Pace != nil {
			c.Evidence.Pace.Histogram = nil
		}
		page.Cases = append(page.Cases, fairnessJSON(c, names))
	}
	return ListFairnessCases200JSONResponse(page), nil
}

// GetFairnessCase implements StrictServerInterface.
func (p *Panel) GetFairnessCase(ctx context.Context, r GetFairnessCaseRequestObject) (GetFairnessCaseResponseObject, error) {
	c, err := p.fairnessCase(ctx, r.CaseID)
	return GetFairnessCase200JSONResponse(c), err
}

func (p *Panel) fairnessCase(ctx context.Context, id string) (FairnessCase, error) {
	c, err := p.Fairness.Case(ctx, id)
	if err != nil {
		return FairnessCase{}, err
	}
	names, err := p.Fairness.Names(ctx, c)
	return fairnessJSON(c, names), err
}

// DecideFairnessCase implements StrictServerInterface.
func (p *Panel) DecideFairnessCase(ctx context.Context, r DecideFairnessCaseRequestObject) (DecideFairnessCaseResponseObject, error) {
	by, err := member(ctx)
	if err != nil {
		return nil, err
	}
	change := audit.Change{Action: "fairness.decide", Subject: audit.Subject{Kind: "fairness case", ID: r.CaseID}, Reason: r.Body.Reason}
	err = p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
		was, is, err := p.Fairness.Decide(ctx, r.CaseID, fairness.State(r.Body.State), r.Body.Reason, by.Name)
		// What is left when the case has gone on: whom it is about, and how strong it was.
		return map[string]any{"state": was.State}, map[string]any{"state": is.State, "kind": is.Kind, "players": is.Players, "score": is.Score}, err
	})
	if err != nil {
		return nil, err
	}
	c, err := p.fairnessCase(ctx, r.CaseID)
	return DecideFairnessCase200JSONResponse(c), err
}

// ListFairnessSearches implements StrictServerInterface.
func (p *Panel) ListFairnessSearches(ctx context.Context, _ ListFairnessSearchesRequestObject) (ListFairnessSearchesResponseObject, error) {
	runs, err := p.Fairness.Runs(ctx, 10)
	if err != nil {
		return nil, err
	}
	list := FairnessSearchList{Searches: []FairnessSearch{}}
	for _, r := range runs {
		list.Searches = append(list.Searches, searchJSON(r))
	}
	return ListFairnessSearches200JSONResponse(list), nil
}

// StartFairnessSearch implements StrictServerInterface.
func (p *Panel) StartFairnessSearch(ctx context.Context, _ StartFairnessSearchRequestObject) (StartFairnessSearchResponseObject, error) {
	by, err := member(ctx)
	if err != nil {
		return nil, err
	}
	var run *fairness.Run
	err = p.Trail.Do(ctx, audit.Change{Action: "fairness.search"}, func(ctx context.Context) (before, after any, err error) {
		var isNew bool
		if run, isNew, err = p.Fairness.Ask(ctx, by.Name); err != nil {
			return nil, nil, err
		}
		if !isNew {
			return nil, nil, audit.ErrUnchanged
		}
		unit.Then(ctx, p.Fairness.Begin)
		return nil, map[string]any{"search": run.ID}, nil
	})
	if err != nil {
		return nil, err
	}
	return StartFairnessSearch202JSONResponse(searchJSON(run)), nil
}

func searchJSON(r *fairness.Run) FairnessSearch {
	j := FairnessSearch{
		ID: r.ID, AskedBy: orAbsent(r.AskedBy), AskedAt: r.AskedAt, EndedAt: orNever(r.EndedAt), State: "running",
		Step: r.Step, Steps: r.Steps, Matches: r.Matches, Found: r.Found, New: r.New,
	}
	switch {
	case r.Failed:
		j.State = "failed"
	case !r.EndedAt.IsZero():
		j.State = "done"
	case r.BeatAt.IsZero():
		j.State = "asked"
	}
	return j
}

func fairnessJSON(c *fairness.Case, names map[string]string) FairnessCase {
	j := FairnessCase{
		ID: c.ID, Kind: FairnessKind(c.Kind), State: FairnessState(c.State), Score: c.Score, Players: []FairnessPlayer{},
		FirstSeen: c.FirstSeen, LastSeen: c.LastSeen, CameBack: c.CameBack,
		DecidedAt: orNever(c.DecidedAt), DecidedBy: orAbsent(c.DecidedBy), Reason: orAbsent(c.Reason), Evidence: evidenceJSON(c.Evidence),
	}
	for _, id := range c.Players {
		j.Players = append(j.Players, FairnessPlayer{ID: id, Name: names[id]})
	}
	return j
}

func evidenceJSON(e fairness.Evidence) FairnessEvidence {
	j := FairnessEvidence{Days: e.Days, Matches: e.Matches, Won: e.Won}
	if e.LookedAt > 0 {
		j.Expected, j.Probability, j.LookedAt = &e.Expected, &e.Probability, &e.LookedAt
	}
	if e.Coins != 0 {
		j.Coins = &e.Coins
	}
	if len(e.Apart) > 0 {
		records := make([]FairnessRecord, len(e.Apart))
		for i, r := range e.Apart {
			records[i] = FairnessRecord{Player: r.Player, Matches: r.Matches, Won: r.Won}
		}
		j.Apart = &records
	}
	if len(e.Bouts) > 0 {
		bouts := make([]FairnessBout, len(e.Bouts))
		for i, b := range e.Bouts {
			bouts[i] = FairnessBout{MatchID: b.Match, At: b.At, Won: b.Won, Chance: b.Chance}
			if b.Coins != 0 {
				bouts[i].Coins = &b.Coins
			}
		}
		j.Bouts = &bouts
	}
	if len(e.Flows) > 0 {
		flows := make([]FairnessFlow, len(e.Flows))
		for i, f := range e.Flows {
			flows[i] = FairnessFlow{From: f.From, To: f.To, Coins: f.Coins, Matches: f.Matches, Won: f.Won, Probability: f.Probability}
		}
		j.Flows = &flows
	}
	if e.Pace != nil {
		pace := paceJSON(*e.Pace)
		j.Pace = &pace
	}
	return j
}

func paceJSON(p fairness.Pace) FairnessPace {
	j := FairnessPace{
		Actions: p.Actions, Tenth: p.Tenth, Median: p.Median, Ninetieth: p.Ninetieth, Fast: p.Fast, Even: p.Even, MatchIds: p.MatchIDs,
	}
	if j.MatchIds == nil {
		j.MatchIds = []string{}
	}
	j.Histogram = make([]struct {
		Actions int    `json:"actions"`
		Below   *int64 `json:"below,omitempty"`
	}, len(p.Histogram))
	for i, n := range p.Histogram {
		j.Histogram[i].Actions = n
		if i < len(fairness.PaceBounds) {
			j.Histogram[i].Below = &fairness.PaceBounds[i]
		}
	}
	return j
}
