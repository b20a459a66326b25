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
	{wallet.Unbalanced, `
		SELECT t.id AS subject, 0 AS want, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS got
		FROM transfers t LEFT JOIN entries e ON e.transfer_id = t.id
		GROUP BY t.id HAVING COUNT(e.amount) < 2 OR SUM(e.amount) <> 0 ORDER BY t.id LIMIT ?`},
	{wallet.WrongBalance, `
		SELECT id AS subject, want, got FROM (
			SELECT a.id AS id, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) * CASE WHEN a.id LIKE 'debt:%' THEN -1 ELSE 1 END AS want, a.balance AS got
			FROM accounts a LEFT JOIN entries e ON e.account_id = a.id GROUP BY a.id, a.balance
			UNION ALL
			SELECT e.account_id, CAST(SUM(e.amount) AS BIGINT), 0 FROM entries e
			WHERE e.account_id NOT LIKE 'house:%' AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = e.account_id)
			GROUP BY e.account_id
		) AS sums WHERE want <> got ORDER BY id LIMIT ?`},
	{wallet.OpenEscrow, `
		SELECT a.id AS subject, 0 AS want, a.balance AS got
		FROM accounts a JOIN transfers t ON t.resolves = a.id
		WHERE a.balance <> 0 ORDER BY a.id LIMIT ?`},
	// A key is league.PrizeKey's: the season from its 8th character, the player from
	// its 19th.
	{wallet.WrongPrize, `
		SELECT subject, want, got FROM (
			SELECT 'league:' || s.season || ':' || s.player_id AS subject, s.prize AS want, COALESCE((
				SELECT e.amount FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.account_id = 'player:' || s.player_id
				WHERE t.idem_key = 'league:' || s.season || ':' || s.player_id), 0) AS got
			FROM league_scores s WHERE s.prize > 0
			UNION ALL
			SELECT t.idem_key, 0, COALESCE((SELECT SUM(e.amount) FROM entries e WHERE e.transfer_id = t.id AND e.amount > 0), 0)
			FROM transfers t WHERE t.kind = 'prize' AND NOT EXISTS (
				SELECT 1 FROM league_scores s
				WHERE s.player_id = substr(t.idem_key, 19) AND s.season = substr(t.idem_key, 8, 10) AND s.prize > 0)
		) AS prizes WHERE want <> got ORDER BY subject LIMIT ?`},
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
