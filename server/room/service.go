package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Outcome is what becomes of a room.
type Outcome struct {
	Room Room
	// Why those went who are no longer there.
	Why engagement.Reason
	// Match that begins, or nil.
	Match *match.Match
	// Invitation to be told, or nil.
	Invitation *notice.Notice
	// Answer to be kept, if the request has a key.
	Answer []byte
}

// Changed is what a change has come to.
type Changed struct {
	// Earlier is the answer to the same request, if it was answered before: then
	// nothing has changed.
	Earlier *match.Answer
	// Engagements that changed, and the invitation as it was kept.
	Engagements []engagement.Change
	Invitation  *notice.Notice
}

// Tx is the transaction in which a room is changed.
type Tx interface {
	halt.Tx
	// Tie reads what is between two players.
	Tie(playerID, otherID string) (people.Tie, error)
	// Invited reads to which room the player last invited the other, and when; zero if
	// never.
	Invited(playerID, otherID string) (roomID string, at time.Time, err error)
}

// ErrCodeUsed says that another room has the code.
var ErrCodeUsed = errors.New("room: another room has this code")

// Store keeps rooms.
type Store interface {
	// CreateRoom keeps a new room and has its owner taken up in it, and the answer to
	// the request unless its key is empty. If the key was used before, nothing is kept
	// and Earlier is set. Codes: engagement.CodeEngaged, IdempotencyConflict. Errors:
	// ErrCodeUsed.
	CreateRoom(ctx context.Context, r Room, a match.Answer) (Changed, error)
	// Room reads a room, with its people's names. Codes: NotFound.
	Room(ctx context.Context, id string) (Room, error)
	// RoomByCode finds the room that has the code. Codes: NotFound.
	RoomByCode(ctx context.Context, code string) (id string, err error)
	// ChangeRoom has f change the room while nobody else does, and keeps all of the
	// outcome or nothing. Whoever is new in the room is taken up in it, whoever is
	// gone is free, all others are told; a match takes up everybody; a room without
	// people is forgotten. a is the request that is answered, with a key or without;
	// see CreateRoom. Codes: NotFound, engagement.CodeEngaged, IdempotencyConflict,
	// and f's errors.
	ChangeRoom(ctx context.Context, id string, a match.Answer, f func(Tx, Room) (Outcome, error)) (Changed, error)
	// IdleRooms lists at most limit rooms without a match that were last touched
	// before a time.
	IdleRooms(ctx context.Context, before time.Time, limit int) (ids []string, err error)
	// PersonByID and PersonByName find whom to invite, see package people. Codes:
	// NotFound.
	PersonByID(ctx context.Context, playerID string) (people.Person, error)
	PersonByName(ctx context.Context, key string) (people.Person, error)
}

// Matches makes matches; see package match.
type Matches interface {
	Make(match.Setup) (*match.Match, error)
	Opened(*match.Match)
}

// Options are what a service is put together from.
type Options struct {
	Store   Store
	Matches Matches
	// Economy is the number of the version that is live.
	Economy func(context.Context) (int, error)
	Now     func() time.Time
	// Random is where identifiers and codes come from.
	Random io.Reader
	// Tell says that engagements have changed, Announce that a notice has been kept.
	// They must not block.
	Tell     func(...engagement.Change)
	Announce func(notice.Notice)
	// Halts knows whether rooms are stopped for a while; nil if they cannot be.
	Halts *halt.Service
}

// Service is the domain's door. Make one with New.
type Service struct{ o Options }

// New returns a service.
func New(o Options) *Service { return &Service{o} }

func (s *Service) now() time.Time { return s.o.Now().UTC().Truncate(time.Millisecond) }

