#!/usr/bin/env bash
# build-wasm.sh [OUT]: the WebAssembly module and its npm package, into wasm/dist; with OUT, the module alone, into that file.
#
# The same sources give the same bytes, in whatever folder they lie.
set -euo pipefail
cd "$(dirname "$0")/.."
only=${1:-}
out=${only:-wasm/dist/cuatrola.wasm}
mkdir -p "$(dirname "$out")"
raw=$(mktemp)
trap 'rm -f "$raw"' EXIT

# The older garbage collector and a standard library without inlining are smaller; in our own packages inlining is speed.
# Of several -gcflags the last that fits a package counts. A commit's hash in the module would change it with every commit.
# The names of functions, which -s would drop, tell pack which of them cannot run.
GOFLAGS='' GOOS=wasip1 GOARCH=wasm GOEXPERIMENT=nogreenteagc CGO_ENABLED=0 \
  go build -buildmode=c-shared -trimpath -buildvcs=false -ldflags '-w -buildid=' \
  -gcflags="all=-l -B" '-gcflags=github.com/cuatrola/cuatrola/...=' \
  -o "$raw" ./wasm
go run ./wasm/internal/pack "$raw" "$out"

if [ -z "$only" ]; then
  # By its name: by its folder, npm would take the page inside it as well.
  npm run --silent build --workspace @cuatrola/rules
fi
