package panel

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/report"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/sanction"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// PlayersArea is what the areas of players and of reports are made of.
type PlayersArea struct {
	Support     *support.Service
	Sanctions   *sanction.Service
	Reports     *report.Service
	Accounts    *account.Service
	Engagements *engagement.Service
	Matches     *match.Service
	Notices     *notice.Service
	Rewards     *reward.Service
	Shop        *shop.Service
	Privacy     *privacy.Service
}

// found is how many players a search shows.
const found = 20

// SearchPlayers implements StrictServerInterface.
func (p *Panel) SearchPlayers(ctx context.Context, r SearchPlayersRequestObject) (SearchPlayersResponseObject, error) {
	who, err := member(ctx)
	if err != nil {
		return nil, err
	}
	all, err := p.Players.Support.Find(ctx, text(r.Params.Q), staff.Can(who.Role, "players.contact"), found)
	if err != nil {
		return nil, err
	}
	return SearchPlayers200JSONResponse{Players: playersJSON(all)}, nil
}

func playersJSON(all []support.Found) []PanelPlayer {
	list := []PanelPlayer{}
	for _, f := range all {
		list = append(list, playerJSON(f))
	}
	return list
}

func playerJSON(f support.Found) PanelPlayer {
	j := PanelPlayer{
		ID: f.ID, Name: f.Name, Avatar: f.Avatar, Guest: f.Guest, CreatedAt: f.CreatedAt, RenamedAt: timeOrAbsent(f.RenamedAt),
		SeenAt: timeOrAbsent(f.SeenAt), DeletedAt: timeOrAbsent(f.DeletedAt), MergedInto: orAbsent(f.MergedInto),
		KeptOutUntil: timeOrAbsent(f.KeptOutUntil),
	}
	if f.Language != "" {
		language := Language(f.Language)
		j.Language = &language
	}
	if f.KeptOut {
		j.KeptOut = &f.KeptOut
	}
	return j
}

