package panel

import (
	"context"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/notice"
)

func filterOf(f BroadcastFilter) broadcast.Filter {
	out := broadcast.Filter{
		Language: text(f.Language), Division: text(f.Division), VIP: f.Vip, Bought: f.Bought,
		RegisteredFrom: moment(f.RegisteredFrom).UTC(), RegisteredTo: moment(f.RegisteredTo).UTC(),
	}
	for _, one := range []struct {
		from *int
		to   *int
	}{{f.LevelFrom, &out.LevelFrom}, {f.LevelTo, &out.LevelTo}, {f.ActiveDays, &out.ActiveDays}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	if f.Players != nil {
		out.Players = *f.Players
	}
	return out
}

func filterJSON(f broadcast.Filter) BroadcastFilter {
	number := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	out := BroadcastFilter{
		Division: orAbsent(f.Division), Vip: f.VIP, Bought: f.Bought, LevelFrom: number(f.LevelFrom), LevelTo: number(f.LevelTo),
		ActiveDays: number(f.ActiveDays), RegisteredFrom: orNull(f.RegisteredFrom), RegisteredTo: orNull(f.RegisteredTo),
	}
	if f.Language != "" {
		language := Language(f.Language)
		out.Language = &language
	}
	if len(f.Players) > 0 {
		out.Players = &f.Players
	}
	return out
}

func broadcastJSON(b *broadcast.Broadcast) Broadcast {
	out := Broadcast{
		ID: b.ID, Title: wordsJSON(b.Title), Text: wordsJSON(b.Text), Filter: filterJSON(b.Audience.Filter), State: BroadcastState(b.State),
		Author: b.Author, Reason: b.Reason, Planned: b.Planned, Sent: b.Sent, Read: b.Read, CreatedAt: b.Audience.At, EndedAt: orNull(b.EndedAt),
	}
	if b.Link != "" {
		link := BroadcastLink(b.Link)
		out.Link = &link
	}
	return out
}

// ListBroadcasts implements StrictServerInterface.
func (p *Panel) ListBroadcasts(ctx context.Context, r ListBroadcastsRequestObject) (ListBroadcastsResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	all, err := p.Broadcasts.List(ctx, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := BroadcastPage{Broadcasts: []Broadcast{}}
	all, page.NextCursor = paging.Cut(all, limit, func(b *broadcast.Broadcast) string { return b.ID })
	for _, b := range all {
		page.Broadcasts = append(page.Broadcasts, broadcastJSON(b))
	}
	return ListBroadcasts200JSONResponse(page), nil
}

// GetBroadcast implements StrictServerInterface.
func (p *Panel) GetBroadcast(ctx context.Context, r GetBroadcastRequestObject) (GetBroadcastResponseObject, error) {
	b, err := p.Broadcasts.Get(ctx, r.BroadcastID)
	if err != nil {
		return nil, err
	}
	return GetBroadcast200JSONResponse(broadcastJSON(b)), nil
}

// GetBroadcastOptions implements StrictServerInterface.
func (p *Panel) GetBroadcastOptions(ctx context.Context, _ GetBroadcastOptionsRequestObject) (GetBroadcastOptionsResponseObject, error) {
	divisions, err := p.Broadcasts.Divisions(ctx)
	if err != nil {
		return nil, err
	}
	out := GetBroadcastOptions200JSONResponse{Divisions: divisions, Links: []BroadcastLink{}}
	for _, link := range notice.Links {
		out.Links = append(out.Links, BroadcastLink(link))
	}
	return out, nil
}

// PreviewBroadcast implements StrictServerInterface.
func (p *Panel) PreviewBroadcast(ctx context.Context, r PreviewBroadcastRequestObject) (PreviewBroadcastResponseObject, error) {
	size, some, err := p.Broadcasts.Preview(ctx, filterOf(r.Body.Filter))
	if err != nil {
		return nil, err
	}
	out := PreviewBroadcast200JSONResponse{Players: size.Players, Devices: size.Devices, Some: []BroadcastRecipient{}}
	out.Languages.Es, out.Languages.Ca, out.Languages.En = size.Languages["es"], size.Languages["ca"], size.Languages["en"]
	for _, one := range some {
		out.Some = append(out.Some, BroadcastRecipient{ID: one.ID, Name: one.Name, Avatar: one.Avatar, Language: Language(one.Language)})
	}
	return out, nil
}

// SendBroadcast implements StrictServerInterface.
func (p *Panel) SendBroadcast(ctx context.Context, r SendBroadcastRequestObject) (SendBroadcastResponseObject, error) {
	m, err := member(ctx)
	if err != nil {
		return nil, err
	}
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	wish := broadcast.Wish{
		Message: broadcast.Message{Title: wordsOf(&r.Body.Title), Text: wordsOf(&r.Body.Text), Link: text(r.Body.Link)},
		Filter:  filterOf(r.Body.Filter), Author: m.Name, Reason: r.Body.Reason, Seen: r.Body.Seen,
		// Keys are a member's own.
		Key: m.ID + " " + r.Params.IdempotencyKey,
	}
	// Counted before the change's transaction, which on SQLite keeps everybody else from
	// writing.
	b, replayed, err := p.Broadcasts.Prepare(ctx, wish)
	if err != nil {
		return nil, err
	}
	if !replayed {
		change := audit.Change{Action: "broadcast.send", Subject: audit.Subject{Kind: "broadcast", ID: b.ID}, Reason: r.Body.Reason}
		err = p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
			if b, replayed, err = p.Broadcasts.Send(ctx, b); err == nil && replayed {
				err = audit.ErrUnchanged
			}
			if err != nil {
				return nil, nil, err
			}
			return nil, broadcastJSON(b), nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := SendBroadcast201JSONResponse{Body: broadcastJSON(b)}
	if replayed {
		out.Headers.IdempotencyReplayed = &replayed
	}
	return out, nil
}

// CancelBroadcast implements StrictServerInterface.
func (p *Panel) CancelBroadcast(ctx context.Context, r CancelBroadcastRequestObject) (CancelBroadcastResponseObject, error) {
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	var b *broadcast.Broadcast
	change := audit.Change{Action: "broadcast.cancel", Subject: audit.Subject{Kind: "broadcast", ID: r.BroadcastID}, Reason: r.Body.Reason}
	err := p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
		if b, err = p.Broadcasts.Cancel(ctx, r.BroadcastID); err != nil {
			return nil, nil, err
		}
		return nil, map[string]int{"sent": b.Sent, "planned": b.Planned}, nil
	})
	if err != nil {
		return nil, err
	}
	return CancelBroadcast200JSONResponse(broadcastJSON(b)), nil
}
