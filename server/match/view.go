package match

import (
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// View is everything that one of the seats, or a spectator, may know of a match.
type View struct {
	ID    string
	Rules rules.RuleSet
	Seats [rules.Seats]Seat
	// Mode and Stake are the match's.
	Mode  economy.Mode
	Stake int64
	// Viewer is the seat that sees this, or rules.Spectator.
	Viewer rules.Seat
	// Seq counts the events that the viewer has been shown. An action is sent
	// with it.
	Seq int
	// Phase is PhaseSeeds or one of the rules' phases.
	Phase string
	// Away says of which seats the person has missed several turns in a row, as far as
	// the viewer was shown: another seat's silence is hidden, and so is one that time
	// kept.
	Away [rules.Seats]bool
	// Deadline of the turn; zero once the match is over.
	Deadline time.Time
	// Game is the match as the viewer knows it.
	Game rules.View
	// Hands are the finished ones, in order.
	Hands []rules.Hand
	// SeedsMissing has a bit for each seat whose seed is still to come.
	SeedsMissing uint8
	// Commitment to the server's seed, and the seats' own seeds.
	Commitment  [32]byte
	ClientSeeds [rules.Seats]string
	// ServerSeed is revealed, not nil, once the match is over.
	ServerSeed []byte
	CreatedAt  time.Time
	EndedAt    time.Time
}

// Event is a log entry as a viewer is shown it.
type Event struct {
	// Seq numbers the viewer's own events from 1, without gaps.
	Seq int
	Entry
}

// view is what the viewer may know. credit is the time that outages have given back to
// the turn that began at since.
func (f *fold) view(viewer rules.Seat, credit func(since, deadline time.Time) time.Time) (v View) {
	f.show(viewer, credit, &v)
	return v
}

// show writes what the viewer may know into v, for a view is large.
func (f *fold) show(viewer rules.Seat, credit func(since, deadline time.Time) time.Time, v *View) {
	*v = View{
		ID: f.ID, Rules: f.Rules, Seats: f.Seats, Mode: f.Mode, Stake: f.Stake, Viewer: viewer, Seq: f.shown[viewer],
		Hands: f.results, SeedsMissing: f.missing,
		Commitment: f.commitment, CreatedAt: f.CreatedAt, EndedAt: f.EndedAt,
	}
	for s := range f.seeds {
		v.ClientSeeds[s] = string(f.seeds[s])
	}
	for s, missed := range f.missed[viewer] {
		v.Away[s] = missed >= f.awayAfter
	}
	f.game.View(viewer, &v.Game)
	v.Phase = v.Game.Phase.String()
	switch {
	case f.void: // as it was when it was given up, and nobody's turn
		v.Phase, v.Game.Turn, v.Game.Legal = PhaseVoid, rules.NoSeat, 0
	case f.missing != 0:
		v.Phase = PhaseSeeds
		v.Deadline = credit(f.CreatedAt, f.deadline())
	case f.ended():
		v.ServerSeed = f.ServerSeed
	case viewer == f.game.Turn():
		v.Deadline = credit(f.opened(), f.deadline())
	default:
		// From what the viewer was shown, so that it can't tell from the time left
		// that another seat kept silent.
		since := f.CreatedAt
		if f.last[viewer] >= 0 {
			since = f.log[f.last[viewer]].At
		}
		v.Deadline = credit(since, since.Add(f.allowance(v.Game.Turn, &v.Game)))
	}
}

// events are those that the viewer has been shown after its first n. It is asked
// for the newest of a long log, so it looks from the end.
func (f *fold) events(viewer rules.Seat, n int) []Event {
	n = max(n, 0)
	seq := f.shown[viewer]
	if n >= seq {
		return nil
	}
	list := make([]Event, seq-n)
	for i := len(f.log) - 1; seq > n; i-- {
		if e := f.log[i]; shownTo(viewer, e) {
			list[seq-n-1] = Event{Seq: seq, Entry: e}
			seq--
		}
	}
	return list
}

// record is the match written down with the proof of its deals. For a match that
// is over only.
func (f *fold) record() *record.Record {
	players := make([]record.Player, len(f.Seats))
	for s, seat := range f.Seats {
		players[s] = record.Player{Name: seat.Name, Bot: seat.IsBot()}
		if seat.IsBot() {
			players[s].Name = seat.Bot.String()
		}
	}
	return &record.Record{
		Rules: f.Rules, Hands: f.hands, ID: f.ID, Players: players,
		StartedAt: f.CreatedAt.UTC().Format(time.RFC3339Nano),
		EndedAt:   f.EndedAt.UTC().Format(time.RFC3339Nano),
		Fair: &rules.FairProof{
			MatchID: f.ID, Commitment: rules.Commit(f.ServerSeed),
			ServerSeed: f.ServerSeed, ClientSeeds: f.seeds,
		},
	}
}
