package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// OverviewStore is the store as the overview sees it: its methods have names that
// would say too little among all of the store's.
type OverviewStore struct{ s *Store }

// Overview returns the overview's part of the store.
func (s *Store) Overview() OverviewStore { return OverviewStore{s} }

type pulseRow struct {
	Minute  int64  `gorm:"primaryKey;autoIncrement:false"`
	Process string `gorm:"primaryKey"`
	What    string `gorm:"primaryKey"`
	Label   string `gorm:"primaryKey"`
	N       int64
}

func (pulseRow) TableName() string { return "pulses" }

type hourCountRow struct {
	Hour  int64  `gorm:"primaryKey;autoIncrement:false"`
	What  string `gorm:"primaryKey"`
	Label string `gorm:"primaryKey"`
	N     int64
}

func (hourCountRow) TableName() string { return "hour_counts" }

type hourCoinsRow struct {
	Hour     int64  `gorm:"primaryKey;autoIncrement:false"`
	Kind     string `gorm:"primaryKey"`
	Account  string `gorm:"primaryKey"`
	CoinsIn  int64
	CoinsOut int64
}

func (hourCoinsRow) TableName() string { return "hour_coins" }

type markRow struct {
	ID   int `gorm:"primaryKey;autoIncrement:false"`
	UpTo int64
}

func (markRow) TableName() string { return "summary_mark" }

type jobStateRow struct {
	Job      string `gorm:"primaryKey"`
	BeganAt  int64
	EndedAt  int64
	DoneAt   int64
	Failure  string
	Failures int
	Done     int
	Total    int
	Report   *string
}

func (jobStateRow) TableName() string { return "job_states" }

// rowsAtOnce is how many rows one statement inserts.
const rowsAtOnce = 500

// Pulse implements overview.Store.
func (o OverviewStore) Pulse(ctx context.Context, process string, minutes []overview.Minute) error {
	var rows []pulseRow
	for _, m := range minutes {
		for key, n := range m.Counts {
			rows = append(rows, pulseRow{millis(m.At), process, string(key.What), key.Label, n})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return o.s.writing(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "minute"}, {Name: "process"}, {Name: "what"}, {Name: "label"}},
		DoUpdates: clause.AssignmentColumns([]string{"n"}),
	}).CreateInBatches(&rows, rowsAtOnce).Error
}

// SocketsSince implements overview.Store.
func (o OverviewStore) SocketsSince(ctx context.Context, minute time.Time) (n int64, err error) {
	err = o.s.reading(ctx).Raw(`
		SELECT COALESCE(CAST(SUM(n) AS BIGINT), 0) FROM pulses p
		WHERE what = ? AND minute >= ? AND minute = (SELECT MAX(minute) FROM pulses WHERE process = p.process AND what = p.what AND minute >= ?)`,
		string(overview.Sockets), millis(minute), millis(minute)).Scan(&n).Error
	return n, err
}

// SocketsByMinute implements overview.Store.
func (o OverviewStore) SocketsByMinute(ctx context.Context, since time.Time) (map[time.Time]int64, error) {
	var rows []struct{ Minute, N int64 }
	err := o.s.reading(ctx).Raw(`
		SELECT minute, CAST(SUM(n) AS BIGINT) AS n FROM pulses WHERE what = ? AND minute >= ? GROUP BY minute`,
		string(overview.Sockets), millis(since)).Scan(&rows).Error
	byMinute := make(map[time.Time]int64, len(rows))
	for _, r := range rows {
		byMinute[fromMillis(r.Minute)] = r.N
	}
	return byMinute, err
}

// PrunePulses implements overview.Store.
func (o OverviewStore) PrunePulses(ctx context.Context, before time.Time) error {
	return o.s.writing(ctx).Where("minute < ?", millis(before)).Delete(&pulseRow{}).Error
}

// Summarized implements overview.Store.
func (o OverviewStore) Summarized(ctx context.Context) (time.Time, error) {
	return summarized(o.s.reading(ctx))
}

func summarized(db *gorm.DB) (time.Time, error) {
	var row markRow
	err := db.Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return time.Time{}, nil
	}
	return fromMillis(row.UpTo), err
}

