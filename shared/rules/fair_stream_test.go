package rules

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

// A deal hardly ever needs more than one block of the stream, so the vectors do
// not show that the next one follows.
func TestStreamGoesOn(t *testing.T) {
	seed := bytes.Repeat([]byte{5}, ServerSeedSize)
	seeds := [Seats][]byte{[]byte("a"), nil, []byte("ñ"), []byte("d")}

	u32 := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	var message []byte
	for _, part := range [][]byte{[]byte("tag"), []byte("match"), seeds[0], seeds[1], seeds[2], seeds[3]} {
		message = append(append(message, u32(len(part))...), part...)
	}
	message = append(message, u32(258)...)

	s := newStream("tag", seed, "match", &seeds, 258)
	for block := range 5 {
		mac := hmac.New(sha256.New, seed)
		mac.Write(message)
		mac.Write(u32(block))
		for i, b := range mac.Sum(nil) {
			if got, want := s.below(128), b%128; got != want {
				t.Fatalf("block %d, byte %d: %d, want %d", block, i, got, want)
			}
		}
	}
}

// Of the 256 bytes each number has as many as the others, the rest are left out.
func TestBelowLeavesNoBias(t *testing.T) {
	for n := 1; n <= DeckSize; n++ {
		var count [DeckSize]int
		for b := range 256 {
			s := newStream("tag", nil, "", &[Seats][]byte{}, 0)
			s.below(1) // fetches a block
			for i := range s.block {
				s.block[i] = byte(b)
			}
			limit := 256 - 256%n
			if b >= limit {
				s.block[s.next+1] = 0 // what follows the byte that is left out
			}
			got := int(s.below(uint8(n)))
			if b >= limit && got != 0 || b < limit && got != b%n {
				t.Fatalf("byte %d below %d gives %d", b, n, got)
			}
			if b < limit {
				count[got]++
			}
		}
		for i := 1; i < n; i++ {
			if count[i] != count[0] {
				t.Fatalf("below %d: %d comes %d times, 0 %d times", n, i, count[i], count[0])
			}
		}
	}
}
