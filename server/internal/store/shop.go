package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type orderRow struct {
	ID            string `gorm:"primaryKey"`
	PlayerID      string
	IdemKey       *string
	SKU           string `gorm:"column:sku"`
	Economy       int
	Goods         string
	Amount        int64
	Currency      string
	Provider      string
	Sheet         bool
	Renews        string
	Live          bool
	Status        string
	Reference     *string
	TransactionID *string
	Subscription  *string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	ExpiresAt     int64
	PaidAt        int64
	Reversals     string
	GivenCoins    int64
	GivenBoosters int
	GivenDays     int
	DeliveredAt   int64
	Version       int
}

func (orderRow) TableName() string { return "orders" }

func newOrderRow(o *shop.Order) (*orderRow, error) {
	r := &orderRow{
		ID: o.ID, PlayerID: o.PlayerID, IdemKey: orNull(o.Key), SKU: o.SKU, Economy: o.Economy,
		Amount: o.Price.Amount, Currency: o.Price.Currency, Provider: string(o.Provider), Sheet: o.Sheet, Renews: o.Renews,
		Live: o.Live, Status: string(o.Status), Reference: orNull(o.Reference), TransactionID: orNull(o.Transaction),
		Subscription: orNull(o.Subscription), CreatedAt: millis(o.CreatedAt), ExpiresAt: millis(o.ExpiresAt), PaidAt: millis(o.PaidAt),
		GivenCoins: o.Given.Coins, GivenBoosters: o.Given.Boosters, GivenDays: o.Given.VIPDays,
		DeliveredAt: millis(o.DeliveredAt), Version: o.Version,
	}
	for column, value := range map[*string]any{&r.Goods: o.Goods, &r.Reversals: o.Reversals} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		*column = string(text)
	}
	return r, nil
}

func (r *orderRow) domain() (*shop.Order, error) {
	o := &shop.Order{
		ID: r.ID, PlayerID: r.PlayerID, Key: orEmpty(r.IdemKey), SKU: r.SKU, Economy: r.Economy,
		Price: shop.Money{Amount: r.Amount, Currency: r.Currency}, Provider: shop.ProviderName(r.Provider), Sheet: r.Sheet, Renews: r.Renews,
		Live: r.Live, Status: shop.Status(r.Status), Reference: orEmpty(r.Reference), Transaction: orEmpty(r.TransactionID),
		Subscription: orEmpty(r.Subscription), CreatedAt: fromMillis(r.CreatedAt), ExpiresAt: fromMillis(r.ExpiresAt), PaidAt: fromMillis(r.PaidAt),
		Given:       shop.Goods{Coins: r.GivenCoins, Boosters: r.GivenBoosters, VIPDays: r.GivenDays},
		DeliveredAt: fromMillis(r.DeliveredAt), Version: r.Version,
	}
	err := errors.Join(json.Unmarshal([]byte(r.Goods), &o.Goods), json.Unmarshal([]byte(r.Reversals), &o.Reversals))
	if err != nil {
		return nil, fmt.Errorf("store: order %s: %w", r.ID, err)
	}
	return o, nil
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

type changeRow struct {
	OrderID string `gorm:"primaryKey"`
	Seq     int    `gorm:"primaryKey;autoIncrement:false"`
	At      int64
	What    string
	Status  string
	Actor   string
	Detail  string
}

func (changeRow) TableName() string { return "order_history" }

type eventRow struct {
	Provider      string `gorm:"primaryKey"`
	ID            string `gorm:"primaryKey"`
	Kind          string
	OrderID       string
	Reference     string
	TransactionID string
	At            int64
	ReceivedAt    int64
	Outcome       string
	Code          string
	Data          string
}

func (eventRow) TableName() string { return "provider_events" }

func (r *eventRow) domain() (*shop.Received, error) {
	e := &shop.Received{
		ReceivedAt: fromMillis(r.ReceivedAt), Outcome: shop.Outcome(r.Outcome), Code: fault.Code(r.Code), Order: r.OrderID,
	}
	if err := json.Unmarshal([]byte(r.Data), &e.Event); err != nil {
		return nil, fmt.Errorf("store: event %s of %s: %w", r.ID, r.Provider, err)
	}
	return e, nil
}

func errNoOrder(err error) error { return notFound(err, "There is no such order.") }

func oneOrder(query *gorm.DB) (*shop.Order, error) {
	var row orderRow
	if err := query.Take(&row).Error; err != nil {
		return nil, errNoOrder(err)
	}
	return row.domain()
}

func orderList(query *gorm.DB) ([]*shop.Order, error) {
	var rows []orderRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	orders := make([]*shop.Order, len(rows))
	for i := range rows {
		var err error
		if orders[i], err = rows[i].domain(); err != nil {
			return nil, err
		}
	}
	return orders, nil
}

func eventList(query *gorm.DB) ([]shop.Received, error) {
	var rows []eventRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	events := make([]shop.Received, len(rows))
	for i := range rows {
		e, err := rows[i].domain()
		if err != nil {
			return nil, err
		}
		events[i] = *e
	}
	return events, nil
}

// Trade implements shop.Store.
func (s *Store) Trade(ctx context.Context, f func(shop.Tx) error) error {
	return s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		return f(&trade{tx: tx, locks: s.kind == Postgres})
	})
}

