package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/wallet"
)

// Post implements wallet.Store.
func (s *Store) Post(ctx context.Context, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	db := s.write.WithContext(ctx)
	if s.kind == Postgres && !slices.ContainsFunc(t.Entries, func(e wallet.Entry) bool { return e.Account.IsEscrow() }) {
		// One statement is its own transaction.
		return post(db, t)
	}
	err = db.Transaction(func(tx *gorm.DB) error {
		kept, replayed, err = post(tx, t)
		return err
	})
	return kept, replayed, err
}

// post is Post inside a transaction, for what settles together with other rows.
// After an error the transaction must be given up.
func post(tx *gorm.DB, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	fresh, err := postAll(tx, t)
	switch {
	case err != nil:
		return nil, false, err
	case fresh == 1:
		return t, false, nil
	}
	if kept, err = posted(tx, t); err != nil {
		return nil, false, err
	}
	return kept, true, nil
}

// postAll posts transfers inside a transaction and says how many of them are fresh:
// the others' keys have been used, or what they resolve is resolved. After an error
// the transaction must be given up.
//
// Accounts are changed in the order of their names, so that two postings never wait
// for each other's rows.
func postAll(tx *gorm.DB, transfers ...*wallet.Transfer) (fresh int, err error) {
	if tx.Name() != Postgres {
		for _, t := range transfers {
			ok, err := postStepwise(tx, t)
			if err != nil {
				return 0, err
			}
			if ok {
				fresh++
			}
		}
		return fresh, nil
	}
	for len(transfers) > 0 {
		// As many as one statement can take: it changes no account twice.
		seen, n := map[wallet.AccountID]bool{}, 0
		for _, t := range transfers {
			if slices.ContainsFunc(t.Entries, func(e wallet.Entry) bool { return seen[e.Account] }) {
				break
			}
			for _, e := range t.Entries {
				seen[e.Account] = e.Account.Stored()
			}
			n++
		}
		ok, err := postAtOnce(tx, transfers[:n])
		if err != nil {
			return 0, err
		}
		fresh, transfers = fresh+ok, transfers[n:]
	}
	return fresh, nil
}

// postSQL keeps transfers, balances and entries in one statement, for a round trip to
// PostgreSQL costs as much as all the rest of a posting.
//
// What a refused transfer would leave half done, PostgreSQL itself refuses: a balance
// below zero, or an entry without one, which is that of an account that has nothing and
// should give something.
//
// The scalar subqueries are to keep the planner from reading whole tables: they are
// looked up row by row, whatever it thinks of the sizes.
const postSQL = `
WITH kept AS (
	INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at)
	SELECT n.id, n.idem_key, n.hash, n.kind, NULLIF(n.resolves, ''), NULLIF(n.data, ''), n.at
	FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[])
		AS n (id, idem_key, hash, kind, resolves, data, at, escrow)
	WHERE n.escrow = '' OR (SELECT r.id FROM transfers r WHERE r.resolves = n.escrow) IS NULL
	ON CONFLICT DO NOTHING
	RETURNING id
), part AS (
	SELECT p.* FROM kept
	JOIN unnest($9::text[], $10::text[], $11::bigint[], $12::bigint[]) AS p (transfer_id, account_id, amount, sign) ON p.transfer_id = kept.id
), changed AS (
	INSERT INTO accounts AS a (id, balance)
	SELECT account_id, GREATEST(amount * sign, 0) FROM part
	WHERE sign <> 0 AND (amount * sign > 0 OR (SELECT h.balance FROM accounts h WHERE h.id = account_id) IS NOT NULL)
	ORDER BY account_id
	ON CONFLICT (id) DO UPDATE SET balance = a.balance + (SELECT amount * sign FROM part WHERE account_id = a.id AND sign <> 0)
	RETURNING id, balance
)
INSERT INTO entries (transfer_id, account_id, amount, balance)
SELECT transfer_id, account_id, amount, CASE sign WHEN 0 THEN 0 ELSE changed.balance * sign END
FROM part LEFT JOIN changed ON changed.id = account_id
RETURNING transfer_id, account_id, balance`

