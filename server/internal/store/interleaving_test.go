package store_test

import (
	"context"
	cryptorand "crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// modelSeed is where the random tests of the ledger begin. CUATROLA_MODEL_SEED sets
// another, CUATROLA_MODEL_ONLY runs one interleaving of it.
func modelSeed(t *testing.T) (seed uint64, only int) {
	t.Helper()
	number := func(name string, otherwise int) int {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(name, err)
		}
		return n
	}
	seed, only = uint64(number("CUATROLA_MODEL_SEED", 20261130)), number("CUATROLA_MODEL_ONLY", -1)
	t.Logf("seed %d", seed)
	return seed, only
}

// bank is a database with everything that moves coins in it, and a clock.
type bank struct {
	*purses
	s *store.Store
	// sight reads what four players have.
	sight *sql.Stmt
	// souls are players nobody has played with.
	souls []account.Player
	// number of the newest version of the economy.
	number int
}

func newBank(t *testing.T, kind string, souls int) *bank {
	t.Helper()
	o := storetest.Options(t, kind)
	o.MaxConns = 16
	s := storetest.Open(t, o)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.WithoutSync(); err != nil {
		t.Fatal(err)
	}
	s.BreakOnDemand()
	b := &bank{purses: newPurses(t, s), s: s, number: 1}
	b.Service = reward.New(witness{s}, s, b.economy, b.moment, cryptorand.Reader)
	s.SettleWith(b.Settle)
	s.VoidWith(b.Refund)
	db := rawDatabase(t, kind, o)
	b.addSouls(db, souls)
	var err error
	if b.sight, err = db.PrepareContext(t.Context(), sightQuery); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.sight.Close() })
	return b
}

// witness tells, beside the answer, what standing came of it.
type witness struct{ reward.Store }

type witnessKey struct{}

func (w witness) Change(ctx context.Context, playerID string, decide func(*reward.Standing) (*wallet.Transfer, error)) (reward.Standing, error) {
	st, err := w.Store.Change(ctx, playerID, decide)
	if told, ok := ctx.Value(witnessKey{}).(**reward.Standing); ok && err == nil {
		*told = &st
	}
	return st, err
}

func (b *bank) moment() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// One question instead of twelve, since it is asked after each step.
const sightQuery = `
SELECT p.id, COALESCE(a.balance, 0), COALESCE(d.balance, 0), COALESCE(s.experience, 0), COALESCE(s.welcomed, false),
	COALESCE(s.daily_day, ''), COALESCE(s.daily_streak, 0), COALESCE(s.vip_until, 0), COALESCE(s.booster_until, 0),
	COALESCE(s.booster_matches, 0), COALESCE(s.boosters_held, 0), COALESCE(s.friends_day, ''), COALESCE(s.friends_coins, 0),
	COALESCE((SELECT SUM(played) FROM player_stats t WHERE t.player_id = p.id), 0),
	COALESCE((SELECT SUM(won) FROM player_stats t WHERE t.player_id = p.id), 0)
FROM players p LEFT JOIN standings s ON s.player_id = p.id
LEFT JOIN accounts a ON a.id = 'player:' || p.id LEFT JOIN accounts d ON d.id = 'debt:' || p.id
WHERE p.id IN ($1, $2, $3, $4)`

