"""The C text of one wrapper: what is hashed and defined, what is written into the event."""
import call_table

SCALARS = {  # role -> value of the expression {}
    "comm": "skel_comm({})", "group": "skel_group({})", "datatype": "skel_datatype({})", "op": "skel_op({})", "peer": "skel_peer({})",
    "root": "skel_peer({})", "tag": "skel_tag({})", "color": "skel_or_undefined({})", "win": "skel_win({})", "file": "skel_file({})",
    "info": "skel_info({})", "errhandler": "skel_errhandler({})", "session": "skel_session({})", "address": "(int64_t)(intptr_t)({})",
    "aint": "(int64_t){}", "target": "(int64_t){}", "offset": "(int64_t){}", "count": "(int64_t){}", "key": "{}", "integer": "(int64_t){}", "newgroup": "skel_group({})"}
ROLES = call_table.VOCABULARY.roles.values()
NEW = {role.name: role.stands_for for role in ROLES if role.stands_for not in ("", role.name)}  # role of a handle that is made -> of one that is given
WIDE = ("MPI_Aint", "MPI_Count", "MPI_Offset")
INTS = ("int",) + WIDE


def plain(declared):
    """'const int [][3]' -> 'int*'."""
    return declared.replace("const ", "").replace("[][3]", "*").replace("[]", "*").replace(" ", "")


TYPES = {role.name: role.type for role in ROLES}
HANDLES = {role.name: type_ for role in ROLES if (type_ := role.type or TYPES.get(role.array_of))}


def fits(parameter, declared, large):
    """Whether a parameter of this role can be what mpi.h declares."""
    kind = plain(declared)
    role = parameter.role
    if role == "address":
        return kind == "void*" or kind.endswith(("function*", "function_c*", "_fn*"))
    if role == "buffer":
        return kind == "void*"
    if role == "text":
        return kind == "char*"
    if role == "texts":
        return kind == "char**"
    pointer = "*" if parameter.direction != "in" or parameter.is_array() else ""
    if role in HANDLES:
        return kind == HANDLES[role] + pointer
    bases = {"aint": WIDE, "aints": WIDE, "target": WIDE, "offset": INTS, "count": ("int", "MPI_Count")}.get(role, INTS if large else ("int",))
    return kind.removesuffix("*") in bases and kind == kind.removesuffix("*") + pointer


# Calls that wait for nobody: SMPI measures computation right through them, but for those that the table says.
LOCAL = ("environment", "local", "timed", "type_create", "type_free", "op_create", "op_free", "attach", "detach", "win_attach", "win_detach")


