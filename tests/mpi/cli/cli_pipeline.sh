#!/bin/bash
# The whole way: trace, info, dump, build, predict, verify, metrics, time, with the keys that docs promise.
. "$(dirname "$0")/common.sh" "$@"
run="$mpiexec -n 2 ./app ok 400"

# keys SCHEMA EXPRESSION: stdout is one JSON object, its first key is the schema, and the Python expression over `j` holds.
keys() {
  python3 - "$1" "$2" << 'PYTHON' || fail "JSON of $1"
import json, sys
text = open("out").read()
j = json.loads(text)
assert list(j)[0] == "schema" and j["schema"] == sys.argv[1], list(j)
assert eval("(" + sys.argv[2] + ")"), text
PYTHON
}

expect 0 'app\.trace: 2 ranks, ' "$skelgen" trace -o app.trace --runs 1 -- $run
grep -q '^sum ' out || fail "the program's own output is missing"
expect 0 '' "$skelgen" info app.trace --json
keys skelgen.info/1 'j["ranks"] == 2 and j["dropped"] == 0 and j["wall_s"] > 0.4 and j["mpi"]["name"] and j["mpi"]["version"]
  and j["calls_total"] == sum(f["calls"] for f in j["functions"]) and j["calls_per_rank"]["min"] <= j["calls_per_rank"]["median"] <= j["calls_per_rank"]["max"]
  and j["bytes_on_disk"] > 0 and j["bytes_per_call"] > 0
  and {f["name"]: f["bytes"] for f in j["functions"]}["MPI_Isend"] == 2 * 400 * 128 * 8
  and {f["name"]: f["calls"] for f in j["functions"]}["MPI_Allreduce"] == 800'
expect 0 '' "$skelgen" dump app.trace --rank 1 --from 3 --count 2
[ "$(wc -l < out)" = 2 ] || fail "dump prints 2 lines"
grep -Eq '^1\.0 3 [0-9.]+ [0-9.]+ [0-9.]+ MPI_Irecv\(.*count=128, datatype=MPI_DOUBLE, source=0, tag=5,' out || fail "dump's line"

expect 0 '' "$skelgen" build app.trace -o app.skel --scale 10 --json
keys skelgen.build/1 'j["lossless"] is True and j["deadlock_free"] is True and j["scale"] == 10 and j["main_loop"]["trips"] >= 399 and j["main_loop"]["body"] in (4, 5)
  and j["main_loop"]["share"] > 0.5 and j["folded_statements"] < 20 and j["merged_statements"] > 1600 and j["records_in"] > 3200
  and {"read", "normalize", "merge", "fold", "emit"} <= set(j["seconds"]) and j["peak_rss_bytes"] > 0 and 0 < j["expected_run_s"] < j["traced_wall_s"]'
for name in skeleton.c skel.h skel.c Makefile README.md skeleton.json; do [ -s app.skel/$name ] || fail "app.skel/$name is missing"; done
grep -rq "$work" app.skel && fail "the skeleton has a path of this site"
expect 0 '' "$skelgen" build app.trace -o again.skel --scale 10
diff -r app.skel again.skel > /dev/null || fail "the same trace gives another skeleton"
for by in sa-is dc3; do
  expect 0 '' "$skelgen" build app.trace -o again.skel --scale 10 --runs $by --json
  keys skelgen.build/1 "j['runs']['by'] == '$by' and j['runs']['found'] > 0 and j['runs']['seconds']['$by'] > 0 and j['runs']['seconds']['lyndon'] > 0"
  diff -r app.skel again.skel > /dev/null || fail "--runs $by gives another skeleton"
done
expect 2 '--runs is for sequences in memory' "$skelgen" build app.trace -o again.skel --runs dc3 --fold stream
expect 0 '' "$skelgen" build app.trace --emit text
grep -q 'MPI_Allreduce' out || fail "the intermediate form has no MPI_Allreduce"
expect 0 '' "$skelgen" info app.skel --json
keys skelgen.info/1 'j["kind"] == "skeleton" and j["ranks"] == 2'

expect 0 '' "$skelgen" predict app.skel --json -- $mpiexec -n 2
keys skelgen.predict/1 'len(j["runs"]) == 5 and 0 <= j["low_s"] <= j["predicted_s"] <= j["high_s"] and j["confidence"] == 0.95 and j["scale"] == 10
  and j["compute"] in ("time", "work") and 0 < j["skeleton_s"] < j["predicted_s"] and sum(p["weight"] * p["seconds"] for p in j["phases"]) > 0
  and all(isinstance(j["concurrency"][k], float) for k in ("he_sun_alpha", "phi1", "phi7", "raynal_alpha"))'
expect 0 'no interval: it needs at least 5 launches, 1 made' "$skelgen" predict app.trace --runs 1 --json -- $mpiexec -n 2
keys skelgen.predict/1 'j["low_s"] is None and j["high_s"] is None and j["predicted_s"] > 0'
expect 1 'app\.skel: is of 2 ranks, and the launcher line starts 1; start 2, trace the program with 1, or use a text that skelgen generalize made' "$skelgen" predict app.skel --runs 1 -- $mpiexec -n 1

