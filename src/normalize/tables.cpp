#include "normalize/tables.h"

#include <algorithm>
#include <functional>

namespace skelgen::normalize {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

Tables::Tables(Normalized& normalized) : out_(normalized) {
  if (out_.arrays.empty()) array({});
}

SymbolId Tables::symbol(const mpi::Function* function, const std::vector<std::int64_t>& key) {
  const auto [found, fresh] = symbols_[function].try_emplace(key, static_cast<SymbolId>(out_.symbols.size()));
  if (fresh) {
    out_.symbols.push_back({function, key});
    records_.emplace_back();
  }
  return found->second;
}

RecordId Tables::record(SymbolId symbol, const std::vector<std::int64_t>& values) {
  const auto [found, fresh] = records_[symbol].try_emplace(values, static_cast<RecordId>(out_.records.size()));
  if (fresh) out_.records.push_back({symbol, values});
  return found->second;
}

std::int64_t Tables::array(std::span<const std::int64_t> values) {
  scratch_.assign(values.begin(), values.end());
  const auto [found, fresh] = arrays_.try_emplace(scratch_, static_cast<std::int64_t>(out_.arrays.size()));
  if (fresh) out_.arrays.push_back(scratch_);
  return found->second;
}

std::int64_t Tables::name(const std::string& name, std::int64_t bytes) {
  const auto [found, fresh] = names_.try_emplace(name, static_cast<std::int64_t>(out_.names.size()));
  if (fresh) {
    out_.names.push_back(name);
    out_.name_bytes.push_back(static_cast<int>(bytes));
  }
  return found->second;
}

int Slots::take() {
  if (free_.empty()) return next_++;
  std::ranges::pop_heap(free_, std::greater{});
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

void Slots::give(int slot) {
  free_.push_back(slot);
  std::ranges::push_heap(free_, std::greater{});
}

}  // namespace skelgen::normalize
