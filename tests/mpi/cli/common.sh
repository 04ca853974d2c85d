# Shared by the scripts here: a work directory, the test program, and checks of exit status and messages.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O2 -o app "$here/app.c" || exit 1

# expect STATUS PATTERN COMMAND...: runs it; wants the exit status, and exactly one stderr line of skelgen, which matches the pattern (""
# wants none). Lines of the MPI's launcher are its own.
expect() {
  local status=$1 pattern=$2 got lines
  shift 2
  "$@" > out 2> err
  got=$?
  # The machine may have other work.
  sed -i -e '/^skelgen: when traced, ranks waited for a core/d' -e '/^skelgen: .* during the launches: ranks waited for a core/d' -e '/^skelgen: [^ ]*: [A-Z].* waited for a core for/d' err
  lines=$(grep -c '^skelgen: ' err)
  if [ "$got" != "$status" ]; then
    fail "$* ended with $got, not $status"
  elif [ -n "$pattern" ] && { [ "$lines" != 1 ] || ! grep '^skelgen: ' err | grep -Eq -e "$pattern"; }; then
    fail "$*: no single line that matches $pattern"
  elif [ -z "$pattern" ] && [ "$lines" != 0 ]; then
    fail "$*: unexpected message"
  else
    echo "passed: ${*##*/} -> $got"
  fi
}

# no_leftovers: nothing but what the tests keep stands in the working directory.
no_leftovers() {
  local left
  left=$(find . -maxdepth 1 \( -name '*.partial' -o -name '.skelgen-*' \) | head -3)
  [ -z "$left" ] || fail "left behind: $left"
}

finish() {
  no_leftovers
  [ "$failures" = 0 ] || echo "$failures failures"
  [ "$failures" = 0 ]
  exit
}
