#!/bin/bash
# trace --online with a real MPI: what is left of a run, and of one whose ranks are killed, whose threads call MPI, or that may not write enough.
. "$(dirname "$0")/common.sh" "$@"
"$mpicc" -O2 -w -o threads "$here/../replay/threads.c" -lpthread || exit 1

# measured RANKS: t.trace has measures of that many ranks, and no records.
measured() {
  [ "$(ls t.trace | tr '\n' ' ')" = "meta.json online.json " ] || fail "t.trace has $(ls t.trace | tr '\n' ' ')"
  "$skelgen" metrics t.trace --json > out 2> err || fail "metrics"
  holds "j['schema'] == 'skelgen.metrics/1' and len(j['he_sun']['per_rank']) == $1" || fail "not $1 ranks"
  holds '0 <= j["he_sun"]["alpha"] <= 1 and 0 < j["he_sun"]["ht"] <= j["he_sun"]["wt"] <= j["he_sun"]["vol"]' || fail "He & Sun"
  holds 'abs(j["he_sun"]["phi1"] + j["he_sun"]["phi2"] - 1) < 1e-12 and j["critical_path"] is None' || fail "phi1 + phi2, critical path"
  "$skelgen" metrics t.trace > out 2> err && grep -q '^  He-Sun alpha  *0\.' out || fail "metrics for people"
}

for ranks in 2 4; do
  "$skelgen" trace --online --yield on -o t.trace -- "$mpiexec" -n $ranks ./app > out 2> err || fail "online, $ranks ranks"
  grep -q "^skelgen: t.trace: $ranks ranks, [0-9,]* calls, measured while it ran, " err || fail "$ranks ranks: the line about the run"
  measured $ranks
done
# 200 iterations of 1 ms, of which each rank has a processor for as much as it gets.
"$skelgen" metrics t.trace --json > out
holds 'all(0.02 < r["computing_s"] < 0.6 for r in j["he_sun"]["per_rank"])' || fail "what ranks computed"

# The exit status is the launcher's.
"$skelgen" trace --online --yield on -o t.trace -- "$mpiexec" -n 2 ./app exit3 > out 2> err
[ $? = 3 ] || fail "exit status of the program"
measured 2
# A rank that is killed: as far as it went.
"$skelgen" trace --online --yield on -o t.trace -- "$mpiexec" -n 2 ./app kill > out 2> err
[ $? != 0 ] || fail "a killed rank: status 0"
grep -q 'incomplete (ended before MPI_Finalize): rank' err || fail "a killed rank is not named"
measured 2

# Several threads: said, and kept as a trace.
"$skelgen" trace --online --yield on -o t.trace -- "$mpiexec" -n 2 ./threads > out 2> err || fail "threads: status"
[ "$(grep -c 'not measured while it ran: .*several threads of a rank call MPI' err)" = 1 ] || fail "threads: not said"
"$skelgen" metrics t.trace --json > out 2> err || fail "threads: metrics of the trace"
holds 'len(j["he_sun"]["per_rank"]) > 2 and j["critical_path"] is not None' || fail "threads: no trace"

# Files that may not grow any more: each rank says so once, and the program goes on.
"$skelgen" trace --online --yield on -o t.trace -- "$mpiexec" -n 2 ./app limited > out 2> err
[ $? = 1 ] || fail "no room: status"
tail -1 err | grep -q '^skelgen: t.trace: .*calls could not be recorded; free space there' || fail "no room: the last line"
grep -q '^sum 2' out || fail "no room: the program's own output"
for rank in 0 1; do
  grep -Eq "skelgen: .*rank-00000$rank.skt: [0-9]+ of [0-9]+ calls of rank $rank are not in the trace \(File too large\)" err ||
    fail "no room: rank $rank does not say so"
done
[ "$(grep -c '^skelgen: ' err)" -le 6 ] || fail "no room: more than a few lines"
measured 2

expect 2 'excludes' "$skelgen" trace --online --runs 2 -- "$mpiexec" -n 2 ./app
expect 2 'requires' "$skelgen" trace --rho rho.json -- "$mpiexec" -n 2 ./app
echo '[1, 0.5]' > rho.json
expect 125 'has 2 speeds for 4 ranks' "$skelgen" trace --online --yield on --rho rho.json -- "$mpiexec" -n 4 ./app
uses_rho() {
  "$skelgen" trace --online --yield on --rho rho.json -o t.trace -- "$mpiexec" -n 2 ./app > out 2> err || fail "online with rho"
  measured 2
  "$skelgen" metrics t.trace --json > out
  holds 'j["he_sun"]["per_rank"][1]["computing_s"] < 0.7 * j["he_sun"]["per_rank"][0]["computing_s"]'
}
decides "rho is not used" uses_rho
finish
