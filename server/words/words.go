// Package words has what people are told in each language that players have.
package words

import (
	"strings"
	"unicode/utf8"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Words is a text in each language.
type Words struct {
	ES string `json:"es"`
	CA string `json:"ca"`
	EN string `json:"en"`
}

// In is the text in a language, in Spanish for one that nobody has.
func (w Words) In(language string) string {
	switch language {
	case "ca":
		return w.CA
	case "en":
		return w.EN
	default:
		return w.ES
	}
}

// Trimmed is the text without space around it.
func (w Words) Trimmed() Words {
	return Words{strings.TrimSpace(w.ES), strings.TrimSpace(w.CA), strings.TrimSpace(w.EN)}
}

// Check refuses a text that is missing in a language or longer than so many characters;
// field is what it is called. Codes: InvalidRequest.
func (w Words) Check(field string, longest int) error {
	for _, one := range []struct{ language, text string }{{"es", w.ES}, {"ca", w.CA}, {"en", w.EN}} {
		switch {
		case strings.TrimSpace(one.text) == "":
			return &fault.Error{Code: fault.InvalidRequest, Field: field + "." + one.language, Message: "This is said in every language."}
		case utf8.RuneCountInString(one.text) > longest:
			return &fault.Error{Code: fault.InvalidRequest, Field: field + "." + one.language, Message: "This is too long."}
		}
	}
	return nil
}
