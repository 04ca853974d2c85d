# Shared by the scripts below this folder: a work directory named after the script, and what fails. `holds` looks at what
# the last command printed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "$PWD/$(basename "$0" .sh)-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
: > out > err
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
failures=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  stdout: /' out | tail -12
  sed 's/^/  stderr: /' err | tail -12
  failures=$((failures + 1))
}

# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1"; }
