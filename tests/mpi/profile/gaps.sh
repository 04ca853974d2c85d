#!/usr/bin/env bash
# gaps.sh SKELGEN MPICC MPIEXEC: under capture, the tool tells of each gap between two recorded calls, and of what is in it.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -o gaps "$here/gaps.c" || exit 1
export VALGRIND_LIB=${skelgen%/bin/*}/lib/valgrind
timeout 900 "$skelgen" trace -o gaps.trace -- "$mpiexec" -n 2 valgrind --quiet --tool=skelgen --intervals=yes --out="$PWD/gaps.%p" ./gaps > out 2> err || fail "the program ended with $?"
"$skelgen" info --json gaps.trace > info 2> err || fail "its trace cannot be read"
python3 - > out 2> err << 'END' || fail "the gaps are not those of the program"
import glob
import itertools
import json
profiles = glob.glob("gaps.[0-9]*")
assert len(profiles) == 2, profiles
after_init = json.load(open("info"))["calls_per_rank"]["min"] - 1
for name in profiles:
    lines = [line.split() for line in open(name)]
    number = {line[2]: line[1] for line in lines if line[0] == "feature"}
    counts = [list(itertools.takewhile(str.isdecimal, line[2:])) for line in lines if line[0] == "interval"]  # reuse stands behind them
    different = [dict(zip(line[::2], line[1::2])) for line in counts]
    told = iter(different)
    gaps = [next(told) if line[0] == "interval" else different[int(line[2])] for line in lines if line[0] in ("interval", "again")]
    assert lines[-1] == ["end"], lines[-1]
    assert len(gaps) == after_init, (len(gaps), after_init)
    multiplied = [int(gap.get(number["fp64x1_mul"], 0)) for gap in gaps]
    assert multiplied == [0, 1000, 2000, 3000, 4000, 5000, 0, 0], multiplied
    # The first call of a function finds it: some hundred instructions.
    assert all(int(gap[number["instructions"]]) < 2000 for gap in (gaps[0], gaps[6], gaps[7])), gaps
    assert all(5000 * k <= int(gaps[k][number["instructions"]]) < 5000 * k + 2000 for k in range(1, 6)), gaps
END
[ "$failures" = 0 ]
