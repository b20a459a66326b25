package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/appstore"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/googleplay"
	"github.com/cuatrola/cuatrola/server/internal/jobs"
	"github.com/cuatrola/cuatrola/server/internal/oidc"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// sellers are the providers that the settings turn on.
type sellers struct {
	options []shop.Option
	// hooks read what providers send, by the names of their webhooks.
	hooks map[string]func(ctx context.Context, body []byte, header func(name string) string) (shop.Event, error)
	// jobs are what is to be done for the providers' sake.
	jobs []jobs.Job
}

// sellersOf puts the providers together. Each is off without its keys.
func sellersOf(c config.Shop, db *store.Store, now func() time.Time) (sellers, error) {
	var s sellers
	s.hooks = make(map[string]func(context.Context, []byte, func(string) string) (shop.Event, error))
	if c.Stripe.On() {
		o := c.Stripe.Options()
		o.Now, o.Customers = now, db.Customers()
		till, err := stripe.New(o)
		if err != nil {
			return s, err
		}
		s.options = append(s.options, shop.WithTill(shop.Stripe, till))
		s.jobs = append(s.jobs, jobs.Job{Name: "stripe_forget", When: jobs.Every(time.Hour), Run: till.Forget})
		s.hooks["stripe"] = func(ctx context.Context, body []byte, header func(string) string) (shop.Event, error) {
			return till.Webhook(ctx, body, header(stripe.SignatureHeader))
		}
	}
	if c.AppStore.On() {
		roots, err := appstore.ReadRoots(c.AppStore.RootFile)
		if err != nil {
			return s, naming("CUATROLA_APPLE_ROOT_FILE", err)
		}
		counter := appstore.New(appstore.Options{Roots: roots, Bundle: c.AppStore.Bundle, Sandbox: c.AppStore.Test(), Now: now})
		s.options = append(s.options, shop.WithCounter(shop.Apple, counter))
		s.hooks["apple"] = func(ctx context.Context, body []byte, _ func(string) string) (shop.Event, error) {
			return counter.Notification(ctx, body)
		}
	}
	if c.Play.On() {
		counter, err := playOf(c.Play, now)
		if err != nil {
			return s, err
		}
		s.options = append(s.options, shop.WithCounter(shop.Google, counter))
		s.hooks["google"] = func(ctx context.Context, body []byte, header func(string) string) (shop.Event, error) {
			return counter.Notification(ctx, header("Authorization"), body)
		}
	}
	return s, nil
}

func playOf(c config.Play, now func() time.Time) (*googleplay.Counter, error) {
	account, err := serviceaccount.Read(c.Credentials)
	if err != nil {
		return nil, naming("CUATROLA_GOOGLE_PLAY_CREDENTIALS", err)
	}
	push := oidc.Provider{Issuer: c.PushIssuer, KeysURL: c.PushKeysURL}
	if c.PushAudience != "" {
		push.Audiences = []string{c.PushAudience}
	}
	return googleplay.New(googleplay.Options{
		Package: c.Package, Credentials: account, URL: c.APIURL, Test: c.Test(), Now: now, Push: push, PushEmail: c.PushEmail,
	})
}

// webhooks have the shop told what providers send.
func (s *sellers) webhooks(to *shop.Service) map[string]rest.Webhook {
	all := make(map[string]rest.Webhook, len(s.hooks))
	for name, read := range s.hooks {
		all[name] = func(ctx context.Context, body []byte, header func(string) string) (string, error) {
			e, err := read(ctx, body, header)
			if err != nil {
				return "", err
			}
			outcome, err := to.Told(ctx, e)
			return string(outcome), err
		}
	}
	return all
}

// openShop is the shop over a database, with the providers of the settings.
func openShop(c config.Shop, db *store.Store, e *economy.Service, now func() time.Time, more ...shop.Option) (*shop.Service, sellers, error) {
	from, err := sellersOf(c, db, now)
	if err != nil {
		return nil, from, err
	}
	options := slices.Concat(from.options, []shop.Option{shop.WithTimeToPay(c.OrderTTL)}, more)
	return shop.New(db, e, db, now, rand.Reader, options...), from, nil
}

