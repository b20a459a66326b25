package staff

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/password"
)

const (
	// DefaultIdle is how long a session lives without being used, DefaultLength how long
	// it lives at most.
	DefaultIdle   = 30 * time.Minute
	DefaultLength = 12 * time.Hour
	// InvitationTTL is how long a link is good.
	InvitationTTL = 72 * time.Hour
	// MinPassword is how short a member's password may be: much hangs on it.
	MinPassword = 12
	// RecoveryCodes are so many. Each stands in once for a code of the second factor.
	RecoveryCodes = 10

	maxName = 60
	// seeEvery is how exactly it is known when a session was used.
	seeEvery = time.Minute
	// keepFor is how long ended sessions and links are kept.
	keepFor = 30 * 24 * time.Hour
)

// Options are what a service is made of.
type Options struct {
	Store Store
	Trail *audit.Service
	// Attempts slows the guessing of passwords and codes; nil slows nothing.
	Attempts *attempt.Guard
	Now      func() time.Time
	Random   io.Reader // nil: crypto/rand
	// Cost of hashing a password; zero: password.Recommended.
	Cost password.Cost
	// Keys understands passkeys; nil: there are none here.
	Keys Authenticators
	// Idle and Length of sessions; zero: the defaults.
	Idle, Length time.Duration
}

// Service is the domain's door. Make one with New.
type Service struct {
	store        Store
	trail        *audit.Service
	attempts     *attempt.Guard
	now          func() time.Time
	random       io.Reader
	passwords    *password.Hasher
	keys         Authenticators
	idle, length time.Duration
}

