package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	fetchTimeout = 10 * time.Second
	maxKeys      = 1 << 20 // bytes
	// maxAge is how long a key that its provider has withdrawn may go on being good.
	maxAge = time.Hour
)

// keySet is the keys that a provider publishes, fetched when a token names one that
// is not known. It implements go-oidc's KeySet.
type keySet struct {
	url    string
	client *http.Client
	now    func() time.Time

	// fetching is held by the one who fetches, and with it last and err.
	fetching chan struct{}
	last     time.Time
	err      error // of the last time

	mu   sync.RWMutex
	keys map[string]jose.JSONWebKey // by kid
	from time.Time                  // when they were fetched
}

func newKeySet(url string, now func() time.Time) *keySet {
	return &keySet{
		url: url, now: now, fetching: make(chan struct{}, 1),
		client: &http.Client{
			Timeout: fetchTimeout,
			// Keys come from where the operator has said, and from nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// unreachableKey is where VerifySignature finds an *error to set when no key could be
// had, which go-oidc would put into a text.
type unreachableKey struct{}

// VerifySignature returns the payload of a token that a known key has signed. Which
// algorithms may sign, go-oidc has looked at.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	if err != nil {
		return nil, err
	}
	if len(jws.Signatures) != 1 {
		return nil, errors.New("oidc: not one signature")
	}
	kid := jws.Signatures[0].Header.KeyID
	key, known, old := k.key(kid)
	if !known || old {
		// A provider that is down for a while does not take its keys back by it.
		if err := k.fetch(ctx); err != nil && !known {
			if to, ok := ctx.Value(unreachableKey{}).(*error); ok {
				*to = err
			}
			return nil, err
		}
		if key, known, _ = k.key(kid); !known {
			return nil, errors.New("oidc: unknown kid")
		}
	}
	return jws.Verify(key)
}

func (k *keySet) key(kid string) (key jose.JSONWebKey, known, old bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, known = k.keys[kid]
	return key, known, k.now().Sub(k.from) > maxAge
}

// fetch asks the provider for its keys, unless somebody has a moment ago. A flood of
// tokens with made-up kids must not become a flood at the provider's.
func (k *keySet) fetch(ctx context.Context) error {
	select {
	case k.fetching <- struct{}{}:
		defer func() { <-k.fetching }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now := k.now()
	if !k.last.IsZero() && now.Sub(k.last) < FetchEvery {
		// Without keys no token can be called bad.
		return k.err
	}
	k.last = now
	// Not the caller's to cancel: the keys are for all.
	keys, err := k.download(context.WithoutCancel(ctx))
	if k.err = err; err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.from = keys, now
	return nil
}

func (k *keySet) download(ctx context.Context) (map[string]jose.JSONWebKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, fmt.Errorf("oidc: keys: %w", err)
	}
	res, err := k.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("oidc: keys: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("oidc: keys: status %d", res.StatusCode)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxKeys)).Decode(&set); err != nil {
		return nil, fmt.Errorf("oidc: keys: %w", err)
	}
	keys := make(map[string]jose.JSONWebKey)
	for _, raw := range set.Keys {
		// A kind of key that is not known here is not for these tokens.
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && key.Valid() && key.IsPublic() && key.KeyID != "" && (key.Use == "" || key.Use == "sig") {
			keys[key.KeyID] = key
		}
	}
	return keys, nil
}
