package review

import (
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Finished counts the hands of a record that can be reviewed: those that end before its
// end or its first fault. The fault's reason is OK if there is none.
func Finished(rec *record.Record) (hands int, fault rules.Fault) {
	m := rules.NewMatch(rec.Rules)
	fault = rules.Replay(&m, rec.Hands, nil, nil)
	return m.HandsFinished(), fault
}

// AppendRecord writes the reviews of all finished hands of a record as one line of JSON,
// the same bytes as the npm package's; or of one hand, if only is not below 0. reviewed, if
// not nil, is called behind each hand.
func AppendRecord(dst []byte, rec *record.Record, language string, only int, c *coach.Coach, reviewed func()) []byte {
	finished, fault := Finished(rec)
	w := writer{dst}
	if fault.Reason == rules.OK {
		w.text(`{"ok":true`)
	} else {
		w.text(`{"ok":false,"hand":`).int(fault.Hand).text(`,"action":`)
		if fault.Action == rules.NoAction {
			w.text("null")
		} else {
			w.int(fault.Action)
		}
		w.text(`,"error":"`).text(fault.Reason.String()).text(`"`)
	}
	var seats [rules.Seats]coach.Tally
	var hand coach.Hand
	var hands []byte
	for i := range finished {
		if only >= 0 && i != only {
			continue
		}
		c.Review(rec.Rules, rec.Hands, i, &hand)
		for s := range seats {
			seats[s].Add(hand.Seats[s])
		}
		if len(hands) > 0 {
			hands = append(hands, ',')
		}
		hands = Append(hands, i, &hand, language)
		if reviewed != nil {
			reviewed()
		}
	}
	w.text(`,"seats":`)
	w.seats(seats)
	w.text(`,"hands":[`)
	w.b = append(w.b, hands...)
	w.text("]}")
	return w.b
}
