package economy_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

func shipped(t *testing.T) *economy.Document {
	t.Helper()
	d, problems := economy.Parse(economy.Default())
	if len(problems) > 0 {
		t.Fatalf("the document that ships cannot be used: %+v", problems)
	}
	return d
}

// altered is the shipped document with one piece of text replaced.
func altered(t *testing.T, old, replacement string) []byte {
	t.Helper()
	text := string(economy.Default())
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is %d times in the document", old, strings.Count(text, old))
	}
	return []byte(strings.Replace(text, old, replacement, 1))
}

func TestParseLosesNothing(t *testing.T) {
	again, err := json.Marshal(shipped(t))
	if err != nil {
		t.Fatal(err)
	}
	if changes := economy.Compare(economy.Default(), again); len(changes) > 0 {
		t.Errorf("read and written, the document differs: %+v", changes)
	}
}

func TestProblemsNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ old, replacement, path string }{
		{`"welcome": 500`, `"welcome": -1`, "/welcome"},
		{`"welcome": 500`, `"welcome": 1.5`, "/welcome"},
		{`"welcome": 500`, `"welcome": "500"`, "/welcome"},
		{`"welcome": 500,`, ``, ""},
		{`"welcome": 500`, `"welcome": 500, "wellcome": 5`, ""},
		{`"daily": [50,`, `"daily": [-50,`, "/daily/0"},
		{`"coins": [60, 20]`, `"coins": [60]`, "/matches/online/coins"},
		{`"coins": [60, 20]`, `"coins": [20, 60]`, "/matches/online/coins"},
		{`"points": [10, 3]`, `"points": [3, 10]`, "/league/points"},
		{`"combine": "add"`, `"combine": "both"`, "/combine"},
		{`"Europe/Madrid"`, `"Europe/Atlantis"`, "/timeZone"},
		{`"Europe/Madrid"`, `"Local"`, "/timeZone"},
		{`"lasts": { "minutes": 1440 }`, `"lasts": {}`, "/booster/lasts"},
		{`"stakes": [100, 250,`, `"stakes": [250, 100,`, "/stakes"},
		{`"stakes": [100, 250,`, `"stakes": [100, 100,`, "/stakes"},
		{`"name": "silver"`, `"name": "bronze"`, "/league/divisions/1/name"},
		{`"up": 10, "down": 0`, `"up": 10, "down": 1`, "/league/divisions/0/down"},
		{`"up": 0, "down": 5`, `"up": 1, "down": 5`, "/league/divisions/3/up"},
		{`"up": 5, "down": 8`, `"up": 25, "down": 8`, "/league/divisions/2"},
		{`"prizes": [300, 200, 100]`, `"prizes": [300, 200, 201]`, "/league/divisions/0/prizes/2"},
		{`"sku": "coins-6000"`, `"sku": "coins-1000"`, "/catalogue/1/sku"},
		{`{ "EUR": 499, "USD": 499 }`, `{ "euro": 499 }`, "/catalogue/2/prices"},
		{`{ "vipDays": 30 }`, `{ "vipDays": 30 }, "until": "tomorrow"`, "/catalogue/2/until"},
		{`{ "vipDays": 30 }`, `{ "vipDays": 30 }, "from": "2027-01-02T00:00:00Z", "until": "2027-01-01T00:00:00Z"`, "/catalogue/2/until"},
		{`{ "vipDays": 31 }`, `{ "vipDays": 31, "coins": 1 }`, "/catalogue/3/renews"},
		{`"renews": "month"`, `"renews": "week"`, "/catalogue/3/renews"},
		{`"es": "Para empezar", `, ``, "/catalogue/4/title"},
		{`"limit": 1`, `"limit": 1, "apple": "a" }, { "sku": "other", "grants": { "coins": 1 }, "prices": { "EUR": 1 }, "apple": "a"`, "/catalogue/5/apple"},
	} {
		_, problems := economy.Parse(altered(t, c.old, c.replacement))
		found := false
		for _, p := range problems {
			found = found || strings.HasPrefix(p.Path, c.path) && p.Message != ""
		}
		if !found {
			t.Errorf("%s: got %+v, want a problem at %q", c.replacement, problems, c.path)
		}
	}
	if _, problems := economy.Parse([]byte(`{`)); len(problems) != 1 {
		t.Errorf("no JSON: %+v", problems)
	}
}

