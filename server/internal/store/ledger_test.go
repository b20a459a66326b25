package store_test

import (
	"cmp"
	"database/sql"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// transfer makes one that must be sound.
func transfer(t testing.TB, key string, kind wallet.Kind, resolves string, entries ...wallet.Entry) *wallet.Transfer {
	t.Helper()
	tr, err := wallet.New(newID(t), key, kind, t0, entries...)
	if err != nil {
		t.Fatal(err)
	}
	tr.Resolves = resolves
	return tr
}

func balance(t testing.TB, s *store.Store, id wallet.AccountID) int64 {
	t.Helper()
	b, err := s.Balance(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func addsUp(t testing.TB, s *store.Store) {
	t.Helper()
	storetest.AddsUp(t, s)
}

func TestPost(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, table := wallet.Player("ana"), wallet.Escrow("table")

		welcome := transfer(t, "welcome:ana", wallet.KindWelcome, "", wallet.Move(wallet.Grants, ana, 500)...)
		welcome.Data = []byte(`{"reason":"welcome"}`)
		kept, replayed, err := s.Post(ctx, welcome)
		if err != nil || replayed || balance(t, s, ana) != 500 || balance(t, s, wallet.Grants) != -500 {
			t.Fatalf("%+v, %v, %v", kept, replayed, err)
		}

		// Again, with another id and at another time: the same transfer.
		again := transfer(t, "welcome:ana", wallet.KindWelcome, "", wallet.Move(wallet.Grants, ana, 500)...)
		again.Data, again.At = welcome.Data, t0.Add(time.Hour)
		kept, replayed, err = s.Post(ctx, again)
		if err != nil || !replayed || !reflect.DeepEqual(kept, welcome) || balance(t, s, ana) != 500 {
			t.Errorf("again: %+v, %v, %v; want %+v", kept, replayed, err, welcome)
		}
		// The key for something else.
		other := transfer(t, "welcome:ana", wallet.KindWelcome, "", wallet.Move(wallet.Grants, ana, 501)...)
		if _, _, err := s.Post(ctx, other); !errors.Is(err, wallet.ErrKeyUsed) {
			t.Errorf("another transfer with the key: %v", err)
		}

		// More than there is, and nothing of it is kept.
		much := transfer(t, "stake:1", wallet.KindStake, "", wallet.Move(ana, table, 501)...)
		if _, _, err := s.Post(ctx, much); !errors.Is(err, wallet.ErrInsufficient) || balance(t, s, table) != 0 {
			t.Errorf("too much: %v", err)
		}
		if _, err := s.Transfer(ctx, much.ID); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("half a transfer was kept: %v", err)
		}
		// The key of what was refused is free.
		stake := transfer(t, "stake:1", wallet.KindStake, "", wallet.Move(ana, table, 500)...)
		if _, _, err := s.Post(ctx, stake); err != nil || balance(t, s, ana) != 0 {
			t.Fatal(err)
		}

		// The escrow is brought to its end once.
		pot := transfer(t, "pot:table", wallet.KindPot, string(table), wallet.Move(table, wallet.Player("bea"), 500)...)
		if _, _, err := s.Post(ctx, pot); err != nil {
			t.Fatal(err)
		}
		refund := transfer(t, "refund:table", wallet.KindRefund, string(table), wallet.Move(table, ana, 500)...)
		if _, _, err := s.Post(ctx, refund); !errors.Is(err, wallet.ErrResolved) || balance(t, s, table) != 0 {
			t.Errorf("pot and refund: %v", err)
		}

		// What is owed counts downwards, and no further up than nothing.
		debt := wallet.Debt("ana")
		owe := transfer(t, "clawback:1", wallet.KindClawback, "", wallet.Move(debt, wallet.Sales, 300)...)
		if _, _, err := s.Post(ctx, owe); err != nil || balance(t, s, debt) != -300 {
			t.Errorf("a debt of %d: %v", balance(t, s, debt), err)
		}
		over := transfer(t, "settle:1", wallet.KindSettle, "", wallet.Move(wallet.Grants, debt, 301)...)
		if _, _, err := s.Post(ctx, over); !errors.Is(err, wallet.ErrInsufficient) {
			t.Errorf("paid more than is owed: %v", err)
		}

		got, err := s.Transfer(ctx, stake.ID)
		if err != nil || !reflect.DeepEqual(got, stake) {
			t.Errorf("Transfer = %+v, %v; want %+v", got, err, stake)
		}
		lines, err := s.Statement(ctx, ana, "", "", 10)
		if err != nil || len(lines) != 2 || lines[0].Amount != -500 || lines[0].Balance != 0 || lines[1].Balance != 500 ||
			string(lines[1].Data) != `{"reason":"welcome"}` {
			t.Errorf("statement: %+v, %v", lines, err)
		}
		if lines, err := s.Statement(ctx, ana, wallet.KindWelcome, stake.ID, 10); err != nil || len(lines) != 1 || lines[0].TransferID != welcome.ID {
			t.Errorf("statement of one kind, from the second page: %+v, %v", lines, err)
		}
		late := transfer(t, "stake:late", wallet.KindStake, "", wallet.Move(wallet.Player("bea"), table, 1)...)
		if _, _, err := s.Post(ctx, late); !errors.Is(err, wallet.ErrResolved) {
			t.Errorf("a stake on a table that has been paid out: %v", err)
		}
		second := wallet.Escrow("second")
		for _, tr := range []*wallet.Transfer{
			transfer(t, "stake:2", wallet.KindStake, "", wallet.Move(wallet.Player("bea"), second, 5)...),
			transfer(t, "pot:second", wallet.KindPot, string(second), wallet.Move(second, ana, 4)...),
		} {
			_, _, err = s.Post(ctx, tr)
		}
		if err == nil || balance(t, s, second) != 5 {
			t.Errorf("an escrow came to its end with %d coins: %v", balance(t, s, second), err)
		}
		addsUp(t, s)
	})
}

