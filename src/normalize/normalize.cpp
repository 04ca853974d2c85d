#include "normalize/normalize.h"

#include <fmt/format.h>

#include <unordered_map>

#include "normalize/answers.h"
#include "normalize/location.h"
#include "normalize/pools.h"
#include "support/error.h"

namespace skelgen::normalize {

std::vector<Class> group_equal(const Normalized& normalized) {
  std::vector<Class> classes;
  std::vector<std::vector<SymbolId>> sequence;  // of each class
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash;
  std::vector<SymbolId> symbols;
  for (std::size_t l = 0; l < normalized.locations.size(); ++l) {
    const auto& calls = normalized.locations[l].calls;
    symbols.clear();
    std::uint64_t hash = calls.size();
    for (const RecordId call : calls) {
      symbols.push_back(normalized.records[call].symbol);
      hash = mix(hash, symbols.back());
    }
    bool found = false;
    for (const std::size_t c : by_hash[hash]) {
      if (sequence[c] != symbols) continue;
      classes[c].members.push_back(l);
      found = true;
      break;
    }
    if (found) continue;
    by_hash[hash].push_back(classes.size());
    classes.push_back({{l}});
    sequence.push_back(symbols);
  }
  return classes;
}

Normalized classes(const trace::Trace& trace) {
  Normalized result;
  const std::string directory = trace.directory().string();
  Tables tables(directory, result);
  Predefined predefined;
  for (const Location where : trace.locations()) {
    LocationCalls calls;
    calls.where = where;
    Buffers buffers;
    LocationCalls unused;
    LocationReader touch(directory, where, LocationReader::Pass::touch, buffers, predefined, tables, result, unused);
    trace.visit(where, touch);
    buffers.finish();
    calls.calls.reserve(touch.calls());
    calls.gap_s.reserve(touch.calls());
    calls.duration_s.reserve(touch.calls());
    LocationReader name(directory, where, LocationReader::Pass::name, buffers, predefined, tables, result, calls);
    trace.visit(where, name);
    calls.buffer_bytes = buffers.bytes_by_slot();
    for (const trace::RankInfo& info : trace.rank_info())
      if (info.rank == where.rank) calls.working_set_bytes = info.ending.working_set_bytes;
    result.locations.push_back(std::move(calls));
  }
  find_pools(result, tables);
  find_answers(result, tables);
  result.classes = group_equal(result);
  return result;
}

namespace {

std::string list(const std::vector<std::int64_t>& values) { return fmt::format("{{{}}}", fmt::join(values, ",")); }

std::string buffer_text(std::int64_t value) {
  if (value == mpi::kNullBuffer) return "NULL";
  if (value == mpi::kInPlace) return "MPI_IN_PLACE";
  return fmt::format("#{}+{}", mpi::slot_of(value), mpi::offset_of(value));
}

struct Lists {
  std::span<const std::vector<std::int64_t>> arrays;
  std::span<const std::string> names;
};

std::string name_text(const Lists& lists, const char* made, std::int64_t value) {
  if (value >= mpi::kMade) return fmt::format("{}{}", made, value - mpi::kMade);
  return value < 0 ? "NULL" : lists.names[static_cast<std::size_t>(value)];
}

std::string value_text(const Lists& lists, mpi::Role role, bool is_members, std::int64_t value) {
  using mpi::Role;
  if (role != Role::datatypes && (is_array(role) || (role == Role::group && is_members)))
    return list(lists.arrays[static_cast<std::size_t>(value)]);
  switch (role) {
    case Role::buffer:
      return buffer_text(value);
    case Role::datatype:
      return name_text(lists, "type", value);
    case Role::op:
      return name_text(lists, "op", value);
    case Role::datatypes: {
      std::vector<std::string> all;
      for (const std::int64_t one : lists.arrays[static_cast<std::size_t>(value)])
        all.push_back(name_text(lists, "type", one));
      return fmt::format("{{{}}}", fmt::join(all, ","));
    }
    case Role::peer:
    case Role::root:
      return value == mpi::kProcNull    ? "MPI_PROC_NULL"
             : value == mpi::kAnySource ? "MPI_ANY_SOURCE"
             : value == mpi::kRoot      ? "MPI_ROOT"
                                        : std::to_string(value);
    case Role::tag:
      return value == mpi::kAnyTag ? "MPI_ANY_TAG" : std::to_string(value);
    default:
      return value == mpi::kUndefined ? "MPI_UNDEFINED" : std::to_string(value);
  }
}

}  // namespace

std::string text(const mpi::Function& function, std::span<const std::int64_t> values,
                 std::span<const std::vector<std::int64_t>> arrays, std::span<const std::string> names) {
  std::string line(function.name);
  line += "(";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const mpi::Parameter& parameter = function.parameters[i];
    if (i) line += ", ";
    line += std::string(parameter.name) + "=" +
            value_text(Lists{arrays, names}, parameter.role, function.kind == mpi::Kind::comm_create, values[i]);
  }
  return line + ")";
}

std::string text(const Normalized& normalized, const Record& record) {
  return text(*normalized.symbols[record.symbol].function, record.values, normalized.arrays, normalized.names);
}

}  // namespace skelgen::normalize