func TestReward(t *testing.T) {
	d := shipped(t) // 60 and 20 coins; booster 200 %, VIP 150 %, added; friends 50 %, 300 a day
	for name, c := range map[string]struct {
		finish                    economy.Finish
		coins, experience, points int64
		combine                   economy.Combine
	}{
		"machine":           {finish: economy.Finish{Mode: economy.Machine, Won: true, Booster: true}},
		"online, won":       {finish: economy.Finish{Mode: economy.Online, Won: true}, coins: 60, experience: 100, points: 10},
		"online, lost":      {finish: economy.Finish{Mode: economy.Online}, coins: 20, experience: 40, points: 3},
		"with bots":         {finish: economy.Finish{Mode: economy.Online, BotsAtTable: true}, coins: 20, experience: 40, points: 1},
		"away":              {finish: economy.Finish{Mode: economy.Online, Won: true, Away: true}},
		"booster":           {finish: economy.Finish{Mode: economy.Online, Won: true, Booster: true}, coins: 120, experience: 100, points: 10},
		"VIP":               {finish: economy.Finish{Mode: economy.Online, VIP: true}, coins: 30, experience: 40, points: 3},
		"both, added":       {finish: economy.Finish{Mode: economy.Online, Won: true, Booster: true, VIP: true}, coins: 150, experience: 100, points: 10},
		"both, multiplied":  {finish: economy.Finish{Mode: economy.Online, Won: true, Booster: true, VIP: true}, coins: 180, experience: 100, points: 10, combine: economy.Multiply},
		"both, the highest": {finish: economy.Finish{Mode: economy.Online, Won: true, Booster: true, VIP: true}, coins: 120, experience: 100, points: 10, combine: economy.Highest},
		"friends, won":      {finish: economy.Finish{Mode: economy.Friends, Won: true}, coins: 30, experience: 50},
		"friends, lost":     {finish: economy.Finish{Mode: economy.Friends}, experience: 20},
		"friends, capped":   {finish: economy.Finish{Mode: economy.Friends, Won: true, FriendsToday: 290}, coins: 10, experience: 50},
		"friends, over":     {finish: economy.Finish{Mode: economy.Friends, Won: true, FriendsToday: 310}, experience: 50},
		"staked":            {finish: economy.Finish{Mode: economy.Staked, Won: true, Booster: true, VIP: true}, experience: 100},
		"staked, away":      {finish: economy.Finish{Mode: economy.Staked, Won: true, Away: true}, experience: 100},
	} {
		d.Combine = economy.Add
		if c.combine != "" {
			d.Combine = c.combine
		}
		r := d.Reward(c.finish)
		if r.Coins != c.coins || r.Experience != c.experience || r.LeaguePoints != c.points {
			t.Errorf("%s: %+v", name, r)
		}
		// A receipt can be worked out: from what an online match gives, step by step.
		if given := []int64{0, d.Matches.Online.Coins[0], d.Matches.Online.Coins[1]}; !slices.Contains(given, r.Base) {
			t.Errorf("%s: the base is %d", name, r.Base)
		}
		last := r.Base
		for _, s := range r.Steps {
			if s.Percent > 0 && s.Coins != last*s.Percent/100 {
				t.Errorf("%s: %d %% of %d are %d", name, s.Percent, last, s.Coins)
			}
			last = s.Coins
		}
		if last != r.Coins {
			t.Errorf("%s: the steps lead to %d coins, not to %d", name, last, r.Coins)
		}
	}
}

