package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// jumpy builds the server with a clock that can be set, all through its libraries: Go's
// own time.Now reads how far it is off. That compiles everything anew, which takes
// minutes, and so only long chaos has it.
func jumpy(t testing.TB) (binary string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(source), now) != 1 {
		t.Fatalf("Go's time.Now is not as it was: %s", filepath.Join(library, "time.go"))
	}
	added, err := filepath.Abs(filepath.Join("testdata", "clock.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(library, "time.go"):  changed,
		filepath.Join(library, "clock.go"): added,
	}})
	if err == nil {
		err = os.WriteFile(changed, []byte(strings.Replace(string(source), now, now+"\tsec += secondsOff()\n", 1)), 0o600)
	}
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "cuatrola")
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "../cmd/cuatrola").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// setClock sets the clock of a process that jumpy has made.
func (p *process) setClock(seconds int) {
	// Whole at once, for it may be read meanwhile.
	err := os.WriteFile(p.clock+".new", []byte(strconv.Itoa(seconds)), 0o600)
	if err == nil {
		err = os.Rename(p.clock+".new", p.clock)
	}
	if err != nil {
		p.t.Error(err)
	}
}
