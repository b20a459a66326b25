package panel

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// ListTables implements StrictServerInterface.
func (p *Panel) ListTables(ctx context.Context, r ListTablesRequestObject) (ListTablesResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	list, err := p.Matches.List(ctx, match.Listing{
		Over: text(r.Params.Status) == "over", Mode: economy.Mode(text(r.Params.Mode)), Before: text(r.Params.Cursor), Limit: limit + 1,
	})
	if err != nil {
		return nil, err
	}
	page := TablePage{Tables: []Table{}}
	list, page.NextCursor = paging.Cut(list, limit, func(m match.Seen) string { return m.ID })
	for _, m := range list {
		page.Tables = append(page.Tables, tableJSON(m.Match, m.View))
	}
	return ListTables200JSONResponse(page), nil
}

// tableJSON is a match as lists show it, with what a spectator may know of one that is
// open; nil if that cannot be said.
func tableJSON(m *match.Match, v *match.View) Table {
	t := Table{
		ID: m.ID, Mode: Mode(m.Mode), Rules: record.AppendRules(nil, m.Rules), Status: "open",
		CreatedAt: m.CreatedAt.UTC(), EndedAt: orNone(m.EndedAt), Readable: v != nil || m.Over(),
	}
	if m.Stake > 0 {
		t.Stake = &m.Stake
	}
	t.Seats = slices.Grow(t.Seats, len(m.Seats))[:len(m.Seats)]
	for i, s := range m.Seats {
		seat := &t.Seats[i]
		seat.Seat, seat.PlayerID, seat.Name, seat.Bot = i, orAbsent(s.PlayerID), s.Name, s.IsBot()
		if s.IsBot() {
			seat.Name = s.Bot.String()
		}
		seat.Away = v != nil && v.Away[i]
	}
	switch r := m.Result; {
	case r != nil && r.Void != "":
		t.Status, t.Void = "void", &r.Void
	case r != nil:
		winner := int(r.Winner)
		t.Status, t.Hand, t.Winner = "over", &r.Hands, &winner
		t.Score = &ByPairPoints{int(r.Score[0]), int(r.Score[1])}
	case v != nil:
		hand := int(v.Game.HandsFinished) + 1
		if v.Game.Phase == rules.PhaseDeal { // before the first one
			hand = 0
		}
		t.Phase, t.Hand, t.Deadline = &v.Phase, &hand, orNone(v.Deadline)
		t.Score = &ByPairPoints{int(v.Game.Score[0]), int(v.Game.Score[1])}
		if v.Game.Turn < rules.Seats && v.SeedsMissing == 0 {
			turn := int(v.Game.Turn)
			t.Turn = &turn
		}
	}
	return t
}

// WatchMatch implements StrictServerInterface.
func (p *Panel) WatchMatch(ctx context.Context, r WatchMatchRequestObject) (WatchMatchResponseObject, error) {
	after := math.MaxInt
	if r.Params.After != nil {
		after = *r.Params.After
	}
	m, err := p.Matches.Find(ctx, r.MatchID)
	if err != nil {
		return nil, err
	}
	out := WatchedTable{}
	events, v, err := p.Matches.Watch(ctx, m.ID, after)
	if err != nil {
		// Only good for being given up, or given up for it.
		p.Log.WarnContext(ctx, "a match cannot be watched", "match", m.ID, "error", err)
		out.Table = tableJSON(m, nil)
		out.Events = slices.Grow(out.Events, 1)
		return WatchMatch200JSONResponse(out), nil
	}
	var view any = p.ViewJSON(v)
	out.Table, out.View = tableJSON(m, &v), &view
	out.Events = slices.Grow(out.Events, len(events)+1)[:len(events)]
	for i, e := range events {
		o := &out.Events[i]
		o.Seq, o.At, o.Kind, o.Seat, o.By = e.Seq, e.At.UTC(), WatchedTableEventsKind(e.Kind), int(e.Seat), WatchedTableEventsBy(e.By)
		if e.Kind == match.KindAct {
			o.Text = e.Text
		}
	}
	return WatchMatch200JSONResponse(out), nil
}

// VoidMatch implements StrictServerInterface.
func (p *Panel) VoidMatch(ctx context.Context, r VoidMatchRequestObject) (VoidMatchResponseObject, error) {
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	m, err := p.Matches.Find(ctx, r.MatchID)
	if err != nil {
		return nil, err
	}
	change := audit.Change{Action: "tables.void", Subject: audit.Subject{Kind: "match", ID: m.ID}, Reason: r.Body.Reason}
	before := map[string]any{"mode": m.Mode, "stake": m.Stake, "over": m.Over()}
	err = p.Trail.Around(ctx, change, before, func(ctx context.Context) (any, error) {
		if err := p.Matches.Void(ctx, m.ID, r.Body.Reason); err != nil {
			return nil, err
		}
		m, err = p.Matches.Find(ctx, m.ID)
		return map[string]any{"void": true}, err
	})
	if err != nil {
		return nil, err
	}
	return VoidMatch200JSONResponse(tableJSON(m, nil)), nil
}

// GetMatchRecord implements StrictServerInterface.
func (p *Panel) GetMatchRecord(ctx context.Context, r GetMatchRecordRequestObject) (GetMatchRecordResponseObject, error) {
	rec, err := p.Matches.RecordOf(ctx, r.MatchID)
	if err != nil {
		return nil, err
	}
	return recordLine{rec}, nil
}

// recordLine is a record as it is written to files.
type recordLine struct{ *record.Record }

// VisitGetMatchRecordResponse implements GetMatchRecordResponseObject.
func (r recordLine) VisitGetMatchRecordResponse(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	var line bytes.Buffer
	line.Write(r.Append(nil))
	line.WriteByte('\n')
	return c.Send(line.Bytes())
}
