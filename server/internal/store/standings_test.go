package store_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// purses is a reward service with a clock that stands until it is moved.
type purses struct {
	*reward.Service
	t       testing.TB
	economy *economy.Service
	mu      sync.Mutex
	now     time.Time
}

func newPurses(t testing.TB, s *store.Store) *purses {
	t.Helper()
	p := &purses{t: t, now: t0}
	clock := func() time.Time {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.now
	}
	p.economy = economy.NewService(s, clock)
	if err := p.economy.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Service = reward.New(s, s, p.economy, clock, rand.Reader)
	return p
}

func (p *purses) advance(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *purses) purse(player string) *reward.Purse {
	p.t.Helper()
	purse, err := p.Purse(p.t.Context(), player)
	if err != nil {
		p.t.Fatal(err)
	}
	return purse
}

func (p *purses) refused(code fault.Code, err error) {
	p.t.Helper()
	if fault.CodeOf(err) != code {
		p.t.Errorf("got %v, want %q", err, code)
	}
}

// All that a player has is one question beside that for the economy: whatever waits for
// an answer about a wallet waits for each of them.
func TestAPurseIsOneQuestion(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			heard := &ear{statements: make(map[string]int)}
			o := storetest.Options(t, kind)
			o.Meter = heard
			s := storetest.Open(t, o)
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			p, ana := newPurses(t, s), addPlayer(t, s, "Ana").ID
			if has, err := s.Holdings(t.Context(), ana); err != nil || !reflect.DeepEqual(has, reward.Holdings{Standing: reward.Standing{PlayerID: ana}}) {
				t.Errorf("who has nothing has %+v, %v", has, err)
			}
			p.purse(ana)
			if err := p.BuyBooster(t.Context(), ana, "one", true); err != nil {
				t.Fatal(err)
			}
			owing, err := wallet.New(newID(t), "taken back", wallet.KindClawback, t0, wallet.Move(wallet.Debt(ana), wallet.Sales, 130)...)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Post(t.Context(), owing); err != nil {
				t.Fatal(err)
			}
			st, err := s.Standing(t.Context(), ana)
			if err != nil {
				t.Fatal(err)
			}
			heard.mu.Lock()
			clear(heard.statements)
			heard.mu.Unlock()
			if got := p.purse(ana); got.Coins != 0 || got.Debt != 30 || !reflect.DeepEqual(got.Standing, st) {
				t.Errorf("the purse is %+v, want 0 coins, 30 owed and %+v", got, st)
			}
			heard.mu.Lock()
			defer heard.mu.Unlock()
			asked := 0
			for _, n := range heard.statements {
				asked += n
			}
			if asked != 2 {
				t.Errorf("a purse took %d statements: %v", asked, heard.statements)
			}
		})
	}
}

func TestRewards(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p, ana := t.Context(), newPurses(t, s), addPlayer(t, s, "Ana").ID
		if got := p.purse(ana); got.Coins != 500 || got.Level != 1 || !got.Daily.Available || got.Daily.Coins != 50 {
			t.Errorf("a new player has %+v", got)
		}
		if got := p.purse(ana); got.Coins != 500 {
			t.Errorf("asked again, %d coins", got.Coins)
		}

		p.refused("", p.ClaimDaily(ctx, ana))
		p.refused(reward.CodeClaimed, p.ClaimDaily(ctx, ana))
		if got := p.purse(ana); got.Coins != 550 || got.Daily.Available || got.Daily.Coins != 60 || got.Daily.Streak != 1 {
			t.Errorf("after the daily reward: %+v", got)
		}

		p.refused("", p.BuyBooster(ctx, ana, "one", false)) // 400
		p.refused("insufficient_coins", p.BuyBooster(ctx, ana, "two", false))
		p.refused("", p.BuyBooster(ctx, ana, "one", false))
		if got := p.purse(ana); got.Coins != 150 || got.Standing.BoostersHeld != 1 {
			t.Errorf("bought once, sent twice: %+v", got)
		}
		// Sent again after the price has changed, it is still that sale.
		dearer := bytes.Replace(economy.Default(), []byte(`"price": 400`), []byte(`"price": 500`), 1)
		if _, err := p.economy.Publish(ctx, dearer, 1, time.Time{}, "eva", "dearer"); err != nil {
			t.Fatal(err)
		}
		p.refused("", p.BuyBooster(ctx, ana, "one", false))
		p.refused(fault.IdempotencyConflict, p.BuyVIP(ctx, ana, "one"))
		if got := p.purse(ana); got.Coins != 150 || got.Standing.BoostersHeld != 1 {
			t.Errorf("sent again at another price: %+v", got)
		}

		p.refused("", p.StartBooster(ctx, ana))
		p.refused(reward.CodeBoosterRunning, p.StartBooster(ctx, ana))
		if got := p.purse(ana).Standing; !got.Boosted(t0) || got.BoostersHeld != 0 {
			t.Errorf("begun: %+v", got)
		}
		p.advance(24 * time.Hour)
		if got := p.purse(ana).Standing; got.Boosted(p.now) {
			t.Errorf("a day later: %+v", got)
		}
		p.refused(reward.CodeNoBooster, p.StartBooster(ctx, ana))
		p.refused("", p.ClaimDaily(ctx, ana)) // the second day's: 60
		if got := p.purse(ana); got.Coins != 210 || got.Daily.Streak != 2 {
			t.Errorf("the next day: %+v", got)
		}

		grant := transfer(t, "grant", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(ana), 8000)...)
		if _, _, err := s.Post(ctx, grant); err != nil {
			t.Fatal(err)
		}
		// Two passes are one after the other, and their gift comes with the day's reward.
		p.refused("", p.BuyVIP(ctx, ana, "v1"))
		p.refused("", p.BuyVIP(ctx, ana, "v2"))
		if got := p.purse(ana); got.Coins != 210 || got.Standing.VIPUntil.Sub(p.now) != 60*24*time.Hour {
			t.Errorf("two passes: %+v", got)
		}
		p.advance(24 * time.Hour)
		p.refused("", p.ClaimDaily(ctx, ana))
		if got := p.purse(ana); got.Coins != 210+70+50 {
			t.Errorf("with the gift: %+v", got)
		}
		addsUp(t, s)
	})
}

