// Command teller is a Stripe for tests that are not in Go. It prints one line of JSON with
// where it listens and its keys, and then does what it is told on its standard input, a
// line each: `pay ORDER WEBHOOK`, `renew ORDER WEBHOOK`, `misfit ORDER WEBHOOK`, or `tell - WEBHOOK`, which
// tells what nobody was told of yet. Each is answered with a line. It ends with its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
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
		switch do {
		case "pay", "misfit":
			account.Pay(order)
		case "renew":
			account.Renew(order, true)
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
