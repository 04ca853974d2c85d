#!/bin/bash
# From traces at three numbers of ranks to the skeleton at a larger one: what it says is what the program calls there.
# usage: generalize.sh SKELGEN SMPIRUN SMPICC EXAMPLES
skelgen=$1 smpirun=$2 smpicc=$3 examples=$4
. "$(dirname "$0")/../common.sh"

cat > platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-35" speed="1Gf" bw="125MBps" lat="25us"/></platform>
XML
seq -f 'h%.0f' 0 35 > hosts

# expect STATUS PATTERN COMMAND...: its status, and a line of its output that matches.
expect() {
  local status=$1 pattern=$2 got
  shift 2
  timeout 900 "$@" > out 2> err
  got=$?
  [ "$got" = "$status" ] || fail "$* ended with $got, not $status"
  cat out err | grep -Eq -e "$pattern" || fail "$*: no line that matches $pattern"
}

# traced PROGRAM "ARGUMENTS" RANKS...
traced() {
  local program=$1 arguments=$2 ranks
  shift 2
  "$smpicc" -O1 -o "$program" "$examples/$program/$program.c" -lm || fail "$program does not compile"
  for ranks in "$@"; do
    "$skelgen" trace -o "$program.$ranks" -- "$smpirun" -np "$ranks" -platform platform.xml -hostfile hosts --log=root.thres:critical \
      "./$program" $arguments > out 2> err || fail "$program on $ranks ranks"
  done
}

traced heat "64 20 5" 4 8 16 32
expect 0 'checked +repeats the calls of all traces, at 4, 8, 16 ranks' "$skelgen" generalize heat.4 heat.8 heat.16 -o heat.txt
expect 0 'identical +yes' "$skelgen" verify heat.32 heat.txt
sed 's|tag=1,|tag=9,|' heat.txt > edited.txt
expect 1 'tag=1,.* got .*tag=9,' "$skelgen" verify heat.32 edited.txt
expect 1 'not for 12 ranks: all traced numbers are powers of two' "$skelgen" build heat.txt --ranks 12 -o none.skel
expect 2 '' "$skelgen" build heat.txt --ranks 0 -o none.skel
[ ! -e none.skel ] || fail "a skeleton that was refused"
expect 0 'ranks' "$skelgen" build heat.txt --ranks 32 -o heat.skel
expect 0 'identical +yes' "$skelgen" verify heat.32 heat.skel -- "$smpirun" -np 32 -platform platform.xml -hostfile hosts --log=root.thres:critical

# At several numbers of ranks: the first one is what the others are compared with.
on="--platform platform.xml --hostfile hosts"
expect 0 '^32 +([0-9.]+ m?s +){3}[0-9.]+ +[0-9.]+ % ' "$skelgen" predict heat.txt $on --ranks 8,16,32
expect 0 'skelgen.scaling/1' "$skelgen" predict heat.txt $on --ranks 8,16,32 --json
holds '[p["ranks"] for p in j["scaling"]] == [8, 16, 32] and j["scaling"][0]["speed_up"] == j["scaling"][0]["efficiency"] == j["scaling"][0]["computation"] == 1' ||
  fail "the first number is not what others are compared with"
holds 'all(abs(p["efficiency"] - p["speed_up"] * 8 / p["ranks"]) < 1e-9 and p["computation"] > 0 for p in j["scaling"])' || fail "efficiency"
holds '[p["low_s"] < p["predicted_s"] < p["high_s"] for p in j["predictions"]] == [True] * 3' || fail "intervals"
holds '["ranks" in [part["name"] for part in p["interval_parts"]] for p in j["predictions"]] == [True] * 3' || fail "the part of a text for any number of ranks"
holds 'j["scaling"][2]["speed_up"] == j["predictions"][0]["predicted_s"] / j["predictions"][2]["predicted_s"]' || fail "speed-up"
cp out scaling.json
expect 0 'report +page.html' "$skelgen" report heat.8 --prediction scaling.json -o page.html
grep -q 'Compared with 8 ranks, efficiency falls below 80 % at 16 ranks' page.html && [ "$(grep -o '<circle class="predicted"' page.html | wc -l)" = 3 ] ||
  fail "the report does not show the other numbers of ranks"
