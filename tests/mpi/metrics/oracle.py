#!/usr/bin/env python3
"""oracle.py DUMP METRICS: the measures of a run, computed anew from what `skelgen dump --json` printed, against those that `skelgen metrics --json`
printed: He & Sun's, Raynal's, Fidge's and Charron-Bost's, windows, efficiencies (POP), waits and the critical path.

Written from the papers and docs/metrics.md; shares no code with what it checks. It knows the calls of random_calls.c and of the examples that it is run
with: blocking, non-blocking, persistent and matched messages in all modes, probes and tests, collectives, those of neighbours, communicators, one-sided
communication, files. Standard sends of more than 4,096 bytes are beyond it, for what these depend on is found while the run is read. Prints what was
compared and ends with 0; the first difference, and 1."""
import collections
import json
import math
import sys

PROC_NULL = -1
ALL = {"Barrier", "Allreduce", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Reduce_scatter", "Reduce_scatter_block", "Comm_split", "Comm_dup", "Comm_create",
       "Cart_create"}
FROM_ROOT, TO_ROOT, PREFIX = {"Bcast", "Scatter", "Scatterv"}, {"Reduce", "Gather", "Gatherv"}, {"Scan", "Exscan"}
SENDS = {mode + end for mode in ("Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend", "Ibsend", "Irsend") for end in ("", "_init") if mode[0] != "I" or not end}
EXCHANGES = {"Sendrecv", "Sendrecv_replace"}
COMPLETIONS = {"Wait", "Waitall", "Waitany", "Waitsome"}
TESTS = {"Test", "Testall", "Testany", "Testsome"}
PROBES = {"Probe", "Mprobe", "Iprobe", "Improbe"}
# Waiting in them is not followed.
FOLLOWED_NOT = {"Put", "Get", "Accumulate", "Win_lock", "Win_unlock", "Buffer_detach"}
OF_SHARED = {"Win_fence", "Win_free", "File_close", "File_write_at_all"}  # by all who have the window or file
MAKES = {"Comm_split", "Comm_dup", "Comm_create", "Cart_create"}
SHARES = {"Win_allocate": "win", "File_open": "fh"}
NO_PRECEDE = 8
LEAST_WAIT = 100e-6


class Node:
    """A moment of a rank. what: send, post, receive, sent, enter, leave, end."""

    def __init__(self, rank, what, call, at, computing, blocked):
        self.rank, self.what, self.call, self.at = rank, what, call, at
        self.computing, self.blocked = computing, blocked  # since the rank's last moment
        self.before = None      # the moment before
        self.needs = []         # moments of others that it waits for
        self.post = self.key = self.probe = None
        self.synchronous = False
        self.order = len(Node.all)
        Node.all.append(self)


Node.all = []


class Comm:
    def __init__(self, parent, number, size, rank):
        self.parent, self.number, self.size, self.rank = parent, number, size, rank
        self.made = self.collectives = self.shared = 0
        self.sources = []


def shape_of(name):
    name = name.removeprefix("I").capitalize() if name.startswith("I") and name[1].islower() else name
    if name.startswith("Neighbor_"):
        return "neighbours"
    for shape, names in (("all", ALL), ("from_root", FROM_ROOT), ("to_root", TO_ROOT), ("prefix", PREFIX)):
        if name in names:
            return shape
    return None


