package store

import (
	"context"
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

// Balance implements wallet.Store.
func (s *Store) Balance(ctx context.Context, id wallet.AccountID) (int64, error) {
	db, sum := s.reading(ctx), int64(0)
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
	err := s.reading(ctx).Table("entries AS e").
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
	db := s.reading(ctx)
	var row transferRow
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err, "There is no such transfer.")
	}
	return withEntries(db, &row)
}

// ledgerChecks find what does not add up: each gives subject, want and got. Each
// reads what it needs once, and puts it together by grouping, never row by row.
var ledgerChecks = []struct{ what, query string }{
	{wallet.Unbalanced, `
		SELECT t.id AS subject, 0 AS want, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS got
		FROM transfers t LEFT JOIN entries e ON e.transfer_id = t.id
		GROUP BY t.id HAVING COUNT(e.amount) < 2 OR SUM(e.amount) <> 0 ORDER BY t.id LIMIT ?`},
	{wallet.UnbalancedLedger, `
		SELECT 'entries' AS subject, 0 AS want, CAST(SUM(amount) AS BIGINT) AS got
		FROM entries HAVING SUM(amount) <> 0 LIMIT ?`},
	{wallet.WrongBalance, `
		SELECT id AS subject, CAST(SUM(want) AS BIGINT) AS want, CAST(SUM(got) AS BIGINT) AS got FROM (
			SELECT id, 0 AS want, balance AS got FROM accounts
			UNION ALL
			SELECT account_id, CASE WHEN account_id LIKE 'debt:%' THEN -SUM(amount) ELSE SUM(amount) END, 0
			FROM entries WHERE account_id NOT LIKE 'house:%' GROUP BY account_id
		) AS sums GROUP BY id HAVING SUM(want) <> SUM(got) ORDER BY id LIMIT ?`},
	{wallet.NegativeBalance, `
		SELECT id AS subject, 0 AS want, balance AS got FROM accounts WHERE balance < 0 ORDER BY id LIMIT ?`},
	{wallet.OpenEscrow, `
		SELECT a.id AS subject, 0 AS want, a.balance AS got
		FROM accounts a JOIN transfers t ON t.resolves = a.id
		WHERE a.balance <> 0 ORDER BY a.id LIMIT ?`},
	{wallet.WrongEscrow, `
		SELECT subject, want, got FROM (
			SELECT 'escrow:' || s.id AS subject, CAST(s.stake * CASE
				WHEN s.status = 'open' THEN (SELECT COUNT(*) FROM tickets t JOIN ticket_players p ON p.ticket_id = t.id WHERE t.table_id = s.id)
				WHEN m.status = 'open' THEN 4
				ELSE 0 END AS BIGINT) AS want, COALESCE(a.balance, 0) AS got
			FROM stake_tables s LEFT JOIN matches m ON m.id = s.match_id LEFT JOIN accounts a ON a.id = 'escrow:' || s.id
		) AS tables WHERE want <> got ORDER BY subject LIMIT ?`},
	{wallet.UnsettledMatch, `
		SELECT 'match:' || s.match_id || ':' || s.player_id AS subject, 0 AS want, COALESCE(s.reward, 0) AS got
		FROM match_seats s JOIN matches m ON m.id = s.match_id
		WHERE s.player_id IS NOT NULL
			AND (m.status = 'over' AND m.mode IN ('online', 'friends', 'staked')) <> (s.reward IS NOT NULL)
		ORDER BY s.match_id, s.player_id LIMIT ?`},
	{wallet.WrongReward, settledOnce(wallet.KindReward, `
		SELECT 'match:' || match_id || ':' || player_id AS subject, player_id, reward AS want
		FROM match_seats WHERE reward > 0`)},
	{wallet.WrongPrize, settledOnce(wallet.KindPrize, `
		SELECT 'league:' || season || ':' || player_id AS subject, player_id, prize AS want
		FROM league_scores WHERE prize > 0`)},
	{wallet.UnsettledDebt, `
		SELECT d.id AS subject, 0 AS want, d.balance AS got
		FROM accounts d LEFT JOIN accounts p ON p.id = 'player:' || SUBSTR(d.id, 6)
		WHERE d.id LIKE 'debt:%' AND (d.balance > 0 AND p.balance > 0 OR COALESCE(p.owes, FALSE) <> (d.balance > 0)) ORDER BY d.id LIMIT ?`},
	// An order's transfers have its identifier and its version for a key; what is taken
	// back comes from the player's coins or is owed.
	{wallet.WrongOrder, `
		SELECT subject, want, got FROM (
			SELECT 'order:' || o.id AS subject, o.given_coins AS want, COALESCE((
				SELECT CAST(SUM(e.amount) AS BIGINT) FROM transfers t
				JOIN entries e ON e.transfer_id = t.id AND e.account_id IN ('player:' || o.player_id, 'debt:' || o.player_id)
				WHERE t.idem_key > 'order:' || o.id || ':' AND t.idem_key < 'order:' || o.id || ';'), 0) AS got
			FROM orders o
			UNION ALL
			SELECT t.idem_key, 0, CAST((SELECT SUM(e.amount) FROM entries e WHERE e.transfer_id = t.id AND e.account_id NOT LIKE 'house:%') AS BIGINT)
			FROM transfers t WHERE t.idem_key LIKE 'order:%' AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = SUBSTR(t.idem_key, 7, 36))
		) AS orders_given WHERE want <> got ORDER BY subject LIMIT ?`},
}

// settledOnce finds where the ledger's transfers of a kind are not what others say
// has been given: subject, the key of the transfer that it should be; player_id, to
// whom; want, how much. A key is used once, so that what was given a second time has
// a key that nobody says.
func settledOnce(kind wallet.Kind, said string) string {
	return `
		SELECT subject, CAST(SUM(want) AS BIGINT) AS want, CAST(SUM(got) AS BIGINT) AS got FROM (
			SELECT subject, 'player:' || player_id AS account, want, 0 AS got FROM (` + said + `) AS said
			UNION ALL
			SELECT t.idem_key, e.account_id, 0, e.amount
			FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.account_id NOT LIKE 'house:%'
			WHERE t.kind = '` + string(kind) + `'
		) AS sums GROUP BY subject, account HAVING SUM(want) <> SUM(got) ORDER BY subject, account LIMIT ?`
}

// CheckLedger implements wallet.Store. It reads one state of the database, so
// that what is posted meanwhile is either seen whole or not at all.
func (s *Store) CheckLedger(ctx context.Context, limit int) ([]wallet.Discrepancy, error) {
	return s.CheckLedgerBySteps(ctx, limit, func(int, int) {})
}

// CheckLedgerBySteps implements overview.Ledger. step is called while the database is
// being read: it may write, by another connection.
func (s *Store) CheckLedgerBySteps(ctx context.Context, limit int, step func(done, total int)) ([]wallet.Discrepancy, error) {
	var found []wallet.Discrepancy
	err := s.reading(ctx).Transaction(func(tx *gorm.DB) error {
		if s.kind == Postgres {
			if err := tx.Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").Error; err != nil {
				return err
			}
		}
		for i, check := range ledgerChecks {
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
			step(i+1, len(ledgerChecks))
		}
		return nil
	})
	return found, err
}

var _ wallet.Store = (*Store)(nil)
