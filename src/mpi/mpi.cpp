#include "mpi/mpi.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "mpi/codes.h"

namespace skelgen::mpi {
namespace {

constexpr int kCompleted = Function::kCompleted;
#include "mpi_rows.inc"

struct TypeSize {
  std::string_view name;
  int bytes;
};

// Sizes on the platforms that we know (LP64); names as MPI_Type_get_name gives them for C and Fortran.
constexpr TypeSize kTypes[] = {
    {"MPI_CHAR", 1},
    {"MPI_SIGNED_CHAR", 1},
    {"MPI_UNSIGNED_CHAR", 1},
    {"MPI_BYTE", 1},
    {"MPI_PACKED", 1},
    {"MPI_WCHAR", 4},
    {"MPI_SHORT", 2},
    {"MPI_UNSIGNED_SHORT", 2},
    {"MPI_INT", 4},
    {"MPI_UNSIGNED", 4},
    {"MPI_LONG", 8},
    {"MPI_UNSIGNED_LONG", 8},
    {"MPI_LONG_LONG_INT", 8},
    {"MPI_LONG_LONG", 8},
    {"MPI_UNSIGNED_LONG_LONG", 8},
    {"MPI_FLOAT", 4},
    {"MPI_DOUBLE", 8},
    {"MPI_LONG_DOUBLE", 16},
    {"MPI_INT8_T", 1},
    {"MPI_INT16_T", 2},
    {"MPI_INT32_T", 4},
    {"MPI_INT64_T", 8},
    {"MPI_UINT8_T", 1},
    {"MPI_UINT16_T", 2},
    {"MPI_UINT32_T", 4},
    {"MPI_UINT64_T", 8},
    {"MPI_C_BOOL", 1},
    {"MPI_C_COMPLEX", 8},
    {"MPI_C_FLOAT_COMPLEX", 8},
    {"MPI_C_DOUBLE_COMPLEX", 16},
    {"MPI_C_LONG_DOUBLE_COMPLEX", 32},
    {"MPI_AINT", 8},
    {"MPI_OFFSET", 8},
    {"MPI_COUNT", 8},
    {"MPI_FLOAT_INT", 8},
    {"MPI_DOUBLE_INT", 12},
    {"MPI_LONG_INT", 12},
    {"MPI_SHORT_INT", 6},
    {"MPI_2INT", 8},
    {"MPI_LONG_DOUBLE_INT", 20},
    {"MPI_CHARACTER", 1},
    {"MPI_LOGICAL", 4},
    {"MPI_INTEGER", 4},
    {"MPI_REAL", 4},
    {"MPI_DOUBLE_PRECISION", 8},
    {"MPI_COMPLEX", 8},
    {"MPI_DOUBLE_COMPLEX", 16},
    {"MPI_2INTEGER", 8},
    {"MPI_2REAL", 8},
    {"MPI_2DOUBLE_PRECISION", 16},
    {"MPI_INTEGER1", 1},
    {"MPI_INTEGER2", 2},
    {"MPI_INTEGER4", 4},
    {"MPI_INTEGER8", 8},
    {"MPI_REAL4", 4},
    {"MPI_REAL8", 8},
    {"MPI_REAL16", 16},
    {"MPI_COMPLEX8", 8},
    {"MPI_COMPLEX16", 16},
    {"MPI_COMPLEX32", 32},
    {"MPI_CXX_BOOL", 1},
    {"MPI_CXX_FLOAT_COMPLEX", 8},
    {"MPI_CXX_DOUBLE_COMPLEX", 16},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", 32},
};

}  // namespace

std::string_view RoleProperties::word(std::int64_t value) const {
  const auto found = std::ranges::find(words, value, &Word::value);
  return found == words.end() ? std::string_view() : found->text;
}

const RoleProperties& properties(Role role) {
  const auto number = static_cast<std::size_t>(role);
  return kRoleProperties[number < std::size(kRoleProperties) ? number : 0];
}

int Function::find_last(Role role) const {
  for (std::size_t i = parameters.size(); i-- > 0;)
    if (parameters[i].role == role) return static_cast<int>(i);
  return -1;
}

int Function::source() const {
  const bool receives = kind == Kind::recv || kind == Kind::probe || kind == Kind::match || kind == Kind::sendrecv;
  return receives ? find_last(Role::peer) : -1;
}

int Function::counted_type(std::size_t parameter) const {
  switch (kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::recv_matched:
    case Kind::send_init:
    case Kind::recv_init:
    case Kind::collective:
    case Kind::collective_init:
      break;
    default:
      return -1;
  }
  for (const Parameter& buffer : parameters)
    if (buffer.role == Role::buffer && buffer.count == static_cast<int>(parameter)) return buffer.datatype;
  return -1;
}

int Function::displaced_counts(std::size_t parameter) const {
  for (const Parameter& buffer : parameters) {
    if (buffer.role != Role::buffer || buffer.displs != static_cast<int>(parameter) || buffer.datatype < 0) continue;
    const bool one_type = parameters[static_cast<std::size_t>(buffer.datatype)].role == Role::datatype;
    return one_type ? buffer.count : -1;
  }
  return -1;
}

std::span<const Function> functions() { return kFunctions; }

const Function* find(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

bool uses(const Parameter& buffer, const Communicator& comm, std::optional<std::int64_t> root, bool in_place) {
  if (buffer.root_only && root && *root != (comm.inter() ? kRoot : comm.rank)) return false;
  return !buffer.not_first || comm.rank != 0 || in_place;
}

__int128 elements(const Parameter& buffer, const Amount& amount, const Communicator* comm, bool own) {
  const __int128 count = amount.count;
  if (buffer.per_neighbour != Neighbours::none)
    return !comm ? 0
                 : count * std::max<std::int64_t>(
                               0, buffer.per_neighbour == Neighbours::sources ? comm->sources : comm->destinations);
  if (buffer.times >= 0) return count * amount.times;
  if (!amount.counts) return count * (comm && !own ? comm->ranks(buffer.per_rank) : 1);
  if (own) {
    const auto rank = static_cast<std::size_t>(comm ? comm->rank : 0);
    return rank < amount.counts->size() ? (*amount.counts)[rank] : 0;
  }
  return std::accumulate(amount.counts->begin(), amount.counts->end(), __int128{0});
}

bool Function::reads(std::size_t parameter, bool in_place) const {
  const Parameter& own = parameters[parameter];
  return own.role == Role::buffer && (in_place || own.direction != Direction::out);
}

int datatype_size(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeSize::name);
  return found != std::end(kTypes) ? found->bytes : 0;
}

}  // namespace skelgen::mpi
