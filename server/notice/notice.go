// Package notice tells players what happened while they looked elsewhere: in the
// app, where notices are kept, numbered and marked as read, and by push to their
// devices, for which there is one interface.
//
// A notice is kept before anybody hears of it, in the transaction of what it
// tells of where that is a player's doing.
package notice

import (
	"context"
	"crypto/rand"
	"io"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/words"
)

// Kind says what a notice tells of. Clients have the words.
type Kind string

// The kinds.
const (
	// FriendRequest: somebody asks to be a friend.
	FriendRequest Kind = "friend_request"
	// FriendAccepted: somebody whom the player asked is a friend now.
	FriendAccepted Kind = "friend_accepted"
	// RoomInvite: the owner of a room asks the player in.
	RoomInvite Kind = "room_invite"
	// PartyInvite: a friend waits in the queue for the player to come as a partner.
	PartyInvite Kind = "party_invite"
	// LeagueClosed: a week of the league in which the player scored is closed.
	LeagueClosed Kind = "league_closed"
	// Broadcast: the house has something to say to many, in Said.
	Broadcast Kind = "broadcast"
	// System: the house has something to say, in Text.
	System Kind = "system"
)

// Notice is one thing that a player is told.
type Notice struct {
	PlayerID string // who is told
	// Seq counts a player's notices from 1, without gaps.
	Seq  int
	Kind Kind
	From *Person           // whom it is about, or nil
	Text map[string]string // by language, if Kind is System
	Room *Room             // if Kind is RoomInvite
	// League if Kind is LeagueClosed.
	League *League
	// Said if Kind is Broadcast.
	Said *Said
	At   time.Time
}

// Said is what the house says to many.
type Said struct {
	ID          string // the broadcast's
	Title, Text words.Words
	// Link is where in the app it leads, one of Links; empty for nowhere.
	Link string
}

// Links are the places in the app that a broadcast may lead to.
var Links = []string{"play", "stakes", "rooms", "league", "shop", "wallet", "friends", "profile"}

// League is how a week of the league ended for a player.
type League struct {
	// Season by its Monday, as YYYY-MM-DD.
	Season   string `json:"season"`
	Division string `json:"division"`
	// Rank in the group, from 1.
	Rank int `json:"rank"`
	// Prize in coins.
	Prize int64 `json:"prize"`
	// Moved is 1 up, -1 down, 0 for staying; Next is where the player plays now.
	Moved int    `json:"moved"`
	Next  string `json:"next"`
}

// Room is where a player is asked in, and the code that brings there as long as the
// room is there.
type Room struct{ ID, Code string }

// Person is whom a notice is about.
type Person struct{ ID, Name, Avatar string }

// Inbox is how many notices a player has had and how far they are read.
type Inbox struct{ Last, Read int }

// Unread is how many notices wait.
func (i Inbox) Unread() int { return i.Last - i.Read }

// Store keeps notices.
type Store interface {
	// AddNotice numbers the notice and keeps it, and lets go of those before the last
	// [Kept].
	AddNotice(ctx context.Context, n Notice) (Notice, error)
	// NoticesBefore lists at most limit of the player's notices, newest first,
	// numbered below before.
	NoticesBefore(ctx context.Context, playerID string, before, limit int) ([]Notice, error)
	// NoticesAfter lists at most limit of the player's notices in order, numbered
	// above after. A person in them whom the player can not see is nil.
	NoticesAfter(ctx context.Context, playerID string, after, limit int) ([]Notice, error)
	// Inbox counts the player's notices.
	Inbox(ctx context.Context, playerID string) (Inbox, error)
	// MarkRead marks the notices up to a number as read; those that are, stay so.
	MarkRead(ctx context.Context, playerID string, upTo int) (Inbox, error)

	// Reachable are those of the players who have a device whose session lives.
	Reachable(ctx context.Context, playerIDs []string) ([]string, error)
	// PutDevice keeps a device, and takes its token from whoever had it; of too many
	// devices of one player the oldest go. It returns what is kept.
	PutDevice(ctx context.Context, d Device, most int) (Device, error)
	// DropDevice forgets a device of the player, if there is one.
	DropDevice(ctx context.Context, playerID, deviceID string) error
	// Devices lists the player's devices whose sessions live, and the player's
	// language.
	Devices(ctx context.Context, playerID string) (devices []Device, language string, err error)
}

