package panel

import (
	"context"
	"math"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/simulation"
)

// ListSimulations implements StrictServerInterface.
func (p *Panel) ListSimulations(ctx context.Context, r ListSimulationsRequestObject) (ListSimulationsResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	runs, err := p.Simulations.Runs(ctx, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := SimulationPage{Simulations: []Simulation{}}
	runs, page.NextCursor = paging.Cut(runs, limit, func(r *simulation.Run) string { return r.ID })
	for _, r := range runs {
		page.Simulations = append(page.Simulations, simulationJSON(r))
	}
	return ListSimulations200JSONResponse(page), nil
}

// StartSimulation implements StrictServerInterface. It changes nothing that the trail
// would have to tell of; who asked for it stands in the simulation.
func (p *Panel) StartSimulation(ctx context.Context, r StartSimulationRequestObject) (StartSimulationResponseObject, error) {
	by, err := member(ctx)
	if err != nil {
		return nil, err
	}
	ask := simulation.Ask{Document: []byte(text(r.Body.Document)), Source: text(r.Body.Source), Days: r.Body.Days, Author: by.Name}
	switch {
	case (r.Body.Source == nil) == (r.Body.Document == nil):
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "source", Message: "Either name a document or hand one in."}
	case r.Body.Source != nil:
		source, err := economy.ParseSource(ask.Source)
		if err != nil {
			return nil, err
		}
		if ask.Document, err = p.Economy.Read(ctx, source); err != nil {
			return nil, err
		}
	}
	run, err := p.Simulations.Start(ctx, ask)
	if err != nil {
		return nil, err
	}
	return StartSimulation202JSONResponse(simulationJSON(run)), nil
}

// GetSimulation implements StrictServerInterface.
func (p *Panel) GetSimulation(ctx context.Context, r GetSimulationRequestObject) (GetSimulationResponseObject, error) {
	run, err := p.Simulations.Run(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	j := simulationJSON(run)
	document := string(run.Document)
	j.Document = &document
	if run.Result != nil {
		j.Result = resultJSON(run.Result)
	}
	return GetSimulation200JSONResponse(j), nil
}

// CancelSimulation implements StrictServerInterface.
func (p *Panel) CancelSimulation(ctx context.Context, r CancelSimulationRequestObject) (CancelSimulationResponseObject, error) {
	if err := p.Simulations.Cancel(ctx, r.ID); err != nil {
		return nil, err
	}
	run, err := p.Simulations.Run(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return CancelSimulation202JSONResponse(simulationJSON(run)), nil
}

func simulationJSON(r *simulation.Run) Simulation {
	j := Simulation{
		ID: r.ID, Source: orAbsent(r.Source), Live: r.Live, From: r.From, To: r.To, Author: r.Author, State: SimulationState(r.State),
		Done: r.Done, StartedAt: r.StartedAt, EndedAt: orNever(r.EndedAt),
	}
	if r.Total >= 0 {
		j.Total = &r.Total
	}
	return j
}

func resultJSON(r *simulation.Result) *SimulationResult {
	j := &SimulationResult{
		Matches: r.Matches, Players: r.Players, Inferred: r.Inferred, Unexplained: r.Unexplained,
		Total: SimulationSum{Count: r.Total.Count, Before: SimulationCoins(r.Total.Before), After: SimulationCoins(r.Total.After)},
		Live:  SimulationCoins(r.Live), BySource: groupsJSON(r.BySource), ByMode: groupsJSON(r.ByMode), ByPosition: groupsJSON(r.ByPosition),
		ByBooster: groupsJSON(r.ByBooster), ByDivision: groupsJSON(r.ByDivision), ByVip: groupsJSON(r.ByVIP), ByDay: groupsJSON(r.ByDay),
		Affected: []SimulationProfile{},
	}
	if change := r.IssuanceChange(); !math.IsInf(change, 0) {
		j.IssuanceChange = &change
	}
	for _, p := range r.Affected {
		j.Affected = append(j.Affected, SimulationProfile{
			Pseudonym: p.Pseudonym, Matches: p.Matches, Before: p.Before, After: p.After, Division: p.Division, Vip: p.VIP,
		})
	}
	return j
}

func groupsJSON(groups []simulation.Group) SimulationGroups {
	all := SimulationGroups{}
	for _, g := range groups {
		all = append(all, SimulationGroup{Key: g.Key, Count: g.Count, Before: SimulationCoins(g.Before), After: SimulationCoins(g.After)})
	}
	return all
}
