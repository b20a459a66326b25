package store

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// ExportParts are what the tables know of a player, but for its matches, for an
// export. A new table with something of a player's in it gets a line here. Secrets
// are not exported, not even hashed: a copy of one's data must not open one's account.
func (s *Store) ExportParts() []privacy.Part {
	return []privacy.Part{
		part(s, "profile", func(r playerRow) any {
			return map[string]any{
				"id": r.ID, "name": r.Name, "guest": r.Guest, "avatar": r.Avatar, "language": r.Language,
				"createdAt": at(r.CreatedAt), "renamedAt": at(r.RenamedAt),
			}
		}, "id = ?"),
		part(s, "identities", func(r identityRow) any {
			return map[string]any{"provider": r.Provider, "subject": r.Subject, "createdAt": at(r.CreatedAt)}
		}, "player_id = ?"),
		part(s, "emailLinks", func(r emailLinkRow) any {
			return map[string]any{"kind": r.Kind, "email": r.Email, "createdAt": at(r.CreatedAt), "expiresAt": at(r.ExpiresAt)}
		}, "player_id = ?"),
		part(s, "devices", func(r deviceRow) any {
			return map[string]any{"id": r.ID, "createdAt": at(r.CreatedAt)}
		}, "player_id = ?"),
		part(s, "sessions", func(r sessionRow) any {
			return map[string]any{
				"id": r.ID, "via": r.Via, "device": r.Device, "createdAt": at(r.CreatedAt), "usedAt": at(r.UsedAt),
				"expiresAt": at(r.ExpiresAt), "endedAt": at(r.EndedAt),
			}
		}, "player_id = ?"),
		part(s, "statistics", func(r statsRow) any {
			return map[string]any{
				"rules": r.Rules, "played": r.Played, "won": r.Won, "hands": r.Hands, "handsWon": r.HandsWon,
				"bidsMade": r.BidsMade, "bidsLost": r.BidsLost,
			}
		}, "player_id = ?"),
		part(s, "standing", func(r standingRow) any {
			return map[string]any{
				"experience": r.Experience, "dailyDay": r.DailyDay, "dailyStreak": r.DailyStreak, "vipUntil": at(r.VipUntil),
				"boosterUntil": at(r.BoosterUntil), "boosterMatches": r.BoosterMatches, "boostersHeld": r.BoostersHeld,
				"friendsDay": r.FriendsDay, "friendsCoins": r.FriendsCoins,
			}
		}, "player_id = ?"),
		part(s, "league", func(r scoreRow) any {
			return map[string]any{
				"season": r.Season, "division": r.Division, "group": r.GroupNo, "points": r.Points, "matches": r.Matches,
				"firstAt": at(r.FirstAt), "reachedAt": at(r.ReachedAt), "rank": r.Rank, "prize": r.Prize, "nextDivision": r.NextDivision,
			}
		}, "player_id = ?"),
		part(s, "rating", func(r ratingRow) any {
			return map[string]any{"mu": r.Mu, "sigma": r.Sigma, "matches": r.Matches, "updatedAt": at(r.UpdatedAt)}
		}, "player_id = ?"),
		{Name: "wallet", Read: s.exportWallet},
		{Name: "people", Read: s.exportTies},
		part(s, "mutes", func(r muteRow) any {
			return map[string]any{"playerId": r.MutedID, "since": at(r.Since)}
		}, "player_id = ?"),
		part(s, "reports", func(r reportRow) any {
			return map[string]any{
				"id": r.ID, "playerId": r.ReportedID, "matchId": r.MatchID, "reason": r.Reason, "text": r.Text,
				"status": r.Status, "createdAt": at(r.CreatedAt),
			}
		}, "reporter_id = ?"),
		{Name: "notices", Read: s.exportNotices},
		part(s, "room", func(r roomSeatRow) any {
			return map[string]any{"roomId": r.RoomID, "seat": r.Seat, "since": at(r.Since), "ready": r.Ready}
		}, "player_id = ?"),
		{Name: "pushTokens", Read: s.exportPushTokens},
		part(s, "standing", func(r standingRow) any {
			return map[string]any{
				"experience": r.Experience, "dailyDay": r.DailyDay, "dailyStreak": r.DailyStreak, "vipUntil": at(r.VipUntil),
				"boosterUntil": at(r.BoosterUntil), "boosterMatches": r.BoosterMatches, "boostersHeld": r.BoostersHeld,
				"friendsDay": r.FriendsDay, "friendsCoins": r.FriendsCoins,
			}
		}, "player_id = ?"),
		{Name: "coins", Read: s.exportCoins},
		{Name: "orders", Read: s.exportOrders},
		part(s, "deletion", func(r deletionRow) any {
			return map[string]any{"requestedAt": at(r.RequestedAt), "deletesAt": at(r.DueAt)}
		}, "player_id = ?"),
	}
}

// part is all rows of a table that are the player's.
func part[Row any](s *Store, name string, form func(Row) any, where string) privacy.Part {
	return privacy.Part{Name: name, Read: func(ctx context.Context, playerID string) (any, error) {
		var rows []Row
		if err := s.reading(ctx).Where(where, playerID).Find(&rows).Error; err != nil {
			return nil, err
		}
		out := make([]any, len(rows))
		for i, r := range rows {
			out[i] = form(r)
		}
		return out, nil
	}}
}

