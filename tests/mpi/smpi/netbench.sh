#!/bin/bash
# netbench where the truth is known: a simulated link of 50 us and 125 MB/s, without the factors by which SMPI makes a link like an Ethernet.
# Then a run that is ended half-way, and the one that goes on from there.
# usage: netbench.sh SKELGEN SMPIRUN
skelgen=$1 smpirun=$2
. "$(dirname "$0")/../common.sh"

cat > link.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
  <link id="link" bandwidth="125MBps" latency="50us"/>
  <route src="a" dst="b"><link_ctn id="link"/></route>
</zone></platform>
XML
printf 'a\nb\n' > hosts
line=("$smpirun" -np 2 -platform link.xml -hostfile hosts --log=root.thres:critical --cfg=smpi/simulate-computation:no
  --cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 --cfg=network/crosstraffic:0)

timeout 900 "$skelgen" netbench --largest 4194304 -o net.json --json -- "${line[@]}" > out 2> err || fail "netbench"
cmp -s out net.json || fail "the file and stdout differ"
[ ! -e net.json.points ] || fail "the points of a run that has ended are left"
holds 'j["schema"] == "skelgen.netbench/1" and j["ranks"] == 2' || fail "schema, ranks"
holds 'abs([f for f in j["fits"] if f["pattern"] == "pingpong"][0]["t0_us"] / 50 - 1) < 0.03' || fail "t0 of the link"
holds 'abs([f for f in j["fits"] if f["pattern"] == "pingpong"][0]["us_per_byte"] * 125 - 1) < 0.03' || fail "bandwidth of the link"
holds 'abs(j["loggp"]["L_us"] / 50 - 1) < 0.03 and abs(j["loggp"]["G_us_per_byte"] * 125 - 1) < 0.03' || fail "LogGP"
# n_1/2 = 50 us * 125 MB/s = 6,250 bytes
holds '[s for s in j["states"] if s["pattern"] == "pingpong"][0]["spare"] == [1, 8192]' || fail "the border of spare and ideal"
holds '[s for s in j["states"] if s["pattern"] == "pingpong"][0]["congested"] is None' || fail "a link without contention is congested"
points=$(python3 -c 'import json; print(len(json.load(open("net.json"))["points"]))')

# Sixteen hosts at one switch: the same between any two of them, and every pair is as near as any other.
cat > star.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-15" speed="1Gf" bw="125MBps" lat="25us"/></platform>
XML
printf 'h%d\n' $(seq 0 15) > all
star=("$smpirun" -np 16 -platform star.xml -hostfile all "${line[@]:7}")
timeout 900 "$skelgen" netbench --largest 65536 --pairs -o star.json --json -- "${star[@]}" > out 2> err || fail "netbench of 16 ranks"
holds 'all(abs(f["t0_us"] / 50 - 1) < 0.03 and abs(f["us_per_byte"] * 125 - 1) < 0.03 for f in j["fits"] if f["pattern"] in ("pingpong", "pairs"))' || fail "t0 and bandwidth of the star"
holds 'len([p for p in j["points"] if p["pattern"] == "pair"]) == 240 and all(abs(p["seconds"] / (50e-6 + p["bytes"] * 8e-9) - 1) < 0.03 for p in j["points"] if p["pattern"] == "pair")' || fail "pairs of the star"

# Messages of 5000 bytes and more, their heads included, need three times the latency: lengths are added until that is known within 1 %.
timeout 900 "$skelgen" netbench --largest 16384 --json -- "${line[@]}" '--cfg=smpi/lat-factor:0:1;5000:3' > out 2> err || fail "netbench of a network with a leap"
holds 'len([p for p in j["points"] if p["pattern"] == "leap"]) <= 8' || fail "too many lengths are added"
holds 'max(p["bytes"] for p in j["points"] if p["pattern"] in ("leap", "pingpong") and p["seconds"] < 100e-6 + p["bytes"] * 8e-9) in range(4900, 5000)' || fail "the leap is not found from below"
holds 'min(p["bytes"] for p in j["points"] if p["pattern"] in ("leap", "pingpong") and p["seconds"] > 100e-6 + p["bytes"] * 8e-9) in range(4950, 5051)' || fail "the leap is not found from above"

# The launcher dies when a third of the points is there; what was measured is kept, and the next run measures the others.
cat > dies <<'SH'
#!/bin/bash
set -m
"$@" &
for _ in $(seq 2000); do
  [ -e half.json.points ] && [ "$(wc -l < half.json.points)" -gt 60 ] && break
  kill -0 $! 2> /dev/null || break
  sleep 0.02
done
kill -KILL -- -$!
wait 2> /dev/null
printf '{"pattern":"pingpong","ra' >> half.json.points
exit 3
SH
chmod +x dies
timeout 900 "$skelgen" netbench --largest 4194304 -o half.json --cc "${smpirun%run}cc" -- ./dies "${line[@]}" > out 2> err
[ $? = 1 ] && grep -q 'half.json.points keeps what was measured; the same command goes on from there' err || fail "a run that died"
[ ! -e half.json ] || fail "half a result"
timeout 900 "$skelgen" netbench --largest 1024 -o half.json -- "${line[@]}" > out 2> err
[ $? = 1 ] && grep -q 'half.json.points: has points of a run of 2 ranks with messages up to 4194304 bytes' err || fail "points of another run"
timeout 900 "$skelgen" netbench --largest 4194304 -o half.json --json -- "${line[@]}" > out 2> err || fail "the run that goes on"
grep -q 'points were measured before' err || fail "does not say that it goes on"
holds "len(j['points']) == $points" || fail "the points of both runs"
"$skelgen" netbench -o one.json -- "$smpirun" -np 1 "${line[@]:3}" > out 2> err
[ $? = 1 ] && [ "$(cat err)" = "skelgen: $smpirun: starts one rank, or each by itself; a network needs two; start more ranks, with launcher and compiler (--cc) of one MPI" ] || fail "one rank"
[ ! -e one.json ] && [ ! -e one.json.points ] || fail "one rank leaves files"
[ $failures = 0 ]
