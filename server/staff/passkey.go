package staff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cuatrola/cuatrola/server/attempt"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	// MaxPasskeys is how many a member may have.
	MaxPasskeys = 20
	// CeremonyTTL is how long a browser may take with what it was asked for.
	CeremonyTTL = 5 * time.Minute

	challengeBytes = 32
)

// Codes of passkeys.
const (
	// CodePasskey: what the browser answered is not what it was asked for, or came too
	// late.
	CodePasskey fault.Code = "passkey_invalid"
	// CodePassword: the member's own password is another.
	CodePassword fault.Code = "password_wrong"
)

// Passkey is a key that a member's device keeps. It stands for the password and the
// second factor together: the device has it, and asks its owner before it signs.
type Passkey struct {
	ID       string // UUID, version 7
	MemberID string
	Name     string // the member's own, to tell it from the others
	// Credential is what the device calls it, PublicKey its key as COSE has it.
	Credential, PublicKey []byte
	// SignCount grows with each use on devices that count.
	SignCount uint32
	// BackupEligible: it may be on several devices. That never changes; BackedUp says
	// whether it is.
	BackupEligible, BackedUp bool
	CreatedAt                time.Time
	UsedAt                   time.Time // zero if never
}

// Challenge is what a device is asked to sign, once.
type Challenge struct {
	ID string // UUID, version 7
	// MemberID of who makes a passkey; "" for signing in.
	MemberID  string
	Secret    []byte
	ExpiresAt time.Time
}

// Authenticators is what browsers and devices understand (WebAuthn). Errors are of what
// they have answered.
type Authenticators interface {
	// Creation is what a browser is asked to make a passkey for a member who has those.
	Creation(m Member, have []Passkey, challenge []byte) (json.RawMessage, error)
	// Created reads the passkey that was made.
	Created(m Member, challenge []byte, answer json.RawMessage) (Passkey, error)
	// Request is what a browser is asked to have a passkey sign.
	Request(challenge []byte) (json.RawMessage, error)
	// Requested verifies what was signed, with the passkey that find knows, and returns
	// that with what changes by its use.
	Requested(challenge []byte, answer json.RawMessage, find func(memberID string, credential []byte) (Passkey, error)) (Passkey, error)
}

// PasskeyStore keeps passkeys.
type PasskeyStore interface {
	// AddPasskey keeps a new one; false if its credential is known, or the member would
	// have more than so many.
	AddPasskey(ctx context.Context, p Passkey, most int) (bool, error)
	// Passkeys lists a member's, in the order in which they came.
	Passkeys(ctx context.Context, memberID string) ([]Passkey, error)
	// PasskeyByCredential reads one. Codes: NotFound.
	PasskeyByCredential(ctx context.Context, credential []byte) (Passkey, error)
	// UsePasskey keeps how one was used, unless it was used meanwhile with that count or
	// a higher one: then false.
	UsePasskey(ctx context.Context, p Passkey) (bool, error)
	// RemovePasskey forgets one of a member's. Codes: NotFound.
	RemovePasskey(ctx context.Context, memberID, id string) error
	// AddChallenge keeps one, and forgets those that expired before a time.
	AddChallenge(ctx context.Context, c Challenge, expired time.Time) error
	// TakeChallenge reads one and forgets it. Codes: NotFound.
	TakeChallenge(ctx context.Context, id string) (Challenge, error)
}

// Ceremony is what a browser is asked for, and by which name it answers.
type Ceremony struct {
	ID      string
	Options json.RawMessage
}

func (s *Service) ceremony(ctx context.Context, memberID string, ask func(challenge []byte) (json.RawMessage, error)) (Ceremony, error) {
	if s.keys == nil {
		return Ceremony{}, fault.New(fault.NotFound, "This server takes no passkeys.")
	}
	id, err := s.newID()
	if err != nil {
		return Ceremony{}, err
	}
	now := s.moment()
	c := Challenge{ID: id, MemberID: memberID, Secret: make([]byte, challengeBytes), ExpiresAt: now.Add(CeremonyTTL)}
	if _, err := io.ReadFull(s.random, c.Secret); err != nil {
		return Ceremony{}, fmt.Errorf("staff: challenge: %w", err)
	}
	options, err := ask(c.Secret)
	if err != nil {
		return Ceremony{}, fmt.Errorf("staff: what a browser is asked for: %w", err)
	}
	return Ceremony{ID: id, Options: options}, s.store.AddChallenge(ctx, c, now)
}

var errCeremony = fault.New(CodePasskey, "This took too long, or was answered already. Try again.")

// answered takes the challenge that a browser answers to.
func (s *Service) answered(ctx context.Context, memberID, id string) (Challenge, error) {
	if s.keys == nil {
		return Challenge{}, errCeremony
	}
	c, err := s.store.TakeChallenge(ctx, id)
	if fault.CodeOf(err) == fault.NotFound {
		return Challenge{}, errCeremony
	}
	if err != nil {
		return Challenge{}, err
	}
	if c.MemberID != memberID || !s.moment().Before(c.ExpiresAt) {
		return Challenge{}, errCeremony
	}
	return c, nil
}

// Passkeys lists a member's.
func (s *Service) Passkeys(ctx context.Context, memberID string) ([]Passkey, error) {
	return s.store.Passkeys(ctx, memberID)
}

