"""scripts/check_words on small trees with a sentence that readers did not understand, or a misspelling."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_words"


class CheckWords(unittest.TestCase):
    def run_on(self, source):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("src", "scripts"):
                (pathlib.Path(root) / folder).mkdir()
            (pathlib.Path(root) / "scripts" / "words.txt").write_text("skelgen\n")
            (pathlib.Path(root) / "src" / "message.cpp").write_text(source)
            return subprocess.run([CHECK, root], capture_output=True, text=True)

    def test_passes_plain_words(self):
        self.assertEqual(self.run_on('say("no command after --");').returncode, 0)

    def test_finds_unclear_sentences_over_lines(self):
        found = self.run_on('say("nothing stands "\n    "behind --");')
        self.assertEqual(found.returncode, 1)
        self.assertIn("src/message.cpp", found.stdout)
        self.assertIn("no command after --", found.stdout)

    @unittest.skipUnless(shutil.which("codespell"), "codespell is not installed")
    def test_finds_misspellings(self):
        found = self.run_on("// the commnad line")
        self.assertEqual(found.returncode, 1)
        self.assertIn("commnad", found.stdout)

    @unittest.skipUnless(shutil.which("aspell") and "en_GB" in subprocess.run(["aspell", "dicts"], capture_output=True, text=True).stdout.split(), "aspell has no British dictionary")
    def test_finds_words_that_no_dictionary_and_no_list_has(self):
        found = self.run_on('say("skelgen counts {} of the messeges", `sizeoff`);')
        self.assertEqual(found.returncode, 1)
        self.assertIn("src/message.cpp: messeges", found.stdout)
        self.assertNotIn("skelgen:", found.stdout)
        self.assertNotIn("sizeoff", found.stdout)


if __name__ == "__main__":
    unittest.main()
