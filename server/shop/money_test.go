package shop_test

import (
	"testing"

	"github.com/cuatrola/cuatrola/server/shop"
)

func TestFromDecimals(t *testing.T) {
	for _, c := range []struct {
		amount   int64
		decimals int
		currency string
		want     int64
	}{
		{1990, 3, "EUR", 199},
		{1999, 3, "EUR", 199},
		{800_000, 3, "JPY", 800},
		{1250, 3, "KWD", 1250},
		{9_990_000, 6, "USD", 999},
		{7, 0, "EUR", 700},
		{7, 0, "KRW", 7},
		{0, 3, "EUR", 0},
		{5000, 3, "JP", 500},
	} {
		if got := shop.FromDecimals(c.amount, c.decimals, c.currency); got != (shop.Money{Amount: c.want, Currency: c.currency}) {
			t.Errorf("%d with %d decimals of %s: %+v", c.amount, c.decimals, c.currency, got)
		}
	}
}
