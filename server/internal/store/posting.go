package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Post implements wallet.Store.
func (s *Store) Post(ctx context.Context, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	db := s.writing(ctx)
	// In a unit of work a statement that fails would take the others with it.
	if s.kind == Postgres && unit.Of(ctx) == nil && !slices.ContainsFunc(t.Entries, func(e wallet.Entry) bool { return e.Account.IsEscrow() || e.Account.IsDebt() }) {
		// One statement is its own transaction.
		fresh, _, err := postAtOnce(db, []*wallet.Transfer{t}, true)
		if !errors.Is(err, wallet.ErrInsufficient) || !slices.ContainsFunc(t.Entries, credits) {
			return outcome(db, t, fresh, err)
		}
		// Or a player who is to get something owes, which takes more than one.
	}
	err = db.Transaction(func(tx *gorm.DB) error {
		kept, replayed, err = post(tx, t)
		return err
	})
	return kept, replayed, err
}

// credits says whether an entry gives a player coins.
func credits(e wallet.Entry) bool {
	return e.Amount > 0 && e.Account.Owner() != "" && !e.Account.IsDebt()
}

// post is Post inside a transaction, for what settles together with other rows.
// After an error the transaction must be given up.
func post(tx *gorm.DB, t *wallet.Transfer) (kept *wallet.Transfer, replayed bool, err error) {
	fresh, err := postAll(tx, t)
	return outcome(tx, t, fresh, err)
}

