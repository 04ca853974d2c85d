#!/bin/bash
# The first three findings of a run name what makes it long; on a busy machine that ranks waited for cores comes before them, and
# the report gives no advice on the others. Its computation is sleep, which does not count as such where time on a processor is recorded.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -g -Wall -Wextra -Werror -o bottlenecks "$here/bottlenecks.c" || exit 1

# found WHAT PATTERN: a run of WHAT has it among the findings
found() {
  timeout 900 "$skelgen" trace --yield off -o "$1.trace" -- "$mpiexec" -n 4 ./bottlenecks "$1" > out 2> err || fail "trace of $1"
  "$skelgen" metrics "$1.trace" > out 2> err || fail "metrics of $1"
  sed -n '/^findings/,/^concurrency/p' out | grep -v 'Ranks wait for a core' | sed -n 2,4p | grep -q "$2"
}

# finds WHAT PATTERN TITLE: among the findings, and as what it has to be mended in the report
finds() {
  decides "$1: not among the first three findings: $2" found "$1" "$2"
  "$skelgen" metrics "$1.trace" --json > out 2> err || fail "metrics of $1"
  holds 'sorted(j["findings"], key=lambda f: (f["kind"] != "without_core", -f["cost_s"])) == j["findings"]' || fail "$1: not the highest cost first"
  holds 'all(f["kind"] and (f["rank"] is None) == (len(f["ranks"]) != 1) and (f["function"] is None) == (f["kind"] != "function") for f in j["findings"])' || fail "$1: findings without kind, rank or function"
  "$skelgen" report "$1.trace" -o "$1.html" > out 2> err || fail "report of $1"
  sed -n '/id="findings"/,/<\/section>/p' "$1.html" > section
  local place="<h3>$3</h3>"
  if grep -q 'uncertain because ranks waited for cores' section; then place=$2; fi
  grep -q "$place" section || fail "$1: not among the findings of the report: $3"
}

finds slow 'Rank 2 has more to compute.*it computes [0-9.]* times as long as the others' 'Uneven work: rank 2'
finds late 'Rank 0 sends late: others together lose' 'Late sender: rank 0'
finds chain 'Ranks compute in turns' 'Ranks compute in turns'
finds collective 'MPI_Allreduce takes .* of the critical path' 'Slow call: MPI_Allreduce'

# Traces with sites: the call that waits has a line, of two calls the one in which most of the waiting is.
# at WHAT LINE TEXT
at() {
  timeout 900 "$skelgen" trace --sites --yield off -o sites.trace -- "$mpiexec" -n 4 ./bottlenecks "$1" > out 2> err || fail "trace with sites"
  "$skelgen" metrics sites.trace --json > out 2> err || fail "metrics of a trace with sites"
  line=bottlenecks.c:$(grep -n "$2" "$here/bottlenecks.c" | head -1 | cut -d: -f1)
  holds "any(f['line'] == '$line' and ' in MPI_Recv ($3$line)' in f['text'] for f in j['findings'])" || fail "$1: no line of the call that waits"
}
at late 'if (rank == 1) MPI_Recv' ''
at places 'rank == 1 && turn != 3) MPI_Recv' 'most of it at '
[ "$failures" = 0 ]