// New returns a service.
func New(o Options) *Service {
	s := &Service{
		store: o.Store, trail: o.Trail, attempts: o.Attempts, now: o.Now, random: o.Random, keys: o.Keys, idle: o.Idle, length: o.Length,
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	if s.idle == 0 {
		s.idle = DefaultIdle
	}
	if s.length == 0 {
		s.length = DefaultLength
	}
	if o.Cost == (password.Cost{}) {
		o.Cost = password.Recommended
	}
	s.passwords = password.NewHasher(s.random, o.Cost)
	return s
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

func (s *Service) newID() (string, error) {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return "", fmt.Errorf("staff: new identifier: %w", err)
	}
	return id.String(), nil
}

// token is a secret for a link or a session, in letters that are good in a URL.
func (s *Service) token() (string, [sha256.Size]byte, error) {
	var secret [32]byte
	if _, err := io.ReadFull(s.random, secret[:]); err != nil {
		return "", [sha256.Size]byte{}, fmt.Errorf("staff: new secret: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(secret[:])
	return text, sha256.Sum256([]byte(text)), nil
}

// FirstOwner makes the link by which the first owner comes in, and puts it in the place
// of the one before. It returns "" if there is somebody already.
func (s *Service) FirstOwner(ctx context.Context) (token string, err error) {
	l, token, err := s.newLink(LinkInvite)
	if err != nil {
		return "", err
	}
	l.Role = Owner
	first, err := s.store.AddLink(ctx, l, true)
	if err != nil || !first {
		return "", err
	}
	return token, nil
}

func (s *Service) newLink(kind LinkKind) (Link, string, error) {
	id, err := s.newID()
	if err != nil {
		return Link{}, "", err
	}
	token, hash, err := s.token()
	now := s.moment()
	return Link{ID: id, Hash: hash, Kind: kind, CreatedAt: now, ExpiresAt: now.Add(InvitationTTL)}, token, err
}

// Invite makes a link by which somebody becomes a member.
//
// Codes: InvalidRequest (email, role, reason), CodeEmailTaken.
func (s *Service) Invite(ctx context.Context, email string, role Role, reason string) (l Link, token string, err error) {
	if err := audit.NeedsReason(reason); err != nil {
		return Link{}, "", err
	}
	if email, err = account.NormalEmail(email); err != nil {
		return Link{}, "", err
	}
	if !known(role) {
		return Link{}, "", &fault.Error{Code: fault.InvalidRequest, Field: "role", Message: "There is no such role."}
	}
	if l, token, err = s.newLink(LinkInvite); err != nil {
		return Link{}, "", err
	}
	l.Email, l.Role = email, role
	err = s.trail.Do(ctx, audit.Change{Action: "staff.invite", Subject: audit.Subject{Kind: "invitation", ID: l.ID}, Reason: reason},
		func(ctx context.Context) (before, after any, err error) {
			switch _, err := s.store.MemberByEmail(ctx, email); {
			case err == nil:
				return nil, nil, &fault.Error{Code: CodeEmailTaken, Field: "email", Message: "Somebody of the staff has this address."}
			case fault.CodeOf(err) != fault.NotFound:
				return nil, nil, err
			}
			_, err = s.store.AddLink(ctx, l, false)
			return nil, map[string]any{"email": email, "role": role, "expiresAt": l.ExpiresAt}, err
		})
	return l, token, err
}

// Reset makes a link by which a member gets another password and second factor. Until
// it is followed the member comes in as before.
//
// Codes: NotFound, InvalidRequest (reason).
func (s *Service) Reset(ctx context.Context, memberID, reason string) (l Link, token string, err error) {
	if err := audit.NeedsReason(reason); err != nil {
		return Link{}, "", err
	}
	if l, token, err = s.newLink(LinkReset); err != nil {
		return Link{}, "", err
	}
	l.MemberID = memberID
	err = s.trail.Do(ctx, change("staff.reset", memberID, reason), func(ctx context.Context) (before, after any, err error) {
		m, err := s.store.Member(ctx, memberID)
		if err != nil {
			return nil, nil, err
		}
		l.Email, l.Role = m.Email, m.Role
		_, err = s.store.AddLink(ctx, l, false)
		return nil, map[string]any{"expiresAt": l.ExpiresAt}, err
	})
	return l, token, err
}

func change(action, memberID, reason string) audit.Change {
	return audit.Change{Action: action, Subject: audit.Subject{Kind: "staff", ID: memberID}, Reason: reason}
}

// Links lists those that are still good.
func (s *Service) Links(ctx context.Context) ([]Link, error) {
	return s.store.OpenLinks(ctx, s.moment())
}

// TakeBack makes a link good for nothing. Codes: NotFound, InvalidRequest (reason).
func (s *Service) TakeBack(ctx context.Context, linkID, reason string) error {
	if err := audit.NeedsReason(reason); err != nil {
		return err
	}
	return s.trail.Do(ctx, audit.Change{Action: "staff.invite.take-back", Subject: audit.Subject{Kind: "invitation", ID: linkID}, Reason: reason},
		func(ctx context.Context) (before, after any, err error) {
			return nil, nil, s.store.EndLink(ctx, linkID, s.moment())
		})
}

// Invited is what whoever follows a link is shown.
type Invited struct {
	Link
	// Name of whom a reset is for.
	Name string
	// TOTPSecret is the secret that the link's member will have, in base 32, for an
	// authenticator; it follows from the token, so that a link shows the same one each
	// time and none is kept.
	TOTPSecret string
}

func totpSecret(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("second factor"))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil)[:20])
}

// errLink is the answer to every link that is not good.
var errLink = fault.New(CodeLink, "This link is unknown, used or expired. Ask for another.")

// Look says what a link is for. Codes: CodeLink.
func (s *Service) Look(ctx context.Context, token string) (Invited, error) {
	l, err := s.store.Link(ctx, sha256.Sum256([]byte(token)))
	if fault.CodeOf(err) == fault.NotFound {
		return Invited{}, errLink
	}
	if err != nil {
		return Invited{}, err
	}
	if !l.UsedAt.IsZero() || !s.moment().Before(l.ExpiresAt) {
		return Invited{}, errLink
	}
	i := Invited{Link: l, TOTPSecret: totpSecret(token)}
	if l.Kind == LinkReset {
		m, err := s.store.Member(ctx, l.MemberID)
		if err != nil {
			return Invited{}, err
		}
		if m.Disabled {
			return Invited{}, errLink
		}
		i.Name = m.Name
	}
	return i, nil
}

// Acceptance is what whoever follows a link says.
type Acceptance struct {
	Token, Name, Password string
	// Email of the first owner; of others the link says it.
	Email string
	// Code of the second factor, to show that it has been set up.
	Code string
}

