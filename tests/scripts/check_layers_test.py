"""scripts/check_layers on copies of the house in which somebody has included what must not be included."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckLayers(unittest.TestCase):
    def check(self, file, line):
        """Status and output with `line` at the end of `file`."""
        with tempfile.TemporaryDirectory() as folder:
            house = pathlib.Path(folder)
            for part in ("src", "wrappers/runtime", "scripts"):
                shutil.copytree(ROOT / part, house / part)
            for part in ("CMakeLists.txt", "ARCHITECTURE.md"):
                shutil.copy(ROOT / part, house)
            with open(house / file, "a") as out:
                out.write(line + "\n")
            done = subprocess.run([sys.executable, house / "scripts/check_layers"], stdout=subprocess.PIPE, text=True)
            return done.returncode, done.stdout.strip()

    def test_the_house_is_well(self):
        status, said = self.check("README.md", "")
        self.assertEqual((status, said.count("\n")), (0, 0), said)

    def test_a_circle_in_the_capture_library_is_refused(self):
        self.assertEqual(self.check("wrappers/runtime/sink.h", '#include "encode.h"'),
                         (1, "wrappers/runtime: modules in a circle: encode -> sink -> encode"))

    def test_a_circle_by_way_of_a_source_file_is_refused(self):
        status, said = self.check("wrappers/runtime/ranks.c", '#include "lifecycle.h"')
        self.assertEqual(status, 1)
        self.assertIn("lifecycle -> ranks", said)

    def test_a_layer_above_is_refused(self):
        self.assertEqual(self.check("src/trace/trace.h", '#include "cli/table.h"')[0], 1)

    def test_layers_in_a_circle_are_refused(self):
        status, said = self.check("CMakeLists.txt", "skelgen_add_layer(support USES cli)")
        self.assertEqual(status, 1)
        self.assertIn("CMakeLists.txt: layers in a circle: ", said)


if __name__ == "__main__":
    unittest.main()
