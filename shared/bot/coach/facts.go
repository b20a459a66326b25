package coach

import (
	"github.com/cuatrola/cuatrola/shared/bot/deals"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// facts are what a view makes certain about the trick that the viewer plays to.
type facts struct {
	v     *rules.View
	trump rules.Suit
	// unseen cards that somebody who takes part may still hold.
	unseen rules.Cards
	// may is what each seat that takes part may hold, for all the viewer knows.
	may [rules.Seats]rules.Cards
	// behind are the seats that play to the trick after the viewer, by bits.
	behind uint8
}

func factsOf(v *rules.View, d *deals.Deals) facts {
	f := facts{v: v, trump: v.Trump.Suit()}
	for s := range rules.Seat(rules.Seats) {
		if s != v.Out && s != v.Viewer {
			f.may[s] = d.May(s)
			f.unseen |= f.may[s]
		}
	}
	active := rules.Seats
	if v.Out != rules.NoSeat {
		active--
	}
	for i := int(v.Table.Count) + 1; i < active; i++ {
		f.behind |= 1 << rules.SeatOf(v.Table.Lead, v.Out, i)
	}
	return f
}

// beats says whether a card wins against the one that is best so far.
func (f *facts) beats(c, best rules.Card) bool { return f.over(best).Has(c) }

// over is the set of cards that beat one.
func (f *facts) over(best rules.Card) rules.Cards {
	over := rules.Deck.In(best.Suit()) &^ (2<<best - 1)
	if best.Suit() != f.trump {
		over |= rules.Deck.In(f.trump)
	}
	return over
}

// others may hold something of a set: opponents, of those given by bits.
func (f *facts) opponents(cards rules.Cards, of uint8) bool {
	for s := range rules.Seat(rules.Seats) {
		if s.Pair() != f.v.Viewer.Pair() && of>>s&1 != 0 && f.may[s]&cards != 0 {
			return true
		}
	}
	return false
}

const everybody = 1<<rules.Seats - 1

// safe says that no opponent who plays after the viewer can beat the card.
func (f *facts) safe(c rules.Card) bool { return !f.opponents(f.over(c), f.behind) }

// master says that no card of its suit that is still out beats it.
func (f *facts) master(c rules.Card) bool {
	return f.unseen.In(c.Suit())&f.over(c) == 0
}

// lostToUs says that the partner can no longer beat what an opponent has on the table.
func (f *facts) lostToUs() bool {
	partner := f.v.Viewer.Partner()
	return f.behind>>partner&1 == 0 || f.may[partner]&f.over(f.v.Table.Best) == 0
}

// cante is what the cante is worth that a card belongs to and that the viewer may still
// sing, 0 if there is none.
func (f *facts) cante(c rules.Card) uint8 {
	v := f.v
	suit := c.Suit()
	king, knight := rules.NewCard(rules.King, suit), rules.NewCard(rules.Knight, suit)
	if c != king && c != knight || !v.Cards.Has(king) || !v.Cards.Has(knight) || needsOf(&v.Rules, v.Hand.Bid) > 0 {
		return 0
	}
	if v.Hand.TrickCount >= rules.HandSize-2 {
		return 0 // no trick is left behind which both could still be held
	}
	sung := int8(0)
	for _, s := range v.Hand.Cantes[:v.Hand.CanteCount] {
		if s.Suit == suit {
			return 0
		}
		if s.Seat.Pair() == v.Viewer.Pair() {
			sung++
		}
	}
	if v.Rules.MaxCantes != rules.None && sung >= v.Rules.MaxCantes {
		return 0
	}
	return cantePoints(v, suit)
}

// dear cards are threes and aces.
func dear(c rules.Card) bool { return c.Rank() >= rules.Three }

// reason is why one card was worse than another, from what is most to the point to what
// is least.
func (f *facts) reason(played, best rules.Card, unit Unit) Reason {
	better := rules.Play(best)
	if n := f.cante(played); n > 0 && best.Suit() != played.Suit() || n > 0 && f.cante(best) == 0 {
		return Reason{Code: MarriageBroken, Better: better, Points: n, Chance: -1}
	}
	var code Code
	if f.v.Table.Count == 0 {
		code = f.lead(played, best, unit)
	} else {
		code = f.follow(played, best, unit)
	}
	r := instead(code, better)
	switch code {
	case TenExposed, PointsThrown:
		r.Points = uint8(played.Points())
	case PartnerUnfed:
		r.Points = uint8(best.Points())
	default:
	}
	return r
}

func (f *facts) lead(played, best rules.Card, unit Unit) Code {
	trumpsOut := f.opponents(rules.Deck.In(f.trump), everybody)
	playsTrump, leadsTrump := played.Suit() == f.trump, best.Suit() == f.trump
	switch {
	case leadsTrump && !playsTrump && trumpsOut:
		return TrumpsLeftOut
	case !playsTrump && f.ruffed(played.Suit()) && !f.ruffed(best.Suit()):
		return LedIntoRuff
	case unit == Points && dear(played) && !f.master(played) && best.Points() < played.Points():
		return TenExposed
	case playsTrump && !leadsTrump:
		return TrumpsEarly
	case f.master(best) && !f.master(played):
		return SureTrickLeft
	case f.master(played) && !f.master(best):
		return SureTrickEarly
	default:
		return OtherCard
	}
}

// ruffed says that an opponent is known to have none of a side suit, and may have trumps.
func (f *facts) ruffed(suit rules.Suit) bool {
	if suit == f.trump {
		return false
	}
	for s := range rules.Seat(rules.Seats) {
		if s.Pair() != f.v.Viewer.Pair() && f.may[s].In(suit) == 0 && f.may[s].In(f.trump) != 0 {
			return true
		}
	}
	return false
}

func (f *facts) follow(played, best rules.Card, unit Unit) Code {
	table := &f.v.Table
	partners := table.Winner == f.v.Viewer.Partner()
	takes, wouldTake := f.beats(played, table.Best), f.beats(best, table.Best)
	trump := played.Suit() == f.trump && best.Suit() != f.trump
	switch {
	case partners && trump:
		return TrumpWasted
	case unit == Points && partners && !takes && !wouldTake && f.safe(table.Best) && best.Points() > played.Points():
		return PartnerUnfed
	case unit == Points && !partners && !takes && dear(played) && best.Points() < played.Points() && f.lostToUs():
		return PointsThrown
	case !takes && wouldTake:
		return TrickDeclined
	case takes && !wouldTake:
		return TookNeedlessly
	case takes && played.Suit() == best.Suit() && played > best, takes && trump:
		return TookDearly
	case takes && best > played && best.Suit() == played.Suit() && !f.safe(played):
		return TookLow
	case !takes && trump:
		return TrumpThrown
	case !takes && f.master(played) && !f.master(best):
		return WinnerThrown
	default:
		return OtherCard
	}
}
