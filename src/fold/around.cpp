#include "fold/around.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "fold/between.h"
#include "support/parallel.h"

namespace skelgen::fold {
namespace {

// Numbers of occurrences that anchors may be told by: what is called once a step, once in an outer and an inner iteration
// of it, ... Symbols of so many together, and by themselves.
constexpr std::size_t kTogether = 6, kAlone = 16;
// Symbols of a text on which anchors are tried, and of all texts: 42 foldings of these take less than that of the texts.
constexpr std::size_t kSample = 1u << 12, kSampled = 1u << 16;

// So many times as much costs a sample without a main loop. The whole text may still have one.
constexpr std::size_t kNoMainLoop = 4;

using Symbols = std::span<const Symbol>;

/// What is told of the texts by counting.
struct Counted {
  std::vector<std::set<Symbol>> once;                                // symbols that each text has once
  std::map<std::uint64_t, std::set<Symbol>, std::greater<>> common;  // others that all have equally often, by how often
};

Counted counted(std::span<const std::vector<Symbol>> texts) {
  Counted result;
  std::map<Symbol, std::uint64_t> common;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    std::map<Symbol, std::uint64_t> times;
    for (const Symbol symbol : texts[t]) ++times[symbol];
    std::set<Symbol>& once = result.once.emplace_back();
    for (const auto& [symbol, n] : times)
      if (n == 1) once.insert(symbol);
    if (t == 0) common = times;
    std::erase_if(common, [&](const auto& own) {
      const auto here = times.find(own.first);
      return here == times.end() || here->second != own.second;
    });
  }
  for (const auto& [symbol, n] : common)
    if (n > 1) result.common[n].insert(symbol);
  return result;
}

/// The program of the text read backwards.
Program mirrored(Program program) {
  std::ranges::reverse(program);
  for (Node& node : program) {
    if (!node.is_loop()) continue;
    std::reverse(node.each.begin(), node.each.end());
    node.body = mirrored(std::move(node.body).take());
  }
  return program;
}

/// Symbols; trips that vary count as the most they are.
std::uint64_t symbols_of(const Program& program) {
  std::uint64_t symbols = 0;
  for (const Node& node : program) symbols += node.is_loop() ? node.trips * symbols_of(node.body) : 1;
  return symbols;
}

/// A loop of the top level with kFewestTrips and half of the symbols.
bool has_main_loop(const Program& program, std::uint64_t symbols) {
  return std::ranges::any_of(program, [&](const Node& node) {
    return node.is_loop() && node.trips >= kFewestTrips && 2 * node.trips * symbols_of(node.body) >= symbols;
  });
}

}  // namespace

std::optional<Program> Around::folded(Symbols text, const std::set<Symbol>& once, const Anchors& anchors) {
  std::vector<Symbol> symbols(text.begin(), text.end());
  if (anchors.backwards) std::ranges::reverse(symbols);
  std::set<Symbol> steady = once;
  steady.insert(anchors.symbols.begin(), anchors.symbols.end());
  const auto last =
      std::ranges::find_if(symbols.rbegin(), symbols.rend(), [&](Symbol s) { return steady.contains(s); });
  const auto size = static_cast<std::size_t>(symbols.rend() - last);
  if (size == 0) return fold(text);
  auto program = fold_between(Symbols(symbols).first(size), steady);
  if (!program) {  // what stands before the first anchor may be a program of its own
    const auto first = std::ranges::find_if(symbols, [&](Symbol s) { return steady.contains(s); });
    const auto before = static_cast<std::size_t>(first - symbols.begin());
    auto rest = fold_between(Symbols(symbols).subspan(before, size - before), steady);
    if (!rest) return {};
    program = fold(Symbols(symbols).first(before));
    std::ranges::move(*rest, std::back_inserter(*program));
  }
  std::ranges::move(fold(Symbols(symbols).subspan(size)), std::back_inserter(*program));
  return anchors.backwards ? mirrored(std::move(*program)) : std::move(program);
}

std::vector<Around::Anchors> Around::choices(
    const std::map<std::uint64_t, std::set<Symbol>, std::greater<>>& common) const {
  std::vector<Anchors> all;
  Anchors together;
  std::size_t numbers = 0;
  for (const auto& [_, symbols] : common) {
    if (++numbers > kAlone) break;
    if (numbers <= kTogether) {
      together.symbols.insert(symbols.begin(), symbols.end());
      all.push_back(together);
    }
    if (numbers > kTogether || together.symbols != symbols) all.push_back({symbols});
  }
  for (std::size_t i = all.size(); i-- > 0;) all.push_back({all[i].symbols, true});
  return all;
}

Around::Around(std::span<const std::vector<Symbol>> texts) : texts_(texts) {
  if (texts.empty()) return;
  Counted all = counted(texts);
  once_ = std::move(all.once);
  const std::vector<Anchors> tried = choices(all.common);
  const std::size_t sample = std::min(kSample, kSampled / texts.size() + 1);
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> costs(tried.size());
  parallel_for(tried.size(), [&](std::size_t c) {
    for (std::size_t t = 0; t < texts.size() && costs[c] != kNone; ++t) {
      const auto some = Symbols(texts[t]).first(std::min(texts[t].size(), sample));
      const auto program = folded(some, once_[t], tried[c]);
      costs[c] = program ? costs[c] + (has_main_loop(*program, some.size()) ? 1 : kNoMainLoop) * cost(*program) : kNone;
    }
  });
  std::vector<std::size_t> order(tried.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t c) { return costs[c] == kNone; });
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return costs[c]; });
  for (const std::size_t c : order) anchors_.push_back(tried[c]);
}

std::optional<std::vector<Program>> Around::next() {
  while (used_ < anchors_.size()) {
    const bool first = used_ == 0;
    const Anchors& anchors = anchors_[used_++];
    std::vector<std::optional<Program>> folds(texts_.size());
    parallel_for(texts_.size(), [&](std::size_t t) { folds[t] = folded(texts_[t], once_[t], anchors); });
    std::vector<Program> programs;
    for (std::size_t t = 0; t < texts_.size(); ++t)
      if (folds[t] && (first || has_main_loop(*folds[t], texts_[t].size()))) programs.push_back(std::move(*folds[t]));
    if (programs.size() == texts_.size()) return programs;
  }
  return {};
}

}  // namespace skelgen::fold
