package economy

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Person is who works on the economy.
type Person struct {
	ID   string // of the member of staff; "" for who runs a command
	Name string // as it is at the time
}

// Draft is a document that is being worked on. It need not be usable, nor even JSON.
type Draft struct {
	ID string // UUID, version 7
	// Name tells drafts apart, Description says what one is for.
	Name, Description string
	Document          []byte
	// Base is the number of the newest version when the draft was begun, or last taken
	// up to what was published since.
	Base int
	// Origin is what it was begun from, as [Source.String].
	Origin string
	// Revision counts its states from 1. Whoever changes it says which one they saw, so
	// that no two people overwrite one another.
	Revision int
	// Author began it, Editor changed it last.
	Author, Editor       string
	CreatedAt, UpdatedAt time.Time
}

// Limits of what is kept.
const (
	MaxDocument    = 48 << 10 // bytes; a body that carries it has room for what JSON escapes
	MaxName        = 80       // characters
	MaxDescription = 500
	MaxReason      = 500
	MaxDrafts      = 100
)

// Source names a document: one of the kinds below, with a number or an identifier where
// there are several.
type Source struct {
	Kind SourceKind
	ID   string
}

// SourceKind is where a document is.
type SourceKind string

// Kinds of sources.
const (
	FromLive     SourceKind = "live"
	FromShipped  SourceKind = "shipped" // the document that a new server starts with
	FromVersion  SourceKind = "version"
	FromDraft    SourceKind = "draft"
	FromProposal SourceKind = "proposal"
)

// String is the source as ParseSource reads it.
func (s Source) String() string {
	if s.ID == "" {
		return string(s.Kind)
	}
	return string(s.Kind) + ":" + s.ID
}

// ParseSource reads live, shipped, version:NUMBER, draft:ID or proposal:ID. Codes:
// InvalidRequest.
func ParseSource(text string) (Source, error) {
	kind, id, has := strings.Cut(text, ":")
	s := Source{SourceKind(kind), id}
	var err error
	switch s.Kind {
	case FromLive, FromShipped:
		if has {
			err = fmt.Errorf("%q has no identifier", kind)
		}
	case FromVersion:
		_, err = strconv.Atoi(id)
	case FromDraft, FromProposal:
		var u uuid.UUID
		u, err = uuid.Parse(id)
		s.ID = u.String()
	default:
		err = fmt.Errorf("no kind of document %q", kind)
	}
	if err != nil {
		return Source{}, fault.Wrap(fault.InvalidRequest, "There is no such kind of document.", err)
	}
	return s, nil
}

// Desk is where people work on the economy: drafts, and their way to being live. Make
// one with NewDesk.
type Desk struct {
	economy    *Service
	store      Store
	forecaster Forecaster
	random     io.Reader
}

// NewDesk returns a desk over the economy. forecaster may be nil: nothing is known of
// what a document would issue then. random is where identifiers come from.
func NewDesk(economy *Service, forecaster Forecaster, random io.Reader) *Desk {
	return &Desk{economy: economy, store: economy.store, forecaster: forecaster, random: random}
}

func (d *Desk) newID() (string, error) {
	id, err := uuid.NewV7FromReader(d.random)
	if err != nil {
		return "", fmt.Errorf("economy: new id: %w", err)
	}
	return id.String(), nil
}

