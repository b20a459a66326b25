package rest

import (
	"encoding/json"
	"fmt"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// catalogue lists the presets from the rules, and what options may be from the
// contract, which is where their types and ranges are written down.
func catalogue(doc contract) (RulesCatalogue, error) {
	var out RulesCatalogue
	for _, p := range rules.Presets() {
		rs := p.Rules()
		preset := PresetRules{Name: PresetName(p.String()), Bids: []BidTerms{}}
		for i, b := range rs.Bids {
			if b.Value == 0 {
				continue
			}
			terms := BidTerms{Name: BidTermsName((rules.Solo + rules.Action(i)).String()), Value: int(b.Value)}
			if b.Needs > 0 {
				needs := int(b.Needs)
				terms.Needs = &needs
			}
			preset.Bids = append(preset.Bids, terms)
		}
		values := map[string]any{}
		for _, o := range record.Options(rs) {
			values[o.Name] = o.Value
		}
		text, err := json.Marshal(values)
		if err == nil {
			err = json.Unmarshal(text, &preset.Options)
		}
		if err != nil {
			return out, fmt.Errorf("rest: options of %s: %w", p, err)
		}
		out.Presets = append(out.Presets, preset)
	}
	schemas := doc.Components.Schemas["HouseRulesObject"].Value.Properties
	for _, o := range record.Options(rules.Clasica.Rules()) {
		ref := schemas[o.Name]
		if ref == nil {
			return out, fmt.Errorf("rest: openapi.yaml does not know the option %s", o.Name)
		}
		schema := ref.Value
		option := RuleOption{Name: o.Name, Nullable: schema.Nullable, Description: schema.Description}
		switch {
		case schema.Type.Is("boolean"):
			option.Type = "boolean"
		case schema.Type.Is("integer"):
			lowest, highest := int(*schema.Min), int(*schema.Max)
			option.Type, option.Minimum, option.Maximum = "integer", &lowest, &highest
		default:
			var values []string
			for _, v := range schema.Enum {
				values = append(values, fmt.Sprint(v))
			}
			option.Type, option.Values = "enum", &values
		}
		out.Options = append(out.Options, option)
	}
	return out, nil
}
