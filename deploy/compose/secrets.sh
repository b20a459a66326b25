#!/usr/bin/env bash
# secrets.sh: makes the secrets of compose.yaml, once, in secrets/. Nothing that is there is changed.
set -euo pipefail
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

# Written under another name first, so that a secret is whole or absent. Readable by all, since the containers' users are
# others than yours and compose mounts the files as they are: the folder is what keeps others out.
put() {
  cat >"$1.part"
  chmod 0444 "$1.part"
  mv "$1.part" "$1"
}
password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

[ -e postgres-password ] || password | put postgres-password
[ -e database-url ] || printf 'postgres://cuatrola:%s@postgres:5432/cuatrola?sslmode=disable\n' "$(cat postgres-password)" | put database-url
[ -e nats-password ] || password | put nats-password
[ -e nats-url ] || printf 'nats://cuatrola:%s@nats:4222\n' "$(cat nats-password)" | put nats-url
[ -e nats.conf ] || printf 'port: 4222\nauthorization {user: cuatrola, password: "%s"}\n' "$(cat nats-password)" | put nats.conf
[ -e jwt.pem ] || openssl genpkey -algorithm ed25519 | put jwt.pem
