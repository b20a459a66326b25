package panel

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// orNone leaves a time out that is not there.
func orNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func spansJSON(n [3]int64) OverviewSpans { return OverviewSpans{Today: n[0], Week: n[1], Month: n[2]} }

// GetOverview implements StrictServerInterface.
func (p *Panel) GetOverview(ctx context.Context, _ GetOverviewRequestObject) (GetOverviewResponseObject, error) {
	n, err := p.Seen.Numbers(ctx)
	if err != nil {
		return nil, err
	}
	ledger, err := p.ledgerCheck(ctx)
	if err != nil {
		return nil, err
	}
	out := Overview{At: n.At, Today: n.Today, Zone: n.Zone, Issued: n.Issued, Sunk: n.Sunk, Ledger: ledger}
	out.Players.All, out.Players.Connected, out.Players.New, out.Players.Active = n.Players, n.Connected, spansJSON(n.New), spansJSON(n.Active)
	out.Modes = slices.Grow(out.Modes, len(n.Modes))[:len(n.Modes)]
	for i, m := range n.Modes {
		one := &out.Modes[i]
		one.Mode, one.Open, one.Begun, one.Ended, one.Void = Mode(m.Mode), m.Open, m.Begun, m.Ended, m.Voided
		one.Waiting, one.Seated, one.MedianSeconds, one.P95Seconds = m.Waiting, m.Seated, m.Median.Seconds(), m.P95.Seconds()
	}
	out.Coins = slices.Grow(out.Coins, len(overview.Accounts))[:len(overview.Accounts)]
	for i, a := range overview.Accounts {
		out.Coins[i].Account, out.Coins[i].Coins = CoinAccount(a), n.Coins[a]
	}
	w := &out.Week
	w.Season, w.State, w.LastClosed = orAbsent(n.Week.Season), orAbsent(n.Week.State), orAbsent(n.Week.LastClosed)
	w.StartsAt, w.EndsAt, w.ClosedAt = orNone(n.Week.StartsAt), orNone(n.Week.EndsAt), orNone(n.Week.ClosedAt)
	w.Players, w.Groups, w.Frozen = n.Week.Players, n.Week.Groups, n.Week.Frozen
	f := &out.Faults
	f.Requests, f.Failed, f.FailedLately, f.Refused, f.JobsFailed = n.Requests, n.Failed, n.FailedLately, n.Refused, n.JobsFailed
	return GetOverview200JSONResponse(out), nil
}

// GetOverviewSeries implements StrictServerInterface.
func (p *Panel) GetOverviewSeries(ctx context.Context, r GetOverviewSeriesRequestObject) (GetOverviewSeriesResponseObject, error) {
	s, err := p.Seen.Series(ctx, overview.Unit(r.Params.Unit), r.Params.Count)
	if err != nil {
		return nil, err
	}
	connected, err := p.Seen.Connected(ctx)
	if err != nil {
		return nil, err
	}
	out := OverviewSeries{Unit: OverviewSeriesUnit(s.Unit), Zone: s.Zone, Times: s.Times, Issued: flowsJSON(s.Issued), Sunk: flowsJSON(s.Sunk)}
	keys := slices.SortedFunc(maps.Keys(s.Counts), func(a, b overview.Key) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Label, b.Label))
	})
	out.Counts = slices.Grow(out.Counts, len(keys)+1)[:len(keys)]
	for i, k := range keys {
		out.Counts[i].What, out.Counts[i].Label, out.Counts[i].Values = OverviewSeriesCountsWhat(k.What), k.Label, s.Counts[k]
	}
	out.Coins = slices.Grow(out.Coins, len(overview.Accounts))[:len(overview.Accounts)]
	for i, a := range overview.Accounts {
		out.Coins[i].Account, out.Coins[i].Values = CoinAccount(a), s.Coins[a]
	}
	minutes := slices.SortedFunc(maps.Keys(connected), time.Time.Compare)
	out.Connected = slices.Grow(out.Connected, len(minutes)+1)[:len(minutes)]
	for i, at := range minutes {
		out.Connected[i].At, out.Connected[i].Sockets = at, connected[at]
	}
	return GetOverviewSeries200JSONResponse(out), nil
}

func flowsJSON(byKind map[wallet.Kind][]int64) []OverviewFlow {
	flows := []OverviewFlow{}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		flows = append(flows, OverviewFlow{Kind: TransferKind(kind), Values: byKind[kind]})
	}
	return flows
}

