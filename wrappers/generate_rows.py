"""generate_rows.py TABLE OUT.inc: the rows behind src/mpi/mpi.h (Function and Parameter initializers, ordered by name)."""
import sys

import call_table


def parameter_row(parameter, recorded):
    names = [p.name for p in recorded]
    at = [names.index(name) for name in parameter.spans]
    count, displs, datatype = -1, -1, -1
    if len(at) == 1:
        count, datatype = (at[0], -1) if parameter.counted == "bytes" else (-1, at[0])
    elif at:
        count, displs, datatype = at[0], at[1] if len(at) == 3 else -1, at[-1]
    return (f'    {{"{parameter.name}", Role::{parameter.role}, Direction::{parameter.direction}, {count}, {displs}, {datatype}, '
            f"{str(parameter.root_only).lower()}, Ranks::{parameter.per_rank or 'none'}, {str(parameter.own_share).lower()}, "
            f"Neighbours::{ {'': 'none', 'in': 'sources', 'out': 'destinations'}[parameter.per_neighbour] }, "
            f"{names.index(parameter.spans_times) if parameter.spans_times else -1}, "
            f'"{parameter.length}", Parameter::Length::{length_of(parameter, names)}, {parameter.times}, {str(parameter.not_first).lower()}}},')


def length_of(parameter, names):
    """The enumerator of Parameter::Length."""
    if parameter.length in names:
        return "parameter"
    return {"": "none", "ranks": "peers", "own ranks": "own", "neighbours in": "sources", "neighbours out": "destinations"}.get(parameter.length, "other")


def main():
    table, out = sys.argv[1:]
    calls = call_table.read(table).calls
    lines = []
    for name in sorted(calls):
        recorded, found = calls[name].recorded(), calls[name].found
        for end, parameters in ("", recorded), ("_replayed", recorded + found if found else []):
            if parameters:
                lines += [f"constexpr Parameter k{name}{end}[] = {{", *(parameter_row(p, parameters) for p in parameters), "};"]
    lines.append("constexpr Function kFunctions[] = {")
    for number, name in enumerate(sorted(calls)):
        call = calls[name]
        recorded = f"k{name}" if call.recorded() else "{}"
        kind, parameters = (call.kind, recorded + ("_replayed" if call.found else "")) if call.replayed() else ("opaque", "{}")
        later = call.later and call.replayed()
        lines.append(f'    {{{number}, "{name}", Kind::{kind}, {str(later).lower()}, {str(call.kind == "timed").lower()}, {parameters}, {recorded}, {str(call.large and call.replayed()).lower()}, {str(call.of_neighbours()).lower()}}},')
    lines.append("};")
    with open(out, "w") as file:
        file.write("\n".join(lines) + "\n")


call_table.main_guard(main)
