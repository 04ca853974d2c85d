#include "normalize/peers.h"

#include <map>
#include <utility>

#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

Symbol without_ranks(Symbol symbol) {
  if (answered(symbol) > 0 || (!symbol.key.empty() && symbol.key.back() <= kPoolMark)) return symbol;
  each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
    const bool value = parameter.role == mpi::Role::root || parameter.role == mpi::Role::peer;
    if (value && symbol.key.at(at) >= 0) symbol.key[at] = kSomePeer;
  });
  return symbol;
}

}  // namespace

std::optional<Normalized> ranks_as_values(const Normalized& run) {
  std::vector<Symbol> symbols;
  std::vector<SymbolId> number_of;
  std::map<Symbol, SymbolId> numbers;
  for (const Symbol& symbol : run.symbols) {
    const auto [known, fresh] = numbers.try_emplace(without_ranks(symbol), static_cast<SymbolId>(symbols.size()));
    if (fresh) symbols.push_back(known->first);
    number_of.push_back(known->second);
  }
  if (symbols.size() == run.symbols.size()) return {};
  Normalized result = run;
  result.symbols = std::move(symbols);
  for (Record& record : result.records) record.symbol = number_of[record.symbol];
  result.classes = group_equal(result);
  return result;
}

}  // namespace skelgen::normalize
