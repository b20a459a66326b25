package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/stripe"
	"github.com/cuatrola/cuatrola/server/shop"
)

// shopWebhookTest tries whether what Stripe sends is taken by the server that runs.
type shopWebhookTest struct {
	Stripe config.Stripe `embed:"" prefix:"stripe-" envprefix:"CUATROLA_STRIPE_"`

	URL       string `name:"url" env:"CUATROLA_PUBLIC_URL" default:"http://localhost:8080" help:"Where the server is, as Stripe reaches it."`
	AskStripe bool   `name:"ask-stripe" default:"true" negatable:"" help:"Ask Stripe too whether it knows the webhook."`
}

// errSetUp ends a test of a set-up that does not work. What is wrong has been said.
var errSetUp = errors.New("what Stripe sends would not be taken")

// webhookPatience is how long an answer is waited for.
const webhookPatience = 15 * time.Second

// Run sends an event that is nothing to anybody, signed with each secret, and one that
// is not signed, and says what became of them.
func (c *shopWebhookTest) Run() error {
	if !c.Stripe.On() {
		return errors.New("CUATROLA_STRIPE_SECRET_KEY is not set here: the test needs the server's own settings of Stripe")
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("--url: not a URL like https://play.example")
	}
	address := u.JoinPath("/v1/webhooks/stripe").String()
	fmt.Println("webhook:", address)
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	ctx := context.Background()
	options, ok := c.Stripe.Options(), true
	say := func(what string, good bool, detail string) {
		ok = ok && good
		fmt.Printf("%s: %s\n", map[bool]string{true: "ok", false: "wrong"}[good], strings.TrimSpace(what+" "+detail))
	}
	for i, secret := range options.Secrets {
		what := fmt.Sprintf("a harmless event, signed with secret %d of %d", i+1, len(options.Secrets))
		body, signature := stripe.SignTest(fmt.Sprintf("evt_cuatrola_%s_%d", id, i+1), secret, options.Live(), time.Now())
		a := post(ctx, address, body, signature)
		switch advice := a.advice(); {
		case advice != "":
			say(what, false, "is not taken. "+advice)
		case a.Outcome != string(ignored):
			say(what, false, "was "+a.Outcome+", and should have been ignored. The server is another release of Cuatrola than this command.")
		default:
			say(what, true, "was taken")
		}
		if a.advice() != "" {
			break // the next would fail for the same reason
		}
		// Whoever may say anything may say that something was paid.
		body[len(body)-2] ^= 1
		a = post(ctx, address, body, signature)
		say("the same event with one byte changed", a.Code == shop.CodeWebhookSignature,
			map[bool]string{true: "was refused", false: "WAS NOT REFUSED as badly signed. Do not sell anything with this server."}[a.Code == shop.CodeWebhookSignature])
	}
	if c.AskStripe {
		askStripe(ctx, options, address)
	}
	if !ok {
		return errSetUp
	}
	fmt.Println("the set-up works")
	return nil
}

// ignored is what has to become of the event.
const ignored = "ignored"

// askStripe says what Stripe knows of the webhook. It is advice only: events may also
// come through a tool that hands them on.
func askStripe(ctx context.Context, o stripe.Options, address string) {
	o.Now = time.Now
	till, err := stripe.New(o)
	if err == nil {
		var wrong []string
		if wrong, err = till.Endpoint(ctx, address); err == nil {
			for _, w := range wrong {
				fmt.Println("Stripe's endpoint for this address:", w)
			}
			if len(wrong) == 0 {
				fmt.Println("ok: Stripe knows the webhook, and sends all that is needed")
			} else {
				fmt.Printf("Set it in Stripe's dashboard under Developers, Webhooks: version %s, and these events:\n  %s\n", stripe.Version, strings.Join(stripe.Kinds, "\n  "))
			}
			return
		}
	}
	fmt.Println("Stripe cannot be asked about its endpoints, for which its key has to be allowed to:", err)
}

// posted is what became of an event that was posted.
type posted struct {
	err      error
	status   int
	location string
	Outcome  string     `json:"outcome"`
	Code     fault.Code `json:"code"`
	Request  string     `json:"requestId"`
}

func post(ctx context.Context, address string, body []byte, signature string) (p posted) {
	ctx, cancel := context.WithTimeout(ctx, webhookPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return posted{err: err}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set(stripe.SignatureHeader, signature)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return posted{err: err}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return posted{err: err}
	}
	_ = json.Unmarshal(answer, &p) // what is not from our server has none of this
	p.status, p.location = res.StatusCode, res.Header.Get("Location")
	return p
}

// advice says why an event was not taken and what to do. It is empty if it was.
func (p *posted) advice() string {
	if p.err != nil {
		return unreached(p.err)
	}
	switch p.Code {
	case shop.CodeWebhookSignature:
		return "The server has other secrets than CUATROLA_STRIPE_WEBHOOK_SECRETS says here: set them alike and start it again. If they are alike, something before the server changes bodies."
	case shop.CodeWebhookStale:
		return "The clocks of this machine and of the server are more than five minutes apart: set them by NTP."
	case shop.CodeWebhookVersion:
		return "The server is another release of Cuatrola than this command: use the server's own."
	case shop.CodeWebhookMode:
		return "The server has a key of another mode (test or live) than CUATROLA_STRIPE_SECRET_KEY says here."
	case fault.ProviderDisabled:
		return "The server runs without CUATROLA_STRIPE_SECRET_KEY: set it, and start it again."
	case fault.UnsupportedEncoding, fault.PayloadTooLarge:
		return "Something before the server changes bodies, for instance by compressing them: let /v1/webhooks/ through as it is."
	case fault.RateLimited:
		return "The address has sent too many requests: try again later."
	case fault.Unavailable:
		return "The server is not ready, or its database is not. Its log says more, at request " + p.Request + "."
	case fault.Internal:
		return "The server failed. Its log says more, at request " + p.Request + "."
	case fault.NotFound, fault.MethodNotAllowed:
		return "This server has no such webhook: it is an older release of Cuatrola, or the path is changed on the way."
	}
	switch {
	case p.status >= 300 && p.status < 400:
		return "The address leads on to " + p.location + ", and Stripe does not follow: give the final address, with https, to --url and to Stripe."
	case p.status == http.StatusUnauthorized || p.status == http.StatusForbidden:
		return "Something before the server asks who is there: let /v1/webhooks/ through without."
	case p.status == http.StatusBadGateway || p.status == http.StatusGatewayTimeout:
		return "The proxy does not reach the server."
	case p.status == http.StatusOK && p.Outcome != "":
		return ""
	default:
		return fmt.Sprintf("It was answered %d, and not by Cuatrola: is --url right, and does a proxy hand /v1/webhooks/ on?", p.status)
	}
}

// unreached says why there was no answer.
func unreached(err error) string {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return "The certificate is not good (" + certificate.Err.Error() + "), and Stripe would not take it either."
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "There is no https at this address: say http:// to try the server itself, and put a proxy with a certificate before it for Stripe."
	case errors.As(err, &name):
		return "The name " + name.Name + " is not known."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nobody listens at this address: does the server run, and is --url right?"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "There is no answer: a firewall, perhaps, or a server that hangs."
	default:
		return "There is no answer: " + err.Error()
	}
}
