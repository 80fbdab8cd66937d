#!/usr/bin/env bash
#
# Makes sure that Flux's source-controller is there, and prints the folder that holds it. ../ensure.sh says how. In it are
#
#   source-controller  the program
#   crds               the definitions of its kinds
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../ensure.sh"

name=flux
programs="source-controller crds"

controller=github.com/fluxcd/source-controller
version=$(pinned "$here/go.mod" $controller)

what="Flux's source-controller $version"
takes="3 to 4 minutes"

flags=(-buildvcs=false -ldflags="-s -w")
key=$version-$(uname -s)-$(uname -m)-$( (cat "$here"/go.*; tail -n +8 "${BASH_SOURCE[0]}"; echo "${flags[*]}") | hash)

packages() { go list -deps $controller; }

compile() {
  go build -v "${flags[@]}" -o "$partial/source-controller" $controller
  cp -R "$(go list -m -f '{{.Dir}}' $controller)/config/crd/bases" "$partial/crds"
  chmod -R u+w "$partial"
}

check() {
  "$partial/source-controller" --help 2>&1 | grep -q -- --storage-adv-addr || { say "source-controller does not know its own flags"; exit 1; }
}

ensure
