#!/usr/bin/env bash
# test.sh: every test of the project: Go (SQLite and PostgreSQL), the module's Node tests, the browser tests of the page and the panel.
#
# All of them run even if one fails, so that one run tells everything; the exit status is the worst.
set -uo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

step "what the tests need"
scripts/test-deps.sh || exit 1
step "module, pages and binary"
make --no-print-directory build || exit 1

failed=()
step "the module's tests in Node"
scripts/test-node.sh @cuatrola/rules || failed+=(wasm)
step "the client package's tests in Node"
scripts/test-node.sh @cuatrola/client || failed+=(client)
step "the page's tests in Chromium"
scripts/test-node.sh @cuatrola/play || failed+=(page)
step "the panel's tests in Chromium"
scripts/test-node.sh @cuatrola/admin || failed+=(panel)
# The longest last.
step "Go tests, SQLite and PostgreSQL"
scripts/with-postgres.sh scripts/test-go.sh || failed+=(go)

step "done"
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}"
  exit 1
fi
echo "all tests passed"
