package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/report"
)

// reportCaseRow is all open reports about a player, added up.
type reportCaseRow struct {
	ReportedID                   string
	Name, Avatar                 string
	Open, Reporters              int
	Oldest                       string
	FirstAt, LastAt              int64
	ClaimedBy, ClaimedName       string
	ClaimedAt                    int64
	Cheating, Harassment, Naming int
	Stalling, Other              int
}

func (r *reportCaseRow) domain() report.Case {
	c := report.Case{
		Reported: people.Person{ID: r.ReportedID, Name: r.Name, Avatar: r.Avatar}, Open: r.Open, Reporters: r.Reporters,
		Oldest: r.Oldest, FirstAt: fromMillis(r.FirstAt), LastAt: fromMillis(r.LastAt),
		ClaimedBy: report.Staff{ID: r.ClaimedBy, Name: r.ClaimedName}, ClaimedAt: fromMillis(r.ClaimedAt), Reasons: map[people.Reason]int{},
	}
	for reason, n := range map[people.Reason]int{
		people.Cheating: r.Cheating, people.Harassment: r.Harassment, people.Name: r.Naming, people.Stalling: r.Stalling, people.Other: r.Other,
	} {
		if n > 0 {
			c.Reasons[reason] = n
		}
	}
	return c
}

// reportCases adds up open reports by whom they are about. Whoever takes a case in hand has
// all that were there then; the greatest of their names is one of them.
func reportCases(db *gorm.DB, where, having string, arg string, limit int) ([]report.Case, error) {
	var rows []reportCaseRow
	err := db.Raw(`
SELECT c.*, p.name, p.avatar, COALESCE(s.name, '') AS claimed_name FROM (
	SELECT reported_id, COUNT(*) AS open, COUNT(DISTINCT reporter_id) AS reporters, MIN(id) AS oldest,
		MIN(created_at) AS first_at, MAX(created_at) AS last_at, MAX(claimed_by) AS claimed_by, MAX(claimed_at) AS claimed_at,
		SUM(CASE reason WHEN 'cheating' THEN 1 ELSE 0 END) AS cheating, SUM(CASE reason WHEN 'harassment' THEN 1 ELSE 0 END) AS harassment,
		SUM(CASE reason WHEN 'name' THEN 1 ELSE 0 END) AS naming, SUM(CASE reason WHEN 'stalling' THEN 1 ELSE 0 END) AS stalling,
		SUM(CASE reason WHEN 'other' THEN 1 ELSE 0 END) AS other
	FROM reports WHERE status = 'open'`+where+` GROUP BY reported_id`+having+`
) c JOIN players p ON p.id = c.reported_id LEFT JOIN staff s ON s.id = c.claimed_by
ORDER BY c.oldest LIMIT ?`, arg, limit).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	all := make([]report.Case, len(rows))
	for i := range rows {
		all[i] = rows[i].domain()
	}
	return all, nil
}

// ReportCases implements report.Store.
func (s *Store) ReportCases(ctx context.Context, after string, limit int) ([]report.Case, error) {
	return reportCases(s.reading(ctx), "", " HAVING MIN(id) > ?", after, limit)
}

// ReportCase implements report.Store.
func (s *Store) ReportCase(ctx context.Context, playerID string) (report.Case, error) {
	all, err := reportCases(s.reading(ctx), " AND reported_id = ?", "", playerID, 1)
	if err != nil {
		return report.Case{}, err
	}
	if len(all) == 0 {
		return report.Case{}, fault.New(fault.NotFound, "Nothing about this player waits.")
	}
	return all[0], nil
}

