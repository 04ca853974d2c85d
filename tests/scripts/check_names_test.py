"""scripts/check_names where there is a rule by a function's name, and where there is none."""
import pathlib
import subprocess
import tempfile
import unittest

from load import SCRIPTS

RULES = ('if (function.name == "MPI_Wait") return;', 'if (f.name.ends_with(end)) return;', 'return find("MPI_Recv");', 'constexpr Names kAll = {"Bcast"};',
         'if (name.starts_with("MPI_Comm_d")) return;', 'return function_->name.find(x) != npos;', 'return "PMPI_Send";', 'f(R"(MPI_Bsend)");')
NONE = ('// MPI_Recv, or "MPI_Recv"', 'fail("call MPI_Test now and then");', 'out << "MPI_Aint";', 'return "MPI_COMM_WORLD";', '/* f.name == "MPI_Send" */',
        'note(function.name);', 'if (parameter.name == name) return;', "if (c == '\"') return;  // \"MPI_Recv\"")


def check(line):
    """(what is printed, exit status)"""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "one.cpp").write_text(f"void one() {{\n  {line}\n}}\n")
        done = subprocess.run([SCRIPTS / "check_names", folder], capture_output=True, text=True)
        return done.stdout, done.returncode


class CheckNames(unittest.TestCase):
    def test_finds_rules(self):
        for line in RULES:
            with self.subTest(line):
                text, status = check(line)
                self.assertEqual(status, 1)
                self.assertTrue(text.startswith("one.cpp:2: "), text)

    def test_finds_nothing_else(self):
        for line in NONE:
            with self.subTest(line):
                self.assertEqual(check(line), ("1 files without rules by names\n", 0))


unittest.main()
