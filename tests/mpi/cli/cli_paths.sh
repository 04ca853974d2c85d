#!/bin/bash
# The whole way where the working directory, the program, the trace, the skeleton and the page have blanks and letters beyond ASCII in their names.
. "$(dirname "$0")/common.sh" "$@"
mkdir -p "Grüße an alle/my work" && cd "Grüße an alle/my work" || exit 1
program='./die äpp 1' trace='my träce.trace' skeleton='my skäl.skel'
cp "$work/app" "$program" || exit 1

expect 0 'my träce\.trace: 2 ranks, ' "$skelgen" trace -o "$trace" -- $mpiexec -n 2 "$program" ok 100
expect 0 '' "$skelgen" info "$trace"
grep -q '^program  *die äpp 1$' out || fail "info does not name the program"
expect 0 '' "$skelgen" build "$trace" -o "$skeleton"
grep -q "^skeleton  *$skeleton\$" out || fail "build does not name the skeleton"
expect 0 '' "$skelgen" info "$skeleton"
expect 0 '' "$skelgen" predict "$PWD/$skeleton" --json -- $mpiexec -n 2
holds 'len(j["runs"]) == 5 and j["predicted_s"] > 0' || fail "no prediction"
cp out 'prediction ü.json'
expect 0 '' "$skelgen" report "$trace" "$skeleton" --prediction 'prediction ü.json' -o 'die Seite.html'
grep -q 'die äpp 1' 'die Seite.html' || fail "the page does not name the program"
expect 0 '' "$skelgen" verify "$trace" "$skeleton" -- $mpiexec -n 2
grep -q '^identical  *yes$' out || fail "the skeleton's calls are not identical"
expect 0 '' "$skelgen" time --json -- $mpiexec -n 2 "$program" ok 100
holds 'j["wall_s"] > 0' || fail "no run time"
# Without names that are given.
expect 0 'skelgen-die___pp_1-.*\.trace: 2 ranks, ' "$skelgen" trace -- $mpiexec -n 2 "$program" ok 100
expect 0 '' "$skelgen" build skelgen-*.trace
make -s -C 'die äpp 1.skel' MPICC="$mpicc" > out 2> err && $mpiexec -n 2 './die äpp 1.skel/skeleton' > out 2>> err && grep -q '^predicted' out ||
  fail "the skeleton by hand"
finish
