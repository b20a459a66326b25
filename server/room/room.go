// Package room is how friends come to play: four seats under a code, and an owner
// who chooses the rules, gives seats to bots and starts the match.
//
// A room is a value, and whatever can be done to one is a pure function of it. The
// service has the store carry that out while nobody else changes the room, together
// with what it means for the players: where they are taken up, and a match that
// begins.
package room

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Room is four seats and what is played there. Everybody in a room sits; a room in
// which nobody sits is closed.
type Room struct {
	ID string // UUID, version 7
	// Code brings whoever has it into the room, and dies with it.
	Code string
	// OwnerID is one of those who sit.
	OwnerID  string
	Settings Settings
	Seats    [rules.Seats]Seat
	// Kicked are those whom the code does not bring back.
	Kicked []string
	// MatchID is the match that is being played, or empty.
	MatchID string
	// TouchedAt is when last somebody did something.
	CreatedAt, TouchedAt time.Time
	// Version counts the changes from 1.
	Version int
}

// Settings are what the owner chooses.
type Settings struct {
	Rules rules.RuleSet
	// TurnTime is what a person has for one action, BotPause what a bot waits before
	// it acts.
	TurnTime, BotPause time.Duration
}

// Taken says whose a seat is.
type Taken uint8

// Whose a seat may be.
const (
	// Open: nobody's yet. The next who comes sits there.
	Open Taken = iota
	// ByPerson: somebody sits there.
	ByPerson
	// ByBot: a bot plays there.
	ByBot
)

// Seat is a place in a room. Partners sit opposite: seats 0 and 2, seats 1 and 3.
type Seat struct {
	Taken Taken
	// Person who sits there. The name is as the store has it when it reads the room.
	Person people.Person
	// Since is when the person came into the room, and Ready whether the match may
	// begin for them.
	Since time.Time
	Ready bool
	// Bot is how well the bot plays.
	Bot bot.Level
}

const (
	// IdleTime is how long a room stays in which nobody does anything.
	IdleTime = 30 * time.Minute
	// maxKicked is how many are kept out; of more, the first may come back.
	maxKicked = 100
)

// Codes of this domain.
const (
	// CodeNotOwner: only the room's owner may do this.
	CodeNotOwner fault.Code = "not_owner"
	// CodeRoomFull: no seat is open.
	CodeRoomFull fault.Code = "room_full"
	// CodePlaying: not while the match runs.
	CodePlaying fault.Code = "room_playing"
	// CodeSeatTaken: a person sits there.
	CodeSeatTaken fault.Code = "seat_taken"
	// CodeSeatsOpen: a match needs four; bots may have the seats that are open.
	CodeSeatsOpen fault.Code = "seats_open"
	// CodeNotReady: somebody is not ready.
	CodeNotReady fault.Code = "not_ready"
	// CodeAlone: a match with friends needs a friend.
	CodeAlone fault.Code = "room_alone"
	// CodeKicked: the owner has put the player out.
	CodeKicked fault.Code = "kicked"
	// CodeApart: two of the players have a block between them.
	CodeApart fault.Code = "players_apart"
)

var (
	errNoRoom   = fault.New(fault.NotFound, "There is no such room.")
	errNotOwner = fault.New(CodeNotOwner, "Only the room's owner may do this.")
	errPlaying  = fault.New(CodePlaying, "Not while the match runs.")
	errTaken    = fault.New(CodeSeatTaken, "Somebody sits there.")
)

// lengths are those that a room's match may have. A match that pays is not to be
// made as short as its players like.
var lengths = map[rules.End][]uint8{rules.EndHands: {11, 20}, rules.EndPoints: {3, 5, 11, 21}}

// check returns an error unless matches can be played by the settings. Codes:
// InvalidRules (with the option), InvalidRequest (a time out of bounds).
func (s *Settings) check() error {
	if err := s.Rules.Validate(); err != nil {
		var option rules.OptionError
		errors.As(err, &option)
		return &fault.Error{Code: fault.InvalidRules, Field: string(option), Message: "A rule has a value it cannot take."}
	}
	if !slices.Contains(lengths[s.Rules.End], s.Rules.Target) {
		return &fault.Error{
			Code: fault.InvalidRules, Field: "target",
			Message: "A match with friends has 11 or 20 hands, or goes to 3, 5, 11 or 21 points.",
		}
	}
	if s.TurnTime < match.MinTurnTime || s.TurnTime > match.MaxTurnTime {
		return outOfBounds("turnSeconds", match.MinTurnTime, match.MaxTurnTime)
	}
	if s.BotPause < 0 || s.BotPause > match.MaxBotPause {
		return outOfBounds("botPauseMs", 0, match.MaxBotPause)
	}
	return nil
}

