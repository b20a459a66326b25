#!/usr/bin/env bash
# bench-peers.sh [PART...]: how the server compares with pgbench and with a bare Fiber app, as one table of ratios.
#
# Server, clients and PostgreSQL (every commit durable) share this machine. Parts: actions heard postings hot profiles sign-ins
# memory tables start size; all of them without any. PROFILES=DIR keeps profiles of the server's processor time there.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/cuatrola ] || { echo "bench-peers: build/cuatrola is not there; run make build first" >&2; exit 1; }
peers=$(mktemp -d)
trap 'rm -rf "$peers"' EXIT
go build -trimpath -o "$peers/peers" ./server/internal/loadgen/peers
if [ -n "${PROFILES:-}" ]; then mkdir -p "$PROFILES"; PROFILES=$(cd "$PROFILES" && pwd); export PROFILES; fi
CUATROLA_PG_FSYNC=on scripts/with-postgres.sh "$peers/peers" "$@"
