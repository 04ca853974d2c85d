"""generate_capture.py TABLE COMPILER OUT_DIR INCLUDE_DIR...: what one MPI flavour needs, in OUT_DIR.

  names.inc      SKEL_NAME(number, MPI_X) for every function that mpi.h declares, in order
  real.inc       the pointers to the MPI's own PMPI_X
  wrappers.c     one wrapper per function; the table of functions and of wrappers

Checks the table against the declarations and fails with one line on a difference."""
import pathlib
import sys

import call_table
import declarations

SCALARS = {"count": "(int64_t){0}", "peer": "skel_peer({0})", "root": "skel_peer({0})", "tag": "skel_tag({0})", "color": "skel_undefined({0})",
           "key": "{0}", "integer": "{0}", "datatype": "(int64_t)SKEL_RAW({0}, MPI_DATATYPE_NULL)", "op": "(int64_t)SKEL_RAW({0}, MPI_OP_NULL)",
           "comm": "(int64_t)SKEL_RAW({0}, MPI_COMM_NULL)", "group": "(int64_t)SKEL_RAW({0}, MPI_GROUP_NULL)"}
IN_EVENT = ("buffer", "newcomm", "newgroup", "request", "requests", "status", "statuses", "flag", "index", "indices")
ARRAYS = ("counts", "displs", "datatypes", "requests", "status", "statuses", "indices", "integers")


def place(parameter):
    return "SKT_IN_EVENT" if parameter.role in IN_EVENT else "SKT_IN_SIGNATURE"


def role_number(role):
    return call_table.ROLES.index(role) + 1


