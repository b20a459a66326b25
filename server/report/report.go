// Package report is what staff makes of what players report: a case for each player who
// was reported, with what was said, and an answer to it.
//
// Who has reported is told that somebody looked, and not what came of it, which is the
// other's affair.
package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/people"
)

// Answer is what staff has made of a report.
type Answer string

// The answers.
const (
	Dismissed  Answer = "dismissed"
	Warned     Answer = "warned"
	Sanctioned Answer = "sanctioned"
)

// Answers lists all.
var Answers = []Answer{Dismissed, Warned, Sanctioned}

// Staff is one of the staff. Name is empty for one who is not known any more.
type Staff struct{ ID, Name string }

// Report is one, with who it is by and about as they are called now.
type Report struct {
	people.Report
	Reporter, Reported people.Person
	// Open says that it waits for an answer.
	Open      bool
	ClaimedBy Staff
	ClaimedAt time.Time
	Answer    Answer // empty while it is open, and of those closed before there were answers
	// AnsweredBy is the name of who answered, and Note what they wrote down.
	AnsweredBy, Note string
	AnsweredAt       time.Time
}

// Case is all open reports about one player.
type Case struct {
	Reported people.Person
	Open     int
	// Reporters is how many players they are by, and Reasons how many reports there are
	// for each reason.
	Reporters int
	Reasons   map[people.Reason]int
	// Oldest names the first report, and FirstAt and LastAt are when the first and the
	// last came.
	Oldest          string
	FirstAt, LastAt time.Time
	ClaimedBy       Staff
	ClaimedAt       time.Time
}

// Which says which reports are listed: About or By a player, or both of them empty for
// all; only open ones, if Open is set.
type Which struct {
	About, By string
	Open      bool
}

// Store keeps reports.
type Store interface {
	// ReportCases lists at most limit cases, the one that waits longest first, behind the one
	// whose oldest report has the identifier given, if any.
	ReportCases(ctx context.Context, after string, limit int) ([]Case, error)
	// ReportCase is a player's case. Codes: NotFound.
	ReportCase(ctx context.Context, playerID string) (Case, error)
	// Reports lists at most limit reports, newest first, older than the one given, if any.
	Reports(ctx context.Context, w Which, before string, limit int) ([]Report, error)
	// ClaimReports keeps who has a player's case in hand, nobody if the identifier is empty.
	// With from set, only if it is in that one's hand or in nobody's; it returns whether
	// it was kept.
	ClaimReports(ctx context.Context, playerID, staffID, from string, at time.Time) (bool, error)
	// CloseReports answers a player's open reports of these identifiers, and returns who they are
	// by, each once. Codes: CodeAnswered, if one of them is not open, and nothing is kept.
	CloseReports(ctx context.Context, playerID string, ids []string, a Answer, author, note string, at time.Time) (reporters []string, err error)
}

// Notices tells players something in the house's name; see package notice.
type Notices interface {
	Send(ctx context.Context, playerID string, text map[string]string) error
}

// Codes of this domain.
const (
	// CodeClaimed: another one of the staff has the case in hand.
	CodeClaimed fault.Code = "case_claimed"
	// CodeAnswered: the report is not open any more.
	CodeAnswered fault.Code = "report_answered"
)

// MaxNote is the most characters of a note on an answer.
const MaxNote = 500

// Service is the domain's door. Make one with New.
type Service struct {
	store   Store
	notices Notices
	now     func() time.Time
}

// New returns a service over the store.
func New(store Store, notices Notices, now func() time.Time) *Service {
	return &Service{store: store, notices: notices, now: now}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Cases lists at most limit cases, the one that waits longest first, behind the one
// whose oldest report has the identifier given, if any.
func (s *Service) Cases(ctx context.Context, after string, limit int) ([]Case, error) {
	return s.store.ReportCases(ctx, after, limit)
}

// Case is a player's. Codes: NotFound (nothing about the player waits).
func (s *Service) Case(ctx context.Context, playerID string) (Case, error) {
	return s.store.ReportCase(ctx, playerID)
}

// Reports lists at most limit reports, newest first, older than the one given, if any.
func (s *Service) Reports(ctx context.Context, w Which, before string, limit int) ([]Report, error) {
	return s.store.Reports(ctx, w, before, limit)
}

// Claim takes a case in hand, so that two do not work on it. With force it is taken from
// whoever has it. Codes: NotFound, CodeClaimed.
func (s *Service) Claim(ctx context.Context, playerID string, who Staff, force bool) (Case, error) {
	return s.claim(ctx, playerID, who.ID, who, force)
}

// Release puts a case down. Codes: NotFound, CodeClaimed (another one has it).
func (s *Service) Release(ctx context.Context, playerID string, who Staff) (Case, error) {
	return s.claim(ctx, playerID, "", who, false)
}

func (s *Service) claim(ctx context.Context, playerID, to string, who Staff, force bool) (Case, error) {
	before, err := s.store.ReportCase(ctx, playerID)
	if err != nil {
		return Case{}, err
	}
	from := who.ID
	if force {
		from = ""
	}
	ok, err := s.store.ClaimReports(ctx, playerID, to, from, s.moment())
	if err != nil {
		return Case{}, err
	}
	if !ok {
		return Case{}, claimed(before)
	}
	return s.store.ReportCase(ctx, playerID)
}

func claimed(c Case) error {
	who := c.ClaimedBy.Name
	if who == "" {
		who = "Another one of the staff"
	}
	return fault.New(CodeClaimed, who+" has this case in hand.")
}

// Close answers open reports about a player, those that were seen: what has come since
// waits on. Who reported is told that somebody has looked.
//
// Codes: InvalidRequest (answer, note, reports), NotFound, CodeClaimed, CodeAnswered.
func (s *Service) Close(ctx context.Context, playerID string, ids []string, a Answer, who Staff, note string) error {
	note = strings.TrimSpace(note)
	switch {
	case !slices.Contains(Answers, a):
		return &fault.Error{Code: fault.InvalidRequest, Field: "answer", Message: "There is no such answer."}
	case note == "" || !utf8.ValidString(note) || utf8.RuneCountInString(note) > MaxNote:
		return &fault.Error{Code: fault.InvalidRequest, Field: "note", Message: fmt.Sprintf("Say why, in 1 to %d characters.", MaxNote)}
	case len(ids) == 0:
		return &fault.Error{Code: fault.InvalidRequest, Field: "reports", Message: "Say which reports are answered."}
	}
	c, err := s.store.ReportCase(ctx, playerID)
	if err != nil {
		return err
	}
	if c.ClaimedBy.ID != "" && c.ClaimedBy.ID != who.ID {
		return claimed(c)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	reporters, err := s.store.CloseReports(ctx, playerID, ids, a, who.Name, note, s.moment())
	if err != nil {
		return err
	}
	for _, id := range reporters {
		if err := s.notices.Send(ctx, id, thanks); err != nil {
			return err
		}
	}
	return nil
}

// thanks is what whoever reported is told.
var thanks = map[string]string{
	"es": "Hemos revisado lo que nos contaste de otra persona. Gracias por avisar.",
	"ca": "Hem revisat el que ens vas explicar d'una altra persona. Gràcies per avisar.",
	"en": "We have looked into what you reported about somebody. Thank you for telling us.",
}
