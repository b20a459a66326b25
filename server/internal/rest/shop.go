package rest

import (
	"context"
	"maps"
	"slices"

	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/shop"
)

// GetShop implements StrictServerInterface.
func (s *Server) GetShop(ctx context.Context, _ GetShopRequestObject) (GetShopResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	offers, err := s.shop.Offers(ctx, me)
	if err != nil {
		return nil, err
	}
	out := Shop{Offers: []Offer{}, Providers: []ShopProvider{}}
	for _, o := range offers {
		title := o.Name()
		offer := Offer{
			Sku: o.SKU, Title: Words{Es: title.ES, Ca: title.CA, En: title.EN}, Prices: []Price{},
			Goods: Goods{Coins: o.Grants.Coins, Boosters: o.Grants.Boosters, VipDays: o.Grants.VIPDays},
			Apple: optional(o.Apple), Google: optional(o.Google), Renews: renewsJSON(o.Renews),
		}
		for _, currency := range slices.Sorted(maps.Keys(o.Prices)) {
			offer.Prices = append(offer.Prices, priceJSON(shop.Money{Amount: o.Prices[currency], Currency: currency}))
		}
		if o.Limit > 0 {
			offer.Limit, offer.Left = &o.Limit, &o.Left
		}
		if o.Until != nil {
			until := o.Until.UTC()
			offer.Until = &until
		}
		out.Offers = append(out.Offers, offer)
	}
	on, closed := s.shop.Providers(), shopWords(shop.ClosedWords)
	if halted := s.halts.State().Of(halt.Shop); halted.Stopped {
		on, closed = nil, wordsJSON(halted.Text)
	}
	for _, name := range []shop.ProviderName{shop.Stripe, shop.Apple, shop.Google} {
		p := ShopProvider{Provider: PaidThrough(name), On: on[name]}
		if !p.On {
			p.Note = &closed
		}
		out.Providers = append(out.Providers, p)
	}
	return GetShop200JSONResponse(out), nil
}

// optional is a text that may be missing.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func renewsJSON(text string) *Renews {
	if text == "" {
		return nil
	}
	r := Renews(text)
	return &r
}

func shopWords(w shop.Words) Words { return Words{Es: w.ES, Ca: w.CA, En: w.EN} }

func goodsJSON(g shop.Goods) Goods {
	return Goods{Coins: g.Coins, Boosters: g.Boosters, VipDays: g.VIPDays}
}

func priceJSON(m shop.Money) Price {
	return Price{Currency: m.Currency, Amount: m.Amount, Decimals: shop.Digits(m.Currency)}
}

// orderJSON is an order as its player is shown it.
func (s *Server) orderJSON(ctx context.Context, o *shop.Order) (Order, error) {
	title, err := s.shop.Title(ctx, o)
	if err != nil {
		return Order{}, err
	}
	out := Order{
		ID: o.ID, Sku: o.SKU, Title: Words{Es: title.ES, Ca: title.CA, En: title.EN}, Status: OrderStatus(o.Status), Text: shopWords(o.Status.Words()),
		Goods: goodsJSON(o.Goods), Given: goodsJSON(o.Given), Price: priceJSON(o.Price), TakenBack: o.TakenBack(),
		Provider: PaidThrough(o.Provider), Live: o.Live, Renews: renewsJSON(o.Renews),
		CreatedAt: o.CreatedAt.UTC(), ExpiresAt: o.ExpiresAt.UTC(),
	}
	if !o.PaidAt.IsZero() {
		at := o.PaidAt.UTC()
		out.PaidAt = &at
	}
	return out, nil
}

// CreateOrder implements StrictServerInterface.
func (s *Server) CreateOrder(ctx context.Context, r CreateOrderRequestObject) (CreateOrderResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	w := shop.Wish{
		SKU: r.Body.Sku, Provider: shop.ProviderName(r.Body.Provider), Currency: r.Body.Currency,
		How: shop.Checkout{Language: me.Language, ReturnURL: s.publicURL + "/shop"},
	}
	if r.Body.Sheet != nil {
		w.How.Sheet, w.How.SheetVersion = true, *r.Body.Sheet
	}
	o, client, replayed, err := s.shop.Begin(ctx, me.ID, r.Params.IdempotencyKey, w)
	if err != nil {
		return nil, err
	}
	var out CreateOrder201JSONResponse
	if out.Body.Order, err = s.orderJSON(ctx, o); err != nil {
		return nil, err
	}
	if client != nil {
		out.Body.Client = &client
	}
	if replayed {
		out.Headers.IdempotencyReplayed = &replayed
	}
	return out, nil
}

// ListOrders implements StrictServerInterface.
func (s *Server) ListOrders(ctx context.Context, r ListOrdersRequestObject) (ListOrdersResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	limit := paging.Size(r.Params.Limit)
	orders, err := s.shop.Orders(ctx, me, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := OrderPage{Orders: []Order{}}
	orders, page.NextCursor = paging.Cut(orders, limit, func(o *shop.Order) string { return o.ID })
	for _, o := range orders {
		out, err := s.orderJSON(ctx, o)
		if err != nil {
			return nil, err
		}
		page.Orders = append(page.Orders, out)
	}
	return ListOrders200JSONResponse(page), nil
}

// GetOrder implements StrictServerInterface.
func (s *Server) GetOrder(ctx context.Context, r GetOrderRequestObject) (GetOrderResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	o, history, err := s.shop.Receipt(ctx, me, r.OrderID)
	if err != nil {
		return nil, err
	}
	order, err := s.orderJSON(ctx, o)
	if err != nil {
		return nil, err
	}
	out := OrderReceipt{
		ID: order.ID, Sku: order.Sku, Title: order.Title, Status: order.Status, Text: order.Text, Goods: order.Goods, Given: order.Given,
		Price: order.Price, TakenBack: order.TakenBack, Provider: order.Provider, Live: order.Live, Renews: order.Renews,
		CreatedAt: order.CreatedAt, ExpiresAt: order.ExpiresAt, PaidAt: order.PaidAt, History: []OrderChange{},
	}
	for _, c := range history {
		text, ok := c.Words()
		if !ok {
			continue
		}
		change := OrderChange{
			Seq: c.Seq, At: c.At.UTC(), What: OrderChangeWhat(c.What), Status: OrderStatus(c.Status), Text: shopWords(text),
			// All of it is as much as there was.
			Amount: min(c.Detail.Amount, o.Price.Amount), Given: goodsJSON(c.Detail.Given), Owed: c.Detail.Owed,
		}
		out.History = append(out.History, change)
	}
	return GetOrder200JSONResponse(out), nil
}

// RedeemReceipt implements StrictServerInterface.
func (s *Server) RedeemReceipt(ctx context.Context, r RedeemReceiptRequestObject) (RedeemReceiptResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	o, err := s.shop.Redeem(ctx, me.ID, shop.ProviderName(r.Body.Provider), r.Body.Receipt)
	if err != nil {
		return nil, err
	}
	out, err := s.orderJSON(ctx, o)
	if err != nil {
		return nil, err
	}
	return RedeemReceipt200JSONResponse(out), nil
}

// StopRenewing implements StrictServerInterface.
func (s *Server) StopRenewing(ctx context.Context, r StopRenewingRequestObject) (StopRenewingResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.shop.StopRenewing(ctx, me, r.OrderID); err != nil {
		return nil, err
	}
	return StopRenewing204Response{}, nil
}
