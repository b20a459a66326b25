package account

import (
	"context"
	"errors"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Identity is a way into an account: an address with a password, an Apple or a
// Google account, or the devices that hold a secret.
type Identity struct {
	Provider  string // ViaEmail, ViaApple, ViaGoogle; ViaDevice only in lists
	Subject   string // who one is at the provider; for e-mail the address
	PlayerID  string
	Secret    string // of ViaEmail, the password's hash
	CreatedAt time.Time
}

// IdentityStore keeps identities and what the links in mails may do. An identity
// is one player's, and a player has one of each provider at most.
type IdentityStore interface {
	// Identity returns NotFound if it is nobody's.
	Identity(ctx context.Context, provider, subject string) (Identity, error)
	// Identities lists the player's, the oldest first, with one of ViaDevice if the
	// player has devices.
	Identities(ctx context.Context, playerID string) ([]Identity, error)
	// LinkIdentity keeps it, and that its player is no guest. If the player has it
	// already, nothing changes.
	//
	// Codes: IdentityTaken, AlreadyLinked.
	LinkIdentity(context.Context, Identity) error
	// UnlinkIdentity removes it, with the mail links of ViaEmail and the secrets of
	// ViaDevice.
	//
	// Codes: NotFound, LastIdentity.
	UnlinkIdentity(ctx context.Context, playerID, provider string) error

	// CreateEmailLink keeps what a mail's link may do, unless as many as most have
	// been made since then, for the address or by the player. Whether it has been
	// kept, it returns.
	CreateEmailLink(ctx context.Context, l EmailLink, since time.Time, most int) (bool, error)
	// ConfirmEmail uses up a link of LinkVerify: its address and password become its
	// player's, in place of earlier ones. If there were earlier ones, they are
	// returned and all of the player's sessions end.
	//
	// Codes: LinkInvalid, IdentityTaken.
	ConfirmEmail(ctx context.Context, tokenHash [32]byte, at time.Time) (Confirmation, error)
	// ResetPassword uses up a link of LinkReset, sets the password's hash and ends
	// all of the player's sessions, whose identifiers it returns.
	//
	// Codes: LinkInvalid.
	ResetPassword(ctx context.Context, tokenHash [32]byte, secret string, at time.Time) (ended []string, err error)
}

// IDTokens knows what Apple and Google sign.
type IDTokens interface {
	// Subject returns whom the provider's ID token is about. The nonce is what the
	// client had it signed with.
	//
	// Codes: InvalidIDToken, ProviderDisabled, Unavailable.
	Subject(ctx context.Context, provider, idToken, nonce string) (string, error)
}

// WithIDTokens sets who checks ID tokens. By default no provider is known.
func WithIDTokens(t IDTokens) Option { return func(s *Service) { s.idTokens = t } }

type noIDTokens struct{}

func (noIDTokens) Subject(context.Context, string, string, string) (string, error) {
	return "", fault.New(fault.ProviderDisabled, "This server does not take these accounts.")
}

// SignInWithToken begins a session for the player who has linked the account that
// the ID token is about. Whoever has none signs up as a guest and links it.
//
// Codes: InvalidIDToken, ProviderDisabled, UnknownIdentity, Unavailable.
func (s *Service) SignInWithToken(ctx context.Context, provider, idToken, nonce, device string) (SignedIn, error) {
	subject, err := s.idTokens.Subject(ctx, provider, idToken, nonce)
	if err != nil {
		return SignedIn{}, err
	}
	identity, err := s.store.Identity(ctx, provider, subject)
	if fault.CodeOf(err) == fault.NotFound {
		return SignedIn{}, notAny(provider)
	}
	if err != nil {
		return SignedIn{}, err
	}
	return s.beginWith(ctx, identity, device)
}

// beginWith signs in the player whose identity it is. If the identity was changed or
// unlinked meanwhile, the new session has come too late to be ended with the others,
// and ends here.
func (s *Service) beginWith(ctx context.Context, i Identity, device string) (SignedIn, error) {
	p, err := s.store.PlayerByID(ctx, i.PlayerID)
	if fault.CodeOf(err) == fault.NotFound {
		return SignedIn{}, notAny(i.Provider)
	}
	if err != nil {
		return SignedIn{}, err
	}
	in, err := s.begin(ctx, p, i.Provider, device)
	if err != nil {
		return SignedIn{}, err
	}
	now, err := s.store.Identity(ctx, i.Provider, i.Subject)
	if err == nil && now == i {
		return in, nil
	}
	if err == nil || fault.CodeOf(err) == fault.NotFound {
		err = notAny(i.Provider)
	}
	return SignedIn{}, errors.Join(err, s.EndSession(ctx, p.ID, in.SessionID))
}

// LinkToken links the account that the ID token is about to the player. What is
// another player's stays so: accounts are never merged.
//
// Codes: InvalidIDToken, ProviderDisabled, IdentityTaken, AlreadyLinked,
// Unavailable.
func (s *Service) LinkToken(ctx context.Context, playerID, provider, idToken, nonce string) error {
	subject, err := s.idTokens.Subject(ctx, provider, idToken, nonce)
	if err != nil {
		return err
	}
	return s.store.LinkIdentity(ctx, Identity{
		Provider: provider, Subject: subject, PlayerID: playerID, CreatedAt: s.moment(),
	})
}

// Identities lists the player's ways in, the oldest first.
func (s *Service) Identities(ctx context.Context, playerID string) ([]Identity, error) {
	return s.store.Identities(ctx, playerID)
}

// Unlink takes one of the player's ways in away, but not the last.
//
// Codes: NotFound, LastIdentity.
func (s *Service) Unlink(ctx context.Context, playerID, provider string) error {
	return s.store.UnlinkIdentity(ctx, playerID, provider)
}
