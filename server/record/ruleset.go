package record

import (
	"errors"
	"math"
	"sort"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// ParseRules reads a rule set from decoded JSON: a preset's name, or an object
// that names a preset and overrides some of its options. An option that is
// unknown or has a value it cannot take is refused with a [rules.OptionError].
func ParseRules(v any) (rules.RuleSet, error) {
	switch v := v.(type) {
	case string:
		return preset(v)
	case object:
		return houseRules(v)
	case nil:
		return rules.RuleSet{}, errors.New("rules are missing")
	default:
		return rules.RuleSet{}, errors.New("rules are neither a preset's name nor an object")
	}
}

func preset(v any) (rules.RuleSet, error) {
	name, _ := v.(string)
	p, ok := rules.ParsePreset(name)
	if !ok {
		return rules.RuleSet{}, rules.OptionError("preset")
	}
	return p.Rules(), nil
}

func houseRules(o object) (rules.RuleSet, error) {
	rs, err := preset(o["preset"])
	if err != nil {
		return rs, err
	}
	// In a fixed order, so that the option refused is always the same one.
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if name == "preset" {
			continue
		}
		if !setOption(&rs, name, o[name]) {
			return rs, rules.OptionError(name)
		}
	}
	return rs, nil
}

// setOption says false for an option that does not exist or a value that it
// cannot take.
func setOption(rs *rules.RuleSet, name string, v any) bool {
	ok := false
	switch name {
	case "end":
		rs.End, ok = text(v, rules.ParseEnd)
	case "target":
		rs.Target, ok = number[uint8](v, 1, rules.MaxTarget)
	case "exactTarget":
		rs.ExactTarget, ok = v.(bool)
	case "bonusAbove":
		rs.BonusAbove, ok = numberOrNone[int16](v, rules.MaxBonusAbove)
	case "tie":
		rs.Tie, ok = text(v, rules.ParseTie)
	case "cantes":
		rs.Cantes, ok = text(v, rules.ParseCantes)
	case "maxCantes":
		rs.MaxCantes, ok = numberOrNone[int8](v, rules.MaxMaxCantes)
	case "fortyFirst":
		rs.FortyFirst, ok = v.(bool)
	case "beat":
		rs.Beat, ok = text(v, rules.ParseBeat)
	case "stopWhenLost":
		rs.StopWhenLost, ok = v.(bool)
	case "undertrump":
		rs.Undertrump, ok = text(v, rules.ParseUndertrump)
	case "partnerExempt":
		rs.PartnerExempt, ok = v.(bool)
	case "raising":
		rs.Raising, ok = v.(bool)
	case "bidderLeads":
		rs.BidderLeads, ok = v.(bool)
	}
	return ok
}

func text[T any](v any, parse func(string) (T, bool)) (T, bool) {
	s, ok := v.(string)
	if !ok {
		var none T
		return none, false
	}
	return parse(s)
}

func number[T ~uint8 | ~int8 | ~int16](v any, lowest, highest float64) (T, bool) {
	n, ok := v.(float64)
	if !ok || n != math.Trunc(n) || n < lowest || n > highest {
		return 0, false
	}
	return T(n), true
}

func numberOrNone[T ~int8 | ~int16](v any, highest float64) (T, bool) {
	if v == nil {
		return rules.None, true
	}
	return number[T](v, 0, highest)
}

// AppendRules writes a rule set as ParseRules reads it: the preset's name where
// nothing differs from it, else an object of what does.
func AppendRules(dst []byte, rs rules.RuleSet) []byte {
	base := rs.Preset.Rules()
	if rs == base {
		return appendText(dst, rs.Preset.String())
	}
	dst = append(dst, `{"preset":`...)
	dst = appendText(dst, rs.Preset.String())
	different := Options(base)
	for i, o := range Options(rs) {
		if o != different[i] {
			dst = appendMember(dst, o.Name, o.Value)
		}
	}
	return append(dst, '}')
}

func appendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// Option is one option of a rule set with its value as JSON has it: a bool, a
// text, an int, or nil.
type Option struct {
	Name  string
	Value any
}

// Options lists every option of a rule set but the preset and its bids, in the
// order of the rules' table.
func Options(rs rules.RuleSet) []Option {
	return []Option{
		{"end", rs.End.String()},
		{"target", int(rs.Target)},
		{"exactTarget", rs.ExactTarget},
		{"bonusAbove", orNull(int(rs.BonusAbove))},
		{"tie", rs.Tie.String()},
		{"cantes", rs.Cantes.String()},
		{"maxCantes", orNull(int(rs.MaxCantes))},
		{"fortyFirst", rs.FortyFirst},
		{"beat", rs.Beat.String()},
		{"stopWhenLost", rs.StopWhenLost},
		{"undertrump", rs.Undertrump.String()},
		{"partnerExempt", rs.PartnerExempt},
		{"raising", rs.Raising},
		{"bidderLeads", rs.BidderLeads},
	}
}

func orNull(n int) any {
	if n == rules.None {
		return nil
	}
	return n
}
