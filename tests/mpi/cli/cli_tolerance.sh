#!/bin/bash
# build --tolerance on a program whose counts jitter by 1 %: it gets as short as without the jitter, bytes are kept, verify says what
# differs and accepts nothing else.
. "$(dirname "$0")/common.sh" "$@"
"$mpicc" -O2 -Wall -Wextra -Werror -o jitter "$here/jitter.c" || exit 1

# holds EXPRESSION: the Python expression holds for the JSON objects `j` on stdout, `regular` and `lossless`.
holds() {
  python3 -c '
import json, os, sys
j, regular, lossless = (json.load(open(name)) if os.path.exists(name) else None for name in ("out", "regular.json", "lossless.json"))
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1"
}

for ranks in 2 4; do
  "$skelgen" trace -o regular.trace -- $mpiexec -n $ranks ./jitter 60 0 > out 2> err || fail "trace without jitter, $ranks ranks"
  "$skelgen" trace -o jitter.trace -- $mpiexec -n $ranks ./jitter 60 10 > out 2> err || fail "trace with jitter, $ranks ranks"
  "$skelgen" build regular.trace -o regular.skel --json > regular.json 2> err || fail "build without jitter"
  "$skelgen" build jitter.trace -o lossless.skel --json > lossless.json 2> err || fail "lossless build"
  "$skelgen" build jitter.trace -o jitter.skel --tolerance 0.02 --json > out 2> err || fail "build with a tolerance"
  holds 'lossless["lossless"] is True and lossless["tolerance"] is None'
  holds 'j["lossless"] is False and j["deadlock_free"] is True'
  holds 'j["folded_statements"] == regular["folded_statements"] and j["argument_values"] <= 1.2 * regular["argument_values"]'
  holds 'lossless["argument_values"] > 10 * regular["argument_values"]'
  holds 'j["tolerance"]["share"] == 0.02 and 0 < j["tolerance"]["largest_change"] <= 0.02'
  holds 'abs(j["tolerance"]["bytes_after"] / j["tolerance"]["bytes_before"] - 1) < 0.001'
  holds '200 * j["ranks"] < j["tolerance"]["calls_changed"] <= 300 * j["ranks"]'
  holds 'set(j["tolerance"]["by_function"]) == {"MPI_Irecv", "MPI_Isend", "MPI_Sendrecv", "MPI_Alltoallv", "MPI_Bcast"}'
  grep -q '^ \* Not lossless: counts of messages are within 2 % of those that were traced. \*/$' jitter.skel/skeleton.c ||
    fail "skeleton.c does not say that it is not lossless"
  grep -q '^\*\*Not lossless:\*\* ' jitter.skel/README.md || fail "README.md does not say that it is not lossless"
  grep -q 'lossless:' regular.skel/skeleton.c regular.skel/README.md lossless.skel/README.md && fail "a lossless skeleton says that it is none"
  local exact like
  exact=$(cat lossless.skel/skeleton.c lossless.skel/tables.h 2> /dev/null | wc -c) like=$(cat jitter.skel/skeleton.c jitter.skel/tables.h 2> /dev/null | wc -c)
  [ "$exact" -gt "$((3 * like / 2))" ] || fail "the program did not get shorter: $exact bytes, $like with a tolerance"
  "$skelgen" verify jitter.trace jitter.skel --json -- $mpiexec -n $ranks > out 2> err || fail "verify with a tolerance"
  holds 'j["identical"] is False and j["first_difference"] is None and j["bytes_matrix_identical"] is False'
  holds 'j["tolerance"]["within"] is True and j["tolerance"]["calls_changed"] > 200 and 0 < j["tolerance"]["largest_change"] <= 0.02'
  make -s -C jitter.skel MPICC="$mpicc" CFLAGS="-std=c11 -O0 -Wall -Wextra -Werror -DSKEL_SYNC_SEND" > out 2> err || fail "make"
  SKEL_SCALE=1 $mpiexec -n $ranks jitter.skel/skeleton > out 2> err || fail "run with synchronous sends"
done

# People are told the same.
"$skelgen" build jitter.trace -o jitter.skel --tolerance 0.02 > out 2> err || fail "build for people"
grep -Eq '^lossless +no: counts are within 2.0 % of what was recorded, all else is equal$' out || fail "build does not say that it is not lossless"
grep -Eq '^ +MPI_Bcast +240 +[0-9]+ ' out || fail "build does not say what it changed"
"$skelgen" verify jitter.trace jitter.skel -- $mpiexec -n 4 > out 2> err || fail "verify for people"
grep -Eq '^identical +no, but within the tolerance of 2.0 %: [0-9,]+ calls have other counts, by [01].[0-9]+ % at most$' out ||
  fail "verify does not say that it is within the tolerance"

# A tolerance that merges nothing leaves a lossless skeleton, and so does none.
expect 0 '' "$skelgen" build regular.trace -o regular.skel --tolerance 0.02 --json
holds 'j["lossless"] is True and j["tolerance"]["calls_changed"] == 0 and j["tolerance"]["bytes_before"] == j["tolerance"]["bytes_after"] > 0'
expect 0 '' "$skelgen" build jitter.trace -o lossless.skel --tolerance 0 --json
holds 'j["lossless"] is True and j["tolerance"] is None'

# What the skeleton says of itself is not believed: counts outside of its tolerance, and anything else, are differences.
sed -i 's/"tolerance": 0.02/"tolerance": 0.002/' jitter.skel/skeleton.json
expect 1 'rank 0, call [0-9]+: expected MPI_[A-Z][a-z]+\(.*, got MPI_' "$skelgen" verify jitter.trace jitter.skel --yield on -- $mpiexec -n 4
sed -i 's/"tolerance": 0.002/"tolerance": 1.5/' jitter.skel/skeleton.json
expect 1 "skeleton.json: the skeleton's tolerance is no share from 0 on and below 1; build the skeleton again" "$skelgen" verify jitter.trace jitter.skel -- $mpiexec -n 4
expect 1 'rank 0, call [0-9]+: expected MPI_[A-Z][a-z]+\(.*, got MPI_' "$skelgen" verify jitter.trace regular.skel --yield on -- $mpiexec -n 4

for wrong in -0.1 1 1.5 nan 2% half; do
  expect 2 "must be a number >= 0 and < 1" "$skelgen" build jitter.trace "--tolerance=$wrong"
done

finish
