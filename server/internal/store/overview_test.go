package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// A seen world is one whose clock can be set.
type seen struct {
	overview.Store
	*overview.Service
	now  time.Time
	zone *time.Location
}

func newSeen(t testing.TB, s *store.Store, zone string) *seen {
	t.Helper()
	w := &seen{Store: s.Overview(), now: t0}
	var err error
	if w.zone, err = time.LoadLocation(zone); err != nil {
		t.Fatal(err)
	}
	w.Service = overview.New(s.Overview(), func(context.Context) (*time.Location, error) { return w.zone, nil }, func() time.Time { return w.now })
	return w
}

// What is said of the coins is what the ledger has, to the coin, whether none, some or
// all of the time is summed up, and when something comes late into what is.
func TestOverviewAgreesWithTheLedger(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, seed := t.Context(), rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 1))
		t.Logf("seed %d", seed)
		w := newSeen(t, s, "Europe/Madrid")
		storetest.Tampered(s)                                  // escrows without tables
		begin := time.Date(2026, 3, 26, 21, 0, 0, 0, time.UTC) // the clocks go forward in between
		var posted []*wallet.Transfer
		n := 0
		post := func(at time.Time) {
			t.Helper()
			n++
			player := wallet.Player(fmt.Sprint("p", r.IntN(5)))
			escrow := wallet.Escrow(fmt.Sprint("t", r.IntN(3)))
			coins := 1 + r.Int64N(1000)
			var tr *wallet.Transfer
			switch r.IntN(6) {
			case 0:
				tr = transfer(t, fmt.Sprint("g", n), wallet.KindGrant, "", wallet.Move(wallet.Grants, player, coins)...)
			case 1:
				tr = transfer(t, fmt.Sprint("r", n), wallet.KindReward, "", wallet.Move(wallet.Rewards, player, coins)...)
			case 2:
				tr = transfer(t, fmt.Sprint("p", n), wallet.KindPurchase, "", wallet.Move(wallet.Sales, player, coins)...)
			case 3:
				tr = transfer(t, fmt.Sprint("b", n), wallet.KindBooster, "", wallet.Move(player, wallet.Spending, coins/10+1)...)
			case 4:
				tr = transfer(t, fmt.Sprint("s", n), wallet.KindStake, "", wallet.Move(player, escrow, coins/10+1)...)
			default:
				tr = transfer(t, fmt.Sprint("c", n), wallet.KindClawback, "", wallet.Move(wallet.Debt(fmt.Sprint("p", r.IntN(5))), wallet.Sales, coins/20+1)...)
			}
			tr.At = at
			if _, _, err := s.Post(ctx, tr); err != nil {
				return // there were not enough coins
			}
			posted = append(posted, tr)
		}
		agree := func(what string, cuts []time.Time) {
			t.Helper()
			type key struct {
				bucket  int
				kind    wallet.Kind
				account overview.Account
			}
			got, want := map[key][2]int64{}, map[key][2]int64{}
			flows, err := w.Flows(ctx, cuts)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range flows {
				got[key{f.Bucket, f.Kind, f.Account}] = [2]int64{f.In, f.Out}
			}
			rows := query(t, s, `SELECT t.at, t.kind, e.account_id, e.amount FROM transfers t JOIN entries e ON e.transfer_id = t.id`)
			for _, row := range rows {
				var at, amount int64
				var kind, account string
				if _, err := fmt.Sscan(row, &at, &kind, &account, &amount); err != nil {
					t.Fatal(err)
				}
				i := -1
				for i+1 < len(cuts) && cuts[i+1].UnixMilli() <= at {
					i++
				}
				if i == len(cuts)-1 {
					continue
				}
				k := key{i, wallet.Kind(kind), overview.AccountOf(wallet.AccountID(account))}
				v := want[k]
				v[0] += max(amount, 0)
				v[1] += max(-amount, 0)
				want[k] = v
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got\n%v, want\n%v", what, got, want)
			}
		}
		var days []time.Time
		for i := range 7 {
			days = append(days, time.Date(2026, 3, 26+i, 0, 0, 0, 0, w.zone).UTC())
		}
		for range 300 {
			post(begin.Add(time.Duration(r.Int64N(int64(100 * time.Hour)))))
		}
		agree("nothing summed up", days)
		for _, hours := range []int{30, 31, 77, 120} {
			w.now = begin.Add(time.Duration(hours)*time.Hour + 25*time.Minute)
			if err := w.Service.Summarize(ctx); err != nil {
				t.Fatal(err)
			}
			if done, err := w.Summarized(ctx); err != nil || !done.Equal(begin.Add(time.Duration(hours)*time.Hour)) {
				t.Fatalf("after %d hours it is done until %v, %v", hours, done, err)
			}
			agree(fmt.Sprint(hours, " hours summed up"), days)
		}
		// What comes late is found with the next hour.
		post(begin.Add(100 * time.Hour))
		post(begin.Add(110 * time.Hour))
		w.now = w.now.Add(time.Hour)
		if err := w.Service.Summarize(ctx); err != nil {
			t.Fatal(err)
		}
		agree("late ones", days)
		agree("other days", []time.Time{begin.Add(3 * time.Hour), begin.Add(40 * time.Hour), begin.Add(41 * time.Hour)})

		// The coins are those of the accounts, and what was issued and has not gone.
		numbers, err := w.Numbers(ctx)
		if err != nil {
			t.Fatal(err)
		}
		balances := map[overview.Account]int64{}
		for _, a := range overview.Accounts {
			balances[a] = 0
		}
		seenAccounts := map[wallet.AccountID]bool{}
		for _, tr := range posted {
			for _, e := range tr.Entries {
				if !seenAccounts[e.Account] {
					seenAccounts[e.Account] = true
					balances[overview.AccountOf(e.Account)] += balance(t, s, e.Account)
				}
			}
		}
		// Debts that were settled out of what came in.
		for i := range 5 {
			if debt := wallet.Debt(fmt.Sprint("p", i)); !seenAccounts[debt] {
				balances[overview.Debt] += balance(t, s, debt)
			}
		}
		if !reflect.DeepEqual(numbers.Coins, balances) {
			t.Errorf("coins are %v, want %v", numbers.Coins, balances)
		}
		series, err := w.Series(ctx, overview.Days, 10)
		if err != nil {
			t.Fatal(err)
		}
		world, issued := int64(0), int64(0)
		for _, a := range overview.Accounts {
			if last := series.Coins[a][9]; last != balances[a] {
				t.Errorf("the series ends with %d in %s, want %d", last, a, balances[a])
			} else if !a.House() {
				world += last
			}
		}
		for _, byDay := range series.Issued {
			for _, n := range byDay {
				issued += n
			}
		}
		for _, byDay := range series.Sunk {
			for _, n := range byDay {
				issued -= n
			}
		}
		if world != issued {
			t.Errorf("%d coins are in the world, %d were issued", world, issued)
		}
	})
}

