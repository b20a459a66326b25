package main

import (
	"crypto/rand"
	"os"

	"github.com/cuatrola/cuatrola/server/account"
)

type keysCommand struct {
	Generate keysGenerate `cmd:"" help:"Make a key that signs access tokens, for CUATROLA_JWT_KEY_FILE."`
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
