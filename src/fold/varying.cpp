#include "fold/varying.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "fold/fixed.h"
#include "fold/placeholders.h"

namespace skelgen::fold {
namespace {

constexpr int kRounds = 6;
constexpr std::size_t kCandidates = 4;                  // tried in a round
constexpr std::size_t kLongestBody = 4096;              // symbols
constexpr std::size_t kMostSymbols = 1u << 21;          // folded again in a round, over all candidates
constexpr std::size_t kSmall = 10'000, kLeastGain = 8;  // longer texts must have become that much shorter already
constexpr std::uint64_t kManyTrips = 20;
constexpr double kLargeShare = 0.05;
constexpr std::size_t kEntries = 16;  // of a list of trips that weigh as much as a symbol
constexpr std::uint64_t kCopies = 8;  // of a long loop's body on which attempts are tried first

/// A symbol that stands for a head, which may be empty, and a body some times in a row.
struct Block {
  std::vector<Symbol> head, body;    // may have symbols of earlier blocks
  std::vector<std::uint64_t> trips;  // at each place where the symbol stands, in order
};

/// What a text becomes when stretches of it are blocks.
struct Text {
  std::vector<Symbol> symbols;
  std::vector<Block> blocks;
  Symbol first = 0;  // symbol of blocks[0]; others follow
  bool is_block(Symbol s) const { return s >= first && s - first < blocks.size(); }
};

/// What a list of trips weighs in symbols: little if it can be said by a rule.
std::size_t weight(const std::vector<std::uint64_t>& list) {
  bool arithmetic = true;
  for (std::size_t i = 2; i < list.size(); ++i) arithmetic = arithmetic && list[i] - list[i - 1] == list[1] - list[0];
  if (arithmetic) return 1;
  std::vector<std::size_t> border(list.size(), 0);  // Knuth, Morris & Pratt: longest border of each prefix
  for (std::size_t i = 1, k = 0; i < list.size(); ++i) {
    while (k > 0 && list[i] != list[k]) k = border[k - 1];
    if (list[i] == list[k]) ++k;
    border[i] = k;
  }
  return 1 + (list.size() - border.back() + kEntries - 1) / kEntries;
}

/// Symbols of the folded form, and what lists of trips weigh.
std::size_t weight(const Program& program) {
  std::size_t sum = 0;
  for (const Node& node : program)
    sum += node.is_loop() ? weight(node.body) + (node.each.empty() ? 0 : weight(node.each)) : 1;
  return sum;
}

struct Candidate {
  std::size_t loops = 0;
  std::set<std::uint64_t> trips;
};

void collect(const Program& program, std::map<std::vector<Symbol>, Candidate>& all) {
  for (const Node& node : program) {
    if (!node.is_loop()) continue;
    collect(node.body, all);
    auto body = expand(node.body);
    if (body.size() > kLongestBody) continue;
    Candidate& candidate = all[std::move(body)];
    ++candidate.loops;
    candidate.trips.insert(node.trips);
  }
}

/// All symbols of a program.
void collect(const Program& program, std::set<Symbol>& all) {
  for (const Node& node : program) {
    if (node.is_loop())
      collect(node.body, all);
    else
      all.insert(node.symbol);
  }
}

/// A long loop on the top level is what a skeleton is cut at: it stays one, with its own trips. `symbols`: of the text.
bool is_long(const Node& node, std::size_t body, std::size_t symbols) {
  return node.is_loop() && node.trips >= kManyTrips && node.trips * body >= kLargeShare * static_cast<double>(symbols);
}

/// Bodies that stand in several loops, those with the most loops first.
std::vector<std::vector<Symbol>> candidates(const Program& program, std::size_t symbols) {
  std::map<std::vector<Symbol>, Candidate> all;
  collect(program, all);
  for (const Node& node : program) {
    if (!node.is_loop() || node.trips < kManyTrips) continue;
    const auto body = expand(node.body);
    if (is_long(node, body.size(), symbols)) all.erase(body);
  }
  std::vector<std::pair<std::size_t, std::vector<Symbol>>> chosen;
  for (auto& [body, candidate] : all)
    if (candidate.loops > 1) chosen.push_back({candidate.loops * body.size(), body});
  std::ranges::stable_sort(chosen, std::greater{}, &std::pair<std::size_t, std::vector<Symbol>>::first);
  std::vector<std::vector<Symbol>> bodies;
  for (auto& [_, body] : chosen)
    if (bodies.size() < kCandidates) bodies.push_back(std::move(body));
  return bodies;
}

/// Every stretch of the body, also one that stands alone, becomes one symbol.
Text collapse(const Text& text, const std::vector<Symbol>& body) {
  Text result{{}, text.blocks, text.first};
  const auto symbol = static_cast<Symbol>(text.first + text.blocks.size());
  Block& block = result.blocks.emplace_back(Block{{}, body, {}});
  const auto stands_at = [&](std::size_t i) {
    return i + body.size() <= text.symbols.size() &&
           std::equal(body.begin(), body.end(), text.symbols.begin() + static_cast<std::ptrdiff_t>(i));
  };
  for (std::size_t i = 0; i < text.symbols.size();) {
    std::uint64_t trips = 0;
    for (; stands_at(i); i += body.size()) ++trips;
    if (trips > 0) {
      block.trips.push_back(trips);
      result.symbols.push_back(symbol);
    } else {
      result.symbols.push_back(text.symbols[i++]);
    }
  }
  return result;
}

/// Where `rare` always stands behind `usual`, though not behind each one: both become one symbol, and `rare` a loop of one
/// trip or none.
Text join(const Text& text, Symbol usual, Symbol rare) {
  Text result{{}, text.blocks, text.first};
  const auto symbol = static_cast<Symbol>(text.first + text.blocks.size());
  Block& block = result.blocks.emplace_back(Block{{usual}, {rare}, {}});
  for (std::size_t i = 0; i < text.symbols.size(); ++i) {
    if (text.symbols[i] != usual) {
      result.symbols.push_back(text.symbols[i]);
      continue;
    }
    const bool both = i + 1 < text.symbols.size() && text.symbols[i + 1] == rare;
    block.trips.push_back(both);
    result.symbols.push_back(symbol);
    i += both;
  }
  return result;
}

/// Pairs (usual, rare) that join() may be asked for, the most frequent ones first.
std::vector<std::pair<Symbol, Symbol>> rare_symbols(const Text& text) {
  struct Seen {
    std::size_t times = 0;
    Symbol before = 0;
    bool one_before = true;
  };
  const auto [least, most] = std::ranges::minmax(text.symbols);
  const Symbol first_symbol = least;
  std::vector<Seen> near(std::min<std::size_t>(most - least + std::size_t{1}, 4 * text.symbols.size()));  // by symbol
  std::map<Symbol, Seen> far;
  const auto seen = [&](Symbol symbol) -> Seen& {
    return symbol - first_symbol < near.size() ? near[symbol - first_symbol] : far[symbol];
  };
  for (std::size_t i = 0; i < text.symbols.size(); ++i) {
    Seen& own = seen(text.symbols[i]);
    const bool first = own.times++ == 0;
    if (i == 0)
      own.one_before = false;
    else if (first)
      own.before = text.symbols[i - 1];
    else
      own.one_before = own.one_before && own.before == text.symbols[i - 1];
  }
  std::vector<std::pair<std::size_t, std::pair<Symbol, Symbol>>> found;
  const auto look = [&](Symbol symbol, const Seen& own) {
    if (own.one_before && own.before != symbol && own.times > 1 && own.times < seen(own.before).times)
      found.push_back({own.times, {own.before, symbol}});
  };
  for (std::size_t i = 0; i < near.size(); ++i) look(first_symbol + static_cast<Symbol>(i), near[i]);
  for (const auto& [symbol, own] : far) look(symbol, own);
  std::ranges::stable_sort(found, std::greater{}, [](const auto& entry) { return entry.first; });
  std::vector<std::pair<Symbol, Symbol>> pairs;
  for (const auto& [_, pair] : found)
    if (pairs.size() < kCandidates) pairs.push_back(pair);
  return pairs;
}

/// Puts loops in the place of blocks: first their form, then, walking it as it is executed, their trips.
class Unfolding {
 public:
  explicit Unfolding(const Text& text) : text_(text), next_(text.blocks.size(), 0), forms_(text.blocks.size()) {}

