#!/usr/bin/env bash
# profile-wasm.sh: writes wasm/default.pgo anew, the profile that guides inlining in the module (go build finds it there).
#
# It is taken natively while whole hands are replayed: the same functions are hot in the module, where each call costs
# more. Take it again after larger changes of the rules, on a quiet machine, and compare `node wasm/bench.mjs` before
# and after. An old profile is no fault: it only guides less.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -trimpath keeps this machine's folders out of the profile.
go test -trimpath -run '^$' -bench '^BenchmarkReplayHand$' -benchtime 5s \
  -o "$work/wire.test" -cpuprofile "$work/profile" ./shared/rules/wire
cp "$work/profile" wasm/default.pgo
