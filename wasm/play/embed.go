// Package play holds the built web page, so that the server's binary is all there is to deploy.
//
// The page itself is built by `make wasm` into dist; a fresh clone holds only a placeholder there, so that the Go code
// compiles without it. Whoever serves the page looks for index.html and says what to run if it is absent.
package play

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built page: index.html, sw.js and assets/. It holds no index.html unless the page was built.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		// The path is a constant and valid.
		panic(err)
	}
	return files
}
