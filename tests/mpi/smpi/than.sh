#!/bin/bash
# predict --than: what was made slower on purpose is what the split names, with its share of the difference within 3 percentage points.
# usage: than.sh SKELGEN PROGRAMS SMPIRUN
skelgen=$1 programs=$2 smpirun=$3
. "$(dirname "$0")/../common.sh"

# hosts FILE SPEED_OF_H2 BANDWIDTH_OF_L1 LATENCY: four hosts at one switch.
hosts() {
  {
    echo "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
    for i in 0 1 2 3; do
      echo "<host id=\"h$i\" speed=\"$([ $i = 2 ] && echo "$2" || echo 1Gf)\"/><link id=\"l$i\" bandwidth=\"$([ $i = 1 ] && echo "$3" || echo 125MBps)\" latency=\"$4\"/>"
    done
    for i in 0 1 2; do
      for ((j = i + 1; j < 4; ++j)); do echo "<route src=\"h$i\" dst=\"h$j\"><link_ctn id=\"l$i\"/><link_ctn id=\"l$j\"/></route>"; done
    done
    echo "</zone></platform>"
  } > "$1"
}
hosts base.xml 1Gf 125MBps 25us
hosts cpu.xml 500Mf 125MBps 25us
hosts link.xml 1Gf 25MBps 25us
hosts latency.xml 1Gf 125MBps 500us
hosts two.xml 500Mf 125MBps 500us
hosts all.xml 500Mf 25MBps 500us

printf 'h%d\n' 0 1 2 3 > names
line=("$smpirun" -np 4 -platform base.xml -hostfile names --log=root.thres:critical --cfg=smpi/simulate-computation:no)
for program in "phases 40" "phases 40 2" "halo 60"; do
  name=${program// /_}
  "$skelgen" trace -o $name.trace -- "${line[@]}" "$programs/work.smpi" $program > out 2> err || fail "trace of $program"
  "$skelgen" build $name.trace -o $name.skel > out 2> err || fail "build of $program"
done

# split ARGUMENTS...: into the file out. The parts add up, over phases too.
split() {
  "$skelgen" predict "$@" --json > out 2> err || { fail "predict $*" && return 1; }
  holds 'abs(sum(j["than"]["parts"][k + "_s"] for k in ("computation", "imbalance", "waiting", "latency", "bandwidth")) - (j["predicted_s"] - j["than"]["predicted_s"])) < 1e-6 * j["predicted_s"]' \
    && holds 'abs(sum(p["difference_s"] for p in j["than"]["phases"]) - j["than"]["parts"]["difference_s"]) < 1e-9' || fail "parts of predict $*"
}
share='(lambda *keys: sum(j["than"]["parts"][k + "_s"] for k in keys) / j["than"]["parts"]["difference_s"])'
most='max(j["than"]["ranks"], key=lambda r: r["imbalance_s"])["rank"]'

for skeleton in phases_40 halo_60; do
  split $skeleton.skel --platform cpu.xml --than base.xml
  holds "$share('computation', 'imbalance', 'waiting') > 0.97 and $share('imbalance') > 0.5 and $most == 2" || fail "$skeleton: a slow host"
  holds 'j["than"]["changes"] == [{"element": "host h2", "attribute": "speed", "than": "1Gf", "here": "500Mf"}]' || fail "its name"
  split $skeleton.skel --platform link.xml --than base.xml
  holds "$share('bandwidth') > 0.97" && holds 'j["than"]["changes"][0]["element"] == "link l1"' || fail "$skeleton: a slow link"
  split $skeleton.skel --platform latency.xml --than base.xml
  holds "$share('latency') > 0.97" || fail "$skeleton: a long latency"
done
split phases_40_2.skel --platform base.xml --than-program phases_40.skel
holds "$share('computation', 'imbalance', 'waiting') > 0.97 and $share('imbalance') > 0.5 and $most == 2" || fail "an overloaded rank"
holds 'j["than"]["changes"] == [] and j["than"]["platform"] is None' || fail "the same platform"

# Three causes at once: each has the share that it has in the program's own times.
seconds() { "$skelgen" time --runs 1 --json -- "${line[@]/base.xml/$1}" "$programs/work.smpi" phases 40 2> err | python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["wall_s"]))'; }
for platform in base cpu link latency; do echo "$platform $(seconds $platform.xml)"; done > own
split phases_40.skel --platform all.xml --than base.xml
python3 - << 'PY' || fail "shares of three causes"
import json
own = {name: float(seconds) for name, seconds in (line.split() for line in open("own"))}
parts = json.load(open("out"))["than"]["parts"]
costs = {name: own[name] - own["base"] for name in ("cpu", "link", "latency")}
said = {"cpu": parts["computation_s"] + parts["imbalance_s"] + parts["waiting_s"], "link": parts["bandwidth_s"], "latency": parts["latency_s"]}
wrong = 0
for name, cost in costs.items():
    was, is_said = cost / sum(costs.values()), said[name] / parts["difference_s"]
    print(f"{name}: share {100 * was:.2f} %, said {100 * is_said:.2f} %")
    wrong += abs(was - is_said) > 0.03
raise SystemExit(wrong)
PY
split halo_60.skel --platform hetero:2x1Gf,2x1Gf:1Gb/s:50us:10Mb/s:50us --than homo:4:1Gf:1Gb/s:50us
holds "$share('bandwidth') > 0.9" || fail "a thin network between two subnets"
"$skelgen" predict halo_60.skel --platform two.xml --than base.xml > out 2> err || fail "text"
grep -q '^because of  .*latency' out && grep -q '^changed     latency of link l0 and 3 more: 25us -> 500us$' out && grep -q '^            speed of host h2: 1Gf -> 500Mf$' out && grep -q '^all ' out || fail "the text"

# The report and compare take it.
split halo_60.skel --platform two.xml --than base.xml
cp out why.json
"$skelgen" report halo_60.trace --prediction why.json -o page.html > out 2> err && grep -q ' of <bdi>base.xml</bdi>, because of</p>' page.html || fail "the report does not say why"
"$skelgen" compare halo_60.trace why.json > out 2> err || fail "compare"
sed 's/"latency_s": [0-9.e+-]*/"latency_s": "long"/' why.json > wrong.json
"$skelgen" compare halo_60.trace wrong.json > out 2> err
[ $? = 1 ] && grep -q '^skelgen: wrong.json: cannot be compared; ' err || fail "a split without a number"

# fails STATUS TEXT ARGUMENTS...: that status, and one line on stderr that begins with the text.
fails() {
  "$skelgen" predict halo_60.skel "${@:3}" > out 2> err
  [ $? = "$1" ] && [ "$(grep -c '^skelgen: ' err)" = 1 ] && grep -qF "skelgen: $2" err || fail "${*:3}"
}
sed 's/id="l3" /id="l4" /' base.xml > other.xml
fails 1 'the platforms differ in more than speeds, latencies and bandwidths: link l3 has id l3 and l4; ' --platform other.xml --than base.xml
fails 1 'none.xml: no such platform file; ' --platform base.xml --than none.xml
fails 2 '--than is for --platform; ' --than base.xml
[ "$failures" = 0 ]
