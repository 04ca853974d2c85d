#!/bin/bash
# example.sh SKELGEN PROGRAM MPICC MPIFORT MPIEXEC FOLDER: one program of examples/, with 2 and 4 ranks, some with 9. It compiles without warnings, says
# what it wants when its arguments are wrong, finds its own result right under the capture library, and its skeleton does the same calls,
# and finishes with synchronous sends as well. The skeleton's text, printed by PROGRAM with times that are always the same, is compared with
# tests/golden/examples/NAME.RANKS.c; after a wanted change run with SKELGEN_UPDATE_GOLDEN=1 and read the difference.
skelgen=$1 program=$2 mpicc=$3 mpifort=$4 mpiexec=$5 folder=$(cd "$6" && pwd)
. "$(dirname "$0")/../common.sh"
golden=$(cd "$here/../../golden/examples" && pwd)
name=$(basename "$folder")

# The arguments of short runs, one run each; the text of the n-th one is NAME_n.RANKS.c, of the first one NAME.RANKS.c.
case $name in
  cg) runs=("72 5") ;;
  heat) runs=("32 20 5") ;;
  irregular) runs=("1 30" "2 20" "3 40" "4 30" "5 30" "6 60" "7 60") ;;
  manager_worker) runs=("40 60 500") ;;
  matmul) runs=("72 5") ;;
  multigrid) runs=("16 1" "16 1 1") ;;
  ring) runs=("64 20") ;;
  transpose) runs=("32 20") ;;
  wavefront) runs=("16 5") ;;
  *) echo "FAILED: $name has no arguments in ${BASH_SOURCE[0]##*/}" && exit 1 ;;
esac

# check RANKS ARGUMENTS...: traces a run, builds its skeleton, verifies it.
check() {
  local ranks=$1 run="$name ${*:2}"
  "$skelgen" trace -o t.trace -- "$mpiexec" -n "$ranks" ./"$name" "${@:2}" > out 2> err || { fail "$run is wrong with $ranks ranks" && return; }
  "$skelgen" build t.trace -o t.skel --json > out 2> err
  local status=$?
  [ "$status" = 0 ] || { fail "build of $run with $ranks ranks ended with $status" && return; }
  holds 'j["lossless"] is True' || { fail "skeleton of $run with $ranks ranks is not lossless" && return; }
  holds 'j["deadlock_free"] is True' || { fail "skeleton of $run with $ranks ranks may deadlock" && return; }
  "$skelgen" build t.trace --emit text -o t.skel.txt > out 2> err && "$skelgen" build t.skel.txt -o u.skel > out 2> err &&
    diff -r t.skel u.skel > out || { fail "the text form of $run with $ranks ranks gives another skeleton" && return; }
  "$skelgen" verify t.trace t.skel --json -- "$mpiexec" -n "$ranks" > out 2> err || { fail "verify of $run with $ranks ranks" && return; }
  holds 'j["identical"] is True and j["bytes_matrix_identical"] is True and j["calls_checked"] > 0' ||
    { fail "$run with $ranks ranks is not identical" && return; }
  [ "$ranks" = 4 ] && { synchronous "$ranks" || fail "$run with $ranks ranks and synchronous sends"; }
  local label=$name
  for i in "${!runs[@]}"; do
    [ "$i" != 0 ] && [ "$run" = "$name ${runs[i]}" ] && label=${name}_$((i + 1))
  done
  { [ "$ranks" = 2 ] || [ "$name" != manager_worker ]; } && text "$label" "$ranks"
  echo "passed: $run, $ranks ranks"
}

# synchronous RANKS: the skeleton finishes although every send waits for its receiver.
synchronous() {
  make -s -C t.skel clean skeleton MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err &&
    SKEL_SCALE=1 timeout 900 "$mpiexec" -n "$1" ./t.skel/skeleton > out 2> err
}

# text LABEL RANKS: the emitted program (of manager_worker with one worker only: who gets a task is up to the moment).
text() {
  local file=$golden/$1.$2.c
  "$program" t.trace > out 2> err || { fail "text of $1 with $2 ranks" && return; }
  [ -n "${SKELGEN_UPDATE_GOLDEN-}" ] && cp out "$file"
  diff -u "$file" out > err || { head -40 err && fail "skeleton.c of $1 with $2 ranks is not tests/golden/examples/$1.$2.c"; }
}

if [ -f "$folder/$name.c" ]; then
  compile=("$mpicc" -O2 -Wall -Wextra -Werror -o "$name" "$folder/$name.c" -lm)
else
  compile=("$mpifort" -O2 -Wall -Wextra -Werror -o "$name" "$folder/$name.f90")
fi
"${compile[@]}" > out 2> err || { fail "${compile[*]}" && exit 1; }

"$mpiexec" -n 2 "./$name" 0 > out 2> err
[ $? = 2 ] || fail "$name 0 does not end with status 2"
grep -q "^usage: $name " out err || fail "$name 0 does not tell its usage"

for arguments in "${runs[@]}"; do
  all="2 4"
  [ "$arguments" = "${runs[0]}" ] || [ "$name" != irregular ] || all=4
  case $name in cg | heat | matmul | ring | wavefront) all="2 4 9" ;; esac # these have other neighbours on 3 x 3 ranks
  for ranks in $all; do
    # shellcheck disable=SC2086 # the arguments of a run are words
    check $ranks $arguments
  done
done
[ "$failures" = 0 ]
