// Package wire is the fixed binary form of rule sets, records, results, traces,
// positions and views: what crosses the boundary of the WebAssembly module.
//
// JSON would cost five hundred times a scalar call there, so texts stay on the
// other side and only numbers cross. All numbers are little-endian; cards,
// actions, seats and reasons are the rules' own codes. Sizes are fixed but for
// the lists of a record and its result, so that a reader may index instead of
// parsing.
//
// What a text cannot express is not refused here: a card or action that does not
// exist crosses as it is (NoCard, UnknownCard, UnknownCante) and the rules name
// the reason. Append functions append to b and allocate only if it lacks room;
// Read functions take what they read off the front of b. A reader is strict:
// what it accepts, its writer writes back byte for byte.
package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// RulesSize is the length of a rule set.
const RulesSize = 16

// AppendRules writes a rule set. Its bids are its preset's and do not cross.
func AppendRules(b []byte, rs *rules.RuleSet) []byte {
	return append(b,
		uint8(rs.Preset), uint8(rs.End), rs.Target, flag(rs.ExactTarget),
		uint8(rs.BonusAbove), uint8(rs.BonusAbove>>8), uint8(rs.Tie), uint8(rs.Cantes),
		uint8(rs.MaxCantes), flag(rs.FortyFirst), uint8(rs.Beat), flag(rs.StopWhenLost),
		uint8(rs.Undertrump), flag(rs.PartnerExempt), flag(rs.Raising), flag(rs.BidderLeads))
}

// ReadRules reads a rule set. It may hold options outside their ranges: ask its
// Validate. ok is false if b is too short or a flag is neither 0 nor 1.
func ReadRules(b []byte) (rs rules.RuleSet, rest []byte, ok bool) {
	r := reader{b: b}
	r.rules(&rs)
	return rs, r.b, !r.bad
}

func (r *reader) rules(rs *rules.RuleSet) {
	part := r.take(RulesSize)
	if part == nil {
		return
	}
	p := (*[RulesSize]byte)(part)
	preset := rules.Preset(p[0])
	*rs = rules.RuleSet{
		Preset: preset, Bids: preset.Rules().Bids,
		End: rules.End(p[1]), Target: p[2], ExactTarget: p[3] == 1,
		BonusAbove: int16(uint16(p[4]) | uint16(p[5])<<8), Tie: rules.Tie(p[6]), Cantes: rules.Cantes(p[7]),
		MaxCantes: int8(p[8]), FortyFirst: p[9] == 1, Beat: rules.Beat(p[10]), StopWhenLost: p[11] == 1,
		Undertrump: rules.Undertrump(p[12]), PartnerExempt: p[13] == 1, Raising: p[14] == 1, BidderLeads: p[15] == 1,
	}
	r.require(p[3]|p[9]|p[11]|p[13]|p[14]|p[15] <= 1)
}

func appendUint16(b []byte, v uint16) []byte { return append(b, byte(v), byte(v>>8)) }

func flag(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

// reader takes parts off the front of b. Past the end it reads nothing and turns
// bad, so that callers check once.
type reader struct {
	b   []byte
	bad bool
}

// take is the next n bytes, nil past the end.
func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.b, r.bad = nil, true
		return nil
	}
	part := r.b[:n:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) uint8() uint8 {
	if p := r.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) uint16() uint16 {
	if p := r.take(2); p != nil {
		return uint16At(p, 0)
	}
	return 0
}

func uint16At(b []byte, at int) uint16 { return uint16(b[at]) | uint16(b[at+1])<<8 }

func uint32At(b []byte, at int) uint32 {
	return uint32(uint16At(b, at)) | uint32(uint16At(b, at+2))<<16
}

func putUint16(b []byte, at int, v uint16) { b[at], b[at+1] = byte(v), byte(v>>8) }

// bytes reads a length of one byte and that many bytes, which stay b's own.
func (r *reader) bytes() []byte { return r.take(int(r.uint8())) }

func (r *reader) require(ok bool) {
	if !ok {
		r.bad = true
	}
}
