package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
)

const (
	paidKills   = 40
	paidPlayers = 4
	// What the catalogue has it for.
	paidSKU, paidPrice, paidCoins = "coins-1000", 199, 1000
)

// buyer is a player who buys again and again.
type buyer struct {
	*client.Client
	welcome int64
	orders  []string
}

// coins of the player.
func (b *buyer) coins(ctx context.Context, t *testing.T) int64 {
	t.Helper()
	body, err := b.Get(ctx, "/v1/wallet")
	if err != nil {
		t.Fatal(err)
	}
	var w struct{ Coins int64 }
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	return w.Coins
}

// buy orders, and leaves the page unpaid.
func (b *buyer) buy(ctx context.Context, t *testing.T, key string) (orderID string) {
	t.Helper()
	o, pay, err := b.Order(ctx, key, paidSKU, "EUR")
	if err != nil || pay["url"] == "" {
		t.Fatalf("%+v, %v, %v", o, pay, err)
	}
	b.orders = append(b.orders, o.ID)
	return o.ID
}

// receipt is what the player is shown of an order.
func (b *buyer) receipt(ctx context.Context, t *testing.T, orderID string) (status string, given, takenBack int64) {
	t.Helper()
	body, err := b.Get(ctx, "/v1/shop/orders/"+orderID)
	if err != nil {
		t.Fatal(err)
	}
	var o struct {
		Status    string
		TakenBack int64
		Given     struct{ Coins int64 }
	}
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatal(err)
	}
	return o.Status, o.Given.Coins, o.TakenBack
}

// dueCoins are what an order should have given for what Stripe has of its money.
func dueCoins(has int64) int64 { return paidCoins - paidCoins*(paidPrice-has)/paidPrice }

// run runs the binary with the server's settings.
func (s *server) run(args ...string) (string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// People pay through Stripe, which tells of it twice and more and in any order, gives
// money back and loses disputes, and each time the server is killed somewhere between
// Stripe's word and the coins. What was paid is given once, what went back is taken once,
// and what nobody told of in the end is found out.
func TestKilledWhileMoneyComesAndGoes(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			r := rand.New(rand.NewPCG(2026, uint64(len(database))))
			account := stripetest.New(t, time.Now, true)
			s := newServer(
				t, database, "CUATROLA_STRIPE_SECRET_KEY="+account.Key, "CUATROLA_STRIPE_WEBHOOK_SECRETS="+stripetest.Secret,
				"CUATROLA_STRIPE_API_URL="+account.URL,
			)
			hook := s.url + "/v1/webhooks/stripe"
			var buyers []*buyer
			for range paidPlayers {
				c, err := client.SignUp(ctx, s.url, s.http)
				if err != nil {
					t.Fatal(err)
				}
				b := &buyer{Client: c}
				b.welcome = b.coins(ctx, t)
				buyers = append(buyers, b)
			}
			insist := func(e stripetest.Event) {
				t.Helper()
				for {
					status, body := account.Send(hook, e)
					if status == http.StatusOK {
						return
					}
					if status != 0 && status < 500 || ctx.Err() != nil {
						t.Fatalf("%s: %d %s", e.Type, status, body)
					}
				}
			}
			disputed := make(map[string]bool)
			cuts := cuts{server: s, random: r}
			for kill := range paidKills {
				b := buyers[kill%paidPlayers]
				orderID := b.buy(ctx, t, fmt.Sprint("buy-", kill))
				news := account.Pay(orderID)
				if old := b.orders[r.IntN(len(b.orders))]; old != orderID {
					switch {
					case disputed[old]:
						news = append(news, account.Decide(old, r.IntN(2) == 0)...)
						delete(disputed, old)
					case account.Has(old) > 0 && r.IntN(3) == 0:
						news = append(news, account.Dispute(old, false)...)
						disputed[old] = true
					case account.Has(old) > 0:
						news = append(news, account.Refund(old, 1+r.Int64N(paidPrice))...)
					}
				}
				news = append(news, news...)
				r.Shuffle(len(news), func(i, j int) { news[i], news[j] = news[j], news[i] })
				var telling []func()
				for _, e := range news {
					telling = append(telling, func() { account.Send(hook, e) })
				}
				cuts.during(ctx, telling...)
				status, _, _ := b.receipt(ctx, t, orderID)
				cuts.found(t, status == "granted")
				for _, e := range news {
					insist(e)
				}
			}
			cuts.ended(t, database+", money that comes and goes")
			compare := func(what string) {
				t.Helper()
				for i, b := range buyers {
					want := b.welcome
					for _, id := range b.orders {
						due := dueCoins(account.Has(id))
						want += due
						if status, given, back := b.receipt(ctx, t, id); given != due || back != paidPrice-account.Has(id) {
							t.Errorf("%s: order %s is %s, gave %d coins of %d, and %d came back of %d", what, id, status, given, due, back, paidPrice-account.Has(id))
						}
					}
					if got := b.coins(ctx, t); got != want {
						t.Errorf("%s: player %d has %d coins, and %d are paid for", what, i, got, want)
					}
				}
			}
			compare("told again and again")
			all := account.Events()
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, e := range all[:min(len(all), 300)] {
				insist(e)
			}
			compare("all told once more, in another order")

			// Now nothing is told of.
			b := buyers[0]
			missed := b.buy(ctx, t, "missed")
			account.Pay(missed)
			account.Refund(missed, 50)
			if out, err := s.run("shop", "reconcile"); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			compare("found out")
			for range 2 { // the second asks for nothing more
				if out, err := s.run("shop", "refund", missed, "--amount", "120", "--reason", "a wish", "--author", "eva"); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			if has := account.Has(missed); has != paidPrice-120 {
				t.Errorf("Stripe has %d", has)
			}
			if out, err := s.run("shop", "reconcile"); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			compare("given back by an operator")

			body := all[0].JSON()
			if status, answer := account.Post(hook, bytes.Replace(body, []byte("evt_"), []byte("evt-"), 1), stripetest.Sign(body, stripetest.Secret, time.Now())); status != http.StatusBadRequest {
				t.Errorf("an altered event: %d %s", status, answer)
			}
			for _, secret := range []string{account.Key, stripetest.Secret, "_secret_"} {
				if strings.Contains(s.logged(), secret) {
					t.Errorf("the log has %s", secret)
				}
			}
		})
	}
}

