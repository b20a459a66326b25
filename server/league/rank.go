package league

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cuatrola/cuatrola/server/economy"
)

// Compare orders scores by rank: more points first, then who reached them first,
// and of those of the same moment, which mostly sat at one table, the older
// account. It leaves no tie, so that ranks are the same every time.
func Compare(a, b Score) int {
	return cmp.Or(cmp.Compare(b.Points, a.Points), a.ReachedAt.Compare(b.ReachedAt), strings.Compare(a.PlayerID, b.PlayerID))
}

// Zones tells how many of a group's players move up and down. A group that is not
// full moves its share: rounded up above, down below, so that a new server has
// somebody to move up.
func Zones(d economy.Division, players int) (up, down int) {
	players = min(players, d.GroupSize)
	return (d.Up*players + d.GroupSize - 1) / d.GroupSize, d.Down * players / d.GroupSize
}

// Freeze works out what the end of a season makes of a group of a division: the
// scores in the order of their ranks, with their outcomes.
func Freeze(d *economy.Document, division string, group []Score) []Score {
	group = slices.Clone(group)
	slices.SortFunc(group, Compare)
	divisions := d.League.Divisions
	here := Place{Division: division}.in(divisions)
	up, down := Zones(divisions[here.Level], len(group))
	for i := range group {
		o := Outcome{Rank: i + 1, Next: here}
		switch {
		case i < up:
			o.Moved = 1
		case i >= len(group)-down:
			o.Moved = -1
		}
		o.Next.Level += o.Moved
		o.Next.Division = divisions[o.Next.Level].Name
		if prizes := divisions[here.Level].Prizes; i < len(prizes) {
			o.Prize = prizes[i]
		}
		group[i].Outcome = o
	}
	return group
}
