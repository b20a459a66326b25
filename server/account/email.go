package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/password"
	"github.com/cuatrola/cuatrola/server/unit"
)

const (
	// VerifyTTL is how long a link that confirms an address is good.
	VerifyTTL = 24 * time.Hour
	// ResetTTL is how long a link to another password is good.
	ResetTTL = time.Hour
	// MaxMails is how many mails with links an address gets, and a player asks for,
	// within mailWindow. Nobody is told that there were more.
	MaxMails   = 5
	mailWindow = time.Hour

	maxJobs     = 64
	mailTimeout = 30 * time.Second
	maxEmail    = 254
)

// Kinds of links in mails.
const (
	LinkVerify = "verify"
	LinkReset  = "reset"
)

// EmailLink is what a link in a mail may do, once.
type EmailLink struct {
	TokenHash [sha256.Size]byte
	Kind      string
	PlayerID  string
	Email     string
	Secret    string // of LinkVerify, the hash of the password that comes with the address
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Confirmation is what the confirming of an address has changed.
type Confirmation struct {
	Player   Player
	Replaced string   // the player's address before; empty if there was none
	Ended    []string // sessions
}

// Mail is a message to one person.
type Mail struct {
	To, Subject, Text string
}

// Mailer sends mail.
type Mailer interface {
	Send(context.Context, Mail) error
}

// WithMailer sets who sends mail, and the address of the page that its links lead
// to. By default there is no mail.
func WithMailer(m Mailer, pageURL string) Option {
	return func(s *Service) { s.mailer, s.pageURL = m, strings.TrimSuffix(pageURL, "/") }
}

type noMailer struct{}

func (noMailer) Send(context.Context, Mail) error { return errors.New("account: there is no mailer") }

// NormalEmail is the form in which addresses are compared and kept.
//
// Codes: InvalidRequest.
func NormalEmail(address string) (string, error) {
	invalid := &fault.Error{Code: fault.InvalidRequest, Field: "email", Message: "This is not an e-mail address."}
	address = norm.NFKC.String(strings.TrimSpace(address))
	parsed, err := mail.ParseAddress(address)
	// Not "Ana <ana@example.org>", nor any other form that means the same.
	if err != nil || parsed.Address != address {
		return "", invalid
	}
	at := strings.LastIndexByte(address, '@')
	// Some servers tell upper case from lower in the name, no person does.
	local := strings.ToLower(address[:at])
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil || !strings.Contains(domain, ".") || strings.ContainsAny(local, "\r\n\"") {
		return "", invalid
	}
	if normal := local + "@" + domain; len(normal) <= maxEmail {
		return normal, nil
	}
	return "", invalid
}

// SignInWithEmail begins a session for the player with that address and password.
// Neither the error nor the time it takes tells whether the address is known.
//
// Codes: InvalidCredentials, Unavailable.
func (s *Service) SignInWithEmail(ctx context.Context, email, word, device string) (SignedIn, error) {
	identity := Identity{Secret: s.passwords.Nobodys()}
	if normal, err := NormalEmail(email); err == nil {
		known, err := s.store.Identity(ctx, ViaEmail, normal)
		if err == nil {
			identity = known
		} else if fault.CodeOf(err) != fault.NotFound {
			return SignedIn{}, err
		}
	}
	ok, err := s.passwords.Matches(ctx, identity.Secret, word)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok || identity.PlayerID == "" {
		return SignedIn{}, notAny(ViaEmail)
	}
	return s.beginWith(ctx, identity, device)
}

// LinkEmail sends a link to the address that makes it the player's, with the
// password. Until it is followed nothing changes, so that nobody holds an address
// that is not theirs. Whether it is another player's, only who reads its mail
// learns, from ConfirmEmail.
//
// Codes: InvalidRequest, Unavailable.
func (s *Service) LinkEmail(ctx context.Context, p Player, email, word string) error {
	normal, err := NormalEmail(email)
	if err != nil {
		return err
	}
	if err := password.Check(word); err != nil {
		return err
	}
	secret, err := s.passwords.Hash(ctx, word)
	if err != nil {
		return err
	}
	return s.later(ctx, func(ctx context.Context) error {
		return s.sendLink(ctx, p, EmailLink{Kind: LinkVerify, Email: normal, Secret: secret}, VerifyTTL)
	})
}

// ConfirmEmail follows the link that LinkEmail sent.
//
// Codes: LinkInvalid, IdentityTaken.
func (s *Service) ConfirmEmail(ctx context.Context, token string) error {
	secret, ok := decodeToken(token)
	if !ok {
		return ErrLinkInvalid
	}
	c, err := s.store.ConfirmEmail(ctx, sha256.Sum256(secret[:]), s.moment())
	if err != nil {
		return err
	}
	s.end(ctx, c.Ended)
	if c.Replaced == "" {
		return nil
	}
	// Whoever changed it may have been somebody else. It is done all the same if
	// the mail cannot be sent.
	_ = s.later(ctx, func(ctx context.Context) error {
		return s.mailer.Send(ctx, changedMail(c.Player.Language, c.Replaced))
	})
	return nil
}

// ErrLinkInvalid is the error of every link that is good for nothing, whatever the
// reason.
var ErrLinkInvalid = fault.New(fault.LinkInvalid, "The link was used, or it has expired. Ask for another.")

// RequestReset sends a link to the address with which its player can set another
// password. It returns before it has looked whether there is one, so that nobody
// learns it.
//
// Codes: InvalidRequest, Unavailable.
func (s *Service) RequestReset(ctx context.Context, email string) error {
	normal, err := NormalEmail(email)
	if err != nil {
		return err
	}
	return s.later(ctx, func(ctx context.Context) error {
		identity, err := s.store.Identity(ctx, ViaEmail, normal)
		if fault.CodeOf(err) == fault.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := s.store.PlayerByID(ctx, identity.PlayerID)
		if err != nil {
			return err
		}
		return s.sendLink(ctx, p, EmailLink{Kind: LinkReset, Email: normal}, ResetTTL)
	})
}

// SendReset sends a player the link to another password, on behalf of the house. In a
// unit of work it is sent when that is kept.
//
// Codes: NotFound (no such player, or one without an address).
func (s *Service) SendReset(ctx context.Context, playerID string) error {
	p, err := s.store.PlayerByID(ctx, playerID)
	if err != nil {
		return err
	}
	all, err := s.store.Identities(ctx, playerID)
	if err != nil {
		return err
	}
	for _, identity := range all {
		if identity.Provider != ViaEmail {
			continue
		}
		unit.Then(ctx, func() {
			err := s.later(ctx, func(ctx context.Context) error {
				return s.sendLink(ctx, p, EmailLink{Kind: LinkReset, Email: identity.Subject}, ResetTTL)
			})
			if err != nil {
				slog.ErrorContext(ctx, "a link to another password is not sent", "player", playerID, "error", err)
			}
		})
		return nil
	}
	return fault.New(fault.NotFound, "This player has no address.")
}

// ResetPassword follows the link that RequestReset sent. The player is signed out
// everywhere.
//
// Codes: InvalidRequest, LinkInvalid, Unavailable.
func (s *Service) ResetPassword(ctx context.Context, token, word string) error {
	secret, ok := decodeToken(token)
	if !ok {
		return ErrLinkInvalid
	}
	if err := password.Check(word); err != nil {
		return err
	}
	hash, err := s.passwords.Hash(ctx, word)
	if err != nil {
		return err
	}
	ended, err := s.store.ResetPassword(ctx, sha256.Sum256(secret[:]), hash, s.moment())
	if err != nil {
		return err
	}
	s.end(ctx, ended)
	return nil
}

// sendLink keeps a link and mails it.
func (s *Service) sendLink(ctx context.Context, p Player, l EmailLink, ttl time.Duration) error {
	var token [secretSize]byte
	if _, err := io.ReadFull(s.random, token[:]); err != nil {
		return fmt.Errorf("account: a link's token: %w", err)
	}
	now := s.moment()
	l.TokenHash, l.PlayerID, l.CreatedAt, l.ExpiresAt = sha256.Sum256(token[:]), p.ID, now, now.Add(ttl)
	kept, err := s.store.CreateEmailLink(ctx, l, now.Add(-mailWindow), MaxMails)
	if err != nil {
		return err
	}
	if !kept {
		slog.WarnContext(ctx, "too many mails asked for", "player", p.ID)
		return nil
	}
	// Behind the #, the token reaches the page and no server's log.
	return s.mailer.Send(ctx, linkMail(p.Language, l, s.pageURL+"/#"+l.Kind+"="+encodeToken(token)))
}

// later goes on with work when the caller has its answer.
func (s *Service) later(ctx context.Context, work func(context.Context) error) error {
	select {
	case s.jobs <- struct{}{}:
	default:
		return fault.New(fault.Unavailable, "Too much mail is on its way. Try again.")
	}
	ctx = context.WithoutCancel(ctx)
	s.running.Go(func() {
		defer func() { <-s.jobs }()
		ctx, cancel := context.WithTimeout(ctx, mailTimeout)
		defer cancel()
		if err := work(ctx); err != nil {
			slog.ErrorContext(ctx, "mail", "error", err)
		}
	})
	return nil
}

// Wait returns when what goes on behind answers is done. No other method may be
// running.
func (s *Service) Wait() { s.running.Wait() }