// shopJobs are what the shop does by itself: it closes orders whose time to pay is
// over, reads events that were missed, and tells stores what was given.
func shopJobs(s *shop.Service) []jobs.Job {
	return []jobs.Job{
		{Name: "shop_expire", When: jobs.Every(5 * time.Minute), Run: s.Expire},
		{Name: "shop_deliver", When: jobs.Every(time.Minute), Run: s.Deliver},
		{Name: "shop_reconcile", When: jobs.Every(10 * time.Minute), Run: func(ctx context.Context) error {
			r, err := s.Reconcile(ctx)
			if r.Missed+r.Late > 0 {
				slog.WarnContext(ctx, "the shop has found events that it had missed", "read", r.Read, "missed", r.Missed, "late", r.Late)
			}
			return err
		}},
	}
}

type shopCommand struct {
	Orders     shopOrders     `cmd:"" help:"Find orders: by a player's e-mail, name or id, by an order's id, or by what its provider calls it."`
	Order      shopOrder      `cmd:"" help:"Show an order and all that has happened to it."`
	Refund     shopRefund     `cmd:"" help:"Have the provider give money back. What was given is taken back when the provider says that it is done."`
	EndRenewal shopEndRenewal `cmd:"" help:"Have what a player pays again and again end with the time that is paid for."`
	Events     shopEvents     `cmd:"" help:"List events of the providers, newest first: those that did not fit and wait for somebody to look, or others."`
	Reconcile  shopReconcile  `cmd:"" help:"Read the providers' events again and take in what was missed."`

	WebhookTest shopWebhookTest `cmd:"" help:"Send the running server a harmless event as Stripe does, and say whether the set-up works."`
}

// shopFlags are those of all commands about the shop.
type shopFlags struct {
	config.Database `embed:""`
	config.Shop     `embed:""`

	JSON bool `name:"json" help:"Print JSON, a value on each line."`
}

// Validate is called by kong, which does not see those of what is embedded.
func (f *shopFlags) Validate() error {
	return errors.Join(f.Database.Validate(), f.Shop.Validate())
}

func (f *shopFlags) run(do func(context.Context, *store.Store, *shop.Service) error) error {
	return withBooks(f.Database, func(ctx context.Context, b books) error {
		s, _, err := openShop(f.Shop, b.Store, b.economy(), b.Now)
		if err != nil {
			return err
		}
		return do(ctx, b.Store, s)
	})
}

// orderLine is an order for an operator.
type orderLine struct {
	ID          string     `json:"id"`
	Player      string     `json:"player"`
	SKU         string     `json:"sku"`
	Status      string     `json:"status"`
	Amount      int64      `json:"amount"`
	Currency    string     `json:"currency"`
	TakenBack   int64      `json:"takenBack"`
	Provider    string     `json:"provider"`
	Live        bool       `json:"live"`
	Reference   string     `json:"reference,omitempty"`
	Transaction string     `json:"transaction,omitempty"`
	Series      string     `json:"subscription,omitempty"`
	Goods       shop.Goods `json:"goods"`
	Given       shop.Goods `json:"given"`
	Created     time.Time  `json:"createdAt"`
	Paid        time.Time  `json:"paidAt,omitzero"`
}

func newOrderLine(o *shop.Order) orderLine {
	return orderLine{
		ID: o.ID, Player: o.PlayerID, SKU: o.SKU, Status: string(o.Status), Amount: o.Price.Amount, Currency: o.Price.Currency, TakenBack: o.TakenBack(),
		Provider: string(o.Provider), Live: o.Live, Reference: o.Reference, Transaction: o.Transaction, Series: o.Subscription,
		Goods: o.Goods, Given: o.Given, Created: o.CreatedAt, Paid: o.PaidAt,
	}
}