class Rank:
    """Turns a rank's calls into moments."""

    def __init__(self, number, lines):
        self.number, self.nodes, self.last = number, [], None
        self.computing = self.blocked = 0.0
        self.comms, self.requests, self.persistent, self.sent_through = {}, {}, {}, collections.Counter()
        self.messages, self.shared, self.polls = {}, {}, None
        self.start = self.end = None
        self.stretches = []  # (from, computing, blocked) before moments: for windows
        made = None
        for line in lines:
            if "comm" in line:
                self.define(line["comm"], made)
                made = None
            elif "neighbours" in line:
                self.comms[line["neighbours"]["handle"]].sources = line["neighbours"]["sources"]
            elif "call" in line:
                made = self.call(line)
                if self.end is not None:
                    break

    def define(self, line, made):
        if made is not None:
            comm = Comm(made, made.made - 1, line["size"], line["rank"])
            comm.identity = (made.identity, made.made - 1, line["leader"])
        elif line["size"] == 1:
            comm = Comm(None, 0, 1, 0)
            comm.identity = ("self", self.number)
        else:
            comm = Comm(None, 0, line["size"], line["rank"])
            comm.identity = ("world",)
        self.comms[line["handle"]] = comm

    def moment(self, what, call, at):
        node = Node(self.number, what, call, at, self.computing, self.blocked)
        self.stretches.append((at - self.computing - self.blocked, self.computing, self.blocked))
        self.computing = self.blocked = 0.0
        node.before, self.last = self.last, node
        self.nodes.append(node)
        if what not in ("post", "receive", "leave", "sent"):
            self.polls = None
        return node

    def call(self, line):
        name, argument = line["function"].removeprefix("MPI_"), line["arguments"]
        if name == "Init" or name == "Init_thread":
            return None
        if self.start is None:
            self.start = line["start_s"] - line["gap_s"]
        self.computing += line["cpu_s"]
        self.blocked += line["gap_s"] - line["cpu_s"]
        self.line, self.inside = line, line["end_s"] - line["start_s"]
        line["ended"] = False
        if name == "Finalize":
            self.moment("end", line, line["start_s"])
            self.end = line["start_s"]
            return None
        comm = self.comms.get(argument.get("comm", argument.get("comm_old")))
        if name in OF_SHARED:
            comm = self.shared[argument.get("win", argument.get("fh"))]
        if name in PROBES:
            if "flag" not in argument or argument["flag"]:
                if name in ("Mprobe", "Improbe"):
                    self.messages[argument["message"]] = self.receive_of(argument, comm, argument["status"])
            self.ask()
            return None
        peers = [argument[peer] for peer in ("dest", "source") if peer in argument]
        if peers and max(peers) == min(peers) == PROC_NULL:
            # MPICH gives it the handle of a send that is complete: known from here on.
            if self.requests.pop(argument.get("request"), None):
                polls = self.polls
                self.moment("plain", line, line["start_s"])
                self.polls = polls
            self.blocked += self.inside  # local
            return None
        if name in SENDS or name in EXCHANGES:
            self.send(name, argument, comm)
        if name in ("Recv", "Irecv", "Recv_init") or name in EXCHANGES:
            self.receive(name, argument, comm)
        elif name == "Mrecv":
            self.complete([("receive", self.messages.pop(argument["message"]), None)])
        elif name == "Imrecv":
            wanted = self.messages.pop(argument["message"])
            wanted[3] = self.moment_post()
            self.requests[argument["request"]] = [("receive", wanted)]
        elif name in ("Start", "Startall"):
            self.polls = None
            for request in self.requests_of(argument):
                self.begin_persistent(request)
        elif name in COMPLETIONS or name in TESTS:
            if self.end_requests(name, argument):
                return None
        elif shape_of(name) and comm.size > 1 or name in OF_SHARED or name in SHARES:
            self.collective(name, argument, comm)
        elif not (shape_of(name) or name in FOLLOWED_NOT | SENDS):
            self.blocked += self.inside  # local
            return None
        made = None
        if name in MAKES:
            comm.made += 1
            made = comm
        if name in SHARES:
            own = self.shared[argument[SHARES[name]]] = Comm(comm, comm.shared, comm.size, comm.rank)
            own.identity = (comm.identity, "shared", comm.shared)
            comm.shared += 1
        if shape_of(name) and comm.size == 1:
            self.blocked += self.inside
            return made
        self.finish()
        if name not in ("Send_init", "Ssend_init", "Recv_init") and not line["ended"]:
            polls = self.polls if name in ("Irecv", "Imrecv") else None
            self.moment("plain", line, line["end_s"])
            self.polls = polls
        return made

    @staticmethod
    def requests_of(argument):
        return [argument["request"]] if "request" in argument else argument["array_of_requests"]

    def end_requests(self, name, argument):
        """What the call completes, or that it asked in vain."""
        requests, statuses = self.requests_of(argument), argument.get("status") or argument.get("array_of_statuses") or []
        if argument.get("flag", 1) == 0:
            requests = []
        elif "index" in argument:
            requests = [requests[argument["index"]]] if argument["index"] >= 0 else []
        elif "array_of_indices" in argument:
            requests = [requests[index] for index in argument["array_of_indices"]]
        done = []
        for k, request in enumerate(requests):
            status = statuses[2 * k:2 * k + 2] if "array_of_statuses" in argument else statuses
            done += [(what, key, status) for what, key in self.requests.pop(request, [])]
        if not done and name in TESTS and (argument.get("flag", 1) == 0 or "array_of_indices" in argument):
            self.ask()
            return True
        self.complete([d for d in done if d[0] != "sent"] + [d for d in done if d[0] == "sent"])
        return False

    def ask(self):
        """What asks, right before others that ask, is one piece of time with them."""
        polls, before = self.polls, 0.0
        if polls:
            before = polls[1] - polls[0]
        self.finish()
        node = self.moment("probe", self.line, self.line["end_s"])
        self.polls = (self.line["start_s"] - before, self.line["end_s"], node)

    def finish(self):
        """The time inside the call, once."""
        self.blocked += self.inside
        self.inside = 0.0

    def peer(self, argument, name):
        return None if argument[name] < 0 else argument[name]

    def send(self, name, argument, comm, request=None):
        if self.peer(argument, "dest") is None:
            return
        synchronous = "ssend" in name.lower()
        free = "bsend" in name.lower() or "rsend" in name.lower()  # never waits
        if name.endswith("_init"):
            self.persistent[argument["request"]] = ("send", argument, comm, synchronous)
            return
        channel = (comm.identity, comm.rank, argument["dest"], argument.get("tag", argument.get("sendtag")))
        key = channel + (self.sent_through[channel],)
        self.sent_through[channel] += 1
        node = self.moment("send", self.line, self.line["start_s"])
        node.key = key
        later = request is not None or name.startswith("I")
        slow = self.line["end_s"] - self.line["start_s"] >= LEAST_WAIT
        if later:  # one handle may stand for several sends that are complete
            self.requests[request or argument["request"]] = [("sent", (None if free else key, synchronous))]
        elif not free and (synchronous or slow):
            self.pending_sent = (key, synchronous)
            if name not in EXCHANGES:
                self.complete([("sent", self.pending_sent, None)])

    def receive_of(self, argument, comm, status):
        """Whom the message comes from, and its tag."""
        source = argument["source"] if argument["source"] >= 0 or not status else status[0]
        tag = argument.get("tag", argument.get("recvtag"))
        tag = tag if tag >= 0 or not status else status[1]
        return [comm, source, tag, None]

    def receive(self, name, argument, comm):
        if argument["source"] == PROC_NULL:  # nothing is received
            pending = getattr(self, "pending_sent", None)
            self.pending_sent = None
            if name in EXCHANGES and pending:
                self.complete([("sent", pending, None)])
        elif name == "Recv_init":
            self.persistent[argument["request"]] = ("receive", argument, comm, False)
        elif name == "Irecv":
            self.post(argument["request"], argument, comm)
        elif name in EXCHANGES:
            pending = getattr(self, "pending_sent", None)
            self.pending_sent = None
            wanted = self.receive_of({"source": argument["source"], "tag": argument["recvtag"]}, comm, argument["status"])
            self.complete([("receive", wanted, argument["status"])] + ([("sent", pending, None)] if pending else []))
        else:
            wanted = self.receive_of(argument, comm, argument["status"])
            self.complete([("receive", wanted, argument["status"])])

    def post(self, request, argument, comm):
        node = self.moment_post()
        wanted = self.receive_of(argument, comm, [])
        wanted[3] = node
        self.requests[request] = [("receive", wanted)]

    def moment_post(self):
        """Where the call was entered; what is inside comes behind."""
        node = self.moment("post", self.line, self.line["start_s"])
        return node

    def begin_persistent(self, request):
        if request not in self.persistent:  # to or from nobody
            return
        what, argument, comm, synchronous = self.persistent[request]
        if what == "send":
            self.send("Ssend" if synchronous else "Send", argument, comm, request)
        else:
            self.post(request, argument, comm)

    def complete(self, done):
        own = None
        if any(what == "receive" and key[3] is None for what, key, _ in done):
            own = self.moment_post()
        self.finish()
        for what, key, status in done:
            if what == "receive":
                comm, source, tag, post = key
                if status and source < 0:
                    source = status[0]
                node = self.moment("receive", self.line, self.line["end_s"])
                node.key, node.post, node.probe = (comm.identity, source, comm.rank, tag), post or own, self.polls
                node.posted_order = (post or own).order
            elif what == "sent":
                node = self.moment("sent", self.line, self.line["end_s"])
                node.key, node.synchronous, node.probe = key[0], key[1], self.polls
            else:
                node = self.moment("leave", self.line, self.line["end_s"])
                node.key, node.probe = key, self.polls
            self.line["ended"] = True
        self.polls = None

    def collective(self, name, argument, comm):
        early = name.startswith("File_") or (name == "Win_fence" and argument["assert"] & NO_PRECEDE != 0)
        key = (comm.identity, comm.collectives, shape_of(name) or "all", argument.get("root"), comm.rank, comm.size, comm, early)
        comm.collectives += 1
        node = self.moment("enter", self.line, self.line["start_s"])
        node.key = key
        if "request" in argument:
            self.requests[argument["request"]] = [("leave", key)]
        else:
            self.complete([("leave", key, None)])