// addSouls signs up many at once.
func (b *bank) addSouls(db *sql.DB, n int) {
	b.t.Helper()
	tx, err := db.BeginTx(b.t.Context(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range n {
		p := account.Player{ID: newID(b.t), Name: fmt.Sprint("soul ", i)}
		b.souls = append(b.souls, p)
		_, err := tx.ExecContext(b.t.Context(), `INSERT INTO players (id, name, guest, created_at) VALUES ($1, $2, true, 0)`, p.ID, p.Name)
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.t.Fatal(err)
	}
}

// version is one of the economy's.
type version struct {
	number int
	from   time.Time
	rates  *rates
}

// round is one interleaving: four people of their own, and what they do.
type round struct {
	*bank
	r       *rand.Rand
	who     [persons]account.Player
	prefix  string // of its tables' names and keys
	theme   theme
	w       world
	history []op
	// versions of the economy that this round has published, and those among them
	// that are live or will be.
	versions []version
	games    []*game
	tables   []string
	keys     int
	failures int
	staked   int // matches
}

// rounds do not touch each other's time: each has sixty days of its own, near a
// change to or from daylight saving time every third time.
func (b *bank) newRound(seed uint64, n int) *round {
	b.t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	d := &round{bank: b, r: r, prefix: fmt.Sprint("r", n, "-"), w: newWorld(), theme: themes[r.IntN(len(themes))]}
	copy(d.who[:], b.souls)
	b.souls = b.souls[persons:]
	start := t0.AddDate(0, 0, 60*n+2).Add(time.Duration(r.Int64N(int64(20 * 24 * time.Hour))))
	if r.IntN(3) == 0 {
		start = changeOfOffset(start).Add(-time.Duration(r.Int64N(int64(30 * time.Hour))))
	}
	b.mu.Lock()
	b.now = start.Truncate(time.Millisecond)
	b.mu.Unlock()
	d.publish(0)
	for who := range persons {
		if d.theme.staked {
			o := op{what: opGrant, who: who, key: d.newKey(), coins: 60 + d.r.Int64N(100), rates: d.live().rates, at: d.moment()}
			d.history = append(d.history, o)
			d.one(o, nil)
		}
	}
	return d
}

// changeOfOffset is when Madrid's clocks change next, if within twenty days; else the
// time given.
func changeOfOffset(from time.Time) time.Time {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		panic(err)
	}
	_, before := from.In(zone).Zone()
	for h := range 20 * 24 {
		at := from.Truncate(time.Hour).Add(time.Duration(h) * time.Hour)
		if _, offset := at.In(zone).Zone(); offset != before {
			return at
		}
	}
	return from
}

// publish makes random rates live, now or later.
func (d *round) publish(wait time.Duration) {
	d.t.Helper()
	v := version{number: d.number + 1, from: d.moment().Add(wait).Truncate(time.Millisecond), rates: someRates(d.r)}
	if _, err := d.economy.Publish(d.t.Context(), v.rates.document(), d.number, v.from, "eva", "another day"); err != nil {
		d.t.Fatal(err)
	}
	d.number++
	d.versions = append(d.versions, v)
}

// live is the version that took over last.
func (d *round) live() version {
	now := d.moment()
	var live version
	for _, v := range d.versions {
		if !v.from.After(now) && !v.from.Before(live.from) {
			live = v
		}
	}
	return live
}

// jump moves the clock: a little, a lot, or to where something happens.
func (d *round) jump() {
	now := d.moment()
	var to time.Time
	live := d.live().rates
	zone, err := time.LoadLocation(live.zone)
	if err != nil {
		panic(err)
	}
	someone := d.w.people[d.r.IntN(d.theme.persons)]
	switch d.r.IntN(9) {
	case 0:
		to = now.Add(time.Duration(d.r.Int64N(int64(2 * time.Hour))))
	case 1:
		to = now.Add(time.Duration(d.r.Int64N(int64(50 * time.Hour))))
	case 2, 3, 4: // midnight
		y, m, day := now.In(zone).Date()
		to = time.Date(y, m, day+1, 0, 0, 0, 0, zone)
	default: // the end of a booster or a pass
		end := someone.vipUntil
		if end <= now.UnixMilli() || d.r.IntN(2) == 0 && someone.boostUntil > now.UnixMilli() {
			end = someone.boostUntil
		}
		to = time.UnixMilli(end)
	}
	to = to.Add(time.Duration(d.r.IntN(3)-1) * time.Millisecond).UTC().Truncate(time.Millisecond)
	if to.After(now) && to.Before(now.AddDate(0, 0, 4)) {
		d.advance(to.Sub(now))
	}
}

func (d *round) newKey() string {
	d.keys++
	return fmt.Sprint(d.prefix, d.keys)
}

// begin makes a match: people and bots, in any mode.
func (d *round) begin() {
	d.t.Helper()
	live := d.live()
	g := &game{mode: []economy.Mode{economy.Online, economy.Online, economy.Friends, economy.Staked, economy.Machine}[d.r.IntN(5)], rates: live.rates}
	seated, order := d.r.IntN(persons)+1, d.r.Perm(persons)
	switch {
	case d.theme.staked && d.r.IntN(3) > 0:
		g.mode, seated = economy.Staked, persons
	case g.mode == economy.Machine:
		seated = 1
	}
	m := newMatch(d.t)
	m.Mode, m.Economy = g.mode, live.number
	for seat := range g.seats {
		g.seats[seat] = -1
		if order[seat] < seated {
			g.seats[seat] = order[seat]
			m.Seats[seat] = match.Seat{PlayerID: d.who[order[seat]].ID}
		}
	}
	g.winner = d.r.IntN(2)
	for seat := range g.missed {
		g.missed[seat] = d.r.IntN(6)
	}
	g.id = m.ID
	if stake := d.r.Int64N(40) + 1; g.mode == economy.Staked && seated == persons && d.canStake(stake) {
		g.stake, g.table = stake, d.prefix+"m"+m.ID
		for who := range persons {
			o := op{what: opStake, who: who, key: d.newKey(), coins: stake, table: g.table, rates: live.rates, at: d.moment()}
			d.history = append(d.history, o)
			d.one(o, nil)
		}
		m.Stake, m.TableID = g.stake, g.table
		d.staked++
	}
	if _, err := d.s.CreateMatch(d.t.Context(), m, nil); err != nil {
		d.t.Fatal(err)
	}
	d.games = append(d.games, g)
}

// theme is what a round is about. Who does a little of everything seldom meets what
// takes three things in a row.
type theme struct {
	what []string
	// persons is how many do things, and jumps in how many of eight cases the clock
	// jumps before one.
	persons, jumps int
	// staked: four people with coins, who play for an entry each.
	staked bool
}

var themes = []theme{
	{[]string{
		opGrant, opPurse, opDaily, opBooster, opVIP, opStart, opStake, opPot, opRefund, opClawback, opPayDebt, opFinish, opFinish, opVoid,
	}, persons, 2, false},
	{[]string{opFinish, opFinish, opFinish, opVoid, opVoid, opClawback, opVIP}, persons, 1, true},
	{[]string{opGrant, opStake, opStake, opStake, opPot, opRefund, opClawback, opPayDebt}, 3, 0, false},
	{[]string{opGrant, opGrant, opBooster, opVIP, opVIP, opStart, opFinish, opFinish, opFinish}, 2, 4, false},
	{[]string{opGrant, opDaily, opDaily, opDaily, opDaily, opVIP}, 1, 5, false},
}

// canStake says whether everybody has that many coins.
func (d *round) canStake(coins int64) bool {
	for _, it := range d.w.people {
		if it.coins < coins {
			return false
		}
	}
	return true
}

// next is something that somebody does, new or once more.
func (d *round) next() op {
	if len(d.history) > 0 && d.r.IntN(5) == 0 {
		return d.again(d.history[d.r.IntN(len(d.history))])
	}
	live := d.live().rates
	o := op{who: d.r.IntN(d.theme.persons), key: d.newKey(), coins: d.r.Int64N(150) + 1, rates: live, at: d.moment()}
	me := d.w.people[o.who]
	o.what = d.theme.what[d.r.IntN(len(d.theme.what))]
	switch o.what {
	case opBooster:
		o.begin = d.r.IntN(3) == 0
	case opStake:
		o.table = d.table()
	case opPot, opRefund:
		o.table = d.table()
		d.split(&o)
	case opClawback: // more than there is becomes a debt
		if o.coins > me.coins {
			o.owed = o.coins - me.coins
			o.coins = me.coins
		}
	case opPayDebt:
		if d.r.IntN(2) == 0 {
			o.coins = min(max(me.debt, 1), max(me.coins, 1))
		}
	case opFinish, opVoid:
		if len(d.games) == 0 || d.r.IntN(3) > 0 {
			d.begin()
		}
		o.game = d.games[d.r.IntN(len(d.games))]
	}
	return o
}

// again is an earlier operation, now and then with something else under its key.
func (d *round) again(o op) op {
	o.rates, o.at = d.live().rates, d.moment()
	if d.r.IntN(3) > 0 {
		return o
	}
	switch o.what {
	case opGrant, opStake, opClawback, opPayDebt:
		o.coins++
	case opBooster:
		if o.begin = !o.begin; d.r.IntN(2) == 0 {
			o.what, o.begin = opVIP, false
		}
	case opVIP:
		o.what = opBooster
	case opPot, opRefund:
		o.shares[0], o.shares[1] = o.shares[0]+1, max(o.shares[1]-1, 0)
	}
	return o
}

func (d *round) table() string {
	if len(d.tables) == 0 || d.r.IntN(4) == 0 {
		d.tables = append(d.tables, fmt.Sprint(d.prefix, "t", len(d.tables)))
	}
	return d.tables[len(d.tables)-1-d.r.IntN(min(2, len(d.tables)))]
}

// split gives what is in the escrow to two people, and now and then miscounts.
func (d *round) split(o *op) {
	pot := d.w.escrows[o.table]
	if d.r.IntN(8) == 0 {
		pot += d.r.Int64N(3) - 1
	}
	pot = max(pot, 1)
	a, b := d.r.IntN(persons), d.r.IntN(persons)
	o.shares[a] += pot - pot/2
	o.shares[b] += pot / 2
}

// answer is how an operation was answered.
type answer struct {
	code fault.Code
	// broken says that the connection broke, kept that the change had been committed
	// then.
	broken, kept bool
	// balance behind it, where the answer says.
	balance  *int64
	standing *reward.Standing
	people   [persons]person // of opLook
}

func (a answer) String() string {
	text := fmt.Sprintf("%q", a.code)
	switch {
	case a.kept:
		text = "kept, answer lost"
	case a.broken:
		text = "broken"
	case a.people != [persons]person{}:
		text = fmt.Sprintf("%+v", a.people)
	}
	if a.balance != nil {
		text += fmt.Sprintf(", %d coins left", *a.balance)
	}
	if a.standing != nil {
		text += fmt.Sprintf(", %+v", *a.standing)
	}
	return text
}

// do does it to the database.
func (d *round) do(o op, f *store.Failure) answer {
	ctx := d.t.Context()
	if f != nil {
		ctx = store.WithFailure(ctx, f)
	}
	player := d.who[o.who].ID
	mine, debt, table := wallet.Player(player), wallet.Debt(player), wallet.Escrow(o.table)
	var a answer
	ctx = context.WithValue(ctx, witnessKey{}, &a.standing)
	post := func(key string, kind wallet.Kind, resolves string, entries ...wallet.Entry) error {
		t, err := wallet.New(newID(d.t), key, kind, o.at, entries...)
		if err != nil {
			d.t.Errorf("%v: %v", o, err)
			return err
		}
		t.Resolves = resolves
		kept, replayed, err := d.s.Post(ctx, t)
		if err == nil && !replayed {
			for _, e := range kept.Entries {
				if e.Account == mine {
					a.balance = &e.Balance
				}
			}
		}
		return err
	}
	var err error
	switch o.what {
	case opLook:
		a.people = d.look()
	case opGrant:
		err = post("grant:"+o.key, wallet.KindGrant, "", wallet.Move(wallet.Grants, mine, o.coins)...)
	case opPurse:
		_, err = d.Purse(ctx, player)
	case opDaily:
		err = d.ClaimDaily(ctx, player)
	case opBooster:
		err = d.BuyBooster(ctx, player, o.key, o.begin)
	case opVIP:
		err = d.BuyVIP(ctx, player, o.key)
	case opStart:
		err = d.StartBooster(ctx, player)
	case opStake:
		err = post("stake:"+o.key, wallet.KindStake, "", wallet.Move(mine, table, o.coins)...)
	case opPot, opRefund:
		entries := []wallet.Entry{{Account: table}}
		for who, share := range o.shares {
			entries[0].Amount -= share
			entries = append(entries, wallet.Entry{Account: wallet.Player(d.who[who].ID), Amount: share})
		}
		kind := wallet.KindPot
		if o.what == opRefund {
			kind = wallet.KindRefund
		}
		err = post(o.what+":"+o.table, kind, string(table), entries...)
	case opClawback:
		err = post("clawback:"+o.key, wallet.KindClawback, "", wallet.Entry{Account: wallet.Sales, Amount: o.coins + o.owed},
			wallet.Entry{Account: mine, Amount: -o.coins}, wallet.Entry{Account: debt, Amount: -o.owed})
	case opPayDebt:
		err = post("pay:"+o.key, wallet.KindSettle, "", wallet.Move(mine, debt, o.coins)...)
	case opFinish:
		last, _ := ended()
		last.At = o.at
		err = d.s.FinishMatch(ctx, o.game.id, last, match.Result{
			Score: [2]uint16{7, 3}, Winner: rules.Pair(o.game.winner), Hands: 5, Missed: o.game.missed,
		})
	}
	if o.what == opVoid {
		err = d.s.VoidMatch(ctx, o.game.id, match.Entry{At: o.at, Kind: match.KindVoid, By: match.ByClock}, "a fault of ours")
	}
	switch {
	case errors.Is(err, store.ErrFailure):
		a.broken, a.kept = true, f.Committed
	case errors.Is(err, match.ErrConflict):
		a.code = codeOver
	case err != nil && fault.CodeOf(err) == fault.Internal:
		a.code = codeFailed
		if o.what != opPot && o.what != opRefund {
			d.t.Errorf("%v: %v", o, err)
		}
	default:
		a.code = fault.CodeOf(err)
	}
	return a
}

// look reads what everybody has.
func (d *round) look() (found [persons]person) {
	d.t.Helper()
	rows, err := d.sight.QueryContext(d.t.Context(), d.who[0].ID, d.who[1].ID, d.who[2].ID, d.who[3].ID)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		var id, daily, friends string
		err := rows.Scan(&id, &p.coins, &p.debt, &p.experience, &p.welcomed, &daily, &p.streak, &p.vipUntil, &p.boostUntil,
			&p.boostMatchs, &p.held, &friends, &p.friendsHad, &p.played, &p.won)
		if err != nil {
			d.t.Fatal(err)
		}
		p.day, p.friendsDay = dayOf(daily), dayOf(friends)
		found[slices.IndexFunc(d.who[:], func(who account.Player) bool { return who.ID == id })] = p
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return found
}

// dayOf counts the days until one that is written down; 0 for none.
func dayOf(text string) int64 {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0
	}
	return day.Unix() / 86400
}

