package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/wallet"
)

type transferRow struct {
	ID       string `gorm:"primaryKey"`
	IdemKey  string
	Hash     []byte
	Kind     string
	Resolves *string
	Data     *string
	At       int64
}

func (transferRow) TableName() string { return "transfers" }

func (r *transferRow) domain() *wallet.Transfer {
	t := &wallet.Transfer{ID: r.ID, Key: r.IdemKey, Kind: wallet.Kind(r.Kind), At: fromMillis(r.At)}
	if r.Resolves != nil {
		t.Resolves = *r.Resolves
	}
	if r.Data != nil {
		t.Data = []byte(*r.Data)
	}
	return t
}

type ledgerEntryRow struct {
	TransferID string `gorm:"primaryKey"`
	AccountID  string `gorm:"primaryKey"`
	Amount     int64
	Balance    int64
}

func (ledgerEntryRow) TableName() string { return "entries" }

// Post implements wallet.Store.
func (s *Store) Post(ctx context.Context, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	err = s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		kept, replayed, err = post(tx, t)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return kept, replayed, nil
}

// post is Post inside a transaction, for what settles together with other rows.
// After an error the transaction must be given up.
func post(tx *gorm.DB, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	hash := t.Hash()
	result := tx.Exec(`INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		t.ID, t.Key, hash[:], string(t.Kind), orNull(t.Resolves), orNull(string(t.Data)), millis(t.At))
	if result.Error != nil {
		return nil, false, result.Error
	}
	if result.RowsAffected == 0 {
		earlier, err := posted(tx, t.Key, hash[:])
		return earlier, true, err
	}
	rows := make([]ledgerEntryRow, len(t.Entries))
	// The entries are sorted by account, so that two postings never wait for each
	// other's rows.
	for i, e := range t.Entries {
		balance, err := move(tx, e.Account, e.Amount)
		if err != nil {
			return nil, false, err
		}
		if err := mayMove(tx, t, e, balance); err != nil {
			return nil, false, err
		}
		t.Entries[i].Balance = balance
		rows[i] = ledgerEntryRow{TransferID: t.ID, AccountID: string(e.Account), Amount: e.Amount, Balance: balance}
	}
	return t, false, tx.Create(&rows).Error
}

// mayMove refuses what an escrow may not do: take coins when it has come to its
// end, or keep some at its end. It asks when the escrow's row is changed, and so
// held, already: whoever brings the escrow to its end has done so or waits.
func mayMove(tx *gorm.DB, t *wallet.Transfer, e wallet.Entry, balance int64) error {
	switch {
	case !e.Account.IsEscrow():
		return nil
	case t.Resolves == string(e.Account):
		if balance != 0 {
			return fmt.Errorf("store: transfer %s would leave %d coins in %s", t.Key, balance, e.Account)
		}
		return nil
	}
	var resolved bool
	err := tx.Raw(`SELECT EXISTS (SELECT 1 FROM transfers WHERE resolves = ?)`, string(e.Account)).Scan(&resolved).Error
	if err == nil && resolved {
		return wallet.ErrResolved
	}
	return err
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// posted is the transfer that has the key. If none has, what the new one resolves
// is resolved.
func posted(tx *gorm.DB, key string, hash []byte) (*wallet.Transfer, error) {
	var row transferRow
	err := tx.Where("idem_key = ?", key).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, wallet.ErrResolved
	case err != nil:
		return nil, err
	case !bytes.Equal(row.Hash, hash):
		return nil, wallet.ErrKeyUsed
	}
	return withEntries(tx, &row)
}

func withEntries(db *gorm.DB, row *transferRow) (*wallet.Transfer, error) {
	var rows []ledgerEntryRow
	if err := db.Where("transfer_id = ?", row.ID).Order("account_id").Find(&rows).Error; err != nil {
		return nil, err
	}
	t := row.domain()
	for _, r := range rows {
		t.Entries = append(t.Entries, wallet.Entry{Account: wallet.AccountID(r.AccountID), Amount: r.Amount, Balance: r.Balance})
	}
	return t, nil
}

// move changes an account's stored balance, if it has one, and returns it in the
// ledger's direction.
func move(tx *gorm.DB, id wallet.AccountID, amount int64) (int64, error) {
	if !id.Stored() {
		return 0, nil
	}
	change := amount * id.Sign()
	for first := true; ; first = false {
		var balance []int64
		err := tx.Raw(`UPDATE accounts SET balance = balance + ? WHERE id = ? AND balance + ? >= 0 RETURNING balance`,
			change, string(id), change).Scan(&balance).Error
		switch {
		case err != nil:
			return 0, err
		case len(balance) == 1:
			return balance[0] * id.Sign(), nil
		case !first || change < 0:
			return 0, wallet.ErrInsufficient
		}
		// The account's first coins. Somebody else may be making it at the same time.
		if err := tx.Exec(`INSERT INTO accounts (id, balance) VALUES (?, 0) ON CONFLICT DO NOTHING`, string(id)).Error; err != nil {
			return 0, err
		}
	}
}

// Balance implements wallet.Store.
func (s *Store) Balance(ctx context.Context, id wallet.AccountID) (int64, error) {
	db, sum := s.read.WithContext(ctx), int64(0)
	if id.Stored() {
		err := db.Raw(`SELECT COALESCE((SELECT balance FROM accounts WHERE id = ?), 0)`, string(id)).Scan(&sum).Error
		return sum * id.Sign(), err
	}
	err := db.Raw(`SELECT COALESCE(CAST(SUM(amount) AS BIGINT), 0) FROM entries WHERE account_id = ?`, string(id)).Scan(&sum).Error
	return sum, err
}

// Statement implements wallet.Store.
func (s *Store) Statement(ctx context.Context, id wallet.AccountID, kind wallet.Kind, before string, limit int) ([]wallet.Line, error) {
	var where strings.Builder
	where.WriteString("e.account_id = ?")
	args := []any{string(id)}
	if before != "" {
		where.WriteString(" AND e.transfer_id < ?")
		args = append(args, before)
	}
	if kind != "" {
		where.WriteString(" AND t.kind = ?")
		args = append(args, string(kind))
	}
	var rows []struct {
		TransferID, Kind    string
		Data                *string
		At, Amount, Balance int64
	}
	err := s.read.WithContext(ctx).Table("entries AS e").
		Select("t.id AS transfer_id, t.kind, t.data, t.at, e.amount, e.balance").
		Joins("JOIN transfers AS t ON t.id = e.transfer_id").
		Where(where.String(), args...).Order("e.transfer_id DESC").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	lines := make([]wallet.Line, len(rows))
	for i, r := range rows {
		lines[i] = wallet.Line{
			TransferID: r.TransferID, Kind: wallet.Kind(r.Kind), Amount: r.Amount, Balance: r.Balance, At: fromMillis(r.At),
		}
		if r.Data != nil {
			lines[i].Data = []byte(*r.Data)
		}
	}
	return lines, nil
}

// Transfer implements wallet.Store.
func (s *Store) Transfer(ctx context.Context, id string) (*wallet.Transfer, error) {
	db := s.read.WithContext(ctx)
	var row transferRow
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such transfer.")
	}
	return withEntries(db, &row)
}

// ledgerChecks find what does not add up: each gives subject, want and got.
var ledgerChecks = []struct{ what, query string }{
	{"unbalanced_transfer", `
		SELECT t.id AS subject, 0 AS want, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS got
		FROM transfers t LEFT JOIN entries e ON e.transfer_id = t.id
		GROUP BY t.id HAVING COUNT(e.amount) < 2 OR SUM(e.amount) <> 0 ORDER BY t.id LIMIT ?`},
	{"wrong_balance", `
		SELECT id AS subject, want, got FROM (
			SELECT a.id AS id, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) * CASE WHEN a.id LIKE 'debt:%' THEN -1 ELSE 1 END AS want, a.balance AS got
			FROM accounts a LEFT JOIN entries e ON e.account_id = a.id GROUP BY a.id, a.balance
			UNION ALL
			SELECT e.account_id, CAST(SUM(e.amount) AS BIGINT), 0 FROM entries e
			WHERE e.account_id NOT LIKE 'house:%' AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = e.account_id)
			GROUP BY e.account_id
		) AS sums WHERE want <> got ORDER BY id LIMIT ?`},
	{"open_escrow", `
		SELECT a.id AS subject, 0 AS want, a.balance AS got
		FROM accounts a JOIN transfers t ON t.resolves = a.id
		WHERE a.balance <> 0 ORDER BY a.id LIMIT ?`},
}

// CheckLedger implements wallet.Store. It reads one state of the database, so
// that what is posted meanwhile is either seen whole or not at all.
func (s *Store) CheckLedger(ctx context.Context, limit int) ([]wallet.Discrepancy, error) {
	var found []wallet.Discrepancy
	err := s.read.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if s.kind == Postgres {
			if err := tx.Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").Error; err != nil {
				return err
			}
		}
		for _, check := range ledgerChecks {
			var rows []struct {
				Subject   string
				Want, Got int64
			}
			if err := tx.Raw(check.query, limit-len(found)).Scan(&rows).Error; err != nil {
				return err
			}
			for _, r := range rows {
				found = append(found, wallet.Discrepancy{What: check.what, Subject: r.Subject, Want: r.Want, Got: r.Got})
			}
		}
		return nil
	})
	return found, err
}

var _ wallet.Store = (*Store)(nil)