// Order implements shop.Store.
func (s *Store) Order(ctx context.Context, id string) (*shop.Order, error) {
	return oneOrder(s.reading(ctx).Where("id = ?", id))
}

// Orders implements shop.Store.
func (s *Store) Orders(ctx context.Context, playerID, before string, limit int) ([]*shop.Order, error) {
	query := s.reading(ctx).Where("player_id = ?", playerID)
	return orderList(older(query, before).Limit(limit))
}

// older are the orders before the one with the id given, if any, newest first.
func older(query *gorm.DB, before string) *gorm.DB {
	if before != "" {
		query = query.Where("id < ?", before)
	}
	return query.Order("id DESC")
}

// OrderHistory implements shop.Store.
func (s *Store) OrderHistory(ctx context.Context, orderID string) ([]shop.Change, error) {
	var rows []changeRow
	if err := s.reading(ctx).Where("order_id = ?", orderID).Order("seq").Find(&rows).Error; err != nil {
		return nil, err
	}
	history := make([]shop.Change, len(rows))
	for i, r := range rows {
		history[i] = shop.Change{Seq: r.Seq, At: fromMillis(r.At), What: shop.What(r.What), Status: shop.Status(r.Status), Actor: r.Actor}
		if err := json.Unmarshal([]byte(r.Detail), &history[i].Detail); err != nil {
			return nil, fmt.Errorf("store: order %s, change %d: %w", orderID, r.Seq, err)
		}
	}
	return history, nil
}

// Bought implements shop.Store.
func (s *Store) Bought(ctx context.Context, playerID string) (map[string]int, error) {
	return bought(s.reading(ctx), playerID)
}

func bought(db *gorm.DB, playerID string) (map[string]int, error) {
	var rows []struct {
		SKU   string `gorm:"column:sku"`
		Count int
	}
	err := db.Model(&orderRow{}).Select("sku, COUNT(*) AS count").
		Where("player_id = ? AND status NOT IN ?", playerID, []shop.Status{shop.Failed, shop.Cancelled, shop.Expired}).
		Group("sku").Scan(&rows).Error
	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.SKU] = r.Count
	}
	return counts, err
}

// Email implements shop.Store.
func (s *Store) Email(ctx context.Context, playerID string) (string, error) {
	var emails []string
	err := s.reading(ctx).Model(&identityRow{}).Where("player_id = ? AND provider = ?", playerID, account.ViaEmail).Pluck("subject", &emails).Error
	if err != nil || len(emails) == 0 {
		return "", err
	}
	return emails[0], nil
}

// FindOrders implements shop.Store.
func (s *Store) FindOrders(ctx context.Context, q shop.Search, before string, limit int) ([]*shop.Order, error) {
	db := s.reading(ctx)
	if q.Status != "" {
		db = db.Where("status = ?", string(q.Status))
	}
	if q.All {
		return orderList(older(db, before).Limit(limit))
	}
	where := s.reading(ctx).Where("id = ? OR player_id = ? OR reference = ? OR transaction_id = ? OR subscription = ?", q.ID, q.ID, q.Word, q.Word, q.Word)
	if q.NameKey != "" {
		where = where.Or("player_id IN (SELECT id FROM players WHERE name_key = ?)", q.NameKey)
	}
	if q.Email != "" {
		where = where.Or("player_id IN (SELECT player_id FROM identities WHERE provider = ? AND subject = ?)", account.ViaEmail, q.Email)
	}
	return orderList(older(db.Where(where), before).Limit(limit))
}

// ProviderEvents implements shop.Store.
func (s *Store) ProviderEvents(ctx context.Context, outcome shop.Outcome, behind shop.Mark, limit int) ([]shop.Received, error) {
	query := s.reading(ctx).Where("outcome = ?", string(outcome))
	if at := millis(behind.ReceivedAt); at != 0 {
		query = query.Where("received_at < ? OR received_at = ? AND ? <> '' AND (provider, id) > (?, ?)",
			at, at, behind.ID, string(behind.Provider), behind.ID)
	}
	return eventList(query.Order("received_at DESC, provider, id").Limit(limit))
}

