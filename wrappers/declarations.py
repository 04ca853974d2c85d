"""What an mpi.h declares: runs the C preprocessor and reads the prototypes of the MPI_* functions."""
import dataclasses
import re
import subprocess


@dataclasses.dataclass
class Declaration:
    name: str
    result: str  # "int"
    types: list  # per parameter, as declared: "const int [][3]"
    names: list  # per parameter
    declared: list  # per parameter, type and name as C wants them
    variadic: bool

    def parameter_list(self):
        return ", ".join(self.declared) or "void"

    def arguments(self):
        return ", ".join(self.names)


def without_attributes(text):
    """Drops __attribute__((...)) with whatever stands between its parentheses."""
    out, at = [], 0
    for match in re.finditer(r"__attribute__\s*\(", text):
        if match.start() < at:
            continue
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        out.append(text[at:match.start()])
        at = end
    return "".join(out) + text[at:]


def parse_parameter(text, number):
    """'const int array[]' -> (type, name, text). A parameter without a name gets one."""
    text = " ".join(text.split())
    match = re.fullmatch(r"(.*?)(\w+)((?:\s*\[\d*\])*)", text)
    # A lone type ("MPI_Comm", "unsigned int") has no name.
    if not match or not match.group(1).strip() or match.group(1).split() == ["const"] or match.group(2) in ("int", "char", "void"):
        name = f"argument_{number}"
        return text, name, f"{text} {name}"
    return (match.group(1).strip() + " " + match.group(3).replace(" ", "")).strip(), match.group(2), text


CAPTURED = r"MPI_(?!T_)\w+"  # names of functions that may stand in the tables


def read(compiler, options, names=CAPTURED):
    """All functions whose names match (MPI_*, not MPI_T_*), by name: {name: Declaration}.

    options: folders with mpi.h, or options of the compiler."""
    command = [compiler, "-E", "-P", *(option if option.startswith("-") else f"-I{option}" for option in options), "-x", "c", "-"]
    text = subprocess.run(command, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    found = {}
    for statement in re.split(r"[;{}]", without_attributes(text)):
        match = re.fullmatch(r"\s*(?:extern\s+)?([\w\s]+?[\s*]+)(" + names + r")\s*\((.*)\)\s*", statement, re.S)
        if not match or "typedef" in match.group(1):
            continue
        pieces = [piece.strip() for piece in match.group(3).split(",")]
        if pieces in ([""], ["void"]):
            pieces = []
        variadic = "..." in pieces
        parameters = [parse_parameter(piece, i) for i, piece in enumerate(pieces) if piece != "..."]
        found[match.group(2)] = Declaration(match.group(2), " ".join(match.group(1).split()), [p[0] for p in parameters],
                                            [p[1] for p in parameters], [p[2] for p in parameters], variadic)
    return found
