package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/unit"
)

const (
	// DefaultRefreshTTL is how long a session lives without being used.
	DefaultRefreshTTL = 60 * 24 * time.Hour
	// MaxAccessTTL is the longest that an access token may live.
	MaxAccessTTL = 24 * time.Hour
	// MaxSessions is how many sessions of one player live at once. One more ends
	// the one that was not used for the longest.
	MaxSessions = 50
	// MaxDevice is the most characters of a device's name.
	MaxDevice = 60
	// RetryGrace is how long a refresh token that was used may be sent again, by a
	// client that has not got the answer.
	RetryGrace = 10 * time.Second
)

// syncOverlap is how far Sync looks back behind its last time: for what was being
// written then, and by other clocks.
const syncOverlap = 5 * time.Minute

// ended sessions are remembered for as long as an access token of theirs could
// still be good.
const rememberEnded = MaxAccessTTL + leeway

// Ways to sign in, as sessions and identities keep them.
const (
	ViaDevice = "device"
	ViaEmail  = "email"
	ViaApple  = "apple"
	ViaGoogle = "google"
)

// Caller is whose access token it is.
type Caller struct {
	PlayerID  string
	SessionID string
}

// Session is one sign-in, on one device.
type Session struct {
	ID        string // UUID, version 7
	PlayerID  string
	Via       string // how the player signed in
	Device    string // what the client calls its device; may be empty
	TokenHash [sha256.Size]byte
	CreatedAt time.Time
	UsedAt    time.Time // when an access token was last given out
	ExpiresAt time.Time // when it ends, unless it is used before
}

// SignedIn is what a client gets that has signed in or refreshed its session.
type SignedIn struct {
	Player           Player
	Token            Token
	Refresh          string
	RefreshExpiresAt time.Time
	SessionID        string
}

// Rotation puts a refresh token in another's place. Without a successor of the client's choice, Next is made of the spent
// token and of Salt.
type Rotation struct {
	Spent     [sha256.Size]byte // hash of the token that is used up
	Salt      [secretSize]byte  // of which, with the token, the successor was made
	Next      [sha256.Size]byte // hash of the successor
	At        time.Time
	ExpiresAt time.Time
	Grace     time.Duration
}

// SessionStore keeps sessions.
type SessionStore interface {
	// CreateSession keeps a session. If the player has more than limit then, it
	// ends those least used and returns their identifiers. Codes: NotFound (there is no
	// such player any more), Suspended (at the time when the session would begin).
	CreateSession(ctx context.Context, s Session, limit int) (ended []string, err error)
	// RotateSession rotates the live session whose token is r.Spent and returns
	// r.Salt with it. If the token was spent before and its successor is still unused, it
	// changes nothing, and returns r.Salt if that successor is r.Next, however long ago,
	// or the successor's own salt if it was less than r.Grace ago. All this is one
	// transaction.
	//
	// Codes: RefreshInvalid; RefreshReused, with the session, which has been ended;
	// Suspended, for a token of a session that is over, whose player is kept out.
	RotateSession(ctx context.Context, r Rotation) (Session, [secretSize]byte, error)
	// Sessions lists the player's sessions that live at that time, the last used
	// first.
	Sessions(ctx context.Context, playerID string, at time.Time) ([]Session, error)
	// EndSession returns NotFound if the player has no such session that lives.
	EndSession(ctx context.Context, playerID, sessionID string, at time.Time) error
	// EndSessions ends all of the player's sessions and returns their identifiers.
	EndSessions(ctx context.Context, playerID string, at time.Time) ([]string, error)
	// EndedSince lists sessions that were ended at that time or later.
	EndedSince(ctx context.Context, at time.Time) ([]string, error)
	// ForgetSessions removes what is left of sessions that were over before the one
	// time, and the tokens that were spent before the other.
	ForgetSessions(ctx context.Context, over, spent time.Time) error
}

// newSession makes a session and its first refresh token.
func (s *Service) newSession(playerID, via, device string, now time.Time) (Session, string, error) {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return Session{}, "", fmt.Errorf("account: new session's id: %w", err)
	}
	var token [secretSize]byte
	if _, err := io.ReadFull(s.random, token[:]); err != nil {
		return Session{}, "", fmt.Errorf("account: new refresh token: %w", err)
	}
	return Session{
		ID: id.String(), PlayerID: playerID, Via: via, Device: deviceName(device), TokenHash: sha256.Sum256(token[:]),
		CreatedAt: now, UsedAt: now, ExpiresAt: now.Add(s.refreshTTL),
	}, encodeToken(token), nil
}

