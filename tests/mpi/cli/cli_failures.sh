#!/bin/bash
# How trace, time and the others fail: exit statuses and messages.
. "$(dirname "$0")/common.sh" "$@"
run="$mpiexec -n 2 ./app"

expect 0 't\.trace: 2 ranks, ' "$skelgen" trace -o t.trace -- $run ok 20
expect 0 't\.trace: 2 ranks, .*; an earlier trace was there and is replaced' "$skelgen" trace -o t.trace -- $run ok 20
expect 3 'exit3\.trace: 2 ranks, .*ended with status 3' "$skelgen" trace -o exit3.trace -- $run exit3 20
expect 0 '' "$skelgen" info exit3.trace --json
grep -q 'The traced run ended with status 3' out || fail "info does not say that the run failed"
expect 0 'the traced run ended with status 3' "$skelgen" build exit3.trace -o exit3.skel
"$skelgen" predict exit3.skel --runs 1 -- $mpiexec -n 2 > out 2> err
grep -q 'the traced run ended with status 3' err || fail "predict does not say that the traced run failed"
expect 127 'nosuch: command not found; ' "$skelgen" trace -o x.trace -- nosuch -n 2 ./app
expect 127 'nosuch: command not found; ' "$skelgen" time -- nosuch -n 2 ./app
expect 125 'cannot be executed' "$skelgen" trace -o x.trace -- /etc
expect 1 'false: ended with status 1 before any rank' "$skelgen" trace -o x.trace -- false
# Hydra may end by SIGPIPE where its processes are over at once.
expect 125 'no rank called MPI_Init' "$skelgen" trace -o x.trace -- $mpiexec -n 2 sleep 0.2
expect 125 'no rank called MPI_Init' "$skelgen" time -- $mpiexec -n 2 sleep 0.2
expect 2 'starts no program; put it behind the launcher' "$skelgen" trace -o x.trace -- $mpiexec -n 2
expect 2 'starts no program; put it behind the launcher' "$skelgen" time -- $mpiexec -n 2
expect 3 'status 3 in run 1 of 2; no time' "$skelgen" time --runs 2 -- $run exit3 20
expect 125 '/proc: cannot be written' "$skelgen" trace -o /proc/x.trace -- $run
expect 125 'no such directory' "$skelgen" trace -o no/where.trace -- $run
mkdir mine && touch mine/thesis.tex
expect 125 'mine: holds thesis.tex, which trace did not write; ' "$skelgen" trace -o mine -- $run
touch file
expect 125 'file: is not a skelgen trace; ' "$skelgen" trace -o file -- $run
expect 125 './nosuch: no such file' "$skelgen" trace -o x.trace -- $mpiexec -n 2 ./nosuch
expect 125 'app is not in PATH; did you mean ./app' "$skelgen" time -- $mpiexec -n 2 app
expect 125 'sleep: no rank called MPI_Init .*; it is not linked with an MPI library' "$skelgen" trace -o x.trace -- $mpiexec -n 2 sleep 0.2
[ ! -e x.trace ] || fail "a trace without ranks was left"
mkdir empty
"$skelgen" trace -o empty -- $run ok 20 > out 2> err
grep -q replaced err && fail "an empty directory is said to have been a trace"

# No room for all calls.
"$skelgen" trace -o less.trace -- $run limited > out 2> err
[ $? = 1 ] || fail "no room: status"
tail -1 err | grep -q '^skelgen: less.trace: .* calls could not be recorded; free space there' || fail "no room: the last line"

# What makes a difference of two traces mean little.
"$skelgen" compare t.trace exit3.trace > out 2> err || fail "compare: status"
grep -q "different arguments of the program: 'ok 20' and 'exit3 20'" err || fail "compare: other arguments are not said"
"$skelgen" trace -o four.trace -- $mpiexec -n 4 ./app ok 20 > out 2> err
"$skelgen" compare t.trace four.trace > out 2> err || fail "compare: status"
grep -q 'different numbers of ranks: 2 and 4' err || fail "compare: other numbers of ranks are not said"

