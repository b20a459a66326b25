package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// leagues is a world whose league is looked at.
type leagues struct {
	*purses
	store *store.Store
	told  []notice.Notice
}

func newLeagues(t *testing.T, s *store.Store) *leagues {
	t.Helper()
	l := &leagues{purses: newPurses(t, s), store: s}
	s.SettleWith(l.Settle)
	return l
}

// play has an online match of the players end at a time, the pair of seats 0 and 2
// winning. Without four players there are bots.
func (l *leagues) play(at time.Time, players ...account.Player) {
	l.t.Helper()
	m := newMatch(l.t, players...)
	m.Mode, m.Economy = economy.Online, 1
	if _, err := l.store.CreateMatch(l.t.Context(), m, nil); err != nil {
		l.t.Fatal(err)
	}
	last, result := ended()
	last.At, result.Missed = at, [4]int{}
	if err := l.store.FinishMatch(l.t.Context(), m.ID, last, result); err != nil {
		l.t.Error(err)
	}
}

// query reads rows as text, with spaces between the columns.
func query(t testing.TB, s *store.Store, text string, args ...any) []string {
	t.Helper()
	pool, err := s.SQL()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.QueryContext(context.Background(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for rows.Next() {
		values, places := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		line := values[0].String
		for _, v := range values[1:] {
			line += " " + v.String
		}
		list = append(list, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func (l *leagues) rows(text string, want ...string) {
	l.t.Helper()
	if got := query(l.t, l.store, text); !slices.Equal(got, want) {
		l.t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
	}
}

const scores = `SELECT p.name, s.season, s.division, s.group_no, s.points, s.matches, s.first_at, s.reached_at
	FROM league_scores s JOIN players p ON p.id = s.player_id ORDER BY s.season, p.name`

// Online matches count, half with bots, for the week in which they end.
func TestLeaguePoints(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		var four []account.Player
		for _, name := range []string{"Ana", "Bea", "Carla", "Dora"} {
			four = append(four, addPlayer(t, s, name))
		}
		l.play(t0, four[0]) // Sunday, with three bots
		sunday := t0.UnixMilli()
		l.rows(scores, fmt.Sprintf("Ana 2026-02-23 bronze 1 5 1 %d %[1]d", sunday))
		later := t0.Add(time.Hour)
		l.play(later, four...)
		l.play(t0.Add(time.Minute), four[0]) // settled late
		l.rows(
			scores,
			fmt.Sprintf("Ana 2026-02-23 bronze 1 20 3 %d %d", sunday, later.UnixMilli()),
			fmt.Sprintf("Bea 2026-02-23 bronze 1 3 1 %d %[1]d", later.UnixMilli()),
			fmt.Sprintf("Carla 2026-02-23 bronze 1 10 1 %d %[1]d", later.UnixMilli()),
			fmt.Sprintf("Dora 2026-02-23 bronze 1 3 1 %d %[1]d", later.UnixMilli()),
		)
		// No other mode counts.
		for _, mode := range []economy.Mode{economy.Friends, economy.Staked, economy.Machine} {
			m := newMatch(t, four...)
			m.Mode, m.Economy = mode, 1
			if _, err := s.CreateMatch(t.Context(), m, nil); err != nil {
				t.Fatal(err)
			}
			last, result := ended()
			if err := s.FinishMatch(t.Context(), m.ID, last, result); err != nil {
				t.Fatal(err)
			}
		}
		l.rows(`SELECT SUM(points), SUM(matches) FROM league_scores`, "36 6")

		// In Madrid the week is over at 23:00 UTC. Last week is not closed, so nobody has
		// a group yet.
		midnight := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
		l.play(midnight.Add(-time.Millisecond), four[1])
		l.play(midnight, four[1])
		l.rows(`SELECT season, division, group_no, points FROM league_scores WHERE player_id = '`+four[1].ID+`' ORDER BY season`,
			"2026-02-23 bronze 1 8", "2026-03-02  0 5")
		l.rows(`SELECT * FROM league_seasons ORDER BY id`,
			fmt.Sprintf("2026-02-23 %d %d 1 open 0", midnight.AddDate(0, 0, -7).UnixMilli(), midnight.UnixMilli()),
			fmt.Sprintf("2026-03-02 %d %d 1 open 0", midnight.UnixMilli(), midnight.AddDate(0, 0, 7).UnixMilli()))
		l.rows(`SELECT season, division, number, members, frozen_at FROM league_groups`, "2026-02-23 bronze 1 4 0")
		addsUp(t, s)
	})
}

// A season that is being closed takes nothing more: what is late counts for the one
// that is open. A season keeps the economy that it began with, and no time is between
// two, even when the zone changes.
func TestSeasonsFollow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l, ana := newLeagues(t, s), addPlayer(t, s, "Ana")
		l.play(t0, ana)
		exec(t, s, `UPDATE league_seasons SET state = 'closing'`)
		l.play(t0, ana)
		l.rows(`SELECT season, group_no, points FROM league_scores ORDER BY season`, "2026-02-23 1 5", "2026-03-02 0 5")
		exec(t, s, `UPDATE league_seasons SET state = 'closed'`)
		l.play(t0, ana)
		l.rows(`SELECT season, points FROM league_scores ORDER BY season`, "2026-02-23 5", "2026-03-02 5", "2026-03-09 5")

		// Weeks without a match have no season. The next one is that of the match.
		west := bytes.Replace(economy.Default(), []byte("Europe/Madrid"), []byte("America/New_York"), 1)
		l.advance(20 * 24 * time.Hour)
		if _, err := l.economy.Publish(t.Context(), west, 1, time.Time{}, "eva", "west"); err != nil {
			t.Fatal(err)
		}
		l.play(time.Date(2026, 3, 29, 22, 0, 0, 0, time.UTC), ana) // Monday in Madrid, Sunday in New York
		l.play(time.Date(2026, 3, 30, 4, 0, 0, 0, time.UTC), ana)
		l.rows(`SELECT id, economy FROM league_seasons WHERE id > '2026-03-09' ORDER BY id`, "2026-03-23 2", "2026-03-30 2")
		east := bytes.Replace(economy.Default(), []byte("Europe/Madrid"), []byte("Asia/Tokyo"), 1)
		l.advance(15 * 24 * time.Hour)
		if _, err := l.economy.Publish(t.Context(), east, 2, time.Time{}, "eva", "east"); err != nil {
			t.Fatal(err)
		}
		l.play(time.Date(2026, 4, 5, 16, 0, 0, 0, time.UTC), ana) // Monday in Tokyo, but the season is under way
		l.play(time.Date(2026, 4, 6, 4, 0, 0, 0, time.UTC), ana)
		l.rows(`SELECT season, points FROM league_scores WHERE season > '2026-03-23' ORDER BY season`, "2026-03-30 10", "2026-04-06 5")
		l.rows(`SELECT COUNT(*) FROM league_seasons a JOIN league_seasons b ON a.id < b.id AND a.ends_at > b.starts_at`, "0")
	})
}

