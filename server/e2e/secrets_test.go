package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

const secretMatches = 1000

// heard is one thing that a seat received during a match.
type heard struct {
	seq  int
	text []byte
}

// A thousand matches are played, and everything that a seat receives before the
// end, on both channels, is searched for cards. Each must be one that the seat
// held, or that lay on the table by then, or the dealer's shown card.
func TestNoSeatLearnsWhatItMayNotKnow(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := newServer(t, "sqlite")
	var next, texts atomic.Int64
	var players sync.WaitGroup
	for i := range 20 {
		players.Go(func() {
			p := &player{srv: s, random: rand.New(rand.NewPCG(uint64(i), 23))}
			err := p.signUp(ctx)
			for err == nil {
				n := int(next.Add(1))
				if n > secretMatches {
					break
				}
				var all []heard
				p.heard = func(seq int, text []byte) { all = append(all, heard{seq, text}) }
				// Short matches, so that the thousand take seconds.
				rs := map[string]any{"preset": rules.Presets()[n%4].String(), "end": "hands", "target": 1}
				var rec *record.Record
				if rec, err = p.play(ctx, rs); err == nil {
					err = searched(rec, all)
					texts.Add(int64(len(all)))
				}
			}
			if err != nil {
				t.Errorf("player %d: %v", i, err)
				cancel()
			}
		})
	}
	players.Wait()
	if loose := cardName.FindString(s.logged()); loose != "" {
		t.Errorf("the log names a card: %s", loose)
	}
	fmt.Printf("searched %d texts of %d matches\n", texts.Load(), secretMatches)
}

var (
	quotedCard = regexp.MustCompile(`"([SCR3A][OCEB])"`)
	actionCard = regexp.MustCompile(`"action":"([SCR3A][OCEB])"`)
	cardName   = regexp.MustCompile(`\b[SCR3A][OCEB]\b`)
)

// searched looks for cards in what the seat heard that it could not know then.
func searched(rec *record.Record, all []heard) error {
	seat := rules.NoSeat
	for s, p := range rec.Players {
		if !p.Bot {
			seat = rules.Seat(s)
		}
	}
	hands, err := knowledge(rec, seat)
	if err != nil {
		return err
	}
	for _, h := range all {
		var frame struct {
			View json.RawMessage `json:"view"`
		}
		_ = json.Unmarshal(h.text, &frame)
		text := h.text // an answer over REST is a view, a frame may hold one
		if frame.View != nil {
			text = frame.View
		}
		var view struct {
			Phase    string            `json:"phase"`
			Scores   []json.RawMessage `json:"scores"`
			LastHand json.RawMessage   `json:"lastHand"`
		}
		_ = json.Unmarshal(text, &view)
		if view.Phase == "over" {
			continue // the record is public now
		}
		known := hands.after(h.seq)
		rest := string(h.text)
		if last := len(view.Scores) - 1; last >= 0 {
			if err := onlyKnown(string(view.LastHand), known[last]); err != nil {
				return violated("seat %d, event %d, finished hand %d: %w", seat, h.seq, last, err)
			}
			rest = strings.Replace(rest, string(view.LastHand), "", 1)
		}
		allowed := known[len(known)-1]
		if a := actionCard.FindStringSubmatch(rest); a != nil {
			// The event's own card, which may have ended the hand before this one.
			rest = strings.Replace(rest, a[0], "", 1)
			if c, _ := rules.ParseCard(a[1]); !allowed.Has(c) && (len(known) < 2 || !known[len(known)-2].Has(c)) {
				return violated("seat %d was told at event %d that %s was played, which was not:\n%s", seat, h.seq, c, h.text)
			}
		}
		if err := onlyKnown(rest, allowed); err != nil {
			return violated("seat %d, event %d: %w\n%s", seat, h.seq, err, h.text)
		}
	}
	return nil
}

func onlyKnown(text string, known rules.Cards) error {
	for _, found := range quotedCard.FindAllStringSubmatch(text, -1) {
		if c, _ := rules.ParseCard(found[1]); !known.Has(c) {
			return fmt.Errorf("names %s", c)
		}
	}
	return nil
}

// seen is what a seat may know, hand by hand, at each of its events.
type seen struct{ at [][]rules.Cards }

// after is what the seat may know of each hand so far, after its event seq.
func (s seen) after(seq int) []rules.Cards { return s.at[min(seq, len(s.at)-1)] }

func knowledge(rec *record.Record, seat rules.Seat) (seen, error) {
	m := rules.NewMatch(rec.Rules)
	var k seen
	var hands []rules.Cards
	note := func() { k.at = append(k.at, append([]rules.Cards(nil), hands...)) }
	hands = append(hands, 0)
	note() // before the seed
	for i := range rec.Hands {
		h := &rec.Hands[i]
		own := rules.Of(h.Deal[seat][:]...) | rules.Of(h.Trump)
		if i == 0 {
			hands[0] = own
			note() // the seed deals the first hand
		} else {
			hands = append(hands, own)
			k.at[len(k.at)-1] = append([]rules.Cards(nil), hands...)
		}
		if why := m.Deal(h.Dealer, &h.Deal, h.Trump); why != rules.OK {
			return k, violated("hand %d: %s", i, why)
		}
		for _, a := range h.Actions {
			shown := a != rules.Silent || m.Turn() == seat
			if why := m.Apply(rules.NoSeat, a); why != rules.OK {
				return k, violated("hand %d: %s", i, why)
			}
			if c, ok := a.Card(); ok {
				hands[i] |= rules.Of(c)
			}
			if shown {
				note()
			}
		}
	}
	return k, nil
}