// exportNotices is what the player was told, with the words that the house has said.
func (s *Store) exportNotices(ctx context.Context, playerID string) (any, error) {
	var rows []struct {
		noticeRow
		Title, Words *string
	}
	err := s.reading(ctx).Table("notices").Select("notices.*, broadcasts.title, broadcasts.text AS words").
		Joins("LEFT JOIN broadcasts ON broadcasts.id = notices.broadcast_id").Where("player_id = ?", playerID).Order("seq").Scan(&rows).Error
	out := make([]any, len(rows))
	for i, r := range rows {
		one := map[string]any{"seq": r.Seq, "kind": r.Kind, "from": r.FromID, "createdAt": at(r.CreatedAt)}
		for name, text := range map[string]*string{"text": r.Text, "league": r.League, "title": r.Title, "words": r.Words} {
			if text != nil {
				one[name] = json.RawMessage(*text)
			}
		}
		if r.RoomID != nil {
			one["roomId"] = r.RoomID
		}
		out[i] = one
	}
	return out, err
}

// exportTies is what the player has to do with others, as far as the player knows:
// whoever has blocked it is not told by this door either.
func (s *Store) exportTies(ctx context.Context, playerID string) (any, error) {
	var rows []tieRow
	err := s.reading(ctx).Where("low_id = ? OR high_id = ?", playerID, playerID).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, r := range rows {
		other, asked, askedBy, blocked := r.HighID, r.LowAskedAt, r.HighAskedAt, r.LowBlockedAt
		if playerID == r.HighID {
			other, asked, askedBy, blocked = r.LowID, r.HighAskedAt, r.LowAskedAt, r.HighBlockedAt
		}
		if r.FriendsSince+asked+askedBy+blocked == 0 {
			continue
		}
		out = append(out, map[string]any{
			"playerId": other, "friendsSince": at(r.FriendsSince), "askedAt": at(asked), "askedByAt": at(askedBy), "blockedAt": at(blocked),
		})
	}
	return out, nil
}

// exportCoins is every transfer of the player's account and of its debts.
func (s *Store) exportCoins(ctx context.Context, playerID string) (any, error) {
	out := []any{}
	for _, account := range []wallet.AccountID{wallet.Player(playerID), wallet.Debt(playerID)} {
		lines, err := s.Statement(ctx, account, "", "", -1)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			entry := map[string]any{
				"account": account, "transfer": l.TransferID, "kind": l.Kind, "at": l.At, "amount": l.Amount, "balance": l.Balance,
			}
			if details := reward.DetailsFor(l); details != nil {
				entry["details"] = json.RawMessage(details)
			}
			out = append(out, entry)
		}
	}
	return out, nil
}

// exportOrders is all that the player has ordered, and what became of it.
func (s *Store) exportOrders(ctx context.Context, playerID string) (any, error) {
	orders, err := s.Orders(ctx, playerID, "", -1)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, o := range orders {
		changes, err := s.OrderHistory(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		history := []any{}
		for _, c := range changes {
			history = append(history, map[string]any{
				"at": c.At, "what": c.What, "status": c.Status, "amount": c.Detail.Amount, "given": c.Detail.Given, "owed": c.Detail.Owed,
			})
		}
		out = append(out, map[string]any{
			"id": o.ID, "sku": o.SKU, "goods": o.Goods, "amount": o.Price.Amount, "currency": o.Price.Currency, "provider": o.Provider,
			"status": o.Status, "reference": o.Reference, "transaction": o.Transaction, "subscription": o.Subscription,
			"createdAt": o.CreatedAt, "paidAt": at(millis(o.PaidAt)), "given": o.Given, "history": history,
		})
	}
	return out, nil
}

// exportWallet is every movement of the player's coins and debt, the oldest first,
// each with what was there behind it.
func (s *Store) exportWallet(ctx context.Context, playerID string) (any, error) {
	var rows []struct {
		TransferID, AccountID, Kind string
		Amount, Balance, At         int64
	}
	err := s.reading(ctx).Table("entries").
		Select("entries.transfer_id, entries.account_id, entries.amount, entries.balance, transfers.kind, transfers.at").
		Joins("JOIN transfers ON transfers.id = entries.transfer_id").
		Where("entries.account_id IN ?", []string{string(wallet.Player(playerID)), string(wallet.Debt(playerID))}).
		Order("entries.transfer_id, entries.account_id").Scan(&rows).Error
	out := make([]any, len(rows))
	for i, r := range rows {
		out[i] = map[string]any{
			"transferId": r.TransferID, "kind": r.Kind, "amount": r.Amount, "balance": r.Balance, "at": at(r.At),
			"debt": r.AccountID == string(wallet.Debt(playerID)),
		}
	}
	return out, err
}

func (s *Store) exportPushTokens(ctx context.Context, playerID string) (any, error) {
	var rows []struct {
		Token, Platform string
		CreatedAt       int64
	}
	err := s.reading(ctx).Table("push_tokens").Where("player_id = ?", playerID).Scan(&rows).Error
	out := make([]any, len(rows))
	for i, r := range rows {
		out[i] = map[string]any{"token": r.Token, "platform": r.Platform, "createdAt": at(r.CreatedAt)}
	}
	return out, err
}

// at is a time for an export; null if there is none.
func at(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := fromMillis(ms)
	return &t
}

// living are the players that have not become pseudonyms.
func living(query *gorm.DB) *gorm.DB { return query.Where("players.deleted_at = 0") }
