package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestErrorsInWords(t *testing.T) {
	if got := said(fmt.Errorf("store: %w", context.Canceled)); got != "stopped before it was done" {
		t.Errorf("stopped: %q", got)
	}
	if got := said(context.DeadlineExceeded); got != "context deadline exceeded" {
		t.Errorf("another: %q", got)
	}
}

// Who stops a long job is told so, in words.
func TestStoppedByASignal(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "bots", "match", "greedy", "random", "--workers", "1", "--deals", "1000000")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewReader(pipe)
	first, err := stderr.ReadString('\n') // from here on it minds signals
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // with the status that is looked at
	if status := cmd.ProcessState.ExitCode(); status != 1 || stdout.Len() > 0 || !strings.HasPrefix(first, "10 % of") ||
		!strings.HasSuffix("\n"+string(rest), "\ncuatrola: stopped before it was done\n") {
		t.Errorf("status %d, %q, %q %q", status, stdout.String(), first, rest)
	}
}
