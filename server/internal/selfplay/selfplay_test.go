package selfplay

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/duel"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// What is written is Go that declares what it should, and the same each time.
func TestSourceRepeats(t *testing.T) {
	cards, err := duel.ParseEntrant("pimc2")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"shares", Shares{Deals: 2, Samples: 3, Seed: 1}.Write},
		{"table", func(w io.Writer) error { return Hunches{Deals: 30, Rounds: 2, Seed: 1}.Write(w, io.Discard) }},
		{"weights", func(w io.Writer) error { return Habits{Deals: 4, Seed: 1}.Write(w, io.Discard) }},
		{"realities", Reality{Deals: 3, Samples: 4, Cards: cards, Seed: 1}.Write},
	} {
		var first, second bytes.Buffer
		if err := c.write(&first); err != nil {
			t.Fatal(err)
		}
		if err := c.write(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: not the same twice", c.name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", first.Bytes(), parser.ParseComments)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, first.Bytes())
		}
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			found = found || ok && spec.Names[0].Name == c.name
			return true
		})
		if !found || !ast.IsGenerated(file) {
			t.Errorf("%s: not declared, or not marked as generated:\n%s", c.name, first.Bytes())
		}
	}
}

// A layout that looks alike to a seat has its cards and the card shown where they are, and
// all others once.
func TestAlike(t *testing.T) {
	dice := newDice(3)
	for range 200 {
		l := randomLayout(dice)
		for seat := range rules.Seat(rules.Seats) {
			o := l.alike(seat, dice)
			var all rules.Cards
			for _, cards := range o.held {
				if cards.Len() != rules.HandSize {
					t.Fatalf("%+v", o)
				}
				all |= cards
			}
			if all != rules.Deck || o.held[seat] != l.held[seat] || o.trump != l.trump || !o.held[dealer].Has(o.trump) {
				t.Fatalf("%+v like %+v for seat %d", o, l, seat)
			}
		}
	}
}

// Under a contract begins the hand that it names.
func TestBegin(t *testing.T) {
	l := randomLayout(newDice(4))
	for c := range contract(contracts) {
		m := l.begin(rules.Liga.Rules(), c)
		if h := m.Hand(); m.Phase() != rules.PhasePlay || h.Bid != c.bid() || h.Bidder != c.bidder() {
			t.Errorf("contract %d: %v by %d in phase %v", c, h.Bid, h.Bidder, m.Phase())
		}
	}
}

// A fit finds the curve that the hopes were made by.
func TestFit(t *testing.T) {
	dice := newDice(5)
	var hopes []hope
	for range 20000 {
		h := hope{rate: float64(dice.IntN(101)) / 100, hunch: dice.NormFloat64()}
		odds := math.Exp(-0.5 + 0.8*math.Log((100*h.rate+0.5)/(100.5-100*h.rate)) + 0.25*h.hunch)
		h.made = dice.Float64() < odds/(1+odds)
		hopes = append(hopes, h)
	}
	curve, trust := Reality{Samples: 100}.fit(hopes, true)
	if mid := curve[eighths/2]; mid < -10 || mid > -6 { // −0.5, in sixteenths
		t.Errorf("%v", curve)
	}
	if trust < 2 || trust > 6 { // 0.25
		t.Errorf("hunch %d", trust)
	}
	for i := range eighths {
		if curve[i] >= curve[i+1] {
			t.Errorf("%v", curve)
		}
	}
}
