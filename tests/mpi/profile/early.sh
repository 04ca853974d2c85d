#!/usr/bin/env bash
# early.sh SKELGEN MPICC MPIEXEC: a profiled run ends when each place in loops was seen three times; with --full it goes on.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -o steps "$here/steps.c" || exit 1
profile() { timeout 900 "$skelgen" profile --json "$@" > out 2> err; }
timeout 900 "$skelgen" trace -o steps.trace -- "$mpiexec" -n 2 ./steps 1000 > out 2> err || fail "the program ended with $?"
profile steps.trace -- "$mpiexec" -n 2 ./steps 1000 || fail "it cannot be profiled"
holds 'j["ended_early"] and j["positions"]["share"] > 0.98 and j["calls_elsewhere"] == 0' || fail "it did not end early, or without places in loops"
holds '2 * 18 <= j["calls"] < 2 * 6000' || fail "as many calls as without an early end"
[ "$(ls steps.trace/work | wc -l)" = 5 ] || fail "other files: $(ls steps.trace/work)"
timeout 900 "$skelgen" build --json -o steps.skel steps.trace > out 2> err || fail "it has no skeleton"
holds 'j["work"]["share"] > 0.98' || fail "the skeleton has no work"
python3 - > out 2> err << 'END' || fail "work is not that of the places"
import json
work = json.load(open("steps.skel/skeleton.json"))["work"]
mul = [work["features"].index("fp64x1_mul") in dict(work["works"][number - 1]) and dict(work["works"][number - 1])[work["features"].index("fp64x1_mul")]
       for place in work["places"] for _, number, *_ in place["work"]]
assert mul.count(50000) >= 2 and mul.count(10000) >= 4, mul
END

profile --full steps.trace -- "$mpiexec" -n 2 ./steps 60 || fail "a shorter run cannot be profiled"
holds 'not j["ended_early"] and j["calls"] == 2 * (2 + 60 * 5)' || fail "--full ended early"
profile steps.trace -- "$mpiexec" -n 2 ./steps 1 || fail "a run without a second step"
holds 'not j["ended_early"] and j["calls"] == 2 * (2 + 5)' || fail "what a run ended with that has too few steps"
[ "$failures" = 0 ]
