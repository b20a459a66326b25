package panel

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/paging"
)

// person is who works on the economy.
func person(ctx context.Context) (economy.Person, error) {
	m, err := member(ctx)
	return economy.Person{ID: m.ID, Name: m.Name}, err
}

// onEconomy has f change something, with its line in the trail.
func (p *Panel) onEconomy(ctx context.Context, action, kind, id, reason string, f func(context.Context, economy.Person) (before, after any, err error)) error {
	by, err := person(ctx)
	if err != nil {
		return err
	}
	change := audit.Change{Action: "economy." + action, Subject: audit.Subject{Kind: kind, ID: id}, Reason: reason}
	return p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) { return f(ctx, by) })
}

// Kinds of subjects in the trail.
const (
	ofVersion  = "economy"
	ofDraft    = "economy draft"
	ofProposal = "economy proposal"
)

// GetEconomySchema implements StrictServerInterface.
func (p *Panel) GetEconomySchema(context.Context, GetEconomySchemaRequestObject) (GetEconomySchemaResponseObject, error) {
	return GetEconomySchema200JSONResponse{Schema: economy.Schema}, nil
}

// ListEconomyVersions implements StrictServerInterface.
func (p *Panel) ListEconomyVersions(ctx context.Context, r ListEconomyVersionsRequestObject) (ListEconomyVersionsResponseObject, error) {
	below := 0
	if r.Params.Cursor != nil {
		var err error
		if below, err = strconv.Atoi(*r.Params.Cursor); err != nil {
			return nil, err // the contract takes digits only
		}
	}
	limit := paging.Size(r.Params.Limit)
	versions, live, now, err := p.Economy.Versions(ctx, below, limit+1)
	if err != nil {
		return nil, err
	}
	newest, err := p.Economy.Newest(ctx)
	if err != nil {
		return nil, err
	}
	previous, err := p.Economy.Before(ctx)
	if err != nil {
		return nil, err
	}
	page := EconomyVersionPage{Versions: []EconomyVersion{}, Live: live, Newest: newest, Before: orZero(previous)}
	versions, page.NextCursor = paging.Cut(versions, limit, func(v *economy.Version) string { return strconv.Itoa(v.Number) })
	for _, v := range versions {
		page.Versions = append(page.Versions, versionJSON(v, live, now, false))
	}
	return ListEconomyVersions200JSONResponse(page), nil
}

// GetEconomyVersion implements StrictServerInterface.
func (p *Panel) GetEconomyVersion(ctx context.Context, r GetEconomyVersionRequestObject) (GetEconomyVersionResponseObject, error) {
	v, err := p.economyVersion(ctx, r.Number, true)
	return GetEconomyVersion200JSONResponse(v), err
}

func (p *Panel) economyVersion(ctx context.Context, number int, document bool) (EconomyVersion, error) {
	v, err := p.Economy.Version(ctx, number)
	if err != nil {
		return EconomyVersion{}, err
	}
	_, live, now, err := p.Economy.Versions(ctx, 0, 1)
	return versionJSON(v, live, now, document), err
}

func versionJSON(v *economy.Version, live int, now time.Time, document bool) EconomyVersion {
	j := EconomyVersion{
		Number: v.Number, State: EconomyVersionState(v.State(live, now)), LiveFrom: v.LiveFrom, CreatedAt: v.CreatedAt,
		Author: v.Author, Approver: orAbsent(v.Approver), Reason: v.Reason, Restores: orZero(v.Restores), WithdrawnAt: orNever(v.WithdrawnAt),
	}
	if document {
		text := string(v.Document)
		j.Document = &text
	}
	return j
}