func exec(t testing.TB, s *store.Store, text string) {
	t.Helper()
	pool, err := s.SQL()
	if err == nil {
		_, err = pool.ExecContext(context.Background(), text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Many people score for the first time at once, in matches that share them: each is
// in one group, every group but the last is full, and no point is lost.
func TestGroupsFillAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		const players, rounds, size = 90, 3, 7
		small := bytes.ReplaceAll(economy.Default(), []byte(`"groupSize": 30`), []byte(fmt.Sprintf(`"groupSize": %d`, size)))
		for _, moves := range []string{`"up": 10, "down": 0`, `"up": 8, "down": 8`, `"up": 5, "down": 8`, `"up": 0, "down": 5`} {
			small = bytes.Replace(small, []byte(moves), []byte(`"up": 0, "down": 0`), 1)
		}
		if _, err := l.economy.Publish(t.Context(), small, 1, time.Time{}, "eva", "small groups"); err != nil {
			t.Fatal(err)
		}
		all := make([]account.Player, players)
		for i := range all {
			all[i] = addPlayer(t, s, fmt.Sprint("Player ", i))
		}
		// A third of them come from other divisions.
		exec(t, s, `INSERT INTO league_seasons VALUES ('2026-02-16', 1, 2, 1, 'closed', 2)`)
		for i := 0; i < players; i += 3 {
			division, level := "silver", 1
			if i%2 == 0 {
				division, level = "gold", 2
			}
			exec(t, s, fmt.Sprintf(`INSERT INTO league_scores VALUES ('%s', '2026-02-16', 'bronze', 1, 1, 1, 1, 1, 1, 0, 0, '%s', %d)`, all[i].ID, division, level))
		}
		var wg sync.WaitGroup
		for round := range rounds {
			for i := range players {
				wg.Go(func() {
					l.play(t0.Add(36*time.Hour+time.Duration(round)*time.Second), all[i], all[(i+1)%players], all[(i+players-1)%players], all[(i+7)%players])
				})
			}
		}
		wg.Wait()
		const now = ` FROM league_scores WHERE season = '2026-03-02'`
		l.rows(`SELECT COUNT(*), SUM(points), SUM(matches)`+now, fmt.Sprintf("%d %d %d", players, players*rounds*26, players*rounds*4))
		l.rows(`SELECT division, COUNT(*), SUM(members), COUNT(*) - COUNT(CASE WHEN members = 7 THEN 1 END) FROM league_groups GROUP BY division ORDER BY division`,
			"bronze 9 60 1", "gold 3 15 1", "silver 3 15 1")
		l.rows(`SELECT g.number FROM league_groups g WHERE members <> (SELECT COUNT(*)` + now + ` AND division = g.division AND group_no = g.number)`)
		l.rows(`SELECT division, MAX(number) FROM league_groups GROUP BY division ORDER BY division`, "bronze 9", "gold 3", "silver 3")
		addsUp(t, s)
	})
}

