#!/bin/bash
# verify says why a skeleton differs from the trace, what to do, and what the first difference is about.
. "$(dirname "$0")/common.sh" "$@"
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"; }
run="$mpiexec -n 2"
# differs CAUSE TEXT: verify of v.trace and v.skel fails, and its line says so.
differs() {
  expect 1 "$2" "$skelgen" verify v.trace v.skel --json "${compiler[@]}" -- $run
  holds "j['identical'] is False and j['cause']['name'] == '$1' and j['cause']['text'] and j['cause']['remedy']"
}
compiler=()

"$mpicc" -O1 -o verify "$here/verify.c" || exit 1
expect 0 'v\.trace: 2 ranks, ' "$skelgen" trace -o v.trace --runs 1 -- $run ./verify 4
expect 0 '' "$skelgen" build v.trace -o v.skel
expect 0 '' "$skelgen" verify v.trace v.skel --json -- $run
holds 'j["identical"] is True and j["cause"] is None'
cp -r v.skel good.skel
# On a terminal it says what it does while that takes long, and wipes it out; elsewhere it says nothing of that.
printf '#!/bin/sh\nsleep 3\nexec %s "$@"\n' "$mpicc" > slow && chmod +x slow
slowly=("$skelgen" verify v.trace v.skel --cc "$PWD/slow" -- $run)
script -qec "${slowly[*]@Q}" terminal < /dev/null > /dev/null || fail "verify on a terminal"
grep -q $'skelgen: compile the skeleton, [0-9]* s in all' terminal || fail "no progress on a terminal: $(cat -v terminal)"
tail -n +2 terminal | tr -d '\r' | sed $'s/.*\e\\[K//' | grep -q '^identical  *yes$' || fail "the result is not by itself: $(cat -v terminal)"
"${slowly[@]}" > out 2> err || fail "verify without a terminal"
[ -s err ] && fail "progress without a terminal"

# Another trace.
expect 0 'other\.trace: 2 ranks, ' "$skelgen" trace -o other.trace --runs 1 -- $run ./verify 5
expect 0 '' "$skelgen" build other.trace -o v.skel
differs other_trace 'count=5.* \(the skeleton was built from another trace\); give that trace, or build the skeleton again from this trace'
# A text that was edited.
expect 0 '' "$skelgen" build v.trace --emit text -o v.txt
sed -i 's/count=4, datatype=MPI_DOUBLE, op/count=3, datatype=MPI_DOUBLE, op/' v.txt
expect 0 '' "$skelgen" build v.txt -o v.skel
differs edited_text 'built from a text that was edited or written by hand'
# An edited skeleton.c, and an edited runtime.
rm -rf v.skel && cp -r good.skel v.skel
sed -i 's/, 4, MPI_DOUBLE, op\[0\]/, 3, MPI_DOUBLE, op[0]/; s/, 4, MPI_DOUBLE, MPI_SUM/, 3, MPI_DOUBLE, MPI_SUM/' v.skel/skeleton.c
differs edited_file '\(skeleton\.c or tables\.h was edited after it was built\); build the skeleton again from this trace'
# Another version.
sed -i 's/"version": "[^"]*"/"version": "0.0.9"/' v.skel/skeleton.json
cp good.skel/skeleton.c v.skel/skeleton.c
# defective EXPRESSION: a compiler of other calls than skeleton.c says, as a defect of skelgen would make them.
defective() { printf '#!/bin/sh\nsed -i "%s" skeleton.c\nexec %s "$@"\n' "$1" "$mpicc" > defective && chmod +x defective; }
defective 's/MPI_SUM/MPI_MAX/'
compiler=(--cc "$PWD/defective")
differs other_version '\(the skeleton was built by skelgen 0\.0\.9, this is '
# What nothing explains.
rm -rf v.skel && cp -r good.skel v.skel
differs defect '\(this is a defect of skelgen\); report it with v\.trace, v\.skel and what verify printed'
holds 'j["first_difference"]["expected_context"]["handles"] == ["c2: MPI_Comm_split of MPI_COMM_WORLD (call 2), rank 0 of 2"]'
holds 'j["first_difference"]["actual_context"]["handles"] == j["first_difference"]["expected_context"]["handles"]'
line=$(python3 -c 'import json; print(json.load(open("out"))["first_difference"]["actual_context"]["line"].split(":")[1])')
sed -n "${line}p" v.skel/skeleton.c | grep -q MPI_Allreduce || fail "line $line of skeleton.c has no MPI_Allreduce"
expect 1 'defect of skelgen' "$skelgen" verify v.trace v.skel "${compiler[@]}" -- $run
grep -q "^skeleton, skeleton\.c:$line\$" out || fail "the line is not shown: $(cat out)"
grep -Eq '^ +c2: MPI_Comm_split of MPI_COMM_WORLD \(call 2\), rank 0 of 2$' out || fail "the communicator is not shown: $(cat out)"
# The line of the program, if the trace has it in the skeleton's order.
"$mpicc" -O1 -g -o verify "$here/verify.c" || exit 1
expect 0 's\.trace: 2 ranks, ' "$skelgen" trace --sites -o s.trace --runs 1 -- $run ./verify 4
expect 0 '' "$skelgen" build s.trace -o s.skel
expect 1 'defect of skelgen' "$skelgen" verify s.trace s.skel "${compiler[@]}" -- $run
grep -q "^trace, verify\.c:$(grep -n MPI_Allreduce "$here/verify.c" | cut -d: -f1)\$" out || fail "the program's line is not shown: $(cat out)"
expect 0 '' "$skelgen" build s.trace --normalize exchange -o x.skel
expect 1 'defect of skelgen' "$skelgen" verify s.trace x.skel "${compiler[@]}" -- $run
grep -q '^trace$' out || fail "a line of another order is shown: $(cat out)"
# A window that is another one.
defective 's/MPI_Get(/MPI_Put(/'
differs defect 'expected MPI_Get\(.*got MPI_Put\('
holds 'j["first_difference"]["actual_context"]["handles"] == ["w0: MPI_Win_create of c3 (call 5), rank 1 of 2"]'
finish
