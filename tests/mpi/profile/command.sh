#!/usr/bin/env bash
# command.sh SKELGEN MPICC MPIEXEC: `skelgen profile` adds what a program computes to its trace, or says in a line why not and leaves
# nothing.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
for program in gaps fails; do "$mpicc" -O1 -o $program "$here/$program.c" || exit 1; done

profile() { timeout 900 "$skelgen" profile --full "$@" > out 2> err; }
nothing_left() { [ ! -e "$1/work" ] && [ ! -e "$1/work.partial" ]; }
one_line() { [ "$(grep -c '^skelgen: ' err)" = 1 ] && grep -q "^skelgen: .*$1" err; }

timeout 900 "$skelgen" trace -o gaps.trace -- "$mpiexec" -n 2 ./gaps > out 2> err || fail "the program ended with $?"
profile --json gaps.trace -- "$mpiexec" -n 2 ./gaps || fail "it cannot be profiled"
holds 'j["schema"] == "skelgen.profile/1" and j["calls_elsewhere"] == 0 and j["ended_early"] is False and j["slowdown"] > 0' || fail "the run was not that of the trace"
holds 'j["positions"]["profiled"] == j["positions"]["all"] and j["positions"]["share"] == 1' || fail "gaps were not profiled"
holds 'j["classes"]["fp64x1_mul"] == 2 * (1 + 2 + 3 + 4 + 5) * 1000' || fail "other multiplications"
holds 'len(j["reuse"]) > 5 and all(0 <= r["load_misses"] <= 1 for r in j["reuse"])' || fail "no reuse distances"
[ "$(ls gaps.trace/work)" = "$(printf '%s\n' meta.json rank-000000.skt rank-000000.work rank-000001.skt rank-000001.work)" ] || fail "other files: $(ls gaps.trace/work)"
profile gaps.trace -- "$mpiexec" -n 2 ./gaps || fail "it cannot be profiled again"
grep -q '^calls *[0-9,]*, as traced$' out || fail "what was printed for people"
timeout 900 "$skelgen" build --json -o gaps.skel gaps.trace > out 2> err || fail "a trace with a profile has no skeleton"
timeout 900 "$skelgen" trace -o gaps.trace -- "$mpiexec" -n 2 ./gaps > out 2> err || fail "a trace with a profile cannot be replaced"
[ ! -e gaps.trace/work ] || fail "a new trace has an old profile"

profile gaps.trace -- "$mpiexec" -n 1 ./gaps && fail "another number of ranks"
one_line 'has 2 ranks, and 1 are to be started' && nothing_left gaps.trace || fail "what is said of other ranks"
# With one rank Valgrind starts once.
timeout 900 "$skelgen" trace -o gaps.trace -- "$mpiexec" -n 1 ./gaps > out 2> err || fail "the program ended with $?"
profile gaps.trace -- "$mpiexec" -n 1 ./fails other && fail "another program"
one_line 'are not those of the trace' && nothing_left gaps.trace || fail "what is said of another program"
profile gaps.trace -- "$mpiexec" -n 1 true && fail "a program without MPI"
one_line 'no rank called MPI_Init' && nothing_left gaps.trace || fail "what is said of a program without MPI"
profile gaps.trace -- "$mpiexec" -n 1 sh -c ./gaps && fail "a script"
one_line 'did not run under Valgrind' && nothing_left gaps.trace || fail "what is said of a script"
profile gaps.trace -- "$mpiexec" -n 1 ./fails avx512 && fail "AVX-512"
one_line 'Valgrind cannot run the AVX-512 in function wide_add' && nothing_left gaps.trace || fail "what is said of AVX-512"
profile gaps.trace -- "$mpiexec" -n 1 ./fails early && fail "a program that crashes before MPI_Init"
one_line 'before any rank called MPI_Init' && nothing_left gaps.trace || fail "what is said of a crash"

timeout 900 "$skelgen" trace -o middle.trace -- "$mpiexec" -n 1 ./fails > out 2> err || fail "the program ended with $?"
profile --json middle.trace -- "$mpiexec" -n 1 ./fails middle || fail "what a program computes before it crashes is lost"
one_line 'fails: ended with status [0-9]*.*; what it had computed until then was kept' || fail "what is said of a crash in the middle"
holds 'j["positions"]["profiled"] > 0' || fail "nothing was kept of what a program computed before it crashed"
timeout 900 "$skelgen" build --json -o middle.skel middle.trace > out 2> err || fail "a trace with a part of a profile has no skeleton"
[ "$failures" = 0 ]
