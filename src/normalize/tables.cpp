#include "normalize/tables.h"

#include <algorithm>
#include <functional>

namespace skelgen::normalize {

std::uint64_t hash_of(std::span<const std::int64_t> words, std::uint64_t seed) {
  std::uint64_t hash = mix(seed, words.size());
  for (const std::int64_t word : words) hash = mix(hash, static_cast<std::uint64_t>(word));
  return mix(hash, 0);
}

void Ids::put(std::uint64_t hash, std::uint32_t id) {
  std::size_t at = hash & mask();
  while (cells_[at].id != kNone) at = (at + 1) & mask();
  cells_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
}

std::uint32_t Ids::add(std::uint64_t hash) {
  const auto id = static_cast<std::uint32_t>(hashes_.size());
  if (id == kNone) return kNone;
  hashes_.push_back(hash);
  if (2 * hashes_.size() > cells_.size()) {
    cells_.assign(std::max<std::size_t>(64, 2 * cells_.size()), {});
    for (std::uint32_t each = 0; each < hashes_.size(); ++each) put(hashes_[each], each);
  } else {
    put(hash, id);
  }
  return id;
}

Tables::Tables(std::string directory, Normalized& normalized) : directory_(std::move(directory)), out_(normalized) {
  array({});
}

std::uint32_t Tables::add(Ids& ids, std::uint64_t hash) const {
  const std::uint32_t id = ids.add(hash);
  if (id == Ids::kNone)
    throw Error(Code::unsupported, directory_, {}, "more than 2^32 different calls", "trace a shorter run");
  return id;
}

SymbolId Tables::symbol(const mpi::Function* function, std::span<const std::int64_t> key) {
  const std::uint64_t hash = hash_of(key, static_cast<std::uint64_t>(function->id));
  const SymbolId known = symbols_.find(hash, [&](SymbolId id) {
    return out_.symbols[id].function == function && std::ranges::equal(out_.symbols[id].key, key);
  });
  if (known != Ids::kNone) return known;
  out_.symbols.push_back({function, {key.begin(), key.end()}});
  return add(symbols_, hash);
}

RecordId Tables::record(SymbolId symbol, std::span<const std::int64_t> values) {
  const std::uint64_t hash = hash_of(values, symbol);
  const RecordId known = records_.find(hash, [&](RecordId id) {
    return out_.records[id].symbol == symbol && std::ranges::equal(out_.records[id].values, values);
  });
  if (known != Ids::kNone) return known;
  out_.records.push_back({symbol, {values.begin(), values.end()}});
  return add(records_, hash);
}

std::int64_t Tables::array(std::span<const std::int64_t> values) {
  const std::uint64_t hash = hash_of(values, 0);
  const auto known = arrays_.find(hash, [&](std::uint32_t id) { return std::ranges::equal(out_.arrays[id], values); });
  if (known != Ids::kNone) return known;
  out_.arrays.emplace_back(values.begin(), values.end());
  return add(arrays_, hash);
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
