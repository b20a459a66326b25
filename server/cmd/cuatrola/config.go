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

A setting that is a secret can also be put into a file, which the variable with ` + "`_FILE`" + ` at its end names:
` + "`DATABASE_URL_FILE=/run/secrets/database-url`" + `. (Settings that name a key file do so themselves.)

This file is written by ` + "`cuatrola config`" + `.

| environment | flag | default | what it is |
|---|---|---|---|
`

const settingsTail = `
## Traces

Traces go to an OpenTelemetry collector, by OTLP over HTTP, once the environment names one; until then none are made. The
variables are OpenTelemetry's own, among them:

| environment | what it is |
|---|---|
| ` + "`OTEL_EXPORTER_OTLP_ENDPOINT`" + ` | The collector, like http://127.0.0.1:4318; ` + "`/v1/traces`" + ` is added. ` + "`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`" + ` is the whole URL instead. |
| ` + "`OTEL_EXPORTER_OTLP_HEADERS`" + ` | Headers of what is sent (secret), like authorization=Bearer%20…. |
| ` + "`OTEL_TRACES_SAMPLER`" + `, ` + "`OTEL_TRACES_SAMPLER_ARG`" + ` | Which traces are kept. Unset, all are, and those of a client or load balancer that sends ` + "`traceparent`" + ` as it says there. ` + "`traceidratio`" + ` with 0.01 keeps one of a hundred, whatever clients say; ` + "`parentbased_traceidratio`" + ` lets them decide on theirs. |
| ` + "`OTEL_SERVICE_NAME`" + `, ` + "`OTEL_RESOURCE_ATTRIBUTES`" + ` | What the process is called there; cuatrola by itself. |
| ` + "`OTEL_SDK_DISABLED`" + ` | true turns traces off whatever else is set. |

No span has parameters of statements, bodies, headers or addresses in it.
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
	table.WriteString(settingsTail)
	_, err := io.WriteString(w, table.String())
	return err
}
