package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is a header and sections.
func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(sections, nil)...)
}

func section(id byte, body []byte) []byte {
	return append(appendUint([]byte{id}, uint32(len(body))), body...)
}

func dataSection(segments ...segment) []byte {
	body := appendUint(nil, uint32(len(segments)))
	for _, s := range segments {
		body = appendInt(append(body, 0, opI32Const), int32(s.offset))
		body = appendUint(append(body, opEnd), uint32(len(s.bytes)))
		body = append(body, s.bytes...)
	}
	return section(sectionData, body)
}

func TestPackJoinsSegments(t *testing.T) {
	const near = 102 + maxGap // as far from "ab" as is still joined
	const far = near + 2 + maxGap + 1
	in := module(
		section(sectionCustom, []byte("\x05notesanything")),
		section(1, []byte{0}),
		dataSection(segment{far, []byte("ef")}, segment{100, []byte("ab")}, segment{near, []byte("cd")}),
	)
	joined := append(append([]byte("ab"), make([]byte, maxGap)...), "cd"...)
	want := module(
		section(1, []byte{0}),
		dataSection(segment{100, joined}, segment{far, []byte("ef")}),
	)
	got, err := Pack(in)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("Pack = %q, %v, want %q", got, err, want)
	}
	again, err := Pack(got)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("packing twice changes something (%v)", err)
	}
}

func TestPackKeepsMemory(t *testing.T) {
	in := dataSection(
		segment{5, []byte{1, 0, 0, 2}},
		segment{7, []byte{9}}, // overlaps: the later one wins
		segment{10_000, []byte{3}},
		segment{64 + 1<<20, bytes.Repeat([]byte{4}, 300)},
		segment{3_000, make([]byte, 40)},
	)
	packed, err := Pack(module(in))
	if err != nil {
		t.Fatal(err)
	}
	if before, after := memoryOf(t, module(in)), memoryOf(t, packed); !bytes.Equal(before, after) {
		t.Error("the packed module fills memory differently")
	}
}

