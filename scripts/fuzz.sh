#!/usr/bin/env bash
# fuzz.sh [TIME]: each fuzz target of the project for TIME (30s), one after the other; Go fuzzes one target at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
found=0
while read -r file; do
  pkg=./$(dirname "$file")
  while read -r target; do
    found=1
    echo "== $pkg $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
  done < <(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file")
done < <(git ls-files --cached --others --exclude-standard '*_test.go')
[ "$found" = 1 ] || { echo "fuzz: no fuzz target found" >&2; exit 1; }
