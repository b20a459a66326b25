package overview

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Service is the domain's door. Make one with New.
type Service struct {
	store Store
	zone  func(context.Context) (*time.Location, error)
	now   func() time.Time

	mu      sync.Mutex
	numbers *Numbers // that were added up last
}

// New returns a service. zone is that in which the operator's days begin.
func New(store Store, zone func(context.Context) (*time.Location, error), now func() time.Time) *Service {
	return &Service{store: store, zone: zone, now: now}
}

const (
	// settle is how long after its end an hour is left alone: what happened in its last
	// moment may still be on its way into the database.
	settle = 10 * time.Minute
	// again is how far back hours are summed up once more: for what took longer.
	again = 24 * time.Hour
	// atOnce is how much is summed up in one transaction.
	atOnce = 24 * time.Hour
	// keepPulses is how long single minutes are kept.
	keepPulses = 48 * time.Hour
)

// Summarize sums up the hours that are over. Anything may call it, as often as it
// likes; what is interrupted goes on with the next call.
func (s *Service) Summarize(ctx context.Context) error {
	now := s.now().UTC()
	end := now.Add(-settle).Truncate(time.Hour)
	done, err := s.store.Summarized(ctx)
	if err != nil {
		return err
	}
	if !end.After(done) {
		return nil
	}
	from := done.Add(-again)
	if done.IsZero() {
		oldest, err := s.store.Oldest(ctx)
		if err != nil || oldest.IsZero() {
			return err
		}
		from = oldest.UTC().Truncate(time.Hour)
	}
	for from.Before(end) {
		to := from.Add(atOnce)
		if to.After(end) {
			to = end
		}
		if err := s.store.Summarize(ctx, from, to); err != nil {
			return err
		}
		from = to
	}
	return s.store.PrunePulses(ctx, now.Add(-keepPulses))
}

// Mode is what is known of the matches of one.
type Mode struct {
	Mode economy.Mode
	// Open now; begun, ended and given up today.
	Open, Begun, Ended, Voided int64
	// Waiting players, and those who got a match in the last 24 hours: how many, and how
	// long half and 95 of 100 of them waited at most.
	Waiting     int
	Seated      int64
	Median, P95 time.Duration
}

// Numbers are the state of things.
type Numbers struct {
	At time.Time
	// Today is when the day began, Zone where.
	Today time.Time
	Zone  string
	// Players that are not deleted. New and Active are those of today, of the last 7 and
	// of the last 30 days, today included. Whoever is active has used a session that is
	// still known.
	Players     int64
	New, Active [3]int64
	// Connected are the sockets that are open.
	Connected int64
	Modes     []Mode
	// Coins in each kind of account; together they are 0. Issued and Sunk are today's.
	Coins        map[Account]int64
	Issued, Sunk int64
	Week         Week
	// Of the last 24 hours: requests, those that failed, also in the last hour, refused
	// events of providers, and failed runs of jobs.
	Requests, Failed, FailedLately, Refused, JobsFailed int64
}

// Modes in the order in which they are shown.
var Modes = []economy.Mode{economy.Online, economy.Staked, economy.Friends, economy.Machine}

// fresh is how long the same numbers are good for. Some of them take a look at every
// player.
const fresh = 5 * time.Second

// Numbers adds up the state of things, as it was a few seconds ago at most.
func (s *Service) Numbers(ctx context.Context) (*Numbers, error) {
	// Whoever comes while they are being added up waits for them.
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.numbers; n != nil {
		if age := s.now().Sub(n.At); age >= 0 && age < fresh {
			return n, nil
		}
	}
	n, err := s.add(ctx)
	if err == nil {
		s.numbers = n
	}
	return n, err
}

func (s *Service) add(ctx context.Context) (*Numbers, error) {
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	n := &Numbers{At: s.now().UTC(), Zone: zone.String()}
	n.Today = day(n.At, zone, 0)
	weeks := []time.Time{n.Today, day(n.At, zone, -6), day(n.At, zone, -29)}
	if n.Players, err = s.store.Players(ctx); err != nil {
		return nil, err
	}
	active, err := s.store.Active(ctx, weeks)
	if err != nil {
		return nil, err
	}
	copy(n.Active[:], active)
	if n.Connected, err = s.store.SocketsSince(ctx, n.At.Add(-2*time.Minute).Truncate(time.Minute)); err != nil {
		return nil, err
	}
	joined, err := s.store.Counts(ctx, cutsOf(weeks[2], weeks[1], weeks[0], n.At), PlayerJoined)
	if err != nil {
		return nil, err
	}
	for _, c := range joined {
		for i := range n.New { // the newest of three buckets counts for all
			if c.Bucket >= 2-i {
				n.New[i] += c.N
			}
		}
	}
	if err := s.addMatches(ctx, n); err != nil {
		return nil, err
	}
	if err := s.addCoins(ctx, n); err != nil {
		return nil, err
	}
	if n.Week, err = s.store.Week(ctx); err != nil {
		return nil, err
	}
	return n, s.addFaults(ctx, n)
}

