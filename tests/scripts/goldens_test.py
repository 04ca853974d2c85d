#!/usr/bin/env python3
"""The emitted C of the examples says by rules whom ranks talk to: no table with an entry for each rank is looked up for peers,
tags, colors and keys of communicators, or who executes a statement."""
import pathlib
import re

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden/examples"
BY_RANK = re.compile(r"\b((?:source|dest|root|tag|sendtag|recvtag|color|key|participates)\w*_\d+\[(?:rank|me)\])")
RULES = ["cg", "heat", "matmul", "multigrid", "multigrid_2", "ring", "transpose", "wavefront"]
NO_RULE = "irregular_4"  # its ranks draw by lot whom they talk to


def tables(file):
    return [f"{file.name}:{number}: {found}" for number, line in enumerate(file.read_text().splitlines(), 1) for found in BY_RANK.findall(line)]


# Of 4 ranks and more: on 2 each is the other's only peer, whatever the call is for.
files = [GOLDEN / f"{name}.{ranks}.c" for name in RULES for ranks in (4, 9)]
files = [file for file in files if file.exists()]
assert len(files) >= len(RULES) + 5, f"only {len(files)} goldens"
assert tables(GOLDEN / f"{NO_RULE}.4.c"), f"{NO_RULE} has such tables: the search finds none"
wrong = [table for file in files for table in tables(file)]
assert not wrong, "\n".join(wrong)
print(f"{len(files)} programs: all well")