// Read is the document that a source names. Codes: NotFound.
func (d *Desk) Read(ctx context.Context, s Source) ([]byte, error) {
	switch s.Kind {
	case FromLive:
		v, err := d.store.LiveVersion(ctx, d.economy.time())
		if err != nil {
			return nil, err
		}
		return v.Document, nil
	case FromShipped:
		return Default(), nil
	case FromVersion:
		number, err := strconv.Atoi(s.ID)
		if err != nil {
			return nil, fault.New(fault.NotFound, "There is no such version.")
		}
		v, err := d.store.Version(ctx, number)
		if err != nil {
			return nil, err
		}
		return v.Document, nil
	case FromDraft:
		draft, err := d.store.Draft(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		return draft.Document, nil
	case FromProposal:
		p, err := d.store.Proposal(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		return p.Document, nil
	}
	return nil, fault.New(fault.NotFound, "There is no such document.")
}

// Versions lists at most limit, newest first, below a number; 0 for all. live is the
// number of the one that is live, and now the time at which it is.
func (d *Desk) Versions(ctx context.Context, below, limit int) (versions []*Version, live int, now time.Time, err error) {
	now = d.economy.time()
	v, err := d.store.LiveVersion(ctx, now)
	if err != nil {
		return nil, 0, now, err
	}
	versions, err = d.store.Versions(ctx, below, limit)
	return versions, v.Number, now, err
}

// Newest is the number of the newest version, live or not.
func (d *Desk) Newest(ctx context.Context) (int, error) { return d.economy.newest(ctx) }

// Version reads one. Codes: NotFound.
func (d *Desk) Version(ctx context.Context, number int) (*Version, error) {
	return d.store.Version(ctx, number)
}

// Drafts lists all drafts, newest first.
func (d *Desk) Drafts(ctx context.Context) ([]*Draft, error) { return d.store.Drafts(ctx) }

// Draft reads one. Codes: NotFound.
func (d *Desk) Draft(ctx context.Context, id string) (*Draft, error) { return d.store.Draft(ctx, id) }

// Begin begins a draft with the document of a source.
//
// Codes: NotFound, CodeDrafts, InvalidRequest (name or description).
func (d *Desk) Begin(ctx context.Context, by Person, name, description string, from Source) (*Draft, error) {
	document, err := d.Read(ctx, from)
	if err != nil {
		return nil, err
	}
	return d.Keep(ctx, by, &Draft{Name: name, Description: description, Document: document, Origin: from.String()})
}

// Keep keeps a new draft with the name, description, document and origin that are given,
// and the base; the newest version if that is 0.
//
// Codes: CodeDrafts, InvalidRequest (name, description, document or base).
func (d *Desk) Keep(ctx context.Context, by Person, of *Draft) (*Draft, error) {
	newest, err := d.economy.newest(ctx)
	if err != nil {
		return nil, err
	}
	base := of.Base
	if base == 0 {
		base = newest
	}
	if base < 0 || base > newest {
		return nil, noBase()
	}
	id, err := d.newID()
	if err != nil {
		return nil, err
	}
	now := d.economy.time()
	draft := &Draft{
		ID: id, Name: strings.TrimSpace(of.Name), Description: strings.TrimSpace(of.Description), Document: of.Document, Base: base, Origin: of.Origin,
		Revision: 1, Author: by.Name, Editor: by.Name, CreatedAt: now, UpdatedAt: now,
	}
	if err := draft.check(); err != nil {
		return nil, err
	}
	return draft, d.store.AddDraft(ctx, draft, MaxDrafts)
}

// Edit is what changes of a draft; nil for what stays.
type Edit struct {
	Name, Description *string
	Document          []byte
	// Base is the newest version that the draft takes account of now.
	Base *int
}

// Save keeps a change of a draft of which the person saw a revision.
//
// Codes: NotFound, CodeDraftChanged, InvalidRequest (name, description, document or
// base).
func (d *Desk) Save(ctx context.Context, by Person, id string, revision int, e Edit) (*Draft, error) {
	draft, err := d.store.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	if draft.Revision != revision {
		return nil, draftChanged()
	}
	if e.Name != nil {
		draft.Name = strings.TrimSpace(*e.Name)
	}
	if e.Description != nil {
		draft.Description = strings.TrimSpace(*e.Description)
	}
	if e.Document != nil {
		draft.Document = e.Document
	}
	if e.Base != nil {
		newest, err := d.economy.newest(ctx)
		if err != nil {
			return nil, err
		}
		if *e.Base < draft.Base || *e.Base > newest {
			return nil, noBase()
		}
		draft.Base = *e.Base
	}
	draft.Revision++
	draft.Editor, draft.UpdatedAt = by.Name, d.economy.time()
	if err := draft.check(); err != nil {
		return nil, err
	}
	return draft, d.store.ChangeDraft(ctx, draft, revision)
}

func noBase() error {
	return &fault.Error{Code: fault.InvalidRequest, Field: "base", Message: "There is no such version to take account of."}
}

func draftChanged() error {
	return fault.New(CodeDraftChanged, "Somebody has changed this draft meanwhile.")
}

// Discard forgets a draft of which the person saw a revision.
//
// Codes: NotFound, CodeDraftChanged.
func (d *Desk) Discard(ctx context.Context, id string, revision int) error {
	return d.store.DeleteDraft(ctx, id, revision)
}

func (d *Draft) check() error {
	refuse := func(field, message string) error {
		return &fault.Error{Code: fault.InvalidRequest, Field: field, Message: message}
	}
	switch {
	case d.Name == "" || !plain(d.Name, MaxName):
		return refuse("name", fmt.Sprintf("A draft has a name of %d characters at most.", MaxName))
	case !plain(d.Description, MaxDescription):
		return refuse("description", fmt.Sprintf("What a draft is for has to fit into %d characters.", MaxDescription))
	case len(d.Document) > MaxDocument || !utf8.Valid(d.Document) || strings.ContainsRune(string(d.Document), 0):
		return refuse("document", fmt.Sprintf("A document is a text of %d bytes at most.", MaxDocument))
	}
	return nil
}

// plain says whether a text can be kept and is not longer than that.
func plain(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsRune(s, 0)
}

// Withdraw takes a version back that is not live yet. Codes: NotFound, CodeLive.
func (d *Desk) Withdraw(ctx context.Context, number int) error {
	return d.economy.Withdraw(ctx, number)
}
