# make run    build Seakeep and start its demo, with its pages in a browser
# make test   everything that must hold before a change lands
#
# Both do their own set-up: a fresh machine needs Go, make, git and, for
# missing Debian packages, the right to install them. "make help" lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Commands that the tests need, as command:packages. The race detector needs a
# C compiler, WebAssembly something to run it, the adapters' tests real servers;
# Prometheus and its promtool judge our metrics.
# Debian keeps the server of PostgreSQL off the PATH; pg_ctlcluster stands for it.
NEEDS := gcc:gcc,libc6-dev node:nodejs npm:npm pg_ctlcluster:postgresql redis-server:redis-server \
	prometheus:prometheus h2load:nghttp2-client

# The modules in go.work, so that a new one is checked without a line here.
# The benchmarks stay out of -race, which would only slow them down.
MODULES = $(shell awk '/^use \(/ {on = 1; next} /^\)/ {on = 0} on {print $$1}' go.work)
RACED   = $(filter-out ./bench ./internal/promcheck,$(MODULES))
every   = $(addsuffix /...,$(1))

# The package whose tests take longest, a minute of load among them: it goes first, so
# that others run beside it.
FIRST = ./cmd/seakeep/proxy

# Packages with tests that the race detector makes too long: those run without it.
LONG = $(sort $(dir $(shell grep -rl --include='*_test.go' --exclude-dir=web seakeep/internal/race .)))

# What must hold without a clock, a network or an operating system.
PURE = $(addsuffix /...,$(wildcard ./core ./sim))

FUZZTIME ?= 10s
SOAK     ?= 10m

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start the demo, with its pages in a browser; ARGS="--for 20s" adds flags
	@exec bin/seakeep demo --play $(ARGS)

.PHONY: build
build: page ## build bin/seakeep, with its page if Node.js is there
	@mkdir -p bin
	go build -o bin/seakeep ./cmd/seakeep

# The page is an extra: without a Node.js that Vite runs on, or without a network
# for its packages, everything else is built all the same. A page that is there and
# cannot be built is a mistake.
NODE  = { command -v npm >/dev/null && node -e 'const [a, b] = process.versions.node.split("."); \
	process.exit(a > 22 || a == 22 && b >= 12 || a == 20 && b >= 19 ? 0 : 1)'; }
READY = { $(NODE) && [ -e web/node_modules/.package-lock.json ]; }

.PHONY: page
page: ## build the page and put it where the program embeds it
	@if ! $(NODE); then \
		echo "no Node.js 20.19, 22.12 or newer: the program is built without its page"; \
	elif ! $(MAKE) -s --no-print-directory web/node_modules/.package-lock.json; then \
		echo "npm cannot fetch what the page is built with: the program is built without it" >&2; \
	else \
		$(MAKE) -s --no-print-directory $(ASSETS)/try.html; \
	fi

