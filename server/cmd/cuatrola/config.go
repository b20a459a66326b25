package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

type configCommand struct{}

// Run prints the settings of the server as a table in Markdown, which is what
// docs/configuration.md holds.
func (c *configCommand) Run(k *kong.Kong) error { return writeSettings(os.Stdout, k) }

const settingsHead = `# Configuration

Every setting of ` + "`cuatrola serve`" + ` is a flag and an environment variable; the flag wins. ` + "`cuatrola migrate`" + ` takes those of
the database. A value that cannot be used stops the process, and names itself. With none of them set, the server runs on
SQLite and a bus inside the process.

This file is written by ` + "`cuatrola config`" + `.

| environment | flag | default | what it is |
|---|---|---|---|
`

func writeSettings(w io.Writer, k *kong.Kong) error {
	var table strings.Builder
	table.WriteString(settingsHead)
	for _, command := range k.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, f := range command.Flags {
			if len(f.Envs) == 0 {
				continue
			}
			value := "none"
			if f.HasDefault {
				value = "`" + f.Default + "`"
			}
			fmt.Fprintf(&table, "| `%s` | `--%s` | %s | %s |\n", f.Envs[0], f.Name, value, f.Help)
		}
	}
	_, err := io.WriteString(w, table.String())
	return err
}
