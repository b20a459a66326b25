package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/freeport"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/internal/stripe/stripetest"
)

// The command says that a set-up works when it does, and why it does not.
func TestShopWebhookTest(t *testing.T) {
	account := stripetest.New(t, time.Now, true)
	c := settings(t)
	c.Stripe.SecretKey, c.Stripe.WebhookSecrets, c.Stripe.APIURL = account.Key, []string{stripetest.Secret, "whsec_theNextOne"}, account.URL
	stop := start(t, c)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	server := "http://" + c.Listen
	account.AddEndpoint(server+"/v1/webhooks/stripe", stripe.Version, "*")
	off := settings(t)
	stopOff := start(t, off)
	defer func() {
		if err := stopOff(); err != nil {
			t.Error(err)
		}
	}()
	answering := func(status int, header, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", header)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	unknown := httptest.NewTLSServer(nil)
	t.Cleanup(unknown.Close)
	try := func(at, secrets string, more ...string) output {
		t.Helper()
		env := []string{"CUATROLA_STRIPE_SECRET_KEY=" + account.Key, "CUATROLA_STRIPE_WEBHOOK_SECRETS=" + secrets, "CUATROLA_STRIPE_API_URL=" + account.URL}
		return runIn(context.Background(), t, append(env, more...), "", "shop", "webhook-test", "--url", at)
	}
	both := stripetest.Secret + ",whsec_theNextOne"
	if got := try(server, both); got.status != 0 || strings.Count(got.stdout, "was taken") != 2 || strings.Count(got.stdout, "was refused") != 2 ||
		!strings.Contains(got.stdout, "ok: Stripe knows the webhook") || !strings.HasSuffix(got.stdout, "the set-up works\n") {
		t.Errorf("%+v", got)
	}
	for name, got := range map[string]struct {
		output
		want string
	}{
		"another secret":  {try(server, "whsec_anotherOne"), "other secrets"},
		"another mode":    {try(server, both, "CUATROLA_STRIPE_SECRET_KEY=sk_test_1"), "another mode"},
		"nobody":          {try("http://"+freeport.Address(), both), "Nobody listens"},
		"off":             {try("http://"+off.Listen, both), "runs without CUATROLA_STRIPE_SECRET_KEY"},
		"a redirect":      {try(answering(301, "https://elsewhere.example", ""), both), "leads on to https://elsewhere.example"},
		"a login":         {try(answering(401, "", "who?"), both), "asks who is there"},
		"a gateway":       {try(answering(502, "", "<html>"), both), "does not reach the server"},
		"a page":          {try(answering(200, "", "<html>"), both), "not by Cuatrola"},
		"clocks":          {try(answering(400, "", `{"code":"webhook_stale"}`), both), "NTP"},
		"another release": {try(answering(400, "", `{"code":"webhook_version"}`), both), "another release"},
		"database gone":   {try(answering(503, "", `{"code":"unavailable","requestId":"r-17"}`), both), "r-17"},
		"takes anything":  {try(answering(200, "", `{"outcome":"ignored"}`), both), "WAS NOT REFUSED"},
		"a certificate":   {try(unknown.URL, both), "certificate"},
		"no https":        {try(strings.Replace(server, "http:", "https:", 1), both), "no https"},
		"no such name":    {try("http://nothing.invalid", both), "is not known"},
		"not a URL":       {try("play", both), "--url"},
		"no settings":     {try(server, "", "CUATROLA_STRIPE_SECRET_KEY="), "CUATROLA_STRIPE_SECRET_KEY"},
		"an empty secret": {try(server, ""), "CUATROLA_STRIPE_WEBHOOK_SECRETS"},
	} {
		if got.status == 0 || !strings.Contains(got.stdout+got.stderr, got.want) {
			t.Errorf("%s: %+v, want %q", name, got.output, got.want)
		}
		if text := got.stdout + got.stderr; strings.Contains(text, account.Key) || strings.Contains(text, "whsec_a") || strings.Contains(text, stripetest.Secret) {
			t.Errorf("%s: a secret is printed: %s", name, text)
		}
	}
}
