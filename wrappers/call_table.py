"""Reads mpi_calls.table: what every generator below wrappers/ starts from."""
import copy
import dataclasses
import fnmatch
import pathlib
import re
import sys

ROLES = ("buffer count counts displs datatype datatypes op peer root tag comm newcomm group newgroup request requests status statuses flag "
         "index indices color key integer integers newtype newop aint aints message "
         "win file info infos errhandler session offset text texts address target").split()
KINDS = ("environment local send recv sendrecv probe match recv_matched send_init recv_init collective_init start ask cancel request_free attach detach complete test collective "
         "comm_create comm_free type_create type_free op_create op_free "
         "win_create win_free win_attach win_detach rma win_fence win_post win_start win_complete win_wait win_local file_open file_close file_local file_collective file_delete init finalize abort").split()
RECORDED_ONLY = ("timed", "unreplayed")  # recorded, but not replayed
ARRAYS = ("counts", "displs", "datatypes", "requests", "status", "statuses", "indices", "integers", "aints", "infos", "text", "texts")  # by role
IN_EVENT = ("buffer", "newcomm", "newgroup", "newtype", "newop", "request", "requests", "status", "statuses", "flag", "index", "indices", "message",
            "offset", "address")


@dataclasses.dataclass
class Parameter:
    name: str
    role: str  # of ROLES, or "void": not recorded
    direction: str = "in"
    spans: tuple = ()  # names: (count, datatype) or (counts, displs, datatype)
    counted: str = ""  # "bytes": spans is the number of bytes alone; "one": the datatype alone, of one element
    spans_times: str = ""  # so many times what spans says: a parameter
    per_rank: str = ""  # "peers", or "own": once for each of the caller's own group
    per_neighbour: str = ""  # "in" or "out": once for each of the caller's neighbours in the topology
    own_share: bool = False
    root_only: bool = False
    not_first: bool = False
    length: str = ""  # "n", "sum n", "last n" of a parameter n, "ranks", "own ranks", "topology", "neighbours in", "null", "envelope integers"...; "" for scalars
    times: int = 1  # elements per unit of length
    at_most: str = ""  # a parameter

    def is_array(self):
        return self.role in ARRAYS

    def in_event(self):
        """Whether its value stands in each event, because it changes from call to call or is an outcome, and not in the signature."""
        return self.role in IN_EVENT or self.direction == "out"


@dataclasses.dataclass
class Call:
    name: str
    kind: str
    later: bool
    special: bool
    chapter: str
    parameters: list
    large: bool = False  # has MPI_Count where the call without _c has int
    in_place: bool = False  # buffers may be MPI_IN_PLACE
    found: list = dataclasses.field(default_factory=list)  # no parameters of the call: what the trace says of it later, for the replay

    def index(self, name):
        return next(i for i, p in enumerate(self.parameters) if p.name == name)

    def recorded(self):
        return [p for p in self.parameters if p.role != "void"]

    def of_neighbours(self):
        """Whether what it says to whom depends on the caller's neighbours in a topology."""
        return self.kind.startswith("collective") and any(p.per_neighbour or p.length.startswith("neighbours") for p in self.parameters)

    def replayed(self):
        return self.kind not in RECORDED_ONLY


@dataclasses.dataclass
class Pass:
    pattern: str
    chapter: str
    reason: str


@dataclasses.dataclass
class Table:
    calls: dict  # by name
    passed: list  # of Pass

    def passed_because(self, name):
        """The Pass that a function falls under, or None."""
        return next((p for p in self.passed if fnmatch.fnmatchcase(name, p.pattern)), None)


class TableError(Exception):
    pass


PHRASES = (
    (r"spans bytes (\w+)", lambda p, m: (setattr(p, "spans", m.groups()), setattr(p, "counted", "bytes"))),
    (r"spans one (\w+)", lambda p, m: (setattr(p, "spans", m.groups()), setattr(p, "counted", "one"))),
    (r"spans (\w+) (\w+) (\w+)(?= times| per rank| per own rank| per neighbour| own share| root only| not first|$)", lambda p, m: setattr(p, "spans", m.groups())),
    (r"spans (\w+) (\w+)(?= times| per rank| per own rank| per neighbour| own share| root only| not first|$)", lambda p, m: setattr(p, "spans", m.groups())),
    (r"times (\w+)", lambda p, m: setattr(p, "spans_times", m.group(1))),
    (r"per rank", lambda p, m: setattr(p, "per_rank", "peers")),
    (r"per own rank", lambda p, m: setattr(p, "per_rank", "own")),
    (r"per neighbour (in|out)", lambda p, m: setattr(p, "per_neighbour", m.group(1))),
    (r"own share", lambda p, m: setattr(p, "own_share", True)),
    (r"root only", lambda p, m: setattr(p, "root_only", True)),
    (r"not first", lambda p, m: setattr(p, "not_first", True)),
    (r"at most (\w+)", lambda p, m: setattr(p, "at_most", m.group(1))),
    (r"length (\w+) times (\d+)", lambda p, m: (setattr(p, "length", m.group(1)), setattr(p, "times", int(m.group(2))))),
    (r"length ((?:(?:sum|last|own|envelope|neighbours) )?\w+)", lambda p, m: setattr(p, "length", m.group(1))))


