#!/bin/bash
# compiles.sh FOLDER INCLUDE...: the runtime, the program of calibrate and all emitted programs among the golden texts compile without a warning of gcc and clang
# against the mpi.h in each INCLUDE folder, some of them against the first one with what gcc only sees when it optimizes, and are formatted
# as clang-format leaves them. FOLDER: templates/runtime.
set -u
runtime=$1
shift
golden=$(cd "$(dirname "$0")" && pwd)
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}
compilers=(gcc)
for name in clang clang-16; do command -v $name > /dev/null && compilers+=($name) && break; done
# Side by side, several programs for each compiler's start.
for compiler in "${compilers[@]}"; do
  for include in "$@"; do
    printf '%s\0' "$runtime/skel.c" "$runtime/../calibrate/calibrate.c" "$golden"/*/*.c |
      xargs -0 -n 8 -P "$(nproc)" "$compiler" -fsyntax-only -std=c11 -Wall -Wextra -Werror -pedantic -I"$include" -I"$runtime" ||
      fail "$compiler -I$include"
  done
done
printf '%s\0' "$runtime/skel.c" "$golden"/emit/*.c "$golden"/examples/{cg.4,heat.4,irregular_7.4,manager_worker.2,multigrid.4}.c |
  xargs -0 -n 1 -P "$(nproc)" gcc -c -o /dev/null -std=c11 -O2 -Wall -Wextra -Werror -I"$1" -I"$runtime" ||
  fail "gcc -O2 -I$1"
if command -v clang-format > /dev/null; then
  for source in "$golden"/*/*.c; do
    clang-format --style=file "$source" | diff "$source" - || fail "$source: not as clang-format leaves it"
  done
fi
echo "${compilers[*]}: $# mpi.h, $(ls "$golden"/*/*.c | wc -l) programs"
[ "$failures" = 0 ]
