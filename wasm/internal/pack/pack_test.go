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
		section(sectionCustom, []byte("\x04nameanything")),
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

// functionTable is one function with a stack table, a line table and a file
// table, and what dropLines should make of it.
func functionTable() (table, want []byte) {
	const files, bytecode, funcs = headerSize, headerSize + 8, headerSize + 24
	b := make([]byte, funcs+16+funcSize)
	copy(b, tableMagic)
	binary.LittleEndian.PutUint64(b[8:], 1)
	binary.LittleEndian.PutUint64(b[8+8*4:], files)
	binary.LittleEndian.PutUint64(b[8+8*6:], bytecode)
	binary.LittleEndian.PutUint64(b[8+8*7:], funcs)
	copy(b[files:], "file.go\x00")
	copy(b[bytecode+1:], []byte{0, 4, 2, 3, 0}) // the stack's: the first number may be zero
	copy(b[bytecode+6:], []byte{9, 9, 0})       // the files'
	copy(b[bytecode+9:], []byte{8, 8, 0})       // the lines'
	copy(b[bytecode+12:], []byte{7, 7, 0})      // one for the garbage collector
	index := b[funcs:]
	const f = 12
	binary.LittleEndian.PutUint32(index[4:], f)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(index[f+at:], v) }
	put(funcStackTable, 1)
	put(funcFileTable, 6)
	put(funcLineTable, 9)
	put(funcTables, 1)
	put(funcStartLine, 77)
	put(funcSize, 12)

	want = bytes.Clone(b)
	clear(want[files:bytecode])
	clear(want[bytecode+6 : bytecode+12])
	clear(want[funcs+f+funcFileTable : funcs+f+funcLineTable+4])
	clear(want[funcs+f+funcStartLine : funcs+f+funcStartLine+4])
	return b, want
}

func TestDropLines(t *testing.T) {
	table, want := functionTable()
	before := []byte("something before")
	memory := append(bytes.Clone(before), table...)
	if !dropLines(memory) || !bytes.Equal(memory[len(before):], want) {
		t.Errorf("dropLines makes\n%x of\n%x, want\n%x", memory[len(before):], table, want)
	}
}

func TestDropLinesLeavesTheOddAlone(t *testing.T) {
	for at := 8; at < headerSize+24+16+funcSize; at++ {
		table, _ := functionTable()
		table[at] ^= 0x7f
		changed := bytes.Clone(table)
		if !dropLines(changed) && !bytes.Equal(changed, table) {
			t.Errorf("a table with another byte %d is refused, but changed", at)
		}
	}
	for n := range headerSize + 16 {
		table, _ := functionTable()
		dropLines(table[:n]) // must not panic
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
