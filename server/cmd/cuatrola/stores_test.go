package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/appstore/appstoretest"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/googleplay/googleplaytest"
	"github.com/cuatrola/cuatrola/server/internal/oidc/oidctest"
)

// A server with the settings of both stores gives what was bought there, and takes back
// what the stores say.
func TestServeSellsThroughStores(t *testing.T) {
	apple, play := appstoretest.New(t, time.Now), googleplaytest.New(t, time.Now)
	c := settings(t)
	c.AppStore = config.AppStore{Bundle: appstoretest.Bundle, RootFile: apple.Chain.RootFile(t), Purchases: "live"}
	c.Play = config.Play{
		Package: googleplaytest.Package, Credentials: play.KeyFile(), APIURL: play.URL, Purchases: "live",
		PushAudience: oidctest.Audience, PushEmail: googleplaytest.Sender, PushIssuer: play.Issuer.URL, PushKeysURL: play.Issuer.URL + "/keys",
	}
	stop := start(t, c)
	catalogue := filepath.Join(t.TempDir(), "economy.json")
	text := bytes.Replace(economy.Default(), []byte(`"sku": "coins-1000",`), []byte(`"sku": "coins-1000", "apple": "coins.1000", "google": "coins_1000",`), 1)
	if err := os.WriteFile(catalogue, text, 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"CUATROLA_DATA_DIR=" + c.DataDir}
	if got := runIn(t.Context(), t, env, "", "economy", "publish", catalogue, "--author", "eva", "--reason", "the stores"); got.status != 0 {
		t.Fatalf("%+v", got)
	}

	ask := func(method, path, authorization string, body []byte, answer any) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+c.Listen+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(answer); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		return res.StatusCode
	}
	var ana struct {
		AccessToken string
		Player      struct{ ID string }
	}
	ask("POST", "/v1/guests", "", []byte(`{"name":"Ana"}`), &ana)
	coins := func() (n int64) {
		t.Helper()
		var wallet struct{ Coins int64 }
		if status := ask("GET", "/v1/wallet", "Bearer "+ana.AccessToken, nil, &wallet); status != http.StatusOK {
			t.Fatal(status)
		}
		return wallet.Coins
	}
	show := func(provider, receipt string) (o struct{ Status, Code, Detail string }) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"provider": provider, "receipt": receipt})
		if err != nil {
			t.Fatal(err)
		}
		ask("POST", "/v1/shop/receipts", "Bearer "+ana.AccessToken, body, &o)
		return o
	}
	tell := func(provider, authorization string, body []byte) (answer struct{ Outcome, Code string }) {
		t.Helper()
		ask("POST", "/v1/webhooks/"+provider, authorization, body, &answer)
		return answer
	}
	before := coins()

	id := apple.Sell("coins.1000", ana.Player.ID, nil)
	for range 2 {
		if o := show("apple", apple.Receipt(id, nil)); o.Status != "granted" {
			t.Errorf("apple: %+v", o)
		}
	}
	token := play.Sell("coins_1000", ana.Player.ID, nil)
	if o := show("google", googleplaytest.Receipt("coins_1000", token)); o.Status != "granted" || !play.Delivered(token) {
		t.Errorf("google: %+v", o)
	}
	// Nobody shows this one.
	play.Sell("coins_1000", ana.Player.ID, nil)
	for i, body := range play.Told() {
		if got := tell("google", play.Authorization(), body); got.Outcome != "applied" {
			t.Errorf("google's notification %d: %+v", i, got)
		}
	}
	if got := coins() - before; got != 3000 {
		t.Errorf("%d coins", got)
	}
	apple.Refund(id)
	for _, body := range apple.Told() {
		if got := tell("apple", "", body); got.Outcome != "applied" {
			t.Errorf("apple: %+v", got)
		}
	}
	if got := coins() - before; got != 2000 {
		t.Errorf("%d coins after a refund", got)
	}
	play.Void(token, 0, true)
	if got := runIn(t.Context(), t, append(env,
		"CUATROLA_GOOGLE_PLAY_PACKAGE="+c.Play.Package, "CUATROLA_GOOGLE_PLAY_CREDENTIALS="+c.Play.Credentials, "CUATROLA_GOOGLE_PLAY_API_URL="+c.Play.APIURL,
	), "", "shop", "reconcile"); got.status != 0 || !strings.Contains(got.stdout, "read 1 events") {
		t.Errorf("%+v", got)
	}
	if got := coins() - before; got != 1000 {
		t.Errorf("%d coins after another", got)
	}
	if got := tell("apple", "", appstoretest.Body("x")); got.Code != "webhook_signature" {
		t.Errorf("not Apple: %+v", got)
	}
	if got := tell("google", "", play.Told()[0]); got.Code != "webhook_signature" {
		t.Errorf("not Google: %+v", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
