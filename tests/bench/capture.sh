#!/usr/bin/env bash
# capture.sh BENCH LIBSKELTRACE MPIEXEC [ROUNDS]: what capture costs per call. Untraced and traced runs alternate; medians.
# The two ranks need a core each: on a busy machine only the first three rows mean something.
set -euo pipefail
bench=$1 library=$2 mpiexec=$3 rounds=${4:-5}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for ((i = 0; i < rounds; i++)); do
  "$mpiexec" -n 2 "$bench" >>"$work/untraced"
  rm -rf "$work/t.trace"
  LD_PRELOAD=$library SKELGEN_OUT=$work/t.trace "$mpiexec" -n 2 "$bench" >>"$work/traced"
done
median() { cut -d' ' -f"$2" "$work/$1" | sort -g | sed -n "$((rounds / 2 + 1))p"; }
names=("MPI_Comm_rank" "MPI_Test (null)" "MPI_Iprobe" "0-byte ping-pong" "Irecv+Isend+Waitall")
printf '%-22s %10s %10s %10s\n' "ns per call" untraced traced difference
for ((i = 1; i <= 5; i++)); do
  before=$(median untraced $i) after=$(median traced $i)
  printf '%-22s %10.1f %10.1f %10.1f\n' "${names[i - 1]}" "$before" "$after" "$(awk "BEGIN { print $after - $before }")"
done
