"""Reads mpi_calls.table: what every generator below wrappers/ starts from."""
import dataclasses
import pathlib
import re
import sys

ROLES = ("buffer count counts displs datatype datatypes op peer root tag comm newcomm group newgroup request requests status statuses flag "
         "index indices color key integer integers newtype newop aint aints message").split()
KINDS = ("environment local send recv sendrecv probe match recv_matched send_init recv_init start request_free attach detach complete test collective "
         "comm_create comm_free type_create type_free op_create op_free init finalize abort").split()
IN_EVENT = ("buffer", "newcomm", "newgroup", "newtype", "newop", "request", "requests", "status", "statuses", "flag", "index", "indices", "message")
STARTS = ("init", "finalize", "abort")  # kinds whose wrappers are written by hand


@dataclasses.dataclass
class Parameter:
    name: str
    role: str  # of ROLES, or "void": not recorded
    direction: str = "in"
    spans: tuple = ()  # names: (count, datatype) or (counts, displs, datatype)
    per_rank: bool = False
    own_share: bool = False
    root_only: bool = False
    length: str = ""  # a parameter's name, "ranks" or "topology"; "" for scalars
    times: int = 1  # elements per unit of length

    def is_array(self):
        return self.length != ""

    def in_event(self):
        """Whether its value stands in each event, because it changes from call to call, and not in the signature."""
        return self.role in IN_EVENT


@dataclasses.dataclass
class Call:
    name: str
    kind: str
    later: bool
    parameters: list

    def index(self, name):
        return next(i for i, p in enumerate(self.parameters) if p.name == name)

    def recorded(self):
        return [p for p in self.parameters if p.role != "void"]


class TableError(Exception):
    pass


def parse_parameter(words, where):
    if words[0] == "void":
        return Parameter(words[1], "void")
    if len(words) < 3 or words[0] not in ("in", "out", "inout") or words[1] not in ROLES:
        raise TableError(f"{where}: expected DIRECTION ROLE NAME, got {' '.join(words)}")
    parameter = Parameter(words[2], words[1], words[0])
    if parameter.role in ("counts", "displs", "datatypes"):
        parameter.length = "ranks"
    rest = " ".join(words[3:])
    patterns = ((r"spans (\w+) (\w+) (\w+)(?= per rank| own share| root only|$)", lambda m: setattr(parameter, "spans", m.groups())),
                (r"spans (\w+) (\w+)(?= per rank| own share| root only|$)", lambda m: setattr(parameter, "spans", m.groups())),
                (r"per rank", lambda m: setattr(parameter, "per_rank", True)),
                (r"own share", lambda m: setattr(parameter, "own_share", True)),
                (r"root only", lambda m: setattr(parameter, "root_only", True)),
                (r"length (\w+) times (\d+)", lambda m: (setattr(parameter, "length", m.group(1)), setattr(parameter, "times", int(m.group(2))))),
                (r"length (\w+)", lambda m: setattr(parameter, "length", m.group(1))))
    while rest:
        for pattern, apply in patterns:
            match = re.match(pattern, rest)
            if match:
                apply(match)
                rest = rest[match.end():].strip()
                break
        else:
            raise TableError(f"{where}: what does '{rest}' mean?")
    return parameter


def read(path):
    """Returns (calls by name, names of harmless functions) of a table and those that it includes. Throws TableError with file and line."""
    calls, local, call = {}, set(), None
    with open(path) as table:
        for number, line in enumerate(table, 1):
            where = f"{path}:{number}"
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "include":
                more, more_local = read(pathlib.Path(path).parent / words[1])
                both = set(more) & set(calls)
                if both:
                    raise TableError(f"{where}: {' '.join(sorted(both))} stands twice")
                calls.update(more)
                local.update(more_local)
            elif words[0] == "call":
                if len(words) < 4 or words[2] != "does" or words[3] not in KINDS or words[4:] not in ([], ["completes", "later"]):
                    raise TableError(f"{where}: expected 'call NAME does KIND [completes later]'")
                call = Call(words[1], words[3], len(words) > 4, [])
                if call.name in calls:
                    raise TableError(f"{where}: {call.name} stands twice")
                calls[call.name] = call
            elif words[0] == "local":
                local.update(words[1:])
            elif call is None:
                raise TableError(f"{where}: a parameter before the first call")
            else:
                call.parameters.append(parse_parameter(words, where))
    for call in calls.values():
        names = {p.name for p in call.parameters}
        for parameter in call.parameters:
            for name in parameter.spans:
                if name not in names:
                    raise TableError(f"{path}: {call.name}: {parameter.name} spans {name}, which is no parameter")
            if parameter.length and parameter.length not in ("ranks", "topology") and parameter.length not in names:
                raise TableError(f"{path}: {call.name}: {parameter.name} has length {parameter.length}, which is no parameter")
    both = local & set(calls)
    if both:
        raise TableError(f"{path}: both 'call' and 'local': {' '.join(sorted(both))}")
    return calls, local


def main_guard(run):
    """Runs a generator's main; a mistake in the table is one line and exit status 1."""
    try:
        run()
    except TableError as error:
        sys.exit(f"mpi_calls.table: {error}")
