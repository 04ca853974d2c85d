#!/bin/bash
# predict --platform: two launches give the same bits, a line of text is the same platform as the XML it stands for, and what cannot be simulated is one line.
# usage: platform.sh SKELGEN PROGRAMS SMPIRUN
skelgen=$1 programs=$2 smpirun=$3
. "$(dirname "$0")/../common.sh"
. "$here/star.sh"

star 2Gf

# predict ARGUMENTS...: the predicted seconds, all digits.
predict() { "$skelgen" predict t.skel "$@" --json > out 2> err && python3 -c 'import json; print(repr(json.load(open("out"))["predicted_s"]))'; }

# fails STATUS TEXT ARGUMENTS...: that status, and one line on stderr that begins with the text.
fails() {
  local status=$1 text=$2
  shift 2
  "$skelgen" predict t.skel "$@" > out 2> err
  [ $? = "$status" ] && [ "$(grep -c '^skelgen: ' err)" = 1 ] && grep -qF "skelgen: $text" err || fail "$*"
}

"$skelgen" trace -o t.trace -- "$smpirun" -np 4 -platform "$here/platform.xml" -hostfile "$here/hosts" --log=root.thres:critical \
  --cfg=smpi/simulate-computation:no "$programs/work.smpi" halo 40 > out 2> err || fail "trace"
"$skelgen" build t.trace -o t.skel --scale 4 > out 2> err || fail "build"

star=$(predict --platform homo:4:2Gf:1Gb/s:50us --runs 2) || fail "a star of four hosts"
holds 'j["runs"][0] == j["runs"][1]' || fail "two launches differ"
holds 'j["simulated"] == {"platform": "homo:4:2Gf:1Gb/s:50us", "hosts": ["h0", "h1", "h2", "h3"], "flops": [2e9] * 4, "platform_hosts": 4}' || fail "hosts of the star"
holds 'j["concurrency_here"]["phi1"] > 0 and j["low_s"] is None' || fail "measures there"
[ "$(cat err)" = 'skelgen: no interval: simulated launches are all alike, so they do not tell how far runs are apart' ] || fail "notes of a simulated run"
"$skelgen" predict t.skel --platform homo:6:2Gf:1Gb/s:50us > out 2> err || fail "six hosts"
grep -qx 'simulated on        homo:6:2Gf:1Gb/s:50us, 4 hosts of 2 Gf; 2 others have no rank' out || fail "hosts without a rank"
[ "$(predict --platform star.xml --ranks 4)" = "$star" ] || fail "the same platform as XML"
# Slower processors, and a thin network between two subnets: each takes longer.
for slower in homo:4:1Gf:1Gb/s:50us hetero:2x2Gf,2x2Gf:1Gb/s:50us:10Mb/s:1ms; do
  predict --platform $slower > seconds || fail "$slower"
  awk -v star="$star" '{ exit !($1 > star) }' seconds || fail "$slower is as fast: $(cat seconds)"
done
# Subnets without a network between them are the star, but for the way through one more switch.
predict --platform hetero:2x2Gf,2x2Gf:1Gb/s:50us > seconds || fail "two subnets"
awk -v star="$star" '{ exit !($1 / star > 0.999 && $1 / star < 1.001) }' seconds || fail "two subnets take $(cat seconds) s, the star $star s"
printf 'h0:3\nh1\n' > packed
predict --platform star.xml --hostfile packed > seconds || fail "a hostfile"
holds 'j["simulated"]["hosts"] == ["h0", "h0", "h0", "h1"]' || fail "hosts of the hostfile"
"$skelgen" predict t.skel --platform star.xml > out 2> err || fail "text"
grep -qx 'simulated on        star.xml, 4 hosts of 2 Gf' out || fail "the text does not name the platform"

fails 1 'homo:3:1Gf:1Gb/s:50us: has 3 hosts for 4 ranks; name where ranks go with --hostfile' --platform homo:3:1Gf:1Gb/s:50us
sed 's/0-3/0-1/' star.xml > two.xml
fails 1 'two.xml: has 2 hosts for 4 ranks; name where ranks go with --hostfile' --platform two.xml
printf 'h0\nh1\n' > two
fails 1 'two: has 2 hosts for 4 ranks; ' --platform star.xml --hostfile two
printf 'h0:3\nnobody\n' > nobody
fails 1 'star.xml: smpirun cannot start 4 ranks there (the calibration'"'s run ended with status 134: Uncaught exception std::invalid_argument: Host not found: 'nobody')" \
  --platform star.xml --hostfile nobody
fails 1 'none.xml: no such platform file; ' --platform none.xml
echo '<platform' > broken.xml
fails 1 'broken.xml: smpirun cannot start 4 ranks there' --platform broken.xml
fails 2 "--platform: speed 'fast' is no speed; write it like 1Gf" --platform homo:4:fast:1Gb/s:50us
fails 1 't.skel: is of 4 ranks, not 8; ' --platform star.xml --ranks 8
cp -r t.skel files.skel
sed -i 's/"files": *false/"files": true/' files.skel/skeleton.json
fails 1 'homo:4:2Gf:1Gb/s:50us: its hosts have no disks, ' --platform homo:4:2Gf:1Gb/s:50us --than-program files.skel
sed -i 's/"files": *false/"files": true/' t.skel/skeleton.json
fails 1 'homo:4:2Gf:1Gb/s:50us: its hosts have no disks, and the program opens files by MPI; ' --platform homo:4:2Gf:1Gb/s:50us
mkdir empty
PATH=$work/empty "$skelgen" predict t.skel --platform star.xml > out 2> err
[ $? = 1 ] && grep -qx 'skelgen: --platform: SimGrid is not installed (no smpirun); apt install libsimgrid-dev' err || fail "no SimGrid"
[ "$failures" = 0 ]
