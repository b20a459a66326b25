package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/account"
)

// CreateSession implements StrictServerInterface.
func (s *Server) CreateSession(ctx context.Context, r CreateSessionRequestObject) (CreateSessionResponseObject, error) {
	in, err := s.signIn(ctx, r.Body)
	if err != nil {
		return nil, err
	}
	return CreateSession201JSONResponse(sessionJSON(in)), nil
}

// RefreshSession implements StrictServerInterface.
func (s *Server) RefreshSession(ctx context.Context, r RefreshSessionRequestObject) (RefreshSessionResponseObject, error) {
	in, err := s.accounts.RefreshTo(ctx, r.Body.RefreshToken, text(r.Body.NextRefreshToken))
	if err != nil {
		return nil, err
	}
	return RefreshSession200JSONResponse(sessionJSON(in)), nil
}

func sessionJSON(in account.SignedIn) Session {
	return Session{
		Player: playerJSON(in.Player), AccessToken: in.Token.Access, ExpiresAt: in.Token.ExpiresAt,
		RefreshToken: in.Refresh, RefreshExpiresAt: in.RefreshExpiresAt, SessionID: in.SessionID,
	}
}

// ListSessions implements StrictServerInterface.
func (s *Server) ListSessions(ctx context.Context, _ ListSessionsRequestObject) (ListSessionsResponseObject, error) {
	me, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	sessions, err := s.accounts.Sessions(ctx, me.PlayerID)
	if err != nil {
		return nil, err
	}
	list := SessionList{Sessions: []SessionInfo{}}
	for _, one := range sessions {
		info := SessionInfo{
			SessionID: one.ID, Current: one.ID == me.SessionID, Via: Provider(one.Via),
			CreatedAt: one.CreatedAt, UsedAt: one.UsedAt, ExpiresAt: one.ExpiresAt,
		}
		if one.Device != "" {
			info.DeviceName = &one.Device
		}
		list.Sessions = append(list.Sessions, info)
	}
	return ListSessions200JSONResponse(list), nil
}

// EndSession implements StrictServerInterface.
func (s *Server) EndSession(ctx context.Context, r EndSessionRequestObject) (EndSessionResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.EndSession(ctx, me, r.SessionID); err != nil {
		return nil, err
	}
	return EndSession204Response{}, nil
}

// EndSessions implements StrictServerInterface.
func (s *Server) EndSessions(ctx context.Context, _ EndSessionsRequestObject) (EndSessionsResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.EndSessions(ctx, me.ID); err != nil {
		return nil, err
	}
	return EndSessions204Response{}, nil
}

// NewSupportCode implements StrictServerInterface.
func (s *Server) NewSupportCode(ctx context.Context, _ NewSupportCodeRequestObject) (NewSupportCodeResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	code, err := s.support.NewCode(ctx, me.ID)
	if err != nil {
		return nil, err
	}
	return NewSupportCode201JSONResponse{Code: code.Text, ExpiresAt: code.ExpiresAt}, nil
}
