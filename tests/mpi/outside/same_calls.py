#!/usr/bin/env python3
"""same_calls.py ORIGINAL REPLAY: two texts of `skelgen dump`, of a program and of its skeleton, compared call by call.

Shares no code with what it checks: it knows the two texts and MPI's rules, nothing of skelgen's tables, canonical names or folding. Each rank's
calls are brought into a form of its own, in which every argument counts, with these exceptions:

  communicator   its members (ranks of MPI_COMM_WORLD, in order) and which of those with the same members it is, found from the calls
                 that made it on all ranks
  datatype       its name, or the call that made it, with its arguments
  request        the number of the call that started it; so arrays of requests are compared in order
  other handle   the number of the call that made it
  buffer         NULL, MPI_IN_PLACE, or the number of its address in order of first use
  index, indices where Waitany and its like completed one of several: the number of the call that started it

Left out on both sides are calls that only ask the clock or the machine, which a skeleton does not make, and tests that found nothing, whose
number depends on the moment. Prints what was compared and ends with 0; the first difference, and 1; what it cannot judge, and 2."""
import collections
import itertools
import re
import sys

ASKS_ONLY = {"MPI_Wtime", "MPI_Wtick", "MPI_Get_processor_name", "MPI_Get_version", "MPI_Get_library_version", "MPI_Initialized", "MPI_Finalized",
             "MPI_Query_thread", "MPI_Is_thread_main", "MPI_Error_string", "MPI_Error_class"}
MAKES_LIKE_PARENT = {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Cart_create", "MPI_Graph_create", "MPI_Dist_graph_create",
                     "MPI_Dist_graph_create_adjacent", "MPI_Comm_create"}
COMPLETES_ONE = {"MPI_Wait", "MPI_Test", "MPI_Request_free"}
# Handles that are no communicators, datatypes or requests: the parameter that a call sets, beside those that begin with "new".
MAKES = {"MPI_Win_create": "win", "MPI_Win_create_dynamic": "win", "MPI_Win_allocate": "win", "MPI_Win_allocate_shared": "win", "MPI_File_open": "fh", "MPI_Comm_group": "group",
         "MPI_Comm_remote_group": "group", "MPI_Win_group": "group", "MPI_File_get_group": "group", "MPI_Op_create": "op", "MPI_Info_create": "info", "MPI_Mprobe": "message",
         "MPI_Improbe": "message"}
FREES = {"MPI_Win_free", "MPI_File_close", "MPI_Group_free", "MPI_Op_free", "MPI_Info_free", "MPI_Mrecv", "MPI_Imrecv"}
USES_ONE = COMPLETES_ONE | {"MPI_Start", "MPI_Cancel", "MPI_Request_get_status"}

LINE = re.compile(r"(\d+)\.(\d+) (\d+) \S+ \S+ \S+ (\w+)\((.*)\)( failed: error class \d+)?$")
MADE = r"(?:comm|type|op):0x[0-9a-f]+(?:\[[^\]]*\])?"
ELEMENT = re.compile(rf"{MADE}|[^\s\]]+")
VALUE = re.compile(rf'(\w+)=("(?:\\.|[^"\\])*"(?: "(?:\\.|[^"\\])*")*|\[(?:{MADE}|[^\]])*\]|{MADE}|[^,]*)(?:, |$)')


class Unjudged(Exception):
    """The texts do not say enough."""


class Call:
    def __init__(self, function, text, failed):
        self.function, self.failed, self.values = function, failed or "", {}
        at = 0
        while at < len(text):
            value = VALUE.match(text, at)
            if not value:
                raise Unjudged(f"{function}({text}) cannot be read from {text[at:]}")
            name, value_text, at = value[1], value[2], value.end()
            self.values[name] = ELEMENT.findall(value_text[1:-1]) if value_text.startswith("[") else value_text

    def number(self, name):
        return int(self.values[name])

    def finds_nothing(self):
        """A test in vain."""
        return self.values.get("flag") == "0" or (self.function == "MPI_Testsome" and not self.values["indices"])


def read(text):
    """rank -> its calls"""
    ranks = collections.defaultdict(list)
    for line in text.splitlines():
        part = LINE.match(line)
        if not part:
            raise Unjudged(f"no line of a dump: {line}")
        if part[2] != "0":
            raise Unjudged("several threads of a rank call MPI")
        if part[4] not in ASKS_ONLY:
            ranks[int(part[1])].append(Call(part[4], part[5], part[6]))
    if sorted(ranks) != list(range(len(ranks))) or len(ranks) < 2:
        raise Unjudged(f"calls of ranks {sorted(ranks)}: two ranks or more are wanted, from 0 on")
    return [ranks[r] for r in range(len(ranks))]


# ---------------------------------------------------------------- communicators


def shown(value):
    """Handle, rank and size of `comm:0x84000000[1/4]`; None for the null handle."""
    part = re.fullmatch(r"comm:(0x[0-9a-f]+)\[(\d+)/(\d+)\]", value)
    return (part[1], int(part[2]), int(part[3])) if part else None