// Oldest implements overview.Store.
func (o OverviewStore) Oldest(ctx context.Context) (time.Time, error) {
	var first *int64
	err := o.s.reading(ctx).Raw(`
		SELECT MIN(at) FROM (
			SELECT MIN(at) AS at FROM transfers UNION ALL SELECT MIN(created_at) FROM matches
			UNION ALL SELECT MIN(created_at) FROM players UNION ALL SELECT MIN(minute) FROM pulses
		) AS firsts`).Scan(&first).Error
	if err != nil || first == nil {
		return time.Time{}, err
	}
	return fromMillis(*first), nil
}

// byHour are what hours are summed up from: each gives hour, what, label and n of the
// time from one moment up to another. A result holds "void": only if the match was
// given up; all else in it are numbers.
var byHour = []struct {
	what  []overview.What
	query string
}{
	{[]overview.What{overview.MatchBegun}, `
		SELECT created_at - created_at % 3600000 AS hour, 'match_begun' AS what, mode AS label, COUNT(*) AS n
		FROM matches WHERE created_at >= ? AND created_at < ? GROUP BY 1, 2, 3`},
	{[]overview.What{overview.MatchEnded, overview.MatchVoided}, `
		SELECT ended_at - ended_at % 3600000 AS hour,
			CASE WHEN result LIKE '%"void":%' THEN 'match_voided' ELSE 'match_ended' END AS what, mode AS label, COUNT(*) AS n
		FROM matches WHERE status = 'over' AND ended_at >= ? AND ended_at < ? GROUP BY 1, 2, 3`},
	{[]overview.What{overview.PlayerJoined}, `
		SELECT created_at - created_at % 3600000 AS hour, 'player_joined' AS what, '' AS label, COUNT(*) AS n
		FROM players WHERE created_at >= ? AND created_at < ? GROUP BY 1, 2, 3`},
	{[]overview.What{overview.Requests, overview.Failures, overview.Waits, overview.JobFailures, overview.ClientFaults}, `
		SELECT minute - minute % 3600000 AS hour, what, label, CAST(SUM(n) AS BIGINT) AS n
		FROM pulses WHERE minute >= ? AND minute < ? AND what <> 'sockets' GROUP BY 1, 2, 3`},
}

const coinsByHour = `
SELECT t.at - t.at % 3600000 AS hour, t.kind, CASE
		WHEN e.account_id LIKE 'player:%' THEN 'players' WHEN e.account_id LIKE 'house:%' THEN SUBSTR(e.account_id, 7)
		WHEN e.account_id LIKE 'escrow:%' THEN 'escrow' ELSE 'debt' END AS account,
	CAST(SUM(CASE WHEN e.amount > 0 THEN e.amount ELSE 0 END) AS BIGINT) AS coins_in,
	CAST(SUM(CASE WHEN e.amount < 0 THEN -e.amount ELSE 0 END) AS BIGINT) AS coins_out
FROM transfers t JOIN entries e ON e.transfer_id = t.id WHERE t.at >= ? AND t.at < ? GROUP BY 1, 2, 3`

// Summarize implements overview.Store. What it reads is over; it reads it outside of
// the transaction that keeps the sums, since on SQLite everybody would wait for that.
func (o OverviewStore) Summarize(ctx context.Context, from, to time.Time) error {
	db := o.s.reading(ctx)
	var coins []hourCoinsRow
	if err := db.Raw(coinsByHour, millis(from), millis(to)).Scan(&coins).Error; err != nil {
		return err
	}
	var counts []hourCountRow
	for _, source := range byHour {
		var rows []hourCountRow
		if err := db.Raw(source.query, millis(from), millis(to)).Scan(&rows).Error; err != nil {
			return err
		}
		counts = append(counts, rows...)
	}
	return o.s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		done, err := summarized(tx)
		if err != nil {
			return err
		}
		if from.After(done) && !done.IsZero() {
			return errors.New("store: hours would be left out")
		}
		// Minutes are pruned: of hours that have lost theirs the sums stay.
		pulsed, args := pulsedWhats()
		if err := tx.Where("hour >= ? AND hour < ?", millis(from), millis(to)).Delete(&hourCoinsRow{}).Error; err != nil {
			return err
		}
		if err := tx.Where("hour >= ? AND hour < ? AND what NOT IN "+pulsed, append([]any{millis(from), millis(to)}, args...)...).
			Delete(&hourCountRow{}).Error; err != nil {
			return err
		}
		if len(coins) > 0 {
			if err := tx.CreateInBatches(&coins, rowsAtOnce).Error; err != nil {
				return err
			}
		}
		if len(counts) > 0 {
			err := tx.Clauses(clause.OnConflict{
				Columns:   []clause.Column{{Name: "hour"}, {Name: "what"}, {Name: "label"}},
				DoUpdates: clause.AssignmentColumns([]string{"n"}),
			}).CreateInBatches(&counts, rowsAtOnce).Error
			if err != nil {
				return err
			}
		}
		if !to.After(done) {
			return nil
		}
		return tx.Save(&markRow{1, millis(to)}).Error
	})
}