// Reports implements report.Store.
func (s *Store) Reports(ctx context.Context, w report.Which, before string, limit int) ([]report.Report, error) {
	query := s.reading(ctx).Table("reports r").
		Select(`r.*, reporter.name AS reporter_name, reporter.avatar AS reporter_avatar, reported.name AS reported_name,
reported.avatar AS reported_avatar, COALESCE(s.name, '') AS claimed_name`).
		Joins("JOIN players reporter ON reporter.id = r.reporter_id JOIN players reported ON reported.id = r.reported_id").
		Joins("LEFT JOIN staff s ON s.id = r.claimed_by")
	if w.About != "" {
		query = query.Where("r.reported_id = ?", w.About)
	}
	if w.By != "" {
		query = query.Where("r.reporter_id = ?", w.By)
	}
	if w.Open {
		query = query.Where("r.status = 'open'")
	}
	if before != "" {
		query = query.Where("r.id < ?", before)
	}
	var rows []struct {
		Report                        reportRow `gorm:"embedded"`
		ReporterName, ReporterAvatar  string
		ReportedName, ReportedAvatar  string
		ClaimedName                   string
		ClaimedBy, Answer, AnsweredBy string
		Note                          string
		ClaimedAt, AnsweredAt         int64
	}
	if err := query.Order("r.id DESC").Limit(limit).Scan(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]report.Report, len(rows))
	for i, r := range rows {
		all[i] = report.Report{
			Report: people.Report{
				ID: r.Report.ID, ReporterID: r.Report.ReporterID, ReportedID: r.Report.ReportedID, MatchID: r.Report.MatchID,
				Reason: people.Reason(r.Report.Reason), Text: r.Report.Text, CreatedAt: fromMillis(r.Report.CreatedAt),
			},
			Reporter:  people.Person{ID: r.Report.ReporterID, Name: r.ReporterName, Avatar: r.ReporterAvatar},
			Reported:  people.Person{ID: r.Report.ReportedID, Name: r.ReportedName, Avatar: r.ReportedAvatar},
			Open:      r.Report.Status == "open",
			ClaimedBy: report.Staff{ID: r.ClaimedBy, Name: r.ClaimedName}, ClaimedAt: fromMillis(r.ClaimedAt),
			Answer: report.Answer(r.Answer), AnsweredBy: r.AnsweredBy, Note: r.Note, AnsweredAt: fromMillis(r.AnsweredAt),
		}
	}
	return all, nil
}

// ClaimReports implements report.Store.
func (s *Store) ClaimReports(ctx context.Context, playerID, staffID, from string, at time.Time) (bool, error) {
	if staffID == "" {
		at = time.Time{}
	}
	ok := false
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		// Reports that come while it is held stay unclaimed, and are the case's all the same.
		ids, err := s.heldReports(tx, playerID)
		if err != nil || len(ids) == 0 {
			return err
		}
		if from != "" {
			var others int64
			err := tx.Model(&reportRow{}).Where("id IN ? AND claimed_by NOT IN ('', ?)", ids, from).Count(&others).Error
			if err != nil || others > 0 {
				return err
			}
		}
		ok = true
		return tx.Model(&reportRow{}).Where("id IN ?", ids).Updates(map[string]any{"claimed_by": staffID, "claimed_at": millis(at)}).Error
	})
	return ok && err == nil, err
}

// heldReports are the open ones about a player, which then stay.
func (s *Store) heldReports(tx *gorm.DB, playerID string) (ids []string, err error) {
	query := "SELECT id FROM reports WHERE reported_id = ? AND status = 'open' ORDER BY id"
	if s.kind == Postgres {
		query += " FOR UPDATE"
	}
	err = tx.Raw(query, playerID).Scan(&ids).Error
	return ids, err
}

// CloseReports implements report.Store.
func (s *Store) CloseReports(ctx context.Context, playerID string, ids []string, a report.Answer, author, note string, at time.Time) ([]string, error) {
	var reporters []string
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		open, err := s.heldReports(tx, playerID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(open, id) }) {
			return fault.New(report.CodeAnswered, "One of these has been answered meanwhile. Look again.")
		}
		err = tx.Model(&reportRow{}).Where("id IN ?", ids).Updates(map[string]any{
			"status": "closed", "answer": string(a), "answered_by": author, "answered_at": millis(at), "note": note,
		}).Error
		if err != nil {
			return err
		}
		return tx.Raw("SELECT DISTINCT p.id FROM reports r JOIN players p ON p.id = r.reporter_id WHERE r.id IN ? AND p.deleted_at = 0 ORDER BY p.id", ids).
			Scan(&reporters).Error
	})
	return reporters, err
}

var _ report.Store = (*Store)(nil)