func outOfBounds(field string, lowest, highest time.Duration) error {
	return &fault.Error{
		Code: fault.InvalidRequest, Field: field,
		Message: fmt.Sprintf("%s must lie between %v and %v.", field, lowest, highest),
	}
}

// SeatOf is where the player sits, or rules.NoSeat.
func (r *Room) SeatOf(playerID string) rules.Seat {
	for i, s := range r.Seats {
		if s.Taken == ByPerson && s.Person.ID == playerID {
			return rules.Seat(i)
		}
	}
	return rules.NoSeat
}

// People lists who is in the room, by identifier, in the order in which they came.
func (r *Room) People() []string {
	seats := slices.Clone(r.Seats[:])
	seats = slices.DeleteFunc(seats, func(s Seat) bool { return s.Taken != ByPerson })
	slices.SortFunc(seats, func(a, b Seat) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Person.ID, b.Person.ID))
	})
	ids := make([]string, len(seats))
	for i, s := range seats {
		ids[i] = s.Person.ID
	}
	return ids
}

// Closed says whether nobody is left.
func (r *Room) Closed() bool { return len(r.People()) == 0 }

// open is a new room with its owner in seat 0. Codes: as those of check.
func open(id, code string, owner people.Person, s Settings, now time.Time) (Room, error) {
	if err := s.check(); err != nil {
		return Room{}, err
	}
	r := Room{ID: id, Code: code, OwnerID: owner.ID, Settings: s, CreatedAt: now, TouchedAt: now, Version: 1}
	r.Seats[0] = Seat{Taken: ByPerson, Person: owner, Since: now}
	return r, nil
}

// doing is what every change begins with: the player is in the room, and no match
// runs. To all others the room does not exist.
func (r *Room) doing(playerID string, now time.Time) (rules.Seat, error) {
	seat := r.SeatOf(playerID)
	switch {
	case seat == rules.NoSeat:
		return seat, errNoRoom
	case r.MatchID != "":
		return seat, errPlaying
	}
	r.TouchedAt = now
	return seat, nil
}

// ruling is doing for what only the owner may do.
func (r *Room) ruling(playerID string, now time.Time) error {
	if _, err := r.doing(playerID, now); err != nil {
		return err
	}
	if playerID != r.OwnerID {
		return errNotOwner
	}
	return nil
}

// unready asks everybody anew: whoever was ready was so for another table.
func (r *Room) unready() {
	for i := range r.Seats {
		r.Seats[i].Ready = false
	}
}

// join has the player sit on the first seat that is open. Whoever is in the room
// already stays where they are.
//
// Codes: CodeKicked, CodePlaying, CodeRoomFull.
func (r Room) join(playerID string, now time.Time) (Room, error) {
	if r.SeatOf(playerID) != rules.NoSeat {
		return r, nil
	}
	if slices.Contains(r.Kicked, playerID) {
		return r, fault.New(CodeKicked, "The room's owner has put you out.")
	}
	if r.MatchID != "" {
		return r, errPlaying
	}
	for i := range r.Seats {
		if r.Seats[i].Taken == Open {
			r.Seats[i] = Seat{Taken: ByPerson, Person: people.Person{ID: playerID}, Since: now}
			r.TouchedAt = now
			return r, nil
		}
	}
	return r, fault.New(CodeRoomFull, "No seat is open.")
}

// set changes what is played. Everybody is asked anew whether they are ready.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, and those of check.
func (r Room) set(playerID string, s Settings, now time.Time) (Room, error) {
	if err := r.ruling(playerID, now); err != nil {
		return r, err
	}
	if err := s.check(); err != nil {
		return r, err
	}
	if s != r.Settings {
		r.Settings = s
		r.unready()
	}
	return r, nil
}

// sit has the player move to a seat that is open or a bot's; the bot goes to the
// seat that is left.
//
// Codes: NotFound, CodePlaying, CodeSeatTaken.
func (r Room) sit(playerID string, seat rules.Seat, now time.Time) (Room, error) {
	from, err := r.doing(playerID, now)
	switch {
	case err != nil:
		return r, err
	case from == seat:
		return r, nil
	case r.Seats[seat].Taken == ByPerson:
		return r, errTaken
	}
	return r.swapped(from, seat), nil
}

// swap has the owner change whoever sits, or nobody, on two seats.
//
// Codes: NotFound, CodePlaying, CodeNotOwner.
func (r Room) swap(playerID string, a, b rules.Seat, now time.Time) (Room, error) {
	if err := r.ruling(playerID, now); err != nil {
		return r, err
	}
	return r.swapped(a, b), nil
}

