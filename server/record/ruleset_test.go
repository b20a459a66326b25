package record_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

func with(p rules.Preset, change func(*rules.RuleSet)) rules.RuleSet {
	rs := p.Rules()
	change(&rs)
	return rs
}

func TestHouseRules(t *testing.T) {
	for _, c := range []struct {
		text string
		want rules.RuleSet
	}{
		{`"liga"`, rules.Liga.Rules()},
		{`{"preset":"liga"}`, rules.Liga.Rules()},
		{`{"preset":"mesa","target":20}`, with(rules.Mesa, func(rs *rules.RuleSet) { rs.Target = 20 })},
		{`{"preset":"mesa","end":"points","target":3}`, with(rules.Mesa, func(rs *rules.RuleSet) { rs.End, rs.Target = rules.EndPoints, 3 })},
		{`{"preset":"liga","maxCantes":null,"bonusAbove":null}`, with(rules.Liga, func(rs *rules.RuleSet) { rs.MaxCantes, rs.BonusAbove = rules.None, rules.None })},
		{`{"preset":"clasica","maxCantes":0,"bonusAbove":0}`, with(rules.Clasica, func(rs *rules.RuleSet) { rs.MaxCantes, rs.BonusAbove = 0, 0 })},
		{`{"preset":"clasica","maxCantes":4,"bonusAbove":250,"target":99}`, with(rules.Clasica, func(rs *rules.RuleSet) { rs.MaxCantes, rs.BonusAbove, rs.Target = 4, 250, 99 })},
		{`{"preset":"clasica","target":2e1}`, with(rules.Clasica, func(rs *rules.RuleSet) { rs.Target = 20 })},
		{`{"preset":"clasica","exactTarget":false,"tie":"lastTrick","cantes":"auto","fortyFirst":true,"beat":"best","stopWhenLost":true,` +
			`"undertrump":"forced","partnerExempt":true,"raising":false,"bidderLeads":true}`, with(rules.Clasica, func(rs *rules.RuleSet) {
			rs.ExactTarget, rs.Tie, rs.Cantes, rs.FortyFirst, rs.Beat = false, rules.TieLastTrick, rules.CantesAuto, true, rules.BeatBest
			rs.StopWhenLost, rs.Undertrump, rs.PartnerExempt, rs.Raising, rs.BidderLeads = true, rules.UndertrumpForced, true, false, true
		})},
	} {
		got, err := record.ParseRules(decode(t, []byte(c.text)))
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.text, got, err)
		}
	}
}

func TestHouseRulesRefused(t *testing.T) {
	for text, option := range map[string]string{
		`"tute"`: "preset", `""`: "preset", `{}`: "preset", `{"preset":7}`: "preset", `{"preset":"Liga"}`: "preset", `{"target":20}`: "preset",
		`{"preset":"mesa","target":0}`: "target", `{"preset":"mesa","target":100}`: "target", `{"preset":"mesa","target":-1}`: "target",
		`{"preset":"mesa","target":1.5}`: "target", `{"preset":"mesa","target":"20"}`: "target", `{"preset":"mesa","target":null}`: "target", `{"preset":"mesa","target":1e300}`: "target",
		`{"preset":"mesa","maxCantes":5}`: "maxCantes", `{"preset":"mesa","maxCantes":-1}`: "maxCantes", `{"preset":"mesa","maxCantes":false}`: "maxCantes",
		`{"preset":"mesa","bonusAbove":251}`: "bonusAbove", `{"preset":"mesa","bonusAbove":-1}`: "bonusAbove", `{"preset":"mesa","bonusAbove":"100"}`: "bonusAbove",
		`{"preset":"mesa","end":"never"}`: "end", `{"preset":"mesa","end":1}`: "end", `{"preset":"mesa","tie":"coin"}`: "tie", `{"preset":"mesa","cantes":"sung"}`: "cantes",
		`{"preset":"mesa","beat":"any"}`: "beat", `{"preset":"mesa","undertrump":true}`: "undertrump", `{"preset":"mesa","raising":1}`: "raising",
		`{"preset":"mesa","raising":null}`: "raising", `{"preset":"mesa","exactTarget":"true"}`: "exactTarget", `{"preset":"mesa","fortyFirst":0}`: "fortyFirst",
		`{"preset":"mesa","stopWhenLost":"no"}`: "stopWhenLost", `{"preset":"mesa","partnerExempt":[]}`: "partnerExempt", `{"preset":"mesa","bidderLeads":{}}`: "bidderLeads",
		`{"preset":"mesa","bids":[]}`: "bids", `{"preset":"mesa","Target":3}`: "Target", `{"preset":"mesa","":1}`: "",
		`{"preset":"mesa","zzz":1,"target":0}`: "target", // the first by name, always the same one
	} {
		_, err := record.ParseRules(decode(t, []byte(text)))
		if want := rules.OptionError(option).Error(); message(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`null`: "rules are missing", `7`: "rules are neither a preset's name nor an object", `[]`: "rules are neither a preset's name nor an object",
	} {
		if _, err := record.ParseRules(decode(t, []byte(text))); message(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Rules are written as they are read, whatever the options.
func TestRulesRoundTrip(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	flag := func() bool { return dice.IntN(2) == 0 }
	for range 5000 {
		rs := with(rules.Presets()[dice.IntN(4)], func(rs *rules.RuleSet) {
			for _, change := range []func(){
				func() { rs.End = rules.End(dice.IntN(2)) },
				func() { rs.Target = uint8(1 + dice.IntN(rules.MaxTarget)) },
				func() { rs.ExactTarget = flag() },
				func() { rs.BonusAbove = int16(dice.IntN(rules.MaxBonusAbove+2)) - 1 },
				func() { rs.Tie = rules.Tie(dice.IntN(2)) },
				func() { rs.Cantes = rules.Cantes(dice.IntN(2)) },
				func() { rs.MaxCantes = int8(dice.IntN(rules.MaxMaxCantes+2)) - 1 },
				func() { rs.FortyFirst = flag() },
				func() { rs.Beat = rules.Beat(dice.IntN(2)) },
				func() { rs.StopWhenLost = flag() },
				func() { rs.Undertrump = rules.Undertrump(dice.IntN(2)) },
				func() { rs.PartnerExempt = flag() },
				func() { rs.Raising = flag() },
				func() { rs.BidderLeads = flag() },
			} {
				if dice.IntN(3) == 0 {
					change()
				}
			}
		})
		if err := rs.Validate(); err != nil {
			t.Fatal(err)
		}
		text := record.AppendRules(nil, rs)
		if back, err := record.ParseRules(decode(t, text)); err != nil || back != rs {
			t.Fatalf("%s is read as %+v, %v; want %+v", text, back, err, rs)
		}
		// All options together say the same.
		all := map[string]any{"preset": rs.Preset.String()}
		for _, o := range record.Options(rs) {
			all[o.Name] = o.Value
		}
		full, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := record.ParseRules(decode(t, full)); err != nil || back != rs {
			t.Fatalf("%s is read as %+v, %v", full, back, err)
		}
	}
}
