#!/usr/bin/env python3
"""The emitted C of the examples says by rules whom ranks talk to: no table with an entry for each rank is looked up for peers,
tags, or who executes a statement."""
import pathlib
import re

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden/examples"
BY_RANK = re.compile(r"\b(?:source|dest|root|tag|sendtag|recvtag|participates)\w*_\d+\[(?:rank|me)\]")
RULES = ["heat", "multigrid", "multigrid_2", "ring", "transpose", "wavefront"]


def tables(name):
    """On 4 ranks: on 2 each is the other's only peer, whatever the call is for."""
    lines = (GOLDEN / f"{name}.4.c").read_text().splitlines()
    return [f"{name}.4.c:{number}: {found}" for number, line in enumerate(lines, 1) for found in BY_RANK.findall(line)]


assert tables("matmul"), "a program whose ranks shift by their own coordinates has such tables: the search finds none"
wrong = [table for name in RULES for table in tables(name)]
assert not wrong, "\n".join(wrong)
print(f"{len(RULES)} programs: all well")