# What the launcher of another MPI leaves in the environment: each process runs alone.
case $mpiexec in *mpich*) alone="OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0" ;; *) alone="PMI_SIZE=2 PMI_RANK=0" ;; esac
for command in "trace -o x.trace" time; do
  "$skelgen" $command -- env $alone ./app ok 5 > out 2> err
  [ $? = 125 ] || fail "$command of processes that ran alone: status"
  grep -q '^skelgen: app: 2 processes run alone, each as rank 0 of 1; ' err || fail "$command: does not say at once that they run alone"
  tail -1 err | grep -q '^skelgen: ./app: 2 processes each ran alone: the program is .*; start it with mpiexec' || fail "$command: does not say what to do"
done
[ ! -e x.trace ] || fail "a trace of processes that ran alone was left"
env $alone LD_PRELOAD="$(dirname "$skelgen")/../lib/libskeltrace.so" SKELGEN_OUT=x.trace ./app ok 5 > out 2> err
grep -q '^skelgen: app: 2 processes each ran alone: the program is ' err || fail "without trace: does not say that processes ran alone"
rm -rf x.trace

# A killed rank: the launcher's status, and its calls up to then.
$run kill 40 > /dev/null 2>&1
status=$?
expect "$status" 'kill\.trace: 2 ranks, .*incomplete \(ended before MPI_Finalize\): rank [0-9, -]*1' "$skelgen" trace -o kill.trace -- $run kill 40
expect 0 '' "$skelgen" info kill.trace
# It does not take the place of a whole trace.
cp -r t.trace whole.trace
expect "$status" 'whole\.trace: the program failed; the earlier trace stays, what was recorded is in .*/whole\.trace\.partial/run-1.*ended with status' "$skelgen" trace -o whole.trace -- $run kill 40
diff -r t.trace whole.trace > /dev/null || fail "the earlier trace is not there"
rm -r whole.trace.partial
expect 0 '' "$skelgen" dump kill.trace --rank 1
[ "$(grep -c MPI_Irecv out)" = 21 ] || fail "rank 1 made 21 MPI_Irecv before it was killed, not $(grep -c MPI_Irecv out)"
expect 1 'kill\.trace: rank [01] ended before MPI_Finalize.*; trace again' "$skelgen" build kill.trace -o k.skel
[ ! -e k.skel ] || fail "a skeleton of an incomplete trace was left"

# The traced program after -- of predict and verify is refused before anything starts.
expect 0 '' "$skelgen" build t.trace -o t.skel
expect 2 "the line after -- starts app, the program that was traced; leave it out, skelgen adds the skeleton \(skelgen predict t.skel -- $mpiexec -n 2\)" "$skelgen" predict t.skel -- $run ok 20
expect 2 "\(skelgen verify t.trace t.skel -- $mpiexec -n 2\)" "$skelgen" verify t.trace t.skel -- $run
expect 1 '; --runs is an option of skelgen: put it before --' "$skelgen" predict t.skel -- $mpiexec -n 2 --runs 1

# What a skeleton that fails and its launcher have written is shown before the line that says why.
printf '#!/bin/sh\necho more of it >&2\necho "skeleton: cannot go on" >&2\nexit 3\n' > fails
chmod +x fails
"$skelgen" predict t.skel --cc "$mpicc" --runs 1 -- ./fails -n 2 > out 2> err
[ $? = 1 ] || fail "a skeleton that fails: status"
tail -3 err | tr '\n' '@' | grep -q '^  | more of it@  | skeleton: cannot go on@skelgen: .*ended with status 3: skeleton: cannot go on; ' || fail "a skeleton that fails: what it wrote"

# Without -o the skeleton of another run is not replaced.
expect 0 '' "$skelgen" build t.trace
expect 0 '' "$skelgen" build t.trace
expect 0 't\.trace: 2 ranks, ' "$skelgen" trace -o t.trace -- $run ok 20
expect 1 'app.skel: is the skeleton of another trace; name the new one with -o, or replace that with --force' "$skelgen" build t.trace
expect 0 '' "$skelgen" build t.trace --force

