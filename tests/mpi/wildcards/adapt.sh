#!/bin/bash
# adapt.sh SKELGEN MPICC MPIEXEC PROGRAM.c: the skeleton of a manager and its workers hands out tasks like the original when a worker becomes
# three times as slow, although it was built from a run in which all were equally fast. The manager, which looks for answers all
# the time, has a core for itself; the workers share another one fairly. With PAIRS=N in the environment it shows N pairs of
# runs, of TASKS tasks each, and their medians, and is not a test.
. "$(dirname "$0")/common.sh"
ranks=3
compile program "$4" "$here/slow.c" -ldl -lm
arguments="${TASKS-120} 100 300"
export EACH=1000 # nanoseconds: a task takes 2 to 20 ms

# on_cores PROGRAM...: rank 0 on the first core that may be used, the others on the last one.
mapfile -t cores < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
cat > on_cores << SCRIPT
#!/bin/sh
core=${cores[-1]}
[ "\${PMI_RANK:-\${OMPI_COMM_WORLD_RANK}}" = 0 ] && core=${cores[0]}
exec taskset -c \$core "\$@"
SCRIPT
chmod +x on_cores

# done_by: tasks of each worker in out.trace, one line.
done_by() {
  for ((r = 1; r < ranks; r++)); do
    "$skelgen" dump out.trace --rank $r | grep -c 'MPI_Send('
  done | tr '\n' ' '
}
# counts ENVIRONMENT... PROGRAM...: tasks that each worker did.
counts() {
  rm -rf out.trace
  timeout 900 "$skelgen" trace --yield on -o out.trace -- env "$@" > out 2> err || fail "run of $*"
  done_by
}
# compare: the medians of each worker's tasks in originals and skeletons, the means' differences in percent of the original's, and
# how large they may be: a tenth and what chance explains (3 standard errors of the difference, as the pairs scatter). Fails if one is
# larger.
compare() {
  python3 - << 'PYTHON'
import statistics, sys
a, b = ([list(map(int, worker)) for worker in zip(*map(str.split, open(name)))] for name in ("originals", "skeletons"))
error = lambda x: statistics.variance(x) / len(x)
apart = [100 * abs(statistics.mean(x) - statistics.mean(y)) / statistics.mean(x) for x, y in zip(a, b)]
allowed = [10 + 300 * (error(x) + error(y)) ** 0.5 / statistics.mean(x) for x, y in zip(a, b)]
texts = [" ".join(str(int(statistics.median(worker))) for worker in side) for side in (a, b)]
print(f"medians: original {texts[0]}, skeleton {texts[1]}; means", *(f"{p:.1f} % (of {q:.0f})" for p, q in zip(apart, allowed)), "apart")
sys.exit(not (len(a) == len(b) > 1 and all(p <= q for p, q in zip(apart, allowed)) and max(allowed) < 50))
PYTHON
}

# shellcheck disable=SC2086 # arguments are words
"$skelgen" trace --yield on -o t.trace -- "$mpiexec" -n $ranks ./on_cores ./program $arguments > out 2> err || fail "trace"
"$skelgen" build t.trace -o t.skel --json > out 2> err || fail "build"
holds 'j["lossless"] and j["deadlock_free"] and j["pools"] == 1' || fail "the pool is not found"
make -s -C t.skel MPICC="$mpicc" CFLAGS="-std=c11 -O2 -Wall -Wextra -Werror" > out 2> err || fail "compilation"

# Interleaved runs: which worker is free first is different in each of them. Three pairs, more where they do not decide yet.
# pair NUMBER
pair() {
  # shellcheck disable=SC2086
  original=$(counts SLOW=2:3 "$mpiexec" -n $ranks ./on_cores ./program $arguments)
  skeleton=$(counts SKEL_SLOW=2:3 SKEL_SCALE=1 SKEL_COMPUTE=time "$mpiexec" -n $ranks ./on_cores t.skel/skeleton)
  echo "$original" >> originals
  echo "$skeleton" >> skeletons
  echo "pair $1: tasks of each worker, the second one three times as slow: original $original, skeleton $skeleton"
}
for ((pairs = 1; pairs <= ${PAIRS-3}; pairs++)); do pair $pairs; done
[ -n "${PAIRS-}" ] && { compare; exit; }
shares_alike() { compare || { pair $((pairs++)) && false; }; }
decides "the skeleton's workers share the tasks in another way than the original's" shares_alike
recorded=$(counts SKEL_SLOW=2:3 SKEL_SCALE=1 SKEL_WILDCARDS=recorded "$mpiexec" -n $ranks ./on_cores t.skel/skeleton)
rm -rf out.trace && cp -r t.trace out.trace
[ "$recorded" = "$(done_by)" ] || fail "the skeleton did $recorded tasks in recorded order, the original $(done_by)"
[ "$(cut -d' ' -f2 <<< "$recorded")" -gt "$(cut -d' ' -f2 skeletons | sort -n | tail -1)" ] || fail "the slow worker did as many tasks as when all are equally fast: $recorded"
synchronous $ranks || fail "synchronous sends"
[ "$failures" = 0 ]
