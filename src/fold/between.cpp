#include "fold/between.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "fold/uncounted.h"

namespace skelgen::fold {
namespace {

constexpr std::size_t kMostSlots = 128;                   // before a steady symbol
constexpr std::size_t kMostTrips = std::size_t{1} << 24;  // in all lists

constexpr std::size_t kWork = 64;  // symbols compared for each of the text, on average

using Word = std::vector<Symbol>;

/// A body some times in a row.
struct Stretch {
  std::size_t body;
  std::uint64_t trips;
};

/// What stands before steady symbols, in stretches of bodies.
class Stretches {
 public:
  /// `symbols`: of the whole text.
  explicit Stretches(std::size_t symbols) : most_work_(kWork * symbols + kMostSlots * kMostSlots) {}

  /// Every body that repeats in a word.
  void learn(const Word& word) {
    for (const Node& node : fold(word, Mode::best))
      if (node.is_loop()) add(expand(node.body));
  }

  /// From left to right what covers most; of these the longest body. Nothing if that is more than there may be, or takes
  /// too long.
  std::optional<std::vector<Stretch>> split(const Word& word) {
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < word.size();) {
      if (stretches.size() == kMostSlots) return {};
      std::size_t best = 0, covered = 0;
      const auto candidates = by_first_.find(word[i]);
      for (std::size_t c = 0; candidates != by_first_.end() && c < candidates->second.size(); ++c) {
        const std::size_t b = candidates->second[c];
        const std::size_t covers = trips(word, i, bodies_[b]) * bodies_[b].size();
        work_ += covers + bodies_[b].size();
        if (work_ > most_work_) return {};
        const bool better =
            covers > covered || (covers == covered && covered > 0 && bodies_[b].size() > bodies_[best].size());
        if (better) best = b, covered = covers;
      }
      if (covered == 0) best = single(word[i]), covered = trips(word, i, bodies_[best]);
      stretches.push_back({best, covered / bodies_[best].size()});
      i += covered;
    }
    return stretches;
  }

  void finish_learning() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) by_first_[bodies_[b].front()].push_back(b);
  }
  const Word& body(std::size_t b) const { return bodies_[b]; }

 private:
  static std::uint64_t trips(const Word& word, std::size_t i, const Word& body) {
    std::uint64_t n = 0;
    for (; i + body.size() <= word.size() &&
           std::equal(body.begin(), body.end(), word.begin() + static_cast<std::ptrdiff_t>(i));
         i += body.size())
      ++n;
    return n;
  }
  std::size_t add(const Word& body) {
    const auto [known, fresh] = numbers_.try_emplace(body, bodies_.size());
    if (fresh) bodies_.push_back(body);
    return known->second;
  }
  std::size_t single(Symbol symbol) { return add({symbol}); }

  std::size_t work_ = 0, most_work_;  // symbols that are compared
  std::vector<Word> bodies_;
  std::map<Word, std::size_t> numbers_;
  std::unordered_map<Symbol, std::vector<std::size_t>> by_first_;  // of those that repeat somewhere
};

using Slots = std::vector<std::size_t>;  // bodies

/// The shortest list that both can be had from by leaving out (by a longest common one).
Slots together(const Slots& a, const Slots& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1, 0));  // of the rests
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? 1 + common[i + 1][j + 1] : std::max(common[i + 1][j], common[i][j + 1]);
  Slots all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      all.push_back(a[i]);
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      all.push_back(a[i++]);
    } else {
      all.push_back(b[j++]);
    }
  }
  return all;
}

/// Whether leaving out gives `part` of `all`.
bool is_part(const Slots& part, const Slots& all) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < all.size() && k < part.size(); ++i) k += all[i] == part[k];
  return k == part.size();
}

/// Puts the slots' loops before the steady symbols of their folded text.
class Assembly {
 public:
  Assembly(const Stretches& stretches, const std::map<Symbol, Slots>& slots,
           const std::vector<const std::vector<Stretch>*>& before)
      : stretches_(stretches), slots_(slots), before_(before) {}

  Program program(const Program& steady) {
    Program result = with_loops(steady);
    execute(result);
    return settled(std::move(result));
  }

 private:
  Program with_loops(const Program& steady) const {
    Program result;
    for (const Node& node : steady) {
      if (node.is_loop()) {
        result.push_back({0, node.trips, with_loops(node.body), {}});
        continue;
      }
      if (const auto slots = slots_.find(node.symbol); slots != slots_.end())
        for (const std::size_t body : slots->second)
          result.push_back({kUncounted, 0, fold(stretches_.body(body), Mode::best), {}});
      result.push_back(node);
    }
    return result;
  }

  void execute(std::span<Node> program) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      Node& node = program[i];
      if (is_uncounted(node)) continue;  // with the steady symbol behind it
      if (!node.is_loop()) {
        fill(program, i);
        continue;
      }
      for (std::uint64_t t = 0; t < node.trips; ++t) execute({node.body.begin(), node.body.end()});
    }
  }

  /// The slots before program[end] take the stretches of the next steady symbol.
  void fill(std::span<Node> program, std::size_t end) {
    const auto& stretches = *before_[at_++];
    const auto slots = slots_.find(program[end].symbol);
    if (slots == slots_.end()) return;
    std::size_t s = 0;
    for (std::size_t i = end - slots->second.size(), slot = 0; i < end; ++i, ++slot) {
      const bool here = s < stretches.size() && stretches[s].body == slots->second[slot];
      program[i].each.push_back(here ? stretches[s++].trips : 0);
    }
  }

  const Stretches& stretches_;
  const std::map<Symbol, Slots>& slots_;
  const std::vector<const std::vector<Stretch>*>& before_;  // by occurrence of a steady symbol
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Program> fold_between(std::span<const Symbol> text, const std::set<Symbol>& steady) {
  if (text.empty() || !steady.contains(text.back())) return {};
  Word symbols, word;
  std::map<Word, std::vector<Stretch>> words;
  std::vector<std::map<Word, std::vector<Stretch>>::iterator> before;
  for (const Symbol symbol : text) {
    if (!steady.contains(symbol)) {
      word.push_back(symbol);
      continue;
    }
    symbols.push_back(symbol);
    before.push_back(words.try_emplace(std::exchange(word, {})).first);
  }
  Stretches stretches(text.size());
  for (const auto& [one, _] : words) stretches.learn(one);
  stretches.finish_learning();
  for (auto& [one, all] : words) {
    auto split = stretches.split(one);
    if (!split) return {};
    all = std::move(*split);
  }

  std::map<Symbol, std::set<Slots>> seen;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    Slots own;
    for (const Stretch& stretch : before[i]->second) own.push_back(stretch.body);
    if (!own.empty()) seen[symbols[i]].insert(std::move(own));
  }
  std::map<Symbol, Slots> slots;
  for (const auto& [symbol, all] : seen) {
    std::vector<Slots> longest_first(all.begin(), all.end());
    std::ranges::stable_sort(longest_first, std::greater{}, &Slots::size);
    for (const Slots& own : longest_first) {
      if (!is_part(own, slots[symbol])) slots[symbol] = together(slots[symbol], own);
      if (slots[symbol].size() > kMostSlots) return {};
    }
  }
  std::size_t trips = 0;
  for (const Symbol symbol : symbols)
    if (const auto own = slots.find(symbol); own != slots.end()) trips += own->second.size();
  if (trips > kMostTrips) return {};
  std::vector<const std::vector<Stretch>*> all;
  for (const auto& place : before) all.push_back(&place->second);
  return Assembly(stretches, slots, all).program(fold(symbols, Mode::best));
}

}  // namespace skelgen::fold
