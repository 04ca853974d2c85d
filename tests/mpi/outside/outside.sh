#!/bin/bash
# outside.sh SKELGEN MPICC MPIFORT MPIEXEC FOLDER: the skeleton of one program of examples/ makes the program's calls, with 2 and 4 ranks: judged by
# same_calls.py, which knows what `skelgen dump` prints of both and shares no code with skelgen; and it finds what is altered in the skeleton.
skelgen=$1 mpicc=$2 mpifort=$3 mpiexec=$4 folder=$(cd "$5" && pwd)
. "$(dirname "$0")/../common.sh"
name=$(basename "$folder")

# Arguments of a short run; what is altered in skeleton.c of 4 ranks: WHAT=SED.
altered=()
case $name in
  cg)
    arguments="64 3"
    altered=("count=s/32, MPI_DOUBLE_PRECISION/31, MPI_DOUBLE_PRECISION/g" "tag=s|rank / 2, 1,|rank / 2, 7,|g"
      "communicator=s/\(MPI_Bcast.*\)split2/\1split/" "operation=s/MPI_SUM/MPI_MAX/") ;;
  heat)
    arguments="32 20 5"
    altered=("datatype=s/MPI_DOUBLE/MPI_INT64_T/g" "missing call=/MPI_Comm_free/d" "order of calls=/MPI_Comm_rank(cart/{ h; d; }; /MPI_Cart_coords(cart/G"
      "one call too many=s/^  *MPI_Comm_rank(cart.*/&\n&/"
      "order of requests=s/MPI_Waitall(8, req, status);/{ MPI_Request first = req[0]; req[0] = req[1]; req[1] = first; } &/") ;;
  matmul) arguments="64 5" ;;
  multigrid) arguments="16 1" ;;
  ring)
    arguments="64 20"
    altered=("peer=s/(rank + 1) % size, 0/rank == 3 ? MPI_PROC_NULL : rank + 1, 0/; s/(rank + size - 1) % size, 0/rank == 0 ? MPI_PROC_NULL : rank - 1, 0/") ;;
  transpose) arguments="32 20" ;;
  wavefront) arguments="16 5" ;;
  *) echo "FAILED: $name has no arguments in ${BASH_SOURCE[0]##*/}" && exit 1 ;;
esac

# dump RANKS TRACE COMMAND...: the dump of a run of the program.
dump() {
  "$skelgen" trace --runs 1 -o "$2" -- "$mpiexec" -n "$1" "${@:3}" > out 2> err && "$skelgen" dump "$2" > "$2.txt" 2> err
}
# replay RANKS TRACE: compiles the skeleton, and the dump of its run with every iteration.
replay() {
  rm -rf "$2"
  make -s -B -C t.skel MPICC="$mpicc" OPTIMIZE=-O0 > out 2> err && SKEL_SCALE=1 dump "$1" "$2" ./t.skel/skeleton
}
same() { "$here/same_calls.py" t.trace.txt "$1.txt" > out 2> err; }

check() {
  local ranks=$1
  # shellcheck disable=SC2086 # arguments are words
  rm -rf t.trace && dump "$ranks" t.trace "./$name" $arguments || { fail "$name with $ranks ranks" && return; }
  "$skelgen" build t.trace -o t.skel > out 2> err || { fail "build with $ranks ranks" && return; }
  replay "$ranks" r.trace || { fail "skeleton of $ranks ranks" && return; }
  same r.trace || { fail "$ranks ranks: other calls" && return; }
  echo "passed: $name, $ranks ranks: $(cat out)"
}

# alter WHAT SED: the comparison must find it; same_calls.py says 1.
alter() {
  cp t.skel/skeleton.c original.c
  sed -i "$2" t.skel/skeleton.c
  cmp -s original.c t.skel/skeleton.c && fail "$1: nothing was altered"
  replay 4 a.trace || fail "$1: the altered skeleton"
  same a.trace
  [ $? = 1 ] || fail "$1: the difference was not found"
  echo "passed: $1 altered: $(tr -s '\n ' ' ' < out | cut -c1-300)"
  mv original.c t.skel/skeleton.c
}

if [ -f "$folder/$name.c" ]; then
  compile=("$mpicc" -O2 -o "$name" "$folder/$name.c" -lm)
else
  compile=("$mpifort" -O2 -o "$name" "$folder/$name.f90")
fi
"${compile[@]}" > out 2> err || { fail "${compile[*]}" && exit 1; }
check 2
check 4
for change in "${altered[@]}"; do alter "${change%%=*}" "${change#*=}"; done
[ "$failures" = 0 ]
