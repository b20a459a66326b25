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
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
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
	Player       Player
	DeviceSecret string
	Token        Token
}

// Session is what a device gets for its secret.
type Session struct {
	Player Player
	Token  Token
}

// Store keeps players and devices.
type Store interface {
	// CreateGuest keeps both or neither. Codes: NameTaken.
	CreateGuest(context.Context, Player, Device) error
	// PlayerByDevice returns NotFound if no device has that hash.
	PlayerByDevice(ctx context.Context, secretHash [sha256.Size]byte) (Player, error)
	// PlayerByID returns NotFound if there is no such player.
	PlayerByID(ctx context.Context, id string) (Player, error)
}

// Service is the domain's door. Make one with New.
type Service struct {
	store  Store
	tokens *Tokens
	now    func() time.Time
	random io.Reader
}

// Option changes what New takes by default.
type Option func(*Service)

// WithRandom sets the source of secrets and identifiers, crypto/rand by default.
func WithRandom(r io.Reader) Option { return func(s *Service) { s.random = r } }

// New returns a service over the store that signs with tokens and reads the clock
// now.
func New(store Store, tokens *Tokens, now func() time.Time, options ...Option) *Service {
	s := &Service{store: store, tokens: tokens, now: now, random: rand.Reader}
	for _, o := range options {
		o(s)
	}
	return s
}

// SignUp makes a guest. An empty name gets one made up, and a name that is taken
// gets digits behind it: a sign-up is one tap, whoever was there before.
//
// Codes: InvalidRequest, NameReserved (the name).
func (s *Service) SignUp(ctx context.Context, wish, language string) (Guest, error) {
	// What the store keeps of a time is milliseconds.
	now := s.now().UTC().Truncate(time.Millisecond)
	playerID, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Guest{}, fmt.Errorf("account: new player's id: %w", err)
	}
	deviceID, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Guest{}, fmt.Errorf("account: new device's id: %w", err)
	}
	var secret [secretSize]byte
	if _, err := io.ReadFull(s.random, secret[:]); err != nil {
		return Guest{}, fmt.Errorf("account: new device's secret: %w", err)
	}
	p := Player{ID: playerID.String(), Guest: true, Avatar: firstAvatar(playerID), Language: language, CreatedAt: now}
	if p.Language == "" {
		p.Language = DefaultLanguage
	}
	if wish == "" {
		// The last digits of a version 7 UUID are random, the first its time.
		wish = name.Guest(p.ID[len(p.ID)-8:])
	} else {
		if wish, err = name.Clean(wish); err != nil {
			return Guest{}, err
		}
		p.RenamedAt = now
	}
	p.Name = wish
	d := Device{ID: deviceID.String(), PlayerID: p.ID, SecretHash: sha256.Sum256(secret[:]), CreatedAt: now}
	err = s.store.CreateGuest(ctx, p, d)
	for range nameTries {
		if fault.CodeOf(err) != fault.NameTaken {
			break
		}
		if p.Name, err = name.Other(wish, s.random); err != nil {
			return Guest{}, err
		}
		// It is not the name that was chosen, so choosing one is still free.
		p.RenamedAt = time.Time{}
		err = s.store.CreateGuest(ctx, p, d)
	}
	if err != nil {
		return Guest{}, err
	}
	token, err := s.tokens.Issue(p.ID, now)
	if err != nil {
		return Guest{}, err
	}
	return Guest{Player: p, DeviceSecret: base64.RawURLEncoding.EncodeToString(secret[:]), Token: token}, nil
}

// nameTries is how often digits are drawn for a name that is taken.
const nameTries = 8

// DefaultLanguage is the language of whoever names none.
const DefaultLanguage = "es"

// firstAvatar is one of the twenty cards, until the player chooses another.
func firstAvatar(id uuid.UUID) string {
	return rules.Card(id[len(id)-1] % rules.DeckSize).String()
}

// SignIn gives the device that holds the secret a new access token.
//
// Codes: UnknownDevice.
func (s *Service) SignIn(ctx context.Context, deviceSecret string) (Session, error) {
	unknown := fault.New(fault.UnknownDevice, "No device has this secret.")
	secret, err := base64.RawURLEncoding.DecodeString(deviceSecret)
	if err != nil || len(secret) != secretSize {
		return Session{}, unknown
	}
	p, err := s.store.PlayerByDevice(ctx, sha256.Sum256(secret))
	if fault.CodeOf(err) == fault.NotFound {
		return Session{}, unknown
	}
	if err != nil {
		return Session{}, err
	}
	token, err := s.tokens.Issue(p.ID, s.now())
	if err != nil {
		return Session{}, err
	}
	return Session{Player: p, Token: token}, nil
}

// Authenticate returns the identifier of the player whose access token it is.
// It asks no database.
//
// Codes: Unauthenticated, TokenExpired.
func (s *Service) Authenticate(access string) (playerID string, err error) {
	return s.tokens.Verify(access, s.now())
}

// Player returns the player.
//
// Codes: NotFound.
func (s *Service) Player(ctx context.Context, id string) (Player, error) {
	return s.store.PlayerByID(ctx, id)
}
