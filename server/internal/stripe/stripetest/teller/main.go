// Command teller is a Stripe for tests that are not in Go. It prints one line of JSON with
// where it listens and its keys, and then does what it is told on its standard input, a
// line each: a word of `deeds`, an order, and the webhook that is told what has come of it, and
// of all that nobody was told of yet, such as what was done on a page where one pays. `tell`
// does only that, `again` tells everything once more, and `misfit` pays and tells of
// too little. Each is answered with a line. It ends with its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
)

// alone is what a test is to stripetest, where there is none.
type alone struct{ testing.TB }

func (alone) Helper()        {}
func (alone) Cleanup(func()) {}
func (alone) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}

var deeds = map[string]func(account *stripetest.Stripe, order string){
	"pay":     func(a *stripetest.Stripe, order string) { a.Pay(order) },
	"misfit":  func(a *stripetest.Stripe, order string) { a.Pay(order) },
	"renew":   func(a *stripetest.Stripe, order string) { a.Renew(order, true) },
	"arrive":  func(a *stripetest.Stripe, order string) { a.Arrive(order, true) },
	"bounce":  func(a *stripetest.Stripe, order string) { a.Arrive(order, false) },
	"expire":  func(a *stripetest.Stripe, order string) { a.Expire(order) },
	"refund":  func(a *stripetest.Stripe, order string) { a.Refund(order, math.MaxInt64) },
	"dispute": func(a *stripetest.Stripe, order string) { a.Dispute(order, false) },
}

func main() {
	account := stripetest.New(alone{}, time.Now, true)
	out := json.NewEncoder(os.Stdout)
	say := func(v any) {
		if err := out.Encode(v); err != nil {
			os.Exit(1)
		}
	}
	say(map[string]string{"url": account.URL, "key": account.Key, "secret": stripetest.Secret})
	told := 0
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		words := strings.Fields(in.Text())
		if len(words) != 3 {
			say("three words, please")
			continue
		}
		do, order, hook := words[0], words[1], words[2]
		if deed := deeds[do]; deed != nil {
			deed(account, order)
		}
		if do == "again" {
			told = 0
		}
		events := account.Events()
		for ; told < len(events); told++ {
			e := events[told]
			if do == "misfit" { // as if less had been paid
				e = e.With(func(_, object stripetest.Object) {
					for _, name := range []string{"amount", "amount_received", "amount_total"} {
						if _, there := object[name]; there {
							object[name] = 1
						}
					}
				})
			}
			if status, body := account.Send(hook, e); status != http.StatusOK {
				say(fmt.Sprintf("%d: %s", status, body))
			}
		}
		say("done")
	}
}
