package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/engagement"
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
	return GetEngagement200JSONResponse(EngagementJSON(e)), nil
}

// EngagementJSON gives an engagement the form that the contract has for it, on every
// channel.
func EngagementJSON(e engagement.Engagement) Engagement {
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
