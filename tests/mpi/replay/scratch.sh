#!/bin/bash
# scratch.sh SKELGEN MPICC MPIEXEC PROGRAM.c: the files of a skeleton are where SKEL_SCRATCH says and gone afterwards, nothing tells their
# names, and a directory that cannot be had is one clear line.
. "$(dirname "$0")/../wildcards/common.sh"
mkdir here there
cd here || exit 1
compile program "$4"
"$skelgen" trace -o t.trace --runs 1 -- "$mpiexec" -n 2 ./program > out 2> err || fail "trace"
"$skelgen" build t.trace -o t.skel > out 2> err || fail "build"
make -s -C t.skel MPICC="$mpicc" > out 2> err || fail "compilation"
grep -rE 'input\.bin|state\.bin|log\.0' t.skel/*.[ch] t.skel/*.md t.skel/*.json > out && fail "the skeleton tells the names of files"
rm -f ./*.bin log.* shared*
before=$(ls)

SKEL_SCRATCH=../there "$mpiexec" -n 2 t.skel/skeleton > ../out 2> ../err || fail "run"
[ -z "$(ls ../there)" ] || fail "left behind: $(ls ../there)"
"$mpiexec" -n 2 t.skel/skeleton > ../out 2> ../err || fail "run in the current directory"
[ "$(ls)" = "$before" ] || fail "left behind: $(ls)"

SKEL_SCRATCH=../nowhere timeout 900 "$mpiexec" -n 2 t.skel/skeleton > out 2> err && fail "a directory that is not there"
grep -q '^skeleton: rank 0: ../nowhere/skeleton-.*: cannot be written (8000 bytes): No such file or directory; set SKEL_SCRATCH' err || fail "message"
[ "$failures" = 0 ]
