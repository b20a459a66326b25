// Package name says what a player may be called, and which names are one and the
// same to a reader's eye.
//
// A name is unique by its [Key], which is made for comparing and never shown.
package name

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Max is the most characters that a name may have.
const Max = 24

// guest begins the names that are made up; nobody can choose one.
const guest = "Guest-"

// Clean trims a name that somebody wishes for, and refuses what would not show as
// one line, has nothing in it to tell it by, or speaks for the house.
//
// Codes: InvalidRequest, NameReserved.
func Clean(wish string) (string, error) {
	invalid := func(why string) error {
		return &fault.Error{Code: fault.InvalidRequest, Message: why, Field: "name"}
	}
	if !utf8.ValidString(wish) {
		return "", invalid("A name is text.")
	}
	// The composed form, so that one name is one sequence of bytes.
	wish = norm.NFC.String(strings.TrimSpace(wish))
	if n := utf8.RuneCountInString(wish); n < 1 || n > Max {
		return "", invalid(fmt.Sprintf("A name has 1 to %d characters.", Max))
	}
	for _, r := range wish {
		if !unicode.IsPrint(r) {
			return "", invalid("A name has only characters that can be seen.")
		}
	}
	key := Key(wish)
	if key == "" {
		return "", invalid("A name has a letter, a digit or a sign in it.")
	}
	if reserved(key) {
		return "", &fault.Error{Code: fault.NameReserved, Message: "This name is not for players.", Field: "name"}
	}
	return wish, nil
}

// Guest is a name for somebody who has not chosen one. The digits are the caller's,
// at random.
func Guest(digits string) string { return guest + digits }

// Other is another name like the one given, for when that is taken: digits at its
// end, from random.
func Other(taken string, random io.Reader) (string, error) {
	var digits [2]byte
	if _, err := io.ReadFull(random, digits[:]); err != nil {
		return "", fmt.Errorf("name: %w", err)
	}
	end := "-" + hex.EncodeToString(digits[:])
	runes := []rune(taken)
	return strings.TrimSpace(string(runes[:min(len(runes), Max-len(end))])) + end, nil
}

// Key is what two names share that a reader may take for one another: it ignores
// case, accents, width, spaces and punctuation, and gives letters of one shape, of
// whatever alphabet, one letter. It is its own key.
func Key(name string) string {
	// Folding one thing may bring out another, such as a letter from under its mark.
	// What is found is nearly always so after two turns.
	for range 8 {
		next := fold(name)
		if next == name {
			break
		}
		name = next
	}
	return name
}

func fold(s string) string {
	// Upper case first: some small letters, such as the dotless ı, meet their others
	// only there.
	s = strings.ToUpper(norm.NFKC.String(s))
	s = norm.NFKD.String(cases.Fold().String(s))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if shape, ok := shapes[r]; ok {
			b.WriteString(shape)
			continue
		}
		// Marks, separators and punctuation tell no names apart; symbols and pictures do.
		if unicode.In(r, unicode.M, unicode.Z, unicode.P, unicode.C) || strings.ContainsRune(blanks, r) {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// blanks are letters and symbols that show nothing.
const blanks = "\u115f\u1160\u3164\uffa0\u2800"

// reserved says whether a name's key speaks for the house, a bot or nobody.
func reserved(key string) bool {
	return slices.Contains(reservedKeys, key) || strings.HasPrefix(key, guestKey)
}

var (
	guestKey     = Key(guest)
	reservedKeys = keys(
		"admin", "administrator", "administrador", "administradora", "root", "system", "sistema",
		"operator", "operador", "moderator", "moderador", "moderadora", "mod", "staff", "support", "soporte",
		"help", "ayuda", "ajuda", "official", "oficial", "server", "servidor", "security", "seguridad", "seguretat",
		"cuatrola", "quatrola", "team", "equipo", "equip", "info", "contact", "contacto", "contacte",
		"bot", "machine", "maquina", "tabernero", "dealer", "everyone", "all", "me", "you", "player", "jugador", "jugadora",
		"null", "undefined", "none", "nobody", "nadie", "ningu", "anonymous", "anonimo", "anonim",
		"deleted", "borrado", "eliminado", "eliminat", "unknown", "desconocido", "desconegut",
	)
)

func keys(words ...string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Key(w)
	}
	return out
}
