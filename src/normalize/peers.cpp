#include "normalize/peers.h"

#include <cstdlib>
#include <map>
#include <utility>

namespace skelgen::normalize {
namespace {

/// Names the neighbours of one run.
class NeighbourSearch {
 public:
  explicit NeighbourSearch(Normalized& run) : run_(run) {}

  void run(Tables& tables) {
    for (const LocationCalls& location : run_.locations) look(location);
    std::vector<std::size_t> undecided;
    std::map<Kin, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < uses_.size(); ++i) alike[kin(uses_[i], false)].push_back(i);
    for (const auto& [_, uses] : alike)
      if (!decide(uses)) undecided.insert(undecided.end(), uses.begin(), uses.end());
    alike.clear();
    for (const std::size_t i : undecided) alike[kin(uses_[i], true)].push_back(i);
    for (const auto& [_, uses] : alike) decide(uses);
    for (const auto& [record, keys] : changed_) {
      Symbol symbol = run_.symbols[run_.records[record].symbol];
      for (const auto& [at, of_key] : keys) symbol.key[at] = of_key;
      run_.records[record].symbol = tables.symbol(symbol.function, symbol.key);
    }
  }

 private:
  /// Calls that may be for one neighbour: their function and parameter, key without peers, tag, and what tells calls of
  /// one tag apart.
  using Kin = std::vector<std::int64_t>;
  /// A record in which a location names a peer in a grid.
  struct Use {
    RecordId record;
    std::size_t parameter, at;  ///< index of the parameter, of its element in the key
    const Communicator* comm;
  };

  const Symbol& symbol(const Use& use) const { return run_.symbols[run_.records[use.record].symbol]; }

  void look(const LocationCalls& location) {
    std::map<int, const Communicator*> grids;  // by slot; nullptr: it had several communicators
    bool any = false;
    for (const Communicator& one : location.communicators) {
      const auto [known, fresh] = grids.try_emplace(one.slot, &one);
      if (!fresh) known->second = nullptr;
      any = any || one.grid;
    }
    if (!any) return;
    for (const RecordId record : location.calls.records()) {
      const Symbol& symbol = run_.symbols[run_.records[record].symbol];
      const int slot = symbol.function->find(mpi::Role::comm);
      if (slot < 0 || answered(symbol) > 0 || (!symbol.key.empty() && symbol.key.back() <= kPoolMark)) continue;
      const auto comm = grids.find(static_cast<int>(run_.records[record].values[static_cast<std::size_t>(slot)]));
      if (comm == grids.end() || !comm->second || !comm->second->grid) continue;
      const auto* const first = symbol.function->parameters.data();
      each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
        if (parameter.role == mpi::Role::peer)
          uses_.push_back({record, static_cast<std::size_t>(&parameter - first), at, comm->second});
      });
    }
  }

  /// more: with the request and the buffers.
  Kin kin(const Use& use, bool more) const {
    const Symbol& symbol = this->symbol(use);
    const auto& values = run_.records[use.record].values;
    Kin kin{symbol.function->id, static_cast<std::int64_t>(use.parameter)};
    each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
      if (parameter.role != mpi::Role::peer) kin.push_back(symbol.key[at]);
    });
    for (std::size_t i = 0; i < values.size(); ++i) {
      using mpi::Role;
      const Role role = symbol.function->parameters[i].role;
      if (role == Role::tag || (more && (role == Role::request || role == Role::buffer))) kin.push_back(values[i]);
    }
    return kin;
  }

  /// False if these are not all for one neighbour.
  bool decide(const std::vector<std::size_t>& uses) {
    std::vector<mpi::Peer> peers;
    bool differ = false;
    for (const std::size_t i : uses) {
      const Use& use = uses_[i];
      peers.push_back({use.comm, run_.records[use.record].values[use.parameter]});
      differ = differ || symbol(use).key[use.at] != symbol(uses_[uses[0]]).key[uses_[uses[0]].at];
    }
    if (!differ) return true;
    const auto neighbour = mpi::find_neighbour(peers);
    if (!neighbour) return false;
    const auto n = static_cast<std::int64_t>(neighbour->dimension) * kMostDisplacements + kMostDisplacements / 2 +
                   neighbour->displacement;
    if (std::abs(neighbour->displacement) >= kMostDisplacements / 2) return false;
    for (const std::size_t i : uses) changed_[uses_[i].record][uses_[i].at] = kNeighbour - n;
    return true;
  }

  static constexpr std::int64_t kMostDisplacements = 1'000'000;

  Normalized& run_;
  std::vector<Use> uses_;
  std::map<RecordId, std::map<std::size_t, std::int64_t>> changed_;  ///< by element of the key: what it is now
};

Symbol without_ranks(Symbol symbol) {
  if (answered(symbol) > 0 || (!symbol.key.empty() && symbol.key.back() <= kPoolMark)) return symbol;
  each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
    const bool value = parameter.role == mpi::Role::root || parameter.role == mpi::Role::peer;
    if (value && symbol.key.at(at) >= 0) symbol.key[at] = kSomePeer;
  });
  return symbol;
}

}  // namespace

void name_neighbours(Normalized& run, Tables& tables) { NeighbourSearch(run).run(tables); }

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