// A pass is paid again every month, each time as an order of its own, until the player
// says no more.
func TestPassThatRenews(t *testing.T) {
	ctx := t.Context()
	account := stripetest.New(t, time.Now, true)
	s := newServer(
		t, "sqlite", "CUATROLA_STRIPE_SECRET_KEY="+account.Key, "CUATROLA_STRIPE_WEBHOOK_SECRETS="+stripetest.Secret,
		"CUATROLA_STRIPE_API_URL="+account.URL,
	)
	c, err := client.SignUp(ctx, s.url, s.http)
	if err != nil {
		t.Fatal(err)
	}
	o, pay, err := c.Order(ctx, "pass", "vip-monthly", "EUR")
	if err != nil || pay["url"] == "" {
		t.Fatalf("%v, %v", pay, err)
	}
	account.Pay(o.ID)
	account.Renew(o.ID, true)
	account.Renew(o.ID, false)
	account.Renew(o.ID, true)
	// The newest first, so that renewals come before what they renew; all of it twice.
	events := account.Events()
	for range 2 {
		for i := range events {
			if status, body := account.Send(s.url+"/v1/webhooks/stripe", events[len(events)-1-i]); status != http.StatusOK {
				t.Fatalf("%d %s", status, body)
			}
		}
	}
	if out, err := s.run("shop", "reconcile"); err != nil { // what has waited for its order
		t.Fatalf("%v: %s", err, out)
	}
	var page struct {
		Orders []struct {
			ID, Status string
			Given      struct{ VIPDays int }
			Renews     *string
		}
	}
	text, err := c.Get(ctx, "/v1/shop/orders")
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	if err != nil || len(page.Orders) != 3 {
		t.Fatalf("%s, %v", text, err)
	}
	for _, o := range page.Orders {
		if o.Status != "granted" || o.Given.VIPDays != 31 {
			t.Errorf("%+v", o)
		}
	}
	for _, o := range []string{o.ID, page.Orders[0].ID} {
		if err := c.Do(ctx, http.MethodDelete, "/v1/shop/orders/"+o+"/renewal", nil, nil); err != nil {
			t.Error(err)
		}
	}
	if sub := account.Objects("subscription")[0]; sub["cancel_at_period_end"] != true {
		t.Errorf("it renews: %v", sub)
	}
}
