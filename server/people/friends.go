package people

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
)

// Tie is what is between a player and another. Index 0 is what the player does,
// 1 what the other does. The zero Tie is that of strangers.
type Tie struct {
	FriendsSince time.Time
	Asked        [2]time.Time // to be friends
	Blocked      [2]time.Time
	Told         [2]time.Time // when last that the other asks
}

// TellEvery is how often at most a player is told that one and the same other asks.
// What is asked in between stands in the list of requests.
const TellEvery = 24 * time.Hour

// Hidden says whether the two do not see one another.
func (t Tie) Hidden() bool { return !t.Blocked[0].IsZero() || !t.Blocked[1].IsZero() }

// Friendship is what a player is told of a tie.
type Friendship string

// What a player may be to another.
const (
	Self     Friendship = "self"
	None     Friendship = "none"
	Asked    Friendship = "requested" // the player has asked
	Received Friendship = "received"  // the other has asked
	Friends  Friendship = "friends"
)

// Friendship is what the player may know of the tie.
func (t Tie) Friendship() Friendship {
	switch {
	case !t.FriendsSince.IsZero():
		return Friends
	case !t.Asked[0].IsZero():
		return Asked
	case !t.Asked[1].IsZero():
		return Received
	}
	return None
}

var errNobody = fault.New(fault.NotFound, "There is no such player.")

// change is what a player does to a tie, and the kind of notice that the other
// gets, if any.
type change func(t Tie, now time.Time) (Tie, notice.Kind, error)

// ask asks to be friends. Two who ask one another are friends.
func ask(t Tie, now time.Time) (Tie, notice.Kind, error) {
	switch {
	case t.Hidden():
		return t, "", errNobody
	case !t.FriendsSince.IsZero() || !t.Asked[0].IsZero():
		return t, "", nil
	case !t.Asked[1].IsZero():
		return Tie{FriendsSince: now, Told: t.Told}, notice.FriendAccepted, nil
	}
	t.Asked[0] = now
	if !t.Told[1].IsZero() && now.Before(t.Told[1].Add(TellEvery)) {
		return t, "", nil
	}
	t.Told[1] = now
	return t, notice.FriendRequest, nil
}

// accept says yes to a request. To say it again changes nothing.
func accept(t Tie, now time.Time) (Tie, notice.Kind, error) {
	switch {
	case t.Hidden() || t.FriendsSince.IsZero() && t.Asked[1].IsZero():
		return t, "", fault.New(fault.NotFound, "There is no such request.")
	case !t.FriendsSince.IsZero():
		return t, "", nil
	}
	return Tie{FriendsSince: now, Told: t.Told}, notice.FriendAccepted, nil
}

// dismiss takes one's request back, or says no to the other's, which the other is
// not told.
func dismiss(t Tie, _ time.Time) (Tie, notice.Kind, error) {
	t.Asked = [2]time.Time{}
	return t, "", nil
}

func unfriend(t Tie, _ time.Time) (Tie, notice.Kind, error) {
	t.FriendsSince = time.Time{}
	return t, "", nil
}

// block ends all that there was.
func block(t Tie, now time.Time) (Tie, notice.Kind, error) {
	if t.Blocked[0].IsZero() {
		t = Tie{Blocked: [2]time.Time{now, t.Blocked[1]}, Told: t.Told}
	}
	return t, "", nil
}

func unblock(t Tie, _ time.Time) (Tie, notice.Kind, error) {
	t.Blocked[0] = time.Time{}
	return t, "", nil
}

// Ask asks the other to be friends, whom the identifier names or, if that is empty,
// the name or one that looks alike.
//
// Codes: NotFound (also for a block), InvalidRequest (oneself).
func (s *Service) Ask(ctx context.Context, playerID, otherID, wanted string) (Person, Friendship, error) {
	var other Person
	var err error
	if otherID != "" {
		other, err = s.store.PersonByID(ctx, otherID)
	} else {
		other, err = s.store.PersonByName(ctx, name.Key(wanted))
	}
	if err != nil {
		return Person{}, None, err
	}
	t, err := s.change(ctx, playerID, other.ID, ask)
	if err != nil {
		return Person{}, None, err
	}
	return other, t.Friendship(), nil
}

// Accept makes a friend of somebody who asked.
//
// Codes: NotFound.
func (s *Service) Accept(ctx context.Context, playerID, otherID string) error {
	_, err := s.change(ctx, playerID, otherID, accept)
	return err
}

