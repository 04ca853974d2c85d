"""machines.py SKELGEN FOLDER: what scripts/machine-study recorded of processors, a folder for each in FOLDER, is still read: a skeleton is built of each
text, with the work and the processor that the text tells of."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKELGEN, RECORDS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
NAMES = pathlib.Path(__file__).resolve().parents[2] / "templates/runtime/skel_kernel_names.h"
KERNELS = re.findall(r'X\(\w+, "(\w+)"', NAMES.read_text())
TEXT = f"""skeleton 1 "MPICH" wall 1 s
ranks 2
machine register 1e9 memory 1e9 kernels ({', '.join(f'{kernel} 1e8 0.01' for kernel in KERNELS)}) processor "a processor"
program {{
  MPI_Init()
  compute 1 s work 1
  MPI_Finalize()
}}
features instructions, integer
work 1 (instructions 1e9, integer 5e8)
"""


def wrong_with_text(text, ranks):
    with tempfile.TemporaryDirectory() as folder:
        skeleton = pathlib.Path(folder) / "skel"
        built = subprocess.run([SKELGEN, "build", text, "-o", skeleton], capture_output=True, text=True)
        if built.returncode:
            return built.stderr
        work = json.loads((skeleton / "skeleton.json").read_text())["work"]
        processors = set(re.findall(r'processor ("[^"]*")', text.read_text()))
        program = "".join(file.read_text() for file in (skeleton / "skeleton.c", skeleton / "tables.h") if file.exists())
        if not work or not work["places"] or work["kernels"] != KERNELS or len(work["speeds"]) != ranks:
            return "no work"
        return None if processors and all(processor in program for processor in processors) else "no processor"


def wrong_with(folder):
    """By file; nothing: all is well."""
    programs = json.loads((folder / "times.json").read_text())["programs"]
    files = {file.name for file in folder.iterdir()} - {"times.json"}
    wrong = {}
    for name, said in programs.items():
        kind = next((kind for kind in ("skel.txt", "work.json") if f"{name}.{kind}" in files), None)
        if kind is None:
            wrong[name] = "neither a text nor its work"
            continue
        file = folder / f"{name}.{kind}"
        files.remove(file.name)
        problem = wrong_with_text(file, said["ranks"]) if kind == "skel.txt" else None if json.loads(file.read_text())["places"] else "no work"
        if problem:
            wrong[file.name] = problem
    return {**wrong, **{file: "times.json does not tell of it" for file in files}}


class Machines(unittest.TestCase):
    def test_all_records_are_read(self):
        for folder in sorted(RECORDS.iterdir()) if RECORDS.exists() else []:
            with self.subTest(folder.name):
                self.assertEqual(wrong_with(folder), {})

    def test_what_is_not_read_is_found(self):
        for text, problem in [(TEXT, None), (TEXT.replace("logic 1e8", "logics 1e8"), "logics"), (TEXT.replace(" work 1\n", "\n"), "no work"),
                              (TEXT.replace(' processor "a processor"', ""), "no processor"), (None, "neither")]:
            with self.subTest(problem), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "times.json").write_text(json.dumps({"programs": {"cg": {"ranks": 2}}}))
                if text:
                    (folder / "cg.skel.txt").write_text(text)
                found = wrong_with(folder)
                self.assertIn(problem, "".join(found.values())) if problem else self.assertEqual(found, {})


unittest.main()