// If a match cannot be settled, nothing of the league is kept either.
func TestLeaguePointsAreOfTheMatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l, ana := newLeagues(t, s), addPlayer(t, s, "Ana")
		m := newMatch(t, ana)
		m.Mode, m.Economy = economy.Online, 1
		if _, err := s.CreateMatch(t.Context(), m, nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		last, result := ended()
		if err := s.FinishMatch(ctx, m.ID, last, result); err == nil {
			t.Fatal("it ended")
		}
		l.rows(`SELECT COUNT(*) FROM league_seasons`, "0")
		if err := s.FinishMatch(t.Context(), m.ID, last, result); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishMatch(t.Context(), m.ID, last, result); !errors.Is(err, match.ErrConflict) {
			t.Errorf("ended again: %v", err)
		}
		l.rows(`SELECT points FROM league_scores`, "5")
	})
}

// close closes what is due, at a time.
func (l *leagues) close(at time.Time) []string {
	l.t.Helper()
	closed, err := l.closer(at).CloseDue(l.t.Context())
	if err != nil {
		l.t.Error(err)
	}
	return closed
}

// closer is a league whose clock stands at a time.
func (l *leagues) closer(at time.Time) *league.Service {
	return league.New(l.store.League(), l.economy, func() time.Time { return at }, rand.Reader, func(n notice.Notice) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told = append(l.told, n)
	})
}

// looks says what an operator is shown of a season at a time, with two groups of bronze
// and silver, and whether one is to be closed.
func (l *leagues) looks(id string, state league.State, want league.Tally, at time.Time, due bool) {
	l.t.Helper()
	ctx, of := l.t.Context(), l.closer(at)
	season, tally, err := of.Look(ctx, id)
	if err != nil || season.State != state || tally != want {
		l.t.Errorf("%s is %s with %+v, %v; want %s with %+v", id, season.State, tally, err, state, want)
	}
	if next, ok, err := of.Due(ctx); err != nil || ok != due || ok && next.ID != id {
		l.t.Errorf("%+v is due: %v, %v", next, ok, err)
	}
	groups, err := of.Groups(ctx, league.Group{SeasonID: id, Division: "silver"}, 10)
	if err != nil || len(groups) != 1 || groups[0].Members != 4 || groups[0].FrozenAt.IsZero() != (state == league.Open) {
		l.t.Errorf("silver has %+v, %v", groups, err)
	}
	if groups, err = of.Groups(ctx, groups[0], 10); err != nil || len(groups) > 0 {
		l.t.Errorf("behind it are %+v, %v", groups, err)
	}
}

// week is the Monday of a week, the first one of which is that of t0, in Madrid.
func week(n int) time.Time { return time.Date(2026, 2, 22+7*n, 23, 0, 0, 0, time.UTC) }