// Accept follows a link: its member is kept and signed in. The recovery codes are shown
// this once.
//
// Codes: CodeLink, InvalidRequest (name, email, password), CodeCode, CodeEmailTaken,
// RateLimited.
func (s *Service) Accept(ctx context.Context, a Acceptance, from From) (in SignedIn, recovery []string, err error) {
	invited, err := s.Look(ctx, a.Token)
	if err != nil {
		return SignedIn{}, nil, err
	}
	m := Member{Email: invited.Email, Role: invited.Role, CreatedAt: s.moment()}
	if invited.Kind == LinkReset {
		if m, err = s.store.Member(ctx, invited.MemberID); err != nil {
			return SignedIn{}, nil, err
		}
	} else if m.ID, err = s.newID(); err != nil {
		return SignedIn{}, nil, err
	}
	if m.Email == "" {
		if m.Email, err = account.NormalEmail(a.Email); err != nil {
			return SignedIn{}, nil, err
		}
	}
	if m.Name = strings.TrimSpace(a.Name); m.Name == "" || utf8.RuneCountInString(m.Name) > maxName {
		return SignedIn{}, nil, &fault.Error{Code: fault.InvalidRequest, Field: "name", Message: fmt.Sprintf("A name has up to %d characters.", maxName)}
	}
	if err := password.CheckFrom(a.Password, MinPassword); err != nil {
		return SignedIn{}, nil, err
	}
	step, ok := s.step(invited.TOTPSecret, a.Code, 0)
	if !ok {
		return SignedIn{}, nil, &fault.Error{Code: CodeCode, Field: "code", Message: "This is not the code of now. Look at the clock of your device, and try the next code."}
	}
	m.LastStep = step
	if m.PasswordHash, err = s.passwords.Hash(ctx, a.Password); err != nil {
		return SignedIn{}, nil, err
	}
	if m.SealedTOTP, err = s.seal(ctx, a.Password, invited.TOTPSecret); err != nil {
		return SignedIn{}, nil, err
	}
	recovery, hashes, err := s.newRecovery()
	if err != nil {
		return SignedIn{}, nil, err
	}
	err = s.trail.Do(audit.As(ctx, m.actor(from)), change("staff."+string(invited.Kind)+".accept", m.ID, "Followed a link."),
		func(ctx context.Context) (before, after any, err error) {
			if err := s.store.Follow(ctx, invited.ID, s.moment(), m, hashes); err != nil {
				return nil, nil, err
			}
			in, err = s.begin(ctx, m, from)
			return nil, m.public(), err
		})
	if err != nil {
		return SignedIn{}, nil, err
	}
	return in, recovery, nil
}

// public is what the trail says of a member.
func (m *Member) public() any {
	return map[string]any{"name": m.Name, "email": m.Email, "role": m.Role, "disabled": m.Disabled}
}

// actor is the member as the trail names who does something.
func (m *Member) actor(from From) audit.Actor {
	return audit.Actor{ID: m.ID, Name: m.Name, Role: string(m.Role), Address: from.Address, Request: from.Request}
}

// newRecovery makes recovery codes, and what is kept of them. They have 80 bits, so
// that a plain hash is enough.
func (s *Service) newRecovery() (codes []string, hashes [][sha256.Size]byte, err error) {
	for range RecoveryCodes {
		var secret [10]byte
		if _, err := io.ReadFull(s.random, secret[:]); err != nil {
			return nil, nil, fmt.Errorf("staff: recovery code: %w", err)
		}
		text := strings.ToLower(base32.StdEncoding.EncodeToString(secret[:]))
		codes = append(codes, text[:4]+"-"+text[4:8]+"-"+text[8:12]+"-"+text[12:])
		hashes = append(hashes, recoveryHash(text))
	}
	return codes, hashes, nil
}

// recoveryHash is the same however a code is typed.
func recoveryHash(text string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(text))))
}

// Members lists the staff.
func (s *Service) Members(ctx context.Context) ([]Member, error) { return s.store.Members(ctx) }

// Member reads one of the staff. Codes: NotFound.
func (s *Service) Member(ctx context.Context, id string) (Member, error) {
	return s.store.Member(ctx, id)
}

