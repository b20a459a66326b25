package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/client"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
)

const (
	grantKills = 100
	// What the product gives, and what everybody begins with.
	bought, welcome = 1000, 500
)

// Players pay, and while Stripe tells of it the server is killed: before the grant is
// on disk, or behind it. Stripe tells again what was not answered, and more than once;
// everything is granted once.
func TestKilledBetweenPaymentAndGrant(t *testing.T) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			r := rand.New(rand.NewPCG(2026, 6))
			account := stripetest.New(t, time.Now, true)
			s := newServer(t, database, "CUATROLA_STRIPE_SECRET_KEY="+account.Key, "CUATROLA_STRIPE_WEBHOOK_SECRETS="+stripetest.Secret,
				"CUATROLA_STRIPE_API_URL="+account.URL)
			hook := s.url + "/v1/webhooks/stripe"
			var players []*client.Client
			for range 4 {
				c, err := client.SignUp(ctx, s.url, s.http)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Get(ctx, "/v1/wallet"); err != nil {
					t.Fatal(err)
				}
				players = append(players, c)
			}
			cuts := cuts{server: s, random: r}
			for kill := range grantKills {
				buyer := players[kill%len(players)]
				o, pay, err := buyer.Order(ctx, fmt.Sprint("order", kill), "coins-1000", "EUR")
				if err != nil || pay["url"] == "" {
					t.Fatalf("%+v, %v, %v", o, pay, err)
				}
				events := account.Pay(o.ID)
				answered := make([]int, len(events))
				var telling []func()
				for i, e := range events {
					telling = append(telling, func() { answered[i], _ = account.Send(hook, e) })
				}
				cuts.during(ctx, telling...)
				cuts.found(t, status(ctx, t, buyer, o.ID) == "granted")
				for i, e := range events {
					for range 1 + r.IntN(2) {
						if answered[i] != http.StatusOK || r.IntN(2) == 0 {
							if code, body := account.Send(hook, e); code != http.StatusOK {
								t.Fatalf("kill %d: %d %s", kill, code, body)
							}
						}
					}
				}
				if got := status(ctx, t, buyer, o.ID); got != "granted" {
					t.Fatalf("kill %d: the order is %s", kill, got)
				}
			}
			cuts.ended(t, database+", grants of what was paid")
			for i, c := range players {
				text, err := c.Get(ctx, "/v1/wallet")
				if err != nil {
					t.Fatal(err)
				}
				var purse struct{ Coins, Debt int64 }
				if err := json.Unmarshal(text, &purse); err != nil {
					t.Fatal(err)
				}
				if want := int64(welcome + grantKills/len(players)*bought); purse.Coins != want || purse.Debt != 0 {
					t.Errorf("player %d has %d coins and owes %d, want %d", i, purse.Coins, purse.Debt, want)
				}
			}
		})
	}
}

func status(ctx context.Context, t *testing.T, c *client.Client, orderID string) string {
	t.Helper()
	text, err := c.Get(ctx, "/v1/shop/orders/"+orderID)
	if err != nil {
		t.Fatal(err)
	}
	var o client.Order
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o.Status
}