func (s *Service) addMatches(ctx context.Context, n *Numbers) error {
	open, err := s.store.OpenMatches(ctx)
	if err != nil {
		return err
	}
	waiting, err := s.store.Waiting(ctx)
	if err != nil {
		return err
	}
	today, err := s.store.Counts(ctx, cutsOf(n.Today, n.At), MatchBegun, MatchEnded, MatchVoided)
	if err != nil {
		return err
	}
	waited, err := s.store.Counts(ctx, cutsOf(n.At.Add(-24*time.Hour), n.At), Waits)
	if err != nil {
		return err
	}
	lengths := byMode(waited)
	for _, mode := range Modes {
		w := lengths[string(mode)]
		m := Mode{
			Mode: mode, Open: open[mode], Waiting: waiting[mode],
			Seated: w.count(), Median: w.quantile(.5), P95: w.quantile(.95),
		}
		for _, c := range today {
			if c.Label != string(mode) {
				continue
			}
			switch c.What {
			case MatchBegun:
				m.Begun += c.N
			case MatchEnded:
				m.Ended += c.N
			case MatchVoided:
				m.Voided += c.N
			}
		}
		n.Modes = append(n.Modes, m)
	}
	return nil
}

func (s *Service) addCoins(ctx context.Context, n *Numbers) error {
	flows, err := s.store.Flows(ctx, cutsOf(n.Today, n.At))
	if err != nil {
		return err
	}
	n.Coins = make(map[Account]int64)
	for _, a := range Accounts {
		n.Coins[a] = 0
	}
	for _, f := range flows {
		n.Coins[f.Account] += f.In - f.Out
		if f.Bucket == 0 && f.Account.House() {
			n.Issued += f.Out
			n.Sunk += f.In
		}
	}
	return nil
}

func (s *Service) addFaults(ctx context.Context, n *Numbers) (err error) {
	hour, yesterday := n.At.Add(-time.Hour), n.At.Add(-24*time.Hour)
	counts, err := s.store.Counts(ctx, cutsOf(yesterday, hour, n.At), Requests, JobFailures)
	if err != nil {
		return err
	}
	for _, c := range counts {
		switch {
		case c.What == JobFailures:
			n.JobsFailed += c.N
		case c.Label == "5xx":
			n.Failed += c.N
			if c.Bucket == 1 {
				n.FailedLately += c.N
			}
			fallthrough
		default:
			n.Requests += c.N
		}
	}
	n.Refused, err = s.store.CountRefusals(ctx, yesterday)
	return err
}

// day is when a day begins, so many days from that of at.
func day(at time.Time, zone *time.Location, days int) time.Time {
	at = at.In(zone)
	return time.Date(at.Year(), at.Month(), at.Day()+days, 0, 0, 0, 0, zone).UTC()
}

// cutsOf makes whole hours of times in their order. The last stands for now: the hour
// that it is in counts.
func cutsOf(times ...time.Time) []time.Time {
	cuts := make([]time.Time, len(times))
	for i, t := range times {
		cuts[i] = t.UTC().Truncate(time.Hour)
	}
	cuts[len(cuts)-1] = cuts[len(cuts)-1].Add(time.Hour)
	return cuts
}

// Unit of a series.
type Unit string

// The units.
const (
	Hours Unit = "hour"
	Days  Unit = "day"
)

// Bounds of what a series may have.
const (
	MaxDays  = 400
	MaxHours = 14 * 24
)

// Series is what happened over time, in steps of a unit of which the last is not
// over.
type Series struct {
	Unit Unit
	Zone string
	// Times are when the steps begin.
	Times []time.Time
	// Counts by step, for each label of each thing that was counted at all.
	Counts map[Key][]int64
	// Coins in each kind of account at the end of each step.
	Coins map[Account][]int64
	// Issued is what transfers of a kind have brought into the world, Sunk what they
	// have taken out of it.
	Issued, Sunk map[wallet.Kind][]int64
}

