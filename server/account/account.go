// Package account knows who the players are: it signs guests up, lets a device
// back in and says whose an access token is.
package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/password"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// secretSize is a device secret's length in bytes. It is long enough that one
// unsalted SHA-256 hides it: nobody can try 2^256 secrets.
const secretSize = 32

// Player is a person who plays.
type Player struct {
	ID        string // UUID, version 7
	Name      string // unique, see package name
	Guest     bool   // has no identity but a device's secret
	Avatar    string // a card, as records write it
	Language  string // es, ca or en
	CreatedAt time.Time
	// RenamedAt is when the player chose the name; zero if it was made up.
	RenamedAt time.Time
}

// Device lets its holder in as one player.
type Device struct {
	ID         string
	PlayerID   string
	SecretHash [sha256.Size]byte
	CreatedAt  time.Time
}

// Token is a signed access token.
type Token struct {
	Access    string
	ExpiresAt time.Time
}

// Guest is what a sign-up gives. Nobody can read the secret again.
type Guest struct {
	SignedIn
	DeviceSecret string
}

// Store keeps players and their ways in.
type Store interface {
	// CreateGuest keeps all three or nothing. Codes: NameTaken, IdentityTaken (there is such
	// a device).
	CreateGuest(context.Context, Player, Device, Session) error
	// PlayerByDevice returns NotFound if no device has that hash.
	PlayerByDevice(ctx context.Context, secretHash [sha256.Size]byte) (Player, error)
	// PlayerByID returns NotFound if there is no such player.
	PlayerByID(ctx context.Context, id string) (Player, error)

	SessionStore
	IdentityStore
}

// Service is the domain's door. Make one with New.
type Service struct {
	store      Store
	tokens     *Tokens
	now        func() time.Time
	random     io.Reader
	refreshTTL time.Duration
	announce   func(sessionIDs []string, why fault.Code)
	ended      ended
	passwords  *password.Hasher
	cost       password.Cost
	mailer     Mailer
	pageURL    string
	idTokens   IDTokens
	jobs       chan struct{} // work that goes on behind an answer
	running    sync.WaitGroup
	halts      *halt.Service
}

// Option changes what New takes by default.
type Option func(*Service)

// WithRandom sets the source of secrets and identifiers, crypto/rand by default.
func WithRandom(r io.Reader) Option { return func(s *Service) { s.random = r } }

// WithPasswordCost sets what hashing a password costs, password.Recommended by default.
func WithPasswordCost(c password.Cost) Option { return func(s *Service) { s.cost = c } }

// WithRefreshTTL sets how long a session lives without being used.
func WithRefreshTTL(ttl time.Duration) Option { return func(s *Service) { s.refreshTTL = ttl } }

// WithAnnounce sets who is told of sessions that have ended, and why, so that every
// process hears of it; see [Service.ObserveEnded].
func WithAnnounce(f func(sessionIDs []string, why fault.Code)) Option {
	return func(s *Service) { s.announce = f }
}

// WithHalts sets who knows whether signing up is stopped for a while.
func WithHalts(h *halt.Service) Option { return func(s *Service) { s.halts = h } }

// New returns a service over the store that signs with tokens and reads the clock
// now.
func New(store Store, tokens *Tokens, now func() time.Time, options ...Option) *Service {
	s := &Service{
		store: store, tokens: tokens, now: now, random: rand.Reader,
		refreshTTL: DefaultRefreshTTL, announce: func([]string, fault.Code) {}, mailer: noMailer{}, idTokens: noIDTokens{},
		jobs: make(chan struct{}, maxJobs), cost: password.Recommended,
	}
	for _, o := range options {
		o(s)
	}
	s.passwords = password.NewHasher(s.random, s.cost)
	return s
}

// moment is the time now, as the store keeps it: in milliseconds.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// NewGuest is what somebody who signs up may say.
type NewGuest struct {
	Name     string // empty: one is made up
	Language string // empty: DefaultLanguage
	Device   string // what the client calls its device
	Secret   string // the device's, in base64url; empty: one is made
}

