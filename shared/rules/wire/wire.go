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
	b = append(b, uint8(rs.Preset), uint8(rs.End), rs.Target, flag(rs.ExactTarget))
	b = appendUint16(b, uint16(rs.BonusAbove))
	return append(b,
		uint8(rs.Tie), uint8(rs.Cantes), uint8(rs.MaxCantes), flag(rs.FortyFirst),
		uint8(rs.Beat), flag(rs.StopWhenLost), uint8(rs.Undertrump), flag(rs.PartnerExempt),
		flag(rs.Raising), flag(rs.BidderLeads))
}

// ReadRules reads a rule set. It may hold options outside their ranges: ask its
// Validate. ok is false if b is too short or a flag is neither 0 nor 1.
func ReadRules(b []byte) (rs rules.RuleSet, rest []byte, ok bool) {
	r := reader{b: b}
	r.rules(&rs)
	return rs, r.b, !r.bad
}

func (r *reader) rules(rs *rules.RuleSet) {
	rs.Preset = rules.Preset(r.uint8())
	rs.Bids = rs.Preset.Rules().Bids
	rs.End = rules.End(r.uint8())
	rs.Target = r.uint8()
	rs.ExactTarget = r.flag()
	rs.BonusAbove = int16(r.uint16())
	rs.Tie = rules.Tie(r.uint8())
	rs.Cantes = rules.Cantes(r.uint8())
	rs.MaxCantes = int8(r.uint8())
	rs.FortyFirst = r.flag()
	rs.Beat = rules.Beat(r.uint8())
	rs.StopWhenLost = r.flag()
	rs.Undertrump = rules.Undertrump(r.uint8())
	rs.PartnerExempt = r.flag()
	rs.Raising = r.flag()
	rs.BidderLeads = r.flag()
}

func appendUint16(b []byte, v uint16) []byte { return append(b, byte(v), byte(v>>8)) }

func appendUint32(b []byte, v uint32) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func flag(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

// reader takes numbers off the front of b. Past the end it reads zeros and turns
// bad, so that callers check once.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint8() uint8 {
	if len(r.b) < 1 {
		r.bad = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) uint16() uint16 {
	if len(r.b) < 2 {
		r.b, r.bad = nil, true
		return 0
	}
	v := uint16(r.b[0]) | uint16(r.b[1])<<8
	r.b = r.b[2:]
	return v
}

func (r *reader) uint32() uint32 {
	lo := r.uint16()
	return uint32(lo) | uint32(r.uint16())<<16
}

func (r *reader) flag() bool {
	v := r.uint8()
	r.require(v <= 1)
	return v == 1
}

// bytes reads a length of one byte and that many bytes, which stay b's own.
func (r *reader) bytes() []byte {
	n := int(r.uint8())
	if n > len(r.b) {
		r.b, r.bad = nil, true
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) require(ok bool) {
	if !ok {
		r.bad = true
	}
}