// orZero leaves a zero out.
func orZero(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// WithdrawEconomyVersion implements StrictServerInterface.
func (p *Panel) WithdrawEconomyVersion(ctx context.Context, r WithdrawEconomyVersionRequestObject) (WithdrawEconomyVersionResponseObject, error) {
	err := p.onEconomy(ctx, "withdraw", ofVersion, strconv.Itoa(r.Number), r.Body.Reason, func(ctx context.Context, _ economy.Person) (before, after any, err error) {
		v, err := p.Economy.Version(ctx, r.Number)
		if err != nil {
			return nil, nil, err
		}
		if !v.WithdrawnAt.IsZero() {
			return nil, nil, audit.ErrUnchanged
		}
		return map[string]any{"liveFrom": v.LiveFrom}, map[string]any{"withdrawn": true}, p.Economy.Withdraw(ctx, r.Number)
	})
	if err != nil {
		return nil, err
	}
	v, err := p.economyVersion(ctx, r.Number, false)
	return WithdrawEconomyVersion200JSONResponse(v), err
}

// RestoreEconomyVersion implements StrictServerInterface.
func (p *Panel) RestoreEconomyVersion(ctx context.Context, r RestoreEconomyVersionRequestObject) (RestoreEconomyVersionResponseObject, error) {
	source := economy.Source{Kind: economy.FromVersion, ID: strconv.Itoa(r.Number)}
	out, err := p.bring(ctx, "restore", ofVersion, source, r.Body.Reason, func(ctx context.Context, by economy.Person) (*economy.Version, *economy.Proposal, error) {
		return p.Economy.RollBack(ctx, by, r.Number, r.Body.Base, r.Body.Reason)
	})
	return RestoreEconomyVersion200JSONResponse(out), err
}

// bring has f publish or propose a document. The trail says what changes by it.
func (p *Panel) bring(ctx context.Context, action, kind string, s economy.Source, reason string, f func(context.Context, economy.Person) (*economy.Version, *economy.Proposal, error)) (EconomyOutcome, error) {
	var v *economy.Version
	var proposal *economy.Proposal
	err := p.onEconomy(ctx, action, kind, s.ID, reason, func(ctx context.Context, by economy.Person) (before, after any, err error) {
		r, err := p.Economy.Review(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		if v, proposal, err = f(ctx, by); err != nil {
			return nil, nil, err
		}
		before = map[string]any{"live": r.Live}
		if proposal != nil {
			return before, map[string]any{"proposal": proposal.ID, "need": proposal.Need, "changes": r.Changes}, nil
		}
		return before, map[string]any{"version": v.Number, "liveFrom": v.LiveFrom, "changes": r.Changes}, nil
	})
	if err != nil {
		return EconomyOutcome{}, err
	}
	if proposal != nil {
		j := proposalJSON(proposal, economy.Open, proposal.AuthorID, false)
		return EconomyOutcome{Proposal: &j}, nil
	}
	j, err := p.economyVersion(ctx, v.Number, false)
	return EconomyOutcome{Version: &j}, err
}

// ListEconomyDrafts implements StrictServerInterface.
func (p *Panel) ListEconomyDrafts(ctx context.Context, _ ListEconomyDraftsRequestObject) (ListEconomyDraftsResponseObject, error) {
	drafts, err := p.Economy.Drafts(ctx)
	if err != nil {
		return nil, err
	}
	list := EconomyDraftList{Drafts: []EconomyDraft{}}
	for _, d := range drafts {
		list.Drafts = append(list.Drafts, draftJSON(d, false))
	}
	return ListEconomyDrafts200JSONResponse(list), nil
}

func draftJSON(d *economy.Draft, document bool) EconomyDraft {
	_, problems := economy.Parse(d.Document)
	j := EconomyDraft{
		ID: d.ID, Name: d.Name, Description: d.Description, Base: d.Base, Origin: d.Origin, Revision: d.Revision,
		Author: d.Author, Editor: d.Editor, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, Problems: len(problems),
	}
	if document {
		text := string(d.Document)
		j.Document = &text
	}
	return j
}

// BeginEconomyDraft implements StrictServerInterface.
func (p *Panel) BeginEconomyDraft(ctx context.Context, r BeginEconomyDraftRequestObject) (BeginEconomyDraftResponseObject, error) {
	from, err := economy.ParseSource(r.Body.From)
	if err != nil {
		return nil, err
	}
	var d *economy.Draft
	err = p.onEconomy(ctx, "draft.begin", ofDraft, "", "", func(ctx context.Context, by economy.Person) (before, after any, err error) {
		if d, err = p.Economy.Begin(ctx, by, r.Body.Name, text(r.Body.Description), from); err != nil {
			return nil, nil, err
		}
		return nil, map[string]any{"draft": d.ID, "name": d.Name, "from": d.Origin}, nil
	})
	if err != nil {
		return nil, err
	}
	return BeginEconomyDraft201JSONResponse(draftJSON(d, true)), nil
}

// GetEconomyDraft implements StrictServerInterface.
func (p *Panel) GetEconomyDraft(ctx context.Context, r GetEconomyDraftRequestObject) (GetEconomyDraftResponseObject, error) {
	d, err := p.Economy.Draft(ctx, r.DraftID)
	if err != nil {
		return nil, err
	}
	return GetEconomyDraft200JSONResponse(draftJSON(d, true)), nil
}

// SaveEconomyDraft implements StrictServerInterface. A draft is saved while somebody
// types: it needs no reason, and the trail has what has become another, not all of it.
func (p *Panel) SaveEconomyDraft(ctx context.Context, r SaveEconomyDraftRequestObject) (SaveEconomyDraftResponseObject, error) {
	e := economy.Edit{Name: r.Body.Name, Description: r.Body.Description, Base: r.Body.Base}
	if r.Body.Document != nil {
		e.Document = []byte(*r.Body.Document)
	}
	var d *economy.Draft
	err := p.onEconomy(ctx, "draft.save", ofDraft, r.DraftID, "", func(ctx context.Context, by economy.Person) (before, after any, err error) {
		was, err := p.Economy.Draft(ctx, r.DraftID)
		if err != nil {
			return nil, nil, err
		}
		if d, err = p.Economy.Save(ctx, by, r.DraftID, r.Body.Revision, e); err != nil {
			return nil, nil, err
		}
		said := map[string]any{"name": d.Name, "description": d.Description, "base": d.Base, "revision": d.Revision}
		if json.Valid(was.Document) && json.Valid(d.Document) {
			said["changes"] = economy.Compare(was.Document, d.Document)
		}
		return map[string]any{"name": was.Name, "description": was.Description, "base": was.Base, "revision": was.Revision}, said, nil
	})
	if err != nil {
		return nil, err
	}
	return SaveEconomyDraft200JSONResponse(draftJSON(d, false)), nil
}

// DiscardEconomyDraft implements StrictServerInterface. The trail keeps the document.
func (p *Panel) DiscardEconomyDraft(ctx context.Context, r DiscardEconomyDraftRequestObject) (DiscardEconomyDraftResponseObject, error) {
	err := p.onEconomy(ctx, "draft.discard", ofDraft, r.DraftID, "", func(ctx context.Context, _ economy.Person) (before, after any, err error) {
		d, err := p.Economy.Draft(ctx, r.DraftID)
		if err != nil {
			return nil, nil, err
		}
		return map[string]any{"name": d.Name, "document": string(d.Document)}, nil, p.Economy.Discard(ctx, r.DraftID, r.Params.Revision)
	})
	return DiscardEconomyDraft204Response{}, err
}

// PublishEconomyDraft implements StrictServerInterface.
func (p *Panel) PublishEconomyDraft(ctx context.Context, r PublishEconomyDraftRequestObject) (PublishEconomyDraftResponseObject, error) {
	source := economy.Source{Kind: economy.FromDraft, ID: r.DraftID}
	out, err := p.bring(ctx, "publish", ofDraft, source, r.Body.Reason, func(ctx context.Context, by economy.Person) (*economy.Version, *economy.Proposal, error) {
		return p.Economy.Publish(ctx, by, economy.Publication{
			DraftID: r.DraftID, Revision: r.Body.Revision, Base: r.Body.Base, From: moment(r.Body.From), Reason: r.Body.Reason,
		})
	})
	return PublishEconomyDraft200JSONResponse(out), err
}

// ListEconomyProposals implements StrictServerInterface.
func (p *Panel) ListEconomyProposals(ctx context.Context, r ListEconomyProposalsRequestObject) (ListEconomyProposalsResponseObject, error) {
	by, err := person(ctx)
	if err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	all, newest, now, err := p.Economy.Proposals(ctx, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := EconomyProposalPage{Proposals: []EconomyProposal{}}
	all, page.NextCursor = paging.Cut(all, limit, func(one *economy.Proposal) string { return one.ID })
	for _, one := range all {
		page.Proposals = append(page.Proposals, proposalJSON(one, one.Standing(newest, now), by.ID, false))
	}
	return ListEconomyProposals200JSONResponse(page), nil
}

// GetEconomyProposal implements StrictServerInterface.
func (p *Panel) GetEconomyProposal(ctx context.Context, r GetEconomyProposalRequestObject) (GetEconomyProposalResponseObject, error) {
	j, err := p.economyProposal(ctx, r.ProposalID, true)
	return GetEconomyProposal200JSONResponse(j), err
}

func (p *Panel) economyProposal(ctx context.Context, id string, document bool) (EconomyProposal, error) {
	by, err := person(ctx)
	if err != nil {
		return EconomyProposal{}, err
	}
	one, standing, err := p.Economy.Proposal(ctx, id)
	if err != nil {
		return EconomyProposal{}, err
	}
	return proposalJSON(one, standing, by.ID, document), nil
}

func proposalJSON(one *economy.Proposal, standing economy.Verdict, reader string, document bool) EconomyProposal {
	j := EconomyProposal{
		ID: one.ID, State: EconomyProposalState(standing), Base: one.Base, LiveFrom: orNever(one.LiveFrom), Author: one.Author,
		Own: one.AuthorID == reader, Reason: one.Reason, Restores: orZero(one.Restores), Need: EconomyNeed(one.Need), Forecast: forecastJSON(one.Forecast),
		CreatedAt: one.CreatedAt, ExpiresAt: one.ExpiresAt, DecidedAt: orNever(one.At), DecidedBy: orAbsent(one.By), Decision: orAbsent(one.Why),
		Version: orZero(one.Version),
	}
	if standing == economy.Open {
		j.State = "open"
	}
	if document {
		text := string(one.Document)
		j.Document = &text
	}
	return j
}

func forecastJSON(f *economy.Forecast) *EconomyForecast {
	if f == nil {
		return nil
	}
	return &EconomyForecast{Before: f.Before, After: f.After, Days: f.Days, At: f.At}
}

// ApproveEconomyProposal implements StrictServerInterface.
func (p *Panel) ApproveEconomyProposal(ctx context.Context, r ApproveEconomyProposalRequestObject) (ApproveEconomyProposalResponseObject, error) {
	var v *economy.Version
	err := p.onEconomy(ctx, "approve", ofProposal, r.ProposalID, r.Body.Reason, func(ctx context.Context, by economy.Person) (before, after any, err error) {
		review, err := p.Economy.Review(ctx, economy.Source{Kind: economy.FromProposal, ID: r.ProposalID})
		if err != nil {
			return nil, nil, err
		}
		if v, err = p.Economy.Approve(ctx, by, r.ProposalID, r.Body.Reason); err != nil {
			return nil, nil, err
		}
		return map[string]any{"live": review.Live}, map[string]any{"version": v.Number, "liveFrom": v.LiveFrom, "author": v.Author, "changes": review.Changes}, nil
	})
	if err != nil {
		return nil, err
	}
	j, err := p.economyVersion(ctx, v.Number, false)
	return ApproveEconomyProposal200JSONResponse(j), err
}

// RefuseEconomyProposal implements StrictServerInterface.
func (p *Panel) RefuseEconomyProposal(ctx context.Context, r RefuseEconomyProposalRequestObject) (RefuseEconomyProposalResponseObject, error) {
	j, err := p.end(ctx, "refuse", r.ProposalID, r.Body.Reason, p.Economy.Refuse)
	return RefuseEconomyProposal200JSONResponse(j), err
}

// TakeBackEconomyProposal implements StrictServerInterface.
func (p *Panel) TakeBackEconomyProposal(ctx context.Context, r TakeBackEconomyProposalRequestObject) (TakeBackEconomyProposalResponseObject, error) {
	j, err := p.end(ctx, "take-back", r.ProposalID, r.Body.Reason, p.Economy.TakeBack)
	return TakeBackEconomyProposal200JSONResponse(j), err
}

func (p *Panel) end(ctx context.Context, action, id, reason string, f func(ctx context.Context, by economy.Person, id, why string) error) (EconomyProposal, error) {
	err := p.onEconomy(ctx, action, ofProposal, id, reason, func(ctx context.Context, by economy.Person) (before, after any, err error) {
		return map[string]any{"state": "open"}, map[string]any{"state": action}, f(ctx, by, id, reason)
	})
	if err != nil {
		return EconomyProposal{}, err
	}
	return p.economyProposal(ctx, id, false)
}

// ValidateEconomy implements StrictServerInterface.
func (p *Panel) ValidateEconomy(_ context.Context, r ValidateEconomyRequestObject) (ValidateEconomyResponseObject, error) {
	_, problems := economy.Parse([]byte(r.Body.Document))
	return ValidateEconomy200JSONResponse{Problems: problemsJSON(problems)}, nil
}

func problemsJSON(problems []economy.Problem) []EconomyProblem {
	list := []EconomyProblem{}
	for _, one := range problems {
		list = append(list, EconomyProblem{
			Path: one.Path, Code: EconomyProblemCode(one.Code), Message: one.Message, Limit: orAbsent(one.Limit), Line: orZero(one.Line), Column: orZero(one.Column),
		})
	}
	return list
}

// read is the document that a source names.
func (p *Panel) read(ctx context.Context, source string) ([]byte, error) {
	s, err := economy.ParseSource(source)
	if err != nil {
		return nil, err
	}
	return p.Economy.Read(ctx, s)
}

// GetEconomyDocument implements StrictServerInterface.
func (p *Panel) GetEconomyDocument(ctx context.Context, r GetEconomyDocumentRequestObject) (GetEconomyDocumentResponseObject, error) {
	document, err := p.read(ctx, r.Params.Of)
	if err != nil {
		return nil, err
	}
	return GetEconomyDocument200JSONResponse{Document: string(document)}, nil
}

// CompareEconomy implements StrictServerInterface.
func (p *Panel) CompareEconomy(ctx context.Context, r CompareEconomyRequestObject) (CompareEconomyResponseObject, error) {
	before, err := p.read(ctx, r.Params.Before)
	if err != nil {
		return nil, err
	}
	after, err := p.read(ctx, r.Params.After)
	if err != nil {
		return nil, err
	}
	return CompareEconomy200JSONResponse{Changes: changesJSON(economy.Compare(before, after))}, nil
}

func changesJSON(changes []economy.Change) []EconomyChange {
	list := []EconomyChange{}
	for _, one := range changes {
		j := EconomyChange{Path: one.Path}
		// An absent value is not null.
		if one.Before != nil {
			j.Before = one.Before
		}
		if one.After != nil {
			j.After = one.After
		}
		list = append(list, j)
	}
	return list
}

// ReviewEconomy implements StrictServerInterface.
func (p *Panel) ReviewEconomy(ctx context.Context, r ReviewEconomyRequestObject) (ReviewEconomyResponseObject, error) {
	s, err := economy.ParseSource(r.Params.Of)
	if err != nil {
		return nil, err
	}
	review, err := p.Economy.Review(ctx, s)
	if err != nil {
		return nil, err
	}
	j := EconomyReview{
		Newest: review.Newest, Live: review.Live, Problems: problemsJSON(review.Problems), Changes: changesJSON(review.Changes),
		Undone: changesJSON(review.Undone), Forecast: forecastJSON(review.Forecast), Share: int(review.Share), Back: review.Back,
	}
	if review.Need != economy.NeedNone {
		need := EconomyNeed(review.Need)
		j.Need = &need
	}
	return ReviewEconomy200JSONResponse(j), nil
}
