package store_test

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/crowd"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/simulation"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// place is a world with a league whose first economy is the one given, in which nobody
// lacks coins.
type place struct {
	*purses
	store  *store.Store
	league *league.Service
	people []string
}

func newPlace(t testing.TB, s *store.Store, document []byte, people []string) *place {
	t.Helper()
	p := &place{purses: &purses{t: t, now: t0}, store: s, people: people}
	clock := func() time.Time { return p.now }
	p.economy = economy.NewService(s, clock)
	if _, err := p.economy.Publish(t.Context(), document, 0, time.Time{}, "eva", "a test"); err != nil {
		t.Fatal(err)
	}
	p.Service = reward.New(s, s, p.economy, clock, crand.Reader)
	p.league = league.New(s.League(), p.economy, clock, crand.Reader, func(notice.Notice) {})
	s.SettleWith(p.Settle)
	for _, id := range people {
		guest := account.Player{ID: id, Name: id, Guest: true, CreatedAt: t0}
		device := account.Device{ID: newID(t), PlayerID: id, SecretHash: [32]byte([]byte(id)), CreatedAt: t0}
		p.must(s.CreateGuest(t.Context(), guest, device, newSession(t, id, id)))
		grant := transfer(t, "grant:"+id, wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(id), 1_000_000_000)...)
		_, _, err := s.Post(t.Context(), grant)
		p.must(err)
	}
	return p
}

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// goTo moves the clock, and closes what is over of the league.
func (p *place) goTo(at time.Time) {
	p.t.Helper()
	p.now = at
	_, err := p.league.CloseDue(p.t.Context())
	p.must(err)
}

// finish has a match begin and end now.
func (p *place) finish(id string, mode economy.Mode, seats [rules.Seats]string, winner rules.Pair, missed [rules.Seats]int) {
	p.t.Helper()
	live, _, err := p.economy.Live(p.t.Context())
	p.must(err)
	m := newMatch(p.t)
	m.ID, m.Mode, m.Economy, m.CreatedAt = id, mode, live.Number, p.now
	for i, player := range seats {
		m.Seats[i] = match.Seat{PlayerID: player}
		if player == "" {
			m.Seats[i].Bot = bot.Tabernero
		}
	}
	_, err = p.store.CreateMatch(p.t.Context(), m, nil)
	p.must(err)
	last := entry(0, "AO")
	last.At = p.now
	p.must(p.store.FinishMatch(p.t.Context(), id, last, match.Result{Winner: winner, Hands: 5, Missed: missed}))
}

// receive is what an order does.
func (p *place) receive(player string, boosters, days int) {
	p.t.Helper()
	_, err := p.store.Change(p.t.Context(), player, func(s *reward.Standing) (*wallet.Transfer, error) {
		s.Receive(p.now, boosters, days)
		return nil, nil
	})
	p.must(err)
}

// live has people do this and that, for weeks. What they are refused they do not do.
func (p *place) live(r *rand.Rand, things int) {
	p.t.Helper()
	ctx := p.t.Context()
	fine := func(err error) {
		p.t.Helper()
		switch fault.CodeOf(err) {
		case "", reward.CodeClaimed, reward.CodeBoosterRunning, reward.CodeNoBooster:
		default:
			p.t.Fatal(err)
		}
	}
	for range things {
		p.goTo(p.now.Add(time.Millisecond + time.Duration(r.Int64N(int64(4*time.Hour)))).Truncate(time.Millisecond))
		who := p.people[r.IntN(len(p.people))]
		switch n := r.IntN(20); n {
		case 0, 1:
			fine(p.ClaimDaily(ctx, who))
		case 2:
			fine(p.BuyBooster(ctx, who, newID(p.t), r.IntN(2) == 0))
		case 3:
			fine(p.StartBooster(ctx, who))
		case 4:
			fine(p.BuyVIP(ctx, who, newID(p.t)))
		case 5:
			p.receive(who, r.IntN(4)-1, r.IntN(20)-5)
		case 6:
			_, err := p.Purse(ctx, who) // welcomes
			fine(err)
		default:
			var seats [rules.Seats]string
			order := r.Perm(len(p.people))
			for i := range seats {
				if seats[i] = p.people[order[i]]; i > 0 && n < 10 && r.IntN(2) == 0 {
					seats[i] = ""
				}
			}
			mode := []economy.Mode{economy.Online, economy.Online, economy.Friends, economy.Friends, economy.Staked, economy.Machine}[r.IntN(6)]
			var missed [rules.Seats]int
			if r.IntN(3) == 0 {
				missed[r.IntN(4)] = r.IntN(5)
			}
			p.finish(newID(p.t), mode, seats, rules.Pair(r.IntN(2)), missed)
		}
	}
	// Every week is closed.
	p.goTo(p.now.Add(9 * 24 * time.Hour))
}