// OrderEvents implements shop.Store.
func (s *Store) OrderEvents(ctx context.Context, orderID string) ([]shop.Received, error) {
	return eventList(s.reading(ctx).Where("order_id = ? AND order_id <> ''", orderID).Order("received_at, provider, id"))
}

const waits = "outcome = 'ignored' AND code = 'unknown_order'"

// WaitingEvents implements shop.Store.
func (s *Store) WaitingEvents(ctx context.Context, since time.Time, after *shop.Received, limit int) ([]shop.Received, error) {
	query := s.reading(ctx).Where(waits+" AND received_at >= ?", millis(since))
	if after != nil {
		query = query.Where("(received_at, provider, id) > (?, ?, ?)", millis(after.ReceivedAt), string(after.Provider), after.ID)
	}
	return eventList(query.Order("received_at, provider, id").Limit(limit))
}

// Unpaid implements shop.Store.
func (s *Store) Unpaid(ctx context.Context, now time.Time, limit int) ([]string, error) {
	var ids []string
	err := s.reading(ctx).Model(&orderRow{}).Where("status IN ('created', 'pending') AND expires_at <= ?", millis(now)).
		Order("expires_at").Limit(limit).Pluck("id", &ids).Error
	return ids, err
}

// Undelivered implements shop.Store.
func (s *Store) Undelivered(ctx context.Context, provider shop.ProviderName, after string, limit int) ([]*shop.Order, error) {
	return orderList(s.reading(ctx).
		Where("delivered_at = 0 AND status IN ('granted', 'partly_reversed') AND provider = ? AND id > ?", string(provider), after).
		Order("id").Limit(limit))
}

// ReadUntil implements shop.Store.
func (s *Store) ReadUntil(ctx context.Context, provider shop.ProviderName) (time.Time, error) {
	var until []int64
	err := s.reading(ctx).Table("provider_marks").Where("provider = ?", string(provider)).Pluck("read_until", &until).Error
	if err != nil || len(until) == 0 {
		return time.Time{}, err
	}
	return fromMillis(until[0]), nil
}

// SetReadUntil implements shop.Store.
func (s *Store) SetReadUntil(ctx context.Context, provider shop.ProviderName, until time.Time) error {
	return s.writing(ctx).Exec(`INSERT INTO provider_marks (provider, read_until) VALUES (?, ?)
ON CONFLICT (provider) DO UPDATE SET read_until = excluded.read_until`, string(provider), millis(until)).Error
}

// trade implements shop.Tx in a transaction that is under way.
type trade struct {
	tx    *gorm.DB
	locks bool // see settlement
}

// held reads rows that then stay as they are until the end. SQLite has one writer, and
// drops FOR UPDATE without a word.
func (t *trade) held() *gorm.DB { return t.tx.Clauses(clause.Locking{Strength: "UPDATE"}) }

// Enter implements shop.Tx.
func (t *trade) Enter(r *shop.Received) (*shop.Received, error) {
	data, err := json.Marshal(r.Event)
	if err != nil {
		return nil, err
	}
	row := eventRow{
		Provider: string(r.Provider), ID: r.ID, Kind: r.Kind, OrderID: r.OrderID, Reference: r.Reference,
		TransactionID: cmp.Or(r.Transaction, r.Fact.Transaction), At: millis(r.At), ReceivedAt: millis(r.ReceivedAt),
		Outcome: string(r.Outcome), Code: string(r.Code), Data: string(data),
	}
	if r.Renewal != nil {
		row.TransactionID = cmp.Or(row.TransactionID, r.Renewal.Transaction)
	}
	result := t.tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if result.Error != nil || result.RowsAffected == 1 {
		return nil, result.Error
	}
	row = eventRow{}
	if err := t.held().Where("provider = ? AND id = ?", string(r.Provider), r.ID).Take(&row).Error; err != nil {
		return nil, err
	}
	return row.domain()
}

// Conclude implements shop.Tx.
func (t *trade) Conclude(r *shop.Received) error {
	return t.tx.Model(&eventRow{}).Where("provider = ? AND id = ?", string(r.Provider), r.ID).
		Updates(map[string]any{"outcome": string(r.Outcome), "code": string(r.Code), "order_id": cmp.Or(r.Order, r.OrderID)}).Error
}

// Waiting implements shop.Tx. Who holds an event meanwhile waits for the order that
// this transaction holds: to wait for it in turn would be for ever.
func (t *trade) Waiting(o *shop.Order) ([]shop.Received, error) {
	about := t.tx.Where("order_id = ?", o.ID)
	if o.Reference != "" {
		about = about.Or("reference = ?", o.Reference)
	}
	if o.Transaction != "" {
		about = about.Or("transaction_id = ?", o.Transaction)
	}
	return eventList(t.tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Where(waits+" AND provider = ?", string(o.Provider)).Where(about).Order("received_at, id"))
}

