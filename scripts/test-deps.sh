#!/usr/bin/env bash
# test-deps.sh [deploy]: makes sure that everything the tests need, or the linters of deploy/, is on this machine.
#
# On Debian as root it installs what is missing; elsewhere it names what is missing and fails.
# Nothing is ever skipped for want of a program.
set -euo pipefail

have_postgres() {
  { command -v initdb && command -v pg_ctl; } >/dev/null 2>&1 && return
  for dir in /usr/lib/postgresql/*/bin; do [ -x "$dir/initdb" ] && return; done
  return 1
}
have_chromium() {
  [ -n "${CHROMIUM:-}" ] && [ -x "${CHROMIUM:-}" ] && return
  command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1
}

for tool in go node npm; do
  command -v "$tool" >/dev/null || { echo "test-deps: $tool is not on PATH; install Go (see go.mod) and Node.js 20.19 or newer first" >&2; exit 1; }
done

look() {
  missing=()
  if [ "$1" = deploy ]; then
    command -v systemd-analyze >/dev/null || missing+=(systemd)
    command -v haproxy >/dev/null || missing+=(haproxy)
    return
  fi
  have_postgres || missing+=(postgresql)
  have_chromium || missing+=(chromium)
  command -v openssl >/dev/null || missing+=(openssl)
  # The race detector is cgo.
  command -v "${CC:-gcc}" >/dev/null || missing+=(gcc libc6-dev)
}
look "${1:-tests}"
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "test-deps: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  # The package lists may be missing or stale: refresh them only when the install does not go through as it is.
  if ! apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
      { tail -40 "$log" >&2; rm -f "$log"; echo "test-deps: could not install ${missing[*]}" >&2; exit 1; }
  fi
  rm -f "$log"
  look "${1:-tests}"
  [ ${#missing[@]} -eq 0 ] || { echo "test-deps: still missing after the install: ${missing[*]}" >&2; exit 1; }
  exit 0
fi

echo "test-deps: ${1:-tests}: this machine lacks:" >&2
for name in "${missing[@]}"; do
  case $name in
    postgresql) echo "  the PostgreSQL server programs (initdb and pg_ctl on PATH or in /usr/lib/postgresql/*/bin)" >&2 ;;
    chromium)   echo "  Chromium or Chrome (on PATH, or its path in CHROMIUM)" >&2 ;;
    systemd)    echo "  systemd-analyze, to read the unit" >&2 ;;
    haproxy)    echo "  HAProxy, to read its configuration" >&2 ;;
    openssl)    echo "  openssl, which makes a key in deploy/compose/secrets.sh" >&2 ;;
    gcc)        echo "  a C compiler, for Go's race detector" >&2 ;;
  esac
done
if [ -r /etc/debian_version ]; then echo "Install them with: sudo apt-get install ${missing[*]}" >&2; fi
exit 1