// The database itself refuses to change the past, and what is forced upon it the
// check finds.
func TestTheLedgerIsGuarded(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			o := storetest.Options(t, kind)
			s := storetest.Open(t, o)
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			tr := transfer(t, "g", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player("ana"), 10)...)
			if _, _, err := s.Post(t.Context(), tr); err != nil {
				t.Fatal(err)
			}
			db := rawDatabase(t, kind, o)
			for _, statement := range []string{
				`UPDATE entries SET amount = amount + 1`, `DELETE FROM entries`,
				`UPDATE transfers SET kind = 'gift'`, `DELETE FROM transfers`,
				`UPDATE accounts SET balance = -1`,
			} {
				if _, err := db.ExecContext(t.Context(), statement); err == nil {
					t.Errorf("the database did it: %s", statement)
				}
			}
			addsUp(t, s)
		})
	}
}

// What is forced upon the database all the same, the check finds, and says where.
func TestTheCheckFindsWhatIsWrong(t *testing.T) {
	const mismatch = "match:%[1]s:%[2]s"
	add := func(id, key, kind, entries string) []string {
		return []string{
			`INSERT INTO transfers (id, idem_key, hash, kind, at) VALUES ('` + id + `', '` + key + `', 'x', '` + kind + `', 0)`,
			`INSERT INTO entries (transfer_id, account_id, amount, balance) VALUES ` + entries,
		}
	}
	for what, c := range map[string]struct {
		// %[1]s is the match, %[2]s who won it, %[3]s who lost it.
		tamper []string
		want   []wallet.Discrepancy
	}{
		"a balance": {
			[]string{`UPDATE accounts SET balance = balance + 1 WHERE id = 'player:%[2]s'`},
			[]wallet.Discrepancy{{What: wallet.WrongBalance, Subject: "player:%[2]s", Want: 60, Got: 61}},
		},
		"a balance out of nothing": {
			[]string{`INSERT INTO accounts (id, balance) VALUES ('player:eva', 7)`},
			[]wallet.Discrepancy{{What: wallet.WrongBalance, Subject: "player:eva", Got: 7}},
		},
		"an account that is gone": {
			[]string{`DELETE FROM accounts WHERE id = 'player:%[3]s'`},
			[]wallet.Discrepancy{{What: wallet.WrongBalance, Subject: "player:%[3]s", Want: 20}},
		},
		"half a transfer": {
			add("x", "x", "gift", `('x', 'player:eva', 7, 7)`),
			[]wallet.Discrepancy{
				{What: wallet.Unbalanced, Subject: "x", Got: 7},
				{What: wallet.UnbalancedLedger, Subject: "entries", Got: 7},
				{What: wallet.WrongBalance, Subject: "player:eva", Want: 7},
			},
		},
		"a transfer of nothing": {
			[]string{`INSERT INTO transfers (id, idem_key, hash, kind, at) VALUES ('x', 'x', 'x', 'gift', 0)`},
			[]wallet.Discrepancy{{What: wallet.Unbalanced, Subject: "x"}},
		},
		"less than nothing": {
			append([]string{negatives, `INSERT INTO accounts (id, balance) VALUES ('player:eva', -7)`},
				add("x", "x", "gift", `('x', 'player:eva', -7, -7), ('x', 'house:grants', 7, 0)`)...),
			[]wallet.Discrepancy{{What: wallet.NegativeBalance, Subject: "player:eva", Got: -7}},
		},
		"an escrow past its end": {
			append(add("x", "x", "stake", `('x', 'escrow:t', 7, 7), ('x', 'house:grants', -7, 0)`),
				`INSERT INTO accounts (id, balance) VALUES ('escrow:t', 7)`,
				`INSERT INTO transfers (id, idem_key, hash, kind, resolves, at) VALUES ('y', 'y', 'x', 'pot', 'escrow:t', 0)`,
				`INSERT INTO entries (transfer_id, account_id, amount, balance) VALUES ('y', 'house:grants', -1, 0), ('y', 'house:sales', 1, 0)`),
			[]wallet.Discrepancy{{What: wallet.OpenEscrow, Subject: "escrow:t", Got: 7}},
		},
		"a match that says nothing": {
			[]string{`UPDATE match_seats SET reward = NULL WHERE player_id = '%[2]s'`},
			[]wallet.Discrepancy{
				{What: wallet.UnsettledMatch, Subject: mismatch}, {What: wallet.WrongReward, Subject: mismatch, Got: 60},
			},
		},
		"an open match that has paid": {
			[]string{`UPDATE matches SET status = 'open'`},
			[]wallet.Discrepancy{
				{What: wallet.UnsettledMatch, Subject: mismatch, Got: 60}, {What: wallet.UnsettledMatch, Subject: "match:%[1]s:%[3]s", Got: 20},
			},
		},
		"a match that says more": {
			[]string{`UPDATE match_seats SET reward = 61 WHERE player_id = '%[2]s'`},
			[]wallet.Discrepancy{{What: wallet.WrongReward, Subject: mismatch, Want: 61, Got: 60}},
		},
		"a match that pays twice": {
			append(add("x", "again", "reward", `('x', 'player:%[2]s', 60, 120), ('x', 'house:rewards', -60, 0)`),
				`UPDATE accounts SET balance = 120 WHERE id = 'player:%[2]s'`),
			[]wallet.Discrepancy{{What: wallet.WrongReward, Subject: "again", Got: 60}},
		},
		"a match that has not paid": {
			[]string{`UPDATE match_seats SET reward = 5, player_id = '%[4]s', bot_level = '' WHERE seat = 3`},
			[]wallet.Discrepancy{{What: wallet.WrongReward, Subject: "match:%[1]s:%[4]s", Want: 5}},
		},
		"a prize that nobody won": {
			append(add("x", "league:2026-01-05:%[2]s", "prize", `('x', 'player:%[2]s', 500, 560), ('x', 'house:prizes', -500, 0)`),
				`UPDATE accounts SET balance = 560 WHERE id = 'player:%[2]s'`),
			[]wallet.Discrepancy{{What: wallet.WrongPrize, Subject: "league:2026-01-05:%[2]s", Got: 500}},
		},
		"a prize that is not paid": {
			[]string{
				`INSERT INTO league_seasons (id, starts_at, ends_at, economy, state, closed_at) VALUES ('2026-01-05', 0, 1, 1, 'closed', 2)`,
				`INSERT INTO league_scores (player_id, season, division, group_no, points, matches, first_at, reached_at, "rank", prize, moved, next_division, next_level)
					VALUES ('%[2]s', '2026-01-05', 'bronce', 1, 9, 1, 0, 0, 1, 500, 1, 'plata', 1)`,
			},
			[]wallet.Discrepancy{{What: wallet.WrongPrize, Subject: "league:2026-01-05:%[2]s", Want: 500}},
		},
		"coins beside a debt": {
			append(add("x", "x", "clawback", `('x', 'debt:%[2]s', -5, -5), ('x', 'house:sales', 5, 0)`),
				`INSERT INTO accounts (id, balance) VALUES ('debt:%[2]s', 5)`, `UPDATE accounts SET owes = TRUE WHERE id = 'player:%[2]s'`),
			[]wallet.Discrepancy{{What: wallet.UnsettledDebt, Subject: "debt:%[2]s", Got: 5}},
		},
		"a debt that nobody knows of": {
			append(add("x", "x", "clawback", `('x', 'debt:%[4]s', -5, -5), ('x', 'house:sales', 5, 0)`),
				`INSERT INTO accounts (id, balance) VALUES ('debt:%[4]s', 5)`),
			[]wallet.Discrepancy{{What: wallet.UnsettledDebt, Subject: "debt:%[4]s", Got: 5}},
		},
		"an order that says more": {
			[]string{`INSERT INTO orders (id, player_id, sku, economy, goods, amount, currency, provider, sheet, renews, live, status, created_at, expires_at,
				paid_at, reversals, given_coins, given_boosters, given_days, delivered_at, version)
				VALUES ('x', '%[2]s', 'chest', 1, '{}', 1, 'EUR', 'stripe', FALSE, '', TRUE, 'granted', 0, 0, 1, '{}', 7, 0, 0, 0, 1)`},
			[]wallet.Discrepancy{{What: wallet.WrongOrder, Subject: "order:x", Want: 7}},
		},
		"coins of no order": {
			append(add("x", "order:none:1", "purchase", `('x', 'player:%[2]s', 500, 560), ('x', 'house:sales', -500, 0)`),
				`UPDATE accounts SET balance = 560 WHERE id = 'player:%[2]s'`),
			[]wallet.Discrepancy{{What: wallet.WrongOrder, Subject: "order:none:1", Got: 500}},
		},
	} {
		for _, kind := range storetest.Kinds {
			t.Run(what+", "+kind, func(t *testing.T) {
				o := storetest.Options(t, kind)
				s := storetest.Open(t, o)
				if _, err := s.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				storetest.Tampered(s)
				match, won, lost, nobody := settledMatch(t, s)
				db := rawDatabase(t, kind, o)
				db.SetMaxOpenConns(1) // what negatives says, it says to its connection
				fill := strings.NewReplacer("%[1]s", match, "%[2]s", won, "%[3]s", lost, "%[4]s", nobody)
				for _, statement := range c.tamper {
					if statement == negatives && kind == store.Postgres {
						statement = `ALTER TABLE accounts DROP CONSTRAINT accounts_balance_check`
					}
					if _, err := db.ExecContext(t.Context(), fill.Replace(statement)); err != nil {
						t.Fatal(statement, err)
					}
				}
				found, err := s.CheckLedger(t.Context(), 10)
				var want []wallet.Discrepancy
				for _, d := range c.want {
					d.Subject = fill.Replace(d.Subject)
					want = append(want, d)
				}
				slices.SortFunc(found, bySubject)
				slices.SortFunc(want, bySubject)
				if err != nil || !reflect.DeepEqual(found, want) {
					t.Errorf("found %+v, %v; want %+v", found, err, want)
				}
				if one, err := s.CheckLedger(t.Context(), 1); err != nil || len(one) != 1 {
					t.Errorf("at most one: %+v, %v", one, err)
				}
			})
		}
	}
}

