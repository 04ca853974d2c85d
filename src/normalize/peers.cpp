#include "normalize/peers.h"

#include <map>

#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

constexpr std::int64_t kSomePeer = -500;  // none of MPI's, nor an answer

Symbol without_peers(Symbol symbol) {
  if (answered(symbol) > 0 || (!symbol.key.empty() && symbol.key.back() <= kPoolMark)) return symbol;
  std::size_t at = 0;  // as LocationReader::symbol puts them
  for (const mpi::Parameter& parameter : symbol.function->parameters) {
    switch (parameter.role) {
      case mpi::Role::peer:
        if (symbol.key.at(at) >= 0) symbol.key[at] = kSomePeer;
        [[fallthrough]];
      case mpi::Role::comm:
      case mpi::Role::win:
      case mpi::Role::file:
      case mpi::Role::root:
      case mpi::Role::datatype:
      case mpi::Role::datatypes:
      case mpi::Role::op:
        ++at;
        break;
      default:
        break;
    }
  }
  return symbol;
}

}  // namespace

std::optional<Normalized> peers_as_values(const Normalized& run) {
  std::map<Symbol, SymbolId> numbers;
  std::vector<Symbol> symbols;
  std::vector<SymbolId> number_of;
  for (const Symbol& symbol : run.symbols) {
    const auto [known, fresh] = numbers.try_emplace(without_peers(symbol), static_cast<SymbolId>(symbols.size()));
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
