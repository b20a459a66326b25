// Command past gives an empty database what weeks of play would have left there, for
// the panel's browser tests and pictures. It writes what the server itself would have
// written, so that the ledger adds up. It may run beside the server.
//
//	past FILE             weeks of coins, matches, purchases and the league
//	past FILE broken      a week of the league that is over and cannot be closed
//	past FILE mended      the same, so that it can
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/match"
	playername "github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("past FILE [broken|mended]")
	}
	what := ""
	if len(os.Args) > 2 {
		what = os.Args[2]
	}
	if err := run(context.Background(), os.Args[1], what); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file, what string) error {
	s, err := store.Open(ctx, store.Options{File: file})
	if err != nil {
		return err
	}
	defer s.Close()
	p := &past{s: s, now: time.Now().UTC().Truncate(time.Millisecond), random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // the same past each time
	switch what {
	case "broken":
		p.late = true
		return p.week(ctx, -7, 0, "open", 999, 8)
	case "mended":
		pool, err := s.SQL()
		if err != nil {
			return err
		}
		_, err = pool.ExecContext(ctx, `UPDATE league_seasons SET economy = 1`)
		return err
	}
	if err := s.Atomically(ctx, p.all); err != nil {
		return err
	}
	// What was summed up before is not what has been since.
	pool, err := s.SQL()
	if err != nil {
		return err
	}
	for _, statement := range []string{"DELETE FROM summary_mark", "DELETE FROM hour_coins", "DELETE FROM hour_counts"} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := p.week(ctx, -14, 1, "closed", 1, 24); err != nil {
		return err
	}
	return p.week(ctx, 0, 0, "open", 1, 26)
}

// past is the weeks before now.
type past struct {
	s       *store.Store
	now     time.Time
	random  *rand.Rand
	players []account.Player
	n       int
	late    bool // beside those who were there before
}

const days = 45

var names = []string{
	"Ana", "Bea", "Carla", "Dora", "Elena", "Fermín", "Gabi", "Hugo", "Inés", "Jordi", "Laia", "Marc", "Nora", "Oriol", "Pilar", "Quim", "Rosa", "Sergi",
	"Teo", "Úrsula", "Vera", "Xavi", "Yolanda", "Zoe", "Aina", "Biel", "Clara", "Dani", "Eva", "Fina",
}

func (p *past) all(ctx context.Context) error {
	for day := days; day >= 0; day-- {
		at := func() time.Time {
			t := p.now.Add(-time.Duration(day)*24*time.Hour - time.Duration(p.random.Int64N(int64(20*time.Hour))))
			return t.Truncate(time.Millisecond)
		}
		busy := 0.6 + 0.4*math.Sin(float64(day)/7*2*math.Pi) + float64(days-day)/days
		for range int(1 + 2*busy) {
			if err := p.join(ctx, at()); err != nil {
				return err
			}
		}
		for range int(14 * busy) {
			if err := p.play(ctx, at()); err != nil {
				return err
			}
		}
		for i := range int(5 * busy) {
			if err := p.spend(ctx, at(), i); err != nil {
				return err
			}
		}
		if err := p.buy(ctx, at(), day); err != nil {
			return err
		}
	}
	return p.sockets(ctx)
}

func (p *past) id() string {
	id, err := uuid.NewV7()
	if err != nil {
		panic(err)
	}
	return id.String()
}

func (p *past) join(ctx context.Context, at time.Time) error {
	name := names[len(p.players)%len(names)]
	if p.late {
		name += " late"
	}
	if round := len(p.players) / len(names); round > 0 {
		name = fmt.Sprint(name, " ", round+1)
	}
	one := account.Player{ID: p.id(), Name: name, Guest: true, CreatedAt: at}
	hash := sha256.Sum256([]byte(one.ID))
	used := p.now.Add(-time.Duration(p.random.Int64N(int64(p.now.Sub(at) + time.Minute))))
	if _, err := p.s.PersonByName(ctx, playername.Key(name)); err == nil {
		one.Name += " the elder"
	}
	err := p.s.CreateGuest(ctx, one, account.Device{ID: p.id(), PlayerID: one.ID, SecretHash: hash, CreatedAt: at}, account.Session{
		ID: p.id(), PlayerID: one.ID, Via: account.ViaDevice, TokenHash: hash, CreatedAt: at, UsedAt: used, ExpiresAt: p.now.Add(time.Hour),
	})
	if err != nil {
		return err
	}
	p.players = append(p.players, one)
	return p.post(ctx, at, "past:welcome:"+one.ID, wallet.KindWelcome, wallet.Grants, wallet.Player(one.ID), 500)
}

func (p *past) somebody() account.Player { return p.players[p.random.IntN(len(p.players))] }

func (p *past) post(ctx context.Context, at time.Time, key string, kind wallet.Kind, from, to wallet.AccountID, coins int64) error {
	t, err := wallet.New(p.id(), key, kind, at, wallet.Move(from, to, coins)...)
	if err != nil {
		return err
	}
	_, _, err = p.s.Post(ctx, t)
	return err
}

// play is a match against the machine, which pays nothing.
func (p *past) play(ctx context.Context, at time.Time) error {
	one := p.somebody()
	m := &match.Match{
		ID: p.id(), Rules: rules.Mesa.Rules(), ServerSeed: make([]byte, rules.ServerSeedSize), TurnTime: match.DefaultTurnTime, BotPause: match.DefaultBotPause,
		CreatedAt: at, Mode: economy.Machine, Economy: 1,
		Seats: [rules.Seats]match.Seat{{PlayerID: one.ID}, {Bot: bot.Tabernero}, {Bot: bot.Tabernero}, {Bot: bot.Tabernero}},
	}
	if _, err := p.s.CreateMatch(ctx, m, nil); err != nil {
		return err
	}
	last := match.Entry{At: at.Add(9 * time.Minute), Kind: match.KindAct, Text: "AO", By: match.ByPlayer}
	if err := p.s.FinishMatch(ctx, m.ID, last, match.Result{Score: [2]uint16{6, 5}, Hands: 11}); err != nil {
		return err
	}
	p.n++
	// Named for no match: the check asks matches what they have given, and this one has not.
	return p.post(ctx, at.Add(9*time.Minute), fmt.Sprint("past:daily:", p.n), wallet.KindDaily, wallet.Grants, wallet.Player(one.ID), 20+p.random.Int64N(60))
}

func (p *past) spend(ctx context.Context, at time.Time, i int) error {
	p.n++
	kind, to := wallet.KindBooster, wallet.Spending
	if i%3 == 2 {
		kind = wallet.KindVIP
	}
	one := wallet.Player(p.somebody().ID)
	if has, err := p.s.Balance(ctx, one); err != nil || has < 150 {
		return err
	}
	return p.post(ctx, at, fmt.Sprint("past:spend:", p.n), kind, one, to, 90+p.random.Int64N(60))
}

func (p *past) buy(ctx context.Context, at time.Time, day int) error {
	for i := range 1 + day%3 {
		one := p.somebody()
		o := &shop.Order{
			ID: p.id(), PlayerID: one.ID, SKU: "coins-500", Economy: 1, Goods: shop.Goods{Coins: 500}, Price: shop.Money{Amount: 499, Currency: "EUR"},
			Provider: []shop.ProviderName{shop.Stripe, shop.Apple, shop.Google}[(day+i)%3], Live: true, Status: shop.Granted,
			Transaction: p.id(), CreatedAt: at, ExpiresAt: at.Add(time.Hour), PaidAt: at, Given: shop.Goods{Coins: 500}, Version: 1,
		}
		if i == 1 && day%4 == 1 {
			// Taken back without its coins, which are spent.
			o.Reversals = map[string]shop.Reversal{"refunds:" + o.ID: {Amount: 200, AsOf: at.Add(26 * time.Hour)}}
		}
		err := p.s.Trade(ctx, func(tx shop.Tx) error { _, err := tx.Add(o); return err })
		if err != nil {
			return err
		}
		if err := p.post(ctx, at, "order:"+o.ID+":1", wallet.KindPurchase, wallet.Sales, wallet.Player(one.ID), 500); err != nil {
			return err
		}
	}
	return nil
}

// sockets are those of the last day.
func (p *past) sockets(ctx context.Context) error {
	var minutes []overview.Minute
	for i := 24 * 60; i > 1; i -= 5 {
		at := p.now.Add(-time.Duration(i) * time.Minute).Truncate(time.Minute)
		n := int64(40 + 28*math.Sin(float64(at.Hour()*60+at.Minute())/1440*2*math.Pi-2) + 6*p.random.Float64())
		minutes = append(minutes, overview.Minute{At: at, Counts: map[overview.Key]int64{{What: overview.Sockets}: n, {What: overview.Requests, Label: "2xx"}: 40 * n}})
	}
	return p.s.Overview().Pulse(ctx, "past", minutes)
}

// week is one of the league: so many days from now, frozen or not, with so many players.
func (p *past) week(ctx context.Context, from, frozen int, state string, version, players int) error {
	for len(p.players) < players {
		if err := p.join(ctx, p.now.Add(-30*24*time.Hour)); err != nil {
			return err
		}
	}
	monday := p.now.AddDate(0, 0, from-(int(p.now.Weekday())+6)%7).Truncate(24 * time.Hour)
	id, ends := monday.Format(time.DateOnly), monday.AddDate(0, 0, 7)
	pool, err := p.s.SQL()
	if err != nil {
		return err
	}
	write := func(statement string, args ...any) error {
		_, err := pool.ExecContext(ctx, statement, args...)
		return err
	}
	var there int
	if err := pool.QueryRowContext(ctx, `SELECT COUNT(*) FROM league_seasons WHERE id = ?`, id).Scan(&there); err != nil || there > 0 {
		return err // people have played in it
	}
	closed := int64(0)
	if frozen > 0 {
		closed = ends.Add(time.Minute).UnixMilli()
	}
	err = write(`INSERT INTO league_seasons VALUES (?, ?, ?, ?, ?, ?)`, id, monday.UnixMilli(), ends.UnixMilli(), version, state, closed)
	if err == nil {
		err = write(`INSERT INTO league_groups VALUES (?, 'bronze', 1, ?, ?)`, id, players, closed)
	}
	for i := 0; i < players && err == nil; i++ {
		rank, prize, moved, next, level := 0, int64(0), 0, "", 0
		at := monday.Add(time.Duration(20+i) * time.Hour / 2)
		if frozen > 0 {
			rank, next = i+1, "bronze"
			prize = []int64{300, 200, 100, 0}[min(i, 3)]
			if i < 5 {
				moved, next, level = 1, "silver", 1
			}
			if prize > 0 {
				one := p.players[i].ID
				err = p.post(ctx, ends.Add(time.Minute), "league:"+id+":"+one, wallet.KindPrize, wallet.Prizes, wallet.Player(one), prize)
			}
		}
		if err == nil {
			err = write(`INSERT INTO league_scores VALUES (?, ?, 'bronze', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				p.players[i].ID, id, 10*(players-i)+i%7, 2*(players-i), at.UnixMilli(), at.Add(9*time.Hour).UnixMilli(), rank, prize, moved, next, level)
		}
	}
	return err
}
