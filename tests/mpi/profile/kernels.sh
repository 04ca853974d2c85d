#!/usr/bin/env bash
# kernels.sh SKELGEN CC: src/work/kernel_features.inc says what a pass of each compute kernel consists of.
skelgen=$1 cc=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
timeout 900 "$here/../../../scripts/kernel-features" --check --cc "$cc" --build "${skelgen%/bin/*}" > out 2> err || { cat out err >&2; fail "the table is not what the kernels are"; }
[ "$failures" = 0 ]
