#!/bin/bash
# trace under launchers of every form: the line is started as it is, output and exit status are those without skelgen, all ranks are recorded. What
# cannot be seen is said, with its causes.
. "$(dirname "$0")/common.sh" "$@"
"$mpicc" -O2 -Wall -Wextra -Werror -o launched "$here/launched.c" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_odls_base_sigkill_timeout=0
unset LAUNCHED_BY

# same RANKS COMMAND...: with and without skelgen: the same status, the same lines; RANKS ranks with all their calls.
same() {
  local ranks=$1 status traced rounds=0
  shift
  rm -rf t.trace  # a whole trace is not replaced by one of a program that failed
  "$@" > plain.out 2> plain.err < /dev/null
  status=$?
  "$skelgen" trace -o t.trace -- "$@" > out 2> err < /dev/null
  traced=$?
  [ "$traced" = "$status" ] || fail "$*: ended with $traced, not $status"
  diff <(sort plain.out) <(sort out) > /dev/null || fail "$*: its output is another"
  [ "$(grep -c '^skelgen: ' err)" = 1 ] || fail "$*: not exactly one line of skelgen"
  diff <(sort plain.err | sed 's/[0-9]\+/N/g') <(grep -v '^skelgen: ' err | sort | sed 's/[0-9]\+/N/g') > /dev/null ||
    fail "$*: what it says on stderr is another"
  "$skelgen" info t.trace --json > info.json 2> err || fail "$*: no trace"
  for n in $(sed -n 's/.* \([0-9]*\) rounds.*/\1/p' plain.out); do rounds=$((rounds + n)); done
  python3 -c '
import json, sys
j = json.load(open("info.json"))
calls = {f["name"]: f["calls"] for f in j["functions"]}
sys.exit(j["ranks"] != int(sys.argv[1]) or j["dropped"] != 0 or calls["MPI_Sendrecv"] != int(sys.argv[2]) or calls["MPI_Finalize"] != j["ranks"])
' "$ranks" "$rounds" || fail "$*: not the calls of $ranks ranks, $rounds rounds"
  echo "passed: $*" | sed "s#$work/##g"
}

cat > script << SHELL
#!/bin/bash
echo "started by a script"
LAUNCHED_BY=script $mpiexec -n 2 ./launched 5
SHELL
cat > rank_script << 'SHELL'
#!/bin/sh
LAUNCHED_BY="rank script"
export LAUNCHED_BY
./launched "$@"
SHELL
cat > exec_script << 'SHELL'
#!/bin/sh
exec "$@"
SHELL
cat > forgetful << 'SHELL'
#!/bin/sh
unset LD_PRELOAD
exec ./launched 3
SHELL
chmod +x script rank_script exec_script forgetful

same 2 "$mpiexec" -n 2 ./launched 3
same 2 "$mpiexec" -n 2 ./launched 17 # ends with 7
same 2 env LAUNCHED_BY=env "$mpiexec" -n 2 ./launched 3
same 2 ./script
same 2 bash -c "$mpiexec -n 2 ./launched 4 && echo behind it"
same 2 taskset -c 0,1 "$mpiexec" -n 2 ./launched 3
same 2 nice -n 5 timeout --signal=TERM 900 "$mpiexec" -n 2 ./launched 3
same 2 "$mpiexec" -n 2 env LAUNCHED_BY=inside ./launched 3
same 2 "$mpiexec" -n 2 sh ./rank_script 3
same 2 "$mpiexec" -n 2 ./rank_script 3
same 2 "$mpiexec" -n 2 ./exec_script taskset -c 0,1 ./launched 3
same 2 "$mpiexec" -n 1 ./launched 3 : -n 1 ./launched 3 # two programs in one run
same 2 "$mpiexec" -n 1 ./launched 3 : -n 1 env LAUNCHED_BY=second ./launched 3
same 1 ./launched 3 # without a launcher

