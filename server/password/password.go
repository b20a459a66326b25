// Package password keeps passwords of players and of staff: as argon2id hashes, at a
// cost that is bounded for the whole process.
package password

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Lengths of a password, in characters. The upper bound keeps a request from being
// work; whoever lets a program choose stays far below it.
const (
	Min = 8
	Max = 128
)

// Cost is what one hash costs, with argon2id.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
}

// Recommended is what the time of writing recommends: 19 MiB and two passes.
var Recommended = Cost{Memory: 19 << 10, Passes: 2}

const (
	threads   = 1
	saltBytes = 16
	keyBytes  = 32
)

func (c Cost) encode(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.Memory, c.Passes, threads, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// Check refuses what is no password. Codes: InvalidRequest, its Field is password.
func Check(password string) error { return CheckFrom(password, Min) }

// CheckFrom is Check with another least length, in characters.
func CheckFrom(password string, least int) error {
	if n := utf8.RuneCountInString(password); !utf8.ValidString(password) || n < least || n > Max {
		return &fault.Error{
			Code: fault.InvalidRequest, Field: "password",
			Message: fmt.Sprintf("A password has %d to %d characters.", least, Max),
		}
	}
	return nil
}

// Hasher hashes for as many at once as there are processors: more would only need more
// memory. Make one with NewHasher.
type Hasher struct {
	random  io.Reader
	cost    Cost
	running chan struct{}
}

// NewHasher returns a hasher that takes its salts from random. Another cost than the
// recommended one is for tests; a hash says what it cost, so that any can be compared.
func NewHasher(random io.Reader, cost Cost) *Hasher {
	return &Hasher{random: random, cost: cost, running: make(chan struct{}, runtime.NumCPU())}
}

// Nobodys is compared with where there is no password, so that it takes as long. No
// password has it: its key is all zeros.
func (h *Hasher) Nobodys() string {
	return h.cost.encode(make([]byte, saltBytes), make([]byte, keyBytes))
}

// Hash returns what is kept of a password. Codes: Unavailable.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("password: salt: %w", err)
	}
	key, err := h.derive(ctx, password, salt, h.cost, threads)
	if err != nil {
		return "", err
	}
	return h.cost.encode(salt, key), nil
}

// Matches says whether the hash is the password's. Codes: Unavailable.
func (h *Hasher) Matches(ctx context.Context, hash, password string) (bool, error) {
	parts := strings.Split(hash, "$") // "", argon2id, v, costs, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, fmt.Errorf("password: a hash that cannot be read")
	}
	var cost Cost
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.Memory, &cost.Passes, &threads); err != nil {
		return false, fmt.Errorf("password: a hash that cannot be read: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("password: a salt that cannot be read: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != keyBytes {
		return false, fmt.Errorf("password: a key that cannot be read: %w", err)
	}
	got, err := h.derive(ctx, password, salt, cost, threads)
	return subtle.ConstantTimeCompare(got, want) == 1, err
}

// Key is 32 bytes that only who has the password can make, for what the database alone
// shall not give away. salt is the caller's own, and not the hash's. Codes: Unavailable.
func (h *Hasher) Key(ctx context.Context, password string, salt []byte) ([]byte, error) {
	return h.derive(ctx, password, salt, h.cost, threads)
}

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, cost Cost, threads uint8) ([]byte, error) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "Too many sign in just now. Try again.", ctx.Err())
	}
	// The same password typed on another keyboard may come in other code points.
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, cost.Passes, cost.Memory, threads, keyBytes), nil
}
