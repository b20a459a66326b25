package store_test

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// BenchmarkLeague reads a season in which a million players have scored, each time
// for another player, and prints how the database goes about each read.
func BenchmarkLeague(b *testing.B) {
	const players = 1_000_000
	for _, kind := range storetest.Kinds {
		b.Run(kind, func(b *testing.B) {
			s := storetest.New(b, kind)
			now := week(0).Add(72 * time.Hour)
			e := economy.NewService(s, func() time.Time { return now })
			if err := e.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			l := league.New(s.League(), e, func() time.Time { return now }, rand.Reader, func(notice.Notice) {})
			storetest.FillLeague(b, s, players)
			id := func(n int) string { return fmt.Sprintf("01890a5d-0000-7000-8000-%012d", n*7919%players) }
			deep := func(n int) *league.Score {
				return &league.Score{Points: int64(1 + n%90), ReachedAt: week(0).Add(time.Duration(n%53) * time.Second), PlayerID: id(n)}
			}
			asked := s.RecordStatements()
			names := slices.Sorted(maps.Keys(leagueReads(l, id(0), deep(0))))
			for _, name := range names {
				b.Run(name, func(b *testing.B) {
					asked.Take()
					leagueReads(l, id(1), deep(1))[name](b)
					for _, statement := range asked.Take() {
						if strings.Contains(statement, "league_seasons") {
							continue
						}
						first, _, _ := strings.Cut(strings.Join(strings.Fields(statement), " "), " UNION ALL ")
						b.Logf("%.300s\n%s", first, shortPlan(plan(b, s, statement)))
					}
					for n := 0; b.Loop(); n++ {
						leagueReads(l, id(n), deep(n))[name](b)
					}
					b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
				})
			}
			b.Run("close_group", func(b *testing.B) {
				for number := 1; b.Loop(); number++ {
					g := league.Group{SeasonID: "2026-02-23", Division: "bronze", Number: number}
					_, err := s.League().FreezeGroup(b.Context(), g, now, func(scores []league.Score) (league.Ending, error) {
						return ending(scores, now)
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
			})
		})
	}
}

// ending is a group's end with three prizes and a notice for everybody.
func ending(scores []league.Score, at time.Time) (league.Ending, error) {
	d, problems := economy.Parse(economy.Default())
	if len(problems) > 0 {
		return league.Ending{}, fmt.Errorf("%+v", problems)
	}
	end := league.Ending{Scores: league.Freeze(d, "bronze", scores)}
	for i, s := range end.Scores {
		if i < 3 {
			t, err := wallet.New(uuid.Must(uuid.NewV7()).String(), league.PrizeKey(s.SeasonID, s.PlayerID), wallet.KindPrize, at,
				wallet.Move(wallet.Prizes, wallet.Player(s.PlayerID), s.Prize)...)
			if err != nil {
				return end, err
			}
			end.Prizes = append(end.Prizes, t)
		}
		end.Notices = append(end.Notices, notice.Notice{
			PlayerID: s.PlayerID, Kind: notice.LeagueClosed, At: at, League: &notice.League{Season: s.SeasonID, Rank: s.Rank},
		})
	}
	return end, nil
}

// shortPlan leaves out what a plan repeats for each division.
func shortPlan(plan string) string {
	var lines []string
	for line := range strings.SplitSeq(plan, "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) > 12 {
		lines = append(lines[:12], "…")
	}
	return strings.Join(lines, "\n")
}
