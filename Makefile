# Everything a developer does here, by one name each. `make` alone lists the names.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# The targets call each other in order; parallel runs would fight over build/.
.NOTPARALLEL:

BIN      := $(CURDIR)/.bin
BINARY   := build/cuatrola
FUZZTIME ?= 30s
ARGS     ?=
export PATH := $(BIN):$(PATH)

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build everything and start the server with its embedded defaults (ARGS="…" adds flags)
	exec $(BINARY) serve $(ARGS)

.PHONY: build
build: wasm panel binary ## build the module, the pages and the binary (build/cuatrola)

.PHONY: binary
binary:
	mkdir -p build
	go build -trimpath -o $(BINARY) ./server/cmd/cuatrola

# npm writes this file last, so it is a stamp of what is installed.
node_modules/.package-lock.json: package.json package-lock.json $(wildcard wasm/package.json wasm/client/package.json wasm/ui/package.json wasm/play/package.json admin/package.json server/internal/rest/docs/package.json)
	npm ci --no-audit --no-fund
	@touch $@

.PHONY: wasm
wasm: node_modules/.package-lock.json ## build the WebAssembly module, its npm package and the web page
	scripts/build-wasm.sh
	npm run build --workspace @cuatrola/client
	npm run build --workspace @cuatrola/play
	npm run build --workspace @cuatrola/docs

.PHONY: panel
panel: node_modules/.package-lock.json ## build the operator's panel; it needs the module that `make wasm` builds
	npm run build --workspace @cuatrola/admin

.PHONY: test
test: ## run every test: Go, Node, browser, SQLite and PostgreSQL (installs what it needs on Debian as root)
	scripts/test.sh

.PHONY: test-go
test-go: ## run the Go tests alone, beside a PostgreSQL of their own (PKGS="./shared/..." narrows)
	scripts/test-deps.sh
	scripts/with-postgres.sh scripts/test-go.sh $(PKGS)

.PHONY: bench
bench: build ## measure rules, module and server; what docs/benchmarks.md reports
	scripts/bench.sh

.PHONY: bench-peers
bench-peers: build ## measure the server beside pgbench and a bare Fiber app, as one table of ratios (PARTS="actions postings" narrows)
	scripts/bench-peers.sh $(PARTS)

.PHONY: bench-page
bench-page: build ## measure in a browser how soon the page is there and one plays (LOADS=7 of each)
	scripts/test-deps.sh
	node wasm/play/test/interactive.mjs $(LOADS)

.PHONY: strength
strength: ## let the bots' levels play each other, for the tables of docs/benchmarks.md (SCALE=0.1 plays a tenth)
	node scripts/strength.mjs --scale $(or $(SCALE),1)

.PHONY: play-hour
play-hour: build ## let people who play at random loose on the page for MINUTES (60); SEED=N draws alike again
	scripts/test-deps.sh
	node wasm/play/test/hour.mjs $(or $(MINUTES),60) $(SEED)

.PHONY: chaos
chaos: ## break processes, database and bus under load for MINUTES (10), then see that nothing is lost; SEED=N breaks alike again
	scripts/test-deps.sh
	CUATROLA_CHAOS=$(or $(MINUTES),10)m CUATROLA_CHAOS_SEED=$(SEED) go test -count 1 -v -timeout 24h -run '^TestChaos$$' ./server/e2e | grep --line-buffered -v '"level":'

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (30s)
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: generate
generate: ## write all generated code anew
	scripts/tools.sh oapi-codegen
	go generate ./...

.PHONY: verify-generate
verify-generate: ## fail if the committed generated code is not what `make generate` writes
	scripts/verify-generate.sh

.PHONY: lint
lint: ## run the linters, import rules included, and check the formatting
	scripts/tools.sh golangci-lint gofumpt
	scripts/lint.sh

.PHONY: fmt
fmt: ## format the Go code
	scripts/tools.sh gofumpt
	git ls-files --cached --others --exclude-standard '*.go' | xargs grep -L '^// Code generated' | xargs gofumpt -w

.PHONY: migrate
migrate: binary ## bring the configured database up to date (ARGS=status or ARGS=down for the rest)
	$(BINARY) migrate $(or $(ARGS),up)

.PHONY: screenshots
screenshots: build ## take the pictures in docs/img from the real pages
	scripts/test-deps.sh
	npm run screenshots --workspace @cuatrola/play
	npm run screenshots --workspace @cuatrola/admin

.PHONY: vuln
vuln: ## look for known vulnerabilities in what is linked (needs the open internet, so not part of check)
	scripts/tools.sh govulncheck
	govulncheck ./...

.PHONY: check
check: lint verify-generate test ## all that must hold before a commit: lint, generated code, every test

.PHONY: clean
clean: ## remove what was built (data and tools stay)
	rm -rf build wasm/dist wasm/client/dist wasm/play/dist/assets wasm/play/dist/index.html admin/dist/assets admin/dist/index.html server/internal/rest/docs/dist/swagger-ui*
