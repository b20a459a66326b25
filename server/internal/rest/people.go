package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/internal/paging"
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
	experience, level, err := s.rewards.Level(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	division, err := s.leagues.Division(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	out := Profile{
		ID: p.ID, Division: &division, Name: p.Name, Avatar: p.Avatar, CreatedAt: p.CreatedAt.UTC(),
		Level: level, Experience: experience, Statistics: []Statistics{},
		Friendship: FriendshipState(p.Friendship),
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

// ListFriends implements StrictServerInterface.
func (s *Server) ListFriends(ctx context.Context, r ListFriendsRequestObject) (ListFriendsResponseObject, error) {
	page, err := s.friendPage(ctx, people.ListFriends, r.Params.Cursor, r.Params.Limit)
	return ListFriends200JSONResponse(page), err
}

// ListFriendRequests implements StrictServerInterface.
func (s *Server) ListFriendRequests(ctx context.Context, r ListFriendRequestsRequestObject) (ListFriendRequestsResponseObject, error) {
	list := people.ListReceived
	if d := r.Params.Direction; d != nil && *d == "sent" {
		list = people.ListSent
	}
	page, err := s.friendPage(ctx, list, r.Params.Cursor, r.Params.Limit)
	return ListFriendRequests200JSONResponse(page), err
}

// ListBlocks implements StrictServerInterface.
func (s *Server) ListBlocks(ctx context.Context, r ListBlocksRequestObject) (ListBlocksResponseObject, error) {
	page, err := s.friendPage(ctx, people.ListBlocked, r.Params.Cursor, r.Params.Limit)
	return ListBlocks200JSONResponse(page), err
}

func (s *Server) friendPage(ctx context.Context, list people.List, cursor *string, size *int) (FriendPage, error) {
	page := FriendPage{People: []Friend{}}
	me, err := player(ctx)
	if err != nil {
		return page, err
	}
	limit := paging.Size(size)
	found, err := s.people.Ties(ctx, me, list, text(cursor), limit+1)
	if err != nil {
		return page, err
	}
	found, page.NextCursor = paging.Cut(found, limit, func(f people.Related) string { return f.ID })
	for _, f := range found {
		page.People = append(page.People, Friend{Player: personJSON(f.Person), Since: f.Since.UTC()})
	}
	return page, nil
}

// whom is the player that a body names: by identifier, else by name.
func whom(playerID, playerName *string) (id, name string) {
	if playerID != nil {
		return *playerID, ""
	}
	return "", text(playerName)
}

// RequestFriend implements StrictServerInterface.
func (s *Server) RequestFriend(ctx context.Context, r RequestFriendRequestObject) (RequestFriendResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	id, name := whom(r.Body.PlayerID, r.Body.Name)
	other, friendship, err := s.people.Ask(ctx, me, id, name)
	if err != nil {
		return nil, err
	}
	return RequestFriend200JSONResponse{Player: personJSON(other), Friendship: FriendshipState(friendship)}, nil
}

// AcceptFriend implements StrictServerInterface.
func (s *Server) AcceptFriend(ctx context.Context, r AcceptFriendRequestObject) (AcceptFriendResponseObject, error) {
	return AcceptFriend204Response{}, s.toOther(ctx, r.PlayerID, s.people.Accept)
}

// DismissFriendRequest implements StrictServerInterface.
func (s *Server) DismissFriendRequest(ctx context.Context, r DismissFriendRequestRequestObject) (DismissFriendRequestResponseObject, error) {
	return DismissFriendRequest204Response{}, s.toOther(ctx, r.PlayerID, s.people.Dismiss)
}

// EndFriendship implements StrictServerInterface.
func (s *Server) EndFriendship(ctx context.Context, r EndFriendshipRequestObject) (EndFriendshipResponseObject, error) {
	return EndFriendship204Response{}, s.toOther(ctx, r.PlayerID, s.people.Unfriend)
}

// Block implements StrictServerInterface.
func (s *Server) Block(ctx context.Context, r BlockRequestObject) (BlockResponseObject, error) {
	return Block204Response{}, s.toOther(ctx, r.PlayerID, s.people.Block)
}

// Unblock implements StrictServerInterface.
func (s *Server) Unblock(ctx context.Context, r UnblockRequestObject) (UnblockResponseObject, error) {
	return Unblock204Response{}, s.toOther(ctx, r.PlayerID, s.people.Unblock)
}

// toOther has the requesting player do something to another player or thing.
func (s *Server) toOther(ctx context.Context, otherID string, do func(ctx context.Context, playerID, otherID string) error) error {
	me, err := player(ctx)
	if err != nil {
		return err
	}
	return do(ctx, me, otherID)
}

// Report implements StrictServerInterface.
func (s *Server) Report(ctx context.Context, r ReportRequestObject) (ReportResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	report := people.Report{ReporterID: me, ReportedID: r.Body.PlayerID, Reason: people.Reason(r.Body.Reason)}
	if r.Body.MatchID != nil {
		report.MatchID = *r.Body.MatchID
	}
	if r.Body.Text != nil {
		report.Text = *r.Body.Text
	}
	if report, err = s.people.Report(ctx, report); err != nil {
		return nil, err
	}
	return Report201JSONResponse{ID: report.ID, CreatedAt: report.CreatedAt.UTC()}, nil
}
