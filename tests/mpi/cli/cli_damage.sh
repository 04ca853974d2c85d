#!/bin/bash
# Damaged traces: every reader names the file and ends with 1, never a crash or a wrong answer.
. "$(dirname "$0")/common.sh" "$@"

expect 0 't\.trace: 2 ranks, ' "$skelgen" trace -o t.trace -- "$mpiexec" -n 2 ./app ok 50
file=$(basename "$(ls t.trace/rank-*1.skt)")
size=$(stat -c %s "t.trace/$file")

copy() { rm -rf d.trace && cp -r t.trace d.trace; }
# flip OFFSET: one bit of the second rank's file.
flip() {
  python3 - "d.trace/$file" "$1" << 'PYTHON'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(int(sys.argv[2]))
    byte = f.read(1)[0]
    f.seek(int(sys.argv[2]))
    f.write(bytes([byte ^ 1]))
PYTHON
}
refused() {
  for command in info dump build metrics; do expect 1 "$1" "$skelgen" $command d.trace; done
}

for cut in 0 7 $((size / 2)) $((size - 1)); do
  copy && truncate -s "$cut" "d.trace/$file"
  refused "d\.trace/$file: .*; "
done
for offset in 0 20 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 1)); do
  copy && flip "$offset"
  refused "d\.trace/$file: .*; "
done
copy && rm "d.trace/$file"
refused 'd\.trace.*; '
copy && flip 8 # the version's lowest byte: 1 -> 0
refused "d\.trace/$file: .*version.*; "
copy && rm d.trace/*.skt
refused 'd\.trace.*; '
copy && rm d.trace/meta.json
refused 'd\.trace.*; '
copy && echo '{' > d.trace/meta.json
refused 'd\.trace.*; '
rm -rf d.trace && mkdir d.trace
refused 'd\.trace.*; '
copy && cp "d.trace/$file" "d.trace/$(basename "$(ls t.trace/rank-*0.skt)")" # the same rank twice
refused 'd\.trace.*; '
finish