// Create makes a room. answer writes what the request is answered with, which is
// kept if request has a key; the same request with the same key is one room. It
// returns request with its body, or the answer that it got before.
//
// Codes: InvalidRules, InvalidRequest, engagement.CodeEngaged, IdempotencyConflict,
// halt.CodeStopped.
func (s *Service) Create(ctx context.Context, owner people.Person, settings Settings, request *match.Answer, answer func(Room) ([]byte, error)) (*match.Answer, error) {
	if err := s.o.Halts.Check(halt.Rooms); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7FromReader(s.o.Random)
	if err != nil {
		return nil, fmt.Errorf("room: new id: %w", err)
	}
	// That a code is another room's is rarer than anything that goes wrong otherwise.
	const tries = 5
	for try := 1; ; try++ {
		code, err := newCode(s.o.Random)
		if err != nil {
			return nil, err
		}
		r, err := open(id.String(), code, owner, settings, s.now())
		if err != nil {
			return nil, err
		}
		if request.Body, err = answer(r); err != nil {
			return nil, err
		}
		c, err := s.o.Store.CreateRoom(ctx, r, *request)
		switch {
		case err == nil && c.Earlier != nil:
			return c.Earlier, nil
		case err == nil:
			s.announce(ctx, c)
			return request, nil
		case !errors.Is(err, ErrCodeUsed) || try == tries:
			return nil, err
		}
	}
}

func (s *Service) announce(ctx context.Context, c Changed) {
	unit.Then(ctx, func() {
		s.o.Tell(c.Engagements...)
		if c.Invitation != nil {
			s.o.Announce(*c.Invitation)
		}
	})
}

// Get reads a room for one who is in it. Codes: NotFound.
func (s *Service) Get(ctx context.Context, roomID, playerID string) (Room, error) {
	r, err := s.o.Store.Room(ctx, roomID)
	if err == nil && r.SeatOf(playerID) == rules.NoSeat {
		err = errNoRoom
	}
	if err != nil {
		return Room{}, err
	}
	return r, nil
}

// change has f change the room for the player, and reads it.
func (s *Service) change(ctx context.Context, roomID, playerID string, f func(Tx, Room) (Outcome, error)) (Room, error) {
	c, err := s.o.Store.ChangeRoom(ctx, roomID, match.Answer{}, f)
	if err != nil {
		return Room{}, err
	}
	s.announce(ctx, c)
	return s.Get(ctx, roomID, playerID)
}

// plain is a change that asks nothing of the transaction.
func plain(f func(Room) (Room, error)) func(Tx, Room) (Outcome, error) {
	return func(_ Tx, r Room) (Outcome, error) {
		r, err := f(r)
		return Outcome{Room: r}, err
	}
}

// Join brings the player into the room that has the code, as a person types it.
//
// Codes: NotFound (also for a block of somebody there), CodeApart (a block of the
// player's own), CodeKicked, CodePlaying, CodeRoomFull, engagement.CodeEngaged.
func (s *Service) Join(ctx context.Context, playerID, code string) (Room, error) {
	id, err := s.o.Store.RoomByCode(ctx, cleanCode(code))
	if err != nil {
		return Room{}, err
	}
	return s.change(ctx, id, playerID, func(tx Tx, r Room) (Outcome, error) {
		if r.SeatOf(playerID) == rules.NoSeat {
			if err := mayMeet(tx, playerID, r.People()); err != nil {
				return Outcome{}, err
			}
		}
		r, err := r.join(playerID, s.now())
		return Outcome{Room: r}, err
	})
}

// mayMeet refuses a player who has a block with somebody. To those who are blocked
// by one the room does not exist; whoever blocks is told, for it is their own doing.
func mayMeet(tx Tx, playerID string, others []string) error {
	var refusal error
	for _, other := range others {
		tie, err := tx.Tie(playerID, other)
		switch {
		case err != nil:
			return err
		case !tie.Blocked[1].IsZero():
			return errNoRoom
		case !tie.Blocked[0].IsZero():
			refusal = fault.New(CodeApart, "Somebody whom you have blocked is there.")
		}
	}
	return refusal
}

// Set changes what is played; f changes the settings that are there.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, InvalidRules, InvalidRequest.
func (s *Service) Set(ctx context.Context, roomID, playerID string, f func(*Settings)) (Room, error) {
	return s.change(ctx, roomID, playerID, plain(func(r Room) (Room, error) {
		settings := r.Settings
		f(&settings)
		return r.set(playerID, settings, s.now())
	}))
}

