#!/bin/bash
# oracle.sh SKELGEN MPICC MPIEXEC [RUNS [EXAMPLES [FIRST]]]: measures of real runs of random calls on 2 to 8 ranks, which share cores, against those that a
# program of its own computes from what `skelgen dump --json` prints. EXAMPLES: so many of ours, too, on 2 to 8 ranks; FIRST: seed of the first run.
skelgen=$1 mpicc=$2 mpiexec=$3 runs=${4-5} examples=${5-1} first=${6-1}
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -Wall -Wextra -Werror -o random_calls "$here/random_calls.c" || exit 1

# compared NAME RANKS ARGUMENTS...
compared() {
  local name=$1 ranks=$2
  shift 2
  timeout 900 "$skelgen" trace --yield on -o "$name.trace" -- "$mpiexec" -n "$ranks" "$@" < /dev/null > out 2> err || fail "trace of $name"
  "$skelgen" dump "$name.trace" --json > dump 2> err || fail "dump of $name"
  "$skelgen" metrics "$name.trace" --no-phases --json > metrics 2> err || fail "metrics of $name"
  python3 "$here/oracle.py" dump metrics > out 2> err || fail "$name on $ranks ranks: other measures"
  rm -rf "$name.trace"
  compared=$((compared + 1))
}

compared=0
for ((seed = first; seed < first + runs; ++seed)); do
  compared "random-$seed" $((2 + seed % 7)) ./random_calls "$seed" $((20 + 20 * (seed % 5)))
done

# Their standard sends have no more than 4,096 bytes.
while read -r ranks name arguments; do
  [ $((examples--)) -gt 0 ] || break
  [ -x "$name" ] || "$mpicc" -O1 -o "$name" "$here/../../../examples/$name/$name.c" -lm || exit 1
  # shellcheck disable=SC2086
  compared "$name" "$ranks" "./$name" $arguments
done << 'END_OF_EXAMPLES'
3 ring 64 20
2 heat 32 20 5
4 transpose 32 20
3 manager_worker 40 60 500
5 irregular 3 40
6 heat 48 20 5
8 transpose 32 10
4 irregular 6 40
7 ring 70 10
4 irregular 1 30
END_OF_EXAMPLES
echo "$compared runs compared"
tail -1 out
[ "$failures" = 0 ]
