#!/bin/bash
# A program that makes calls of every kind in a loop: trace, lossless build, identical replay, with 2 and with 4 ranks.
. "$(dirname "$0")/common.sh" "$@"
"$mpicc" -O1 -o modes "$here/modes.c" || exit 1

# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"; }

for ranks in 2 4; do
  "$skelgen" trace -o m.trace --runs 1 -- "$mpiexec" -n $ranks ./modes 20 > out 2> err || fail "modes with $ranks ranks"
  "$skelgen" info m.trace --json > out 2> err || fail "info of $ranks ranks"
  holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Startall'] == 20 * $ranks * 4 * 64 * 8"
  holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Start'] == 20 * $ranks * (10 + 11 + 12 + 13) * 8"
  holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Ialltoallw'] == 20 * $ranks * $ranks * 4 * 8"
  "$skelgen" build m.trace -o m.skel --json > out 2> err || fail "build of $ranks ranks"
  holds 'j["lossless"] is True and j["deadlock_free"] is True'
  grep -Eq 'replayed as their time only: .*MPI_Comm_get_attr \([0-9]+\)' err || fail "attributes are not counted"
  "$skelgen" verify m.trace m.skel --json -- "$mpiexec" -n $ranks > out 2> err || fail "verify of $ranks ranks"
  holds 'j["identical"] is True and j["bytes_matrix_identical"] is True and j["calls_checked"] > 2000'
  make -s -C m.skel clean skeleton MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || fail "warnings"
  SKEL_SCALE=1 timeout 900 "$mpiexec" -n $ranks ./m.skel/skeleton > out 2> err || fail "$ranks ranks with synchronous sends"
  "$skelgen" metrics m.trace --json > out 2> err || fail "metrics of $ranks ranks"
  grep -q "the trace does not have" err && fail "messages or collectives without a partner"
done
finish
