package match

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Phases of a match on the server, beside those of the rules.
const (
	// PhaseSeeds: seats bring their seeds; the first hand is dealt when all have.
	PhaseSeeds = "seeds"
	// PhaseVoid: the match was given up for a fault of ours.
	PhaseVoid = "void"
)

// fold is a match as its log has made it.
type fold struct {
	*Match
	log   []Entry
	game  rules.Match
	seeds [rules.Seats][]byte
	// missing has a bit for each seat whose seed is still to come.
	missing uint8
	// commitment to the server's seed, which every view shows.
	commitment [32]byte
	hands      []rules.HandRecord
	results    []rules.Hand
	// shown counts the entries that each viewer has been shown; last is the place
	// in the log of the newest of them, -1 before the first.
	shown [rules.Viewers]int
	last  [rules.Viewers]int
	// missed counts the turns in a row that each viewer has seen each seat's person
	// miss. After awayAfter of them the person is shown as away.
	missed    [rules.Viewers][rules.Seats]int
	awayAfter int
	// pace is how the waits of the bots vary.
	pace bot.Pace
	void bool
}

func newFold(m *Match) *fold {
	f := &fold{Match: m, commitment: rules.Commit(m.ServerSeed), game: rules.NewMatch(m.Rules), pace: bot.Steady(), last: [rules.Viewers]int{-1, -1, -1, -1, -1}}
	for s := range m.Seats {
		if !m.Seats[s].IsBot() {
			f.missing |= 1 << s
		}
	}
	f.dealIfDue()
	return f
}

// add folds one more entry in. An error means that the log is not one that this
// code wrote.
func (f *fold) add(e Entry) error {
	if e.Seq != len(f.log) || e.Seat >= rules.Seats {
		return fmt.Errorf("match %s: log entry %d does not follow entry %d", f.ID, e.Seq, len(f.log)-1)
	}
	switch e.Kind {
	case KindVoid:
		f.void = true
	case KindSeed:
		f.seeds[e.Seat] = []byte(e.Text)
		f.missing &^= 1 << e.Seat
	case KindAct:
		a := rules.ParseAction(e.Text)
		if why := f.game.Apply(e.Seat, a); why != rules.OK {
			return fmt.Errorf("match %s: log entry %d is refused by the rules: %s", f.ID, e.Seq, why)
		}
		hand := &f.hands[len(f.hands)-1]
		hand.Actions = append(hand.Actions, a)
		if f.game.HandsFinished() > len(f.results) {
			f.results = append(f.results, *f.game.Hand())
		}
	default:
		return fmt.Errorf("match %s: log entry %d is of unknown kind %q", f.ID, e.Seq, e.Kind)
	}
	f.log = append(f.log, e)
	for v := range f.shown {
		if shownTo(rules.Seat(v), e) {
			f.shown[v]++
			f.last[v] = e.Seq
			f.missed[v][e.Seat] = missedAfter(f.missed[v][e.Seat], e)
		}
	}
	if f.void {
		f.EndedAt = e.At
		return nil
	}
	if f.ended() {
		f.EndedAt, f.Result = e.At, resultOf(&f.game, f.results, f.log)
	}
	f.dealIfDue()
	return nil
}

// dealIfDue deals the next hand as soon as nothing is missing for it.
func (f *fold) dealIfDue() {
	if f.missing != 0 || f.game.Phase() != rules.PhaseDeal {
		return
	}
	dealer := f.game.Dealer().Next()
	if len(f.hands) == 0 {
		dealer = rules.FairDealer(f.ServerSeed, f.ID, &f.seeds)
	}
	deal, trump := rules.FairDeal(f.ServerSeed, f.ID, &f.seeds, uint32(len(f.hands)), dealer)
	// Cannot be refused: the dealer is the next one and the deal is whole.
	f.game.Deal(dealer, &deal, trump)
	f.hands = append(f.hands, rules.HandRecord{Dealer: dealer, Deal: deal, Trump: trump})
}

func (f *fold) ended() bool { return f.void || f.game.Phase() == rules.PhaseMatchOver }

// resultOf is how a match ended that had these hands and this log.
func resultOf(game *rules.Match, hands []rules.Hand, log []Entry) *Result {
	r := &Result{Score: game.Score(), Winner: game.Winner(), Hands: game.HandsFinished()}
	for i := range hands {
		h := &hands[i]
		r.HandsWon[h.Winner]++
		switch {
		case h.Bidder >= rules.Seats:
		case h.Bidder.Pair() == h.Winner:
			r.Bids[h.Bidder].Made++
		default:
			r.Bids[h.Bidder].Lost++
		}
	}
	for _, e := range log {
		r.Missed[e.Seat] = missedAfter(r.Missed[e.Seat], e)
	}
	return r
}

// missedAfter is how many turns in a row the person of an entry's seat has missed, who
// had missed so many before. Only what they do themselves makes them present again, so
// that every process and every client knows it from the log alone.
func missedAfter(missed int, e Entry) int {
	switch {
	case e.Kind != KindAct:
		return missed
	case e.By == ByClock:
		return missed + 1
	default:
		return 0
	}
}

// seatOf is the player's seat.
func (f *fold) seatOf(playerID string) (rules.Seat, error) {
	for s, seat := range f.Seats {
		if !seat.IsBot() && seat.PlayerID == playerID {
			return rules.Seat(s), nil
		}
	}
	return rules.NoSeat, fault.New(fault.Forbidden, "You are not one of this match's players.")
}

