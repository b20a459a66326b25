// Package jsontext appends single values as encoding/json writes them, for the few texts
// that are written so often that reflection would cost too much.
package jsontext

import (
	"encoding/json"
	"strconv"
	"time"
)

// AppendInt appends a whole number.
func AppendInt[T ~int | ~int64 | ~uint8 | ~uint16](b []byte, n T) []byte {
	return strconv.AppendInt(b, int64(n), 10)
}

// AppendString appends a text. What has to be escaped is left to encoding/json.
func AppendString[T ~string](b []byte, s T) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(string(s))
			if err != nil { // there is no such text
				return append(b, `""`...)
			}
			return append(b, text...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

// AppendTime appends a moment of the years 0 to 9999.
func AppendTime(b []byte, t time.Time) []byte {
	b = t.AppendFormat(append(b, '"'), time.RFC3339Nano)
	return append(b, '"')
}
