#include "network/shared_links.h"

#include <algorithm>
#include <array>
#include <utility>

namespace skelgen::network {

constexpr double kNever = std::numeric_limits<double>::infinity();

double SharedLinks::Way::next_s(double now) const {
  return now + std::max(0.0, messages.begin()->first.first - served) / rate;
}

void SharedLinks::enter(std::size_t message, std::size_t from, std::size_t to, double at_s, double alone_s) {
  entering_.push({std::max(at_s, now_s_), std::max(0.0, alone_s), entered_++, message, from, to});
}

double SharedLinks::next_s() const {
  double next = entering_.empty() ? kNever : entering_.top().at_s;
  for (const auto& [_, way] : ways_) next = std::min(next, way.next_s(now_s_));
  return next;
}

std::optional<std::size_t> SharedLinks::pass() {
  const double next = next_s();
  std::optional<std::size_t> passed;
  const auto at = std::ranges::find_if(ways_, [&](const auto& one) { return one.second.next_s(now_s_) <= next; });
  go_on(next);
  if (at != ways_.end()) {
    auto& messages = at->second.messages;
    passed = messages.begin()->second;
    messages.erase(messages.begin());
    if (messages.empty()) ways_.erase(at);
  } else {
    const auto one = entering_.top();
    entering_.pop();
    auto& way = ways_.try_emplace(one.from * groups_ + one.to, Way{one.from, one.to}).first->second;
    way.messages.emplace(std::pair{way.served + one.alone_s, one.number}, one.message);
  }
  share();
  return passed;
}

void SharedLinks::go_on(double to_s) {
  for (auto& [_, way] : ways_) way.served += (to_s - now_s_) * way.rate;
  now_s_ = to_s;
}

/// Rates: those of the messages on the link that leaves each the least are fixed, and so on with what is left of the others.
void SharedLinks::share() {
  struct Load {
    double left = 1, of_others = 0;  ///< of_others: of a unit of rate of the messages that have none yet
  };
  std::map<std::size_t, Load> links;  // out of group g: 2 g, into it: 2 g + 1
  const auto loads = [&](const Way& way) {
    return std::array<std::pair<std::size_t, double>, 4>{
        {{2 * way.from, 1}, {2 * way.to + 1, 1}, {2 * way.to, reverse_}, {2 * way.from + 1, reverse_}}};
  };
  std::vector<Way*> open;
  for (auto& [_, way] : ways_) {
    open.push_back(&way);
    for (const auto& [link, load] : loads(way))
      links[link].of_others += load * static_cast<double>(way.messages.size());
  }
  const auto rate = [](const Load& load) {
    return load.of_others > 1e-9 ? std::max(0.0, load.left) / load.of_others : kNever;
  };
  while (!open.empty()) {
    const auto full = std::ranges::min_element(links, {}, [&](const auto& one) { return rate(one.second); })->first;
    const double each = rate(links.at(full));
    std::erase_if(open, [&](Way* way) {
      const auto all = loads(*way);
      if (std::ranges::none_of(all, [&](const auto& one) { return one.first == full && one.second > 0; })) return false;
      way->rate = each;
      for (const auto& [link, load] : all) {
        const double its = load * static_cast<double>(way->messages.size());
        links[link].left -= its * each;
        links[link].of_others -= its;
      }
      return true;
    });
  }
}

}  // namespace skelgen::network
