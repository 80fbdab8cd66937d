# What can be done with this repository. `make` alone lists it.
#
# It takes Go, make, git, bash and a Go module proxy. Tools are pinned: those that generate code in
# cluster/tools/go.mod, golangci-lint below. What takes minutes to build is built once, into the cache.

SHELL := bash
.DEFAULT_GOAL := help

# The cache's folder, which several clones may share. cluster/ensure.sh reads the same variable. The default is a
# relative path, since no target of make may have a space in its name, as the folder of the clone may.
CACHE := $(or $(PROVIDER_LAMBDA_CACHE),.cache)

GOLANGCI_VERSION := v2.12.2
# A linter has to know the Go version that it reads the export data of.
GOLANGCI := $(CACHE)/bin/golangci-lint-$(GOLANGCI_VERSION)-$(shell go env GOVERSION 2>/dev/null)

# Its results hold paths, so each clone keeps its own, whatever it shares.
LINT = GOLANGCI_LINT_CACHE="$(CURDIR)/.cache/golangci-lint" "$(abspath $(GOLANGCI))"

# promtool checks what Prometheus is given. Its version is that of cluster/prometheus/go.mod.
PROMETHEUS_VERSION := $(shell awk '$$1 == "github.com/prometheus/prometheus" { print $$2 }' cluster/prometheus/go.mod)
PROMTOOL := $(CACHE)/bin/promtool-$(PROMETHEUS_VERSION)

# vale checks the prose, as .vale.ini says. It parses code with tree-sitter, so it takes a C compiler to build.
VALE_VERSION := v3.21.0
VALE := $(CACHE)/bin/vale-$(VALE_VERSION)

MODULE := github.com/crossplane-contrib/provider-lambda
# What the provider says its version is.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)

# Where `make xpkg-push` pushes the package to: a registry's host, and folders in it if need be.
REGISTRY ?=
# What cosign signs it and the plugin with, if at all: keyless, a file, or the URI of a key management service.
SIGN ?=
# The commit that a package says it is built from, and that commit's time, the only one it holds.
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)

# What builds and pushes the package: a module of its own.
PACKAGE := env -u GOOS -u GOARCH go -C cluster/package run .

# What `make generate` writes.
GENERATED := package/crds apis/v1beta1/zz_generated.* docs/coverage.md docs/reference docs/iam-policy.json observability/prometheusrule.yaml internal/test/conformance/words.txt

# compile builds a program of a module into bin, and shows on one line how far that is.
PROGRESS := awk -v tty="$$(test -t 2 && echo 1)" ' \
	/[ :]/ { print; next } \
	tty { printf "\r\033[K  compiled %d packages, at %.50s", ++n, $$0 } \
	!tty && ++n % 25 == 0 { print "  compiled " n " packages" } \
	{ fflush() } \
	END { if (tty && n) printf "\r\033[K" }' >&2
compile = set -o pipefail; go -C $(1) build -v -ldflags='-s -w' -o '$(CURDIR)/bin/$(2)' $(3) 2>&1 | $(PROGRESS)

# The flags of the package's programs (cluster/package/build.go), for all that is compiled here: the Go command compiles
# a module again for other flags. The programs are stripped, so debug information is not compiled: a tenth of the time.
COMPILER := -trimpath -gcflags=all=-dwarf=false
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) $(COMPILER)

# Flags that every run of `go test` takes besides those below, such as -race or -run=TestName. `make lint` vets. Programs
# without a symbol table take a sixth less to link.
override TESTFLAGS += -vet=off -ldflags='-s -w'

# A third less CPU time for what makes much garbage, while a program has less than 2 GiB.
test campaign lint-golangci: export GOGC := $(or $(GOGC),400)
test campaign lint-golangci: export GOMEMLIMIT := $(or $(GOMEMLIMIT),2GiB)

##@ Try

.PHONY: demo
demo: control-plane ## Run the provider against a double of AWS, with a table of what goes on. ONCE=1 ends after the show.
	@$(call compile,.,demo,./cmd/demo) && exec bin/demo

