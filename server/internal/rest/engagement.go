package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/room"
)

// GetEngagement implements StrictServerInterface.
func (s *Server) GetEngagement(ctx context.Context, _ GetEngagementRequestObject) (GetEngagementResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	e, err := s.engagements.Of(ctx, me)
	if err != nil {
		return nil, err
	}
	out, err := Places{Rooms: s.rooms}.EngagementJSON(ctx, e)
	return GetEngagement200JSONResponse(out), err
}

// Places are what engagements lead to. What is nil is not shown.
type Places struct {
	Rooms *room.Service
}

// EngagementJSON gives an engagement, with the room that it leads to, the form that
// the contract has for it, on every channel.
func (p Places) EngagementJSON(ctx context.Context, e engagement.Engagement) (Engagement, error) {
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
	if e.Place.Kind == engagement.Room && p.Rooms != nil {
		r, err := p.Rooms.Get(ctx, e.Place.ID, e.PlayerID)
		switch {
		case err == nil:
			json := RoomJSON(r)
			out.Room = &json
		case fault.CodeOf(err) != fault.NotFound: // left meanwhile: the next state says so
			return out, err
		}
	}
	return out, nil
}
