package push_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/cuatrola/cuatrola/server/internal/push"
	"github.com/cuatrola/cuatrola/server/internal/serviceaccount"
	"github.com/cuatrola/cuatrola/server/notice"
)

var (
	t0  = time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)
	key = sync.OnceValue(func() *rsa.PrivateKey {
		k, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		return k
	})
)

// google is the service and its token endpoint, on a real listener.
type google struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	grants int
	good   string // the access token that is taken
	got    []map[string]any
	// token and send answer the next request otherwise than well, once.
	token, send http.HandlerFunc
}

func newGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", g.grant)
	mux.HandleFunc("POST /v1/projects/cuatrola-test/messages:send", g.take)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// grant gives an access token for an assertion that the account has signed.
func (g *google) grant(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.token; h != nil {
		g.token = nil
		h(w, r)
		return
	}
	var claims struct {
		jwt.RegisteredClaims
		Scope string `json:"scope"`
	}
	_, err := jwt.ParseWithClaims(r.PostFormValue("assertion"), &claims, func(token *jwt.Token) (any, error) {
		if token.Header["kid"] != "key-1" {
			return nil, errors.New("another kid")
		}
		return &key().PublicKey, nil
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithExpirationRequired(), jwt.WithAudience(g.url+"/token"), jwt.WithIssuer("push@cuatrola.example"))
	if err != nil || r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" ||
		claims.Scope != "https://www.googleapis.com/auth/firebase.messaging" {
		g.t.Errorf("asked for a token with %v: %v", r.PostForm, err)
	}
	g.grants++
	g.good = fmt.Sprint("access-", g.grants)
	_, _ = fmt.Fprintf(w, `{"access_token":%q,"expires_in":3600,"token_type":"Bearer"}`, g.good)
}

func (g *google) take(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.send; h != nil {
		g.send = nil
		h(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+g.good {
		refuse(401, "UNAUTHENTICATED", "")(w, r)
		return
	}
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Content-Type") != "application/json" {
		g.t.Errorf("%v, %v", r.Header, err)
	}
	g.got = append(g.got, body)
	_, _ = fmt.Fprint(w, `{"name":"projects/cuatrola-test/messages/1"}`)
}

// refuse answers as the service does.
func refuse(status int, code, details string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":"secret-device-token","status":%q,"details":[%s]}}`, status, code, details)
	}
}

func fcmError(code string) string {
	return `{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"` + code + `"}`
}

func badField(field string) string {
	return `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"` + field + `","description":"x"}]}`
}

// file is the account's key file.
func (g *google) file() string {
	g.t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key())
	if err != nil {
		g.t.Fatal(err)
	}
	members := map[string]any{
		"type": "service_account", "project_id": "cuatrola-test", "private_key_id": "key-1",
		"private_key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email": "push@cuatrola.example", "token_uri": g.url + "/token",
	}
	text, err := json.Marshal(members)
	if err != nil {
		g.t.Fatal(err)
	}
	file := filepath.Join(g.t.TempDir(), "fcm.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		g.t.Fatal(err)
	}
	return file
}

func (g *google) service() *push.FCM {
	g.t.Helper()
	c, err := serviceaccount.Read(g.file())
	if err != nil {
		g.t.Fatal(err)
	}
	return push.New(c, g.url, func() time.Time { return t0 })
}

var hello = notice.Message{
	Token: "secret-device-token", Title: "Sol·licitud", Body: "Ana et demana amistat.", Collapse: "friend_request",
	Data: map[string]string{"kind": "friend_request", "seq": "4"},
}