// again does for real what was done in another world.
func (p *place) again(other *place) {
	p.t.Helper()
	ctx := p.t.Context()
	facts := other.store.Simulations()
	matches, err := facts.SettledMatches(ctx, simulation.Mark{}, other.now, 100_000)
	p.must(err)
	deeds, err := facts.Deeds(ctx, simulation.Mark{}, other.now, 100_000)
	p.must(err)
	for len(matches)+len(deeds) > 0 {
		if len(matches) == 0 || len(deeds) > 0 && !deeds[0].At.After(matches[0].EndedAt) {
			d := deeds[0]
			deeds = deeds[1:]
			p.goTo(d.At)
			switch d.Kind {
			case reward.DeedWelcome:
				_, err = p.Welcome(ctx, d.PlayerID)
			case reward.DeedDaily:
				err = p.ClaimDaily(ctx, d.PlayerID)
			case reward.DeedBooster:
				err = p.BuyBooster(ctx, d.PlayerID, newID(p.t), d.Start)
			case reward.DeedStart:
				err = p.StartBooster(ctx, d.PlayerID)
			case reward.DeedVIP:
				err = p.BuyVIP(ctx, d.PlayerID, newID(p.t))
			case reward.DeedReceive:
				p.receive(d.PlayerID, d.Boosters, d.Days)
			}
			// What the draft does not allow it refuses, here as in the simulation.
			if code := fault.CodeOf(err); code == reward.CodeBoosterRunning || code == reward.CodeClaimed || code == reward.CodeNoBooster {
				err = nil
			}
			p.must(err)
			continue
		}
		m := matches[0]
		matches = matches[1:]
		p.goTo(m.EndedAt)
		var seats [rules.Seats]string
		var missed [rules.Seats]int
		for i, s := range m.Seats {
			seats[i], missed[i] = s.PlayerID, s.Missed
		}
		p.finish(m.ID, m.Mode, seats, m.Winner, missed)
	}
	p.goTo(other.now)
}

// books are the coins that the ledger has by source, issued and sunk.
func (p *place) books() map[simulation.Source]simulation.Coins {
	p.t.Helper()
	books := map[simulation.Source]simulation.Coins{}
	pool, err := p.store.SQL()
	p.must(err)
	rows, err := pool.QueryContext(p.t.Context(), `SELECT t.kind, CAST(SUM(e.amount) AS BIGINT) FROM transfers t
		JOIN entries e ON e.transfer_id = t.id AND e.account_id LIKE 'player:%'
		WHERE t.kind IN ('reward', 'welcome', 'daily', 'prize', 'booster', 'vip') GROUP BY t.kind`)
	p.must(err)
	defer rows.Close()
	for rows.Next() {
		var kind wallet.Kind
		var coins int64
		p.must(rows.Scan(&kind, &coins))
		source := simulation.Source(kind)
		switch kind {
		case wallet.KindReward:
			source = simulation.FromMatches
		case wallet.KindPrize:
			source = simulation.FromPrizes
		case wallet.KindBooster:
			source = simulation.FromBoosters
		}
		if coins > 0 {
			books[source] = simulation.Coins{Issued: coins}
		} else {
			books[source] = simulation.Coins{Sunk: -coins}
		}
	}
	p.must(rows.Err())
	return books
}