// settledMatch is one that has paid 60 coins to who won it, and 20 to who lost it. The
// other seats are bots', and nobody has played anything.
func settledMatch(t *testing.T, s *store.Store) (id, won, lost, nobody string) {
	t.Helper()
	s.SettleWith(newPurses(t, s).Settle)
	ana, bea, none := addPlayer(t, s, "Ana"), addPlayer(t, s, "Bea"), addPlayer(t, s, "Nobody")
	m := newMatch(t, ana, bea)
	m.Mode, m.Economy = economy.Online, 1
	if _, err := s.CreateMatch(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	last, result := ended()
	if err := s.FinishMatch(t.Context(), m.ID, last, result); err != nil {
		t.Fatal(err)
	}
	addsUp(t, s)
	return m.ID, ana.ID, bea.ID, none.ID
}

func bySubject(a, b wallet.Discrepancy) int {
	return cmp.Or(strings.Compare(a.What, b.What), strings.Compare(a.Subject, b.Subject))
}

// negatives lets a balance be below zero.
const negatives = `PRAGMA ignore_check_constraints = ON`

func rawDatabase(t *testing.T, kind string, o store.Options) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", o.URL
	if kind == store.SQLite {
		driver, dsn = "sqlite", "file:"+(&url.URL{Path: o.File}).EscapedPath()
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
