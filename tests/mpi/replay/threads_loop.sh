#!/bin/bash
# threads_loop.sh SKELGEN MPICC MPIEXEC threads_loop.c: a loop that all threads of all ranks run is cut, and the skeleton, whose threads skip turns, ends.
skelgen=$1 mpicc=$2 mpiexec=$3 source=$4
. "$(dirname "$0")/../common.sh"
# calls TRACE
calls() { "$skelgen" info "$1" --json | python3 -S -c 'import json, sys; print(sum(f["calls"] for f in json.load(sys.stdin)["functions"]))'; }
"$mpicc" -std=c11 -O1 -Wall -Wextra -o program "$source" > out 2> err || { fail "compilation of $source" && exit 1; }
"$skelgen" trace -o t.trace --runs 1 -- "$mpiexec" -n 2 ./program 2000 > out 2> err || { fail "the program" && exit 1; }
"$skelgen" build t.trace -o t.skel --json > out 2> err || { fail "build" && exit 1; }
holds 'j["uncut"] is None' || fail "no loop is cut"
make -s -C t.skel MPICC="$mpicc" > out 2> err || fail "make"
timeout 900 "$skelgen" trace -o short.trace --runs 1 -- "$mpiexec" -n 2 t.skel/skeleton > out 2> err || fail "the skeleton"
timeout 900 "$skelgen" verify t.trace t.skel -- "$mpiexec" -n 2 > out 2> err || fail "verify"
program=$(calls t.trace) skeleton=$(calls short.trace)
[ "${skeleton:-0}" -gt 0 ] && [ $((4 * skeleton)) -lt "$program" ] || fail "the skeleton makes $skeleton of $program calls"
[ "$failures" = 0 ]
