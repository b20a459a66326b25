package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/server/review"
	"github.com/cuatrola/cuatrola/server/words"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// reviewCommand is the coach: it says of each decision of a record's hands what it was
// worth and what would have been better.
type reviewCommand struct {
	Lang string `default:"es" enum:"es,ca,en" help:"The language of the reasons (${enum})."`
	Hand int    `default:"-1" placeholder:"N" help:"That hand alone, counted from 0."`
	JSON bool   `name:"json" help:"Answer each record with a line of JSON."`
	File string `arg:"" default:"-" help:"Records, one a line; - for standard input."`
}

func (c *reviewCommand) Run() error {
	var coach coach.Coach
	return eachLine(c.File, os.Stdout, os.Stderr, func(dst, line []byte) ([]byte, error) {
		r, err := record.Parse(line)
		if err != nil {
			return dst, err
		}
		hands, fault := review.Finished(r)
		if c.Hand >= hands {
			return dst, fmt.Errorf("there is no finished hand %d", c.Hand)
		}
		only := c.Hand
		total := hands
		if only >= 0 {
			total = 1
		}
		bar := barOf(os.Stderr, "hands", int64(total))
		reviewed := func() { _ = bar.Add(1) } // where nobody sees it, nobody misses it
		defer func() { _ = bar.Finish() }()
		if c.JSON {
			return review.AppendRecord(dst, r, c.Lang, only, &coach, reviewed), nil
		}
		var text strings.Builder
		t := reviewTable{out: &text, language: c.Lang, record: r}
		var seats [rules.Seats]coachTally
		for i := range hands {
			if only >= 0 && i != only {
				continue
			}
			t.hand(i, &coach, &seats)
			reviewed()
		}
		if only < 0 {
			t.total(seats)
		}
		if fault.Reason != rules.OK {
			fmt.Fprintf(&text, "%s: %d/%d: %s\n", t.say(headFault), fault.Hand, fault.Action, fault.Reason)
		}
		return append(dst, strings.TrimSuffix(text.String(), "\n")...), nil
	})
}

type coachTally = coach.Tally

// Words of the table.
var (
	headHand     = words.Words{ES: "Mano", CA: "Mà", EN: "Hand"}
	headTrump    = words.Words{ES: "triunfo", CA: "trumfo", EN: "trump"}
	headWho      = words.Words{ES: "quién", CA: "qui", EN: "who"}
	headPlayed   = words.Words{ES: "hizo", CA: "va fer", EN: "did"}
	headBest     = words.Words{ES: "mejor", CA: "millor", EN: "best"}
	headCost     = words.Words{ES: "coste", CA: "cost", EN: "cost"}
	headMatch    = words.Words{ES: "partida", CA: "partida", EN: "match"}
	headOpen     = words.Words{ES: "a la vista", CA: "a la vista", EN: "seeing all"}
	headWhy      = words.Words{ES: "por qué", CA: "per què", EN: "why"}
	headAccuracy = words.Words{ES: "Acierto", CA: "Encert", EN: "Accuracy"}
	headFault    = words.Words{ES: "El registro falla", CA: "El registre falla", EN: "The record is at fault"}
	unitWords    = [...]words.Words{
		coach.Points: {ES: "puntos", CA: "punts", EN: "points"},
		coach.Tricks: {ES: "bazas", CA: "bases", EN: "tricks"},
		coach.Score:  {ES: "tantos", CA: "tants", EN: "score"},
	}
)

// marks of the verdicts, as annotated games have them.
var marks = [...]string{coach.Forced: "", coach.Best: "!", coach.Good: "", coach.Doubtful: "?!", coach.Mistake: "?", coach.Blunder: "??"}

type reviewTable struct {
	out      io.Writer
	language string
	record   *record.Record
}

func (t *reviewTable) say(w words.Words) string { return w.In(t.language) }

func (t *reviewTable) player(seat int) string {
	name := strconv.Itoa(seat)
	if seat < len(t.record.Players) {
		name += " " + strings.Map(noControl, t.record.Players[seat].Name)
	}
	return name
}

// hand writes a row for each decision that was one, and adds up.
func (t *reviewTable) hand(index int, c *coach.Coach, seats *[rules.Seats]coachTally) {
	var h coach.Hand
	c.Review(t.record.Rules, t.record.Hands, index, &h)
	for s := range seats {
		seats[s].Add(h.Seats[s])
	}
	fmt.Fprintf(t.out, "%s %d · %s %s\n", t.say(headHand), index, t.say(headTrump), t.record.Hands[index].Trump)
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s\t\t%s\t%s\t%s\t%s\t%s\n", t.say(headWho), t.say(headPlayed), t.say(headBest), t.say(headCost), t.say(headMatch), t.say(headOpen), t.say(headWhy))
	for i := range h.Decisions[:h.DecisionCount] {
		d := &h.Decisions[i]
		cost, match, open, why := "", "", "", ""
		best := d.Options[d.Best].Action.String()
		if !d.Forced() {
			expected, chance := d.Cost()
			cost = fmt.Sprintf("%.2f %s", float64(expected)/100, t.say(unitWords[d.Unit]))
			match = fmt.Sprintf("%.1f %%", float64(chance)/(coach.Whole/100))
			open = d.Options[d.OpenBest].Action.String()
			for k, r := range d.Reasons[:d.ReasonCount] {
				if k > 0 {
					why += " "
				}
				why += review.Say(r, t.language)
			}
		} else {
			best = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.player(int(d.Seat)), d.Options[d.Played].Action, marks[d.Verdict], best, cost, match, open, why)
	}
	_ = w.Flush() // into memory
	t.total(h.Seats)
	fmt.Fprintln(t.out)
}

// total writes how well each played.
func (t *reviewTable) total(seats [rules.Seats]coachTally) {
	fmt.Fprintf(t.out, "%s:", t.say(headAccuracy))
	for s, tally := range seats {
		separator := ","
		if s == 0 {
			separator = ""
		}
		fmt.Fprintf(t.out, "%s %s %.1f %%", separator, t.player(s), float64(tally.Accuracy())/10)
	}
	fmt.Fprintln(t.out)
}