// steps are the cuts of the last n units.
func (s *Service) steps(ctx context.Context, unit Unit, n int) (cuts []time.Time, zone *time.Location, err error) {
	if zone, err = s.zone(ctx); err != nil {
		return nil, nil, err
	}
	now, most := s.now().UTC(), MaxDays
	if unit == Hours {
		most = MaxHours
	}
	if unit != Hours && unit != Days || n < 1 || n > most {
		return nil, nil, &fault.Error{Code: fault.InvalidRequest, Field: "count", Message: "There are 1 to 336 hours, or 1 to 400 days."}
	}
	var times []time.Time
	for i := 1 - n; i <= 0; i++ {
		if unit == Hours {
			times = append(times, now.Add(time.Duration(i)*time.Hour))
		} else {
			times = append(times, day(now, zone, i))
		}
	}
	return cutsOf(append(times, now)...), zone, nil
}

// Series adds up the last n units. Codes: InvalidRequest (too many).
func (s *Service) Series(ctx context.Context, unit Unit, n int) (*Series, error) {
	cuts, zone, err := s.steps(ctx, unit, n)
	if err != nil {
		return nil, err
	}
	counts, err := s.store.Counts(ctx, cuts, MatchBegun, MatchEnded, MatchVoided, PlayerJoined, Requests, JobFailures)
	if err != nil {
		return nil, err
	}
	flows, err := s.store.Flows(ctx, cuts)
	if err != nil {
		return nil, err
	}
	r := &Series{
		Unit: unit, Zone: zone.String(), Times: cuts[:n], Counts: make(map[Key][]int64), Coins: make(map[Account][]int64),
		Issued: make(map[wallet.Kind][]int64), Sunk: make(map[wallet.Kind][]int64),
	}
	for _, c := range counts {
		put(r.Counts, Key{c.What, c.Label}, n)[c.Bucket] += c.N
	}
	for _, a := range Accounts {
		put(r.Coins, a, n)
	}
	for _, f := range flows {
		// What changed in a step is there at the end of it and of all that follow.
		coins := put(r.Coins, f.Account, n)
		for i := max(f.Bucket, 0); i < n; i++ {
			coins[i] += f.In - f.Out
		}
		if f.Bucket < 0 || !f.Account.House() {
			continue
		}
		if f.Out > 0 {
			put(r.Issued, f.Kind, n)[f.Bucket] += f.Out
		}
		if f.In > 0 {
			put(r.Sunk, f.Kind, n)[f.Bucket] += f.In
		}
	}
	return r, nil
}

func put[K comparable](m map[K][]int64, key K, n int) []int64 {
	if m[key] == nil {
		m[key] = make([]int64, n)
	}
	return m[key]
}

// Payments adds up the orders of the last n days, and says when each day began. The
// newest day comes first. Codes: InvalidRequest (too many).
func (s *Service) Payments(ctx context.Context, n int) ([]time.Time, []Payment, error) {
	cuts, _, err := s.steps(ctx, Days, n)
	if err != nil {
		return nil, nil, err
	}
	payments, err := s.store.Payments(ctx, cuts)
	slices.SortStableFunc(payments, func(a, b Payment) int { return b.Bucket - a.Bucket })
	return cuts[:n], payments, err
}

// Faults are what has gone wrong.
type Faults struct {
	// Failures of the last 24 hours, by route, most first.
	Failures []Count
	// Clients are what clients have reported in that time, by kind, most first.
	Clients []Count
	// Refusals are the newest.
	Refusals []Refusal
	Jobs     []Job
}

// Faults lists what has gone wrong.
func (s *Service) Faults(ctx context.Context) (*Faults, error) {
	now := s.now().UTC()
	var f Faults
	counts, err := s.store.Counts(ctx, cutsOf(now.Add(-24*time.Hour), now), Failures, ClientFaults)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(counts, func(a, b Count) int { return cmp.Compare(b.N, a.N) })
	for _, c := range counts {
		if c.What == ClientFaults {
			f.Clients = append(f.Clients, c)
		} else {
			f.Failures = append(f.Failures, c)
		}
	}
	if f.Refusals, err = s.store.Refusals(ctx, 20); err != nil {
		return nil, err
	}
	f.Jobs, err = s.store.Jobs(ctx)
	return &f, err
}

// Connected adds up the open sockets of all processes by the minute, of the last 24
// hours; minutes of which nobody has said anything are not there.
func (s *Service) Connected(ctx context.Context) (map[time.Time]int64, error) {
	return s.store.SocketsByMinute(ctx, s.now().UTC().Add(-24*time.Hour))
}
