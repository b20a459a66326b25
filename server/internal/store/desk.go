package store

import (
	"context"
	"encoding/json"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

type draftRow struct {
	ID          string `gorm:"primaryKey"`
	Name        string
	Description string
	Document    string
	Base        int
	Origin      string
	Revision    int
	Author      string
	Editor      string
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	UpdatedAt   int64 `gorm:"autoUpdateTime:false"`
}

func (draftRow) TableName() string { return "economy_drafts" }

func newDraftRow(d *economy.Draft) *draftRow {
	return &draftRow{
		ID: d.ID, Name: d.Name, Description: d.Description, Document: string(d.Document), Base: d.Base, Origin: d.Origin,
		Revision: d.Revision, Author: d.Author, Editor: d.Editor, CreatedAt: millis(d.CreatedAt), UpdatedAt: millis(d.UpdatedAt),
	}
}

func (r *draftRow) domain() *economy.Draft {
	return &economy.Draft{
		ID: r.ID, Name: r.Name, Description: r.Description, Document: []byte(r.Document), Base: r.Base, Origin: r.Origin,
		Revision: r.Revision, Author: r.Author, Editor: r.Editor, CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt),
	}
}

// AddDraft implements economy.Store.
func (s *Store) AddDraft(ctx context.Context, d *economy.Draft, limit int) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		// Two at once may both be the last that is allowed: the limit is against
		// forgetting, not against a fault.
		var count int64
		if err := s.reading(ctx).Model(&draftRow{}).Count(&count).Error; err != nil {
			return err
		}
		if count >= int64(limit) {
			return fault.New(economy.CodeDrafts, "There are as many drafts as there may be. Discard one first.")
		}
		return s.writing(ctx).Create(newDraftRow(d)).Error
	})
}

// ChangeDraft implements economy.Store.
func (s *Store) ChangeDraft(ctx context.Context, d *economy.Draft, revision int) error {
	result := s.writing(ctx).Model(&draftRow{}).Where("id = ? AND revision = ?", d.ID, revision).Select("*").Updates(newDraftRow(d))
	return s.draftWas(ctx, result, d.ID)
}

// DeleteDraft implements economy.Store.
func (s *Store) DeleteDraft(ctx context.Context, id string, revision int) error {
	return s.draftWas(ctx, s.writing(ctx).Where("id = ? AND revision = ?", id, revision).Delete(&draftRow{}), id)
}

// draftWas tells why a draft could not be changed, if it could not.
func (s *Store) draftWas(ctx context.Context, result *gorm.DB, id string) error {
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	if _, err := s.Draft(ctx, id); err != nil {
		return err
	}
	return fault.New(economy.CodeDraftChanged, "Somebody has changed this draft meanwhile.")
}

// Draft implements economy.Store.
func (s *Store) Draft(ctx context.Context, id string) (*economy.Draft, error) {
	var row draftRow
	if err := s.reading(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such draft.")
	}
	return row.domain(), nil
}

// Drafts implements economy.Store.
func (s *Store) Drafts(ctx context.Context) ([]*economy.Draft, error) {
	var rows []draftRow
	if err := s.reading(ctx).Order("updated_at DESC, id").Find(&rows).Error; err != nil {
		return nil, err
	}
	drafts := make([]*economy.Draft, len(rows))
	for i := range rows {
		drafts[i] = rows[i].domain()
	}
	return drafts, nil
}

type proposalRow struct {
	ID            string `gorm:"primaryKey"`
	Document      string
	Base          int
	LiveFrom      int64
	Author        string
	AuthorID      string
	Reason        string
	Restores      int
	DraftID       string
	DraftRevision int
	Need          string
	Forecast      *string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	ExpiresAt     int64
	Verdict       string
	DecidedAt     *int64
	Decider       string
	DeciderID     string
	Why           string
	Version       int
}

func (proposalRow) TableName() string { return "economy_proposals" }

func (r *proposalRow) domain() (*economy.Proposal, error) {
	p := &economy.Proposal{
		ID: r.ID, Document: []byte(r.Document), Base: r.Base, LiveFrom: fromMillis(r.LiveFrom), Author: r.Author, AuthorID: r.AuthorID,
		Reason: r.Reason, Restores: r.Restores, DraftID: r.DraftID, DraftRevision: r.DraftRevision, Need: economy.Need(r.Need),
		CreatedAt: fromMillis(r.CreatedAt), ExpiresAt: fromMillis(r.ExpiresAt),
		Decision: economy.Decision{Verdict: economy.Verdict(r.Verdict), By: r.Decider, ByID: r.DeciderID, Why: r.Why, Version: r.Version},
	}
	if r.DecidedAt != nil {
		p.At = fromMillis(*r.DecidedAt)
	}
	if r.Forecast != nil {
		p.Forecast = new(economy.Forecast)
		if err := json.Unmarshal([]byte(*r.Forecast), p.Forecast); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// AddProposal implements economy.Store.
func (s *Store) AddProposal(ctx context.Context, p *economy.Proposal) error {
	row := &proposalRow{
		ID: p.ID, Document: string(p.Document), Base: p.Base, LiveFrom: millis(p.LiveFrom), Author: p.Author, AuthorID: p.AuthorID,
		Reason: p.Reason, Restores: p.Restores, DraftID: p.DraftID, DraftRevision: p.DraftRevision, Need: string(p.Need),
		CreatedAt: millis(p.CreatedAt), ExpiresAt: millis(p.ExpiresAt),
	}
	if p.Forecast != nil {
		text, err := json.Marshal(p.Forecast)
		if err != nil {
			return err
		}
		kept := string(text)
		row.Forecast = &kept
	}
	return s.writing(ctx).Create(row).Error
}

// Proposal implements economy.Store.
func (s *Store) Proposal(ctx context.Context, id string) (*economy.Proposal, error) {
	var row proposalRow
	if err := s.reading(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such proposal.")
	}
	return row.domain()
}

// Proposals implements economy.Store.
func (s *Store) Proposals(ctx context.Context, before string, limit int) ([]*economy.Proposal, error) {
	query := s.reading(ctx).Order("id DESC").Limit(limit)
	if before != "" {
		query = query.Where("id < ?", before)
	}
	var rows []proposalRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]*economy.Proposal, len(rows))
	for i := range rows {
		var err error
		if all[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// DecideProposal implements economy.Store.
func (s *Store) DecideProposal(ctx context.Context, id string, d economy.Decision) error {
	result := s.writing(ctx).Model(&proposalRow{}).Where("id = ? AND verdict = ''", id).Updates(map[string]any{
		"verdict": string(d.Verdict), "decided_at": millis(d.At), "decider": d.By, "decider_id": d.ByID, "why": d.Why, "version": d.Version,
	})
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	if _, err := s.Proposal(ctx, id); err != nil {
		return err
	}
	return fault.New(economy.CodeProposalClosed, "This proposal is not open any more.")
}
