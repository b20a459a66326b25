#!/usr/bin/env bash
# test-go.sh [PACKAGE...]: the Go tests; run it through with-postgres.sh.
#
# The race detector watches the packages where goroutines meet. The rules and bots are single-threaded values, and their
# tests replay tens of thousands of matches: the detector would only make them ten times slower. The same goes for the tests
# with very many players, which have packages called crowd, for tests that are long and ask one thing after another (of the
# store, and one client's sweeps over every operation; those of many at once are watched), and for what runs commands and
# servers in processes of their own.
# A skipped test fails the run: a test that did not run proves nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CUATROLA_TEST_POSTGRES:?run this through scripts/with-postgres.sh}"
# stripe-mock is started by the test that asks it.
scripts/tools.sh gotestsum stripe-mock
mkdir -p build
# Matches of a second implementation of the rules, where a folder of them lies beside the clone (the Node tests look there too).
if [ -z "${CUATROLA_VECTORS:-}" ] && [ -d ../shared/vectors ]; then
  CUATROLA_VECTORS=$(cd ../shared/vectors && pwd)
  export CUATROLA_VECTORS
fi

status=0
run() { # run NAME ARG...
  local events=build/go-test-$1.json
  shift
  .bin/gotestsum --format standard-quiet --jsonfile "$events" -- -timeout 20m "$@" || status=1
  # Packages without tests are also reported as skipped, but name no test.
  if grep '"Action":"skip"' "$events" | grep '"Test":'; then
    echo "FAIL: tests were skipped (above)"
    status=1
  fi
}

if [ $# -gt 0 ]; then
  run some "$@"
  exit "$status"
fi

# npm packages may hold stray Go files: name the project's own folders.
mapfile -t server < <(go list ./server/... ./admin/... 2>/dev/null || go list ./server/...)
unwatched='/(crowd|e2e|cmd/cuatrola)$'
mapfile -t plain < <(go list ./shared/... ./wasm/... ./migrations/... && printf '%s\n' "${server[@]}" | grep -E "$unwatched")
mapfile -t raced < <(printf '%s\n' "${server[@]}" | grep -Ev "$unwatched")
# The longest first, so that none is left alone at the end.
mapfile -t raced < <(printf '%s\n' "${raced[@]}" | awk '{ print /internal\/(store|rest)$/ ? 0 : /internal\/panel$/ ? 1 : 2, $0 }' | sort -s -k1,1 | cut -d' ' -f2)
alone='^Test(Interleavings|FairnessFacts|FairnessCases|SimulationEqualsSettlement|SimulationOfCrowd|TheCheckFindsWhatIsWrong|CoinsAreWhatWasPaid|LeaguePlans|NastyValues|Hardening|Misfits|WhoMayDoWhat|HonestCrowds|TailOfWeights|SamePlayersAreLevel|SwappedAndShared|ReferencesByStrength|CheaterNeverLosesBothSides)$'
run plain -skip '^TestServe' "${plain[@]}"
run alone -run "$alone" ./server/internal/{store,rest,panel,duel} ./server/fairness
# SQLite's C, translated to Go, is not ours to watch, and watched it takes four times as long. What its locks order is still seen.
race=(-race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false)
run serve "${race[@]}" -run '^TestServe' ./server/cmd/cuatrola
run race "${race[@]}" -skip "$alone" "${raced[@]}"
exit "$status"
