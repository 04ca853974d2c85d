#!/bin/bash
# model: a program that was traced on a simulated star of hosts, replayed with what netbench measured there, takes what it took; and what is no input.
# usage: model.sh SKELGEN PROGRAMS SMPIRUN
skelgen=$1 programs=$2 smpirun=$3
. "$(dirname "$0")/../common.sh"
. "$here/star.sh"

star 1Gf
printf 'h%d\n' 0 1 2 3 > hosts
run=("$smpirun" -np 4 -platform star.xml -hostfile hosts --log=root.thres:critical --cfg=smpi/simulate-computation:no)

"$skelgen" netbench --largest 2097152 -o net.json -- "${run[@]}" > out 2> err || fail "netbench"
for percent_program in "1 halo 100" "8 wavefront 20" "3 wander 400"; do
  program=${percent_program#* }
  rm -rf t.trace
  "$skelgen" trace -o t.trace -- "${run[@]}" "$programs/work.smpi" $program > out 2> err || fail "trace of $program"
  "$skelgen" model t.trace --net net.json --ranks 4,8 --json > out 2> err || fail "model of $program"
  python3 -c 'import json; j = json.load(open("out")); print("replayed", j["replay"]["run_s"], "traced", j["traced_wall_s"])'
  holds 'abs(j["replay"]["run_s"] / j["traced_wall_s"] - 1) < 0.01 * '"${percent_program%% *}" || fail "the replay of $program"
  holds 'j["schema"] == "skelgen.model/1" and [p["ranks"] for p in j["predicted"]] == [4, 8] and len(j["per_rank"]) == 4' || fail "keys of $program"
  holds 'all(0 < p["speedup"] < p["ranks"] and p["efficiency"] < 1 for p in j["predicted"]) or j["per_rank"][0]["c_p"] + j["per_rank"][0]["c_b"] == 0' || fail "speed-up of $program"
done
"$skelgen" model t.trace --net net.json > out 2> err && head -n 1 out | grep -q '^run time .* on this network, by the replay' || fail "the first line of model"
# What another latency or bandwidth gains is what they do to the program.
phases() { rm -rf t.trace && "$skelgen" trace -o t.trace -- "${run[@]}" "$programs/work.smpi" phases 100 > out 2> err && "$skelgen" info t.trace --json > "$1" 2> err; }
phases traced.json && "$skelgen" model t.trace --net net.json --what-if --json > what_if.json 2> err || fail "what if"
for changed in "half_latency 1Gf 12.5us" "twice_bandwidth 1Gf 25us 250MBps"; do
  star ${changed#* }
  phases there.json || fail "$changed"
  python3 - "${changed%% *}" << 'PY' || fail "$changed: another gain than the model says"
import json, sys
model, traced, there = (json.load(open(name)) for name in ("what_if.json", "traced.json", "there.json"))
said, was = model["what_if"][sys.argv[1]] / model["replay"]["run_s"], there["wall_s"] / traced["wall_s"]
print(sys.argv[1], "said", said, "was", was)
sys.exit(abs(said - was) > 0.02 or was > 0.97)
PY
done
"$skelgen" build t.trace -o t.skel > out 2> err || fail "build"

# fails TEXT ARGUMENTS...: status 1, and one line on stderr that begins with the text.
fails() {
  local text=$1
  shift
  "$skelgen" model "$@" > out 2> err
  [ $? = 1 ] && [ "$(grep -c '^skelgen: ' err)" = 1 ] && grep -qF "skelgen: $text" err || fail "$*"
}
fails 't.skel: is a skeleton, which is C and no folded program any more; give the trace' t.skel --net net.json
fails 'none.json: cannot be read; give a file that skelgen netbench -o wrote' t.trace --net none.json
sed 's/netbench.1/netbench\/2/' net.json > other.json
fails 'other.json: was not written by skelgen netbench; ' t.trace --net other.json
# Two clusters: with the times of every pair the replay of a wavefront over both is nearer to the program's run time than without them.
elsewhere=("$smpirun" -np 16 -platform "$here/elsewhere.xml" -hostfile "$here/hosts" --log=root.thres:critical --cfg=smpi/simulate-computation:no)
"$skelgen" netbench --largest 65536 --pairs -o pairs.json -- "${elsewhere[@]}" > out 2> err || fail "netbench --pairs"
python3 -c 'import json; j = json.load(open("pairs.json")); j["points"] = [p for p in j["points"] if p["pattern"] != "pair"]; json.dump(j, open("one.json", "w"))'
"$skelgen" trace -o clusters.trace -- "${elsewhere[@]}" "$programs/work.smpi" wavefront 10 > out 2> err || fail "trace on two clusters"
for net_most in "pairs 0.06" "one -0.2"; do
  "$skelgen" model clusters.trace --net "${net_most% *}.json" --json > out 2> err || fail "model on two clusters"
  python3 -c 'import json; j = json.load(open("out")); print("replayed", j["replay"]["run_s"], "traced", j["traced_wall_s"])'
  holds '(lambda error, most: error < most if most > 0 else error > -most)(abs(j["replay"]["run_s"] / j["traced_wall_s"] - 1), '"${net_most#* }"')' || fail "the replay with ${net_most% *}.json"
done

# The report draws what it said.
"$skelgen" report t.trace --model what_if.json -o page.html > out 2> err || fail "report --model"
grep -q 'half latency</th>' page.html && grep -q 'Replayed on a measured network' page.html || fail "the report has no run times on other networks"
"$skelgen" report t.trace --model net.json -o none.html > out 2> err
[ $? = 1 ] && grep -q '^skelgen: net.json: was not written by skelgen model --json; ' err && [ ! -e none.html ] || fail "report --model with another file"

# without EXPRESSION FILE: net.json without the points for which it holds.
without() { python3 -c 'import json, sys; j = json.load(open("net.json")); j["points"] = [p for p in j["points"] if not eval(sys.argv[1])]; json.dump(j, open(sys.argv[2], "w"))' "$@"; }
without 'p["pattern"] == "pingpong" and p["bytes"] > 1' short.json
fails 'no ping-pong of two message lengths was measured on this network; measure it again: skelgen netbench' t.trace --net short.json
without 'p["pattern"] == "late send"' late.json
fails 'no late send was measured on this network; ' t.trace --net late.json
without 'p["pattern"] == "bcast"' bcast.json
fails 'no bcast was measured on this network; ' t.trace --net bcast.json
# A program without messages takes its computation, on any network; without computation, too, nothing can be divided.
printf 'skeleton 1\nranks 4\nprogram {\n  MPI_Init()\n  compute 2 ms\n  MPI_Finalize()\n}\n' > alone.txt
"$skelgen" model alone.txt --net net.json --ranks 4 --json > out 2> err || fail "no messages"
holds 'abs(j["replay"]["run_s"] - 2e-3) < 1e-9 and j["predicted"][0]["speedup"] == 4 and j["advice"] == []' || fail "no messages"
sed -i /compute/d alone.txt
fails 'alone.txt: has no computation to be divided; give --t1' alone.txt --net net.json
# A text for any number of ranks: the same work, shared by more of them.
printf 'skeleton 1\nranks any\nprogram {\n  MPI_Init()\n  compute $time(0.16 * p^-1)\n  MPI_Barrier(comm=MPI_COMM_WORLD)\n  MPI_Finalize()\n}\n' > any.txt
"$skelgen" model any.txt --net net.json --ranks 4,8 --json > out 2> err || fail "several numbers of ranks"
holds '[p["ranks"] for p in j["scaling"]] == [4, 8] and all(p["run_s"] > 0.16 / p["ranks"] and abs(p["computation"] - 1) < 1e-9 and p["load_balance"] > 0.999 for p in j["scaling"])' || fail "the rows of several numbers"
holds '1.8 < j["scaling"][1]["speed_up"] == j["scaling"][0]["run_s"] / j["scaling"][1]["run_s"] < 2 and j["scaling"][1]["efficiency"] == j["scaling"][1]["speed_up"] / 2' || fail "speed-up"
holds 'j["functions"][0]["name"] == "MPI_Barrier" and all(abs(s * m["ranks"] - m["functions"][0]["replay_s"]) < 1e-9 for s, m in zip(j["functions"][0]["longest_s"], j["models"]))' || fail "time in calls"
cp out several.json
"$skelgen" report t.trace --model several.json -o none.html > out 2> err
[ $? = 1 ] && grep -q '^skelgen: several.json: is of several numbers of ranks, which are not drawn; ' err && [ ! -e none.html ] || fail "report --model of several numbers"
"$skelgen" model any.txt --net net.json --ranks 4,8 > out 2> err && grep -Eq '^8 .* 100.0 %' out && grep -q '^MPI_Barrier ' out || fail "the table of several numbers"
"$skelgen" model any.txt --net net.json --ranks 8 --json > out 2> err || fail "one number of ranks"
holds 'j["schema"] == "skelgen.model/1" and j["ranks"] == 8 and [p["ranks"] for p in j["predicted"]] == [8]' || fail "one number of ranks"
"$skelgen" model any.txt --net net.json > out 2> err
[ $? = 2 ] && grep -q '^skelgen: any.txt: is a skeleton for any number of ranks; say which ones: --ranks 16,64,256' err || fail "no number of ranks"
[ "$failures" = 0 ]
