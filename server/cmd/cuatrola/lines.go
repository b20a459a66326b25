package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// maxLine is the longest input line that is read: a match of a hundred hands
// takes a tenth of it.
const maxLine = 1 << 20

// errBadLines ends a command that answered what it could: its lines have been
// reported where they were found.
var errBadLines = errors.New("some lines could not be answered")

// eachLine answers a file's lines one by one, FILE or standard input ("-"), so
// that memory does not grow with the file. A line that cannot be answered is
// reported with its number on errs, and the rest is answered all the same.
func eachLine(file string, out io.Writer, errs io.Writer, answer func(dst, line []byte) ([]byte, error)) error {
	in := io.ReadCloser(os.Stdin)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriterSize(out, 1<<16)
	var line, dst []byte
	failed := false
	for n := 1; ; n++ {
		var err error
		line, err = readLine(lines, line[:0])
		if err != nil && !errors.Is(err, errLineTooLong) {
			if errors.Is(err, io.EOF) {
				break
			}
			return err
		}
		if err == nil {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			dst, err = answer(dst[:0], line)
		}
		if err != nil {
			failed = true
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(errs, "line %d: %s\n", n, strings.Map(noControl, err.Error()))
			continue
		}
		if _, err := w.Write(append(dst, '\n')); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if failed {
		return errBadLines
	}
	return nil
}

// noControl keeps a message on one line, whatever names in the input it repeats.
func noControl(r rune) rune {
	if unicode.IsControl(r) {
		return '?'
	}
	return r
}

var errLineTooLong = fmt.Errorf("longer than %d bytes", maxLine)

// readLine reads one line without its end, and passes over one that is too long.
func readLine(r *bufio.Reader, line []byte) ([]byte, error) {
	tooLong, begun := false, false
	for {
		part, more, err := r.ReadLine()
		if begun && errors.Is(err, io.EOF) {
			// A last line without its end, as long as the buffer or a multiple of it.
			part, more, err = nil, false, nil
		}
		if err != nil {
			return line, err
		}
		begun = true
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		}
		switch {
		case more:
		case tooLong:
			return line, errLineTooLong
		default:
			return line, nil
		}
	}
}