// The best of a group move up, the last ones down, prizes are paid, everybody is
// told, and the next week begins where that leaves them.
func TestCloseLeague(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		exec(t, s, `INSERT INTO league_seasons VALUES ('2026-02-16', 1, 2, 1, 'closed', 2)`)
		var all []account.Player
		for i := range 4 {
			p := addPlayer(t, s, fmt.Sprint("Silver ", i))
			exec(t, s, fmt.Sprintf(`INSERT INTO league_scores VALUES ('%s', '2026-02-16', 'bronze', 1, 1, 1, 1, 1, 1, 0, 1, 'silver', 1)`, p.ID))
			all = append(all, p)
		}
		for _, name := range []string{"Ana", "Bea", "Carla"} {
			all = append(all, addPlayer(t, s, name))
		}
		// The more matches the more points; Carla comes to as many as Bea, but later.
		for i, p := range all {
			for j := range max(1, 6-i) {
				l.play(t0.Add(time.Duration(10*j+i)*time.Second), p)
			}
		}
		if got := l.close(week(1).Add(league.Grace - time.Millisecond)); len(got) > 0 {
			t.Errorf("closed %v before its time", got)
		}
		l.looks("2026-02-23", league.Open, league.Tally{Players: 7, Groups: 2}, week(1), false)
		_, forecast, err := l.closer(week(1)).Preview(t.Context(), "2026-02-23")
		if want := []league.Forecast{
			{Division: "bronze", Groups: 1, Players: 3, Prizes: 3, Coins: 600, Up: 1},
			{Division: "silver", Groups: 1, Players: 4, Prizes: 3, Coins: 1200, Up: 2, Down: 1},
			{Division: "gold"},
			{Division: "master"},
		}; err != nil || !slices.Equal(forecast, want) {
			t.Errorf("forecast %+v, %v", forecast, err)
		}
		at := week(1).Add(league.Grace)
		l.looks("2026-02-23", league.Open, league.Tally{Players: 7, Groups: 2}, at, true)
		if got := l.close(at); !slices.Equal(got, []string{"2026-02-23"}) {
			t.Errorf("closed %v", got)
		}
		results := []string{
			"Ana bronze 10 1 300 1 silver 1", "Bea bronze 5 2 200 0 bronze 0", "Carla bronze 5 3 100 0 bronze 0",
			"Silver 0 silver 30 1 600 1 gold 2", "Silver 1 silver 25 2 400 1 gold 2", "Silver 2 silver 20 3 200 0 silver 1",
			"Silver 3 silver 15 4 0 -1 bronze 0",
		}
		const frozen = `SELECT p.name, s.division, s.points, s.rank, s.prize, s.moved, s.next_division, s.next_level
			FROM league_scores s JOIN players p ON p.id = s.player_id WHERE season = '2026-02-23' ORDER BY p.name`
		const prizes = `SELECT COUNT(*), SUM(e.amount) FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.amount > 0 WHERE kind = 'prize'`
		l.rows(frozen, results...)
		l.rows(prizes, "6 1800")
		lines, err := s.Statement(t.Context(), wallet.Player(all[0].ID), wallet.KindPrize, "", 10)
		if want := `{"economy":1,"season":"2026-02-23","division":"silver","group":1,"rank":1}`; err != nil || len(lines) != 1 || string(lines[0].Data) != want {
			t.Errorf("the receipt: %s, %v; want %s", lines[0].Data, err, want)
		}
		kept, err := s.NoticesBefore(t.Context(), all[0].ID, 10, 10)
		if want := []notice.Notice{{
			PlayerID: all[0].ID, Seq: 1, Kind: notice.LeagueClosed, At: at,
			League: &notice.League{Season: "2026-02-23", Division: "silver", Rank: 1, Prize: 600, Moved: 1, Next: "gold"},
		}}; err != nil || !reflect.DeepEqual(kept, want) {
			t.Errorf("told %+v, %v", kept, err)
		}
		if len(l.told) != len(all) {
			t.Errorf("%d were told", len(l.told))
		}

		// Nothing more happens, however often it is asked for.
		for range 3 {
			if got := l.close(at.Add(time.Hour)); len(got) > 0 {
				t.Errorf("closed %v again", got)
			}
		}
		l.rows(frozen, results...)
		l.rows(prizes, "6 1800")
		l.looks("2026-02-23", league.Closed, league.Tally{Players: 7, Groups: 2, Frozen: 2, Prizes: 6, Coins: 1800}, at, false)
		_, after, err := l.closer(at).Preview(t.Context(), "2026-02-23")
		if err != nil || !slices.Equal(after, forecast) {
			t.Errorf("done %+v, %v; forecast was %+v", after, err, forecast)
		}

		// Whoever stays away for a week keeps the place.
		for _, p := range all[:4] {
			l.play(week(2).Add(time.Hour), p)
		}
		l.rows(`SELECT p.name, s.division FROM league_scores s JOIN players p ON p.id = s.player_id WHERE season = '2026-03-09' ORDER BY p.name`,
			"Silver 0 gold", "Silver 1 gold", "Silver 2 silver", "Silver 3 bronze")
		addsUp(t, s)

		// A prize that is not what was paid is found, and one without a rank.
		storetest.Tampered(s)
		exec(t, s, `UPDATE league_scores SET prize = prize + 1 WHERE rank = 1 AND division = 'silver'`)
		exec(t, s, `UPDATE league_scores SET prize = 0 WHERE rank = 2 AND division = 'silver'`)
		found, err := s.CheckLedger(t.Context(), 10)
		if want := []wallet.Discrepancy{
			{What: wallet.WrongPrize, Subject: league.PrizeKey("2026-02-23", all[0].ID), Want: 601, Got: 600},
			{What: wallet.WrongPrize, Subject: league.PrizeKey("2026-02-23", all[1].ID), Got: 400},
		}; err != nil || !slices.Equal(found, want) {
			t.Errorf("found %+v, %v", found, err)
		}
	})
}

