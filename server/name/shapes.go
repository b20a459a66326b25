package name

import "strings"

// shapes gives folded characters the Latin letter that they are taken for. It
// covers the alphabets in which somebody could write a name to look like a
// Spanish, Catalan or English one; Unicode's table of confusables (UTS 39) has
// thousands more, nearly all of them signs that no keyboard has. No library for
// it is kept up, and golang.org/x/text has none.
var shapes = func() map[rune]string {
	table := map[rune]string{
		// One shape, two characters: rn and m, vv and w. The shorter becomes the longer,
		// for a table looks at single characters.
		'm': "rn", 'w': "vv",
		// I, l, 1 and | in most fonts.
		'i': "l", '1': "l", '|': "l", 'ı': "l", 'ǀ': "l", 'ɩ': "l", 'ɪ': "l", '¦': "l", '∣': "l",
		'0': "o",
		// Latin letters whose stroke is no mark that normalization takes off.
		'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h", 'ł': "l", 'ŧ': "t", 'ŋ': "n", 'ɑ': "a", 'ɡ': "g", 'ɓ': "b", 'ɗ': "d",
		'æ': "ae", 'œ': "oe", 'þ': "p", 'ĸ': "k", 'ƒ': "f", 'ə': "e", 'ɔ': "c",
	}
	// Other alphabets: first the letter, then what looks like it, large or small.
	for _, row := range []string{
		// Cyrillic
		"aа", "bвьъ", "cс", "dԁ", "eеєэ", "gԍ", "hһнҥ", "kкқ", "lіїӏ", "jј", "nпи", "oо", "pр", "qԛ", "rг", "sѕ", "tт", "xх", "yуү", "zз",
		// Greek
		"aα", "bβ", "cϲ", "eε", "hη", "jϳ", "kκ", "lι", "nν", "oοσ", "pρ", "tτ", "xχ", "yυγ", "zζ",
		// Armenian
		"gց", "hհ", "nո", "oօ", "sꜱ", "uս", "qզ",
		// Cherokee and others, as they come in imitations
		"aᎪ", "bᏴ", "cᏟ", "eᎬ", "gᏀ", "hᎻ", "jᎫ", "kᏦ", "lᏞ", "pᏢ", "rᏒ", "sᏚ", "tᎢ", "vᏙ", "zᏃ",
	} {
		runes := []rune(row)
		for _, r := range runes[1:] {
			table[r] = string(runes[0])
		}
	}
	for r, text := range map[rune]string{'м': "rn", 'μ': "rn", 'ԝ': "vv", 'ω': "vv", 'ш': "vv", 'Ꮃ': "vv", 'Ꮇ': "rn"} {
		table[r] = text
	}
	// What a character becomes must stay as it is, or a key would have another key.
	for r, text := range table {
		table[r] = strings.Map(func(c rune) rune {
			if t, ok := table[c]; ok && len(t) == 1 {
				return rune(t[0])
			}
			return c
		}, text)
	}
	return table
}()
