package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What GORM does silently otherwise than it reads. This package goes around it, and a
// line that does not is found here.
var gormTraps = map[string]*regexp.Regexp{
	"a condition from a struct drops its zero values, and then all rows are meant": regexp.MustCompile(`\.(Where|Not|Or|First|Take|Find|Delete)\(&?\w*Row\{[^}]`),
	"an update from a struct passes over zero values, unless all columns are selected": regexp.MustCompile(
		`\.Updates\((&|\w+Row\{|row\))`),
	"soft-deleted rows hold their unique keys": regexp.MustCompile(`gorm\.DeletedAt|gorm\.Model\b`),
}

func TestGORMTraps(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d files", len(files))
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for why, trap := range gormTraps {
				if trap.MatchString(line) && !strings.Contains(line, `.Select("*").Updates(`) {
					t.Errorf("%s:%d: %s: %s", name, i+1, why, strings.TrimSpace(line))
				}
			}
		}
	}
}

// A condition must not stay behind for the next query, which it does on a *gorm.DB
// that is kept and used again: what the store keeps is asked through WithContext,
// which begins anew.
func TestNoConditionStays(t *testing.T) {
	kept := regexp.MustCompile(`\bs\.(read|write)\.(\w+)`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range kept.FindAllStringSubmatch(string(text), -1) {
			if use[2] != "WithContext" && use[2] != "DB" {
				t.Errorf("%s: %s", name, use[0])
			}
		}
	}
}
