#!/usr/bin/env bash
# online.sh BENCH SKELGEN MPIEXEC [RANKS [TURNS [ROUNDS]]]: what `trace --online` costs per call, beside a run without skelgen and one that is
# traced. They take turns; medians. Nanoseconds of a processor: the program's time between two barriers (on as many processors as it has ranks,
# but no more than there are) over the calls of all ranks. The last column is what the reader takes in all, most of it when the program is over.
set -euo pipefail
bench=$1 skelgen=$2 mpiexec=$3 ranks=${4:-16} turns=${5:-10000} rounds=${6:-5}
libraries=$(dirname "$skelgen")/../lib
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export OMPI_MCA_mpi_yield_when_idle=1
TIMEFORMAT='%U %S'
# run NAME COMMAND...: a line "seconds calls user system" more in $work/NAME.
run() {
  local name=$1
  shift
  { time "$@" 2> "$work/err" > "$work/out"; } 2> "$work/time" || { cat "$work/err"; exit 1; }
  echo "$(cat "$work/out") $(cat "$work/time")" >> "$work/$name"
}
for ((i = 0; i < rounds; i++)); do
  LD_PRELOAD=$libraries/libskelyield.so run plain "$mpiexec" -n "$ranks" "$bench" "$turns"
  rm -rf "$work/t.trace"
  LD_PRELOAD=$libraries/libskelyield.so run traced "$skelgen" trace --yield off -o "$work/t.trace" -- "$mpiexec" -n "$ranks" "$bench" "$turns"
  rm -rf "$work/t.trace"
  LD_PRELOAD=$libraries/libskelyield.so run online "$skelgen" trace --yield off --online -o "$work/t.trace" -- "$mpiexec" -n "$ranks" "$bench" "$turns"
done
python3 - "$work" "$ranks" << 'PYTHON'
import os, statistics, sys
work, ranks = sys.argv[1], int(sys.argv[2])
processors = min(ranks, len(os.sched_getaffinity(0)))
rows = {name: [list(map(float, line.split())) for line in open(f"{work}/{name}")] for name in ("plain", "traced", "online")}
calls = rows["plain"][0][1] * ranks
def per_call(name):
    values = sorted(row[0] * processors / calls * 1e9 for row in rows[name])
    return statistics.median(values), values[0], values[-1]
plain = per_call("plain")[0]
print(f"{ranks} ranks on {processors} processors, {calls:,.0f} calls; ns of a processor per call (least, greatest)")
for name in rows:
    median, least, greatest = per_call(name)
    print(f"{name:8} {median:8.1f} ({least:.1f}, {greatest:.1f})  more than plain {median - plain:8.1f}")
used = {name: statistics.median(row[2] + row[3] for row in rows[name]) for name in rows}
print(f"reading takes {(used['online'] - used['traced']) / calls * 1e9:.1f} ns of a processor per call in all")
PYTHON