func TestPush(t *testing.T) {
	g := newGoogle(t)
	service := g.service()
	for range 3 {
		if err := service.Push(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]any{"message": map[string]any{
		"token":        "secret-device-token",
		"notification": map[string]any{"title": "Sol·licitud", "body": "Ana et demana amistat."},
		"data":         map[string]any{"kind": "friend_request", "seq": "4"},
		"android":      map[string]any{"collapse_key": "friend_request"},
		"apns":         map[string]any{"headers": map[string]any{"apns-collapse-id": "friend_request"}},
	}}
	if len(g.got) != 3 || !reflect.DeepEqual(g.got[0], want) {
		t.Errorf("got %v, want %v", g.got, want)
	}
	if g.grants != 1 {
		t.Errorf("%d access tokens for three messages", g.grants)
	}
	// An access token that is good no more is left for another.
	g.mu.Lock()
	g.good = "taken back"
	g.mu.Unlock()
	var later *notice.Later
	if err := service.Push(t.Context(), hello); !errors.As(err, &later) {
		t.Errorf("with an old token: %v", err)
	}
	if err := service.Push(t.Context(), hello); err != nil || g.grants != 2 {
		t.Errorf("with another: %v, %d", err, g.grants)
	}
}

// What the service's answers mean. None of them brings the device's token into an
// error, and so into the log.
func TestAnswers(t *testing.T) {
	g := newGoogle(t)
	service := g.service()
	const gone, later, refused = "gone", "later", "refused"
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("{"))
	}
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, c := range []struct {
		name        string
		token, send http.HandlerFunc
		want        string
		after       time.Duration
	}{
		{"unregistered", nil, refuse(404, "NOT_FOUND", fcmError("UNREGISTERED")), gone, 0},
		{"another project's", nil, refuse(403, "PERMISSION_DENIED", fcmError("SENDER_ID_MISMATCH")), gone, 0},
		{"no token at all", nil, refuse(400, "INVALID_ARGUMENT", fcmError("INVALID_ARGUMENT")+","+badField("message.token")), gone, 0},
		{"another field", nil, refuse(400, "INVALID_ARGUMENT", fcmError("INVALID_ARGUMENT")+","+badField("message.data")), refused, 0},
		{"no such project", nil, refuse(404, "NOT_FOUND", ""), refused, 0},
		{"Apple's key is wrong", nil, refuse(401, "UNAUTHENTICATED", fcmError("THIRD_PARTY_AUTH_ERROR")), refused, 0},
		{"quota", nil, refuse(429, "RESOURCE_EXHAUSTED", fcmError("QUOTA_EXCEEDED"), "Retry-After", "90"), later, 90 * time.Second},
		{"unavailable", nil, refuse(503, "UNAVAILABLE", "", "Retry-After", t0.Add(time.Minute).Format(http.TimeFormat)), later, time.Minute},
		{"unavailable, before", nil, refuse(503, "UNAVAILABLE", "", "Retry-After", t0.Add(-time.Minute).Format(http.TimeFormat)), later, 0},
		{"internal, odd time", nil, refuse(500, "INTERNAL", "", "Retry-After", "soon"), later, 0},
		{"no JSON", nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, later, 0},
		{"redirect", nil, elsewhere, refused, 0},
		{"cut off", nil, cut, later, 0},
		{"hung up", nil, hangUp, later, 0},
		{"no grant", refuse(400, "invalid_grant", ""), nil, refused, 0},
		{"no grant now", refuse(503, "x", "", "Retry-After", "5"), nil, later, 5 * time.Second},
		{"grant hung up", hangUp, nil, later, 0},
		{"grant no JSON", cut, nil, later, 0},
	} {
		s := service
		if c.token != nil {
			s = g.service() // has no access token yet
		}
		g.mu.Lock()
		g.token, g.send = c.token, c.send
		g.mu.Unlock()
		err := s.Push(t.Context(), hello)
		got := refused
		var l *notice.Later
		switch {
		case err == nil:
			got = "taken"
		case errors.Is(err, notice.ErrGone):
			got = gone
		case errors.As(err, &l):
			got = later
			if l.After != c.after {
				t.Errorf("%s: after %v, want %v", c.name, l.After, c.after)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "access-") || strings.Contains(err.Error(), "Ana")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := service.Push(t.Context(), hello); err != nil {
		t.Errorf("after all that: %v", err)
	}
}