.PHONY: dev
dev: control-plane crossplane ## Keep the provider running on Crossplane, built anew as you change it. LOGS=1 shows its log, ONCE=1 ends when it is up.
	@$(call compile,cluster/e2e,dev,./dev) && exec bin/dev

.PHONY: run
run: ## Run the provider against the cluster that kubectl is set to, after `kubectl apply -f package/crds`.
	@go run ./cmd/provider --debug --no-leader-election --metrics-bind-address=127.0.0.1:8080 --health-probe-bind-address=0

##@ Test

# Tests that compile the programs have -count=1: the Go command keeps results although what they compile has changed.
.PHONY: test
test: control-plane crossplane ## Run all tests, those on a real Kubernetes control plane and on Crossplane included.
	@go test -timeout=20m $(TESTFLAGS) ./...
	@go -C cluster/package test -count=1 $(TESTFLAGS) ./...
	@go -C cluster/prometheus test $(TESTFLAGS) ./...
	@go -C cluster/e2e test -count=1 -timeout=20m -parallel=6 $(TESTFLAGS) ./...

.PHONY: e2e
e2e: control-plane crossplane ## Run the tests on Crossplane: the package, its upgrade, what people compose.
	@go -C cluster/e2e test -count=1 -timeout=20m -parallel=6 $(TESTFLAGS) ./...

.PHONY: e2e-flux
e2e-flux: control-plane flux ## Run the tests on Flux's own source-controller: from a commit, and from a signed artifact.
	@go -C cluster/e2e vet -tags=flux ./flux && go -C cluster/e2e test -count=1 -tags=flux -timeout=20m $(TESTFLAGS) ./flux

.PHONY: test-unit
test-unit: ## Run the tests of the packages that need no control plane: the quick ones.
	@go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... \
		| grep -v 'internal/test/devcluster' | cut -d ' ' -f 1 | xargs go test $(TESTFLAGS)

# The packages of the campaign, the figures of a run, and how long it may take.
CAMPAIGNS := ./internal/test/campaign ./internal/test/campaign/explore
CAMPAIGN_FIGURES := $(CACHE)/campaign.jsonl
CAMPAIGN_TIMEOUT ?= 60m

.PHONY: campaign
campaign: ## Try the provider against all that may go wrong, and write the figures into docs/reliability.md. CAMPAIGN_FLAGS="-campaign.walks=100" goes on for longer.
	@mkdir -p $(CACHE) && rm -f $(CAMPAIGN_FIGURES)
	@go test -p=1 -count=1 -timeout=$(CAMPAIGN_TIMEOUT) $(TESTFLAGS) $(CAMPAIGNS) -campaign.sample=1 -campaign.week=1000 -campaign.report="$(abspath $(CAMPAIGN_FIGURES))" $(CAMPAIGN_FLAGS)
	@go test -count=1 -timeout=$(CAMPAIGN_TIMEOUT) $(TESTFLAGS) ./internal/reconcile/engine -run='^TestChurn$$' -churn=1000000 -campaign.report="$(abspath $(CAMPAIGN_FIGURES))"
	@go run ./internal/test/campaign/report $(CAMPAIGN_FIGURES) docs/reliability.md

.PHONY: trial
trial: ## Roll thousands of versions out in simulated time, also under the rules of other tools, and write the tables into docs/rollouts-tried.md. TRIAL_FLAGS="-trial.seed=5 -trial.runs=10" tries others, and fewer.
	@go test -run='^TestTrial' -count=1 -v -timeout=60m $(TESTFLAGS) ./internal/controller/alias -args \
		-trial.disturbed=10000 -trial.runs=100 -trial.page="$(abspath docs/rollouts-tried.md)" $(TRIAL_FLAGS)

# What goroutines share most, in packages that take a minute or so to build for the race detector, which takes a C compiler.
RACED ?= $(addprefix ./internal/aws/,lambdaapi quota readcache)

# Flags of a run of the scenarios, such as CONFORMANCE_FLAGS="--dry-run" or "--only=function,version --endpoint=http://127.0.0.1:4566".
CONFORMANCE_FLAGS ?=