func pulsedWhats() (string, []any) {
	var args []any
	for _, w := range byHour[len(byHour)-1].what {
		args = append(args, string(w))
	}
	return "(" + times("?", len(args)) + ")", args
}

// snapshot runs f on one state of the database.
func (o OverviewStore) snapshot(ctx context.Context, f func(tx *gorm.DB) error) error {
	return o.s.reading(ctx).Transaction(func(tx *gorm.DB) error {
		if o.s.kind == Postgres {
			if err := tx.Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").Error; err != nil {
				return err
			}
		}
		return f(tx)
	})
}

// buckets are the spans between cuts as a table, before them the one from the first
// of time, which has the number -1.
func buckets(cuts []time.Time, before bool) (string, []any) {
	first := 0
	if before {
		first = -1
	}
	var args []any
	for i := first; i < len(cuts)-1; i++ {
		since := int64(0)
		if i >= 0 {
			since = millis(cuts[i])
		}
		args = append(args, i, since, millis(cuts[i+1]))
	}
	return "WITH cuts (bucket, since, up_to) AS (VALUES " +
		times("(CAST(? AS INTEGER), CAST(? AS BIGINT), CAST(? AS BIGINT))", len(args)/3) + ")", args
}

// bucketOf is the place of a time among cuts; ok is false behind the last of them.
func bucketOf(cuts []time.Time, at int64) (i int, ok bool) {
	i = sort.Search(len(cuts), func(i int) bool { return millis(cuts[i]) > at }) - 1
	return i, i < len(cuts)-1
}

// Flows implements overview.Store.
func (o OverviewStore) Flows(ctx context.Context, cuts []time.Time) ([]overview.Flow, error) {
	with, args := buckets(cuts, true)
	type key struct {
		bucket        int
		kind, account string
	}
	sums := make(map[key]overview.Flow)
	add := func(bucket int, r hourCoinsRow) {
		k := key{bucket, r.Kind, r.Account}
		f := sums[k]
		sums[k] = overview.Flow{
			Bucket: bucket, Kind: wallet.Kind(r.Kind), Account: overview.Account(r.Account), In: f.In + r.CoinsIn, Out: f.Out + r.CoinsOut,
		}
	}
	err := o.snapshot(ctx, func(tx *gorm.DB) error {
		done, err := summarized(tx)
		if err != nil {
			return err
		}
		var known []struct {
			Bucket            int
			Kind, Account     string
			CoinsIn, CoinsOut int64
		}
		err = tx.Raw(with+`
			SELECT c.bucket, h.kind, h.account, CAST(SUM(h.coins_in) AS BIGINT) AS coins_in, CAST(SUM(h.coins_out) AS BIGINT) AS coins_out
			FROM cuts c JOIN hour_coins h ON h.hour >= c.since AND h.hour < c.up_to GROUP BY 1, 2, 3`, args...).Scan(&known).Error
		if err != nil {
			return err
		}
		for _, r := range known {
			add(r.Bucket, hourCoinsRow{Kind: r.Kind, Account: r.Account, CoinsIn: r.CoinsIn, CoinsOut: r.CoinsOut})
		}
		var late []hourCoinsRow
		if err := tx.Raw(coinsByHour, millis(done), millis(cuts[len(cuts)-1])).Scan(&late).Error; err != nil {
			return err
		}
		for _, r := range late {
			if i, ok := bucketOf(cuts, r.Hour); ok {
				add(i, r)
			}
		}
		return nil
	})
	flows := make([]overview.Flow, 0, len(sums))
	for _, f := range sums {
		flows = append(flows, f)
	}
	slices.SortFunc(flows, func(a, b overview.Flow) int {
		if a.Bucket != b.Bucket {
			return a.Bucket - b.Bucket
		}
		return strings.Compare(string(a.Kind)+" "+string(a.Account), string(b.Kind)+" "+string(b.Account))
	})
	return flows, err
}

