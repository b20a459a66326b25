package main

import (
	"crypto/rand"
	"os"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/internal/keyfile"
)

type keysCommand struct {
	Generate keysGenerate `cmd:"" help:"Make a key that signs access tokens, for CUATROLA_JWT_KEY_FILE."`
	Rotate   keysRotate   `cmd:"" help:"Sign with a new key; tokens of the one before live on until they expire. A running server reads the file again at SIGHUP."`
}

type keysRotate struct {
	File    string `arg:"" type:"existingfile" help:"File with the keys."`
	Prepare bool   `help:"Only add the next key. With several processes: prepare, have all read the file again, rotate, have all read it again."`
}

// Run changes the file in one step.
func (c *keysRotate) Run() error {
	if c.Prepare {
		return keyfile.Prepare(c.File)
	}
	return keyfile.Rotate(c.File)
}

type keysGenerate struct {
	File string `arg:"" type:"path" help:"File to write the key to. It must not exist."`
}

// Run writes the file, for its owner to read only.
func (c *keysGenerate) Run() error {
	key, err := account.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(key); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