# Two ranks compute on one core: that is said.
cat > spin.c << 'END'
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 0.2;) continue;
  return MPI_Finalize();
}
END
"$mpicc" -O1 -o spin spin.c > out 2> err || fail "compilation of spin.c"
"$skelgen" trace --yield off -o spin.trace -- "$mpiexec" -n 2 taskset -c 0 ./spin > out 2> err || fail "ranks on one core"
grep -q '^skelgen: spin.trace: .*; other work used the machine, or the ranks .*: they waited for a core for [0-9]* % of the run' err || fail "does not say that ranks had no core"

# Of several programs the first one is recorded, and that is said.
cat > two << SHELL
#!/bin/sh
$mpiexec -n 2 ./launched 3
$mpiexec -n 1 ./launched 5
SHELL
chmod +x two
"$skelgen" trace -o t.trace -- ./two > out 2> err || fail "a script that starts two programs"
[ "$(wc -l < out)" = 3 ] || fail "a script that starts two programs: its output is another"
grep -qx 'skelgen: launched: the second MPI program that was started; only the first one is recorded: trace them one by one' err ||
  fail "the second program is not mentioned"
"$skelgen" info t.trace --json > info.json 2> err
grep -q '"ranks": 2,' info.json || fail "the second program's trace is in the first one's place"

"$skelgen" time --json -- ./two > out 2> err || fail "time of a script that starts two programs"
grep -qx 'skelgen: launched: the second MPI program that was started; only the first one is timed: time them one by one' err ||
  fail "the second program that is not timed is not mentioned"
holds 'len(j["runs"]) == 1' || fail "no time of the first program"
"$skelgen" time --json -- bash -c "SLEEP=1 $mpiexec -n 1 ./launched 3; $mpiexec -n 2 ./launched 3" > out 2> err || fail "time of two programs"
holds 'j["wall_s"] >= 1' || fail "the second program was timed, not the first"

# Some ranks run without the library: nobody waits for them, and they are named.
expect 0 'some\.trace: 2 ranks, .*; missing: rank 1' timeout 900 "$skelgen" trace -o some.trace -- "$mpiexec" -n 1 ./launched 3 : -n 1 env -u LD_PRELOAD ./launched 3
expect 0 'rank 0 was not recorded' timeout 900 "$skelgen" trace -o some.trace -- "$mpiexec" -n 1 env -u LD_PRELOAD ./launched 3 : -n 1 ./launched 3
expect 1 'some.trace: rank 0 was not recorded, so there is no meta.json; its message says why' "$skelgen" info some.trace

# What stood in LD_PRELOAD stays, behind the library.
library=$(cd "$(dirname "$skelgen")/../lib" && pwd)/libskeltrace.so
env LD_PRELOAD=libm.so.6 "$skelgen" trace -o t.trace -- sh -c 'echo "$LD_PRELOAD"; exec "$@"' sh "$mpiexec" -n 2 ./launched 3 > out 2> err
grep -qx "$library:libm.so.6" out || fail "LD_PRELOAD is not the library and what stood there"

# Where the library cannot come in, the causes are named.
lost='no rank called MPI_Init under the capture library; likely causes: .*linked statically, LD_PRELOAD unset on the way \(env -i, a script, another host\)'
expect 125 "$lost" "$skelgen" trace -o x.trace -- "$mpiexec" -n 2 env -u LD_PRELOAD ./launched 3
expect 125 "$lost" "$skelgen" trace -o x.trace -- "$mpiexec" -n 2 ./forgetful
expect 125 "$lost" "$skelgen" trace -o x.trace -- env -i PATH="$PATH" HOME="$work" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 "$mpiexec" -n 2 ./launched 3
shared=$(ldd launched | awk '/libmpich\.so/ {print $3}') # Debian has a static MPICH, not a static Open MPI
static=$(dirname "${shared:-/none/none}")/libmpich.a
if [ -e "$static" ]; then
  others=$(ldd "$shared" | awk '/=> \// && !/libc\.so/ {print $3}')
  "$mpicc" -O2 -c "$here/launched.c" && gcc -o static launched.o "$static" $others || fail "cannot link statically"
  expect 125 "$lost" "$skelgen" trace -o x.trace -- "$mpiexec" -n 2 ./static 3
fi
[ ! -e x.trace ] || fail "a trace without ranks was left"

finish