// gave is what every match has given every seat.
func (p *place) gave() map[string]int64 {
	p.t.Helper()
	gave := map[string]int64{}
	matches, err := p.store.Simulations().SettledMatches(p.t.Context(), simulation.Mark{}, p.now, 100_000)
	p.must(err)
	for _, m := range matches {
		for i, s := range m.Seats {
			if s.PlayerID != "" {
				gave[fmt.Sprintf("%s/%d", m.ID, i)] = s.Coins
			}
		}
	}
	return gave
}

// simulate simulates a document over all that has happened, and says what every match
// would have given.
func (p *place) simulate(document []byte) (*simulation.Result, map[string]int64) {
	p.t.Helper()
	would := map[string]int64{}
	s := simulation.New(p.store.Simulations(), func() time.Time { return p.now }, crand.Reader)
	replays, err := s.Replay(p.t.Context(), [][]byte{document}, t0.AddDate(0, 0, -10), p.now.Add(time.Millisecond), func(m *simulation.Match, coins [rules.Seats]int64) error {
		for i, s := range m.Seats {
			if s.PlayerID != "" {
				would[fmt.Sprintf("%s/%d", m.ID, i)] = coins[i]
			}
		}
		return nil
	})
	p.must(err)
	return replays[0].Result([]byte("key")), would
}

func sums(groups []simulation.Group) (before, after map[simulation.Source]simulation.Coins) {
	before, after = map[simulation.Source]simulation.Coins{}, map[simulation.Source]simulation.Coins{}
	for _, g := range groups {
		if g.Before != (simulation.Coins{}) {
			before[simulation.Source(g.Key)] = g.Before
		}
		if g.After != (simulation.Coins{}) {
			after[simulation.Source(g.Key)] = g.After
		}
	}
	return before, after
}

// randomDocument is a usable economy like no other, whose every rule matters in a small
// world.
func randomDocument(t testing.TB, r *rand.Rand) []byte {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(economy.Default(), &d); err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	pair := func(most int) []int { a := r.IntN(most); return []int{a + r.IntN(most), a} }
	list := func(n int) []int {
		l := make([]int, 1+r.IntN(n))
		for i := range l {
			l[i] = r.IntN(300)
		}
		return l
	}
	d["timeZone"] = []string{"Europe/Madrid", "Europe/Madrid", "America/New_York", "Asia/Tokyo"}[r.IntN(4)]
	d["welcome"], d["daily"] = r.IntN(800), list(7)
	d["matches"] = object{
		"online":  object{"coins": pair(90), "experience": pair(90)},
		"friends": object{"percent": r.IntN(101), "dailyCap": r.IntN(150), "experiencePercent": 50},
		"away":    object{"afterTurns": 1 + r.IntN(4), "percent": r.IntN(101)},
	}
	lasts := object{"minutes": 60 + r.IntN(4000)}
	if r.IntN(2) == 0 {
		lasts = object{"matches": 1 + r.IntN(5)}
	}
	d["booster"] = object{"percent": 100 + r.IntN(200), "lasts": lasts, "stack": []string{"extend", "refuse"}[r.IntN(2)], "price": 1 + r.IntN(900)}
	d["vip"] = object{"percent": 100 + r.IntN(100), "days": 1 + r.IntN(20), "price": 1 + r.IntN(5000), "dailyGift": r.IntN(90)}
	d["combine"] = []string{"add", "multiply", "highest"}[r.IntN(3)]
	var divisions []object
	names := []string{"bronze", "silver", "gold"}[:1+r.IntN(3)]
	for i, name := range names {
		size := 3 + r.IntN(4)
		prizes := list(3)
		slices.SortFunc(prizes, func(a, b int) int { return b - a })
		division := object{"name": name, "groupSize": size, "up": 1, "down": 1, "prizes": prizes}
		if i == 0 {
			division["down"] = 0
		}
		if i == len(names)-1 {
			division["up"] = 0
		}
		divisions = append(divisions, division)
	}
	d["league"] = object{"points": pair(12), "botsPercent": r.IntN(101), "divisions": divisions}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := economy.Parse(text); len(problems) > 0 {
		t.Fatal(problems, string(text))
	}
	return text
}

