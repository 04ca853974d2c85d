# Shared by the scripts here: a work directory, and what fails.
set -u
skelgen=$1 mpicc=$2 mpiexec=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "$PWD/wildcards-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
: > out > err
failures=0
fail() {
  echo "FAILED: $1"
  sed 's/^/  stdout: /' out | head -8
  sed 's/^/  stderr: /' err | head -8
  failures=$((failures + 1))
}
# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1"; }
# compile NAME SOURCE...
compile() { "$mpicc" -O2 -Wall -Wextra -Werror -o "$1" "${@:2}" > out 2> err || { fail "compilation of $1" && exit 1; }; }
# synchronous RANKS: t.skel finishes although every send waits for its receive.
synchronous() {
  make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O2 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || return 1
  timeout 100 "$skelgen" time --runs 1 -- "$mpiexec" -n "$1" t.skel/skeleton > out 2> err
}