# A signal reaches the program, and nothing is left behind.
"$skelgen" time -- $mpiexec -n 2 "$work/app" ok 100000 > out 2> err &
sleep 2 && kill -TERM $!
wait $!
[ $? -ge 1 ] || fail "time went on after SIGTERM"
for _ in $(seq 900); do pgrep -f "$work/app" > /dev/null || break; sleep 0.1; done
pgrep -f "$work/app" > /dev/null && fail "the program went on after SIGTERM"

# One that comes while a good trace is traced again leaves it there.
"$skelgen" trace -o t.trace -- $mpiexec -n 2 "$work/app" ok 100000000 > out 2> err &
for _ in $(seq 900); do [ -e t.trace.partial/run-1/rank-000001.skt ] && break; sleep 0.1; done
sleep 1 && kill -TERM $!
wait $!
grep -q '^skelgen: t.trace: interrupted; the earlier trace stays, what was recorded is in .*/t.trace.partial/run-1: move it away' err ||
  fail "does not say where an interrupted trace is"
"$skelgen" info t.trace 2> err | grep -q 'ended before MPI_Finalize' && fail "an interrupted trace replaced a complete one"
"$skelgen" info t.trace.partial/run-1 2> err | grep -q '^incomplete .*; info, dump, metrics and report read it, build does not' || fail "no interrupted trace"
rm -r t.trace.partial

# One that comes while the skeleton is compiled ends the compilers, too.
cat > slow_mpicc << 'SHELL'
#!/bin/sh
touch "$(dirname "$0")/compiling"
sh -c 'tail -f "$1" & wait' sh "$0"
SHELL
chmod +x slow_mpicc
expect 0 '' "$skelgen" build t.trace -o t.skel
rm -f compiling
"$skelgen" verify t.trace t.skel --cc "$work/slow_mpicc" > out 2> err &
for _ in $(seq 900); do [ -e compiling ] && break; sleep 0.1; done
kill -TERM $!
wait $!
[ $? = 1 ] || fail "verify went on after SIGTERM"
grep -q 'its compilation was interrupted (signal 15)' err || fail "verify does not say that it was interrupted"
pgrep -f "$work/slow_mpicc" > left && fail "the compiler went on after SIGTERM"

# One that comes in a series of runs keeps those that were complete.
cat > third_hangs << 'SHELL'
#!/bin/bash
echo >> starts
[ "$(wc -l < starts)" = 3 ] && exec sleep 900
exec "$@"
SHELL
chmod +x third_hangs
for command in "time --runs 9 --json -- ./third_hangs $run ok 20" "predict t.skel --runs 9 --json -- ./third_hangs $mpiexec -n 2"; do
  rm -f starts
  "$skelgen" $command > out 2> err &
  for _ in $(seq 900); do [ -e starts ] && [ "$(wc -l < starts)" = 3 ] && break; sleep 0.1; done
  kill -TERM $!
  wait $!
  [ $? = 143 ] || fail "$command: the status is not the launcher's"
  holds 'len(j["runs"]) == 2' || fail "$command: the runs that were complete are lost"
  grep -Eq '^skelgen: .*interrupted; 2 of 9 (runs|launches) were done$' err || fail "$command: does not say how many runs were done"
done

expect 2 'no such command' "$skelgen" bogus
expect 2 'no program to run' "$skelgen" trace
expect 2 'build: has no option --scal; did you mean --scale\?' "$skelgen" build --scal 10 t.trace
expect 2 'put the command after --' "$skelgen" trace $run
expect 2 '--runs' "$skelgen" trace --runs x -- true
expect 2 '--emit excludes --json' "$skelgen" build t.trace --emit text --json
full() { (ulimit -f 16; trap '' XFSZ; "$@"); } # as if the disk was full behind 16 kB
expect 1 'full.skel: cannot be written: File too large; check space' full "$skelgen" build t.trace -o full.skel
[ -e full.skel ] && fail "a skeleton is left that was not written"
expect 1 'none\.trace' "$skelgen" info none.trace
expect 1 'none' "$skelgen" predict none
finish
