package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const (
	settleKills   = 100
	settleAtOnce  = 2 // matches that end around one kill
	settlePlayers = 8
	settleStake   = 100
)

// A cap on matches with friends that nobody comes up to, and what each begins with.
const (
	friendsCap  = 1_000_000
	settleGrant = 100_000
)

// ending is a match that one action ends.
type ending struct {
	id      string
	mode    economy.Mode
	players [rules.Seats]int
	winner  rules.Pair
	// seat acts, on the view with the number seq.
	seat   rules.Seat
	seq    int
	action string
	// told is the answer, if there was one.
	told json.RawMessage
}

// Matches that pay end one after the other, and at each end the server is killed: before
// what is settled is on disk, or behind it. Nothing is paid twice, nothing is lost, and
// who asks again is told the same.
func TestKilledWhileItSettles(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			r := rand.New(rand.NewPCG(2026, uint64(len(database))))
			s := newServer(t, database)
			var players []*client.Client
			for range settlePlayers {
				c, err := client.SignUp(ctx, s.url, s.http)
				if err == nil {
					// The welcome grant comes with the first look.
					_, err = c.Get(ctx, "/v1/wallet")
				}
				if err != nil {
					t.Fatal(err)
				}
				players = append(players, c)
			}
			endings := prepareEndings(t, s, players, r)

			cuts := cuts{server: s, random: r}
			for kill := range settleKills {
				now := endings[kill*settleAtOnce:][:settleAtOnce]
				for _, e := range now {
					v, err := players[e.players[e.seat]].View(ctx, e.id)
					if err != nil {
						t.Fatal(err)
					}
					e.seq = v.Seq
				}
				var acting []func()
				for _, e := range now {
					acting = append(acting, func() {
						v, err := players[e.players[e.seat]].Act(ctx, e.id, e.seq, e.action)
						if err == nil {
							e.told = v.Raw
						}
					})
				}
				cuts.during(ctx, acting...)
				for _, e := range now {
					over, err := e.comesTo(ctx, players[e.players[e.seat]])
					if err != nil {
						t.Fatalf("kill %d, match %s (%s): %v", kill, e.id, e.mode, err)
					}
					cuts.found(t, over)
				}
			}
			cuts.ended(t, fmt.Sprintf("%s, ends of %d matches", database, len(endings)))
			compareSettled(ctx, t, s, players, endings)
		})
	}
}

// comesTo says whether the match is over after a crash, asks for its last action again,
// and compares what it is told.
func (e *ending) comesTo(ctx context.Context, c *client.Client) (over bool, err error) {
	v, err := c.View(ctx, e.id)
	if err != nil {
		return false, err
	}
	over = v.Phase == "over"
	switch {
	case !over && e.told != nil:
		return false, errors.New("it was told that the match is over, and it is not")
	case !over && v.Seq != e.seq:
		return false, fmt.Errorf("it was at %d and is at %d", e.seq, v.Seq)
	}
	for range 2 {
		again, err := c.Act(ctx, e.id, e.seq, e.action)
		if err != nil {
			return false, fmt.Errorf("the action again: %w", err)
		}
		if again.Phase != "over" || again.Winner == nil || *again.Winner != int(e.winner) {
			return false, fmt.Errorf("the action again: %s", again.Raw)
		}
		if e.told == nil {
			e.told = again.Raw
		}
		if !bytes.Equal(again.Raw, e.told) {
			return false, fmt.Errorf("it was told\n%s\nand then\n%s", e.told, again.Raw)
		}
	}
	return over, nil
}

