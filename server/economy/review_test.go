package economy

import "testing"

func TestNeed(t *testing.T) {
	live := &Document{Approval: Approval{Share: 10}}
	seen := []string{"/matches", "/booster/percent", "/catalogue/*/grants"}
	of := func(before, after int64) *Forecast { return &Forecast{Before: before, After: after, Replayed: seen} }
	for name, c := range map[string]struct {
		paths    []string
		forecast *Forecast
		want     Need
	}{
		"nothing":                         {nil, nil, NeedNone},
		"a text":                          {[]string{"/catalogue/3/title/es", "/queue/windowPoints", "/levels"}, nil, NeedNone},
		"a reward, not simulated":         {[]string{"/matches/online/coins/0"}, nil, NeedSimulation},
		"a reward over no matches":        {[]string{"/matches/online/coins/0"}, of(0, 0), NeedSimulation},
		"a reward within the share":       {[]string{"/matches/online/coins/0", "/stakes/2"}, of(1000, 1100), NeedNone},
		"a reward beyond the share":       {[]string{"/matches/online/coins/0"}, of(1000, 1101), NeedMoves},
		"beyond the share downwards":      {[]string{"/matches/online/coins/0"}, of(1000, 899), NeedMoves},
		"something where nothing was":     {[]string{"/matches/online/coins/0"}, of(0, 1), NeedMoves},
		"what no simulation sees":         {[]string{"/matches/online/coins/0", "/welcome"}, of(1000, 1000), NeedUnseen},
		"a product's coins are seen":      {[]string{"/catalogue/0/grants/coins"}, of(1000, 1000), NeedNone},
		"a product's price is not":        {[]string{"/catalogue/0/prices/EUR"}, of(1000, 1000), NeedUnseen},
		"a whole product is more":         {[]string{"/catalogue/0"}, of(1000, 1000), NeedUnseen},
		"a product's name in another key": {[]string{"/catalogues/0/title"}, of(1000, 1000), NeedUnseen},
		"how bots wait":                   {[]string{"/bots/pause/milliseconds"}, nil, NeedNone},
		"who the bots are":                {[]string{"/bots/levels/maestro"}, of(1000, 1000), NeedUnseen},
		"the rule":                        {[]string{"/approval/share"}, of(1000, 1000), NeedRule},
		"the rule beside others":          {[]string{"/welcome", "/approval"}, nil, NeedRule},
	} {
		var changes []Change
		for _, p := range c.paths {
			changes = append(changes, Change{Path: p})
		}
		if got := need(live, changes, c.forecast); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	live.Approval.Share = 0
	if got := need(live, []Change{{Path: "/matches/away/percent"}}, of(1000, 1000)); got != NeedNone {
		t.Errorf("what moves nothing needs nobody: %q", got)
	}
}
