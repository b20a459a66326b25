// Package push delivers messages to devices through Firebase Cloud Messaging, by
// its HTTP v1 interface. It reaches Android, iOS and web apps alike.
//
// One call is one try. When to try again is for the domain to say, which owns the
// clock.
package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/notice"
)

const (
	scope = "https://www.googleapis.com/auth/firebase.messaging"
	// timeout bounds one request, maxAnswer what of its answer is read.
	timeout   = 15 * time.Second
	maxAnswer = 64 << 10
)

// FCM is the service. Make one with New.
type FCM struct {
	url    string
	http   *http.Client
	now    func() time.Time
	config *jwt.Config

	mu     sync.Mutex
	source oauth2.TokenSource // keeps an access token while it is good
	newest string             // the access token that it gave last
}

var _ notice.Pusher = (*FCM)(nil)

// New returns the service at an endpoint, which is https://fcm.googleapis.com outside
// tests. It reads the clock now.
func New(c serviceaccount.Credentials, endpoint string, now func() time.Time) *FCM {
	return &FCM{
		url: strings.TrimSuffix(endpoint, "/") + "/v1/projects/" + url.PathEscape(c.ProjectID) + "/messages:send",
		http: &http.Client{
			Timeout: timeout,
			// A request with an access token goes where it was sent and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now:    now,
		config: c.Config(scope),
	}
}

type (
	request struct {
		Message message `json:"message"`
	}
	message struct {
		Token        string            `json:"token"`
		Notification notification      `json:"notification"`
		Data         map[string]string `json:"data,omitempty"`
		Android      android           `json:"android"`
		APNS         apns              `json:"apns"`
	}
	notification struct {
		Title string `json:"title"`
		Body  string `json:"body"`
	}
	android struct {
		CollapseKey string `json:"collapse_key,omitempty"`
	}
	apns struct {
		Headers map[string]string `json:"headers,omitempty"`
	}
	refusal struct {
		Error struct {
			Status  string `json:"status"`
			Details []struct {
				Type       string `json:"@type"`
				ErrorCode  string `json:"errorCode"`
				Violations []struct {
					Field string `json:"field"`
				} `json:"fieldViolations"`
			} `json:"details"`
		} `json:"error"`
	}
)

// Push implements notice.Pusher. Its errors hold no token and no text.
func (f *FCM) Push(ctx context.Context, m notice.Message) error {
	out := message{
		Token: m.Token, Notification: notification{m.Title, m.Body}, Data: m.Data, Android: android{CollapseKey: m.Collapse},
	}
	if m.Collapse != "" {
		out.APNS.Headers = map[string]string{"apns-collapse-id": m.Collapse}
	}
	body, err := json.Marshal(request{out})
	if err != nil {
		return err
	}
	token, err := f.accessToken()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	token.SetAuthHeader(req)
	req.Header.Set("Content-Type", "application/json")
	res, err := f.http.Do(req)
	if err != nil {
		return &notice.Later{Err: cause(err)}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return &notice.Later{Err: cause(err)}
	}
	return f.outcome(res, answer, token)
}

// outcome says what an answer means for the message.
func (f *FCM) outcome(res *http.Response, answer []byte, token *oauth2.Token) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	var r refusal
	_ = json.Unmarshal(answer, &r) // without details the status decides
	code, field := r.Error.Status, ""
	for _, d := range r.Error.Details {
		switch {
		case strings.HasSuffix(d.Type, ".FcmError") && d.ErrorCode != "":
			code = d.ErrorCode
		case len(d.Violations) > 0:
			field = d.Violations[0].Field
		}
	}
	err := fmt.Errorf("push: the service answered %d %s", res.StatusCode, word(code))
	switch {
	case code == "UNREGISTERED", code == "SENDER_ID_MISMATCH", code == "INVALID_ARGUMENT" && field == "message.token":
		return errors.Join(notice.ErrGone, err)
	case res.StatusCode == http.StatusUnauthorized && code != "THIRD_PARTY_AUTH_ERROR":
		// The access token was taken back before its time.
		f.forget(token)
		return &notice.Later{Err: err}
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= 500:
		return &notice.Later{After: f.retryAfter(res.Header), Err: err}
	}
	return err
}

// word is a code as it may stand in a log.
func word(code string) string {
	const most = 40
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r == '_' {
			return r
		}
		return -1
	}, code[:min(len(code), most)])
}

func (f *FCM) retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(f.now()))
	}
	return 0
}

// accessToken is the one at hand, or a new one for a signed assertion.
func (f *FCM) accessToken() (*oauth2.Token, error) {
	f.mu.Lock()
	if f.source == nil {
		// Not a message's context: the token is for those behind it too.
		f.source = f.config.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, f.http))
	}
	source := f.source
	f.mu.Unlock()
	token, err := source.Token()
	if err == nil {
		f.mu.Lock()
		f.newest = token.AccessToken
		f.mu.Unlock()
		return token, nil
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil {
		// The library's text has the answer's body in it.
		status := refused.Response.StatusCode
		err := fmt.Errorf("push: no access token, the answer was %d", status)
		if status == http.StatusTooManyRequests || status >= 500 {
			return nil, &notice.Later{After: f.retryAfter(refused.Response.Header), Err: err}
		}
		return nil, err
	}
	// The library does not let one tell them apart; that the key can be used has been
	// seen when it was read.
	return nil, &notice.Later{Err: errors.New("push: no access token: no answer, or none that can be read")}
}

// forget has the next message ask for a new access token, unless somebody has.
func (f *FCM) forget(token *oauth2.Token) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == token.AccessToken {
		f.source = nil
	}
}

// cause is a request's error without its address.
func cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
