package reward

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Tx is the transaction that ends a match.
type Tx interface {
	league.Tx
	// Standing reads a player's, and keeps others from changing it until the end.
	Standing(playerID string) (Standing, error)
	// Commit posts the transfer, unless it is nil, and keeps the standing. After an
	// error the transaction is given up.
	Commit(t *wallet.Transfer, s Standing) error
}

// matchReceipt is the data of a match's reward: each step from base to total.
type matchReceipt struct {
	Economy int    `json:"economy"`
	Match   string `json:"match"`
	Won     bool   `json:"won"`
	economy.Reward
}

// Settle gives the players of a match what its end pays them: within the
// transaction that ends it, so once. It pays by the version of the economy that
// was live when the match began. The pot of a staked table is not its affair.
func (s *Service) Settle(tx Tx, m *match.Match, r match.Result) error {
	switch m.Mode {
	case economy.Online, economy.Friends, economy.Staked:
	default:
		return nil
	}
	d, err := s.economy.At(m.Economy, tx.Version)
	if err != nil {
		return err
	}
	bots := slices.ContainsFunc(m.Seats[:], match.Seat.IsBot)
	at := s.moment()
	var points []league.Points
	for _, p := range m.Players() {
		st, err := tx.Standing(p.PlayerID)
		if err != nil {
			return err
		}
		finish := economy.Finish{
			Mode: m.Mode, Won: p.Seat.Pair() == r.Winner, BotsAtTable: bots,
			Away:    r.Missed[p.Seat] >= d.Matches.Away.AfterTurns,
			Booster: st.Boosted(at), VIP: st.VIP(at),
		}
		if st.FriendsDay == d.Day(at) {
			finish.FriendsToday = st.FriendsCoins
		}
		given := d.Reward(finish)
		points = append(points, league.Points{PlayerID: p.PlayerID, Points: given.LeaguePoints})
		st.Experience += given.Experience
		// One that lasts for a time works first, and costs no match.
		if st.BoosterMatches > 0 && given.Base > 0 && !st.BoosterUntil.After(at) {
			st.BoosterMatches--
		}
		if m.Mode == economy.Friends {
			st.FriendsDay, st.FriendsCoins = d.Day(at), finish.FriendsToday+given.Coins
		}
		var t *wallet.Transfer
		if given.Coins > 0 {
			t, err = s.transfer("match:"+m.ID+":"+p.PlayerID, wallet.KindReward, receipt{},
				wallet.Move(wallet.Rewards, wallet.Player(p.PlayerID), given.Coins)...)
			if err == nil {
				t.Data, err = json.Marshal(matchReceipt{m.Economy, m.ID, finish.Won, given})
			}
			if err != nil {
				return err
			}
		}
		if err := tx.Commit(t, st); err != nil {
			return fmt.Errorf("reward: match %s, player %s: %w", m.ID, p.PlayerID, err)
		}
	}
	// By when the match ended, not by now: its week may be over since.
	if err := league.Award(tx, s.economy, m.EndedAt, points); err != nil {
		return fmt.Errorf("reward: match %s: league: %w", m.ID, err)
	}
	return nil
}