// Sit has the player move to a seat that is open or a bot's.
//
// Codes: NotFound, CodePlaying, CodeSeatTaken.
func (s *Service) Sit(ctx context.Context, roomID, playerID string, seat rules.Seat) (Room, error) {
	return s.change(ctx, roomID, playerID, plain(func(r Room) (Room, error) { return r.sit(playerID, seat, s.now()) }))
}

// Swap has the owner change two seats, whoever sits there.
//
// Codes: NotFound, CodePlaying, CodeNotOwner.
func (s *Service) Swap(ctx context.Context, roomID, playerID string, a, b rules.Seat) (Room, error) {
	return s.change(ctx, roomID, playerID, plain(func(r Room) (Room, error) { return r.swap(playerID, a, b, s.now()) }))
}

// GiveToBot has the owner give a seat to a bot of a level.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, CodeSeatTaken.
func (s *Service) GiveToBot(ctx context.Context, roomID, playerID string, seat rules.Seat, level bot.Level) (Room, error) {
	return s.give(ctx, roomID, playerID, seat, Seat{Taken: ByBot, Bot: level})
}

// Clear has the owner open a bot's seat for whoever comes.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, CodeSeatTaken.
func (s *Service) Clear(ctx context.Context, roomID, playerID string, seat rules.Seat) (Room, error) {
	return s.give(ctx, roomID, playerID, seat, Seat{})
}

func (s *Service) give(ctx context.Context, roomID, playerID string, seat rules.Seat, to Seat) (Room, error) {
	return s.change(ctx, roomID, playerID, plain(func(r Room) (Room, error) { return r.give(playerID, seat, to, s.now()) }))
}

// Ready says whether the match may begin for the player.
//
// Codes: NotFound, CodePlaying.
func (s *Service) Ready(ctx context.Context, roomID, playerID string, is bool) (Room, error) {
	return s.change(ctx, roomID, playerID, plain(func(r Room) (Room, error) { return r.ready(playerID, is, s.now()) }))
}

// InviteEvery is how often at most one player is told that the same other invites
// them, in whatever room.
const InviteEvery = time.Minute

// Invite has the owner ask a player in, whom the identifier names or, if that is
// empty, the name or one that looks alike. The same invitation again, within
// [InviteEvery], is the first.
//
// Codes: NotFound (the room, or the player, also for a block), InvalidRequest
// (oneself), CodePlaying, CodeNotOwner, RateLimited (to another room just before).
func (s *Service) Invite(ctx context.Context, roomID, playerID, otherID, wanted string) (people.Person, error) {
	var other people.Person
	var err error
	if otherID != "" {
		other, err = s.o.Store.PersonByID(ctx, otherID)
	} else {
		other, err = s.o.Store.PersonByName(ctx, name.Key(wanted))
	}
	if err != nil {
		return other, err
	}
	if other.ID == playerID {
		return other, &fault.Error{Code: fault.InvalidRequest, Field: "playerId", Message: "That is you."}
	}
	_, err = s.change(ctx, roomID, playerID, func(tx Tx, r Room) (Outcome, error) {
		now := s.now()
		r, err := r.invite(playerID, other.ID, now)
		if err != nil {
			return Outcome{}, err
		}
		out := Outcome{Room: r}
		if r.SeatOf(other.ID) != rules.NoSeat {
			return out, nil
		}
		tie, err := tx.Tie(playerID, other.ID)
		if err != nil {
			return out, err
		}
		if tie.Hidden() {
			return out, fault.New(fault.NotFound, "There is no such player.")
		}
		last, at, err := tx.Invited(playerID, other.ID)
		switch wait := at.Add(InviteEvery).Sub(now); {
		case err != nil:
			return out, err
		case at.IsZero() || wait <= 0:
		case last == roomID:
			return out, nil
		default:
			return out, &fault.Error{Code: fault.RateLimited, Message: "You have just invited this player. Wait a moment.", RetryAfter: wait}
		}
		out.Invitation = &notice.Notice{
			PlayerID: other.ID, Kind: notice.RoomInvite, From: &notice.Person{ID: playerID}, At: now,
			Room: &notice.Room{ID: r.ID, Code: r.Code},
		}
		return out, nil
	})
	return other, err
}

