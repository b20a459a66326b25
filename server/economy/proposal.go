package economy

import (
	"context"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Proposal is a document that somebody wants to publish and another has to agree to.
type Proposal struct {
	ID       string // UUID, version 7
	Document []byte
	// Base is the newest version that the author knew. Another one makes the proposal
	// void: it was made for what was there.
	Base int
	// LiveFrom is when it is to take over, zero for as soon as it is approved.
	LiveFrom         time.Time
	Author, AuthorID string
	Reason           string
	// Restores is as in [Version].
	Restores int
	// DraftID and DraftRevision say what it was made of, "" and 0 if of no draft.
	DraftID       string
	DraftRevision int
	// Need says why a second person is needed, Forecast what was known; nil for nothing.
	Need     Need
	Forecast *Forecast
	// ExpiresAt is when it lapses.
	CreatedAt, ExpiresAt time.Time
	Decision
}

// Decision is what was decided on a proposal.
type Decision struct {
	Verdict  Verdict
	At       time.Time
	By, ByID string
	// Why, for whoever reads it later.
	Why string
	// Version is the one that an approval has published; 0 for all else.
	Version int
}

// Verdict is how a proposal ended.
type Verdict string

// Verdicts.
const (
	Open     Verdict = ""
	Approved Verdict = "approved"
	Refused  Verdict = "refused"
	// TakenBack by its own author.
	TakenBack Verdict = "taken_back"
	// Void and Lapsed nobody has decided, see [Proposal.Standing].
	Void   Verdict = "void"
	Lapsed Verdict = "lapsed"
)

// Standing is the verdict on a proposal when the newest version has a number, at a
// time: what nobody has decided on is void once there is another version, and lapses
// with time.
func (p *Proposal) Standing(newest int, now time.Time) Verdict {
	switch {
	case p.Verdict != Open:
		return p.Verdict
	case newest != p.Base:
		return Void
	case !now.Before(p.ExpiresAt):
		return Lapsed
	}
	return Open
}

// Publication is what somebody wants to publish.
type Publication struct {
	DraftID string
	// Revision of the draft and Base, the newest version, as the person saw them.
	Revision, Base int
	// From is when it is to take over; zero for now.
	From   time.Time
	Reason string
}

// Publish publishes a draft, or proposes it where a second person has to agree. The
// draft is gone once it is published.
//
// Codes: NotFound, CodeDraftChanged, CodeInvalid, CodeOutdated, InvalidRequest (reason).
func (d *Desk) Publish(ctx context.Context, by Person, p Publication) (v *Version, proposal *Proposal, err error) {
	err = d.store.Atomically(ctx, func(ctx context.Context) error {
		draft, err := d.store.Draft(ctx, p.DraftID)
		if err != nil {
			return err
		}
		if draft.Revision != p.Revision {
			return draftChanged()
		}
		v, proposal, err = d.bring(ctx, by, &Proposal{
			Document: draft.Document, Base: p.Base, LiveFrom: p.From, Reason: p.Reason, DraftID: draft.ID, DraftRevision: draft.Revision,
		}, false)
		if err != nil || proposal != nil {
			return err
		}
		return d.store.DeleteDraft(ctx, draft.ID, draft.Revision)
	})
	if err != nil {
		return nil, nil, err
	}
	return v, proposal, nil
}

// RollBack publishes an older version's document again, now, or proposes that. What was
// live right before needs nobody else, whatever it issues: it has been live, and to go
// back must be one step for whoever sees that something is wrong. Unless it changes the
// rule itself, which always takes two.
//
// Codes: NotFound, CodeInvalid (it was usable once), CodeOutdated, InvalidRequest
// (reason).
func (d *Desk) RollBack(ctx context.Context, by Person, to, base int, reason string) (v *Version, proposal *Proposal, err error) {
	err = d.store.Atomically(ctx, func(ctx context.Context) error {
		old, err := d.store.Version(ctx, to)
		if err != nil {
			return err
		}
		back, err := d.isBack(ctx, to)
		if err != nil {
			return err
		}
		v, proposal, err = d.bring(ctx, by, &Proposal{Document: old.Document, Base: base, Reason: reason, Restores: to}, back)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return v, proposal, nil
}

// bring publishes what is proposed, or keeps the proposal if a second person has to
// agree.
func (d *Desk) bring(ctx context.Context, by Person, p *Proposal, anyway bool) (*Version, *Proposal, error) {
	if err := checkReason(p.Reason); err != nil {
		return nil, nil, err
	}
	p.Author, p.AuthorID = by.Name, by.ID
	r, err := d.review(ctx, p.Document)
	if err != nil {
		return nil, nil, err
	}
	if r.Newest != p.Base {
		return nil, nil, outdated()
	}
	if len(r.Problems) > 0 {
		return nil, nil, &fault.Error{Code: CodeInvalid, Field: r.Problems[0].Path, Message: r.Problems[0].Message}
	}
	if r.Need == NeedNone && !anyway {
		if r.Need, err = d.needThen(ctx, p, r.Live); err != nil {
			return nil, nil, err
		}
	}
	if r.Need == NeedNone || anyway && r.Need != NeedRule {
		v := p.version()
		return v, nil, d.economy.publish(ctx, v)
	}
	if p.ID, err = d.newID(); err != nil {
		return nil, nil, err
	}
	_, live, err := d.economy.Live(ctx)
	if err != nil {
		return nil, nil, err
	}
	p.Need, p.Forecast = r.Need, r.Forecast
	p.CreatedAt = d.economy.time()
	p.ExpiresAt = p.CreatedAt.AddDate(0, 0, live.Approval.Days)
	if p.LiveFrom = p.LiveFrom.UTC().Truncate(time.Millisecond); !p.LiveFrom.After(p.CreatedAt) {
		p.LiveFrom = time.Time{}
	} else if p.LiveFrom.Before(p.ExpiresAt) {
		// Who approves it later would approve another time than was proposed.
		p.ExpiresAt = p.LiveFrom
	}
	return nil, p, d.store.AddProposal(ctx, p)
}

// needThen says whether a document that may take the place of the live one may also take
// the place of what will be live by then: what two have agreed on for later, such as the
// end of a weekend of more, is not undone by one who publishes today's once more. Nobody
// has simulated that, so that only what issues nothing may be different.
func (d *Desk) needThen(ctx context.Context, p *Proposal, live int) (Need, error) {
	v := p.version()
	if now := d.economy.time(); v.LiveFrom.Before(now) {
		v.LiveFrom = now
	}
	before, err := d.store.VersionBefore(ctx, v)
	if err != nil || before.Number == live {
		return NeedNone, ignoreNotFound(err)
	}
	document, problems := Parse(before.Document)
	if len(problems) > 0 {
		return NeedSimulation, nil
	}
	return need(document, Compare(before.Document, p.Document), nil), nil
}

func (p *Proposal) version() *Version {
	return &Version{
		Number: p.Base + 1, Document: p.Document, LiveFrom: p.LiveFrom, Author: p.Author, AuthorID: p.AuthorID, Reason: p.Reason, Restores: p.Restores,
	}
}

func checkReason(reason string) error {
	if strings.TrimSpace(reason) == "" || !plain(reason, MaxReason) {
		return &fault.Error{Code: fault.InvalidRequest, Field: "reason", Message: "Say why, in 500 characters at most."}
	}
	return nil
}

// Proposals lists at most limit, newest first, older than the one with an identifier;
// "" for all. newest is the number of the newest version, and now the time.
func (d *Desk) Proposals(ctx context.Context, before string, limit int) (all []*Proposal, newest int, now time.Time, err error) {
	now = d.economy.time()
	if newest, err = d.economy.newest(ctx); err != nil {
		return nil, 0, now, err
	}
	all, err = d.store.Proposals(ctx, before, limit)
	return all, newest, now, err
}

// Proposal reads one, with its standing. Codes: NotFound.
func (d *Desk) Proposal(ctx context.Context, id string) (*Proposal, Verdict, error) {
	p, err := d.store.Proposal(ctx, id)
	if err != nil {
		return nil, "", err
	}
	newest, err := d.economy.newest(ctx)
	if err != nil {
		return nil, "", err
	}
	return p, p.Standing(newest, d.economy.time()), nil
}

// Approve publishes what another has proposed. The draft that it was made of is gone,
// unless it was worked on since.
//
// Codes: NotFound, CodeProposalClosed, CodeOwnProposal, InvalidRequest (reason).
func (d *Desk) Approve(ctx context.Context, by Person, id, why string) (v *Version, err error) {
	err = d.decide(ctx, by, id, why, Approved, func(ctx context.Context, p *Proposal) (int, error) {
		v = p.version()
		v.Approver, v.ApproverID = by.Name, by.ID
		if err := d.economy.publish(ctx, v); err != nil {
			return 0, err
		}
		if p.DraftID == "" {
			return v.Number, nil
		}
		err := d.store.DeleteDraft(ctx, p.DraftID, p.DraftRevision)
		if fault.CodeOf(err) == CodeDraftChanged {
			err = nil
		}
		return v.Number, ignoreNotFound(err)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Refuse ends what another has proposed.
//
// Codes: NotFound, CodeProposalClosed, CodeOwnProposal, InvalidRequest (reason).
func (d *Desk) Refuse(ctx context.Context, by Person, id, why string) error {
	return d.decide(ctx, by, id, why, Refused, nil)
}

// TakeBack ends what one has proposed oneself.
//
// Codes: NotFound, CodeProposalClosed, Forbidden, InvalidRequest (reason).
func (d *Desk) TakeBack(ctx context.Context, by Person, id, why string) error {
	return d.decide(ctx, by, id, why, TakenBack, nil)
}

func (d *Desk) decide(ctx context.Context, by Person, id, why string, verdict Verdict, carryOut func(context.Context, *Proposal) (version int, err error)) error {
	if err := checkReason(why); err != nil {
		return err
	}
	return d.store.Atomically(ctx, func(ctx context.Context) error {
		p, standing, err := d.Proposal(ctx, id)
		if err != nil {
			return err
		}
		own := p.AuthorID == by.ID
		switch {
		case verdict == TakenBack && !own:
			return fault.New(fault.Forbidden, "Only who made a proposal takes it back.")
		case verdict != TakenBack && own:
			return fault.New(CodeOwnProposal, "Another person has to decide on this proposal.")
		case standing != Open:
			return proposalClosed()
		}
		decision := Decision{Verdict: verdict, At: d.economy.time(), By: by.Name, ByID: by.ID, Why: why}
		if carryOut != nil {
			if decision.Version, err = carryOut(ctx, p); err != nil {
				return err
			}
		}
		return d.store.DecideProposal(ctx, id, decision)
	})
}

func proposalClosed() error {
	return fault.New(CodeProposalClosed, "This proposal is not open any more.")
}

func ignoreNotFound(err error) error {
	if fault.CodeOf(err) == fault.NotFound {
		return nil
	}
	return err
}
