package store_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// What a benchmark compares it does in turns of about a second each, so that both
// sides have the same of a machine that does other things too. All figures are
// medians of the turns.
const turns = 5

// receiptData is as long as that of a match's reward.
const receiptData = `{"economy": 1, "match": "00000000-0000-7000-8000-000000000000", "won": true, "base": 60, "steps": [], "coins": 60, "experience": 100, "leaguePoints": 10}`

const benchPlayers = 5000

// benchBase is the least number that has as many digits as all others.
const benchBase = 100_000_000_000

func benchPlayer(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%d", benchBase+n) }

// BenchmarkPostings posts rewards from as many clients as there are connections, in
// turns with the same work done by as little as can do it: on PostgreSQL pgbench, with
// the same statement; on SQLite the bare driver, with the same statements prepared.
// With one player, all of them change the same balance.
func BenchmarkPostings(b *testing.B) {
	for _, conns := range []int{16, 32} {
		for _, players := range []int{benchPlayers, 1} {
			b.Run(fmt.Sprintf("postgres/conns=%d/players=%d", conns, players), func(b *testing.B) {
				o := storetest.Options(b, store.Postgres)
				o.MaxConns = conns
				s := benchStore(b, o)
				comparePostings(b, s, conns, players, 3000, storetest.NewPgbench(b, o.URL, conns, pgbenchScript(players)).Run)
			})
		}
	}
	for _, players := range []int{benchPlayers, 1} {
		b.Run(fmt.Sprintf("sqlite/players=%d", players), func(b *testing.B) {
			const clients = 16
			o := storetest.Options(b, store.SQLite)
			benchStore(b, o) // of the same size, for the bare driver
			bare := newBareSQLite(b, o.File, clients, players)
			comparePostings(b, benchStore(b, storetest.Options(b, store.SQLite)), clients, players, 1000, bare.run)
		})
	}
}

// benchStore is a store with players who have coins.
func benchStore(b *testing.B, o store.Options) *store.Store {
	b.Helper()
	s := storetest.Open(b, o)
	if _, err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	db, err := s.SQL()
	if err != nil {
		b.Fatal(err)
	}
	tx, err := db.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := range benchPlayers {
		if _, err := tx.ExecContext(b.Context(), `INSERT INTO accounts (id, balance) VALUES ($1, 1000)`, "player:"+benchPlayer(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	storetest.Tampered(s) // rewards for matches that nobody has played
	return s
}

func comparePostings(b *testing.B, s *store.Store, clients, players, each int, alone func(postings int) float64) {
	b.Helper()
	var ours, theirs, ratios []float64
	round := 0
	turn := func() float64 {
		round++
		return postings(b, s, clients, players, each, round)
	}
	turn()
	alone(each)
	for b.Loop() {
		for range turns {
			x := alone(each)
			y := turn()
			ours, theirs, ratios = append(ours, y), append(theirs, x), append(ratios, y/x)
		}
	}
	b.ReportMetric(median(ours), "postings/s")
	b.ReportMetric(median(theirs), "alone/s")
	b.ReportMetric(median(ratios), "of-alone")
	b.ReportMetric(0, "ns/op")
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// together has each client do its part of n, and returns how many a second that was.
func together(b *testing.B, clients, n int, do func(client, i int) error) float64 {
	b.Helper()
	var wg sync.WaitGroup
	start := time.Now()
	for c := range clients {
		wg.Go(func() {
			for i := range n / clients {
				if err := do(c, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(n/clients*clients) / time.Since(start).Seconds()
}

func postings(b *testing.B, s *store.Store, clients, players, n, round int) float64 {
	b.Helper()
	return together(b, clients, n, func(client, i int) error {
		who := benchPlayer((i*clients + client) * 7919 % players)
		t, err := wallet.New(newID(b), fmt.Sprintf("match:%s:%s", newID(b), who), wallet.KindReward, time.Now(),
			wallet.Move(wallet.Rewards, wallet.Player(who), 5)...)
		if err != nil {
			return err
		}
		t.Data = []byte(receiptData)
		_, replayed, err := s.Post(b.Context(), t)
		if replayed {
			err = errors.New("posted before")
		}
		return err
	})
}

// pgbenchScript is the store's statement with values in the places of its parameters.
// pgbench's variables are numbers, which the statement puts behind the rest of a text;
// and as a colon would begin one, it is written as a character's number.
func pgbenchScript(players int) string {
	const (
		id     = `'00000000-0000-7000-9000-' || :n`
		player = `E'player\x3a00000000-0000-7000-8000-' || :p`
	)
	values := []string{
		id, `E'match\x3a00000000-0000-7000-9000-' || :n || ` + player, `'\x` + strings.Repeat("5a", sha256.Size) + `'`, `'reward'`,
		`''`, `'` + receiptData + `'`, `1767225600000`,
		`(` + id + `)`, `E'house\x3arewards'`, `-5`, `0`,
		`(` + id + `)`, `(` + player + `)`, `5`, `1`,
	}
	statement := store.PostSQL
	for i, v := range slices.Backward(values) {
		statement = strings.Replace(statement, "$"+strconv.Itoa(i+1), v, 1)
	}
	return fmt.Sprintf("\\set i :i + 1\n\\set n %d + :i * 100 + :client_id\n\\set p random(%d, %d)\n%s;\n",
		benchBase, benchBase, benchBase+players-1, strings.ReplaceAll(statement, "\n", " "))
}

// bareSQLite does what a posting does, with statements prepared once, on the one
// connection that writes.
type bareSQLite struct {
	b                          *testing.B
	db                         *sql.DB
	transfer, account, entries *sql.Stmt
	clients, players           int
}

func newBareSQLite(b *testing.B, file string, clients, players int) *bareSQLite {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	prepare := func(text string) *sql.Stmt {
		s, err := db.PrepareContext(b.Context(), text)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	return &bareSQLite{
		b: b, db: db, clients: clients, players: players,
		transfer: prepare(`INSERT INTO transfers (id, idem_key, hash, kind, resolves, data, at) VALUES (?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), ?) ON CONFLICT DO NOTHING`),
		account:  prepare(`UPDATE accounts SET balance = balance + ? WHERE id = ? AND balance + ? >= 0 RETURNING balance`),
		entries:  prepare(`INSERT INTO entries (transfer_id, account_id, amount, balance) VALUES (?, ?, ?, ?), (?, ?, ?, ?)`),
	}
}

func (s *bareSQLite) run(n int) float64 {
	s.b.Helper()
	return together(s.b, s.clients, n, func(client, i int) error {
		return s.post(s.b.Context(), benchPlayer((i*s.clients+client)*7919%s.players))
	})
}

func (s *bareSQLite) post(ctx context.Context, who string) error {
	id, key, hash := newID(s.b), fmt.Sprintf("match:%s:%s", newID(s.b), who), sha256.Sum256([]byte(who))
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	transfer, account, entries := tx.StmtContext(ctx, s.transfer), tx.StmtContext(ctx, s.account), tx.StmtContext(ctx, s.entries)
	defer transfer.Close()
	defer account.Close()
	defer entries.Close()
	if _, err := transfer.ExecContext(ctx, id, key, hash[:], "reward", "", receiptData, time.Now().UnixMilli()); err != nil {
		return err
	}
	var balance int64
	if err := account.QueryRowContext(ctx, 5, "player:"+who, 5).Scan(&balance); err != nil {
		return err
	}
	if _, err := entries.ExecContext(ctx, id, "house:rewards", -5, 0, id, "player:"+who, 5, balance); err != nil {
		return err
	}
	return tx.Commit()
}

// BenchmarkSettlement ends online matches of four people, one after the other: the last
// action, the result, statistics, rewards and league points in one transaction.
// statements are those of one, BEGIN and COMMIT among them.
func BenchmarkSettlement(b *testing.B) {
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			statements := s.CountStatements()
			p := newPurses(b, s)
			s.SettleWith(p.Settle)
			var people []account.Player
			for i := range 40 {
				player := addPlayer(b, s, fmt.Sprint("Player ", i))
				p.purse(player.ID)
				people = append(people, player)
			}
			var took, sent []float64
			n := 0
			for b.Loop() {
				m := newMatch(b, people[n*4%40:][:4]...)
				n++
				m.Mode, m.Economy = economy.Online, 1
				if _, err := s.CreateMatch(b.Context(), m, nil); err != nil {
					b.Fatal(err)
				}
				last, result := ended()
				before, start := statements.Load(), time.Now()
				if err := s.FinishMatch(b.Context(), m.ID, last, result); err != nil {
					b.Fatal(err)
				}
				took = append(took, float64(time.Since(start).Microseconds())/1000)
				sent = append(sent, float64(statements.Load()-before))
			}
			b.ReportMetric(median(took), "ms/match")
			b.ReportMetric(median(sent), "statements")
			b.ReportMetric(0, "ns/op")
		})
	}
}
