#!/bin/bash
# calibrate with a real MPI: ranks that have a core each measure at once, ranks that share cores one after the other. What it writes is what
# metrics --rho reads.
. "$(dirname "$0")/common.sh" "$@"

# well_formed RANKS: what every result must be.
well_formed() {
  holds "j['schema'] == 'skelgen.calibrate/1' and len(j['rho']) == $1 and len(j['ranks']) == $1" || fail "$1 ranks: not all are there"
  holds 'all(0 < r <= 1 for r in j["rho"]) and max(j["rho"]) == 1' || fail "$1 ranks: rho"
  holds '[k["name"] for k in j["kernels"]] == ["integer", "floating", "stream", "random"]' || fail "$1 ranks: the kernels"
  holds "all(len(k[key]) == $1 for k in j['kernels'] for key in ('rho', 'per_second', 'spread'))" || fail "$1 ranks: a kernel's numbers"
  holds 'all(max(k["rho"]) == 1 and min(k["rho"]) > 0 and min(k["per_second"]) > 0 for k in j["kernels"])' || fail "$1 ranks: a kernel's speeds"
}

# More ranks than cores: in turn, and that is said. The ranks that wait sleep, so a rank is as fast as one that is alone: the register kernel
# would show half of its speed if two measured on one core at a time.
ranks=$(($(nproc) + 1))
"$skelgen" calibrate --json -o shared.json -- "$mpiexec" -n $ranks > out 2> err || fail "calibrate of $ranks ranks"
cp out shared.out
grep -q '^skelgen: ranks share cores: one after the other measured' err || fail "does not say that ranks took turns"
well_formed $ranks
holds 'j["one_by_one"] is True' || fail "$ranks ranks on $(nproc) cores: at once"
cmp -s shared.out shared.json || fail "the file and stdout differ"
"$skelgen" calibrate --json -- "$mpiexec" -n 1 taskset -c 0 > out 2> err || fail "calibrate of 1 rank"
well_formed 1
holds 'j["one_by_one"] is False and j["ranks"][0]["cores"] == 1' || fail "1 rank: its core"
cp out alone.json
# The fastest of what was seen so far: other work of the machine makes both slower, not faster.
as_fast_in_turn() {
  python3 -c '
import glob, json
alone, shared = (max(max(json.load(open(name))["kernels"][0]["per_second"]) for name in glob.glob(what + "*.json")) for what in ("alone", "shared"))
print(f"integer: alone {alone:.3g}, in turn {shared:.3g} per second")
raise SystemExit(not shared > 0.6 * alone)' && return
  again=$((again + 1))
  "$skelgen" calibrate -o shared$again.json -- "$mpiexec" -n $ranks > out 2> err || fail "calibrate of $ranks ranks"
  "$skelgen" calibrate -o alone$again.json -- "$mpiexec" -n 1 taskset -c 0 > out 2> err || fail "calibrate of 1 rank"
  return 1
}
again=0
decides "ranks that take turns are not as fast as one alone" as_fast_in_turn

# One core for each: at once.
if [ "$(nproc)" -ge 2 ]; then
  "$skelgen" calibrate --json -- "$mpiexec" -n 2 > out 2> err || fail "calibrate of 2 ranks"
  well_formed 2
  holds 'j["one_by_one"] is False' || fail "2 ranks on $(nproc) cores: not at once"
fi
# Two ranks that were given one core share it.
"$skelgen" calibrate --json -- "$mpiexec" -n 2 taskset -c 0 > out 2> err || fail "calibrate of 2 ranks on one core"
well_formed 2
holds 'j["one_by_one"] is True' || fail "2 ranks on one core: at once"

# metrics reads it.
"$skelgen" trace -o app.trace -- "$mpiexec" -n $ranks ./app > /dev/null 2> err || fail "trace"
"$skelgen" metrics app.trace --json --rho shared.json > out 2> err || fail "metrics --rho"
holds 'j["he_sun"]["phi5_rho"] > 0' || fail "metrics --rho: no phi5_rho"
python3 -c 'import json; print(json.dumps(json.load(open("shared.json"))["rho"] + [1]))' > more.json
expect 1 "has $((ranks + 1)) speeds for $ranks ranks" "$skelgen" metrics app.trace --rho more.json

expect 2 'no launcher' "$skelgen" calibrate
expect 1 'command not found' "$skelgen" calibrate -- no-such-launcher -n 2
expect 1 'MPI compiler not found' "$skelgen" calibrate --cc no-such-compiler -- "$mpiexec" -n 2
expect 1 'exists and is no file' "$skelgen" calibrate -o app.trace -- "$mpiexec" -n 1
expect 1 'sh: started ranks that did not find each other; ' "$skelgen" calibrate -- sh -c '"$@"; "$@"; exit 0' sh
expect 1 "the calibration's run ended with status 3" "$skelgen" calibrate -- sh -c 'exit 3'
finish
