package account

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Lengths of a password, in characters. The upper bound keeps a request from being
// work; whoever lets a program choose stays far below it.
const (
	MinPassword = 8
	MaxPassword = 128
)

// What argon2id costs, as the time of writing recommends: 19 MiB and two passes.
const (
	argonMemory  = 19 << 10 // KiB
	argonTime    = 2
	argonThreads = 1
	argonSalt    = 16
	argonKey     = 32
)

// nobodysHash is compared with where there is no password, so that it takes as
// long. No password has it: its key is all zeros.
var nobodysHash = encodeHash(make([]byte, argonSalt), make([]byte, argonKey))

func encodeHash(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemory, argonTime, argonThreads, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// checkPassword refuses what is no password.
func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); !utf8.ValidString(password) || n < MinPassword || n > MaxPassword {
		return &fault.Error{
			Code: fault.InvalidRequest, Field: "password",
			Message: fmt.Sprintf("A password has %d to %d characters.", MinPassword, MaxPassword),
		}
	}
	return nil
}

// hashPassword returns what is kept of a password.
func (s *Service) hashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, argonSalt)
	if _, err := io.ReadFull(s.random, salt); err != nil {
		return "", fmt.Errorf("account: password's salt: %w", err)
	}
	key, err := s.derive(ctx, password, salt, argonTime, argonMemory, argonThreads, argonKey)
	if err != nil {
		return "", err
	}
	return encodeHash(salt, key), nil
}

// hasPassword says whether the hash is the password's.
func (s *Service) hasPassword(ctx context.Context, hash, password string) (bool, error) {
	parts := strings.Split(hash, "$") // "", argon2id, v, costs, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, fmt.Errorf("account: a password's hash that cannot be read")
	}
	var memory, time uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil {
		return false, fmt.Errorf("account: a password's hash that cannot be read: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("account: a password's salt that cannot be read: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != argonKey {
		return false, fmt.Errorf("account: a password's key that cannot be read: %w", err)
	}
	got, err := s.derive(ctx, password, salt, time, memory, threads, argonKey)
	return subtle.ConstantTimeCompare(got, want) == 1, err
}

// derive runs argon2id, for as many at once as there are processors: more would
// only need more memory.
func (s *Service) derive(ctx context.Context, password string, salt []byte, time, memory uint32, threads uint8, size uint32) ([]byte, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "Too many sign in just now. Try again.", ctx.Err())
	}
	// The same password typed on another keyboard may come in other code points.
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, time, memory, threads, size), nil
}
