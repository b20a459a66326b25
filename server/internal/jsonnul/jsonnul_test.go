package jsonnul_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/jsonnul"
)

func TestIn(t *testing.T) {
	for text, want := range map[string]bool{
		``: false, `"\u0000"`: true, `"a\u0000b"`: true, `"\\u0000"`: false, `"\\\u0000"`: true, `"\\\\u0000"`: false,
		`"\\u0000\u0000"`: true, `{"\u0000":1}`: true, `"\u00000"`: true, `"u0000"`: false, `"\u0001"`: false,
	} {
		if got := jsonnul.In([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzIn(f *testing.F) {
	f.Add(`"\\\u0000"`)
	f.Fuzz(func(t *testing.T, text string) {
		var s string
		if json.Unmarshal([]byte(text), &s) == nil && jsonnul.In([]byte(text)) != strings.ContainsRune(s, 0) {
			t.Errorf("%q", text)
		}
	})
}
