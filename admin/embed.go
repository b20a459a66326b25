// Package admin holds the built operator's panel, so that the server's binary is all there is to deploy.
//
// The panel itself is built by `make panel` into dist; a fresh clone holds only a placeholder there, so that the Go code
// compiles without it. Whoever serves the panel looks for index.html and says what to run if it is absent.
package admin

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files is the built panel: index.html and assets/. It holds no index.html unless the panel was built.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		// The path is a constant and valid.
		panic(err)
	}
	return files
}
