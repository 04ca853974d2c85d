#include "fold/collapse.h"

#include <algorithm>
#include <cstring>

namespace skelgen::fold {
namespace {

constexpr std::size_t kChunk = 16;  // symbols compared at once
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

/// Where the smallest rotation of a body begins (two candidates, of which one loses at each difference).
std::size_t least_rotation(std::span<const Symbol> body) {
  const std::size_t n = body.size();
  std::size_t a = 0, b = 1, agree = 0;
  while (a < n && b < n && agree < n) {
    const Symbol at_a = body[(a + agree) % n], at_b = body[(b + agree) % n];
    if (at_a == at_b) {
      ++agree;
      continue;
    }
    (at_a > at_b ? a : b) += agree + 1;
    if (a == b) ++b;
    agree = 0;
  }
  return std::min(a, b);
}

}  // namespace

Symbol Tokens::of(const std::vector<Symbol>& body, std::uint64_t trips) {
  std::uint64_t hash = 0;
  for (const Symbol symbol : body) hash = (hash ^ symbol) * kOdd + (hash >> 32);
  const auto bodies = body_numbers_.equal_range(hash);
  auto known = std::find_if(bodies.first, bodies.second, [&](const auto& b) { return bodies_[b.second] == body; });
  if (known == bodies.second) {
    known = body_numbers_.emplace(hash, static_cast<std::uint32_t>(bodies_.size()));
    bodies_.push_back(body);
  }
  const std::uint32_t number = known->second;
  const std::uint64_t key = (trips * kOdd ^ number) * kOdd;
  const auto loops = numbers_.equal_range(key);
  const auto same = std::find_if(loops.first, loops.second, [&](const auto& loop) {
    return all_[loop.second].body == number && all_[loop.second].trips == trips;
  });
  if (same != loops.second) return kFirstToken + same->second;
  int level = 0;
  for (const Symbol symbol : body) level = std::max(level, this->level(symbol));
  numbers_.emplace(key, static_cast<std::uint32_t>(all_.size()));
  all_.push_back({number, level + 1, trips});
  return kFirstToken + static_cast<Symbol>(all_.size() - 1);
}

Collapse::Collapse(Tokens& tokens, std::vector<Symbol>& out, int passes)
    : tokens_(tokens), out_(out), passes_(passes) {}

void Collapse::push(std::span<const Symbol> symbols) {
  for (std::size_t i = 0; i < symbols.size();) {
    if (body_.empty()) {
      step(symbols[i++]);
      continue;
    }
    const std::size_t begin = i;
    for (; symbols.size() - i >= kChunk; i += kChunk) {
      if (std::memcmp(&symbols[i], &pattern_[phase_], kChunk * sizeof(Symbol)) != 0) break;
      phase_ = (phase_ + kChunk) % body_.size();
    }
    while (i < symbols.size() && symbols[i] == body_[phase_]) {
      ++i;
      if (++phase_ == body_.size()) phase_ = 0;
    }
    length_ += i - begin;
    if (i < symbols.size()) close();
  }
}

void Collapse::finish() {
  if (!body_.empty()) close();
  hand_on(waiting_.size());
  if (next_) next_->finish();
}

void Collapse::step(Symbol symbol) {
  if (!is_first_) {
    // What has no tokens was looked through by the pass before.
    quiet_ = symbol >= kFirstToken ? 0 : quiet_ + 1;
    if (quiet_ > kWaiting) {
      hand_on(waiting_.size());
      return hand_on(std::span(&symbol, 1));
    }
  }
  if (waiting_.size() >= 2 * kWaiting) hand_on(kWaiting);
  waiting_.push_back(symbol);
  const std::size_t at = waiting_.size() - 1;
  if (period_ > 0 && at >= period_ && waiting_[at - period_] == symbol)
    ++matched_;
  else
    period_ = 0;
  gram_ = gram_ << 8 ^ (symbol * static_cast<Symbol>(kOdd) >> 24);
  auto& seen = seen_[gram_ * kOdd >> 52];
  if (period_ == 0 && seen > first_) {
    const std::size_t distance = first_ + at + 1 - seen;
    if (distance > 0 && distance <= kLongestBody) {
      matched_ = agreeing(distance, (kCopies - 1) * distance);
      if (matched_ > 0) period_ = distance;
    }
  }
  seen = first_ + at + 1;
  if (period_ > 0 && matched_ >= (kCopies - 1) * period_) open(period_);
}

std::size_t Collapse::agreeing(std::size_t period, std::size_t most) const {
  const std::size_t size = waiting_.size();
  if (size <= period) return 0;
  most = std::min(most, size - period);
  std::size_t k = 0;
  while (k < most && waiting_[size - 1 - k] == waiting_[size - 1 - k - period]) ++k;
  return k;
}

void Collapse::open(std::size_t period) {
  std::size_t begin = waiting_.size() - matched_ - period;
  while (begin > 0 && waiting_[begin - 1] == waiting_[begin - 1 + period]) --begin;
  // The body begins at its smallest rotation, so that what stands before the loop does not matter.
  begin += kCopiesBeside * period;
  begin += least_rotation(std::span(waiting_).subspan(begin, period));
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(begin);
  body_.assign(first, first + static_cast<std::ptrdiff_t>(period));
  pattern_.resize(period + kChunk);
  for (std::size_t i = 0; i < pattern_.size(); ++i) pattern_[i] = body_[i % period];
  length_ = waiting_.size() - begin;
  phase_ = length_ % period;
  first_ += waiting_.size() - begin;
  waiting_.resize(begin);
  hand_on(begin);
  period_ = 0;
}

void Collapse::close() {
  std::uint64_t trips = length_ / body_.size() - kCopiesBeside;
  if (trips + 2 * kCopiesBeside < kFewestCopies) trips = 0;  // gains little, and the exact stage may see more
  const std::uint64_t left = length_ - trips * body_.size();
  if (!next_ && passes_ > 0 && trips > 0) {
    next_ = std::make_unique<Collapse>(tokens_, out_, passes_ - 1);
    next_->is_first_ = false;
    next_->quiet_ = kWaiting;
  }
  if (trips > 0) {
    const Symbol token = tokens_.of(body_, trips);
    hand_on(std::span(&token, 1));
  }
  for (std::uint64_t i = 0; i < left; ++i) waiting_.push_back(body_[i % body_.size()]);
  body_.clear();
}

void Collapse::hand_on(std::size_t count) {
  hand_on(std::span(waiting_).first(count));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  first_ += count;
}

void Collapse::hand_on(std::span<const Symbol> symbols) {
  if (next_)
    next_->push(symbols);
  else
    out_.insert(out_.end(), symbols.begin(), symbols.end());
}

}  // namespace skelgen::fold
