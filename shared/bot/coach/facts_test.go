package coach

import (
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// at is the view of the seat to act after some actions of a hand that seat 3 dealt. The
// first card of seat 3 is the one shown.
func at(t *testing.T, rs rules.RuleSet, hands [rules.Seats]string, actions string) (m rules.Match) {
	t.Helper()
	m = rules.NewMatch(rs)
	var deal rules.Deal
	for s, cards := range hands {
		for i, text := range strings.Fields(cards) {
			deal[s][i], _ = rules.ParseCard(text)
		}
	}
	if why := m.Deal(3, &deal, deal[3][0]); why != rules.OK {
		t.Fatalf("%v: %v", hands, why)
	}
	for _, text := range strings.Fields(actions) {
		if why := m.Apply(rules.NoSeat, rules.ParseAction(text)); why != rules.OK {
			t.Fatalf("%s of %s: %v", text, actions, why)
		}
	}
	return m
}

// What is said of a card follows from what the position shows.
func TestReasonsOfCards(t *testing.T) {
	exempt := rules.Clasica.Rules()
	exempt.PartnerExempt = true
	const passed = "pass pass pass pass "
	lead := [rules.Seats]string{"RC CC AO SE 3E", "AC 3C SC RO 3O", "CO SO AE RE CE", "SB CB RB 3B AB"}
	trumps := [rules.Seats]string{"AB 3B AO SC SE", "RB CB 3O RO AC", "3C RC CC CO SO", "SB AE 3E RE CE"}
	last := [rules.Seats]string{"SO SC SE CE CC", "CO 3C RC AE 3E", "3O AC RE RB CB", "SB AO RO AB 3B"}
	for _, test := range []struct {
		rules        rules.RuleSet
		hands        [rules.Seats]string
		actions      string
		played, best string
		want         Code
		points       uint8
	}{
		{rules.Clasica.Rules(), lead, passed, "RC", "SE", MarriageBroken, 20},
		{rules.Clasica.Rules(), trumps, passed, "AO", "AB", TrumpsLeftOut, 0},
		{rules.Clasica.Rules(), trumps, passed, "3B", "AO", TrumpsEarly, 0},
		{rules.Clasica.Rules(), lead, passed, "3E", "SE", TenExposed, 10},
		{rules.Clasica.Rules(), lead, passed, "SE", "AO", SureTrickLeft, 0},
		{rules.Clasica.Rules(), lead, passed, "AO", "SE", SureTrickEarly, 0},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"AO CO AE SC RC", "CB SE CE 3C AC", "SO RO RE RB CC", "SB 3E 3O AB 3B"},
			passed + "AO CB SO 3O SE RE 3E AE", "CO", "SC", LedIntoRuff, 0,
		},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"SO SC SE CE CC", "AO 3C RC AE 3E", "CO AC RE RB CB", "SB 3O RO AB 3B"},
			passed + "SO AO CO", "RO", "3O", PartnerUnfed, 10,
		},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"SO SC SE CE CC", "CO 3C RC AE 3E", "AO AC RE RB CB", "SB 3O RO AB 3B"},
			passed + "SO CO AO", "3O", "RO", PointsThrown, 10,
		},
		{
			exempt,
			[rules.Seats]string{"SO 3O RO SC SE", "AO 3C RC AE 3E", "CO CC CE RB CB", "SB AB 3B AC RE"},
			passed + "SO AO CO", "AB", "AC", TrumpWasted, 0,
		},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"SO RO AO 3O CO", "AB AC 3C RC CB", "RB CC SC SE CE", "SB 3B AE 3E RE"},
			passed + "SO AB", "RB", "SC", TrumpThrown, 0,
		},
		{
			rules.Liga.Rules(),
			[rules.Seats]string{"SO RO AO 3O CO", "AB 3B RB CB 3C", "AC SC RC CC SE", "SB AE 3E RE CE"},
			"pass cuatrola pass pass SO AB", "AC", "SC", WinnerThrown, 0,
		},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"SO SC SE CE CC", "CO 3C RC AE 3E", "RO AC RE RB CB", "SB AO 3O AB 3B"},
			passed + "SO CO RO", "AO", "3O", TookDearly, 0,
		},
		{
			rules.Clasica.Rules(),
			[rules.Seats]string{"SO SC SE CE CC", "CO RO 3C AE 3E", "3O AC RE RB CB", "SB AO RC AB 3B"},
			passed + "SO", "CO", "RO", TookLow, 0,
		},
		{rules.Clasica.Rules(), last, passed + "SO CO 3O", "RO", "AO", TrickDeclined, 0},
		{rules.Clasica.Rules(), last, passed + "SO CO 3O", "AO", "RO", TookNeedlessly, 0},
		{rules.Clasica.Rules(), last, passed, "SC", "SE", OtherCard, 0},
	} {
		m := at(t, test.rules, test.hands, test.actions)
		var v rules.View
		m.View(m.Turn(), &v)
		played, best := rules.ParseAction(test.played), rules.ParseAction(test.best)
		if !v.Legal.Has(played) || !v.Legal.Has(best) {
			t.Fatalf("%v: %s and %s are not both legal", test.want, test.played, test.best)
		}
		var d deals.Deals
		d.Set(&v)
		f := factsOf(&v, &d)
		want := Reason{Code: test.want, Better: best, Points: test.points, Chance: -1}
		if got := f.reason(rules.Card(played), rules.Card(best), unitOf(&v)); got != want {
			t.Errorf("%s instead of %s: %+v, want %+v", test.played, test.best, got, want)
		}
	}
}

