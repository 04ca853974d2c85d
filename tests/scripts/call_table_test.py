#!/usr/bin/env python3
"""A mistake in the tables of MPI's calls names file and line."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "wrappers"))
import call_table


def mistake(text):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "one.table"
        file.write_text("chapter Tests\n" + text)
        try:
            call_table.read(file)
        except call_table.TableError as error:
            return str(error).removeprefix(f"{directory}/")
    return "none"


assert mistake("call MPI_Asked does ask\n  in  comm  comm\n") == "one.table:2: MPI_Asked does ask without a parameter that is request"
assert mistake("call MPI_Asked does nothing_known\n").startswith("one.table:2: expected 'call NAME does KIND'")
assert mistake("call MPI_Twice does ask\n  inout request request\ncall MPI_Twice does ask\n").startswith("one.table:4: MPI_Twice stands twice")
print("all well")
