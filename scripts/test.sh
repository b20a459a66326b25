#!/usr/bin/env bash
# test.sh: every test of the project: Go (SQLite and PostgreSQL), the packages' Node tests, the browser tests of the page and the panel.
#
# The Node and browser tests run beside the Go tests, since neither keeps all cores busy; what they print follows when both
# are done. All of them run even if one fails, so that one run tells everything; the exit status is the worst.
set -uo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

step "what the tests need"
scripts/test-deps.sh || exit 1
step "module, pages and binary"
make --no-print-directory build || exit 1

# One after the other; the name of each that fails goes into a file, since this runs in a process of its own.
failures=$(mktemp)
trap 'rm -f "$failures"' EXIT
node_tests() {
  local package
  for package in rules client play admin; do
    step "the tests of @cuatrola/$package"
    scripts/test-node.sh "@cuatrola/$package" || echo "@cuatrola/$package" >>"$failures"
  done
}
node_tests >build/node-tests.log 2>&1 &
beside=$!
# Whoever stops this run stops both.
trap 'kill "$beside" 2>/dev/null; exit 130' INT TERM

step "Go tests, SQLite and PostgreSQL; beside them the Node and browser tests (build/node-tests.log)"
scripts/with-postgres.sh scripts/test-go.sh || echo go >>"$failures"
step "waiting for the Node and browser tests"
wait "$beside"
cat build/node-tests.log

step "done"
if [ -s "$failures" ]; then
  echo "FAILED: $(tr '\n' ' ' <"$failures")"
  exit 1
fi
echo "all tests passed"
