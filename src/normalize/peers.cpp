#include "normalize/peers.h"

#include <map>
#include <utility>

#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

Symbol without_ranks(Symbol symbol, Named named) {
  if (answered(symbol) > 0 || (!symbol.key.empty() && symbol.key.back() <= kPoolMark)) return symbol;
  each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
    const bool value =
        parameter.role == mpi::Role::root || (parameter.role == mpi::Role::peer && named == Named::peers_and_roots);
    if (value && symbol.key.at(at) >= 0) symbol.key[at] = kSomePeer;
  });
  return symbol;
}

struct Renumbered {
  std::vector<Symbol> symbols;
  std::vector<SymbolId> number_of;
};

Renumbered renumbered(const Normalized& run, Named named) {
  Renumbered result;
  std::map<Symbol, SymbolId> numbers;
  for (const Symbol& symbol : run.symbols) {
    const auto next = static_cast<SymbolId>(result.symbols.size());
    const auto [known, fresh] = numbers.try_emplace(without_ranks(symbol, named), next);
    if (fresh) result.symbols.push_back(known->first);
    result.number_of.push_back(known->second);
  }
  return result;
}

}  // namespace

bool differ_in_ranks_only(const Normalized& run, Named named) {
  return renumbered(run, named).symbols.size() < run.symbols.size();
}

std::optional<Normalized> ranks_as_values(const Normalized& run, Named named) {
  auto [symbols, number_of] = renumbered(run, named);
  if (symbols.size() == run.symbols.size()) return {};
  Normalized result = run;
  result.symbols = std::move(symbols);
  for (Record& record : result.records) record.symbol = number_of[record.symbol];
  result.classes = group_equal(result);
  return result;
}

}  // namespace skelgen::normalize
