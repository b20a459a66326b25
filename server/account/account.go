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
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// MaxName is the most characters that a player's name may have.
const MaxName = 24

// secretSize is a device secret's length in bytes. It is long enough that one
// unsalted SHA-256 hides it: nobody can try 2^256 secrets.
const secretSize = 32

// Player is a person who plays.
type Player struct {
	ID        string // UUID, version 7
	Name      string
	Guest     bool // has no identity but a device's secret
	CreatedAt time.Time
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
	// CreateGuest keeps both or neither.
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

// SignUp makes a guest. An empty name gets one made up.
//
// Codes: InvalidRequest (the name).
func (s *Service) SignUp(ctx context.Context, name string) (Guest, error) {
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
	if name == "" {
		// The last digits of a version 7 UUID are random, the first its time.
		id := playerID.String()
		name = "Guest-" + id[len(id)-6:]
	}
	if name, err = cleanName(name); err != nil {
		return Guest{}, err
	}
	p := Player{ID: playerID.String(), Name: name, Guest: true, CreatedAt: now}
	d := Device{ID: deviceID.String(), PlayerID: p.ID, SecretHash: sha256.Sum256(secret[:]), CreatedAt: now}
	if err := s.store.CreateGuest(ctx, p, d); err != nil {
		return Guest{}, err
	}
	token, err := s.tokens.Issue(p.ID, now)
	if err != nil {
		return Guest{}, err
	}
	return Guest{Player: p, DeviceSecret: base64.RawURLEncoding.EncodeToString(secret[:]), Token: token}, nil
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

// cleanName trims the name and refuses what would not show as one line.
func cleanName(name string) (string, error) {
	invalid := func(why string) error {
		return &fault.Error{Code: fault.InvalidRequest, Message: why, Field: "name"}
	}
	if !utf8.ValidString(name) {
		return "", invalid("A name is text.")
	}
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n < 1 || n > MaxName {
		return "", invalid(fmt.Sprintf("A name has 1 to %d characters.", MaxName))
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return "", invalid("A name has only characters that can be seen.")
		}
	}
	return name, nil
}