// Matches, newcomers and what the processes count are the same, summed up or not.
func TestOverviewCounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, p := t.Context(), newPurses(t, s)
		s.SettleWith(p.Settle)
		s.VoidWith(p.Refund)
		w := newSeen(t, s, "UTC")
		w.now = t0.Add(30 * time.Minute)
		ana := addPlayer(t, s, "Ana")
		for i, mode := range []economy.Mode{economy.Online, economy.Online, economy.Machine, economy.Online} {
			m := newMatch(t, ana)
			m.Mode, m.Economy, m.CreatedAt = mode, 1, t0.Add(time.Duration(i)*time.Minute)
			if _, err := s.CreateMatch(ctx, m, nil); err != nil {
				t.Fatal(err)
			}
			last, result := ended()
			last.At = t0.Add(10 * time.Minute)
			var err error
			switch i {
			case 0:
				last.Kind = match.KindVoid
				err = s.VoidMatch(ctx, m.ID, last, "why")
			case 1, 2:
				err = s.FinishMatch(ctx, m.ID, last, result)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		sockets := int64(7)
		one := overview.NewPulse(w.Store, "one", func() time.Time { return w.now }, map[overview.What]func() int64{
			overview.Sockets: func() int64 { return sockets },
		})
		two := overview.NewPulse(w.Store, "two", func() time.Time { return w.now }, map[overview.What]func() int64{
			overview.Sockets: func() int64 { return 5 },
		})
		flush := func() {
			t.Helper()
			for _, pulse := range []*overview.Pulse{one, two} {
				if err := pulse.Flush(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 20 {
			one.Add(overview.Waits, overview.WaitLabel("online", time.Duration(i+1)*time.Second), 1)
			one.Request("GET", "/v1/me", 200)
		}
		flush()
		one.Request("GET", "/v1/me", 503) // the same minute, written again
		two.Request("POST", "/v1/matches", 500)
		two.Add(overview.JobFailures, "league_close", 1)
		one.Add(overview.ClientFaults, "crash", 1)
		two.Add(overview.ClientFaults, "disagreement", 2)
		sockets = 8
		flush()
		flush()

		check := func(what string) {
			t.Helper()
			n, err := w.Numbers(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if n.Players != 1 || n.New != [3]int64{1, 1, 1} || n.Requests != 22 || n.Failed != 2 || n.JobsFailed != 1 {
				t.Errorf("%s: %+v", what, n)
			}
			online := n.Modes[0]
			if online.Open != 1 || online.Begun != 3 || online.Ended != 1 || online.Voided != 1 || online.Seated != 20 {
				t.Errorf("%s: %+v", what, online)
			}
			// Of 20 waits of 1 to 20 seconds, by bounds: ten were of 10 seconds at most.
			if online.Median != 10*time.Second || online.P95 != 19*time.Second {
				t.Errorf("%s: half waited %v, 95 of 100 %v", what, online.Median, online.P95)
			}
			faults, err := w.Faults(ctx)
			if err != nil || len(faults.Failures) != 2 || faults.Failures[0].N != 1 || len(faults.Clients) != 2 || faults.Clients[0].Label != "disagreement" || faults.Clients[0].N != 2 {
				t.Errorf("%s: %+v, %v", what, faults, err)
			}
		}
		check("not summed up")
		if n, err := w.Numbers(ctx); err != nil || n.Connected != 13 {
			t.Errorf("%d are connected, %v", n.Connected, err)
		}
		w.now = w.now.Add(2 * time.Hour)
		for range 2 {
			if err := w.Service.Summarize(ctx); err != nil {
				t.Fatal(err)
			}
			check("summed up")
		}
		if n, err := w.Numbers(ctx); err != nil || n.Connected != 0 {
			t.Errorf("%d are connected long after, %v", n.Connected, err)
		}
		// Minutes go, sums stay, also when the hour is summed up again.
		if err := w.PrunePulses(ctx, w.now); err != nil {
			t.Fatal(err)
		}
		if err := w.Store.Summarize(ctx, t0.Truncate(time.Hour), w.now.Truncate(time.Hour)); err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Minute)
		check("pruned")
		series, err := w.Series(ctx, overview.Hours, 24)
		if err != nil {
			t.Fatal(err)
		}
		if begun := series.Counts[overview.Key{What: overview.MatchBegun, Label: "online"}]; len(begun) != 24 || begun[21] != 3 {
			t.Errorf("begun by hour: %v", begun)
		}
		if _, err := w.Series(ctx, overview.Hours, overview.MaxHours+1); err == nil {
			t.Error("too many hours were added up")
		}
	})
}

func TestOverviewPayments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, w := t.Context(), newSeen(t, s, "UTC")
		w.now = t0
		ana := addPlayer(t, s, "Ana")
		day := func(n int) time.Time { return t0.AddDate(0, 0, n) }
		order := func(provider shop.ProviderName, amount int64, currency string, paid time.Time, reversals map[string]shop.Reversal) {
			t.Helper()
			o := &shop.Order{
				ID: newID(t), PlayerID: ana.ID, SKU: "x", Economy: 1, Price: shop.Money{Amount: amount, Currency: currency}, Provider: provider,
				Live: true, Status: shop.Granted, CreatedAt: t0, ExpiresAt: t0, PaidAt: paid, Reversals: reversals,
			}
			err := s.Trade(ctx, func(tx shop.Tx) error {
				_, err := tx.Add(o)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		order(shop.Stripe, 499, "EUR", day(-1), nil)
		order(shop.Stripe, 999, "EUR", day(-1), map[string]shop.Reversal{"refunds:ch": {Amount: 300, AsOf: day(0)}, "dispute:dp": {Amount: 5, AsOf: day(-1)}})
		order(shop.Stripe, 199, "USD", day(0), nil)
		order(shop.Google, 499, "EUR", day(-40), map[string]shop.Reversal{"voided": {Amount: shop.All, AsOf: day(0)}})
		order(shop.Apple, 499, "EUR", time.Time{}, nil)
		days, got, err := w.Service.Payments(ctx, 3)
		want := []overview.Payment{
			{Bucket: 2, Provider: shop.Google, Currency: "EUR", Live: true, Refunded: 1, RefundedAmount: 499},
			{Bucket: 2, Provider: shop.Stripe, Currency: "EUR", Live: true, Refunded: 1, RefundedAmount: 300},
			{Bucket: 2, Provider: shop.Stripe, Currency: "USD", Live: true, Paid: 1, PaidAmount: 199},
			{Bucket: 1, Provider: shop.Stripe, Currency: "EUR", Live: true, Paid: 2, PaidAmount: 1498, Disputed: 1, DisputedAmount: 5},
		}
		if err != nil || len(days) != 3 || !slices.Equal(got, want) {
			t.Errorf("got\n%+v, want\n%+v, %v", got, want, err)
		}
	})
}

func TestOverviewJobs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, w := t.Context(), newSeen(t, s, "UTC")
		state := func(want overview.JobState) overview.Job {
			t.Helper()
			j, err := w.Job(ctx, overview.JobLedger)
			if err != nil || j.State(w.now) != want {
				t.Fatalf("it is %s (%+v), want %s, %v", j.State(w.now), j, want, err)
			}
			return j
		}
		state(overview.JobNever)
		w.Service.JobBegan(ctx, overview.JobLedger, w.now)
		found, err := w.CheckLedger(ctx, s, 10)
		if j := state(overview.JobRunning); err != nil || len(found) != 0 || j.Total != len(wallet.Differences) || j.Done != j.Total {
			t.Errorf("%+v, %v, %v", j, found, err)
		}
		w.now = w.now.Add(time.Second)
		w.Service.JobEnded(ctx, overview.JobLedger, w.now, nil)
		check, err := overview.CheckOf(state(overview.JobDone))
		if err != nil || check == nil || check.Differences != 0 {
			t.Errorf("%+v, %v", check, err)
		}
		for n := 1; n <= 2; n++ {
			w.now = w.now.Add(time.Minute)
			w.Service.JobBegan(ctx, overview.JobLedger, w.now)
			w.Service.JobEnded(ctx, overview.JobLedger, w.now, fmt.Errorf("the power went"))
			if j := state(overview.JobFailed); j.Failures != n || j.Failure != "the power went" || j.DoneAt.IsZero() {
				t.Errorf("%+v", j)
			}
		}
		w.Service.JobBegan(ctx, overview.JobLedger, w.now.Add(time.Millisecond))
		w.now = w.now.Add(2 * time.Hour)
		state(overview.JobLost)
	})
}