func TestLevels(t *testing.T) {
	l := economy.Levels{First: 200, Growth: 50}
	for experience, want := range map[int64][3]int64{
		0: {1, 0, 200}, 199: {1, 199, 200}, 200: {2, 0, 250}, 449: {2, 249, 250}, 450: {3, 0, 300}, 749: {3, 299, 300}, 750: {4, 0, 350},
	} {
		level, into, step := l.Level(experience)
		if got := [3]int64{int64(level), into, step}; got != want {
			t.Errorf("%d: level, into, step %v, want %v", experience, got, want)
		}
	}
	level := economy.Levels{First: 10}
	for experience := range int64(100) {
		got, into, step := level.Level(experience)
		if got != int(experience/10)+1 || into != experience%10 || step != 10 {
			t.Errorf("on a level curve, %d gives level %d, %d of %d", experience, got, into, step)
		}
	}
}

// A year of claims around the clock's changes: one a day, whatever the hour.
func TestDailyReward(t *testing.T) {
	d := shipped(t)
	madrid := d.Location()
	last, streak := "", 0
	for day := range 366 {
		for _, hour := range []int{0, 1, 3, 23} {
			at := time.Date(2027, 12, 31+day, hour, 30, 0, 0, madrid)
			coins, next, ok := d.DailyReward(at, last, streak)
			if wanted := hour == 0; ok != wanted {
				t.Fatalf("%v: claimed %v, want %v", at, ok, wanted)
			}
			if !ok {
				continue
			}
			if want := d.Daily[min(day, len(d.Daily)-1)]; coins != want || next != day+1 {
				t.Fatalf("%v: day %d of the streak gives %d, want %d", at, next, coins, want)
			}
			last, streak = d.Day(at), next
		}
	}
	// A zone further west may have yesterday's date still: what was claimed is claimed
	// until the day after it.
	newYear := time.Date(2029, 1, 1, 2, 0, 0, 0, madrid)
	d.TimeZone = "America/New_York"
	if coins, _, ok := d.DailyReward(newYear, "2029-01-01", 366); ok {
		t.Errorf("claimed again on the day before: %d coins", coins)
	}
	if got, want := d.After(newYear, "2029-01-01"), time.Date(2029, 1, 2, 0, 0, 0, 0, d.Location()); !got.Equal(want) {
		t.Errorf("next at %v, want %v", got, want)
	}
	if got, want := d.After(newYear, ""), time.Date(2029, 1, 1, 0, 0, 0, 0, d.Location()); !got.Equal(want) {
		t.Errorf("next at %v, want %v", got, want)
	}
	d.TimeZone = "Europe/Madrid"
	// A day missed begins again, whoever's clock says what.
	at := time.Date(2029, 1, 2, 12, 0, 0, 0, madrid)
	if coins, next, ok := d.DailyReward(at, "2028-12-31", 366); !ok || next != 1 || coins != d.Daily[0] {
		t.Errorf("after a day missed: %d coins, streak %d, %v", coins, next, ok)
	}
}

