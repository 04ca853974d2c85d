"""generate_wrappers.py TABLE FLAVOUR OUT_DIR COMPILER INCLUDE_DIR|-DMACRO...: the back end for the MPI whose mpi.h stands in INCLUDE_DIR.

Writes pmpi.h (pointers to the PMPI functions), rows.c (what is recorded of each function), wrappers.c and wrappers_fortran.c (a wrapper per function
and language). Fails when a call in the table is not what mpi.h declares; calls that mpi.h does not declare are left out."""
import pathlib
import sys

import call_table
import declarations
import fortran_text
from wrapper_text import Wrapper, check, opaque


def write(path, lines):
    text = "\n".join(["/* Generated from mpi_calls.table and mpi.h. */", *lines]) + "\n"
    if not path.exists() or path.read_text() != text:  # what includes it is compiled again
        path.write_text(text)


def pmpi(names, fortran):
    return ["#ifndef SKEL_PMPI_H", "#define SKEL_PMPI_H", "#include <mpi.h>", "#include <stdint.h>", "",
            "enum skel_function_id {", *(f"  SKEL_{name}," for name in names), "  SKEL_FUNCTIONS", "};",
            "enum skel_fortran_id {", *(f"  SKEL_{name}," for name, *_ in fortran), "  SKEL_FORTRAN_NAMES", "};",
            "enum skel_role {", *(f"  SKEL_ROLE_{role.name} = {role.number}," for role in call_table.VOCABULARY.roles.values()), "};", "",
            *(line for codes in call_table.VOCABULARY.codes.values() for line in code(codes)), "",
            "/* The MPI that the program uses, and what a wrapper calls: another tool's wrapper behind this one, or the MPI. Same order as the ids. */",
            "struct skel_pmpi {", *(f"  __typeof__({name})* {name};" for name in names), "};",
            "extern struct skel_pmpi skel_pmpi, skel_next;", "", "#endif"]


def code(codes):
    """The canonical number of a constant of this MPI."""
    if codes.flags:
        number = " | ".join(f"(v & {name} ? {value} : 0)" for value, name in codes.words)
    else:
        number = "".join(f"v == {name} ? {value} : " for value, name in codes.words) + ("v" if codes.open else "0")
    return [f"static inline int64_t skel_{codes.name}(int v) {{", f"  return {number};", "}"]


def rows(names, calls, declared):
    lines = ['#include "encode.h"', ""]
    for name in names:
        recorded = calls[name].recorded() if name in calls else []
        if recorded:
            width = Wrapper(calls[name], declared[name]).width
            values = (f"{{{call_table.VOCABULARY.roles[p.role].number}, {'SKT_IN_EVENT' if p.in_event() else 'SKT_IN_SIGNATURE'}, {width(p)}}}"
                      for p in recorded)
            lines.append(f"static const struct skel_parameter {name}_[] = {{{', '.join(values)}}};")
    lines += ["const struct skel_function skel_functions[] = {"]
    lines += [f'    {{"{n}", {f"{n}_, sizeof {n}_ / sizeof {n}_[0]" if n in calls and calls[n].recorded() else "NULL, 0"}}},' for n in names]
    return lines + ["};"]


def c_wrappers(names, calls, declared, table):
    lines = ['#include "lifecycle.h"', '#include "wrapper_parts.h"', ""]
    wrappers = []
    for name in names:
        if name in calls and calls[name].special:
            wrappers.append(f"skel_{name}")
        elif table.passed_because(name) or declared[name].variadic:  # cannot be handed on without knowing the arguments
            wrappers.append("NULL")
        else:
            lines += Wrapper(calls[name], declared[name]).text() if name in calls else opaque(declared[name])
            wrappers.append(f"wrap_{name}")
    return lines + ["void* const skel_wrappers[] = {", *(f"    (void*){wrapper}," for wrapper in wrappers), "};"]


def main():
    table_path, flavour, out, compiler, *options = sys.argv[1:]
    out = pathlib.Path(out)
    table = call_table.read(table_path)
    declared = declarations.read(compiler, options)
    calls = {name: call for name, call in table.calls.items() if name in declared}
    for call in calls.values():
        check(call, declared[call.name])
    names = sorted(declared)
    fortran_lines, fortran_rows = fortran_text.wrappers(flavour, calls, declared)
    write(out / "pmpi.h", pmpi(names, fortran_rows))
    write(out / "rows.c", rows(names, calls, declared))
    write(out / "wrappers.c", c_wrappers(names, calls, declared, table))
    write(out / "wrappers_fortran.c", ['#include "fortran.h"', '#include "lifecycle.h"', "", "void* skel_fortran_real[SKEL_FORTRAN_NAMES];", "",
                                       *fortran_lines, "const struct skel_fortran_name skel_fortran_names[] = {",
                                       *(f'    {{"{name}", "{real}", (void*){wrapper}, SKEL_{function}}},' for name, real, wrapper, function in fortran_rows),
                                       "};", "const int skel_fortran_count = SKEL_FORTRAN_NAMES;"])


call_table.main_guard(main)