// GetOverviewPayments implements StrictServerInterface.
func (p *Panel) GetOverviewPayments(ctx context.Context, r GetOverviewPaymentsRequestObject) (GetOverviewPaymentsResponseObject, error) {
	days := 30
	if r.Params.Days != nil {
		days = *r.Params.Days
	}
	begins, payments, err := p.Seen.Payments(ctx, days)
	if err != nil {
		return nil, err
	}
	var out OverviewPayments
	out.Payments = slices.Grow(out.Payments, len(payments)+1)[:len(payments)]
	for i, one := range payments {
		j := &out.Payments[i]
		j.Day, j.Provider, j.Currency, j.Live = begins[one.Bucket], string(one.Provider), one.Currency, one.Live
		j.Paid, j.PaidAmount, j.Refunded, j.RefundedAmount = one.Paid, one.PaidAmount, one.Refunded, one.RefundedAmount
		j.Disputed, j.DisputedAmount = one.Disputed, one.DisputedAmount
	}
	return GetOverviewPayments200JSONResponse(out), nil
}

// GetOverviewFaults implements StrictServerInterface.
func (p *Panel) GetOverviewFaults(ctx context.Context, _ GetOverviewFaultsRequestObject) (GetOverviewFaultsResponseObject, error) {
	faults, err := p.Seen.Faults(ctx)
	if err != nil {
		return nil, err
	}
	out := OverviewFaults{Jobs: []JobState{}}
	out.Failures = slices.Grow(out.Failures, len(faults.Failures)+1)[:len(faults.Failures)]
	for i, f := range faults.Failures {
		out.Failures[i].Route, out.Failures[i].Count = f.Label, f.N
	}
	out.ClientFaults = slices.Grow(out.ClientFaults, len(faults.Clients)+1)[:len(faults.Clients)]
	for i, f := range faults.Clients {
		out.ClientFaults[i].Kind, out.ClientFaults[i].Count = f.Label, f.N
	}
	out.Refusals = slices.Grow(out.Refusals, len(faults.Refusals)+1)[:len(faults.Refusals)]
	for i, one := range faults.Refusals {
		j := &out.Refusals[i]
		j.Provider, j.ID, j.Kind, j.OrderID = string(one.Provider), one.ID, one.Kind, orAbsent(one.OrderID)
		j.Code, j.ReceivedAt = string(one.Code), one.ReceivedAt
	}
	for _, j := range faults.Jobs {
		out.Jobs = append(out.Jobs, p.jobJSON(j))
	}
	return GetOverviewFaults200JSONResponse(out), nil
}

func (p *Panel) jobJSON(j overview.Job) JobState {
	out := JobState{
		Name: j.Name, State: JobStateState(j.State(p.Now())), BeganAt: orNone(j.BeganAt), EndedAt: orNone(j.EndedAt), DoneAt: orNone(j.DoneAt),
		Failure: orAbsent(j.Failure), Failures: j.Failures, Done: j.Done, Total: j.Total,
	}
	return out
}

func (p *Panel) ledgerCheck(ctx context.Context) (LedgerCheck, error) {
	j, err := p.Seen.Job(ctx, overview.JobLedger)
	if err != nil {
		return LedgerCheck{}, err
	}
	report, err := overview.CheckOf(j)
	if err != nil {
		return LedgerCheck{}, err
	}
	out := LedgerCheck{Job: p.jobJSON(j)}
	if report == nil {
		report = &overview.Check{}
	}
	out.Differences = report.Differences
	out.Places = slices.Grow(out.Places, len(report.Places)+1)[:len(report.Places)]
	for i, place := range report.Places {
		o := &out.Places[i]
		o.What, o.Subject, o.Want, o.Got = place.What, place.Subject, place.Want, place.Got
	}
	return out, nil
}

// GetLedgerCheck implements StrictServerInterface.
func (p *Panel) GetLedgerCheck(ctx context.Context, _ GetLedgerCheckRequestObject) (GetLedgerCheckResponseObject, error) {
	check, err := p.ledgerCheck(ctx)
	return GetLedgerCheck200JSONResponse(check), err
}

// RunLedgerCheck implements StrictServerInterface.
func (p *Panel) RunLedgerCheck(ctx context.Context, _ RunLedgerCheckRequestObject) (RunLedgerCheckResponseObject, error) {
	if err := p.Seen.Idle(ctx, overview.JobLedger); err != nil {
		return nil, err
	}
	err := p.Trail.Around(ctx, audit.Change{Action: "ledger.check", Subject: audit.Subject{Kind: "ledger"}}, nil, func(ctx context.Context) (any, error) {
		return nil, p.RunNow(ctx, overview.JobLedger)
	})
	if err != nil {
		return nil, err
	}
	check, err := p.ledgerCheck(ctx)
	return RunLedgerCheck202JSONResponse(check), err
}
