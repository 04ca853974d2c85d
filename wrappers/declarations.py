"""Reads the functions that an mpi.h declares (preprocessed text), so that every one of them gets a wrapper."""
import dataclasses
import re
import subprocess

SKIPPED = re.compile(r"MPI_T_|MPI_(DUP_FN|NULL_\w+|\w+_NULL_(COPY|DELETE)_FN|\w+_DUP_FN|CONVERSION_FN_NULL\w*)$")


@dataclasses.dataclass
class Declaration:
    name: str
    returns: str
    parameters: str  # verbatim
    names: list

    @property
    def variadic(self):
        return "..." in self.parameters


def parameter_names(text):
    if text.strip() in ("", "void"):
        return []
    names = []
    for part in text.split(","):
        part = re.sub(r"\[[^\]]*\]", "", part).strip()
        if part == "...":
            continue
        names.append(re.search(r"(\w+)$", part).group(1))
    return names


def read(compiler, include_dirs):
    """Declarations of all MPI_* functions, ordered by name."""
    command = [compiler, "-E", "-P", "-xc", "-"] + [f"-I{directory}" for directory in include_dirs]
    text = subprocess.run(command, input="#include <mpi.h>\n", stdout=subprocess.PIPE, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    text = re.sub(r"\s+", " ", text)
    found = {}
    for match in re.finditer(r"(?<![\w*])((?:const )?\w+(?: ?\*)?) ?\b(MPI_[A-Z]\w*) ?\(([^;{}]*?)\) ?;", text):
        returns, name, parameters = match.groups()
        if returns.split()[0] in ("return", "typedef") or "(" in parameters or SKIPPED.match(name):
            continue
        found[name] = Declaration(name, returns.replace("extern ", ""), parameters.strip(), parameter_names(parameters))
    return [found[name] for name in sorted(found)]
