package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/glebarez/sqlite"
)

// ErrNotSQLite says that a database is backed up with its own tools.
var ErrNotSQLite = errors.New("store: PostgreSQL is backed up with its own tools, pg_basebackup and its archive of WAL")

// Backup copies SQLite's database into a new file while others go on using it: all that
// had been committed when it began, checked and on disk when it returns. It refuses a
// file that exists, and leaves none if it fails.
func (s *Store) Backup(ctx context.Context, file string) (err error) {
	if s.kind != SQLite {
		return ErrNotSQLite
	}
	if file, err = filepath.Abs(file); err != nil { // SQLite would read "file:x" as a URI
		return err
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: backup: %s: %w", file, errors.Join(fs.ErrExist, err))
	}
	// Beside it under another name, so that what has the name is whole. CreateTemp makes
	// it for its owner only, and SQLite writes into an empty file.
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.part")
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	part := f.Name()
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(part)
			err = fmt.Errorf("store: backup: %w", err)
		}
	}()
	if err := s.write.WithContext(ctx).Exec("VACUUM INTO ?", part).Error; err != nil {
		return err
	}
	if err := integral(ctx, part); err != nil {
		return err
	}
	// SQLite does not see to it that such a copy survives a power cut.
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// integral returns an error unless SQLite finds the file's pages and indexes in order.
func integral(ctx context.Context, file string) error {
	db, err := sql.Open(sqlite.DriverName, "file:"+(&url.URL{Path: file}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "PRAGMA integrity_check(10)")
	if err != nil {
		return err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return err
		}
		found = append(found, one)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(found) != 1 || found[0] != "ok" {
		return fmt.Errorf("the copy is damaged: %s", strings.Join(found, "; "))
	}
	return nil
}
