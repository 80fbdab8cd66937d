#!/usr/bin/env bash
#
# Makes sure that etcd, kube-apiserver and kube-controller-manager are there, and prints the folder that holds
# them. ../ensure.sh says how.
#
# There is no download of ready-made binaries: envtest's archives lack kube-controller-manager. What is built here is
# checked against go.sum, down to the last byte. Whoever has the three programs already names their folder in
# KUBEBUILDER_ASSETS, and this script is not called.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../ensure.sh"

name=kube
programs="etcd kube-apiserver kube-controller-manager"

version=$(pinned "$here/go.mod" k8s.io/kubernetes)
minor=${version#v*.}
minor=${minor%%.*}

what="kube-apiserver, etcd and kube-controller-manager $version"
takes="4 to 6 minutes"

# Clients read the server's version, which Kubernetes's own build sets in this way. With the compiler's default flags,
# and versions of modules that ../../go.mod has too, the provider and the demo need not compile 900 of the packages.
symbols=k8s.io/component-base/version
flags=(
  -buildvcs=false
  -ldflags="-s -w -X $symbols.gitVersion=$version -X $symbols.gitMajor=1 -X $symbols.gitMinor=$minor"
)
key=$version-$(uname -s)-$(uname -m)-$( (cat "$here"/go.mod "$here"/go.sum "$here"/*.go; echo "${flags[*]}") | hash)

packages() { go list -deps .; }

# A file of test helpers among those of the API server, which nothing here uses, imports the fakes of all clients: a
# twelfth of what is compiled. It is removed from a copy of the modules. The Go command's cache takes what is compiled
# from the copy for the same packages.
helpers=k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_test_context.go

# All three are one program, which goes by the name that it is called by.
compile() {
  local program
  mkdir "$partial/source"
  cp go.mod go.sum ./*.go "$partial/source"
  cd "$partial/source"
  go mod vendor
  rm -f "vendor/$helpers"
  go build -v "${flags[@]}" -o "$partial/control-plane" .
  rm -rf "$partial/source"
  for program in $programs; do ln -s control-plane "$partial/$program"; done
}

check() {
  "$partial/kube-apiserver" --version | grep -q " $version\$" || { say "the kube-apiserver that was built is not $version"; exit 1; }
}

ensure
