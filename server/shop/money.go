package shop

import "strings"

// Currencies of ISO 4217 whose smallest unit is not a hundredth, which is any that is not here.
const (
	withoutDecimals = " BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF "
	threeDecimals   = " BHD IQD JOD KWD LYD OMR TND "
)

// Digits is how many decimals a currency has.
func Digits(currency string) int {
	switch {
	case len(currency) != 3:
		return 2
	case strings.Contains(withoutDecimals, " "+currency+" "):
		return 0
	case strings.Contains(threeDecimals, " "+currency+" "):
		return 3
	}
	return 2
}

// FromDecimals is an amount that is given in so many decimals, whatever the currency's
// smallest unit is. A part of that is left out.
func FromDecimals(amount int64, decimals int, currency string) Money {
	for ; decimals > Digits(currency); decimals-- {
		amount /= 10
	}
	for ; decimals < Digits(currency); decimals++ {
		amount *= 10
	}
	return Money{Amount: amount, Currency: currency}
}
