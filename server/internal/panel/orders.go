package panel

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/jsonnul"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// ListStaffOrders implements StrictServerInterface.
func (p *Panel) ListStaffOrders(ctx context.Context, r ListStaffOrdersRequestObject) (ListStaffOrdersResponseObject, error) {
	limit := paging.Size(r.Params.Limit)
	orders, err := p.Shop.Browse(ctx, text(r.Params.Search), shop.Status(text(r.Params.Status)), text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := StaffOrderPage{}
	orders, page.NextCursor = paging.Cut(orders, limit, func(o *shop.Order) string { return o.ID })
	if page.Orders, err = p.ordersJSON(ctx, orders...); err != nil {
		return nil, err
	}
	return ListStaffOrders200JSONResponse(page), nil
}

func goodsJSON(g shop.Goods) Goods {
	return Goods{Coins: g.Coins, Boosters: g.Boosters, VipDays: g.VIPDays}
}

// orNull leaves a zero time out.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (p *Panel) ordersJSON(ctx context.Context, orders ...*shop.Order) ([]StaffOrder, error) {
	ids := make([]string, len(orders))
	for i, o := range orders {
		ids[i] = o.PlayerID
	}
	names, err := p.Names(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]StaffOrder, len(orders))
	for i, o := range orders {
		title, err := p.Shop.Title(ctx, o)
		if err != nil {
			return nil, err
		}
		list[i] = StaffOrder{
			ID: o.ID, Player: OrderPlayer{ID: o.PlayerID, Name: names[o.PlayerID]}, Sku: o.SKU, Title: Words{Es: title.ES, Ca: title.CA, En: title.EN},
			Status: OrderStatus(o.Status), Goods: goodsJSON(o.Goods), Given: goodsJSON(o.Given),
			Price:     Price{Currency: o.Price.Currency, Amount: o.Price.Amount, Decimals: shop.Digits(o.Price.Currency)},
			TakenBack: o.TakenBack(), Provider: PaidThrough(o.Provider), Live: o.Live,
			Reference: orAbsent(o.Reference), Transaction: orAbsent(o.Transaction), Subscription: orAbsent(o.Subscription),
			Economy: o.Economy, CreatedAt: o.CreatedAt, ExpiresAt: o.ExpiresAt, PaidAt: orNull(o.PaidAt), DeliveredAt: orNull(o.DeliveredAt),
		}
		if o.Renews != "" {
			renews := Renews(o.Renews)
			list[i].Renews = &renews
		}
	}
	return list, nil
}

// orderDetail is an order with all that has happened to it.
func (p *Panel) orderDetail(ctx context.Context, id string) (StaffOrderDetail, error) {
	o, history, err := p.Shop.Order(ctx, id)
	if err != nil {
		return StaffOrderDetail{}, err
	}
	list, err := p.ordersJSON(ctx, o)
	if err != nil {
		return StaffOrderDetail{}, err
	}
	coins, err := p.Balance(ctx, wallet.Player(o.PlayerID))
	if err != nil {
		return StaffOrderDetail{}, err
	}
	debt, err := p.Balance(ctx, wallet.Debt(o.PlayerID))
	if err != nil {
		return StaffOrderDetail{}, err
	}
	d := StaffOrderDetail{
		Order: list[0], Coins: coins, Debt: -debt, Refundable: p.Shop.CanRefund(o), Renewal: p.Shop.CanEndRenewal(o),
		History: []StaffOrderChange{}, Events: []ProviderEvent{},
	}
	for _, c := range history {
		if c.What == shop.WhatRenewalStopped {
			d.Renewal = false
		}
		d.History = append(d.History, StaffOrderChange{
			Seq: c.Seq, At: c.At, What: StaffOrderChangeWhat(c.What), Status: OrderStatus(c.Status), Actor: c.Actor,
			// All of it is as much as there was.
			Event: orAbsent(c.Detail.Event), Key: orAbsent(c.Detail.Key), Amount: min(c.Detail.Amount, o.Price.Amount),
			Given: goodsJSON(c.Detail.Given), Owed: c.Detail.Owed, Code: orAbsent(string(c.Detail.Code)), Reason: orAbsent(c.Detail.Reason),
		})
	}
	events, err := p.Shop.EventsOf(ctx, id)
	if err != nil {
		return d, err
	}
	for i := range events {
		one, err := eventJSON(&events[i])
		if err != nil {
			return d, err
		}
		d.Events = append(d.Events, one)
	}
	return d, nil
}

func eventJSON(r *shop.Received) (ProviderEvent, error) {
	all, err := json.Marshal(r.Event)
	return ProviderEvent{
		Provider: PaidThrough(r.Provider), ID: r.ID, Kind: r.Kind, At: r.At, ReceivedAt: r.ReceivedAt, Outcome: ProviderEventOutcome(r.Outcome),
		Code: orAbsent(string(r.Code)), OrderID: orAbsent(r.Order), Event: all,
	}, err
}

