// Package privacy is what a player can ask of the server about itself: a copy of
// everything that is kept of it, and to be forgotten.
//
// Forgetting waits for a grace period, in which the player may sign in as always and
// change its mind; signing in alone changes nothing, for an app does that by itself.
// Then the player becomes a pseudonym: everything that leads to the person is
// removed, and what others share with it, matches and their records, still adds up.
package privacy

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/room"
)

// Part is what one domain knows of a player, for the export.
type Part struct {
	// Name is the file's, without its extension.
	Name string
	// Read returns what is known, to be written as JSON.
	Read func(ctx context.Context, playerID string) (any, error)
}

// Deletion is a player's wish to be forgotten.
type Deletion struct {
	PlayerID    string
	RequestedAt time.Time
	DueAt       time.Time // from then on it cannot be taken back
}

// Store keeps wishes to be forgotten, and carries them out.
type Store interface {
	// RequestDeletion keeps the wish and returns it, or the one that is kept already.
	RequestDeletion(ctx context.Context, d Deletion) (Deletion, error)
	// PendingDeletion returns the wish that has not been carried out. Codes: NotFound.
	PendingDeletion(ctx context.Context, playerID string) (Deletion, error)
	// CancelDeletion takes the wish back. Codes: NotFound (there is none, or it has
	// been carried out).
	CancelDeletion(ctx context.Context, playerID string) error
	// DueDeletions lists at most limit players whose wish is due and not carried out.
	DueDeletions(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Erase makes the player a pseudonym, all of it or nothing, if its wish is due and
	// not carried out or taken back by then. Of several processes one does it.
	Erase(ctx context.Context, playerID, pseudonym string, now time.Time) (done bool, err error)
	// Lingering lists at most limit players who are in a room, in the queue or at a table
	// that has not begun, and should not be: they have been forgotten or merged into an
	// account, or a sanction in force at that time keeps them out.
	Lingering(ctx context.Context, at time.Time, limit int) ([]string, error)
	// Prune removes what is only kept for a while: remembered answers to requests from
	// before that time.
	Prune(ctx context.Context, before time.Time) error
}

// Sessions ends what a player has open.
type Sessions interface {
	EndSessions(ctx context.Context, playerID string) error
}

// Places is what a player may be in among others, who would wait for somebody that
// never comes: it leaves before it is forgotten, or kept out.
type Places struct {
	// Of is what the player is taken up with; see package engagement.
	Of func(ctx context.Context, playerID string) (engagement.Engagement, error)
	// LeaveRoom has the player remove the other, itself, from a room; see package room.
	LeaveRoom func(ctx context.Context, roomID, playerID, otherID string) error
	// LeaveQueue has the player stand up from a table or give its ticket up; see package
	// lobby.
	LeaveQueue func(ctx context.Context, playerID string) error
}

// Service is the domain's door. Make one with New.
type Service struct {
	store    Store
	sessions Sessions
	places   Places
	now      func() time.Time
	grace    time.Duration
	parts    []Part
	exports  chan struct{} // holds one for each export under way
}

const (
	// maxExports is how many exports are put together at once, each in memory.
	maxExports = 2
	// sweepLimit is how many players are looked at in one query.
	sweepLimit = 100
	// AnswersKept is for how long answers to requests with a key are remembered. They
	// hold views, and those hold names.
	AnswersKept = 24 * time.Hour
)

// New returns a service over the store. A player has the grace period to change its
// mind. The parts are what an export is made of, in their order.
func New(store Store, sessions Sessions, places Places, now func() time.Time, grace time.Duration, parts ...Part) *Service {
	return &Service{
		store: store, sessions: sessions, places: places, now: now, grace: grace, parts: parts, exports: make(chan struct{}, maxExports),
	}
}

// Export writes a ZIP with a file of JSON for each part.
//
// Codes: Unavailable (too many at once, until ctx was done).
func (s *Service) Export(ctx context.Context, playerID string, w io.Writer) error {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, "Too many exports are being made. Try again.", ctx.Err())
	}
	z := zip.NewWriter(w)
	for _, p := range s.parts {
		value, err := p.Read(ctx, playerID)
		if err != nil {
			return fmt.Errorf("privacy: export of %s: %w", p.Name, err)
		}
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return fmt.Errorf("privacy: export of %s: %w", p.Name, err)
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.Name + ".json", Method: zip.Deflate, Modified: s.now().UTC()})
		if err != nil {
			return err
		}
		if _, err := f.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return z.Close()
}

// Request begins the grace period. Asked again, it goes on as it is.
func (s *Service) Request(ctx context.Context, playerID string) (Deletion, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	return s.store.RequestDeletion(ctx, Deletion{PlayerID: playerID, RequestedAt: now, DueAt: now.Add(s.grace)})
}

// Pending returns the player's wish, if it has one that is not carried out.
//
// Codes: NotFound.
func (s *Service) Pending(ctx context.Context, playerID string) (Deletion, error) {
	return s.store.PendingDeletion(ctx, playerID)
}

// Restore takes the wish back.
//
// Codes: NotFound.
func (s *Service) Restore(ctx context.Context, playerID string) error {
	return s.store.CancelDeletion(ctx, playerID)
}

// Sweep carries out what is due. Any number of processes may do it at once: the
// store lets one of them have each player.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now().UTC().Truncate(time.Millisecond)
	due, err := s.store.DueDeletions(ctx, now, sweepLimit)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range due {
		errs = append(errs, s.forget(ctx, id, now))
	}
	// Who was in a match stays to its end, and is back in the room that it was made in.
	lingering, err := s.store.Lingering(ctx, now, sweepLimit)
	errs = append(errs, err)
	for _, id := range lingering {
		errs = append(errs, s.places.Leave(ctx, id))
	}
	errs = append(errs, s.store.Prune(ctx, now.Add(-AnswersKept)))
	return errors.Join(errs...)
}

func (s *Service) forget(ctx context.Context, id string, now time.Time) error {
	// What is open is closed, on every process, before anything is removed, so that
	// nothing new comes in behind; and once more for what has come in between.
	if err := s.sessions.EndSessions(ctx, id); err != nil {
		return err
	}
	if err := s.places.Leave(ctx, id); err != nil {
		return err
	}
	done, err := s.store.Erase(ctx, id, Pseudonym(id), now)
	if err != nil || !done {
		return err
	}
	return s.sessions.EndSessions(ctx, id)
}

// Leave has the player leave what it can. If it is somewhere else by the time that it
// is to leave, such as in a match that has just begun, a later sweep finds it.
func (p Places) Leave(ctx context.Context, id string) error {
	e, err := p.Of(ctx, id)
	if err != nil {
		return err
	}
	switch e.Place.Kind {
	case engagement.Room:
		err = p.LeaveRoom(ctx, e.Place.ID, id, id)
	case engagement.Ticket, engagement.Table:
		err = p.LeaveQueue(ctx, id)
	case engagement.None, engagement.Match:
	}
	// It is not there any more, or a match has begun there.
	if code := fault.CodeOf(err); code == fault.NotFound || code == engagement.CodeEngaged || code == room.CodePlaying {
		return nil
	}
	return err
}

// Pseudonym is what the player with that identifier is called when it is forgotten.
func Pseudonym(playerID string) string {
	return "Deleted-" + playerID[max(0, len(playerID)-6):]
}