// opened is when the current turn began.
func (f *fold) opened() time.Time {
	if len(f.log) == 0 {
		return f.CreatedAt
	}
	return f.log[len(f.log)-1].At
}

// deadline is when the current turn ends, outages not counted. Zero once the
// match is over.
func (f *fold) deadline() time.Time {
	if len(f.log) == 0 {
		return f.CreatedAt.Add(f.turnTime(&f.game))
	}
	return f.log[len(f.log)-1].Deadline
}

// allowance is the time that a turn of the seat lasts as somebody sees it who has this
// view; NoSeat stands for the seats that have to bring their seeds.
func (f *fold) allowance(s rules.Seat, v *rules.View) time.Duration {
	if s >= rules.Seats || !f.Seats[s].IsBot() {
		return f.TurnTime
	}
	// The store keeps milliseconds.
	return (f.BotPause * time.Duration(f.pace.Wait(v, f.secret("cuatrola-pause/1"))) / 1000).Truncate(time.Millisecond)
}

// turnTime is the time that the turn lasts which a match is at.
func (f *fold) turnTime(game *rules.Match) time.Duration {
	if f.missing != 0 {
		return f.TurnTime
	}
	turn := game.Turn()
	if game.Phase() == rules.PhaseSing && f.Seats[turn].IsBot() {
		// Were it to wait, also its silence would be heard.
		return 0
	}
	var v rules.View
	game.View(rules.Spectator, &v)
	if v.Phase == rules.PhaseDeal { // mano of the next hand will be to act
		turn, v.Phase, v.Spoken = game.Dealer().Next().Next(), rules.PhaseBid, 0
	}
	return f.allowance(turn, &v)
}

// stamp puts on an entry that is about to be kept when the turn that it opens
// will end, and gives the match's result if it opens none. The entry is tried on
// a copy, so nothing changes here.
func (f *fold) stamp(e *Entry) *Result {
	if e.Kind == KindSeed {
		// Seats bring their seeds at the same time: there is one deadline for all,
		// until the last one opens the first turn.
		e.Deadline = f.deadline()
		if f.missing&^(1<<e.Seat) == 0 {
			seeds := f.seeds
			seeds[e.Seat] = []byte(e.Text)
			mano := rules.FairDealer(f.ServerSeed, f.ID, &seeds).Next()
			e.Deadline = e.At.Add(f.allowance(mano, &rules.View{Phase: rules.PhaseBid}))
		}
		return nil
	}
	game := f.game
	game.Apply(e.Seat, rules.ParseAction(e.Text))
	if game.Phase() == rules.PhaseMatchOver {
		return resultOf(&game, append(slices.Clip(f.results), *game.Hand()), append(slices.Clip(f.log), *e))
	}
	e.Deadline = e.At.Add(f.turnTime(&game))
	return nil
}

// standIn is the level that plays for a person whose time has run out: sound, so that the
// partner is not let down, and no better than most people, so that nobody does better
// by staying away, least of all where coins are at stake.
const standIn = bot.Tabernero

// late is what is to be done for whoever let the time run out: an entry that is ready, or
// one whose action is still to be chosen.
type late struct {
	Entry
	level bot.Level
	view  rules.View
	seed  uint64
}

// choose fills in the action. It may take milliseconds.
func (l *late) choose() {
	if l.Kind == KindAct {
		a, _ := bot.Choose(l.level, &l.view, l.seed)
		l.Text = a.String()
	}
}

// thinks says whether there is anything to think about.
func (l *late) thinks() bool { return l.Kind == KindAct && l.view.Legal.Rest() != 0 }

// overdue is what the server does for whoever let the time run out. The same log gives
// the same action, on any process: bots think by numbers of cards tried, not by the clock.
func (f *fold) overdue() late {
	e := late{Entry: Entry{Seq: len(f.log), Kind: KindAct, Seat: f.game.Turn(), By: ByClock}}
	if f.missing != 0 {
		// No seed, rather than one that the server chose.
		e.Kind = KindSeed
		for e.Seat = 0; f.missing>>e.Seat&1 == 0; e.Seat++ {
		}
		return e
	}
	e.level, e.seed = standIn, f.secret("cuatrola-bot/1")
	if seat := f.Seats[e.Seat]; seat.IsBot() {
		e.By, e.level = ByBot, seat.Bot
	}
	f.game.View(e.Seat, &e.view)
	return e
}

// secret is a number for a purpose that is the same when a match is taken up anew, and
// gives away nothing of the server's seed, nor of what other purposes have.
func (f *fold) secret(purpose string) uint64 {
	sum := sha256.Sum256(append([]byte(purpose), f.ServerSeed...))
	return binary.BigEndian.Uint64(sum[:])
}

// entryShownAt is the viewer's n-th entry, counted from 0.
func (f *fold) entryShownAt(viewer rules.Seat, n int) (Entry, bool) {
	for _, e := range f.log {
		if !shownTo(viewer, e) {
			continue
		}
		if n == 0 {
			return e, true
		}
		n--
	}
	return Entry{}, false
}

// shownTo says whether a viewer is shown an entry: all but another seat's
// silence, see [rules.View].
func shownTo(viewer rules.Seat, e Entry) bool {
	return e.Kind != KindAct || e.Seat == viewer || e.Text != rules.Silent.String()
}
