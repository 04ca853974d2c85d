#!/bin/bash
# A run in which the sender, then the receiver computes is sequential where the send waits for its receive: synchronous ones
# and large ones. If it did not wait, both would compute at once.
skelgen=$1 mpicc=$2 mpiexec=$3
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$mpicc" -O1 -Wall -Wextra -Werror -o synchronous "$here/synchronous.c" || exit 1

# measured BYTES: of a run. Other work makes messages slow.
measured() {
  timeout 900 "$skelgen" trace --yield off -o "$1.trace" -- "$mpiexec" -n 2 ./synchronous "$1" 300 > out 2> err || fail "trace of $1 bytes"
  "$skelgen" metrics "$1.trace" --json > out 2> err || fail "metrics of $1 bytes"
  holds 'j["he_sun"]["alpha"] < 0.02 and abs(j["pop"]["serialization"] - 0.5) < 0.02 and j["if_sends_never_waited"]["alpha"] > 0.3' &&
    holds 'j["if_sends_never_waited"]["serialization"] > 0.95 and j["pop"]["transfer"] > 1.8 * j["if_sends_never_waited"]["transfer"]'
}

for bytes in 1 8000000; do
  decides "$bytes bytes: measures" measured "$bytes"
  holds 'j["sends"]["synchronous"] + j["sends"]["waiting"] == 1' || fail "$bytes bytes: sends"
  holds 'j["critical_path"]["slack"]["by_rank"][1]["least_s"] == 0' || fail "$bytes bytes: slack of the receiver"
  holds 'sum(abs(h["gain_s"] - 0.15) < 0.05 for h in j["critical_path"]["halved"] if h["rank"] is not None) == 2' || fail "$bytes bytes: halved"
  holds 'j["waits"]["late_receiver_s"] > 0.15' || fail "$bytes bytes: waiting is called transfer"
  holds 'next(f["kind"] for f in j["findings"] if f["kind"] != "without_core") in ("late_receiver", "in_turns")' || fail "$bytes bytes: findings"
done
holds 'j["sends"]["waiting_bytes"] == 8000000' || fail "the size from which sends wait"
"$skelgen" metrics 8000000.trace > out 2> err || fail "metrics"
grep -q '^sends that depended on their receives: 0 synchronous, 1 others; all from 8,000,000 bytes on do' out || fail "text"
[ "$failures" = 0 ]
