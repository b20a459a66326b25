// Package support is what staff does for and to single players beside keeping them out:
// finding them, writing notes, giving and taking coins within limits, taking an
// offensive name away, and merging a guest into an account.
//
// What changes something is called in the unit of work in which its audit is kept, see
// packages audit and unit: what is told to players and processes waits for the commit.
package support

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Found is a player as staff finds one, also one that is not there any more.
type Found struct {
	account.Player
	// SeenAt is when a session of the player's was last used; zero if none is kept.
	SeenAt time.Time
	// DeletedAt is when the player was forgotten or merged; zero while it is there.
	DeletedAt time.Time
	// MergedInto is the account that a guest was merged into; empty for none.
	MergedInto string
	// KeptOut says that a sanction is in force, and KeptOutUntil until when; zero for
	// one without end.
	KeptOut      bool
	KeptOutUntil time.Time
}

// Query is what players are found by. Each part that is not empty may name one; if all
// are, the newest are found.
type Query struct {
	ID string
	// NameKey begins a name's key, see package name.
	NameKey string
	// Email in its normal form.
	Email string
	// Code is the hash of a support code.
	Code *[sha256.Size]byte
	// At is the time now.
	At time.Time
}

// Note is something that staff has written down about a player. It is never changed.
type Note struct {
	ID, PlayerID string
	Author, Text string
	At           time.Time
}

// MaxNote is the most characters of a note.
const MaxNote = 2000

// Store keeps what support does.
type Store interface {
	// FindPlayers lists at most limit players: those that are named exactly first, then
	// by name.
	FindPlayers(ctx context.Context, q Query, limit int) ([]Found, error)
	// FoundByID reads one, whatever has become of it. Codes: NotFound.
	FoundByID(ctx context.Context, id string, at time.Time) (Found, error)
	// MergedInto lists the guests that were merged into a player, in the order of their
	// identifiers.
	MergedInto(ctx context.Context, id string) ([]Found, error)

	// AddNote keeps a note. Codes: NotFound.
	AddNote(ctx context.Context, n Note) error
	// Notes lists at most limit notes about a player, newest first, older than the one
	// with the id given, if any.
	Notes(ctx context.Context, playerID, before string, limit int) ([]Note, error)

	// CountGrant adds coins to what somebody has given and taken on a day, unless it would
	// come to more than most, and says whether it has.
	CountGrant(ctx context.Context, staffID, day string, coins, most int64) (bool, error)
	// Granted is what somebody has given and taken on a day.
	Granted(ctx context.Context, staffID, day string) (int64, error)

	// TakeName gives a player another name and returns the one it had. When the player
	// last chose one does not change. Codes: NotFound, NameTaken.
	TakeName(ctx context.Context, playerID, name string) (before string, err error)

	// PutCode keeps a player's support code in place of an earlier one. Codes: NotFound;
	// NameTaken if another player has the same one.
	PutCode(ctx context.Context, playerID string, hash [sha256.Size]byte, expires time.Time) error
	// PlayerByCode is whose code it is at that time. Codes: NotFound.
	PlayerByCode(ctx context.Context, hash [sha256.Size]byte, at time.Time) (string, error)

	// Merge reads what the guest and the account have, while nobody else changes it, has
	// decide say what is moved, and carries it out with all else that goes over: devices,
	// statistics, who is a friend, blocked or muted. The codes of both are used up, the
	// guest's sessions end, and their identifiers are returned. Codes: NotFound (either).
	Merge(ctx context.Context, guestID, accountID string, at time.Time, decide func(guest, account *Side) (*wallet.Transfer, error)) (ended []string, err error)
	// Leftovers lists at most limit guests that were merged and have something again.
	Leftovers(ctx context.Context, at time.Time, limit int) ([]string, error)
	// CarryOver has decide say what goes from a guest that was merged to its account, and
	// carries it out. Codes: NotFound.
	CarryOver(ctx context.Context, guestID string, at time.Time, decide func(guest, account *Side) (*wallet.Transfer, error)) error
}

// Notices tells players something in the house's name; see package notice.
type Notices interface {
	Send(ctx context.Context, playerID string, text map[string]string) error
}

var _ Notices = (*notice.Service)(nil)

// Grants gives and takes coins; see package reward.
type Grants interface {
	Grant(ctx context.Context, playerID string, coins int64, key, author, reason string) (t *wallet.Transfer, replayed bool, err error)
}

// Sessions makes known that sessions have ended; see package account.
type Sessions interface {
	Ended(ctx context.Context, ids []string, why fault.Code)
}

