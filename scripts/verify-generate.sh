#!/usr/bin/env bash
# verify-generate.sh: fails if `make generate` changes anything. Works with uncommitted work in the tree.
set -euo pipefail
cd "$(dirname "$0")/.."
snapshot() { git ls-files -z --cached --others --exclude-standard | sort -z | xargs -0 sha256sum -- 2>/dev/null || true; }
before=$(snapshot)
make --no-print-directory generate
if ! changed=$(diff <(printf '%s\n' "$before") <(snapshot)); then
  printf 'generated code is out of date; run make generate and commit:\n%s\n' "$changed"
  exit 1
fi
echo "generate: up to date"