func TestCompare(t *testing.T) {
	after := altered(t, `"welcome": 500`, `"welcome": 600`)
	after = []byte(strings.Replace(string(after), `"sku": "vip-30"`, `"limit": 3, "sku": "vip-30"`, 1))
	after = []byte(strings.Replace(string(after), `[100, 250, 500, 1000]`, `[100, 250, 500]`, 1))
	var got []string
	for _, c := range economy.Compare(economy.Default(), after) {
		got = append(got, fmt.Sprintf("%s %s→%s", c.Path, c.Before, c.After))
	}
	want := []string{"/catalogue/2/limit →3", "/stakes/3 1000→", "/welcome 500→600"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnSale(t *testing.T) {
	from, until := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 8, 0, 0, 0, 0, time.UTC)
	p := economy.Product{SKU: "starter", From: &from, Until: &until}
	for at, want := range map[time.Time]bool{from.Add(-1): false, from: true, until.Add(-1): true, until: false} {
		if p.OnSale(at) != want {
			t.Errorf("at %v: %v", at, !want)
		}
	}
	d := shipped(t)
	if (&economy.Product{}).OnSale(from) != true || d.Product("starter").Limit != 1 || d.Product("none") != nil {
		t.Error("a product without times, one by its key, or none")
	}
	if p.Name().CA != "starter" || d.Product("starter").Name().CA != "Per començar" {
		t.Error("a product's name")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(economy.Default())
	f.Add([]byte(`{"format":"cuatrola-economy/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, problems := economy.Parse(text)
		if (d == nil) != (len(problems) > 0) {
			t.Fatalf("document %v, problems %v", d, problems)
		}
		if d != nil {
			for _, mode := range []economy.Mode{economy.Machine, economy.Friends, economy.Online, economy.Staked} {
				if r := d.Reward(economy.Finish{Mode: mode, Won: true, Booster: true, VIP: true}); r.Coins < 0 || r.Experience < 0 {
					t.Fatalf("%s gives %+v", mode, r)
				}
			}
			if level, into, step := d.Levels.Level(1 << 40); level < 1 || into < 0 || into >= step {
				t.Fatalf("level %d, %d of %d", level, into, step)
			}
		}
	})
}

// With each problem comes a code that has words in the panel.
func TestProblemCodes(t *testing.T) {
	for text, want := range map[string]economy.Problem{
		`{`:                            {Code: economy.NotJSON, Line: 1, Column: 2},
		"{\n  \"wélcome\": 5x\n}":      {Code: economy.NotJSON, Line: 2, Column: 15},
		`{"daily": [1], "daily": [2]}`: {Code: economy.NameRepeated, Path: "/daily"},
		string(altered(t, `"welcome": 500,`, ``)):                {Code: economy.Missing, Path: "/welcome"},
		string(altered(t, `"welcome"`, `"wellcome"`)):            {Code: economy.Missing, Path: "/welcome"},
		string(altered(t, `"welcome": 500`, `"welcome": -1`)):    {Code: economy.TooSmall, Path: "/welcome", Limit: "0"},
		string(altered(t, `"welcome": 500`, `"welcome": 1e3`)):   {Code: economy.WrongAnyhow},
		string(altered(t, `"welcome": 500`, `"welcome": "5"`)):   {Code: economy.WrongType, Path: "/welcome", Limit: "integer"},
		string(altered(t, `"coins": [60, 20]`, `"coins": [6]`)):  {Code: economy.TooFew, Path: "/matches/online/coins", Limit: "2"},
		string(altered(t, `[100, 250, 500`, `[100, 250, 250`)):   {Code: economy.Repeated, Path: "/stakes/2"},
		string(altered(t, `"combine": "add"`, `"combine": "+"`)): {Code: economy.WrongChoice, Path: "/combine"},
		string(altered(t, `"minutes": 1440`, `"minutes": 0`)):    {Code: economy.TooSmall, Path: "/booster/lasts/minutes", Limit: "1"},
		string(altered(t, `"minutes": 1440`, ``)):                {Code: economy.OneOf, Path: "/booster/lasts"},
		string(altered(t, `"name": "silver"`, `"name": "S"`)):    {Code: economy.WrongForm, Path: "/league/divisions/1/name", Limit: "^[a-z][a-z0-9-]{0,30}$"},
		string(altered(t, `"limit": 1`, `"from": "today"`)):      {Code: economy.WrongTime, Path: "/catalogue/4/from", Limit: "date-time"},
		string(altered(t, `"share": 10`, `"share": 1001`)):       {Code: economy.TooLarge, Path: "/approval/share", Limit: "1000"},
		string(altered(t, `"es": "Para empezar"`, `"es": ""`)):   {Code: economy.TooShort, Path: "/catalogue/4/title/es", Limit: "1"},
		string(altered(t, `"up": 10, "down"`, `"up": 40, "down"`)): {
			Code: economy.TooManyMove, Path: "/league/divisions/0",
		},
	} {
		_, problems := economy.Parse([]byte(text))
		if len(problems) == 0 {
			t.Errorf("%.60s: no problem, want %+v", text, want)
			continue
		}
		got := problems[0]
		for _, p := range problems {
			if p.Message == "" || !slices.Contains(economy.ProblemCodes(), p.Code) {
				t.Errorf("%.60s: %+v", text, p)
			}
			if p.Code == want.Code {
				got = p
			}
		}
		got.Message = ""
		if got != want {
			t.Errorf("%.60s: got %+v, want %+v", text, got, want)
		}
	}
}

// What is wrong in one place hides nothing in another.
func TestAllProblemsAtOnce(t *testing.T) {
	text := strings.NewReplacer(`"welcome": 500`, `"welcome": -1`, `"coins": [60, 20]`, `"coins": [10, 20]`, `"stakes": [100, 250`, `"stakes": [-100, -250`).Replace(string(economy.Default()))
	_, problems := economy.Parse([]byte(text))
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+" "+string(p.Code))
	}
	if want := []string{"/matches/online/coins winners_get_less", "/stakes/0 too_small", "/stakes/1 too_small", "/welcome too_small"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Documents of before there was an approval, a queue or levels of bots have those that ship.
func TestOlderDocuments(t *testing.T) {
	text := string(economy.Default())
	from, to := strings.Index(text, `  "bots"`), strings.Index(text, `  "queue"`)
	if d, problems := economy.Parse([]byte(text[:from] + text[to:])); len(problems) > 0 || d.Bots != shipped(t).Bots || d.Bots.Levels.Maestro == 0 {
		t.Errorf("%+v, %+v", d, problems)
	}
	at := strings.Index(text, `,
  "approval"`)
	d, problems := economy.Parse([]byte(text[:at] + "}"))
	if len(problems) > 0 || d.Approval != shipped(t).Approval || d.Approval.Share == 0 {
		t.Errorf("%+v, %+v", d, problems)
	}
}

// Entries with a key are compared with their own kind, wherever they are.
func TestCompareByKey(t *testing.T) {
	list := func(entries ...string) []byte { return []byte(`{"catalogue": [` + strings.Join(entries, ",") + `]}`) }
	a, b, b2, c := `{"sku": "a"}`, `{"sku": "b", "limit": 1}`, `{"limit": 2, "sku": "b"}`, `{"sku": "c"}`
	for name, tc := range map[string]struct {
		before, after []byte
		want          []string
	}{
		"the same":     {list(a, b), list(a, b), nil},
		"in front":     {list(a, b), list(c, a, b), []string{`/catalogue/0 →{"sku":"c"}`}},
		"gone":         {list(c, a, b), list(a, b), []string{`/catalogue/0 {"sku":"c"}→`}},
		"changed":      {list(a, b), list(c, a, b2), []string{`/catalogue/0 →{"sku":"c"}`, `/catalogue/2/limit 1→2`}},
		"another turn": {list(a, b), list(b, a), []string{`/catalogue ["a","b"]→["b","a"]`}},
		"no keys":      {list(a, a), list(a, a, b), []string{`/catalogue/2 →{"limit":1,"sku":"b"}`}},
	} {
		var got []string
		for _, c := range economy.Compare(tc.before, tc.after) {
			got = append(got, fmt.Sprintf("%s %s→%s", c.Path, c.Before, c.After))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if economy.Fingerprint(list(b)) == economy.Fingerprint(list(b2)) || economy.Fingerprint(economy.Default()) != economy.Fingerprint(append([]byte("\n "), economy.Default()...)) {
		t.Error("a fingerprint is of what a document says, not of how it is written")
	}
}

func TestSource(t *testing.T) {
	for _, text := range []string{"live", "shipped", "version:3", "draft:0193a1b2-0000-7000-8000-00000000000e", "proposal:0193a1b2-0000-7000-8000-00000000000e"} {
		if s, err := economy.ParseSource(text); err != nil || s.String() != text {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "live:1", "version", "version:x", "draft:1", "file:/etc/passwd"} {
		if s, err := economy.ParseSource(text); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}

// Every field can be shown in a form in every language: it has a title and a
// description, a number its unit, a choice its names, a list what its entries are.
func TestSchemaIsForForms(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(economy.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	defs, _ := schema["$defs"].(map[string]any)
	units, _ := schema["x-units"].(map[string]any)
	object := func(v any) map[string]any { o, _ := v.(map[string]any); return o }
	text := func(v any) bool { s, _ := v.(string); return strings.TrimSpace(s) != "" }
	worded := func(where string, o map[string]any) {
		t.Helper()
		for _, of := range []any{o, o["x-es"], o["x-ca"]} {
			if of := object(of); !text(of["title"]) || !text(of["description"]) {
				t.Errorf("%s lacks its title or description in a language", where)
			}
		}
	}
	translated := func(where string, v any) {
		t.Helper()
		o := object(v)
		if len(o) != 3 || !text(o["en"]) || !text(o["es"]) || !text(o["ca"]) {
			t.Errorf("%s is not in all languages: %v", where, v)
		}
	}
	for unit, words := range units {
		translated("unit "+unit, words)
	}
	sections := map[any]bool{}
	list, _ := schema["x-sections"].([]any)
	for _, s := range list {
		worded("a section", object(s))
		sections[object(s)["key"]] = true
	}
	fields := 0
	var field func(where string, o map[string]any, unit any)
	walk := func(where string, o map[string]any, unit any) {
		for name, p := range object(o["properties"]) {
			worded(where+"/"+name, object(p))
			field(where+"/"+name, object(p), nil)
		}
		for name, p := range object(o["patternProperties"]) {
			worded(where+"/"+name, object(p))
			field(where+"/"+name, object(p), unit)
		}
	}
	field = func(where string, o map[string]any, unit any) {
		fields++
		if ref, _ := o["$ref"].(string); ref != "" {
			o2 := map[string]any{}
			for _, of := range []map[string]any{object(defs[strings.TrimPrefix(ref, "#/$defs/")]), o} {
				for k, v := range of {
					o2[k] = v
				}
			}
			o = o2
		}
		if u := o["x-unit"]; u != nil {
			unit = u
		}
		switch {
		case o["const"] != nil:
		case o["enum"] != nil:
			values, _ := o["enum"].([]any)
			names := object(o["x-names"])
			if len(names) != len(values) {
				t.Errorf("%s has %d names for %d values", where, len(names), len(values))
			}
			for _, v := range values {
				translated(where+" "+fmt.Sprint(v), names[v.(string)])
			}
		case o["oneOf"] != nil:
			forms, _ := o["oneOf"].([]any)
			for i, form := range forms {
				worded(fmt.Sprint(where, " form ", i), object(form))
				walk(where, object(form), nil)
			}
		case o["prefixItems"] != nil:
			entries, _ := o["prefixItems"].([]any)
			for i, entry := range entries {
				worded(fmt.Sprint(where, "/", i), object(entry))
				field(fmt.Sprint(where, "/", i), object(entry), unit)
			}
		case o["type"] == "array":
			translated(where+"'s entries", o["x-item"])
			items := object(o["items"])
			if items["properties"] != nil {
				worded(where+"/*", items)
			}
			field(where+"/*", items, unit)
		case o["type"] == "integer":
			if units[fmt.Sprint(unit)] == nil || o["minimum"] == nil || o["maximum"] == nil {
				t.Errorf("%s is a number without a unit, a least or a greatest value", where)
			}
		case o["type"] == "string", o["type"] == "object":
			walk(where, o, unit)
		default:
			t.Errorf("%s: no form can show a %v", where, o["type"])
		}
	}
	for name, p := range object(schema["properties"]) {
		if !sections[object(p)["x-section"]] {
			t.Errorf("/%s stands in no section", name)
		}
	}
	worded("the document", schema)
	field("", schema, nil)
	if fields < 60 {
		t.Errorf("only %d fields were looked at", fields)
	}
}
