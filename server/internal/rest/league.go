package rest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/league"
)

// GetLeague implements StrictServerInterface.
func (s *Server) GetLeague(ctx context.Context, _ GetLeagueRequestObject) (GetLeagueResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.leagues.Mine(ctx, me)
	if err != nil {
		return nil, err
	}
	return GetLeague200JSONResponse(s.leagueJSON(t)), nil
}

// GetLeagueSeason implements StrictServerInterface.
func (s *Server) GetLeagueSeason(ctx context.Context, r GetLeagueSeasonRequestObject) (GetLeagueSeasonResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.leagues.Season(ctx, me, r.Season)
	if err != nil {
		return nil, err
	}
	return GetLeagueSeason200JSONResponse(s.leagueJSON(t)), nil
}

func (s *Server) leagueJSON(t *league.Table) League {
	out := League{Season: s.seasonJSON(t.Season), Divisions: t.Names, Division: t.Division.Name, Waiting: t.Waiting}
	if t.Mine == nil {
		return out
	}
	out.Score = &LeagueScore{Points: t.Mine.Points, Matches: t.Mine.Matches, Moves: movesJSON(0)}
	if t.Waiting {
		return out
	}
	out.Group = &LeagueGroup{
		Number: t.Mine.Group, Size: t.Division.GroupSize, Up: t.Up, Down: t.Down,
		Prizes: append([]int64{}, t.Division.Prizes...), Members: []LeagueMember{},
	}
	for _, e := range t.Ranks {
		if e.PlayerID == t.Mine.PlayerID {
			// The group's own reading, which may be a match newer.
			*out.Score = LeagueScore{Points: e.Points, Matches: e.Matches, Rank: &e.Rank, Prize: e.Prize, Moves: movesJSON(e.Moved)}
		}
		out.Group.Members = append(out.Group.Members, LeagueMember{
			Rank: e.Rank, Player: memberJSON(e), Points: e.Points, Matches: e.Matches, ReachedAt: e.ReachedAt.UTC(),
			Prize: e.Prize, Moves: movesJSON(e.Moved),
		})
	}
	return out
}

func (s *Server) seasonJSON(season league.Season) LeagueSeason {
	return LeagueSeason{
		ID: season.ID, StartsAt: season.StartsAt.UTC(), EndsAt: season.EndsAt.UTC(),
		// Rounded up, so that there is none left only when it has ended.
		SecondsLeft: int64((s.leagues.Left(season) + time.Second - 1) / time.Second), State: LeagueSeasonState(season.State),
	}
}

func memberJSON(e league.Entry) Person { return Person{ID: e.PlayerID, Name: e.Name, Avatar: e.Avatar} }

func movesJSON(moved int) LeagueMoves { return [...]LeagueMoves{"down", "stay", "up"}[moved+1] }

// GetLeaderboard implements StrictServerInterface.
func (s *Server) GetLeaderboard(ctx context.Context, r GetLeaderboardRequestObject) (GetLeaderboardResponseObject, error) {
	limit, division, seasonID := paging.Size(r.Params.Limit), "", ""
	if r.Params.Division != nil {
		division = *r.Params.Division
	}
	if r.Params.Season != nil {
		seasonID = *r.Params.Season
	}
	var behind *league.Score
	position := 0
	if r.Params.Cursor != nil {
		score, at, err := leaderboardCursor(*r.Params.Cursor)
		if err != nil || seasonID != "" && seasonID != score.SeasonID {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: "cursor", Message: "A cursor is one that a page gave.", Err: err}
		}
		behind, position, seasonID = &score, at, score.SeasonID
	}
	// One more than asked for tells whether there is a next page.
	season, entries, err := s.leagues.Best(ctx, seasonID, division, behind, limit+1)
	if err != nil {
		return nil, err
	}
	page := Leaderboard{Season: s.seasonJSON(season), Entries: []LeaderboardEntry{}}
	more := len(entries) > limit
	entries = entries[:min(limit, len(entries))]
	for _, e := range entries {
		position++
		page.Entries = append(page.Entries, LeaderboardEntry{
			Position: position, Player: memberJSON(e), Division: e.Division, Points: e.Points, ReachedAt: e.ReachedAt.UTC(),
		})
	}
	if more {
		last := entries[limit-1]
		next := fmt.Sprintf("%s.%d.%d.%s.%d", season.ID, last.Points, last.ReachedAt.UnixMilli(), last.PlayerID, position)
		page.NextCursor = &next
	}
	return GetLeaderboard200JSONResponse(page), nil
}

// leaderboardCursor reads what GetLeaderboard gave: the score behind which it goes
// on, and its position. The contract has looked at its form.
func leaderboardCursor(text string) (score league.Score, position int, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 5 {
		return score, 0, fmt.Errorf("rest: %d parts", len(parts))
	}
	score.SeasonID, score.PlayerID = parts[0], parts[3]
	if score.Points, err = strconv.ParseInt(parts[1], 10, 64); err != nil {
		return score, 0, err
	}
	at, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return score, 0, err
	}
	score.ReachedAt = time.UnixMilli(at)
	position, err = strconv.Atoi(parts[4])
	return score, position, err
}

// ListLeagueSeasons implements StrictServerInterface.
func (s *Server) ListLeagueSeasons(ctx context.Context, r ListLeagueSeasonsRequestObject) (ListLeagueSeasonsResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	past, err := s.leagues.Past(ctx, me, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := LeagueResultPage{Seasons: []LeagueResult{}}
	past, page.NextCursor = paging.Cut(past, limit, func(p league.Past) string { return p.ID })
	for _, p := range past {
		page.Seasons = append(page.Seasons, LeagueResult{
			Season: p.ID, StartsAt: p.StartsAt.UTC(), EndsAt: p.EndsAt.UTC(), Division: p.Division, Group: p.Group, Rank: p.Rank,
			Points: p.Points, Matches: p.Matches, Prize: p.Prize, Moves: movesJSON(p.Moved), Next: p.Next.Division,
		})
	}
	return ListLeagueSeasons200JSONResponse(page), nil
}