// deviceName is what is kept of a device's name, which nobody but its player sees.
func deviceName(name string) string {
	if !utf8.ValidString(name) {
		return ""
	}
	if r := []rune(name); len(r) > MaxDevice {
		name = string(r[:MaxDevice])
	}
	return name
}

func encodeToken(token [secretSize]byte) string {
	return base64.RawURLEncoding.EncodeToString(token[:])
}

func decodeToken(text string) (token [secretSize]byte, ok bool) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(data) != secretSize {
		return token, false
	}
	return [secretSize]byte(data), true
}

// begin signs the player in.
func (s *Service) begin(ctx context.Context, p Player, via, device string) (SignedIn, error) {
	now := s.moment()
	session, refresh, err := s.newSession(p.ID, via, device, now)
	if err != nil {
		return SignedIn{}, err
	}
	old, err := s.store.CreateSession(ctx, session, MaxSessions)
	if fault.CodeOf(err) == fault.NotFound {
		// Deleted since its identity was looked up.
		return SignedIn{}, notAny(via)
	}
	if err != nil {
		return SignedIn{}, err
	}
	s.end(ctx, old)
	return s.signedIn(p, session, refresh, now)
}

// notAny is the error of a way in that leads to nobody.
func notAny(via string) error {
	switch via {
	case ViaDevice:
		return fault.New(fault.UnknownDevice, "No device has this secret.")
	case ViaEmail:
		return fault.New(fault.InvalidCredentials, "Address and password do not belong together.")
	default:
		return fault.New(fault.UnknownIdentity, "No player has linked this account.")
	}
}

func (s *Service) signedIn(p Player, session Session, refresh string, now time.Time) (SignedIn, error) {
	token, err := s.tokens.Issue(Caller{PlayerID: p.ID, SessionID: session.ID}, now)
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{
		Player: p, Token: token, Refresh: refresh, RefreshExpiresAt: session.ExpiresAt, SessionID: session.ID,
	}, nil
}

// Refresh takes a refresh token for the next one and a new access token. A token
// that comes a second time is somebody else's copy, so its session ends; but not
// within RetryGrace, when it gets the same successor again.
//
// Codes: RefreshInvalid, RefreshReused, Suspended.
func (s *Service) Refresh(ctx context.Context, refresh string) (SignedIn, error) {
	return s.RefreshTo(ctx, refresh, "")
}

// RefreshTo is Refresh with a successor of the client's choice, unless that is empty. Whoever
// names it is no stranger with a copy, so that the same request may be repeated at any
// time, until the successor is used.
//
// Codes: RefreshInvalid, RefreshReused, Suspended, InvalidRequest (the successor).
func (s *Service) RefreshTo(ctx context.Context, refresh, chosen string) (SignedIn, error) {
	token, ok := decodeToken(refresh)
	if !ok {
		return SignedIn{}, fault.New(fault.RefreshInvalid, "This is not a refresh token.")
	}
	wanted, ok := decodeToken(chosen)
	if chosen != "" && (!ok || wanted == token) {
		return SignedIn{}, &fault.Error{Code: fault.InvalidRequest, Field: "nextRefreshToken", Message: "The next token is 32 other bytes in base64url."}
	}
	now := s.moment()
	r := Rotation{Spent: sha256.Sum256(token[:]), At: now, ExpiresAt: now.Add(s.refreshTTL), Grace: RetryGrace}
	if _, err := io.ReadFull(s.random, r.Salt[:]); err != nil {
		return SignedIn{}, fmt.Errorf("account: next refresh token: %w", err)
	}
	next := successor(token, r.Salt)
	if chosen != "" {
		next = wanted
	}
	r.Next = sha256.Sum256(next[:])
	session, salt, err := s.store.RotateSession(ctx, r)
	if fault.CodeOf(err) == fault.RefreshReused {
		s.end(ctx, []string{session.ID})
	}
	if err != nil {
		return SignedIn{}, err
	}
	if salt != r.Salt {
		next = successor(token, salt)
		if sha256.Sum256(next[:]) != session.TokenHash {
			// A client has chosen the successor, in the same moment, and it was not this request's.
			return SignedIn{}, fault.New(fault.RefreshInvalid, "The refresh token has been used a moment ago.")
		}
	}
	p, err := s.store.PlayerByID(ctx, session.PlayerID)
	if fault.CodeOf(err) == fault.NotFound {
		return SignedIn{}, fault.Wrap(fault.RefreshInvalid, "The refresh token is not valid any more.", err)
	}
	if err != nil {
		return SignedIn{}, err
	}
	return s.signedIn(p, session, encodeToken(next), now)
}

