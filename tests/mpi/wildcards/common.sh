# Shared by the scripts here: what they are started with, compilation, synchronous sends.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# compile NAME SOURCE...
compile() { "$mpicc" -O2 -Wall -Wextra -Werror -o "$1" "${@:2}" > out 2> err || { fail "compilation of $1" && exit 1; }; }
# synchronous RANKS: t.skel finishes although every send waits for its receive.
synchronous() {
  make -s -B -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || return 1
  timeout 900 "$skelgen" time --runs 1 -- "$mpiexec" -n "$1" t.skel/skeleton > out 2> err
}
