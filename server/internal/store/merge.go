package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type decideMerge = func(guest, account *support.Side) (*wallet.Transfer, error)

// Merge implements support.Store. Rows are held in the usual order: both players, the
// guest's engagement, standings, accounts.
func (s *Store) Merge(ctx context.Context, guestID, accountID string, at time.Time, decide decideMerge) ([]string, error) {
	var ended []string
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		if err := s.lockPair(tx, guestID, accountID); err != nil {
			return err
		}
		if err := s.carry(tx, guestID, accountID, at, decide); err != nil {
			return err
		}
		with := map[string]any{"guest": guestID, "account": accountID, "at": millis(at)}
		for _, statement := range mergers {
			if err := tx.Exec(statement, with).Error; err != nil {
				return err
			}
		}
		if err := mergeTies(tx, guestID, accountID); err != nil {
			return err
		}
		return endSessions(tx, at, &ended, "player_id = ?", guestID)
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// mergers take over, table by table, what is not coins. Whoever adds a table with
// something that a guest would miss adds a line here.
var mergers = []string{
	// Its name is free; history goes on calling it so.
	"UPDATE players SET name_key = NULL, deleted_at = @at, merged_into = @account WHERE id = @guest",
	// The device signs in to the account from now on.
	"UPDATE devices SET player_id = @account WHERE player_id = @guest",
	`INSERT INTO player_stats (player_id, rules, played, won, hands, hands_won, bids_made, bids_lost)
SELECT @account, rules, played, won, hands, hands_won, bids_made, bids_lost FROM player_stats WHERE player_id = @guest
ON CONFLICT (player_id, rules) DO UPDATE SET played = player_stats.played + excluded.played, won = player_stats.won + excluded.won,
	hands = player_stats.hands + excluded.hands, hands_won = player_stats.hands_won + excluded.hands_won,
	bids_made = player_stats.bids_made + excluded.bids_made, bids_lost = player_stats.bids_lost + excluded.bids_lost`,
	"DELETE FROM player_stats WHERE player_id = @guest",
	`INSERT INTO mutes (player_id, muted_id, since)
SELECT @account, muted_id, since FROM mutes WHERE player_id = @guest AND muted_id <> @account ON CONFLICT DO NOTHING`,
	`INSERT INTO mutes (player_id, muted_id, since)
SELECT player_id, @account, since FROM mutes WHERE muted_id = @guest AND player_id <> @account ON CONFLICT DO NOTHING`,
	"DELETE FROM mutes WHERE player_id = @guest OR muted_id = @guest",
	// Stripe's customer, with subscriptions that run, unless the account has one.
	`UPDATE stripe_customers SET player_id = @account WHERE player_id = @guest
AND NOT EXISTS (SELECT 1 FROM stripe_customers c WHERE c.player_id = @account AND c.live = stripe_customers.live)`,
	"DELETE FROM push_tokens WHERE player_id = @guest",
	"DELETE FROM support_codes WHERE player_id IN (@guest, @account)",
}

// mergeTies makes the guest's friends the account's, and blocks from either side; where
// there is something between the two already, that stays, but a block comes before all.
func mergeTies(tx *gorm.DB, guestID, accountID string) error {
	var rows []tieRow
	if err := tx.Where("low_id = ? OR high_id = ?", guestID, guestID).Find(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		other := r.LowID
		if other == guestID {
			other = r.HighID
		}
		if err := tx.Delete(&r).Error; err != nil {
			return err
		}
		theirs := r.tieOf(guestID)
		if other == accountID || theirs.FriendsSince.IsZero() && !theirs.Hidden() {
			continue // requests are asked anew
		}
		to, err := readTie(tx, accountID, other)
		if err != nil {
			return err
		}
		if has := to.tieOf(accountID); theirs.Hidden() && !has.Hidden() || to.isNothing() {
			to.set(accountID, theirs)
			if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&to).Error; err != nil {
				return err
			}
		}
	}
	return nil
}

// isNothing says whether the pair has nothing to do with one another, but for who was
// told when that the other asks.
func (r tieRow) isNothing() bool {
	return r.FriendsSince == 0 && r.LowAskedAt == 0 && r.HighAskedAt == 0 && r.LowBlockedAt == 0 && r.HighBlockedAt == 0
}

