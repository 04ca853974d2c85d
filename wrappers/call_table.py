"""Reads mpi_calls.table: what every generator below wrappers/ starts from."""
import copy
import dataclasses
import fnmatch
import pathlib
import re
import sys

@dataclasses.dataclass
class Role:
    number: int
    name: str
    meaning: str
    differs: bool = False
    is_int: bool = False
    array_of: str = ""  # a role
    type: str = ""  # of the handle in C
    slot: str = ""
    stands_for: str = ""  # of handles: a role
    words: tuple = ()  # (value, name)


@dataclasses.dataclass
class Codes:
    name: str
    words: tuple  # (value, name)
    flags: bool
    open: bool


@dataclasses.dataclass
class Vocabulary:
    """What mpi_roles.table says."""
    roles: dict  # by name
    kinds: dict  # meanings by name
    recorded_only: dict  # the same of those that are not replayed
    attributes: dict  # name -> (values, meaning)
    codes: dict  # by name


class TableError(Exception):
    pass


def parse_words(words):
    return tuple((int(word.split("=")[0]), word.split("=")[1]) for word in words)


def read_vocabulary(path):
    all = Vocabulary({}, {}, {}, {}, {})
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        text, _, meaning = line.partition(" -- ")
        words = text.split("#")[0].split()
        what, rest = " ".join(words[:1]), " ".join(words[1:])
        values = re.findall(r"-?\d+=\S+", rest)
        role = re.fullmatch(r"(\d+) (\w+)( differs)?( int)?(?: type (\w+))?(?: array of (\w+))?(?: slot (\w))?(?: of (\w+))?(?: -?\d+=\S+)*", rest)
        codes = re.fullmatch(r"(\w+)( flags)?( open)?(?: -?\d+=\S+)+", rest)
        if what == "role" and role:
            own, name, differs, is_int, type_, array_of, slot, of = role.groups()
            all.roles[name] = Role(int(own), name, meaning, bool(differs), bool(is_int), array_of or "", type_ or "", slot or "", of or "", parse_words(values))
        elif what == "kind" and len(words) in (2, 4):
            (all.recorded_only if words[2:] == ["recorded", "only"] else all.kinds)[words[1]] = meaning
        elif what == "attribute" and len(words) > 3:
            all.attributes[words[1]] = (words[2:], meaning)
        elif what == "codes" and codes:
            all.codes[words[1]] = Codes(words[1], parse_words(values), bool(codes.group(2)), bool(codes.group(3)))
        elif words:
            raise TableError(f"{path}:{number}: what does '{line}' mean?")
    return all


VOCABULARY = read_vocabulary(pathlib.Path(__file__).with_name("mpi_roles.table"))


@dataclasses.dataclass
class Parameter:
    name: str
    role: str  # of VOCABULARY.roles, or "void": not recorded
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
    code: str = ""  # of VOCABULARY.codes
    unweighted: bool = False  # may be MPI_UNWEIGHTED
    not_null: bool = False
    is_file: bool = False
    dimensions: bool = False
    cast: str = ""  # C type
    given: str = ""  # what a replay passes in C for a parameter that is not recorded; "": the address of an int

    def is_array(self):
        return self.role != "void" and bool(VOCABULARY.roles[self.role].array_of)

    def in_event(self):
        """Whether its value stands in each event, because it changes from call to call or is an outcome, and not in the signature."""
        return VOCABULARY.roles[self.role].differs or self.direction == "out"


@dataclasses.dataclass
class Call:
    name: str
    kind: str
    later: bool
    special: bool
    chapter: str
    parameters: list
    large: bool = False  # has MPI_Count where the call without _c has int
    attributes: dict = dataclasses.field(default_factory=dict)  # of VOCABULARY.attributes: value by name
    partitioned: bool = False
    measured: bool = False  # SMPI must not measure computation through it
    replayed_as: str = ""  # another call that has the same parameters
    emitted: tuple = ()  # the runtime's function that makes it, and names of parameters
    in_place: bool = False  # buffers may be MPI_IN_PLACE
    where: str = ""  # file and line of the table
    found: list = dataclasses.field(default_factory=list)  # no parameters of the call: what the trace says of it later, for the replay

    def index(self, name):
        return next(i for i, p in enumerate(self.parameters) if p.name == name)

    def recorded(self):
        return [p for p in self.parameters if p.role != "void"]

    def attribute(self, name):
        return self.attributes.get(name, VOCABULARY.attributes[name][0][0])

    def later_form(self):
        """The name that a call would have that does the same and completes later."""
        return f"MPI_I{self.name[4].lower()}{self.name[5:]}" if not self.later else ""

    def replayed(self):
        return self.kind not in VOCABULARY.recorded_only


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
    (r"code (\w+)", lambda p, m: setattr(p, "code", m.group(1))),
    (r"or unweighted", lambda p, m: setattr(p, "unweighted", True)),
    (r"not null", lambda p, m: setattr(p, "not_null", True)),
    (r"names a file", lambda p, m: setattr(p, "is_file", True)),
    (r"dimensions", lambda p, m: setattr(p, "dimensions", True)),
    (r"cast (\S+)", lambda p, m: setattr(p, "cast", m.group(1))),
    (r"length (\w+) times (\d+)", lambda p, m: (setattr(p, "length", m.group(1)), setattr(p, "times", int(m.group(2))))),
    (r"length ((?:(?:sum|last|own|envelope|neighbours) )?\w+)", lambda p, m: setattr(p, "length", m.group(1))))


