#!/bin/bash
# A program that makes calls of every kind in a loop: trace, lossless build, identical replay, with 4 ranks.
. "$(dirname "$0")/common.sh" "$@"
"$mpicc" -O1 -o modes "$here/modes.c" || exit 1

# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"; }

"$skelgen" trace -o m.trace --runs 1 -- "$mpiexec" -n 4 ./modes 20 > out 2> err || fail "modes with 4 ranks"
"$skelgen" info m.trace --json > out 2> err || fail "info"
holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Startall'] == 20 * 4 * 4 * 64 * 8"
holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Start'] == 20 * 4 * (10 + 11 + 12 + 13) * 8"
holds "{f['name']: f['bytes'] for f in j['functions']}['MPI_Ialltoallw'] == 20 * 4 * 4 * 4 * 8"
"$skelgen" build m.trace -o m.skel --json > out 2> err || fail "build"
holds 'j["lossless"] is True and j["deadlock_free"] is True'
grep -Eq 'replayed as their time only: .*MPI_Comm_get_attr \([0-9]+\)' err || fail "attributes are not counted"
"$skelgen" verify m.trace m.skel --json -- "$mpiexec" -n 4 > out 2> err || fail "verify"
holds 'j["identical"] is True and j["bytes_matrix_identical"] is True and j["calls_checked"] > 2000'
make -s -C m.skel clean skeleton MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || fail "warnings"
SKEL_SCALE=1 timeout 900 "$mpiexec" -n 4 ./m.skel/skeleton > out 2> err || fail "4 ranks with synchronous sends"
"$skelgen" metrics m.trace --json > out 2> err || fail "metrics"
grep -q "the trace does not have" err && fail "messages or collectives without a partner"
finish
