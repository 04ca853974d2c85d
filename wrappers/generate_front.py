"""generate_front.py TABLE OUT_DIR COMPILER FLAVOUR|INCLUDE_DIR|-DMACRO...: the exported names of the front library.

For each MPI flavour where its mpi.h is; the library exports the union of their names in C and Fortran. Writes front_names.inc (names, in slot order) and front_stubs.S
(one jump through a slot per name)."""
import pathlib
import sys

import call_table
import declarations
import fortran_text

STUBS = {
    "x86_64": ('    .globl {name}\n    .type {name}, @function\n{name}:\n    endbr64\n    jmp *skel_slots+{offset}(%rip)\n    .size {name}, .-{name}\n'
               'skel_first_{number}:\n    endbr64\n    pushq ${number}\n    jmp skel_first_call\n'),
    "aarch64": ('    .globl {name}\n    .type {name}, %function\n{name}:\n    bti c\n    adrp x16, skel_slots+{offset}\n    ldr x16, [x16, :lo12:skel_slots+{offset}]\n'
                '    br x16\n    .size {name}, .-{name}\nskel_first_{number}:\n    bti j\n    mov x17, #{number}\n    b skel_first_call\n')}


def main():
    table_path, out, compiler, *flavours = sys.argv[1:]
    out = pathlib.Path(out)
    table = call_table.read(table_path)
    names = set()
    for flavour in flavours:
        kind, *options = filter(None, flavour.split("|"))
        declared = [name for name in declarations.read(compiler, options) if not table.passed_because(name)]
        names.update(declared)
        names.update(f"P{name}" for name in declared)
        for name in declared:
            if name in table.calls:
                names.update(fortran for fortran, _ in fortran_text.names(kind, table.calls[name]))
    names = sorted(names)
    (out / "front_names.inc").write_text("".join(f'"{name}",\n' for name in names))
    lines = ["    .text"]
    for machine, stub in STUBS.items():
        lines.append(f"#{'if' if machine == 'x86_64' else 'elif'} defined(__{machine}__)")
        lines += [stub.format(name=name, number=i, offset=8 * i) for i, name in enumerate(names)]
    lines += ["#endif", "    .data", "    .balign 8", "    .globl skel_slots", "    .hidden skel_slots", "skel_slots:"]
    lines += [f"    .quad skel_first_{i}" for i in range(len(names))]
    lines.append('    .section .note.GNU-stack,"",%progbits')
    (out / "front_stubs.S").write_text("\n".join(lines) + "\n")


call_table.main_guard(main)
