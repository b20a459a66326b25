// Package jsonnul looks for the one character that JSON can carry and PostgreSQL cannot
// keep. What comes from outside is searched for it before anything else reads it, so
// that both databases take the same texts.
package jsonnul

import "bytes"

var escaped = []byte(`\u0000`)

// In tells whether a string in the JSON text holds U+0000. In JSON it can only
// be written one way.
func In(text []byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], escaped)
		if i < 0 {
			return false
		}
		at += i
		before := 0
		for before < at && text[at-before-1] == '\\' {
			before++
		}
		// Behind an odd number of them the backslash is itself escaped.
		if before%2 == 0 {
			return true
		}
		at += len(escaped)
	}
}
