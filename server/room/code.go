package room

import (
	"fmt"
	"io"
	"strings"

	"github.com/cuatrola/cuatrola/server/attempt"
)

const (
	// alphabet are the characters of a code: 32, so that each is five bits, without
	// those that are read for one another.
	alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	// codeLength makes a thousand million codes. They are short to be said aloud; what
	// keeps them from being guessed is that wrong ones are counted.
	codeLength = 6
)

// newCode makes a room's code.
func newCode(random io.Reader) (string, error) {
	code := make([]byte, codeLength)
	if _, err := io.ReadFull(random, code); err != nil {
		return "", fmt.Errorf("room: new code: %w", err)
	}
	for i, b := range code {
		code[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(code), nil
}

// cleanCode is a code as a person has typed it, in the form in which it is kept.
func cleanCode(text string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
}

// TriesOf is the key under which package attempt counts a player's wrong codes.
func TriesOf(playerID string) string { return attempt.Identity("room", playerID) }
