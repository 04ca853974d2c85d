#!/bin/bash
# --normalize and --merge on examples/ring, whose rank 0 sends first and whose other ranks receive first: what the program looks like
# (tests/golden/build/ring.txt; after a wanted change run with SKELGEN_UPDATE_GOLDEN=1 and read the difference), that its skeleton makes the
# same calls, finishes with synchronous sends and predicts.
. "$(dirname "$0")/common.sh" "$@"
golden=$(cd "$here/../../golden/build" && pwd)/ring.txt
"$mpicc" -O2 -o ring "$here/../../../examples/ring/ring.c" -lm || exit 1

# The program without computation and times.
text() { sed -n '/^program {/,/^}/p' out | grep -Ev '^ *(\[[^]]*\] )?(compute|between) ' | sed 's/ took .*//'; }

# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"; }

for ranks in 2 4; do
  "$skelgen" trace -o ring.trace -- $mpiexec -n $ranks ./ring 64 20 > out 2> err || fail "trace of ring with $ranks ranks"
  for choice in "--normalize strict --merge folded" "--normalize exchange --merge folded" "--normalize exchange --merge seed"; do
    expect 0 '' "$skelgen" build ring.trace $choice --emit text
    { echo "ring, $ranks ranks, $choice" && text; } >> ring.txt
  done
  expect 0 '' "$skelgen" build ring.trace -o ring.skel --json
  holds 'j["lossless"] is True and j["deadlock_free"] is True and j["normalize"] == "strict" and j["exchanges"] == 0'
  expect 0 '' "$skelgen" build ring.trace --normalize exchange -o ring.skel --json
  holds 'j["lossless"] is True and j["deadlock_free"] is True and j["normalize"] == "exchange" and j["exchanges"] == 20 * (j["ranks"] - 1) * j["ranks"]'
  "$skelgen" verify ring.trace ring.skel --json -- $mpiexec -n $ranks > out 2> err || fail "verify of ring with $ranks ranks"
  holds 'j["identical"] is True and j["bytes_matrix_identical"] is True and j["normalize"] == "exchange" and j["calls_checked"] > 90'
  make -s -C ring.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || fail "make of ring with $ranks ranks"
  $mpiexec -n $ranks ring.skel/skeleton --json times.json > out 2> err || fail "ring with $ranks ranks and synchronous sends"
  "$skelgen" predict ring.skel --runs 1 --json -- $mpiexec -n $ranks > out 2> err || fail "predict of ring with $ranks ranks"
  holds 'j["predicted_s"] > 0 and j["scale"] == 10'
done
[ -n "${SKELGEN_UPDATE_GOLDEN-}" ] && cp ring.txt "$golden"
diff -u "$golden" ring.txt > out || fail "ring's programs are not those of tests/golden/build/ring.txt"

# The replay's calls are compared with the trace in the order that the skeleton was built for.
"$skelgen" build ring.trace --normalize exchange -o ring.skel > out 2> err || fail "build in exchange order"
grep -Eq '^order +240 exchanges stand as receive, send, wait: ' out || fail "build does not say how many exchanges it reordered"
sed -i 's/"normalize": "exchange"/"normalize": "strict"/' ring.skel/skeleton.json
expect 1 'rank 0, call [0-9]+: expected MPI_Send\(.*, got MPI_Irecv\(' "$skelgen" verify ring.trace ring.skel --yield on -- $mpiexec -n 4
grep -A16 '^first difference, of rank 0$' out | grep -Eq '^> +[0-9]+  MPI_Irecv\(' || fail "the first difference stands without the calls around it"
sed -i 's/"normalize": "strict"/"normalize": "loose"/' ring.skel/skeleton.json
expect 1 'skeleton.json: the skeleton.s calls are in no order that is known: loose; build the skeleton again' "$skelgen" verify ring.trace ring.skel -- $mpiexec -n 4

finish
