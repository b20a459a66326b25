package economy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Version is a document that has been published. It never changes: going back is
// publishing an older document again.
type Version struct {
	// Number counts the versions from 1.
	Number   int
	Document []byte
	// LiveFrom is when it takes over; a later one takes over from it.
	LiveFrom  time.Time
	CreatedAt time.Time
	// Author and Reason say who published it and why.
	Author, Reason string
	// AuthorID is the author's as a member of staff, "" for a command's and the server's.
	AuthorID string
	// Approver is the second person who agreed, "" where none was needed.
	Approver, ApproverID string
	// Restores is the number of the version whose document this one is again; 0 for most.
	Restores int
	// WithdrawnAt is when it was taken back before it went live; zero for most.
	WithdrawnAt time.Time
}

// State is what has become of a version.
type State string

// States of a version.
const (
	StateLive      State = "live"
	StateComing    State = "coming" // at its time
	StatePast      State = "past"
	StateWithdrawn State = "withdrawn"
)

// State is the version's at a time at which the one with the number live is live.
func (v *Version) State(live int, now time.Time) State {
	switch {
	case !v.WithdrawnAt.IsZero():
		return StateWithdrawn
	case v.Number == live:
		return StateLive
	case v.LiveFrom.After(now):
		return StateComing
	}
	return StatePast
}

// Codes of this domain.
const (
	// CodeInvalid: the document cannot be used; Field names the first place.
	CodeInvalid fault.Code = "economy_invalid"
	// CodeOutdated: another version was published since the base.
	CodeOutdated fault.Code = "economy_outdated"
	// CodeLive: the version is live already.
	CodeLive fault.Code = "economy_live"
	// CodeDraftChanged: somebody has saved the draft meanwhile; it has another revision.
	CodeDraftChanged fault.Code = "economy_draft_changed"
	// CodeDrafts: there are as many drafts as there may be.
	CodeDrafts fault.Code = "economy_drafts"
	// CodeProposalClosed: the proposal was decided on, has lapsed, or another version was
	// published since.
	CodeProposalClosed fault.Code = "economy_proposal_closed"
	// CodeOwnProposal: nobody decides on what they have proposed themselves.
	CodeOwnProposal fault.Code = "economy_own_proposal"
)

// Store keeps versions, drafts and proposals.
type Store interface {
	// Atomically has what f does, with the context that it is given, kept together or
	// not at all. Within such a context it is part of what is under way.
	Atomically(ctx context.Context, f func(ctx context.Context) error) error

	// AddVersion keeps a version under its number, or returns CodeOutdated if there
	// is one with that number.
	AddVersion(ctx context.Context, v *Version) error
	// LiveVersion is the one that is live at a time: of those neither withdrawn nor
	// still to come, the one that took over last. Codes: NotFound.
	LiveVersion(ctx context.Context, at time.Time) (*Version, error)
	// Version reads one. Codes: NotFound.
	Version(ctx context.Context, number int) (*Version, error)
	// Versions lists at most limit, newest first, below a number; 0 for all.
	Versions(ctx context.Context, below, limit int) ([]*Version, error)
	// WithdrawVersion takes a version back, unless it is live by then. Codes:
	// NotFound, CodeLive.
	WithdrawVersion(ctx context.Context, number int, at time.Time) error

	// VersionBefore is the one that was live until v took over. Codes: NotFound.
	VersionBefore(ctx context.Context, v *Version) (*Version, error)

	// AddDraft keeps a new draft, unless there are limit of them. Codes: CodeDrafts.
	AddDraft(ctx context.Context, d *Draft, limit int) error
	// ChangeDraft keeps what has become of a draft that was of a revision. Codes:
	// NotFound, CodeDraftChanged.
	ChangeDraft(ctx context.Context, d *Draft, revision int) error
	// Draft reads one. Codes: NotFound.
	Draft(ctx context.Context, id string) (*Draft, error)
	// Drafts lists all, newest first.
	Drafts(ctx context.Context) ([]*Draft, error)
	// DeleteDraft forgets one that is of a revision. Codes: NotFound, CodeDraftChanged.
	DeleteDraft(ctx context.Context, id string, revision int) error

	// AddProposal keeps a new proposal.
	AddProposal(ctx context.Context, p *Proposal) error
	// Proposal reads one. Codes: NotFound.
	Proposal(ctx context.Context, id string) (*Proposal, error)
	// Proposals lists at most limit, newest first, older than one; "" for all.
	Proposals(ctx context.Context, before string, limit int) ([]*Proposal, error)
	// DecideProposal keeps what was decided on a proposal, if nothing was before. Codes:
	// NotFound, CodeProposalClosed.
	DecideProposal(ctx context.Context, id string, d Decision) error
}

