package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schollz/progressbar/v3"
)

// A bar is drawn for those who watch it, and leaves nothing where nobody does.
func TestBarsAreDrawnOnTerminalsAlone(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "errors"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var seen, unseen bytes.Buffer
	for _, total := range []int64{3, -1} {
		for _, bar := range []*progressbar.ProgressBar{
			barOf(&seen, "hands", total, progressbar.OptionSetVisibility(true)), barOf(&unseen, "hands", total), barOf(file, "hands", total),
		} {
			_ = bar.RenderBlank() // without which a job may be over before anything is drawn
			bar.ChangeMax64(3)
			for range 3 {
				_ = bar.Add(1)
			}
			_ = bar.Finish()
		}
	}
	if !strings.Contains(seen.String(), "hands") {
		t.Fatalf("the test draws no bar: %q", seen.String())
	}
	written, err := os.ReadFile(file.Name())
	if err != nil || len(written) > 0 || unseen.Len() > 0 {
		t.Errorf("%v, where nobody watches: %q, %q", err, written, unseen.String())
	}
}

// Bars are made in one place, which asks whether anybody watches.
func TestBarsAreMadeInOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("progressbar."+"New")) != (name == "progress.go") {
			t.Errorf("%s makes bars, or progress.go none", name)
		}
	}
}