expect 0 '' "$skelgen" verify app.trace app.skel --json -- $mpiexec -n 2
keys skelgen.verify/1 'j["identical"] is True and j["calls_checked"] > 3200 and j["first_difference"] is None and j["bytes_matrix_identical"] is True'
expect 0 'other\.trace: 2 ranks, ' "$skelgen" trace -o other.trace -- $mpiexec -n 2 ./app ok 401
expect 1 'rank [01], call [0-9]+: expected .*, got ' "$skelgen" verify other.trace app.skel --json -- $mpiexec -n 2
keys skelgen.verify/1 'j["identical"] is False and j["first_difference"]["expected"] != j["first_difference"]["actual"]'
keys skelgen.verify/1 'all(len(j["first_difference"][side]["before"]) == 3 for side in ("expected_context", "actual_context"))'
expect 0 'one\.trace: 1 rank, ' "$skelgen" trace -o one.trace -- $mpiexec -n 1 ./app ok 100
expect 1 'app\.skel: a skeleton of 2 ranks, but one\.trace has 1; ' "$skelgen" verify one.trace app.skel -- $mpiexec -n 2

# What build says of a program, predict says too.
expect 0 'unsafe\.trace: 2 ranks, ' "$skelgen" trace -o unsafe.trace --runs 1 -- $mpiexec -n 2 ./app unsafe 100
expect 0 'unsafe: it relies on buffered sends or ' "$skelgen" build unsafe.trace -o unsafe.skel
expect 0 'unsafe: it relies on buffered sends or ' "$skelgen" predict unsafe.trace --json -- $mpiexec -n 2
expect 0 '' "$skelgen" verify unsafe.trace unsafe.skel -- $mpiexec -n 2
grep -Eq '^not replayed +0$' out || fail "verify does not say how many calls are not replayed"

expect 0 '' "$skelgen" metrics app.trace --json
keys skelgen.metrics/1 'set(("he_sun", "raynal", "pop", "critical_path", "waits")) <= set(j)'
keys skelgen.metrics/1 '[p["name"] for p in j["phases"]] == [p["name"] for p in json.load(open("app.skel/skeleton.json"))["phases"]]'
keys skelgen.metrics/1 'abs(sum(p["share"] for p in j["phases"]) - 1) < 1e-9 and [p["name"] for p in j["phases"]] == [p["name"] for p in j["critical_path"]["by_phase"]]'
expect 0 '' "$skelgen" time --runs 3 --json -- $run
keys skelgen.time/1 'len(j["runs"]) == 3 and j["wall_s"] > 0.4 and all(r["launch_s"] > 0 and r["init_s"] > 0 for r in j["runs"])'
cp out once.json
expect 0 'one run on each side' "$skelgen" compare app.trace app.trace --max-regress 0 --json
keys skelgen.compare/1 'j["allowed"] and j["change"] == 0 and len(j["ranks"]) == 2
  and {f["name"]: f["new_calls"] for f in j["functions"]}["MPI_Allreduce"] == 800 and "loop 1" in [p["name"] for p in j["phases"]]'
"$skelgen" compare app.skel app.trace --json > out 2> err || fail "a skeleton and its trace cannot be compared"
grep -q 'phases are left out' err && grep -q 'one run on each side' err || fail "compare does not say what is left out"
keys skelgen.compare/1 'j["old"]["kind"] == "skeleton" and abs(j["change"]) < 1e-6 and j["phases"] == []'
# Times that are given: nine times as long is slower, and the other way round faster, whatever the machine does meanwhile.
python3 - << 'PYTHON'
import json
j = json.load(open("once.json"))
for name, wall in (("once", 1), ("slow", 9)):
    for i, run in enumerate(j["runs"]): run["wall_s"] = wall * (1 + 0.01 * i)
    j["wall_s"] = j["runs"][1]["wall_s"]
    json.dump(j, open(name + ".json", "w"))
PYTHON
expect 1 'slow.json: slower than allowed' "$skelgen" compare once.json slow.json --max-regress 50
expect 0 '' "$skelgen" compare slow.json once.json --max-regress 0
grep -Eq '^run time .*faster\)$' out || fail "compare does not say that it is faster"
expect 0 '' "$skelgen" doctor --json
keys skelgen.doctor/1 'j["cores"] > 0 and len(j["mpis"]) > 0'
# Of three runs of 0.05, 1 and 0.3 s the last one is kept, if no other one was held up.
cat > uneven << 'SHELL'
#!/bin/bash
n=$(($(cat turn 2> /dev/null || echo 0) + 1))
echo "$n" > turn
steps=(0 50 1000 300)
exec "$@" ./app ok "${steps[$n]}"
SHELL
chmod +x uneven
keeps_the_median() {
  rm -f turn
  "$skelgen" trace -o uneven.trace --runs 3 -- ./uneven $mpiexec -n 2 > out 2> err || fail "trace --runs 3"
  "$skelgen" info uneven.trace --json > out && holds '{f["name"]: f["calls"] for f in j["functions"]}["MPI_Allreduce"] == 600'
}
decides "the median of three runs is not kept" keeps_the_median
[ -z "$(ls -d uneven.trace.run-* 2> /dev/null)" ] || fail "the other runs are left behind"

finish