// Leftovers implements support.Store.
func (s *Store) Leftovers(ctx context.Context, at time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Raw(`
SELECT p.id FROM players p WHERE p.merged_into IS NOT NULL AND (
	EXISTS (SELECT 1 FROM accounts a WHERE a.id IN ('player:' || p.id, 'debt:' || p.id) AND a.balance > 0)
	OR EXISTS (SELECT 1 FROM standings s WHERE s.player_id = p.id AND
		(s.experience > 0 OR s.boosters_held > 0 OR s.booster_matches > 0 OR s.vip_until > ? OR s.booster_until > ?)))
ORDER BY p.id LIMIT ?`, millis(at), millis(at), limit).Scan(&ids).Error
	return ids, err
}

// CarryOver implements support.Store.
func (s *Store) CarryOver(ctx context.Context, guestID string, at time.Time, decide decideMerge) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		var row struct{ MergedInto *string }
		if err := tx.Table("players").Select("merged_into").Where("id = ?", guestID).Take(&row).Error; err != nil {
			return notFound(err, "There is no such player.")
		}
		if row.MergedInto == nil {
			return errNoPlayer
		}
		return s.carry(tx, guestID, *row.MergedInto, at, decide)
	})
}

// carry has decide move what the one has to the other, whose rows it holds.
func (s *Store) carry(tx *gorm.DB, guestID, accountID string, at time.Time, decide decideMerge) error {
	sides := map[string]*support.Side{guestID: {PlayerID: guestID}, accountID: {PlayerID: accountID}}
	order := engagement.Sorted([]string{guestID, accountID})
	if err := holdEngagement(tx, sides[guestID]); err != nil {
		return err
	}
	t := &settlement{tx: tx, locks: s.kind == Postgres, players: order}
	for _, id := range order {
		side := sides[id]
		var err error
		if side.Standing, err = t.Standing(id); err != nil {
			return err
		}
		if err := s.look(tx, side, at); err != nil {
			return err
		}
	}
	for _, id := range order {
		var err error
		if sides[id].Coins, err = holdCoins(tx, wallet.Player(id)); err != nil {
			return err
		}
	}
	for _, id := range order {
		var err error
		if sides[id].Debt, err = holdCoins(tx, wallet.Debt(id)); err != nil {
			return err
		}
	}
	transfer, err := decide(sides[guestID], sides[accountID])
	if err != nil {
		return err
	}
	var transfers []*wallet.Transfer
	if transfer != nil {
		transfers = append(transfers, transfer)
	}
	return commit(tx, []reward.Standing{sides[order[0]].Standing, sides[order[1]].Standing}, transfers)
}

// holdEngagement reads what a player is taken up with, which then stays.
func holdEngagement(tx *gorm.DB, side *support.Side) error {
	// A row that is not there cannot be held.
	err := tx.Exec(`INSERT INTO engagements (player_id, kind, place_id, seq, reason, since) VALUES (?, 'none', '', 0, '', 0)
ON CONFLICT DO NOTHING`, side.PlayerID).Error
	if err != nil {
		return err
	}
	var row engagementRow
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("player_id = ?", side.PlayerID).Take(&row).Error
	side.Place = engagement.Place{Kind: engagement.Kind(row.Kind), ID: row.PlaceID}
	return err
}

// look fills in what a merger has to know of a side beside what it has.
func (s *Store) look(tx *gorm.DB, side *support.Side, at time.Time) error {
	var linked, leaving, guests int64
	err := errors.Join(
		tx.Model(&identityRow{}).Where("player_id = ?", side.PlayerID).Count(&linked).Error,
		tx.Model(&deletionRow{}).Where("player_id = ? AND done_at = 0", side.PlayerID).Count(&leaving).Error,
		tx.Model(&playerRow{}).Where("merged_into = ?", side.PlayerID).Count(&guests).Error,
	)
	if err != nil {
		return err
	}
	side.Linked, side.Leaving, side.Guests = int(linked), leaving > 0, int(guests)
	_, err = sanctionAt(tx, side.PlayerID, at)
	side.KeptOut = err == nil
	if errors.Is(err, errNoSanction) {
		err = nil
	}
	return err
}
