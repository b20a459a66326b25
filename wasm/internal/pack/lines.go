package main

import (
	"bytes"
	"encoding/binary"
)

// The runtime's function table, as $GOROOT/src/runtime/symtab.go and runtime2.go
// lay it out for wasm, where a pointer takes eight bytes.
var tableMagic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

const (
	headerSize = 8 + 8*8 // magic, then eight words
	funcSize   = 44      // of a function's fixed part

	// Offsets in a function's fixed part.
	funcStackTable = 16 // where its table of stack depths starts
	funcFileTable  = 20
	funcLineTable  = 24
	funcTables     = 28 // how many further tables it has
	funcStartLine  = 36
)

// dropLines removes what maps code to lines of source from the function table in
// memory: a third of all data. The runtime takes offset 0 to mean that a function
// has no such table, and prints "?". Stack depths and the tables that the garbage
// collector reads share the same bytes and stay.
//
// A table that is not as expected is left alone: then a new Go release has
// changed it, and the test of the module's size tells.
func dropLines(memory []byte) bool {
	at := bytes.Index(memory, tableMagic)
	if at < 0 || len(memory)-at < headerSize {
		return false
	}
	table := memory[at:]
	word := func(i int) int { return int(int32(binary.LittleEndian.Uint64(table[8+8*i:]))) }
	count, files, tables, funcs := word(0), word(4), word(6), word(7)
	if count <= 0 || files < headerSize || tables < files || funcs <= tables || funcs+8*count > len(table) {
		return false
	}
	bytecode := table[tables:funcs] // of all tables, one behind the other
	index := table[funcs:]

	// First look at everything, so that nothing is changed if anything is odd.
	keep := make([]bool, len(bytecode))
	keep[0] = true
	var found []int
	for i := range count {
		f := int(binary.LittleEndian.Uint32(index[8*i+4:]))
		if f+funcSize > len(index) {
			return false
		}
		found = append(found, f)
		further := int(binary.LittleEndian.Uint32(index[f+funcTables:]))
		if further > 16 || f+funcSize+4*further > len(index) {
			return false
		}
		offsets := []int{f + funcStackTable}
		for k := range further {
			offsets = append(offsets, f+funcSize+4*k)
		}
		for _, o := range offsets {
			if !markTable(keep, bytecode, int(binary.LittleEndian.Uint32(index[o:]))) {
				return false
			}
		}
	}

	clear(table[files:tables]) // the files' names
	for _, f := range found {
		clear(index[f+funcFileTable : f+funcLineTable+4])
		clear(index[f+funcStartLine : f+funcStartLine+4])
	}
	for i := range bytecode {
		if !keep[i] {
			bytecode[i] = 0
		}
	}
	return true
}

// markTable marks the bytes of the table that starts at an offset: pairs of
// variable-length numbers up to a first number of zero, though the very first may
// be zero.
func markTable(keep []bool, bytecode []byte, offset int) bool {
	if offset == 0 {
		return true // no table
	}
	number := func() (zero, ok bool) {
		zero = true
		for ; offset < len(bytecode); offset++ {
			keep[offset] = true
			zero = zero && bytecode[offset]&0x7f == 0
			if bytecode[offset]&0x80 == 0 {
				offset++
				return zero, true
			}
		}
		return false, false
	}
	for first := true; ; first = false {
		zero, ok := number()
		switch {
		case !ok:
			return false
		case zero && !first:
			return true
		}
		if _, ok := number(); !ok {
			return false
		}
	}
}