.PHONY: conformance
conformance: control-plane ## Prove the provider on a sandbox account, for about a cent: ACCOUNT=123456789012 REGION=eu-central-1. It removes what it makes.
	@$(call compile,.,conformance,./cmd/conformance) && exec bin/conformance run --account=$(ACCOUNT) $(if $(REGION),--region=$(REGION)) $(CONFORMANCE_FLAGS)

.PHONY: conformance-clean
conformance-clean: ## Remove what stopped runs of `make conformance` have left. ALL=1 ACCOUNT=123456789012 finds those of others too.
	@$(call compile,.,conformance,./cmd/conformance) && exec bin/conformance clean $(if $(ACCOUNT),--account=$(ACCOUNT)) $(if $(REGION),--region=$(REGION)) $(if $(ALL),--all)

.PHONY: test-race
test-race: ## Run the tests of what goroutines share with the race detector, where there is a C compiler: RACED=./internal/... for more.
	@if CGO_ENABLED=1 go build -o /dev/null runtime/cgo 2>/dev/null; then CGO_ENABLED=1 go test -race $(TESTFLAGS) $(RACED); \
	else echo "data races: not looked for, since there is no C compiler"; fi

.PHONY: bench
bench: ## Run the benchmarks, and print a table of what fleets cost and of the most that they may.
	@grep -rl --include='*_test.go' '^func Benchmark' apis cmd internal | xargs -n 1 dirname | sort -u | sed 's|^|./|' \
		| xargs go test -run='^$$' -bench=. -benchmem -timeout=90m $(TESTFLAGS)
	@$(MAKE) --no-print-directory bars

BARS = "$(abspath $(CACHE)/bars.txt)"

.PHONY: bars
bars: ## Print the table of `make bench` alone. It fails if a count or a simulated time is above its bar.
	@mkdir -p $(CACHE) && rm -f $(BARS)
	@go test -count=1 -run='^TestBars$$' -timeout=60m $(TESTFLAGS) ./internal/test/campaign -campaign.bars=$(BARS); status=$$?; [ ! -e $(BARS) ] || cat $(BARS); exit $$status

# How long each target is fuzzed. What fails is kept in testdata/fuzz of its package, and is a test from then on.
FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME, 30s unless told. FUZZ=./internal/lambda/policy fuzzes those of one package.
	@failed=0; for p in $(or $(FUZZ),$$(grep -rl --include='*_test.go' '^func Fuzz' apis cmd internal | xargs -n 1 dirname | sort -u | sed 's|^|./|')); do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$p/*_test.go); do \
			echo "$$p $$f"; go test -run='^$$' -fuzz="^$$f\$$" -fuzztime=$(FUZZTIME) $(TESTFLAGS) $$p || failed=1; \
		done; done; exit $$failed

##@ Check

.PHONY: lint
lint: lint-format lint-golangci lint-generated lint-prometheus lint-licenses lint-prose ## Run every check that is not a test.

.PHONY: lint-format
lint-format: ## Check that gofmt would change nothing, and that scripts parse.
	@unformatted=$$(gofmt -l $(wildcard apis cmd internal docs cluster)); [ -z "$$unformatted" ] \
		|| { echo "not formatted, run gofmt -w on: $$unformatted" >&2; exit 1; }
	@for f in .ci/run cluster/*.sh cluster/*/*.sh; do bash -n $$f || exit 1; done

# It vets too. cluster/dev is a module of its own: to check it means to compile Kubernetes once more. No warnings of
# exclusions in .golangci.yml that the other modules have no use for.
.PHONY: lint-golangci
lint-golangci: $(GOLANGCI) ## Run golangci-lint, as .golangci.yml says.
	@$(LINT) run ./... && for m in package prometheus e2e; do (cd cluster/$$m && LOG_LEVEL=error $(LINT) run ./...) || exit 1; done

.PHONY: lint-generated
lint-generated: ## Check that the generated code is what `make generate` makes of the API types.
	@sums() { git ls-files --cached --others --exclude-standard -- $(GENERATED) | LC_ALL=C sort -u \
			| while read -r f; do [ ! -e "$$f" ] || echo "$$(git hash-object "$$f") $$f"; done; }; \
	before=$$(sums); $(MAKE) --no-print-directory generate; after=$$(sums); \
	diff <(echo "$$before") <(echo "$$after") >&2 \
		|| { echo "generated code was out of date; it is up to date now: look at it and commit it" >&2; exit 1; }

