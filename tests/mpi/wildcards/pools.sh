#!/bin/bash
# pools.sh SKELGEN MPICC MPIEXEC: managers and workers of all kinds, with 2 and 4 ranks: found, verified in the traced order, run in any
# order, and with synchronous sends.
. "$(dirname "$0")/common.sh"
compile pool "$here/pool.c"
tasks=60

# results RANKS: those that all workers of out.trace sent; the manager's messages.
results() {
  local sum=0
  for ((r = 1; r < $1; r++)); do sum=$((sum + $("$skelgen" dump out.trace --rank $r | grep -c 'MPI_Send('))); done
  echo $sum
}

# check RANKS KINDS...
check() {
  local ranks=$1 what="pool ${*:2}, $1 ranks" before
  shift
  rm -rf t.trace t.skel out.trace
  "$skelgen" trace -o out.trace -- "$mpiexec" -n "$ranks" ./pool $tasks "$@" > out 2> err || { fail "trace of $what" && return; }
  before=$(results "$ranks")
  "$skelgen" build out.trace -o t.skel --json > out 2> err || { fail "build of $what" && return; }
  # One worker: there is no other order.
  holds "j['lossless'] and j['deadlock_free'] and j['pools'] == $((ranks > 2))" || { fail "skeleton of $what" && return; }
  "$skelgen" verify out.trace t.skel --json -- "$mpiexec" -n "$ranks" > out 2> err || { fail "verify of $what" && return; }
  holds "j['identical'] and j['bytes_matrix_identical'] and j['wildcards']['matched_otherwise'] == 0" ||
    { fail "$what is not identical" && return; }
  synchronous "$ranks" || { fail "$what with synchronous sends" && return; }
  make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror" > out 2> err || { fail "compilation of $what" && return; }
  for slow in 1 $((ranks - 1)); do
    rm -rf out.trace
    timeout 900 "$skelgen" trace -o out.trace -- env SKEL_SLOW="$slow:5" SKEL_SCALE=1 "$mpiexec" -n "$ranks" t.skel/skeleton > out 2> err ||
      { fail "$what with rank $slow slow" && return; }
    [ "$(results "$ranks")" = "$before" ] || { fail "$what sent $(results "$ranks") results with rank $slow slow, $before traced" && return; }
  done
  echo "passed: $what"
}

check 2 plain
check 2 ask end data probe
check 4 plain
check 4 data probe
check 4 ask end data probe
[ "$failures" = 0 ]