func equalMaps[K comparable, V comparable](t *testing.T, what string, got, want map[K]V) {
	t.Helper()
	wrong := 0
	for k, v := range want {
		if got[k] != v {
			if wrong++; wrong < 10 {
				t.Errorf("%s: %v: got %v, want %v", what, k, got[k], v)
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d, want %d: %v", what, len(got), len(want), got)
	}
}

// What a simulation says that a draft would have given is what it gives where everybody
// does for real what they did, match by match and in all; and what it says that was
// given is what the ledger has.
func TestSimulationEqualsSettlement(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		rounds := map[string]int{store.SQLite: 3, store.Postgres: 1}[s.Kind()]
		for round := range rounds {
			seed := rand.Uint64()
			t.Logf("round %d: seed %d", round, seed)
			r := rand.New(rand.NewPCG(seed, 0))
			if round > 0 {
				s = storetest.New(t, s.Kind())
			}
			live, draft := randomDocument(t, r), randomDocument(t, r)
			people := make([]string, 11)
			for i := range people {
				people[i] = newID(t)
			}
			a := newPlace(t, s, live, people)
			a.live(r, 250)

			same, would := a.simulate(live)
			before, after := sums(same.BySource)
			equalMaps(t, "before, by source", before, a.books())
			equalMaps(t, "the same economy, by source", after, a.books())
			equalMaps(t, "the same economy, by match", would, a.gave())
			if same.Unexplained != 0 || same.Inferred != 0 || same.IssuanceChange() != 0 || len(same.Affected) != 0 {
				t.Errorf("the same economy: %+v", same)
			}

			b := newPlace(t, storetest.New(t, s.Kind()), draft, people)
			b.again(a)
			result, would := a.simulate(draft)
			before, after = sums(result.BySource)
			equalMaps(t, "before, by source", before, a.books())
			equalMaps(t, "the draft, by source", after, b.books())
			equalMaps(t, "the draft, by match", would, b.gave())
			addUpAlike(t, result)
			if t.Failed() {
				t.Logf("live %s\ndraft %s", live, draft)
				return
			}
		}
	})
}