# Only the provider's own metrics are checked: what others are called is for others to say.
.PHONY: lint-prometheus
lint-prometheus: $(PROMTOOL) ## Check the alert rules, try each alert, and check the metrics' names, with Prometheus's promtool.
	@$(PROMTOOL) check rules --lint=all --lint-fatal observability/alerts.yaml
	@$(PROMTOOL) test rules observability/alerts_test.yaml
	@grep -E '^(# [A-Z]+ )?provider_lambda_' observability/metrics.prom | $(PROMTOOL) check metrics

# The same check stands before each package that is built.
.PHONY: lint-licenses
lint-licenses: ## Check that all that is compiled into the provider has a license that its image may hold.
	@$(PACKAGE) licenses --root="$(CURDIR)"

.PHONY: lint-prose
lint-prose: ## Check the prose of the documentation with vale, if there is a C compiler to build it with.
	@if [ -x $(VALE) ] || CGO_ENABLED=1 go build -o /dev/null runtime/cgo 2>/dev/null; then \
		$(MAKE) -s --no-print-directory $(VALE) && $(VALE) --no-global --output=line README.md CONTRIBUTING.md SECURITY.md OWNERS.md docs; \
	else echo "prose: not checked, since there is no C compiler to build vale with"; fi

# The test of the table compares it with the day of the commit. What is released is compared with today.
.PHONY: check-runtimes
check-runtimes: ## Check that the table of runtimes was compared with AWS's in the last 180 days.
	@go test ./internal/lambda/advice -run '^TestRuntimesAreRecent$$' -advice.date "$$(date -u +%F)"

# Nothing is found where nothing could be asked, so a database that cannot be reached is a failure.
.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in what the provider and the plugin call. It fails if their database cannot be reached.
	@out=$$(go tool -modfile=cluster/tools/go.mod govulncheck ./cmd/provider ./cmd/kubectl-lambda 2>&1) && echo "$$out" && exit; \
	case $$out in \
	*"fetching vulnerabilities"*) echo "vulnerabilities: not checked, since their database cannot be reached: $${out##*: }" >&2;; \
	*) echo "$$out" >&2;; \
	esac; exit 1

.PHONY: figures
figures: ## Print how large the code is, and in how many files some values are on their way to AWS.
	@internal/test/figures/figures.sh

.PHONY: format
format: $(GOLANGCI) ## Format the code and its imports.
	@$(LINT) fmt

##@ Build

.PHONY: build
build: ## Build the provider and the plugin of kubectl into bin/.
	@go build -ldflags="-s -w -X main.version=$(VERSION)" -o bin/ ./cmd/provider ./cmd/kubectl-lambda

.PHONY: xpkg
xpkg: ## Build the Crossplane package into bin/, for amd64 and arm64, without Docker: 4 to 8 minutes on 2 cores at first.
	@$(PACKAGE) build --root="$(CURDIR)" --out="$(CURDIR)/bin" --version=$(VERSION) --revision=$(REVISION) --created=$(or $(SOURCE_DATE_EPOCH),0)

.PHONY: xpkg-push
xpkg-push: xpkg ## Build and push the Crossplane package: REGISTRY=registry.example.org/team VERSION=v0.1.0. SIGN=keyless signs it.
	@[ -n "$(REGISTRY)" ] || { echo "say where to push the package: make xpkg-push REGISTRY=registry.example.org/team" >&2; exit 1; }
	@$(PACKAGE) push --out="$(CURDIR)/bin" --version=$(VERSION) $(if $(SIGN),--sign=$(SIGN)) $(REGISTRY)

.PHONY: plugin
plugin: ## Build archives of the plugin of kubectl into bin/, for five platforms, and its manifest for Krew: VERSION=v0.1.0. SIGN=keyless attests them.
	@$(PACKAGE) plugin --root="$(CURDIR)" --out="$(CURDIR)/bin" --version=$(VERSION) --revision=$(REVISION) --created=$(or $(SOURCE_DATE_EPOCH),0) $(if $(SIGN),--sign=$(SIGN))

