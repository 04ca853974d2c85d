"""scripts/suite-study: which rows a list names, and what it says of each."""
import io
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from load import SCRIPTS, load

study = load("suite-study")


class Lists(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def rows(self, text, file="testlist"):
        (self.top / file).write_text(text)
        return study.rows_of(self.top / file, self.top)

    def test_a_line_is_a_program_its_ranks_and_arguments(self):
        row, = self.rows("# all\nsend 4 arg=-count=3 arg=x timeLimit=300 mem=6.5 env=A=1 # why\n")
        self.assertEqual((row.name, row.ranks, row.arguments, row.limit, row.memory, row.fails), ("send 4 -count=3 x", 4, ["-count=3", "x"], 300, 6.5, False))

    def test_lines_that_differ_in_the_library_s_settings_are_one_row(self):
        self.assertEqual([row.name for row in self.rows("a 2\na 2 env=X=1\na 3\na 2 arg=1\n")], ["a 2", "a 3", "a 2 1"])

    def test_a_directory_stands_for_its_own_list(self):
        (self.top / "coll").mkdir()
        (self.top / "coll/testlist").write_text("bcast 4\n")
        row, = self.rows("coll\nempty\n")[:1]
        self.assertEqual((row.program, row.suite, row.folder), ("coll/bcast", "coll", self.top / "coll"))


class Table(unittest.TestCase):
    def test_a_refusal_that_the_documents_do_not_list_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "testlist").write_text("a 2\nb 2\n")
            rows = study.rows_of(top / "testlist", top)
            out = io.StringIO()
            self.assertFalse(study.table(rows, {"a 2": {"outcome": "refused", "reason": "t.trace: the moon is full (rank 0)"}, "b 2": {"outcome": "identical", "reason": ""}}, out))
            self.assertIn("| all | 2 | 1 | 0 | 1 | 0 |", out.getvalue())
            self.assertIn("| a 2 | t.trace: the moon is full (rank 0) |", out.getvalue())

    def test_what_documents_refusals_is_in_the_documents(self):
        limits = (SCRIPTS.parent / "docs/limits.md").read_text()
        for _, words in study.REASONS:
            self.assertIn(words, limits)


class State(unittest.TestCase):
    def test_rows_that_were_done_are_not_done_again(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "testlist").write_text("absent 2\nother 2\n")
            (top / "skelgen").touch()
            state = top / "state.json"
            state.write_text(json.dumps({"absent 2": {"outcome": "identical", "reason": ""}}))
            arguments = ["suite-study", "--programs", folder, "--state", str(state)]
            with unittest.mock.patch.object(study.steps, "SKELGEN", top / "skelgen"), unittest.mock.patch.object(sys, "argv", arguments):
                with self.assertRaises(SystemExit) as ended:
                    study.main()
            self.assertEqual(ended.exception.code, 0)
            self.assertEqual({name: row["outcome"] for name, row in json.loads(state.read_text()).items()}, {"absent 2": "identical", "other 2": "not run"})


if __name__ == "__main__":
    unittest.main()
