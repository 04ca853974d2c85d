#!/usr/bin/env bash
# places.sh SKELGEN MPICC MPIEXEC: work comes to the places of the skeleton where the program does it, also where a loop runs less often
# under Valgrind than it was traced; the text form has it, too.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -o places "$here/places.c" || exit 1
timeout 900 "$skelgen" trace -o places.trace -- "$mpiexec" -n 2 ./places > out 2> err || fail "the program ended with $?"
timeout 900 "$skelgen" profile --full --json places.trace -- "$mpiexec" -n 2 ./places > out 2> err || fail "it cannot be profiled"
holds 'j["calls_elsewhere"] == 0 and j["positions"]["share"] > 0.99' || fail "places were not profiled"
timeout 900 "$skelgen" build --json -o places.skel places.trace > out 2> err || fail "it has no skeleton"
holds 'j["lossless"] and j["work"]["share"] > 0.99' || fail "the skeleton has no work"
python3 "$here/places.py" > out 2> err || fail "work is not where the program does it"

timeout 900 "$skelgen" build --emit text -o places.skel.txt places.trace > out 2> err || fail "it has no text"
timeout 900 "$skelgen" build --json -o text.skel places.skel.txt > out 2> err || fail "its text cannot be read"
holds 'j["lossless"]' || fail "its text is edited"
timeout 900 "$skelgen" build --emit text -o again.txt places.skel.txt > out 2> err || fail "its text has no text"
cmp places.skel.txt again.txt > out 2> err || fail "its text has another text"
python3 -c 'import json, sys; a, b = (json.load(open(f"{d}.skel/skeleton.json"))["work"] for d in ("places", "text")); sys.exit(a != b)' || fail "the skeleton of the text has other work"
timeout 900 "$skelgen" build --json --normalize exchange -o exchange.skel places.trace > out 2> err || fail "no skeleton in another order"
holds 'j["work"] is None' || fail "work of calls in another order"
[ "$failures" = 0 ]
