package name_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/name"
)

func TestSame(t *testing.T) {
	for _, group := range [][]string{
		{"Ana", "ANA", "ana", "Аnа", "ＡＮＡ", "Á n a", "A-n.a", "𝐀𝐧𝐚", "αna", "A\u0301na", "Ana\u3164", "A\u2800na"},
		{"Bill", "BILL", "B1ll", "Bi|l", "BіIl", "Bıll"},
		{"Mario", "rnario", "MARI0", "Мario", "Μario"},
		{"Peña", "Pena", "PENA", "Реñа"},
		{"Wow", "vvow", "ωow"},
		{"Straße", "STRASSE", "strasse"},
		{"Guest-10", "Guest-lo"},
	} {
		for _, n := range group[1:] {
			if a, b := name.Key(group[0]), name.Key(n); a != b {
				t.Errorf("%q is %q, %q is %q", group[0], a, n, b)
			}
		}
	}
	for _, pair := range [][2]string{{"Ana", "Anna"}, {"Ana", "Ane"}, {"Joan 🃏", "Joan"}, {"小明", "小红"}, {"♠", "♥"}, {"Ana 2", "Ana 3"}} {
		if name.Key(pair[0]) == name.Key(pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

func TestClean(t *testing.T) {
	for wish, want := range map[string]string{
		"  Ana María ": "Ana María", "A": "A", "Joan 🃏": "Joan 🃏", "Nu\u0301ria": "Núria", "Admina": "Admina",
		"Nil": "Nil", // what people are called, whatever it means to a machine
	} {
		if got, err := name.Clean(wish); err != nil || got != want {
			t.Errorf("%q: %q, %v", wish, got, err)
		}
	}
	for wish, code := range map[string]fault.Code{
		"": fault.InvalidRequest, "\xff": fault.InvalidRequest, "a\nb": fault.InvalidRequest, "a\u202eb": fault.InvalidRequest,
		"-- ..": fault.InvalidRequest, "\u3164\u2800": fault.InvalidRequest, strings.Repeat("\u0958", name.Max): fault.InvalidRequest, strings.Repeat("a", name.Max+1): fault.InvalidRequest,
		"admin": fault.NameReserved, "A.D.M.I.N": fault.NameReserved, "Аdmin": fault.NameReserved, "Adrnin": fault.NameReserved,
		"Guest-1": fault.NameReserved, "guеst 12": fault.NameReserved, "Cuatrola": fault.NameReserved, "Tabernero": fault.NameReserved,
	} {
		if got, err := name.Clean(wish); fault.CodeOf(err) != code {
			t.Errorf("%q: %q, %v, want %s", wish, got, err, code)
		}
	}
}

func TestOther(t *testing.T) {
	for _, taken := range []string{"Ana", strings.Repeat("ñ", name.Max), name.Guest("0123abcd")} {
		other, err := name.Other(taken, bytes.NewReader([]byte{0xab, 0xcd}))
		if err != nil || !strings.HasSuffix(other, "-abcd") || name.Key(other) == name.Key(taken) || len([]rune(other)) > name.Max {
			t.Errorf("%q: %q, %v", taken, other, err)
		}
	}
	if _, err := name.Other("Ana", bytes.NewReader(nil)); err == nil {
		t.Error("digits out of nothing")
	}
}

// A key is its own key, and neither case nor form, width, accent or space makes
// another.
func holds(t *testing.T, n string) {
	t.Helper()
	key := name.Key(n)
	if again := name.Key(key); again != key {
		t.Errorf("%q has the key %q, which has the key %q", n, key, again)
	}
	for how, other := range map[string]string{
		"upper case": strings.ToUpper(n), "lower case": strings.ToLower(n), "NFD": norm.NFD.String(n), "NFKC": norm.NFKC.String(n),
		"spaced": strings.Join(strings.Split(n, ""), " "),
	} {
		if got := name.Key(other); got != key {
			t.Errorf("%q has the key %q, in %s (%q) %q", n, key, how, other, got)
		}
	}
}

func TestKeyProperties(t *testing.T) {
	// Every character by itself, but for the scripts that have a sign for each word and
	// no case.
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsPrint(r) && !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Tangut, unicode.Egyptian_Hieroglyphs, unicode.Yi) {
			holds(t, string(r))
		}
	}
	// Characters together, from the alphabets that people mix.
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	alphabet := []rune("aAeEiIlLmMnNñÑoO0rRwWvV1|sSßſıİ àÀéçŀ·Łøаеосрхνκυςσμωії-_.'ՕհᎪꮿ🃏小")
	for range 20000 {
		runes := make([]rune, 1+random.IntN(name.Max))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		holds(t, string(runes))
	}
}

func FuzzKey(f *testing.F) {
	for _, n := range []string{"Ana", "İstanbul", "ŀl", "ΐ", "ᾳ", "ﬁ"} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n string) {
		if _, err := name.Clean(n); err == nil {
			holds(t, n)
		}
	})
}
