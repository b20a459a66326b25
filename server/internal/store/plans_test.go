package store

import (
	"strings"
	"sync"

	"gorm.io/gorm"
)

// Statements is what was asked of a store, with its values written out.
type Statements struct {
	mu   sync.Mutex
	list []string
}

// Take returns what has come since, each statement once.
func (s *Statements) Take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

// RecordStatements keeps the statements that name one of the league's tables, from
// now on. It is called before the store is used.
func (s *Store) RecordStatements() *Statements {
	kept := new(Statements)
	keep := func(db *gorm.DB) {
		text := db.Dialector.Explain(db.Statement.SQL.String(), db.Statement.Vars...)
		if strings.Contains(text, "league_") {
			kept.mu.Lock()
			defer kept.mu.Unlock()
			kept.list = append(kept.list, text)
		}
	}
	seen := map[*gorm.DB]bool{}
	for _, db := range []*gorm.DB{s.read, s.write} {
		if seen[db] {
			continue
		}
		seen[db] = true
		c := db.Callback()
		for _, err := range []error{
			c.Query().After("*").Register("record", keep), c.Row().After("*").Register("record", keep),
			c.Raw().After("*").Register("record", keep), c.Update().After("*").Register("record", keep),
			c.Delete().After("*").Register("record", keep),
		} {
			if err != nil {
				panic(err)
			}
		}
	}
	return kept
}