// successor is made of the token and a salt that only the store has: whoever has
// stolen the one or the other has nothing.
func successor(token, salt [secretSize]byte) [secretSize]byte {
	mac := hmac.New(sha256.New, salt[:])
	mac.Write(token[:])
	return [secretSize]byte(mac.Sum(nil))
}

// Sessions lists the player's sessions, the last used first.
func (s *Service) Sessions(ctx context.Context, playerID string) ([]Session, error) {
	return s.store.Sessions(ctx, playerID, s.moment())
}

// EndSession signs out one session of the player's. Its access tokens and sockets
// end with it.
//
// Codes: NotFound.
func (s *Service) EndSession(ctx context.Context, playerID, sessionID string) error {
	if err := s.store.EndSession(ctx, playerID, sessionID, s.moment()); err != nil {
		return err
	}
	s.end(ctx, []string{sessionID})
	return nil
}

// EndSessions signs the player out everywhere.
func (s *Service) EndSessions(ctx context.Context, playerID string) error {
	ids, err := s.store.EndSessions(ctx, playerID, s.moment())
	if err != nil {
		return err
	}
	s.end(ctx, ids)
	return nil
}

// end makes known that sessions have been signed out.
func (s *Service) end(ctx context.Context, ids []string) { s.Ended(ctx, ids, fault.SessionEnded) }

// Ended makes known that sessions have ended, here at once and then everywhere. Why is
// SessionEnded or Suspended. Whoever ends sessions in the store calls it; in a unit of
// work it is heard when that is kept.
func (s *Service) Ended(ctx context.Context, ids []string, why fault.Code) {
	if len(ids) == 0 {
		return
	}
	unit.Then(ctx, func() {
		s.ObserveEnded(ids)
		s.announce(ids, why)
	})
}

// Authenticate returns whose access token it is. It asks no database.
//
// Codes: Unauthenticated, TokenExpired, SessionEnded.
func (s *Service) Authenticate(access string) (Caller, error) {
	c, err := s.tokens.Verify(access, s.now())
	if err != nil {
		return Caller{}, err
	}
	if s.ended.has(c.SessionID) {
		return Caller{}, fault.New(fault.SessionEnded, "You have been signed out.")
	}
	return c, nil
}

// ended is the sessions whose access tokens are good no more although they have
// not expired. They are few, so that a request costs a look into memory.
type ended struct {
	mu     sync.RWMutex
	until  map[string]time.Time // when their last access token has expired
	synced time.Time            // when they were last read
}

func (e *ended) has(id string) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	_, ok := e.until[id]
	return ok
}

// ObserveEnded takes note of sessions that have been ended, by whichever process.
func (s *Service) ObserveEnded(ids []string) {
	now := s.now()
	s.ended.mu.Lock()
	defer s.ended.mu.Unlock()
	if s.ended.until == nil {
		s.ended.until = make(map[string]time.Time)
	}
	for _, id := range ids {
		if _, ok := s.ended.until[id]; !ok {
			s.ended.until[id] = now.Add(rememberEnded)
		}
	}
}

// Sync reads which sessions have ended, and forgets those that matter no more. It
// is called at the start, and now and then for what the other processes could not
// make known. It returns those that it had not heard of.
func (s *Service) Sync(ctx context.Context) ([]string, error) {
	now := s.moment()
	from := now.Add(-rememberEnded)
	s.ended.mu.RLock()
	if last := s.ended.synced.Add(-syncOverlap); last.After(from) {
		from = last
	}
	s.ended.mu.RUnlock()
	ids, err := s.store.EndedSince(ctx, from)
	if err != nil {
		return nil, err
	}
	var missed []string
	for _, id := range ids {
		if !s.ended.has(id) {
			missed = append(missed, id)
		}
	}
	s.ObserveEnded(missed)
	s.ended.mu.Lock()
	s.ended.synced = now
	for id, until := range s.ended.until {
		if now.After(until) {
			delete(s.ended.until, id)
		}
	}
	s.ended.mu.Unlock()
	// A session that is used for years leaves no longer a trail than one that is
	// never used again lives.
	return missed, s.store.ForgetSessions(ctx, now.Add(-2*rememberEnded), now.Add(-s.refreshTTL))
}