def parse_parameter(words, where):
    if words[0] == "void" and words[2:3] in ([], ["given"]):
        return Parameter(words[1], "void", given=" ".join(words[3:]))
    if len(words) < 3 or words[0] not in ("in", "out", "inout") or words[1] not in VOCABULARY.roles:
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
    """'call NAME does KIND [ATTRIBUTE VALUE]... [partitioned] [completes later] [special] [measured] [like CALL | alias of CALL]'"""
    text = " ".join(words)
    head = re.match(r"call (\w+) does (\w+)", text)
    kinds = VOCABULARY.kinds | VOCABULARY.recorded_only
    if not head or head.group(2) not in kinds:
        raise TableError(f"{where}: expected 'call NAME does KIND'; kinds are {' '.join(kinds)}")
    name, kind = head.groups()
    said, at = {}, head.end()
    for match in re.compile(r" (?:(like|alias of) (\w+)|(partitioned|completes later|special|measured)|(\w+) (\w+))").finditer(text, at):
        like, base, word, attribute, value = match.groups()
        if match.start() != at or attribute and value not in VOCABULARY.attributes.get(attribute, ((),))[0]:
            break
        said[like or word or attribute] = base or value or True
        at = match.end()
    if at != len(text):
        raise TableError(f"{where}: what does '{text[at:].strip()}' mean?")
    if not chapter:
        raise TableError(f"{where}: {name} stands in no chapter")
    alias = said.get("alias of")
    like = said.get("like", alias)
    if like and like not in table.calls:
        raise TableError(f"{where}: {name} is like {like}, which does not stand above")
    base = table.calls[like] if like else Call("", "", False, False, "", [])
    inherited = {key: value for key, value in base.attributes.items() if key != "part"}  # each half of a call is itself
    return Call(name, kind, "completes later" in said, "special" in said, chapter, copy.deepcopy(base.parameters),
                attributes=inherited | {key: value for key, value in said.items() if key in VOCABULARY.attributes},
                partitioned="partitioned" in said or base.partitioned, measured="measured" in said, replayed_as=alias or "",
                in_place=kind == "collective" or base.in_place)


def large_twin(name, where, table):
    base = table.calls.get(name)
    if not base:
        raise TableError(f"{where}: {name} does not stand above")
    kind = "timed" if base.kind in ("local", "environment") else base.kind
    return dataclasses.replace(base, name=f"{name}_c", kind=kind, special=False, parameters=copy.deepcopy(base.parameters), large=True, found=[], measured=False,
                               replayed_as=name if kind not in VOCABULARY.recorded_only else "")


def read_into(path, table, included):
    chapter, call = "", None

    def add(added, where):
        if added.name in table.calls:
            raise TableError(f"{where}: {added.name} stands twice")
        table.calls[added.name] = added
        added.where = where
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
            elif words[:2] == ["emitted", "as"]:
                call.emitted = tuple(words[2:])
            else:
                call.parameters.append(parse_parameter(words, where))


# Roles of parameters without which a call of this kind cannot be replayed.
NEEDED = {"ask": [["request"]], "send": [["peer"], ["tag"], ["comm"]], "recv": [["peer"], ["comm"]], "sendrecv": [["peer"], ["comm"]], "collective": [["comm"]],
          "complete": [["request", "requests"]], "start": [["request", "requests"]], "cancel": [["request"]], "send_init": [["request"], ["comm"]],
          "recv_init": [["request"], ["comm"]], "collective_init": [["request"], ["comm"]]}


def check(call):
    """What a parameter refers to must be there; it is known who waits in a collective call."""
    names, roles = {p.name for p in call.parameters}, {p.role for p in call.parameters}
    for one_of in NEEDED.get(call.kind, []):
        if roles.isdisjoint(one_of):
            raise TableError(f"{call.where}: {call.name} does {call.kind} without a parameter that is {' or '.join(one_of)}")
    if (call.kind in ("collective", "collective_init")) != (call.attribute("flow") != "none"):
        raise TableError(f"{call.where}: {call.name} does {call.kind} with the flow {call.attribute('flow')}")
    for parameter in call.parameters:
        for name in parameter.spans:
            if name not in names:
                raise TableError(f"{call.where}: {call.name}: {parameter.name} spans {name}, which is no parameter")
        kind, _, name = parameter.length.rpartition(" ")
        words = {"own": ("ranks",), "envelope": ("integers", "addresses", "datatypes"), "neighbours": ("in", "out")}
        known = name in words[kind] if kind in words else name in names or not kind and name in ("ranks", "topology", "null")
        if parameter.length and not known:
            raise TableError(f"{call.where}: {call.name}: {parameter.name} has length {parameter.length}, which is no parameter")
        if parameter.at_most and parameter.at_most not in names:
            raise TableError(f"{call.where}: {call.name}: {parameter.name} has at most {parameter.at_most}, which is no parameter")
        if parameter.code and parameter.code not in VOCABULARY.codes:
            raise TableError(f"{call.where}: {call.name}: {parameter.name} has the code {parameter.code}, which stands in no table")


def read(path):
    """The Table in a file and those that it includes, one after the other behind it. Throws TableError with file and line."""
    table = Table({}, [])
    included = [path]
    for file in included:  # grows while it is read
        read_into(file, table, included)
    for call in table.calls.values():
        check(call)
        if table.passed_because(call.name):
            raise TableError(f"{call.where}: {call.name} is both captured and passed")
    return table


def main_guard(run):
    """Runs a generator's main; a mistake in the table is one line and exit status 1."""
    try:
        run()
    except TableError as error:
        sys.exit(str(error))