def parse_parameter(words, where):
    if words[0] == "void":
        return Parameter(words[1], "void")
    if len(words) < 3 or words[0] not in ("in", "out", "inout") or words[1] not in ROLES:
        raise TableError(f"{where}: expected DIRECTION ROLE NAME, got {' '.join(words)}")
    parameter = Parameter(words[2], words[1], words[0])
    if parameter.role in ("counts", "displs", "datatypes"):
        parameter.length = "ranks"
    rest = " ".join(words[3:])
    while rest:
        for pattern, apply in PHRASES:
            match = re.match(pattern, rest)
            if match:
                apply(parameter, match)
                rest = rest[match.end():].strip()
                break
        else:
            raise TableError(f"{where}: what does '{rest}' mean?")
    return parameter


def parse_call(words, where, chapter, table):
    """'call NAME does KIND [completes later] [special] [like CALL]'"""
    match = re.fullmatch(r"call (\w+) does (\w+)( completes later)?( special)?(?: like (\w+))?", " ".join(words))
    if not match or match.group(2) not in KINDS + list(RECORDED_ONLY):
        raise TableError(f"{where}: expected 'call NAME does KIND [completes later] [special] [like CALL]'")
    name, kind, later, special, like = match.groups()
    if not chapter:
        raise TableError(f"{where}: {name} stands in no chapter")
    if like and like not in table.calls:
        raise TableError(f"{where}: {name} is like {like}, which does not stand above")
    base = table.calls[like] if like else None
    return Call(name, kind, bool(later), bool(special), chapter, copy.deepcopy(base.parameters) if base else [],
                in_place=kind == "collective" or bool(base and base.in_place))


def large_twin(name, where, table):
    base = table.calls.get(name)
    if not base:
        raise TableError(f"{where}: {name} does not stand above")
    kind = "timed" if base.kind in ("local", "environment") else base.kind
    return Call(f"{name}_c", kind, base.later, False, base.chapter, copy.deepcopy(base.parameters), True, base.in_place)


def read_into(path, table, included):
    chapter, call = "", None

    def add(added, where):
        if added.name in table.calls:
            raise TableError(f"{where}: {added.name} stands twice")
        table.calls[added.name] = added
        return added

    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}:{number}"
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "include":
                included.append(pathlib.Path(path).parent / words[1])
            elif words[0] == "chapter":
                chapter, call = " ".join(words[1:]), None
            elif words[0] == "call":
                call = add(parse_call(words, where, chapter, table), where)
            elif words[0] == "large":
                for name in words[1:]:
                    add(large_twin(name, where, table), where)
            elif words[0] == "pass":
                patterns, because, reason = " ".join(words[1:]).partition(" because ")
                if not because or not reason or not chapter:
                    raise TableError(f"{where}: expected 'pass NAME... because REASON' in a chapter")
                table.passed += [Pass(pattern, chapter, reason) for pattern in patterns.split()]
            elif call is None:
                raise TableError(f"{where}: a parameter before the first call")
            elif words[0] == "found":
                call.found.append(parse_parameter(["out", *words[1:]], where))
            else:
                call.parameters.append(parse_parameter(words, where))


def check(call, path):
    """What a parameter refers to must be there."""
    names = {p.name for p in call.parameters}
    for parameter in call.parameters:
        for name in parameter.spans:
            if name not in names:
                raise TableError(f"{path}: {call.name}: {parameter.name} spans {name}, which is no parameter")
        kind, _, name = parameter.length.rpartition(" ")
        words = {"own": ("ranks",), "envelope": ("integers", "addresses", "datatypes"), "neighbours": ("in", "out")}
        known = name in words[kind] if kind in words else name in names or not kind and name in ("ranks", "topology", "null")
        if parameter.length and not known:
            raise TableError(f"{path}: {call.name}: {parameter.name} has length {parameter.length}, which is no parameter")
        if parameter.at_most and parameter.at_most not in names:
            raise TableError(f"{path}: {call.name}: {parameter.name} has at most {parameter.at_most}, which is no parameter")


def read(path):
    """The Table in a file and those that it includes, one after the other behind it. Throws TableError with file and line."""
    table = Table({}, [])
    included = [path]
    for file in included:  # grows while it is read
        read_into(file, table, included)
    for call in table.calls.values():
        check(call, path)
        if table.passed_because(call.name):
            raise TableError(f"{path}: {call.name} is both captured and passed")
    return table


def main_guard(run):
    """Runs a generator's main; a mistake in the table is one line and exit status 1."""
    try:
        run()
    except TableError as error:
        sys.exit(f"mpi_calls.table: {error}")