// Options are what the service is put together from.
type Options struct {
	Store    Store
	Notices  Notices
	Grants   Grants
	Sessions Sessions
	Limits   Limits
	Now      func() time.Time
	Random   io.Reader
}

// Service is the domain's door. Make one with New.
type Service struct{ Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

func (s *Service) moment() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) newID() (string, error) {
	id, err := uuid.NewV7FromReader(s.Random)
	if err != nil {
		return "", fmt.Errorf("support: new id: %w", err)
	}
	return id.String(), nil
}

func invalid(field, message string) error {
	return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: message}
}

// Find lists at most limit players whom a text may mean: by the beginning of a name or
// of one that looks alike, an identifier, an address, or a support code. Of addresses
// one may ask only with contact set. An empty text finds who came last.
func (s *Service) Find(ctx context.Context, text string, contact bool, limit int) ([]Found, error) {
	text = strings.TrimSpace(text)
	q := Query{At: s.moment(), NameKey: name.Key(text)}
	if id, err := uuid.Parse(text); err == nil {
		q = Query{At: q.At, ID: id.String()}
	} else if email, err := account.NormalEmail(text); err == nil {
		q = Query{At: q.At}
		if !contact {
			return nil, nil
		}
		q.Email = email
	} else if code, ok := cleanCode(text); ok {
		hash := hashOf(code)
		q.Code = &hash
	}
	if text != "" && q.ID == "" && q.NameKey == "" && q.Email == "" && q.Code == nil {
		return nil, nil
	}
	return s.Store.FindPlayers(ctx, q, limit)
}

// Player is one player, whatever has become of it. Codes: NotFound.
func (s *Service) Player(ctx context.Context, id string) (Found, error) {
	return s.Store.FoundByID(ctx, id, s.moment())
}

// Guests are those who were merged into a player.
func (s *Service) Guests(ctx context.Context, id string) ([]Found, error) {
	return s.Store.MergedInto(ctx, id)
}

// WriteNote keeps what somebody has to say about a player. Codes: InvalidRequest
// (text), NotFound.
func (s *Service) WriteNote(ctx context.Context, playerID, author, text string) (Note, error) {
	text = strings.TrimSpace(text)
	if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxNote {
		return Note{}, invalid("text", fmt.Sprintf("A note has 1 to %d characters.", MaxNote))
	}
	id, err := s.newID()
	if err != nil {
		return Note{}, err
	}
	n := Note{ID: id, PlayerID: playerID, Author: author, Text: text, At: s.moment()}
	return n, s.Store.AddNote(ctx, n)
}

// Notes lists at most limit notes about a player, newest first, older than the one with
// the id given, if any.
func (s *Service) Notes(ctx context.Context, playerID, before string, limit int) ([]Note, error) {
	return s.Store.Notes(ctx, playerID, before, limit)
}

// TakeName gives a player another name: the one wished for, or one that is made up if
// that is empty. The player is told, and may choose another when it could before. It
// returns the name that was taken away and the new one.
//
// Codes: InvalidRequest, NameReserved, NameTaken (all with the name as Field), NotFound.
func (s *Service) TakeName(ctx context.Context, playerID, wish string) (before, after string, err error) {
	if wish != "" {
		if after, err = name.Clean(wish); err != nil {
			return "", "", err
		}
		before, err = s.Store.TakeName(ctx, playerID, after)
	} else {
		var digits [4]byte
		for range nameTries {
			if _, err := io.ReadFull(s.Random, digits[:]); err != nil {
				return "", "", fmt.Errorf("support: a made-up name: %w", err)
			}
			after = name.Guest(fmt.Sprintf("%x", digits))
			if before, err = s.Store.TakeName(ctx, playerID, after); fault.CodeOf(err) != fault.NameTaken {
				break
			}
		}
	}
	if err != nil {
		return "", "", err
	}
	return before, after, s.Notices.Send(ctx, playerID, renamed(after))
}

// nameTries is how often a name is made up that nobody has.
const nameTries = 8

// Warn tells a player in the house's name to mind the rules: what it is about, as a
// code, and the operator's own words, which may be empty. Codes: InvalidRequest.
func (s *Service) Warn(ctx context.Context, playerID string, about About, words string) error {
	text, ok := warning(about, strings.TrimSpace(words))
	if !ok {
		return invalid("about", "There is no such thing to warn of.")
	}
	if !utf8.ValidString(words) || utf8.RuneCountInString(words) > MaxWarning {
		return invalid("text", fmt.Sprintf("A warning has at most %d characters.", MaxWarning))
	}
	return s.Notices.Send(ctx, playerID, text)
}

// MaxWarning is the most characters of a warning in the operator's own words.
const MaxWarning = 500