.PHONY: generate
generate: ## Generate deep copies, methods, CRDs, docs/coverage.md and docs/reference from the API types, docs/iam-policy.json from the calls of AWS, the words that recordings may show, and a PrometheusRule from the alerts.
	@go generate ./apis/...
	@go test ./apis/v1beta1 -run '^TestCoverageTable$$' -update
	@rm -rf docs/reference && mkdir -p docs/reference .cache && go tool -modfile=cluster/tools/go.mod crd-ref-docs --log-level=ERROR --source-path=apis/v1beta1 --max-depth=20 \
		--config=cluster/tools/reference/config.yaml --templates-dir=cluster/tools/reference --renderer=markdown --output-path=.cache/reference.md
	@awk '/^<!-- page / { page = "docs/reference/" $$3; next } { print > page }' .cache/reference.md
	@go test ./docs -run '^TestIAMPolicy$$' -update
	@go test ./internal/test/conformance -run '^TestWords$$' -update
	@go -C cluster/prometheus test . -run '^TestPrometheusRule$$' -update

.PHONY: control-plane
control-plane: ## Build the control plane that tests and demo run on, unless the cache has it: 4 to 6 minutes on 2 cores.
	@for p in etcd kube-apiserver kube-controller-manager; do \
		[ -x "$${KUBEBUILDER_ASSETS:-/nonexistent}/$$p" ] || exec cluster/dev/ensure.sh >/dev/null; done

.PHONY: crossplane
crossplane: ## Build Crossplane, its CLI and a composition function, unless the cache has them: 7 to 9 minutes on 2 cores.
	@cluster/crossplane/ensure.sh >/dev/null

.PHONY: flux
flux: ## Build Flux's source-controller, unless the cache has it: 3 to 4 minutes on 2 cores.
	@cluster/flux/ensure.sh >/dev/null

.PHONY: clean
clean: ## Remove what was built here. A cache that PROVIDER_LAMBDA_CACHE names is left alone.
	@rm -rf bin .cache

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION), once, about 5 minutes on 2 cores" >&2
	@mkdir -p $(CACHE)/bin && dir=$$(mktemp -d $(CACHE)/bin/build.XXXXXX) && trap 'rm -rf "$$dir"' EXIT \
		&& env -u GOOS -u GOARCH GOBIN="$$(cd "$$dir" && pwd)" GOFLAGS="-buildvcs=false $(COMPILER)" GOWORK=off \
			go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) \
		&& mv "$$dir/golangci-lint" $@

# Without service discovery, of which it checks nothing: a fifth of what there is to compile.
$(PROMTOOL):
	@echo "building promtool $(PROMETHEUS_VERSION), once, 2 to 4 minutes on 2 cores" >&2
	@mkdir -p $(CACHE)/bin && dir=$$(mktemp -d $(CACHE)/bin/build.XXXXXX) && trap 'rm -rf "$$dir"' EXIT \
		&& env -u GOOS -u GOARCH GOFLAGS="-buildvcs=false $(COMPILER)" GOWORK=off \
			go -C cluster/prometheus build -tags=remove_all_sd -ldflags='-s -w' -o "$$(cd "$$dir" && pwd)/promtool" github.com/prometheus/prometheus/cmd/promtool \
		&& mv "$$dir/promtool" $@

$(VALE):
	@echo "building vale $(VALE_VERSION), once, about 2 minutes on 2 cores" >&2
	@mkdir -p $(CACHE)/bin && dir=$$(mktemp -d $(CACHE)/bin/build.XXXXXX) && trap 'rm -rf "$$dir"' EXIT \
		&& env -u GOOS -u GOARCH CGO_ENABLED=1 GOBIN="$$(cd "$$dir" && pwd)" GOFLAGS="-buildvcs=false $(COMPILER)" GOWORK=off \
			go install github.com/vale-cli/vale/v3/cmd/vale@$(VALE_VERSION) \
		&& mv "$$dir/vale" $@