func outcome(tx *gorm.DB, t *wallet.Transfer, fresh int, err error) (kept *wallet.Transfer, replayed bool, _ error) {
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
// the transaction must be given up. What a player is given who owes pays the debt
// first.
//
// Accounts are changed in the order of their names, so that two postings never wait
// for each other's rows; but a debt's row is held by whoever holds its player's.
func postAll(tx *gorm.DB, transfers ...*wallet.Transfer) (fresh int, err error) {
	if err := holdDebtors(tx, transfers); err != nil {
		return 0, err
	}
	fresh, owing, err := postEach(tx, transfers)
	if err != nil {
		return 0, err
	}
	return fresh, settleDebts(tx, transfers, owing)
}

// postEach is postAll without what it does about debts. It returns which players
// have been given coins that owe.
func postEach(tx *gorm.DB, transfers []*wallet.Transfer) (fresh int, owing []debtor, err error) {
	if tx.Name() != Postgres {
		for _, t := range transfers {
			ok, owe, err := postStepwise(tx, t)
			if err != nil {
				return 0, nil, err
			}
			if ok {
				fresh++
			}
			owing = append(owing, owe...)
		}
		return fresh, owing, nil
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
		ok, owe, err := postAtOnce(tx, transfers[:n], false)
		if err != nil {
			return 0, nil, err
		}
		fresh, owing, transfers = fresh+ok, append(owing, owe...), transfers[n:]
	}
	return fresh, owing, nil
}

// postSQL keeps transfers, balances and entries in one statement, for a round trip to
// PostgreSQL costs as much as all the rest of a posting. It takes 7 parameters for each
// transfer, then 4 for each entry.
//
// What a refused transfer would leave half done, PostgreSQL itself refuses: a balance
// below zero, or an entry without one, which is that of an account that has nothing and
// should give something.
//
// The values are single parameters, not arrays: how many rows an array has the planner
// learns only when it is there, so it would make a plan each time, which takes longer than
// the posting. The balance that a new row must not have is looked up by a subquery that
// returns one value: only so is it looked up row by row, whatever the sizes.
//
// A statement that stands alone gives a player who owes nothing, and fails: there would
// be no transaction in which to pay the debt.
func postSQL(transfers, entries int, alone bool) string {
	var text strings.Builder
	text.WriteString(`WITH kept AS (
	INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at) VALUES `)
	n := 0
	values := func(rows int, row string) {
		for i := range rows {
			if i > 0 {
				text.WriteString(", ")
			}
			for _, c := range row {
				if c == '$' {
					n++
					text.WriteString("$" + strconv.Itoa(n))
				} else {
					text.WriteRune(c)
				}
			}
		}
	}
	values(transfers, `($, $, $, $, NULLIF($, ''), NULLIF($, ''), $)`)
	text.WriteString(`
	ON CONFLICT DO NOTHING RETURNING id
), part AS (
	SELECT p.* FROM kept JOIN (VALUES `)
	values(entries, `($::text, $::text, $::bigint, $::bigint)`)
	text.WriteString(`) AS p (transfer_id, account_id, amount, sign) ON p.transfer_id = kept.id
), changed AS (
	INSERT INTO accounts AS a (id, balance)
	SELECT account_id, GREATEST(amount * sign, 0) FROM part
	WHERE sign <> 0 AND (amount * sign > 0 OR (SELECT h.balance FROM accounts h WHERE h.id = account_id) IS NOT NULL)
	ORDER BY account_id
	ON CONFLICT (id) DO UPDATE SET balance = a.balance + (SELECT amount * sign FROM part WHERE account_id = a.id AND sign <> 0)`)
	const insert = `
INSERT INTO entries (transfer_id, account_id, amount, balance)
SELECT transfer_id, account_id, amount, CASE sign WHEN 0 THEN 0 ELSE changed.balance * sign END
FROM part LEFT JOIN changed ON changed.id = account_id
RETURNING transfer_id, account_id, balance`
	if alone {
		text.WriteString(`
	WHERE NOT a.owes
	RETURNING id, balance
)` + insert + `, FALSE`)
		return text.String()
	}
	text.WriteString(`
	RETURNING id, balance, owes
), written AS (` + insert + `
)
SELECT transfer_id, account_id, written.balance, COALESCE(owes, FALSE)
FROM written LEFT JOIN changed ON changed.id = account_id`)
	return text.String()
}

// Most postings are a single transfer between two accounts.
var postPairSQL, postPairAloneSQL = postSQL(1, 2, false), postSQL(1, 2, true)

// postAtOnce is postEach on PostgreSQL, for transfers that have no stored account in
// common.
func postAtOnce(tx *gorm.DB, transfers []*wallet.Transfer, alone bool) (fresh int, owing []debtor, err error) {
	var args, entries []any
	for _, t := range transfers {
		// A first look, so that who is too late is told so and not that coins are
		// missing. The look that counts comes below.
		if err := isOpen(tx, t); errors.Is(err, wallet.ErrResolved) {
			continue
		} else if err != nil {
			return 0, nil, err
		}
		hash := t.Hash()
		args = append(args, t.ID, t.Key, hash[:], string(t.Kind), t.Resolves, string(t.Data), millis(t.At))
		for _, e := range t.Entries {
			sign := int64(0)
			if e.Account.Stored() {
				sign = e.Account.Sign()
			}
			entries = append(entries, t.ID, string(e.Account), e.Amount, sign)
		}
	}
	if len(args) == 0 {
		return 0, nil, nil
	}
	statement := postPairSQL
	if alone {
		statement = postPairAloneSQL
	}
	if len(args) != 7 || len(entries) != 2*4 {
		statement = postSQL(len(args)/7, len(entries)/4, alone)
	}
	// Past GORM, which would look through it for something to fill in.
	rows, err := tx.Statement.ConnPool.QueryContext(tx.Statement.Context, statement, append(args, entries...)...)
	if err != nil {
		return 0, nil, refusal(err)
	}
	defer rows.Close()
	kept := map[string]bool{}
	for rows.Next() {
		var transfer, account string
		var balance int64
		var owes bool
		if err := rows.Scan(&transfer, &account, &balance, &owes); err != nil {
			return 0, nil, err
		}
		t := transfers[slices.IndexFunc(transfers, func(t *wallet.Transfer) bool { return t.ID == transfer })]
		i := slices.IndexFunc(t.Entries, func(e wallet.Entry) bool { return string(e.Account) == account })
		t.Entries[i].Balance = balance
		kept[transfer] = true
		if owes && credits(t.Entries[i]) {
			owing = append(owing, debtor{t.Entries[i].Account.Owner(), t})
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return 0, nil, refusal(err)
	}
	for _, t := range transfers {
		if !kept[t.ID] {
			continue
		}
		if err := isEmptied(t); err != nil {
			return 0, nil, err
		}
		// The escrow's row is held by now, and this is a statement of its own: whoever
		// brings the escrow to its end has done so, or waits.
		if err := isOpen(tx, t); err != nil {
			return 0, nil, err
		}
	}
	return len(kept), owing, nil
}

// refusal is what the database means by refusing a posting.
func refusal(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if ok && (pg.ConstraintName == "accounts_balance_check" || pg.TableName == "entries" && pg.ColumnName == "balance") {
		return wallet.ErrInsufficient
	}
	return err
}

// postStepwise is postEach for one transfer on SQLite, which has no statement for
// several tables, and needs none: there a statement is no more than a call.
func postStepwise(tx *gorm.DB, t *wallet.Transfer) (fresh bool, owing []debtor, err error) {
	db, ctx, hash := tx.Statement.ConnPool, tx.Statement.Context, t.Hash()
	result, err := db.ExecContext(ctx, `INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at) VALUES (?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?) ON CONFLICT DO NOTHING`,
		t.ID, t.Key, hash[:], string(t.Kind), t.Resolves, string(t.Data), millis(t.At))
	if err != nil {
		return false, nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, nil, err
	}
	if err := isOpen(tx, t); err != nil {
		return false, nil, err
	}
	entries := make([]any, 0, 4*len(t.Entries))
	for i, e := range t.Entries {
		var owes bool
		if t.Entries[i].Balance, owes, err = move(tx, e.Account, e.Amount); err != nil {
			return false, nil, err
		}
		if owes && credits(e) {
			owing = append(owing, debtor{e.Account.Owner(), t})
		}
		entries = append(entries, t.ID, string(e.Account), e.Amount, t.Entries[i].Balance)
	}
	if err := isEmptied(t); err != nil {
		return false, nil, err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO entries (transfer_id, account_id, amount, balance) VALUES (?, ?, ?, ?)`+
		strings.Repeat(`, (?, ?, ?, ?)`, len(t.Entries)-1), entries...)
	return true, owing, err
}

// move changes an account's stored balance, if it has one, and returns it in the
// ledger's direction, and whether its player owes.
func move(tx *gorm.DB, id wallet.AccountID, amount int64) (balance int64, owes bool, err error) {
	if !id.Stored() {
		return 0, false, nil
	}
	db, ctx, change := tx.Statement.ConnPool, tx.Statement.Context, amount*id.Sign()
	for first := true; ; first = false {
		err := db.QueryRowContext(ctx, `UPDATE accounts SET balance = balance + ? WHERE id = ? AND balance + ? >= 0 RETURNING balance, owes`,
			change, string(id), change).Scan(&balance, &owes)
		switch {
		case err == nil:
			return balance * id.Sign(), owes, nil
		case !errors.Is(err, sql.ErrNoRows):
			return 0, false, err
		case !first || change < 0:
			return 0, false, wallet.ErrInsufficient
		}
		// The account's first coins.
		if _, err := db.ExecContext(ctx, `INSERT INTO accounts (id, balance) VALUES (?, 0) ON CONFLICT DO NOTHING`, string(id)); err != nil {
			return 0, false, err
		}
	}
}

// isEmptied refuses a transfer that brings an escrow to its end with coins in it.
func isEmptied(t *wallet.Transfer) error {
	for _, e := range t.Entries {
		if e.Account.IsEscrow() && t.Resolves == string(e.Account) && e.Balance != 0 {
			return fmt.Errorf("store: transfer %s would leave %d coins in %s", t.Key, e.Balance, e.Account)
		}
	}
	return nil
}

// isOpen returns ErrResolved if another transfer has brought an escrow to its end that t
// has a part in.
func isOpen(tx *gorm.DB, t *wallet.Transfer) error {
	for _, e := range t.Entries {
		if !e.Account.IsEscrow() || t.Resolves == string(e.Account) {
			continue
		}
		var resolved bool
		err := tx.Raw(`SELECT EXISTS (SELECT 1 FROM transfers WHERE resolves = ?)`, string(e.Account)).Scan(&resolved).Error
		if err != nil {
			return err
		}
		if resolved {
			return wallet.ErrResolved
		}
	}
	return nil
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
