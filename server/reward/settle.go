package reward

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Tx is the transaction that ends a match.
type Tx interface {
	// Version reads one of the economy's.
	Version(number int) (*economy.Version, error)
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
	type sitting struct {
		player string
		seat   rules.Seat
	}
	var people []sitting
	for seat, who := range m.Seats {
		if !who.IsBot() {
			people = append(people, sitting{who.PlayerID, rules.Seat(seat)})
		}
	}
	// In the players' order, so that two matches that end together never wait for
	// each other.
	slices.SortFunc(people, func(a, b sitting) int { return cmp.Compare(a.player, b.player) })
	at := s.moment()
	for _, p := range people {
		st, err := tx.Standing(p.player)
		if err != nil {
			return err
		}
		finish := economy.Finish{
			Mode: m.Mode, Won: p.seat.Pair() == r.Winner, BotsAtTable: bots,
			Away:    r.Missed[p.seat] >= d.Matches.Away.AfterTurns,
			Booster: st.Boosted(at), VIP: st.VIP(at),
		}
		if st.FriendsDay == d.Day(at) {
			finish.FriendsToday = st.FriendsCoins
		}
		given := d.Reward(finish)
		st.Experience += given.Experience
		if st.BoosterMatches > 0 && given.Base > 0 {
			st.BoosterMatches--
		}
		if m.Mode == economy.Friends {
			st.FriendsDay, st.FriendsCoins = d.Day(at), finish.FriendsToday+given.Coins
		}
		var t *wallet.Transfer
		if given.Coins > 0 {
			t, err = s.transfer("match:"+m.ID+":"+p.player, wallet.KindReward, receipt{},
				wallet.Move(wallet.Rewards, wallet.Player(p.player), given.Coins)...)
			if err == nil {
				t.Data, err = json.Marshal(matchReceipt{m.Economy, m.ID, finish.Won, given})
			}
			if err != nil {
				return err
			}
		}
		if err := tx.Commit(t, st); err != nil {
			return fmt.Errorf("reward: match %s, player %s: %w", m.ID, p.player, err)
		}
	}
	return nil
}
