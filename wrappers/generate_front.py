"""generate_front.py OUT_DIR INCLUDE_DIR:COMPILER...: the front library's names, in OUT_DIR.

  front_names.inc   SKEL_NAME("MPI_X") for every function that one of the mpi.h found declares
  front_stubs.S     for each of them a jump through its slot; a slot leads to skel_front_resolve at first"""
import pathlib
import sys

import call_table
import declarations

X86 = """    .globl {name}
    .type {name}, @function
{name}:
    jmp *skel_slots+{offset}(%rip)
    .size {name}, .-{name}
1:  push ${number}
    jmp skel_front_first
    .section .data.rel
    .quad 1b
    .text
"""
X86_FIRST = """    .text
# Stack here: number of the function, return address. All registers that can carry arguments are kept.
skel_front_first:
    push %rax
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    sub $136, %rsp
""" + "".join(f"    movups %xmm{i}, {16 * i}(%rsp)\n" for i in range(8)) + """    mov 192(%rsp), %rdi
    mov 200(%rsp), %rsi
    call skel_front_resolve
    mov %rax, %r11
""" + "".join(f"    movups {16 * i}(%rsp), %xmm{i}\n" for i in range(8)) + """    add $136, %rsp
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    pop %rax
    add $8, %rsp
    jmp *%r11
    .section .data.rel, "aw"
    .balign 8
    .globl skel_slots
    .hidden skel_slots
    .hidden skel_front_resolve
skel_slots:
    .text
"""


def main():
    out, *flavours = sys.argv[1:]
    names = set()
    for flavour in flavours:
        directory, compiler = flavour.rsplit(":", 1)
        names.update(d.name for d in declarations.read(compiler, [directory]))
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "front_names.inc").write_text("".join(f'SKEL_NAME("{name}")\n' for name in sorted(names)))
    stubs = [X86.format(name=name, number=number, offset=8 * number) for number, name in enumerate(sorted(names))]
    (out / "front_stubs.S").write_text(X86_FIRST + "".join(stubs) + '    .section .note.GNU-stack,"",@progbits\n')


call_table.main_guard(main)
