#include "emit/counted.h"

#include <algorithm>

namespace skelgen::emit {

using skeleton::Node;
using skeleton::Sequence;

Sums::Sums(const Sequence& sequence) : sequence_(&sequence) {
  if (sequence.kind == Sequence::Kind::constant || sequence.kind == Sequence::Kind::arithmetic) return;
  sum_.push_back(0);
  positive_.push_back(0);
  for (const auto value : sequence.values) {
    sum_.push_back(sum_.back() + static_cast<std::uint64_t>(value));
    positive_.push_back(positive_.back() + (value > 0));
  }
}

std::uint64_t Sums::sum(std::uint64_t n) const {
  if (sequence_->kind == Sequence::Kind::periodic) {
    const std::uint64_t period = sequence_->values.size();
    return n / period * sum_.back() + sum_[n % period];
  }
  return sequence_->kind == Sequence::Kind::table ? sum_.at(n) : static_cast<std::uint64_t>(sequence_->sum(n));
}

std::uint64_t Sums::positive(std::uint64_t n) const {
  if (sequence_->kind == Sequence::Kind::periodic) {
    const std::uint64_t period = sequence_->values.size();
    return n / period * positive_.back() + positive_[n % period];
  }
  return sequence_->kind == Sequence::Kind::table ? positive_.at(n) : sequence_->positive(n);
}

Counted::Counted(const Around& around, const Node& node, bool between)
    : node_(&node), own_(around[0] == &node), between_(between) {
  const auto add = [&](const Node& loop) {
    levels_.push_back({&loop, {}});
    for (const auto& choice : loop.loop().trips.choices) levels_.back().sums.emplace_back(choice);
  };
  for (std::size_t i = 1; i < around.size(); ++i) add(*around[i]);
  if (between && !own_) add(node);
}

const Sums& Counted::of(const Level& level, std::uint32_t location) {
  const auto& trips = level.loop->loop().trips;
  if (trips.choice.empty()) return level.sums[0];
  return level.sums[trips.choice[static_cast<std::size_t>(level.loop->position(location))]];
}

std::uint64_t Counted::passes(std::size_t at, std::uint64_t begin, std::uint64_t end) const {
  if (own_) return end - begin - (begin == 0 && end > 0);
  std::uint64_t entered = 0;
  for (const Level& level : levels_) {
    const Sums& sums = of(level, node_->where[at]);
    if (between_ && &level == &levels_.back()) entered = sums.positive(end) - sums.positive(begin);
    begin = sums.sum(begin);
    end = sums.sum(end);
  }
  return end - begin - entered;
}

}  // namespace skelgen::emit