// After days without anybody to close them, every week is closed, in order, and who
// waited for that is in the division that each week before says.
func TestCloseCatchesUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		ana, bea := addPlayer(t, s, "Ana"), addPlayer(t, s, "Bea")
		for i, weeks := range []int{0, 1, 2, 4, 5} { // nobody played in the fourth
			l.play(week(weeks).Add(time.Duration(i)*time.Hour), ana)
			l.play(week(weeks).Add(time.Duration(i)*time.Hour), ana)
			l.play(week(weeks).Add(2*time.Hour), bea)
		}
		const places = `SELECT season, p.name, s.division, s.group_no, s.rank FROM league_scores s JOIN players p ON p.id = s.player_id ORDER BY season, p.name`
		l.rows(
			places, "2026-02-23 Ana bronze 1 0", "2026-02-23 Bea bronze 1 0", "2026-03-02 Ana  0 0", "2026-03-02 Bea  0 0",
			"2026-03-09 Ana  0 0", "2026-03-09 Bea  0 0", "2026-03-23 Ana  0 0", "2026-03-23 Bea  0 0", "2026-03-30 Ana  0 0", "2026-03-30 Bea  0 0",
		)
		if got := l.close(week(5).Add(48 * time.Hour)); !slices.Equal(got, []string{"2026-02-23", "2026-03-02", "2026-03-09", "2026-03-23"}) {
			t.Errorf("closed %v", got)
		}
		// The first of each group moves up: Ana each time, Bea once she is alone.
		l.rows(
			places, "2026-02-23 Ana bronze 1 1", "2026-02-23 Bea bronze 1 2", "2026-03-02 Ana silver 1 1", "2026-03-02 Bea bronze 1 1",
			"2026-03-09 Ana gold 1 1", "2026-03-09 Bea silver 1 1", "2026-03-23 Ana master 1 1", "2026-03-23 Bea gold 1 1",
			"2026-03-30 Ana master 1 0", "2026-03-30 Bea master 1 0",
		)
		l.rows(`SELECT COUNT(*) FROM transfers WHERE kind = 'prize'`, "8")
		addsUp(t, s)
	})
}

// Matches end while their week is being closed by several at once. Each counts once,
// for a week, and no group changes behind its ranks.
func TestCloseBesideMatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLeagues(t, s)
		const players, rounds = 24, 6
		all := make([]account.Player, players)
		for i := range all {
			all[i] = addPlayer(t, s, fmt.Sprint("Player ", i))
			l.play(t0, all[i])
		}
		var wg sync.WaitGroup
		for round := range rounds {
			for i := range players {
				// Some in the old week, some in the new one.
				at := week(1).Add(time.Duration(round-rounds/2) * time.Second)
				wg.Go(func() { l.play(at, all[i], all[(i+round+1)%players]) })
			}
			wg.Go(func() { l.close(week(1).Add(time.Hour)) })
		}
		wg.Wait()
		l.close(week(1).Add(time.Hour))
		// Two people and two bots: 5 for the winner, 1 for the other.
		l.rows(`SELECT SUM(points), SUM(matches) FROM league_scores`, fmt.Sprintf("%d %d", players*(5+rounds*6), players*(1+rounds*2)))
		l.rows(`SELECT COUNT(*) FROM league_scores WHERE division = '' OR (rank > 0) <> (season = '2026-02-23')`, "0")
		l.rows(`SELECT COUNT(*) FROM league_scores a JOIN league_scores b ON a.season = b.season AND a.division = b.division
			AND a.group_no = b.group_no AND a.points < b.points AND a.rank > 0 AND a.rank < b.rank`, "0")
		l.rows(`SELECT COUNT(*) FROM transfers WHERE kind = 'prize'`, "3")
		if _, forecast, err := l.closer(week(1)).Preview(t.Context(), "2026-02-23"); err != nil || forecast[0].Players != players {
			t.Errorf("%+v, %v", forecast, err)
		}
		addsUp(t, s)
	})
}
