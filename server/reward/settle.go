package reward

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Tx is the transaction that ends a match.
type Tx interface {
	league.Tx
	// Standing reads a player's, and keeps others from changing it until the end.
	Standing(playerID string) (Standing, error)
	// Post posts a transfer that belongs to nobody's standing.
	Post(t *wallet.Transfer) error
	// Commit posts the transfer, unless it is nil, and keeps the standing. After an
	// error the transaction is given up.
	Commit(t *wallet.Transfer, s Standing) error
	// Gave says that the match has given a player so many coins, none included: what
	// the ledger is checked against.
	Gave(playerID string, coins int64)
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
// was live when the match began. A staked match pays its pot, which nothing multiplies.
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
	var points []league.Points
	for _, p := range m.Players() {
		st, err := tx.Standing(p.PlayerID)
		if err != nil {
			return err
		}
		// By when the match ended, as everything about it: not by when that is worked out.
		won := p.Seat.Pair() == r.Winner
		given := st.Finish(d, End{Mode: m.Mode, At: m.EndedAt, Won: won, Bots: bots, Missed: r.Missed[p.Seat]})
		points = append(points, league.Points{PlayerID: p.PlayerID, Points: given.LeaguePoints})
		var t *wallet.Transfer
		if given.Coins > 0 {
			t, err = s.transfer("match:"+m.ID+":"+p.PlayerID, wallet.KindReward, receipt{},
				wallet.Move(wallet.Rewards, wallet.Player(p.PlayerID), given.Coins)...)
			if err == nil {
				t.Data, err = json.Marshal(matchReceipt{m.Economy, m.ID, won, given})
			}
			if err != nil {
				return err
			}
		}
		tx.Gave(p.PlayerID, given.Coins)
		if err := tx.Commit(t, st); err != nil {
			return fmt.Errorf("reward: match %s, player %s: %w", m.ID, p.PlayerID, err)
		}
	}
	// By when the match ended, not by now: its week may be over since.
	if err := league.Award(tx, s.economy, m.EndedAt, points); err != nil {
		return fmt.Errorf("reward: match %s: league: %w", m.ID, err)
	}
	if m.Mode != economy.Staked || m.Stake == 0 {
		return nil
	}
	return s.pot(tx, m, r)
}

// stakeReceipt is the data of what a staked match pays.
type stakeReceipt struct {
	Table string `json:"table"`
	Match string `json:"match"`
	Stake int64  `json:"stake"`
	Won   bool   `json:"won,omitempty"`
	// Why an entry was given back.
	Why string `json:"why,omitempty"`
}

// pot pays a staked match's winners.
func (s *Service) pot(tx Tx, m *match.Match, r match.Result) error {
	var winners []string
	for seat, who := range m.Seats {
		if rules.Seat(seat).Pair() == r.Winner {
			winners = append(winners, who.PlayerID)
		}
	}
	return s.resolve(tx, m, stakeReceipt{Table: m.TableID, Match: m.ID, Stake: m.Stake, Won: true},
		func(id string, data []byte) (*wallet.Transfer, error) {
			return wallet.Pot(id, m.TableID, m.Stake*rules.Seats, winners, data, s.moment())
		})
}

// Refund gives the players of a match that cannot be finished for a fault of ours
// nothing, and at a staked table their entries back: within the transaction that gives
// it up, so once.
func (s *Service) Refund(tx Tx, m *match.Match) error {
	switch m.Mode {
	case economy.Online, economy.Friends, economy.Staked:
	default:
		return nil
	}
	var players []string
	for _, p := range m.Players() {
		players = append(players, p.PlayerID)
		tx.Gave(p.PlayerID, 0)
	}
	if m.Mode != economy.Staked || m.Stake == 0 {
		return nil
	}
	return s.resolve(tx, m, stakeReceipt{Table: m.TableID, Match: m.ID, Stake: m.Stake, Why: "voided"},
		func(id string, data []byte) (*wallet.Transfer, error) {
			return wallet.Refund(id, m.TableID, m.Stake, players, data, s.moment())
		})
}

// resolve posts what brings a staked match's escrow to its end.
func (s *Service) resolve(tx Tx, m *match.Match, r stakeReceipt, build func(id string, data []byte) (*wallet.Transfer, error)) error {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return fmt.Errorf("reward: new transfer's id: %w", err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	t, err := build(id.String(), data)
	if err == nil {
		err = tx.Post(t)
	}
	if err != nil {
		return fmt.Errorf("reward: match %s: %w", m.ID, err)
	}
	return nil
}
