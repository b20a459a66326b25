package wire_test

import (
	"bytes"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
	"github.com/cuatrola/cuatrola/shared/rules/wire"
)

// Whatever bytes come: what is read is written back the same, and replaying it
// ends, panics nowhere and gives a result that can be read.
func FuzzRecord(f *testing.F) {
	r := dice(11)
	for range 20 {
		rs := randomRules(r)
		hands := randomMatch(r, rs, func(*rules.Match) {})[:1]
		f.Add(wire.AppendRecord(nil, &rs, hands))
		spoil(r, hands)
		f.Add(wire.AppendRecord(nil, &rs, hands))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var rec wire.Record
		var replayer wire.Replayer
		answer, refused, replayed := replayer.Replay(b, true)
		if rec.Read(b) != replayed {
			t.Fatal("Read and Replay disagree on what is a record")
		}
		if !replayed {
			return
		}
		if !bytes.Equal(wire.AppendRecord(nil, &rec.Rules, rec.Hands), b) {
			t.Fatal("written back differently")
		}
		if (refused != nil) != (rec.Rules.Validate() != nil) {
			t.Fatalf("refused: %v", refused)
		}
		if refused != nil {
			return
		}
		if _, ok := wire.ReadResult(answer); !ok {
			t.Fatal("the result is not read back")
		}
	})
}

func FuzzView(f *testing.F) {
	r := dice(12)
	for range 5 {
		randomMatch(r, randomRules(r), func(m *rules.Match) {
			if r.IntN(20) == 0 {
				var v rules.View
				m.View(rules.Seat(r.IntN(rules.Viewers)), &v)
				f.Add(wire.AppendView(nil, &v), byte(r.IntN(256)), uint64(1))
			}
		})
	}
	f.Fuzz(func(t *testing.T, b []byte, action byte, seed uint64) {
		var v rules.View
		if !wire.ReadView(b, &v) {
			return
		}
		if !bytes.Equal(wire.AppendView(nil, &v), b) {
			t.Fatal("written back differently")
		}
		v.Check(rules.Action(action))
		// A bot thinks about what it is shown, and what it is shown need not be a
		// match that can come about. What it may do is worked out anew, as the module
		// does before it asks a bot.
		v.Legal = 0
		for a := rules.Action(0); a <= rules.Silent; a++ {
			if v.Check(a) == rules.OK {
				v.Legal |= 1 << a
			}
		}
		bot.Choose(bot.Tabernero, &v, seed)
	})
}

func FuzzPosition(f *testing.F) {
	rs := rules.Liga.Rules()
	f.Add(wire.AppendPosition(nil, &rs, rules.Oros, 2, rules.Of(1, 7, 9), []rules.Seat{0, 1}, []rules.Card{3, 4}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p wire.Position
		if refused, ok := wire.ReadPosition(b, &p); !ok || refused != nil {
			return
		}
		if legal := p.Legal(); rules.Cards(legal)&^p.Hand != 0 {
			t.Fatalf("legal %b is not part of the hand %b", legal, p.Hand)
		}
	})
}

func FuzzSeeds(f *testing.F) {
	rs := rules.Liga.Rules()
	commitment := rules.Commit(nil)
	b := wire.AppendSeeds(commitment[:], []byte("seed"), "id", &[rules.Seats][]byte{nil, []byte("x"), nil, nil})
	f.Add(wire.AppendRecord(b, &rs, randomMatch(dice(13), rs, func(*rules.Match) {})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var rec wire.Record
		rec.VerifyFair(b)
		seeds, rest, ok := wire.ReadSeeds(b)
		if ok && !bytes.Equal(append(wire.AppendSeeds(nil, seeds.Server, seeds.MatchID, &seeds.Clients), rest...), b) {
			t.Fatal("written back differently")
		}
	})
}
