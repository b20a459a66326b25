package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/unit"
)

type auditRow struct {
	ID          string `gorm:"primaryKey"`
	At          int64
	ActorID     string
	ActorName   string
	ActorRole   string
	Address     string
	RequestID   string
	Action      string
	SubjectKind string
	SubjectID   string
	Reason      string
	Outcome     string
	OfID        string
	Code        string
	Before      *string
	After       *string
}

func (auditRow) TableName() string { return "audit_log" }

// AddAudit implements audit.Store.
func (s *Store) AddAudit(ctx context.Context, e audit.Entry) error {
	if e.Outcome == audit.Done && e.Of == "" && unit.Of(ctx) == nil {
		return errors.New("store: an entry of the audit without the change that it is about")
	}
	return s.writing(ctx).Create(&auditRow{
		ID: e.ID, At: millis(e.At), ActorID: e.Actor.ID, ActorName: e.Name, ActorRole: e.Role, Address: e.Address, RequestID: e.Request,
		Action: e.Action, SubjectKind: e.Subject.Kind, SubjectID: e.Subject.ID, Reason: e.Reason, Outcome: string(e.Outcome),
		OfID: e.Of, Code: string(e.Code), Before: orNull(string(e.Before)), After: orNull(string(e.After)),
	}).Error
}

// Audit implements audit.Store.
func (s *Store) Audit(ctx context.Context, q audit.Search) ([]audit.Entry, error) {
	query := s.reading(ctx)
	if q.ActorID != "" {
		query = query.Where("actor_id = ?", q.ActorID)
	}
	if q.Action != "" {
		// The characters behind a prefix end before the one that follows its last.
		query = query.Where("action >= ? AND action < ?", q.Action, q.Action+"\U0010FFFF")
	}
	if q.Subject.Kind != "" {
		query = query.Where("subject_kind = ?", q.Subject.Kind)
	}
	if q.Subject.ID != "" {
		query = query.Where("subject_id = ?", q.Subject.ID)
	}
	if !q.From.IsZero() {
		query = query.Where("at >= ?", millis(q.From))
	}
	if !q.To.IsZero() {
		query = query.Where("at < ?", millis(q.To))
	}
	if q.Text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(q.Text)) + "%"
		query = query.Where(`(LOWER(reason) LIKE ? ESCAPE '\' OR LOWER(actor_name) LIKE ? ESCAPE '\' OR LOWER(before) LIKE ? ESCAPE '\' OR LOWER(after) LIKE ? ESCAPE '\')`,
			like, like, like, like)
	}
	order, behind := "id DESC", "id < ?"
	if q.Ascending {
		order, behind = "id", "id > ?"
	}
	if q.Before != "" {
		query = query.Where(behind, q.Before)
	}
	var rows []auditRow
	if err := query.Order(order).Limit(q.Limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	entries := make([]audit.Entry, len(rows))
	for i, r := range rows {
		entries[i] = audit.Entry{
			ID: r.ID, At: fromMillis(r.At),
			Actor:   audit.Actor{ID: r.ActorID, Name: r.ActorName, Role: r.ActorRole, Address: r.Address, Request: r.RequestID},
			Change:  audit.Change{Action: r.Action, Subject: audit.Subject{Kind: r.SubjectKind, ID: r.SubjectID}, Reason: r.Reason},
			Outcome: audit.Outcome(r.Outcome), Of: r.OfID, Code: fault.Code(r.Code), Before: rawOf(r.Before), After: rawOf(r.After),
		}
	}
	return entries, nil
}

func rawOf(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(*text)
}

var _ audit.Store = (*Store)(nil)
