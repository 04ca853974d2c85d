"""generate.py ROOT OUT.cpp: the templates as strings, and the C parameter lists of the calls in wrappers/mpi_calls.table.

src/mpi knows the recorded parameters only; C text needs the others, too."""
import pathlib
import sys

root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "wrappers"))
sys.dont_write_bytecode = True
import call_table  # noqa: E402

calls = call_table.read(str(root / "wrappers" / "mpi_calls.table")).calls
lines = ['#include "emit/embedded.h"', "", "namespace skelgen::emit {", ""]

files = sorted(p for folder in ("calibrate", "netbench", "program", "runtime") for p in (root / "templates" / folder).iterdir() if p.is_file())
lines.append("const Embedded kEmbedded[] = {")
for path in files:
    lines.append(f'    {{"{path.parent.name}/{path.name}", R"skelgen~({path.read_text()})skelgen~"}},')
lines += ["};", f"const std::size_t kEmbeddedCount = {len(files)};", ""]

lines.append("const Shape kShapes[] = {")
shapes = [name for name in sorted(calls) if calls[name].replayed()]
for name in shapes:
    lines.append(f'    {{"{name}", "{" ".join(p.name + (p.given and f"={p.given}") for p in calls[name].parameters)}"}},')
lines += ["};", f"const std::size_t kShapeCount = {len(shapes)};", "", "}  // namespace skelgen::emit"]
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text("\n".join(lines) + "\n")