class Run:
    def __init__(self, lines):
        by_rank = collections.defaultdict(list)
        for line in lines:
            if line["thread"]:
                sys.exit("runs with threads are beyond this program")
            by_rank[line["rank"]].append(line)
        Node.all = []
        self.ranks = [Rank(number, by_rank[number]) for number in sorted(by_rank)]
        self.match()
        self.order()

    def match(self):
        sends, posts, receives = {}, {}, collections.defaultdict(list)
        enters = collections.defaultdict(dict)
        for node in Node.all:
            if node.what == "send":
                sends[node.key] = node
            elif node.what == "receive":
                receives[node.key].append(node)
            elif node.what == "enter":
                enters[node.key[:2]][node.key[4]] = node
        for key, all_of in receives.items():  # messages of a channel go to receives in the order of posting
            for number, node in enumerate(sorted(all_of, key=lambda n: n.posted_order)):
                node.needs = [sends[key + (number,)]]
                posts[key + (number,)] = node.post
        for node in Node.all:
            if node.what == "leave":
                came, (_, _, shape, root, own, size, comm, early) = enters[node.key[:2]], node.key
                if shape == "all" or (shape == "to_root" and own == root):
                    node.needs = list(came.values())
                elif shape == "from_root" and own != root:
                    node.needs = [came[root]]
                elif shape == "prefix":
                    node.needs = [came[other] for other in range(own)]
                elif shape == "neighbours":
                    node.needs = [came[other] for other in comm.sources if other not in (own, PROC_NULL)]
                self.add_on_the_way(node, came, shape, root == own)
                if early and max(other.at for other in node.needs) > node.at:
                    node.needs = []
            elif node.what == "sent":
                node.post = posts[node.key] if node.key else None

    @staticmethod
    def add_on_the_way(node, came, shape, is_root):
        """Who was longer in a collective of a root than that explains, and most of it until the last one came that did before it left."""
        if shape not in ("from_root", "to_root") or (shape == "to_root" and is_root):
            return
        begun = max([node.call["start_s"]] + [other.at for other in node.needs])
        others = [other for other in came.values() if other.rank != node.rank and other.at <= node.at]
        last = max(others, key=lambda other: other.at, default=None)
        if node.at - node.call["start_s"] >= LEAST_WAIT and last and last.at - begun >= max(LEAST_WAIT, (node.at - begun) / 2):
            node.needs.append(last)

    def order(self):
        """Each moment after those that it may follow, as the run shows: by dependencies, sends by their posts only if they wait."""
        for rank in self.ranks:
            rank.until, rank.waits, rank.caused = 0.0, collections.Counter(), collections.Counter()
            rank.met, rank.computed, rank.came = {}, 0.0, 0.0
        done, at = set(), [0] * len(self.ranks)
        progress = True
        self.nodes = []
        while progress:
            progress = False
            for rank in self.ranks:
                while at[rank.number] < len(rank.nodes):
                    node = rank.nodes[at[rank.number]]
                    needs = node.needs + ([node.post] if node.post and node.what == "sent" else [])
                    if any(id(other) not in done for other in needs if other.rank != rank.number or id(other) not in done):
                        break
                    self.take(rank, node)
                    self.nodes.append(node)
                    done.add(id(node))
                    at[rank.number] += 1
                    progress = True
        for rank in self.ranks:
            assert at[rank.number] == len(rank.nodes), "calls wait for each other"

    def take(self, rank, node):
        rank.computed += node.computing
        node.computed = rank.computed
        begun = node.call["start_s"]
        pieces = [(begun, node.at)]
        if node.probe:
            pieces.insert(0, node.probe[:2])
        late = None
        if node.what == "sent" and node.post:
            unexplained = sum(max(0.0, min(end, node.post.at) - max(begin, rank.until)) for begin, end in pieces)
            node.depends = node.post.rank != rank.number and (node.synchronous or (node.post.at <= node.at and unexplained >= LEAST_WAIT))
            if node.depends:
                node.needs = [node.post]
                late = node.post
        elif node.what in ("receive", "leave"):
            others = [other for other in node.needs]
            late = max(others, key=lambda other: (other.at, -other.order)) if others else None
        if node.what == "enter":
            node.since = self.since(rank, node)
        node.late = late
        if late and late.rank != rank.number:
            more = late.since - self.since(rank, node) if node.what == "leave" else 0
            for begin, end in pieces:
                begin = max(begin, rank.until)
                rank.until = max(begin, min(end, late.at))
                waited = rank.until - begin
                kind = {"receive": "late_sender_s", "sent": "late_receiver_s"}.get(node.what)
                if kind:
                    rank.waits[kind] += waited
                else:
                    imbalance = min(max(more, 0.0), waited)
                    more -= imbalance
                    rank.waits["imbalance_s"] += imbalance
                    rank.waits["collective_s"] += waited - imbalance
                self.ranks[late.rank].caused["all"] += waited
        if node.what == "leave":
            comm, everybody = node.key[6], node.key[2] == "all"
            if everybody:
                rank.met[comm.identity] = rank.computed
            elif late and late.rank != rank.number and late.at > begun:
                rank.met[comm.identity] = rank.computed - late.since

    @staticmethod
    def since(rank, node):
        comm, least = node.key[6], None
        while comm is not None:
            if comm.identity in rank.met:
                since = rank.computed - rank.met[comm.identity]
                least = since if least is None else min(least, since)
            comm = comm.parent
        return rank.computed if least is None else least

    def chains(self, weight, follow_sends=True):
        """Longest chain up to each moment; weight(node): of what the rank did since the moment before, and of the moment."""
        longest = {}
        for node in self.nodes:
            before = longest[id(node.before)] if node.before else 0
            inside, own = weight(node)
            value = before + inside
            if node.what != "sent" or follow_sends:
                for other in node.needs:
                    value = max(value, longest[id(other)])
            longest[id(node)] = value + own
        return longest

    def he_sun(self):
        computing = [sum(n.computing for n in rank.nodes) for rank in self.ranks]
        blocked = [sum(n.blocked for n in rank.nodes) for rank in self.ranks]
        wt, vol = sum(computing), sum(computing) + sum(blocked)
        result = {"wt": wt, "vol": vol}
        for name, follow in (("ht", True), ("free", False)):
            result[name] = max(self.chains(lambda n: (n.computing, 0), follow).values())
        result["alpha"] = alpha(wt, vol, result["ht"])
        result["free_alpha"] = alpha(wt, vol, result["free"])
        mean = wt / len(computing)
        deviation = sum(abs(c - mean) for c in computing) / len(computing)
        result.update({"phi1": wt / vol, "phi2": sum(blocked) / vol, "phi3": [c / wt for c in computing], "phi4": result["ht"] / wt, "phi5": mean, "phi6": deviation,
                       "phi7": (mean - deviation) / mean})
        self.computing = computing
        return result

    EVENTS = ("send", "receive", "leave")

    def events(self, unit):
        """Number of internal events before each moment, and whether it is one itself."""
        number = {}
        for rank in self.ranks:
            computed, before = 0.0, 0
            for node in rank.nodes:
                computed += node.computing
                now = math.floor(computed / unit * (1 + 1e-12))
                number[id(node)] = (now - before, node.what in self.EVENTS)
                before = now
        return number

    def raynal(self, unit):
        number = self.events(unit)
        own = [sum(number[id(n)][0] + number[id(n)][1] for n in rank.nodes) for rank in self.ranks]
        height = max(self.chains(lambda n: number[id(n)]).values())
        weight, n = sum(own), len(own)
        return {"weight": weight, "height": height, "volume": n * height, "alpha": 1 - (n * height - weight) / ((n - 1) * height) if n > 1 and height else None,
                "beta": (weight - height) / (weight - 1) if weight != 1 else None, "theta4": [height - o for o in own], "theta6": [o / weight for o in own]}

    def charron_bost(self, unit, most=20000):
        """Consistent cuts, by walking through all of them; None if there are too many."""
        number, clocks, n = self.events(unit), [], len(self.ranks)
        known = {}
        events = [[] for _ in self.ranks]
        for node in self.nodes:
            vector = list(known[id(node.before)]) if node.before else [0] * n
            internal, own = number[id(node)]
            for _ in range(internal):
                vector[node.rank] += 1
                events[node.rank].append(tuple(vector))
            for other in node.needs:
                vector = [max(a, b) for a, b in zip(vector, known[id(other)])]
            if own:
                vector[node.rank] += 1
                events[node.rank].append(tuple(vector))
            known[id(node)] = vector
        total = sum(map(len, events))
        cuts, todo = {(0,) * n}, [(0,) * n]
        while todo:
            cut = todo.pop()
            for i in range(n):
                if cut[i] < len(events[i]) and all(v <= c + (i == j) for j, (v, c) in enumerate(zip(events[i][cut[i]], cut))):
                    following = cut[:i] + (cut[i] + 1,) + cut[i + 1:]
                    if following not in cuts:
                        cuts.add(following)
                        todo.append(following)
                        if len(cuts) > most:
                            return None
        concurrent = math.prod(len(e) + 1 for e in events)
        return (len(cuts) - total - 1) / (concurrent - total - 1) if concurrent != total + 1 else None

    def windows(self, length, count):
        """Alpha of each window: what is outside counts nothing."""
        result = []
        for k in range(count):
            begin, end = k * length, (k + 1) * length if k + 1 < count else math.inf
            clipped, weight, volume = {}, 0.0, 0.0
            for rank in self.ranks:
                for node, (at, computing, blocked) in zip(rank.nodes, rank.stretches):
                    inside = max(0.0, min(end, at + computing) - max(begin, at))
                    waits = max(0.0, min(end, at + computing + blocked) - max(begin, at + computing))
                    clipped[id(node)] = inside
                    weight += inside
                    volume += inside + waits
            longest = max(self.chains(lambda n: (clipped[id(n)], 0)).values())
            alone = volume - longest <= 1e-3 * volume
            result.append(None if alone else alpha(weight, volume, longest))
        return result

    def pop(self, he_sun):
        seconds = max(r.end for r in self.ranks) - min(r.start for r in self.ranks)
        most, mean = max(self.computing), sum(self.computing) / len(self.computing)
        return {"parallel": mean / seconds, "load_balance": mean / most, "communication": most / seconds, "serialization": most / he_sun["ht"],
                "transfer": min(1.0, he_sun["ht"] / seconds)}

    def path(self):
        """Backwards from who ends last: where it waited it goes on with who came late."""
        by_rank = [0.0] * len(self.ranks)
        rank = max(self.ranks, key=lambda r: (r.end, -r.number))
        node, at = rank.nodes[-1], rank.end
        # In which moments a rank waited longer than for all before: found forwards.
        came = {r.number: 0.0 for r in self.ranks}
        leaves = {}
        for n in self.nodes:
            late = n.late
            begun = n.probe[0] if n.probe else n.call["start_s"]
            if late and late.rank != n.rank and late.at > max(begun, came[n.rank]):
                came[n.rank] = min(n.at, late.at)
                leaves[id(n)] = late
        while node is not None:
            late = leaves.get(id(node))
            if late is None:
                by_rank[node.rank] += node.computing + node.blocked
                node = node.before
                continue
            if node.probe and late.at <= node.probe[1]:  # what came between is its own
                inner = node
                while inner is not node.probe[2]:
                    by_rank[node.rank] += inner.computing + inner.blocked
                    inner = inner.before
                by_rank[node.rank] += node.probe[1] - late.at
            else:
                by_rank[node.rank] += max(0.0, node.at - late.at)
            node = late
        return by_rank


