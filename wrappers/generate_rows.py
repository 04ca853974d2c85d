"""generate_rows.py TABLE ROLES.inc ROWS.inc: the enumerations and constants of src/mpi/mpi.h, and the rows behind it (what roles and codes mean, all functions ordered by
name)."""
import os
import sys

import call_table

ROLES, KINDS, ATTRIBUTES, CODES = (getattr(call_table.VOCABULARY, name) for name in ("roles", "kinds", "attributes", "codes"))


def row(**fields):
    """A designated initializer of those that say something."""
    return "{" + ", ".join(f".{name} = {value}" for name, value in fields.items() if value or type(value) is int) + "}"


def text(value):
    return value and f'"{value}"'


def enumeration(name, meaning, values, number=""):
    """values: (name, number or "", meaning)."""
    lines = [f"/// {meaning[:1].upper()}{meaning[1:]}." if meaning else "", f"enum class {name} : std::uint8_t {{"]
    lines += [f"  {value}{f' = {number}' if number else ''},{f'  ///< {means}' if means else ''}" for value, number, means in values]
    return [*filter(None, lines), "};"]


def enumerations():
    lines = enumeration("Role", "what a parameter means; the number is part of the record format", [(r.name, r.number, r.meaning) for r in ROLES.values()])
    lines += enumeration("Kind", "what a call does", [("opaque", "", "recorded, but not replayed as a call")] + [(k, "", m) for k, m in KINDS.items()])
    for name, (values, meaning) in ATTRIBUTES.items():
        lines += enumeration(name.capitalize(), meaning, [(v, "", "") for v in values])
    return lines


def constants():
    """Values that are called like a constant of MPI: MPI_ANY_TAG is kAnyTag."""
    values = {}
    for one in [*ROLES.values(), *CODES.values()]:
        for value, name in one.words:
            if name.startswith("MPI_") and values.setdefault(name, value) != value:
                raise call_table.TableError(f"{name} is {value} and {values[name]}")
    lines = [f"inline constexpr std::int64_t k{''.join(word.capitalize() for word in name.split('_')[1:])} = {value};" for name, value in values.items()]
    return ["/// Values that have a name, as mpi_roles.table says of which parameters; they are part of the record format.", *lines]


def words(values):
    return "{" + ", ".join(f'{{{value}, "{name}"}}' for value, name in values) + "}"


def role_properties():
    lines = []
    for kind, all in (("Role", ROLES), ("Code", CODES)):
        lines += [f"constexpr Word k{kind}_{one.name}[] = {words(one.words)};" for one in all.values() if one.words]
    lines += ["constexpr RoleProperties kRoleProperties[] = {", "    {},"]
    for role in ROLES.values():
        element = ROLES.get(role.array_of, role)
        lines.append("    " + row(name=text(role.name), differs=role.differs and "true", is_int=role.is_int and "true", element=role.array_of and f"Role::{role.array_of}",
                                  type=text(role.type), slot=role.slot and f"'{role.slot}'", stands_for=element.stands_for and f"Role::{element.stands_for}",
                                  words=role.words and f"kRole_{role.name}") + ",")
    lines += ["};", "constexpr Codes kCodes[] = {"]
    for codes in CODES.values():
        lines.append("    " + row(name=text(codes.name), words=f"kCode_{codes.name}", flags=codes.flags and "true", open=codes.open and "true") + ",")
    return lines + ["};"]


