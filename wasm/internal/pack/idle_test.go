package main

import (
	"bytes"
	"testing"
)

// Functions that cannot run are emptied by their names, whatever is imported before them,
// and the names go; without names nothing is.
func TestPackEmptiesIdleFunctions(t *testing.T) {
	vector := func(b []byte) []byte { return append(appendUint(nil, uint32(len(b))), b...) }
	imports := section(sectionImport, append(append(append([]byte{1}, vector([]byte("wasi"))...), vector([]byte("clock"))...), 0, 0))
	busyBody, idleBody := []byte{0, 0x41, 1, 0x1a, opEnd}, []byte{0, 0x41, 2, 0x1a, 0x41, 3, 0x1a, opEnd}
	code := func(bodies ...[]byte) []byte {
		list := []byte{byte(len(bodies))}
		for _, b := range bodies {
			list = append(list, vector(b)...)
		}
		return section(sectionCode, list)
	}
	list := []byte{4}
	for i, name := range []string{"clock_time_get", "runtime.traceLocker.ok", "runtime.traceLocker.GoStart", "runtime.__traceBuf_.varint"} {
		list = append(append(list, byte(i)), vector([]byte(name))...)
	}
	names := section(sectionCustom, append(vector([]byte("name")), append([]byte{1}, vector(list)...)...))

	got, err := Pack(module(imports, code(busyBody, idleBody, idleBody), names))
	if want := module(imports, code(busyBody, trap, trap)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Pack = %q, %v, want %q", got, err, want)
	}
	unnamed := module(imports, code(busyBody, idleBody))
	if got, err := Pack(unnamed); err != nil || !bytes.Equal(got, unnamed) {
		t.Errorf("without names: %q, %v", got, err)
	}
	for _, broken := range [][]byte{names[:len(names)-1], section(sectionCustom, vector([]byte("name"))), section(sectionCode, []byte{2, 1, 0})} {
		if _, err := Pack(module(broken)); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
}