ASSETS = cmd/seakeep/dashboard/assets
# What the page is made of, and what Go builds its engine from.
PAGE   = $(shell find web/src web/public web/scripts web/*.* testdata/scenarios \
	examples/checkout/seakeep.yaml cmd/seakeep/demo/policy.yaml -type f -not -path '*/built/*')
ENGINE = $(shell GOOS=js GOARCH=wasm go list -deps -f '{{$$in := .Dir}}{{if not .Standard}}{{range .GoFiles}} \
	{{$$in}}/{{.}}{{end}}{{range .EmbedFiles}} {{$$in}}/{{.}}{{end}}{{end}}' ./cmd/seakeep/lab/engine)

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --silent --no-audit --no-fund

web/src/engine/built/engine.wasm.gz: $(ENGINE) web/scripts/engine.mjs
	node web/scripts/engine.mjs

$(ASSETS)/try.html: $(PAGE) web/node_modules/.package-lock.json web/src/engine/built/engine.wasm.gz
	cd web && npm run --silent build
	find $(ASSETS) -mindepth 1 -not -name .keep -delete
	cp -r web/dist/. $(ASSETS)/
	@touch $@

.PHONY: site
site: web/node_modules/.package-lock.json web/src/engine/built/engine.wasm.gz ## write Try it into the folder site, for any web server
	rm -rf site
	cd web && npm run --silent site
	mv site/try.html site/index.html
	node web/scripts/pack.mjs site

.PHONY: web-test
web-test: page ## types and unit tests of the page
	@if $(READY); then cd web && npm run --silent test; else echo "the page is not tested"; fi

# Needs Chromium, which root gets from Debian.
.PHONY: web-e2e
web-e2e: build ## the page in a browser: its numbers, its address, who cannot see it
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium || true; \
	fi
	@if ! command -v chromium >/dev/null; then \
		echo "the page is not tested in a browser: there is no chromium, and only root can install it"; \
	elif ! $(READY); then \
		echo "the page is not tested in a browser: it was not built"; \
	else \
		$(MAKE) -s --no-print-directory site >/dev/null && cd web && npm run --silent e2e; \
	fi

# Cheap checks first, so that a mistake shows early.
.PHONY: test
test: setup format vet tidy pure web-test web-e2e staticcheck unit ## everything that must hold; under ten minutes on two cores
	@echo "make test: all of it holds"

.PHONY: unit
unit: ## the tests, with the race detector; the longest and the benchmarks' own without
	go test -race $(FIRST) $(call every,$(RACED))
	go test $(LONG) $(call every,./bench ./internal/promcheck)

.PHONY: format
format: ## gofmt has nothing to change
	@files=$$(find . -name '*.go' -not -path '*/node_modules/*' -not -path '*/testdata/*' \
		-exec gofmt -l {} +); \
	if [ -n "$$files" ]; then echo "run gofmt -w on:" $$files >&2; exit 1; fi

.PHONY: vet
vet: ## go vet, which also compiles everything
	go vet $(call every,$(MODULES))

.PHONY: tidy
tidy: ## the rules of the house
	go test -count=1 ./internal/tidy

.PHONY: pure
pure: ## core and sim build where there is nothing to be impure with
	GOOS=js GOARCH=wasm go build -trimpath $(PURE)

# The tool is a module of its own, outside go.work: what it requires must reach
# nobody who imports the library. ST1005 wants errors to start in lower case, and
# ours may start with the name of a Go field.
.PHONY: staticcheck
staticcheck: ## what vet does not see
	@mkdir -p bin
	@GOWORK=off go -C internal/tools build -o '$(CURDIR)/bin/staticcheck' \
		honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck -checks inherit,-ST1005 $(call every,$(MODULES))

.PHONY: bench
bench: ## our benchmarks beside the peers', at 1 and at 2 procs; ARGS="-run ^f" picks rows
	go run ./bench $(ARGS)

.PHONY: soak
soak: ## ten minutes of load on the proxy while what it asks is killed and hurt; SOAK=1h for more
	go test -race ./cmd/seakeep/proxy -run '^TestSoak$$' -count=1 -v -timeout 0 -args -soak $(SOAK)

.PHONY: bench-proxy
bench-proxy: ## what seakeep proxy costs, beside a plain one; ARGS="-run ^a -pairs 3" for less
	go run ./bench/proxy $(ARGS)

.PHONY: demo-and-simulation
demo-and-simulation: ## the tables of docs/demo-and-simulation.md, from new runs on this machine
	go test ./cmd/seakeep/demo -run '^TestDemoAgrees$$' -count=1 -v \
		-args -page '$(CURDIR)/docs/demo-and-simulation.md'

.PHONY: fuzz
fuzz: ## every fuzz test for FUZZTIME each
	@for package in $$(go list $(call every,$(RACED))); do \
		found=$$(go test -list '^Fuzz' $$package); \
		for name in $$(grep '^Fuzz' <<<"$$found" || true); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

.PHONY: setup
setup: ## Debian packages that are missing, and the modules
	@missing=; for need in $(NEEDS); do \
		command -v "$${need%%:*}" >/dev/null || missing="$$missing $$(tr , ' ' <<<"$${need##*:}")"; \
	done; \
	if [ -n "$$missing" ]; then \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -q; \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy --no-install-recommends $$missing; \
	fi
	@go mod download
	@cd internal/tools && GOWORK=off go mod download

# What stands in for the modules of this repository, which no registry has.
OURS = $(patsubst ./adapters/%,adapters/%,$(filter ./adapters/%,$(MODULES)))
USE  = -replace 'github.com/seakeep/seakeep=$(CURDIR)' \
	$(foreach a,$(OURS),-replace 'github.com/seakeep/seakeep/$(a)=$(CURDIR)/$(a)')
DROP = -dropreplace github.com/seakeep/seakeep \
	$(foreach a,$(OURS),-dropreplace github.com/seakeep/seakeep/$(a))

.PHONY: mod
mod: ## tidy every go.mod, as go mod tidy cannot do in a workspace
	@for dir in $(MODULES); do \
		( cd "$$dir"; echo "tidy $$dir"; copy=$$(mktemp -d); trap 'rm -rf "$$copy"' EXIT; \
		cp go.mod "$$copy/t.mod"; cp go.sum "$$copy/t.sum" 2>/dev/null || true; export GOWORK=off; \
		[ "$$dir" = . ] || go mod edit $(USE) "$$copy/t.mod"; \
		go mod tidy -modfile "$$copy/t.mod"; \
		[ "$$dir" = . ] || go mod edit $(DROP) "$$copy/t.mod"; \
		cp "$$copy/t.mod" go.mod; cp "$$copy/t.sum" go.sum ); \
	done

.PHONY: clean
clean: ## remove what was built
	rm -rf bin site web/dist web/src/engine/built
