package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressOf shows how much of a long job is done: as a bar on a terminal, elsewhere as
// a line for every tenth.
func progressOf(out *os.File, what string, total int) (told func(int), done func()) {
	if !isTerminal(out) {
		return progressLines(out, what, total), func() {}
	}
	bar := barOf(out, what, int64(total), progressbar.OptionShowIts())
	return func(n int) { _ = bar.Set(n) }, func() { _ = bar.Finish() } // where nobody sees it, nobody misses it
}

func progressLines(out io.Writer, what string, total int) func(int) {
	tenths := 0
	return func(n int) {
		if now := n * 10 / total; now > tenths {
			tenths = now
			fmt.Fprintf(out, "%d %% of %d %s\n", 10*tenths, total, what)
		}
	}
}

// barOf is a bar that is drawn on a terminal alone: in a file or a pipe its drawings
// would stand among what is to be read there line by line. A total of -1 is not known yet.
func barOf(out io.Writer, what string, total int64, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetVisibility(isTerminal(out)),
		progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(40),
	}, more...)...)
}

func isTerminal(out io.Writer) bool {
	f, is := out.(*os.File)
	return is && term.IsTerminal(int(f.Fd()))
}
