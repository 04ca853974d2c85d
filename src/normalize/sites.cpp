#include "normalize/sites.h"

#include <map>
#include <utility>

#include "normalize/tables.h"

namespace skelgen::normalize {

Normalized sites_as_symbols(const Normalized& run, const SiteNumber& number) {
  Normalized result = run;
  result.symbols.clear();
  result.records.clear();
  result.pools.clear();
  std::map<std::pair<SymbolId, std::int64_t>, SymbolId> symbols;
  std::map<std::pair<RecordId, std::int64_t>, RecordId> records;
  for (LocationCalls& location : result.locations) {
    std::map<std::uint64_t, std::int64_t> numbers;
    CallList calls;
    std::size_t k = 0;
    for (const RecordId record : location.calls) {
      const std::uint64_t site = location.sites[k++];
      const auto [place, fresh] = numbers.try_emplace(site, 0);
      if (fresh) place->second = number(location, site);
      const auto [own, first] =
          records.try_emplace({record, place->second}, static_cast<RecordId>(result.records.size()));
      if (first) {
        Record one = run.records[record];
        const auto [symbol, other] =
            symbols.try_emplace({one.symbol, place->second}, static_cast<SymbolId>(result.symbols.size()));
        if (other) {
          result.symbols.push_back(run.symbols[one.symbol]);
          result.symbols.back().key.push_back(place->second);
        }
        one.symbol = symbol->second;
        result.records.push_back(std::move(one));
      }
      calls.push_back(own->second);
    }
    location.calls = std::move(calls);
    location.sites.clear();
  }
  result.classes = group_equal(result);
  return result;
}

}  // namespace skelgen::normalize
