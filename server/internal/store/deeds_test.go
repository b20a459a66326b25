package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// What players do to their standings is kept with what it was done to, once, and nothing
// that was refused. What a match's reward follows from is kept at the match.
func TestDeeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p, player := t.Context(), newPurses(t, s), addPlayer(t, s, "Ana")
		ana := player.ID
		p.purse(ana)
		grant := transfer(t, "grant", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(ana), 5000)...)
		if _, _, err := s.Post(ctx, grant); err != nil {
			t.Fatal(err)
		}
		p.refused("", p.ClaimDaily(ctx, ana))
		p.refused(reward.CodeClaimed, p.ClaimDaily(ctx, ana))
		for range 2 { // sent again
			p.refused("", p.BuyBooster(ctx, ana, "one", true))
			p.refused("", p.BuyBooster(ctx, ana, "two", false))
		}
		p.refused(reward.CodeBoosterRunning, p.StartBooster(ctx, ana))
		p.refused("", p.BuyVIP(ctx, ana, "vip"))
		p.refused("insufficient_coins", p.BuyVIP(ctx, ana, "another"))
		p.advance(25 * time.Hour)
		p.refused("", p.StartBooster(ctx, ana))
		if st := p.purse(ana).Standing; st.Deed != nil {
			t.Errorf("a standing that is read has %+v", st.Deed)
		}
		got := query(t, s, `SELECT kind, economy, coins, CASE WHEN begun THEN 1 ELSE 0 END, days, vip_until > 0, booster_until > 0, boosters_held, daily_day, daily_streak
			FROM standing_deeds ORDER BY at, version`)
		yes, no := "true", "false"
		if s.Kind() == store.SQLite {
			yes, no = "1", "0"
		}
		if want := []string{
			"welcome 1 500 0 0 " + no + " " + no + " 0  0",
			"daily 1 50 0 0 " + no + " " + no + " 0  0",
			"booster 1 -400 1 0 " + no + " " + no + " 0 2026-03-01 1",
			"booster 1 -400 0 0 " + no + " " + yes + " 0 2026-03-01 1",
			"vip 1 -4000 0 30 " + no + " " + yes + " 1 2026-03-01 1",
			"start 1 0 0 0 " + yes + " " + yes + " 1 2026-03-01 1",
		}; !slices.Equal(got, want) {
			t.Errorf("deeds:\ngot  %q\nwant %q", got, want)
		}

		s.SettleWith(p.Settle)
		if got := p.win(s, economy.Friends, player); got != 75 { // 60, half, booster and pass
			t.Errorf("a win with friends gives %d", got)
		}
		p.win(s, economy.Friends, player)
		p.win(s, economy.Machine, player)
		got = query(t, s, `SELECT m.mode, s.reward, s.vip_until > m.ended_at, s.booster_until > m.ended_at, s.booster_matches, s.friends_day, s.friends_coins
			FROM match_seats s JOIN matches m ON m.id = s.match_id WHERE s.player_id IS NOT NULL ORDER BY m.id`)
		if want := []string{
			"friends 75 " + yes + " " + yes + " 0  0",
			"friends 75 " + yes + " " + yes + " 0 2026-03-02 75",
			"machine      ",
		}; !slices.Equal(got, want) {
			t.Errorf("seats:\ngot  %q\nwant %q", got, want)
		}
		addsUp(t, s)
	})
}
