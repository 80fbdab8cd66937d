#!/usr/bin/env bash
#
# Makes sure that etcd, kube-apiserver and kube-controller-manager are there, and prints the folder
# that holds them as the only line on stdout. Progress and errors go to stderr.
#
# The first run builds them from the Go modules that go.mod pins. Later runs find them in the cache
# and return at once. Any number of runs may go on at the same time: one builds, the others wait.
#
# Environment:
#   PROVIDER_LAMBDA_CACHE  the cache's folder, which several clones may share; from the repository's root
#                          if it is relative; default .cache
#
# There is no download of ready-made binaries. envtest's archives lack kube-controller-manager, and
# that alone needs 2409 of the 2520 packages that all three need, so a download would save next to
# nothing. What is built here is checked against go.sum, down to the last byte. Whoever has the three
# programs already names their folder in KUBEBUILDER_ASSETS, and this script is not called.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${PROVIDER_LAMBDA_CACHE:-.cache}/kube
case $cache in /*) ;; *) cache=${here%/cluster/dev}/$cache ;; esac
programs="etcd kube-apiserver kube-controller-manager"

version=$(sed -n 's|^[[:space:]]*k8s\.io/kubernetes \(v[0-9.]*\)$|\1|p' "$here/go.mod")
minor=${version#v*.}
minor=${minor%%.*}

# Clients read the server's version, which Kubernetes's own build sets in this way. Leaving out
# debugging information saves a sixth of the time.
symbols=k8s.io/component-base/version
flags=(
  -buildvcs=false
  -gcflags=all=-dwarf=false
  -ldflags="-s -w -X $symbols.gitVersion=$version -X $symbols.gitMajor=1 -X $symbols.gitMinor=$minor"
)

say() { echo "$*" >&2; }

hash() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}

complete() {
  local program
  for program in $programs; do [ -x "$dir/$program" ] || return 1; done
}

finish() {
  touch -c "$dir" # Marks it as used, for prune.
  (cd "$dir" && pwd)
  exit 0
}

# try_lock takes the lock on file descriptor 9 or fails at once. The lock goes with the last process
# that holds the descriptor, however that ends. Systems without flock(1) have Perl.
try_lock() {
  if command -v flock >/dev/null; then flock -n 9; else perl -e 'open(F, ">&=9") && flock(F, 6) or exit 1'; fi
}

# progress shows how far things are: on a terminal as one line that it updates, else as a line every 10 s.
progress() {
  if [ -t 2 ]; then
    printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$1" >&2
  elif [ $((SECONDS % 10)) -eq 0 ]; then
    say "$1"
  fi
}

clear_progress() {
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

elapsed() {
  printf '%dm%02ds' $((SECONDS / 60)) $((SECONDS % 60))
}

# state says what the build is at, by what `go` has listed and printed so far.
state() {
  local compiled last of=""
  compiled=$(grep -c -v '^go: ' "$log" || true)
  last=$(tail -n 1 "$log")
  if [ -f "$partial/packages" ]; then of=" of at most $(($(wc -l <"$partial/packages")))"; fi
  case $last in
    "") echo "reading packages" ;;
    "go: downloading "*) echo "${last#go: }" ;;
    */provider-lambda/cluster/dev) echo "linking" ;;
    *) echo "compiled $compiled$of packages, at $last" ;;
  esac
}

compile() {
  cd "$here"
  unset GOOS GOARCH
  export CGO_ENABLED=0 GOWORK=off
  go list -deps . >"$partial/packages.new"
  mv "$partial/packages.new" "$partial/packages"
  go build -v "${flags[@]}" -o "$partial/control-plane" .
}

build() {
  command -v go >/dev/null || { say "cannot build the control plane: there is no go command in PATH"; exit 1; }
  say "building kube-apiserver, etcd and kube-controller-manager $version from Go modules, once, 6 to 8 minutes on 2 cores"
  rm -rf "$partial"
  mkdir -p "$partial"

  # Job control puts the build into a process group, so that all of it can be ended.
  set -m
  (compile) </dev/null >"$log" 2>&1 &
  local job=$!
  set +m
  trap 'kill -- -$job 2>/dev/null; clear_progress; say "the build was stopped; the next one goes on from what is compiled"; exit 130' INT TERM HUP

  SECONDS=0
  while kill -0 "$job" 2>/dev/null; do
    progress "  $(elapsed)  $(state)"
    sleep 1
  done
  clear_progress
  if ! wait "$job"; then
    tail -n 20 "$log" >&2
    say "cannot build the control plane; all that go said is in $log"
    exit 1
  fi
  trap - INT TERM HUP

  local program
  for program in $programs; do ln -s control-plane "$partial/$program"; done
  "$partial/kube-apiserver" --version | grep -q " $version\$" || { say "the kube-apiserver that was built is not $version"; exit 1; }
  rm -f "$partial/packages" "$log"
  mv "$partial" "$dir"
  say "built in $(elapsed): $dir"
}

# prune removes what other versions of this folder built and nobody has used for 30 days.
prune() {
  find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 ! -name "$key*" -exec rm -rf {} +
}

key=$version-$(uname -s)-$(uname -m)-$( (cat "$here"/go.mod "$here"/go.sum "$here"/*.go; echo "${flags[*]}") | hash | cut -c 1-12)
dir=$cache/$key
partial=$dir.partial
log=$dir.log

if complete; then finish; fi

mkdir -p "$cache"
exec 9>"$dir.lock"
until try_lock; do
  progress "  $(elapsed)  waiting for another build of the control plane to end"
  sleep 1
done
clear_progress
if ! complete; then
  rm -rf "$dir"
  build
  prune
fi
finish
