package migrations_test

import (
	"io/fs"
	"regexp"
	"slices"
	"testing"

	"github.com/cuatrola/cuatrola/migrations"
)

// The databases move in step: a version number means the same tables on both.
func TestFoldersMatch(t *testing.T) {
	name := regexp.MustCompile(`^\d{5}_[a-z_]+\.sql$`)
	list := func(folder string) []string {
		entries, err := fs.ReadDir(migrations.Files, folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			if !name.MatchString(e.Name()) {
				t.Errorf("%s/%s is not named NNNNN_what.sql", folder, e.Name())
			}
			names = append(names, e.Name())
		}
		return names
	}
	sqlite, postgres := list("sqlite"), list("postgres")
	if len(sqlite) == 0 || !slices.Equal(sqlite, postgres) {
		t.Errorf("sqlite has %v, postgres has %v", sqlite, postgres)
	}
}
