package jsontext_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/jsontext"
)

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "Ana", `"\/`, "<&>", "Núria\u2028", "\xff\x00\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsontext.AppendString([]byte("x"), s); string(got) != "x"+string(want) {
			t.Errorf("got %s, want %s", got[1:], want)
		}
	})
}

func TestAppend(t *testing.T) {
	at := time.UnixMilli(1_790_000_000_120).In(time.FixedZone("", -5400))
	want, err := json.Marshal([]any{uint16(65535), -7, at, at.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	got := jsontext.AppendInt([]byte("["), uint16(65535))
	got = jsontext.AppendInt(append(got, ','), -7)
	got = jsontext.AppendTime(append(got, ','), at)
	got = jsontext.AppendTime(append(got, ','), at.UTC())
	if got = append(got, ']'); string(got) != string(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
