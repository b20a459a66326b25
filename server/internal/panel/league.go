package panel

import (
	"context"
	"slices"
	"strconv"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/overview"
)

// due is the identifier of the season that is to be closed; empty if none is.
func (p *Panel) due(ctx context.Context) (string, error) {
	season, ok, err := p.Leagues.Due(ctx)
	if !ok {
		return "", err
	}
	return season.ID, err
}

func seasonJSON(s league.Season, due string) Season {
	return Season{
		ID: s.ID, StartsAt: s.StartsAt.UTC(), EndsAt: s.EndsAt.UTC(), Economy: s.Economy, State: SeasonState(s.State), ClosedAt: orNone(s.ClosedAt),
		Due: s.ID == due,
	}
}

// ListSeasons implements StrictServerInterface.
func (p *Panel) ListSeasons(ctx context.Context, r ListSeasonsRequestObject) (ListSeasonsResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	seasons, err := p.Leagues.Seasons(ctx, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	due, err := p.due(ctx)
	if err != nil {
		return nil, err
	}
	job, err := p.Seen.Job(ctx, overview.JobLeague)
	if err != nil {
		return nil, err
	}
	page := SeasonPage{Seasons: []Season{}, Job: p.jobJSON(job)}
	seasons, page.NextCursor = paging.Cut(seasons, limit, func(s league.Season) string { return s.ID })
	for _, s := range seasons {
		page.Seasons = append(page.Seasons, seasonJSON(s, due))
	}
	return ListSeasons200JSONResponse(page), nil
}

// GetSeason implements StrictServerInterface.
func (p *Panel) GetSeason(ctx context.Context, r GetSeasonRequestObject) (GetSeasonResponseObject, error) {
	look, err := p.look(ctx, r.Season)
	return GetSeason200JSONResponse(look), err
}

func (p *Panel) look(ctx context.Context, id string) (SeasonProgress, error) {
	season, tally, err := p.Leagues.Look(ctx, id)
	if err != nil {
		return SeasonProgress{}, err
	}
	due, err := p.due(ctx)
	if err != nil {
		return SeasonProgress{}, err
	}
	out := SeasonProgress{Season: seasonJSON(season, due)}
	t := &out.Tally
	t.Players, t.Waiting, t.Groups, t.Frozen, t.Prizes, t.Coins = tally.Players, tally.Waiting, tally.Groups, tally.Frozen, tally.Prizes, tally.Coins
	if out.Divisions, err = p.Leagues.Divisions(ctx, season); err != nil {
		// What keeps it from being closed is to be seen, and not to keep it from that too.
		p.Log.WarnContext(ctx, "a season's economy cannot be read", "season", id, "economy", season.Economy, "error", err)
		out.Divisions = []string{}
	}
	return out, nil
}

// PreviewSeason implements StrictServerInterface.
func (p *Panel) PreviewSeason(ctx context.Context, r PreviewSeasonRequestObject) (PreviewSeasonResponseObject, error) {
	_, forecasts, err := p.Leagues.Preview(ctx, r.Season)
	if err != nil {
		return nil, err
	}
	var out SeasonPreview
	out.Divisions = slices.Grow(out.Divisions, len(forecasts)+1)[:len(forecasts)]
	for i, f := range forecasts {
		o := &out.Divisions[i]
		o.Division, o.Groups, o.Players, o.Prizes, o.Coins, o.Up, o.Down = f.Division, f.Groups, f.Players, f.Prizes, f.Coins, f.Up, f.Down
	}
	return PreviewSeason200JSONResponse(out), nil
}

// ListGroups implements StrictServerInterface.
func (p *Panel) ListGroups(ctx context.Context, r ListGroupsRequestObject) (ListGroupsResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	behind := league.Group{SeasonID: r.Season, Division: r.Params.Division}
	if r.Params.Cursor != nil {
		n, err := strconv.Atoi(*r.Params.Cursor)
		if err != nil {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: "cursor", Message: "This is no cursor."}
		}
		behind.Number = n
	}
	groups, err := p.Leagues.Groups(ctx, behind, limit+1)
	if err != nil {
		return nil, err
	}
	var page GroupPage
	groups, page.NextCursor = paging.Cut(groups, limit, func(g league.Group) string { return strconv.Itoa(g.Number) })
	page.Groups = slices.Grow(page.Groups, len(groups)+1)[:len(groups)]
	for i, g := range groups {
		o := &page.Groups[i]
		o.Number, o.Members, o.FrozenAt = g.Number, g.Members, orNone(g.FrozenAt)
	}
	return ListGroups200JSONResponse(page), nil
}

// GetStandings implements StrictServerInterface.
func (p *Panel) GetStandings(ctx context.Context, r GetStandingsRequestObject) (GetStandingsResponseObject, error) {
	ranks, err := p.Leagues.Group(ctx, league.Group{SeasonID: r.Season, Division: r.Params.Division, Number: r.Params.Group})
	if err != nil {
		return nil, err
	}
	var out Standings
	out.Ranks = slices.Grow(out.Ranks, len(ranks)+1)[:len(ranks)]
	for i, e := range ranks {
		o := &out.Ranks[i]
		o.Rank, o.PlayerID, o.Name, o.Points, o.Matches, o.ReachedAt = e.Rank, e.PlayerID, e.Name, e.Points, e.Matches, e.ReachedAt.UTC()
		o.Prize, o.Next, o.Moves = e.Prize, e.Next.Division, "stay"
		switch {
		case e.Moved > 0:
			o.Moves = "up"
		case e.Moved < 0:
			o.Moves = "down"
		}
	}
	return GetStandings200JSONResponse(out), nil
}

// CloseLeague implements StrictServerInterface. What it asks for is done by the job that
// does it every minute, which anything may interrupt.
func (p *Panel) CloseLeague(ctx context.Context, r CloseLeagueRequestObject) (CloseLeagueResponseObject, error) {
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	due, err := p.due(ctx)
	if err != nil {
		return nil, err
	}
	if due == "" {
		return nil, fault.New(league.CodeNothingDue, "No week is over and not closed.")
	}
	if err := p.Seen.Idle(ctx, overview.JobLeague); err != nil {
		return nil, err
	}
	change := audit.Change{Action: "league.close", Subject: audit.Subject{Kind: "season", ID: due}, Reason: r.Body.Reason}
	err = p.Trail.Around(ctx, change, nil, func(ctx context.Context) (any, error) {
		return map[string]string{"job": overview.JobLeague}, p.RunNow(ctx, overview.JobLeague)
	})
	if err != nil {
		return nil, err
	}
	look, err := p.look(ctx, due)
	return CloseLeague202JSONResponse(look), err
}
