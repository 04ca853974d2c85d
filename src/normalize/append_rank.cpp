#include "normalize/append_rank.h"

#include <utility>

namespace skelgen::normalize {

using mpi::Role;

namespace {

class Numbering {
 public:
  Numbering(const Normalized& own, Tables& tables) : own_(own), tables_(tables) {
    for (std::size_t n = 0; n < own.names.size(); ++n) names_.push_back(tables.name(own.names[n], own.name_bytes[n]));
    for (const auto& array : own.arrays) arrays_.push_back(tables.array(array));
    for (const Symbol& symbol : own.symbols) symbols_.push_back(this->symbol(symbol));
  }

  void rename(OpenedFile& file) const { file.name = arrays_[static_cast<std::size_t>(file.name)]; }

  std::vector<RecordId> records() {
    std::vector<RecordId> numbers;
    std::vector<std::int64_t> values;
    for (const Record& record : own_.records) {
      const mpi::Function& function = *own_.symbols[record.symbol].function;
      values = record.values;
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = value(function.parameters[i].role, mpi::known_by_members(function.kind), values[i]);
      numbers.push_back(tables_.record(symbols_[record.symbol], values));
    }
    return numbers;
  }

 private:
  /// A predefined datatype or operation.
  std::int64_t name(std::int64_t value) const {
    return value >= 0 && value < mpi::kMade ? names_[static_cast<std::size_t>(value)] : value;
  }

  std::int64_t value(Role role, bool makes_comm, std::int64_t value) {
    if (role == Role::datatype || role == Role::op) return name(value);
    if (role == Role::datatypes) {
      scratch_ = own_.arrays[static_cast<std::size_t>(value)];
      for (std::int64_t& one : scratch_) one = name(one);
      return tables_.array(scratch_);
    }
    if (mpi::is_array(role) || role == Role::info || (role == Role::group && makes_comm))
      return arrays_[static_cast<std::size_t>(value)];
    return value;
  }

  SymbolId symbol(const Symbol& symbol) {
    scratch_ = symbol.key;
    each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
      if (parameter.role == Role::op) scratch_[at] = name(scratch_[at]);
    });
    return tables_.symbol(symbol.function, scratch_);
  }

  const Normalized& own_;
  Tables& tables_;
  std::vector<std::int64_t> names_, arrays_, scratch_;
  std::vector<SymbolId> symbols_;
};

}  // namespace

void append_rank(Normalized own, Tables& tables, Normalized& run) {
  Numbering numbering(own, tables);
  const std::vector<RecordId> records = numbering.records();
  for (LocationCalls& location : own.locations) {
    std::vector<RecordId> now;
    for (const RecordId record : location.calls.records()) now.push_back(records[record]);
    if (now.empty()) now = records;
    location.calls.rename(std::move(now));
    for (OpenedFile& file : location.opened) numbering.rename(file);
    run.locations.push_back(std::move(location));
  }
  for (const auto& [name, calls] : own.opaque) run.opaque[name] += calls;
  run.hints_left_out.merge(own.hints_left_out);
}

}  // namespace skelgen::normalize
