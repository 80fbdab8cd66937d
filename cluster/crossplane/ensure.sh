#!/usr/bin/env bash
#
# Makes sure that Crossplane is there, and prints the folder that holds it. ../ensure.sh says how. In it are
#
#   crossplane-core              Crossplane and its RBAC manager
#   crossplane                   Crossplane's CLI
#   function-patch-and-transform a composition function, and function.yaml, crds: what its package holds
#   crds, chart.yaml             what Crossplane's Helm chart installs
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../ensure.sh"

name=crossplane
programs="crossplane-core crossplane function-patch-and-transform"

core=github.com/crossplane/crossplane/v2
cli=github.com/crossplane/cli/v2
transform=github.com/crossplane-contrib/function-patch-and-transform
version=$(pinned "$here/go.mod" $core)

what="Crossplane $version, its CLI and $(basename $transform)"
takes="7 to 9 minutes"

symbol=github.com/crossplane/crossplane-runtime/v2/pkg/version.version
flags=(-buildvcs=false)
key=$version-$(uname -s)-$(uname -m)-$( (cat "$here"/go.* "$here"/*.go "$here"/function/go.*; tail -n +8 "${BASH_SOURCE[0]}"; echo "${flags[*]}") | hash)

packages() {
  go list -deps . $cli/cmd/crossplane
  go -C function list -deps $transform
}

compile() {
  local source
  go build -v "${flags[@]}" -ldflags="-s -w -X $symbol=$version" -o "$partial/crossplane-core" .
  go build -v "${flags[@]}" -ldflags="-s -w -X $symbol=$(pinned go.mod $cli)" -o "$partial/crossplane" $cli/cmd/crossplane
  go -C function build -v "${flags[@]}" -ldflags="-s -w" -o "$partial/" $transform

  source=$(go list -m -f '{{.Dir}}' $core)/cluster
  cp -R "$source/crds" "$partial/crds"
  "$partial/crossplane-core" chart "$source/charts/crossplane" >"$partial/chart.yaml"

  mkdir "$partial/function"
  source=$(go -C function list -m -f '{{.Dir}}' $transform)/package
  cp "$source/crossplane.yaml" "$source"/input/*.yaml "$partial/function/"
  chmod -R u+w "$partial"
}

check() {
  "$partial/crossplane" version --client | grep -q "$(pinned "$here/go.mod" $cli)" || { say "Crossplane's CLI says that it is another version"; exit 1; }
}

ensure
