#!/usr/bin/env bash
# lint.sh: formatting, linters, import rules, shell scripts' syntax, what deploy/ has.
set -euo pipefail
cd "$(dirname "$0")/.."

# Generated files are as their generator writes them.
mapfile -t written < <(git ls-files --cached --others --exclude-standard '*.go' | xargs grep -L '^// Code generated .* DO NOT EDIT\.$')
unformatted=$(.bin/gofumpt -l "${written[@]}")
if [ -n "$unformatted" ]; then
  printf 'not formatted (run make fmt):\n%s\n' "$unformatted"
  exit 1
fi

# Named folders, since npm packages in node_modules may hold stray Go files.
folders=()
for dir in shared server admin migrations wasm; do
  if [ -n "$(git ls-files --cached --others --exclude-standard "$dir/*.go" | head -1)" ]; then folders+=("./$dir/..."); fi
done
.bin/golangci-lint run --allow-parallel-runners "${folders[@]}"
# The module's files are built for wasip1 only, so the run above does not see them.
GOOS=wasip1 GOARCH=wasm .bin/golangci-lint run --allow-parallel-runners ./wasm/...

for script in scripts/*.sh deploy/compose/*.sh .ci/run; do bash -n "$script"; done
scripts/lint-deploy.sh
scripts/lint-alerts.sh
echo "lint: clean"
