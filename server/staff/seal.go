package staff

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

const (
	// totpPeriod is how long a code is due: what authenticators take for granted.
	totpPeriod = 30 * time.Second
	// totpSkew is how many steps a device's clock may be off.
	totpSkew = 1

	sealSalt = 16
)

// step finds the time step of a code, which has to be later than one that was taken
// before.
func (s *Service) step(secret, code string, last int64) (int64, bool) {
	code = strings.ReplaceAll(code, " ", "")
	now := s.now().Unix() / int64(totpPeriod/time.Second)
	for at := now - totpSkew; at <= now+totpSkew; at++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(at), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && want == code && at > last {
			return at, true
		}
	}
	return 0, false
}

// errSeal is of a seal that the password does not open.
var errSeal = errors.New("staff: a sealed secret does not open")

// seal keeps a secret so that only the password opens it: salt, nonce, and the secret
// in AES-GCM.
func (s *Service) seal(ctx context.Context, password, secret string) ([]byte, error) {
	box := make([]byte, sealSalt)
	if _, err := io.ReadFull(s.random, box); err != nil {
		return nil, fmt.Errorf("staff: salt of a seal: %w", err)
	}
	gcm, err := s.cipher(ctx, password, box)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return nil, fmt.Errorf("staff: nonce of a seal: %w", err)
	}
	return gcm.Seal(slices.Concat(box, nonce), nonce, []byte(secret), nil), nil
}

// open is the other way round. It takes as long where there is nothing to open.
func (s *Service) open(ctx context.Context, password string, box []byte) (string, error) {
	if len(box) < sealSalt {
		box = make([]byte, sealSalt)
	}
	gcm, err := s.cipher(ctx, password, box[:sealSalt])
	if err != nil {
		return "", err
	}
	box = box[sealSalt:]
	if len(box) < gcm.NonceSize() {
		return "", errSeal
	}
	secret, err := gcm.Open(nil, box[:gcm.NonceSize()], box[gcm.NonceSize():], nil)
	if err != nil {
		return "", errSeal
	}
	return string(secret), nil
}

func (s *Service) cipher(ctx context.Context, password string, salt []byte) (cipher.AEAD, error) {
	key, err := s.passwords.Key(ctx, password, salt)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("staff: %w", err)
	}
	return cipher.NewGCM(block)
}