expect 0 'predicted run time' "$skelgen" predict $on --ranks 32 heat.txt
expect 2 'than is for one number of ranks' "$skelgen" predict heat.txt $on --ranks 8,16 --than platform.xml
expect 1 'not for 12 ranks: all traced numbers are powers of two' "$skelgen" predict heat.txt $on --ranks 8,12
expect 2 'has 8 twice' "$skelgen" predict heat.txt $on --ranks 8,8
expect 2 'several --ranks are for --platform' "$skelgen" predict heat.txt --ranks 8,16
expect 2 'is no text for any number of ranks' "$skelgen" predict heat.skel $on --ranks 8,16
expect 2 'say which one: --ranks 64' "$skelgen" predict heat.txt $on
# Notes say which number of ranks they are about.
printf 'skeleton 1\nranks any\nprogram {\n  MPI_Init()\n  MPI_Send(count=1, datatype=MPI_INT, dest=rank^1)\n  MPI_Recv(count=1, datatype=MPI_INT, source=rank^1)\n  MPI_Finalize()\n}\n' > unsafe.txt
expect 0 '^skelgen: 8 ranks: the program is unsafe: ' "$skelgen" predict unsafe.txt $on --ranks 4,8
grep -q '^skelgen: 4 ranks: the program is unsafe: ' err || fail "a note does not say of which number of ranks it is"

traced matmul "36 2" 4 9 16 36
expect 0 'from 4, 9, 16' "$skelgen" generalize matmul.16 matmul.4 matmul.9 -o matmul.txt
expect 0 'identical +yes' "$skelgen" verify matmul.36 matmul.txt
expect 1 'heat' "$skelgen" generalize matmul.4 heat.8 -o none.txt
[ ! -e none.txt ] || fail "a text that was refused"

# Counts of data: refused, or their mean. Each rank sends each other one its share of 4,096 numbers, or up to a quarter more or less.
mkdir -p own/sort && cat > own/sort/sort.c <<'C'
#include <mpi.h>
static int count(int from, int to, int n) {
  const int share = 4096 / n / n, low = from < to ? from : to, high = from + to - low;
  const int more = ((low * 31 + high * 17) ^ (low * high + n)) % 5 - 2;
  return share + share / 8 * (from < to ? more : from > to ? -more : 0);
}
int main(int argc, char** argv) {
  static int in[8192], out[8192], sent[64], received[64], from[64], to[64];
  int n, r;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  for (int i = 0; i < n; ++i) {
    sent[i] = count(r, i, n), received[i] = count(i, r, n);
    if (i > 0) from[i] = from[i - 1] + sent[i - 1], to[i] = to[i - 1] + received[i - 1];
  }
  for (int step = 0; step < 3; ++step) MPI_Alltoallv(in, sent, from, MPI_INT, out, received, to, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
}
C
examples=$work/own traced sort "" 4 8 16
expect 1 'no rule of p and r gives sendcounts of MPI_Alltoallv.*and for --approximate' "$skelgen" generalize sort.4 sort.8 sort.16 -o sort.txt
[ ! -e sort.txt ] || fail "a text that was refused"
expect 0 'an approximate skeleton: counts that follow from data are their mean' "$skelgen" generalize --approximate sort.4 sort.8 sort.16 -o sort.txt
expect 0 '"tolerance": 0.[23]' "$skelgen" generalize --approximate sort.4 sort.8 sort.16 -o sort.txt --json
grep -Eq '^skeleton 1 .* tolerance 0.[23]' sort.txt && grep -qF 'recvcounts=($each(k < p: $(4096 / (p * p))))' sort.txt || fail "the text of means"
expect 0 'identical +no, but counts are within [23][0-9.]+ % of those traced, and all else is equal' "$skelgen" verify sort.16 sort.txt
expect 0 '"share": 0.[23]' "$skelgen" verify sort.16 sort.txt --json
holds 'j["identical"] is False and j["first_difference"] is None' || fail "an approximate text is called identical"
expect 0 'not traced with them, and approximate' "$skelgen" build sort.txt --ranks 32 -o sort.skel
grep -q 'It is approximate: sizes of messages were up to' sort.skel/README.md || fail "the skeleton does not say that it is approximate"
sed 's/ tolerance [0-9.]*/ tolerance 0.1/' sort.txt > nearer.txt
expect 1 'expected MPI_Alltoallv.*, got MPI_Alltoallv' "$skelgen" verify sort.16 nearer.txt
exit $((failures > 0))
