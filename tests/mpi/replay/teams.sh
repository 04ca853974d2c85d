#!/bin/bash
# teams.sh SKELGEN MPICC MPIEXEC teams.c: the skeleton of a program with many short-lived threads, which it has all from its beginning
# on, takes at most eight times as long as the traced run that it was made of, both with their start.
skelgen=$1 mpicc=$2 mpiexec=$3 source=$4
. "$(dirname "$0")/../common.sh"
seconds() {
  local begin=$EPOCHREALTIME
  timeout 900 "$@" > out 2> err || return
  awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { print end - begin }'
}
as_fast() {
  local program skeleton
  program=$(seconds "$skelgen" trace -o t.trace --runs 1 -- "$mpiexec" -n 2 ./program 30) &&
    "$skelgen" build t.trace -o t.skel > out 2> err && make -s -B -C t.skel MPICC="$mpicc" > out 2> err &&
    skeleton=$(seconds "$mpiexec" -n 2 t.skel/skeleton) && echo "program $program s, skeleton $skeleton s" | tee out &&
    awk -v p="$program" -v s="$skeleton" 'BEGIN { exit !(s <= 8 * p) }'
}

"$mpicc" -std=c11 -O1 -Wall -Wextra -o program "$source" > out 2> err || { fail "compilation of $source" && exit 1; }
decides "the skeleton takes long" as_fast
[ "$failures" = 0 ]