// Remove has a player go, or the owner put one out.
//
// Codes: NotFound, CodePlaying, CodeNotOwner.
func (s *Service) Remove(ctx context.Context, roomID, playerID, otherID string) error {
	c, err := s.o.Store.ChangeRoom(ctx, roomID, match.Answer{}, func(_ Tx, r Room) (Outcome, error) {
		if playerID == otherID {
			if r.SeatOf(playerID) == rules.NoSeat {
				return Outcome{}, errNoRoom
			}
			r, err := r.leave(playerID, s.now())
			return Outcome{Room: r, Why: engagement.Left}, err
		}
		r, err := r.kick(playerID, otherID, s.now())
		return Outcome{Room: r, Why: engagement.Kicked}, err
	})
	if err == nil {
		s.announce(ctx, c)
	}
	return err
}

// Start begins the match, for all who sit there. See Create for request and answer.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, CodeSeatsOpen, CodeAlone, CodeNotReady,
// CodeApart, IdempotencyConflict, halt.CodeStopped.
func (s *Service) Start(ctx context.Context, roomID, playerID string, request *match.Answer, answer func(Room) ([]byte, error)) (*match.Answer, error) {
	live, err := s.o.Economy(ctx)
	if err != nil {
		return nil, err
	}
	var begun *match.Match
	c, err := s.o.Store.ChangeRoom(ctx, roomID, *request, func(tx Tx, r Room) (Outcome, error) {
		var out Outcome
		halts, err := tx.Halts()
		if err == nil {
			err = halts.Of(halt.Rooms).Refusal(s.now())
		}
		if err != nil {
			return out, err
		}
		if err := r.mayStart(playerID, s.now()); err != nil {
			return out, err
		}
		if err := together(tx, r.People()); err != nil {
			return out, err
		}
		m, err := s.o.Matches.Make(match.Setup{
			Rules: r.Settings.Rules, Seats: r.seats(), TurnTime: r.Settings.TurnTime, BotPause: r.Settings.BotPause,
			Mode: economy.Friends, Economy: live,
		})
		if err != nil {
			return out, err
		}
		begun = m
		out.Room, out.Match = r.started(m.ID), m
		out.Answer, err = answer(out.Room)
		request.Body = out.Answer
		return out, err
	})
	switch {
	case err != nil:
		return nil, err
	case c.Earlier != nil:
		return c.Earlier, nil
	}
	s.o.Matches.Opened(begun)
	s.announce(ctx, c)
	return request, nil
}

// together refuses players two of whom have a block between them: they came before
// it, and go on only if one of them goes.
func together(tx Tx, players []string) error {
	for i, a := range players {
		for _, b := range players[:i] {
			tie, err := tx.Tie(a, b)
			if err != nil {
				return err
			}
			if tie.Hidden() {
				return fault.New(CodeApart, "Two of the players do not play with one another.")
			}
		}
	}
	return nil
}

// sweepPage is how many rooms a sweep reads at a time.
const sweepPage = 100

// Sweep closes the rooms in which nothing has happened for [IdleTime], and says so
// to whoever is there. Any number of processes may sweep: each room is closed by
// one.
func (s *Service) Sweep(ctx context.Context) error {
	for {
		ids, err := s.o.Store.IdleRooms(ctx, s.now().Add(-IdleTime), sweepPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			c, err := s.o.Store.ChangeRoom(ctx, id, match.Answer{}, func(_ Tx, r Room) (Outcome, error) {
				return Outcome{Room: r.expired(s.now()), Why: engagement.Expired}, nil
			})
			switch {
			case err == nil:
				s.announce(ctx, c)
			case fault.CodeOf(err) != fault.NotFound: // not another process's already
				return err
			}
		}
		if len(ids) < sweepPage {
			return nil
		}
	}
}