// A crowd that queues, stakes, meets in rooms and drops out, on several processes, is
// settled again for real under a draft, on either database.
func TestSimulationOfCrowd(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	played := storetest.New(t, store.SQLite)
	_, err := crowd.Run(t.Context(), played, crowd.Options{
		Players: 60, Seed: seed, For: 12 * time.Minute, Hands: 1, Processes: 2, KillEvery: 5 * time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &place{purses: &purses{t: t, now: time.Date(2026, 4, 3, 0, 0, 0, 0, time.UTC)}, store: played}
	people := query(t, played, `SELECT id FROM players ORDER BY id`)
	same, would := a.simulate(economy.Default())
	_, after := sums(same.BySource)
	equalMaps(t, "the same economy, by source", after, a.books())
	equalMaps(t, "the same economy, by match", would, a.gave())
	if same.Matches < 20 || same.Unexplained != 0 || len(same.Affected) != 0 {
		t.Errorf("the same economy: %+v", same)
	}
	draft := randomDocument(t, rand.New(rand.NewPCG(seed, 1)))
	result, would := a.simulate(draft)
	for _, kind := range storetest.Kinds {
		b := newPlace(t, storetest.New(t, kind), draft, people)
		b.again(a)
		_, after := sums(result.BySource)
		equalMaps(t, kind+": the draft, by source", after, b.books())
		equalMaps(t, kind+": the draft, by match", would, b.gave())
	}
}

// addUpAlike fails the test unless all groupings of a result come to the same.
func addUpAlike(t *testing.T, r *simulation.Result) {
	t.Helper()
	add := func(groups []simulation.Group) (sum simulation.Sum) {
		for _, g := range groups {
			sum.Count += g.Count
			sum.Before.Issued += g.Before.Issued
			sum.Before.Sunk += g.Before.Sunk
			sum.After.Issued += g.After.Issued
			sum.After.Sunk += g.After.Sunk
		}
		return sum
	}
	for what, groups := range map[string][]simulation.Group{"source": r.BySource, "division": r.ByDivision, "pass": r.ByVIP, "day": r.ByDay} {
		if got := add(groups); got != r.Total {
			t.Errorf("by %s it is %+v, in all %+v", what, got, r.Total)
		}
	}
	matches := add(r.ByMode)
	for what, groups := range map[string][]simulation.Group{"position": r.ByPosition, "booster": r.ByBooster, "source": r.BySource[:1]} {
		if got := add(groups); got != matches {
			t.Errorf("matches by %s are %+v, by mode %+v", what, got, matches)
		}
	}
}

// An economy that changes under way is told apart match by match.
func TestSimulationOfChanges(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		people := make([]string, 8)
		for i := range people {
			people[i] = newID(t)
		}
		a := newPlace(t, s, economy.Default(), people)
		a.live(r, 60)
		_, err := a.economy.Publish(t.Context(), randomDocument(t, r), 1, time.Time{}, "eva", "another")
		a.must(err)
		a.live(r, 60)
		result, _ := a.simulate(economy.Default())
		before, _ := sums(result.BySource)
		equalMaps(t, "before, by source", before, a.books())
		if result.Unexplained != 0 {
			t.Errorf("%d coins cannot be explained", result.Unexplained)
		}
		addUpAlike(t, result)

		// What was not kept is inferred from what was given.
		exec(t, s, `UPDATE match_seats SET vip_until = NULL, booster_until = NULL, booster_matches = NULL, friends_day = NULL, friends_coins = NULL`)
		older, _ := a.simulate(economy.Default())
		if older.Inferred == 0 || older.Total.Before != result.Total.Before {
			t.Errorf("without what was kept: %+v", older)
		}
	})
}

