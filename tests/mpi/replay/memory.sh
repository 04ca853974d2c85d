#!/bin/bash
# memory.sh SKELGEN MPICC MPIEXEC PROGRAM.c: a skeleton's buffers take the memory, and touch it first, as those of the program in its MPI
# calls do; `build` knows before how much; with --max-memory what is only written lies in one place.
. "$(dirname "$0")/../wildcards/common.sh"
unset SKELGEN_SPEEDS
compile program "$4"
cat > measured.py <<'END'
"""Runs a command; prints its resident memory in kB and its minor faults."""
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, close_fds=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(1, f"measured {used.ru_maxrss} {used.ru_minflt}\n".encode())  # at once: the other rank writes, too
sys.exit(status)
END
export SKEL_COMPUTE=work # computation passes over an area of fixed size instead of one as large as the program's
# used COMMAND...: kB and faults of the rank with the most, in $rss and $faults
used() {
  "$mpiexec" -n 2 python3 measured.py "$@" > out 2> err || fail "run of $*"
  read -r rss faults < <(awk '/^measured/ {if ($2 > r) r = $2; if ($3 > f) f = $3} END {print r, f}' out)
}
# make NAME ARGUMENT...: NAME.trace of `program ARGUMENT` and NAME.skel
make_skeleton() {
  "$skelgen" trace -o "$1.trace" -- "$mpiexec" -n 2 ./program "${@:2}" > out 2> err || fail "trace of $1"
  "$skelgen" build "$1.trace" -o "$1.skel" --json > out 2> err || fail "build of $1"
  make -s -C "$1.skel" MPICC="$mpicc" > out.make 2> err || fail "compilation of $1"
}
# near A B: within 5 % of each other
near() { python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not abs(a - b) <= 0.05 * b)' "$1" "$2"; }

used ./program small && small_rss=$rss small_faults=$faults
used ./program && program_rss=$((rss - small_rss)) program_faults=$((faults - small_faults))
make_skeleton small small
make_skeleton large
most=$(python3 -c 'import json; print(json.load(open("out"))["buffer_bytes"]["most"])')
used small.skel/skeleton && small_rss=$rss small_faults=$faults
used large.skel/skeleton && skeleton_rss=$((rss - small_rss)) skeleton_faults=$((faults - small_faults))
near $((most / 1024)) $((100663296 / 1024)) || fail "$most bytes are announced, the program's calls use 100663296"
near "$skeleton_rss" $((most / 1024)) || fail "$((most / 1024)) kB are announced, the skeleton takes $skeleton_rss"
near "$skeleton_rss" "$program_rss" || fail "the program's buffers take $program_rss kB, the skeleton's $skeleton_rss"
near "$skeleton_faults" "$program_faults" || fail "the program's buffers are $program_faults faults, the skeleton's $skeleton_faults"

# Both halves of `in` and what comes into `more` (16 MB each) and `sum` (8 MB) are only written: 56 MB become 16.
most=58720256
"$skelgen" build large.trace -o shared.skel --max-memory 80MB --json > out 2> err || fail "build with --max-memory"
holds "j['buffer_bytes'] == {'most': $most, 'all': 2 * $most, 'shared': 2 * 41943040} and j['lossless']" || fail "what is shared"
"$skelgen" verify large.trace shared.skel --json -- "$mpiexec" -n 2 > out 2> err || fail "verify with --max-memory"
holds 'j["identical"] is True' || fail "not identical with --max-memory"
make -s -C shared.skel MPICC="$mpicc" > out.make 2> err || fail "compilation of shared"
used shared.skel/skeleton
saved=$((skeleton_rss - (rss - small_rss)))
near "$saved" $((41943040 / 1024)) || fail "sharing saves $saved kB"
"$skelgen" build large.trace -o none.skel --max-memory 40MB > out 2> err && fail "40 MB are not enough"
grep -q "the buffers of rank 0 take $most bytes where 40000000 are allowed, .*; allow more" err || fail "message"
[ ! -e none.skel ] || fail "none.skel was left"
[ "$failures" = 0 ]
