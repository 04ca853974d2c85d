"""generate_wrappers.py TABLE OUT_DIR COMPILER INCLUDE_DIR...: the back end for the MPI whose mpi.h stands in INCLUDE_DIR.

Writes pmpi.h (pointers to the PMPI functions), rows.c (what is recorded of each function), wrappers.c (a wrapper per function).
Fails when a call in the table is not what mpi.h declares."""
import pathlib
import sys

import call_table
import declarations

SCALARS = {  # role -> value of the expression {}
    "comm": "skel_comm({})", "group": "skel_group({})", "datatype": "skel_datatype({})", "op": "skel_op({})", "peer": "skel_peer({})",
    "aint": "(int64_t){}", "root": "skel_peer({})", "tag": "skel_tag({})", "color": "skel_or_undefined({})", "count": "{}", "key": "{}", "integer": "{}"}
SPECIAL = {"split_type": "skel_split_type({})"}  # parameters whose values have names in mpi.h -> value of the expression {}
TYPES = {"comm": "MPI_Comm", "newcomm": "MPI_Comm", "group": "MPI_Group", "newgroup": "MPI_Group", "datatype": "MPI_Datatype", "op": "MPI_Op", "datatypes": "MPI_Datatype",
         "newtype": "MPI_Datatype", "newop": "MPI_Op", "aint": "MPI_Aint", "aints": "MPI_Aint", "message": "MPI_Message",
         "request": "MPI_Request", "requests": "MPI_Request", "status": "MPI_Status", "statuses": "MPI_Status", "buffer": "void"}
MIXES = {"aints": "skel_mix_aints(hash_, {}, {})", "datatypes": "skel_mix_types(self_, hash_, {}, {})"}  # others are arrays of int
NEW = {"newcomm": "comm", "newgroup": "group", "newtype": "datatype", "newop": "op"}  # role of a handle that is made -> of a handle that is given


def expected_type(parameter):
    base = TYPES.get(parameter.role, "int")
    array = parameter.is_array() or parameter.role in ("requests", "statuses")
    return base + ("*" if parameter.direction != "in" or parameter.role == "buffer" or array else "")


def check(call, declaration):
    """The table's parameters must be those of mpi.h: same number, names' order by type."""
    if declaration is None:
        raise call_table.TableError(f"{call.name} stands in the table but mpi.h does not declare it")
    if len(call.parameters) != len(declaration.types):
        raise call_table.TableError(f"{call.name} has {len(call.parameters)} parameters in the table, {len(declaration.types)} in mpi.h")
    for parameter, declared in zip(call.parameters, declaration.types):
        plain = declared.replace("const ", "").replace("[][3]", "*").replace("[]", "*").replace(" ", "")
        if parameter.role != "void" and plain != expected_type(parameter):
            raise call_table.TableError(f"{call.name}: {parameter.name} is '{declared}' in mpi.h, its role {parameter.role} in the table "
                                        f"wants '{expected_type(parameter)}'")


