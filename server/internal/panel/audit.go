package panel

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
)

// ListAudit implements StrictServerInterface.
func (p *Panel) ListAudit(ctx context.Context, r ListAuditRequestObject) (ListAuditResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	entries, err := p.Trail.Find(ctx, audit.Search{
		ActorID: text(r.Params.Actor), Action: text(r.Params.Action),
		Subject: audit.Subject{Kind: text(r.Params.SubjectKind), ID: text(r.Params.SubjectID)},
		From:    moment(r.Params.From), To: moment(r.Params.To), Text: text(r.Params.Text), Before: text(r.Params.Cursor), Limit: limit + 1,
	})
	if err != nil {
		return nil, err
	}
	page := AuditPage{Entries: []AuditEntry{}}
	entries, page.NextCursor = paging.Cut(entries, limit, func(e audit.Entry) string { return e.ID })
	for _, e := range entries {
		page.Entries = append(page.Entries, entryJSON(e))
	}
	return ListAudit200JSONResponse(page), nil
}

func entryJSON(e audit.Entry) AuditEntry {
	j := AuditEntry{
		ID: e.ID, At: e.At, Action: e.Action, Reason: e.Reason, Outcome: AuditEntryOutcome(e.Outcome), Of: orAbsent(e.Of), Code: orAbsent(string(e.Code)),
	}
	j.Actor.ID, j.Actor.Name, j.Actor.Role = orAbsent(e.Actor.ID), e.Name, e.Role
	j.Actor.Address, j.Actor.RequestID = orAbsent(e.Address), orAbsent(e.Request)
	j.Subject.Kind, j.Subject.ID = e.Subject.Kind, e.Subject.ID
	if e.Before != nil {
		j.Before = e.Before
	}
	if e.After != nil {
		j.After = e.After
	}
	return j
}

// exportAudit writes the trail as a file. An error behind the first line breaks the
// file off in the middle of a line, so that nobody takes it for whole.
func (p *Panel) exportAudit(c *fiber.Ctx) error {
	q := audit.Search{
		ActorID: c.Query("actor"), Action: c.Query("action"), Subject: audit.Subject{Kind: c.Query("subjectKind"), ID: c.Query("subjectId")},
		Text: c.Query("text"),
	}
	for name, to := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		if text := c.Query(name); text != "" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return &fault.Error{Code: fault.InvalidRequest, Field: name, Message: "This is no time."}
			}
			*to = at
		}
	}
	// The trail is written by the same hands that read it: a look at it stands there too.
	err := p.Trail.Do(c.UserContext(), audit.Change{Action: "audit.export", Subject: audit.Subject{Kind: "audit"}},
		func(context.Context) (before, after any, err error) {
			return nil, map[string]string{"query": string(c.Request().URI().QueryString())}, nil
		})
	if err != nil {
		return err
	}
	asCSV := c.Query("format") == "csv"
	name, media := "audit.jsonl", "application/jsonl"
	if asCSV {
		name, media = "audit.csv", "text/csv; charset=utf-8"
	}
	c.Set(fiber.HeaderContentType, media)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	ctx := context.WithoutCancel(c.UserContext())
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		var err error
		if asCSV {
			err = p.writeCSV(ctx, w, q)
		} else {
			lines := json.NewEncoder(w)
			err = p.Trail.Each(ctx, q, func(e audit.Entry) error { return lines.Encode(entryJSON(e)) })
		}
		if err != nil {
			p.Log.Warn("an export of the audit breaks off", "error", err)
			_, _ = w.WriteString("\x00broken off")
		}
	})
	return nil
}

func (p *Panel) writeCSV(ctx context.Context, w *bufio.Writer, q audit.Search) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"id", "at", "actor_id", "actor", "role", "address", "request", "action", "subject_kind", "subject_id", "reason", "outcome", "of", "code", "before", "after"}); err != nil {
		return err
	}
	err := p.Trail.Each(ctx, q, func(e audit.Entry) error {
		line := []string{
			e.ID, e.At.Format(time.RFC3339Nano), e.Actor.ID, e.Name, e.Role, e.Address, e.Request, e.Action, e.Subject.Kind, e.Subject.ID,
			e.Reason, string(e.Outcome), e.Of, string(e.Code), string(e.Before), string(e.After),
		}
		for i := range line {
			line[i] = harmless(line[i])
		}
		return out.Write(line)
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

// harmless keeps a spreadsheet from taking what somebody wrote for a formula.
func harmless(cell string) string {
	if cell != "" && (cell[0] == '=' || cell[0] == '+' || cell[0] == '-' || cell[0] == '@' || cell[0] == '\t' || cell[0] == '\r') {
		return "'" + cell
	}
	return cell
}