// Service knows which document is live. Make one with NewService.
type Service struct {
	store Store
	now   func() time.Time

	mu     sync.Mutex
	parsed map[int]*Document // versions never change
}

// NewService returns a service over the store.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, parsed: make(map[int]*Document)}
}

// system is the author of what the server does by itself.
const system = "system"

// Start sees to it that there is a live version: the document that ships, on a
// new database.
func (s *Service) Start(ctx context.Context) error {
	_, err := s.store.LiveVersion(ctx, s.time())
	if fault.CodeOf(err) != fault.NotFound {
		return err
	}
	v := &Version{
		Number: 1, Document: Default(), LiveFrom: s.time(), CreatedAt: s.time(),
		Author: system, Reason: "The document that ships.",
	}
	if err := s.store.AddVersion(ctx, v); err != nil && fault.CodeOf(err) != CodeOutdated {
		return err
	}
	return nil
}

func (s *Service) time() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Live is the version that is live now, and its document.
func (s *Service) Live(ctx context.Context) (*Version, *Document, error) {
	v, err := s.store.LiveVersion(ctx, s.time())
	if err != nil {
		return nil, nil, err
	}
	d, err := s.parse(v)
	return v, d, err
}

// At is the document of a version: what began under it settles under it. read is
// asked for the version if it has not been seen before: within a transaction, only
// that may be asked, since whoever waits for a second connection while holding one
// may wait for ever.
func (s *Service) At(number int, read func(number int) (*Version, error)) (*Document, error) {
	s.mu.Lock()
	d := s.parsed[number]
	s.mu.Unlock()
	if d != nil {
		return d, nil
	}
	v, err := read(number)
	if err != nil {
		return nil, err
	}
	return s.parse(v)
}

func (s *Service) parse(v *Version) (*Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.parsed[v.Number]; d != nil {
		return d, nil
	}
	d, problems := Parse(v.Document)
	if len(problems) > 0 {
		// It was usable when it was published, so the schema has become stricter.
		return nil, fmt.Errorf("economy: version %d: %s: %s", v.Number, problems[0].Path, problems[0].Message)
	}
	s.parsed[v.Number] = d
	return d, nil
}

// Publish makes a document the one that is live from a time on; from a time that
// is past or zero, now. base is the number of the newest version that the author
// knows: if there is a newer one, the author has to look at it first.
//
// Nobody else is asked: this is for who has the database in their hands anyway. The
// panel goes by [Desk].
//
// Codes: CodeInvalid, CodeOutdated, InvalidRequest (no reason).
func (s *Service) Publish(ctx context.Context, document []byte, base int, from time.Time, author, reason string) (*Version, error) {
	v := &Version{Number: base + 1, Document: document, LiveFrom: from, Author: author, Reason: reason}
	return v, s.publish(ctx, v)
}

// publish keeps a version that lacks nothing but its times.
func (s *Service) publish(ctx context.Context, v *Version) error {
	if v.Reason == "" {
		return &fault.Error{Code: fault.InvalidRequest, Field: "reason", Message: "Say why."}
	}
	if _, problems := Parse(v.Document); len(problems) > 0 {
		return &fault.Error{Code: CodeInvalid, Field: problems[0].Path, Message: problems[0].Message}
	}
	v.CreatedAt = s.time()
	if v.LiveFrom = v.LiveFrom.UTC().Truncate(time.Millisecond); v.LiveFrom.Before(v.CreatedAt) {
		v.LiveFrom = v.CreatedAt
	}
	newest, err := s.newest(ctx)
	if err != nil {
		return err
	}
	if newest != v.Number-1 {
		return outdated()
	}
	return s.store.AddVersion(ctx, v)
}

func outdated() error {
	return fault.New(CodeOutdated, "Another version has been published since. Compare with it first.")
}

// newest is the number of the newest version, live or not; 0 without any.
func (s *Service) newest(ctx context.Context) (int, error) {
	all, err := s.store.Versions(ctx, 0, 1)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0].Number, nil
}

// RollBack publishes an older version's document again, at once.
//
// Codes: NotFound, CodeOutdated, InvalidRequest (no reason).
func (s *Service) RollBack(ctx context.Context, to, base int, author, reason string) (*Version, error) {
	old, err := s.store.Version(ctx, to)
	if err != nil {
		return nil, err
	}
	v := &Version{Number: base + 1, Document: old.Document, Author: author, Reason: reason, Restores: to}
	return v, s.publish(ctx, v)
}

// Withdraw takes a version back that is not live yet.
//
// Codes: NotFound, CodeLive.
func (s *Service) Withdraw(ctx context.Context, number int) error {
	return s.store.WithdrawVersion(ctx, number, s.time())
}
