package league_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
)

var t0 = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func document(divisions ...economy.Division) *economy.Document {
	d := &economy.Document{TimeZone: "Europe/Madrid"}
	d.League.Divisions = divisions
	return d
}

// Ties go to who reached the points first, then to the older account; ranks are the
// same in whatever order the scores are read.
func TestFreeze(t *testing.T) {
	d := document(
		economy.Division{Name: "low", GroupSize: 4, Up: 2, Prizes: []int64{100, 50}},
		economy.Division{Name: "middle", GroupSize: 5, Up: 1, Down: 2, Prizes: []int64{200}},
		economy.Division{Name: "high", GroupSize: 4, Down: 1},
	)
	score := func(player string, points int64, seconds int) league.Score {
		return league.Score{PlayerID: player, Points: points, ReachedAt: t0.Add(time.Duration(seconds) * time.Second)}
	}
	group := []league.Score{score("d", 10, 5), score("a", 10, 9), score("c", 10, 5), score("e", 3, 1), score("b", 20, 99)}
	for range 20 {
		rand.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		var got string
		for _, s := range league.Freeze(d, "middle", group) {
			got += fmt.Sprint(s.PlayerID, s.Rank, " ", s.Prize, " ", s.Moved, s.Next, ", ")
		}
		if want := "b1 200 1 {high 2}, c2 0 0 {middle 1}, d3 0 0 {middle 1}, a4 0 -1 {low 0}, e5 0 -1 {low 0}, "; got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
	// A group that is not full moves its share.
	for players, want := range map[int][2]int{1: {1, 0}, 2: {1, 0}, 3: {1, 1}, 4: {1, 1}, 5: {1, 2}} {
		if up, down := league.Zones(d.League.Divisions[1], players); [2]int{up, down} != want {
			t.Errorf("of %d players %d move up and %d down, want %v", players, up, down, want)
		}
	}
}

// Whatever the document and the groups are: nobody is lost or doubled, nobody
// leaves the ladder or moves more than a step, and who is before somebody else
// fares no worse.
func TestFreezeKeepsEverybody(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range 2000 {
		var divisions []economy.Division
		for i := range 1 + r.IntN(5) {
			size := 2 + r.IntN(20)
			v := economy.Division{Name: fmt.Sprint("d", i), GroupSize: size, Up: r.IntN(size + 1)}
			v.Down = r.IntN(size - v.Up + 1)
			for prize := int64(1000); len(v.Prizes) < size && r.IntN(4) > 0; prize -= r.Int64N(100) {
				v.Prizes = append(v.Prizes, max(prize, 0))
			}
			divisions = append(divisions, v)
		}
		divisions[0].Down, divisions[len(divisions)-1].Up = 0, 0
		d, level := document(divisions...), r.IntN(len(divisions))
		division := divisions[level]
		group := make([]league.Score, 1+r.IntN(division.GroupSize))
		for i := range group {
			group[i] = league.Score{PlayerID: fmt.Sprintf("%02d", i), Points: 1 + r.Int64N(5), ReachedAt: t0.Add(time.Duration(r.IntN(3)))}
		}
		frozen := league.Freeze(d, division.Name, group)
		var ids []string
		moved := map[int]int{}
		for i, s := range frozen {
			ids = append(ids, s.PlayerID)
			moved[s.Moved]++
			if s.Rank != i+1 || s.Next.Level != level+s.Moved || s.Next.Division != divisions[s.Next.Level].Name {
				t.Fatalf("%+v in %s of %+v", s, division.Name, divisions)
			}
			if i > 0 {
				if b := frozen[i-1]; league.Compare(s, b) < 0 || b.Points < s.Points || b.Prize < s.Prize || b.Moved < s.Moved {
					t.Fatalf("%+v is before %+v", b, s)
				}
			}
		}
		slices.Sort(ids)
		if ids = slices.Compact(ids); len(ids) != len(group) {
			t.Fatalf("%d players, %d were in the group", len(ids), len(group))
		}
		up, down := league.Zones(division, len(group))
		if moved[1] != up || moved[-1] != down || up+down > len(group) {
			t.Fatalf("moved %v; want %d up and %d down of %d", moved, up, down, len(group))
		}
		if len(group) == division.GroupSize && (up != division.Up || down != division.Down) {
			t.Fatalf("a full group moves %d up and %d down, want %+v", up, down, division)
		}
	}
}
