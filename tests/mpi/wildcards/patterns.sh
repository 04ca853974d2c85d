#!/bin/bash
# patterns.sh SKELGEN MPICC MPIEXEC: every way to use wildcards and polls, with 2 and 4 ranks, from trace to verify.
. "$(dirname "$0")/common.sh"
compile patterns "$here/patterns.c"

# check RANKS STATEMENTS EXPRESSION PATTERN: lossless, at most that many statements, identical; the expression holds for verify's JSON.
check() {
  local ranks=$1 statements=$2 expression=$3 what="$4, $1 ranks"
  rm -rf t.trace t.skel
  "$skelgen" trace -o t.trace -- "$mpiexec" -n "$ranks" ./patterns "$4" > out 2> err || { fail "trace of $what" && return; }
  "$skelgen" build t.trace -o t.skel --json > out 2> err || { fail "build of $what" && return; }
  holds "j['lossless'] and j['pools'] == 0 and j['folded_statements'] <= $statements" || { fail "skeleton of $what" && return; }
  "$skelgen" verify t.trace t.skel --json -- "$mpiexec" -n "$ranks" > out 2> err || { fail "verify of $what" && return; }
  holds "j['identical'] and j['bytes_matrix_identical'] and j['wildcards']['matched_otherwise'] == 0 and $expression" ||
    { fail "$what is not identical" && return; }
  echo "passed: $what"
}

for ranks in 2 4; do
  check $ranks 16 "j['wildcards']['by_recorded_source'] == 20 * ($ranks - 1)" collect
  check $ranks 16 "j['wildcards']['by_recorded_source'] == 40 * $ranks" neighbours
  check $ranks 20 "j['wildcards']['by_recorded_source'] == 20 * ($ranks - 1)" probe
  check $ranks 30 "j['wildcards']['by_recorded_source'] == 0" poll
  check $ranks 16 "j['wildcards']['by_recorded_source'] == 0" turns
  check $ranks 20 "j['wildcards']['by_recorded_source'] == 0" any
done

# Forced: any source, although another order of messages could send the program elsewhere; the recorded one.
"$skelgen" trace -o t.trace -- "$mpiexec" -n 4 ./patterns collect > out 2> err || fail "trace of collect"
for mode in keep recorded; do
  "$skelgen" build t.trace -o t.skel --wildcards $mode --json > out 2> err || fail "build --wildcards $mode"
  holds "j['lossless']" || fail "--wildcards $mode is not lossless"
  "$skelgen" verify t.trace t.skel --json -- "$mpiexec" -n 4 > out 2> err || fail "verify of --wildcards $mode"
  holds "j['identical']" || fail "--wildcards $mode is not identical"
  make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror" > out 2> err || fail "compilation of --wildcards $mode"
  timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n 4 t.skel/skeleton > out 2> err || fail "the skeleton of --wildcards $mode"
done
grep -q 'recorded_order = 1' t.skel/skeleton.c || fail "--wildcards recorded leaves the order to the run"

# A loop whose messages come in another order each time is cut all the same, and its skeleton finishes.
rm -rf t.trace t.skel
"$skelgen" trace -o t.trace -- env SKELGEN_CPU_TIME=0 "$mpiexec" -n 4 ./patterns drift 200 > out 2> err || fail "trace of drift"
"$skelgen" build t.trace -o t.skel --json > out 2> err || fail "build of drift"
holds "j['lossless']" || fail "drift is not lossless"
python3 -c "import json; assert any(p['kept'] + 1 < p['trips'] for p in json.load(open('t.skel/skeleton.json'))['phases'])" > out 2> err ||
  fail "the loop of drift is not cut"
"$skelgen" verify t.trace t.skel --json -- "$mpiexec" -n 4 > out 2> err || fail "verify of drift"
holds "j['identical']" || fail "drift is not identical"
make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror" > out 2> err || fail "compilation of drift"
timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n 4 t.skel/skeleton > out 2> err || fail "the cut skeleton of drift"
SKEL_WILDCARDS=recorded timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n 4 t.skel/skeleton > out 2> err || fail "the cut skeleton of drift in recorded order"
"$skelgen" build t.trace -o t.skel --wildcards recorded --json > out 2> err || fail "build of drift in recorded order"
holds "j['lossless'] and 'is not closed' in j['uncut']" || fail "a loop is cut whose recorded sources reach from one iteration into another"
[ "$failures" = 0 ]