class Wrapper:
    """Writes the wrapper of one function of the table."""

    def __init__(self, call, declaration, number):
        self.call, self.declaration, self.number = call, declaration, number
        self.before, self.key, self.event, self.after = [], [], [], []
        self.bytes = ["0"]
        comm = next((p.name for p in call.parameters if p.role == "comm"), None)
        root = next((p.name for p in call.parameters if p.role == "root"), None)
        for parameter in call.recorded():
            self.add(parameter, comm, root)

    def add(self, p, comm, root):
        name = p.name
        value = f"*{name}" if p.direction == "inout" and p.role in ("comm", "group") else name
        if p.role in ("comm", "group") and p.direction == "inout":  # freed: the handle as it was before
            raw = SCALARS[p.role].format(value)
            self.before.append(f"const int64_t {name}_before = {raw};")
            self.key.append(f"skel_key_add(t, {name}_before);")
        elif p.role in SCALARS:
            self.key.append(f"skel_key_add(t, {SCALARS[p.role].format(value)});")
        elif p.role in ("counts", "displs", "integers"):
            length = {"ranks": f"skel_comm_size({comm})", "topology": f"skel_topology({comm})"}.get(p.length, p.length)
            if p.root_only:
                length = f"(skel_is_root({comm}, {root}) ? {length} : 0)"
            self.key.append(f"skel_key_ints(t, {name}, {length});")
        elif p.role == "datatypes":
            raise call_table.TableError(f"{self.call.name}: arrays of datatypes are not captured yet")
        elif p.role == "buffer":
            self.bytes.append("10")
            self.event.append(f"at = skel_put_address(t, at, {name}, SKEL_IN_PLACE);")
        elif p.role == "request":
            self.bytes.append("10")
            if p.direction == "inout":
                self.before.append(f"const uint64_t {name}_before = SKEL_RAW(*{name}, MPI_REQUEST_NULL);")
                self.event.append(f"at = skel_put_signed(at, (int64_t){name}_before);")
            else:
                self.event.append(f"at = skel_put_signed(at, (int64_t)SKEL_RAW(*{name}, MPI_REQUEST_NULL));")
        elif p.role == "requests":
            self.before.append(f"uint64_t* const {name}_before = skel_requests(t, {name}, {p.length});")
            self.bytes.append(f"10 + 10 * (size_t)skel_length({p.length})")
            self.event.append(f"at = skel_put_requests(at, {name}_before, {p.length});")
        elif p.role in ("newcomm", "newgroup"):
            null = "MPI_COMM_NULL" if p.role == "newcomm" else "MPI_GROUP_NULL"
            self.bytes.append("10")
            self.event.append(f"at = skel_put_signed(at, (int64_t)SKEL_RAW(*{name}, {null}));")
            if p.role == "newcomm":
                self.after.append(f"if (*{name} != MPI_COMM_NULL) skel_define_comm(t, *{name});")
            else:
                self.after.append(f"skel_define_group(t, *{name});")
        elif p.role == "status":
            self.before.append(f"MPI_Status {name}_own;\n    if ({name} == MPI_STATUS_IGNORE) {name} = &{name}_own;")
            done = " && *flag" if any(q.role == "flag" for q in self.call.parameters) else ""
            self.bytes.append("40")
            self.event.append(f"at = skel_put_status(at, {name}, skel_result == MPI_SUCCESS{done});")
        elif p.role == "statuses":
            count = "count" if p.length == "count" else "incount"
            self.before.append(f"if (s->wildcards && {name} == MPI_STATUSES_IGNORE) {name} = skel_own_statuses(t, {count});")
            done = " && *flag" if any(q.role == "flag" for q in self.call.parameters) else ""
            length = p.length if p.length == "count" else f"skel_outcount(*{p.length})"
            self.bytes.append(f"10 + 20 * (size_t)skel_length({count})")
            self.event.append(f"at = skel_put_statuses(at, {name}, s->wildcards && skel_result == MPI_SUCCESS{done} ? {length} : 0);")
        elif p.role == "flag":
            self.bytes.append("1")
            self.event.append(f"at = skel_put_signed(at, *{name} != 0);")
        elif p.role == "index":
            self.bytes.append("10")
            self.event.append(f"at = skel_put_signed(at, skel_undefined(*{name}));")
        elif p.role == "indices":
            count = next(q.name for q in self.call.parameters if q.role == "count")
            self.bytes.append(f"10 + 10 * (size_t)skel_length({count})")
            self.event.append(f"at = skel_put_ints(at, {name}, skel_outcount(*{p.length}));")
        else:
            raise call_table.TableError(f"{self.call.name}: no capture for role {p.role}")

    def lines(self):
        d, kind = self.declaration, self.call.kind
        arguments = ", ".join(d.names)
        init = {"init": ["skel_after_init(t, begin, end);"], "finalize": ["skel_after_finalize(t, end);"]}.get(kind, [])
        before = {"init": ["skel_before_init();"], "finalize": ["skel_before_finalize(t);"]}.get(kind, [])
        wildcard = []
        if kind == "recv" and self.call.later:
            source, tag = (next(p.name for p in self.call.parameters if p.role == r) for r in ("peer", "tag"))
            wildcard = [f"if ({source} == MPI_ANY_SOURCE || {tag} == MPI_ANY_TAG) s->wildcards = 1;"]
        if kind == "abort":
            return [f"static {d.returns} wrap_{d.name}({d.parameters}) {{", "  struct skel_thread* t = skel_enter();",
                    "  if (t) {", "    struct skel_state* s = skel_state();", "    const uint64_t begin = skel_ticks(s->tsc);",
                    f"    skel_key_begin(t, {self.number});", *(f"    {line}" for line in self.key),
                    "    uint8_t* at = skel_event(t, begin, begin, 0);", "    if (at) skel_commit(t, at);", "    skel_before_abort(t);",
                    "    skel_leave(t);", "  }", f"  return real.{d.name}({arguments});", "}"]
        result = f"const {d.returns} skel_result = real.{d.name}({arguments});"
        body = [f"static {d.returns} wrap_{d.name}({d.parameters}) {{",
                f"  struct skel_thread* t = {'skel_enter_session' if init else 'skel_enter'}();",
                f"  if (__builtin_expect(!t, 0)) return real.{d.name}({arguments});",
                "  struct skel_state* s = skel_state();",
                *(f"  {line}" for line in before + wildcard + self.before),
                "  if (s->columns) skel_counters_read(s, t->column_begin);",
                "  const uint64_t begin = skel_ticks(s->tsc);",
                f"  {result}",
                "  const uint64_t end = skel_ticks(s->tsc);",
                f"  skel_key_begin(t, {self.number});",
                *(f"  {line}" for line in self.key),
                f"  uint8_t* at = skel_event(t, begin, end, {' + '.join(self.bytes)});",
                "  if (__builtin_expect(at != NULL, 1)) {",
                *(f"    {line}" for line in self.event),
                "    skel_commit(t, at);",
                "  }",
                "  if (s->columns) skel_counters_read(s, t->column_end);",
                "  if (__builtin_expect(end >= s->sample_at, 0)) skel_sample_step(s, t);",
                *(f"  {line}" for line in self.after + init),
                "  skel_leave(t);",
                "  return skel_result;",
                "}"]
        return body


