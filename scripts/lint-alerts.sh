#!/usr/bin/env bash
# lint-alerts.sh: checks deploy/prometheus and deploy/grafana with promtool: that the rules are well formed and ring when
# they should, and that every question that the dashboard asks is one that Prometheus understands.
#
# On Debian promtool is taken out of the package, without installing it: that would start a server. Elsewhere it has to be
# on PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

promtool=$(command -v promtool || true)
if [ -z "$promtool" ] && [ -x .bin/promtool ]; then promtool=$PWD/.bin/promtool; fi
if [ -z "$promtool" ]; then
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo "lint-alerts: promtool is not on PATH; it comes with Prometheus (https://prometheus.io/download/)" >&2
    exit 1
  fi
  echo "lint-alerts: getting promtool"
  # apt may drop its rights, and then needs a folder that it may write.
  where=$(mktemp -d)
  trap 'rm -rf "$where"' EXIT
  chmod 777 "$where"
  get() { (cd "$where" && apt-get download -q prometheus); }
  if ! get >"$where/log" 2>&1; then
    # The package lists may be missing or stale; only root may get them.
    { [ "$(id -u)" = 0 ] && apt-get update -q && get; } >"$where/log" 2>&1 ||
      { tail -20 "$where/log" >&2; echo "lint-alerts: could not get promtool; install it with: sudo apt-get install prometheus" >&2; exit 1; }
  fi
  dpkg-deb -x "$where"/prometheus_*.deb "$where/package"
  mkdir -p .bin
  cp "$where/package/usr/bin/promtool" .bin/promtool
  promtool=$PWD/.bin/promtool
fi

questions=$(mktemp --suffix=.json)
trap 'rm -rf "$questions" "${where:-}"' EXIT
# JSON is YAML, and a rule for each question has promtool read it.
node -e '
  const board = JSON.parse(require("fs").readFileSync("deploy/grafana/cuatrola.json", "utf8"));
  const rules = board.panels.flatMap((p) => p.targets ?? []).map((t, i) => ({
    record: `question:${i}`,
    expr: t.expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
  }));
  process.stdout.write(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
' >"$questions"
for step in "check rules deploy/prometheus/alerts.yml" "check rules $questions" "test rules deploy/prometheus/alerts_test.yml"; do
  # shellcheck disable=SC2086 # the words are the arguments
  "$promtool" $step >"$questions.log" 2>&1 || { cat "$questions.log" >&2; rm -f "$questions.log"; exit 1; }
done
rm -f "$questions.log"
echo "lint-alerts: clean"
