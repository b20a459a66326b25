package coach

// What crosses the boundary of the WebAssembly module; see package wire for the others.

const (
	decisionOwn = 17
	optionSize  = 13
	reasonSize  = 5
	// DecisionSize is the length of a decision in its binary form.
	DecisionSize = decisionOwn + MaxOptions*optionSize + 2*reasonSize
)

// Append writes a hand's review in its fixed binary form, little-endian: the number of
// decisions; of each seat the decisions and the loss that its tally has; and the
// decisions. It allocates only if b lacks room.
func (h *Hand) Append(b []byte) []byte {
	b = append(b, h.DecisionCount)
	for _, t := range h.Seats {
		b = append32(append32(b, t.Decisions), t.Loss)
	}
	for i := range h.Decisions[:h.DecisionCount] {
		d := &h.Decisions[i]
		exact := uint8(0)
		if d.Exact {
			exact = 1
		}
		b = append16(b, d.Action)
		b = append(b, uint8(d.Seat), uint8(d.Phase), d.Trick, uint8(d.Unit), uint8(d.Verdict), exact)
		b = append16(append16(b, d.Deals), d.Loss)
		b = append(b, d.OptionCount, d.Played, d.Best, d.OpenBest, d.ReasonCount)
		for k := range d.Options {
			o := &d.Options[k]
			b = append(b, uint8(o.Action))
			b = append16(append16(b, uint16(o.Open)), uint16(o.OpenMatch))
			b = append32(b, uint32(o.Expected))
			b = append16(append16(b, uint16(o.Hand)), uint16(o.Match))
		}
		for _, r := range d.Reasons {
			b = append(b, uint8(r.Code), uint8(r.Better), r.Points)
			b = append16(b, uint16(r.Chance))
		}
	}
	return b
}

func append16(b []byte, v uint16) []byte { return append(b, uint8(v), uint8(v>>8)) }

func append32(b []byte, v uint32) []byte { return append16(append16(b, uint16(v)), uint16(v>>16)) }
