package sha256

import (
	"bytes"
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// The standard library is the reference; every length around the block size
// and a few long ones are tried.
func TestAgainstStandardLibrary(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	message := make([]byte, 1000)
	_, _ = random.Read(message)
	for n := range len(message) + 1 {
		if got, want := Sum(message[:n]), stdsha256.Sum256(message[:n]); got != want {
			t.Fatalf("Sum of %d bytes = %x, want %x", n, got, want)
		}
	}
	for _, keyLength := range []int{0, 1, 31, 32, 63, 64, 65, 200} {
		for _, n := range []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 1000} {
			key := message[:keyLength]
			reference := hmac.New(stdsha256.New, key)
			reference.Write(message[:n])
			m := NewMAC(key)
			m.Write(message[:n])
			if got := m.Sum(); !bytes.Equal(got[:], reference.Sum(nil)) {
				t.Fatalf("MAC with a key of %d bytes of %d bytes differs", keyLength, n)
			}
		}
	}
}

func TestPieces(t *testing.T) {
	d := New()
	d.WriteString("cuatrola")
	d.WriteUint32(0x01020304)
	early := d.Sum()
	d.Write([]byte{5})
	if got, want := early, Sum([]byte("cuatrola\x01\x02\x03\x04")); got != want {
		t.Errorf("Sum in the middle = %x, want %x", got, want)
	}
	if got, want := d.Sum(), Sum([]byte("cuatrola\x01\x02\x03\x04\x05")); got != want {
		t.Errorf("Sum after it = %x, want %x", got, want)
	}
}

// Example of FIPS 180-4 and test case 2 of RFC 4231, as anchors outside this
// machine.
func TestPublishedVectors(t *testing.T) {
	sum := Sum([]byte("abc"))
	if got, want := hex.EncodeToString(sum[:]), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("Sum(abc) = %s, want %s", got, want)
	}
	m := NewMAC([]byte("Jefe"))
	m.WriteString("what do ya want for nothing?")
	mac := m.Sum()
	if got, want := hex.EncodeToString(mac[:]), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; got != want {
		t.Errorf("MAC = %s, want %s", got, want)
	}
}

func TestNoAllocation(t *testing.T) {
	key, message := make([]byte, 32), make([]byte, 200)
	if n := testing.AllocsPerRun(100, func() {
		m := NewMAC(key)
		m.Write(message)
		_ = m.Sum()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMAC(b *testing.B) {
	key, message := make([]byte, 32), make([]byte, 40)
	b.ReportAllocs()
	for b.Loop() {
		m := NewMAC(key)
		m.Write(message)
		_ = m.Sum()
	}
}

func FuzzAgainstStandardLibrary(f *testing.F) {
	f.Add([]byte("key"), []byte("message"))
	f.Fuzz(func(t *testing.T, key, message []byte) {
		reference := hmac.New(stdsha256.New, key)
		reference.Write(message)
		m := NewMAC(key)
		m.Write(message)
		if got := m.Sum(); !bytes.Equal(got[:], reference.Sum(nil)) {
			t.Fatal("MAC differs")
		}
	})
}
