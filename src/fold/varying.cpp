#include "fold/varying.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "fold/blocks.h"
#include "fold/by_symbol.h"
#include "fold/fixed.h"

namespace skelgen::fold {
namespace {

constexpr std::size_t kCandidates = 4;                  // tried in a round
constexpr std::size_t kLongestBody = 4096;              // symbols
constexpr std::size_t kMostSymbols = 1u << 21;          // folded again in a round, over all candidates
constexpr std::size_t kLongText = 1u << 20;             // longer ones are folded as a sample of them is
constexpr std::size_t kSampled = 1u << 17;              // at the begin and in the middle, each
constexpr std::size_t kSmall = 10'000, kLeastGain = 8;  // longer texts must have become that much shorter already
constexpr double kLargeShare = 0.05;
constexpr std::uint64_t kCopies = 8;  // of a long loop's body on which attempts are tried first

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
  BySymbol<Seen> seen(least, std::min<std::size_t>(most - least + std::size_t{1}, 4 * text.symbols.size()));
  for (std::size_t i = 0; i < text.symbols.size(); ++i) {
    Seen& own = seen[text.symbols[i]];
    const bool first = own.times++ == 0;
    if (i == 0)
      own.one_before = false;
    else if (first)
      own.before = text.symbols[i - 1];
    else
      own.one_before = own.one_before && own.before == text.symbols[i - 1];
  }
  std::vector<std::pair<std::size_t, std::pair<Symbol, Symbol>>> found;
  seen.each([&](Symbol symbol, const Seen& own) {
    if (own.one_before && own.before != symbol && own.times > 1 && own.times < seen[own.before].times)
      found.push_back({own.times, {own.before, symbol}});
  });
  std::ranges::stable_sort(found, std::greater{}, [](const auto& entry) { return entry.first; });
  std::vector<std::pair<Symbol, Symbol>> pairs;
  for (const auto& [_, pair] : found)
    if (pairs.size() < kCandidates) pairs.push_back(pair);
  return pairs;
}

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
  Program program = fixed(text.symbols, Mode::best), whole = unfolded(text, program);
  const std::size_t weighs = weight(whole);
  return {std::move(text), std::move(program), std::move(whole), weighs};
}

using Attempt = std::function<Text(const Text&)>;

std::vector<Attempt> attempts_at(const Text& text, const Program& program) {
  std::vector<Attempt> attempts;
  for (auto& body : repeated_bodies(program, text.symbols.size()))
    attempts.push_back([body = std::move(body)](const Text& at) { return collapse(at, body); });
  for (const auto& [usual, rare] : rare_symbols(text))
    attempts.push_back([usual = usual, rare = rare](const Text& at) { return join(at, usual, rare); });
  return attempts;
}

/// Attempts that were worth it, one a round.
struct Search {
  Text now;
  Program program;  // of now.symbols
  Program best;     // of the text
  std::size_t cost;
  std::vector<Attempt> taken{};

  void go(std::vector<Attempt> attempts, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) attempts = attempts_at(now, program);
      const Attempt* shortest = nullptr;
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
        shortest = &attempt;
      }
      if (!shortest) break;
      taken.push_back(*shortest);
    }
  }
};

/// Whether one of the attempts makes the text shorter, told by few iterations of its long loops.
bool may_gain(const std::vector<Attempt>& attempts, const Program& best, std::size_t symbols, Symbol first) {
  const std::size_t cost = length(best);
  const Text few{with_few_iterations(best, symbols), {}, first};
  return 2 * few.symbols.size() >= symbols ||
         std::ranges::any_of(attempts, [&](const Attempt& attempt) { return folded(attempt(few)).weighs < cost; });
}

/// What makes a sample of the text shorter is done to all of it.
Program as_a_sample(std::span<const Symbol> text, Symbol first, Program best, int rounds) {
  std::vector<Symbol> some(text.begin(), text.begin() + kSampled);
  const auto middle = text.subspan(text.size() / 2, kSampled);
  some.insert(some.end(), middle.begin(), middle.end());
  Program of_some = fixed(some, Mode::best);
  Search search{{std::move(some), {}, first}, of_some, of_some, length(of_some)};
  auto attempts = attempts_at(search.now, search.program);
  if (may_gain(attempts, search.program, 2 * kSampled, first)) search.go(std::move(attempts), rounds);
  if (search.taken.empty()) return best;
  Text all{{text.begin(), text.end()}, {}, first};
  for (const Attempt& attempt : search.taken) all = attempt(all);
  Folded found = folded(std::move(all));
  return found.weighs < length(best) ? std::move(found.unfolded) : std::move(best);
}

}  // namespace

std::vector<std::vector<Symbol>> repeated_bodies(const Program& program, std::size_t symbols, bool most_loops) {
  std::map<std::vector<Symbol>, Candidate> all;
  collect(program, all);
  for (const Node& node : program) {
    if (most_loops || !node.is_loop() || node.trips < kManyTrips) continue;
    const auto body = expand(node.body);
    if (is_long(node, body.size(), symbols)) all.erase(body);
  }
  std::vector<std::pair<std::size_t, std::vector<Symbol>>> chosen;
  for (auto& [body, candidate] : all)
    if (candidate.loops > 1) chosen.push_back({most_loops ? candidate.loops : candidate.loops * body.size(), body});
  std::ranges::stable_sort(chosen, std::greater{}, &std::pair<std::size_t, std::vector<Symbol>>::first);
  std::vector<std::vector<Symbol>> bodies;
  for (auto& [_, body] : chosen)
    if (bodies.size() < kCandidates) bodies.push_back(std::move(body));
  return bodies;
}

Program with_varying_trips(std::span<const Symbol> text, Program best, int rounds) {
  // All nodes on the top level are at least a symbol each.
  if (text.empty() || (text.size() > kSmall && best.size() > text.size() / kLeastGain)) return best;
  const std::size_t cost = length(best);
  if (text.size() > kSmall && cost > text.size() / kLeastGain) return best;
  std::set<Symbol> alphabet;
  collect(best, alphabet);
  if (text.size() > kSmall && cost < 2 * alphabet.size()) return best;
  if (*alphabet.rbegin() > ~Symbol{0} - static_cast<Symbol>(rounds) - 1) return best;
  const Symbol first = *alphabet.rbegin() + 1;
  if (text.size() > kLongText) return as_a_sample(text, first, std::move(best), rounds);
  Text now{{text.begin(), text.end()}, {}, first};
  auto attempts = attempts_at(now, best);
  if (!may_gain(attempts, best, text.size(), first)) return best;
  Search search{std::move(now), best, std::move(best), cost};
  search.go(std::move(attempts), rounds);
  return std::move(search.best);
}

}  // namespace skelgen::fold
