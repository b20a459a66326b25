#!/usr/bin/env bash
# bench.sh: every figure of docs/benchmarks.md, in one run on one machine.
#
# COUNT=10 repeats the Go benchmarks so that benchstat can compare two saved outputs (build/bench-go.txt, build/bench-server.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

echo "== rules, bots and records, native"
go test -run '^$' -bench . -benchmem -count "${COUNT:-1}" ./shared/... | tee build/bench-go.txt

echo "== WebAssembly module"
node wasm/bench.mjs

echo "== server: committed moves, a move to all four sockets, and postings, beside what the database alone does (PostgreSQL with fsync on)"
CUATROLA_PG_FSYNC=on scripts/with-postgres.sh \
  go test -run '^$' -bench . -count "${COUNT:-1}" ./server/... | grep -Ev '^(PASS|\?)' | tee build/bench-server.txt
