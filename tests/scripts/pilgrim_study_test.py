"""scripts/pilgrim-study where Pilgrim's proxy differs, fails or hangs."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import types
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/pilgrim-study"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("pilgrim_study", str(SCRIPT))
pilgrim = importlib.util.module_from_spec(importlib.util.spec_from_loader("pilgrim_study", loader))
loader.exec_module(pilgrim)

ORIGINAL = {"0.0": ["MPI_Init", "MPI_Send", "MPI_Finalize"], "1.0": ["MPI_Init", "MPI_Recv", "MPI_Finalize"]}


class Study:
    """Runs nothing: what each step finds is given."""

    program, skeleton, work = pathlib.Path("original"), pathlib.Path("made"), pathlib.Path(".")
    arguments = types.SimpleNamespace(rounds=3)

    def __init__(self, replayed=ORIGINAL, verdict=None, failure=None):
        self.replayed, self.verdict, self.failure = replayed, verdict, failure

    def original(self):
        return ORIGINAL, True

    def proxy(self):
        if self.failure:
            raise pilgrim.Failed(self.failure)

    def replay(self):
        return self.replayed

    def compare(self):
        return self.verdict

    def time(self, program):
        return {"original": 2.0, "proxy": 0.5, "skeleton": 1.0}[program.name]


def row_of(study):
    notes, out = [], io.StringIO()
    with contextlib.redirect_stdout(out):
        pilgrim.row(study, "lu.S", notes)
    return [cell.strip() for cell in out.getvalue().strip().split("|")[1:-1]], notes


class PilgrimStudy(unittest.TestCase):
    def test_a_proxy_that_does_the_same(self):
        cells, notes = row_of(Study(verdict={"identical": True, "bytes_matrix_identical": True, "first_difference": None}))
        self.assertEqual(cells, ["lu.S", "6", "6", "yes", "yes", "yes", "2.000 (2.000-2.000)", "0.500 (0.500-0.500)", "1.000 (1.000-1.000)", "yes"])
        self.assertEqual(notes, [])

    def test_a_call_in_another_place_is_another_call(self):
        swapped = {"0.0": ORIGINAL["1.0"], "1.0": ORIGINAL["0.0"]}
        difference = {"rank": 0, "index": 1, "expected": "MPI_Send()", "actual": "MPI_Recv()"}
        cells, notes = row_of(Study(swapped, {"identical": False, "bytes_matrix_identical": False, "first_difference": difference}))
        self.assertEqual(cells[2:6], ["6", "no", "no", "no"])
        self.assertEqual(notes, ["lu.S: rank 0, call 1: the original MPI_Send(), Pilgrim's proxy MPI_Recv()"])

    def test_a_proxy_that_fails_leaves_its_columns_empty(self):
        cells, notes = row_of(Study(failure="Pilgrim's generator: segmentation fault"))
        self.assertEqual(cells, ["lu.S", "6", "", "", "", "", "2.000 (2.000-2.000)", "", "1.000 (1.000-1.000)", "yes"])
        self.assertEqual(notes, ["lu.S: Pilgrim's generator: segmentation fault"])

    def test_a_step_that_fails_or_hangs_says_which_and_how(self):
        with self.assertRaisesRegex(pilgrim.Failed, "^generator: status 3: error: no trace$"):
            pilgrim.run("generator", ["sh", "-c", "echo 'error: no trace' >&2; echo last >&2; exit 3"], 60)
        with self.assertRaisesRegex(pilgrim.Failed, "^generator: segmentation fault"):
            pilgrim.run("generator", ["sh", "-c", "kill -SEGV $$"], 60)
        with self.assertRaisesRegex(pilgrim.Failed, "^proxy: not done after 1 s"):
            pilgrim.run("proxy", ["sleep", "60"], 1)

    def test_a_prefix_without_pilgrim_is_an_error_that_says_what_to_do(self):
        done = subprocess.run([sys.executable, SCRIPT, "--pilgrim", "/nowhere", "--npb-bin", "."], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "is missing; (run scripts/build|build Pilgrim and install it there)\n$")


if __name__ == "__main__":
    unittest.main()
