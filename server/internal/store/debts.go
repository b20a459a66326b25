package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/wallet"
)

// A player who owes coins has none: what comes in pays the debt first, in the same
// transaction. That somebody owes stands in the row of the player's own account, so
// that a posting, which changes that row anyway, finds it out for nothing.

// debtor is a player who owes, or may, behind a transfer.
type debtor struct {
	player string
	by     *wallet.Transfer
}

// holdDebtors holds the rows of the players whose debts the transfers change, if any,
// before those of the debts: whoever gives a player coins holds the player's first too.
func holdDebtors(tx *gorm.DB, transfers []*wallet.Transfer) error {
	for _, t := range transfers {
		for _, e := range t.Entries {
			if !e.Account.IsDebt() {
				continue
			}
			if _, err := holdCoins(tx, wallet.Player(e.Account.Owner())); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleDebts pays the debts of those who were given coins, or owe more than before,
// as far as their coins go, and keeps down who owes after transfers that have changed a
// debt.
func settleDebts(tx *gorm.DB, transfers []*wallet.Transfer, owing []debtor) error {
	for _, t := range transfers {
		for _, e := range t.Entries {
			if e.Account.IsDebt() {
				if err := markDebtor(tx, e.Account.Owner()); err != nil {
					return err
				}
				owing = append(owing, debtor{e.Account.Owner(), t})
			}
		}
	}
	for i, d := range owing {
		has, err := holdCoins(tx, wallet.Player(d.player))
		if err != nil {
			return err
		}
		owed, err := holdCoins(tx, wallet.Debt(d.player))
		if err != nil {
			return err
		}
		if has == 0 || owed == 0 {
			continue // it is paid, or there is nothing to pay with
		}
		t, err := d.by.Settling(d.player, min(has, owed), i)
		if err != nil {
			return err
		}
		if _, _, err := postEach(tx, []*wallet.Transfer{t}); err != nil {
			return err
		}
		if err := markDebtor(tx, d.player); err != nil {
			return err
		}
	}
	return nil
}

// markDebtor keeps down whether a player owes, whose row is held, and with it the
// debt's.
func markDebtor(tx *gorm.DB, playerID string) error {
	return tx.Exec(`UPDATE accounts SET owes = EXISTS (SELECT 1 FROM accounts d WHERE d.id = ? AND d.balance > 0) WHERE id = ?`,
		string(wallet.Debt(playerID)), string(wallet.Player(playerID))).Error
}

// holdCoins reads an account's stored balance, which then stays until the end.
func holdCoins(tx *gorm.DB, id wallet.AccountID) (balance int64, err error) {
	// A row that is not there cannot be held.
	if err := tx.Exec(`INSERT INTO accounts (id, balance) VALUES (?, 0) ON CONFLICT DO NOTHING`, string(id)).Error; err != nil {
		return 0, err
	}
	err = tx.Table("accounts").Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", string(id)).Pluck("balance", &balance).Error
	return balance, err
}
