"""generate_forwarding.py WRAPPERS_DIR FLAVOUR OUT_DIR COMPILER INCLUDE_DIR|-DMACRO...: an MPI that does nothing but remember what it was given, and a
program that calls every function of mpi.h once, in C and by those Fortran names that the capture library has wrappers for, and compares.

Writes fake_mpi.c, fake_variables.c (what mpi.h declares besides functions), forwarding.c, names.txt (the functions called in C),
fortran_names.txt (the function of each Fortran name that is called) and declarations.c (what was read from mpi.h, to be compiled beside it)."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import call_table  # noqa: E402
import declarations  # noqa: E402
import fortran_text  # noqa: E402

VERSION = {"mpich": "MPICH Version: fake", "openmpi": "Open MPI v4.1.4, fake", "smpi": "SMPI Version fake"}
BESIDES = {"smpi": """#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
static double fake_clock;
double simgrid_get_clock(void) { return fake_clock += 1e-6; }
aid_t sg_actor_self_get_pid(void) { return 1; }
sg_host_t sg_host_self(void) { return NULL; }
const char* sg_host_self_get_name(void) { return "host"; }
double sg_host_get_speed(const_sg_host_t host) { return 1e9; }
void smpi_bench_begin(void) {}
void smpi_bench_end(void) {}
MPI_Comm smpi_process_comm_self(void) { return NULL; }
MPI_Info smpi_process_info_env(void) { return NULL; }
"""}  # what its library has besides MPI
ASKED = ("MPI_Group_size", "MPI_Op_commutative")  # the library itself asks these of what it has not seen before; the last call counts
LEFT_OUT = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort")  # each means more than a call here

HEAD = """#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
"""
FAKE = HEAD + """int fake_current = -1, fake_calls;
unsigned char fake_seen[1024];
size_t fake_bytes;
void fake_add(const void* value, size_t bytes) { memcpy(fake_seen + fake_bytes, value, bytes); fake_bytes += bytes; }
"""
PROGRAM = HEAD + """extern int fake_current, fake_calls;
extern unsigned char fake_seen[1024];
extern size_t fake_bytes;
static char area[16][4096];
static unsigned char given[1024];
static size_t given_bytes;
static int wrong;
static void begin(int number) { fake_current = number; fake_calls = 0; fake_bytes = given_bytes = 0; memset(area, 0, sizeof area); }
static void add(const void* value, size_t bytes) { memcpy(given + given_bytes, value, bytes); given_bytes += bytes; }
static void end(const char* name, int calls, int same_result) {
  fake_current = -1;
  if (fake_calls == calls && fake_bytes == given_bytes && !memcmp(given, fake_seen, given_bytes) && same_result) return;
  printf("%s: called %d times, %s arguments, %s result\\n", name, fake_calls,
         fake_bytes == given_bytes && !memcmp(given, fake_seen, given_bytes) ? "the same" : "other", same_result ? "the same" : "another");
  wrong = 1;
}
"""


def result_of(function, number):
    return f"({function.result})(long){number % 2 * 15}"  # MPI_SUCCESS and an error in turn


def fake_c(f, number, answer):
    if f.variadic:  # two more arguments, which the program gives
        remember = f" va_list more; va_start(more, {f.names[-1]}); const int a = va_arg(more, int), b = va_arg(more, int); fake_add(&{f.names[-1]}, 4);"
        remember += " fake_add(&a, 4); fake_add(&b, 4);"
    else:
        remember = "".join(f" fake_add(&{name}, sizeof {name});" for name in f.names)
    parameters = f.parameter_list() + (", ..." if f.variadic else "")
    text = (f"{f.result} P{f.name}({parameters}) {{\n  if (fake_current != {number}) {{ {answer} return ({f.result})0; }}\n"
            f"  fake_calls++;\n  fake_bytes = 0;{remember}\n  return {result_of(f, number)};\n}}\n")
    own = "-1" if f.variadic else f"P{f.name}({f.arguments()})"
    return text + f"{f.result} {f.name}({parameters}) {{ return {own}; }}\n"


def call_c(f, number):
    lines = [f"  {{\n    begin({number});\n"]
    for i, (kind, name) in enumerate(zip(f.types, f.names)):
        pointer = "*" in kind or "[" in kind
        plain = "void*" if pointer else kind.replace("const ", "")
        value = f"area[{i}]" if pointer else f"({plain})(long){0 if name == 'root' else i + 1}"
        lines.append(f"    {plain} a{i} = {value};\n    add(&a{i}, sizeof a{i});\n")
    arguments = [f"a{i}" for i in range(len(f.names))]
    if f.variadic:
        lines.append("    const int b0 = 77, b1 = 78;\n    add(&b0, 4);\n    add(&b1, 4);\n")
        arguments += ["b0", "b1"]
    lines.append(f"    {f.result} result = {f.name}({', '.join(arguments)});\n"
                 f"    end(\"{f.name}\", {1 + (f.name in ASKED)}, result == {result_of(f, number)});\n  }}\n")
    return "".join(lines)


def fortran(call, declaration, name, real, number):
    """(the fake's function, the program's call): addresses, the error code, the lengths of texts."""
    wrapper = fortran_text.FortranWrapper(call, declaration)
    arguments, result = wrapper.arguments({}), wrapper.result_type()
    names = arguments.split(", ") if arguments else []
    remember = "".join(f" fake_add(&{n}, sizeof {n});" for n in names)
    fail = f" *ierror_ = {number % 2 * 15};" if wrapper.subroutine else ""
    end = "" if result == "void" else f" return ({result})3;"
    fake = (f"{result} {real}({wrapper.parameter_list()}) {{\n  if (fake_current != {number}) return{' 0' if end else ''};\n"
            f"  fake_calls++;\n  fake_bytes = 0;{remember}{fail}{end}\n}}\n")
    if name != real:
        fake += f"{result} {name}({wrapper.parameter_list()}) {{{' return' if end else ''} {real}({arguments}); }}\n"
    lines = [f"  {{\n    begin({number});\n    extern {result} {name}({wrapper.parameter_list()});\n"]
    values = []
    for i, n in enumerate(names):
        value = f"{i + 1}" if n.startswith("bytes_") else f"(void*)area[{i}]"
        kind = "size_t" if n.startswith("bytes_") else "void*"
        lines.append(f"    {kind} a{i} = {value};\n    add(&a{i}, sizeof a{i});\n")
        values.append(f"a{i}")
    called = f"{name}({', '.join(values)})"
    if wrapper.subroutine:
        error = f"*(int*)a{names.index('ierror_')} == {number % 2 * 15}"
        lines.append(f"    {called};\n    end(\"{name}\", 1, {error});\n  }}\n")
    else:
        lines.append(f"    {result} result = {called};\n    end(\"{name}\", 1, result == ({result})3);\n  }}\n")
    return fake, "".join(lines)


def variables(compiler, options):
    """Names of the variables that mpi.h declares."""
    command = [compiler, "-E", "-P", *(option if option.startswith("-") else f"-I{option}" for option in options), "-x", "c", "-"]
    text = subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    text = declarations.without_attributes(text)
    return sorted(set(re.findall(r"\bextern\s+(?:struct\s+)?\w+[\s*]+(\w+)\s*;", text)) - {"MPIR_C_MPI_UNWEIGHTED"})


def main():
    flavour, out, compiler, *options = sys.argv[2:]
    out = pathlib.Path(out)
    table = call_table.read(pathlib.Path(sys.argv[1]) / "mpi_calls.table")
    declared = declarations.read(compiler, options)
    version, length = declared["MPI_Get_library_version"].names
    answers = {"MPI_Get_library_version": f'strcpy({version}, "{VERSION[flavour]}"); *{length} = 5;', "MPI_Comm_size": "*size = 1;"}
    functions = list(declared.values())
    called = [f for f in functions if f.name not in LEFT_OUT]
    fake = [FAKE] + [fake_c(f, number, answers.get(f.name, "")) for number, f in enumerate(functions)]
    program = [PROGRAM, "static void in_c(void) {\n"] + [call_c(f, number) for number, f in enumerate(functions) if f in called] + ["}\n"]
    program.append("static void in_fortran(void) {\n")
    number, in_fortran = len(functions), []
    for f in functions:
        if f.name not in table.calls or table.calls[f.name].special:
            continue
        for name, real in fortran_text.names(flavour, table.calls[f.name]):
            one, call = fortran(table.calls[f.name], f, name, real, number)
            fake.append(one)
            program.append(call)
            in_fortran.append(f.name)
            number += 1
    program.append("}\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  if (argc > 1) in_fortran(); else in_c();\n"
                   "  MPI_Finalize();\n  return wrong;\n}\n")
    (out / "fake_mpi.c").write_text("".join(fake) + BESIDES.get(flavour, ""))
    (out / "fake_variables.c").write_text("".join(f"char {name}[1024] __attribute__((aligned(64)));\n" for name in variables(compiler, options)))
    (out / "forwarding.c").write_text("".join(program))
    (out / "names.txt").write_text("".join(f"{f.name}\n" for f in called))
    (out / "fortran_names.txt").write_text("".join(f"{name}\n" for name in in_fortran))
    (out / "declarations.c").write_text("#include <mpi.h>\n" + "".join(
        f"{f.result} {f.name}({f.parameter_list()}{', ...' if f.variadic else ''});\n" for f in functions))


main()