// money is an amount for a person.
func money(m shop.Money) string {
	digits := shop.Digits(m.Currency)
	text := strconv.FormatInt(m.Amount, 10)
	if digits > 0 {
		for len(text) <= digits {
			text = "0" + text
		}
		text = text[:len(text)-digits] + "." + text[len(text)-digits:]
	}
	return strings.TrimSpace(text + " " + m.Currency)
}

// table prints lines whose cells are parted by tabs.
func table(lines []string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

type shopOrders struct {
	shopFlags `embed:""`

	Search string `required:"" help:"What is known of it."`
	Before string `help:"Only those older than the order with this id."`
	Limit  int    `default:"50" help:"How many at most."`
}

// Run lists what is found.
func (c *shopOrders) Run() error {
	return c.run(func(ctx context.Context, _ *store.Store, s *shop.Service) error {
		orders, err := s.FindOrders(ctx, c.Search, c.Before, c.Limit)
		if err != nil {
			return err
		}
		lines := []string{"ORDER\tCREATED\tSTATUS\tPRODUCT\tPRICE\tBACK\tTHROUGH\tPLAYER"}
		for _, o := range orders {
			if c.JSON {
				if err := json.NewEncoder(os.Stdout).Encode(newOrderLine(o)); err != nil {
					return err
				}
				continue
			}
			lines = append(lines, strings.Join([]string{
				o.ID, o.CreatedAt.Format(time.RFC3339), string(o.Status), o.SKU, money(o.Price),
				money(shop.Money{Amount: o.TakenBack(), Currency: o.Price.Currency}), string(o.Provider), o.PlayerID,
			}, "\t"))
		}
		if c.JSON {
			return nil
		}
		return table(lines)
	})
}

type shopOrder struct {
	shopFlags `embed:""`

	ID string `arg:"" help:"The order's id."`
}

// Run shows an order.
func (c *shopOrder) Run() error {
	return c.run(func(ctx context.Context, db *store.Store, s *shop.Service) error {
		o, history, err := s.Order(ctx, c.ID)
		if err != nil {
			return err
		}
		coins, err := db.Balance(ctx, wallet.Player(o.PlayerID))
		if err != nil {
			return err
		}
		debt, err := db.Balance(ctx, wallet.Debt(o.PlayerID))
		if err != nil {
			return err
		}
		if c.JSON {
			type changeLine struct {
				Seq    int         `json:"seq"`
				At     time.Time   `json:"at"`
				What   string      `json:"what"`
				Status string      `json:"status"`
				Actor  string      `json:"actor"`
				Detail shop.Detail `json:"detail"`
			}
			changes := make([]changeLine, len(history))
			for i, h := range history {
				changes[i] = changeLine{h.Seq, h.At, string(h.What), string(h.Status), h.Actor, h.Detail}
			}
			return json.NewEncoder(os.Stdout).Encode(map[string]any{
				"order": newOrderLine(o), "coins": coins, "debt": -debt, "history": changes,
			})
		}
		lines := []string{
			"order\t" + o.ID, "player\t" + fmt.Sprintf("%s, who has %d coins and owes %d", o.PlayerID, coins, -debt),
			"product\t" + fmt.Sprintf("%s: %s; given: %s", o.SKU, goodsText(o.Goods), goodsText(o.Given)),
			"price\t" + money(o.Price) + ", of which " + money(shop.Money{Amount: o.TakenBack(), Currency: o.Price.Currency}) + " came back",
			"status\t" + string(o.Status),
			"through\t" + strings.Join([]string{string(o.Provider), o.Reference, o.Transaction, o.Subscription}, " "),
		}
		for _, h := range history {
			detail, err := json.Marshal(h.Detail)
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("%s\t%s by %s, %s %s", h.At.Format(time.RFC3339), h.What, h.Actor, h.Status, detail))
		}
		return table(lines)
	})
}

