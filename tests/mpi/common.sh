# Shared by the scripts below this folder, which set $skelgen before: a work directory named after the script, and what fails. `holds` looks
# at what the last command printed. Ranks that wait give their core away, for none is to spare where tests run beside each other or
# beside other work. Open MPI is told which messaging layer it takes anyway: its search for networks takes 0.2 s of each start. Each test has
# its own folder for Open MPI's sessions: two starts that make the same one at once fail ("mkdir: File exists"). `timeout 900` is against
# programs that hang, not a measure: ten times what they need beside a lot of other work.
set -u
here=$(cd "$(dirname "$0")" && pwd)
MPICH_CC=$(realpath "$(dirname "${BASH_SOURCE[0]}")/cc")
export MPICH_CC OMPI_CC=$MPICH_CC SKELGEN_OBJECTS=${skelgen%/bin/*}/tests/objects
work=$(mktemp -d "$PWD/$(basename "$0" .sh)-XXXXXX") || exit 1
sessions=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$sessions"' EXIT
cd "$work" || exit 1
: > out > err
export LD_PRELOAD=${skelgen%/bin/*}/lib/libskelyield.so OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_orte_tmpdir_base=$sessions OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
case $here in
  */cli | */profile | */report | */smpi) ;;
  *) export SKELGEN_SPEEDS=0 ;; # nothing is predicted
esac
failures=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  stdout: /' out | tail -12
  sed 's/^/  stderr: /' err | tail -12
  failures=$((failures + 1))
}

# decides WHAT COMMAND...: what chance has a part in is tried until it holds, ten times at most. What is wrong never holds.
decides() {
  local what=$1
  shift
  for _ in 1 2 3 4 5 6 7 8 9 10; do "$@" && return; done
  fail "$what, ten times"
}

# holds EXPRESSION: the Python expression holds for the JSON object `j` on stdout.
holds() { python3 -S -c 'import json, sys; j = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1"; }
