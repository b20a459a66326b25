package rest

import (
	"context"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
)

// ListIdentities implements StrictServerInterface.
func (s *Server) ListIdentities(ctx context.Context, _ ListIdentitiesRequestObject) (ListIdentitiesResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.identities(ctx, me)
	if err != nil {
		return nil, err
	}
	return ListIdentities200JSONResponse(list), nil
}

func (s *Server) identities(ctx context.Context, playerID string) (IdentityList, error) {
	all, err := s.accounts.Identities(ctx, playerID)
	list := IdentityList{Identities: []Identity{}}
	for _, i := range all {
		one := Identity{Provider: Provider(i.Provider), LinkedAt: i.CreatedAt}
		// Other subjects are the providers' own numbers, which tell a person nothing.
		if i.Provider == account.ViaEmail {
			one.Email = &i.Subject
		}
		list.Identities = append(list.Identities, one)
	}
	return list, err
}

// LinkIdentity implements StrictServerInterface.
func (s *Server) LinkIdentity(ctx context.Context, r LinkIdentityRequestObject) (LinkIdentityResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	// The contract has seen to it that it is one of them.
	provider, token := account.ViaApple, r.Body.Apple
	if token == nil {
		provider, token = account.ViaGoogle, r.Body.Google
	}
	if err := s.accounts.LinkToken(ctx, me.ID, provider, token.IDToken, token.Nonce); err != nil {
		return nil, err
	}
	list, err := s.identities(ctx, me.ID)
	if err != nil {
		return nil, err
	}
	return LinkIdentity200JSONResponse(list), nil
}

// LinkEmail implements StrictServerInterface.
func (s *Server) LinkEmail(ctx context.Context, r LinkEmailRequestObject) (LinkEmailResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.LinkEmail(ctx, me, r.Body.Email, r.Body.Password); err != nil {
		return nil, err
	}
	return LinkEmail202Response{}, nil
}

// UnlinkIdentity implements StrictServerInterface.
func (s *Server) UnlinkIdentity(ctx context.Context, r UnlinkIdentityRequestObject) (UnlinkIdentityResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.Unlink(ctx, me.ID, string(r.Provider)); err != nil {
		return nil, err
	}
	return UnlinkIdentity204Response{}, nil
}

// VerifyEmail implements StrictServerInterface.
func (s *Server) VerifyEmail(ctx context.Context, r VerifyEmailRequestObject) (VerifyEmailResponseObject, error) {
	if err := s.accounts.ConfirmEmail(ctx, r.Body.Token); err != nil {
		return nil, err
	}
	return VerifyEmail204Response{}, nil
}

// RequestPasswordReset implements StrictServerInterface.
func (s *Server) RequestPasswordReset(ctx context.Context, r RequestPasswordResetRequestObject) (RequestPasswordResetResponseObject, error) {
	if err := s.accounts.RequestReset(ctx, r.Body.Email); err != nil {
		return nil, err
	}
	return RequestPasswordReset202Response{}, nil
}

// ResetPassword implements StrictServerInterface.
func (s *Server) ResetPassword(ctx context.Context, r ResetPasswordRequestObject) (ResetPasswordResponseObject, error) {
	if err := s.accounts.ResetPassword(ctx, r.Body.Token, r.Body.Password); err != nil {
		return nil, err
	}
	return ResetPassword204Response{}, nil
}

// signIn begins a session with the one proof that the request has.
func (s *Server) signIn(ctx context.Context, b *NewSession) (account.SignedIn, error) {
	device := text(b.DeviceName)
	proofs := 0
	for _, there := range []bool{b.DeviceSecret != nil, b.Email != nil || b.Password != nil, b.Apple != nil, b.Google != nil} {
		if there {
			proofs++
		}
	}
	switch {
	case proofs != 1 || (b.Email == nil) != (b.Password == nil):
		return account.SignedIn{}, fault.New(fault.InvalidRequest,
			"A sign-in has exactly one of deviceSecret, email with password, apple and google.")
	case b.Email != nil:
		return s.signInWithEmail(ctx, *b.Email, *b.Password, device)
	case b.Apple != nil:
		return s.accounts.SignInWithToken(ctx, account.ViaApple, b.Apple.IDToken, b.Apple.Nonce, device)
	case b.Google != nil:
		return s.accounts.SignInWithToken(ctx, account.ViaGoogle, b.Google.IDToken, b.Google.Nonce, device)
	default:
		return s.accounts.SignIn(ctx, *b.DeviceSecret, device)
	}
}