class Made:
    """A communicator as one rank knows it. `key` is the same on all of its members."""

    def __init__(self, key, rank, size, dims=None):
        self.key, self.rank, self.size, self.dims, self.children = key, rank, size, dims, 0


def coordinates(rank, dims):
    coordinates = []
    for extent in reversed(dims):
        coordinates.insert(0, rank % extent)
        rank //= extent
    return coordinates


def group_of(call, parent):
    """What tells the members apart of several communicators that one call makes on `parent`, which counts its children."""
    if call.function == "MPI_Comm_split":
        return call.values["color"]
    if call.function == "MPI_Cart_sub" and parent.dims:
        kept = [value not in ("0", "false") for value in call.values["remain_dims"]]
        return tuple(c for c, keep in zip(coordinates(parent.rank, parent.dims), kept) if not keep)
    if call.function in MAKES_LIKE_PARENT:
        return None
    raise Unjudged(f"{call.function}: the members of what it makes are not known")


def dims_of(call, parent):
    if call.function == "MPI_Cart_create":
        return [int(d) for d in call.values["dims"]]
    if call.function == "MPI_Cart_sub":
        return [d for d, keep in zip(parent.dims, call.values["remain_dims"]) if keep not in ("0", "false")]
    return parent.dims if call.function.startswith("MPI_Comm_dup") else None