// is says whether a standing is that of the person.
func (p person) is(st *reward.Standing) bool {
	millis := func(t time.Time) int64 { return max(t.UnixMilli(), 0) }
	return p.experience == st.Experience && p.welcomed == st.Welcomed && p.day == dayOf(st.DailyDay) && p.streak == int64(st.DailyStreak) &&
		p.vipUntil == millis(st.VIPUntil) && p.boostUntil == millis(st.BoosterUntil) && p.boostMatchs == int64(st.BoosterMatches) &&
		p.held == int64(st.BoostersHeld) && p.friendsDay == dayOf(st.FriendsDay) && p.friendsHad == st.FriendsCoins
}

// accepts says whether the model can answer like this, and what comes of it.
func accepts(w world, o op, a answer) (bool, world) {
	if a.broken && !a.kept {
		return true, w
	}
	code, after := step(w, o)
	switch {
	case a.broken:
		// What was committed had not been refused.
		return code == "", after
	case code != a.code:
		return false, w
	case o.what == opLook:
		return a.people == w.people, w
	case a.standing != nil && !after.people[o.who].is(a.standing):
		return false, w
	case a.balance != nil:
		// The entry has what was there before a debt was paid.
		_, before := unsettled(w, o)
		return *a.balance == before.people[o.who].coins, after
	}
	return true, after
}

