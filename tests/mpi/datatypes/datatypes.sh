#!/bin/bash
# datatypes.sh SKELGEN MPICC MPIEXEC [MPIF90]: programs with datatypes and operations of their own from trace to verify; the skeleton of
# each makes the same calls and sends the same bytes.
skelgen=$1 mpicc=$2 mpiexec=$3 fortran=${4-}
. "$(dirname "$0")/../common.sh"

# replays NAME COMMAND...
replays() {
  local name=$1
  shift
  "$skelgen" trace -o "$name.trace" --runs 1 -- "$mpiexec" -n 2 "$@" || fail "$name: trace"
  "$skelgen" build "$name.trace" -o "$name.skel" --scale 10 > built || fail "$name: build"
  grep -q '^lossless *yes' built || fail "$name: not lossless"
  make -s -C "$name.skel" MPICC="$mpicc" CFLAGS='-std=c11 -O0 -Wall -Wextra -Werror' || fail "$name: warnings"
  "$skelgen" verify "$name.trace" "$name.skel" --json -- "$mpiexec" -n 2 > verified || fail "$name: verify"
  grep -q '"identical": true' verified && grep -q '"bytes_matrix_identical": true' verified || fail "$name: $(cat verified)"
}

"$mpicc" -O1 -w -o columns "$here/columns.c" || exit 1
replays c ./columns 20
# What is made and freed in every iteration folds with it, and the blocks' different widths stay one program.
grep -q 'main loop .* 20 trips' built || fail "c: $(cat built)"
grep -q 'MPI_Type_vector(24, 1, stride_[0-9]*\[rank\], MPI_DOUBLE, &type\[0\]);' c.skel/skeleton.c || fail "c: column"
[ "$(grep -c 'MPI_Type_create_struct' c.skel/skeleton.c)" -le 4 ] || fail "c: constructors are written out"
# Size of what was sent: columns of 24 doubles, not one element each.
bytes=$("$skelgen" info c.trace --json | python3 -c 'import json, sys; print({f["name"]: f["bytes"] for f in json.load(sys.stdin)["functions"]}["MPI_Isend"])')
[ "$bytes" = $((2 * 20 * 2 * 24 * 8)) ] || fail "c: MPI_Isend sent $bytes bytes"

if [ -n "$fortran" ] && command -v "$fortran" > /dev/null; then
  "$fortran" -O1 -w -fallow-argument-mismatch -o columns_f "$here/columns.f90" || exit 1
  replays fortran ./columns_f
  grep -q 'main loop .* 15 trips' built || fail "fortran: $(cat built)"
fi

# Data at absolute addresses: one line that names the call.
cat > bottom.c << 'C'
#include <mpi.h>
int main(int argc, char** argv) {
  static double data[4];
  const int length = 4;
  MPI_Aint at;
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  MPI_Get_address(data, &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
C
"$mpicc" -O1 -w -o bottom bottom.c || exit 1
"$skelgen" trace -o bottom.trace --runs 1 -- "$mpiexec" -n 2 ./bottom || fail "bottom: trace"
"$skelgen" build bottom.trace -o bottom.skel 2> err && fail "bottom: was built"
[ "$(grep -c 'MPI_Bcast (rank 0, call [0-9]*) is given MPI_BOTTOM' err)" = 1 ] || fail "bottom: $(cat err)"

[ "$failures" = 0 ]
