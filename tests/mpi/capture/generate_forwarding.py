"""generate_forwarding.py WRAPPERS_DIR OUT_DIR COMPILER INCLUDE_DIR: an MPI that does nothing but remember what it was given, and a program that calls
every function of mpi.h once and compares. Writes fake_mpi.c and forwarding.c."""
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import declarations  # noqa: E402

SPECIAL = {"MPI_Get_library_version": 'strcpy(version, "MPICH Version: fake"); *resultlen = 5;', "MPI_Comm_size": "*size = 1;"}
ASKED = ("MPI_Group_size",)  # the library itself asks these of the call's group first; the last call counts
LEFT_OUT = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort")  # each means more than a call here

HEAD = """#include <mpi.h>
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
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
"""


def result_of(function, number):
    return f"({function.result})(long){number % 2 * 15}"  # MPI_SUCCESS and an error in turn


def main():
    out, compiler, include = sys.argv[2:]
    out = pathlib.Path(out)
    functions = [f for f in declarations.read(compiler, [include]).values() if not f.variadic]
    fake, program = [FAKE], [PROGRAM]
    for number, f in enumerate(functions):
        remember = "".join(f" fake_add(&{name}, sizeof {name});" for name in f.names)
        fake.append(f"{f.result} P{f.name}({f.parameter_list()}) {{\n  if (fake_current != {number}) {{ {SPECIAL.get(f.name, '')} return ({f.result})0; }}\n"
                    f"  fake_calls++;\n  fake_bytes = 0;{remember}\n  return {result_of(f, number)};\n}}\n"
                    f"{f.result} {f.name}({f.parameter_list()}) {{ return P{f.name}({f.arguments()}); }}\n")
        if f.name in LEFT_OUT:
            continue
        program.append(f"  {{\n    begin({number});\n")
        for i, (kind, name) in enumerate(zip(f.types, f.names)):
            pointer = "*" in kind or "[" in kind
            plain = "void*" if pointer else kind.replace("const ", "")
            value = f"area[{i}]" if pointer else f"({plain})(long){0 if name == 'root' else i + 1}"
            program.append(f"    {plain} a{i} = {value};\n    add(&a{i}, sizeof a{i});\n")
        arguments = ", ".join(f"a{i}" for i in range(len(f.names)))
        program.append(f"    {f.result} result = {f.name}({arguments});\n    end(\"{f.name}\", {1 + (f.name in ASKED)}, result == {result_of(f, number)});\n  }}\n")
    program.append('  MPI_Finalize();\n  return wrong;\n}\n')
    (out / "fake_mpi.c").write_text("".join(fake))
    (out / "forwarding.c").write_text("".join(program))


main()