// openDatabase opens the server's own.
func openDatabase(t *testing.T, s *server) *store.Store {
	t.Helper()
	var o store.Options
	for _, setting := range s.env {
		if url, ok := strings.CutPrefix(setting, "DATABASE_URL="); ok {
			o.URL = url
		}
		if dir, ok := strings.CutPrefix(setting, "CUATROLA_DATA_DIR="); ok {
			o.File = filepath.Join(dir, "cuatrola.sqlite")
		}
	}
	db, err := store.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// prepareEndings writes matches into the server's database that one action ends: in
// rooms, online and at staked tables.
func prepareEndings(t *testing.T, s *server, players []*client.Client, r *rand.Rand) []*ending {
	t.Helper()
	ctx := context.Background()
	db := openDatabase(t, s)
	defer db.Close()
	generous := bytes.Replace(economy.Default(), []byte(`"dailyCap": 300`), fmt.Appendf(nil, `"dailyCap": %d`, friendsCap), 1)
	if _, err := economy.NewService(db, time.Now).Publish(ctx, generous, 1, time.Time{}, "test", "no cap"); err != nil {
		t.Fatal(err)
	}
	post := func(key string, kind wallet.Kind, from, to wallet.AccountID, coins int64) {
		tr, err := wallet.New(newUUID(t), key, kind, time.Now(), wallet.Move(from, to, coins)...)
		if err == nil {
			_, _, err = db.Post(ctx, tr)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range players {
		post("test:"+p.Player.ID, wallet.KindGrant, wallet.Grants, wallet.Player(p.Player.ID), settleGrant)
	}
	modes := []economy.Mode{economy.Online, economy.Friends, economy.Staked}
	var endings []*ending
	for i := range settleKills * settleAtOnce {
		e := &ending{mode: modes[i%len(modes)]}
		m := &match.Match{
			ID: newUUID(t), Rules: rules.Mesa.Rules(), ServerSeed: make([]byte, rules.ServerSeedSize),
			TurnTime: 5 * time.Minute, CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Mode: e.mode, Economy: 2,
		}
		m.Rules.Target = 3
		for j := range m.ServerSeed {
			m.ServerSeed[j] = byte(r.Uint32())
		}
		order := r.Perm(len(players))
		for seat := range m.Seats {
			e.players[seat] = order[seat]
			m.Seats[seat] = match.Seat{PlayerID: players[order[seat]].Player.ID}
		}
		if e.mode == economy.Staked {
			m.Stake, m.TableID = settleStake, newUUID(t)
			for _, seat := range m.Seats {
				post("stake:"+m.TableID+":"+seat.PlayerID, wallet.KindStake, wallet.Player(seat.PlayerID), wallet.Escrow(m.TableID), m.Stake)
			}
		}
		log := playOut(m)
		if _, err := db.CreateMatch(ctx, m, nil); err != nil {
			t.Fatal(err)
		}
		last := log[len(log)-1]
		var writing sync.WaitGroup // together: they share what they wait for
		for _, entry := range log[:len(log)-1] {
			writing.Go(func() {
				if err := db.AppendLog(ctx, m.ID, entry); err != nil {
					t.Error(err)
				}
			})
		}
		writing.Wait()
		e.id, e.seat, e.action, e.winner = m.ID, last.Seat, last.Text, m.Result.Winner
		endings = append(endings, e)
	}
	return endings
}

func newUUID(t *testing.T) string {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

// playOut is the log of a match in which four people play as bots do. It leaves the
// winner in the match's result.
func playOut(m *match.Match) []match.Entry {
	var log []match.Entry
	add := func(kind match.Kind, seat rules.Seat, text string) {
		log = append(log, match.Entry{
			Seq: len(log), At: m.CreatedAt, Kind: kind, Seat: seat, Text: text, By: match.ByPlayer, Deadline: m.CreatedAt.Add(m.TurnTime),
		})
	}
	var seeds [rules.Seats][]byte
	for seat := range seeds {
		seeds[seat] = fmt.Appendf(nil, "seed of seat %d", seat)
		add(match.KindSeed, rules.Seat(seat), string(seeds[seat]))
	}
	game, dealer := rules.NewMatch(m.Rules), rules.FairDealer(m.ServerSeed, m.ID, &seeds)
	for hand := uint32(0); ; hand++ {
		deal, trump := rules.FairDeal(m.ServerSeed, m.ID, &seeds, hand, dealer)
		game.Deal(dealer, &deal, trump)
		for game.Phase() != rules.PhaseDeal {
			if game.Phase() == rules.PhaseMatchOver {
				m.Result = &match.Result{Winner: game.Winner()}
				return log
			}
			var v rules.View
			seat := game.Turn()
			game.View(seat, &v)
			a, _ := bot.Choose(bot.Tabernero, &v, 1)
			game.Apply(seat, a)
			add(match.KindAct, seat, a.String())
		}
		dealer = dealer.Next()
	}
}

// compareSettled compares what everybody has in the end with what the matches came to,
// by the document that ships.
func compareSettled(ctx context.Context, t *testing.T, s *server, players []*client.Client, endings []*ending) {
	t.Helper()
	type account struct {
		coins, experience int64
		played, won       int
		rewards           []string // matches that paid coins
	}
	want := make([]account, len(players))
	for i := range want {
		want[i].coins = 500 + settleGrant
	}
	for _, e := range endings {
		for seat, who := range e.players {
			a, won := &want[who], rules.Seat(seat).Pair() == e.winner
			coins, experience := map[economy.Mode][2]int64{
				economy.Online: {20, 60}, economy.Friends: {0, 30}, economy.Staked: {0, 0},
			}[e.mode], map[economy.Mode][2]int64{
				economy.Online: {40, 100}, economy.Friends: {20, 50}, economy.Staked: {40, 100},
			}[e.mode]
			a.played++
			place := 0
			if won {
				a.won++
				place = 1
			}
			a.coins, a.experience = a.coins+coins[place], a.experience+experience[place]
			if e.mode == economy.Staked {
				a.coins -= settleStake
				if won {
					a.coins += 2 * settleStake
				}
			}
			if coins[place] > 0 {
				a.rewards = append(a.rewards, e.id)
			}
		}
	}
	s.kill()
	db := openDatabase(t, s)
	defer db.Close()
	for i, c := range players {
		id := c.Player.ID
		coins, err := db.Balance(ctx, wallet.Player(id))
		if err != nil {
			t.Fatal(err)
		}
		st, err := db.Standing(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		profile, err := db.Profile(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		got := account{coins: coins, experience: st.Experience}
		for _, stats := range profile.Stats {
			got.played, got.won = got.played+stats.Played, got.won+stats.Won
		}
		lines, err := db.Statement(ctx, wallet.Player(id), wallet.KindReward, "", -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			var receipt struct{ Match string }
			if err := json.Unmarshal(line.Data, &receipt); err != nil {
				t.Fatal(err)
			}
			got.rewards = append(got.rewards, receipt.Match)
		}
		slices.Sort(got.rewards)
		slices.Sort(want[i].rewards)
		if got.coins != want[i].coins || got.experience != want[i].experience || got.played != want[i].played || got.won != want[i].won ||
			!slices.Equal(got.rewards, want[i].rewards) {
			t.Errorf("player %d has %+v\nwant %+v", i, got, want[i])
		}
	}
	for _, e := range endings {
		m, err := db.GetMatch(ctx, e.id)
		if err != nil || !m.Over() || m.Result.Winner != e.winner {
			t.Errorf("match %s: %+v, %v", e.id, m, err)
		}
	}
	if found, err := db.CheckLedger(ctx, 10); err != nil || len(found) > 0 {
		t.Errorf("the ledger: %+v, %v", found, err)
	}
}
