package panel

//go:generate ../../../.bin/oapi-codegen -config oapi-codegen.yaml ../../../openapi.yaml