// Change gives a member another role, and lets them in or not; nil leaves it as it is.
// Who is not let in any more is signed out at once, and whoever is let in again signs in
// anew, also where a session has begun meanwhile.
//
// Codes: NotFound, InvalidRequest (role, reason), CodeLastOwner.
func (s *Service) Change(ctx context.Context, memberID string, role *Role, disabled *bool, reason string) (m Member, err error) {
	if err := audit.NeedsReason(reason); err != nil {
		return Member{}, err
	}
	if role != nil && !known(*role) {
		return Member{}, &fault.Error{Code: fault.InvalidRequest, Field: "role", Message: "There is no such role."}
	}
	err = s.trail.Do(ctx, change("staff.change", memberID, reason), func(ctx context.Context) (before, after any, err error) {
		var disabledBefore bool
		m, err = s.store.ChangeMember(ctx, memberID, func(m *Member, owners int) error {
			before, disabledBefore = m.public(), m.Disabled
			was := m.Role == Owner && !m.Disabled
			if role != nil {
				m.Role = *role
			}
			if disabled != nil {
				m.Disabled = *disabled
			}
			if was && owners == 1 && (m.Role != Owner || m.Disabled) {
				return fault.New(CodeLastOwner, "Nobody would be left who may do everything. Make somebody else an owner first.")
			}
			return nil
		})
		if err == nil && (m.Disabled || disabledBefore) {
			err = s.store.EndStaffSessions(ctx, memberID, "", s.moment())
		}
		return before, m.public(), err
	})
	return m, err
}

// RecoveryLeft counts the recovery codes that a member has left.
func (s *Service) RecoveryLeft(ctx context.Context, memberID string) (int, error) {
	return s.store.RecoveryLeft(ctx, memberID)
}

// EndSessions signs a member out: everywhere, or of one session if id is not "".
// Codes: NotFound (the member), InvalidRequest (reason).
func (s *Service) EndSessions(ctx context.Context, memberID, id, reason string) error {
	if err := audit.NeedsReason(reason); err != nil {
		return err
	}
	return s.trail.Do(ctx, change("staff.sign-out", memberID, reason), func(ctx context.Context) (before, after any, err error) {
		if _, err := s.store.Member(ctx, memberID); err != nil {
			return nil, nil, err
		}
		return nil, map[string]any{"session": id}, s.store.EndStaffSessions(ctx, memberID, id, s.moment())
	})
}

// Sessions lists where a member is signed in.
func (s *Service) Sessions(ctx context.Context, memberID string) ([]Session, error) {
	all, err := s.store.StaffSessions(ctx, memberID, s.moment().Add(-s.idle))
	if err != nil {
		return nil, err
	}
	live := all[:0]
	for _, one := range all {
		if s.Expiry(one).After(s.moment()) {
			live = append(live, one)
		}
	}
	return live, nil
}

// Prune forgets what is over for long.
func (s *Service) Prune(ctx context.Context) error {
	return s.store.PruneStaff(ctx, s.moment().Add(-keepFor))
}

// From is where a request comes from.
type From struct {
	// Address and Request as the log has them; Agent is what the browser calls itself.
	Address, Request, Agent string
}

// SignedIn is a session that has just begun. Token is for the member's browser alone.
type SignedIn struct {
	Session
	Member Member
	Token  string
}

// SignIn begins a session for who has the address, the password and a code of the second
// factor, or one of the recovery codes. Whichever of them is wrong, the answer is the
// same.
//
// Codes: CodeCredentials, RateLimited, Unavailable.
func (s *Service) SignIn(ctx context.Context, email, word, code string, from From) (in SignedIn, err error) {
	refused := fault.New(CodeCredentials, "No such address, or another password, or another code.")
	normal, err := account.NormalEmail(email)
	if err != nil {
		normal = email
	}
	identity := attempt.Identity("staff", normal)
	if s.attempts != nil {
		if err := s.attempts.Begin(ctx, identity, "staff "+from.Address); err != nil {
			return SignedIn{}, err
		}
	}
	m, err := s.store.MemberByEmail(ctx, normal)
	if fault.CodeOf(err) == fault.NotFound {
		m, err = Member{PasswordHash: s.passwords.Nobodys()}, nil
	}
	if err != nil {
		return SignedIn{}, err
	}
	ok, err := s.passwords.Matches(ctx, m.PasswordHash, word)
	if err != nil {
		return SignedIn{}, err
	}
	// The code is looked at whatever the password was, so that the time tells nothing.
	good, err := s.secondFactor(ctx, m, word, code, ok)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok || !good || m.ID == "" || m.Disabled {
		return SignedIn{}, refused
	}
	err = s.trail.Do(audit.As(ctx, m.actor(from)), change("staff.sign-in", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		in, err = s.begin(ctx, m, from)
		return nil, nil, err
	})
	if err != nil {
		return SignedIn{}, err
	}
	if s.attempts != nil {
		err = s.attempts.Succeed(ctx, identity, "staff "+from.Address)
	}
	return in, err
}