class Wrapper:
    """C text of the wrapper of one call. Local names end in _, so that they cannot meet those of mpi.h."""

    def __init__(self, call, declaration):
        self.call, self.declaration, self.lines = call, declaration, []
        self.c_name = dict(zip((p.name for p in call.parameters), declaration.names))

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
        if len(buffers) == 1 and self.call.kind == "collective":
            conditions.append(f"{self.c_name[buffers[0].name]} != MPI_IN_PLACE")
        return " && ".join(conditions)

    def length(self, parameter):
        if parameter.length == "ranks":
            return f"skel_ranks({self.name('comm')})"
        if parameter.length == "topology":
            return f"skel_dimensions({self.name('comm')})"
        return self.c_name[parameter.length] + (f" * {parameter.times}" if parameter.times != 1 else "")

    def signature(self):
        """Values that the signature consists of: locals, the hash, the array for skel_define."""
        values, pairs, arrays = [], [], []
        if any(p.root_only for p in self.call.parameters):
            self.add(f"const int at_root_ = skel_at_root({self.name('comm')}, {self.name('root')});")
        for p in self.call.recorded():
            if p.in_event():
                values.append("{0}")
                continue
            name, condition = self.c_name[p.name], self.condition(p)
            if p.is_array():
                guard = f"{condition} && {name}" if condition else name
                cast = name if p.role in MIXES else f"(const int*){name}"
                self.add(f"const int length_{name}_ = {guard} ? {self.length(p)} : 0;")
                arrays.append(f"hash_ = {MIXES.get(p.role, 'skel_mix_array(hash_, {}, {})').format(cast, f'length_{name}_')};")
                values.append(f"{{0, {cast}, length_{name}_}}")
                continue
            expression = SPECIAL.get(p.name, SCALARS[p.role]).format(("*" if p.direction == "inout" else "") + name)
            if condition:
                expression = f"{condition} ? {expression} : 0"
            local = f"{name}_" if name != "p" else "given_p_"  # p_ is the place in the stream
            self.add(f"const int64_t {local} = {expression};")
            values.append(f"{{{local}, NULL, 0}}")
            meaning = f" ^ skel_meaning(self_, {local})" if p.role in ("datatype", "op") else ""
            pairs.append(f"(uint64_t){local}{meaning}")
        pairs += ["0"] if len(pairs) % 2 else []
        self.add(f"uint64_t hash_ = skel_mix(0, {self.function()}, {len(self.call.parameters)});")
        for a, b in zip(pairs[::2], pairs[1::2]):
            self.add(f"hash_ = skel_mix(hash_, {a}, {b});")
        self.lines += ["  " + line for line in arrays]
        if self.parameter("group"):
            group = ("*" if self.parameter("group").direction == "inout" else "") + self.name("group")
            self.add(f"hash_ = skel_mix_group(self_, hash_, {group});")
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
        return f"skel_pmpi.{self.call.name}({arguments})"

    def wildcard(self):
        """Whether the match of a receive is not known from its parameters."""
        return f"{self.last('peer')} == MPI_ANY_SOURCE || {self.last('tag')} == MPI_ANY_TAG"

    def text(self):
        declaration, call = self.declaration, self.call
        requests, status, statuses = self.parameter("requests"), self.parameter("status"), self.parameter("statuses")
        self.add("struct skel_stream* const self_ = skel_enter();")
        self.add(f"if (!self_) return {self.call_pmpi({})};")
        self.signature()
        room, replaced = "SKEL_EVENT_ROOM", {}
        if requests:
            count = self.c_name[requests.length]
            self.add(f"const size_t entries_ = {count} > 0 ? (size_t){count} : 0;")
            room += " + entries_ * 4 * SKEL_VARINT"
        self.add(f"if (SKEL_UNLIKELY(!id_ || !skel_room(self_, {room}))) return {self.call_pmpi({})};")
        if requests:
            name = self.c_name[requests.name]
            self.add("struct skel_before* const before_ = skel_keep(self_, entries_, " + name + ");")
            self.add(f"if (SKEL_UNLIKELY(!before_)) return skel_give_up(self_), {self.call_pmpi({})};")
        if status or statuses:
            self.add(f"const int wild_ = {self.wildcard() if self.parameter('peer') else '0' if call.kind == 'recv_matched' else 'skel_wildcards'};")
        if status:
            name = self.c_name[status.name]
            self.add("MPI_Status own_;")
            self.add(f"MPI_Status* const status_ = wild_ && {name} == MPI_STATUS_IGNORE ? &own_ : {name};")
            replaced[name] = "status_"
        if statuses:
            name = self.c_name[statuses.name]
            self.add(f"MPI_Status* const statuses_ = wild_ && {name} == MPI_STATUSES_IGNORE ? skel_statuses(before_) : {name};")
            replaced[name] = "statuses_"
        request = self.parameter("request")
        if request and request.direction == "inout":
            self.add(f"const int64_t request_ = skel_request(*{self.c_name[request.name]});")
        message = self.parameter("message")
        if message and message.direction == "inout":
            self.add(f"const int64_t message_ = skel_message(*{self.c_name[message.name]});")
        if call.kind == "recv_init" or call.kind == "recv" and call.later:
            self.add(f"if ({self.wildcard()}) skel_wildcards = 1;")
        self.add("const uint64_t begin_ = skel_begin(self_);")
        self.add(f"const {declaration.result} result_ = {self.call_pmpi(replaced)};")
        self.add("const uint64_t end_ = skel_ticks();")
        self.add("uint8_t* p_ = skel_event(self_, id_, begin_, end_);")
        for parameter in call.recorded():
            if parameter.in_event():
                self.event_value(parameter)
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
        if call.kind in ("type_free", "op_free"):
            self.add(f"skel_forget(self_, {self.name('datatype', 'op')}_);")
        self.add("skel_event_end(self_, p_);")
        self.add("return result_;")
        return [f"static {declaration.result} wrap_{call.name}({declaration.parameter_list()}) {{", *self.lines, "}", ""]

    def event_value(self, parameter):
        name, role = self.c_name[parameter.name], parameter.role
        done = "result_ == MPI_SUCCESS"
        if self.parameter("flag") and role != "flag":
            done += f" && *{self.name('flag')}"
        if role == "buffer":
            value = f"at_root_ ? {name} : NULL" if parameter.root_only else name
            self.add(f"p_ = skel_put_buffer(self_, p_, {value});")
        elif role in NEW:
            self.add(f"p_ = skel_put_signed(p_, result_ == MPI_SUCCESS ? skel_{NEW[role]}(*{name}) : 0);")
        elif role == "request":
            value = "request_" if parameter.direction == "inout" else f"result_ == MPI_SUCCESS ? skel_request(*{name}) : 0"
            self.add(f"p_ = skel_put_signed(p_, {value});")
        elif role == "message":
            value = "message_" if parameter.direction == "inout" else f"{done} ? skel_message(*{name}) : 0"
            self.add(f"p_ = skel_put_signed(p_, {value});")
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
            found = "result_ == MPI_SUCCESS" + (f" && *{self.name('flag')}" if self.parameter("flag") else "")
            self.add(f"p_ = skel_put_signed(p_, {found} ? skel_or_undefined(*{name}) : -32766);")
        elif role == "indices":
            self.add(f"p_ = skel_put_indices(p_, {name}, {done} ? *{self.c_name[parameter.length]} : 0);")


