// Package review has the coach's reviews of finished hands for people and programs: what
// each reason says in each language, the JSON of a review, and reviews of matches that
// are kept.
package review

import (
	"encoding/json"
	"strconv"

	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Languages that there are texts in.
var Languages = []string{"es", "ca", "en"}

// PercentSign stands behind a number of percent in a language.
func PercentSign(language string) string { return percentSign.In(language) }

// Append writes a hand's review as JSON, as the npm package gives it.
func Append(dst []byte, index int, h *coach.Hand, language string) []byte {
	w := writer{dst}
	w.text(`{"hand":`).int(index).text(`,"seats":`)
	w.seats(h.Seats)
	w.text(`,"decisions":[`)
	for i := range h.Decisions[:h.DecisionCount] {
		if i > 0 {
			w.text(",")
		}
		w.decision(&h.Decisions[i], language)
	}
	w.text("]}")
	return w.b
}

// AppendSeats writes what seats' decisions add up to as JSON.
func AppendSeats(dst []byte, seats [rules.Seats]coach.Tally) []byte {
	w := writer{dst}
	w.seats(seats)
	return w.b
}

type writer struct{ b []byte }

func (w *writer) text(s string) *writer {
	w.b = append(w.b, s...)
	return w
}

func (w *writer) int(n int) *writer {
	w.b = strconv.AppendInt(w.b, int64(n), 10)
	return w
}

// parts writes a number of parts as a decimal number, in its shortest form.
func (w *writer) parts(n, whole int) *writer {
	w.b = strconv.AppendFloat(w.b, float64(n)/float64(whole), 'f', -1, 64)
	return w
}

func (w *writer) flag(v bool) *writer {
	w.b = strconv.AppendBool(w.b, v)
	return w
}

func (w *writer) seats(seats [rules.Seats]coach.Tally) {
	w.text("[")
	for s, t := range seats {
		if s > 0 {
			w.text(",")
		}
		w.text(`{"seat":`).int(s).text(`,"decisions":`).int(int(t.Decisions)).text(`,"loss":`).parts(int(t.Loss), coach.Whole)
		w.text(`,"accuracy":`).parts(t.Accuracy(), 10).text("}")
	}
	w.text("]")
}

func (w *writer) decision(d *coach.Decision, language string) {
	played, best, open := &d.Options[d.Played], &d.Options[d.Best], &d.Options[d.OpenBest]
	w.text(`{"action":`).int(int(d.Action)).text(`,"seat":`).int(int(d.Seat)).text(`,"phase":"`).text(d.Phase.String())
	w.text(`","trick":`).int(int(d.Trick)).text(`,"forced":`).flag(d.Forced()).text(`,"unit":"`).text(d.Unit.String())
	w.text(`","played":"`).text(played.Action.String()).text(`","best":"`).text(best.Action.String())
	w.text(`","openBest":"`).text(open.Action.String()).text(`","verdict":"`).text(d.Verdict.String())
	w.text(`","loss":`).parts(int(d.Loss), coach.Whole)
	expected, match := d.Cost()
	w.text(`,"cost":{"expected":`).parts(expected, 100).text(`,"match":`).parts(match, coach.Whole).text(`,"open":`).int(d.OpenCost())
	w.text(`},"deals":`).int(int(d.Deals)).text(`,"exact":`).flag(d.Exact).text(`,"options":[`)
	for i := range d.Options[:d.OptionCount] {
		o := &d.Options[i]
		if i > 0 {
			w.text(",")
		}
		w.text(`{"action":"`).text(o.Action.String()).text(`","open":`).int(int(o.Open))
		w.text(`,"openMatch":`).parts(int(o.OpenMatch), coach.Whole)
		if d.Forced() {
			w.text(`,"expected":null,"hand":null,"match":null}`)
			continue
		}
		w.text(`,"expected":`).parts(int(o.Expected), 100).text(`,"hand":`).parts(int(o.Hand), coach.Whole)
		w.text(`,"match":`).parts(int(o.Match), coach.Whole).text("}")
	}
	w.text(`],"reasons":[`)
	for i, r := range d.Reasons[:d.ReasonCount] {
		if i > 0 {
			w.text(",")
		}
		w.text(`{"code":"`).text(r.Code.String()).text(`","better":`)
		if r.Better == coach.NoAction {
			w.text("null")
		} else {
			w.text(`"`).text(r.Better.String()).text(`"`)
		}
		w.text(`,"points":`)
		if r.Points == 0 {
			w.text("null")
		} else {
			w.int(int(r.Points))
		}
		w.text(`,"chance":`)
		if r.Chance < 0 {
			w.text("null")
		} else {
			w.parts(int(r.Chance), coach.Whole)
		}
		w.text(`,"text":`)
		quoted, err := json.Marshal(Say(r, language))
		if err != nil {
			panic(err) // a text always has a JSON form
		}
		w.b = append(w.b, quoted...)
		w.text("}")
	}
	w.text("]}")
}
