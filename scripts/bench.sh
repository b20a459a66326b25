#!/usr/bin/env bash
# bench.sh: every figure of docs/benchmarks.md, in one run on one machine.
#
# COUNT=10 repeats the Go benchmarks so that benchstat can compare two saved outputs (build/bench-go.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

echo "== rules, bots and records, native"
go test -run '^$' -bench . -benchmem -count "${COUNT:-1}" ./shared/... | tee build/bench-go.txt

echo "== WebAssembly module"
node wasm/bench.mjs

echo "== server: committed moves and move to all four sockets, on SQLite"
build/cuatrola load
echo "== server: the same on PostgreSQL, every commit durable"
CUATROLA_PG_FSYNC=on scripts/with-postgres.sh bash -c 'DATABASE_URL=$CUATROLA_TEST_POSTGRES build/cuatrola load'