// Service is the domain's door. Make one with New.
type Service struct {
	store Store
	now   func() time.Time
	// tell says that a player's inbox has changed.
	tell   func(playerID string, seq int)
	random io.Reader
	push   *pushes // nil if nothing is pushed
}

// Option changes what New takes by default.
type Option func(*Service)

// WithRandom sets the source of identifiers and of the spread of repetitions,
// crypto/rand by default.
func WithRandom(r io.Reader) Option { return func(s *Service) { s.random = r } }

// WithPush has notices pushed to their players' devices. Nothing is by default.
func WithPush(p Pusher, clock Clock) Option {
	return func(s *Service) { s.push = newPushes(s, p, clock) }
}

// New returns a service over the store. tell is called after each change of an
// inbox with the number of its newest notice; it must not block.
func New(store Store, now func() time.Time, tell func(playerID string, seq int), options ...Option) *Service {
	s := &Service{store: store, now: now, tell: tell, random: rand.Reader}
	for _, o := range options {
		o(s)
	}
	return s
}

// Stop ends what is being pushed and waits for it. Notices are kept, and what was
// not pushed is seen in the app.
func (s *Service) Stop() {
	if s.push != nil {
		s.push.stop()
	}
}

// Send tells a player something in the house's name: text has the words in each
// language that players have. In a unit of work, see package unit, it is heard when that
// is kept.
func (s *Service) Send(ctx context.Context, playerID string, text map[string]string) error {
	n, err := s.store.AddNotice(ctx, Notice{
		PlayerID: playerID, Kind: System, Text: text, At: s.now().UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return err
	}
	unit.Then(ctx, func() { s.Announce(n) })
	return nil
}

// Announce says that a notice has been kept, and has it pushed.
func (s *Service) Announce(n Notice) {
	s.tell(n.PlayerID, n.Seq)
	if s.push != nil {
		s.push.begin(job{playerID: n.PlayerID, seq: n.Seq}, 0)
	}
}

// Spread says that many notices of different players have been kept, and has them
// pushed to those who have a device. So that none is left out, it waits while many wait
// to be pushed already.
func (s *Service) Spread(ctx context.Context, list []Notice) error {
	ids := make([]string, len(list))
	for i, n := range list {
		s.tell(n.PlayerID, n.Seq)
		ids[i] = n.PlayerID
	}
	if s.push == nil || len(list) == 0 {
		return nil
	}
	reachable, err := s.store.Reachable(ctx, ids)
	if err != nil {
		return err
	}
	for _, n := range list {
		if !slices.Contains(reachable, n.PlayerID) {
			continue
		}
		if err := s.push.room(ctx); err != nil {
			return err
		}
		s.push.begin(job{playerID: n.PlayerID, seq: n.Seq}, 0)
	}
	return nil
}

// List gives at most limit notices, newest first, numbered below before; and the
// inbox.
func (s *Service) List(ctx context.Context, playerID string, before, limit int) ([]Notice, Inbox, error) {
	inbox, err := s.store.Inbox(ctx, playerID)
	if err != nil {
		return nil, inbox, err
	}
	list, err := s.store.NoticesBefore(ctx, playerID, before, limit)
	return list, inbox, err
}

// Kept is how many notices of a player are kept; of more the oldest go.
const Kept = 500

// maxMissed is how many notices are told one by one to somebody who comes back.
const maxMissed = 50

// Since gives the player's notices after number n, in order, and the inbox. If too
// many were missed it gives none: the inbox says so, and the list has them.
func (s *Service) Since(ctx context.Context, playerID string, n int) ([]Notice, Inbox, error) {
	inbox, err := s.store.Inbox(ctx, playerID)
	if err != nil {
		return nil, inbox, err
	}
	if n >= inbox.Last || inbox.Last-n > maxMissed {
		return nil, inbox, nil
	}
	// No more than the inbox counts: what has come since is told the next time.
	list, err := s.store.NoticesAfter(ctx, playerID, n, inbox.Last-n)
	return list, inbox, err
}

// MarkRead marks the player's notices up to a number as read, here and on the
// player's other devices.
func (s *Service) MarkRead(ctx context.Context, playerID string, upTo int) (Inbox, error) {
	inbox, err := s.store.MarkRead(ctx, playerID, upTo)
	if err == nil {
		s.tell(playerID, inbox.Last)
	}
	return inbox, err
}