func goodsText(g shop.Goods) string {
	return fmt.Sprintf("%d coins, %d boosters, %d days", g.Coins, g.Boosters, g.VIPDays)
}

type shopRefund struct {
	shopFlags `embed:""`
	signed    `embed:""`

	ID     string `arg:"" help:"The order's id."`
	Amount int64  `help:"How much is to have come back in all, in the currency's smallest unit. Without it, all of it."`
}

// Validate is called by kong, which does not see those of what is embedded.
func (c *shopRefund) Validate() error {
	return errors.Join(c.shopFlags.Validate(), c.signed.Validate())
}

// Run has money given back.
func (c *shopRefund) Run() error {
	return c.run(func(ctx context.Context, _ *store.Store, s *shop.Service) error {
		o, err := s.Refund(ctx, c.ID, c.Amount, c.Reason, c.Author)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(newOrderLine(o))
		}
		_, err = fmt.Println("asked; what was given is taken back when the provider says that it is done")
		return err
	})
}

type shopEndRenewal struct {
	shopFlags `embed:""`
	signed    `embed:""`

	ID string `arg:"" help:"The order's id."`
}

// Validate is called by kong, which does not see those of what is embedded.
func (c *shopEndRenewal) Validate() error {
	return errors.Join(c.shopFlags.Validate(), c.signed.Validate())
}

// Run has no money taken again.
func (c *shopEndRenewal) Run() error {
	return c.run(func(ctx context.Context, _ *store.Store, s *shop.Service) error {
		if err := s.EndRenewal(ctx, c.ID, c.Reason, c.Author); err != nil {
			return err
		}
		_, err := fmt.Println("it is not paid again")
		return err
	})
}

type shopEvents struct {
	shopFlags `embed:""`

	Refused bool      `xor:"which" help:"Those that did not fit their order, or were paid for nothing. The default."`
	Ignored bool      `xor:"which" help:"Those that are nothing to an order, or wait for theirs."`
	Applied bool      `xor:"which" help:"Those that were taken in."`
	Before  time.Time `help:"Only those received before this time."`
	Limit   int       `default:"50" help:"How many at most."`
}

// Run lists events.
func (c *shopEvents) Run() error {
	return c.run(func(ctx context.Context, _ *store.Store, s *shop.Service) error {
		outcome := shop.Refused
		switch {
		case c.Ignored:
			outcome = shop.Ignored
		case c.Applied:
			outcome = shop.Applied
		}
		events, err := s.Inbox(ctx, outcome, shop.Mark{ReceivedAt: c.Before}, c.Limit)
		if err != nil {
			return err
		}
		lines := []string{"RECEIVED\tFROM\tKIND\tEVENT\tCODE\tORDER"}
		for _, e := range events {
			if c.JSON {
				if err := json.NewEncoder(os.Stdout).Encode(map[string]any{
					"receivedAt": e.ReceivedAt, "outcome": e.Outcome, "code": e.Code, "order": e.Order, "event": e.Event,
				}); err != nil {
					return err
				}
				continue
			}
			lines = append(lines, strings.Join([]string{
				e.ReceivedAt.Format(time.RFC3339), string(e.Provider), e.Kind, e.ID, string(e.Code), e.Order,
			}, "\t"))
		}
		if c.JSON {
			return nil
		}
		return table(lines)
	})
}

type shopReconcile struct {
	shopFlags `embed:""`
}

// Run reconciles.
func (c *shopReconcile) Run() error {
	return c.run(func(ctx context.Context, _ *store.Store, s *shop.Service) error {
		r, err := s.Reconcile(ctx)
		if c.JSON {
			return errors.Join(err, json.NewEncoder(os.Stdout).Encode(map[string]int{"read": r.Read, "missed": r.Missed, "late": r.Late}))
		}
		_, printed := fmt.Printf("read %d events, %d of which had been missed; %d found the order that they had waited for\n", r.Read, r.Missed, r.Late)
		return errors.Join(err, printed)
	})
}
