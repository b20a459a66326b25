package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// GetTalk implements StrictServerInterface.
func (s *Server) GetTalk(context.Context, GetTalkRequestObject) (GetTalkResponseObject, error) {
	out := TalkCatalogue{Lines: []TalkLine{}}
	for _, l := range talk.Lines() {
		line := TalkLine{Say: l.Code, Kind: "phrase", Words: Words{Es: l.ES, Ca: l.CA, En: l.EN}}
		if l.Reaction() {
			line.Kind, line.Symbol = "reaction", &l.Symbol
		}
		out.Lines = append(out.Lines, line)
	}
	return GetTalk200JSONResponse(out), nil
}

// Say implements StrictServerInterface.
func (s *Server) Say(ctx context.Context, r SayRequestObject) (SayResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.talk.Say(ctx, r.MatchID, me, r.Body.Say); err != nil {
		return nil, err
	}
	return Say204Response{}, nil
}

// ListMutes implements StrictServerInterface.
func (s *Server) ListMutes(ctx context.Context, r ListMutesRequestObject) (ListMutesResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	muted, err := s.talk.Muted(ctx, r.MatchID, me)
	if err != nil {
		return nil, err
	}
	out := Mutes{Seats: []Seat{}}
	for _, seat := range muted {
		out.Seats = append(out.Seats, int(seat))
	}
	return ListMutes200JSONResponse(out), nil
}

// Mute implements StrictServerInterface.
func (s *Server) Mute(ctx context.Context, r MuteRequestObject) (MuteResponseObject, error) {
	if err := s.mute(ctx, r.MatchID, r.Seat, true); err != nil {
		return nil, err
	}
	return Mute204Response{}, nil
}

// Unmute implements StrictServerInterface.
func (s *Server) Unmute(ctx context.Context, r UnmuteRequestObject) (UnmuteResponseObject, error) {
	if err := s.mute(ctx, r.MatchID, r.Seat, false); err != nil {
		return nil, err
	}
	return Unmute204Response{}, nil
}

func (s *Server) mute(ctx context.Context, matchID string, seat int, mute bool) error {
	me, err := player(ctx)
	if err != nil {
		return err
	}
	return s.talk.Mute(ctx, matchID, me, rules.Seat(seat), mute)
}