  Program program(const Program& program) {
    Program result = with_loops(program);
    execute(result);
    return settled(std::move(result));
  }

 private:
  /// A loop that was a block has the block's number as trips until it is settled.
  Program with_loops(const Program& program) {
    Program result;
    for (const Node& node : program) {
      if (node.is_loop()) {
        result.push_back({0, node.trips, with_loops(node.body), {}});
      } else if (text_.is_block(node.symbol)) {
        const Program& form = form_of(node.symbol - text_.first);
        result.insert(result.end(), form.begin(), form.end());
      } else {
        result.push_back(node);
      }
    }
    return result;
  }

  /// Head and loop of a block, the same wherever it stands.
  const Program& form_of(std::size_t number) {
    if (forms_[number].empty()) {
      const Block& block = text_.blocks[number];
      Program form = with_loops(fixed(block.head, Mode::best));
      form.push_back({kPlaceholder, number, with_loops(fixed(block.body, Mode::best)), {}});
      forms_[number] = std::move(form);
    }
    return forms_[number];
  }

  void execute(std::span<Node> program) {
    for (Node& node : program) {
      if (!node.is_loop()) continue;
      std::uint64_t trips = node.trips;
      if (is_placeholder(node)) {
        trips = text_.blocks[node.trips].trips[next_[node.trips]++];
        node.each.push_back(trips);
      }
      for (std::uint64_t t = 0; t < trips; ++t) execute(node.body);
    }
  }

