#!/bin/bash
# oracle.sh SKELGEN MPICC MPIEXEC [RUNS]: measures of real runs of random calls on 2 to 8 ranks, which share cores, against those that a program of its own
# computes from what `skelgen dump --json` prints.
skelgen=$1 mpicc=$2 mpiexec=$3 runs=${4-6}
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -Wall -Wextra -Werror -o random_calls "$here/random_calls.c" || exit 1

# compared NAME RANKS ARGUMENTS...
compared() {
  local name=$1 ranks=$2
  shift 2
  timeout 900 "$skelgen" trace --yield on -o "$name.trace" -- "$mpiexec" -n "$ranks" "$@" > out 2> err || fail "trace of $name"
  "$skelgen" dump "$name.trace" --json > dump 2> err || fail "dump of $name"
  "$skelgen" metrics "$name.trace" --no-phases --json > metrics 2> err || fail "metrics of $name"
  python3 "$here/oracle.py" dump metrics > out 2> err || fail "$name on $ranks ranks: other measures"
  rm -rf "$name.trace"
}

for ((seed = 1; seed <= runs; ++seed)); do
  compared "random-$seed" $((2 + seed % 7)) ./random_calls "$seed" $((20 + 20 * (seed % 5)))
done
echo "$runs runs compared"
tail -1 out
[ "$failures" = 0 ]