// Counts implements overview.Store.
func (o OverviewStore) Counts(ctx context.Context, cuts []time.Time, what ...overview.What) ([]overview.Count, error) {
	with, args := buckets(cuts, false)
	for _, w := range what {
		args = append(args, string(w))
	}
	sums := make(map[overview.Count]int64)
	err := o.snapshot(ctx, func(tx *gorm.DB) error {
		done, err := summarized(tx)
		if err != nil {
			return err
		}
		var known []overview.Count
		err = tx.Raw(with+`
			SELECT c.bucket, h.what, h.label, CAST(SUM(h.n) AS BIGINT) AS n
			FROM cuts c JOIN hour_counts h ON h.hour >= c.since AND h.hour < c.up_to
			WHERE h.what IN (`+times("?", len(what))+`) GROUP BY 1, 2, 3`, args...).Scan(&known).Error
		if err != nil {
			return err
		}
		for _, c := range known {
			sums[overview.Count{Bucket: c.Bucket, What: c.What, Label: c.Label}] += c.N
		}
		since := max(millis(done), millis(cuts[0]))
		for _, source := range byHour {
			if !slices.ContainsFunc(source.what, func(w overview.What) bool { return slices.Contains(what, w) }) {
				continue
			}
			var late []hourCountRow
			if err := tx.Raw(source.query, since, millis(cuts[len(cuts)-1])).Scan(&late).Error; err != nil {
				return err
			}
			for _, r := range late {
				if i, ok := bucketOf(cuts, r.Hour); ok && slices.Contains(what, overview.What(r.What)) {
					sums[overview.Count{Bucket: i, What: overview.What(r.What), Label: r.Label}] += r.N
				}
			}
		}
		return nil
	})
	counts := make([]overview.Count, 0, len(sums))
	for c, n := range sums {
		c.N = n
		counts = append(counts, c)
	}
	slices.SortFunc(counts, func(a, b overview.Count) int {
		if a.Bucket != b.Bucket {
			return a.Bucket - b.Bucket
		}
		return strings.Compare(string(a.What)+" "+a.Label, string(b.What)+" "+b.Label)
	})
	return counts, err
}

// Payments implements overview.Store.
func (o OverviewStore) Payments(ctx context.Context, cuts []time.Time) ([]overview.Payment, error) {
	with, args := buckets(cuts, false)
	type key struct {
		bucket             int
		provider, currency string
		live               bool
	}
	sums := make(map[key]*overview.Payment)
	sum := func(bucket int, provider, currency string, live bool) *overview.Payment {
		k := key{bucket, provider, currency, live}
		if sums[k] == nil {
			sums[k] = &overview.Payment{Bucket: bucket, Provider: shop.ProviderName(provider), Currency: currency, Live: live}
		}
		return sums[k]
	}
	err := o.snapshot(ctx, func(tx *gorm.DB) error {
		var paid []struct {
			Bucket             int
			Provider, Currency string
			Live               bool
			N, Amount          int64
		}
		err := tx.Raw(with+`
			SELECT c.bucket, o.provider, o.currency, o.live, COUNT(*) AS n, CAST(SUM(o.amount) AS BIGINT) AS amount
			FROM cuts c JOIN orders o ON o.paid_at > 0 AND o.paid_at >= c.since AND o.paid_at < c.up_to GROUP BY 1, 2, 3, 4`, args...).Scan(&paid).Error
		if err != nil {
			return err
		}
		for _, r := range paid {
			p := sum(r.Bucket, r.Provider, r.Currency, r.Live)
			p.Paid, p.PaidAmount = r.N, r.Amount
		}
		var reversed []struct {
			Provider, Currency, Reversals string
			Live                          bool
			Amount                        int64
		}
		err = tx.Raw(`SELECT provider, currency, live, amount, reversals FROM orders WHERE reversals NOT IN ('{}', 'null')`).Scan(&reversed).Error
		if err != nil {
			return err
		}
		for _, r := range reversed {
			var all map[string]shop.Reversal
			if err := json.Unmarshal([]byte(r.Reversals), &all); err != nil {
				return err
			}
			for name, reversal := range all {
				i, ok := bucketOf(cuts, millis(reversal.AsOf))
				amount := min(reversal.Amount, r.Amount)
				if i < 0 || !ok || amount <= 0 {
					continue
				}
				p := sum(i, r.Provider, r.Currency, r.Live)
				if shop.Disputed(name) {
					p.Disputed++
					p.DisputedAmount += amount
				} else {
					p.Refunded++
					p.RefundedAmount += amount
				}
			}
		}
		return nil
	})
	payments := make([]overview.Payment, 0, len(sums))
	for _, p := range sums {
		payments = append(payments, *p)
	}
	slices.SortFunc(payments, func(a, b overview.Payment) int {
		if a.Bucket != b.Bucket {
			return a.Bucket - b.Bucket
		}
		return strings.Compare(string(a.Provider)+a.Currency, string(b.Provider)+b.Currency)
	})
	return payments, err
}