// NewPasskey asks a member's browser for a passkey. It takes the password, so that
// nobody makes one at a desk that was left open.
//
// Codes: CodePassword, RateLimited, NotFound if there are no passkeys here.
func (s *Service) NewPasskey(ctx context.Context, m Member, word string, from From) (Ceremony, error) {
	if err := s.knows(ctx, m, word, from); err != nil {
		return Ceremony{}, err
	}
	have, err := s.store.Passkeys(ctx, m.ID)
	if err != nil {
		return Ceremony{}, err
	}
	return s.ceremony(ctx, m.ID, func(challenge []byte) (json.RawMessage, error) { return s.keys.Creation(m, have, challenge) })
}

// AddPasskey keeps the passkey that the browser made.
//
// Codes: InvalidRequest (name), CodePasskey.
func (s *Service) AddPasskey(ctx context.Context, m Member, ceremonyID, name string, answer json.RawMessage) (p Passkey, err error) {
	if name = strings.TrimSpace(name); name == "" || utf8.RuneCountInString(name) > maxName {
		return Passkey{}, &fault.Error{Code: fault.InvalidRequest, Field: "name", Message: fmt.Sprintf("A name has up to %d characters.", maxName)}
	}
	c, err := s.answered(ctx, m.ID, ceremonyID)
	if err != nil {
		return Passkey{}, err
	}
	if p, err = s.keys.Created(m, c.Secret, answer); err != nil {
		return Passkey{}, fault.Wrap(CodePasskey, "The browser answered something else. Try again.", err)
	}
	if p.ID, err = s.newID(); err != nil {
		return Passkey{}, err
	}
	p.MemberID, p.Name, p.CreatedAt = m.ID, name, s.moment()
	err = s.trail.Do(ctx, change("staff.passkey.add", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		switch added, err := s.store.AddPasskey(ctx, p, MaxPasskeys); {
		case err != nil:
			return nil, nil, err
		case !added:
			return nil, nil, fault.New(CodePasskey, fmt.Sprintf("This passkey is known already, or you have %d.", MaxPasskeys))
		}
		return nil, map[string]any{"passkey": p.ID, "name": name}, nil
	})
	return p, err
}

// RemovePasskey makes one of a member's passkeys good for nothing. Codes: NotFound.
func (s *Service) RemovePasskey(ctx context.Context, m Member, id string) error {
	return s.trail.Do(ctx, change("staff.passkey.remove", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		return map[string]any{"passkey": id}, nil, s.store.RemovePasskey(ctx, m.ID, id)
	})
}

// AskPasskey asks the browser of somebody who wants to come in for a passkey. Codes:
// NotFound if there are no passkeys here.
func (s *Service) AskPasskey(ctx context.Context) (Ceremony, error) {
	return s.ceremony(ctx, "", func(challenge []byte) (json.RawMessage, error) { return s.keys.Request(challenge) })
}

// SignInByPasskey begins a session for whose passkey has signed.
//
// Codes: CodePasskey, CodeCredentials.
func (s *Service) SignInByPasskey(ctx context.Context, ceremonyID string, answer json.RawMessage, from From) (in SignedIn, err error) {
	c, err := s.answered(ctx, "", ceremonyID)
	if err != nil {
		return SignedIn{}, err
	}
	var broken error // the store's, and not the answer's fault
	p, err := s.keys.Requested(c.Secret, answer, func(memberID string, credential []byte) (Passkey, error) {
		p, err := s.store.PasskeyByCredential(ctx, credential)
		if err != nil && fault.CodeOf(err) != fault.NotFound {
			broken = err
		}
		if err == nil && p.MemberID != memberID {
			err = errors.New("staff: a passkey of another member")
		}
		return p, err
	})
	refused := fault.Wrap(CodeCredentials, "Nobody here has this passkey.", err)
	if broken != nil {
		return SignedIn{}, broken
	}
	if err != nil {
		return SignedIn{}, refused
	}
	m, err := s.store.Member(ctx, p.MemberID)
	if err != nil {
		return SignedIn{}, err
	}
	if m.Disabled {
		return SignedIn{}, refused
	}
	p.UsedAt = s.moment()
	err = s.trail.Do(audit.As(ctx, m.actor(from)), change("staff.sign-in", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		used, err := s.store.UsePasskey(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		if !used {
			// The count went back, or stood still: there are two of what there is one of.
			return nil, nil, refused
		}
		in, err = s.begin(ctx, m, from)
		return nil, map[string]any{"passkey": p.ID}, err
	})
	return in, err
}

// knows says whether the member knows their password, as slowly as signing in.
//
// Codes: CodePassword, RateLimited, Unavailable.
func (s *Service) knows(ctx context.Context, m Member, word string, from From) error {
	identity, address := attempt.Identity("staff", m.Email), "staff "+from.Address
	if s.attempts != nil {
		if err := s.attempts.Begin(ctx, identity, address); err != nil {
			return err
		}
	}
	ok, err := s.passwords.Matches(ctx, m.PasswordHash, word)
	if err != nil {
		return err
	}
	if !ok {
		return &fault.Error{Code: CodePassword, Field: "password", Message: "This is not your password."}
	}
	if s.attempts != nil {
		return s.attempts.Succeed(ctx, identity, address)
	}
	return nil
}
