#!/bin/bash
# report: what it writes, and how it fails.
. "$(dirname "$0")/common.sh" "$@"

# has PATTERN: page.html has it
has() { grep -Eq -e "$1" page.html || fail "page.html lacks $1"; }

expect 0 't.trace: 2 ranks' "$skelgen" trace -o t.trace -- $mpiexec -n 2 ./app ok 50
expect 0 '' "$skelgen" build t.trace -o t.skel --scale 2
expect 0 '' "$skelgen" predict --json --runs 5 t.skel -- $mpiexec -n 2
mv out prediction.json
expect 0 '' "$skelgen" report t.trace -o page.html
has 'There is no prediction here yet'
has 'The program.s loops'
expect 0 '' "$skelgen" report t.trace t.skel --prediction prediction.json -o page.html # an old report is replaced
grep -q '^report      page.html (' out || fail "it does not say what it wrote"
has 'Skeleton <bdi>t.skel</bdi>: [0-9]+ statements, scale 2'
has 'with 95 % confidence'
expect 1 't.trace: is a trace, not a skeleton; ' "$skelgen" report t.trace t.trace -o again.html
expect 0 '' "$skelgen" report t.trace -o again.html
expect 0 '' "$skelgen" report t.trace -o again2.html
cmp -s again.html again2.html || fail "the same trace gives different pages"

# One rank; a rank that was killed; ranks that are not there.
expect 0 'one.trace: 1 rank,' "$skelgen" trace -o one.trace -- $mpiexec -n 1 ./app ok 0
expect 0 '' "$skelgen" report one.trace -o page.html
has '1 rank of one machine'
"$skelgen" trace -o kill.trace -- $mpiexec -n 2 ./app kill 40 > /dev/null 2>&1
expect 0 'no loops, phases and bytes in the report: kill.trace: rank [01] ended before MPI_Finalize' "$skelgen" report kill.trace -o page.html
has 'ended before MPI_Finalize: what follows is about the part'
cp -r t.trace missing.trace && rm missing.trace/rank-000001.skt
expect 1 'missing.trace: .*rank 1' "$skelgen" report missing.trace -o none.html

# A prediction of another run, of another skeleton, of another number of ranks.
expect 0 't2.trace: 2 ranks' "$skelgen" trace -o t2.trace -- $mpiexec -n 2 ./app ok 60
expect 0 'prediction.json was predicted from another trace than t2.trace; the report says so' "$skelgen" report t2.trace --prediction prediction.json -o page.html
has 'Its skeleton was built from another run'
expect 0 '' "$skelgen" build t2.trace -o t2.skel
expect 1 'prediction.json: is of another skeleton than t2.skel; ' "$skelgen" report t2.trace t2.skel --prediction prediction.json -o none.html
expect 1 'prediction.json: is of 2 ranks, and one.trace has 1; ' "$skelgen" report one.trace --prediction prediction.json -o none.html

# Of several numbers of ranks, that of the trace is its prediction, unless it is of another skeleton than the one beside it.
python3 -S -c 'import json
one = json.load(open("prediction.json"))
point = lambda ranks: {"ranks": ranks, "speed_up": 1, "efficiency": 2 / ranks, "computation": None}
json.dump({"schema": "skelgen.scaling/1", "scaling": [point(2), point(4)], "predictions": [one, one | {"ranks": 4}]}, open("scaling.json", "w"))' || fail "scaling.json"
expect 0 '' "$skelgen" report t.trace t.skel --prediction scaling.json -o page.html
has 'The skeleton predicts'
has 'Compared with 2 ranks, efficiency falls below 80 % at 4 ranks'
expect 0 '' "$skelgen" report t2.trace t2.skel --prediction scaling.json -o page.html
has 'There is no prediction for the 2 ranks of this run'
has 'Compared with 2 ranks, efficiency falls below 80 % at 4 ranks'
sed 's/"low_s": [0-9.e+-]*/"low_s": 1e9/' prediction.json > wrong.json
expect 1 'wrong.json: was not written by skelgen predict --json; ' "$skelgen" report t.trace --prediction wrong.json -o none.html
cp -r t.skel wrong.skel && sed -i 's/"statements": [0-9]*/"statements": "many"/' wrong.skel/skeleton.json
expect 1 'wrong.skel/skeleton.json: .* value that cannot be there; build' "$skelgen" report t.trace wrong.skel -o none.html

# What cannot be read or written leaves no report.
expect 1 'nowhere.trace: ' "$skelgen" report nowhere.trace -o none.html
expect 1 't.skel: has 2 ranks, and one.trace has 1; ' "$skelgen" report one.trace t.skel -o none.html
expect 1 'nowhere.skel: ' "$skelgen" report t.trace nowhere.skel -o none.html
expect 1 'nowhere.json: the prediction cannot be read; ' "$skelgen" report t.trace --prediction nowhere.json -o none.html
"$skelgen" info --json t.trace > info.json
expect 1 'info.json: was not written by skelgen predict --json; ' "$skelgen" report t.trace --prediction info.json -o none.html
expect 1 'no/none.html: cannot be written; ' "$skelgen" report t.trace -o no/none.html
expect 1 '/proc/none.html: cannot be written; ' "$skelgen" report t.trace -o /proc/none.html
expect 1 't.trace: exists and is no file; ' "$skelgen" report t.trace -o t.trace
full() { (ulimit -f 16; trap '' XFSZ; "$@"); } # as if the disk was full behind 16 kB
expect 1 'none.html: cannot be written; ' full "$skelgen" report t.trace -o none.html
ls none* > left 2> /dev/null && fail "left behind: $(head -1 left)"
expect 2 'skelgen report starts no program' "$skelgen" report t.trace -- $mpiexec -n 2 ./app
finish
