package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/room"
)

// GetEngagement implements StrictServerInterface.
func (s *Server) GetEngagement(ctx context.Context, _ GetEngagementRequestObject) (GetEngagementResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	out, err := s.engagementOf(ctx, me)
	return GetEngagement200JSONResponse(out), err
}

func (s *Server) engagementOf(ctx context.Context, playerID string) (Engagement, error) {
	e, err := s.engagements.Of(ctx, playerID)
	if err != nil {
		return Engagement{}, err
	}
	return Places{Rooms: s.rooms, Lobby: s.lobby}.EngagementJSON(ctx, e)
}

// Places are what engagements lead to. What is nil is not shown.
type Places struct {
	Rooms *room.Service
	Lobby *lobby.Service
}

// EngagementJSON gives an engagement, with the room, ticket or table that it leads to,
// the form that the contract has for it, on every channel. What was left meanwhile is
// not there: the next state says so.
func (p Places) EngagementJSON(ctx context.Context, e engagement.Engagement) (Engagement, error) {
	out := engagementJSON(e)
	switch {
	case e.Place.Kind == engagement.Room && p.Rooms != nil:
		r, err := p.Rooms.Get(ctx, e.Place.ID, e.PlayerID)
		switch {
		case err == nil:
			json := RoomJSON(r)
			out.Room = &json
		case fault.CodeOf(err) != fault.NotFound:
			return out, err
		}
	case e.Place.Kind == engagement.Ticket && p.Lobby != nil:
		policy, err := p.Lobby.Policy(ctx)
		if err != nil {
			return out, err
		}
		t, err := p.Lobby.Ticket(ctx, e.PlayerID)
		if err != nil {
			return out, err
		}
		if t != nil && t.ID == e.Place.ID {
			out.Ticket = ticketJSON(t, policy)
		}
	case e.Place.Kind == engagement.Table && p.Lobby != nil:
		t, err := p.Lobby.Table(ctx, e.Place.ID)
		if err != nil {
			return out, err
		}
		if t != nil {
			out.Table = tableJSON(t)
		}
	}
	return out, nil
}

func engagementJSON(e engagement.Engagement) Engagement {
	out := Engagement{Kind: EngagementKind(e.Place.Kind), Seq: e.Seq}
	if e.Place.ID != "" {
		out.ID = &e.Place.ID
	}
	if e.Reason != "" {
		reason := EngagementReason(e.Reason)
		out.Reason = &reason
	}
	if !e.Since.IsZero() {
		since := e.Since.UTC()
		out.Since = &since
	}
	return out
}
