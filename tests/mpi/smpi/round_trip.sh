#!/bin/bash
# Under SMPI from trace to verify: the skeleton makes the same calls and takes the same simulated time. And across: skeletons of one MPI's traces run
# with the other.
skelgen=$1 programs=$2 smpirun=$3 mpiexec=$4
program=$programs/app.smpi
. "$(dirname "$0")/../common.sh"
run=("$smpirun" -np 16 -platform "$here/platform.xml" -hostfile "$here/hosts" --log=root.thres:critical --cfg=smpi/simulate-computation:no)

# expect STATUS PATTERN COMMAND...: its status, and a line of standard error that matches ("" wants none of skelgen's).
expect() {
  local status=$1 pattern=$2 got
  shift 2
  "$@" > out 2> err
  got=$?
  if [ "$got" != "$status" ]; then
    fail "$* ended with $got, not $status"
  elif [ -n "$pattern" ] && ! grep -Eq -e "$pattern" err; then
    fail "$*: no line that matches $pattern"
  elif [ -z "$pattern" ] && grep -q '^skelgen: ' err; then
    fail "$*: unexpected message"
  else
    echo "passed: ${*##*/} -> $got"
  fi
}

# require EXPRESSION: what holds() looks for must be so.
require() { holds "$1" || fail "$1"; }

expect 0 't\.trace: 16 ranks, ' "$skelgen" trace -o t.trace -- "${run[@]}" "$program"
grep -q '^ended at 0\.' out || fail "the program's own output is missing"
end=$(sed -n 's/^ended at //p' out)
expect 0 '' "$skelgen" info t.trace
grep -q '^run time .* of simulated time' out || fail "info does not say that time is simulated"
grep -q '^ranks  *16, SMPI 3' out || fail "info does not name the MPI"
expect 0 '' "$skelgen" info t.trace --json
require "j['clock'] == 'simulated' and j['mpi']['name'] == 'SMPI' and abs(j['wall_s'] - $end) < 2e-4"
expect 0 '' "$skelgen" time --runs 2 --json -- "${run[@]}" "$program"
require "all(abs(r['wall_s'] - $end) < 2e-4 and r['launch_s'] is None for r in j['runs'])"

expect 0 '' "$skelgen" build t.trace -o t.skel --scale 10 --json
require "j['lossless'] is True and j['main_loop']['trips'] >= 199"
expect 0 '' "$skelgen" verify t.trace t.skel --json -- "${run[@]}"
require "j['identical'] is True and j['calls_checked'] > 25000 and j['bytes_matrix_identical'] is True"
expect 0 'no interval' "$skelgen" predict t.skel --runs 1 --json -- "${run[@]}"
require "abs(j['predicted_s'] / $end - 1) < 0.02"
expect 0 'no interval' "$skelgen" predict t.skel --runs 1 --compute time --json -- "${run[@]}"
require "abs(j['predicted_s'] / $end - 1) < 0.02"
# Without a launcher there is no platform.
expect 1 'needs a platform; name it: predict --platform FILE.xml, or -- smpirun -np 16 -platform' "$skelgen" predict t.skel --runs 1
# Across: compiled with the launcher's MPI.
four=("${run[0]}" -np 4 "${run[@]:3}")
expect 0 's\.trace: 4 ranks, ' "$skelgen" trace -o s.trace -- "${four[@]}" "$program" 20
expect 0 '' "$skelgen" build s.trace -o s.skel
expect 0 '' "$skelgen" verify s.trace s.skel --yield on --json -- "$mpiexec" -n 4
require "j['identical'] is True"
expect 0 'm\.trace: 4 ranks, ' "$skelgen" trace -o m.trace --yield on -- "$mpiexec" -n 4 "$programs/app.mpich" 20
expect 0 '' "$skelgen" build m.trace -o m.skel
expect 0 '' "$skelgen" verify m.trace m.skel --json -- "${four[@]}"
require "j['identical'] is True"
expect 0 'no interval' "$skelgen" predict m.skel --runs 1 --json -- "${four[@]}"
require "j['compute'] == 'work' and j['predicted_s'] > 0"
# Measured while it runs: simulated time is the same each time, so the measures are those of the trace.
"$skelgen" metrics t.trace --json > trace.json
# The skeleton's program is as concurrent where the trace was made as that.
expect 0 'no interval' "$skelgen" predict t.skel --runs 1 --json -- "${run[@]}"
require "all(abs(j['concurrency_here'][k] - json.load(open('trace.json'))['he_sun'][m]) < 0.01 for k, m in (('he_sun_alpha', 'alpha'), ('phi1', 'phi1'), ('phi7', 'phi7')))"
require "all(abs(j['concurrency_here'][k] - json.load(open('trace.json'))['pop'][k]) < 0.01 for k in ('parallel', 'load_balance', 'communication', 'serialization', 'transfer'))"
expect 0 'o\.trace: 16 ranks, .*measured while it ran' "$skelgen" trace --online -o o.trace -- "${run[@]}" "$program"
expect 0 '' "$skelgen" metrics o.trace --json
# Raynal's unit is known at the end only.
require "j['he_sun'] == json.load(open('trace.json'))['he_sun'] and j['raynal']['unit_s'] is None"
# The platform says how fast hosts are.
expect 0 '' "$skelgen" calibrate --json -- "${run[@]}"
require "[k['name'] for k in j['kernels']] == ['flops'] and sorted(set(j['rho'])) == [0.5, 1] and j['one_by_one'] is False and j['alike'] is False"
require "all(r == (1 if rank['host'].startswith('fast') else 0.5) for r, rank in zip(j['rho'], j['ranks']))"
expect 0 'c\.trace: 2 ranks, ' "$skelgen" trace -o c.trace --counters PAPI_TOT_CYC -- "${run[0]}" -np 2 "${run[@]:3}" "$program" 3
grep -q 'counter PAPI_TOT_CYC is not available here (SMPI runs all ranks on one thread)' err || fail "counters are not refused"

[ "$failures" = 0 ]
