#!/usr/bin/env bash
# Prints how large the code is. Tests and generated files only count where it says so.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

files() { git ls-files --cached --others --exclude-standard -- "$@" | grep -v zz_generated; }
code() { files "$@" | grep -v '_test\.go$'; }
product() { code 'apis/*.go' 'internal/*.go' 'cmd/provider/*.go' 'cmd/kubectl-lambda/*.go' | grep -v '^internal/test/'; }
long() { xargs cat | expand -t4 | awk 'length > 120' | wc -l; }
naming() { code 'internal/controller/*.go' | xargs grep -hi "$1" | grep -cv '^\s*//' || true; }

row() { printf '%6s %s\n' "$@"; }
row "$(product | xargs cat | wc -l)" "lines of the product"
row "$(code 'internal/test/*.go' 'cluster/*.go' | xargs cat | wc -l)" "lines of internal/test and cluster"
row "$(files 'internal/*.go' | cut -d / -f 2 | sort -u | wc -l)" "folders in internal"
row "$(product | xargs dirname | sort | uniq -c | sort -n | awk 'END { print $1 }')" "files in the largest package"
row "$(product | long)" "lines of the product over 120 columns"
row "$(files '*.go' | long)" "lines over 120 columns, with tests"
row "$(product | xargs grep -hE '^[^/]*ctx\.Value\(' | grep -cv '^func')" "values fetched from a context"
row "$(naming memorySize)" "lines of controllers name memorySize"
row "$(naming ephemeralStorage)" "lines of controllers name ephemeralStorage"
go run ./internal/test/figures
