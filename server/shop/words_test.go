package shop_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/shop"
)

func TestWords(t *testing.T) {
	complete := func(what string, w shop.Words) {
		if w.ES == "" || w.CA == "" || w.EN == "" {
			t.Errorf("%s: %+v", what, w)
		}
	}
	for _, s := range []shop.Status{
		shop.Created, shop.Pending, shop.Paid, shop.Granted, shop.PartlyReversed, shop.Reversed, shop.Failed, shop.Cancelled, shop.Expired,
	} {
		complete(string(s), s.Words())
	}
	for _, what := range []shop.What{
		shop.WhatCreated, shop.What(shop.FactPending), shop.WhatPaid, shop.What(shop.FactFailed), shop.What(shop.FactCancelled),
		shop.What(shop.FactExpired), shop.WhatReversed, shop.WhatRefundRequested,
	} {
		c := shop.Change{What: what}
		w, ok := c.Words()
		if complete(string(what), w); !ok {
			t.Errorf("%s is kept from the player", what)
		}
	}
	restored := shop.Change{What: shop.WhatReversed, Detail: shop.Detail{Given: shop.Goods{Coins: 5}}}
	if w, ok := restored.Words(); !ok || w.EN != "Payment restored" {
		t.Errorf("%+v", w)
	}
	for _, what := range []shop.What{shop.WhatRefused, shop.WhatDelivered, shop.WhatRefundFailed} {
		c := shop.Change{What: what}
		if _, ok := c.Words(); ok {
			t.Errorf("%s is shown to the player", what)
		}
	}
}
