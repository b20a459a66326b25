#!/usr/bin/env bash
# with-postgres.sh CMD...: runs CMD beside a PostgreSQL of its own, and removes it afterwards.
#
# The cluster is new, lives in a temporary folder, listens on a private loopback port with a random password,
# and is stopped and deleted however CMD ends. CMD finds it in CUATROLA_TEST_POSTGRES; the role may create databases.
# If pgbench came with it, its path is in CUATROLA_TEST_PGBENCH.
#
#   CUATROLA_PG_FSYNC=on   keep every commit durable, as in production (benchmarks); off otherwise, since the tests
#                          kill our server, never PostgreSQL, and a lost test cluster is no loss
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: $0 CMD [ARG...]" >&2; exit 2; }
fsync=${CUATROLA_PG_FSYNC:-off}

bin=
if command -v initdb >/dev/null && command -v pg_ctl >/dev/null; then
  bin=$(dirname "$(command -v pg_ctl)")
else
  # Debian keeps each version's server programs off PATH; take the newest.
  for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
    if [ -x "$dir/initdb" ]; then bin=$dir; break; fi
  done
fi
[ -n "$bin" ] || { echo "with-postgres: no PostgreSQL server programs (initdb, pg_ctl) found; run scripts/test-deps.sh" >&2; exit 1; }

# PostgreSQL refuses to run as root.
as=()
owner=
if [ "$(id -u)" = 0 ]; then
  owner=postgres
  getent passwd "$owner" >/dev/null || owner=nobody
  as=(runuser -u "$owner" --)
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/cuatrola-pg.XXXXXX")
cleanup() {
  status=$?
  trap - EXIT INT TERM HUP
  (cd / && "${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate -w stop >/dev/null 2>&1) || true
  rm -rf "$work"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' "$password" >"$work/password"
if [ -n "$owner" ]; then chown -R "$owner" "$work"; fi
(cd / && "${as[@]}" "$bin/initdb" -D "$work/data" -U cuatrola --pwfile="$work/password" \
  --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync) >"$work/initdb.log" 2>&1 ||
  { cat "$work/initdb.log" >&2; exit 1; }

# A free port cannot be reserved, so try until one works.
port=
for _ in 1 2 3 4 5 6 7 8 9 10; do
  try=$((20000 + RANDOM % 12000))
  if (cd / && "${as[@]}" "$bin/pg_ctl" -D "$work/data" -w -t 60 -l "$work/data/server.log" start \
    -o "-c listen_addresses=127.0.0.1 -c port=$try -c unix_socket_directories='' -c max_connections=200 -c fsync=$fsync -c synchronous_commit=$fsync -c full_page_writes=$fsync") >/dev/null 2>&1; then
    port=$try
    break
  fi
done
[ -n "$port" ] || { echo "with-postgres: the server did not start" >&2; tail -20 "$work/data/server.log" >&2; exit 1; }

# pg_ctl on PATH may be a link into the folder where all of them are.
for dir in "$bin" "$(dirname "$(readlink -f "$bin/pg_ctl")")"; do
  if [ -x "$dir/pgbench" ]; then export CUATROLA_TEST_PGBENCH=$dir/pgbench; fi
done
export CUATROLA_TEST_POSTGRES="postgres://cuatrola:$password@127.0.0.1:$port/postgres?sslmode=disable"
"$@"