// failure breaks one connection in three, anywhere.
func (d *round) failure() *store.Failure {
	switch d.r.IntN(9) {
	case 0:
		return &store.Failure{Statement: d.r.IntN(4) + 1}
	case 1:
		return &store.Failure{Statement: d.r.IntN(16) + 1}
	case 2:
		return &store.Failure{AtCommit: true, Answer: d.r.IntN(3) > 0}
	default:
		return nil
	}
}

// one does one thing to the database and the model and compares.
func (d *round) one(o op, f *store.Failure) answer {
	d.t.Helper()
	a := d.do(o, f)
	ok, after := accepts(d.w, o, a)
	if !ok {
		code, want := step(d.w, o)
		d.fatal("%v\nwas answered %+v (failure %+v)\nthe model says %q: %+v", o, a, f, code, want.people[o.who])
	}
	d.w = after
	if a.code == "" { // what was plainly refused is looked at in the end
		d.compare(o)
	}
	if a.broken {
		d.failures++
	}
	return a
}

func (d *round) compare(last op) {
	d.t.Helper()
	if found := d.look(); found != d.w.people {
		d.fatal("behind %v\nfound         %+v\nthe model has %+v", last, found, d.w.people)
	}
}

func (d *round) fatal(format string, args ...any) {
	d.t.Helper()
	for i, o := range d.history {
		d.t.Logf("%3d %v", i, o)
	}
	d.t.Fatalf("in %s: "+format, append([]any{d.prefix}, args...)...)
}

