package main

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
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
	funcDataCount  = 43 // how many pieces of data it has, whose offsets stand behind its further tables

	// Of the further tables, internal/abi's PCDATA_InlTreeIndex and PCDATA_ArgLiveIndex, and of
	// the data FUNCDATA_InlTree, FUNCDATA_ArgInfo and FUNCDATA_ArgLiveInfo are read for a
	// panic's text alone: what was inlined, and with what arguments.
	inlinedTable, liveTable               = 2, 3
	inlinedData, argumentsData, livesData = 3, 5, 6

	noData = 1<<32 - 1
	// dataBase is the word of the module's description, which begins with the addresses of the
	// function table and of the names, that has the address from which the offsets of data count.
	dataBase = 40
)

// own is how the names of functions begin that stay: what a panic's text is read for.
var own = []byte("github.com/cuatrola/")

// dropLines removes from the function table in memory, which begins at an address, what
// only a panic's text is read for: what maps code to lines of source, what was inlined,
// arguments, and the names of functions that are not ours. That is over a third of all
// data. The runtime takes offset 0 to mean that a function has no such table, and prints
// "?". Stack depths and the tables that the garbage collector reads share the same bytes
// and stay.
//
// A table that is not as expected is left alone: then a new Go release has
// changed it, and the test of the module's size tells.
func dropLines(memory []byte, address int) bool {
	at := bytes.Index(memory, tableMagic)
	if at < 0 || len(memory)-at < headerSize {
		return false
	}
	table := memory[at:]
	word := func(i int) int { return int(int32(binary.LittleEndian.Uint64(table[8+8*i:]))) }
	count, names, files, tables, funcs := word(0), word(3), word(4), word(6), word(7)
	if count <= 0 || names < headerSize || files < names || tables < files || funcs <= tables || funcs+8*count > len(table) {
		return false
	}
	bytecode := table[tables:funcs] // of all tables, one behind the other
	index := table[funcs:]

	// First look at everything, so that nothing is changed if anything is odd.
	keep := make([]bool, len(bytecode))
	keep[0] = true
	var found, tablesOut, dataOut []int
	data := map[uint32]bool{} // offsets of data, and whether it stays
	for i := range count {
		f := int(binary.LittleEndian.Uint32(index[8*i+4:]))
		if f+funcSize > len(index) {
			return false
		}
		found = append(found, f)
		further := int(binary.LittleEndian.Uint32(index[f+funcTables:]))
		pieces := int(index[f+funcDataCount])
		if further > 16 || pieces > 16 || f+funcSize+4*(further+pieces) > len(index) {
			return false
		}
		offsets := []int{f + funcStackTable}
		for k := range further {
			at := f + funcSize + 4*k
			if k == inlinedTable || k == liveTable {
				tablesOut = append(tablesOut, at)
			} else {
				offsets = append(offsets, at)
			}
		}
		for k := range pieces {
			at := f + funcSize + 4*(further+k)
			offset := binary.LittleEndian.Uint32(index[at:])
			drop := k == inlinedData || k == argumentsData || k == livesData
			if offset != noData {
				data[offset] = data[offset] || !drop
			}
			if drop {
				dataOut = append(dataOut, at)
			}
		}
		for _, o := range offsets {
			if !markTable(keep, bytecode, int(binary.LittleEndian.Uint32(index[o:]))) {
				return false
			}
		}
	}

	dropNames(table[names:files])
	clear(table[files:tables]) // the files' names
	for _, at := range tablesOut {
		clear(index[at : at+4])
	}
	for _, at := range dataOut {
		binary.LittleEndian.PutUint32(index[at:], noData)
	}
	dropData(memory, address+at, address+at+names, address, data)
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

// dropNames removes the names of functions that are not ours.
func dropNames(names []byte) {
	for {
		end := bytes.IndexByte(names, 0)
		if end < 0 {
			return
		}
		if !bytes.HasPrefix(names, own) {
			clear(names[:end])
		}
		names = names[end+1:]
	}
}

// dropData removes data that does not stay: each piece reaches up to the next. It needs to
// know from where on their offsets count, and leaves them if it does not find that.
func dropData(memory []byte, table, names, address int, data map[uint32]bool) {
	offsets := slices.Sorted(maps.Keys(data))
	description := binary.LittleEndian.AppendUint64(nil, uint64(table))
	description = binary.LittleEndian.AppendUint64(description, uint64(names))
	at := bytes.Index(memory, description)
	if at < 0 || len(memory)-at < 8*(dataBase+1) || len(offsets) == 0 {
		return
	}
	base := int(int32(binary.LittleEndian.Uint64(memory[at+8*dataBase:]))) - address
	if base < 0 || base+int(offsets[len(offsets)-1]) > len(memory) {
		return
	}
	for i, offset := range offsets[:len(offsets)-1] {
		if !data[offset] {
			clear(memory[base+int(offset) : base+int(offsets[i+1])])
		}
	}
}