// A run is kept with its result, is found by its document, and of two at once one runs.
func TestSimulationRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		people := []string{newID(t), newID(t), newID(t), newID(t)}
		a := newPlace(t, s, economy.Default(), people)
		a.live(rand.New(rand.NewPCG(1, 2)), 50)
		runs := s.Simulations()
		service := simulation.New(runs, func() time.Time { return a.now }, crand.Reader)
		ask := simulation.Ask{Document: randomDocument(t, rand.New(rand.NewPCG(3, 4))), Source: "draft:" + newID(t), Days: 60, Author: "Eva"}

		_, err := service.Newest(ctx, ask.Document, 1)
		a.refused(fault.NotFound, err)
		var steps []int64
		run, err := service.Do(ctx, ask, func(done, _ int64) { steps = append(steps, done) })
		if err != nil || run.State != simulation.Done || run.Done == 0 || run.Done != run.Total || len(steps) < 2 {
			t.Fatalf("%+v, %v, %v", run, err, steps)
		}
		got, err := service.Run(ctx, run.ID)
		a.must(err)
		got.BeatAt = run.BeatAt
		if !reflect.DeepEqual(got, run) {
			t.Errorf("kept\n%+v\nwas\n%+v", got, run)
		}
		var laidOut bytes.Buffer
		a.must(json.Indent(&laidOut, ask.Document, " ", "\t"))
		if newest, err := service.Newest(ctx, laidOut.Bytes(), 1); err != nil || newest.ID != run.ID || newest.Result.Total != run.Result.Total {
			t.Errorf("found %+v, %v", newest, err)
		}
		for _, p := range run.Result.Affected {
			for _, id := range people {
				if bytes.Contains([]byte(id), []byte(p.Pseudonym)) || len(p.Pseudonym) != 8 {
					t.Errorf("%s is called %s", id, p.Pseudonym)
				}
			}
		}

		f, err := service.Forecast(ctx, ask.Document, 1)
		if err != nil || f.Before != run.Result.Total.Before.Issued || f.After != run.Result.Total.After.Issued || f.Days != 60 {
			t.Errorf("forecast %+v, %v", f, err)
		}
		if f, err := service.Forecast(ctx, ask.Document, 2); f != nil || err != nil {
			t.Errorf("in the place of another version: %+v, %v", f, err)
		}

		// Refused before anything is kept.
		_, err = service.Do(ctx, simulation.Ask{Document: []byte(`{}`), Days: 1}, nil)
		a.refused(economy.CodeInvalid, err)
		_, err = service.Do(ctx, simulation.Ask{Document: ask.Document, Days: simulation.MaxDays + 1}, nil)
		a.refused(fault.InvalidRequest, err)

		// One at a time, also of two processes. Ended by somebody else.
		other := simulation.New(runs, func() time.Time { return a.now }, crand.Reader)
		var second *simulation.Run
		once := true
		again, err := service.Do(ctx, ask, func(int64, int64) {
			if !once {
				return
			}
			once = false
			_, err := other.Start(ctx, ask)
			a.refused(simulation.CodeRunning, err)
			list, err := other.Runs(ctx, "", 10)
			if err != nil || len(list) != 2 || list[0].State != simulation.Running || len(list[0].Document) > 0 {
				t.Errorf("%+v, %v", list[0], err)
			}
			a.must(other.Cancel(ctx, list[0].ID))
			second = list[0]
		})
		if err == nil || again.State != simulation.Cancelled || second == nil {
			t.Errorf("cancelled: %+v, %v", again, err)
		}
		a.refused(simulation.CodeOver, other.Cancel(ctx, again.ID))
		a.refused(fault.NotFound, other.Cancel(ctx, newID(t)))

		// In the background, to the end or to that of the process.
		begun, err := service.Start(ctx, ask)
		a.must(err)
		a.must(service.Stop(context.Background()))
		if got, err := other.Run(ctx, begun.ID); err != nil || got.State != simulation.Done && got.State != simulation.Failed {
			t.Errorf("stopped: %+v, %v", got, err)
		}

		// Another version is live since: what it would have issued is what a draft that says
		// the same would have.
		richer := randomDocument(t, rand.New(rand.NewPCG(5, 6)))
		_, err = a.economy.Publish(ctx, richer, 1, time.Time{}, "eva", "richer")
		a.must(err)
		likeLive, err := other.Do(ctx, simulation.Ask{Document: richer, Days: 60}, func(int64, int64) {})
		a.must(err)
		if r := likeLive.Result; likeLive.Live != 2 || r.Live != r.Total.After || r.Live == r.Total.Before || r.IssuanceChange() != 0 {
			t.Errorf("live since: %+v", r)
		}

		// A process that has died says nothing any more.
		dead := &simulation.Run{ID: newID(t), Document: ask.Document, State: simulation.Running, StartedAt: a.now, BeatAt: a.now}
		a.must(runs.AddRun(ctx, dead))
		_, err = other.Start(ctx, ask)
		a.refused(simulation.CodeRunning, err)
		a.now = a.now.Add(2 * time.Minute)
		if got, err := other.Run(ctx, dead.ID); err != nil || got.State != simulation.Lost || got.EndedAt.IsZero() {
			t.Errorf("lost: %+v, %v", got, err)
		}
		_, err = runs.Beat(ctx, dead.ID, 1, 1, a.now)
		a.refused(simulation.CodeOver, err)
		if _, err := other.Do(ctx, ask, func(int64, int64) {}); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}