// secondFactor says whether the code is one that is due, and uses it up if the password
// was right.
func (s *Service) secondFactor(ctx context.Context, m Member, word, code string, right bool) (bool, error) {
	secret, err := s.open(ctx, word, m.SealedTOTP)
	if !right {
		return false, ignoreSeal(err)
	}
	if err != nil {
		return false, err
	}
	if step, ok := s.step(secret, code, m.LastStep); ok {
		return s.store.TakeStep(ctx, m.ID, step)
	}
	return s.store.UseRecovery(ctx, m.ID, recoveryHash(code), s.moment())
}

// ignoreSeal forgets that a seal did not open, which is what another password's does.
func ignoreSeal(err error) error {
	if errors.Is(err, errSeal) {
		return nil
	}
	return err
}

// begin begins a session.
func (s *Service) begin(ctx context.Context, m Member, from From) (SignedIn, error) {
	id, err := s.newID()
	if err != nil {
		return SignedIn{}, err
	}
	token, hash, err := s.token()
	if err != nil {
		return SignedIn{}, err
	}
	now := s.moment()
	in := SignedIn{Session: Session{
		ID: id, Hash: hash, MemberID: m.ID, Address: from.Address, Agent: clip(from.Agent, 200), CreatedAt: now, SeenAt: now,
	}, Member: m, Token: token}
	return in, s.store.AddSession(ctx, in.Session)
}

func clip(text string, most int) string {
	if r := []rune(strings.ToValidUTF8(text, "")); len(r) > most {
		return string(r[:most])
	}
	return strings.ToValidUTF8(text, "")
}

// Expiry is when a session ends unless it is used before.
func (s *Service) Expiry(one Session) time.Time {
	idle, end := one.SeenAt.Add(s.idle), one.CreatedAt.Add(s.length)
	if end.Before(idle) {
		return end
	}
	return idle
}

// CSRF is the token that a change has to bring beside the session's: a page of another
// site makes a browser send the session, but cannot read this.
func CSRF(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("csrf"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Authenticate finds the session of a token, and keeps it alive.
//
// Codes: Unauthenticated, SessionEnded.
func (s *Service) Authenticate(ctx context.Context, token string) (Session, Member, error) {
	if token == "" {
		return Session{}, Member{}, fault.New(fault.Unauthenticated, "Sign in first.")
	}
	one, m, err := s.store.SessionByHash(ctx, sha256.Sum256([]byte(token)))
	if fault.CodeOf(err) == fault.NotFound {
		return Session{}, Member{}, fault.New(fault.Unauthenticated, "Sign in first.")
	}
	if err != nil {
		return Session{}, Member{}, err
	}
	now := s.moment()
	if !one.EndedAt.IsZero() || m.Disabled || !now.Before(s.Expiry(one)) {
		return Session{}, Member{}, fault.New(fault.SessionEnded, "This session is over. Sign in anew.")
	}
	if now.Sub(one.SeenAt) >= seeEvery {
		if err := s.store.SeeSession(ctx, one.ID, now); err != nil {
			return Session{}, Member{}, err
		}
		one.SeenAt = now
	}
	return one, m, nil
}

// HasCSRF says whether a change brought the token that belongs to the session's.
func HasCSRF(token, brought string) bool {
	return subtle.ConstantTimeCompare([]byte(CSRF(token)), []byte(brought)) == 1
}

// SignOut ends the session.
func (s *Service) SignOut(ctx context.Context, one Session) error {
	return s.store.EndStaffSessions(ctx, one.MemberID, one.ID, s.moment())
}