// ended is the entry that ends a match, and how.
func ended() (match.Entry, match.Result) {
	return entry(0, "AO"), match.Result{Score: [2]uint16{7, 3}, Winner: 0, Hands: 5, Missed: [4]int{2: 9}}
}

// A match that ends pays its players by the economy that was live when it began,
// once.
func TestSettlement(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newPurses(t, s)
		s.SettleWith(p.Settle)
		var ids []string
		var people []account.Player
		for _, name := range []string{"Ana", "Bea", "Carla"} { // Carla, in seat 2, has gone; a bot has seat 3
			player := addPlayer(t, s, name)
			people, ids = append(people, player), append(ids, player.ID)
			p.purse(player.ID)
		}
		m := newMatch(t, people...)
		m.Mode, m.Economy = economy.Online, 1
		if _, err := s.CreateMatch(ctx, m, nil); err != nil {
			t.Fatal(err)
		}
		richer := bytes.Replace(economy.Default(), []byte(`"coins": [60, 20]`), []byte(`"coins": [6000, 2000]`), 1)
		if _, err := p.economy.Publish(ctx, richer, 1, time.Time{}, "eva", "richer"); err != nil {
			t.Fatal(err)
		}
		grant := transfer(t, "grant", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(ids[0]), 4000)...)
		if _, _, err := s.Post(ctx, grant); err != nil {
			t.Fatal(err)
		}
		p.refused("", p.BuyVIP(ctx, ids[0], "vip")) // 4000, and half as many coins again

		last, result := ended()
		if err := s.FinishMatch(ctx, m.ID, last, result); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.FinishMatch(ctx, m.ID, last, result); !errors.Is(err, match.ErrConflict) {
				t.Errorf("ended again: %v", err)
			}
		}
		for i, want := range []struct{ coins, experience int64 }{{500 + 90, 100}, {500 + 20, 40}, {500, 0}} {
			if got := p.purse(ids[i]); got.Coins != want.coins || got.Standing.Experience != want.experience {
				t.Errorf("%s has %d coins and %d experience, want %+v", people[i].Name, got.Coins, got.Standing.Experience, want)
			}
		}
		if experience, level, err := p.Level(ctx, ids[0]); experience != 100 || level != 1 || err != nil {
			t.Errorf("experience %d, level %d, %v", experience, level, err)
		}
		lines, err := s.Statement(ctx, wallet.Player(ids[0]), wallet.KindReward, "", 10)
		want := `{"economy":1,"match":"` + m.ID + `","won":true,"base":60,"steps":[{"what":"vip","percent":150,"coins":90}],"coins":90,"experience":100,"leaguePoints":5}` // half, for the bot
		if err != nil || len(lines) != 1 || string(lines[0].Data) != want {
			t.Errorf("the receipt: %s, %v; want %s", lines[0].Data, err, want)
		}

		// Against the machine nothing is paid.
		machine := newMatch(t, people[0])
		machine.Mode, machine.Economy = economy.Machine, 1
		if _, err := s.CreateMatch(ctx, machine, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishMatch(ctx, machine.ID, last, result); err != nil || p.purse(ids[0]).Coins != 590 {
			t.Errorf("against the machine: %v", err)
		}
		addsUp(t, s)
	})
}

// If a match cannot be settled it does not end, and nothing of it is kept.
func TestWhatCannotBeSettledDoesNotEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newPurses(t, s)
		s.SettleWith(func(tx reward.Tx, m *match.Match, r match.Result) error {
			if err := p.Settle(tx, m, r); err != nil {
				return err
			}
			return errors.New("the power went")
		})
		ana := addPlayer(t, s, "Ana")
		before := p.purse(ana.ID)
		m := newMatch(t, ana)
		m.Mode, m.Economy = economy.Online, 1
		if _, err := s.CreateMatch(ctx, m, nil); err != nil {
			t.Fatal(err)
		}
		last, result := ended()
		if err := s.FinishMatch(ctx, m.ID, last, result); err == nil {
			t.Fatal("it ended")
		}
		if got, err := s.GetMatch(ctx, m.ID); err != nil || got.Over() || !reflect.DeepEqual(p.purse(ana.ID), before) {
			t.Errorf("kept: %+v, %v, %+v", got, err, p.purse(ana.ID))
		}
		s.SettleWith(p.Settle)
		if err := s.FinishMatch(ctx, m.ID, last, result); err != nil || p.purse(ana.ID).Coins != before.Coins+60 {
			t.Errorf("tried again: %v, %d coins", err, p.purse(ana.ID).Coins)
		}
		addsUp(t, s)
	})
}
