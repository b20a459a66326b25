package stripe_test

import (
	"bufio"
	"context"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/shop"
)

// mock is where scripts/tools.sh puts stripe-mock.
const mock = "../../../.bin/stripe-mock"

var listening = regexp.MustCompile(`HTTP at address: (127\.0\.0\.1:\d+)`)

// startMock starts stripe-mock on ports that the system chooses, until the test ends.
func startMock(t *testing.T) (url string) {
	t.Helper()
	// With HTTPS on this machine's own address too: it would otherwise be open to all.
	cmd := exec.Command(mock, "-http-addr", "127.0.0.1:", "-https-addr", "127.0.0.1:")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("stripe-mock does not start: %v\nscripts/tools.sh stripe-mock installs it; make test does so by itself", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // an error, since it was killed
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() { // whatever else it says
				}
			}()
			return "http://" + found[1]
		}
	}
	t.Fatalf("stripe-mock does not say where it listens: %v", lines.Err())
	return ""
}

// recorder notes what is asked and how it was answered.
type recorder struct {
	t     *testing.T
	mu    sync.Mutex
	calls []string
}

var identifier = regexp.MustCompile(`/(?:pi|cs|ch|re|dp|in|sub|cus)_\w+`)

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	call := req.Method + " " + identifier.ReplaceAllString(req.URL.Path, "/ID")
	r.calls = append(r.calls, call)
	if err != nil || res.StatusCode != http.StatusOK {
		r.t.Errorf("%s: %v %v", call, res, err)
	}
	return res, err
}

// Every request that we make has a shape that Stripe's own description of its interface
// allows. What comes back are examples, of no meaning.
func TestShapes(t *testing.T) {
	r := &recorder{t: t}
	b := newBench(t, false)
	address := startMock(t)
	b.till = b.newTill(func(o *stripe.Options) { o.URL, o.HTTP = address, &http.Client{Transport: r} })
	ctx := t.Context()
	for _, how := range []shop.Checkout{sheet, page} {
		for _, renews := range []string{"", "month", "year"} {
			if how.Sheet && renews != "" {
				continue
			}
			o := b.order()
			o.Renews = renews
			b.begin(o, how) // by its reference the second time
			b.begin(o, how)
		}
		b.customers.Set(playerID, "")
		how.Email = ""
		b.begin(b.order(), how)
	}
	if err := b.till.Look(ctx, b.order(), "cus_1"); err != nil {
		t.Error(err)
	}
	o := b.order()
	o.Transaction, o.Price.Amount = "pi_1", 1_000_000
	if err := b.till.Refund(ctx, o, o.Price.Amount, "duplicate"); err != nil {
		t.Error(err)
	}
	if err := b.till.StopRenewing(ctx, "sub_1"); err != nil {
		t.Error(err)
	}
	if err := b.till.Since(ctx, b.now.Add(-8*time.Hour), func(shop.Event) error { return nil }); err != nil {
		t.Error(err)
	}
	for kind, id := range map[string]string{
		"payment_intent": "pi_1", "checkout.session": "cs_1", "charge": "ch_1", "refund": "re_1", "dispute": "dp_1", "invoice": "in_1",
	} {
		if err := b.till.Anew(ctx, kind, id); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := b.till.Endpoint(ctx, "https://play.example/v1/webhooks/stripe"); err != nil {
		t.Error(err)
	}
	b.customers.Erase(playerID)
	if err := b.till.Forget(ctx); err != nil {
		t.Error(err)
	}
	slices.Sort(r.calls)
	want := []string{
		"DELETE /v1/customers/ID",
		"GET /v1/charges/ID", "GET /v1/checkout/sessions", "GET /v1/checkout/sessions/ID", "GET /v1/disputes/ID", "GET /v1/events",
		"GET /v1/invoices/ID", "GET /v1/payment_intents", "GET /v1/payment_intents/ID", "GET /v1/refunds", "GET /v1/refunds/ID", "GET /v1/webhook_endpoints",
		"POST /v1/checkout/sessions", "POST /v1/customers", "POST /v1/ephemeral_keys", "POST /v1/payment_intents", "POST /v1/refunds",
		"POST /v1/subscriptions/ID",
	}
	if got := slices.Compact(r.calls); !slices.Equal(got, want) {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// It would say so if a shape were wrong.
func TestShapesAreChecked(t *testing.T) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, startMock(t)+"/v1/payment_intents", strings.NewReader("amount=499&currency=eur&coins=1000"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk_test_123")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown parameter: %d", res.StatusCode)
	}
}
