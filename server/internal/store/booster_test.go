package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// tune publishes the default economy with a change of its text.
func (p *purses) tune(old, changed string) {
	p.t.Helper()
	live, _, err := p.economy.Live(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	document := bytes.Replace(live.Document, []byte(old), []byte(changed), 1)
	if bytes.Equal(document, live.Document) {
		p.t.Fatalf("the economy has no %s", old)
	}
	if _, err := p.economy.Publish(p.t.Context(), document, live.Number, time.Time{}, "eva", "a test"); err != nil {
		p.t.Fatal(err)
	}
}

// win has a player, in seat 0 and with bots, win a match that began just now, and
// returns the coins that it gave.
func (p *purses) win(s *store.Store, mode economy.Mode, player account.Player) int64 {
	p.t.Helper()
	live, _, err := p.economy.Live(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	before := p.purse(player.ID).Coins
	m := newMatch(p.t, player)
	m.Mode, m.Economy = mode, live.Number
	if _, err := s.CreateMatch(p.t.Context(), m, nil); err != nil {
		p.t.Fatal(err)
	}
	last, result := ended()
	last.At = p.now
	if err := s.FinishMatch(p.t.Context(), m.ID, last, result); err != nil {
		p.t.Fatal(err)
	}
	return p.purse(player.ID).Coins - before
}

// A booster is held or begun at once, and adds to another as the economy says.
func TestBoosters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p, player := t.Context(), newPurses(t, s), addPlayer(t, s, "Ana")
		ana := player.ID
		grant := transfer(t, "grant", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(ana), 10_000)...)
		if _, _, err := s.Post(ctx, grant); err != nil {
			t.Fatal(err)
		}
		has := func(what string, held, matches int, until time.Time) {
			t.Helper()
			st := p.purse(ana).Standing
			if st.BoostersHeld != held || st.BoosterMatches != matches || !st.BoosterUntil.Equal(until) {
				t.Errorf("%s: %+v", what, st)
			}
		}
		const day = 24 * time.Hour
		p.refused("", p.BuyBooster(ctx, ana, "one", true))
		has("begun at once", 0, 0, t0.Add(day))
		p.refused("", p.BuyBooster(ctx, ana, "one", true))
		has("sent again", 0, 0, t0.Add(day))
		p.refused(fault.IdempotencyConflict, p.BuyBooster(ctx, ana, "one", false))
		p.refused("", p.BuyBooster(ctx, ana, "two", true))
		has("begun at once while another works, refused", 1, 0, t0.Add(day))
		p.refused(reward.CodeBoosterRunning, p.StartBooster(ctx, ana))

		p.tune(`"stack": "refuse"`, `"stack": "extend"`)
		p.advance(day / 2)
		p.refused("", p.StartBooster(ctx, ana))
		has("extended", 0, 0, t0.Add(2*day))
		p.refused("", p.BuyBooster(ctx, ana, "three", true))
		has("extended when bought", 0, 0, t0.Add(3*day))

		p.tune(`{ "minutes": 1440 }`, `{ "matches": 3 }`)
		p.refused("", p.BuyBooster(ctx, ana, "four", true))
		p.refused("", p.BuyBooster(ctx, ana, "five", true))
		has("by matches too", 0, 6, t0.Add(3*day))
		if got := p.purse(ana); got.Coins != 10_500-5*400 {
			t.Errorf("five boosters cost %d coins", 10_500-got.Coins)
		}

		// What lasts for a time works first, and uses up no match; then each match that
		// pays uses up one.
		s.SettleWith(p.Settle)
		p.win(s, economy.Online, player)
		has("a match while the time lasts", 0, 6, t0.Add(3*day))
		p.advance(3 * day)
		for left := 5; left >= 0; left-- {
			if got := p.win(s, economy.Online, player); got != 120 {
				t.Errorf("a win with a booster gives %d", got)
			}
			has("a match", 0, left, t0.Add(3*day))
		}
		if got := p.win(s, economy.Online, player); got != 60 {
			t.Errorf("a win without a booster gives %d", got)
		}
		p.refused("", p.BuyBooster(ctx, ana, "six", true))
		for _, mode := range []economy.Mode{economy.Machine, economy.Staked} {
			if got := p.win(s, mode, player); got != 0 {
				t.Errorf("a win in mode %s gives %d", mode, got)
			}
		}
		has("matches that pay nothing", 0, 3, t0.Add(3*day))
		addsUp(t, s)
	})
}