// GetStaffOrder implements StrictServerInterface.
func (p *Panel) GetStaffOrder(ctx context.Context, r GetStaffOrderRequestObject) (GetStaffOrderResponseObject, error) {
	d, err := p.orderDetail(ctx, r.OrderID)
	return GetStaffOrder200JSONResponse(d), err
}

// onOrder has f do something about an order that is not ours alone, with what was asked
// for and what came of it in the trail.
func (p *Panel) onOrder(ctx context.Context, action, id, reason string, f func(ctx context.Context, author string) (after any, err error)) error {
	m, err := member(ctx)
	if err != nil {
		return err
	}
	if err := audit.NeedsReason(reason); err != nil {
		return err
	}
	o, _, err := p.Shop.Order(ctx, id)
	if err != nil {
		return err
	}
	before := map[string]any{"player": o.PlayerID, "status": o.Status, "price": o.Price, "takenBack": o.TakenBack()}
	change := audit.Change{Action: action, Subject: audit.Subject{Kind: "order", ID: id}, Reason: reason}
	return p.Trail.Around(ctx, change, before, func(ctx context.Context) (any, error) { return f(ctx, m.Name) })
}

// RefundOrder implements StrictServerInterface.
func (p *Panel) RefundOrder(ctx context.Context, r RefundOrderRequestObject) (RefundOrderResponseObject, error) {
	err := p.onOrder(ctx, "orders.refund", r.OrderID, r.Body.Reason, func(ctx context.Context, author string) (any, error) {
		_, err := p.Shop.Refund(ctx, r.OrderID, r.Body.Total, r.Body.Reason, author)
		return map[string]int64{"total": r.Body.Total}, err
	})
	if err != nil {
		return nil, err
	}
	d, err := p.orderDetail(ctx, r.OrderID)
	return RefundOrder200JSONResponse(d), err
}

// EndOrderRenewal implements StrictServerInterface.
func (p *Panel) EndOrderRenewal(ctx context.Context, r EndOrderRenewalRequestObject) (EndOrderRenewalResponseObject, error) {
	err := p.onOrder(ctx, "orders.end-renewal", r.OrderID, r.Body.Reason, func(ctx context.Context, author string) (any, error) {
		return nil, p.Shop.EndRenewal(ctx, r.OrderID, r.Body.Reason, author)
	})
	if err != nil {
		return nil, err
	}
	d, err := p.orderDetail(ctx, r.OrderID)
	return EndOrderRenewal200JSONResponse(d), err
}

// mark is a place in the inbox, as a cursor has it.
type mark struct {
	At       time.Time `json:"at"`
	Provider string    `json:"provider"`
	ID       string    `json:"id"`
}

// ListProviderEvents implements StrictServerInterface.
func (p *Panel) ListProviderEvents(ctx context.Context, r ListProviderEventsRequestObject) (ListProviderEventsResponseObject, error) {
	var behind mark
	if r.Params.Cursor != nil {
		data, err := base64.RawURLEncoding.DecodeString(*r.Params.Cursor)
		if err == nil {
			err = json.Unmarshal(data, &behind)
		}
		if err != nil || jsonnul.In(data) {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: "cursor", Message: "This is no cursor of this list's.", Err: err}
		}
	}
	outcome := shop.Refused
	if r.Params.Outcome != nil {
		outcome = shop.Outcome(*r.Params.Outcome)
	}
	limit := paging.Size(r.Params.Limit)
	events, err := p.Shop.Inbox(ctx, outcome, shop.Mark{ReceivedAt: behind.At, Provider: shop.ProviderName(behind.Provider), ID: behind.ID}, limit+1)
	if err != nil {
		return nil, err
	}
	page := ProviderEventPage{Events: []ProviderEvent{}}
	events, page.NextCursor = paging.Cut(events, limit, func(e shop.Received) string {
		data, _ := json.Marshal(mark{e.ReceivedAt, string(e.Provider), e.ID}) // texts and a time
		return base64.RawURLEncoding.EncodeToString(data)
	})
	for i := range events {
		one, err := eventJSON(&events[i])
		if err != nil {
			return nil, err
		}
		page.Events = append(page.Events, one)
	}
	return ListProviderEvents200JSONResponse(page), nil
}

// ReconcileOrders implements StrictServerInterface.
func (p *Panel) ReconcileOrders(ctx context.Context, r ReconcileOrdersRequestObject) (ReconcileOrdersResponseObject, error) {
	if err := audit.NeedsReason(r.Body.Reason); err != nil {
		return nil, err
	}
	var found shop.Reconciled
	change := audit.Change{Action: "orders.reconcile", Subject: audit.Subject{Kind: "orders"}, Reason: r.Body.Reason}
	err := p.Trail.Around(ctx, change, nil, func(ctx context.Context) (_ any, err error) {
		found, err = p.Shop.Reconcile(ctx)
		return found, err
	})
	return ReconcileOrders200JSONResponse{Read: found.Read, Missed: found.Missed, Late: found.Late}, err
}
