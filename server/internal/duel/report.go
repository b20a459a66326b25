package duel

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// Report says what came of a duel, seen from A.
type Report struct {
	A string `json:"a"`
	B string `json:"b"`
	// Rules as records write them; left to the caller.
	Rules any    `json:"rules"`
	Mode  string `json:"mode"`
	Deals int    `json:"deals"`
	Seed  uint64 `json:"seed"`

	// Wins is A's share of what was played for: hands or matches.
	Wins Estimate `json:"wins"`
	// Hands is A's share of hands.
	Hands Estimate `json:"hands"`
	// Points that A was ahead by, for each hand on points.
	Points Estimate `json:"points"`
	// MatchPoints that A won more than it lost, for each hand.
	MatchPoints Estimate `json:"matchPoints"`
	// Contracts tells the same apart by what was played for, whoever bid it.
	Contracts []Contract `json:"contracts"`
	// Bids of A, then of B.
	Bids [2][]Bid `json:"bids"`

	// Seconds of real time, and what each decision of A and B took.
	Seconds float64          `json:"seconds"`
	Times   [2]DecisionTimes `json:"times"`
}

// Contract is the hands that were played for one thing.
type Contract struct {
	Bid         string   `json:"bid"`
	Hands       Estimate `json:"hands"`
	Points      Estimate `json:"points"`
	MatchPoints Estimate `json:"matchPoints"`
}

// Bid says how often a player's pair played for a bid, and won it.
type Bid struct {
	Bid   string `json:"bid"`
	Hands int64  `json:"hands"`
	// Share of all hands.
	Share float64 `json:"share"`
	Made  float64 `json:"made"`
}

// DecisionTimes are those for bids, and for cards and cantes.
type DecisionTimes struct {
	Bids  Times `json:"bids"`
	Cards Times `json:"cards"`
}

func (w *worker) report(took time.Duration) *Report {
	s := &w.sums
	estimate := func(what int) Estimate { return s.of[what].estimate(s.deals) }
	share := func(what int) Estimate { return s.of[what].share(s.deals) }
	r := &Report{
		A: w.names[0], B: w.names[1], Mode: w.options.Mode.String(), Deals: w.options.Deals, Seed: w.options.Seed,
		Wins: share(gamesWon), Hands: share(handsWon), Points: estimate(pointsAhead), MatchPoints: estimate(valueAhead),
		Seconds: took.Seconds(),
	}
	for i := range contracts {
		if s.of[handsWonOn+i].n == 0 {
			continue
		}
		name := (rules.Pass + rules.Action(i)).String()
		r.Contracts = append(r.Contracts, Contract{
			Bid: name, Hands: share(handsWonOn + i), Points: estimate(pointsAheadOn + i), MatchPoints: estimate(valueAheadOn + i),
		})
		for who := range r.Bids {
			if b := s.bids[who][i]; b.hands > 0 {
				r.Bids[who] = append(r.Bids[who], Bid{
					Bid: name, Hands: b.hands, Share: float64(b.hands) / float64(r.Hands.N), Made: float64(b.made) / float64(b.hands),
				})
			}
		}
	}
	for who := range r.Times {
		t := &w.times[who]
		r.Times[who] = DecisionTimes{Bids: timesOf(t.bids), Cards: timesOf(t.cards)}
	}
	return r
}

// Write puts the report into words.
func (r *Report) Write(out io.Writer) error {
	var text bytes.Buffer
	what := "hands"
	if r.Mode == Matches.String() {
		what = "matches"
	}
	fmt.Fprintf(&text, "%s against %s, %s: %d deals from both sides, seed %d, %.1f s (%.0f hands/s)\n",
		r.A, r.B, r.Mode, r.Deals, r.Seed, r.Seconds, float64(r.Hands.N)/r.Seconds)
	fmt.Fprintf(&text, "%s wins %s of %d %s\n\n", r.A, percent(r.Wins), r.Wins.N, what)

	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "played for\thands\twon\tpoints ahead\tmatch points ahead\t")
	row := func(name string, hands, points, value Estimate) {
		if hands.N == 0 {
			return
		}
		ahead := "–"
		if points.N > 0 {
			ahead = signed(points)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t\n", name, hands.N, percent(hands), ahead, signed(value))
	}
	for _, c := range r.Contracts {
		row(c.Bid, c.Hands, c.Points, c.MatchPoints)
	}
	row("all", r.Hands, r.Points, r.MatchPoints)
	_ = w.Flush() // into memory

	names := [2]string{r.A, r.B}
	for who, bids := range r.Bids {
		for i, b := range bids {
			if i == 0 {
				fmt.Fprintf(&text, "\n%s bid", names[who])
			} else {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, " %s on %.1f %% of hands and made %.1f %%", b.Bid, 100*b.Share, 100*b.Made)
		}
	}

	text.WriteString("\n\n")
	fmt.Fprintln(w, "processor time, µs\tdecisions\tper second\tmean\tp50\tp99\tmax\t")
	for who, t := range r.Times {
		for _, kind := range []struct {
			name string
			Times
		}{{"bids", t.Bids}, {"cards", t.Cards}} {
			if kind.Decisions > 0 {
				fmt.Fprintf(w, "%s, %s\t%d\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t\n",
					names[who], kind.name, kind.Decisions, kind.PerSecond, kind.Mean, kind.P50, kind.P99, kind.Max)
			}
		}
	}
	_ = w.Flush() // into memory
	_, err := out.Write(text.Bytes())
	return err
}

func percent(e Estimate) string {
	return fmt.Sprintf("%.2f %% (%.2f to %.2f)", 100*e.Mean, 100*e.Low, 100*e.High)
}

func signed(e Estimate) string {
	return fmt.Sprintf("%+.2f (%+.2f to %+.2f)", e.Mean, e.Low, e.High)
}
