package rules_test

import (
	"errors"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		option string // refused; none if empty
		change func(*rules.RuleSet)
	}{
		{"", func(*rules.RuleSet) {}},
		{"preset", func(rs *rules.RuleSet) { rs.Preset = 4 }},
		{"preset", func(rs *rules.RuleSet) { rs.Bids[0].Value++ }},
		{"preset", func(rs *rules.RuleSet) { *rs = rules.RuleSet{} }},
		{"end", func(rs *rules.RuleSet) { rs.End = 2 }},
		{"target", func(rs *rules.RuleSet) { rs.Target = 0 }},
		{"", func(rs *rules.RuleSet) { rs.Target = 1 }},
		{"", func(rs *rules.RuleSet) { rs.Target = 99 }},
		{"target", func(rs *rules.RuleSet) { rs.Target = 100 }},
		{"bonusAbove", func(rs *rules.RuleSet) { rs.BonusAbove = -2 }},
		{"", func(rs *rules.RuleSet) { rs.BonusAbove = rules.None }},
		{"", func(rs *rules.RuleSet) { rs.BonusAbove = 0 }},
		{"", func(rs *rules.RuleSet) { rs.BonusAbove = 250 }},
		{"bonusAbove", func(rs *rules.RuleSet) { rs.BonusAbove = 251 }},
		{"tie", func(rs *rules.RuleSet) { rs.Tie = 2 }},
		{"cantes", func(rs *rules.RuleSet) { rs.Cantes = 2 }},
		{"maxCantes", func(rs *rules.RuleSet) { rs.MaxCantes = -2 }},
		{"", func(rs *rules.RuleSet) { rs.MaxCantes = 0 }},
		{"", func(rs *rules.RuleSet) { rs.MaxCantes = 4 }},
		{"maxCantes", func(rs *rules.RuleSet) { rs.MaxCantes = 5 }},
		{"beat", func(rs *rules.RuleSet) { rs.Beat = 2 }},
		{"undertrump", func(rs *rules.RuleSet) { rs.Undertrump = 2 }},
	} {
		err := with(rules.Liga, c.change).Validate()
		var option rules.OptionError
		if errors.As(err, &option); string(option) != c.option {
			t.Errorf("%+v: %v, want option %q", with(rules.Liga, c.change), err, c.option)
		}
	}
}

func TestNames(t *testing.T) {
	for _, p := range rules.Presets() {
		if back, ok := rules.ParsePreset(p.String()); !ok || back != p {
			t.Errorf("%v is read as %v", p, back)
		}
	}
	for _, bad := range []string{"", "Liga", "liga ", "?"} {
		if _, ok := rules.ParsePreset(bad); ok {
			t.Errorf("%q is a preset", bad)
		}
	}
	if rules.Preset(9).String() != "?" || rules.Tie(9).String() != "?" || rules.Preset(9).Rules() != (rules.RuleSet{}) {
		t.Error("a preset that there is not has a name or rules")
	}
}
