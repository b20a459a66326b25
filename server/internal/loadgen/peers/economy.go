package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// publish makes another document the live one, as an operator would, before anybody
// has come.
func (b *bench) publish(d *database, change func(doc map[string]any)) error {
	env := append(os.Environ(), "DATABASE_URL="+d.url)
	show := exec.Command(b.binary, "economy", "show", "--document")
	show.Env = env
	text, err := show.Output()
	if err != nil {
		return fmt.Errorf("economy show: %w", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("economy show: %w", err)
	}
	change(doc)
	if text, err = json.Marshal(doc); err != nil {
		return err
	}
	file := filepath.Join(b.dir, "economy.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	publish := exec.Command(b.binary, "economy", "publish", "--author", "peers", "--reason", "for a measurement", file)
	publish.Env = env
	if out, err := publish.CombinedOutput(); err != nil {
		return fmt.Errorf("economy publish: %w\n%s", err, out)
	}
	return nil
}