def alpha(weight, volume, height):
    return (weight - height) / (volume - height) if volume - height > 1e-12 * volume else None


def differs(name, own, theirs, places):
    if own is None or theirs is None:
        if (own is None) == (theirs is None):
            return False
    elif isinstance(own, list):
        return len(own) != len(theirs) or any(differs(f"{name}[{i}]", a, b, places) for i, (a, b) in enumerate(zip(own, theirs)))
    elif abs(own - theirs) <= places * max(1.0, abs(own)):
        return False
    print(f"{name}: {own} here, {theirs} in the metrics")
    return True


def main():
    with open(sys.argv[1]) as dump, open(sys.argv[2]) as metrics:
        run, theirs = Run([json.loads(line) for line in dump]), json.load(metrics)
    own, wrong, compared = run.he_sun(), False, 0

    def compare(name, mine, yours, places=1e-9):
        nonlocal wrong, compared
        wrong |= differs(name, mine, yours, places)
        compared += len(mine) if isinstance(mine, list) else 1

    h = theirs["he_sun"]
    for key in ("wt", "vol", "ht", "alpha", "phi1", "phi2", "phi3", "phi4", "phi5", "phi6", "phi7"):
        compare(f"he_sun.{key}", own[key], h[key])
    compare("he_sun.per_rank", [sum(n.blocked for n in r.nodes) for r in run.ranks], [r["blocked_s"] for r in h["per_rank"]])
    compare("if_sends_never_waited.alpha", own["free_alpha"], theirs["if_sends_never_waited"]["alpha"])
    unit = theirs["raynal"]["unit_s"]
    events = sum(n.what in Run.EVENTS for n in run.nodes)
    compare("raynal.unit_s", own["wt"] / events if events else None, unit)
    if unit:
        for key, value in run.raynal(unit).items():
            compare(f"raynal.{key}", value, theirs["raynal"][key])
        if theirs["charron_bost"]["m"] is not None:
            m = run.charron_bost(unit)
            if m is not None:
                compare("charron_bost.m", m, theirs["charron_bost"]["m"])
    for key, value in run.pop(own).items():
        compare(f"pop.{key}", value, theirs["pop"][key])
    for key in ("late_sender_s", "late_receiver_s", "imbalance_s", "collective_s"):
        compare(f"waits.{key}", [r.waits[key] for r in run.ranks], [r[key] for r in theirs["waits"]["per_rank"]])
    compare("waits.caused_s", [r.caused["all"] for r in run.ranks], [r["caused_s"] for r in theirs["waits"]["per_rank"]])
    path = run.path()
    compare("critical_path.seconds", sum(path), theirs["critical_path"]["seconds"], 1e-7)
    compare("critical_path.by_rank", path, theirs["critical_path"]["by_rank"], 1e-7)
    windows = theirs["windows"]
    compare("windows.alpha", run.windows(windows["length_s"], len(windows["alpha"])), windows["alpha"], 1e-6)
    if theirs["unmatched"] != {key: 0 for key in theirs["unmatched"]}:
        print("calls that do not fit together:", theirs["unmatched"])
        wrong = True
    print(f"{len(run.ranks)} ranks, {len(run.nodes)} moments, {compared} measures compared")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