def opaque(d, number):
    arguments = ", ".join(d.names)
    void = d.returns == "void"
    keep = "" if void else f"const {d.returns} skel_result = "
    done = "return;" if void else "return skel_result;"
    early = f"{{ real.{d.name}({arguments}); return; }}" if void else f"return real.{d.name}({arguments});"
    return [f"static {d.returns} wrap_{d.name}({d.parameters}) {{",
            "  struct skel_thread* t = skel_enter();",
            f"  if (__builtin_expect(!t, 0)) {early}",
            "  struct skel_state* s = skel_state();",
            "  if (s->columns) skel_counters_read(s, t->column_begin);",
            "  const uint64_t begin = skel_ticks(s->tsc);",
            f"  {keep}real.{d.name}({arguments});",
            "  const uint64_t end = skel_ticks(s->tsc);",
            f"  skel_key_begin(t, {number});",
            "  uint8_t* at = skel_event(t, begin, end, 0);",
            "  if (at) skel_commit(t, at);",
            "  if (s->columns) skel_counters_read(s, t->column_end);",
            "  skel_leave(t);",
            f"  {done}",
            "}"]


def check(calls, declared):
    by_name = {d.name: d for d in declared}
    for call in calls.values():
        declaration = by_name.get(call.name)
        if declaration is None:
            raise call_table.TableError(f"{call.name} is not declared by this mpi.h")
        names = [p.name for p in call.parameters]
        if len(names) != len(declaration.names):
            raise call_table.TableError(f"{call.name} has parameters {names}, mpi.h says ({declaration.parameters})")
        for parameter, real_name in zip(call.parameters, declaration.names):  # headers differ in spelling, not in order
            parameter.name, old = real_name, parameter.name
            for other in call.parameters:
                other.spans = tuple(real_name if s == old else s for s in other.spans)
                other.length = real_name if other.length == old else other.length


def main():
    table, compiler, out, *include_dirs = sys.argv[1:]
    calls, _ = call_table.read(table)
    declared = declarations.read(compiler, include_dirs)
    if len(declared) < 300:
        raise call_table.TableError(f"only {len(declared)} MPI functions found in mpi.h; is {compiler} the right compiler?")
    check(calls, declared)
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    names = [f"SKEL_NAME({number}, {d.name})" for number, d in enumerate(declared)]
    (out / "names.inc").write_text("\n".join(names) + "\n")
    real = ["struct skel_real {", *(f"  {d.returns} (*{d.name})({d.parameters});" for d in declared), "};"]
    (out / "real.inc").write_text("\n".join(real) + "\n")

    lines = ['#include "wrap.h"', ""]
    rows = []
    for number, d in enumerate(declared):
        call = calls.get(d.name)
        if call and call.recorded():
            parameters = ", ".join(f"{{{role_number(p.role)}, {place(p)}, {int(p.role in ARRAYS)}}}" for p in call.recorded())
            lines.append(f"static const struct skel_parameter parameters_{number}[] = {{{parameters}}};")
            rows.append(f'  {{"{d.name}", {len(call.recorded())}, parameters_{number}}},')
        else:
            rows.append(f'  {{"{d.name}", 0, NULL}},')
    lines += ["static const struct skel_function functions[] = {", *rows, "};", ""]
    for number, d in enumerate(declared):
        lines += Wrapper(calls[d.name], d, number).lines() if d.name in calls else opaque(d, number)
        lines.append("")
    lines += ["struct skel_real real;", "", "const struct skel_wrapper skel_wrappers[] = {",
              *(f'  {{"{d.name}", (void (*)(void))wrap_{d.name}, (void (**)(void))&real.{d.name}}},' for d in declared),
              "};",
              "const unsigned skel_wrapper_count = sizeof skel_wrappers / sizeof *skel_wrappers;",
              "const struct skel_function* const skel_functions = functions;", ""]
    (out / "wrappers.c").write_text("\n".join(lines))


call_table.main_guard(main)
