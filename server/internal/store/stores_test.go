package store_test

import (
	"bytes"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/appstore"
	"github.com/cuatrola/cuatrola/server/internal/appstore/appstoretest"
	"github.com/cuatrola/cuatrola/server/internal/googleplay"
	"github.com/cuatrola/cuatrola/server/internal/googleplay/googleplaytest"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/shop"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// mall is a shop with Apple's and Google's stores, each with another one that is
// nobody's business here.
type mall struct {
	*storefront
	r *mathrand.Rand

	apple, strange *appstoretest.Store
	play           *googleplaytest.Store
	appleCounter   *appstore.Counter
	playCounter    *googleplay.Counter
	// How much of what the stores have told has been picked up, and what waits on its
	// way.
	appleTold, playTold int
	waiting             []told
	sales               []*sale
}

// told is the body of a notification.
type told struct {
	provider shop.ProviderName
	body     []byte
	// bad if it has to be refused.
	bad bool
}

// sale is a purchase, as its store has it.
type sale struct {
	provider shop.ProviderName
	player   string
	id       string // Apple's transaction, Google's token
	price    int64
	// part of the price that Apple has given back, in thousandths of a percent.
	part int64
	// paid, and not taken back; gone if the store says to who asks that it is not bought.
	paid, void, gone bool
	// vip is for a subscription's payment, which gives no coins.
	vip bool
}

const chestCoins = 1001

func newMall(t *testing.T, s *store.Store, r *mathrand.Rand) *mall {
	t.Helper()
	m := &mall{storefront: newStorefront(t, s), r: r}
	m.apple, m.strange, m.play = appstoretest.New(t, m.clock), appstoretest.New(t, m.clock), googleplaytest.New(t, m.clock)
	account, err := serviceaccount.Read(m.play.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	m.appleCounter = appstore.New(appstore.Options{Roots: m.apple.Chain.Pool(), Bundle: appstoretest.Bundle, Now: m.clock})
	m.playCounter, err = googleplay.New(googleplay.Options{
		Package: googleplaytest.Package, Credentials: account, URL: m.play.URL, Now: m.clock,
		Push: m.play.Issuer.Provider("push"), PushEmail: googleplaytest.Sender,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Service = m.open(shop.WithCounter(shop.Apple, m.appleCounter), shop.WithCounter(shop.Google, m.playCounter))
	return m
}

// pick is a sale at random for which f holds; nil if there is none.
func (m *mall) pick(f func(*sale) bool) *sale {
	fit := slices.DeleteFunc(slices.Clone(m.sales), func(s *sale) bool { return !f(s) })
	if len(fit) == 0 {
		return nil
	}
	return fit[m.r.IntN(len(fit))]
}

// collect puts what the stores have told since the last time onto its way, some of it
// twice, and some of it altered or by strangers too.
func (m *mall) collect() {
	apple, play := m.apple.Told(), m.play.Told()
	for _, body := range apple[m.appleTold:] {
		m.send(told{provider: shop.Apple, body: body})
		if m.r.IntN(4) == 0 {
			altered := slices.Clone(body)
			i := len(`{"signedPayload":"`) + m.r.IntN(len(body)-len(`{"signedPayload":""}`))
			altered[i] = "AB"[btoi(altered[i] == 'A')]
			m.send(told{shop.Apple, altered, true})
		}
	}
	for _, body := range play[m.playTold:] {
		m.send(told{provider: shop.Google, body: body})
		if s := m.pick(func(s *sale) bool { return s.provider == shop.Google }); s != nil && m.r.IntN(4) == 0 {
			// Somebody's who can send, about anything: it is a hint to ask.
			kind := []string{"oneTimeProductNotification", "subscriptionNotification", "voidedPurchaseNotification"}[m.r.IntN(3)]
			m.send(told{provider: shop.Google, body: m.play.Message(googleplaytest.Object{kind: googleplaytest.Object{
				"notificationType": m.r.IntN(14), "purchaseToken": s.id, "sku": []string{"chest", "club", "coins"}[m.r.IntN(3)], "orderId": m.play.Order(s.id),
			}})})
		}
	}
	m.appleTold, m.playTold = len(apple), len(play)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *mall) send(t told) {
	m.waiting = append(m.waiting, t)
	if m.r.IntN(3) == 0 {
		m.waiting = append(m.waiting, t)
	}
}

// deliver lets some of what waits arrive, in any order and at once.
func (m *mall) deliver(n int) {
	m.t.Helper()
	m.r.Shuffle(len(m.waiting), func(i, j int) { m.waiting[i], m.waiting[j] = m.waiting[j], m.waiting[i] })
	n = min(n, len(m.waiting))
	var wg sync.WaitGroup
	for _, t := range m.waiting[:n] {
		wg.Go(func() { m.arrive(t) })
	}
	wg.Wait()
	m.waiting = m.waiting[n:]
}

func (m *mall) arrive(t told) {
	ctx := m.t.Context()
	var e shop.Event
	var err error
	if t.provider == shop.Apple {
		e, err = m.appleCounter.Notification(ctx, t.body)
	} else {
		e, err = m.playCounter.Notification(ctx, m.play.Authorization(), t.body)
	}
	if t.bad {
		if fault.CodeOf(err) != shop.CodeWebhookSignature {
			m.t.Errorf("altered: %+v, %v", e, err)
		}
		return
	}
	if err == nil {
		_, err = m.Told(ctx, e)
	}
	if err != nil {
		m.t.Errorf("%s: %v", e.Kind, err)
	}
}

// at once lets what a store has just told arrive.
func (m *mall) atOnce() {
	m.t.Helper()
	for _, body := range m.play.Told()[m.playTold:] {
		m.arrive(told{provider: shop.Google, body: body})
	}
}

// receipt is what the app shows now.
func (m *mall) receipt(s *sale) string {
	if s.provider == shop.Apple {
		return m.apple.Receipt(s.id, nil)
	}
	product := "chest"
	if s.vip {
		product = "club"
	}
	return googleplaytest.Receipt(product, s.id)
}

// show has two devices of the player and one of somebody else's show a receipt.
func (m *mall) show(s *sale, other string) {
	m.t.Helper()
	receipt, good := m.receipt(s), s.paid && !s.gone
	var wg sync.WaitGroup
	for _, who := range []string{s.player, s.player, other} {
		wg.Go(func() {
			o, err := m.Redeem(m.t.Context(), who, s.provider, receipt)
			switch code := fault.CodeOf(err); {
			case !good && code != shop.CodeReceipt && code != shop.CodeUnpaid,
				good && who == s.player && err != nil,
				good && who != s.player && code != shop.CodeForeign:
				m.t.Errorf("%+v, shown by %s: %+v, %v", s, who, o, err)
			}
		})
	}
	wg.Wait()
}

func (m *mall) buyAtApple(player string) {
	more, price := appstoretest.Object{}, int64(299)
	switch m.r.IntN(4) {
	case 0:
		more["price"], more["currency"], price = 500_000, "JPY", 500
	case 1:
		more["price"], price = 0, 0
	default:
		more["price"] = 2990
	}
	s := &sale{provider: shop.Apple, player: player, price: price, paid: true}
	if m.r.IntN(5) == 0 {
		s.vip, s.id = true, m.apple.Subscribe("com.example.club", player, more)
	} else {
		s.id = m.apple.Sell("com.example.chest", player, more)
	}
	m.sales = append(m.sales, s)
}

func (m *mall) buyAtGoogle(player string) {
	s := &sale{provider: shop.Google, player: player, price: 299, paid: true}
	switch m.r.IntN(5) {
	case 0:
		s.vip, s.id = true, m.play.Subscribe("club", player, nil)
		m.atOnce() // of a payment that another has followed, Google tells nothing
	case 1, 2:
		s.id, s.paid = m.play.SellLater("chest", player), false
	default:
		s.id = m.play.Sell("chest", player, nil)
	}
	m.sales = append(m.sales, s)
}

// change changes something about a sale.
func (m *mall) change(s *sale) {
	switch {
	case s.provider == shop.Google && !s.paid && !s.gone:
		if m.r.IntN(2) == 0 {
			m.play.Pay(s.id)
			s.paid = true
		} else {
			m.play.Cancel(s.id)
			s.gone = true
		}
	case s.provider == shop.Google && s.paid && !s.void:
		revoke := m.r.IntN(2) == 0
		m.collect()
		m.play.Void(s.id, m.r.IntN(9), revoke)
		if m.r.IntN(2) == 0 { // nobody is told, and it has to be asked for
			m.playTold = len(m.play.Told())
		}
		s.void, s.gone = true, revoke && !s.vip
	case s.provider == shop.Apple && s.void:
		m.apple.Reverse(s.id)
		s.void, s.gone, s.part = false, false, 0
	case s.provider == shop.Apple:
		s.void, s.gone, s.part = true, true, 100_000
		switch m.r.IntN(4) {
		case 0:
			m.apple.Revoke(s.id)
		case 1:
			s.part = m.r.Int64N(99_999) + 1
			m.apple.RefundPart(s.id, s.part)
		default:
			m.apple.Refund(s.id)
		}
	}
}

// renew has a subscription paid again, at Apple's as a sale of its own.
func (m *mall) renew(s *sale) {
	if s.provider == shop.Apple {
		m.sales = append(m.sales, &sale{provider: shop.Apple, player: s.player, id: m.apple.Renew(s.id), price: s.price, paid: true, vip: true})
		return
	}
	m.play.Renew(s.id)
	s.void = false
	m.atOnce()
}

// due is how many coins the player should have of a sale.
func (s *sale) due() int64 {
	switch {
	case !s.paid || s.vip:
		return 0
	case s.provider == shop.Google && s.void, s.part > 0 && s.price == 0:
		return 0
	}
	return chestCoins - chestCoins*(s.price*s.part/100_000)/max(s.price, 1)
}

// Whatever the stores tell, when and how often, the coins are what was paid less what
// was returned.
func TestCoinsAreWhatTheStoresSay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		seed, steps := shopSeed(t), 300
		if s.Kind() == store.Postgres {
			steps = 120
		}
		m := newMall(t, s, mathrand.New(mathrand.NewPCG(seed, 7)))
		t.Logf("seed %d", seed)
		ctx, r := t.Context(), m.r
		var players []string
		want := make(map[string]int64) // coins less debts
		for i := range 3 {
			players = append(players, addPlayer(t, s, fmt.Sprint("Player ", i)).ID)
			want[players[i]] = m.purse(players[i]).Coins
		}
		for step := range steps {
			player := players[r.IntN(3)]
			switch r.IntN(10) {
			case 0:
				m.buyAtApple(player)
			case 1:
				m.buyAtGoogle(player)
			case 2, 3:
				if s := m.pick(func(*sale) bool { return true }); s != nil {
					other := players[(slices.Index(players, s.player)+1)%3]
					m.show(s, other)
				}
			case 4, 5:
				if s := m.pick(func(*sale) bool { return true }); s != nil {
					m.change(s)
				}
			case 6:
				if s := m.pick(func(s *sale) bool { return s.vip && !s.gone }); s != nil {
					m.renew(s)
				}
			case 7:
				if has := balance(t, s, wallet.Player(player)); has > 0 {
					coins := has - r.Int64N(has)/2*r.Int64N(2)
					if _, _, err := s.Post(ctx, transfer(t, fmt.Sprint("spent", step), wallet.KindBooster, "",
						wallet.Move(wallet.Player(player), wallet.Spending, coins)...)); err != nil {
						t.Fatal(err)
					}
					want[player] -= coins
				}
			default:
				m.deliver(r.IntN(8) + 1)
			}
			m.advance(time.Duration(r.IntN(120)+1) * time.Minute)
			m.collect()
			if step%50 == 0 {
				if _, err := m.Reconcile(ctx); err != nil {
					t.Fatal(err)
				}
				if err := m.Deliver(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		m.deliver(len(m.waiting))
		if _, err := m.Reconcile(ctx); err != nil {
			t.Fatal(err)
		}
		if err := m.Deliver(ctx); err != nil {
			t.Fatal(err)
		}
		for _, s := range m.sales {
			want[s.player] += s.due()
			if s.provider == shop.Google && s.paid && !s.void && !m.play.Delivered(s.id) {
				t.Errorf("Google was not told that %+v was given", s)
			}
		}
		for _, player := range players {
			coins, debt := balance(t, s, wallet.Player(player)), -balance(t, s, wallet.Debt(player))
			if coins-debt != want[player] || coins > 0 && debt > 0 {
				t.Errorf("seed %d: %s has %d coins and owes %d, want %d", seed, player, coins, debt, want[player])
			}
		}
		for _, s := range m.sales {
			if !s.vip || s.gone || s.void {
				continue
			}
			transaction := s.id
			if s.provider == shop.Google {
				transaction = m.play.Order(s.id)
			}
			if found, err := m.FindOrders(ctx, transaction, "", 1000); err != nil || !slices.ContainsFunc(found, func(o *shop.Order) bool {
				return o.PlayerID == s.player && o.SKU == "club" && o.Status == shop.Granted && o.Transaction == transaction
			}) {
				t.Errorf("a month of VIP, %+v: %d orders, %v", s, len(found), err)
			}
		}
		addsUp(t, s)
		// A stranger's store has no say.
		id := m.strange.Sell("com.example.chest", players[0], nil)
		if _, err := m.Redeem(ctx, players[0], shop.Apple, m.strange.Receipt(id, nil)); fault.CodeOf(err) != shop.CodeReceipt {
			t.Errorf("a stranger's receipt: %v", err)
		}
		if _, err := m.appleCounter.Notification(ctx, bytes.Clone(m.strange.Told()[0])); fault.CodeOf(err) != shop.CodeWebhookSignature {
			t.Errorf("a stranger's notification: %v", err)
		}
		t.Logf("%d sales", len(m.sales))
	})
}