func TestReasonsOfBids(t *testing.T) {
	option := func(a rules.Action, chance int16) *Option { return &Option{Action: a, Hand: chance} }
	for _, test := range []struct {
		played, best *Option
		want         Reason
	}{
		{option(rules.Pass, 4000), option(rules.Solo, 8000), Reason{BidMissed, rules.Solo, 0, 8000}},
		{option(rules.Solo, 4000), option(rules.Pass, 5000), Reason{BidRisky, NoAction, 0, 4000}},
		{option(rules.Solo, 9000), option(rules.Cuatrola, 8000), Reason{BidLow, rules.Cuatrola, 0, 8000}},
		{option(rules.Quintola, 3000), option(rules.Cuatrola, 8000), Reason{BidHigh, rules.Cuatrola, 0, 3000}},
	} {
		if got := bidReason(test.played, test.best); got != test.want {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
}

func TestReasonsOfCantes(t *testing.T) {
	v := rules.View{Trump: rules.NewCard(rules.Jack, rules.Copas)}
	forty, twenty := rules.Sing(rules.Copas), rules.Sing(rules.Oros)
	for _, test := range []struct {
		played, best rules.Action
		want         Reason
	}{
		{rules.Silent, forty, Reason{CanteKept, forty, 40, -1}},
		{rules.Silent, twenty, Reason{CanteKept, twenty, 20, -1}},
		{twenty, forty, Reason{CanteSmaller, forty, 40, -1}},
		{twenty, rules.Silent, Reason{CanteEarly, NoAction, 0, -1}},
	} {
		if got := canteReason(&v, test.played, test.best); got != test.want {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
}

// What is said of a decision as a whole, by the figures that it came to.
func TestReasonsOfDecisions(t *testing.T) {
	bidding := at(t, rules.Clasica.Rules(), [rules.Seats]string{"RC CC AO SE 3E", "AC 3C SC RO 3O", "CO SO AE RE CE", "SB CB RB 3B AB"}, "")
	playing := bidding
	for range rules.Seats {
		playing.Apply(rules.NoSeat, rules.Pass)
	}
	const half = Whole / 2
	for _, test := range []struct {
		m       rules.Match
		d       Decision
		want    []Code
		chance  int16
		better  rules.Action
		isNamed bool
	}{
		{m: playing, d: Decision{Verdict: Best}, want: []Code{BestMove}},
		{m: playing, d: Decision{Verdict: Best, OpenBest: 1, Options: [MaxOptions]Option{{OpenMatch: half}, {Action: 3, OpenMatch: half + Whole/5}}}, want: []Code{Unlucky}, better: 3, isNamed: true},
		{m: playing, d: Decision{Verdict: Good, Best: 1, Options: [MaxOptions]Option{{}, {Action: 3}}}, want: []Code{NearlyBest}, better: 3, isNamed: true},
		{m: playing, d: Decision{Phase: rules.PhaseSing, Verdict: Best, Options: [MaxOptions]Option{{Action: rules.Silent}}}, want: []Code{SilenceRight}},
		{m: bidding, d: Decision{Phase: rules.PhaseBid, Verdict: Best, Played: 1, Best: 1, OpenBest: 1, Options: [MaxOptions]Option{{Action: rules.Pass}, {Action: rules.Solo, Hand: 7000}}}, want: []Code{BidSound}, chance: 7000},
		{
			m:    bidding,
			d:    Decision{Phase: rules.PhaseBid, Verdict: Best, OptionCount: 3, Options: [MaxOptions]Option{{Action: rules.Pass}, {Action: rules.Solo, Hand: 5000, Match: 3000}, {Action: rules.Cuatrola, Hand: 1000, Match: 3100}}},
			want: []Code{PassSound}, chance: 1000, better: rules.Cuatrola, isNamed: true,
		},
		{m: bidding, d: Decision{Phase: rules.PhaseBid, Verdict: Mistake, Played: 1, OpenBest: 1, Options: [MaxOptions]Option{{Action: rules.Pass}, {Action: rules.Solo, Hand: 3000}}}, want: []Code{BidRisky, Lucky}, chance: 3000},
		{
			m: playing, d: Decision{Verdict: Blunder, Best: 1, OpenBest: 2, Options: [MaxOptions]Option{{Action: rules.Play(10), Hand: 3000}, {Action: rules.Play(13), Hand: 3400}}},
			want: []Code{BetterCard}, chance: 400, better: rules.Play(13), isNamed: true,
		},
	} {
		var c Coach
		test.m.View(test.m.Turn(), &c.view)
		c.deals.Set(&c.view)
		c.stakes.even()
		c.explain(&test.d)
		if int(test.d.ReasonCount) != len(test.want) {
			t.Errorf("%d reasons, want %v", test.d.ReasonCount, test.want)
		}
		for i, code := range test.want {
			r := test.d.Reasons[i]
			if r.Code != code || i == 0 && (test.isNamed && r.Better != test.better || test.chance != max(0, r.Chance)) {
				t.Errorf("%+v, want %v of %+v", r, code, test)
			}
		}
	}
}
