#!/bin/bash
# programs.sh SKELGEN MPICC MPIEXEC [--ranks N] [--programs N] [SEED...]: random programs of one-sided communication (programs.c), 100 in
# a run (or N); the seeds are those given, else 1. Each run is traced with 4 ranks (or N), its skeleton built, replayed and compared, call by call; its
# text form must give the same skeleton, and it must finish with synchronous sends. All 1,000 programs: seeds 1 to 10.
skelgen=$1 mpicc=$2 mpiexec=$3 ranks=4 programs=100
shift 3
while [ $# -gt 0 ]; do
  case $1 in
    --ranks) ranks=$2 && shift 2 ;;
    --programs) programs=$2 && shift 2 ;;
    *) break ;;
  esac
done
seeds=("${@:-1}")
. "$(dirname "$0")/../common.sh"
export OMPI_MCA_osc=sm,pt2pt # see replay.sh

check() {
  timeout 900 "$skelgen" trace -o t.trace -- "$mpiexec" -n "$ranks" ./program "$1" "$programs" > out 2> err || { fail "seed $1: the program" && return; }
  "$skelgen" build t.trace -o t.skel --json > out 2> err || { fail "seed $1: build" && return; }
  holds 'j["lossless"] is True and j["deadlock_free"] is True' || { fail "seed $1: not lossless, or may deadlock" && return; }
  "$skelgen" build t.trace --emit text -o t.txt > out 2> err && "$skelgen" build t.txt -o u.skel > out 2> err && diff -r t.skel u.skel > out ||
    { fail "seed $1: the text form" && return; }
  timeout 900 "$skelgen" verify t.trace t.skel --json -- "$mpiexec" -n "$ranks" > out 2> err || { fail "seed $1: verify" && return; }
  holds 'j["identical"] is True and j["bytes_matrix_identical"] is True' || { fail "seed $1: not identical" && return; }
  calls=$(python3 -c 'import json; print(json.load(open("out"))["calls_checked"])')
  make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || { fail "seed $1: compilation" && return; }
  timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n "$ranks" t.skel/skeleton > out 2> err || { fail "seed $1: synchronous sends" && return; }
  echo "passed: seed $1, $programs programs, $calls calls; $(grep -c '[( ]rank_in_win(' t.skel/skeleton.c) lines name ranks of windows of their own"
  rm -rf t.* u.*
}

"$mpicc" -std=c11 -O1 -Wall -Wextra -o program "$here/programs.c" > out 2> err || { fail "compilation of programs.c" && exit 1; }
for seed in "${seeds[@]}"; do check "$seed"; done
[ "$failures" = 0 ]
