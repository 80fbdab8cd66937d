# Builds programs once, into the cache. It is sourced by the ensure.sh of the folders beside it, which set
#
#   name      the folder in the cache
#   what      what is built, for people
#   takes     how long that takes, for people
#   programs  the files and folders that must be there in the end
#   key       names the version: what makes other programs must give another key
#
# and the functions
#
#   packages  prints the packages that are compiled
#   compile   builds all programs into the folder $partial, and prints what `go build -v` does
#   check     fails, with a message, if what was built is not what was meant
#
# and call `ensure`. It prints the folder that holds the programs as the only line on stdout. Progress and errors
# go to stderr. Later runs find the programs in the cache and return at once. Any number of runs may go on at the
# same time: one builds, the others wait.
#
# Environment:
#   PROVIDER_LAMBDA_CACHE  the cache's folder, which several clones may share; from the repository's root
#                          if it is relative; default .cache

here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { echo "$*" >&2; }

# hash prints twelve characters that stand for what it reads.
hash() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c 1-12
}

# pinned prints the version of a module in a go.mod.
pinned() {
  sed -n "s|^\(require\)\{0,1\}[[:space:]]*$2 \(v[0-9.]*\)\( // indirect\)\{0,1\}\$|\2|p" "$1"
}

complete() {
  local program
  for program in $programs; do [ -e "$dir/$program" ] || return 1; done
}

finish() {
  touch -c "$dir" # Marks it as used, for prune.
  (cd "$dir" && pwd)
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
  if [ -f "$partial.packages" ]; then of=" of at most $(($(wc -l <"$partial.packages")))"; fi
  case $last in
    "") echo "reading packages" ;;
    "go: downloading "*) echo "${last#go: }" ;;
    *) echo "compiled $compiled$of packages, at $last" ;;
  esac
}

run_build() {
  cd "$here"
  unset GOOS GOARCH
  export CGO_ENABLED=0 GOWORK=off
  packages | sort -u >"$partial.packages.new"
  mv "$partial.packages.new" "$partial.packages"
  compile
}

build() {
  command -v go >/dev/null || { say "cannot build $what: there is no go command in PATH"; exit 1; }
  say "building $what from Go modules, once, $takes on 2 cores"
  rm -rf "$partial"
  mkdir -p "$partial"

  # Job control puts the build into a process group, so that all of it can be ended.
  set -m
  (run_build) </dev/null >"$log" 2>&1 &
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
    say "cannot build $what; all that go said is in $log"
    exit 1
  fi
  trap - INT TERM HUP

  check
  rm -f "$partial.packages" "$log"
  mv "$partial" "$dir"
  say "built in $(elapsed): $dir"
}

# prune removes what other versions of the folder built and nobody has used for 30 days.
prune() {
  find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 ! -name "$key*" -exec rm -rf {} +
}

ensure() {
  cache=${PROVIDER_LAMBDA_CACHE:-.cache}/$name
  case $cache in /*) ;; *) cache=$root/$cache ;; esac
  dir=$cache/$key
  partial=$dir.partial
  log=$dir.log

  if complete; then
    finish
    return
  fi

  mkdir -p "$cache"
  exec 9>"$dir.lock"
  until try_lock; do
    progress "  $(elapsed)  waiting for another build of $what to end"
    sleep 1
  done
  clear_progress
  if ! complete; then
    rm -rf "$dir"
    build
    prune
  fi
  finish
}
