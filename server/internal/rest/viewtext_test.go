package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// The view that sockets are sent is, byte for byte, what encoding/json makes of the
// contract's view: at every point of matches under every preset, for every viewer, whatever
// people are called and whatever seeds they have given.
func TestAppendView(t *testing.T) {
	random := rand.New(rand.NewPCG(2026, 12))
	for _, preset := range rules.Presets() {
		views := 0
		for range 20 {
			everyView(preset.Rules(), random, func(v *match.View) {
				views++
				want, err := json.Marshal(rest.ViewJSON(*v))
				if err != nil {
					t.Fatal(err)
				}
				// Behind what the buffer holds already.
				got, had := bytes.CutPrefix(rest.AppendView([]byte("x"), v), []byte("x"))
				if !had || !bytes.Equal(got, want) {
					t.Fatalf("%v:\n%s\nwant\n%s", preset, got, want)
				}
			})
		}
		if views < 1000 {
			t.Errorf("%v: %d views", preset, views)
		}
	}
}

// everyView plays a match of random actions and shows it after each to all who may see it.
func everyView(rs rules.RuleSet, random *rand.Rand, see func(*match.View)) {
	texts := []string{"", "Ana", `Pep "el <Noi>" & co\`, "Núria 🂡", "a\u2028b\u007f\x01\n", "\xff"}
	some := func() string { return texts[random.IntN(len(texts))] }
	at := func() time.Time {
		return time.UnixMilli(1_790_000_000_000 + random.Int64N(1e9)).In(time.FixedZone("", 3600*random.IntN(3)))
	}
	v := match.View{ID: fmt.Sprint("01a2-", random.Uint64()), Rules: rs, CreatedAt: at(), Stake: random.Int64N(3) * 250}
	for s := range v.Seats {
		v.Seats[s] = match.Seat{PlayerID: "somebody", Name: some()}
		if random.IntN(3) == 0 {
			v.Seats[s] = match.Seat{Bot: bot.Levels()[random.IntN(len(bot.Levels()))]}
		}
		v.ClientSeeds[s] = some()
	}
	v.Mode = []economy.Mode{"", economy.Staked}[random.IntN(2)]
	v.SeedsMissing = uint8(random.IntN(16))
	v.Commitment[random.IntN(32)] = byte(random.IntN(256))
	m := rules.NewMatch(rs)
	show := func() {
		for viewer := rules.Seat(0); viewer <= rules.Spectator; viewer++ {
			v.Viewer, v.Seq = viewer, random.IntN(1000)
			v.Deadline = []time.Time{{}, at()}[random.IntN(2)]
			v.Away[random.IntN(rules.Seats)] = random.IntN(2) == 0
			m.View(viewer, &v.Game)
			v.Phase = v.Game.Phase.String()
			see(&v)
		}
	}
	show()
	for hand := 0; m.Winner() == rules.NoPair; hand++ {
		var deal rules.Deal
		cards := random.Perm(rules.Seats * rules.HandSize)
		for i, card := range cards {
			deal[i%rules.Seats][i/rules.Seats] = rules.Card(card)
		}
		dealer := rules.Seat(hand % rules.Seats)
		m.Deal(dealer, &deal, deal[dealer][0])
		for m.Turn() != rules.NoSeat {
			show()
			var all []rules.Action
			for legal := m.Legal(); legal != 0; legal = legal.Rest() {
				a, _ := legal.First()
				all = append(all, a)
			}
			m.Apply(m.Turn(), all[random.IntN(len(all))])
		}
		v.Hands = append(v.Hands, *m.Hand())
	}
	v.ServerSeed, v.EndedAt = []byte{1, 2, 254}, at()
	show()
}

func BenchmarkView(b *testing.B) {
	var all []match.View
	everyView(rules.Presets()[0].Rules(), rand.New(rand.NewPCG(1, 2)), func(v *match.View) { all = append(all, *v) })
	b.Run("text", func(b *testing.B) {
		var text []byte
		for i := 0; b.Loop(); i++ {
			text = rest.AppendView(text[:0], &all[i%len(all)])
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := json.Marshal(rest.ViewJSON(all[i%len(all)])); err != nil {
				b.Fatal(err)
			}
		}
	})
}
