"""generate.py ROOT OUT.cpp: templates/report as strings, with the hashes by which its content security policy knows them."""
import base64
import hashlib
import pathlib
import sys

root, out = pathlib.Path(sys.argv[1]) / "templates" / "report", pathlib.Path(sys.argv[2])


def together(*patterns):
    return "".join(path.read_text() for pattern in patterns for path in sorted(root.glob(pattern)))


def literal(text):  # compilers limit the length of one
    return "\n    ".join(f'R"skelgen~({text[i:i + 8000]})skelgen~"' for i in range(0, len(text), 8000))


def sha256(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


style = together("*.css")
script = '(() => {\n"use strict";\n' + together("*.js") + "})();\n"
texts = {"kPage": together("page.html"), "kStyle": style, "kScript": script, "kStyleHash": sha256(style), "kScriptHash": sha256(script)}
lines = ['#include "report/embedded.h"', "", "namespace skelgen::report {", ""]
lines += [f"const std::string_view {name} =\n    {literal(text)};" for name, text in texts.items()]
out.parent.mkdir(parents=True, exist_ok=True)
out.write_text("\n".join(lines + ["", "}  // namespace skelgen::report"]) + "\n")
