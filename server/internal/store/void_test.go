package store_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// A match that is given up pays nothing, counts nowhere and gives back what it has
// cost, once, whatever else happens to it at the same time.
func TestVoidMatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newPurses(t, s)
		s.SettleWith(p.Settle)
		s.VoidWith(p.Refund)
		var players []account.Player
		for _, name := range []string{"Ana", "Bea", "Carla", "Dora"} {
			player := addPlayer(t, s, name)
			p.purse(player.ID) // 500
			players = append(players, player)
		}
		begin := func(mode economy.Mode) *match.Match {
			t.Helper()
			m := newMatch(t, players...)
			m.Mode, m.Economy = mode, 1
			if mode == economy.Staked {
				m.Stake, m.TableID = 100, newID(t)
				for _, who := range players {
					stake := transfer(t, "stake:"+m.TableID+":"+who.ID, wallet.KindStake, "", wallet.Move(wallet.Player(who.ID), wallet.Escrow(m.TableID), 100)...)
					if _, _, err := s.Post(ctx, stake); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := s.CreateMatch(ctx, m, nil); err != nil {
				t.Fatal(err)
			}
			return m
		}
		last := match.Entry{At: t0, Kind: match.KindVoid, By: match.ByClock}
		for _, mode := range []economy.Mode{economy.Online, economy.Friends, economy.Staked, economy.Machine} {
			m := begin(mode)
			if err := s.VoidMatch(ctx, m.ID, last, "the power went"); err != nil {
				t.Fatal(mode, err)
			}
			end, result := ended()
			end.Seq = 1
			for _, err := range []error{s.VoidMatch(ctx, m.ID, last, "again"), s.FinishMatch(ctx, m.ID, end, result)} {
				if !errors.Is(err, match.ErrConflict) {
					t.Errorf("%s, ended once more: %v", mode, err)
				}
			}
			got, err := s.GetMatch(ctx, m.ID)
			if err != nil || !got.Over() || got.Result.Void != "the power went" || !got.EndedAt.Equal(t0) {
				t.Errorf("%s: %+v, %v", mode, got, err)
			}
			for _, who := range players {
				profile, err := s.Profile(ctx, who.ID)
				if purse := p.purse(who.ID); err != nil || purse.Coins != 500 || purse.Standing.Experience != 0 || len(profile.Stats) != 0 {
					t.Errorf("%s: %s has %+v and %+v, %v", mode, who.Name, purse, profile.Stats, err)
				}
			}
			addsUp(t, s)
		}
		lines, err := s.Statement(ctx, wallet.Player(players[0].ID), wallet.KindRefund, "", 10)
		if err != nil || len(lines) != 1 || lines[0].Amount != 100 {
			t.Errorf("refunds: %+v, %v", lines, err)
		}

		// It ends and is given up at once: one of the two happens.
		wants := int64(2000)
		for range 4 {
			m := begin(economy.Staked)
			var wg sync.WaitGroup
			errs := make([]error, 2)
			wg.Go(func() { errs[0] = s.VoidMatch(ctx, m.ID, last, "at once") })
			wg.Go(func() {
				end, result := ended()
				errs[1] = s.FinishMatch(ctx, m.ID, end, result)
			})
			wg.Wait()
			if (errs[0] == nil) == (errs[1] == nil) {
				t.Fatalf("given up: %v; ended: %v", errs[0], errs[1])
			}
			sum := int64(0)
			for _, who := range players {
				sum += p.purse(who.ID).Coins
			}
			if sum != wants {
				t.Fatalf("the players have %d coins together, want %d", sum, wants)
			}
		}
		addsUp(t, s)
	})
}
