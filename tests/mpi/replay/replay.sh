#!/bin/bash
# replay.sh SKELGEN MPICC MPIEXEC PROGRAM.c [again]: traces the program with 2 and 4 ranks and builds its skeleton, which must be lossless and
# free of deadlocks. With 4 ranks it must compile without warnings, must come out the same of its text form, must do the same calls and send the
# same bytes, and must finish wherever the MPI begins to make sends wait for their receiver, and with synchronous sends without undefined
# behaviour. `again`, under a second MPI: only with 4 ranks, without the text form and without synchronous sends.
# "At most N statements" in the program's first line says how short it must be, "Is cut" that some of its iterations are left out; at its
# beginning "its tests go on" says that its skeleton must be one that makes tests of sends later, "three eager limits" that it also runs
# with limits of 0, 1024 and 1048576 bytes.
skelgen=$1 mpicc=$2 mpiexec=$3 source=$4 again=${5-}
. "$(dirname "$0")/../common.sh"
export OMPI_MCA_osc=sm,pt2pt # the one that Open MPI 4.1 takes by itself on one host (rdma) dies in MPI_Compare_and_swap
# The skeleton's text, printed, read and printed again, is the same, and becomes the same skeleton. It passes the checks of edited ones.
text() {
  "$skelgen" build t.trace --emit text -o t.skel.txt > out 2> err && "$skelgen" build t.skel.txt --emit text -o u.skel.txt > out 2> err &&
    cmp t.skel.txt u.skel.txt > out && "$skelgen" build u.skel.txt -o u.skel > out 2> err && diff -r t.skel u.skel > out &&
    grep -v "^traced " t.skel.txt > e.skel.txt && "$skelgen" build e.skel.txt --emit text -o f.skel.txt > out 2> err
}
compile() { make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror $1" > out 2> err; }

trace() { "$skelgen" trace -o t.trace --runs 1 -- "$mpiexec" -n "$1" ./program > out 2> err; }
build() { "$skelgen" build t.trace -o t.skel --json > out 2> err; }
tests_go_on() { trace "$1" && build && python3 -c 'import json, sys; sys.exit(json.load(open("t.skel/skeleton.json"))["tests_go_on"] is not True)'; }

# eager_limit BYTES COMMAND...: where sends of more bytes wait for their receiver. Open MPI takes no limit below 64.
eager_limit() { OMPI_MCA_btl_vader_eager_limit=$(($1 > 64 ? $1 : 64)) UCX_RNDV_THRESH=$1 timeout 900 "${@:2}"; }

check() {
  if head -n 4 "$source" | grep -q "its tests go on"; then
    decides "$1 ranks: tests of sends that wait" tests_go_on "$1"
    [ "$failures" = 0 ] || return
  else
    trace "$1" || { fail "$1 ranks: the program" && return; }
    build || { fail "$1 ranks: build" && return; }
  fi
  holds 'j["lossless"] is True' || { fail "$1 ranks: not lossless" && return; }
  most=$(sed -n '1s/.*At most \([0-9]*\) statements.*/\1/p' "$source")
  holds "j['folded_statements'] <= ${most:-j['folded_statements']}" || { fail "$1 ranks: more than $most statements" && return; }
  if head -n 1 "$source" | grep -q "Is cut"; then
    holds 'j["uncut"] is None' || { fail "$1 ranks: no loop is cut" && return; }
  fi
  holds 'j["deadlock_free"] is True' || { fail "$1 ranks: may deadlock" && return; }
  [ "$1" = 4 ] || return
  [ "$again" ] || text || { fail "$1 ranks: the text form" && return; }
  "$skelgen" verify t.trace t.skel --cc "$mpicc" --json -- "$mpiexec" -n "$1" > out 2> err || { fail "$1 ranks: verify" && return; }
  holds 'j["identical"] is True and j["bytes_matrix_identical"] is True and j["calls_checked"] > 0' || { fail "$1 ranks: not identical" && return; }
  if head -n 4 "$source" | grep -q "three eager limits"; then
    compile "" || { fail "$1 ranks: compilation" && return; }
    for bytes in 0 1024 1048576; do
      eager_limit $bytes "$skelgen" time --runs 1 -- "$mpiexec" -n "$1" t.skel/skeleton > out 2> err || fail "$1 ranks: sends of more than $bytes bytes wait"
    done
  fi
  [ "$again" ] && return
  compile "-DSKEL_SYNC_SEND -fsanitize=undefined -fno-sanitize-recover=all" || { fail "$1 ranks: compilation with synchronous sends" && return; }
  timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n "$1" t.skel/skeleton > out 2> err || fail "$1 ranks: synchronous sends"
}

"$mpicc" -std=c11 -O1 -Wall -Wextra -o program "$source" > out 2> err || { fail "compilation of $source" && exit 1; }
[ "$again" ] || check 2
check 4
[ "$failures" = 0 ]
