package store_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/overview"
)

// BenchmarkOverview adds up a ledger of a year, of two entries for each transfer, by
// 10,000 players. CUATROLA_BENCH_TRANSFERS says of how many.
func BenchmarkOverview(b *testing.B) {
	transfers := 200_000
	if n, err := strconv.Atoi(os.Getenv("CUATROLA_BENCH_TRANSFERS")); err == nil {
		transfers = n
	}
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			storetest.Tampered(s) // there are no accounts
			fillLedger(b, s, transfers)
			w := newSeen(b, s, "Europe/Madrid")
			w.now = t0
			began := time.Now()
			if err := w.Service.Summarize(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.Logf("%d transfers are summed up in %v", transfers, time.Since(began))
			for _, one := range []struct {
				name string
				read func() error
			}{
				{"numbers", func() error { w.now = w.now.Add(6 * time.Second); _, err := w.Numbers(b.Context()); return err }},
				{"30 days", func() error { _, err := w.Series(b.Context(), overview.Days, 30); return err }},
				{"365 days", func() error { _, err := w.Series(b.Context(), overview.Days, 365); return err }},
				{"24 hours", func() error { _, err := w.Series(b.Context(), overview.Hours, 24); return err }},
			} {
				b.Run(one.name, func(b *testing.B) {
					for b.Loop() {
						if err := one.read(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// fillLedger writes transfers of the year before t0, evenly, of four kinds.
func fillLedger(b *testing.B, s *store.Store, n int) {
	b.Helper()
	pool, err := s.SQL()
	if err != nil {
		b.Fatal(err)
	}
	series := `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
	id, kind := `printf('%012d', i)`, `CASE i % 4 WHEN 0 THEN 'reward' WHEN 1 THEN 'daily' WHEN 2 THEN 'purchase' ELSE 'booster' END`
	hash := `x'00'`
	if s.Kind() == store.Postgres {
		series, id, hash = `WITH n AS (SELECT generate_series(1::bigint, $1::bigint) AS i) `, `lpad(i::text, 12, '0')`, `'\x00'::bytea`
	}
	from, year := strconv.FormatInt(t0.AddDate(-1, 0, 0).UnixMilli(), 10), strconv.FormatInt(365*24*3600*1000, 10)
	count := strconv.Itoa(n)
	for _, statement := range []string{
		`INSERT INTO transfers (id, idem_key, hash, kind, at) ` + series + `SELECT ` + id + `, ` + id + `, ` + hash + `, ` + kind + `, ` + from + ` + i * ` + year + ` / ` + count + ` FROM n`,
		`INSERT INTO entries (transfer_id, account_id, amount, balance) ` + series + `SELECT ` + id + `, CASE i % 4 WHEN 0 THEN 'house:rewards' WHEN 1 THEN 'house:grants' WHEN 2 THEN 'house:sales' ELSE 'house:spending' END, CASE i % 4 WHEN 3 THEN 90 ELSE -60 END, 0 FROM n`,
		`INSERT INTO entries (transfer_id, account_id, amount, balance) ` + series + `SELECT ` + id + `, 'player:' || (i % 10000), CASE i % 4 WHEN 3 THEN -90 ELSE 60 END, 0 FROM n`,
	} {
		if _, err := pool.ExecContext(b.Context(), statement, n); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := pool.ExecContext(b.Context(), "ANALYZE"); err != nil {
		b.Fatal(err)
	}
}