// Dismiss takes a request back or declines it. Without one it changes nothing.
//
// Codes: NotFound.
func (s *Service) Dismiss(ctx context.Context, playerID, otherID string) error {
	_, err := s.change(ctx, playerID, otherID, dismiss)
	return err
}

// Unfriend ends a friendship. Without one it changes nothing.
//
// Codes: NotFound.
func (s *Service) Unfriend(ctx context.Context, playerID, otherID string) error {
	_, err := s.change(ctx, playerID, otherID, unfriend)
	return err
}

// Block hides the two from one another and ends what was between them.
//
// Codes: NotFound, InvalidRequest (oneself).
func (s *Service) Block(ctx context.Context, playerID, otherID string) error {
	_, err := s.change(ctx, playerID, otherID, block)
	return err
}

// Unblock takes the player's own block back. Without one it changes nothing.
//
// Codes: NotFound.
func (s *Service) Unblock(ctx context.Context, playerID, otherID string) error {
	_, err := s.change(ctx, playerID, otherID, unblock)
	return err
}

func (s *Service) change(ctx context.Context, playerID, otherID string, do change) (Tie, error) {
	if playerID == otherID {
		return Tie{}, &fault.Error{Code: fault.InvalidRequest, Field: "playerId", Message: "That is you."}
	}
	now := s.now()
	var after Tie
	told, err := s.store.ChangeTie(ctx, playerID, otherID, func(t Tie) (Tie, *notice.Notice, error) {
		var kind notice.Kind
		var err error
		after, kind, err = do(t, now)
		if err != nil || kind == "" {
			return after, nil, err
		}
		return after, &notice.Notice{PlayerID: otherID, Kind: kind, From: &notice.Person{ID: playerID}, At: now}, nil
	})
	if err == nil && told != nil {
		s.announce(*told)
	}
	return after, err
}

// List names what can be listed of a player's ties.
type List uint8

// The lists.
const (
	ListFriends  List = iota
	ListReceived      // who has asked the player
	ListSent          // whom the player has asked
	ListBlocked       // whom the player has blocked
)

// Related is a person in a list, and since when.
type Related struct {
	Person
	Since time.Time
}

// Ties lists at most limit of whom a player is tied to, by identifier, after the
// one given.
func (s *Service) Ties(ctx context.Context, playerID string, list List, after string, limit int) ([]Related, error) {
	return s.store.Ties(ctx, playerID, list, after, limit)
}

// Apart says whether any two of the players have a block between them, so that
// they are not to be put at one table.
func (s *Service) Apart(ctx context.Context, playerIDs []string) (bool, error) {
	return s.store.Apart(ctx, playerIDs)
}

// Reason says what a report is about.
type Reason string

// The reasons.
const (
	Cheating   Reason = "cheating"
	Harassment Reason = "harassment"
	Name       Reason = "name"
	Stalling   Reason = "stalling"
	Other      Reason = "other"
)

// MaxReport is the most characters of a report's text.
const MaxReport = 500

// Report is what a player tells the operator of another.
type Report struct {
	ID, ReporterID, ReportedID string
	MatchID                    string // empty: of no match
	Reason                     Reason
	Text                       string
	CreatedAt                  time.Time
}

// Report tells the operator. The same report again, while the first is open, is
// the first.
//
// Codes: NotFound (the player), InvalidRequest (oneself, or a match in which not
// both played).
func (s *Service) Report(ctx context.Context, r Report) (Report, error) {
	if r.ReporterID == r.ReportedID {
		return r, &fault.Error{Code: fault.InvalidRequest, Field: "playerId", Message: "That is you."}
	}
	if !utf8.ValidString(r.Text) || utf8.RuneCountInString(r.Text) > MaxReport {
		return r, &fault.Error{Code: fault.InvalidRequest, Field: "text", Message: fmt.Sprintf("A report has at most %d characters.", MaxReport)}
	}
	if _, _, err := s.store.NameOf(ctx, r.ReportedID); err != nil {
		return r, err
	}
	if r.MatchID != "" {
		both, err := s.store.PlayedTogether(ctx, r.MatchID, r.ReporterID, r.ReportedID)
		if err != nil {
			return r, err
		}
		if !both {
			return r, &fault.Error{Code: fault.InvalidRequest, Field: "matchId", Message: "You did not play this match together."}
		}
	}
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return r, fmt.Errorf("people: new report's id: %w", err)
	}
	r.ID, r.CreatedAt = id.String(), s.now()
	return s.store.AddReport(ctx, r)
}
