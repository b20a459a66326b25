package panel

import (
	"context"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/report"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/support"
)

func personJSON(p people.Person) PanelPerson {
	return PanelPerson{ID: p.ID, Name: p.Name, Avatar: p.Avatar}
}

func reportJSON(r report.Report) PanelReport {
	j := PanelReport{
		ID: r.ID, Reporter: personJSON(r.Reporter), Reported: personJSON(r.Reported), Reason: PanelReportReason(r.Reason), Text: r.Text,
		MatchID: orAbsent(r.MatchID), CreatedAt: r.CreatedAt, Open: r.Open, AnsweredBy: orAbsent(r.AnsweredBy),
		AnsweredAt: timeOrAbsent(r.AnsweredAt), Note: orAbsent(r.Note),
	}
	if r.Answer != "" {
		answer := PanelReportAnswer(r.Answer)
		j.Answer = &answer
	}
	return j
}

func reportsJSON(all []report.Report) []PanelReport {
	list := []PanelReport{}
	for _, r := range all {
		list = append(list, reportJSON(r))
	}
	return list
}

func caseJSON(c report.Case) PanelCase {
	j := PanelCase{
		Reported: personJSON(c.Reported), Open: c.Open, Reporters: c.Reporters, Reasons: map[string]int{}, FirstAt: c.FirstAt, LastAt: c.LastAt,
		ClaimedAt: timeOrAbsent(c.ClaimedAt),
	}
	for reason, n := range c.Reasons {
		j.Reasons[string(reason)] = n
	}
	if c.ClaimedBy.ID != "" {
		j.ClaimedBy = &PanelMember{ID: c.ClaimedBy.ID, Name: c.ClaimedBy.Name}
	}
	return j
}

// ListPlayerReports implements StrictServerInterface.
func (p *Panel) ListPlayerReports(ctx context.Context, r ListPlayerReportsRequestObject) (ListPlayerReportsResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	which := report.Which{About: r.PlayerID}
	if text(r.Params.Side) == "by" {
		which = report.Which{By: r.PlayerID}
	}
	limit := paging.Size(r.Params.Limit)
	all, err := p.Players.Reports.Reports(ctx, which, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := ListPlayerReports200JSONResponse{}
	all, page.NextCursor = paging.Cut(all, limit, func(r report.Report) string { return r.ID })
	page.Reports = reportsJSON(all)
	return page, nil
}

// ListCases implements StrictServerInterface.
func (p *Panel) ListCases(ctx context.Context, r ListCasesRequestObject) (ListCasesResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	all, err := p.Players.Reports.Cases(ctx, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := ListCases200JSONResponse{Cases: []PanelCase{}}
	all, page.NextCursor = paging.Cut(all, limit, func(c report.Case) string { return c.Oldest })
	for _, c := range all {
		page.Cases = append(page.Cases, caseJSON(c))
	}
	return page, nil
}

// shownReports is how many reports of a case are shown.
const shownReports = 100

// GetCase implements StrictServerInterface.
func (p *Panel) GetCase(ctx context.Context, r GetCaseRequestObject) (GetCaseResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	var file PanelCaseFile
	c, err := p.Players.Reports.Case(ctx, r.PlayerID)
	if err == nil {
		j := caseJSON(c)
		file.Case = &j
	} else if fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	all, err := p.Players.Reports.Reports(ctx, report.Which{About: r.PlayerID}, "", shownReports)
	if err != nil {
		return nil, err
	}
	file.Reports = reportsJSON(all)
	return GetCase200JSONResponse(file), nil
}

func hand(m staff.Member) report.Staff { return report.Staff{ID: m.ID, Name: m.Name} }

// ClaimCase implements StrictServerInterface.
func (p *Panel) ClaimCase(ctx context.Context, r ClaimCaseRequestObject) (ClaimCaseResponseObject, error) {
	take := r.Body.Take != nil && *r.Body.Take
	c, err := p.inHand(ctx, "reports.claim", r.PlayerID, func(ctx context.Context, who report.Staff) (report.Case, error) {
		return p.Players.Reports.Claim(ctx, r.PlayerID, who, take)
	})
	return ClaimCase200JSONResponse(c), err
}

// ReleaseCase implements StrictServerInterface.
func (p *Panel) ReleaseCase(ctx context.Context, r ReleaseCaseRequestObject) (ReleaseCaseResponseObject, error) {
	c, err := p.inHand(ctx, "reports.release", r.PlayerID, func(ctx context.Context, who report.Staff) (report.Case, error) {
		return p.Players.Reports.Release(ctx, r.PlayerID, who)
	})
	return ReleaseCase200JSONResponse(c), err
}

// inHand changes who has a case in hand, in one unit of work with its audit.
func (p *Panel) inHand(ctx context.Context, action, playerID string, f func(context.Context, report.Staff) (report.Case, error)) (PanelCase, error) {
	who, err := member(ctx)
	if err != nil {
		return PanelCase{}, err
	}
	var after report.Case
	change := audit.Change{Action: action, Subject: audit.Subject{Kind: "player", ID: playerID}}
	err = p.Trail.Do(ctx, change, func(ctx context.Context) (any, any, error) {
		before, err := p.Players.Reports.Case(ctx, playerID)
		if err != nil {
			return nil, nil, err
		}
		if after, err = f(ctx, hand(who)); err != nil {
			return nil, nil, err
		}
		if after.ClaimedBy.ID == before.ClaimedBy.ID {
			return nil, nil, audit.ErrUnchanged
		}
		return map[string]string{"inHandOf": before.ClaimedBy.ID}, map[string]string{"inHandOf": after.ClaimedBy.ID}, nil
	})
	return caseJSON(after), err
}

// AnswerReports implements StrictServerInterface.
func (p *Panel) AnswerReports(ctx context.Context, r AnswerReportsRequestObject) (AnswerReportsResponseObject, error) {
	warning := r.Body.Warning
	if (warning != nil) != (r.Body.Answer == "warned") {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "warning", Message: "With the answer warned comes what the player is told, and with no other."}
	}
	return AnswerReports204Response{}, p.onPlayer(ctx, "reports.answer", r.PlayerID, r.Body.Note,
		func(ctx context.Context, who staff.Member) (before, after any, err error) {
			err = p.Players.Reports.Close(ctx, r.PlayerID, r.Body.Reports, report.Answer(r.Body.Answer), hand(who), r.Body.Note)
			if err != nil {
				return nil, nil, err
			}
			after = map[string]any{"answer": r.Body.Answer, "reports": r.Body.Reports}
			if warning == nil {
				return nil, after, nil
			}
			// Who has been forgotten meanwhile is told nothing.
			if err := p.stillHere(ctx, r.PlayerID); fault.CodeOf(err) == fault.NotFound {
				return nil, after, nil
			} else if err != nil {
				return nil, nil, err
			}
			return nil, after, p.Players.Support.Warn(ctx, r.PlayerID, support.About(warning.About), text(warning.Text))
		})
}
