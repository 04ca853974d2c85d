#!/bin/bash
# accuracy.sh SKELGEN PROGRAMS SMPIRUN: traced on the hosts and network of platform.xml, predicted on those of elsewhere.xml, and compared with what the
# program itself takes there. All times are simulated and all computation is told in operations: the figures are the same in each run on each machine.
skelgen=$1 programs=$2 smpirun=$3
. "$(dirname "$0")/../common.sh"

on() { run=("$smpirun" -np 16 -platform "$here/$1" -hostfile "$here/hosts" --log=root.thres:critical --cfg=smpi/simulate-computation:no); }

# seconds COMMAND...: what `time` or `predict` prints of it.
seconds() { "$@" 2> err > out && python3 -c 'import json; j = json.load(open("out")); print(repr(j["predicted_s"] if "predicted_s" in j else j["wall_s"]))'; }

# predict: the skeleton's time.
predict() { seconds "$skelgen" predict t.skel --runs 1 --json -- "${run[@]}"; }

# gate PERCENT PROGRAM ARGUMENTS...: the prediction is within PERCENT of the program's own time.
gate() {
  rm -rf t.trace t.skel
  on platform.xml
  "$skelgen" trace --runs 1 -o t.trace -- "${run[@]}" "${@:2}" > out 2> err || { fail "trace of ${*:2}" && return; }
  "$skelgen" build t.trace -o t.skel > out 2> err || { fail "build of ${*:2}" && return; }
  on elsewhere.xml
  program=$(seconds "$skelgen" time --runs 1 --json -- "${run[@]}" "${@:2}") || { fail "time of ${*:2}" && return; }
  predicted=$(predict) || { fail "prediction of ${*:2}" && return; }
  row "${2##*/} ${*:3}" "$1" || fail "${*:2} is predicted $predicted s and takes $program s: not within $1 %"
}

# row NAME PERCENT: a line of the table; whether the error is within PERCENT.
row() {
  python3 - "$@" "$program" "$predicted" << 'END'
import sys
name, percent, program, predicted = sys.argv[1], *map(float, sys.argv[2:])
error = 100 * (predicted / program - 1)
print(f"{name:24} program {program:10.6f} s  predicted {predicted:10.6f} s  error {error:+8.4f} %  allowed {percent:g} %")
sys.exit(not abs(error) <= percent)
END
}

gate 1 "$programs/work.smpi" halo 100
gate 1 "$programs/work.smpi" wavefront 10
gate 1 "$programs/work.smpi" transpose 50
gate 1 "$programs/work.smpi" phases 20
# Which rank is the slow one of an iteration is sampled with the iterations.
gate 2 "$programs/work.smpi" wander 400
# Of 100 steps 10 are kept, some of each kind.
gate 0.1 "$programs/work.smpi" lists 100
gate 3 "$programs/work.smpi" bursts 100
gate 0.1 "$programs/work.smpi" sizes 100

gate 1 "$programs/app.smpi" 400
[ "$(predict)" = "$predicted" ] || fail "two predictions differ"
# A tenth more computation on one rank, the slowest, is more than the gate lets through.
predicted=$(SKEL_SLOW=15:1.1 predict) || fail "prediction of app.smpi 400, altered"
row "app.smpi 400, altered" 1
awk -v predicted="$predicted" -v program="$program" 'BEGIN { exit !(predicted > 1.01 * program) }' || fail "a rank that computes a tenth more passes"
[ "$failures" = 0 ]