  const Text& text_;
  std::vector<std::size_t> next_;  // place of each block that is executed next
  std::vector<Program> forms_;     // of blocks; empty: not needed yet
};

/// The text with a few iterations only of its long loops. What makes the one shorter makes the other shorter, since
/// iterations beyond the second say nothing new.
std::vector<Symbol> with_few_iterations(const Program& best, std::size_t symbols) {
  Program few = best;
  for (Node& node : few)
    if (node.is_loop() && is_long(node, expand(node.body).size(), symbols)) node.trips = std::min(node.trips, kCopies);
  return expand(few);
}

/// A text, how it is folded, and what that weighs once blocks are loops again.
struct Folded {
  Text text;
  Program program, unfolded;
  std::size_t weighs;
};

Folded folded(Text text) {
  Program program = fixed(text.symbols, Mode::best), unfolded = Unfolding(text).program(program);
  const std::size_t weighs = weight(unfolded);
  return {std::move(text), std::move(program), std::move(unfolded), weighs};
}

using Attempt = std::function<Text(const Text&)>;

std::vector<Attempt> attempts_at(const Text& text, const Program& program) {
  std::vector<Attempt> attempts;
  for (auto& body : candidates(program, text.symbols.size()))
    attempts.push_back([body = std::move(body)](const Text& at) { return collapse(at, body); });
  for (const auto& [usual, rare] : rare_symbols(text))
    attempts.push_back([usual = usual, rare = rare](const Text& at) { return join(at, usual, rare); });
  return attempts;
}

}  // namespace

Program with_varying_trips(std::span<const Symbol> text, Program best) {
  std::size_t cost = length(best);
  if (text.empty() || text.size() > kMostSymbols) return best;
  if (text.size() > kSmall && cost > text.size() / kLeastGain) return best;
  std::set<Symbol> alphabet;
  collect(best, alphabet);
  if (text.size() > kSmall && cost < 2 * alphabet.size()) return best;
  if (*alphabet.rbegin() > ~Symbol{0} - kRounds - 1) return best;
  Text now{{text.begin(), text.end()}, {}, *alphabet.rbegin() + 1};
  Program program = best;  // of now.symbols
  auto attempts = attempts_at(now, program);
  const Text few{with_few_iterations(best, text.size()), {}, now.first};
  if (2 * few.symbols.size() < text.size() &&
      std::ranges::none_of(attempts, [&](const Attempt& attempt) { return folded(attempt(few)).weighs < cost; }))
    return best;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) attempts = attempts_at(now, program);
    bool shorter = false;
    std::size_t work = 0;
    const Text before = now;
    for (const Attempt& attempt : attempts) {
      Text next = attempt(before);
      work += next.symbols.size();
      if (work > kMostSymbols) break;
      Folded found = folded(std::move(next));
      if (found.weighs >= cost) continue;
      cost = found.weighs;
      best = std::move(found.unfolded);
      now = std::move(found.text);
      program = std::move(found.program);
      shorter = true;
    }
    if (!shorter) break;
  }
  return best;
}

}  // namespace skelgen::fold
