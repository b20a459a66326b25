#!/usr/bin/env bash
# tools.sh NAME...: builds pinned developer tools into .bin/, each once per version.
#
# The versions stand here and nowhere else. The module proxy's checksums pin their content.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A tools=(
  [golangci-lint]=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
  [gofumpt]=mvdan.cc/gofumpt@v0.12.0
  [oapi-codegen]=github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
  [gotestsum]=gotest.tools/gotestsum@v1.13.0
  [stripe-mock]=github.com/stripe/stripe-mock@v0.203.0
  [benchstat]=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
  [kube-score]=github.com/zegl/kube-score/cmd/kube-score@v1.20.0
  [govulncheck]=golang.org/x/vuln/cmd/govulncheck@v1.9.0
)

for name in "$@"; do
  spec=${tools[$name]:?unknown tool $name}
  stamp=.bin/.$name
  # A new Go release may need the tool rebuilt (golangci-lint refuses code newer than itself).
  want="$spec $(go env GOVERSION)"
  if [ -x ".bin/$name" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then continue; fi
  echo "tools: building $name (${spec##*@})"
  mkdir -p .bin
  GOBIN=$PWD/.bin GOFLAGS= go install "$spec"
  printf '%s' "$want" >"$stamp"
done