// end looks at what only the end shows.
func (d *round) end() {
	d.t.Helper()
	d.compare(d.history[len(d.history)-1])
	addsUp(d.t, d.s)
	for _, table := range d.tables {
		if got := balance(d.t, d.s, wallet.Escrow(table)); got != d.w.escrows[table] {
			d.fatal("table %s has %d coins, the model %d", table, got, d.w.escrows[table])
		}
	}
}

// Thousands of random days of four people: grants, claims, purchases, stakes, matches
// of every kind, debts, changes of the economy and of the clock, sent twice and sent
// altered, while connections break before any statement and on both sides of a
// commit. After each step the database has what the plain model has.
func TestInterleavings(t *testing.T) {
	// Each bank is a new database: the check reads all of it after each round.
	const rounds = 100
	banks := map[string]int{store.SQLite: 20, store.Postgres: 12} // a round trip takes its time
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed, only := modelSeed(t)
			steps, failures, staked := 0, 0, 0
			for i := range banks[kind] {
				if only >= 0 && only/rounds != i {
					continue
				}
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					b := newBank(t, kind, persons*rounds)
					for n := i * rounds; n < (i+1)*rounds; n++ {
						if d := b.newRound(seed, n); only < 0 || only == n {
							steps += d.play()
							d.end()
							failures, staked = failures+d.failures, staked+d.staked
						}
					}
				})
			}
			t.Logf("%d interleavings, %d steps, %d broken connections, %d staked matches", banks[kind]*rounds, steps, failures, staked)
		})
	}
}

