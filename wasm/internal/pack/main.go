// Command pack rewrites a WebAssembly module into a smaller, equivalent one.
//
// The Go linker writes one data segment per run of non-zero bytes: tens of
// thousands of them, whose headers cost a tenth of the module after compression
// and a good part of its start-up. Pack joins segments that lie close together
// (the gap is zeros, which is what the memory holds there anyway). It drops
// custom sections, which only tools read, and the tables that map code to lines
// of source, which only a panic's text reads: it then names functions alone. And it
// empties functions of the runtime that cannot run here, see idle.
//
// Usage: pack IN OUT
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack IN OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	module, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	packed, err := Pack(module)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return os.WriteFile(out, packed, 0o644)
}