class Wrapper:
    """Local names end in _, so that they cannot meet those of mpi.h."""

    def __init__(self, call, declaration):
        self.call, self.declaration, self.lines = call, declaration, []
        self.c_name = dict(zip((p.name for p in call.parameters), declaration.names))
        self.c_type = dict(zip((p.name for p in call.parameters), map(plain, declaration.types)))

    def add(self, text):
        self.lines.append("  " + text)

    def parameter(self, *roles):
        return next((p for p in self.call.parameters if p.role in roles), None)

    def last(self, role):
        return self.c_name[[p for p in self.call.parameters if p.role == role][-1].name]

    def name(self, *roles):
        found = self.parameter(*roles)
        return found and self.c_name[found.name]

    def condition(self, parameter):
        """C condition under which the parameter means something, "" if always."""
        conditions = ["at_root_"] if parameter.root_only else []
        buffers = [p for p in self.call.parameters if parameter.name in p.spans]
        if len(buffers) == 1 and self.call.in_place:
            conditions.append(f"{self.c_name[buffers[0].name]} != MPI_IN_PLACE")
        return " && ".join(conditions)

    def width(self, p):
        """How an array's elements lie in memory: enum skel_width; "SKEL_ONE" for what is no array."""
        if not p.is_array() or p.role in ("requests", "status", "statuses", "indices"):
            return "SKEL_ONE"
        kinds = {"text": "SKEL_TEXT", "texts": "SKEL_TEXTS", "datatypes": "SKEL_TYPES", "infos": "SKEL_INFOS"}
        return kinds.get(p.role) or ("SKEL_WIDE" if self.c_type[p.name].rstrip("*") in WIDE else "SKEL_INTS")

    def length(self, p):
        """C expression: number of elements where the parameter means something and is no NULL."""
        kind, _, what = p.length.rpartition(" ")
        name = self.c_name[p.name]
        if p.role == "text":
            length = f"skel_text_length({name})"
        elif what == "null":
            length = f"skel_texts_length({name})"
        elif what in ("ranks", "topology"):
            length = f"skel_{kind and kind + '_'}{'ranks' if what == 'ranks' else 'dimensions'}({self.name('comm')})"
        elif kind == "envelope":
            length = f"skel_envelope({self.name('datatype')}, SKEL_{what.upper()})"
        elif kind == "neighbours":
            length = f"skel_neighbours({self.name('comm')}, {int(what == 'in')})"
        elif kind:
            other = next(q for q in self.call.parameters if q.name == what)
            length = f"skel_{kind}_of({self.c_name[what]}, {self.length(other)})"
        elif what in self.c_name:
            length = self.c_name[what] + (f" * {p.times}" if p.times != 1 else "")
        return f"skel_least({length}, {self.c_name[p.at_most]})" if p.at_most else length

    def value(self, p):
        return (f"skel_{p.code}({{}})" if p.code else SCALARS.get(p.role, "{}")).format(("*" if p.direction == "inout" else "") + self.c_name[p.name])

    def signature(self):
        """Values that the signature consists of: locals, the hash, the array for skel_define."""
        values, pairs, arrays = [], [], []
        for p in self.call.recorded():
            if p.in_event():
                values.append("{0}")
                continue
            name, condition = self.c_name[p.name], self.condition(p)
            if p.is_array():
                guard = " && ".join(filter(None, [condition, f"skel_is_array({name})"]))
                self.add(f"{'' if p.unweighted else 'const '}int length_{name}_ = {guard} ? skel_at_least_0({self.length(p)}) : 0;")
                array = name
                if p.code:
                    array = f"named_{name}_"
                    self.add(f"__typeof__(*{name} + 0) {array}[length_{name}_ + 1];")
                    self.add(f"for (int i_ = 0; i_ < length_{name}_; i_++) {array}[i_] = skel_{p.code}({name}[i_]);")
                if p.unweighted:
                    self.add(f"if ({name} == skel_unweighted) length_{name}_ = 1;")
                    array = f"({name} == skel_unweighted ? &skel_no_weights : (const int*){name})"
                arrays.append(f"hash_ = skel_mix_values(self_, hash_, {array}, length_{name}_, {self.width(p)});")
                values.append(f"{{0, {array}, length_{name}_}}")
                continue
            expression = self.value(p)
            if condition:
                expression = f"{condition} ? {expression} : 0"
            local = f"{name}_" if name != "p" else "given_p_"  # p_ is the place in the stream
            self.add(f"const int64_t {local} = {expression};")
            values.append(f"{{{local}, NULL, 0}}")
            meaning = f" ^ skel_handle_identity(self_, {local})" if p.role in ("datatype", "op") else ""
            pairs.append(f"(uint64_t){local}{meaning}")
        pairs += ["0"] if len(pairs) % 2 else []
        self.add(f"uint64_t hash_ = skel_mix(0, {self.function()}, {len(self.call.parameters)});")
        for a, b in zip(pairs[::2], pairs[1::2]):
            self.add(f"hash_ = skel_mix(hash_, {a}, {b});")
        self.lines += ["  " + line for line in arrays]
        if self.call.replayed():
            for p in self.call.parameters:
                if p.role == "group":
                    self.add(f"hash_ = skel_mix_group(self_, hash_, {'*' if p.direction == 'inout' else ''}{self.c_name[p.name]});")
        self.add("uint32_t id_ = skel_find(&self_->signatures, hash_);")
        self.add("if (SKEL_UNLIKELY(!id_)) {")
        if values:
            self.add(f"  const struct skel_value values_[] = {{{', '.join(values)}}};")
        self.add(f"  id_ = skel_define(self_, hash_, {self.function()}, {'values_' if values else 'NULL'});")
        self.add("}")

    def function(self):
        return f"SKEL_{self.call.name}"

    def call_pmpi(self, replaced):
        arguments = ", ".join(replaced.get(name, name) for name in self.declaration.names)
        return f"skel_next.{self.call.name}({arguments})"

    def wildcard(self):
        """Whether the match of a receive is not known from its parameters."""
        return f"{self.last('peer')} == MPI_ANY_SOURCE || {self.last('tag')} == MPI_ANY_TAG"

    def posts_receive(self):
        if self.call.replayed():
            return self.call.kind == "recv_init" or self.call.kind in ("recv", "sendrecv") and self.call.later
        return self.parameter("request") is not None and any(p.role == "peer" and p.name == "source" for p in self.call.parameters)

    def outcomes(self):
        """Parameters of which the event has an array whose length is known before the call."""
        return [p for p in self.call.recorded() if p.in_event() and self.width(p) != "SKEL_ONE"]

    def lasts(self):
        """Whether the call makes, changes or frees something that later calls name or depend on, but for messages on their way."""
        kinds = ("attach", "detach", "win_attach", "win_detach", "send_init", "recv_init", "request_free")
        given = ("comm", "group", "datatype", "datatypes", "op", "win", "file", "info")
        return self.call.kind in kinds or self.call.attribute("way") in ("info_set", "info_delete") or any(p.role in NEW or p.direction != "in" and p.role in given for p in self.call.parameters)

    def room(self):
        """Declares what the event needs to be known before the call; returns the C expression of its greatest length."""
        room = "SKEL_EVENT_ROOM"
        requests = self.parameter("requests")
        if requests:
            count = self.c_name[requests.length]
            self.add(f"const size_t entries_ = {count} > 0 ? (size_t){count} : 0;")
            room += " + entries_ * 4 * SKEL_VARINT"
        for p in self.outcomes():
            if p.role == "text":
                room += " + SKEL_TEXT_ROOM"
                continue
            name = self.c_name[p.name]
            self.add(f"const int length_{name}_ = skel_is_array({name}) ? skel_at_least_0({self.length(p)}) : 0;")
            room += f" + skel_array_room(length_{name}_)"
        return room

    # What differs between languages.
    keep = "skel_keep"
    first_index = 0  # of an array

    def prologue(self):
        """Makes the parameters what the rest takes them for."""
        self.at_root()

    def at_root(self):
        if any(p.root_only for p in self.call.parameters):
            self.add(f"const int at_root_ = skel_at_root({self.name('comm')}, {self.name('root')});")

    def epilogue(self):
        """Does so with what the call gave."""

    def call_and_result(self, replaced):
        return [f"const {self.declaration.result} result_ = {self.call_pmpi(replaced)};"]

    def text(self):
        return self.body(f"static {self.declaration.result} wrap_{self.call.name}({self.declaration.parameter_list()})")

    def body(self, head):
        call = self.call
        requests, status, statuses = self.parameter("requests"), self.parameter("status"), self.parameter("statuses")
        self.add(f"struct skel_stream* const self_ = skel_enter{'_lasting' if self.lasts() else ''}();")
        self.add(f"if (!self_) return {self.call_pmpi({})};")
        if call.kind not in LOCAL or call.measured:
            self.add("skel_may_wait(self_);")
        self.prologue()
        self.signature()
        room, replaced = self.room(), {}
        self.add(f"if (SKEL_UNLIKELY(!id_ || !skel_room(self_, {room}))) return {self.call_pmpi({})};")
        if requests:
            name = self.c_name[requests.name]
            self.add("struct skel_before* const before_ = " + self.keep + "(self_, entries_, " + name + ");")
            self.add(f"if (SKEL_UNLIKELY(!before_)) return skel_give_up(self_), {self.call_pmpi({})};")
        if status or statuses:
            self.add(f"const int wild_ = {self.wildcard() if self.parameter('peer') else '0' if call.kind == 'recv_matched' else 'SKEL_IS_SET(skel_wildcards)'};")
        if status:
            name = self.c_name[status.name]
            self.add("MPI_Status own_;")
            self.add(f"MPI_Status* const status_ = wild_ && {name} == MPI_STATUS_IGNORE ? &own_ : {name};")
            replaced[name] = "status_"
        if statuses:
            name = self.c_name[statuses.name]
            self.add(f"MPI_Status* const statuses_ = wild_ && {name} == MPI_STATUSES_IGNORE ? skel_statuses(before_) : {name};")
            replaced[name] = "statuses_"
        for p in call.recorded():  # what the call may change
            if p.direction == "inout" and p.role in ("request", "message", "offset"):
                self.add(f"const int64_t before_{self.c_name[p.name]}_ = {self.handle(p, '*' + self.c_name[p.name])};")
        if call.kind == "cancel":  # a status says whether it was in time
            self.add("SKEL_SET(skel_wildcards);")
            self.add("SKEL_SET(skel_cancels);")
        if self.posts_receive():
            self.add(f"if ({self.wildcard()}) SKEL_SET(skel_wildcards);")
        if any(kind.endswith(("function*", "function_c*")) for kind in self.c_type.values()):
            self.add("SKEL_SET(skel_callbacks);")
        self.add("const uint64_t begin_ = skel_begin(self_);")
        for line in self.call_and_result(replaced):
            self.add(line)
        self.add("const uint64_t end_ = skel_ticks();")
        self.epilogue()
        if self.declaration.result == "int":
            self.add("if (SKEL_UNLIKELY(result_ != MPI_SUCCESS)) skel_failed(self_, result_);")
        self.add("uint8_t* p_ = skel_event(self_, id_, begin_, end_);")
        for parameter in call.recorded():
            if parameter.in_event():
                self.event_value(parameter)
        self.definitions()
        self.add("skel_event_end(self_, p_);")
        self.add(self.last_line())
        return [head + " {", *self.lines, "}", ""]

    def last_line(self):
        return "return result_;"

    def definitions(self):
        """What the call made or freed."""
        call = self.call
        new = self.parameter("newcomm")
        if new:
            # A communicator that is not complete yet is what the one is that it copies.
            made = f"*{self.c_name[new.name]}, {self.name('comm') if call.later else '*' + self.c_name[new.name]}"
            self.add("skel_commit(self_, p_);")
            self.add(f"if (result_ == MPI_SUCCESS) skel_define_comm(self_, {made});")
            self.add("p_ = self_->pos;")
        made = self.parameter("newtype", "newop")
        if made:
            role = NEW[made.role]
            self.add("skel_commit(self_, p_);")
            self.add(f"if (result_ == MPI_SUCCESS) skel_define_{role}(self_, skel_{role}(*{self.c_name[made.name]}), hash_);")
            self.add("p_ = self_->pos;")
        if call.kind == "file_open":
            self.add("skel_commit(self_, p_);")
            self.add(f"if (result_ == MPI_SUCCESS) skel_define_file(self_, *{self.c_name[self.parameter('file').name]});")
            self.add("p_ = self_->pos;")
        if call.kind in ("type_free", "op_free"):
            self.add(f"skel_forget(self_, {self.name('datatype', 'op')}_);")

    def handle(self, p, expression):
        return {"request": "skel_request({})", "message": "skel_message({})"}.get(p.role, SCALARS.get(p.role, "{}")).format(expression)

    def done(self, p):
        """C condition under which the call gave this outcome."""
        flag = self.parameter("flag")
        return "result_ == MPI_SUCCESS" + (f" && *{self.c_name[flag.name]}" if flag and p.role != "flag" else "")

    def event_value(self, parameter):
        name, role, direction = self.c_name[parameter.name], parameter.role, parameter.direction
        done = self.done(parameter)
        if parameter in self.outcomes():
            length = f"length_{name}_" if role != "text" else f"skel_text_length({name})"
            self.add(f"p_ = skel_put_values(p_, {name}, {done} ? {length} : 0, {self.width(parameter)});")
        elif role == "buffer":
            value = f"at_root_ ? {name} : NULL" if parameter.root_only else name
            self.add(f"p_ = skel_put_buffer(self_, p_, {value});")
        elif role in NEW:
            self.add(f"p_ = skel_put_signed(p_, result_ == MPI_SUCCESS ? skel_{NEW[role]}(*{name}) : 0);")
        elif role == "requests":
            self.add("p_ = skel_put_requests(p_, before_);")
        elif role == "status":
            if self.parameter("index"):
                done += f" && *{self.name('index')} != MPI_UNDEFINED"
            self.add(f"p_ = skel_put_statuses(p_, status_, wild_ && {done} ? 1 : 0);")
        elif role == "statuses":
            count = "(int)entries_" if self.parameter("flag") or parameter.length == "count" else f"*{self.c_name[parameter.length]}"
            self.add(f"p_ = skel_put_statuses(p_, statuses_, wild_ && {done} ? {count} : 0);")
        elif role == "flag":
            self.add(f"p_ = skel_put_signed(p_, result_ == MPI_SUCCESS && *{name} != 0);")
        elif role == "index":
            self.add(f"p_ = skel_put_signed(p_, {done} ? skel_or_undefined(*{name}) : -32766);")
        elif role == "indices":
            self.add(f"p_ = skel_put_indices(p_, {name}, {done} ? *{self.c_name[parameter.length]} : 0, {self.first_index});")
        elif direction == "inout":
            self.add(f"p_ = skel_put_signed(p_, before_{name}_);")
        elif direction == "in":
            condition = f"at_root_ ? {self.handle(parameter, name)} : 0" if parameter.root_only else self.handle(parameter, name)
            self.add(f"p_ = skel_put_signed(p_, {condition});")
        else:
            found = f"*(void**){name}" if role == "address" else f"*{name}"
            if role == "request":
                done = "result_ == MPI_SUCCESS"
            self.add(f"p_ = skel_put_signed(p_, {done} ? {self.handle(parameter, found)} : 0);")