// play lets things happen one after the other.
func (d *round) play() (steps int) {
	d.t.Helper()
	for range 5 + d.r.IntN(7) {
		if d.r.IntN(8) < d.theme.jumps {
			d.jump()
		}
		if d.r.IntN(24) == 0 {
			d.publish(time.Duration(d.r.IntN(3)) * 13 * time.Hour)
		}
		o := d.next()
		d.history = append(d.history, o)
		steps++
		if a := d.one(o, d.failure()); a.broken && d.r.IntN(4) > 0 {
			d.one(o, nil) // the caller has not heard, and asks again
			steps++
		}
	}
	return steps
}

// atOnce lets several clients do things at once, and asks whether there is an order in
// which the model answers each of them as they were answered, and has in the end what
// the database has. Some of what one client does, others do too, under the same key.
func (d *round) atOnce(clients, each int, do func() op) {
	d.t.Helper()
	plans := make([][]op, clients)
	failures := make([][]*store.Failure, clients)
	for c := range clients {
		for range each {
			o := do()
			if c > 0 && d.r.IntN(3) == 0 {
				other := plans[d.r.IntN(c)]
				o = d.again(other[d.r.IntN(len(other))])
			}
			plans[c], failures[c] = append(plans[c], o), append(failures[c], d.failure())
		}
	}
	var clock atomic.Int64
	done := make([][]porcupine.Operation, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			once := func(o op, f *store.Failure) answer {
				if f == nil {
					f = &store.Failure{}
				}
				f.Clock = func() int64 { return clock.Add(1) }
				call := clock.Add(1)
				a := d.do(o, f)
				end := clock.Add(1)
				if f.To != 0 {
					// What it did it did in its commit. Sixteen clients have more orders
					// than can be tried, but few in which no commit is out of its place.
					call, end = f.From, f.To
				}
				done[c] = append(done[c], porcupine.Operation{ClientId: c, Input: o, Call: call, Output: a, Return: end})
				return a
			}
			for i, o := range plans[c] {
				if a := once(o, failures[c][i]); a.broken {
					once(o, nil)
				}
			}
		})
	}
	wg.Wait()
	look := op{what: opLook, rates: d.live().rates, at: d.moment()}
	history := append(slices.Concat(done...), porcupine.Operation{
		ClientId: clients, Input: look, Call: clock.Add(1), Output: d.do(look, nil), Return: clock.Add(1),
	})
	model := porcupine.Model{
		Init: func() any { return d.w },
		Step: func(state, input, output any) (bool, any) {
			return accepts(state.(world), input.(op), output.(answer))
		},
		Equal: func(a, b any) bool { return reflect.DeepEqual(a, b) },
		Hash: func(state any) uint64 {
			h := fnv.New64a()
			fmt.Fprint(h, state.(world).people)
			return h.Sum64()
		},
	}
	result, info := porcupine.CheckOperationsVerbose(model, history, time.Minute)
	if result != porcupine.Ok {
		// As far as it can be told, and what cannot come next.
		best := slices.MaxFunc(info.PartialLinearizations()[0], func(a, b []int) int { return len(a) - len(b) })
		w := d.w
		for _, i := range best {
			_, w = accepts(w, history[i].Input.(op), history[i].Output.(answer))
			d.t.Logf("%d–%d %v: %v → %+v", history[i].Call, history[i].Return, history[i].Input, history[i].Output, w.people[0])
		}
		for i, o := range history {
			if !slices.Contains(best, i) {
				code, _ := step(w, o.Input.(op))
				d.t.Logf("left: %d–%d %v: %v; the model says %q", o.Call, o.Return, o.Input, o.Output, code)
			}
		}
		d.fatal("no order of this gives these answers: %v", result)
	}
	addsUp(d.t, d.s)
}

// Several clients of the same four people at once: what comes of it is what would have
// come of it one after the other, in some order.
func TestInterleavingsAtOnce(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed, only := modelSeed(t)
			const rounds = 60
			b := newBank(t, kind, persons*rounds)
			for n := range rounds {
				if d := b.newRound(seed+1, n); only < 0 || only == n {
					d.play()
					d.atOnce(4, 5, d.next)
				}
			}
		})
	}
}

// Sixteen clients of one player, who has a little of everything going on.
func TestHotPlayer(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed, only := modelSeed(t)
			const rounds = 8
			b := newBank(t, kind, persons*rounds)
			for n := range rounds {
				if d := b.newRound(seed+2, n); only < 0 || only == n {
					d.theme = themes[0]
					d.atOnce(16, 6, func() op {
						o := d.next()
						o.who = 0
						return o
					})
				}
			}
		})
	}
}
