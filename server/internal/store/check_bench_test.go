package store_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// BenchmarkCheckLedger checks a ledger of a million entries: five thousand players,
// two hundred thousand seats at matches that have paid, and three hundred thousand
// other transfers.
func BenchmarkCheckLedger(b *testing.B) {
	const series = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < `
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			pool, err := s.SQL()
			if err != nil {
				b.Fatal(err)
			}
			for _, statement := range []string{
				`INSERT INTO players (id, name, guest, created_at) ` + series + `4999) SELECT 'p' || i, 'P', TRUE, 0 FROM n`,
				`INSERT INTO matches (id, rules, status, server_seed, turn_ms, bot_pause_ms, created_at, mode, economy)
					` + series + `49999) SELECT 'm' || i, '"liga"', 'over', '', 1, 1, 0, 'online', 1 FROM n`,
				`INSERT INTO match_seats (match_id, seat, player_id, reward)
					` + series + `199999) SELECT 'm' || (i / 4), i % 4, 'p' || (i % 5000), 20 FROM n`,
				`INSERT INTO transfers (id, idem_key, hash, kind, at)
					` + series + `199999) SELECT 'r' || i, 'match:m' || (i / 4) || ':p' || (i % 5000), '', 'reward', 0 FROM n`,
				`INSERT INTO transfers (id, idem_key, hash, kind, at)
					` + series + `299999) SELECT 'g' || i, 'grant:' || i, '', 'grant', 0 FROM n`,
				`INSERT INTO entries (transfer_id, account_id, amount, balance)
					SELECT t.id, 'player:p' || (CAST(substr(t.id, 2) AS INTEGER) % 5000), 20, 20 FROM transfers t`,
				`INSERT INTO entries (transfer_id, account_id, amount, balance)
					SELECT t.id, CASE t.kind WHEN 'reward' THEN 'house:rewards' ELSE 'house:grants' END, -20, 0 FROM transfers t`,
				`INSERT INTO accounts (id, balance) SELECT account_id, SUM(amount) FROM entries WHERE account_id LIKE 'player:%' GROUP BY account_id`,
				`ANALYZE`,
			} {
				if _, err := pool.ExecContext(b.Context(), statement); err != nil {
					b.Fatal(statement, err)
				}
			}
			for b.Loop() {
				if found, err := s.CheckLedger(b.Context(), 10); err != nil || len(found) > 0 {
					b.Fatal(found, err)
				}
			}
		})
	}
}
