package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/alecthomas/kong"
)

// The list of settings is written from the settings themselves.
func TestSettingsAreDocumented(t *testing.T) {
	var c commands
	k, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := writeSettings(&want, k); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/configuration.md is out of date; write it anew with: go run ./server/cmd/cuatrola config > docs/configuration.md")
	}
}
