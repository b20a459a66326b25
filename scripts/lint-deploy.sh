#!/usr/bin/env bash
# lint-deploy.sh: what is in deploy/ is what systemd, docker build, compose, HAProxy and Kubernetes take.
#
# None of it needs a daemon, a cluster or the network. That settings, probes and metrics are the server's is for the tests
# (server/e2e/deploy_test.go).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/test-deps.sh deploy
scripts/tools.sh kube-score
(cd scripts/lintdeploy && go build -o ../../.bin/lintdeploy .)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quiet() { # says what a linter said only if it does not like something
  "$@" >"$work/said" 2>&1 || { cat "$work/said"; echo "lint-deploy: $1 does not like it"; exit 1; }
}

# As it is, and with all secrets taken in. The program need not be installed here.
mkdir "$work/plain" "$work/secrets"
sed 's#^ExecStart=/usr/local/bin/cuatrola#ExecStart=/bin/true#' deploy/systemd/cuatrola.service >"$work/plain/cuatrola.service"
sed -E 's/^#([A-Za-z]+=)/\1/' "$work/plain/cuatrola.service" >"$work/secrets/cuatrola.service"
for unit in "$work"/*/cuatrola.service; do
  # What it does not know it only warns of.
  quiet systemd-analyze verify --man=no "$unit"
  [ ! -s "$work/said" ] || { cat "$work/said"; exit 1; }
done
quiet systemd-analyze security --offline=true --threshold=15 "$work/secrets/cuatrola.service"

# -c cannot ask who the servers are, whose names are the compose network's: that is a warning.
quiet haproxy -c -f deploy/compose/haproxy.cfg
if grep '\[WARNING\]' "$work/said" | grep -v 'could not resolve address'; then exit 1; fi

quiet .bin/lintdeploy deploy/Dockerfile deploy/compose/compose.yaml deploy/kubernetes/*.yaml
quiet .bin/kube-score score --kubernetes-version v1.30 deploy/kubernetes/*.yaml
