"""The C text of wrappers of Fortran's names: mpi_x_ and mpi_x_f08_. Both take addresses; handles are numbers; the call goes to Fortran's own PMPI
entry with the arguments as they are, and what is recorded is what the C call would have been given."""
import call_table
from wrapper_text import HANDLES, WIDE, Wrapper

# Of MPI-1: Fortran has int where C has MPI_Aint or void*.
NARROW = ("MPI_Type_hvector", "MPI_Type_hindexed", "MPI_Type_struct", "MPI_Type_extent", "MPI_Type_lb", "MPI_Type_ub", "MPI_Address",
          "MPI_Attr_put", "MPI_Attr_get", "MPI_Keyval_create")
BY_ADDRESS = ("extra_state", "attribute_val")  # numbers of an address's size, where C has void*
NOT_IN_FORTRAN = {"MPI_Info_create_env": ("argc", "argv")}
CHOICE = ("base", "location", "inbuf", "outbuf", "buffer")  # memory of any type, besides what has the role of a buffer
# What MPICH's Fortran library does by itself.
WITHOUT_C = ("MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Type_get_attr", "MPI_Type_set_attr", "MPI_Win_get_attr",
             "MPI_Win_set_attr")
# What SMPI's Fortran entries do by themselves; the others call C. It has no PMPI names for Fortran, and no mpi_f08.
WITHOUT_C_SMPI = ("MPI_Comm_create_keyval", "MPI_Comm_free", "MPI_Keyval_create", "MPI_Type_create_keyval", "MPI_Win_create_keyval")
WITH_POINTER = ("MPI_Alloc_mem", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_shared_query")  # also with type(c_ptr)
OLD = ("MPI_Attr_delete", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free", "MPI_Type_extent", "MPI_Type_lb", "MPI_Type_ub",
       "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_struct", "MPI_Address", "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set")  # older than mpi_f08
WITHOUT_LARGE = ("MPI_Type_create_resized_c", "MPI_Type_get_extent_c", "MPI_Type_get_true_extent_c", "MPI_Op_create_c", "MPI_File_get_type_extent_c",
                 "MPI_Register_datarep_c")  # not in mpi_f08: the C call has nothing that it lacks
TYPES = set(HANDLES.values()) - {"MPI_Status"}


class FortranWrapper(Wrapper):
    def __init__(self, call, declaration):
        super().__init__(call, declaration)
        self.missing = NOT_IN_FORTRAN.get(call.name, ())
        self.subroutine = declaration.result == "int"
        self.narrow = call.name in NARROW
        self.rooms_before = {}  # by array: bytes of those before it

    def fortran_type(self, p):
        kind = self.c_type[p.name]
        base = kind.rstrip("*")
        if base in WIDE:
            return "MPI_Fint*" if self.narrow else f"{base}*"
        if base == "char":
            return "char*"
        if base == "int" or base in TYPES or base == "MPI_Status":
            return "MPI_Fint*"
        return "void*"

    def given(self):
        return [p for p in self.call.parameters if p.name not in self.missing]

    def texts(self):
        return [p for p in self.given() if self.c_type[p.name].startswith("char*")]

    def parameter_list(self):
        parts = [f"{self.fortran_type(p)} f_{self.c_name[p.name]}" for p in self.given()]
        parts += ["MPI_Fint* ierror_"] if self.subroutine else []
        parts += [f"size_t bytes_{self.c_name[p.name]}" for p in self.texts()]
        return ", ".join(parts) or "void"

    def arguments(self, replaced):
        parts = [replaced.get(self.c_name[p.name], f"f_{self.c_name[p.name]}") for p in self.given()]
        parts += ["ierror_"] if self.subroutine else []
        return ", ".join(parts + [f"bytes_{self.c_name[p.name]}" for p in self.texts()])

    def call_pmpi(self, replaced):
        changed = {}
        for name, by in replaced.items():
            own = "&own_" if by == "status_" else "skel_statuses(before_)"
            changed[name] = f"(wild_ && {name} == {'MPI_STATUS_IGNORE' if by == 'status_' else 'MPI_STATUSES_IGNORE'} ? (MPI_Fint*){own} : f_{name})"
        return f"real_({self.arguments(changed)})"

    def prologue(self):
        """The parameters as C has them, under C's names; arrays last, since their lengths are other parameters."""
        last = [p for p in self.call.parameters if self.is_converted_array(p) or p.role == "text"]
        for p in self.call.parameters:
            if p not in last:
                self.local(p)
        self.at_root()
        self.rooms([p for p in last if self.is_converted_array(p)])
        for p in last:
            self.local(p)

    def rooms(self, arrays):
        """Room for the arrays that have to be converted: few elements on the stack, which may be short, many elsewhere."""
        if not arrays:
            return
        if self.parameter("requests"):
            raise call_table.TableError(f"{self.call.name}: requests and converted arrays would take the same room")
        bytes_before = []
        for p in arrays:
            name, base = self.c_name[p.name], self.c_type[p.name].rstrip("*")
            guard = " && ".join(filter(None, [self.condition(p), f"f_{name}"]))
            self.add(f"const int count_{name}_ = {guard} ? skel_at_least_0({self.length_of(p)}) : 0;")
            self.rooms_before[name] = " + ".join(bytes_before) or "0"
            bytes_before.append(f"skel_bytes(count_{name}_, sizeof({base}))")
        self.add("uint64_t few_[SKEL_FEW];")
        self.add(f"char* const room_ = skel_converted(self_, few_, {' + '.join(bytes_before)});")
        self.add(f"if (SKEL_UNLIKELY(!room_)) return skel_give_up(self_), {self.call_pmpi({})};")

    def is_converted_array(self, p):
        kind = self.c_type[p.name]
        base = kind.rstrip("*")
        return p.is_array() and p.role not in ("requests", "statuses", "status", "text", "texts") and (base in TYPES or self.narrow and base in WIDE)

    def local(self, p):
        name, kind = self.c_name[p.name], self.c_type[p.name]
        base = kind.rstrip("*")
        given = f"f_{name}"
        if p.name in self.missing:
            self.add(f"{kind} const {name} = 0;")
        elif base == "char":
            if kind != "char*":
                self.add(f"{kind} const {name} = NULL;")
            elif p.role == "text":
                self.add(f"char {name}[SKEL_TEXT_BYTES + 1];")
                condition = self.condition(p) or "1"
                self.add(f"skel_fortran_text({name}, {given}, {f'{condition} ? bytes_{name} : 0' if p.direction == 'in' else '0'});")
        elif self.is_converted_array(p):
            self.add(f"{base}* const {name} = ({base}*)(void*)(room_ + {self.rooms_before[name]});")
            if p.direction == "in":
                self.add(f"for (int i_ = 0; i_ < count_{name}_; i_++) {name}[i_] = {self.from_fortran(base, f'{given}[i_]')};")
        elif p.role == "requests":
            self.add(f"const MPI_Fint* const {name} = {given};")
        elif base == "MPI_Status":
            self.add(f"MPI_Status* const {name} = skel_fortran_status{'es' if p.role == 'statuses' else ''}({given});")
        elif base in TYPES:
            if kind == base:
                self.add(f"const {base} {name} = {self.from_fortran(base, '*' + given)};")
            else:
                start = f" = {self.from_fortran(base, '*' + given)}" if p.direction == "inout" else ""
                self.add(f"{base} made_{name}{start};")
                self.add(f"{base}* const {name} = &made_{name};")
        elif p.role == "index":
            self.add(f"int made_{name};")
            self.add(f"int* const {name} = &made_{name};")
        elif base in ("int",) + WIDE:
            if kind == base:
                self.add(f"const {base} {name} = *{given};")
            elif self.narrow and base in WIDE:
                self.add(f"{base} made_{name};")
                self.add(f"{base}* const {name} = &made_{name};")
            elif "weights" in name:
                self.add(f"const int* const {name} = skel_fortran_weights({given});")
            else:
                self.add(f"{base}* const {name} = {given};")
        elif p.role == "buffer":
            self.add(f"void* const {name} = skel_fortran_buffer({given});")
        elif p.name in BY_ADDRESS and p.direction == "in":
            self.add(f"void* const {name} = (void*)(intptr_t)*({'MPI_Fint' if self.narrow else 'MPI_Aint'}*){given};")
        elif p.name in BY_ADDRESS and self.narrow:
            self.add(f"void* made_{name};")
            self.add(f"void* const {name} = &made_{name};")
        else:
            self.add(f"void* const {name} = (void*){given};")

    def length_of(self, p):
        return super().length(p)

    def from_fortran(self, base, expression):
        return f"skel_f2c_{base}({expression})" if base in TYPES else expression

    def epilogue(self):
        """What the call put into Fortran's variables, as C would have it."""
        for p in self.given():
            name, kind = self.c_name[p.name], self.c_type[p.name]
            base, done = kind.rstrip("*"), self.done(p)
            if p.direction != "out" or p.role == "void":
                continue
            if p.role == "text":
                self.add(f"if ({done}) skel_fortran_text({name}, f_{name}, bytes_{name});")
            elif self.is_converted_array(p):
                self.add(f"for (int i_ = 0; {done} && i_ < count_{name}_; i_++) {name}[i_] = {self.from_fortran(base, f'f_{name}[i_]')};")
            elif base in TYPES and p.role != "requests":
                done = "result_ == MPI_SUCCESS" if p.role == "request" else done
                self.add(f"if ({done}) made_{name} = {self.from_fortran(base, f'*f_{name}')};")
            elif p.role == "index":
                self.add(f"if (result_ == MPI_SUCCESS) made_{name} = *f_{name} == MPI_UNDEFINED ? MPI_UNDEFINED : *f_{name} - skel_fortran.first_index;")
            elif self.narrow and base in WIDE:
                self.add(f"if ({done}) made_{name} = *f_{name};")
            elif p.name in BY_ADDRESS and self.narrow:
                self.add(f"if ({done}) made_{name} = (void*)(intptr_t)*(MPI_Fint*)f_{name};")

    keep = "skel_keep_fortran"
    first_index = "skel_fortran.first_index"

    def call_and_result(self, replaced):
        if not self.subroutine:
            return [f"const {self.declaration.result} result_ = {self.call_pmpi(replaced)};"]
        return [f"{self.call_pmpi(replaced)};", "const int result_ = ierror_ ? *ierror_ : MPI_SUCCESS;"]

    def last_line(self):
        return "return;" if self.subroutine else "return result_;"

    def result_type(self):
        return "void" if self.subroutine else self.declaration.result

    def text(self):
        return self.body(f"static inline __attribute__((always_inline)) {self.result_type()} any_{self.call.name}"
                         f"({self.result_type()} (*real_)({self.parameter_list()}), {self.parameter_list()})".replace(", void)", ")"))

    def entry(self, name, slot):
        """The wrapper of one Fortran name; what it calls stands in skel_fortran_real[slot]."""
        arguments = self.arguments({})
        result = self.result_type()
        return [f"static {result} wrap_{name}({self.parameter_list()}) {{",
                f"  {result} (*real_)({self.parameter_list()});",
                f"  memcpy(&real_, &skel_fortran_real[{slot}], sizeof real_);",
                f"  {'return ' if result != 'void' else ''}any_{self.call.name}(real_{', ' if arguments else ''}{arguments});", "}", ""]


def special(call, name):
    """Hands on to a wrapper written by hand, which gets what the name stood for before the arguments."""
    given = [p.name for p in call.parameters if p.name not in ("argc", "argv")] + ["error"] * (call.name != "MPI_Pcontrol")
    return [f"static void wrap_{name}({', '.join(f'MPI_Fint* {p}' for p in given)}) {{",
            f"  skel_fortran_{call.name}(skel_fortran_real[SKEL_{name}], {', '.join(given)});", "}", ""]


def names(flavour, call):
    """The Fortran names of a function that do not arrive as the C call: [(name, its PMPI twin)]."""
    choice = any(p.role == "buffer" or p.role in ("address", "void") and p.name in CHOICE for p in call.parameters)
    if flavour == "mpich" and choice:
        return []  # its Fortran entries call C
    lower = call.name.lower()
    if flavour == "smpi":
        return [(f"{lower}_", f"{lower}_")] if call.name in WITHOUT_C_SMPI else []
    rest = lower.removeprefix("mpi_")
    f08 = "pmpir_" if flavour == "mpich" else "pmpi_"
    if call.name.endswith("_c"):
        base = rest.removesuffix("_c")
        return [] if call.name in WITHOUT_LARGE else [(f"mpi_{base}_f08_large_", f"{f08}{base}_f08_large_")]
    found = []
    if flavour == "openmpi" or call.name in WITHOUT_C:
        found += [(f"{lower}_", f"p{lower}_")]
    if flavour == "openmpi" and call.name in WITH_POINTER:
        found += [(f"{lower}_cptr_", f"p{lower}_cptr_")]
    if call.name not in OLD and not (flavour == "openmpi" and call.name in ("MPI_Wtime", "MPI_Wtick")):
        found += [(f"{lower}_f08_", f"{f08}{rest}_f08_")]
    return found


def wrappers(flavour, calls, declared):
    """C text of all Fortran wrappers, and the table of their names."""
    lines, rows = [], []
    for name in sorted(calls):
        call = calls[name]
        own = names(flavour, call)
        if own and not call.special:
            wrapper = FortranWrapper(call, declared[name])
            lines += wrapper.text()
            for fortran, _ in own:
                lines += wrapper.entry(fortran, f"SKEL_{fortran}")
        else:
            for fortran, _ in own:
                lines += special(call, fortran)
        rows += [(fortran, real, f"wrap_{fortran}", name) for fortran, real in own]
    return lines, sorted(rows)