def opaque(declaration):
    name, arguments = declaration.name, declaration.arguments()
    lines = [f"static {declaration.result} wrap_{name}({declaration.parameter_list()}) {{",
             "  uint32_t id_;",
             f"  struct skel_stream* const self_ = skel_enter_opaque(SKEL_{name}, &id_);",
             f"  if (!self_) return skel_pmpi.{name}({arguments});",
             "  const uint64_t begin_ = skel_begin(self_);",
             f"  const {declaration.result} result_ = skel_pmpi.{name}({arguments});",
             "  skel_event_end(self_, skel_event(self_, id_, begin_, skel_ticks()));"]
    return lines + ["  return result_;", "}", ""]


def write(path, lines):
    path.write_text("\n".join(["/* Generated from mpi_calls.table and mpi.h. */", *lines]) + "\n")


def main():
    table, out, compiler, *include_dirs = sys.argv[1:]
    out = pathlib.Path(out)
    calls, _ = call_table.read(table)
    declared = declarations.read(compiler, include_dirs)
    for call in calls.values():
        check(call, declared.get(call.name))
    names = [name for name in sorted(declared) if not declared[name].variadic]  # a wrapper cannot hand on what it cannot name
    write(out / "pmpi.h", ["#ifndef SKEL_PMPI_H", "#define SKEL_PMPI_H", "#include <mpi.h>", "",
                           "enum skel_function_id {", *(f"  SKEL_{name}," for name in names), "  SKEL_FUNCTIONS", "};", "",
                           "/* The MPI that the program uses; same order as the ids. */",
                           "struct skel_pmpi {", *(f"  __typeof__({name})* {name};" for name in names), "};",
                           "extern struct skel_pmpi skel_pmpi;", "", "#endif"])
    rows = ['#include "stream.h"', ""]
    for name in names:
        recorded = calls[name].recorded() if name in calls else []
        if recorded:
            values = (f"{{{call_table.ROLES.index(p.role) + 1}, {'SKT_IN_EVENT' if p.in_event() else 'SKT_IN_SIGNATURE'}, {int(p.is_array())}}}"
                      for p in recorded)
            rows.append(f"static const struct skel_parameter {name}_[] = {{{', '.join(values)}}};")
    rows += ["const struct skel_function skel_functions[] = {"]
    rows += [f'    {{"{n}", {f"{n}_, sizeof {n}_ / sizeof {n}_[0]" if n in calls and calls[n].recorded() else "NULL, 0"}}},' for n in names]
    write(out / "rows.c", rows + ["};"])
    lines = ['#include "backend.h"', '#include "lifecycle.h"', '#include "wrapper_parts.h"', ""]
    for name in names:
        if name not in calls:
            lines += opaque(declared[name])
        elif calls[name].kind not in call_table.STARTS:
            lines += Wrapper(calls[name], declared[name]).text()
    lines += ["void* const skel_wrappers[] = {"]
    lines += [f"    (void*){'skel_' if n in calls and calls[n].kind in call_table.STARTS else 'wrap_'}{n}," for n in names]
    write(out / "wrappers.c", lines + ["};"])


call_table.main_guard(main)
