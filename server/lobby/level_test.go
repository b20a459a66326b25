package lobby_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/shared/bot"
)

// Bots are as good as the people at the table make them, and those of new players are
// tavern-keepers, as they always were.
func TestLevel(t *testing.T) {
	d, problems := economy.Parse(economy.Default())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for points, want := range map[int]bot.Level{
		-50: bot.Aprendiz, 849: bot.Aprendiz, 850: bot.Tabernero, 1000: bot.Tabernero, 1100: bot.Veterano, 1249: bot.Veterano, 1250: bot.Maestro, 9000: bot.Maestro,
	} {
		if got := lobby.Level(&d.Bots, points); got != want {
			t.Errorf("%d points: %v, want %v", points, got, want)
		}
	}
	var bots economy.Bots
	bots.Levels.Tabernero, bots.Levels.Veterano, bots.Levels.Maestro = 10000, 0, 10000 // one level for almost all
	if got := lobby.Level(&bots, 1000); got != bot.Veterano {
		t.Errorf("by a threshold of nought: %v", got)
	}
}
