// Package sha256 is SHA-256 (FIPS 180-4) and HMAC-SHA-256 (FIPS 198-1) without
// allocation and without imports that matter.
//
// The standard library has both, and a test here holds this package to it. It
// is not used because the rules also run in the browser: crypto/sha256 and
// crypto/hmac bring the FIPS module's self-tests, os and time along, which make
// the WebAssembly module a third larger (350 to 453 KB compressed) for two
// hundred lines. Nothing secret depends on the running time of this code: it
// serves the fair deal, whose secrets are published in the end.
package sha256

import "math/bits"

const (
	// Size of a digest in bytes.
	Size = 32
	// blockSize in bytes, of the compression function and so of HMAC's pads.
	blockSize = 64
)

// initial is the first 32 bits of the fractional parts of the square roots of
// the first eight primes.
var initial = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// constants are the same bits of the cube roots of the first 64 primes.
var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// Digest takes a message in pieces. Copying one copies its state. The zero
// Digest is not ready: start from [New].
type Digest struct {
	state [8]uint32
	block [blockSize]byte
	total uint64 // bytes taken so far
}

// New is the digest of the empty message so far.
func New() Digest { return Digest{state: initial} }

// Sum is the SHA-256 of data.
func Sum(data []byte) [Size]byte {
	d := New()
	d.Write(data)
	return d.Sum()
}

// Write adds data to the message.
func (d *Digest) Write(data []byte) {
	for _, b := range data {
		d.add(b)
	}
}

// WriteString adds the bytes of text to the message.
func (d *Digest) WriteString(text string) {
	for i := 0; i < len(text); i++ {
		d.add(text[i])
	}
}

// WriteUint32 adds v to the message as four bytes, the highest first.
func (d *Digest) WriteUint32(v uint32) {
	d.add(byte(v >> 24))
	d.add(byte(v >> 16))
	d.add(byte(v >> 8))
	d.add(byte(v))
}

func (d *Digest) add(b byte) {
	d.block[d.total%blockSize] = b
	d.total++
	if d.total%blockSize == 0 {
		d.compress()
	}
}

// Sum is the SHA-256 of the message so far; more may be written after it.
func (d *Digest) Sum() [Size]byte {
	end := *d
	length := d.total * 8 // in bits
	end.add(0x80)
	for end.total%blockSize != blockSize-8 {
		end.add(0)
	}
	end.WriteUint32(uint32(length >> 32))
	end.WriteUint32(uint32(length))
	var sum [Size]byte
	for i, word := range end.state {
		sum[4*i] = byte(word >> 24)
		sum[4*i+1] = byte(word >> 16)
		sum[4*i+2] = byte(word >> 8)
		sum[4*i+3] = byte(word)
	}
	return sum
}

// compress takes the full block into the state.
func (d *Digest) compress() {
	var w [64]uint32
	for i := range 16 {
		w[i] = uint32(d.block[4*i])<<24 | uint32(d.block[4*i+1])<<16 | uint32(d.block[4*i+2])<<8 | uint32(d.block[4*i+3])
	}
	for i := 16; i < 64; i++ {
		x, y := w[i-15], w[i-2]
		s0 := bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
		s1 := bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	s := &d.state
	a, b, c, dd, e, f, g, h := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for i := range 64 {
		s1 := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
		t1 := h + s1 + (e&f ^ ^e&g) + constants[i] + w[i]
		s0 := bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
		t2 := s0 + (a&b ^ a&c ^ b&c)
		h, g, f, e, dd, c, b, a = g, f, e, dd+t1, c, b, a, t1+t2
	}
	s[0] += a
	s[1] += b
	s[2] += c
	s[3] += dd
	s[4] += e
	s[5] += f
	s[6] += g
	s[7] += h
}

// MAC takes a message in pieces for HMAC-SHA-256. Copying one copies its state,
// so that a key's MAC can serve many messages. The zero MAC is not ready: start
// from [NewMAC].
type MAC struct {
	Digest        // of the inner pad and the message
	outer  Digest // of the outer pad
}

// NewMAC is the MAC of the empty message so far under a key of any length.
func NewMAC(key []byte) MAC {
	var pad [blockSize]byte
	if len(key) > blockSize {
		short := Sum(key)
		copy(pad[:], short[:])
	} else {
		copy(pad[:], key)
	}
	m := MAC{Digest: New(), outer: New()}
	for _, b := range pad {
		m.Digest.add(b ^ 0x36)
		m.outer.add(b ^ 0x5c)
	}
	return m
}

// Sum is the HMAC of the message so far; more may be written after it.
func (m *MAC) Sum() [Size]byte {
	inner := m.Digest.Sum()
	outer := m.outer
	outer.Write(inner[:])
	return outer.Sum()
}