// SignUp makes a guest with a first session. An empty name gets one made up, and a
// name that is taken gets digits behind it: a sign-up is one tap, whoever was there
// before. With a secret that is known already it is the same guest, who is signed in: a
// client that brings its own may send the request again.
//
// Codes: InvalidRequest, NameReserved (the name), Suspended (a guest of before),
// halt.CodeStopped.
func (s *Service) SignUp(ctx context.Context, wish NewGuest) (Guest, error) {
	if wish.Secret == "" {
		return s.signUp(ctx, wish)
	}
	if _, ok := decodeToken(wish.Secret); !ok {
		return Guest{}, &fault.Error{Code: fault.InvalidRequest, Field: "deviceSecret", Message: "A device's secret is 32 bytes in base64url."}
	}
	again := func() (Guest, error) {
		in, err := s.SignIn(ctx, wish.Secret, wish.Device)
		return Guest{SignedIn: in, DeviceSecret: wish.Secret}, err
	}
	guest, err := again()
	if fault.CodeOf(err) != fault.UnknownDevice {
		return guest, err
	}
	guest, err = s.signUp(ctx, wish)
	if fault.CodeOf(err) == fault.IdentityTaken {
		// The same request, in the same moment.
		return again()
	}
	return guest, err
}

func (s *Service) signUp(ctx context.Context, wish NewGuest) (Guest, error) {
	if err := s.halts.Check(halt.SignUps); err != nil {
		return Guest{}, err
	}
	now := s.moment()
	playerID, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Guest{}, fmt.Errorf("account: new player's id: %w", err)
	}
	deviceID, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Guest{}, fmt.Errorf("account: new device's id: %w", err)
	}
	secret, given := decodeToken(wish.Secret)
	if !given {
		if _, err := io.ReadFull(s.random, secret[:]); err != nil {
			return Guest{}, fmt.Errorf("account: new device's secret: %w", err)
		}
	}
	p := Player{ID: playerID.String(), Guest: true, Avatar: firstAvatar(playerID), Language: wish.Language, CreatedAt: now}
	if p.Language == "" {
		p.Language = DefaultLanguage
	}
	if wish.Name == "" {
		// The last digits of a version 7 UUID are random, the first its time.
		wish.Name = name.Guest(p.ID[len(p.ID)-8:])
	} else {
		if wish.Name, err = name.Clean(wish.Name); err != nil {
			return Guest{}, err
		}
		p.RenamedAt = now
	}
	p.Name = wish.Name
	d := Device{ID: deviceID.String(), PlayerID: p.ID, SecretHash: sha256.Sum256(secret[:]), CreatedAt: now}
	session, refresh, err := s.newSession(p.ID, ViaDevice, wish.Device, now)
	if err != nil {
		return Guest{}, err
	}
	err = s.store.CreateGuest(ctx, p, d, session)
	for range nameTries {
		if fault.CodeOf(err) != fault.NameTaken {
			break
		}
		if p.Name, err = name.Other(wish.Name, s.random); err != nil {
			return Guest{}, err
		}
		// It is not the name that was chosen, so choosing one is still free.
		p.RenamedAt = time.Time{}
		err = s.store.CreateGuest(ctx, p, d, session)
	}
	if err != nil {
		return Guest{}, err
	}
	in, err := s.signedIn(p, session, refresh, now)
	if err != nil {
		return Guest{}, err
	}
	return Guest{SignedIn: in, DeviceSecret: encodeToken(secret)}, nil
}

// nameTries is how often digits are drawn for a name that is taken.
const nameTries = 8

// DefaultLanguage is the language of whoever names none.
const DefaultLanguage = "es"

// firstAvatar is one of the twenty cards, until the player chooses another.
func firstAvatar(id uuid.UUID) string {
	return rules.Card(id[len(id)-1] % rules.DeckSize).String()
}

// SignIn begins a session on the device that holds the secret.
//
// Codes: UnknownDevice.
func (s *Service) SignIn(ctx context.Context, deviceSecret, device string) (SignedIn, error) {
	unknown := notAny(ViaDevice)
	secret, err := base64.RawURLEncoding.DecodeString(deviceSecret)
	if err != nil || len(secret) != secretSize {
		return SignedIn{}, unknown
	}
	p, err := s.store.PlayerByDevice(ctx, sha256.Sum256(secret))
	if fault.CodeOf(err) == fault.NotFound {
		return SignedIn{}, unknown
	}
	if err != nil {
		return SignedIn{}, err
	}
	return s.begin(ctx, p, ViaDevice, device)
}

// Player returns the player.
//
// Codes: NotFound.
func (s *Service) Player(ctx context.Context, id string) (Player, error) {
	return s.store.PlayerByID(ctx, id)
}