// Players implements overview.Store.
func (o OverviewStore) Players(ctx context.Context) (n int64, err error) {
	err = o.s.reading(ctx).Raw(`SELECT COUNT(*) FROM players WHERE deleted_at = 0`).Scan(&n).Error
	return n, err
}

// Active implements overview.Store. It reads the sessions once, for the longest time.
func (o OverviewStore) Active(ctx context.Context, since []time.Time) ([]int64, error) {
	var text strings.Builder
	var args []any
	oldest := int64(0)
	text.WriteString("SELECT 0 AS zero")
	for i, at := range since {
		text.WriteString(", COUNT(DISTINCT CASE WHEN used_at >= ? THEN player_id END)")
		args = append(args, millis(at))
		if i == 0 || millis(at) < oldest {
			oldest = millis(at)
		}
	}
	text.WriteString(" FROM sessions WHERE used_at >= ?")
	counts := make([]int64, len(since)+1)
	places := make([]any, len(counts))
	for i := range counts {
		places[i] = &counts[i]
	}
	row := o.s.reading(ctx).Raw(text.String(), append(args, oldest)...).Row()
	return counts[1:], row.Scan(places...)
}

// OpenMatches implements overview.Store.
func (o OverviewStore) OpenMatches(ctx context.Context) (map[economy.Mode]int64, error) {
	var rows []struct {
		Mode string
		N    int64
	}
	err := o.s.reading(ctx).Raw(`SELECT mode, COUNT(*) AS n FROM matches WHERE status <> 'over' GROUP BY mode`).Scan(&rows).Error
	open := make(map[economy.Mode]int64, len(rows))
	for _, r := range rows {
		open[economy.Mode(r.Mode)] = r.N
	}
	return open, err
}

// Waiting implements overview.Store.
func (o OverviewStore) Waiting(ctx context.Context) (map[economy.Mode]int, error) {
	return o.s.Waiting(ctx)
}

// Week implements overview.Store.
func (o OverviewStore) Week(ctx context.Context) (w overview.Week, err error) {
	db := o.s.reading(ctx)
	var rows []seasonRow
	// The one that is being closed comes before the one that has begun since.
	if err := db.Where("state <> 'closed'").Order("id").Limit(1).Find(&rows).Error; err != nil {
		return w, err
	}
	for _, r := range rows {
		w.Season, w.State, w.StartsAt, w.EndsAt = r.ID, r.State, fromMillis(r.StartsAt), fromMillis(r.EndsAt)
		var sizes struct{ Players, Groups, Frozen int }
		err := db.Raw(`
			SELECT (SELECT COUNT(*) FROM league_scores WHERE season = @season) AS players,
				(SELECT COUNT(*) FROM league_groups WHERE season = @season) AS "groups",
				(SELECT COUNT(*) FROM league_groups WHERE season = @season AND frozen_at > 0) AS frozen`,
			map[string]any{"season": r.ID}).Scan(&sizes).Error
		if err != nil {
			return w, err
		}
		w.Players, w.Groups, w.Frozen = sizes.Players, sizes.Groups, sizes.Frozen
	}
	var closed []seasonRow
	err = db.Where("state = 'closed'").Order("id DESC").Limit(1).Find(&closed).Error
	for _, r := range closed {
		w.LastClosed, w.ClosedAt = r.ID, fromMillis(r.ClosedAt)
	}
	return w, err
}

