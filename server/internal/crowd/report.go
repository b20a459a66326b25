package crowd

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
)

// Report is what a crowd has lived through.
type Report struct {
	Players  int    `json:"players"`
	Seed     uint64 `json:"seed"`
	Database string `json:"database"`
	// Simulated minutes, and the seconds that they took.
	Simulated   float64 `json:"simulatedMinutes"`
	RealSeconds float64 `json:"realSeconds"`

	SignedUp   int `json:"signedUp"`
	Visits     int `json:"visits"`
	Drops      int `json:"drops"`
	Returns    int `json:"returns"`
	Reinstalls int `json:"reinstalls"`
	StoodUp    int `json:"stoodUp"`
	Blocks     int `json:"blocks"`
	Rooms      int `json:"rooms"`
	// Kills of processes, and messages between them that were lost.
	Kills        int `json:"kills"`
	MessagesLost int `json:"messagesLost"`
	// TablesCancelled did not fill in time, or everybody left.
	TablesCancelled int      `json:"tablesCancelled"`
	WeeksClosed     []string `json:"weeksClosed"`

	Modes map[economy.Mode]*Mode `json:"modes"`
	// Refused counts refusals by their codes.
	Refused map[fault.Code]int `json:"refused"`
	// Turns counts log entries by who made them: player, bot, or clock for somebody
	// whose time had run out.
	Turns map[match.Author]int `json:"turns"`

	// Violations are what may never happen; empty if all is well.
	Violations []string `json:"violations"`

	// People who came. No part of what is printed.
	People []Person `json:"-"`
}

// Mode is what a mode's queues have done. Entered is as many as Seated and Left together.
type Mode struct {
	Entered int                       `json:"entered"`
	Seated  int                       `json:"seated"`
	Left    map[engagement.Reason]int `json:"left"`

	Matches  int `json:"matches"`
	WithBots int `json:"withBots"`

	// Wait until a match began, in seconds, by player. Gap is how far apart the two
	// pairs are in points, by player, Spread how far the best of a table's people is
	// from the worst, by match.
	Wait   Percentiles `json:"waitSeconds"`
	Gap    Percentiles `json:"pairGapPoints"`
	Spread Percentiles `json:"tableSpreadPoints"`

	waits, gaps, spread []float64
}

// Percentiles of what was measured; all 0 if nothing was.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func percentiles(all []float64) Percentiles {
	if len(all) == 0 {
		return Percentiles{}
	}
	slices.Sort(all)
	at := func(share float64) float64 { return all[max(int(math.Ceil(share*float64(len(all))))-1, 0)] }
	return Percentiles{P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: at(1)}
}

func newReport(o Options, database string) *Report {
	return &Report{
		Players: o.Players, Seed: o.Seed, Database: database, WeeksClosed: []string{}, Violations: []string{},
		Modes: make(map[economy.Mode]*Mode), Refused: make(map[fault.Code]int), Turns: make(map[match.Author]int),
	}
}

func (r *Report) mode(m economy.Mode) *Mode {
	if r.Modes[m] == nil {
		r.Modes[m] = &Mode{Left: make(map[engagement.Reason]int)}
	}
	return r.Modes[m]
}

func (r *Report) matches() (n int) {
	for _, m := range r.Modes {
		n += m.Matches
	}
	return n
}

// left is how many have left a mode's queues without a match.
func (m *Mode) left() (n int) {
	for _, k := range m.Left {
		n += k
	}
	return n
}

func (r *Report) finish() {
	for _, m := range r.Modes {
		m.Wait, m.Gap, m.Spread = percentiles(m.waits), percentiles(m.gaps), percentiles(m.spread)
	}
}

// Write puts the report into words.
func (r *Report) Write(w io.Writer) error {
	text := fmt.Appendf(nil, "%d players on %s, seed %d: %.0f simulated minutes in %.0f s\n", r.SignedUp, r.Database, r.Seed, r.Simulated, r.RealSeconds)
	text = fmt.Appendf(text, "%d visits, %d drops, %d returns, %d reinstalls, %d stood up, %d blocks, %d rooms\n", r.Visits, r.Drops, r.Returns, r.Reinstalls, r.StoodUp, r.Blocks, r.Rooms)
	text = fmt.Appendf(text, "%d processes killed, %d messages lost, %d tables cancelled, weeks closed: %v\n", r.Kills, r.MessagesLost, r.TablesCancelled, r.WeeksClosed)
	text = fmt.Appendf(text, "entries by players %d, bots %d, clock %d\n", r.Turns[match.ByPlayer], r.Turns[match.ByBot], r.Turns[match.ByClock])
	text = append(text, "refused:"...)
	for _, code := range slices.Sorted(maps.Keys(r.Refused)) {
		text = fmt.Appendf(text, " %s %d", code, r.Refused[code])
	}
	text = append(text, '\n')
	for _, name := range slices.Sorted(maps.Keys(r.Modes)) {
		m := r.Modes[name]
		if name == economy.Friends {
			text = fmt.Appendf(text, "\n%s: %d matches\n", name, m.Matches)
			continue
		}
		text = fmt.Appendf(text, "\n%s: %d entered, %d were seated in %d matches (%.1f %% with bots)\n", name, m.Entered, m.Seated, m.Matches,
			100*float64(m.WithBots)/float64(max(m.Matches, 1)))
		text = append(text, "  left:"...)
		for _, why := range slices.Sorted(maps.Keys(m.Left)) {
			text = fmt.Appendf(text, " %s %d", why, m.Left[why])
		}
		text = fmt.Appendf(text, "\n  %-34s %8s %8s %8s %8s\n", "", "p50", "p90", "p99", "max")
		for _, line := range []struct {
			name string
			p    Percentiles
		}{{"wait until a match, s", m.Wait}, {"the pairs' distance, points", m.Gap}, {"best to worst of a table, points", m.Spread}} {
			text = fmt.Appendf(text, "  %-34s %8.1f %8.1f %8.1f %8.1f\n", line.name, line.p.P50, line.p.P90, line.p.P99, line.p.Max)
		}
	}
	if len(r.Violations) == 0 {
		text = append(text, "\nnobody seated twice, every exit explained, no escrow left, the ledger adds up\n"...)
	}
	for _, v := range r.Violations {
		text = fmt.Appendf(text, "WRONG: %s\n", v)
	}
	_, err := w.Write(text)
	return err
}
