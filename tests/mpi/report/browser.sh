#!/bin/bash
# The report of a traced run, opened and used in headless Chromium. Its program has names that would be HTML.
skelgen=$1 mpicc=$2 mpiexec=$3 chromium=$4 chromedriver=$5
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
names=('<script>alert(1)<script>' '<img src=x onerror=alert(1)>')
pages=()
# Predictions at these numbers of ranks, that of the run among them.
python3 -S - 4 8 9 10 16 1000 1000000 > scaling.json << 'PY' || exit 1
import json, sys
numbers, scaling, predictions = [int(word) for word in sys.argv[1:]], [], []
for ranks in numbers:
    seconds = (1 + ranks / 100) / ranks
    scaling.append({"ranks": ranks, "speed_up": 1, "efficiency": 1, "computation": None})
    predictions.append({"schema": "skelgen.predict/1", "predicted_s": seconds, "low_s": seconds / 2, "high_s": 2 * seconds, "confidence": 0.95,
                        "skeleton_s": 1, "scale": 1, "compute": "work", "runs": [seconds], "init_s": 0, "finalize_s": 0, "ranks": ranks,
                        "phases": [{"name": "<b>loop</b> 1", "weight": 1, "seconds": seconds}],
                        "concurrency_here": {"parallel": 0.5, "load_balance": 0.75, "communication": 0.6}})
json.dump({"schema": "skelgen.scaling/1", "scaling": scaling, "predictions": predictions}, sys.stdout)
PY
# page_of NAME PAGE: a report whose findings have what is wrong with the program
page_of() {
  timeout 900 "$skelgen" trace --yield off -o late.trace -- "$mpiexec" -n 4 "./$1" late > out 2> err || fail "trace of $1"
  timeout 900 "$skelgen" report late.trace --prediction scaling.json -o "$2" > out 2> err || fail "report of $1"
  sed -n '/id="findings"/,/<\/section>/p' "$2" | grep -q 'Rank 0 sends late'
}
for name in "${names[@]}"; do
  "$mpicc" -O1 -Wall -Wextra -Werror -o "$name" "$here/../metrics/bottlenecks.c" || exit 1
  page=page-${#pages[@]}.html
  decides "no late sender in the report of $name" page_of "$name" "$page"
  pages+=("$page" "$name")
done
# Debian's selenium is for Debian's Python.
timeout 900 /usr/bin/python3 "$here/browser.py" "$chromium" "$chromedriver" "${pages[@]}" > out 2> err ||
  fail "in the browser"
cat out
[ "$failures" = 0 ]