// CountRefusals implements overview.Store.
func (o OverviewStore) CountRefusals(ctx context.Context, since time.Time) (n int64, err error) {
	err = o.s.reading(ctx).Raw(`SELECT COUNT(*) FROM provider_events WHERE outcome = 'refused' AND received_at >= ?`, millis(since)).Scan(&n).Error
	return n, err
}

// Refusals implements overview.Store.
func (o OverviewStore) Refusals(ctx context.Context, limit int) ([]overview.Refusal, error) {
	var rows []struct {
		Provider, ID, Kind, OrderID, Code string
		ReceivedAt                        int64
	}
	err := o.s.reading(ctx).Raw(`
		SELECT provider, id, kind, order_id, code, received_at FROM provider_events
		WHERE outcome = 'refused' ORDER BY received_at DESC, id LIMIT ?`, limit).Scan(&rows).Error
	refusals := make([]overview.Refusal, len(rows))
	for i, r := range rows {
		refusals[i] = overview.Refusal{
			Provider: shop.ProviderName(r.Provider), ID: r.ID, Kind: r.Kind, OrderID: r.OrderID, Code: fault.Code(r.Code), ReceivedAt: fromMillis(r.ReceivedAt),
		}
	}
	return refusals, err
}

// JobBegan implements overview.Store.
func (o OverviewStore) JobBegan(ctx context.Context, job string, at time.Time) error {
	return o.s.writing(ctx).Exec(`
		INSERT INTO job_states (job, began_at, ended_at, done_at, failure, failures, done, total, report) VALUES (?, ?, 0, 0, '', 0, 0, 0, NULL)
		ON CONFLICT (job) DO UPDATE SET began_at = excluded.began_at, done = 0, total = 0`, job, millis(at)).Error
}

// JobProgressed implements overview.Store.
func (o OverviewStore) JobProgressed(ctx context.Context, job string, done, total int) error {
	return o.s.writing(ctx).Exec(`UPDATE job_states SET done = ?, total = ? WHERE job = ?`, done, total, job).Error
}

// JobEnded implements overview.Store.
func (o OverviewStore) JobEnded(ctx context.Context, job string, at time.Time, failure string) error {
	return o.s.writing(ctx).Exec(`
		UPDATE job_states SET ended_at = @at, failure = @failure, failures = CASE WHEN @failure = '' THEN 0 ELSE failures + 1 END,
			done_at = CASE WHEN @failure = '' THEN @at ELSE done_at END
		WHERE job = @job`, map[string]any{"at": millis(at), "failure": failure, "job": job}).Error
}

// JobReported implements overview.Store.
func (o OverviewStore) JobReported(ctx context.Context, job string, report []byte) error {
	return o.s.writing(ctx).Exec(`UPDATE job_states SET report = ? WHERE job = ?`, string(report), job).Error
}

// Jobs implements overview.Store.
func (o OverviewStore) Jobs(ctx context.Context) ([]overview.Job, error) {
	var rows []jobStateRow
	err := o.s.reading(ctx).Order("job").Find(&rows).Error
	list := make([]overview.Job, len(rows))
	for i, r := range rows {
		list[i] = overview.Job{
			Name: r.Job, BeganAt: fromMillis(r.BeganAt), EndedAt: fromMillis(r.EndedAt), DoneAt: fromMillis(r.DoneAt),
			Failure: r.Failure, Failures: r.Failures, Done: r.Done, Total: r.Total,
		}
		if r.Report != nil {
			list[i].Report = []byte(*r.Report)
		}
	}
	return list, err
}

var _ overview.Store = OverviewStore{}
