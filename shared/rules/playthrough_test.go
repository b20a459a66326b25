package rules_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

var update = flag.Bool("update", false, "write the playthroughs in testdata anew")

// A whole match of each preset stays, to the letter, what it was: who is to act
// before each action, what is legal in its stable order, what is done, what each
// hand gives. A difference is a change of the rules and has to be meant:
// go test ./shared/rules -run Playthroughs -update
func TestPlaythroughs(t *testing.T) {
	for _, p := range rules.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			got := playthrough(p)
			file := filepath.Join("testdata", p.String()+".txt")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(got, want) {
				return
			}
			gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
			for i, line := range gotLines {
				if i >= len(wantLines) || !bytes.Equal(line, wantLines[i]) {
					t.Fatalf("%s:%d: differs first at\n%s", file, i+1, line)
				}
			}
			t.Fatalf("%s: longer than what is played", file)
		})
	}
}

func playthrough(p rules.Preset) []byte {
	_, hands := randomMatch(dice(uint64(p)+40), p.Rules(), func(*rules.Match) {})
	var b bytes.Buffer
	m := rules.NewMatch(p.Rules())
	lastHand := -1
	rules.Replay(&m, hands, func(hand, action int) {
		rec := &hands[hand]
		if hand != lastHand {
			lastHand = hand
			fmt.Fprintf(&b, "hand %d: dealer %d, %v, trump %v\n", hand, rec.Dealer, rec.Deal, rec.Trump)
		}
		fmt.Fprintf(&b, "%v %d: %s -> %v\n", m.Phase(), m.Turn(), text(m.Legal()), rec.Actions[action])
	}, func(h *rules.Hand) {
		fmt.Fprintf(&b, "%v of %d, cantes %v, points %v, tricks %v: pair %d takes %d, score %v\n",
			h.Bid, int8(h.Bidder), h.Cantes[:h.CanteCount], h.Points, h.TricksWon, h.Winner, h.Value, h.Score)
	})
	fmt.Fprintf(&b, "winner %d\n", m.Winner())
	return b.Bytes()
}
