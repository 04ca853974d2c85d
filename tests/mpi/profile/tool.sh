#!/usr/bin/env bash
# tool.sh SKELGEN CC: what the tool counts is within 5 % of what lackey does, miss ratios from its reuse distances are within 0.02 of
# cachegrind's, and there is a whole profile or none under its name, however the program ends.
skelgen=$1 cc=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
tool=${skelgen%/bin/*}/lib/valgrind
unset LD_PRELOAD
for program in loops ends; do "$cc" -O2 -o $program "$here/$program.c" || exit 1; done

profile() { VALGRIND_LIB=$tool timeout 900 valgrind --quiet --tool=skelgen "$@" > out 2> err; }

profile --out=loops.profile ./loops 12288 || fail "loops ended with $?"
timeout 900 valgrind --tool=lackey --detailed-counts=yes ./loops 12288 > out 2> lackey || fail "lackey ended with $?"
for bytes in 8192 32768 131072 262144; do
  timeout 900 valgrind --tool=cachegrind --cachegrind-out-file=cache.$bytes --D1=$bytes,$((bytes / 64)),64 ./loops 12288 > out 2>&1 || fail "cachegrind ended with $?"
done
python3 "$here/compare.py" > out 2> err || fail "the profile is not what lackey and cachegrind say"

# Of a long run with few lines most is left out.
profile --burst=0 --out=all.profile ./loops 2048 1000 || fail "loops ended with $?"
profile --out=bursts.profile ./loops 2048 1000 || fail "loops ended with $?"
python3 "$here/bursts.py" > out 2> err || fail "a profile with pauses is not what one without is"

profile --out=exits.profile ./ends exit
[ $? = 3 ] && grep -q '^end$' exits.profile || fail "a program that ends with 3 has no profile, or its status is lost"
profile --out=forks.%p ./ends fork
[ "$(ls forks.* | wc -l)" = 1 ] && grep -q '^end$' forks.* || fail "a program that forks has not one profile"
profile --out=ends.profile ./ends signal
grep -q '^total instructions [1-9]' ends.profile || fail "a program that a signal ends has no profile"
mkfifo ready
VALGRIND_LIB=$tool valgrind --quiet --tool=skelgen --out=kills.profile ./ends wait > ready 2> err &
read -r _ < ready  # it has begun
kill -KILL $!
wait $! 2> err
[ ! -e kills.profile ] && [ -e kills.profile.partial ] || fail "a program that was killed has a profile under its final name"
profile --out=none/profile ./ends exit
[ $? = 1 ] && grep -q 'none/profile.partial: cannot be written' err || fail "a place that is not there is not told of"
[ "$failures" = 0 ]
