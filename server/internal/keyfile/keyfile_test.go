package keyfile_test

import (
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/keyfile"
)

func TestLoadOrCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "keys.pem")
	if _, err := keyfile.Load(path); err == nil {
		t.Error("loaded a file that is not there")
	}
	first, created, err := keyfile.LoadOrCreate(path)
	if err != nil || !created {
		t.Fatal(created, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	second, created, err := keyfile.LoadOrCreate(path)
	if err != nil || created {
		t.Fatal(created, err)
	}
	// The same key: what one signs the other verifies.
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	player := account.Caller{PlayerID: id, SessionID: id}
	now := time.Now()
	token, err := account.NewTokens(first, "i", "a", time.Minute).Issue(player, now)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := account.NewTokens(second, "i", "a", time.Minute).Verify(token.Access, now); err != nil || got != player {
		t.Errorf("got %q, %v", got, err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestBrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.pem")
	if err := os.WriteFile(path, []byte("half a k"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A broken file is not replaced: it may be the operator's mistake.
	if _, _, err := keyfile.LoadOrCreate(path); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "half a k" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

// Of many processes that start at the same moment in an empty directory one makes
// the key, and all sign with it.
func TestStartsAtOnceShareAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "jwt.pem")
	keys := make([]account.Keys, 16)
	var made atomic.Int64
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			k, created, err := keyfile.LoadOrCreate(path)
			if err != nil {
				t.Error(err)
			}
			if created {
				made.Add(1)
			}
			keys[i] = k
		})
	}
	wg.Wait()
	for i := range keys {
		if !reflect.DeepEqual(keys[i], keys[0]) {
			t.Fatalf("process %d signs with another key", i)
		}
	}
	if made.Load() != 1 {
		t.Errorf("%d processes made the key", made.Load())
	}
}