class Communicators:
    """Of one rank: handles as they are at a call."""

    def __init__(self, rank, ranks):
        self.rank, self.ranks, self.live, self.all = rank, ranks, {}, []

    def of(self, value):
        handle, rank, size = shown(value) or (None, 0, 0)
        if handle is None:
            return None
        if handle not in self.live:
            if (rank, size) == (self.rank, self.ranks):
                self.add(handle, Made("world", rank, size))
            elif (rank, size) == (0, 1):
                self.add(handle, Made(("self", self.rank), rank, size))
            else:
                raise Unjudged(f"rank {self.rank}: nothing made {value}")
        return self.live[handle]

    def add(self, handle, made):
        self.live[handle] = made
        self.all.append(made)

    def after(self, call):
        """Keeps what the call made."""
        new = next((value for name, value in call.values.items() if name in ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintercomm")), None)
        if new is None:
            return
        old = call.values.get("comm", call.values.get("comm_old"))
        parent = self.of(old)
        parent.children += 1
        made = shown(new)
        if made:
            handle, rank, size = made
            key = (parent.key, parent.children, group_of(call, parent))
            self.add(handle, Made(key, rank, size, dims_of(call, parent)))


def members_of(ranks):
    """key -> its members, by their rank in it"""
    members = collections.defaultdict(dict)
    sizes = {}
    for rank, calls in enumerate(ranks):
        communicators = Communicators(rank, len(ranks))
        for call in calls:
            for name, value in call.values.items():
                if isinstance(value, str) and shown(value) and name in ("comm", "comm_old"):
                    communicators.of(value)
            communicators.after(call)
        for made in communicators.all:
            members[made.key][made.rank] = rank
            sizes[made.key] = made.size
    for key, of in members.items():
        # MPI_COMM_WORLD may not be named by all.
        if key == "world":
            members[key] = {rank: rank for rank in range(len(ranks))}
        elif sorted(of) != list(range(sizes[key])):
            raise Unjudged(f"{key}: ranks {sorted(of)} of {sizes[key]} are seen")
    return {key: tuple(of[i] for i in sorted(of)) for key, of in members.items()}


# ---------------------------------------------------------------- the calls of a rank


class Rank:
    """Brings a rank's calls into the form that is compared."""

    def __init__(self, rank, ranks, members):
        self.communicators, self.members = Communicators(rank, ranks), members
        self.types, self.requests, self.others = {}, collections.defaultdict(collections.deque), {}
        self.memory, self.persistent, self.number = {}, set(), 0

    def communicator(self, value):
        made = self.communicators.of(value)
        if not made:
            return "null"
        same = [other for other in self.communicators.all if self.members[other.key] == self.members[made.key]]
        return f"{{{' '.join(map(str, self.members[made.key]))}}}#{same.index(made)}"

    def datatype(self, value):
        return self.types.get(handle_of(value), value)

    def request(self, handle):
        if handle == "0x0":
            return "null"
        if not self.requests[handle]:
            raise Unjudged(f"call {self.number}: nothing started request {handle}")
        return self.requests[handle][0]

    def complete(self, handle):
        """Of several requests with one handle the oldest ends first."""
        if handle != "0x0" and handle not in self.persistent:
            self.requests[handle].popleft()

    def requests_of(self, call):
        """The requests that an array names; what the call completes of them."""
        named = call.values.get("requests", call.values.get("array_of_requests", []))
        numbers, taken = [], collections.Counter()
        for handle in named:
            if handle != "0x0" and taken[handle] >= len(self.requests[handle]):
                raise Unjudged(f"call {self.number}: nothing started request {handle}")
            numbers.append("null" if handle == "0x0" else self.requests[handle][taken[handle]])
            taken[handle] += handle not in self.persistent
        if call.function in ("MPI_Waitall", "MPI_Testall"):
            done = range(len(named))
        elif "index" in call.values:
            done = [] if call.values["index"] == "MPI_UNDEFINED" else [call.number("index")]
        else:
            done = [int(i) for i in call.values.get("indices", [])]
        # From the last one on: an earlier one of the same handle keeps its place.
        for i in sorted(done, reverse=True):
            if named[i] != "0x0" and named[i] not in self.persistent:
                self.requests[named[i]].remove(numbers[i])
        return numbers, [numbers[i] for i in done]

    def form(self, call):
        """The call as text, or None if it is not compared."""
        self.number += not call.finds_nothing()
        parts, makes = [], None
        starts = "request" in call.values and call.function not in USES_ONE
        array = self.requests_of(call) if "requests" in call.values or "array_of_requests" in call.values else None
        for name, value in call.values.items():
            if name in ("requests", "array_of_requests"):
                text = " ".join(map(str, array[0]))
            elif name in ("index", "indices"):
                text = " ".join(map(str, array[1])) if array else str(value)
            elif name == "request" and starts:
                text = "new"
            elif name == "request":
                text = str(self.request(value))
            elif name in ("newcomm", "comm_cart", "comm_graph", "comm_dist_graph", "newintercomm"):
                makes, text = name, "new"
            elif isinstance(value, list):
                text = " ".join(self.datatype(v) if "type" in name else v for v in value)
            elif "buf" in name or name in ("buffer", "base", "origin_addr", "result_addr", "compare_addr", "baseptr"):
                text = value if value in ("NULL", "MPI_IN_PLACE") else f"memory {self.memory.setdefault(value, len(self.memory))}"
            elif shown(value):
                text = self.communicator(value)
            elif name == "newtype":
                text = "new"
            elif "type" in name and (value.startswith("type:") or handle_of(value) in self.types):
                text = self.datatype(value)
            elif re.fullmatch(r"(op:)?0x[0-9a-f]+", value) and value != "0x0":
                text = self.other(call.function, name, handle_of(value))
            else:
                text = value
            parts.append(f"{name}={text}")
        text = f"{call.function}({', '.join(parts)}){call.failed}"
        if starts:
            handle = call.values["request"]
            if handle != "0x0":
                self.requests[handle].append(self.number)
                if call.function.endswith("_init"):
                    self.persistent.add(handle)
                else:
                    self.persistent.discard(handle)
        elif call.function in COMPLETES_ONE and not call.finds_nothing():
            if call.function == "MPI_Request_free":
                self.persistent.discard(call.values["request"])
            self.complete(call.values["request"])
        self.communicators.after(call)
        if makes and shown(call.values[makes]):
            text += f" -> {self.communicator(call.values[makes])}"
        if "newtype" in call.values:
            self.types[handle_of(call.values["newtype"])] = text
        return None if call.finds_nothing() else text

    def other(self, function, name, handle):
        """Windows, files, groups and the like: one that no call has made is known by the call that named it first."""
        kind = re.sub(r"^new|[12]$", "", name)
        if name.startswith("new") or MAKES.get(function) == name:
            self.others[kind, handle] = self.number
        number = self.others.setdefault((kind, handle), self.number)
        if function in FREES:
            del self.others[kind, handle]
        return f"{kind}#{number}"


def handle_of(value):
    part = re.match(r"(?:comm:|type:|op:)?(0x[0-9a-f]+)", value)
    return part[1] if part else value


def forms(text):
    """rank -> [(number in the dump without the calls that only ask, text)]"""
    ranks = read(text)
    members = members_of(ranks)
    result = []
    for r, calls in enumerate(ranks):
        rank = Rank(r, len(ranks), members)
        result.append([form for form in map(rank.form, calls) if form is not None])
    return result


def first_difference(original, replay):
    """None, or (rank, number, the original's call, the replay's)."""
    if len(original) != len(replay):
        return 0, 0, f"{len(original)} ranks", f"{len(replay)} ranks"
    for rank, both in enumerate(zip(original, replay)):
        for number, (one, other) in enumerate(itertools.zip_longest(*both, fillvalue="nothing")):
            if one != other:
                return rank, number, one, other
    return None


def main():
    try:
        original, replay = (forms(open(name).read()) for name in sys.argv[1:3])
    except Unjudged as problem:
        print(f"cannot be judged: {problem}")
        return 2
    difference = first_difference(original, replay)
    if difference:
        rank, number, one, other = difference
        print(f"rank {rank}, call {number}\n  original {one}\n  replay   {other}")
        return 1
    print(f"{sum(map(len, original))} calls of {len(original)} ranks: the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
