#!/usr/bin/env bash
# test-node.sh PACKAGE: the tests of one npm workspace by node's own runner; a skipped or todo test fails the run.
set -euo pipefail
# By its name: by the folder wasm, npm would take the page inside it as well.
cd "$(dirname "$0")/.."
mkdir -p build
log=build/node-test-${1##*/}.log
npm test --workspace "$1" 2>&1 | tee "$log"
# The summary line reads "# skipped 0" (tap) or "ℹ skipped 0" (spec).
if ! grep -Eq '^[^a-z]*pass [1-9]' "$log"; then
  echo "FAIL: no test ran in $1"
  exit 1
fi
if grep -E '^[^a-z]*(skipped|todo|cancelled) [1-9]' "$log"; then
  echo "FAIL: tests of $1 were skipped (above)"
  exit 1
fi
