#include "normalize/answers.h"

#include <algorithm>
#include <array>
#include <map>

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

namespace {

/// Position in the symbol's key of the peer that a send or receive names; nothing for other calls.
std::optional<std::size_t> peer_in_key(const Symbol& symbol) {
  if (symbol.function->kind != Kind::send && symbol.function->kind != Kind::recv) return {};
  std::optional<std::size_t> place;
  each_key(*symbol.function, [&](const mpi::Parameter& parameter, std::size_t at) {
    if (parameter.role == Role::peer && !place) place = at;
  });
  return place;
}

/// Calls that may be one statement: the symbol without its peer, the tag (or nothing), the symbol of the call before
/// without its peer.
struct Place {
  std::vector<std::int64_t> what, before;
  std::int64_t tag;
  auto operator<=>(const Place&) const = default;
};

std::vector<std::int64_t> without_peer(const Symbol& symbol) {
  std::vector<std::int64_t> key{symbol.function->id};
  key.insert(key.end(), symbol.key.begin(), symbol.key.end());
  if (const auto at = peer_in_key(symbol)) key[1 + *at] = 0;
  return key;
}

/// Which k hold for all calls of a place, and whether their peers differ.
struct Found {
  unsigned holds = ~0u;
  std::int64_t first = -1;
  bool differ = false;
};

class LocationAnswers {
 public:
  LocationAnswers(const Normalized& normalized, const LocationCalls& calls) : normalized_(normalized), calls_(calls) {}

  /// visit(call, place with tag, k that hold as bits, peer) for all that could be answers.
  template <class Visit>
  void each(Visit&& visit) const {
    std::array<std::int64_t, kMostAnswers> last;  // sources, the newest first
    std::array<std::int64_t, kMostAnswers> slot;
    last.fill(mpi::kAnySource);
    slot.fill(-1);
    std::size_t next = 0;
    std::vector<std::int64_t> before;
    SymbolId before_symbol = ~SymbolId{0};
    for (std::uint64_t i = 0; i < calls_.calls.size(); ++i) {
      const Record& record = normalized_.records[calls_.calls[i]];
      const Symbol& symbol = normalized_.symbols[record.symbol];
      const mpi::Function& function = *symbol.function;
      while (next < calls_.matches.size() && calls_.matches[next].call < i) ++next;
      const bool any = next < calls_.matches.size() && calls_.matches[next].call == i;
      if (!any && peer_in_key(symbol) && answered(symbol) == 0) {
        const std::int64_t peer = record.values[static_cast<std::size_t>(function.find(Role::peer))];
        const std::int64_t comm = record.values[static_cast<std::size_t>(function.find(Role::comm))];
        if (peer >= 0) {
          unsigned holds = 0;
          for (std::int64_t k = 0; k < kMostAnswers; ++k)
            if (last[k] == peer && slot[k] == comm) holds |= 1u << k;
          visit(i,
                Place{without_peer(symbol), before, record.values[static_cast<std::size_t>(function.find(Role::tag))]},
                holds, peer);
        }
      }
      if (any && takes_any(function, record.values)) {
        std::rotate(last.begin(), last.end() - 1, last.end());
        std::rotate(slot.begin(), slot.end() - 1, slot.end());
        last[0] = calls_.matches[next].source;
        slot[0] = record.values[static_cast<std::size_t>(function.find(Role::comm))];
      }
      if (record.symbol != before_symbol) before = without_peer(symbol);
      before_symbol = record.symbol;
    }
  }

 private:
  const Normalized& normalized_;
  const LocationCalls& calls_;
};

}  // namespace

bool takes_any(const mpi::Function& function, std::span<const std::int64_t> values) {
  return function.waits_for_message() && values[static_cast<std::size_t>(function.source())] == mpi::kAnySource;
}

SymbolId answer(const Normalized& normalized, Tables& tables, SymbolId symbol, std::int64_t k) {
  Symbol other = normalized.symbols[symbol];
  other.key[*peer_in_key(other)] = kAnswer - k;
  return tables.symbol(other.function, other.key);
}

std::int64_t answered(const Symbol& symbol) {
  const auto at = peer_in_key(symbol);
  if (!at || symbol.key[*at] > kAnswer || symbol.key[*at] <= kSomePeer) return 0;
  return kAnswer - symbol.key[*at];
}

void find_answers(Normalized& normalized, Tables& tables) {
  for (LocationCalls& calls : normalized.locations) {
    const bool any = std::any_of(calls.matches.begin(), calls.matches.end(), [&](const Match& match) {
      const Record& record = normalized.records[calls.calls[match.call]];
      return takes_any(*normalized.symbols[record.symbol].function, record.values);
    });
    if (!any) continue;
    const LocationAnswers location(normalized, calls);
    // With any tag first; what does not hold then may hold for messages of one tag.
    std::map<Place, Found> places;
    const auto add = [&](Place place, unsigned holds, std::int64_t peer) {
      Found& found = places[std::move(place)];
      found.holds &= holds;
      found.differ = found.differ || (found.first >= 0 && found.first != peer);
      found.first = peer;
    };
    const auto any_tag = [](Place place) {
      place.tag = mpi::kUndefined;
      return place;
    };
    location.each([&](std::uint64_t, Place place, unsigned holds, std::int64_t peer) {
      add(any_tag(place), holds, peer);
      add(std::move(place), holds, peer);
    });
    std::vector<std::pair<std::uint64_t, std::int64_t>> answers;
    location.each([&](std::uint64_t call, const Place& place, unsigned, std::int64_t) {
      for (const Found& found : {places.at(any_tag(place)), places.at(place)}) {
        if (found.holds == 0 || !found.differ) continue;
        std::int64_t k = 1;
        while (!(found.holds >> (k - 1) & 1)) ++k;
        answers.emplace_back(call, k);
        break;
      }
    });
    std::vector<CallList::Change> changes;
    for (const auto& [call, k] : answers) {
      const Record record = normalized.records[calls.calls[call]];
      changes.push_back({call, tables.record(answer(normalized, tables, record.symbol, k), record.values)});
    }
    calls.calls.change(changes);
  }
}

}  // namespace skelgen::normalize
