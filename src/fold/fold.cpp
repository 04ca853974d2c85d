#include "fold/fold.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fold/cheapest.h"
#include "fold/longest_first.h"
#include "fold/stream.h"

namespace skelgen::fold {
namespace {

/// Puts loops, in the order of by_begin, into the place of what they repeat.
class Assembly {
 public:
  Assembly(std::span<const Symbol> text, std::span<const Repetition> loops) : text_(text), loops_(loops) {}

  Program whole() { return part(0, static_cast<Index>(text_.size())); }

 private:
  /// Recurses into bodies, each at most half as long as what it is in.
  Program part(Index begin, Index end) {
    Program program;
    program.reserve(nodes(begin, end));
    const auto symbols = [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) program.push_back({text_[i], 1, {}, {}});
    };
    Index at = begin;
    while (next_ < loops_.size() && loops_[next_].begin < end) {
      const Repetition loop = loops_[next_++];
      symbols(at, loop.begin);
      const std::uint64_t trips = (loop.end - loop.begin) / loop.period;
      program.push_back({0, trips, part(loop.begin, loop.begin + loop.period), {}});
      at = loop.end;
    }
    symbols(at, end);
    return program;
  }

  std::size_t nodes(Index begin, Index end) const {
    std::size_t count = end - begin;
    Index at = begin;
    for (std::size_t l = next_; l < loops_.size() && loops_[l].begin < end; ++l) {
      if (loops_[l].begin < at) continue;
      at = loops_[l].end;
      count -= at - loops_[l].begin - 1;
    }
    return count;
  }

  std::span<const Symbol> text_;
  std::span<const Repetition> loops_;
  std::size_t next_ = 0;
};

/// Symbols that the loops need not say again.
std::uint64_t saved(const std::vector<Repetition>& loops) {
  std::uint64_t sum = 0;
  for (const Repetition& loop : loops) sum += loop.end - loop.begin - loop.period;
  return sum;
}

/// Walks a program as it is executed. A loop with varying trips must know which time it is.
class Expansion {
 public:
  std::vector<Symbol> text(const Program& program) {
    append(program);
    return std::move(text_);
  }

 private:
  void append(const Program& program) {
    for (const Node& node : program) {
      if (!node.is_loop()) {
        text_.push_back(node.symbol);
        continue;
      }
      const std::uint64_t trips = node.each.empty() ? node.trips : node.each.at(times_[&node]++);
      if (constant(node.body)) {
        repeat(node.body, trips);
      } else {
        for (std::uint64_t trip = 0; trip < trips; ++trip) append(node.body);
      }
    }
  }

  void repeat(const Program& body, std::uint64_t trips) {
    if (trips == 0) return;
    const std::size_t begin = text_.size();
    append(body);
    const std::size_t length = text_.size() - begin;
    for (std::uint64_t trip = 1; trip < trips; ++trip)
      for (std::size_t i = 0; i < length; ++i) text_.push_back(text_[begin + i]);
  }

  static bool constant(const Program& program) {
    return std::ranges::all_of(program, [](const Node& node) { return node.each.empty() && constant(node.body); });
  }

  std::vector<Symbol> text_;
  std::unordered_map<const Node*, std::size_t> times_;  // that a loop with varying trips was executed
};

}  // namespace

Program fold(std::span<const Symbol> text, Mode mode) {
  const bool none = mode == Mode::stream || text.size() < 2;
  return fold(text, none ? std::vector<strings::Run>() : strings::runs(text), mode);
}

Program fold(std::span<const Symbol> text, std::vector<strings::Run> runs, Mode mode) {
  if (mode == Mode::stream) {
    Stream stream;
    stream.push(text);
    return std::move(stream).finish();
  }
  const auto size = static_cast<Index>(text.size());
  if (runs.empty()) return Assembly(text, {}).whole();
  std::vector<Repetition> loops;
  if (mode != Mode::seed) loops = cheapest(text, runs, kBodyWork);
  if (auto by_length = longest_first(size, std::move(runs)); mode == Mode::seed || saved(by_length) >= saved(loops)) {
    by_begin(by_length);
    loops = std::move(by_length);
  }
  return Assembly(text, loops).whole();
}

std::size_t length(const Program& program) {
  std::size_t sum = 0;
  for (const Node& node : program) sum += node.is_loop() ? length(node.body) : 1;
  return sum;
}

std::size_t cost(const Program& program) {
  std::size_t sum = 0;
  for (const Node& node : program) sum += kStatement + node.each.size() + cost(node.body);
  return sum;
}

bool expand_into(std::vector<Symbol>& all, std::span<const Node> nodes, std::size_t most) {
  for (const Node& node : nodes) {
    if (!node.is_loop()) {
      if (all.size() == most) return false;
      all.push_back(node.symbol);
      continue;
    }
    const std::size_t begin = all.size();
    if (!expand_into(all, node.body, most)) return false;
    const std::size_t period = all.size() - begin;
    if (period == 0 || (most - begin) / period < node.trips) return false;
    for (std::uint64_t i = period; i < period * node.trips; ++i) all.push_back(all[begin + i % period]);
  }
  return true;
}

std::vector<Symbol> expand(const Program& program) { return Expansion().text(program); }

}  // namespace skelgen::fold
