package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/people"
)

// ChangeMe implements StrictServerInterface.
func (s *Server) ChangeMe(ctx context.Context, r ChangeMeRequestObject) (ChangeMeResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	change := people.Change{Name: r.Body.Name, Avatar: r.Body.Avatar}
	if r.Body.Language != nil {
		language := string(*r.Body.Language)
		change.Language = &language
	}
	if err := s.people.Change(ctx, me.ID, change); err != nil {
		return nil, err
	}
	if me, err = s.me(ctx); err != nil {
		return nil, err
	}
	return ChangeMe200JSONResponse(playerJSON(me)), nil
}

// FindPlayers implements StrictServerInterface.
func (s *Server) FindPlayers(ctx context.Context, r FindPlayersRequestObject) (FindPlayersResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.people.Find(ctx, me, r.Params.Name)
	if err != nil {
		return nil, err
	}
	list := PlayerList{Players: []Person{}}
	for _, p := range found {
		list.Players = append(list.Players, personJSON(p))
	}
	return FindPlayers200JSONResponse(list), nil
}

// GetPlayer implements StrictServerInterface.
func (s *Server) GetPlayer(ctx context.Context, r GetPlayerRequestObject) (GetPlayerResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.people.Profile(ctx, me, r.PlayerID)
	if err != nil {
		return nil, err
	}
	out := Profile{
		ID: p.ID, Name: p.Name, Avatar: p.Avatar, CreatedAt: p.CreatedAt.UTC(),
		Level: p.Level, Experience: p.Experience, Statistics: []Statistics{},
	}
	for _, st := range p.Stats {
		out.Statistics = append(out.Statistics, Statistics{
			Rules: StatisticsRules(st.Rules), Played: st.Played, Won: st.Won, Hands: st.Hands, HandsWon: st.HandsWon,
			BidsMade: st.BidsMade, BidsLost: st.BidsLost,
		})
	}
	return GetPlayer200JSONResponse(out), nil
}

func personJSON(p people.Person) Person { return Person{ID: p.ID, Name: p.Name, Avatar: p.Avatar} }
