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
