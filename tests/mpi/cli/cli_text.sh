#!/bin/bash
# The text form: built from it, the same C comes out; an edited trip count changes the run, and nothing calls the result lossless; a
# program written by hand runs.
. "$(dirname "$0")/common.sh" "$@"

# calls FUNCTION: how often the skeleton in the directory `run.skel` calls it, at scale 1, traced.
calls() {
  make -s -C run.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror" > out 2> err || { fail "make" && return; }
  rm -rf run.trace
  SKEL_SCALE=1 SKEL_COMPUTE=time "$skelgen" trace -o run.trace -- $mpiexec -n 2 run.skel/skeleton > out 2> err || { fail "run under the tracer" && return; }
  "$skelgen" info run.trace --json | python3 -c '
import json, sys
print(sum(f["calls"] for f in json.load(sys.stdin)["functions"] if f["name"] == sys.argv[1]))' "$1"
}

"$skelgen" trace -o app.trace -- $mpiexec -n 2 ./app ok 200 > out 2> err || fail "trace"
expect 0 '' "$skelgen" build app.trace -o app.skel --json
cp out direct.json
expect 0 '' "$skelgen" build app.trace --emit text -o app.skel.txt
expect 0 '' "$skelgen" build app.trace --emit text
cmp out app.skel.txt || fail "-o and stdout get different texts"
expect 0 '' "$skelgen" build app.skel.txt -o text.skel --json
for name in skeleton.c skel.h skel.c Makefile README.md skeleton.json; do
  cmp app.skel/$name text.skel/$name || fail "$name of the text is not that of the trace"
done
python3 -c '
import json
direct, text = json.load(open("direct.json")), json.load(open("out"))
same = ("ranks", "records_in", "merged_statements", "folded_statements", "argument_values", "main_loop", "scale", "normalize", "lossless", "deadlock_free",
        "expected_run_s", "traced_wall_s", "concurrency")
assert direct["lossless"] is True
for key in same: assert direct[key] == text[key], key' > err 2>&1 || fail "build of the text says something else than that of the trace"
expect 0 '' "$skelgen" build app.skel.txt --emit text
cmp out app.skel.txt || fail "a text that was read is printed differently"
expect 0 '' "$skelgen" build app.skel.txt --scale 50
[ -f app.skel/skeleton.c ] || fail "app.skel.txt does not become app.skel"
grep -q 'built with K = 50' app.skel/skeleton.c || fail "--scale is not heard"

# Half as many iterations, and a barrier in each.
sed -e 's/^  loop 200 {$/  loop 100 {  # half of them/' -e 's/^    MPI_Allreduce/    MPI_Barrier()\n&/' app.skel.txt > edited.skel.txt
cp -r text.skel run.skel
[ "$(calls MPI_Isend)" = 400 ] || fail "not the traced calls"
expect 0 '' "$skelgen" build edited.skel.txt -o run.skel --json
python3 -c 'import json; j = json.load(open("out")); assert j["lossless"] is False and j["main_loop"]["trips"] == 100' || fail "JSON of the edited text"
[ "$(calls MPI_Isend)" = 200 ] || fail "not half of the calls"
[ "$(calls MPI_Barrier)" = 200 ] || fail "not the barriers that were added"
grep -q '"lossless": false' run.skel/skeleton.json || fail "skeleton.json calls an edited program lossless"
grep -q 'edited or written by hand' run.skel/skeleton.c || fail "skeleton.c does not say that it was edited"
grep -q 'edited or written by hand' run.skel/README.md || fail "README.md does not say that it was edited"
expect 0 '' "$skelgen" build edited.skel.txt -o run.skel
grep -Eq '^lossless +no: the text was edited or written by hand$' out || fail "build does not say that the text was edited"

# Written by hand: docs/text-form.md has it.
sed -n '/^```skel$/,/^```$/p' "$here/../../../docs/text-form.md" | sed '/^```/d' > stencil.skel.txt
expect 0 '' "$skelgen" build stencil.skel.txt -o hand.skel
make -s -C hand.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror" > out 2> err || fail "make of the program in the document"
expect 0 '' $mpiexec -n 4 hand.skel/skeleton
grep -q '^predicted' out || fail "the program in the document does not predict"

# Wrong texts, and commands that want a trace.
printf 'skeleton 1\nranks 2\nprogram {\n  MPI_Init()\n  loop 3 {\n    MPI_Snd(count=1)\n  }\n  MPI_Finalize()\n}\n' > wrong.txt
expect 1 'wrong.txt:6:5: MPI_Snd is no function of MPI that is known here' "$skelgen" build wrong.txt -o wrong.skel
sed -i 's/MPI_Snd(count=1)/MPI_Barrier() MPI_Barrier()/' wrong.txt
expect 1 'wrong.txt:6:19: found "MPI_Barrier"; expected the end of the line' "$skelgen" build wrong.txt -o wrong.skel
sed -i -e 's/ MPI_Barrier()$//' -e 's/loop 3/loop 1000000000000000000/' wrong.txt
expect 1 'wrong.txt:5: a loop of more than 1e\+12 iterations in all' "$skelgen" build wrong.txt -o wrong.skel
sed -i -e 's/ranks 2/ranks 1000000000/' wrong.txt
expect 1 'wrong.txt:2:7: 1000000000 is too large; give a number of ranks of at most 1048576' "$skelgen" build wrong.txt -o wrong.skel
printf '\x00\xff' > wrong.txt
expect 1 'wrong.txt:1:1: found ".x00"; expected a statement' "$skelgen" build wrong.txt -o wrong.skel
[ -e wrong.skel ] && fail "a wrong text left a skeleton"
printf 'skeleton 1\nranks 2\nprogram {\n  MPI_Init()\n  MPI_Send(count=1, datatype=MPI_INT, dest=rank^1)\n  MPI_Recv(count=1, datatype=MPI_INT, source=rank^1)\n  MPI_Finalize()\n}\n' > wrong.txt
expect 0 'rank 1 waits in MPI_Send for rank 0 .*\(line 5 of wrong.txt\)' "$skelgen" build wrong.txt -o wrong.skel
rm -rf wrong.skel
head -6 wrong.txt > cut.txt
expect 1 'cut.txt:7:1: the text ends inside of the statements from line 4 on' "$skelgen" build cut.txt -o wrong.skel
printf 'skeleton 1\nranks 2\nwindow w0 of [0..1]\nprogram {\n  MPI_Init()\n  loop 2 {\n    MPI_Win_fence(assert=0, win=w0)\n    MPI_Win_create(size=8, disp_unit=1, win=w0)\n  }\n  MPI_Finalize()\n}\n' > wrong.txt
expect 1 'wrong.txt:7: rank 0 uses window 0 in MPI_Win_fence; make it before' "$skelgen" build wrong.txt -o wrong.skel
[ -e wrong.skel ] && fail "a program that uses what it has not made left a skeleton"
expect 2 '--tolerance is for traces' "$skelgen" build app.skel.txt --tolerance 0.1
expect 1 'is a file, not a ' "$skelgen" info app.skel.txt
expect 1 'is a file, not a ' "$skelgen" verify app.skel.txt text.skel -- $mpiexec -n 2
expect 1 'app.skel: exists and is no file' "$skelgen" build app.trace --emit text -o app.skel
expect 1 'nowhere/x.txt: cannot be written' "$skelgen" build app.trace --emit text -o nowhere/x.txt

finish