// timeOrAbsent leaves the zero time out.
func timeOrAbsent(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// GetPlayerFile implements StrictServerInterface.
func (p *Panel) GetPlayerFile(ctx context.Context, r GetPlayerFileRequestObject) (GetPlayerFileResponseObject, error) {
	who, err := member(ctx)
	if err != nil {
		return nil, err
	}
	f, err := p.Players.Support.Player(ctx, r.PlayerID)
	if err != nil {
		return nil, err
	}
	purse, err := p.Players.Rewards.Look(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	place, err := p.Players.Engagements.Of(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	file := PanelPlayerFile{
		Player: playerJSON(f), Coins: purse.Coins, Debt: purse.Debt, Experience: purse.Standing.Experience, Level: purse.Level,
		Boosters: purse.Standing.BoostersHeld, VipUntil: timeOrAbsent(purse.Standing.VIPUntil), BoosterUntil: timeOrAbsent(purse.Standing.BoosterUntil),
		Place: PanelPlayerFilePlace(place.Place.Kind), PlaceID: orAbsent(place.Place.ID), Identities: []PanelIdentity{},
	}
	if n := purse.Standing.BoosterMatches; n > 0 {
		file.BoosterMatches = &n
	}
	ways, err := p.Players.Accounts.Identities(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	for _, i := range ways {
		file.Identities = append(file.Identities, identityJSON(i, staff.Can(who.Role, "players.contact")))
	}
	now, err := p.Players.Sanctions.Current(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	if now != nil {
		one := p.sanctionJSON(*now)
		file.Sanction = &one
	}
	guests, err := p.Players.Support.Guests(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	file.Guests = playersJSON(guests)
	wish, err := p.Players.Privacy.Pending(ctx, f.ID)
	if err == nil {
		file.Deletion = &PanelDeletion{RequestedAt: wish.RequestedAt, DeletesAt: wish.DueAt}
	} else if fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	about, err := p.Players.Reports.Case(ctx, f.ID)
	if err == nil {
		file.OpenReports = about.Open
	} else if fault.CodeOf(err) != fault.NotFound {
		return nil, err
	}
	if file.Allowance, err = p.allowance(ctx, who); err != nil {
		return nil, err
	}
	return GetPlayerFile200JSONResponse(file), nil
}

func giver(m staff.Member) support.Giver {
	return support.Giver{ID: m.ID, Name: m.Name, Role: string(m.Role)}
}

func (p *Panel) allowance(ctx context.Context, who staff.Member) (PanelAllowance, error) {
	a, err := p.Players.Support.Allowance(ctx, giver(who))
	return PanelAllowance{Each: a.Each, Day: a.Day, Used: a.Used}, err
}

// identityJSON is a way in. Who one is at a provider is only for those who may write to
// players.
func identityJSON(i account.Identity, whole bool) PanelIdentity {
	j := PanelIdentity{Provider: Provider(i.Provider), CreatedAt: i.CreatedAt}
	if i.Subject == "" {
		return j
	}
	subject := i.Subject
	if !whole {
		j.Masked, subject = true, masked(subject)
	}
	j.Subject = &subject
	return j
}

// masked leaves of an address, or of any other word, what tells one from another.
func masked(subject string) string {
	first := func(part string) string {
		for _, r := range part {
			return string(r) + "***"
		}
		return "***"
	}
	name, domain, is := strings.Cut(subject, "@")
	if !is {
		return first(subject)
	}
	host, top, _ := strings.Cut(domain, ".")
	return first(name) + "@" + first(host) + "." + top[strings.LastIndexByte(top, '.')+1:]
}

// ListPlayerSessions implements StrictServerInterface.
func (p *Panel) ListPlayerSessions(ctx context.Context, r ListPlayerSessionsRequestObject) (ListPlayerSessionsResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	all, err := p.Players.Accounts.Sessions(ctx, r.PlayerID)
	if err != nil {
		return nil, err
	}
	list := ListPlayerSessions200JSONResponse{Sessions: []PanelSession{}}
	for _, s := range all {
		list.Sessions = append(list.Sessions, PanelSession{
			ID: s.ID, Via: Provider(s.Via), DeviceName: orAbsent(s.Device), CreatedAt: s.CreatedAt, UsedAt: s.UsedAt, ExpiresAt: s.ExpiresAt,
		})
	}
	return list, nil
}

// GetPlayerStatement implements StrictServerInterface.
func (p *Panel) GetPlayerStatement(ctx context.Context, r GetPlayerStatementRequestObject) (GetPlayerStatementResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	id := wallet.Player(r.PlayerID)
	if text(r.Params.Account) == "debt" {
		id = wallet.Debt(r.PlayerID)
	}
	limit := paging.Size(r.Params.Limit)
	lines, err := p.Players.Rewards.Account(ctx, id, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := GetPlayerStatement200JSONResponse{Lines: []PanelLine{}}
	lines, page.NextCursor = paging.Cut(lines, limit, func(l wallet.Line) string { return l.TransferID })
	for _, l := range lines {
		line := PanelLine{TransferID: l.TransferID, Kind: string(l.Kind), Amount: l.Amount, Balance: l.Balance, At: l.At}
		if l.Data != nil {
			line.Data = json.RawMessage(l.Data)
		}
		page.Lines = append(page.Lines, line)
	}
	return page, nil
}

// ListPlayerOrders implements StrictServerInterface.
func (p *Panel) ListPlayerOrders(ctx context.Context, r ListPlayerOrdersRequestObject) (ListPlayerOrdersResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	orders, err := p.Players.Shop.Orders(ctx, r.PlayerID, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := ListPlayerOrders200JSONResponse{Orders: []PanelPlayerOrder{}}
	orders, page.NextCursor = paging.Cut(orders, limit, func(o *shop.Order) string { return o.ID })
	for _, o := range orders {
		page.Orders = append(page.Orders, PanelPlayerOrder{
			ID: o.ID, Sku: o.SKU, Provider: string(o.Provider), Status: string(o.Status), Amount: o.Price.Amount, Currency: o.Price.Currency,
			Live: o.Live, CreatedAt: o.CreatedAt, PaidAt: timeOrAbsent(o.PaidAt),
		})
	}
	return page, nil
}

// ListPlayerMatches implements StrictServerInterface.
func (p *Panel) ListPlayerMatches(ctx context.Context, r ListPlayerMatchesRequestObject) (ListPlayerMatchesResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	matches, err := p.Players.Matches.History(ctx, r.PlayerID, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := ListPlayerMatches200JSONResponse{Matches: []PanelMatch{}}
	matches, page.NextCursor = paging.Cut(matches, limit, func(m *match.Match) string { return m.ID })
	for _, m := range matches {
		page.Matches = append(page.Matches, matchJSON(m, r.PlayerID))
	}
	return page, nil
}

func matchJSON(m *match.Match, playerID string) PanelMatch {
	j := PanelMatch{
		ID: m.ID, Mode: string(m.Mode), Rules: people.StatsName(m.Rules), CreatedAt: m.CreatedAt, EndedAt: timeOrAbsent(m.EndedAt), Outcome: "open",
	}
	if m.Stake > 0 {
		j.Stake = &m.Stake
	}
	for i, s := range m.Seats {
		if s.PlayerID == playerID {
			j.Seat = i
		}
		j.Players = append(j.Players, struct {
			Name     string  `json:"name"`
			PlayerID *string `json:"playerId,omitempty"`
			Seat     Seat    `json:"seat"`
		}{s.Name, orAbsent(s.PlayerID), i})
	}
	switch {
	case m.Result == nil:
	case m.Result.Void != "":
		j.Outcome = "void"
	case m.Result.Winner == rules.Seat(j.Seat).Pair():
		j.Outcome = "won"
	default:
		j.Outcome = "lost"
	}
	return j
}

// ListPlayerNotices implements StrictServerInterface.
func (p *Panel) ListPlayerNotices(ctx context.Context, r ListPlayerNoticesRequestObject) (ListPlayerNoticesResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	limit, before := paging.Size(r.Params.Limit), math.MaxInt32
	if r.Params.Cursor != nil {
		before = *r.Params.Cursor
	}
	list, inbox, err := p.Players.Notices.List(ctx, r.PlayerID, before, limit+1)
	if err != nil {
		return nil, err
	}
	page := ListPlayerNotices200JSONResponse{Notices: []PanelNotice{}}
	if len(list) > limit {
		list = list[:limit]
		page.NextCursor = &list[limit-1].Seq
	}
	for _, n := range list {
		j := PanelNotice{Seq: n.Seq, Kind: string(n.Kind), At: n.At, Read: n.Seq <= inbox.Read}
		if n.Text != nil {
			j.Text = &n.Text
		}
		if n.From != nil {
			j.From = &PanelPerson{ID: n.From.ID, Name: n.From.Name, Avatar: n.From.Avatar}
		}
		page.Notices = append(page.Notices, j)
	}
	return page, nil
}

// ListPlayerSanctions implements StrictServerInterface.
func (p *Panel) ListPlayerSanctions(ctx context.Context, r ListPlayerSanctionsRequestObject) (ListPlayerSanctionsResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	all, err := p.Players.Sanctions.History(ctx, r.PlayerID)
	if err != nil {
		return nil, err
	}
	list := ListPlayerSanctions200JSONResponse{Sanctions: []PanelSanction{}}
	for _, one := range all {
		list.Sanctions = append(list.Sanctions, p.sanctionJSON(one))
	}
	return list, nil
}

func (p *Panel) sanctionJSON(one sanction.Sanction) PanelSanction {
	return PanelSanction{
		ID: one.ID, Word: PanelSanctionWord(one.Word), Text: one.Text, Reason: one.Reason, Author: one.Author, Since: one.Since,
		Until: timeOrAbsent(one.Until), InForce: one.InForce(p.Now()), EndedAt: timeOrAbsent(one.EndedAt),
		EndedBy: orAbsent(one.EndedBy), EndReason: orAbsent(one.EndReason),
	}
}

// ListPlayerNotes implements StrictServerInterface.
func (p *Panel) ListPlayerNotes(ctx context.Context, r ListPlayerNotesRequestObject) (ListPlayerNotesResponseObject, error) {
	if _, err := p.Players.Support.Player(ctx, r.PlayerID); err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	notes, err := p.Players.Support.Notes(ctx, r.PlayerID, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := ListPlayerNotes200JSONResponse{Notes: []PanelNote{}}
	notes, page.NextCursor = paging.Cut(notes, limit, func(n support.Note) string { return n.ID })
	for _, n := range notes {
		page.Notes = append(page.Notes, noteJSON(n))
	}
	return page, nil
}

func noteJSON(n support.Note) PanelNote {
	return PanelNote{ID: n.ID, Author: n.Author, Text: n.Text, At: n.At}
}

// onPlayer carries out what staff does to a player, in one unit of work with its audit.
func (p *Panel) onPlayer(ctx context.Context, action, id, reason string, f func(context.Context, staff.Member) (before, after any, err error)) error {
	if err := audit.NeedsReason(reason); err != nil {
		return err
	}
	who, err := member(ctx)
	if err != nil {
		return err
	}
	if _, err := p.Players.Support.Player(ctx, id); err != nil {
		return err
	}
	return p.Trail.Do(ctx, audit.Change{Action: action, Subject: audit.Subject{Kind: "player", ID: id}, Reason: reason},
		func(ctx context.Context) (before, after any, err error) { return f(ctx, who) })
}

// WritePlayerNote implements StrictServerInterface. A note says itself who and when, so
// that the audit only says that there is one: it stays when the note goes with the player.
func (p *Panel) WritePlayerNote(ctx context.Context, r WritePlayerNoteRequestObject) (WritePlayerNoteResponseObject, error) {
	who, err := member(ctx)
	if err != nil {
		return nil, err
	}
	var n support.Note
	change := audit.Change{Action: "players.note", Subject: audit.Subject{Kind: "player", ID: r.PlayerID}}
	err = p.Trail.Do(ctx, change, func(ctx context.Context) (before, after any, err error) {
		n, err = p.Players.Support.WriteNote(ctx, r.PlayerID, who.Name, r.Body.Text)
		return nil, map[string]string{"note": n.ID}, err
	})
	return WritePlayerNote201JSONResponse(noteJSON(n)), err
}

// EndPlayerSessions implements StrictServerInterface.
func (p *Panel) EndPlayerSessions(ctx context.Context, r EndPlayerSessionsRequestObject) (EndPlayerSessionsResponseObject, error) {
	one := text(r.Body.SessionID)
	return EndPlayerSessions204Response{}, p.onPlayer(ctx, "players.sign-out", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			if one != "" {
				return map[string]string{"session": one}, nil, p.Players.Accounts.EndSession(ctx, r.PlayerID, one)
			}
			all, err := p.Players.Accounts.Sessions(ctx, r.PlayerID)
			if err != nil {
				return nil, nil, err
			}
			return map[string]int{"sessions": len(all)}, map[string]int{"sessions": 0}, p.Players.Accounts.EndSessions(ctx, r.PlayerID)
		})
}

// GrantPlayer implements StrictServerInterface.
func (p *Panel) GrantPlayer(ctx context.Context, r GrantPlayerRequestObject) (GrantPlayerResponseObject, error) {
	var done PanelGranted
	err := p.onPlayer(ctx, "players.grant", r.PlayerID, r.Body.Reason, func(ctx context.Context, who staff.Member) (before, after any, err error) {
		t, replayed, err := p.Players.Support.Grant(ctx, giver(who), r.PlayerID, r.Body.Coins, r.Body.Key, r.Body.Reason)
		if err != nil {
			return nil, nil, err
		}
		done = PanelGranted{TransferID: t.ID, Replayed: replayed}
		for _, e := range t.Entries {
			if e.Account == wallet.Player(r.PlayerID) {
				done.Balance = e.Balance
			}
		}
		if replayed {
			return nil, nil, audit.ErrUnchanged
		}
		return map[string]any{"coins": done.Balance - r.Body.Coins},
			map[string]any{"coins": done.Balance, "given": r.Body.Coins, "transfer": t.ID}, nil
	})
	if err != nil {
		return nil, err
	}
	who, err := member(ctx)
	if err != nil {
		return nil, err
	}
	done.Allowance, err = p.allowance(ctx, who)
	return GrantPlayer200JSONResponse(done), err
}

// SuspendPlayer implements StrictServerInterface.
func (p *Panel) SuspendPlayer(ctx context.Context, r SuspendPlayerRequestObject) (SuspendPlayerResponseObject, error) {
	var kept sanction.Sanction
	err := p.onPlayer(ctx, "players.suspend", r.PlayerID, r.Body.Reason, func(ctx context.Context, who staff.Member) (before, after any, err error) {
		now, err := p.Players.Sanctions.Current(ctx, r.PlayerID)
		if err != nil {
			return nil, nil, err
		}
		if now != nil {
			before = trailOf(*now)
		}
		kept, err = p.Players.Sanctions.Impose(ctx, sanction.Wish{
			PlayerID: r.PlayerID, Word: sanction.Word(r.Body.Word), Text: text(r.Body.Text), Reason: r.Body.Reason, Author: who.Name,
			Until: moment(r.Body.Until),
		})
		return before, trailOf(kept), err
	})
	return SuspendPlayer200JSONResponse(p.sanctionJSON(kept)), err
}

// trailOf is what the audit has of a sanction.
func trailOf(one sanction.Sanction) map[string]any {
	t := map[string]any{"id": one.ID, "word": one.Word}
	if !one.Until.IsZero() {
		t["until"] = one.Until
	}
	return t
}

// LiftSuspension implements StrictServerInterface.
func (p *Panel) LiftSuspension(ctx context.Context, r LiftSuspensionRequestObject) (LiftSuspensionResponseObject, error) {
	return LiftSuspension204Response{}, p.onPlayer(ctx, "players.lift", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, who staff.Member) (before, after any, err error) {
			now, err := p.Players.Sanctions.Current(ctx, r.PlayerID)
			if err != nil {
				return nil, nil, err
			}
			if now != nil {
				before = trailOf(*now)
			}
			return before, nil, p.Players.Sanctions.Lift(ctx, r.PlayerID, who.Name, r.Body.Reason)
		})
}

// WarnPlayer implements StrictServerInterface.
func (p *Panel) WarnPlayer(ctx context.Context, r WarnPlayerRequestObject) (WarnPlayerResponseObject, error) {
	return WarnPlayer204Response{}, p.onPlayer(ctx, "players.warn", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			if err := p.stillHere(ctx, r.PlayerID); err != nil {
				return nil, nil, err
			}
			return nil, map[string]any{"about": r.Body.About, "text": text(r.Body.Text)},
				p.Players.Support.Warn(ctx, r.PlayerID, support.About(r.Body.About), text(r.Body.Text))
		})
}

// stillHere refuses what only makes sense for a player who has not been forgotten or
// merged.
func (p *Panel) stillHere(ctx context.Context, id string) error {
	f, err := p.Players.Support.Player(ctx, id)
	if err == nil && !f.DeletedAt.IsZero() {
		err = fault.New(fault.NotFound, "This player is not here any more.")
	}
	return err
}

// RenamePlayer implements StrictServerInterface.
func (p *Panel) RenamePlayer(ctx context.Context, r RenamePlayerRequestObject) (RenamePlayerResponseObject, error) {
	var was, is string
	err := p.onPlayer(ctx, "players.rename", r.PlayerID, r.Body.Reason, func(ctx context.Context, _ staff.Member) (before, after any, err error) {
		was, is, err = p.Players.Support.TakeName(ctx, r.PlayerID, text(r.Body.Name))
		return map[string]string{"name": was}, map[string]string{"name": is}, err
	})
	return RenamePlayer200JSONResponse{Before: was, After: is}, err
}

// ResetPlayerPassword implements StrictServerInterface.
func (p *Panel) ResetPlayerPassword(ctx context.Context, r ResetPlayerPasswordRequestObject) (ResetPlayerPasswordResponseObject, error) {
	return ResetPlayerPassword204Response{}, p.onPlayer(ctx, "players.reset-password", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			return nil, nil, p.Players.Accounts.SendReset(ctx, r.PlayerID)
		})
}

// UnlinkPlayer implements StrictServerInterface.
func (p *Panel) UnlinkPlayer(ctx context.Context, r UnlinkPlayerRequestObject) (UnlinkPlayerResponseObject, error) {
	return UnlinkPlayer204Response{}, p.onPlayer(ctx, "players.unlink", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			// Whoever came in that way is not to stay in.
			if err := p.Players.Accounts.Unlink(ctx, r.PlayerID, string(r.Body.Provider)); err != nil {
				return nil, nil, err
			}
			return map[string]string{"provider": string(r.Body.Provider)}, nil, p.Players.Accounts.EndSessions(ctx, r.PlayerID)
		})
}

// ExportPlayer implements StrictServerInterface.
func (p *Panel) ExportPlayer(ctx context.Context, r ExportPlayerRequestObject) (ExportPlayerResponseObject, error) {
	err := p.onPlayer(ctx, "players.export", r.PlayerID, r.Body.Reason, func(ctx context.Context, _ staff.Member) (before, after any, err error) {
		return nil, nil, p.stillHere(ctx, r.PlayerID)
	})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := p.Players.Privacy.Export(ctx, r.PlayerID, &file); err != nil {
		return nil, err
	}
	return ExportPlayer200ApplicationZipResponse{Body: &file, ContentLength: int64(file.Len())}, nil
}

// DeletePlayer implements StrictServerInterface.
func (p *Panel) DeletePlayer(ctx context.Context, r DeletePlayerRequestObject) (DeletePlayerResponseObject, error) {
	var wish privacy.Deletion
	err := p.onPlayer(ctx, "players.delete", r.PlayerID, r.Body.Reason, func(ctx context.Context, _ staff.Member) (before, after any, err error) {
		if err := p.stillHere(ctx, r.PlayerID); err != nil {
			return nil, nil, err
		}
		wish, err = p.Players.Privacy.Request(ctx, r.PlayerID)
		return nil, map[string]any{"deletesAt": wish.DueAt}, err
	})
	return DeletePlayer200JSONResponse{RequestedAt: wish.RequestedAt, DeletesAt: wish.DueAt}, err
}

// RestorePlayer implements StrictServerInterface.
func (p *Panel) RestorePlayer(ctx context.Context, r RestorePlayerRequestObject) (RestorePlayerResponseObject, error) {
	return RestorePlayer204Response{}, p.onPlayer(ctx, "players.restore", r.PlayerID, r.Body.Reason,
		func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			return nil, nil, p.Players.Privacy.Restore(ctx, r.PlayerID)
		})
}

// MergePlayers implements StrictServerInterface.
func (p *Panel) MergePlayers(ctx context.Context, r MergePlayersRequestObject) (MergePlayersResponseObject, error) {
	m, err := p.Players.Support.Preview(ctx, r.Body.GuestCode, r.Body.AccountCode)
	if err != nil {
		return nil, err
	}
	if r.Body.Preview == nil || !*r.Body.Preview {
		err = p.onPlayer(ctx, "players.merge", m.AccountID, text(r.Body.Reason), func(ctx context.Context, _ staff.Member) (before, after any, err error) {
			m, err = p.Players.Support.Merge(ctx, r.Body.GuestCode, r.Body.AccountCode)
			return nil, map[string]any{"guest": m.GuestID, "coins": m.Coins, "debt": m.Debt, "experience": m.Experience}, err
		})
	} else {
		var purse *reward.Purse
		if purse, err = p.Players.Rewards.Look(ctx, m.GuestID); err == nil {
			m.Coins, m.Debt, m.Experience = purse.Coins, purse.Debt, purse.Standing.Experience
		}
	}
	if err != nil {
		return nil, err
	}
	guest, err := p.Players.Support.Player(ctx, m.GuestID)
	if err != nil {
		return nil, err
	}
	into, err := p.Players.Support.Player(ctx, m.AccountID)
	if err != nil {
		return nil, err
	}
	return MergePlayers200JSONResponse{Guest: playerJSON(guest), Account: playerJSON(into), Coins: m.Coins, Debt: m.Debt, Experience: m.Experience}, nil
}
