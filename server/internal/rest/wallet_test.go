package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

func (w *world) wallet(token string) rest.Purse {
	w.t.Helper()
	var p rest.Purse
	w.send(request{method: "GET", path: "/v1/wallet", token: token}).into(w.t, &p)
	return p
}

// A player's first word may be to buy something: the welcome grant pays for it, and comes
// once.
func TestTheWelcomeGrantPays(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		w := newWorld(t, t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		ana, _ := w.guest("Ana")
		buy := func(key string) request {
			return request{
				method: "POST", path: "/v1/wallet/purchases", token: ana, body: `{"item":"booster"}`,
				header: map[string]string{"Idempotency-Key": key},
			}
		}
		var p rest.Purse
		if w.send(buy("one")).into(t, &p); p.Coins != 100 || p.Booster.Held != 1 {
			t.Errorf("behind the first purchase: %+v", p)
		}
		w.expect(http.StatusConflict, "insufficient_coins", buy("two"))
		if w.send(buy("one")).into(t, &p); p.Coins != 100 || p.Booster.Held != 1 {
			t.Errorf("sent twice, the first purchase: %+v", p)
		}
	})
}

// Every answer that the contract has for the wallet is one that the server gives.
func TestWalletContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		ana, _ := w.guest("Ana")
		ben, _ := w.guest("Ben")
		daily := request{method: "POST", path: "/v1/wallet/daily", token: ana}
		buy := func(item, key string) request {
			return request{
				method: "POST", path: "/v1/wallet/purchases", token: ana, body: `{"item":"` + item + `"}`,
				header: map[string]string{"Idempotency-Key": key},
			}
		}
		begin := request{method: "POST", path: "/v1/wallet/booster", token: ana}

		if p := w.wallet(ana); p.Coins != 500 || p.Level.Level != 1 || !p.Daily.Available {
			t.Errorf("a new player: %+v", p)
		}
		w.expect(http.StatusOK, "", daily)
		w.expect(http.StatusConflict, "daily_claimed", daily)
		w.expect(http.StatusConflict, "no_booster", begin)
		w.expect(http.StatusOK, "", buy("booster", "one"))
		w.expect(http.StatusOK, "", buy("booster", "one"))
		w.expect(http.StatusConflict, "idempotency_conflict", buy("vip", "one"))
		w.expect(http.StatusConflict, "insufficient_coins", buy("vip", "two"))
		w.expect(http.StatusBadRequest, "invalid_request", request{
			method: "POST", path: "/v1/wallet/purchases", token: ana, body: `{"item":"booster"}`,
		})
		w.expect(http.StatusOK, "", begin)
		w.expect(http.StatusConflict, "booster_running", begin)
		if p := w.wallet(ana); p.Coins != 150 || p.Booster.Until == nil || p.Daily.Streak != 1 {
			t.Errorf("after a day's shopping: %+v", p)
		}
		w.pass(24 * time.Hour)
		w.expect(http.StatusOK, "", daily)

		var page rest.TransferPage
		w.send(request{method: "GET", path: "/v1/wallet/transfers?limit=2", token: ana}).into(t, &page)
		if len(page.Transfers) != 2 || page.NextCursor == nil || page.Transfers[0].Text.En != "Daily reward, day 2 in a row" || page.Transfers[1].Amount != -400 {
			t.Errorf("the first page: %+v", page)
		}
		w.send(request{method: "GET", path: "/v1/wallet/transfers?kind=daily&cursor=" + *page.NextCursor, token: ana}).into(t, &page)
		if len(page.Transfers) != 1 || page.NextCursor != nil || page.Transfers[0].Amount != 50 || page.Transfers[0].Text.Ca != "Recompensa diària" {
			t.Errorf("the rest of one kind: %+v", page)
		}
		receipt := request{method: "GET", path: "/v1/wallet/transfers/" + page.Transfers[0].ID, token: ana}
		w.expect(http.StatusOK, "", receipt)
		receipt.token = ben
		w.expect(http.StatusNotFound, "not_found", receipt)
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/wallet/transfers?kind=gift", token: ana})
		// Whoever has merged a guest's account has such a line, of which clients have to know.
		w.expect(http.StatusOK, "", request{method: "GET", path: "/v1/wallet/transfers?kind=merge", token: ana})

		var e rest.Economy
		w.send(request{method: "GET", path: "/v1/economy"}).into(t, &e)
		if e.Version != 1 || e.Document["format"] != "cuatrola-economy/1" {
			t.Errorf("the economy: %+v", e)
		}
		for _, name := range []string{"approval", "fairness"} {
			if e.Document[name] != nil {
				t.Errorf("players are told %s, which is the operator's own", name)
			}
		}

		w.refusals(
			ana,
			request{method: "GET", path: "/v1/wallet"}, request{method: "POST", path: "/v1/wallet/daily"},
			request{method: "POST", path: "/v1/wallet/booster"},
			request{method: "POST", path: "/v1/wallet/purchases", body: `{}`},
			request{method: "GET", path: "/v1/wallet/transfers"}, request{method: "GET", path: "/v1/wallet/transfers/" + nobody},
		)
		w.allSeen("wallet")

		if found, err := w.store.CheckLedger(t.Context(), 10); err != nil || len(found) > 0 {
			t.Errorf("the ledger does not add up: %+v, %v", found, err)
		}
	})
}
