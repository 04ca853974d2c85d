#!/bin/bash
# build --annotate and report: source lines of the program beside the statements, if the trace has sites; else nothing of the program leaves it.
. "$(dirname "$0")/common.sh" "$@"
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"; }
# line FILE NAME: where it stands, "FILE:LINE".
line() { echo "$1:$(grep -n "[*!] $2\b" "$here/$1" | cut -d: -f1)"; }
# beside TEXT COMMENT: a line of skeleton.c has both, or the comment stands right before it.
beside() { grep -FB1 "$1" s.skel/skeleton.c | grep -qF "/* $2 */" || fail "no $2 beside $1: $(grep -F "$1" s.skel/skeleton.c)"; }

"$mpicc" -O1 -g -o sites "$here/sites.c" || exit 1
# --annotate repeats statements that the plain program has once, in a function repeated_N. The folding of a disturbed run may have some: then
# another run is taken.
without_repeated() {
  rm -rf s.trace plain.skel
  "$skelgen" trace --sites -o s.trace --runs 1 -- "$mpiexec" -n 2 ./sites > out 2> err && "$skelgen" build s.trace -o plain.skel --json > out 2> err &&
    ! grep -q "repeated_[0-9]" plain.skel/skeleton.c
}
decides "trace and build without parts in several places" without_repeated
holds 'j["lossless"] is True'
statements=$(python3 -c 'import json; print(json.load(open("out"))["folded_statements"])')
grep -rqE "sites|$PWD" plain.skel && fail "a skeleton without --annotate names the program: $(grep -rnE "sites|$PWD" plain.skel | head -3)"
"$skelgen" build s.trace --annotate -o s.skel --json > out 2> err || fail "build --annotate"
holds "j['lossless'] is True and j['folded_statements'] == $statements"
beside MPI_Irecv "$(line sites.c RECEIVE)"
beside MPI_Send "$(line sites.c SEND)"
beside MPI_Wait "$(line sites.c WAIT)"
beside MPI_Barrier "$(line sites.c FIRST)"
beside MPI_Barrier "$(line sites.c SECOND)"
beside MPI_Allreduce "$(line sites.c REDUCE1), $(line sites.c REDUCE2), $(line sites.c REDUCE3) and 2 more"
"$skelgen" report s.trace -o s.html > out 2> err || fail "report"
grep -q "MPI_Send.*($(line sites.c SEND))</bdi>" s.html || fail "no line beside MPI_Send in the report"
# Warnings of addr2line are not places.
mkdir fake
printf '#!/bin/sh\necho "addr2line: a warning" >&2\nexec %s "$@"\n' "$(command -v addr2line)" > fake/addr2line
chmod +x fake/addr2line
PATH=$PWD/fake:$PATH "$skelgen" build s.trace --annotate -o w.skel > out 2> err || fail "build --annotate with warnings"
cmp -s w.skel/skeleton.c s.skel/skeleton.c || fail "warnings of addr2line shift the lines"
sed 's,/\* sites.c:[^*]*\*/,,g' s.skel/skeleton.c | tr -d '[:space:]' > annotated
tr -d '[:space:]' < plain.skel/skeleton.c | cmp - annotated > out 2>&1 || fail "--annotate changes more than comments"
grep -q "but names and lines of its source files" s.skel/README.md || fail "README.md does not say that there are lines"
"$skelgen" verify s.trace s.skel --json -- "$mpiexec" -n 2 > out 2> err || fail "verify"
holds 'j["identical"] is True'

# Fortran's calls come by the MPI's own library.
mpifort=${mpicc/mpicc/mpifort}
if command -v "$mpifort" > out 2>&1; then
  "$mpifort" -O1 -g -o fsites "$here/sites.f90" > out 2> err || fail "compilation of sites.f90"
  "$skelgen" trace --sites -o f.trace --runs 1 -- "$mpiexec" -n 2 ./fsites > out 2> err || fail "trace of Fortran"
  "$skelgen" build f.trace --annotate -o s.skel > out 2> err || fail "build of Fortran"
  beside MPI_Bcast "$(line sites.f90 SPREAD)"
  beside MPI_Barrier "$(line sites.f90 MEET)"
fi

# Another program in its place, one without debug information, a trace without sites.
"$mpicc" -O2 -g -DOTHER -o sites "$here/sites.c" || exit 1
"$skelgen" build s.trace --annotate -o s.skel --force > out 2> err || fail "build after the program was replaced"
grep -q "sites: is not what was traced any more" err || fail "no word of the replaced program"
grep -q "sites.c" s.skel/skeleton.c && fail "lines of a replaced program"
"$skelgen" report s.trace -o s.html > out 2> err || fail "report after the program was replaced"
grep -q "sites: is not what was traced any more" err || fail "the report has no word of the replaced program"
"$mpicc" -O1 -o sites "$here/sites.c" || exit 1
"$skelgen" trace --sites -o n.trace --runs 1 -- "$mpiexec" -n 2 ./sites > out 2> err || fail "trace without debug information"
"$skelgen" build n.trace --annotate -o s.skel --force > out 2> err || fail "build without debug information"
grep -q "sites: has no debug information.*compile with -g" err || fail "no word of the missing debug information"
"$skelgen" trace -o o.trace --runs 1 -- "$mpiexec" -n 2 ./sites > out 2> err || fail "trace"
"$skelgen" build o.trace --annotate -o o.skel > out 2> err
[ $? = 1 ] && grep -q "o.trace: the trace does not say where calls were made; trace with --sites" err || fail "--annotate without sites"
finish