// Halts implements halt.Tx.
func (t *trade) Halts() (halt.State, error) { return heldHalts(t.tx, t.locks) }

// HoldPlayer implements shop.Tx.
func (t *trade) HoldPlayer(playerID string) error { return lockPlayer(t.tx, playerID) }

// Heir implements shop.Tx.
func (t *trade) Heir(playerID string) (string, error) {
	var heirs []string
	err := t.tx.Model(&playerRow{}).Where("id = ? AND merged_into IS NOT NULL", playerID).Pluck("merged_into", &heirs).Error
	if err != nil || len(heirs) == 0 {
		return playerID, err
	}
	return heirs[0], nil
}

// Bought implements shop.Tx.
func (t *trade) Bought(playerID string) (map[string]int, error) { return bought(t.tx, playerID) }

// Order implements shop.Tx.
func (t *trade) Order(id string) (*shop.Order, error) { return oneOrder(t.held().Where("id = ?", id)) }

// OrderByKey implements shop.Tx.
func (t *trade) OrderByKey(playerID, key string) (*shop.Order, error) {
	return oneOrder(t.held().Where("player_id = ? AND idem_key = ?", playerID, key))
}

// Find implements shop.Tx.
func (t *trade) Find(provider shop.ProviderName, reference, transaction string) (string, error) {
	for _, by := range []struct{ column, word string }{{"reference", reference}, {"transaction_id", transaction}} {
		if by.word == "" {
			continue
		}
		var ids []string
		err := t.tx.Model(&orderRow{}).Where("provider = ? AND "+by.column+" = ?", string(provider), by.word).Pluck("id", &ids).Error
		if err != nil {
			return "", err
		}
		if len(ids) == 1 {
			return ids[0], nil
		}
	}
	return "", errNoOrder(gorm.ErrRecordNotFound)
}

// FirstOf implements shop.Tx.
func (t *trade) FirstOf(provider shop.ProviderName, subscription string) (*shop.Order, error) {
	return oneOrder(t.tx.Where("provider = ? AND subscription = ?", string(provider), subscription).Order("id"))
}

// Add implements shop.Tx.
func (t *trade) Add(o *shop.Order) (bool, error) {
	row, err := newOrderRow(o)
	if err != nil {
		return false, err
	}
	result := t.tx.Clauses(clause.OnConflict{DoNothing: true}).Create(row)
	return result.RowsAffected == 1, result.Error
}

// Keep implements shop.Tx.
func (t *trade) Keep(o *shop.Order, c shop.Change) error {
	row, err := newOrderRow(o)
	if err != nil {
		return err
	}
	// All columns: a plain update would pass over those that have become zero.
	result := t.tx.Model(&orderRow{}).Where("id = ? AND version = ?", o.ID, o.Version-1).Select("*").Updates(row)
	if result.Error != nil {
		return result.Error
	}
	if result.RowsAffected != 1 {
		return fmt.Errorf("store: order %s has changed while it was held", o.ID)
	}
	return t.Note(o.ID, c)
}

// Note implements shop.Tx.
func (t *trade) Note(orderID string, c shop.Change) error {
	detail, err := json.Marshal(c.Detail)
	if err != nil {
		return err
	}
	return t.tx.Exec(`INSERT INTO order_history (order_id, seq, at, what, status, actor, detail)
VALUES (?, (SELECT COALESCE(MAX(seq), 0) + 1 FROM order_history WHERE order_id = ?), ?, ?, ?, ?, ?)`,
		orderID, orderID, millis(c.At), string(c.What), string(c.Status), c.Actor, string(detail)).Error
}

// Standing implements shop.Tx.
func (t *trade) Standing(playerID string) (reward.Standing, error) {
	return (&settlement{tx: t.tx, locks: t.locks, players: []string{playerID}}).Standing(playerID)
}

// Coins implements shop.Tx.
func (t *trade) Coins(playerID string) (int64, error) {
	return holdCoins(t.tx, wallet.Player(playerID))
}

// Give implements shop.Tx.
func (t *trade) Give(transfer *wallet.Transfer, s *reward.Standing) error {
	var standings []reward.Standing
	if s != nil {
		standings = append(standings, *s)
	}
	var transfers []*wallet.Transfer
	if transfer != nil {
		transfers = append(transfers, transfer)
	}
	return commit(t.tx, standings, transfers)
}

var _ shop.Store = (*Store)(nil)
