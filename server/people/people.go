// Package people knows what players are to one another: what they are called,
// what the others see of them, who is whose friend and who wants nothing of whom.
package people

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// RenameEvery is how long a chosen name stays, so that nobody slips out of sight
// of those who know the name.
const RenameEvery = 30 * 24 * time.Hour

// Languages that the server speaks, by their ISO 639 codes.
var Languages = []string{"es", "ca", "en"}

// Person is what everybody may see of a player.
type Person struct {
	ID     string
	Name   string
	Avatar string // a card, as records write it
}

// Profile is a person and what there is to say about it to one viewer.
type Profile struct {
	Person
	CreatedAt  time.Time
	Stats      []Stats // by rule set, in the presets' order, the played ones only
	Friendship Friendship
}

// Stats is what a player has done by one rule set, in matches that are over.
type Stats struct {
	Rules              string // a preset's name, or House
	Played, Won        int
	Hands, HandsWon    int
	BidsMade, BidsLost int
}

// House stands for all rule sets that are no preset. How long a match lasts does
// not make it one.
const House = "house"

// StatsName is the name under which matches by the rule set are counted.
func StatsName(rs rules.RuleSet) string {
	preset := rs.Preset.Rules()
	rs.Target = preset.Target
	if rs == preset {
		return rs.Preset.String()
	}
	return House
}

// Change is what a player changes of itself; nil leaves a thing as it is.
type Change struct {
	Name, Avatar, Language *string
}

// Rename is a change of name.
type Rename struct {
	// From is the name that is given up. The store changes nothing if the player has
	// another by now.
	From, To string
	At       time.Time
}

// Store keeps what people are to one another.
type Store interface {
	// NameOf returns the player's name and when it was chosen; zero, if it was made
	// up. Codes: NotFound.
	NameOf(ctx context.Context, playerID string) (name string, chosen time.Time, err error)
	// ChangePlayer changes what is not nil, and the name with what else changes or
	// not at all. Codes: NotFound, NameTaken, NameTooSoon (another name than From).
	ChangePlayer(ctx context.Context, playerID string, rename *Rename, avatar, language *string) error
	// Profile reads what is known of a player. Codes: NotFound.
	Profile(ctx context.Context, playerID string) (Profile, error)
	// PersonByID reads what everybody may see of a player. Codes: NotFound.
	PersonByID(ctx context.Context, playerID string) (Person, error)
	// PersonByName finds the player whose name has the key, see package name.
	// Codes: NotFound.
	PersonByName(ctx context.Context, key string) (Person, error)

	// Tie reads what is between the player and the other.
	Tie(ctx context.Context, playerID, otherID string) (Tie, error)
	// ChangeTie has f change what is between the player and the other, while nobody
	// else does, and keeps it with the notice that f returns, if one; both or neither.
	// It returns the notice as it was kept, and f's errors. Codes: NotFound.
	ChangeTie(ctx context.Context, playerID, otherID string, f func(Tie) (Tie, *notice.Notice, error)) (*notice.Notice, error)
	// Ties lists at most limit of whom the player is tied to, by id, after the id
	// given.
	Ties(ctx context.Context, playerID string, list List, after string, limit int) ([]Related, error)
	// Apart says whether any two of the players have a block between them.
	Apart(ctx context.Context, playerIDs []string) (bool, error)
	// PlayedTogether says whether both sat in the match.
	PlayedTogether(ctx context.Context, matchID, playerID, otherID string) (bool, error)
	// AddReport keeps the report, or returns the open one that is like it.
	AddReport(ctx context.Context, r Report) (Report, error)
}

// Service is the domain's door. Make one with New.
type Service struct {
	store  Store
	now    func() time.Time
	random io.Reader
	// announce says that a notice has been kept.
	announce func(notice.Notice)
}

// Option changes what New takes by default.
type Option func(*Service)

// WithRandom sets the source of identifiers, crypto/rand by default.
func WithRandom(r io.Reader) Option { return func(s *Service) { s.random = r } }

// New returns a service over the store that reads the clock now. announce is called
// for each notice that has been kept; it must not block.
func New(store Store, now func() time.Time, announce func(notice.Notice), options ...Option) *Service {
	s := &Service{
		// What the store keeps of a time is milliseconds.
		store: store, now: func() time.Time { return now().UTC().Truncate(time.Millisecond) },
		random: rand.Reader, announce: announce,
	}
	for _, o := range options {
		o(s)
	}
	return s
}

// Change changes the player's name, avatar and language, all or none of what is
// asked for. A name that was made up can be changed at once, a chosen one every
// [RenameEvery]. The name that one has changes nothing.
//
// Codes: InvalidRequest, NameReserved, NameTaken, NameTooSoon, NotFound.
func (s *Service) Change(ctx context.Context, playerID string, c Change) error {
	if c.Avatar != nil && !isCard(*c.Avatar) {
		return &fault.Error{Code: fault.InvalidRequest, Field: "avatar", Message: "An avatar is a card."}
	}
	if c.Language != nil && !slices.Contains(Languages, *c.Language) {
		return &fault.Error{Code: fault.InvalidRequest, Field: "language", Message: "The languages are es, ca and en."}
	}
	var rename *Rename
	if c.Name != nil {
		to, err := name.Clean(*c.Name)
		if err != nil {
			return err
		}
		from, chosen, err := s.store.NameOf(ctx, playerID)
		if err != nil {
			return err
		}
		if to != from {
			rename = &Rename{From: from, To: to, At: s.now()}
			if until := RenameableAt(chosen); rename.At.Before(until) {
				return &fault.Error{
					Code: fault.NameTooSoon, Field: "name",
					Message: fmt.Sprintf("The name can be changed from %s on.", until.Format(time.RFC3339)),
				}
			}
		}
	}
	return s.store.ChangePlayer(ctx, playerID, rename, c.Avatar, c.Language)
}

func isCard(text string) bool {
	_, ok := rules.ParseAction(text).Card()
	return ok
}

// RenameableAt is when a name that was chosen then may be changed; zero if it was
// made up, for that is at any time.
func RenameableAt(chosen time.Time) time.Time {
	if chosen.IsZero() {
		return chosen
	}
	return chosen.Add(RenameEvery)
}

// Profile is what the viewer may see of the player, and what the player is to it.
//
// Codes: NotFound (also for a block).
func (s *Service) Profile(ctx context.Context, viewerID, playerID string) (Profile, error) {
	p, err := s.store.Profile(ctx, playerID)
	if err != nil {
		return p, err
	}
	p.Friendship = Self
	if viewerID != playerID {
		tie, err := s.store.Tie(ctx, viewerID, playerID)
		if err != nil {
			return Profile{}, err
		}
		if tie.Hidden() {
			return Profile{}, errNobody
		}
		p.Friendship = tie.Friendship()
	}
	return p, nil
}

// Find lists who has the name, or one that looks alike, and may be seen by the
// viewer: nobody or one.
func (s *Service) Find(ctx context.Context, viewerID, wanted string) ([]Person, error) {
	p, err := s.store.PersonByName(ctx, name.Key(wanted))
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tie, err := s.store.Tie(ctx, viewerID, p.ID)
	if err != nil || tie.Hidden() {
		return nil, err
	}
	return []Person{p}, nil
}
