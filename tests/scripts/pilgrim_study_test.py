"""scripts/pilgrim-study where Pilgrim's proxy differs, fails or hangs."""
import contextlib
import io
import pathlib
import subprocess
import sys
import types
import unittest

from load import SCRIPTS, load

pilgrim = load("pilgrim-study")

ORIGINAL = {"0.0": ["MPI_Init()", "MPI_Send(dest=1)", "MPI_Finalize()"], "1.0": ["MPI_Init()", "MPI_Recv(source=0)", "MPI_Finalize()"]}
DUMP = """0.0 0 1.086 1.526 1.086 MPI_Init()
0.0 1 3.668 1.524 1.056 MPI_Wtime()
0.0 2 5.668 1.524 1.056 MPI_Send(buf=0x55d0c8, comm=comm:0x44000000[0/2])
1.0 0 1.086 1.526 1.086 MPI_Init()
"""


class Study(pilgrim.Study):
    """Runs nothing: what each step finds is given."""

    def __init__(self, replayed=ORIGINAL, same_bytes=True, failure=None):
        super().__init__(types.SimpleNamespace(ranks=2, timeout=60), pathlib.Path("original"), pathlib.Path("."))
        self.replayed, self.bytes, self.failure = replayed, same_bytes, failure

    def skelgen(self, what, *words, accept=(0,)):
        return DUMP

    def original(self):
        return ORIGINAL, True

    def proxy(self):
        if self.failure:
            raise pilgrim.Failed(self.failure)

    def replay(self):
        return self.replayed

    def same_bytes(self):
        return self.bytes

    def times(self):
        return [[2.0, 3.0, 1.0], [0.5], [1.5], [1.25]]


def row_of(study):
    notes, out = [], io.StringIO()
    with contextlib.redirect_stdout(out):
        pilgrim.row(study, "lu.S", notes)
    return [cell.strip() for cell in out.getvalue().strip().split("|")[1:-1]], notes


class PilgrimStudy(unittest.TestCase):
    def test_a_proxy_that_does_the_same(self):
        cells, notes = row_of(Study())
        self.assertEqual(cells, ["lu.S", "6", "6", "yes", "yes", "yes", "2.000 (1.000-3.000)", "0.500 (0.500-0.500)", "1.500 (1.500-1.500)",
                                 "1.250 (1.250-1.250)", "yes"])
        self.assertEqual(notes, [])

    def test_a_call_of_another_rank_is_another_call(self):
        cells, notes = row_of(Study({"0.0": ORIGINAL["1.0"], "1.0": ORIGINAL["0.0"]}, same_bytes=False))
        self.assertEqual(cells[2:6], ["6", "no", "no", "no"])
        self.assertEqual(notes, ["lu.S: rank 0: the original MPI_Send(dest=1), Pilgrim's proxy MPI_Recv(source=0)"])

    def test_other_arguments_and_missing_calls_are_told_apart(self):
        cells, notes = row_of(Study(ORIGINAL | {"0.0": ["MPI_Init()", "MPI_Send(dest=0)", "MPI_Finalize()"]}))
        self.assertEqual(cells[2:6], ["6", "yes", "no", "yes"])
        cells, notes = row_of(Study(ORIGINAL | {"1.0": ORIGINAL["1.0"][:2]}))
        self.assertEqual(cells[2:6], ["5", "no", "no", "yes"])
        self.assertEqual(notes, ["lu.S: rank 1: the original MPI_Finalize(), Pilgrim's proxy nothing"])

    def test_a_proxy_that_fails_leaves_its_columns_empty(self):
        cells, notes = row_of(Study(failure="Pilgrim's generator: segmentation fault"))
        self.assertEqual(cells, ["lu.S", "6", *[""] * 8, "yes"])
        self.assertEqual(notes, ["lu.S: Pilgrim's generator: segmentation fault"])

    def test_clocks_handles_and_addresses_are_not_compared(self):
        self.assertEqual(Study().calls("trace"), {"0.0": ["MPI_Init()", "MPI_Send(buf=*, comm=comm:*[0/2])"], "1.0": ["MPI_Init()"]})

    def test_a_step_that_fails_or_hangs_says_which_and_how(self):
        with self.assertRaisesRegex(pilgrim.Failed, "^generator: status 3: error: no trace$"):
            pilgrim.run("generator", ["sh", "-c", "echo 'error: no trace' >&2; echo last >&2; exit 3"], 60)
        with self.assertRaisesRegex(pilgrim.Failed, "^generator: segmentation fault"):
            pilgrim.run("generator", ["sh", "-c", "kill -SEGV $$"], 60)
        with self.assertRaisesRegex(pilgrim.Failed, "^proxy: not done after 1 s"):
            pilgrim.run("proxy", ["sleep", "60"], 1)

    def test_a_prefix_without_pilgrim_is_an_error_that_says_what_to_do(self):
        done = subprocess.run([sys.executable, SCRIPTS / "pilgrim-study", "--pilgrim", "/nowhere", "--npb-bin", "."], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "is missing; (run scripts/build|build Pilgrim and install it there)\n$")


if __name__ == "__main__":
    unittest.main()