def parameter_row(parameter, recorded):
    names = [p.name for p in recorded]
    at = [names.index(name) for name in parameter.spans]
    count = displs = datatype = None
    if len(at) == 1:
        count, datatype = (at[0], None) if parameter.counted == "bytes" else (None, at[0])
    elif at:
        count, displs, datatype = at[0], at[1] if len(at) == 3 else None, at[-1]
    neighbours = {"": "", "in": "Neighbours::sources", "out": "Neighbours::destinations"}
    flags = {name: getattr(parameter, name) and "true" for name in ("root_only", "own_share", "not_first", "unweighted", "not_null", "is_file", "dimensions")}
    return row(name=text(parameter.name), role=f"Role::{parameter.role}", direction=f"Direction::{parameter.direction}", count=count, displs=displs, datatype=datatype,
               root_only=flags["root_only"], per_rank=parameter.per_rank and f"Ranks::{parameter.per_rank}", own_share=flags["own_share"],
               per_neighbour=neighbours[parameter.per_neighbour], times=names.index(parameter.spans_times) if parameter.spans_times else None,
               length=text(parameter.length), length_kind=parameter.length and f"Parameter::Length::{length_of(parameter, names)}",
               length_times=parameter.times if parameter.times != 1 else None, not_first=flags["not_first"],
               codes=parameter.code and f"&kCodes[{list(CODES).index(parameter.code)}]", unweighted=flags["unweighted"], not_null=flags["not_null"],
               is_file=flags["is_file"], dimensions=flags["dimensions"], cast=text(parameter.cast))


def length_of(parameter, names):
    """The enumerator of Parameter::Length."""
    if parameter.length in names:
        return "parameter"
    return {"ranks": "peers", "own ranks": "own", "neighbours in": "sources", "neighbours out": "destinations"}.get(parameter.length, "other")


def function_row(number, call, calls, numbers):
    recorded = f"k{call.name}" if call.recorded() else ""
    attributes = {name: call.attribute(name) != values[0] and f"{name.capitalize()}::{call.attribute(name)}" for name, (values, _) in ATTRIBUTES.items()}
    form = calls.get(call.later_form())
    later = numbers[form.name] if form and form.later else None
    if not call.replayed():
        return row(id=number, name=text(call.name), kind="Kind::opaque", harmless=call.kind == "timed" and "true", recorded=recorded, **attributes)
    return row(id=number, name=text(call.name), kind=f"Kind::{call.kind}", places=f"kPlaces[{number}]", nonblocking=call.later and "true",
               parameters=recorded + ("_replayed" if call.found else ""), recorded=recorded, large=call.large and "true", **attributes,
               partitioned=call.partitioned and "true", replayed_as=numbers.get(call.replayed_as), later=later,
               runtime=text(call.emitted and call.emitted[0]), runtime_arguments=call.emitted[1:] and f"kRuntime_{call.name}")


def places(call):
    """By number of a role the index of the first parameter that has it, or -1."""
    roles = [p.role for p in call.recorded() + call.found] if call.replayed() else []
    by_number = {role.number: roles.index(role.name) for role in ROLES.values() if role.name in roles}
    return "{" + ", ".join(str(by_number.get(number, -1)) for number in range(len(ROLES) + 1)) + "}"


def functions(calls):
    lines = ["constexpr std::int8_t kPlaces[][std::size(kRoleProperties)] = {", *(f"    {places(call)}," for call in calls.values()), "};"]
    for call in calls.values():
        recorded, found = call.recorded(), call.found
        for end, parameters in ("", recorded), ("_replayed", recorded + found if found else []):
            if parameters:
                lines += [f"constexpr Parameter k{call.name}{end}[] = {{", *(f"    {parameter_row(p, parameters)}," for p in parameters), "};"]
        if call.emitted[1:]:
            names = [p.name for p in recorded + found]
            at = ["kCompleted" if name == "completed" else str(names.index(name)) for name in call.emitted[1:]]
            lines.append(f"constexpr int kRuntime_{call.name}[] = {{{', '.join(at)}}};")
    numbers = {name: number for number, name in enumerate(calls)}
    return lines + ["constexpr Function kFunctions[] = {", *(f"    {function_row(number, call, calls, numbers)}," for number, call in enumerate(calls.values())), "};"]


def main():
    table, roles, rows = sys.argv[1:]
    calls = call_table.read(table).calls
    for path, lines in (roles, enumerations() + constants()), (rows, role_properties() + functions(dict(sorted(calls.items())))):
        text = "\n".join(lines) + "\n"
        if not os.path.exists(path) or open(path).read() != text:  # what includes it is compiled again
            with open(path, "w") as file:
                file.write(text)


call_table.main_guard(main)