// postAtOnce is postAll on PostgreSQL, for transfers that have no stored account in
// common.
func postAtOnce(tx *gorm.DB, transfers []*wallet.Transfer) (fresh int, err error) {
	n := len(transfers)
	ids, keys, hashes, kinds := make([]string, n), make([]string, n), make([][]byte, n), make([]string, n)
	resolves, data, ats, escrows := make([]string, n), make([]string, n), make([]int64, n), make([]string, n)
	var of, accounts []string
	var amounts, signs []int64
	for i, t := range transfers {
		hash := t.Hash()
		ids[i], keys[i], hashes[i], kinds[i] = t.ID, t.Key, hash[:], string(t.Kind)
		resolves[i], data[i], ats[i] = t.Resolves, string(t.Data), millis(t.At)
		for _, e := range t.Entries {
			sign := int64(0)
			if e.Account.Stored() {
				sign = e.Account.Sign()
			}
			if e.Account.IsEscrow() {
				escrows[i] = string(e.Account)
			}
			of, accounts, amounts, signs = append(of, t.ID), append(accounts, string(e.Account)), append(amounts, e.Amount), append(signs, sign)
		}
	}
	// Past GORM, which would take the arrays apart.
	rows, err := tx.Statement.ConnPool.QueryContext(tx.Statement.Context, postSQL,
		ids, keys, hashes, kinds, resolves, data, ats, escrows, of, accounts, amounts, signs)
	if err != nil {
		return 0, refusal(err)
	}
	defer rows.Close()
	kept := map[string]bool{}
	for rows.Next() {
		var transfer, account string
		var balance int64
		if err := rows.Scan(&transfer, &account, &balance); err != nil {
			return 0, err
		}
		t := transfers[slices.Index(ids, transfer)]
		i := slices.IndexFunc(t.Entries, func(e wallet.Entry) bool { return string(e.Account) == account })
		t.Entries[i].Balance = balance
		kept[transfer] = true
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, refusal(err)
	}
	for _, t := range transfers {
		for _, e := range t.Entries {
			if kept[t.ID] {
				if err := mayMove(tx, t, e); err != nil {
					return 0, err
				}
			}
		}
	}
	return len(kept), nil
}

// refusal is what the database means by refusing a posting.
func refusal(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if ok && (pg.ConstraintName == "accounts_balance_check" || pg.TableName == "entries" && pg.ColumnName == "balance") {
		return wallet.ErrInsufficient
	}
	return err
}

// postStepwise is postAll for one transfer on SQLite, which has no statement for
// several tables, and needs none: there a statement is no more than a call.
func postStepwise(tx *gorm.DB, t *wallet.Transfer) (fresh bool, err error) {
	db, ctx, hash := tx.Statement.ConnPool, tx.Statement.Context, t.Hash()
	result, err := db.ExecContext(ctx, `INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at) VALUES (?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?) ON CONFLICT DO NOTHING`,
		t.ID, t.Key, hash[:], string(t.Kind), t.Resolves, string(t.Data), millis(t.At))
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	entries := make([]any, 0, 4*len(t.Entries))
	for i, e := range t.Entries {
		if t.Entries[i].Balance, err = move(tx, e.Account, e.Amount); err != nil {
			return false, err
		}
		if err := mayMove(tx, t, t.Entries[i]); err != nil {
			return false, err
		}
		entries = append(entries, t.ID, string(e.Account), e.Amount, t.Entries[i].Balance)
	}
	_, err = db.ExecContext(ctx, `INSERT INTO entries (transfer_id, account_id, amount, balance) VALUES (?, ?, ?, ?)`+
		strings.Repeat(`, (?, ?, ?, ?)`, len(t.Entries)-1), entries...)
	return true, err
}

// move changes an account's stored balance, if it has one, and returns it in the
// ledger's direction.
func move(tx *gorm.DB, id wallet.AccountID, amount int64) (int64, error) {
	if !id.Stored() {
		return 0, nil
	}
	db, ctx, change := tx.Statement.ConnPool, tx.Statement.Context, amount*id.Sign()
	for first := true; ; first = false {
		var balance int64
		err := db.QueryRowContext(ctx, `UPDATE accounts SET balance = balance + ? WHERE id = ? AND balance + ? >= 0 RETURNING balance`,
			change, string(id), change).Scan(&balance)
		switch {
		case err == nil:
			return balance * id.Sign(), nil
		case !errors.Is(err, sql.ErrNoRows):
			return 0, err
		case !first || change < 0:
			return 0, wallet.ErrInsufficient
		}
		// The account's first coins.
		if _, err := db.ExecContext(ctx, `INSERT INTO accounts (id, balance) VALUES (?, 0) ON CONFLICT DO NOTHING`, string(id)); err != nil {
			return 0, err
		}
	}
}

// mayMove refuses what an escrow may not do: take coins when it has come to its
// end, or keep some at its end. It asks in a statement of its own when the escrow's
// row is changed, and so held, already: whoever brings the escrow to its end has done
// so or waits.
func mayMove(tx *gorm.DB, t *wallet.Transfer, e wallet.Entry) error {
	switch {
	case !e.Account.IsEscrow():
		return nil
	case t.Resolves == string(e.Account):
		if e.Balance != 0 {
			return fmt.Errorf("store: transfer %s would leave %d coins in %s", t.Key, e.Balance, e.Account)
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

// posted is the transfer that was posted before under the key of t. If none was, what
// t resolves, or the escrow that it has a part in, is resolved.
func posted(tx *gorm.DB, t *wallet.Transfer) (*wallet.Transfer, error) {
	hash := t.Hash()
	var row transferRow
	err := tx.Where("idem_key = ?", t.Key).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, wallet.ErrResolved
	case err != nil:
		return nil, err
	case !bytes.Equal(row.Hash, hash[:]):
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
