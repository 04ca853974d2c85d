#include "fold/anchors.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "fold/between.h"
#include "fold/blocks.h"
#include "fold/by_symbol.h"
#include "fold/fixed.h"
#include "fold/varying.h"

namespace skelgen::fold {
namespace {

constexpr std::size_t kFew = 24;                // a form that weighs less is short enough
constexpr std::size_t kRegular = 64;            // and one of so much less than the text, without lists of trips
constexpr std::size_t kRegularLists = 256;      // and with such
constexpr std::size_t kSample = 1u << 12;       // symbols on which anchors are tried
constexpr std::size_t kMostSampled = 1u << 18;  // symbols of all samples; the longest stretches come first
constexpr std::size_t kFrequencies = 5;         // that anchors may be told by
constexpr std::size_t kSingle = 6;              // symbols that are tried by themselves
constexpr std::size_t kShort = 100;             // symbols of a stretch that is left as it is
constexpr std::size_t kBodies = 2;              // of which stretches are tried as symbols
constexpr std::size_t kSymbols = 3;             // that much more they cost than their strain
constexpr std::size_t kShortForm = 64;          // symbols; longer ones are no steps that choose, but no order at all
constexpr std::size_t kLongForm = 1u << 16;  // nodes on the top level that take as long to look at as a sample to fold
constexpr std::size_t kDense = 1u << 16;     // symbols that are looked up in a vector
constexpr std::size_t kMuchLess = 70;        // per cent
constexpr int kRounds = 2;                   // of with_varying_trips() for the anchors

using Symbols = std::span<const Symbol>;

/// A stretch of the text, and the nodes of its form.
struct Part {
  std::size_t begin, end;
  std::size_t first, last;
  std::size_t alphabet = 0, strain = 0;
  std::size_t size() const { return end - begin; }
};

/// Symbols that the program is executed to, `times` times.
std::uint64_t executed(std::span<const Node> program, std::uint64_t times) {
  std::uint64_t sum = 0;
  for (const Node& node : program) {
    if (!node.is_loop()) {
      sum += times;
      continue;
    }
    std::uint64_t inside = times * node.trips;
    if (!node.each.empty()) {
      inside = 0;
      for (const std::uint64_t trips : node.each) inside += trips;
    }
    sum += executed(node.body.vector(), inside);
  }
  return sum;
}

/// Of the largest loop of many trips.
std::uint64_t largest_loop(std::span<const Node> program) {
  std::uint64_t most = 0;
  for (const Node& node : program)
    if (node.is_loop() && node.trips >= kManyTrips) most = std::max(most, executed({&node, 1}, 1));
  return most;
}

template <typename Visit>
void each_symbol(std::span<const Node> program, const Visit& visit) {
  for (const Node& node : program) {
    if (node.is_loop())
      each_symbol(node.body.vector(), visit);
    else
      visit(node.symbol);
  }
}

/// The text in as many parts as there can be that share no symbols, nor nodes on the top level of the form.
std::vector<Part> parts_of(const Program& program) {
  struct First {
    std::size_t symbols = 0, last = 0;  // that the node is the first to have, and the last node that has one of them
  };
  BySymbol<std::size_t> first(0, kDense);  // 1 + node that has it
  std::vector<First> firsts(program.size());
  for (std::size_t node = 0; node < program.size(); ++node)
    each_symbol({&program[node], 1}, [&](Symbol symbol) {
      std::size_t& own = first[symbol];
      if (own == 0) own = node + 1, ++firsts[node].symbols;
      firsts[own - 1].last = node;
    });
  std::vector<Part> parts;
  Part part{};
  for (std::size_t node = 0, end = 0; node < program.size(); ++node) {
    end = std::max(end, firsts[node].last);
    part.alphabet += firsts[node].symbols;
    part.strain += strain({&program[node], 1});
    part.end += executed({&program[node], 1}, 1);
    if (node < end) continue;
    part.last = node + 1;
    parts.push_back(part);
    part = {part.end, part.end, part.last, part.last};
  }
  return parts;
}

/// If it is short.
std::optional<Program> quickly(Symbols text) {
  Program program = with_varying_trips(text, fixed(text, Mode::best), kRounds);
  return length(program) > kShortForm ? std::nullopt : std::optional(std::move(program));
}
std::optional<Program> plainly(Symbols text) {
  Program program = fixed(text, Mode::best);
  return length(program) > kShortForm ? std::nullopt : std::optional(std::move(program));
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

struct Anchors {
  bool plain = true;         // they are folded without lists of trips
  std::vector<Symbol> body;  // not empty: stretches of it are one symbol, `first`
  std::set<Symbol> symbols;
  bool backwards = false;  // what varies stands behind them
};

std::optional<Program> folded(Symbols text, Symbol first, const Anchors& anchors) {
  Text all{{text.begin(), text.end()}, {}, first};
  if (!anchors.body.empty()) all = collapse(all, anchors.body);
  if (anchors.backwards) std::ranges::reverse(all.symbols);
  const Symbols symbols = all.symbols;
  std::size_t end = symbols.size();
  while (end > 0 && !anchors.symbols.contains(symbols[end - 1])) --end;
  auto program = fold_between(symbols.first(end), anchors.symbols, anchors.plain ? plainly : quickly);
  if (!program) return {};
  std::ranges::move(fixed(symbols.subspan(end), Mode::best), std::back_inserter(*program));
  if (anchors.backwards) program = mirrored(std::move(*program));
  return unfolded(all, *program);
}

std::size_t symbols_of(std::span<const Node> form) {
  std::size_t symbols = 0;
  for (const Node& node : form) symbols += node.is_loop() ? symbols_of(node.body.vector()) : 1;
  return symbols;
}

/// What forms are compared by: strain, and four times as much for symbols, so that lists do not take turns with copies.
std::size_t cost(std::span<const Node> form) { return strain(form) + kSymbols * symbols_of(form); }

/// The anchors around which a text costs least.
class Choice {
 public:
  /// Those with less than `limit` are looked for. `first`: a symbol that the text does not have.
  Choice(Symbols text, Symbol first, std::size_t limit) : text_(text), first_(first), least_(limit) {}

  void look(const std::vector<Symbol>& body, bool plain) {
    Text text{{text_.begin(), text_.end()}, {}, first_};
    if (!body.empty()) text = collapse(text, body);
    std::map<Symbol, std::size_t> times;
    for (const Symbol symbol : text.symbols) ++times[symbol];
    std::map<std::size_t, std::vector<Symbol>, std::greater<>> by_times;
    for (const auto& [symbol, n] : times) by_times[n].push_back(symbol);
    const std::vector<Symbol> single = by_times.contains(1) ? by_times.at(1) : std::vector<Symbol>();
    by_times.erase(1);
    const std::size_t before = least_;
    // What is looked at later is less simple, and must be that much better.
    limit_ = found_ ? least_ * kMuchLess / 100 : least_;
    Anchors anchors{plain, body, {single.begin(), single.end()}};
    const Anchors none = anchors;
    for (std::size_t frequencies = 0; const auto& [n, symbols] : by_times) {
      if (frequencies++ == kFrequencies) break;
      anchors.symbols.insert(symbols.begin(), symbols.end());
      consider(anchors);
      if (frequencies == 1) continue;
      Anchors alone = none;
      alone.symbols.insert(symbols.begin(), symbols.end());
      consider(alone);
    }
    if (least_ == before) return;
    anchors = *found_;
    anchors.backwards = true;
    consider(anchors);
    if (!single.empty()) {
      anchors = *found_;
      for (const Symbol symbol : single) anchors.symbols.erase(symbol);
      consider(anchors);
    }
    std::size_t tried = 0;
    for (const auto& [n, symbols] : by_times)
      for (const Symbol symbol : symbols) {
        if (tried++ == kSingle) return;
        anchors = *found_;
        if (anchors.symbols.erase(symbol) == 0) anchors.symbols.insert(symbol);
        consider(anchors);
      }
  }

  const std::optional<Anchors>& best() const { return found_; }

 private:
  void consider(const Anchors& anchors) {
    const auto program = folded(text_, first_, anchors);
    if (!program || symbols_of(*program) > kShortForm) return;
    const std::size_t costs = cost(*program);
    if (costs >= limit_) return;
    limit_ = least_ = costs;
    found_ = anchors;
  }

  Symbols text_;
  Symbol first_;
  std::size_t least_, limit_ = 0;
  std::optional<Anchors> found_;
};

bool has_lists(std::span<const Node> program) {
  return std::ranges::any_of(program,
                             [](const Node& node) { return !node.each.empty() || has_lists(node.body.vector()); });
}

/// Whether there may be something to gain for a stretch of `symbols` symbols and its form of this strain.
bool is_irregular(std::span<const Node> form, std::size_t strain, std::size_t symbols) {
  return strain >= kFew && (strain * kRegular >= symbols || (strain * kRegularLists >= symbols && has_lists(form)));
}

/// The anchors around which a text, one that does not have the symbol `first`, costs less than `limit`.
std::optional<Anchors> chosen(Symbols some, Symbol first, const Program& fixed_some, std::size_t limit) {
  Choice choice(some, first, limit);
  auto bodies = repeated_bodies(fixed_some, some.size(), true);
  if (bodies.size() > kBodies) bodies.resize(kBodies);
  bodies.insert(bodies.begin(), std::vector<Symbol>());
  for (const auto& body : bodies) choice.look(body, true);
  if (!choice.best()) choice.look({}, false);
  return choice.best();
}

/// The same for a sample of a text. Few iterations say less of what lists gain than all of them, which are looked at in the
/// end.
std::optional<Anchors> chosen_by_sample(Symbols some, Symbol first) {
  const Program fixed_some = fixed(some, Mode::best);
  return chosen(some, first, fixed_some, 2 * cost(with_varying_trips(some, fixed_some, kRounds)));
}

/// A form of the part's symbols that is better than its nodes.
std::optional<Program> better(Symbols text, const Part& part, std::span<const Node> nodes) {
  if (part.alphabet > kShortForm || part.strain < 2 * part.alphabet) return {};
  if (!is_irregular(nodes, part.strain, text.size()) || std::ranges::max(text) == ~Symbol{0}) return {};
  const Symbol first = std::ranges::max(text) + 1;
  const auto anchors = text.size() <= kSample ? chosen(text, first, fixed(text, Mode::best), cost(nodes))
                                              : chosen_by_sample(text.first(kSample), first);
  if (!anchors) return {};
  auto program = folded(text, first, *anchors);
  if (!program || length(*program) > kShortForm) return {};
  if (cost(*program) >= cost(nodes) || length(*program) > symbols_of(nodes)) return {};
  if (largest_loop(*program) < largest_loop(nodes)) return {};
  return program;
}

/// Whether a text is one part for sure, told by few of its symbols: some of the first stand near the end, too.
bool is_one_part(Symbols text) {
  std::set<Symbol> seen;
  std::size_t end = 1, work = 0;  // the part ends at `end` or later
  for (std::size_t i = 0; i < end && end < text.size() && work < text.size(); ++i) {
    if (!seen.insert(text[i]).second) continue;
    std::size_t last = text.size();
    while (last > end && text[last - 1] != text[i]) --last, ++work;
    end = std::max(end, last);
  }
  return end == text.size();
}

/// Whether better() finds nothing for a text that is one part, told without its form.
bool is_one_hopeless_part(Symbols text) {
  if (text.size() <= kSample || !is_one_part(text)) return false;
  const Symbols some = text.first(kSample);
  const Symbol most = std::ranges::max(some);
  return most != ~Symbol{0} && !chosen_by_sample(some, most + 1);
}

}  // namespace

Program around_anchors(Symbols text, Program best) {
  if (best.size() > kLongForm && is_one_hopeless_part(text)) return best;
  std::vector<Part> parts = parts_of(best);
  std::size_t strain = 0;
  for (const Part& part : parts) strain += part.strain;
  if (!is_irregular(best, strain, text.size())) return best;
  std::ranges::stable_sort(parts, std::greater{}, &Part::size);
  std::map<std::size_t, std::pair<std::size_t, Program>>
      others;  // by first node: the node behind, and what takes its place
  std::size_t work = 0;
  for (const Part& part : parts) {
    work += std::min(part.size(), kSample);
    if (work > kMostSampled || part.size() < kShort) break;
    const std::span<const Node> nodes(&best[part.first], part.last - part.first);
    if (auto other = better(text.subspan(part.begin, part.size()), part, nodes))
      others.emplace(part.first, std::pair(part.last, std::move(*other)));
  }
  if (others.empty()) return best;
  Program result;
  for (std::size_t node = 0; node < best.size();) {
    if (const auto other = others.find(node); other != others.end()) {
      std::ranges::move(other->second.second, std::back_inserter(result));
      node = other->second.first;
    } else {
      result.push_back(std::move(best[node++]));
    }
  }
  return result;
}

}  // namespace skelgen::fold
