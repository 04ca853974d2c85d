#!/bin/bash
# The report of a traced run, opened and used in headless Chromium. Its program has names that would be HTML.
skelgen=$1 mpicc=$2 mpiexec=$3 chromium=$4 chromedriver=$5
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
names=('<script>alert(1)<script>' '<img src=x onerror=alert(1)>')
pages=()
for name in "${names[@]}"; do
  "$mpicc" -O1 -Wall -Wextra -Werror -o "$name" "$here/../metrics/bottlenecks.c" || exit 1
  page=page-${#pages[@]}.html
  timeout 60 "$skelgen" trace --yield off -o late.trace -- "$mpiexec" -n 4 "./$name" late > out 2> err || fail "trace of $name"
  timeout 60 "$skelgen" report late.trace -o "$page" > out 2> err || fail "report of $name"
  pages+=("$page" "$name")
done
# Debian's selenium is for Debian's Python.
timeout 150 /usr/bin/python3 "$here/browser.py" "$chromium" "$chromedriver" "${pages[@]}" > out 2> err ||
  fail "in the browser"
cat out
[ "$failures" = 0 ]
