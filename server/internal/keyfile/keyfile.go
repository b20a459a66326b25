// Package keyfile keeps the keys that sign access tokens in a file.
package keyfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cuatrola/cuatrola/server/account"
)

// Load reads the keys in the file at path.
func Load(path string) (account.Keys, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return account.Keys{}, fmt.Errorf("keyfile: %w", err)
	}
	keys, err := account.ParseKeys(text)
	if err != nil {
		return account.Keys{}, fmt.Errorf("keyfile: %s: %w", path, err)
	}
	return keys, nil
}

// LoadOrCreate is Load, but makes a key first if there is no such file, and
// says so.
func LoadOrCreate(path string) (keys account.Keys, created bool, err error) {
	if _, err := os.Stat(path); err == nil {
		keys, err := Load(path)
		return keys, false, err
	} else if !errors.Is(err, fs.ErrNotExist) {
		return account.Keys{}, false, fmt.Errorf("keyfile: %w", err)
	}
	err = create(path)
	if created = err == nil; !created && !errors.Is(err, fs.ErrExist) {
		return account.Keys{}, false, fmt.Errorf("keyfile: %w", err)
	}
	keys, err = Load(path)
	return keys, created, err
}

// Rotate changes the keys in the file at path as account.RotateKeys does.
func Rotate(path string) error { return change(path, account.RotateKeys) }

// Prepare changes the keys in the file at path as account.PrepareKey does.
func Prepare(path string) error { return change(path, account.PrepareKey) }

func change(path string, f func([]byte, io.Reader) ([]byte, error)) error {
	text, err := os.ReadFile(path)
	if err == nil {
		text, err = f(text, rand.Reader)
	}
	if err == nil {
		err = replace(path, text)
	}
	if err != nil {
		return fmt.Errorf("keyfile: %s: %w", path, err)
	}
	return nil
}

// create makes the file, unless there is one by then: of two processes that start
// at the same moment, both must sign with the same key. The error is then
// fs.ErrExist.
func create(path string) error {
	text, err := account.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	return write(path, text, os.Link)
}

// replace puts the text in the file's place.
func replace(path string, text []byte) error { return write(path, text, os.Rename) }

// write writes beside the file and has place put it there, so that a crash leaves
// no half a key that would stop every later start.
func write(path string, text []byte, place func(from, to string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // not there any more if it was renamed
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return place(f.Name(), path)
}