// memoryOf is what the module's data section, its last, makes of 2 MB of memory.
func memoryOf(t *testing.T, module []byte) []byte {
	t.Helper()
	r := reader{module[8:]}
	memory := make([]byte, 2<<20)
	for len(r.b) > 0 {
		id, _ := r.byte()
		body, err := r.vector()
		if err != nil {
			t.Fatal(err)
		}
		if id != sectionData {
			continue
		}
		segments, err := readSegments(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range segments {
			copy(memory[s.offset:], s.bytes)
		}
	}
	return memory
}

func TestPackRefuses(t *testing.T) {
	for what, in := range map[string][]byte{
		"nothing":            nil,
		"another format":     []byte("\x7fELF...."),
		"a cut section":      module([]byte{1, 5, 0}),
		"a passive segment":  module(section(sectionData, []byte{1, 1, 1, 'x'})),
		"a data count":       module(section(sectionDataCount, []byte{1})),
		"a computed offset":  module(section(sectionData, []byte{1, 0, 0x23, 0, opEnd, 1, 'x'})),
		"a number too long":  module([]byte{1, 0x80, 0x80, 0x80, 0x80, 0x80, 1}),
		"bytes left over":    module(section(sectionData, []byte{0, 0})),
		"segments far apart": module(dataSection(segment{0, []byte{1}}, segment{1 << 31, []byte{1}})),
	} {
		if _, err := Pack(in); err == nil {
			t.Errorf("%s is packed", what)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, want := range []int32{0, 1, 63, 64, -1, -64, -65, 127, 128, 8191, 8192, 1<<31 - 1, -1 << 31} {
		r := reader{appendInt(nil, want)}
		if got, err := r.int(); err != nil || got != want || len(r.b) != 0 {
			t.Errorf("int %d came back as %d, %v", want, got, err)
		}
		r = reader{appendUint(nil, uint32(want))}
		if got, err := r.uint(); err != nil || got != uint32(want) || len(r.b) != 0 {
			t.Errorf("uint %d came back as %d, %v", uint32(want), got, err)
		}
	}
}

// address is where the memory of the tests begins.
const address = 64

// functionTable is one function with a stack table, a line table, a file table, further
// tables and data, behind the data that it points to and before the description that
// says where that is; and what dropLines should make of it.
func functionTable() (memory, want []byte) {
	const (
		data            = 16 // the data's first piece; a piece is 8 bytes
		table           = data + 4*8
		names           = headerSize
		files           = names + 32
		bytecode        = files + 8
		funcs           = bytecode + 24
		f               = 12
		further, pieces = 3, 6
		size            = funcs + 16 + funcSize + 4*(further+pieces)
	)
	memory = make([]byte, table+size+8*(dataBase+1))
	for i := range memory[data:table] {
		memory[data+i] = byte(0x10 + i)
	}
	b := memory[table:]
	copy(b, tableMagic)
	word := func(i int, v uint64) { binary.LittleEndian.PutUint64(b[8+8*i:], v) }
	word(0, 1)
	word(3, names)
	word(4, files)
	word(6, bytecode)
	word(7, funcs)
	copy(b[names:], "runtime.x\x00github.com/cuatrola/y\x00")
	copy(b[files:], "file.go\x00")
	copy(b[bytecode+1:], []byte{0, 4, 2, 3, 0}) // the stack's: the first number may be zero
	copy(b[bytecode+6:], []byte{9, 9, 0})       // the files'
	copy(b[bytecode+9:], []byte{8, 8, 0})       // the lines'
	copy(b[bytecode+12:], []byte{7, 7, 0})      // one for the garbage collector
	copy(b[bytecode+15:], []byte{6, 6, 0})      // what was inlined
	index := b[funcs:]
	binary.LittleEndian.PutUint32(index[4:], f)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(index[f+at:], v) }
	put(funcStackTable, 1)
	put(funcFileTable, 6)
	put(funcLineTable, 9)
	put(funcTables, further)
	put(funcStartLine, 77)
	index[f+funcDataCount] = pieces
	put(funcSize, 12)
	put(funcSize+4*1, 0)
	put(funcSize+4*inlinedTable, 15)
	piece := func(k int, offset uint32) { put(funcSize+4*(further+k), offset) }
	piece(0, 0)
	piece(1, 24)
	piece(2, noData)
	piece(inlinedData, 8)
	piece(4, 24)
	piece(argumentsData, 16)
	description := b[size:]
	binary.LittleEndian.PutUint64(description, address+table)
	binary.LittleEndian.PutUint64(description[8:], address+table+names)
	binary.LittleEndian.PutUint64(description[8*dataBase:], address+data)

	want = bytes.Clone(memory)
	clear(want[data+8 : data+24])
	b = want[table:]
	clear(b[names : names+9])
	clear(b[files:bytecode])
	clear(b[bytecode+6 : bytecode+12])
	clear(b[bytecode+15 : bytecode+18])
	index = b[funcs:]
	clear(index[f+funcFileTable : f+funcLineTable+4])
	clear(index[f+funcStartLine : f+funcStartLine+4])
	put(funcSize+4*inlinedTable, 0)
	piece(inlinedData, noData)
	piece(argumentsData, noData)
	return memory, want
}

func TestDropLines(t *testing.T) {
	memory, want := functionTable()
	before := bytes.Clone(memory)
	if !dropLines(memory, address) || !bytes.Equal(memory, want) {
		t.Errorf("dropLines makes\n%x of\n%x, want\n%x", memory, before, want)
	}
}

func TestDropLinesLeavesTheOddAlone(t *testing.T) {
	memory, _ := functionTable()
	for at := range memory {
		changed := bytes.Clone(memory)
		changed[at] ^= 0x7f
		before := bytes.Clone(changed)
		if !dropLines(changed, address) && !bytes.Equal(changed, before) {
			t.Errorf("memory with another byte %d is refused, but changed", at)
		}
	}
	for n := range memory {
		cut, _ := functionTable()
		dropLines(cut[:n], address) // must not panic
	}
}

func FuzzPack(f *testing.F) {
	table, _ := functionTable()
	f.Add(module(section(1, []byte{0}), dataSection(segment{8, table}, segment{4000, []byte{1}})))
	f.Fuzz(func(t *testing.T, in []byte) {
		packed, err := Pack(in)
		if err != nil {
			return
		}
		again, err := Pack(packed)
		if err != nil || !bytes.Equal(packed, again) {
			t.Errorf("packing twice: %v", err)
		}
	})
}

// The module is built in two folders, of which one is a copy of the sources: the
// bytes are the same.
func TestReproducible(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "shared", "wasm/main.go", "wasm/default.pgo", "wasm/internal", "scripts/build-wasm.sh"} {
		copyTree(t, filepath.Join(root, name), filepath.Join(other, name))
	}
	build := func(folder string) []byte {
		out := filepath.Join(t.TempDir(), "cuatrola.wasm")
		command := exec.Command(filepath.Join(folder, "scripts", "build-wasm.sh"), out)
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		module, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return module
	}
	here, there := build(root), build(other)
	if !bytes.Equal(here, there) {
		t.Errorf("%d bytes here, %d there, and they differ", len(here), len(there))
	}
	for _, path := range []string{root, other} {
		if bytes.Contains(here, []byte(path)) {
			t.Errorf("the module names the folder that it was built in")
		}
	}
	if bytes.Contains(here, []byte(".go\x00")) {
		t.Error("the module still names source files: has the function table changed its form?")
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, info.Mode()); err != nil {
			t.Fatal(err)
		}
		return
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "testdata" && !strings.HasSuffix(name, "_test.go") {
			copyTree(t, filepath.Join(from, name), filepath.Join(to, name))
		}
	}
}