def opaque(declaration):
    name, arguments = declaration.name, declaration.arguments()
    lines = [f"static {declaration.result} wrap_{name}({declaration.parameter_list()}) {{",
             "  uint32_t id_;",
             f"  struct skel_stream* const self_ = skel_enter_opaque(SKEL_{name}, &id_);",
             f"  if (!self_) return skel_next.{name}({arguments});",
             "  const uint64_t begin_ = skel_begin(self_);",
             f"  const {declaration.result} result_ = skel_next.{name}({arguments});",
             "  skel_event_end(self_, skel_event(self_, id_, begin_, skel_ticks()));"]
    return lines + ["  return result_;", "}", ""]


def expected(parameter):
    return f"{parameter.direction} {parameter.role}"


def check(call, declaration):
    """The table's parameters must be those of mpi.h: same number, their order by type."""
    if len(call.parameters) != len(declaration.types):
        raise call_table.TableError(f"{call.where}: {call.name} has {len(call.parameters)} parameters in the table, {len(declaration.types)} in mpi.h")
    for parameter, declared in zip(call.parameters, declaration.types):
        if parameter.role != "void" and not fits(parameter, declared, call.large):
            raise call_table.TableError(f"{call.where}: {call.name}: {parameter.name} is '{declared}' in mpi.h, which cannot be its role in the table, "
                                        f"{expected(parameter)}")
