// Package cuatrola holds the contracts between the server and its clients, for
// the server to serve and to obey.
package cuatrola

import _ "embed"

// OpenAPI is openapi.yaml, which describes every request over HTTP.
//
//go:embed openapi.yaml
var OpenAPI []byte

// AsyncAPI is asyncapi.yaml, which describes the frames of the socket.
//
//go:embed asyncapi.yaml
var AsyncAPI []byte