// swapped asks everybody anew if it has changed who plays with whom.
func (r Room) swapped(a, b rules.Seat) Room {
	if a != b {
		r.Seats[a], r.Seats[b] = r.Seats[b], r.Seats[a]
		r.unready()
	}
	return r
}

// give has the owner give a seat that is no person's to a bot, or take it back.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, CodeSeatTaken.
func (r Room) give(playerID string, seat rules.Seat, to Seat, now time.Time) (Room, error) {
	if err := r.ruling(playerID, now); err != nil {
		return r, err
	}
	if r.Seats[seat].Taken == ByPerson {
		return r, errTaken
	}
	r.Seats[seat] = to
	return r, nil
}

// ready says whether the match may begin for the player.
//
// Codes: NotFound, CodePlaying.
func (r Room) ready(playerID string, is bool, now time.Time) (Room, error) {
	seat, err := r.doing(playerID, now)
	if err != nil {
		return r, err
	}
	r.Seats[seat].Ready = is
	return r, nil
}

// leave has the player go. An owner's room becomes that of whoever has been there
// the longest. Whoever is not there has left.
//
// Codes: CodePlaying.
func (r Room) leave(playerID string, now time.Time) (Room, error) {
	if r.SeatOf(playerID) == rules.NoSeat {
		return r, nil
	}
	seat, err := r.doing(playerID, now)
	if err != nil {
		return r, err
	}
	r.Seats[seat] = Seat{}
	if left := r.People(); playerID == r.OwnerID && len(left) > 0 {
		r.OwnerID = left[0]
	}
	return r, nil
}

// kick has the owner put a player out, whom the code does not bring back. Owners who
// put themselves out leave.
//
// Codes: NotFound (also the player), CodePlaying, CodeNotOwner.
func (r Room) kick(playerID, otherID string, now time.Time) (Room, error) {
	if playerID == otherID {
		return r.leave(playerID, now)
	}
	if err := r.ruling(playerID, now); err != nil {
		return r, err
	}
	seat := r.SeatOf(otherID)
	if seat == rules.NoSeat {
		return r, fault.New(fault.NotFound, "That player is not in the room.")
	}
	r.Seats[seat] = Seat{}
	r.Kicked = append(slices.Clone(r.Kicked), otherID)
	r.Kicked = r.Kicked[max(0, len(r.Kicked)-maxKicked):]
	return r, nil
}

// invite has the owner ask a player in, and one who was put out, back.
//
// Codes: NotFound, CodePlaying, CodeNotOwner.
func (r Room) invite(playerID, otherID string, now time.Time) (Room, error) {
	if err := r.ruling(playerID, now); err != nil {
		return r, err
	}
	if slices.Contains(r.Kicked, otherID) {
		r.Kicked = slices.DeleteFunc(slices.Clone(r.Kicked), func(id string) bool { return id == otherID })
	}
	return r, nil
}

// mayStart says whether a match may begin. The owner is ready by asking.
//
// Codes: NotFound, CodePlaying, CodeNotOwner, CodeSeatsOpen, CodeAlone, CodeNotReady.
func (r *Room) mayStart(playerID string, now time.Time) error {
	if err := r.ruling(playerID, now); err != nil {
		return err
	}
	for _, s := range r.Seats {
		if s.Taken == Open {
			return fault.New(CodeSeatsOpen, "A seat is open. Wait for somebody, or give it to a bot.")
		}
	}
	if len(r.People()) < 2 {
		return fault.New(CodeAlone, "Against bots alone one plays against the machine.")
	}
	for _, s := range r.Seats {
		if s.Taken == ByPerson && !s.Ready && s.Person.ID != playerID {
			return fault.New(CodeNotReady, "Somebody is not ready.")
		}
	}
	return nil
}

// seats are the room's as a match has them.
func (r *Room) seats() [rules.Seats]match.Seat {
	var out [rules.Seats]match.Seat
	for i, s := range r.Seats {
		if s.Taken == ByPerson {
			out[i] = match.Seat{PlayerID: s.Person.ID, Name: s.Person.Name}
		} else {
			out[i].Bot = s.Bot
		}
	}
	return out
}

// started is the room while the match is played.
func (r Room) started(matchID string) Room {
	r.MatchID = matchID
	return r
}

// Over is the room behind its match: all sit where they sat, and whoever wants
// another match says so.
func (r Room) Over(now time.Time) Room {
	r.MatchID, r.TouchedAt = "", now
	r.unready()
	return r
}

// expired is the room without anybody, if nothing has happened in it for so long.
func (r Room) expired(now time.Time) Room {
	if r.MatchID == "" && now.Sub(r.TouchedAt) >= IdleTime {
		r.Seats, r.TouchedAt = [rules.Seats]Seat{}, now
	}
	return r
}
